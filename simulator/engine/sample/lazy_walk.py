"""The walk on a lazy graph: visited states are looked up, new edges are explored once by the rules.

Each thread enumerates the part of the chain that its battles visit, edge by edge. An unexplored edge leads to node 0; a
lane that reaches it is stepped by the rules (`lazy_steps`), and the edge is stored. Most battles visit few states, so
that most steps are look-ups, made for all lanes together (`node_walk`). When the budget is used up, unexplored edges
are stepped by the rules each time. Battle i of a seed has the same outcome as by the rules.
"""

from __future__ import annotations

import numpy as np

from simulator.engine.graph.graph_cache import counters_as_fields
from simulator.engine.jit.kernels import bind_state, inner, outlined, paired
from simulator.engine.jit.vectors import find_lanes
from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import by_row
from simulator.engine.model.packing import packed
from simulator.engine.model.status import DONE, NEED_ROOM, PAST_BUDGET, PAUSED
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.lazy_steps import (
    BLOCKS,
    DRAWN,
    MOST_NEW,
    NODES,
    STEPPED,
    LazyNodes,
    RuleData,
    new_steps,
    step_lost,
    too_full,
)
from simulator.engine.sample.node_walk import BLOCK, JUMPS, ONE_ROLL, TWO_ROLLS, narrow, step_on_nodes
from simulator.engine.sample.walk import (
    ALIVE,
    COUNT,
    FINAL,
    LANES,
    MASK,
    NODE,
    USED,
    Order,
    Positions,
    Task,
    Walk,
    enlarged,
    enter,
    new_lanes,
    next_words,
    walk_kernel,
)

FIRST_SLOTS = 1 << 14
# Bytes of the budget for each block of nodes: for small nodes the hash table takes as much again.
BYTES_A_BLOCK = 48
# Do not start an order when fewer than this many blocks are free.
LAST_BLOCKS = 1 << 20
# A look-up takes a quarter of the time of a step by the rules, a step along a new edge three times as much. So the
# graph does not pay if more than a quarter of all steps take new edges; while nodes are added, the share may fall.
ENOUGH_NODES, MOST_NEW_EDGES, MOST_NEW_EDGES_AT_FIRST = 1 << 16, 1 / 4, 1 / 2
# After this many random numbers (one second) a first order is abandoned if the lazy graph does not pay.
LONG = 1 << 24
# Lanes at node 0 (see `find_lanes`).
_LOST = (np.uint32(MASK), np.uint32(0), np.uint32(1))


@outlined
def count_lost(at):
    """The number of lanes at node 0."""
    lost = 0
    for lane in range(at.shape[0]):
        lost += (at[lane] & MASK) == 0
    return lost


@inner
def find_lost(w):
    """List the lanes on unexplored edges; returns their number."""
    return find_lanes(w.at, _LOST, w.ended) if count_lost(w.at) else 0


@outlined
def keep(at, was):
    """Copy the positions of all lanes."""
    for lane in range(at.shape[0]):
        was[lane] = at[lane]


@inner
def advance_on_lazy_graph(p, graph, w, at):
    """One number for every lane on a lazy graph: two steps, or one of two rolls. DONE, NEED_ROOM or BROKEN."""
    m, data, known = graph
    if too_full(p, m, known):
        return NEED_ROOM
    known[DRAWN] += at[ALIVE]
    next_words(w.key, w.high, w.low)
    for half in range(1 if paired(p) else 2):
        number = w.high if half == 0 else w.low
        keep(w.at, w.was)
        step_on_nodes(w, m, number, data.bits, data.entry, paired(p))
        lost = find_lost(w)
        if lost > 0:
            known[STEPPED] += lost
            status = step_lost(p, m, data, known, w, number, lost)
            if status != DONE:
                return status
    return DONE


fight_on = walk_kernel("fight_on", advance_on_lazy_graph)


