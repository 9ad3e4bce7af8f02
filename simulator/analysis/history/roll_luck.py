"""The luck of each roll of one battle: the change of the worth of the battle (docs/rules/decisions.md section 8)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from simulator.analysis.odds.distribution import ALIKE
from simulator.engine.api import Solver, best_option, graph_of
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import EXACT_BYTES, NoExactOdds
from simulator.scenarios import Scenario
from simulator.scenarios.objective import SIDES, Objective, worth

ROLL_COLUMNS = ("line", "before", "after", "change", "luck")
Rolled = tuple[Any, Any, Any]  # state before, result (a pair for two rolls), state after


def roll_luck(scenario: Scenario, steps: Sequence[Rolled], lines: Sequence[str]) -> list[dict[str, Any]]:
    """One row a roll: `line, before, after, change, luck`: the worth to the attacker before and after, and the mid-p.

    The worth is the chance to win, or that of the objective of the scenario. Raises NoExactOdds for a battle that is
    too large for the value of every state, or composed of several.
    """
    built = scenario.built
    if built.chain is None or built.outcome is None:
        own = f"{scenario.battle.game} {scenario.battle.kind}"
        raise NoExactOdds(f"luck: {own} is composed of several battles; the luck of a roll needs one chain of states")
    values = Values(scenario, scenario.objective)
    rows = []
    for line, (before, result, after) in zip(lines, steps, strict=True):
        now, then = values.of(before), values.of(after)
        rows.append(luck_row(line, now, then, values.mid_p(before, then) if result is not None else 0.5))
    return rows


def luck_row(line: str, before: float, after: float, luck: float) -> dict[str, Any]:
    """A row with the columns ROLL_COLUMNS."""
    return dict(zip(ROLL_COLUMNS, (line, before, after, after - before, luck), strict=True))


class Values:
    """The worth of every state of a battle to a side: `worth` by number in `graph`, `of` by its fields."""

    def __init__(self, scenario: Scenario, objective: Objective, side: str = "attacker") -> None:
        chain, outcome = scenario.chain, scenario.built.outcome
        assert outcome is not None
        self._outcome, self._objective, self._side = outcome, objective, SIDES.index(side)
        if chain.counted >= 0 and self._counts(chain):
            # The objective depends on the counter, so the counter becomes an ordinary field of the state.
            chain = replace(chain, counters=())
        self.chain, self.graph = chain, graph_of(chain, EXACT_BYTES)
        value = np.zeros(len(self.graph))
        value[self.graph.final] = self._worth(self.graph.states(self.graph.final))
        self.worth = Solver(self.graph, counted=False).values(value)

    @cached_property
    def _value(self) -> dict[tuple[int, ...], float]:
        fields = np.array(self.graph.states()).T.tolist()
        return dict(zip(map(tuple, fields), self.worth.tolist(), strict=True))

    def _worth(self, states: Any) -> np.ndarray:
        return np.asarray(worth(self._objective, self._outcome(states))[self._side])

    def _counts(self, chain: Chain) -> bool:
        start = type(chain.start)(*(np.array([int(value)] * 2) for value in chain.start))
        start[chain.counted][1] += 1
        none, one = self._worth(start)
        return bool(abs(one - none) > ALIKE)

    def of(self, state: Any) -> float:
        """The worth of a state."""
        counted = self.chain.counted
        return float(self._value[tuple(0 if f == counted else int(value) for f, value in enumerate(state))])

    def mid_p(self, before: Any, then: float) -> float:
        """P(less) + half of P(equal) over all results of this roll."""
        chain, tables = self.chain, self.chain.tables
        p, first = chain.params, chain.tables.first
        table, second = int(chain.part("table")(p, before)), int(chain.part("second")(p, before))
        below, move = 0.0, chain.mover(best_option(chain))
        for row in range(first[table], first[table + 1]):
            others = range(first[second], first[second + 1]) if chain.paired else (None,)
            for other in others:
                weight = tables.weight[row] * (1.0 if other is None else tables.weight[other])
                beside = 0 if other is None else int(tables.result[other])
                value = self.of(move(p, before, int(tables.result[row]), beside))
                below += weight * (1.0 if value < then - ALIKE else 0.5 if value <= then + ALIKE else 0.0)
        return float(below)
