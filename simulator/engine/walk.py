"""Fighting on a map: a chain with few states, spelled out once, so that a step is three look-ups.

The states and steps come from the game's own rules (graph.py), and each table keeps its rows, so battle i of a seed is
the very battle that the rules would fight. For chains whose rules are too long for SIMD it is several times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64

from simulator.engine.chain import Chain, rule
from simulator.engine.chance import Tables
from simulator.engine.graph import EDGES as USED_EDGES
from simulator.engine.graph import Graph
from simulator.engine.limits import NoExactOdds

# More transitions would not fit in the caches, and spelling them out would take longer than it saves.
MOST_EDGES = 1 << 20
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)


class MapParams(NamedTuple):
    """States are numbered, those below `running` still run.

    `place[i]` packs the chance table of state i (low half) and where its successors begin in `to`, one a row (high
    half): one look-up instead of two. Final states are not in it; nothing is asked of them.
    """

    running: int
    place: np.ndarray
    to: np.ndarray


class MapState(NamedTuple):
    """Number of the state."""

    at: int


@dataclass(frozen=True)
class Map:
    """A chain over the numbered states of another."""

    chain: Chain
    states: Any

    def named(self, numbers: np.ndarray) -> Any:
        """The states of the game's own chain."""
        return type(self.states)(*(values[numbers] for values in self.states))


@rule(MapParams)
def running(p, s):
    """Final states come last."""
    return s.at < p.running


@rule(MapParams)
def table(p, s):
    """The table of the state."""
    return int64(p.place[uint64(s.at)] & _LOW)


@rule(MapParams)
def step(p, s, result):
    """The successor for this row of the table."""
    return MapState(int64(p.to[(p.place[uint64(s.at)] >> _HALF) + uint64(result)]))


def map_of(chain: Chain) -> Map | None:
    """The chain spelled out, or None if it has too many states to be worth it."""
    graph = Graph(chain, MOST_EDGES)
    try:
        graph.explore()
    except NoExactOdds:
        return None
    store, size = graph.store, graph.size
    running = np.flatnonzero(store.open[:size])
    order = np.concatenate([running, np.flatnonzero(~store.open[:size])])
    number = np.empty(size, np.int32)
    number[order] = np.arange(size)
    # One place more, so that a battle that is over from the start has an array to look at.
    place = np.zeros(len(running) + 1, np.uint64)
    place[:-1] = store.table[running].astype(np.uint64) | store.begin[running].astype(np.uint64) << _HALF
    to = np.append(number[store.to[: graph.counters[USED_EDGES]]], np.int32(0))
    first = chain.tables.first
    rows = np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))
    params = MapParams(len(running), place, to)
    numbered = Chain(params, MapState(int(number[0])), MapState(size - 1), Tables(first, rows, chain.tables.weight))
    return Map(numbered, graph.states(order))
