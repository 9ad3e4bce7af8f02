"""Objectives of the sides: `[objective.attacker]`, `[objective.defender]` (docs/rules/decisions.md sections 1, 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, OutcomeDistribution, Share, Utilities
from simulator.rules import PLAN
from simulator.rules.battle import Built, Columns
from simulator.rules.sides import ENEMY, SIDES
from simulator.rules.toolkit.naming import suggested
from simulator.scenarios import validation
from simulator.scenarios.paths import leaves
from simulator.scenarios.validation import ScenarioError

BEST = "best"
Objective = Mapping[str, Mapping[str, float]]
# Names that games give to the column "the attacker holds the ground at the end".
TAKEN = ("takes", "taken", "taken_by_attacker")
PLAIN = {"win": 1.0}
WORDS = ("win", "take")
# Larger weights could make sums and squares of worths infinite.
LARGEST = 1e100


def split(data: Mapping[str, Any]) -> tuple[Mapping[str, Any], Objective]:
    """A scenario's mapping without its objectives, and the objectives. Raises ScenarioError for an invalid one."""
    if "objective" not in data or data.get("game") == PLAN:  # the objective of a plan is a word
        return data, {}
    given = data["objective"]
    if not isinstance(given, Mapping):
        raise ScenarioError(f"objective: {validation.shown(given)} is not allowed; give a table")
    for side, weights in given.items():
        if side not in SIDES:
            raise ScenarioError(f"objective.{side}: unknown field; allowed here: {', '.join(SIDES)}")
        if not isinstance(weights, Mapping):
            raise ScenarioError(f"objective.{side}: {validation.shown(weights)} is not allowed; give a table")
        check_weights(weights, f"objective.{side}")
    return {name: value for name, value in data.items() if name != "objective"}, given


def check_weights(weights: Mapping[str, Any], where: str = "weights") -> None:
    """Refuse an empty table, and a weight that is not a finite number. Raises ScenarioError."""
    if not weights:
        raise ScenarioError(f"{where}: give at least one weight")
    for name, weight in weights.items():
        if not validation.finite(weight):
            number = validation.given_number(weight)
            raise ScenarioError(f"{where}.{name}: {number} is not allowed; give a finite number")
        if abs(weight) > LARGEST:
            raise ScenarioError(f"{where}.{name}: {weight:g} is not allowed; at most {LARGEST:g} in size")


def with_winning(weights: Mapping[str, float]) -> dict[str, float]:
    """Weights of the command line or the page: winning counts 1 unless `win` or `take` is among them."""
    return ({} if set(WORDS) & set(weights) else PLAIN) | dict(weights)


