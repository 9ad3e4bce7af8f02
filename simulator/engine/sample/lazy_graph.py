"""The graphs that the kernels of `lazy_walk` walk: a growing one for each thread, or a complete one."""

from __future__ import annotations

from typing import Any

import numpy as np

from simulator.engine.graph.compiled_explorer import StateBuffer
from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_cache import carried
from simulator.engine.jit.kernels import bind_state
from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import Rows, by_row
from simulator.engine.model.packing import packed
from simulator.engine.model.status import NEED_ROOM
from simulator.engine.sample.alias import Alias, alias_of
from simulator.engine.sample.graph_tables import Lookup, PairLookup, Place, WalkedChain, lookup
from simulator.engine.sample.lazy_steps import (
    BLOCKS,
    DRAWN,
    JUMPED,
    MOST_NEW,
    NODES,
    NOTED,
    STEPPED,
    LazyNodes,
    WalkArrays,
    new_steps,
)
from simulator.engine.sample.lazy_walk import Task, enter, fight_on, spread
from simulator.engine.sample.node_walk import (
    BLOCK,
    COUNT,
    FINAL,
    JUMPS,
    LANES,
    NODE,
    ONE_ROLL,
    TWO_ROLLS,
    Walkers,
    narrow,
    new_walkers,
)
from simulator.engine.sample.rule_walk import STARTED, Order

FIRST_SLOTS = 1 << 14
# The attribute of a graph that caches its tables and layout.
_KEPT = "_layout"
# Bytes of the budget for each block of nodes: for small nodes the hash table takes as much again.
BYTES_A_BLOCK = 48
# Do not start an order when fewer than this many blocks are free.
LAST_BLOCKS = 1 << 20
# A look-up takes a quarter of the time of two steps by the rules, a lane on a new edge three times as much. So the
# graph does not pay if more than a quarter of all numbers take new edges; while nodes are added, the share may fall.
ENOUGH_NODES, MOST_NEW_EDGES, MOST_NEW_EDGES_AT_FIRST = 1 << 16, 1 / 4, 1 / 2


def empty_tally(words: int, slots: int = 4 * LANES) -> np.ndarray:
    """A tally of states of so many words, with this many slots, a power of two."""
    return np.zeros((slots, words + 1), np.uint64)


