"""Fighting on the spelled-out graph: a step is three look-ups, whatever the rules cost.

Each table keeps its rows, so that battle i of a seed is the very battle that the rules would fight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import Chain, helper, rule
from simulator.engine.chance import Tables
from simulator.engine.explicit import Graph

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
MOST = 2**62


class Place(NamedTuple):
    """Number of the state in the low `bits`, and above them what its counter holds: one field is quicker than two."""

    at: int


class Lookup(NamedTuple):
    """A graph whose states are numbered anew, those below `running` still run.

    `place[i]` packs the chance table of state i (low half) and where its edges begin in `to` (high half); an edge
    packs the following state (`mask` covers it) and above that what is added to the counter. A final state has an edge
    to itself, so that nobody has to ask whether a battle is over.
    """

    running: int
    mask: int
    place: np.ndarray
    to: np.ndarray

    spelled_out = True


class PairLookup(NamedTuple):
    """As `Lookup`, with the table of the other roll (low half) and the rows of the first one (high half) in `other`."""

    running: int
    mask: int
    place: np.ndarray
    other: np.ndarray
    to: np.ndarray

    spelled_out = True


@helper
def going(p, s):
    """Final states come last."""
    return (s.at & p.mask) < p.running


@helper
def first_table(p, s):
    """The table of the state."""
    return np.int64(p.place[np.uint64(s.at & p.mask)] & _LOW)


@helper
def along(p, s, edge):
    """To the state that this edge leads to."""
    return Place((s.at & ~p.mask) + np.int64(p.to[edge]))


@rule(Lookup)
def running(p, s):
    """Final states come last."""
    return going(p, s)


@rule(Lookup)
def table(p, s):
    """The table of the state."""
    return first_table(p, s)


@rule(Lookup)
def step(p, s, result):
    """The edge for this row of the table."""
    return along(p, s, (p.place[np.uint64(s.at & p.mask)] >> _HALF) + np.uint64(result))


@rule(PairLookup)
def running(p, s):
    """Final states come last."""
    return going(p, s)


@rule(PairLookup)
def table(p, s):
    """The table of the first roll."""
    return first_table(p, s)


@rule(PairLookup)
def second(p, s):
    """The table of the other roll."""
    return np.int64(p.other[np.uint64(s.at & p.mask)] & _LOW)


@rule(PairLookup)
def step(p, s, result, other):
    """The edge for these rows of both tables."""
    i = np.uint64(s.at & p.mask)
    return along(p, s, (p.place[i] >> _HALF) + np.uint64(other) * (p.other[i] >> _HALF) + np.uint64(result))


def lookup_chain(graph: Graph) -> tuple[Chain, np.ndarray]:
    """The chain over a graph's states, and the graph's number of each of its states.

    Table 0 must be the certain one: final states stay on it.
    """
    final = graph.final
    order = np.concatenate([np.flatnonzero(~final), np.flatnonzero(final)])
    number = np.empty(len(graph), np.int64)
    number[order] = np.arange(len(graph))
    going_on = len(graph) - int(final.sum())
    first = graph.chain.tables.first
    rows = np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first))
    table = np.maximum(graph.table[order], 0).astype(np.uint64)
    begin = graph.begin[order]
    begin[going_on:] = len(graph.to) + np.arange(len(graph) - going_on)
    bits = max(1, int(len(graph) - 1).bit_length())
    to = number[graph.to]
    if graph.inc is not None:
        to |= graph.inc.astype(np.int64) << bits
    to = np.append(to, np.arange(going_on, len(graph)))
    to = to.astype(np.uint32 if to.max() < 2**32 else np.uint64)
    place, mask = table | begin.astype(np.uint64) << _HALF, (1 << bits) - 1
    params: Lookup | PairLookup = Lookup(going_on, mask, place, to)
    if graph.second is not None:
        width = np.diff(first)[table.astype(np.int64)].astype(np.uint64)
        other = graph.second[order].astype(np.uint64) | width << _HALF
        params = PairLookup(going_on, mask, place, other, to)
    tables = Tables(first, rows, graph.chain.tables.weight)
    return Chain(params, Place(int(number[0])), Place(MOST), tables), order
