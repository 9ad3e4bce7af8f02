"""The worth of an outcome to a side: the sum of weight x value (docs/rules/decisions.md section 1)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import WINNERS
from simulator.scenarios.objective import SIDES, TAKEN, WORDS, check_weights
from simulator.scenarios.validation import brief, not_one_of

NO_WEIGHTS = "weights: give some, like win=1, or an [objective.attacker]"


@dataclass(frozen=True)
class Weighing:
    """The weights of `side` for outcomes; `sign` is -1 for the opposite of the enemy's objective."""

    weights: Mapping[str, float]
    side: str = "attacker"
    sign: float = 1.0
    where: str = "weights"

    def worth(self, odds: Odds) -> np.ndarray:
        """The worth of each outcome of these odds. Raises ValueError for a weight of no column."""
        total = np.zeros(len(odds.chances))
        for name, weight in self.weights.items():
            total += weight * self._values(odds, name)
        return self.sign * total

    def _values(self, odds: Odds, name: str) -> np.ndarray:
        if name in WORDS:
            return indicator(odds, name, self.side, self.where)
        if name not in odds.columns or name == "winner" or odds.kind_of(name) == "text":
            known = [*WORDS, *(one for one in odds.columns if odds.kind_of(one) != "text")]
            near = difflib.get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"columns: {', '.join(known)}"
            raise ValueError(brief(f"{self.where}.{name}: no such column; {hint}"))
        return odds.columns[name].astype(float)

    def in_words(self) -> str:
        """The weights on one line."""
        terms = ", ".join(f"{name} = {weight:g}" for name, weight in self.weights.items())
        return terms if self.sign > 0 else f"the opposite of the {self.side}'s {terms}"


def indicator(odds: Odds, word: str, side: str, where: str = "weights") -> np.ndarray:
    """1.0 where the side wins (`win`), or holds the ground at the end (`take`)."""
    if word == "take":
        taken = next((name for name in TAKEN if name in odds.columns), None)
        if taken is not None or side == "defender":
            held = odds.columns[taken] if taken else indicator(odds, "win", "attacker", f"{where}.{word}")
            return held.astype(float) if side == "attacker" else 1.0 - held.astype(float)
    if "winner" not in odds.columns:
        columns = ", ".join(name for name in odds.columns if odds.kind_of(name) != "text")
        raise ValueError(f"{where}.{word}: {odds.battle.game} {odds.battle.kind} has no winner; columns: {columns}")
    return np.asarray(odds.columns["winner"] == WINNERS.index(side), float)


def check_side(side: str) -> None:
    """Raise ValueError for a name that is no side."""
    if side not in SIDES:
        raise ValueError(f"side: {not_one_of(side, SIDES)}")


def weighing(
    scenario: Mapping[str, Any] | None, weights: Mapping[str, float] | None, side: str = "attacker"
) -> Weighing | None:
    """The weights given, else the objective of the side, else the opposite of that of the other side, else None."""
    check_side(side)
    if weights is not None:
        check_weights(weights)
        return Weighing(dict(weights), side)
    objectives = (scenario or {}).get("objective") or {}
    other = SIDES[1 - SIDES.index(side)]
    for whose, sign in ((side, 1.0), (other, -1.0)):
        if objectives.get(whose):
            return Weighing(dict(objectives[whose]), whose, sign, f"objective.{whose}")
    return None
