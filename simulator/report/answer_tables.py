"""Tables of answers other than odds, for a terminal."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from rich.table import Table

from simulator.analysis.odds.measure import is_chance
from simulator.report.plain_tables import plain_table, table_of
from simulator.report.words import label_of, percent, setting_of, span

if TYPE_CHECKING:
    from simulator.analysis.decisions.worth import Worth
    from simulator.analysis.history.luck import Luck
    from simulator.analysis.history.rounds import Rounds
    from simulator.analysis.odds.mix import Mixture
    from simulator.analysis.studies.balance import Balance
    from simulator.analysis.studies.compare import Comparison, Row
    from simulator.analysis.studies.sensitivity import Sensitivity
    from simulator.analysis.studies.units import Units


def comparison_table(found: Comparison) -> Table:
    """A row a value, a column a scenario with its difference to the first."""
    table = plain_table("value", right=list(found.odds))
    for value, rows in groupby(found.answers, key=lambda row: row.value):
        table.add_row(value, *(_cell(row, row.scenario == found.reference) for row in rows))
    return table


def _cell(row: Row, reference: bool) -> str:
    chance = is_chance(row.value)
    text = percent(row.estimate) if chance else f"{row.estimate:.4g}"
    if reference:
        return text
    d = row.difference
    unit = 100 if chance else 1
    apart = f"{unit * d.value:+.2f}" if chance else f"{d.value:+.4g}"
    if row.method != "exact" and not math.isnan(d.low):
        apart += f", {unit * d.low:+.2f} to {unit * d.high:+.2f}" if chance else f", {d.low:+.4g} to {d.high:+.4g}"
    return f"{text} ({apart})"


def luck_table(found: Luck) -> Table:
    """A row a battle."""
    numbers = {"expected": "{:.4g}", "observed": "{:.4g}", "luck": "{:.3f}"}
    return table_of(found.rows(), {"battle": "{}", "side": "{}"} | numbers)


def roll_table(rows: Sequence[Mapping[str, Any]]) -> Table:
    """A row a roll: the worth before and after it, and how lucky it was."""
    named = ({**row, "roll": row["line"].partition("\n")[0]} for row in rows)
    return table_of(named, {"roll": "{}", "before": "{:.4f}", "after": "{:.4f}", "change": "{:+.4f}", "luck": "{:.3f}"})


def mixture_table(found: Mixture) -> Table:
    """A row a combination."""
    rows = found.rows()
    chances = [name for name in rows[0] if name == "weight" or name.startswith("p_")]
    table = table_of(rows, dict.fromkeys(found.paths, "{}") | dict.fromkeys(chances, percent) | {"method": "{:s}"})
    for column in table.columns:
        column.overflow = "fold"
    return table


def rounds_passed_tables(found: Rounds) -> list[Any]:
    """A row a round: over, who has won, the headline columns as they stand. Of a campaign: its fights."""
    if found.fights:
        from simulator.report.campaigns import tables_by_fight

        return tables_by_fight(found)
    battle, rows = found.scenario.battle, found.rows()
    sides = [name for name in ("over", "attacker", "defender", "nobody") if name in rows[0]]
    shown = [name for name in battle.headline if name in found.columns and name != "rounds"]
    labels = {label_of(battle, name): f"mean.{name}" for name in shown}
    named = (row | {label: row[name] for label, name in labels.items()} for row in rows)
    return [table_of(named, {"round": "{:d}"} | dict.fromkeys(sides, percent) | dict.fromkeys(labels, "{:.3f}"))]


def sensitivity_table(found: Sensitivity) -> Table:
    """A row a change that has an effect, the field that moves most first."""
    simulated = any(step.method != "exact" for step in found.steps)
    table = plain_table("field", right=("now", "then", found.value, "change", *["95 % interval"] * simulated))
    idle = set(found.without_effect())
    unit, chance = (100, True) if is_chance(found.value) else (1, False)
    for name, steps in found.fields():
        for place, step in enumerate(steps if name not in idle else ()):
            value = percent(step.value) if chance else f"{step.value:.4g}"
            change = f"{unit * step.change.value:+.2f}" if chance else f"{step.change.value:+.4g}"
            now = ["", ""] if place else [name, setting_of(step.setting)]
            cells = [*now, setting_of(step.to), value, change]
            if simulated:
                cells.append(f"{unit * step.change.low:+.3g} to {unit * step.change.high:+.3g}")
            table.add_row(*cells)
    return table


def balance_table(found: Balance) -> Table:
    """A row a combination of the front, nearest first."""
    sides = [name.removeprefix("p_") for name in found.asked] if len(found.asked) > 1 else found.asked
    table = plain_table(right=("steps", *sides, "distance"))
    table.add_column("change")
    for one in found.front:
        numbers = [*(measure.value for measure in one.cell.measures), one.distance]
        table.add_row(str(one.steps), *map(found.number, numbers), found.in_words(one))
    return table


def units_table(found: Units) -> Table:
    """A row a unit of each side, the most points for the price first; only columns that hold something."""
    rows = found.rows()
    columns = {"side": "{}", "unit": "{}", "price": "{:g}", "points": "{:+.2f}", "per_cost": "{:+.2f}"}
    columns |= {"exchanged": "{:+.2f}"}
    heads = {"per_cost": "points per cost", "exchanged": "cost exchanged"}
    used = {name: how for name, how in columns.items() if any(row[name] is not None for row in rows)}
    table = plain_table("side", "unit", right=[heads.get(name, name) for name in list(used)[2:]])
    for row in rows:
        table.add_row(*("" if row[name] is None else how.format(row[name]) for name, how in used.items()))
    return table


def worth_table(found: Worth) -> Table:
    """The numbers of `Worth`, one a row."""
    simulated = found.odds.battles is not None
    table = plain_table("worth", right=("value", *["95 % interval"] * simulated))

    def add(name: str, value: str, interval: str = "") -> None:
        table.add_row(name, value, *([interval] if simulated else []))

    add("mean", f"{found.mean:.6g}", f"{found.low:.5g} to {found.high:.5g}")
    add("standard deviation", f"{found.std:.6g}")
    interval = span(found.p_negative_low, found.p_negative_high)
    add("chance to be worth less than 0", percent(found.p_negative), interval)
    add(f"{percent(found.level, 0)} quantile (value at risk)", f"{found.quantile:.6g}")
    add(f"mean of the worst {percent(found.level, 0)} (shortfall)", f"{found.shortfall:.6g}")
    for x, p in found.p_lose.items():
        add(f"chance to lose at least {x:g}", percent(p))
    return table
