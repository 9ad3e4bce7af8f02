"""The walk on a grid, for factored chains: one look-up for each roll, and one for the cell that both lead to.

The nodes are those of `grid`, made by the rules when a battle first reaches their cell. There are no more nodes than
states, while a lazy graph has an edge for every pair of results, so that the nodes stay in the CPU cache. Battle i of a
seed has the same outcome as by the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.factored.grid_kernels import make, raw_state
from simulator.engine.factored.grid_nodes import START, THERE, GridBuffer
from simulator.engine.factored.grid_sweep import NODES, OVER, Nodes
from simulator.engine.factored.solve_grid import GridNodes
from simulator.engine.graph.graph_cache import counters_as_fields
from simulator.engine.jit.kernels import follows, inner, load, outlined
from simulator.engine.model.chain import Chain
from simulator.engine.model.packing import packed
from simulator.engine.model.status import (
    BAD_FIELD,
    BAD_TABLE,
    BROKEN,
    DONE,
    NOT_FACTORED,
)
from simulator.engine.model.streams import HIGH
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.lazy_walk import find_lost
from simulator.engine.sample.node_walk import next_words
from simulator.engine.sample.rule_walk import drawn
from simulator.engine.sample.walk import (
    COUNT,
    FINAL,
    LOST,
    NODE,
    Order,
    Positions,
    Task,
    Walk,
    new_lanes,
    walk_kernel,
)

# The four 64-bit words of a node in `heads`: table and second table, each with the begin of its results in `place`
# above it; the plane after the roll, with the amount added to the counter above it; the fourth is unused.
FIRST, SECOND, LANDS, HEAD = 0, 1, 2, 4
# The number of the start, which is the first node; 0 is for lanes without battles. The cell of no node.
BEGIN, NOWHERE = 1, (1 << 32) - 1
_LOW, _NODE, _FINAL = np.uint64(0xFFFFFFFF), np.uint32(NODE), np.uint32(FINAL)


class Course(NamedTuple):
    """The data of the walk: the nodes, with their numbers (and FINAL) in `nodes.of`; `heads` by number.

    `at` counts nodes and kinds; `rows` and the alias tables (`bits`, `entry`) are those of the chain, by the numbers of
    results.
    """

    nodes: Nodes
    buffer: GridBuffer
    heads: np.ndarray
    cells: int
    at: np.ndarray
    rows: Any
    bits: int
    entry: np.ndarray


@outlined
def roll(at, heads, word, number, bits, entry, found):
    """The place of the result that the number of each lane draws from the table in this word of its head."""
    for lane in range(at.shape[0]):
        head = heads[uint64(at[lane] & _NODE) * uint64(HEAD) + uint64(word)]
        found[lane] = uint32(head >> HIGH) + uint32(drawn(head & _LOW, number[lane], bits, entry))


@outlined
def aim(at, held, first, second, heads, place, cell):
    """The cell after both rolls; counters are updated."""
    for lane in range(at.shape[0]):
        lands = heads[uint64(at[lane] & _NODE) * uint64(HEAD) + uint64(LANDS)]
        # Below 2**32: the plane begins at 2 less, since places are kept with 1 added to them.
        to = uint32(lands + uint64(place[uint64(first[lane])]) + uint64(place[uint64(second[lane])]))
        over = uint32(at[lane] & _FINAL) != 0
        cell[lane] = uint32(0) if over else to
        held[lane] += uint64(0) if over else lands >> HIGH


@outlined
def land(at, cell, of):
    """Move each lane to the node of its cell; finished lanes do not move."""
    for lane in range(at.shape[0]):
        to = uint32(of[uint64(cell[lane])])
        at[lane] = at[lane] if uint32(at[lane] & _FINAL) != 0 else to


@inner
def write_head(g, node):
    """Write the head of a new node; returns its number."""
    nodes, head = g.nodes, HEAD * (node + 1)
    if nodes.lands[node] == OVER:
        return int64(node + 1) | FINAL
    g.heads[head + FIRST] = uint64(nodes.table[node]) | uint64(nodes.along[node]) << HIGH
    g.heads[head + SECOND] = uint64(nodes.second[node]) | uint64(nodes.across[node]) << HIGH
    base = uint64(uint32(int64(nodes.lands[node]) * g.cells - 2))
    g.heads[head + LANDS] = base | uint64(nodes.inc[node]) << HIGH
    return int64(node + 1)


@inner
def make_nodes(p, g, w, at):
    """Move the listed lanes to the nodes of their cells, made if necessary: DONE, NEED_ROOM or an error."""
    nodes, b = g.nodes, g.buffer
    for i in range(at[LOST]):
        lane = w.ended[i]
        cell = int64(w.row[lane])
        number = int64(0) if cell == NOWHERE else int64(nodes.of[cell])
        if number == 0:
            if cell == NOWHERE:
                s = load(p, b.fields, START)
            else:
                raw_state(nodes, b, cell // g.cells, cell % g.cells)
                s = follows(p, load(p, b.fields, THERE))
            status = make(p, g.rows, nodes, b, g.at, s)
            if status != DONE:
                return status
            number = write_head(g, g.at[NODES] - 1)
            if cell != NOWHERE:
                nodes.of[cell] = number
        w.at[lane] = number
    at[LOST] = 0
    return int64(DONE)


@inner
def advance_on_grid(p, g, w, at):
    """Both rolls of every lane on a grid: DONE, NEED_ROOM, or an error of `make`."""
    if at[LOST] == 0:
        next_words(w.key, w.high, w.low)
        roll(w.at, g.heads, FIRST, w.high, g.bits, g.entry, w.other)
        roll(w.at, g.heads, SECOND, w.low, g.bits, g.entry, w.width)
        aim(w.at, w.held, w.other, w.width, g.heads, g.nodes.place, w.row)
        land(w.at, w.row, g.nodes.of)
        at[LOST] = find_lost(w)
    if at[LOST] > 0:
        status = make_nodes(p, g, w, at)
        if status != DONE:
            return status
    return int64(DONE)


fight_on_grid = walk_kernel("fight_on_grid", advance_on_grid)


class GridWalk(Walk):
    """Walks on a grid of at most `budget` bytes."""

    may_give_up = True

    def __init__(self, chain: Chain, budget: int) -> None:
        self.grid, self._budget, self._heads = GridNodes(chain), budget, np.zeros(0, np.uint64)
        start = BEGIN if chain.part("running")(chain.params, chain.start) else BEGIN | FINAL
        super().__init__(new_lanes(), Positions(np.uint64(start)))
        self._fit_heads()

    def begin(self, order: Order) -> None:
        """See `Walk`; the first battle of all makes the node of the start."""
        super().begin(order)
        if self.grid.at[NODES] == 0:
            self._at[LOST], self._lanes.row[0] = 1, NOWHERE

    def _fit_heads(self) -> bool:
        """Allocate heads for all nodes; returns whether everything is within the budget."""
        room = len(self.grid.nodes.lands) + 1
        heads = np.zeros(HEAD * room, np.uint64)
        heads[: len(self._heads)] = self._heads
        self._heads = heads
        size = sum(part.nbytes for part in (*self.grid.nodes, heads))
        self.pays = bool(size <= self._budget and room <= NODE)
        return self.pays

    def _make_room(self) -> bool:
        self.grid.more_room()
        return self._fit_heads()

    def _run(self, task: Task, most: int) -> int:
        """As `Walk`; raises BrokenGame if the chain is not factored."""
        g, chain = self.grid, self.grid.chain
        course = Course(g.nodes, g.buffer, self._heads, g.cells, g.at, g.rows, *alias_of(g.tables))
        status = int(fight_on_grid.of(chain.params)(chain.params, course, task, self._at, most))
        if status == NOT_FACTORED:
            raise g.wrong(status)
        return BROKEN if status in {BAD_FIELD, BAD_TABLE} else status

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        g, chain = self.grid, self.grid.chain
        node = (keys[:, 0] & np.uint64(NODE)).astype(np.int64) - 1
        states = g.nodes.state.reshape(-1, len(chain.start))[node].astype(np.int64)
        states[:, chain.counted] = (keys[:, 0] >> np.uint64(COUNT)).astype(np.int64) + g.nodes.inc[node]
        chain.check_count(states[:, chain.counted])
        return packed(counters_as_fields(chain).layout, states).T
