"""The samplers: each simulates the battles of one thread and counts final states in a tally (`rule_walk.slot_of`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from simulator.engine.graph.graph_cache import counters_as_fields
from simulator.engine.model.chain import Chain, ReducedChain
from simulator.engine.model.limits import QUICK_BYTES
from simulator.engine.model.packing import packed
from simulator.engine.model.status import FULL, PAST_BUDGET, PAUSED
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.counts import Tally
from simulator.engine.sample.grid_walk import GridWalk
from simulator.engine.sample.lazy_graph import GraphLayout, LazyGraph, empty_tally
from simulator.engine.sample.rule_walk import LANES, STARTED, USED, Lanes, Order, Work, fight, move

# The number of entries of `at`, the progress of an order; see `rule_walk` and `lazy_steps`.
PLACES = 6
# After this many random numbers (one second) a first order is abandoned if the lazy graph does not pay.
LONG = 1 << 24
# The attributes of a chain that hold its lazy graphs and grids.
_KEPT, _KEPT_GRIDS = "_acquaintances", "_grids"


class Sampler(Protocol):
    """Simulates orders of battles, one after the other."""

    def fight(self, order: Order, at: np.ndarray, most: int) -> int:
        """Continue the order from the progress in `at`: DONE, PAUSED, BROKEN or ENDLESS, as `rule_walk.fight`."""

    def counts(self) -> np.ndarray:
        """Rows of packed final states and their counts. It ends the use of the sampler."""


class RuleSampler:
    """Walks by the rules, which may be those of graph tables."""

    def __init__(self, chain: Chain) -> None:
        self._chain, words = chain, chain.layout.words
        self._start = np.array(chain.start, np.int32 if max(chain.limits) < 2**31 else np.int64)
        self._lanes = Lanes(
            np.empty((len(self._start), LANES), self._start.dtype),
            np.empty(LANES, np.uint64),
            np.empty(LANES, np.uint8),
            np.empty(LANES + 1, np.int32),
            np.empty((words, LANES), np.uint64),
        )
        self._tally, self._used = empty_tally(words), 0
        self._fight = fight.of(chain.params)

    def fight(self, order: Order, at: np.ndarray, most: int) -> int:
        """See `Sampler`."""
        chain, at[USED] = self._chain, self._used
        work = Work(order, self._lanes, chain.layout, self._tally)
        while (status := self._fight(chain.params, self._start, alias_of(chain.tables), work, at, most)) == FULL:
            self._tally = larger(self._tally)
            work = work._replace(tally=self._tally)
        self._used = int(at[USED])
        return int(status)

    def counts(self) -> np.ndarray:
        """See `Sampler`."""
        return self._tally[self._tally[:, -1] > 0]


class OnReducedChain(RuleSampler):
    """Simulates a reduced chain and counts the final states of the whole one."""

    def __init__(self, whole: Chain, reduced: ReducedChain) -> None:
        self._whole, self._reduced = counters_as_fields(whole), reduced
        super().__init__(counters_as_fields(reduced.chain))

    def counts(self) -> np.ndarray:
        """See `Sampler`."""
        tally = Tally(self._chain.layout)
        tally.add(super().counts())
        states = self._reduced.whole(type(self._chain.start)(*tally.fields()))
        return np.column_stack([packed(self._whole.layout, np.column_stack(states)).T, tally.counts.astype(np.uint64)])


class GraphSampler:
    """Walks on the nodes of a graph."""

    def __init__(self, graph_layout: GraphLayout) -> None:
        self._graph_layout, self._arrays = graph_layout, graph_layout.arrays()
        self._tally, self._used = graph_layout.tally(), 0

    def fight(self, order: Order, at: np.ndarray, most: int) -> int:
        """See `Sampler`."""
        at[USED] = self._used
        while (status := self._graph_layout.fight(self._arrays, order, at, self._tally, most)) == FULL:
            self._tally = larger(self._tally)
        self._used = int(at[USED])
        return status

    def counts(self) -> np.ndarray:
        """See `Sampler`."""
        return self._graph_layout.counts(self._tally)


class _GrowingSampler:
    """Walks on a growing graph, cached in the chain, until another sampler (`_rest`) takes over."""

    def __init__(self, whole: Chain, shelf: list[Any], make: Callable[[], LazyGraph | GridWalk]) -> None:
        """`whole` packs counters like other fields; a graph in use is removed from the shelf."""
        self._whole, self._shelf = whole, shelf
        try:
            self._known = shelf.pop()
        except IndexError:
            self._known = make()
        self._rest: Sampler | None = None
        self._tally, self._used = empty_tally(1), 0

    def _look_up(self, order: Order, at: np.ndarray, most: int) -> int:
        at[USED] = self._used
        while (status := self._known.fight(order, at, self._tally, most)) == FULL:
            self._tally = larger(self._tally)
        self._used = int(at[USED])
        return int(status)

    def counts(self) -> np.ndarray:
        """See `Sampler`. Raises BrokenGame for a count above the counter's limit."""
        rows: np.ndarray = self._known.counts(self._tally, self._whole)
        self._shelf.append(self._known)
        return np.concatenate([rows, self._rest.counts()]) if self._rest else rows


class LazySampler(_GrowingSampler):
    """Walks on a lazy graph; by the rules alone if nearly all visited states are new."""

    def __init__(self, chain: Chain, whole: Chain, threads: int) -> None:
        """So many threads share the budget."""
        shelf = vars(chain).setdefault(_KEPT, [])
        super().__init__(whole, shelf, lambda: LazyGraph(chain, QUICK_BYTES // threads))
        self._orders = 0

    def fight(self, order: Order, at: np.ndarray, most: int) -> int:
        """See `Sampler`."""
        if at[STARTED] == 0:
            self._orders += 1
            if self._rest is None and not self._known.pays:
                self._rest = RuleSampler(self._whole)
        if self._rest:
            return self._rest.fight(order, at, most)
        status = self._look_up(order, at, most)
        if status == PAUSED and self._orders == 1 and self._known.drawn > LONG and not self._known.pays:
            self._tally, self._used, at[:] = empty_tally(1), 0, 0
            return self.fight(order, at, most)
        return status


class GridSampler(_GrowingSampler):
    """Walks on a grid; past its budget on a lazy graph."""

    def __init__(self, chain: Chain, whole: Chain, threads: int) -> None:
        """So many threads share the budget."""
        shelf = vars(chain).setdefault(_KEPT_GRIDS, [])
        super().__init__(whole, shelf, lambda: GridWalk(chain, QUICK_BYTES // threads))
        self._chain, self._threads = chain, threads
        self._before = self._tally, 0

    def fight(self, order: Order, at: np.ndarray, most: int) -> int:
        """See `Sampler`."""
        if at[STARTED] == 0:
            if self._rest is None and not self._known.pays:
                self._rest = LazySampler(self._chain, self._whole, self._threads)
            # An order that passes the budget is simulated again.
            self._before = self._tally.copy(), self._used
        if self._rest:
            return self._rest.fight(order, at, most)
        status = self._look_up(order, at, most)
        if status == PAST_BUDGET:
            (self._tally, self._used), at[:] = self._before, 0
            return self.fight(order, at, most)
        return status


def larger(tally: np.ndarray) -> np.ndarray:
    """The same tally with four times the room."""
    bigger = empty_tally(tally.shape[1] - 1, 4 * len(tally))
    held = tally[tally[:, -1] > 0]
    move(np.ascontiguousarray(held[:, :-1].T), np.ascontiguousarray(held[:, -1]), bigger)
    return bigger
