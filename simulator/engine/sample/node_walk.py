"""The walk on nodes: look-ups for all lanes together, in a sequence of short passes.

In a single loop the look-ups of a lane would wait for each other, and few lanes fit into the window of the CPU; a pass
that makes the same look-up for every lane overlaps their memory accesses.

The data of a state, a node, is contiguous in one array of 32-bit words, so that a step reads one or two cache lines:
its packed state (`head` words, in a lazy graph), its chance table, for two rolls also the second table and the rows
of the first, then its edges. The position of a battle is one number: the node in its low 22 bits (counted in blocks of
eight words), and FINAL for a final state. An edge is such a number, with the number of a jump of the counter above it.
Node 0 marks an unexplored edge; a lane that reaches it waits there.

Where every state of a graph has an own table (`own_tables_walk`), one look-up in each step is faster.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint32, uint64

from simulator.engine.graph.graph import Graph
from simulator.engine.jit.kernels import inner, outlined
from simulator.engine.model.status import DONE
from simulator.engine.sample.alias import Alias, alias_of
from simulator.engine.sample.graph_tables import GraphTables, graph_tables, graph_words
from simulator.engine.sample.own_tables_walk import OwnTables, OwnTablesWalk, own_tables
from simulator.engine.sample.plain_walk import final_words
from simulator.engine.sample.walk import (
    COUNT,
    FINAL,
    MASK,
    NODE,
    Positions,
    Task,
    Walk,
    new_lanes,
    next_words,
    walk_kernel,
)

# Edges can hold this many different jumps of the counter; an edge with another jump is never stored.
JUMPS = 1 << (32 - COUNT)
# Nodes begin at multiples of eight words.
BLOCK_BITS = 3
BLOCK = 1 << BLOCK_BITS
# The begin of a node's edges after its `head`, for one roll and for two.
ONE_ROLL, TWO_ROLLS = 1, 3

_ONE, _NUMBER_BITS = np.uint32(1), 32
_NODE, _FINAL, _MASK, _COUNT, _BLOCK_BITS = map(np.uint32, (NODE, FINAL, MASK, COUNT, BLOCK_BITS))


def narrow(alias: Alias) -> np.ndarray:
    """The entries of alias tables in 32 bits, cut | other: uint32, of the shape of `alias.entry`.

    The results must be the rows of the tables: the row that a column keeps is then the column itself. The low `bits`
    bits of a cut are 0, and no other row needs more than them.
    """
    entry = alias.entry
    return ((entry & np.uint64(0xFFFFFFFF)) | entry >> np.uint64(48)).astype(np.uint32)


@inner
def row_drawn(table, number, bits, entry):
    """The row of a table that a 32-bit number draws, by `narrow` entries."""
    column = uint32(number) >> uint32(_NUMBER_BITS - bits)
    others = uint32((_ONE << uint32(bits)) - _ONE)
    e = uint32(entry[(uint64(table) << uint64(bits)) + uint64(column)])
    # With its low bits set, the rest is below cut | other exactly if it is below the cut.
    return column if uint32((uint32(number) << uint32(bits)) | others) < e else uint32(e & others)


@outlined
def look(at, words, place, found):
    """Read the word at this place of the node of every lane."""
    for lane in range(at.shape[0]):
        found[lane] = words[uint64(uint32((at[lane] & _NODE) << _BLOCK_BITS)) + uint64(place)]


@outlined
def draw_rows(row, number, bits, entry):
    """Replace the table of each lane by the row that its number draws."""
    for lane in range(row.shape[0]):
        row[lane] = row_drawn(row[lane], number[lane], bits, entry)


@outlined
def join_rows(row, other, width):
    """Replace the row of the first roll by the row of both."""
    for lane in range(row.shape[0]):
        row[lane] += other[lane] * width[lane]


@outlined
def follow_edges(at, row, words, place, jump):
    """Move each lane along its edge; edges begin at this place of a node. Finished lanes do not move."""
    for lane in range(at.shape[0]):
        edge = words[uint64(uint32(((at[lane] & _NODE) << _BLOCK_BITS) + row[lane])) + uint64(place)]
        over = uint32(at[lane] & _FINAL) != 0
        jump[lane] = uint32(0) if over else uint32(edge >> _COUNT)
        at[lane] = at[lane] if over else uint32(edge & _MASK)


@outlined
def add_jumps(held, jump, jumps):
    """Add the jumps with these numbers to the counters."""
    for lane in range(held.shape[0]):
        held[lane] += jumps[uint64(jump[lane])]


@inner
def step_on_nodes(w, m, number, bits, entry, both):
    """One step of every lane with this number, or with both halves of its number where it has two rolls."""
    place = m.head + ONE_ROLL
    look(w.at, m.words, m.head, w.row)
    draw_rows(w.row, number, bits, entry)
    if both:
        look(w.at, m.words, m.head + 1, w.other)
        look(w.at, m.words, m.head + 2, w.width)
        draw_rows(w.other, w.low, bits, entry)
        join_rows(w.row, w.other, w.width)
        place = m.head + TWO_ROLLS
    follow_edges(w.at, w.row, m.words, place, w.width)
    if m.jumps.shape[0] > 1:
        add_jumps(w.held, w.width, m.jumps)


@inner
def advance_on_nodes(p, layout, w, at):
    """One number for every lane of a complete graph: two steps, or one of two rolls."""
    both = layout.rolls == TWO_ROLLS
    next_words(w.key, w.high, w.low)
    step_on_nodes(w, layout.nodes, w.high, layout.bits, layout.entry, both)
    if not both:
        step_on_nodes(w, layout.nodes, w.low, layout.bits, layout.entry, both)
    return DONE


fight_on_nodes = walk_kernel("fight_on_nodes", advance_on_nodes)


class GraphNodes(NamedTuple):
    """The nodes of a complete graph (uint32 words), and the amounts that edges add to the counter, by number."""

    words: np.ndarray
    jumps: np.ndarray
    head: int = 0


class NodeLayout(NamedTuple):
    """A complete graph for walks: its nodes in order with the state of each, the start, and `narrow` alias tables.

    `rolls` is ONE_ROLL or TWO_ROLLS.
    """

    nodes: GraphNodes
    node: np.ndarray
    state: np.ndarray
    start: int
    rolls: int
    bits: int
    entry: np.ndarray


def walk_layout(g: GraphTables) -> OwnTables | NodeLayout | None:
    """The graph in the fastest layout for walks; None for too many nodes, or jumps of the counter. Cached in it."""
    return g.graph.kept.of(lay_out, g)


def lay_out(g: GraphTables) -> OwnTables | NodeLayout | None:
    """As `walk_layout`, made anew."""
    return own_tables(g) or nodes_of(g)


def nodes_of(g: GraphTables) -> NodeLayout | None:
    """The nodes of a graph; None for too many of them, or too many different jumps of the counter.

    Final states have table 0, and an edge that is never read."""
    final, rolls, most = g.graph.final, ONE_ROLL if g.second is None else TWO_ROLLS, int(g.inc.max(initial=0))
    fan = np.where(final, 0, g.width if g.second is None else g.width * np.diff(g.tables.first)[g.second])
    jumps, jump = np.arange(most + 1), g.inc
    if most >= JUMPS:
        jumps = np.unique(np.append(0, g.inc))
        jump = np.searchsorted(jumps, g.inc)
    blocks = -(-(rolls + np.maximum(fan, 1)) // BLOCK)
    # Final states come last: running ones share cache lines with none of them.
    order, node = np.argsort(final, kind="stable"), np.empty(len(final), np.int64)
    node[order] = 1 + np.cumsum(blocks[order]) - blocks[order]
    end = 1 + int(blocks.sum())
    if len(jumps) > JUMPS or end > NODE:
        return None
    words = np.zeros(BLOCK * end, np.uint32)
    words[BLOCK * node] = g.table
    if g.second is not None:
        words[BLOCK * node + 1], words[BLOCK * node + 2] = g.second, g.width
    place = np.repeat(BLOCK * node + rolls - (np.cumsum(fan) - fan), fan) + np.arange(len(g.to))
    target = (node | np.where(final, FINAL, 0)).astype(np.uint32)
    words[place] = target[g.to] | jump.astype(np.uint32) << _COUNT
    alias, nodes = alias_of(g.tables), GraphNodes(words, jumps.astype(np.uint64))
    return NodeLayout(nodes, node[order], order, int(target[0]), rolls, alias.bits, narrow(alias))


class NodeWalk(Walk):
    """Walks on the nodes of a complete graph."""

    def __init__(self, layout: NodeLayout) -> None:
        self._layout = layout
        super().__init__(new_lanes(), Positions(np.uint64(layout.start)))

    def _run(self, task: Task, most: int) -> int:
        return int(fight_on_nodes(None, self._layout, task, self._at, most))

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        held = keys[:, 0].astype(np.int64)
        return graph_words(self._layout.state[np.searchsorted(self._layout.node, held & NODE)], held >> COUNT)


class LargeGraphWalk(Walk):
    """Walks on a graph that no layout holds, with NumPy."""

    def __init__(self, graph: Graph) -> None:
        super().__init__(new_lanes(), Positions(np.uint64(0)))
        self._graph, self._ended = graph, [np.empty((0, 2), np.uint64)]

    def fight(self, most: int) -> int:
        """See `Walk`."""
        ends, battles = np.unique(final_words(self._graph, *self.order), return_counts=True)
        self._ended.append(np.column_stack([ends, battles.astype(np.uint64)]))
        return DONE

    def counts(self) -> np.ndarray:
        """See `Walk.counts`: uint64, shape (rows, 2); a final state may have several rows."""
        return np.concatenate(self._ended)


def walk_of(graph: Graph) -> Walk:
    """The fastest walk on a graph."""
    layout = walk_layout(graph_tables(graph))
    if isinstance(layout, OwnTables):
        return OwnTablesWalk(graph, layout)
    return NodeWalk(layout) if layout else LargeGraphWalk(graph)