class LazyWalk(Walk):
    """Walks on the visited nodes of a chain, of at most `budget` bytes."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain = chain
        bind_state(type(chain.params), type(chain.start))
        layout, self._rolls = chain.layout, TWO_ROLLS if chain.paired else ONE_ROLL
        alias, fields = alias_of(by_row(chain.tables)), np.zeros((len(chain.start), 2), np.int64)
        steps, entry = new_steps(layout.words), narrow(alias)
        self._data = RuleData(alias.bits, entry, chain.tables.rows, steps, fields, *layout[:5], chain.counted)
        first = 1 + LANES * self._blocks(1)
        self._known = np.array([0, first, 0, 0, 0, 1])
        blocks = max(first, min(budget // BYTES_A_BLOCK, NODE - LAST_BLOCKS))
        jumps = np.zeros(JUMPS if chain.counted >= 0 else 0, np.uint64)
        slots = np.zeros((FIRST_SLOTS, layout.words + 1), np.uint64)
        self._nodes = LazyNodes(self._words(blocks), slots, jumps, 2 * layout.words, first, blocks)
        super().__init__(new_lanes(), Positions(np.uint64(self._first_node())))

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self._known[NODES])

    def _is_worth_it(self) -> bool:
        """Was the current order faster than the rules alone, or may later ones be?"""
        _, blocks, shut, drawn, stepped, _ = self._known.tolist()
        if blocks > NODE - LAST_BLOCKS:
            return False
        if not shut and len(self) < ENOUGH_NODES:
            return True
        steps = drawn if self.chain.paired else 2 * drawn
        return bool(stepped <= steps * (MOST_NEW_EDGES if shut else MOST_NEW_EDGES_AT_FIRST))

    def _blocks(self, edges: int) -> int:
        return -(-(2 * self.chain.layout.words + self._rolls + edges) // BLOCK)

    def _words(self, blocks: int) -> np.ndarray:
        """Room for this many blocks, and for some final states beyond them; untouched pages take no memory."""
        return np.zeros(BLOCK * (blocks + 2 * MOST_NEW * LANES * self._blocks(1)), np.uint32)

    def _first_node(self) -> int:
        """Add the start as the first node; returns its number, with FINAL if the battle is over."""
        chain, known, m, p = self.chain, self._known, self._nodes, self.chain.params
        start = chain.settled(chain.start)
        state = type(start)(*(0 if f == chain.counted else int(value) for f, value in enumerate(start)))
        node, key, fan = int(known[BLOCKS]), packed(chain.layout, np.array([state])), 1
        head = node * BLOCK + m.head
        running = bool(chain.part("running")(p, state))
        if running:
            t, u = (int(chain.part(name)(p, state)) for name in ("table", "second"))
            width, beside = (int(chain.tables.first[i + 1] - chain.tables.first[i]) for i in (t, u))
            fan = width * (beside if chain.paired else 1)
            if BLOCK * (node + self._blocks(fan)) > len(m.words):
                m = self._nodes = m._replace(words=self._words(node + self._blocks(fan)))
            m.words[head : head + self._rolls] = (t, u, width)[: self._rolls]
        m.words[node * BLOCK : head] = key[:, 0].view(np.uint32)
        enter(m.slots, key, np.array([node], np.uint64))
        known[NODES], known[BLOCKS] = 1, node + self._blocks(fan)
        return node if running else node | FINAL

    def _make_room(self) -> bool:
        """Enlarge the hash table and the array of nodes, where they are short."""
        m, known = self._nodes, self._known
        if 2 * (int(known[NODES]) + MOST_NEW * LANES) > len(m.slots):
            self._nodes = m = m._replace(slots=enlarged(m.slots, 2))
        if BLOCK * (max(int(known[BLOCKS]), m.budget) + MOST_NEW * LANES * self._blocks(1)) > len(m.words):
            words = self._words(2 * max(int(known[BLOCKS]), m.budget))
            words[: len(m.words)] = m.words
            self._nodes = m._replace(words=words)
        return True

    def begin(self, order: Order) -> None:
        """See `Walk`; only a first order may be abandoned."""
        self.may_give_up = bool(self._at[USED] == 0)
        super().begin(order)
        self._known[[DRAWN, STEPPED]] = 0

    def _run(self, task: Task, most: int) -> int:
        graph, params = (self._nodes, self._data, self._known), self.chain.params
        status = int(fight_on.of(params)(params, graph, task, self._at, most))
        self.pays = self._is_worth_it()
        long = status == PAUSED and self.may_give_up and self._known[DRAWN] > LONG
        return PAST_BUDGET if long and not self.pays else status

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        chain, layout = self.chain, self.chain.layout
        node, count = (keys[:, 0] & np.uint64(NODE)).astype(np.int64), keys[:, 0] >> np.uint64(COUNT)
        states, double = np.empty((len(keys), len(chain.start)), np.int64), self._nodes.words.view(np.uint64)
        for f, (word, shift, mask) in enumerate(zip(layout.word, layout.shift, layout.mask, strict=True)):
            states[:, f] = (double[node * BLOCK // 2 + word] >> shift) & mask
        if chain.counted >= 0:
            states[:, chain.counted] = count.astype(np.int64) + int(chain.start[chain.counted])
            chain.check_count(states[:, chain.counted])
        return packed(counters_as_fields(chain).layout, states).T
