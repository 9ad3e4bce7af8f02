"""The chance tables of an enumerated graph for its walks: results are rows, and each row has an edge."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.model.chance import LARGEST_RESULT, Tables, by_row

# Most rows of merged tables, of 8 bytes each; few rows stay in the CPU cache.
MOST_MERGED = 1 << 21
# Most entries of own tables, of 8 bytes each: beyond it three look-ups in small arrays are faster.
MOST_OWN = 1 << 19
# If the counter fits beside the state, a position takes 32 bits, which is faster.
MOST_NARROW = 2**31 - 1
# The attribute of a graph that caches its tables.
_KEPT = "_walk_tables"


@dataclass(frozen=True, eq=False)
class GraphTables:
    """The chance tables and edges of a graph, all by its numbers of states; final states have table 0.

    Row r of `table` and row q of `second` (None for one roll) select the edge `begin + r + q * width`. It leads to
    the state `to` and adds `inc` to the counter. The tables keep their rows, so that battle i of a seed has the same
    outcome as by the rules. With `merged` one random number draws both rolls at once; a replay then picks rolls that
    lead to the same state.
    """

    graph: Graph
    tables: Tables
    table: np.ndarray
    begin: np.ndarray
    to: np.ndarray
    inc: np.ndarray
    second: np.ndarray | None = None
    merged: bool = False

    @property
    def width(self) -> np.ndarray:
        """The number of rows of the first table of each state: int64, shape (states,)."""
        return np.asarray(np.diff(self.tables.first)[self.table])


def graph_tables(graph: Graph) -> GraphTables:
    """The tables of a graph, merged where that is possible; cached in it."""
    kept = vars(graph)
    if _KEPT not in kept:
        kept[_KEPT] = merged_tables(graph) or tables_by_row(graph)
    found: GraphTables = kept[_KEPT]
    return found


def tables_by_row(graph: Graph) -> GraphTables:
    """The tables of the chain. Table 0 must be the certain result 0: final states use it."""
    return GraphTables(
        graph,
        by_row(graph.chain.tables),
        np.maximum(graph.table, 0).astype(np.int64),
        graph.begin[:-1],
        graph.to,
        np.zeros(len(graph.to), np.uint32) if graph.inc is None else graph.inc,
        None if graph.second is None else np.maximum(graph.second, 0).astype(np.int64),
    )


def merged_tables(graph: Graph) -> GraphTables | None:
    """A table for each running state, over its successors; None for one roll, or if they are too large.

    One number draws both rolls, and pairs with the same successor are merged: two to three times as fast.
    """
    running = np.flatnonzero(~graph.final)
    if graph.second is None or len(graph.to) > MOST_MERGED or not len(running):
        return None
    owner, edge, chance = graph.edges_of(running)
    to, inc = graph.to[edge], np.zeros(len(edge), np.uint32) if graph.inc is None else graph.inc[edge]
    order = np.lexsort((to, graph.final[to], inc, owner))
    changes = [np.diff(part[order]) != 0 for part in (owner, to, inc)]
    fresh = np.flatnonzero(np.append(True, changes[0] | changes[1] | changes[2]))
    first_edges = order[fresh]
    size = np.bincount(owner[first_edges], minlength=len(running))
    width = 1 << (int(size.max()) - 1).bit_length()
    if len(running) * width > MOST_MERGED or int(size.max()) > LARGEST_RESULT:
        return None
    weight = np.add.reduceat(chance[order], fresh)
    first_row = np.cumsum(size) - size
    weight /= np.repeat(np.add.reduceat(weight, first_row), size)
    rows = np.arange(len(fresh)) - np.repeat(first_row, size)
    tables = Tables(np.concatenate([[0, 1], 1 + np.cumsum(size)]), np.append(0, rows), np.append(1.0, weight))
    table, begin = np.zeros((2, len(graph)), np.int64)
    table[running], begin[running] = np.arange(1, len(running) + 1), first_row
    return GraphTables(graph, tables, table, begin, to[first_edges], inc[first_edges], merged=True)


class OwnTables(NamedTuple):
    """A table for each running state, whose results are positions: one look-up in each step.

    Position i is state `order[i]`: running states come first, from `running` on final ones. It stands in the low `bits`
    bits, and the counter above it. Table i is that of position i; all final states share the last one. `wide`: a
    position with its counter takes 64 bits.
    """

    tables: Tables
    order: np.ndarray
    running: int
    bits: int
    wide: bool


def own_tables(g: GraphTables) -> OwnTables | None:
    """The own tables of a graph; None if they are too large, or for two rolls."""
    graph, final = g.graph, g.graph.final
    running = np.flatnonzero(~final)
    if g.second is not None or (len(running) + 1) << (g.tables.largest - 1).bit_length() > MOST_OWN:
        return None
    order = np.concatenate([running, np.flatnonzero(final)])
    number, bits = np.empty(len(graph), np.int64), len(graph).bit_length()
    number[order] = np.arange(len(graph))
    to = number[g.to] | g.inc.astype(np.int64) << bits
    if int(to.max(initial=0)) > LARGEST_RESULT:
        return None
    table, size = g.table[running], g.width[running]
    first = np.append(0, np.cumsum(size))
    row = np.arange(first[-1]) - np.repeat(first[:-1], size)
    result = to[np.repeat(g.begin[running], size) + row]
    weight = g.tables.weight[np.repeat(g.tables.first[table], size) + row]
    # As wide as the chain's tables, even if these are smaller, so that a number draws the same row.
    tables = Tables(np.append(first, first[-1] + 1), np.append(result, 0), np.append(weight, 1.0), g.tables.largest)
    counted = int(graph.chain.limits[graph.chain.counted]) if graph.inc is not None else 0
    return OwnTables(tables, order, len(running), bits, (4 * counted + 4) << bits > MOST_NARROW)
