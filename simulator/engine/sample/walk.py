"""The common part of all compiled walks: orders of battles, the tally, and the change from one walk to another."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import QUICK_BYTES
from simulator.engine.model.status import FULL, NEED_ROOM, PAST_BUDGET
from simulator.engine.sample.lanes import LANES, PLACES, USED, Lanes, Order, Positions, Task, enter

# The attribute of a chain that holds its growing graphs, by the kind of walk.
_KEPT = "_walks"


def enlarged(table: np.ndarray, factor: int) -> np.ndarray:
    """The same hash table of states with `factor` times the slots: uint64, shape (slots, words + 1).

    A row holds the packed state and its number of battles, which is 0 in a free slot.
    """
    held, larger = table[table[:, -1] > 0], np.zeros((factor * len(table), table.shape[1]), np.uint64)
    enter(larger, np.ascontiguousarray(held[:, :-1].T), np.ascontiguousarray(held[:, -1]))
    return larger


class Walk:
    """Simulates orders of battles in the lanes of one thread, one order after the other."""

    # A walk that does not pay simulates no more orders; one that may give up an order can return PAST_BUDGET.
    pays = True
    may_give_up = False
    # The list that keeps the walk for later simulations of its chain; None for a walk that is not kept.
    shelf: list[Walk] | None = None

    def __init__(self, lanes: Lanes, positions: Positions) -> None:
        self._lanes, self._positions = lanes, Positions(*map(lanes.at.dtype.type, positions))
        self._at = np.zeros(PLACES, np.int64)
        self._tally = self._new_tally()

    def _new_tally(self) -> np.ndarray:
        return np.zeros((4 * LANES, len(self._lanes.packed) + 1), np.uint64)

    def begin(self, order: Order) -> None:
        """Take this order."""
        self.order = order
        self._at[:USED] = 0
        self._before = (self._tally.copy(), int(self._at[USED])) if self.may_give_up else None

    def fight(self, most: int) -> int:
        """Continue the order: DONE, PAUSED (call again), BROKEN, PAST_BUDGET, or ENDLESS (no end in `most` rolls).

        Raises BrokenGame for some errors of a game.
        """
        while True:
            status = self._run(Task(self.order, self._positions, self._lanes, self._tally), most)
            if status == FULL:
                self._tally = enlarged(self._tally, 4)
            elif status != NEED_ROOM:
                return status
            elif not self._make_room():
                return PAST_BUDGET

    def give_up(self) -> None:
        """Forget the battles of the current order."""
        assert self._before is not None
        self._tally, self._at[USED] = self._before

    def counts(self) -> np.ndarray:
        """Final states and the number of battles that ended in each: uint64, shape (states, words + 1).

        The last column is the number of battles, the others are the words of the state. Starts a new tally.

        States of a graph are `counts.graph_words`; others are packed, with counters as fields.
        """
        held = self._tally[self._tally[:, -1] > 0]
        self._tally, self._at[USED] = self._new_tally(), 0
        return np.column_stack([self._words_of(held[:, :-1]), held[:, -1]])

    def _run(self, task: Task, most: int) -> int:
        raise NotImplementedError

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        """The words of final states (states x words, uint64), given those that the tally holds."""
        raise NotImplementedError

    def _make_room(self) -> bool:
        """Enlarge what is too small; False past the budget."""
        raise NotImplementedError


def kept_walk(kind: Callable[[Chain, int], Walk], chain: Chain, threads: int) -> Walk:
    """A walk whose graph grew with earlier battles of the chain, or a new one; so many threads share the budget."""
    shelf = vars(chain).setdefault(_KEPT, {}).setdefault(kind, [])
    try:
        found: Walk = shelf.pop()
    except IndexError:
        found = kind(chain, QUICK_BYTES // threads)
        found.shelf = shelf
    return found


class Sampler:
    """Battles of one thread: by the first of some walks that pays, until the next one takes over."""

    def __init__(self, walks: Iterator[Walk]) -> None:
        self._walks, self._used = walks, [next(walks)]

    def _next(self) -> None:
        self._used.append(next(self._walks))

    def begin(self, order: Order) -> None:
        """Take this order."""
        while not self._used[-1].pays:
            self._next()
        self._used[-1].begin(order)

    def fight(self, most: int) -> int:
        """See `Walk.fight`."""
        while (status := self._used[-1].fight(most)) == PAST_BUDGET:
            order = self._used[-1].order
            self._used[-1].give_up()
            self._next()
            self.begin(order)
        return status

    def counts(self) -> np.ndarray:
        """The rows of `Walk.counts` of all walks: uint64, shape (rows, words + 1). It ends the use of the sampler."""
        rows = np.concatenate([walk.counts() for walk in self._used])
        for walk in self._used:
            if walk.shelf is not None:
                walk.shelf.append(walk)
        return rows
