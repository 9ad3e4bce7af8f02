"""The luck of the rounds of a battle fought with real dice (docs/rules/decisions.md section 8).

A log has the losses of each side in each round. Where several states fit (a hit that removed nothing), each has its
conditional chance given the log.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.analysis.history.replay import Values, luck_row
from simulator.analysis.history.rounds import RoundSteps, counting, one_round
from simulator.analysis.odds.distribution import Distribution
from simulator.analysis.odds.measure import Weighing
from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import Columns, Outcomes
from simulator.rules.sides import SIDES
from simulator.scenarios import Scenario, ScenarioError

# Columns that end in `_lost` and count no units.
NO_UNITS = ("cost", "thirds")


def round_luck(
    scenario: Scenario, results: Sequence[tuple[int, int]], aim: Weighing, odds: Odds
) -> tuple[list[dict[str, Any]], Odds | None]:
    """The luck of each round for the side of `aim` (`line, before, after, change, luck`), and the possible ends.

    Rolls before the first round count to the first. The ends are the outcomes that fit the log, without counters; None
    if the battle was not over. `odds` are those of the scenario. Raises ScenarioError for losses that no dice can cause
    and for a battle not fought in rounds, ValueError for weights of no column, NoExactOdds for a battle that is too
    large.
    """
    aim.worth(odds)
    scenario = counting(scenario)
    belief = _Belief(scenario, aim)
    rows = []
    for number, (own, enemy) in enumerate(results):
        if not belief.going:
            raise ScenarioError(f"results[{number}]: the battle was over after {number} rounds")
        before = belief.worth
        worths = belief.advance()
        if not belief.observe(own, enemy):
            raise ScenarioError(f"results[{number}]: [{own}, {enemy}] cannot happen in round {number + 1}")
        after = belief.worth
        line = f"round {number + 1}: attacker lost {own}, defender {enemy}"
        rows.append(luck_row(line, before, after, worths.mid_p(after)))
    ends = belief.ends()
    return rows, None if ends is None else Odds(ends, battle=scenario.battle)


class _Belief:
    """The conditional chances of the states of a battle given the log so far."""

    def __init__(self, scenario: Scenario, aim: Weighing) -> None:
        assert scenario.built.begun is not None
        self._outcome = scenario.built.outcome
        self._values = Values(scenario, {aim.side: aim.weights}, aim.side)
        graph = self._values.graph
        self._steps = RoundSteps(graph, scenario.built.begun)
        self._lost = units_lost(self._outcome(graph.states()), f"{scenario.battle.game} {scenario.battle.kind}")
        self._round = int(self._steps.begun[0])
        self._losses = self._lost[:, 0]
        self._over = graph.final
        self._at, self._p = np.zeros(1, np.int64), np.ones(1)

    @property
    def going(self) -> bool:
        """Can the battle still be going on?"""
        return not bool(self._over[self._at].all())

    @property
    def worth(self) -> float:
        """The expected worth of the battle now."""
        return float(self._p @ self._values.worth[self._at] / self._p.sum())

    def advance(self) -> Distribution:
        """Advance by one round; the distribution of the worth over all pairs of losses."""
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
        return Distribution.of_worths(worths, chance)

    def observe(self, own: int, enemy: int) -> bool:
        """Keep the states that fit the losses of this round; returns whether there are any."""
        self._losses = self._losses + np.array([own, enemy])
        fits = (self._lost[:, self._at] == self._losses[:, None]).all(axis=0)
        if fits.any():
            self._at, self._p = self._at[fits], self._p[fits] / self._p[fits].sum()
        return bool(fits.any())

    def ends(self) -> Outcomes | None:
        """The possible ends of the battle; None if it may still be going on."""
        if not self._over[self._at].all():
            return None
        states = self._values.graph.states(self._at)
        return Outcomes(self._outcome(states), self._p)


def units_lost(columns: Columns, battle: str) -> np.ndarray:
    """Units that each side has lost in these states: int64, shape (2, states).

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
            raise ScenarioError(f"results: {battle} does not count units lost by round; risk and custom games do")
        found.append(np.asarray(whole if whole is not None else np.sum(parts, axis=0), np.int64))
    return np.array(found)
