"""The tools of the page: each asks one analysis and passes the result to its template."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from simulator.analysis.history.battle_log import read_rows
from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.run import Interrupted, Method
from simulator.analysis.studies.sweep import Sweep, sweep
from simulator.cli import reading
from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import Battle
from simulator.scenarios import Draft, ScenarioError
from simulator.scenarios.objective import with_winning
from simulator.scenarios.schema import choices, whole_numbers
from simulator.scenarios.validation import not_one_of
from simulator.web.links import address_of
from simulator.web.messages import Job, Limits, Reply
from simulator.web.views import charts
from simulator.web.views.answers import bar_pieces
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest

MOST_CELLS = 2500
MOST_ROWS = 60
MOST_BATTLES = 200
DEFAULT_SPAN = 30
MOST_MEANS = 6


def _complete(analysis: Callable[[], Any]) -> tuple[Any, bool]:
    """The result of an analysis, and whether it is complete: interrupted ones hand over what they have."""
    try:
        return analysis(), True
    except Interrupted as interrupted:
        return interrupted.gathered, False


# --- sweep ----------------------------------------------------------------------------------------------------------


def sweep_in_time(draft: Draft, vary: Sequence[str], value: Sequence[str] | None) -> tuple[Sweep, bool]:
    """A grid over fields (`path=1:30`), and whether it is complete. Raises ScenarioError, ValueError."""
    ranges = reading.read_vary(vary)
    cells = 1
    for values in ranges.values():
        cells *= len(values)
    if cells > MOST_CELLS:
        raise ScenarioError(f"vary: {cells:,} combinations; this page computes at most {MOST_CELLS:,}")
    return _complete(lambda: sweep(draft, ranges, value, threads=1))


def _sweep(request: BattleRequest) -> dict[str, Any]:
    vary = list(request.options.many("vary"))
    for place in ("1", "2"):
        path = request.options.text(f"path{place}")
        if path:
            span = request.options.text(f"range{place}") or default_range(request.battle, path)
            vary.append(f"{path}={span}")
    if not vary:
        raise ScenarioError("vary: choose a field to vary")
    result, complete = sweep_in_time(request.draft, vary, request.options.many("value")[-1:] or None)
    return {"sweep": result, "chart": charts.chart(result), "chance": is_chance(result.value), "complete": complete}


def default_range(battle: Battle, path: str) -> str:
    """The range of a field if none is given: its first thirty numbers, or all its names. Raises ScenarioError."""
    bounds = whole_numbers(battle, path)
    if bounds is not None:
        low = max(bounds[0] if bounds[0] is not None else 0, -DEFAULT_SPAN)
        high = low + DEFAULT_SPAN - 1
        return f"{low}:{high if bounds[1] is None else min(bounds[1], high)}"
    names = ",".join(str(name) for name in choices(battle, path))
    if not names:
        raise ScenarioError(f"vary: give a range for {path}, like 1:30 or a,b,c")
    return names


# --- one more, need, rounds, best play ------------------------------------------------------------------------------


def _more(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.studies.sensitivity import one_more

    value = request.options.text("value") or None
    result, complete = _complete(lambda: one_more(request.draft, value, threads=1))
    return {"more": result, "chance": is_chance(result.value), "complete": complete}


def _need(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.decisions.need import need

    path, value = request.options.text("path1"), request.options.text("value") or None
    if not path:
        raise ScenarioError("vary: choose a field to raise")
    target = reading.read_target(request.options.text("target", "80%"), value)
    result, complete = _complete(lambda: need(request.draft, path, target, value, threads=1))
    rows = sorted(result.rows(), key=itemgetter(path))
    return {"need": result, "path": path, "rows": rows, "chance": is_chance(result.asked), "complete": complete}


def _rounds(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.rounds import rounds

    result = rounds(request.draft)
    rows = result.rows()[: MOST_ROWS + 1]
    columns = [name for name in result.columns if f"mean.{name}" in rows[0]][:MOST_MEANS]
    sides = [side for side in ("attacker", "defender") if side in rows[0]]
    for row in rows if sides else ():
        shares = {"attacker": row["attacker"], "going": 1 - row["over"]}
        row["bar"] = bar_pieces((shares | {side: row[side] for side in ("nobody", "defender")}).items())
    return {"rows": rows, "sides": sides, "columns": columns, "battle": request.battle, "how": result.how()}


def _best(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.decisions.best import best

    draft = request.draft
    objective = draft.data.get("objective")
    if isinstance(objective, Mapping):
        weights = {f"objective.{side}": own for side, own in objective.items() if isinstance(own, Mapping) and own}
        draft = draft.with_fields({path: with_winning(own) for path, own in weights.items()})
    result = best(draft, request.options.many("decide") or None)
    rows = sorted(result.rows(), key=lambda row: -row["reached"])
    names = [name for name in rows[0] if name not in {"advantage", "reached"}] if rows else []
    return {"best": result, "names": names, "rows": rows[:MOST_ROWS], "states": len(rows)}


# --- replay and luck ------------------------------------------------------------------------------------------------


def _replay(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.replay import replay

    seed, number = request.options.whole("seed") or 0, request.options.whole("battle") or 0
    result = replay(request.draft, seed, number)
    rows: list[dict[str, Any]] = []
    with suppress(NoExactOdds):  # too large, or several battles in one: shown without chances
        rows = result.luck_rows()
    about = {"seed": seed, "number": number, "battle": request.battle}
    return about | {"replay": result, "rows": rows, "chance": "objective" not in request.data}


def _luck(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.luck import luck

    side = request.options.text("side", "attacker")
    battles = [battle | {"side": side} for battle in fought(request.options.text("battles"), request.draft)]
    return {"luck": luck(battles, method=Method(threads=1, precision=0.002))}


def fought(text: str, draft: Draft) -> list[dict[str, Any]]:
    """Battles of this scenario that were fought: CSV with a heading, or a winner a line. Raises ScenarioError."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ScenarioError("battles: give the result of each battle on a line of its own, like: defender")
    if len(lines) > MOST_BATTLES:
        raise ScenarioError(f"battles: {len(lines)} lines; at most {MOST_BATTLES}")
    if "," not in lines[0] and lines[0].strip() != "winner":
        return [{"scenario": draft, "winner": line.strip()} for line in lines]
    rows = read_rows(text)
    if any({"scenario", "side", "set"} & set(row) for row in rows):
        raise ScenarioError("battles: every line is a battle of the scenario shown; give winner and columns only")
    return [{"scenario": draft} | row for row in rows]


# --- all tools ------------------------------------------------------------------------------------------------------

# Title and function of each tool; its template has its name.
TOOLS: dict[str, tuple[str, Callable[[BattleRequest], dict[str, Any]]]] = {
    "sweep": ("Sweep", _sweep),
    "need": ("How many for x %", _need),
    "more": ("One more of each", _more),
    "rounds": ("State after each round", _rounds),
    "best": ("Best play", _best),
    "replay": ("Replay of one battle", _replay),
    "luck": ("Was I unlucky?", _luck),
}


def tool(job: Job, limits: Limits) -> Reply:
    """The result of a tool, alone or as a page."""
    name = job.names["tool"]
    if name not in TOOLS:
        raise ScenarioError(f"tool: {not_one_of(name, list(TOOLS))}")
    request, (title, analyse) = BattleRequest(job), TOOLS[name]
    context, template = analyse(request), f"tools/{name}.html"
    if request.options.text("part") == "1":
        return Reply(render(template, **context))
    frame = {"template": template, "title": title, "back": address_of(request.data, request.battle)}
    return Reply(render("tool.html", **(context | frame | {"kind": request.battle})))
