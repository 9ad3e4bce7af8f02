"""The chance tables of an enumerated graph for its walks: results are rows, and each row has an edge."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulator.engine.factored.grid import fits_on_grid
from simulator.engine.factored.solve_grid import work_of
from simulator.engine.graph.graph import Graph
from simulator.engine.jit.cost_model import FIRST_WORK
from simulator.engine.model.chance import LARGEST_RESULT, Tables, by_row

# Most rows of merged tables, of 8 bytes each; few rows stay in the CPU cache.
MOST_MERGED = 1 << 21
# The bits of the number of a state of a graph, below its counter.
HALF = 32


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
    return graph.kept.of(_tables_of, graph)


def _tables_of(graph: Graph) -> GraphTables:
    return (merged_tables(graph) if drawn_at_once(graph) else None) or tables_by_row(graph)


def drawn_at_once(graph: Graph) -> bool:
    """May one number draw both rolls? Only where a first answer is exact, as its battles draw each roll alone.

    A grid may have several nodes for a state: it had at most 1.2 in 40 battles, and 1.5 are allowed for.
    """
    if graph.second is None or not fits_on_grid(graph.chain):
        return len(graph.to) <= FIRST_WORK
    running, fan = ~graph.final, np.diff(graph.chain.tables.first)
    work = work_of(fan[graph.table[running]], fan[graph.second[running]]).sum() + work_of(1, 1) * graph.final.sum()
    return bool(1.5 * work <= FIRST_WORK)


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


def numbers_and_counters(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers and counters (int64) of the words of final states of a graph."""
    held = words.astype(np.int64)
    return held & ((1 << HALF) - 1), held >> HALF


def graph_words(numbers: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """The words (uint64) of final states of a graph with these numbers and counters (int64)."""
    return np.asarray(numbers | counters << HALF, np.uint64)


class EndTally:
    """The `words` of final states (words, states; uint64), sorted, and the battles that ended in each (int64)."""

    def __init__(self, words: int) -> None:
        self.words, self.counts = np.empty((words, 0), np.uint64), np.empty(0, np.int64)

    def add(self, rows: np.ndarray) -> None:
        """Add rows of the words of a state and a count (uint64), in any order, with any repetitions."""
        if len(rows) == 0:
            return
        words = np.concatenate([self.words, rows[:, :-1].T], axis=1)
        counts = np.concatenate([self.counts, rows[:, -1].astype(np.int64)])
        order = np.lexsort(words[::-1])
        words, counts = words[:, order], counts[order]
        fresh = np.flatnonzero(np.append(True, (words[:, 1:] != words[:, :-1]).any(axis=0)))
        self.words, self.counts = words[:, fresh], np.add.reduceat(counts, fresh)
