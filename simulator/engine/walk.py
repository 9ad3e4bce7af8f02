"""Fighting on a map: a chain with few states, spelled out once, so that a step is three look-ups.

The states and steps come from the game's own rules (graph.py), and each table keeps its rows, so battle i of a seed is
the very battle that the rules would fight. For chains whose rules are too long for SIMD it is several times as fast.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, rule
from simulator.engine.chance import Tables
from simulator.engine.graph import EDGES as USED_EDGES
from simulator.engine.graph import Graph
from simulator.engine.limits import NoExactOdds

# More transitions would not fit in the caches, and spelling them out would take longer than it saves.
MOST_EDGES = 1 << 20


class MapParams(NamedTuple):
    """For each state its chance table (-1 for a final state), and where its successors begin in `to`, one a row."""

    table: np.ndarray
    begin: np.ndarray
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
    """Final states have no table."""
    return p.table[s.at] >= 0


@rule(MapParams)
def table(p, s):
    """The table of the state."""
    return p.table[s.at]


@rule(MapParams)
def step(p, s, result):
    """The successor for this row of the table; a final state stays."""
    return MapState(0 + p.to[p.begin[s.at] + result])


def map_of(chain: Chain) -> Map | None:
    """The chain spelled out, or None if it has too many states to be worth it."""
    graph = Graph(chain, MOST_EDGES)
    try:
        graph.explore()
    except NoExactOdds:
        return None
    store, size = graph.store, graph.size
    final = np.flatnonzero(~store.open[:size])
    edges = int(graph.counters[USED_EDGES])
    begin = store.begin[:size].astype(np.int32)
    to = np.concatenate([store.to[:edges], final]).astype(np.int32)
    begin[final] = edges + np.arange(len(final))
    first = chain.tables.first
    rows = np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))
    params = MapParams(store.table[:size].copy(), begin, to)
    numbered = Chain(params, MapState(0), MapState(size - 1), Tables(first, rows, chain.tables.weight))
    return Map(numbered, graph.states())
