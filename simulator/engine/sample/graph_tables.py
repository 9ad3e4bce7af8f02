"""Tables for the walk on a graph: one or three look-ups in each step, whatever the rules cost.

The tables keep their rows, so that battle i of a seed has the same outcome as by the rules.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.model.chain import Chain, helper, rule
from simulator.engine.model.chance import LARGEST_RESULT, Tables, by_row

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
# Largest packed places: if the counter fits beside the state, a place takes 32 bits, which is faster.
MOST, MOST_NARROW = 2**62, 2**31 - 1
# Most rows of merged tables, of 8 bytes each; few rows stay in the CPU cache.
MOST_MERGED = 1 << 21
# Most entries of own tables, of 8 bytes each: beyond it three look-ups in small arrays are faster.
MOST_OWN = 1 << 19


class Place(NamedTuple):
    """The number of the state in the low bits, and its counter above them: one field is faster than two."""

    at: int


class Lookup(NamedTuple):
    """A graph with its final states numbered last, from `running` on.

    `place[i]` packs the chance table of state i (low half) and the begin of its edges in `to` (high half). An edge
    packs the next state (in `mask`) and, above it, the amount added to the counter. A final state has an edge to
    itself, so that a step needs no test for the end.
    """

    running: int
    mask: int
    place: np.ndarray
    to: np.ndarray

    enumerated = True


class PairLookup(NamedTuple):
    """As `Lookup`; `other` packs the table of the second roll (low half) and the rows of the first (high half)."""

    running: int
    mask: int
    place: np.ndarray
    other: np.ndarray
    to: np.ndarray

    enumerated = True


class OwnTables(NamedTuple):
    """As `Lookup`, but each running state has its own table, whose results are packed edges.

    Table i is that of state i; all final states share the last one.
    """

    running: int
    mask: int

    enumerated = True


@rule(OwnTables)
@rule(PairLookup)
@rule(Lookup)
def running(p, s):
    """Final states come last."""
    return (s.at & p.mask) < p.running


@rule(PairLookup)
@rule(Lookup)
def table(p, s):
    """The table of the state; with two rolls, of the first one."""
    return np.int64(p.place[np.uint64(s.at & p.mask)] & _LOW)


@rule(PairLookup)
def second(p, s):
    """The table of the other roll."""
    return np.int64(p.other[np.uint64(s.at & p.mask)] & _LOW)


@helper
def follow_edge(p, s, edge):
    """The state that this edge leads to; its counter grows by what the edge adds."""
    return Place((s.at & ~p.mask) + np.int64(p.to[edge]))


@rule(Lookup)
def step(p, s, result):
    """Follow the edge for this row of the table."""
    return follow_edge(p, s, (p.place[np.uint64(s.at & p.mask)] >> _HALF) + np.uint64(result))


@rule(PairLookup)
def step(p, s, result, other):
    """Follow the edge for these rows of both tables."""
    i = np.uint64(s.at & p.mask)
    return follow_edge(p, s, (p.place[i] >> _HALF) + np.uint64(other) * (p.other[i] >> _HALF) + np.uint64(result))


@rule(OwnTables)
def table(p, s):
    """The table of the state; all final states share the last one."""
    return np.int64(min(s.at & p.mask, p.running))


@rule(OwnTables)
def step(p, s, result):
    """Go to the state that was drawn."""
    return Place((s.at & ~p.mask) + result) if (s.at & p.mask) < p.running else s


@dataclass(frozen=True)
class WalkedChain:
    """The chain that samplers walk on a graph, and the number in the graph of each of its states.

    With `merged` one random number draws two independent rolls at once; a replay then picks rolls that lead to the
    same state.
    """

    chain: Chain
    order: np.ndarray
    merged: bool = False


def lookup(graph: Graph, by_rows: bool = False) -> WalkedChain:
    """The tables of a graph. Table 0 must be the certain result 0: final states use it.

    With `by_rows` they are always a `Lookup` or `PairLookup`, whose draws are rows of the chain's tables.
    """
    final = graph.final
    order = np.concatenate([np.flatnonzero(~final), np.flatnonzero(final)])
    number = np.empty(len(graph), np.int64)
    number[order] = np.arange(len(graph))
    going_on = len(graph) - int(final.sum())
    bits = max(1, int(len(graph) - 1).bit_length())
    to = number[graph.to]
    if graph.inc is not None:
        to |= graph.inc.astype(np.int64) << bits
    merged = _merged(graph, order[:going_on], to) if graph.second is not None else None
    if merged:
        tables, begin, to = merged
        table = np.append(np.arange(1, going_on + 1), np.zeros(len(graph) - going_on, np.int64))
    else:
        tables, begin = by_row(graph.chain.tables), graph.begin[order]
        table = np.maximum(graph.table[order], 0).astype(np.int64)
    single = graph.second is None or merged is not None
    own = _own_tables(tables, table[:going_on], begin, to) if single and not by_rows else None
    params: Lookup | PairLookup | OwnTables
    if own:
        tables, params = own, OwnTables(going_on, (1 << bits) - 1)
    else:
        params = _by_edges(graph, going_on, (1 << bits) - 1, table, begin, to)
        if not single:
            width = np.diff(tables.first)[table].astype(np.uint64)
            other = np.maximum(graph.second[order], 0).astype(np.uint64) | width << _HALF
            params = PairLookup(going_on, params.mask, params.place, other, params.to)
    counted = int(graph.chain.limits[graph.chain.counted]) if graph.inc is not None else 0
    limit = MOST_NARROW if (4 * counted + 4) << bits <= MOST_NARROW else MOST
    return WalkedChain(Chain(params, Place(int(number[0])), Place(limit), tables), order, merged is not None)


def _by_edges(graph: Graph, going_on: int, mask: int, table: np.ndarray, begin: np.ndarray, to: np.ndarray) -> Lookup:
    """Three look-ups in each step: the place of the state, the drawn row, the edge."""
    begin = np.append(begin[:going_on], len(to) + np.arange(len(graph) - going_on))
    to = np.append(to, np.arange(going_on, len(graph)))
    to = to.astype(np.uint32 if to.max() < 2**32 else np.uint64)
    return Lookup(going_on, mask, table.astype(np.uint64) | begin.astype(np.uint64) << _HALF, to)


def _own_tables(tables: Tables, table: np.ndarray, begin: np.ndarray, to: np.ndarray) -> Tables | None:
    """One look-up in each step: own tables of running states, and the certain one; None if they are too large."""
    size = np.diff(tables.first)[table]
    width = 1 << (tables.largest - 1).bit_length()
    if (len(table) + 1) * width > MOST_OWN or int(to.max(initial=0)) > LARGEST_RESULT:
        return None
    first = np.append(0, np.cumsum(size))
    row = np.arange(first[-1]) - np.repeat(first[:-1], size)
    result = to[np.repeat(begin[: len(table)], size) + row]
    weight = tables.weight[np.repeat(tables.first[table], size) + row]
    # As wide as the chain's tables, even if these are smaller, so that a number draws the same row.
    return Tables(np.append(first, first[-1] + 1), np.append(result, 0), np.append(weight, 1.0), tables.largest)


def _merged(graph: Graph, running: np.ndarray, to: np.ndarray) -> tuple[Tables, np.ndarray, np.ndarray] | None:
    """An own table for each running state, over its successors; None if they are too large.

    One number draws both rolls, and pairs with the same successor are merged: two to three times as fast.
    """
    if len(graph.to) > MOST_MERGED or not len(running):
        return None
    owner, edge, chance = graph.edges_of(running)
    order = np.lexsort((to[edge], owner))
    owner, target = owner[order], to[edge][order]
    fresh = np.flatnonzero(np.append(True, (owner[1:] != owner[:-1]) | (target[1:] != target[:-1])))
    size = np.bincount(owner[fresh], minlength=len(running))
    width = 1 << (int(size.max()) - 1).bit_length()
    if len(running) * width > MOST_MERGED or int(size.max()) > LARGEST_RESULT:
        return None
    weight = np.add.reduceat(chance[order], fresh)
    begin = np.cumsum(size) - size
    weight /= np.repeat(np.add.reduceat(weight, begin), size)
    rows = np.arange(len(fresh)) - np.repeat(begin, size)
    first = np.concatenate([[0, 1], 1 + np.cumsum(size)])
    return Tables(first, np.append(0, rows), np.append(1.0, weight)), begin, target[fresh]
