"""Battles cut after some rolls and scored by what they are worth there: conditional Monte Carlo.

All states that battles can come to after so many rolls, and all that may follow them, form a part of the chain that no
battle leaves. If that part fits, it is solved exactly, and a battle need only be fought up to it. What it scores is
unbiased and varies less than what it would come to. See docs/rules/decisions.md section 10.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.explicit import Graph, spell_out_nodes
from simulator.engine.fighters import PLACES, empty_tally, larger
from simulator.engine.lanes import BROKEN, DONE, FULL, Order
from simulator.engine.limits import QUICK_BYTES, BrokenGame, NoExactOdds
from simulator.engine.meeting import Acquaintance
from simulator.engine.montecarlo import MOST_ROLLS
from simulator.engine.solve import Solver

# What may follow the cut is solved up to so many bytes: about 8 million transitions.
REGION_BYTES = QUICK_BYTES // 2

Value = Callable[[Any], np.ndarray]


@dataclass(frozen=True)
class Cut:
    """Battles cut after some numbers of their streams: the states they stand in, row by row, and how many stand there.

    `graph` is all that may follow those that still run, in the order of these rows (None if all are over).
    """

    chain: Chain
    states: np.ndarray
    counts: np.ndarray
    running: np.ndarray
    graph: Graph | None

    def expected(self, value: Value) -> np.ndarray:
        """What each row is worth at the end, on average; `value` maps final states (a State of arrays) to numbers."""
        kind = type(self.chain.start)
        found = np.empty(len(self.states))
        found[~self.running] = value(kind(*self.states[~self.running].T))
        if self.graph is not None:
            held = np.zeros(len(self.graph))
            held[self.graph.final] = value(self.graph.states(self.graph.final))
            found[self.running] = Solver(self.graph, counted=False).values(held)[self.graph.starts]
        return found


def cut(chain: Chain, battles: int, seed: int) -> Cut:
    """Battles 0 to `battles - 1` of the seed, cut as early as what may follow them fits into the budget.

    Raises NoExactOdds where that does not fit wherever they are cut.
    """
    known = Acquaintance(chain, QUICK_BYTES)
    fail, fit, found = 0, 1, None
    while (found := _cut_after(known, battles, seed, fit)) is None:
        fail, fit = fit, 2 * fit
    while fit - fail > 1:
        middle = (fail + fit) // 2
        earlier = _cut_after(known, battles, seed, middle)
        fail, fit, found = (middle, fit, found) if earlier is None else (fail, middle, earlier)
    return found


def _cut_after(known: Acquaintance, battles: int, seed: int, numbers: int) -> Cut | None:
    """The battles cut after so many numbers; None where what may follow does not fit."""
    order, at, tally = Order(np.uint64(seed), 0, battles), np.zeros(PLACES, np.int64), empty_tally(1)
    while (status := known.fight(order, at, tally, MOST_ROLLS, numbers)) != DONE:
        if status == FULL:
            tally = larger(tally)
        elif status == BROKEN:
            raise BrokenGame(f"one of the battles of seed {seed} went astray")
    if known.full:
        raise NoExactOdds(f"the battles come to more than {len(known):,} states; fight fewer")
    chain, (states, counts) = known.chain, known.standing(tally)
    part, kind = chain.part("running"), type(chain.start)
    running = np.array([bool(part(chain.params, kind(*row))) for row in states.tolist()], bool)
    graph = None
    if running.any():
        try:
            graph = spell_out_nodes(chain, REGION_BYTES, starts=states[running])
        except NoExactOdds:
            return None
    return Cut(chain, states, counts.astype(np.int64), running, graph)