def best_paths(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Paths of the policies that are `best` in the data of a scenario, and of the cards that are played when best.

    Raises ScenarioError for `best` in a list with others.
    """
    found = []
    for path, value in leaves(data["policy"], "policy") if "policy" in data else ():
        if value == BEST or (isinstance(value, list) and BEST in value):
            if value not in (BEST, [BEST]):
                raise ScenarioError(f"{path}: best cannot be combined with other policies")
            found.append(path)
    for side in SIDES:
        found += best_entries(data.get(side), side)
    return tuple(found)


def best_entries(table: Any, path: str) -> Iterator[str]:
    """Paths of a side's cards that are played, and of its realms that leave, when that is best.

    Such as `attacker.battle_actions[0].when`, `defender.factions[0].retreat`.
    """
    for name, value in table.items() if isinstance(table, dict) else ():
        if isinstance(value, list):
            for place, entry in enumerate(value):
                for field in ("when", "retreat") if isinstance(entry, Mapping) else ():
                    if entry.get(field) == BEST:
                        yield f"{path}.{name}[{place}].{field}"
        elif isinstance(value, dict):
            yield from best_entries(value, f"{path}.{name}")


def side_of(path: str) -> str:
    """The side of a decision, "" for one of neither: `policy.attacker.retreat`, `attacker.battle_actions[0].when`."""
    return next((part for part in path.split(".")[:2] if part in SIDES), "")


def best_fights(data: Mapping[str, Any]) -> Iterator[str]:
    """Paths of the fights of a campaign whose attacker decides whether to fight."""
    fights = data.get("fight")
    for at, fight in enumerate(fights if isinstance(fights, list) else ()):
        attacker = fight.get("attacker") if isinstance(fight, Mapping) else None
        if isinstance(attacker, Mapping) and attacker.get("go") == BEST:
            yield f"fight[{at}].attacker.go"


def weights_of(objective: Objective, side: str) -> tuple[str, float, Mapping[str, float]]:
    """The side whose weights this side uses, the sign of them for this side, and the weights."""
    other = ENEMY[side]
    if objective.get(side):
        return side, 1.0, objective[side]
    if objective.get(other):
        return other, -1.0, objective[other]
    return "attacker", 1.0 if side == "attacker" else -1.0, PLAIN


def worth(objective: Objective, columns: Columns) -> np.ndarray:
    """Worth of outcomes to each side: float64, shape (2, outcomes). Raises ScenarioError for an unknown column."""
    worths = []
    for side in SIDES:
        source, sign, weights = weights_of(objective, side)
        values = (weight * values_of(columns, name, source, f"objective.{source}") for name, weight in weights.items())
        worths.append(sign * sum(values, 0.0))
    return np.array(worths)


def values_of(columns: Columns, name: str, side: str, where: str) -> np.ndarray:
    """A column as float64; `win` and `take` as 1 where the side wins or holds the ground.

    Raises ScenarioError, which names the table of weights (`where`), for a name that is no such column.
    """
    taken = next((columns[one] for one in TAKEN if one in columns), None) if name == "take" else None
    if taken is not None:
        return np.asarray(taken, float) if side == "attacker" else 1.0 - np.asarray(taken, float)
    if name in WORDS and "winner" in columns:
        if name == "take" and side == "defender":
            return np.asarray(columns["winner"] != 0, float)
        return np.asarray(columns["winner"] == SIDES.index(side), float)
    if name == "winner" or name not in columns or columns[name].dtype.kind not in "biuf":
        words = WORDS if "winner" in columns else ()
        known = [*words, *(one for one, values in columns.items() if values.dtype.kind in "biuf" and one != "winner")]
        near = suggested(name, known)
        hint = f"did you mean {near}?" if near else f"columns: {', '.join(known)}"
        raise ScenarioError(f"{where}.{name}: no such column; {hint}")
    return np.asarray(columns[name], float)


def check(objective: Objective, built: Built) -> None:
    """Refuse weights of unknown columns, if the columns are known before the battle. Raises ScenarioError."""
    columns = before_battle(built) if objective else None
    if columns is not None:
        worth(objective, columns)


def before_battle(built: Built) -> Columns | None:
    """The columns of a battle that ends before it begins: one row; None if they are not known beforehand.

    A battle of several stages ends with the first.
    """

    def at_start(chain: Chain, share: Share | None = None) -> OutcomeDistribution:
        return OutcomeDistribution(type(chain.start)(*(np.array([int(value)]) for value in chain.start)), np.ones(1))

    if built.sample is not None:
        columns = built.sample()
    elif built.chain is not None:
        columns = built.outcome(at_start(built.chain).states)
    elif built.optimal is not None and built.answer is not None:
        columns = built.answer(at_start).columns
    else:
        return None
    return {name: np.asarray(values) for name, values in columns.items()}


def wanted(objective: Objective, columns: Columns, clause: Callable[[str], str]) -> list[str]:
    """The objective of each side in words, a line for each; `clause` gives the words of a yes/no column, if any."""
    lines = []
    for side in SIDES:
        _, sign, weights = weights_of(objective, side)
        if sign < 0:
            lines.append(f"{side} wants the opposite")
            continue
        parts = [_weight_in_words(name, weight, columns, clause) for name, weight in weights.items() if weight]
        # Without a column for the ground held, to take it is to win.
        winning = ("win",) if any(name in columns for name in TAKEN) else WORDS
        if not any(weights.get(word) for word in winning):
            parts.append("winning counts nothing")
        lines.append(f"{side} wants: {', '.join(parts)}")
    return lines


def _weight_in_words(name: str, weight: float, columns: Columns, clause: Callable[[str], str]) -> str:
    named = {"win": "winning", "take": "holding the ground"}
    if name in named:
        return f"{named[name]} {weight:g}"
    if columns[name].dtype.kind != "b":
        return f"{name} {weight:g} each"
    words = clause(name)
    return f"that {words} {weight:g}" if words else f"{name} {weight:g}"


def with_objective(built: Built, objective: Objective, paths: tuple[str, ...]) -> Built:
    """The same answer with the objective of the policies `best` at these paths."""
    if built.aimed is not None:
        names = [name for weights in objective.values() for name in weights]
        return built.aimed(partial(worth, objective), names) if objective else built
    if not paths:
        return built
    if built.optimal is not None:
        found = built.optimal(partial(worth, objective), paths)
    elif built.chain is not None and built.chain.decided:
        utilities = Utilities(partial(_worth_of_ends, built, objective), paths, built.decisions)
        found = replace(built, chain=replace(built.chain, utilities=utilities))
    else:
        return built
    return replace(found, assumptions=lambda: [*built.assumptions(), *in_words(objective, paths)])


def _worth_of_ends(built: Built, objective: Objective, ends: Any) -> np.ndarray:
    return worth(objective, built.outcome(ends))


def in_words(objective: Objective, paths: tuple[str, ...]) -> list[str]:
    """The policies `best` and their objectives, in words."""
    lines = []
    for side in SIDES:
        # A campaign says itself for whom a decision to fight is best.
        own = [path for path in paths if not path.startswith("fight") and side_of(path) == side]
        source, sign, weights = weights_of(objective, side)
        text = ", ".join(f"{name} = {weight:g}" for name, weight in weights.items())
        goal = text if sign > 0 else f"the opposite of the {source}'s {text}"
        lines += [f"{path}: best for the {side}: {goal}" for path in own]
        if sign > 0 and set(weights) == {"win"} and any(path.endswith("retreat") for path in own):
            lines.append(f"to the end is best for winning alone; put a price on losses in [objective.{side}]")
    return lines
