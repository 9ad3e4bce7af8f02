"""Numbers computed from odds: values, in the notation of `sweep`, `need` and the commands, and weighed outcomes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import WINNERS, Battle, Columns
from simulator.rules.sides import ENEMY, SIDES
from simulator.rules.toolkit.query import ask
from simulator.scenarios.objective import check_weights, values_of
from simulator.scenarios.reading import read_number, read_share
from simulator.scenarios.validation import not_one_of

NO_WEIGHTS = "weights: give some, like win=1, or an [objective.attacker]"
# Winning counts 1, nothing else counts.
WIN: Mapping[str, float] = {"win": 1}
_STATISTIC = re.compile(r"(mean|std|q(\d\d?))[._](\w+)$")


class Measure(NamedTuple):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float


def measure(odds: Odds, value: str | None = None) -> Measure:
    """A value of odds with its interval; by default the value of the battle kind (`Odds.value`).

    `value` is `p_attacker`, `p_defender`, `p_nobody`; `mean.COLUMN`, `std.COLUMN`, `q90.COLUMN`; a question as for
    `Odds.p`; or `headline` and `headline.defender`, the measure of the battle kind for a side.
    Raises ValueError that begins with `value` for anything else. Simulated standard deviations and quantiles have no
    interval (nan).
    """
    value = odds.value if value is None else meant(odds.battle, value)
    try:
        return _measured(odds, value)
    except ValueError as error:
        raise ValueError(f"value: {error}") from None


def _measured(odds: Odds, value: str) -> Measure:
    if is_of_winner(value):
        return Measure(odds.winner(value[2:]), *odds.winner_interval(value[2:]))
    if value not in odds.names and (match := _STATISTIC.match(value)):
        kind, percent, column = match.groups()
        if kind == "mean":
            return Measure(odds.mean(column), *odds.interval(column))
        number = odds.std(column) if kind == "std" else odds.quantile(column, int(percent) / 100)
        unsure = number if odds.battles is None else float("nan")
        return Measure(number, unsure, unsure)
    return Measure(odds.p(value), *odds.interval(value))


def weighed(battle: Battle, columns: Columns, size: int, value: str) -> np.ndarray | None:
    """The number of each outcome whose mean is `value`: float64, shape (size,); None for a value that is no mean.

    The number is 1 or 0 for a chance, that of the column for `mean.COLUMN`. `columns` are `Odds.readable_columns`.
    Raises ValueError as `measure`.
    """
    value, winners = meant(battle, value), {"winner": WINNERS} if "winner" in columns else {}
    if is_of_winner(value):
        value = f"winner == '{value[2:]}'"
    elif value not in columns and (match := _STATISTIC.match(value)):
        if match[1] != "mean" or match[3] not in columns or columns[match[3]].dtype.kind not in "biuf":
            return None
        return columns[match[3]].astype(float)
    return ask(value, columns, size, dict(battle.texts) | winners).astype(float)


def statistic_of(value: str) -> tuple[str, str] | None:
    """The statistic ("mean", "std", "q90") and the column of a value; None for a chance."""
    match = _STATISTIC.match(value)
    return None if match is None else (match[1], match[3])


def is_of_winner(value: str) -> bool:
    """Is this value the chance that a side, or nobody, wins?"""
    return value.startswith("p_") and value[2:] in WINNERS


def is_chance(value: str) -> bool:
    """Is this value a chance, not a number in a unit of its own?"""
    return not _STATISTIC.match(value)


def read_target(text: str | None, value: str) -> float | None:
    """A target as it is typed: a chance, or a number where the value asked is no chance. Raises ScenarioError."""
    if text is None:
        return None
    return read_share(text, "--target") if is_chance(value) else read_number(text, "--target")


def in_percent(odds: Odds, value: str) -> bool:
    """Is this value of odds a chance, or the mean of a yes/no column?"""
    kind, column = statistic_of(value) or ("", "")
    return not kind or (kind == "mean" and odds.kind_of(column) == "yes/no")


def in_words(value: str) -> str:
    """The value in words, for the axis of a picture."""
    if is_of_winner(value):
        return f"chance that {value[2:]} wins"
    if match := _STATISTIC.match(value):
        kind, percent, column = match.groups()
        what = {"mean": "mean", "std": "standard deviation"}.get(kind, f"{percent} % quantile")
        return f"{what} of {column.replace('_', ' ')}"
    return f"chance of {value.replace('_', ' ')}"


# --- the worth of an outcome to a side: the sum of weight x value (docs/rules/decisions.md section 1) -----------------


@dataclass(frozen=True)
class Weighing:
    """The weights of `side` for outcomes; `sign` is -1 for the opposite of the enemy's objective."""

    weights: Mapping[str, float]
    side: str = "attacker"
    sign: float = 1.0
    where: str = "weights"

    def worth(self, odds: Odds) -> np.ndarray:
        """The worth of each outcome: float64, shape (outcomes,). Raises ValueError for a weight of no column."""
        total = np.zeros(len(odds.chances))
        for name, weight in self.weights.items():
            total += weight * values_of(odds.columns, name, self.side, self.where)
        return self.sign * total

    def in_words(self) -> str:
        """The weights on one line."""
        terms = ", ".join(f"{name} = {weight:g}" for name, weight in self.weights.items())
        return terms if self.sign > 0 else f"the opposite of the {self.side}'s {terms}"


def check_side(side: str) -> None:
    """Raise ValueError for a name that is no side."""
    if side not in SIDES:
        raise ValueError(f"side: {not_one_of(side, SIDES)}")


def check_winner(odds: Odds, weights: Mapping[str, float]) -> None:
    """Raise ValueError where winning is all that counts and the kind of battle has no winner."""
    if weights == WIN and (number := odds.question.number):
        raise ValueError(f"weights: {odds.battle.label} has no winner; give what counts, like {number}=1")


def weighing(
    scenario: Mapping[str, Any] | None, weights: Mapping[str, float] | None, side: str = "attacker"
) -> Weighing | None:
    """The weights given, else the objective of the side, else the opposite of that of the other side, else None."""
    check_side(side)
    if weights is not None:
        check_weights(weights)
        return Weighing(dict(weights), side)
    objectives = (scenario or {}).get("objective") or {}
    other = ENEMY[side]
    for whose, sign in ((side, 1.0), (other, -1.0)):
        if objectives.get(whose):
            return Weighing(dict(objectives[whose]), whose, sign, f"objective.{whose}")
    return None
