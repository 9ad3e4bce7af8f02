"""The tools of the page: each asks one analysis and hands its template what that finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from simulator.analysis.history.battle_log import read_rows
from simulator.analysis.odds.measure import in_words, is_chance
from simulator.analysis.odds.run import Interrupted, Method
from simulator.analysis.studies.sweep import Sweep, sweep
from simulator.cli import reading
from simulator.engine.model.limits import NoExactOdds
from simulator.report.words import label_of, path_in_words, percent, value_of
from simulator.rules.battle import Battle
from simulator.scenarios import Draft, ScenarioError
from simulator.scenarios.objective import with_winning
from simulator.scenarios.schema import choices, whole_numbers
from simulator.scenarios.validation import not_one_of
from simulator.web import answers, draw
from simulator.web.messages import Asked, Limits, Reply
from simulator.web.render import render
from simulator.web.share_links import address_of
from simulator.web.views import Request

MOST_CELLS = 2500
MOST_ROWS = 60
MOST_BATTLES = 200
USUAL_SPAN = 30


@dataclass(frozen=True)
class Tool:
    """One tool: its name in words, and what finds its answer."""

    title: str
    find: Callable[[Request, Limits], dict[str, Any]]


def gathered(work: Callable[[], Any]) -> tuple[Any, bool]:
    """What the work finds, and whether time sufficed for all of it."""
    try:
        return work(), True
    except Interrupted as cut:
        return cut.gathered, False


# --- sweep ----------------------------------------------------------------------------------------------------------


def swept(draft: Draft, vary: Sequence[str], value: Sequence[str] | None) -> tuple[Sweep, bool]:
    """A grid over one or two fields (`path=1:30`), and whether time sufficed. Raises ScenarioError, ValueError."""
    ranges = reading.read_vary([one for one in vary if one.strip()])
    cells = 1
    for values in ranges.values():
        cells *= len(values)
    if cells > MOST_CELLS:
        raise ScenarioError(f"vary: {cells:,} combinations; this page reckons at most {MOST_CELLS:,}")
    found, complete = gathered(lambda: sweep(draft, ranges, value, threads=1))
    return found, complete


def _sweep(request: Request, limits: Limits) -> dict[str, Any]:
    vary = request.many("vary")
    for place in ("1", "2"):
        path = request.tool(f"path{place}")
        if path:
            span = request.tool(f"range{place}") or usual_range(request.battle, path, request.data)
            vary.append(f"{path}={span}")
    if not vary:
        raise ScenarioError("vary: choose a field to vary")
    value = request.tool("value")
    found, complete = swept(request.draft, vary, [value] if value else None)
    chance = is_chance(found.value)
    rows = [
        {
            "settings": [str(one) for one in cell.settings],
            "text": cell.refused or draw.told(cell.value, chance),
            "value": "" if cell.refused else f"{cell.value:.10g}",
            "interval": _span(cell, chance),
        }
        for cell in found.cells
    ]
    heads = [path_in_words(path) for path in found.paths]
    told = {"picture": draw.picture(found), "rows": rows, "heads": heads}
    return told | {"asked": in_words(found.value), "how": found.how(), "complete": complete}


def _span(cell: Any, chance: bool) -> str:
    if cell.refused or cell.battles is None or cell.low != cell.low:
        return ""
    return f"{draw.told(cell.low, chance)} to {draw.told(cell.high, chance)}"


def usual_range(battle: Battle, path: str, data: Mapping[str, Any]) -> str:
    """What a field is varied over when nothing is told: its first thirty numbers, or all its names."""
    bounds = whole_numbers(battle, path)
    if bounds is not None:
        low = max(bounds[0] if bounds[0] is not None else 0, -USUAL_SPAN)
        high = min(bounds[1] if bounds[1] is not None else low + USUAL_SPAN, low + USUAL_SPAN - 1)
        return f"{low}:{high}"
    names = [str(name) for name in choices(battle, path)]
    if not names:
        raise ScenarioError(f"vary: give a range for {path}, like 1:30 or a,b,c")
    return ",".join(names)


# --- need, one more, rounds -----------------------------------------------------------------------------------------


def _need(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.decisions.need import need

    path = request.tool("path1")
    if not path:
        raise ScenarioError("vary: choose a field to raise")
    value = request.tool("value") or None
    target = reading.read_target(request.tool("target", "80%"), value)
    found, complete = gathered(lambda: need(request.draft, path, target, value, threads=1))
    chance = is_chance(found.asked)
    rows = [
        {
            "setting": row[path],
            "text": draw.told(row["value"], chance),
            "value": f"{row['value']:.10g}",
            "method": row["method"],
        }
        for row in found.rows()
    ]
    rows.sort(key=lambda row: row["setting"])
    asked = in_words(found.asked)
    return {
        "how": found.how(),
        "enough": found.enough,
        "setting": found.setting,
        "label": path_in_words(path),
        "asked": asked,
        "rows": rows,
        "complete": complete,
    }


def _more(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.studies.sensitivity import one_more

    value = request.tool("value") or None
    found, complete = gathered(lambda: one_more(request.draft, value, threads=1))
    chance = is_chance(found.value)
    rows = [
        {
            "label": path_in_words(step.path),
            "setting": step.setting,
            "to": step.to,
            "text": draw.told(step.value, chance),
            "change": _change(step.change.value, chance),
            "value": f"{step.change.value:.10g}",
            "interval": "" if step.method == "exact" else _apart(step.change, chance),
        }
        for step in found.steps
    ]
    moving = [row for row in rows if float(row["value"]) != 0]
    return {
        "rows": moving,
        "still": [row["label"] for row in rows if float(row["value"]) == 0],
        "asked": in_words(found.value),
        "base": draw.told(found.base, chance),
        "how": found.how(),
        "complete": complete,
    }


def _change(value: float, chance: bool) -> str:
    return f"{100 * value:+.2f} points" if chance else f"{value:+.4g}"


def _apart(change: Any, chance: bool) -> str:
    return f"{_change(change.low, chance)} to {_change(change.high, chance)}"


def _rounds(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.rounds import rounds

    found = rounds(request.draft)
    table = found.rows()[: MOST_ROWS + 1]
    sides = "attacker" in table[0]
    columns = [name for name in found.columns if f"mean.{name}" in table[0]][:6]
    rows = []
    for row in table:
        going = [("going", 1 - row["over"])]
        shares = [(side, row[side]) for side in ("attacker", "nobody", "defender")] if sides else []
        rows.append(
            {
                "round": row["round"],
                "over": percent(row["over"]),
                "won": [percent(row[side]) for side in ("attacker", "defender")] if sides else [],
                "pieces": answers.pieces([*shares[:1], *going, *shares[1:]]),
                "means": [f"{row[f'mean.{name}']:.2f}" for name in columns],
            }
        )
    battle = request.battle
    return {"rows": rows, "sides": sides, "columns": [label_of(battle, name) for name in columns], "how": found.how()}


# --- best play ------------------------------------------------------------------------------------------------------


def _best(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.decisions.best import best

    asked = request.draft
    aims = asked.data.get("objective")
    if isinstance(aims, Mapping):
        given = {
            f"objective.{side}": with_winning(own) for side, own in aims.items() if isinstance(own, Mapping) and own
        }
        asked = asked.with_fields(given)
    found = best(asked, request.many("decide") or None)
    rows = sorted(found.rows(), key=lambda row: -row["reached"])
    names = [name for name in rows[0] if name not in {"advantage", "reached"}] if rows else []
    return {
        "results": [(one.label, percent(one.p), f"{one.p:.10g}") for one in found.odds.results],
        "worth": [(side, f"{value:.6f}") for side, value in found.value.items()],
        "wanted": found.wanted,
        "advice": found.advice(),
        "gains": [
            {"decision": one.decision, "policy": one.policy, "value": f"{one.value:.6f}", "gain": f"{one.gain:.6f}"}
            for one in found.fixed
        ],
        "names": [name.replace("_", " ") for name in names],
        "rows": [
            {
                "cells": [str(row[name]) for name in names],
                "gain": f"{row['advantage']:.6f}",
                "met": percent(row["reached"]),
            }
            for row in rows[:MOST_ROWS]
        ],
        "many": len(rows),
        "rests": found.assumptions(),
        "how": found.how(),
    }


# --- replay and luck ------------------------------------------------------------------------------------------------


def _number(request: Request, name: str) -> int:
    text = request.tool(name, "0")
    if not text.isdecimal() or len(text) > 20:
        raise ScenarioError(f"{name}: {text[:40]!r} is not allowed; give a whole number")
    return int(text)


def _replay(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.replay import replay

    seed, number = _number(request, "seed"), _number(request, "battle")
    found = replay(request.draft, seed, number)
    lines = [{"text": line, "after": ""} for line in found.lines]
    lucky = False
    with suppress(NoExactOdds):  # too large, or several battles in one: then it is told without
        chancy = "objective" not in request.data
        rows = found.luck_rows()
        lucky = bool(rows)
        lines = [{"text": r["line"], "after": percent(r["after"], 1) if chancy else f"{r['after']:.3f}"} for r in rows]
    battle = request.battle
    outcome = [(label_of(battle, name), value_of(battle, name, value)) for name, value in found.outcome.items()]
    return {"lines": lines, "outcome": outcome, "seed": seed, "battle": number, "lucky": lucky}


def _luck(request: Request, limits: Limits) -> dict[str, Any]:
    from simulator.analysis.history.luck import luck

    battles = fought(request.tool("battles"), request.draft)
    side = request.tool("side", "attacker")
    method = Method(threads=1, precision=0.002)
    found = luck([one | {"side": side} for one in battles], method=method)
    rows = [
        {
            "battle": place + 1,
            "expected": f"{row['expected']:.4f}",
            "observed": f"{row['observed']:.4g}",
            "luck": percent(row["luck"]),
        }
        for place, row in enumerate(found.rows())
    ]
    return {"sentence": str(found), "rows": rows, "how": found.how(), "p_value": f"{found.p_value:.4g}"}


def fought(text: str, draft: Draft) -> list[dict[str, Any]]:
    """Battles of this scenario that were fought: CSV with a heading, or a winner a line. Raises ScenarioError."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ScenarioError("battles: tell what was observed, a battle a line, like: defender")
    if len(lines) > MOST_BATTLES:
        raise ScenarioError(f"battles: {len(lines)} lines; at most {MOST_BATTLES}")
    if "," not in lines[0] and lines[0].strip() != "winner":
        return [{"scenario": draft, "winner": line.strip()} for line in lines]
    found = read_rows(text)
    if any({"scenario", "side", "set"} & set(one) for one in found):
        raise ScenarioError("battles: every line is a battle of the scenario shown; give winner and columns only")
    return [{"scenario": draft} | one for one in found]


TOOLS = {
    "sweep": Tool("Sweep", _sweep),
    "need": Tool("How many for so much", _need),
    "more": Tool("One more of each", _more),
    "rounds": Tool("State after each round", _rounds),
    "best": Tool("Best play", _best),
    "replay": Tool("Replay of one battle", _replay),
    "luck": Tool("Was I unlucky?", _luck),
}


def tool(asked: Asked, limits: Limits) -> Reply:
    """What one of the tools finds, alone or on a page of its own."""
    name = asked.names["tool"]
    if name not in TOOLS:
        raise ScenarioError(f"tool: {not_one_of(name, list(TOOLS))}")
    request = Request(asked)
    told = TOOLS[name].find(request, limits)
    template = f"tools/{name}.html"
    if request.fragment:
        return Reply(render(template, **told))
    back = address_of(request.data, request.battle)
    shown = {"template": template, "title": TOOLS[name].title, "back": back, "kind": request.battle}
    return Reply(render("tool.html", **(told | shown)))
