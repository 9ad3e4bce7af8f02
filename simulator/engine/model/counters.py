"""Several counters in one number: each takes the values below the ratio of two units, the first one those above all.

Edges carry the number, so that counters that no rule reads multiply no states. How far a counter can rise follows from
the edges; one counter at most may rise without end (rounds, where a round may change nothing).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import MOST_COUNT
from simulator.engine.model.limits import BrokenGame, NoExactOdds

# The largest value of a counter that may rise without end, where the others leave room for it.
MOST_TURNS = 10_000


class Combined(NamedTuple):
    """`order`: the counters as they stand in the number, from the first. `units`: one unit of each, in that order.

    `most`: the largest number.
    """

    order: tuple[int, ...]
    units: tuple[int, ...]
    most: int

    def packed(self, amounts: np.ndarray) -> np.ndarray:
        """The numbers (uint32) of amounts: int64, shape (edges, counters)."""
        return (amounts[:, self.order] @ np.array(self.units, np.int64)).astype(np.uint32)


def counters_on(source: np.ndarray, to: np.ndarray, amounts: np.ndarray, states: int, names: Sequence[str]) -> Combined:
    """The number that holds the counters of a graph with these edges.

    `source`, `to`: the states at both ends of an edge; `amounts`: int64, shape (edges, counters). Raises BrokenGame if
    two counters rise without end, NoExactOdds if all together do not fit into 32 bits.
    """
    endless = np.flatnonzero(amounts[on_loops(source, to, states)].any(axis=0))
    if len(endless) > 1:
        raise BrokenGame(
            f"counters {', '.join(names[int(k)] for k in endless)}: each rises without end; at most one may"
        )
    first = int(endless[0]) if len(endless) else 0
    order = (first, *(k for k in range(len(names)) if k != first))
    bounded = [k for k in range(len(names)) if k not in endless]
    most = dict(zip(bounded, largest(source, to, amounts[:, bounded], states), strict=True))
    units = [1]
    for k in order[:0:-1]:
        units.insert(0, units[0] * (most[k] + 1))
    room = (MOST_COUNT + 1) // units[0] - 1
    top = most.get(first, min(MOST_TURNS, room))
    if top > room or room < 1:
        held = ", ".join(f"{names[k]} up to {most[k]:,}" for k in order if k in most)
        raise NoExactOdds(f"counters: {held}: together they take more than 32 bits")
    return Combined(order, tuple(units), units[0] * (top + 1) - 1)


def on_loops(source: np.ndarray, to: np.ndarray, states: int) -> np.ndarray:
    """Does each edge lie on a loop? bool, shape (edges,)."""
    looped: np.ndarray = np.equal(source, to)
    left = np.flatnonzero(~looped)
    # Edges from states that no edge leads to, and to states that none leaves, lie on no loop: mostly these are all.
    for begin, end in ((source, to), (to, source)):
        while True:
            led = np.zeros(states, bool)
            led[end[left]] = True
            if led[begin[left]].all():
                break
            left = left[led[begin[left]]]
    if len(left):
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        edges = csr_array((np.ones(len(left)), (source[left], to[left])), (states, states))
        _, of = connected_components(edges, connection="strong")
        looped[left] = of[source[left]] == of[to[left]]
    return looped


def largest(source: np.ndarray, to: np.ndarray, amounts: np.ndarray, states: int) -> list[int]:
    """The largest sum of each counter on any way from state 0; no loop adds to one of them."""
    most = np.zeros((states, amounts.shape[1]), np.int64)
    if not amounts.any():
        return [0] * amounts.shape[1]
    edges = np.arange(len(to))
    while len(edges):
        risen, place = most[source[edges]] + amounts[edges], to[edges]
        more = (risen > most[place]).any(axis=1)
        np.maximum.at(most, place[more], risen[more])
        changed = np.zeros(states, bool)
        changed[place[more]] = True
        edges = np.flatnonzero(changed[source])
    return [int(amount) for amount in most.max(axis=0)]
