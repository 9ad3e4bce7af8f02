"""The luck of the rounds of a battle that was fought with real dice (docs/rules/decisions.md section 8).

A log tells what each side lost in each round. Where several states fit (a hit that removed nothing), each stands with
its chance given all that was told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.analysis.decisions.weights import Weighing
from simulator.analysis.decisions.worth import Distribution
from simulator.analysis.history.roll_luck import Values
from simulator.analysis.history.rounds import Steps, counting, one_round
from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import Columns, Outcomes
from simulator.scenarios import Scenario, ScenarioError
from simulator.scenarios.objective import SIDES

# Columns that end in `_lost` and count no units.
NO_UNITS = ("cost", "thirds")


@dataclass(frozen=True)
class Told:
    """Rounds that were told: `rows` (`line, before, after, change, luck`), and how the battle then stood.

    `ends` are the outcomes that it may have come to, None where it was not over; what is only counted is not in them.
    """

    rows: list[dict[str, Any]]
    ends: Odds | None


def told_rounds(scenario: Scenario, results: Sequence[tuple[int, int]], aim: Weighing, odds: Odds) -> Told:
    """The luck of each round for the side of `aim`; whatever precedes the first round counts to it.

    `odds` are those of the scenario. Raises ScenarioError for losses that no dice could have brought and for a battle
    not fought in rounds, ValueError for weights of no column, NoExactOdds for a battle that is too large.
    """
    aim.worth(odds)
    scenario = counting(scenario)
    belief = _Belief(scenario, aim)
    rows = []
    for number, (own, enemy) in enumerate(results):
        if not belief.going:
            raise ScenarioError(f"results[{number}]: the battle was over after {number} rounds")
        before = belief.worth
        fates = belief.fight()
        if not belief.hold_to(own, enemy):
            raise ScenarioError(f"results[{number}]: [{own}, {enemy}] cannot happen in round {number + 1}")
        after = belief.worth
        line = f"round {number + 1}: attacker lost {own}, defender {enemy}"
        rows.append(
            {"line": line, "before": before, "after": after, "change": after - before, "luck": fates.mid_p(after)}
        )
    ends = belief.ends()
    return Told(rows, None if ends is None else Odds(ends, battle=scenario.battle))


class _Belief:
    """Where a battle may stand after what was told: chances by state (`now`), and those of what is over."""

    def __init__(self, scenario: Scenario, aim: Weighing) -> None:
        assert scenario.built.begun is not None
        assert scenario.built.outcome is not None
        self._outcome = scenario.built.outcome
        self._values = Values(scenario, {aim.side: aim.weights}, aim.side)
        graph = self._values.graph
        self._steps = Steps(graph, scenario.built.begun)
        self._lost = units_lost(self._outcome(graph.states()), f"{scenario.battle.game} {scenario.battle.kind}")
        self._round = int(self._steps.begun[0])
        self._stand = self._lost[:, 0]
        self._over = graph.final
        self._at, self._p = np.zeros(1, np.int64), np.ones(1)

    @property
    def going(self) -> bool:
        """May the battle still be going on?"""
        return not bool(self._over[self._at].all())

    @property
    def worth(self) -> float:
        """What the battle is worth as it stands."""
        return float(self._p @ self._values.worth[self._at] / self._p.sum())

    def fight(self) -> Distribution:
        """One round more. What may come of it: the worth of each pair of losses with its chance."""
        here = np.flatnonzero(~self._over[self._at])
        now = np.bincount(self._at[here], self._p[here], len(self._over))
        at, p = [np.arange(len(now))], [now]
        for _ in range(self._round, max(self._round, 1) + 1):
            p[0], ended = one_round(self._steps, p[0])
            at.append(self._steps.end_at)
            p.append(ended)
        self._round = max(self._round, 1) + 1
        places, chances = np.concatenate(at), np.concatenate(p)
        self._at, self._p = places[chances > 0], chances[chances > 0] / chances.sum()
        _, which = np.unique(self._lost[:, self._at], axis=1, return_inverse=True)
        chance = np.bincount(which.ravel(), self._p)
        worths = np.bincount(which.ravel(), self._p * self._values.worth[self._at]) / chance
        return Distribution.of(worths, chance)

    def hold_to(self, own: int, enemy: int) -> bool:
        """Keep what fits to the losses of this round; does anything?"""
        self._stand = self._stand + np.array([own, enemy])
        fits = (self._lost[:, self._at] == self._stand[:, None]).all(axis=0)
        if fits.any():
            self._at, self._p = self._at[fits], self._p[fits] / self._p[fits].sum()
        return bool(fits.any())

    def ends(self) -> Outcomes | None:
        """How the battle may have ended; None if it may still be going on."""
        if not self._over[self._at].all():
            return None
        states = self._values.graph.states(self._at)
        return Outcomes(self._outcome(states), self._p)


def units_lost(columns: Columns, battle: str) -> np.ndarray:
    """Units that each side has lost in these states: int array (2, states).

    Raises ScenarioError for a battle that does not count them.
    """
    found = []
    for side in SIDES:
        whole = columns.get(f"{side}_units_lost")
        parts = [
            values
            for name, values in columns.items()
            if name.startswith(f"{side}_") and name.endswith("_lost") and name.split("_")[-2] not in NO_UNITS
        ]
        if whole is None and not parts:
            raise ScenarioError(f"results: {battle} does not tell units lost by round; risk and custom games do")
        found.append(np.asarray(whole if whole is not None else np.sum(parts, axis=0), np.int64))
    return np.array(found)
