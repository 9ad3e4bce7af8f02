"""The walk on a grid, for factored chains: one look-up for each roll, and one for the cell that both lead to.

The nodes are those of `grid`, made by the rules when a battle first reaches their cell. There are no more nodes than
states, while a lazy graph has an edge for every pair of results, so that the nodes stay in the CPU cache. Battle i of a
seed has the same outcome as by the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.factored.grid_kernels import START, THERE, CompiledNodes, GridBuffer, make, raw_state
from simulator.engine.factored.grid_sweep import NODES, OVER, Nodes
from simulator.engine.jit.kernels import follows, inner, kernel, load, outlined
from simulator.engine.model.chain import Chain
from simulator.engine.model.packing import packed
from simulator.engine.model.status import (
    BAD_FIELD,
    BAD_TABLE,
    BROKEN,
    DONE,
    ENDLESS,
    NEED_ROOM,
    NOT_FACTORED,
    PAST_BUDGET,
    PAUSED,
)
from simulator.engine.model.streams import HIGH
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.lazy_steps import LOST
from simulator.engine.sample.lazy_walk import Task, begin, exchange_if_due
from simulator.engine.sample.node_walk import (
    COUNT,
    FINAL,
    LANES,
    NODE,
    count_alive,
    count_lost,
    find_lost,
    new_walkers,
    next_words,
)
from simulator.engine.sample.rule_walk import ALIVE, ROLLS, SLICE, STARTED, Order, drawn

# The four 64-bit words of a node in `heads`: table and second table, each with the begin of its results in `place`
# above it; the plane after the roll, with the amount added to the counter above it; the fourth is unused.
FIRST, SECOND, LANDS, HEAD = 0, 1, 2, 4
# The number of the start, which is the first node; 0 is for lanes without battles. The cell of no node.
BEGIN, NOWHERE = 1, (1 << 32) - 1
_LOW, _NODE, _FINAL = np.uint64(0xFFFFFFFF), np.uint32(NODE), np.uint32(FINAL)


class Course(NamedTuple):
    """The data of the walk: the nodes, with their numbers (and FINAL) in `nodes.of`; `heads` by number.

    `at` counts nodes and kinds; `rows` and the alias tables (`bits`, `entry`) are those of the chain, by result.
    """

    nodes: Nodes
    buffer: GridBuffer
    heads: np.ndarray
    cells: int
    at: np.ndarray
    rows: Any
    bits: int
    entry: np.ndarray
    packed: np.ndarray


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


@kernel
def fight_on_grid(p, g, task, at, most):
    """As `rule_walk.fight`, on a grid; also NEED_ROOM (call again with larger arrays), and the errors of `make`."""
    w = task.lanes
    if at[STARTED] == 0:
        begin(task, at)
        if g.at[NODES] == 0:
            at[LOST], w.ended[0], w.row[0] = 1, 0, NOWHERE
    for _ in range(SLICE):
        if at[LOST] == 0:
            status = exchange_if_due(task, g.packed, at)
            if status != PAUSED:
                return status
            next_words(w.key, w.high, w.low)
            roll(w.at, g.heads, FIRST, w.high, g.bits, g.entry, w.other)
            roll(w.at, g.heads, SECOND, w.low, g.bits, g.entry, w.width)
            aim(w.at, w.held, w.other, w.width, g.heads, g.nodes.place, w.row)
            land(w.at, w.row, g.nodes.of)
            at[LOST] = find_lost(w.at, w.ended) if count_lost(w.at) else 0
        if at[LOST] > 0:
            status = make_nodes(p, g, w, at)
            if status != DONE:
                return status
        at[ALIVE] = count_alive(w.at)
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


class GridWalk(CompiledNodes):
    """A grid for the walk, of at most `budget` bytes; it serves one thread at a time."""

    def __init__(self, chain: Chain, budget: int) -> None:
        super().__init__(chain)
        self._budget, self._walkers = budget, new_walkers()
        self._heads, self._packed = np.zeros(0, np.uint64), np.empty((1, LANES), np.uint64)
        self._start = BEGIN if chain.part("running")(chain.params, chain.start) else BEGIN | FINAL
        self.pays = self._make_room()

    def _make_room(self) -> bool:
        """Allocate heads for all nodes; returns whether everything is within the budget."""
        room = len(self.nodes.lands) + 1
        if HEAD * room > len(self._heads):
            heads = np.zeros(HEAD * room, np.uint64)
            heads[: len(self._heads)] = self._heads
            self._heads = heads
        parts = (*self.nodes, self._heads)
        return bool(sum(part.nbytes for part in parts) <= self._budget and room <= NODE)

    def fight(self, order: Order, at: np.ndarray, tally: np.ndarray, most: int) -> int:
        """Continue the order from the progress in `at`: DONE, PAUSED, BROKEN, FULL, ENDLESS or PAST_BUDGET.

        Raises BrokenGame if the chain is not factored.
        """
        p, tables = self.chain.params, self.chain.tables
        run, alias = fight_on_grid.of(p), alias_of(tables)
        task = Task(order, self._start, self._walkers, tally)
        while True:
            made = (self.nodes, self.buffer, self._heads, self.cells, self.at)
            course = Course(*made, tables.rows, *alias, self._packed)
            status = int(run(p, course, task, at, most))
            if status == NOT_FACTORED:
                raise self.wrong(status)
            if status != NEED_ROOM:
                return BROKEN if status in {BAD_FIELD, BAD_TABLE} else status
            self.more_room()
            self.pays = self._make_room()
            if not self.pays:
                return PAST_BUDGET

    def counts(self, tally: np.ndarray, whole: Chain) -> np.ndarray:
        """The tally with final states of the chain `whole`, which packs its counters like other fields.

        Raises BrokenGame for a count above the counter's limit.
        """
        chain, held = self.chain, tally[tally[:, -1] > 0]
        node = (held[:, 0] & np.uint64(NODE)).astype(np.int64) - 1
        states = self.nodes.state.reshape(-1, len(chain.start))[node].astype(np.int64)
        count = (held[:, 0] >> np.uint64(COUNT)).astype(np.int64) + self.nodes.inc[node]
        states[:, chain.counted] = count
        chain.check_count(count)
        return np.column_stack([packed(whole.layout, states).T, held[:, -1]])