class LazyGraph:
    """The visited nodes of a chain, of at most `budget` bytes; it serves one thread at a time."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain = chain
        bind_state(type(chain.params), type(chain.start))
        layout, self._rolls = chain.layout, TWO_ROLLS if chain.paired else ONE_ROLL
        fields, key = np.zeros((len(chain.start), 2), np.int64), np.zeros(layout.words, np.uint64)
        self._noted = carried(chain)
        # The noted field is no part of a node's state.
        noted, none = np.arange(len(layout.mask)) == self._noted, np.uint64(0)
        mask, place = np.where(noted, none, layout.mask), np.where(noted, none, layout.place)
        self._buffer = StateBuffer(
            fields, key, layout.word, layout.shift, mask, layout.limit, place, chain.counted, 0, 0
        )
        rows = by_row(chain.tables)
        self._arrays = _arrays_for(alias_of(rows), chain.tables.rows, self._buffer)._replace(noted=self._noted)
        first = 1 + LANES * self._blocks(1)
        self._known = np.array([0, first, 0, 0, 0, 1])
        blocks = max(first, min(budget // BYTES_A_BLOCK, NODE - LAST_BLOCKS))
        jumps = np.zeros(JUMPS if chain.counted >= 0 or chain.annotation else 0, np.uint64)
        slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._nodes = LazyNodes(self._words(blocks), slots, jumps, 2 * layout.words, first, blocks)
        self._walkers = new_walkers()
        self._start = self._first_node()

    def __len__(self) -> int:
        """The number of nodes."""
        return int(self._known[NODES])

    @property
    def pays(self) -> bool:
        """Was the last order faster than the rules alone, or may later ones be?"""
        _, blocks, shut, drawn, stepped, _ = self._known.tolist()
        if blocks > NODE - LAST_BLOCKS:
            return False
        if not shut and len(self) < ENOUGH_NODES:
            return True
        return bool(stepped <= drawn * (MOST_NEW_EDGES if shut else MOST_NEW_EDGES_AT_FIRST))

    @property
    def drawn(self) -> int:
        """The random numbers drawn for the current order."""
        return int(self._known[DRAWN])

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
        node, key, fan = int(known[BLOCKS]), packed(chain.layout, np.array([state]))[:, 0], 1
        head = node * BLOCK + m.head
        running = bool(chain.part("running")(p, state))
        if running:
            t, u = (int(chain.part(name)(p, state)) for name in ("table", "second"))
            width, beside = (int(chain.tables.first[i + 1] - chain.tables.first[i]) for i in (t, u))
            fan = width * (beside if chain.paired else 1)
            if BLOCK * (node + self._blocks(fan)) > len(m.words):
                m = self._nodes = m._replace(words=self._words(node + self._blocks(fan)))
            m.words[head : head + self._rolls] = (t, u, width)[: self._rolls]
        self._arrays.steps.key[:, 0] = key
        enter(m, self._arrays.steps, node)
        known[NODES], known[BLOCKS] = 1, node + self._blocks(fan)
        return node if running else node | FINAL

    def _make_room(self) -> None:
        """Enlarge the hash table and the array of nodes, where they are short."""
        m, known = self._nodes, self._known
        if 2 * (int(known[NODES]) + MOST_NEW * LANES) > len(m.slots):
            slots = np.zeros(2 * len(m.slots), np.uint64)
            spread(m.slots, slots)
            self._nodes = m = m._replace(slots=slots)
        if BLOCK * (max(int(known[BLOCKS]), m.budget) + MOST_NEW * LANES * self._blocks(1)) > len(m.words):
            words = self._words(2 * max(int(known[BLOCKS]), m.budget))
            words[: len(m.words)] = m.words
            self._nodes = m._replace(words=words)

    def fight(self, order: Order, at: np.ndarray, tally: np.ndarray, most: int) -> int:
        """Continue the order from the progress in `at`: DONE, PAUSED, BROKEN, FULL or ENDLESS, as `rule_walk.fight`."""
        run, p = fight_on.of(self.chain.params), self.chain.params
        if at[STARTED] == 0:
            self._known[[DRAWN, STEPPED]] = 0
        task = Task(order, self._start, self._walkers, tally)
        while True:
            status = run(p, self._nodes, self._arrays, self._known, task, at, most)
            if status != NEED_ROOM:
                return int(status)
            self._make_room()

    def final_states(self, tally: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The states in a tally as rows of ints, and their counts.

        Raises BrokenGame for a count above the counter's limit.
        """
        chain, layout = self.chain, self.chain.layout
        held = tally[tally[:, -1] > 0]
        node, count = (held[:, 0] & np.uint64(NODE)).astype(np.int64), held[:, 0] >> np.uint64(COUNT)
        states, double = np.empty((len(held), len(chain.start)), np.int64), self._nodes.words.view(np.uint64)
        for f, (word, shift, mask) in enumerate(zip(layout.word, layout.shift, layout.mask, strict=True)):
            states[:, f] = (double[node * BLOCK // 2 + word] >> shift) & mask
        if self._noted >= 0:
            states[:, self._noted] = count >> np.uint64(NOTED)
            count = count & np.uint64((1 << NOTED) - 1)
        if chain.counted >= 0:
            states[:, chain.counted] = count.astype(np.int64) + int(chain.start[chain.counted])
            chain.check_count(states[:, chain.counted])
        return states, held[:, -1]

    def counts(self, tally: np.ndarray, whole: Chain) -> np.ndarray:
        """The tally with final states of the chain `whole`, which packs its counters like other fields.

        Raises BrokenGame as `final_states`.
        """
        states, counts = self.final_states(tally)
        return np.column_stack([packed(whole.layout, states).T, counts])


def _arrays_for(alias: Alias, rows: Rows, buffer: StateBuffer) -> WalkArrays:
    return WalkArrays(
        alias.bits, narrow(alias), rows, buffer, new_steps(len(buffer.key)), np.empty((1, LANES), np.uint64), -1
    )


class GraphLayout:
    """A complete graph in the layout of a lazy graph, shared by all threads; see `fits`."""

    def __init__(self, walked: WalkedChain) -> None:
        p = walked.chain.params
        # All edges are known, so that no rule is called: its arrays are left out.
        none = np.zeros(1, np.uint64)
        self._params: Any = p._replace(place=none, to=np.zeros(1, np.uint32))
        if isinstance(p, PairLookup):
            self._params = self._params._replace(other=none)
        bind_state(type(p), Place)
        tables, self._bits = walked.chain.tables, p.mask.bit_length()
        self._alias, self._rows = alias_of(tables), tables.rows
        self._node = _nodes_of(p, _fans(p))
        self._counted = int(p.to.max(initial=0)) > p.mask
        jumps = np.arange(JUMPS if self._counted else 0, dtype=np.uint64)
        self._nodes = LazyNodes(_spelled(p, self._node), np.zeros(1, np.uint64), jumps, 0, 0, 0)
        at = int(walked.chain.start.at)
        self._start = int(self._node[at]) | FINAL * (at >= p.running)
        self._first_end = int(self._node[p.running]) if p.running < len(p.place) else 0
        self._running, self._ends = p.running, len(p.place) - p.running

    def tally(self) -> np.ndarray:
        """An empty tally; without a counter, one count for each final state is faster than a hash table."""
        return empty_tally(1) if self._counted else np.zeros((self._ends, 1), np.uint64)

    def arrays(self) -> tuple[WalkArrays, Walkers]:
        """The buffers of one thread."""
        none = np.zeros(1, np.uint64)
        layout = np.zeros(1, np.int64), none, none, np.zeros(1, np.int64), np.zeros((1, 1), np.uint64)
        buffer = StateBuffer(np.zeros((1, 2), np.int64), none.copy(), *layout, -1, 0, 0)
        return _arrays_for(self._alias, self._rows, buffer), new_walkers()

    def fight(
        self, arrays: tuple[WalkArrays, Walkers], order: Order, at: np.ndarray, tally: np.ndarray, most: int
    ) -> int:
        """As `LazyGraph.fight`."""
        run, task = fight_on.of(self._params), Task(order, self._start, arrays[1], tally, self._first_end)
        return int(run(self._params, self._nodes, arrays[0], np.zeros(JUMPED + 1, np.int64), task, at, most))

    def counts(self, tally: np.ndarray) -> np.ndarray:
        """The tally with final states as `lookup` numbers them."""
        held = tally[tally[:, -1] > 0]
        if not self._counted:
            return np.column_stack([(np.flatnonzero(tally) + self._running).astype(np.uint64), held])
        number = np.searchsorted(self._node, held[:, 0] & np.uint64(NODE)).astype(np.uint64)
        count = held[:, 0] >> np.uint64(COUNT)
        return np.column_stack([number | count << np.uint64(self._bits), held[:, -1]])


def _fans(p: Lookup | PairLookup) -> np.ndarray:
    """The number of edges of each state of a `lookup`."""
    begin = (p.place >> np.uint64(32)).astype(np.int64)
    return np.diff(np.append(begin, len(p.to)))


def _nodes_of(p: Lookup | PairLookup, fan: np.ndarray) -> np.ndarray:
    """The first block of each state."""
    rolls = TWO_ROLLS if isinstance(p, PairLookup) else ONE_ROLL
    blocks = -(-(rolls + fan) // BLOCK)
    return np.asarray(1 + np.cumsum(blocks) - blocks)


def _spelled(p: Lookup | PairLookup, node: np.ndarray) -> np.ndarray:
    """`words` of `LazyNodes`, without packed states. Final states have table 0, and an edge that is never read."""
    fan, paired = _fans(p), isinstance(p, PairLookup)
    rolls = TWO_ROLLS if paired else ONE_ROLL
    words = np.zeros(BLOCK * (int(node[-1]) + 1) + rolls + int(fan[-1]), np.uint32)
    running, low = slice(p.running), np.uint64(0xFFFFFFFF)
    words[BLOCK * node[running]] = (p.place[running] & low).astype(np.uint32)
    if isinstance(p, PairLookup):
        words[BLOCK * node[running] + 1] = (p.other[running] & low).astype(np.uint32)
        words[BLOCK * node[running] + 2] = (p.other[running] >> np.uint64(32)).astype(np.uint32)
    place = np.repeat(BLOCK * node + rolls - (np.cumsum(fan) - fan), fan) + np.arange(len(p.to))
    target = (node | np.where(np.arange(len(node)) >= p.running, FINAL, 0)).astype(np.uint32)
    edge = target[p.to & p.to.dtype.type(p.mask)]
    if int(p.to.max(initial=0)) > p.mask:
        edge |= (p.to >> p.to.dtype.type(int(p.mask).bit_length())).astype(np.uint32) << np.uint32(COUNT)
    words[place] = edge
    return words


def layout_for(graph: Graph) -> tuple[WalkedChain, GraphLayout | None]:
    """The tables of a graph, and its layout for the lazy walk if that is faster; cached in the graph."""
    kept = vars(graph)
    if _KEPT not in kept:
        walked = lookup(graph)
        kept[_KEPT] = walked, GraphLayout(walked) if fits(walked) else None
    found: tuple[WalkedChain, GraphLayout | None] = kept[_KEPT]
    return found


def fits(walked: WalkedChain) -> bool:
    """Can the lazy walk take this graph? From 500 edges to 2 million it took 0.3 to 1.0 of the time of `rule_walk`.

    Graphs of own tables take one look-up in each step of `rule_walk`, which is faster.
    """
    p = walked.chain.params
    if not isinstance(p, Lookup | PairLookup):
        return False
    most = int((p.to >> np.uint64(int(p.mask).bit_length())).max(initial=0))
    return most < JUMPS and len(p.place) + len(p.to) // BLOCK < NODE
