"""The tools of the page: each asks one analysis and passes the result to its template."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from operator import itemgetter
from typing import Any

from simulator.analysis.field_words import counts_units, field_in_words, owner_in_words, units_in_words
from simulator.analysis.history.battle_log import read_rows
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.measure import in_words, is_chance, measure, read_target
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted
from simulator.analysis.studies.sweep import sweep
from simulator.analysis.studies.swept import Sweep
from simulator.analysis.words import meaning
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.report.answer_words import ending
from simulator.rules.battle import Battle
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.words import words
from simulator.scenarios import Draft, Scenario, ScenarioError, draft, reading
from simulator.scenarios.objective import with_winning
from simulator.scenarios.paths import setting_at
from simulator.scenarios.schema import choices, whole_numbers
from simulator.scenarios.validation import not_one_of
from simulator.web import catalogue, counter_attack
from simulator.web.links import address_of, key_of, value_at
from simulator.web.messages import BadRequest, Job, Limits, Reply
from simulator.web.time_limit import OutOfTime, at_most
from simulator.web.views import charts
from simulator.web.views.answers import EXACT_SHARE, endings
from simulator.web.views.render import render
from simulator.web.views.request import BattleRequest

MOST_CELLS = 2500
MOST_ROWS = 60
MOST_BATTLES = 200
NEAR = 5
MOST_MEANS = 6
# The groups of "What if" beside those of the two sides.
UNITS, RULES = "Units", "Modifiers and rules"


def complete(analysis: Callable[[], Any]) -> tuple[Any, bool]:
    """The result of an analysis, and whether it is complete: interrupted ones hand over what they have."""
    try:
        return analysis(), True
    except Interrupted as interrupted:
        return interrupted.gathered, False


# --- sweep ----------------------------------------------------------------------------------------------------------


def sweep_in_time(
    draft: Draft, vary: Sequence[str], value: Sequence[str] | None, battles: int | None = None, seed: int = 0
) -> tuple[Sweep, bool]:
    """A grid over fields (`path=1:30`), and whether it is complete. Raises ScenarioError, ValueError."""
    if not vary:
        raise ScenarioError("vary: choose a field to vary")
    ranges = reading.read_vary(vary)
    cells = math.prod(map(len, ranges.values()))
    if cells > MOST_CELLS:
        raise ScenarioError(f"vary: {cells:,} combinations; this page computes at most {MOST_CELLS:,}")
    return complete(lambda: sweep(draft, ranges, value, battles, seed, threads=1))


def _sweep(request: BattleRequest) -> dict[str, Any]:
    vary = list(request.options.many("vary"))
    chosen: dict[str, str] = {}
    ours = bool(vary or request.options.text("path1"))
    first_numbers = _first_numbers(request)
    for place, first in zip("12", first_numbers, strict=True):
        path, span = request.options.text(f"path{place}", "" if ours else first), request.options.text(f"range{place}")
        if path == chosen.get("path1"):  # the field that goes up is taken across too: another takes its place
            path, span = next((one for one in first_numbers if one != path), ""), ""
        if path and path != "none":
            span = span or default_range(request, path)
            chosen |= {f"path{place}": path, f"range{place}": span}
            vary.append(f"{path}={span}")
    result, whole = sweep_in_time(request.draft, vary, request.options.many("value")[-1:] or ["headline"])
    battle, now = request.draft.battle(), [value_at(request.data, key_of(path)) for path in result.paths]
    chart = charts.chart(result, now, "" if battle.results else battle.question.measure)
    for one in chart["squares"] if chart and chart["kind"] == "heat" else ():
        changes = dict(zip(result.paths, one["at"], strict=True))
        one["address"] = address_with(request, changes)
        one["set"] = "&".join(f"{key_of(path)}={value}" for path, value in changes.items())
    question, value = (meaning(battle, request.data, one) for one in (meant(battle, "headline"), result.value))
    about: dict[str, Any] = {"sweep": result, "chart": chart, "chance": is_chance(result.value), "complete": whole}
    about |= {"question": question, "value": value.removeprefix("the ")}
    return about | {"options": request.options.shown() | chosen}


def _first_numbers(request: BattleRequest) -> tuple[str, str]:
    """The first number that is set on each side: what a map shows when nothing is chosen."""
    every = catalogue.tools_of(request.battle, request.data)["numbers"]
    numbers = [path for path in every if value_at(request.data, path) is not None] or every
    of = [next((path for path in numbers if path.startswith(side)), "") for side in SIDES]
    first = next((path for path in of if path), numbers[0] if numbers else "")
    return first, next((path for path in of if path and path != first), "")


def address_with(request: BattleRequest, changes: Mapping[str, Any]) -> str:
    """The address of this battle with other values at these paths."""
    return address_of(request.draft.with_fields(dict(changes)).data, request.battle)


def default_range(request: BattleRequest, path: str) -> str:
    """The range of a field if none is given: the numbers around the present one, or all names. Raises ScenarioError."""
    bounds = whole_numbers(request.battle, path)
    if bounds is None:
        names = ",".join(str(name) for name in choices(request.battle, path))
        if not names:
            raise ScenarioError(f"vary: give a range for {path}, like 1:30 or a,b,c")
        return names
    least, most = bounds
    now = setting_at(request.battle, request.data, path)
    middle = now if isinstance(now, int) else least or 0
    low = middle - NEAR if least is None else max(least, middle - NEAR)
    return f"{low}:{middle + NEAR if most is None else min(most, middle + NEAR)}"


# --- one more, need, rounds, best play ------------------------------------------------------------------------------


def _more(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.studies.sensitivity import one_more

    value = request.options.text("value", "headline")
    result, whole = complete(lambda: one_more(request.draft, value, threads=1))
    rows = result.rows()
    moving = [row for row in rows if row["change"]]
    longest = max((abs(row["change"]) for row in moving), default=1.0)
    groups: dict[str, list[Any]] = {name: [] for name in (*(f"The {side}'s units" for side in SIDES), UNITS, RULES)}
    for row in moving:
        path = row["path"]
        group, side, label = _one_more(request, path)
        row["label"] = (
            label if group != RULES else f"{label}: {row['setting']}\N{NO-BREAK SPACE}→\N{NO-BREAK SPACE}{row['to']}"
        )
        row |= {"key": key_of(path), "address": address_with(request, {path: row["to"]}), "side": side}
        row["width"] = 100 * abs(row["change"]) / longest
        groups[group].append(row)
    still = [_field(request, row["path"]) for row in rows if not row["change"]]
    battle = request.battle
    question, value = (meaning(battle, request.data, one) for one in (meant(battle, "headline"), result.value))
    return {
        "more": result,
        "question": question,
        "value": value.removeprefix("the "),
        "chance": is_chance(result.value),
        "complete": whole,
        "groups": list(groups.items()),
        "still": still,
    }


def _one_more(request: BattleRequest, path: str) -> tuple[str, str, str]:
    """The group of a field in "What if", the side in whose colour it is, and its words: "+1 tank", "fire of Tilly"."""
    battle, data = request.battle, request.data
    parts = path.split(".")
    side = next((part for part in parts if part in SIDES), parts[0])
    if not counts_units(battle, path):
        return RULES, side, _field(request, path)
    label = f"+{units_in_words(battle, data, path, 1)}"
    if parts[0] == "force":  # a campaign has forces in place of sides
        return UNITS, parts[1], f"{label} of {owner_in_words(battle, data, path)}"
    return f"The {side}'s units", side, label if parts[0] == side else f"{label} ({words(parts[0])})"


def _field(request: BattleRequest, path: str) -> str:
    """A field in a list of fields: "modifier of the defender"."""
    return field_in_words(request.battle, request.data, path, 1).removeprefix("the ")


def _need(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.decisions.need import named_value, need

    path, value = request.options.text("path1", _first_numbers(request)[0]), request.options.text("value") or None
    if not path:
        raise ScenarioError("vary: choose a field to raise")
    asked = named_value(request.draft, value)
    text = request.options.text("target", "80 %")
    if "%" in text and not is_chance(asked):  # it stood there for a chance
        text = _more_than_now(request, asked)
    number = text.replace("%", "").strip()
    per_cent = is_chance(asked) and number.replace(".", "", 1).isdecimal() and float(number) > 1
    target = read_target(f"{number}%" if "%" in text or per_cent else text, asked)
    result, whole = complete(lambda: need(request.draft, path, target, value, threads=1))
    rows = sorted(result.rows(), key=itemgetter(path))
    question = named_value(request.draft, None)
    usual = "the chance of that side" if is_chance(question) else in_words(question)
    about = {"need": result, "path": path, "rows": rows, "chance": is_chance(result.measure), "usual": usual}
    return about | {"complete": whole, "options": request.options.shown() | {"path1": path, "target": text}}


def _more_than_now(request: BattleRequest, asked: str) -> str:
    """A target for a value that is no chance: the next whole number above the present one."""
    return str(math.floor(measure(answer(request.draft), asked).value) + 1)


def _rounds(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.rounds import rounds

    result, whole = complete(lambda: rounds(request.draft))
    rows = result.rows()[: MOST_ROWS + 1]
    columns = [name for name in result.columns if f"mean.{name}" in rows[0]][:MOST_MEANS]
    rows = [row | {"parts": endings(result.after(row["round"]), "over")} for row in rows]
    going = [[*row["parts"], ("goes on", "going", 1 - row["over"])] for row in rows]
    pictures = {"course": charts.course(going[1:]), "left": charts.left(rows, result.after(0))}
    names = [(words, kind) for words, kind, _ in going[0]] if going else []
    happens = {words for parts in going for words, _, p in parts if p}
    # The headline of a kind without winners says only by when the battle is over.
    said = f"{str(result.headline).partition(':')[0]}." if request.battle.question.endings else result.headline
    about = {"headline": said, "battle": request.battle, "how": result.how()} | pictures
    about |= {"names": [one for one in names if one[0] in happens], "unit": "fight" if result.fights else "round"}
    return about | {"rows": rows, "columns": columns, "complete": whole}


def _best(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.decisions.best import best
    from simulator.analysis.decisions.decidable import may_be_best
    from simulator.analysis.decisions.default_play import decides

    draft = request.draft
    side = request.options.text("side") or next((one for one in SIDES if decides(draft, one)), SIDES[0])
    objective = draft.data.get("objective")
    if isinstance(objective, Mapping):
        weights = {f"objective.{side}": own for side, own in objective.items() if isinstance(own, Mapping) and own}
        draft = draft.with_fields({path: with_winning(own) for path, own in weights.items()})
    result, whole = complete(lambda: best(draft, request.options.many("decide") or None, side=side))
    rows = sorted(result.rows(), key=lambda row: -row["reached"])
    names = [name for name in rows[0] if name not in {"advantage", "reached"}] if rows else []
    about = {"best": result, "names": names, "rows": rows[:MOST_ROWS], "states": len(rows), "side": side}
    taken = address_with(request, result.choice) if result.choice else ""
    return about | {
        "decisions": may_be_best(draft), "decided": result.scenario.decided, "taken": taken, "complete": whole
    }  # fmt: skip


def _counter(request: BattleRequest) -> dict[str, Any]:
    return {"counter": counter_attack.answer(request)}


# --- replay and luck ------------------------------------------------------------------------------------------------


def _replay(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.replay import replay

    seed, number = request.options.whole("seed") or 0, request.options.whole("battle") or 0
    result = replay(request.draft, seed, number)
    rows: list[dict[str, Any]] = []
    # Too large, or several battles in one: shown without chances.
    with suppress(NoExactOdds, OutOfTime), at_most(EXACT_SHARE * request.limits.seconds):
        rows = result.luck_rows(QUICK_BYTES)
    about = {"seed": seed, "number": number, "ending": list(ending(request.battle, result.outcome))}
    return about | {"replay": result, "rows": rows, "chance": "objective" not in request.data}


def _luck(request: BattleRequest) -> dict[str, Any]:
    from simulator.analysis.history.luck import luck

    side = request.options.text("side", "attacker")
    if not request.options.many("battles") and request.job.body == "":
        return {"luck": None}
    battles = [battle | {"side": side} for battle in fought(request.options.text("battles"), request.draft)]
    return {"luck": luck(battles, method=Method(threads=1, precision=0.002))}


def fought(log: Any, draft: Draft) -> list[dict[str, Any]]:
    """Battles of this scenario that were fought: CSV with a heading, a winner a line, or a list of records.

    Raises ScenarioError.
    """
    if isinstance(log, list) and all(isinstance(row, dict) for row in log):
        return _battles(log, draft)
    text = str(log)
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        raise ScenarioError("battles: give the result of each battle on a line of its own, like: defender")
    if len(lines) > MOST_BATTLES:
        raise ScenarioError(f"battles: {len(lines)} lines; at most {MOST_BATTLES}")
    if "," not in lines[0] and lines[0].strip() != "winner":
        return [{"scenario": draft, "winner": line.strip()} for line in lines]
    return _battles(read_rows(text), draft)


def _battles(rows: Sequence[Mapping[str, Any]], draft: Draft) -> list[dict[str, Any]]:
    """Battles of this scenario by records of their outcomes. Raises ScenarioError."""
    if not 1 <= len(rows) <= MOST_BATTLES:
        raise ScenarioError(f"battles: {len(rows)} battles; give 1 to {MOST_BATTLES}")
    if any({"scenario", "side", "set"} & set(row) for row in rows):
        raise ScenarioError("battles: every line is a battle of the scenario shown; give winner and columns only")
    return [{"scenario": draft} | dict(row) for row in rows]


# --- all tools ------------------------------------------------------------------------------------------------------

# Title and function of each tool; its template has its name.
TOOLS: dict[str, tuple[str, Callable[[BattleRequest], dict[str, Any]]]] = {
    "more": ("What if", _more),
    "rounds": ("Rounds", _rounds),
    "best": ("Best play", _best),
    "need": ("How many", _need),
    "sweep": ("Map", _sweep),
    "counter": ("Counter-attack", _counter),
    "replay": ("Replay", _replay),
    "luck": ("Luck", _luck),
}


def tabs_of(
    battle: Battle, data: Mapping[str, Any], scenario: Scenario | None = None, exact: bool = True
) -> list[tuple[str, str]]:
    """Name and title of the tools that answer something on a battle; best play only where its odds are `exact`.

    Without a `scenario` (of a battle that is refused, or not known in full) those that its kind may have.
    """
    tools = catalogue.tools_of(battle, data)
    missing = {"more", "need", "sweep"} if not tools["numbers"] else set()
    missing |= set() if counter_attack.is_possible(battle, data) else {"counter"}
    missing |= _without_answer(scenario) if scenario else set()
    missing |= set() if exact else {"best"}
    missing |= {"luck"} if battle.question.number else set()  # nobody wins there
    return [(name, title) for name, (title, _) in TOOLS.items() if name not in missing]


def _without_answer(scenario: Scenario) -> set[str]:
    """The tools that could only refuse: best play where nothing is decided, rounds of a kind without any."""
    from simulator.analysis.decisions.default_play import decides

    built, asked = scenario.built, draft(scenario)
    none = set() if scenario.decided or any(decides(asked, side) for side in SIDES) else {"best"}
    return none | ({"rounds"} if built.begun is None and built.by_fight is None else set())


def tool(job: Job, limits: Limits) -> Reply:
    """The result of a tool, alone or as a page."""
    name = job.names["tool"]
    if name not in TOOLS:
        raise BadRequest(f"tool: {not_one_of(name, list(TOOLS))}", 404)
    request, (title, analyse) = BattleRequest(job, limits), TOOLS[name]
    battle, template = request.battle, f"tools/{name}.html"
    about = {
        "here": f"/{battle.game}/{battle.kind}",
        "pairs": request.written,
        "tools": catalogue.tools_of(battle, request.data),
        "options": request.options.shown(),
    }
    context = about | analyse(request)
    if request.options.text("part") == "1":
        return Reply(render(template, **context))
    frame = {"template": template, "title": title, "back": request.address, "kind": battle}
    return Reply(render("tool.html", **(context | frame)))
