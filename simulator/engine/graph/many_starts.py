"""The chances of final states from many starts of one chain: one graph, explored from all starts, and one pass for all.

Plain Python follows every edge once, with a row of a number for each start. The compiled pass takes start after start.
"""

from __future__ import annotations

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_passes import (
    CERTAIN,
    COMPONENT,
    DENSE,
    FOUND,
    WHERE,
    Flow,
    eliminate,
    hand_on,
    link,
    spread,
    stay,
)
from simulator.engine.graph.solver import Solver, plainly
from simulator.engine.model.chain import helper
from simulator.engine.model.limits import Progress
from simulator.engine.model.ragged import members
from simulator.engine.model.status import DONE, ENDLESS, LARGE

# The most numbers that rows hold together, and the seconds in which plain Python multiplies and adds two of them.
MOST_NUMBERS, SHARE_OF_A_NUMBER = 1 << 24, 1 / 1000
# The entry of `at`, after those of `spread`, that holds the number of the start whose chance is pushed.
START = 6

helper(spread)

# The start (its number, ascending), the number of the final state (both int64) and the chance of each end.
Ends = tuple[np.ndarray, np.ndarray, np.ndarray]


def spread_rows(net, plan, flow, at):
    """Push the chances of all starts to the final states: DONE, ENDLESS, or LARGE for a component of many states.

    `flow.ring[i]` and `plan.side[i]` are rows of a number for each start.
    """
    where = (0, 1, len(net.table))
    for c in range(len(plan.at) - 2, -1, -1):
        first, states = plan.at[c], plan.at[c + 1] - plan.at[c]
        i = plan.order[first]
        if net.table[i] < 0:
            continue
        at[WHERE] = c
        if states == 1:
            loop = stay(net, i) if plan.loop[i] else 0.0
            if loop > 1.0 - CERTAIN:
                return ENDLESS
            hand_on(net, plan, flow, where, i, flow.ring[i] / (1.0 - loop))
            continue
        if states > DENSE:
            return LARGE
        if link(net, plan, c, states) == 0:
            return ENDLESS
        for a in range(states):
            plan.side[a] = flow.ring[plan.order[first + a]]
        eliminate(plan.matrix, plan.side, states, True)
        for a in range(states):
            hand_on(net, plan, flow, where, plan.order[first + a], plan.side[a])
    return DONE


def spread_each(net, plan, flow, found, at, starts, pause):
    """Push the chance of one start after the other; `starts`: their nodes, and the number of endings after each."""
    nodes, ends = starts
    while at[START] < len(nodes):
        if at[COMPONENT] < 0:
            i = nodes[at[START]]
            flow.ring[i] = 1.0
            at[COMPONENT], flow.high[0] = plan.of[i] + 1, plan.of[i]
        status = spread(net, plan, flow, found, at, pause)
        if status != DONE:
            return status
        ends[at[START]] = at[FOUND]
        at[START] += 1
        at[COMPONENT] = -1
    return DONE


class ManyStarts(Solver):
    """The chances of final states from all starts of a graph, without its counter."""

    def __init__(self, graph: Graph, plain: bool | None = None) -> None:
        self._nodes, self._which = np.unique(graph.starts, return_inverse=True)
        if plain is None:
            numbers = 1 + SHARE_OF_A_NUMBER * len(self._nodes)
            plain = plainly(round(len(graph.to) * numbers), spread_each.__name__)
        super().__init__(graph, False, plain)

    def ends(self, progress: Progress | None = None) -> Ends | None:
        """All ends; None where they take more room than separate answers, or loops of many states.

        Raises BrokenGame for states that the battle cannot leave.
        """
        found = self._by_rows() if self._plain else self._one_by_one(progress)
        if found is None:
            return None
        start, state, p = found
        sizes = np.bincount(start, minlength=len(self._nodes))
        # Starts that are one node have the same ends.
        owner, inside = members(sizes[self._which])
        taken = (np.cumsum(sizes) - sizes)[self._which][owner] + inside
        return owner, state[taken], p[taken]

    def _by_rows(self) -> Ends | None:
        size, starts = len(self.graph), len(self._nodes)
        if size * starts > MOST_NUMBERS:
            return None
        ring = np.zeros((size, starts))
        ring[self._nodes, np.arange(starts)] = 1.0
        plan, at = self._plan._replace(side=np.zeros((len(self._plan.side), starts))), [0] * 6
        status = self._call(spread_rows, plan, Flow(list(ring), None, None, None), at)
        if status == ENDLESS:
            raise self._endless(at[WHERE])
        final = np.flatnonzero(self.graph.final)
        start, which = np.nonzero(ring[final].T)
        return (start, final[which], ring[final[which], start]) if status == DONE else None

    def _one_by_one(self, progress: Progress | None) -> Ends:
        size, starts = len(self.graph), len(self._nodes)
        flow = Flow(np.zeros(size), np.zeros(1, np.int64), np.full(1, -1), np.zeros(2))
        found, each = self._room(1 << 12), (self._nodes, np.zeros(starts, np.int64))
        at = np.array([0, -1, 0, 0, -1, 0, 0])
        while (status := self._call(spread_each, self._plan, flow, found, at, each, self._pause)) != DONE:
            found = self._served(status, flow, found, at)
            if progress:
                progress(size)
        count = int(at[FOUND])
        start = np.repeat(np.arange(starts), np.diff(each[1], prepend=0))
        return start, found.state[:count].astype(np.int64), found.p[:count]
