"""Fighting on the spelled-out graph: a step is one look-up, or three, whatever the rules cost.

Each table keeps its rows, so that battle i of a seed is the very battle that the rules would fight.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.model.chain import Chain, helper, rule
from simulator.engine.model.chance import LARGEST_RESULT, Tables, by_row

_LOW, _HALF = np.uint64(0xFFFFFFFF), np.uint64(32)
# Largest packed places: where the counter surely fits beside the state they are half as wide, which is quicker.
MOST, MOST_NARROW = 2**62, 2**31 - 1
# Rows of merged tables; they lie in the processor's cache while they are few, and cost 8 bytes each.
MOST_MERGED = 1 << 21
# Entries of the states' own tables, of 8 bytes each: with more of them three look-ups in small arrays are quicker.
MOST_OWN = 1 << 19


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


class OwnTables(NamedTuple):
    """As `Lookup`, where each running state has a table of its own, whose results are packed as `to` packs edges.

    Table i is that of state i; all final states share the last one.
    """

    running: int
    mask: int

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


@rule(OwnTables)
def running(p, s):
    """Final states come last."""
    return going(p, s)


@rule(OwnTables)
def table(p, s):
    """The table of the state."""
    return np.int64(min(s.at & p.mask, p.running))


@rule(OwnTables)
def step(p, s, result):
    """To the state that was drawn."""
    return Place((s.at & ~p.mask) + result) if going(p, s) else s


@dataclass(frozen=True)
class Fought:
    """A graph as lanes fight it: the chain over its states, and the graph's number of each of them.

    `merged` tells that one number draws both of two independent rolls at once: whoever tells the battle picks rolls
    that lead to the same state.
    """

    chain: Chain
    order: np.ndarray
    merged: bool = False


def lookup(graph: Graph, by_rows: bool = False) -> Fought:
    """The look-up tables of a graph. Table 0 must be the certain one: final states stay on it.

    With `by_rows` they are a `Lookup` or `PairLookup` in any case, from which the row that was drawn can be told.
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
    return Fought(Chain(params, Place(int(number[0])), Place(limit), tables), order, merged is not None)


def _by_edges(graph: Graph, going_on: int, mask: int, table: np.ndarray, begin: np.ndarray, to: np.ndarray) -> Lookup:
    """Three look-ups a step: the state's place, the row that is drawn, the edge."""
    begin = np.append(begin[:going_on], len(to) + np.arange(len(graph) - going_on))
    to = np.append(to, np.arange(going_on, len(graph)))
    to = to.astype(np.uint32 if to.max() < 2**32 else np.uint64)
    return Lookup(going_on, mask, table.astype(np.uint64) | begin.astype(np.uint64) << _HALF, to)


def _own_tables(tables: Tables, table: np.ndarray, begin: np.ndarray, to: np.ndarray) -> Tables | None:
    """One look-up a step: the running states' own tables, and the certain one; None where they are too large."""
    size = np.diff(tables.first)[table]
    width = 1 << (tables.largest - 1).bit_length()
    if (len(table) + 1) * width > MOST_OWN or int(to.max(initial=0)) > LARGEST_RESULT:
        return None
    first = np.append(0, np.cumsum(size))
    row = np.arange(first[-1]) - np.repeat(first[:-1], size)
    result = to[np.repeat(begin[: len(table)], size) + row]
    weight = tables.weight[np.repeat(tables.first[table], size) + row]
    # As wide as they were, though the largest may be none of these: a number draws the same then.
    return Tables(np.append(first, first[-1] + 1), np.append(result, 0), np.append(weight, 1.0), tables.largest)


def edge_chances(graph: Graph, states: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All edges of these states in turn: which of the states (its place in the list), the edge, its chance."""
    tables, fan = graph.chain.tables, np.diff(graph.chain.tables.first)
    size = graph.begin[states + 1] - graph.begin[states]
    owner = np.repeat(np.arange(len(states)), size)
    inside = np.arange(len(owner)) - np.repeat(np.cumsum(size) - size, size)
    table = graph.table[states][owner]
    chance = tables.weight[tables.first[table] + inside % fan[table]]
    if graph.second is not None:
        other = graph.second[states][owner]
        chance = chance * tables.weight[tables.first[other] + inside // fan[table]]
    return owner, graph.begin[states][owner] + inside, chance


def _merged(graph: Graph, running: np.ndarray, to: np.ndarray) -> tuple[Tables, np.ndarray, np.ndarray] | None:
    """A table of its own for each running state, over the states that may follow; None where that is too large.

    Two rolls drawn with one number, and pairs that come to the same made one: two to three times as fast.
    """
    if len(graph.to) > MOST_MERGED or not len(running):
        return None
    owner, edge, chance = edge_chances(graph, running)
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
