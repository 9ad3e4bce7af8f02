"""The test battle of a game that is being written: its armies, its answer, what a unit is worth, and its balance."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.analysis.studies.sensitivity import one_more
from simulator.analysis.studies.sweep import sweep
from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Battle
from simulator.rules.custom import INLINE
from simulator.rules.custom.game_file.format import Condition, GameFile
from simulator.rules.custom.model import usual
from simulator.rules.toolkit.naming import text_of
from simulator.scenarios import Draft, ScenarioError, kinds_of
from simulator.web import links, text_line
from simulator.web.editor.checking import Checked
from simulator.web.editor.posted import Posted
from simulator.web.messages import Limits
from simulator.web.time_limit import OutOfTime, at_most
from simulator.web.views import answers, charts
from simulator.web.views.tools import complete

# The number of the first unit on each side, where no army was sent.
FIRST_NUMBER = 3
MOST_NUMBER = 999
# The share of a reply's seconds for worth and balance; the numbers on either side of the present one.
SHARE, NEAR = 0.4, 4


@dataclass
class TrialBattle:
    """A test battle: its kind, the kinds there are, and the scenario."""

    battle: Battle
    kinds: list[str]
    data: dict[str, Any]

    @property
    def draft(self) -> Draft:
        """The scenario, not checked yet."""
        return Draft(self.data, paths=False)

    @property
    def rows(self) -> list[tuple[str, list[int | None]]]:
        """Each unit, and its number on either side; None where the side cannot have it."""
        units = [text_line.units_of(self.battle, side) for side in SIDES]
        pairs = list(zip(SIDES, units, strict=True))
        return [
            (name, [self.data[side].get(name, 0) if name in own else None for side, own in pairs])
            for name in dict.fromkeys([*units[0], *units[1]])
        ]

    @property
    def conditions(self) -> list[tuple[str, tuple[str, ...], str]]:
        """Each condition, its choices, and its answer."""
        asked, given = _asked(self.battle), self.data.get("conditions", {})
        return [(name, answers_to(one), text_of(given.get(name, usual(one)))) for name, one in asked.items()]


def trial_of(found: Checked, given: Posted) -> TrialBattle:
    """The test battle that was sent with a text; units and answers that the game does not have are left out.

    Raises ScenarioError.
    """
    kinds = kinds_of(INLINE, found.tables, paths=False)
    kind = given.last("battle")
    battle = kinds.get(kind) or next(iter(kinds.values()))
    sent = any(name.partition(".")[0] in SIDES for name, _ in given.pairs)
    data: dict[str, Any] = {"game": INLINE, "battle": battle.kind, "rules": found.tables}
    for side in SIDES:
        units = text_line.units_of(battle, side)
        numbers = {unit: _number(given.last(f"{side}.{unit}")) for unit in units}
        first = dict.fromkeys(units[:1], FIRST_NUMBER)
        data[side] = {unit: n for unit, n in numbers.items() if n} if sent else first
    answered = [(f"conditions.{name}", given.last(f"conditions.{name}")) for name in _asked(battle)]
    answered = [(path, text) for path, text in answered if text in answers_to(_asked(battle)[path.partition(".")[2]])]
    return TrialBattle(battle, list(kinds), data | links.read(answered, battle))


def _asked(battle: Battle) -> dict[str, Condition]:
    """The conditions of a game."""
    return battle.rules.condition if isinstance(battle.rules, GameFile) else {}


def answers_to(condition: Condition) -> tuple[str, ...]:
    """The answers that a condition takes, as texts."""
    return tuple(condition.choices or ("true", "false"))


def _number(text: str) -> int:
    """A number of units; what is none counts as 0."""
    return min(int(text), MOST_NUMBER) if text.isdecimal() and len(text) < 9 else 0


def answer_of(trial: TrialBattle, limits: Limits) -> dict[str, Any]:
    """The answer of the test battle for its template, quick rather than exact; a refusal as its text."""
    try:
        odds = answers.odds_in_time(trial.draft, limits, live=True)[0]
    except ScenarioError as error:
        return {"refused": str(error)}
    return answers.context(odds, None, folded=answers.TABLES) | {"rounds": _rounds(odds)}


def _rounds(odds: Any) -> str:
    """The mean of the rounds, as text."""
    return f"{odds.mean('rounds'):.1f} rounds" if "rounds" in odds.names else ""


def _in_time(analysis: Callable[[], Any], limits: Limits) -> Any:
    """The result of an analysis; None where it takes too long or its battle is refused."""
    try:
        with at_most(SHARE * limits.seconds):
            return complete(analysis)[0]
    except (OutOfTime, ScenarioError):
        return None


def worth(trial: TrialBattle, limits: Limits) -> list[dict[str, Any]] | None:
    """The change of its own side's chance by one unit more of each kind, in points, also for each coin."""
    found = _in_time(lambda: one_more(trial.draft, threads=1), limits)
    if found is None:
        return None
    changes = {row["path"]: row for row in found.rows()}
    rows = []
    for unit, _ in trial.rows:
        cells = []
        for sign, side in zip((1, -1), SIDES, strict=True):
            row = changes.get(path := f"{side}.{unit}")
            price = trial.battle.price(trial.data, path) if trial.battle.price else None
            points = None if row is None else 100 * sign * row["change"]
            cells.append({"points": points, "each": points / price if points is not None and price else None})
        rows.append({"name": unit, "cells": cells, "method": found.how()})
    return rows


def balance(trial: TrialBattle, path: str, limits: Limits) -> dict[str, Any] | None:
    """The chance of the attacker by the number of one unit: a line, the present number, and where it is even."""
    path = path if path in paths_of(trial) else _first(trial)
    now = links.value_at(trial.data, path) or 0
    numbers = range(max(0, now - NEAR), now + NEAR + 1)
    found = _in_time(lambda: sweep(trial.draft, {path: numbers}, threads=1), limits)
    chart = found and charts.chart(found)
    if not chart:
        return None
    values = {cell.settings[0]: cell.value for cell in found.cells if not cell.refused}
    nearest = min(values, key=lambda number: abs(values[number] - 0.5))
    pairs = zip(values, list(values)[1:], strict=False)
    between = next(((a, b) for a, b in pairs if (values[a] - 0.5) * (values[b] - 0.5) <= 0), None)
    return {
        "path": path, "paths": paths_of(trial), "chart": chart, "now": (now, values.get(now)), "set": nearest,
        "between": between, "method": found.how(), "rows": list(values.items()),
    }  # fmt: skip


def paths_of(trial: TrialBattle) -> list[str]:
    """The fields that count units."""
    return [f"{side}.{unit}" for side in SIDES for unit in text_line.units_of(trial.battle, side)]


def _first(trial: TrialBattle) -> str:
    """The defender's most numerous unit."""
    own: Mapping[str, int] = trial.data["defender"]
    every = [path for path in paths_of(trial) if path.startswith("defender.")] or paths_of(trial)
    return max(every, key=lambda path: own.get(path.partition(".")[2], 0))
