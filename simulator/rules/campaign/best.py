"""The best decisions whether to fight: backward induction over the rows of a campaign (section 3.1)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simulator.rules.battle import Columns
from simulator.rules.campaign.course import FIXED, GO, STOP, Course, Edges
from simulator.rules.campaign.plan import HERE
from simulator.rules.campaign.rows import Rows, columns_of, joined
from simulator.rules.campaign.solve import FightSolver
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.tolerances import ROUNDING

# The worth of ends to each side: float64, shape (2, ends).
Worth = Callable[[Columns], np.ndarray]


@dataclass
class Decisions:
    """The decisions of a campaign for the worth of its ends to both camps; `solver` is an exact one."""

    solver: FightSolver
    worth: Worth

    @cached_property
    def course(self) -> Course:
        """The campaign with both choices wherever a side decides."""
        return Course(self.solver).played()

    @cached_property
    def going(self) -> list[np.ndarray]:
        """For each fight, the rows before it in which the attacker goes: bool, shape (rows,)."""
        return [gain >= -ROUNDING for gain in self.gains]

    @cached_property
    def gains(self) -> list[np.ndarray]:
        """For each fight, by how much going is better than stopping for its attacker: float64, shape (rows before,)."""
        plan, ends = self.solver.plan, self.course.stages[-1]
        value = np.asarray(self.worth(columns_of(plan, ends)), float)
        found: list[np.ndarray] = []
        for number in reversed(range(len(plan.fights))):
            edges, size = self.course.edges[number], len(self.course.stages[number])
            fixed, stop, go = (
                np.array([np.bincount(edges.before[w], edges.p[w] * one[edges.after[w]], size) for one in value])
                for w in (edges.choice == choice for choice in (FIXED, STOP, GO))
            )
            camp = self.camp(number)
            found.append(go[camp] - stop[camp])
            value = fixed + np.where(found[-1] >= -ROUNDING, go, stop)
        return found[::-1]

    def camp(self, number: int) -> int:
        """The camp of the attacker of a fight: 0 for ours, 1 for theirs."""
        return 0 if self.solver.plan.on_our_side(*self.solver.plan.fights[number].sides) else 1

    def rows(self) -> list[dict[str, Any]]:
        """A row for each position in which a side decides: `side`, `fight`, what each force has, `choice`, `advantage`
        of the choice over the other, `reached` (the chance to get there).
        """
        plan, found = self.solver.plan, list[dict[str, Any]]()
        p: np.ndarray = np.ones(1)
        for number, (fight, edges, gain) in enumerate(zip(plan.fights, self.course.edges, self.gains, strict=True)):
            asked = np.unique(edges.before[edges.choice == GO])
            here = self.course.stages[number].pieces[:, :, HERE]
            for row in asked[p[asked] > 0].tolist() if fight.sides[0].best else ():
                forces = {name: plan.words(at, here[row, at]) for at, name in enumerate(plan.names)}
                found.append({"side": SIDES[self.camp(number)], "fight": fight.name} | forces)
                found[-1] |= {"choice": "go" if gain[row] >= -ROUNDING else "stop", "advantage": abs(float(gain[row]))}
                found[-1]["reached"] = float(p[row])
            p = np.bincount(edges.after, p[edges.before] * edges.p * chosen(edges, self.going[number]))
        return found

    def going_at(self, number: int, rows: Rows) -> np.ndarray:
        """Rows before a fight whose attacker fights: bool, shape (rows,). The course must have these rows."""
        stage = self.course.stages[number]
        _, row = joined([stage, rows]).distinct()
        goes = np.zeros(int(row.max()) + 1, bool)
        goes[row[: len(stage)]] = self.going[number]
        return goes[row[len(stage) :]]


def chosen(edges: Edges, goes: np.ndarray) -> np.ndarray:
    """The ways that are taken: bool, shape (ways,)."""
    return (edges.choice == FIXED) | ((edges.choice == GO) == goes[edges.before])
