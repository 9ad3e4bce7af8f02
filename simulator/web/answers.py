"""Odds as the page shows them: bars, losses, a distribution, the likeliest outcomes, what the answer rests on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.analysis.odds.odds import Chance, Odds
from simulator.report.tables import MOST_LIKELY_COLUMNS, events
from simulator.report.words import bound, label_of, percent, value_of
from simulator.rules.battle import WINNERS
from simulator.scenarios import Scenario

MOST_VALUES = 200
MOST_OUTCOMES = 8
# From left to right as the sides stand on the table.
BAR_ORDER = ("attacker", "nobody", "defender")


def chance(name: str, p: float, low: float, high: float, odds: Odds) -> dict[str, Any]:
    """A chance with its interval, in words and as a number for machines."""
    shown = {"name": name, "p": p, "value": f"{p:.10g}", "text": percent(p), "interval": ""}
    if odds.battles is not None:
        shown["interval"] = f"{100 * low:.2f} to {100 * high:.2f} %"
        if p == 0:
            shown["text"] = f"not once: {bound(odds.battles)}"
    elif p == 0:
        shown["text"] = "never"
    return shown


def context(odds: Odds, scenario: Scenario | None, column: str = "") -> dict[str, Any]:
    """Everything that the answer's template tells. Raises ValueError for an unknown column."""
    results = [_result(odds, one) for one in odds.results]
    return {
        "title": f"{odds.battle.game} {odds.battle.kind}",
        "results": results,
        "bar": bar_of(odds),
        "events": [_result(odds, one) for one in events(odds)],
        "losses": _losses(odds),
        "likely": _likely(odds),
        "distribution": _distribution(odds, column),
        "how": odds.how(),
        "exact": odds.battles is None,
        "rests": odds.rests_on,
        "explained": list(scenario.built.explain()) if scenario else [],
        "versions": odds.versions(),
    }


def _result(odds: Odds, one: Chance) -> dict[str, Any]:
    return chance(one.label.replace("_", " "), one.p, one.low, one.high, odds)


def bar_of(odds: Odds) -> list[dict[str, Any]]:
    """The pieces of the bar: name, where it begins and how wide it is, in per cent; of who wins, or what may come."""
    if "winner" in odds.columns:
        shares = [(side, odds.winner(side)) for side in BAR_ORDER]
    elif odds.results and sum(one.p for one in odds.results) < 1 + 1e-9:
        shares = [(one.label.replace("_", " "), one.p) for one in odds.results]
    else:
        return []
    return pieces(shares)


def pieces(shares: Sequence[tuple[str, float]]) -> list[dict[str, Any]]:
    """The pieces of a bar for names and their chances."""
    found, at = [], 0.0
    for place, (name, p) in enumerate(shares):
        kind = name if name in {*WINNERS, "going"} else f"r{place % 6}"
        found.append(
            {"name": name, "kind": kind, "at": f"{100 * at:.4f}", "width": f"{100 * max(p, 0):.4f}", "p": percent(p)}
        )
        at += p
    return found


def _losses(odds: Odds) -> list[dict[str, Any]]:
    """The headline numbers: mean, spread, 5, 50 and 95 %."""
    found = []
    for row in odds.summary_rows():
        name = row["column"]
        if odds.kind_of(name) != "number":
            continue
        shown = odds.battle.shown.get(name)
        tell = shown.value if shown and shown.value else None
        half = (row["high"] - row["low"]) / 2
        found.append(
            {
                "column": name,
                "name": label_of(odds.battle, name),
                "mean": tell(row["mean"]) if tell else f"{row['mean']:.3f}",
                "value": f"{row['mean']:.10g}",
                "half": "" if odds.battles is None else f"{half:.2g}",
                "std": tell(row["std"]) if tell else f"{row['std']:.2f}",
                "quantiles": [value_of(odds.battle, name, row[key]) for key in ("q05", "q50", "q95")],
            }
        )
    return found


def _likely(odds: Odds) -> dict[str, Any]:
    """The most likely outcomes."""
    numbers = [name for name in odds.headline if odds.kind_of(name) != "yes/no"]
    columns = [name for name in numbers if "lost" in name or "losses" in name] or numbers[:2]
    rows = odds.likely(MOST_OUTCOMES, columns[:MOST_LIKELY_COLUMNS] or None)
    names = [name for name in rows[0] if name != "p"]
    told = [
        {
            "p": percent(row["p"]),
            "value": f"{row['p']:.10g}",
            "cells": [value_of(odds.battle, n, row[n]) for n in names],
        }
        for row in rows
    ]
    return {"names": [label_of(odds.battle, name) for name in names], "rows": told}


def _distribution(odds: Odds, column: str) -> dict[str, Any] | None:
    """The chances of each value of a column; runs of values together where there are many."""
    columns = list(dict.fromkeys([*odds.headline, *odds.readable_columns]))
    columns = [name for name in columns if name in odds.columns]
    if not columns:
        return None
    numbers = [name for name in columns if odds.kind_of(name) == "number"]
    lost = [name for name in numbers if "lost" in name or "losses" in name]
    chosen = column or [*lost, *numbers, *columns][0]
    table = {name: values.tolist() for name, values in odds.distribution_columns(chosen).items()}
    named = [(name, label_of(odds.battle, name)) for name in columns]
    told = {"columns": named, "chosen": chosen, "label": label_of(odds.battle, chosen), "bounds": "at_least" in table}
    return told | {"rows": _rows(odds, chosen, table)}


def _rows(odds: Odds, column: str, table: dict[str, list[Any]]) -> list[tuple[str, ...]]:
    """A distribution's rows: value, its chance as a number and in words, width, at least, at most, interval."""
    values, bounds = table["value"], "at_least" in table
    many = -(-len(values) // MOST_VALUES)
    spans = [(first, min(first + many, len(values)) - 1) for first in range(0, len(values), many)] if many else []
    chances = [sum(table["p"][first : last + 1]) for first, last in spans]
    highest = max(chances, default=1.0) or 1.0
    found: list[tuple[str, ...]] = []
    for (first, last), p in zip(spans, chances, strict=True):
        name = value_of(odds.battle, column, values[first])
        if last > first:
            name += f" to {value_of(odds.battle, column, values[last])}"
        least = _share(table["at_least"][first]) if bounds else ""
        most = _share(table["at_most"][last]) if bounds else ""
        known = "low" in table and last == first
        interval = f"{100 * table['low'][first]:.2f} to {100 * table['high'][first]:.2f} %" if known else ""
        found.append((name, f"{p:.10g}", _share(p), f"{100 * p / highest:.3f}", least, most, interval))
    return found


def _share(p: float) -> str:
    """A sum of chances, which rounding may carry past one."""
    return percent(min(1.0, p))
