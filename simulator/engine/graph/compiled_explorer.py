"""Enumeration of a chain by its compiled rules: `interpreted_explorer`, a few hundred times as fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.graph.graph import Graph, check_one_roll, over_budget, size_of
from simulator.engine.graph.size_bound import recall, remember
from simulator.engine.jit.held import held
from simulator.engine.jit.kernels import (
    bind_state,
    decides,
    held_in,
    inner,
    kernel,
    load,
    moved,
    options,
    paired,
    running,
    second,
    store,
    table,
    within,
    word_of,
)
from simulator.engine.jit.state_table import slot_of, slots_for
from simulator.engine.model.chain import MOST_TURNS, Chain, outside_limits
from simulator.engine.model.chance import TableRows
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.model.packing import packed
from simulator.engine.model.status import BAD_DECISION, BAD_FIELD, BAD_TABLE, DONE, NEED_ROOM, PAUSED

# The entries of `at`: the number of states, the number of edges, the next state to expand; and an invalid
# table, or the number of edges that need room.
STATES, EDGES, NEXT, WRONG = range(4)
# Edges between two returns to Python: a few hundredths of a second.
PAUSE = 1 << 20
# From this number of edges on, room for them grows by a quarter.
MANY_EDGES = 1 << 22
# A graph is wide if its states have more edges than this on average.
WIDE = 256
NO_NODES, ALL_NODES, BEST_NODES = range(3)


class Store(NamedTuple):
    """A growing graph with spare room; see `graph.Graph`. `slots` is a table of their numbers + 1."""

    keys: np.ndarray
    table: np.ndarray
    second: np.ndarray
    owner: np.ndarray
    begin: np.ndarray
    to: np.ndarray
    inc: np.ndarray
    slots: np.ndarray


class StateBuffer(NamedTuple):
    """Scratch buffer: the fields of the state before a step (column 0) and after it (column 1), its key, the layout.

    `key` has shape (words, 1). `counted` is the place of the counter or -1; `nodes` is ALL_NODES if every decision is a
    node, BEST_NODES if only those of `best` policies are.
    """

    fields: np.ndarray
    key: np.ndarray
    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    limit: np.ndarray
    place: np.ndarray
    counted: int
    nodes: int


@inner
def pack(b, column):
    """Pack the state in a column of the buffer into its key."""
    # The fields of a word are adjacent; packing them in a register instead of memory takes a third of the time.
    f = 0
    for w in range(b.key.shape[0]):
        word = uint64(0)
        while f < b.fields.shape[0] and b.word[f] == w:
            word |= (uint64(b.fields[f, column]) & b.mask[f]) << b.shift[f]
            f += 1
        b.key[w, 0] = word


@inner
def is_state(g, slot, keys, i):
    """Does a slot hold packed state `i`?"""
    same = True
    for w in range(keys.shape[0]):
        same = same and g.keys[w, g.slots[slot] - 1] == keys[w, i]
    return same


@inner
def find_or_add(g, b, at):
    """The number of the state in the buffer: its own, or a new one."""
    slot = slot_of(b.key, 0, b.key.shape[0], g.slots, is_state, g)
    if g.slots[slot] != 0:
        return int64(g.slots[slot]) - 1
    i = at[STATES]
    for w in range(b.key.shape[0]):
        g.keys[w, i] = b.key[w, 0]
    at[STATES] = i + 1
    g.slots[slot] = at[STATES]
    return i


@inner
def lead_to(p, after, g, b, at):
    """Add the edge to a following state: DONE, or the error of that state."""
    store(p, b.fields, 1, after)
    if not within(p, after, b.limit):
        return BAD_FIELD
    for w in range(b.key.shape[0]):
        b.key[w, 0] = word_of(p, after, b, w)
    g.to[at[EDGES]] = find_or_add(g, b, at)
    if b.counted >= 0:
        g.inc[at[EDGES]] = uint32(b.fields[b.counted, 1])
    at[EDGES] += 1
    return DONE


@inner
def follow(p, rows, g, b, at, i):
    """Expand state `i`: DONE, NEED_ROOM, or an error."""
    tables = rows.first.shape[0] - 1
    s = held_in(p, g.keys, i, b)
    g.owner[i] = 0
    g.second[i] = 0
    g.table[i] = -1
    g.begin[i] = at[EDGES]
    if not running(p, s):
        return DONE
    owner = int64(decides(p, s))
    if owner != 0:
        t, u, fan, others = int64(0), int64(0), int64(options(p, s)), int64(1)
        if not (b.nodes and 0 < owner <= 2 and fan > 0):
            return BAD_DECISION
    else:
        t, u = int64(table(p, s)), int64(second(p, s))
        if t < 0 or t >= tables or u < 0 or u >= tables:
            at[WRONG] = u if 0 <= t < tables else t
            return BAD_TABLE
        fan = rows.first[t + 1] - rows.first[t]
        others = rows.first[u + 1] - rows.first[u] if paired(p) else int64(1)
    at[WRONG] = fan * others
    if at[STATES] + fan * others >= g.table.shape[0] or at[EDGES] + fan * others > g.to.shape[0]:
        return NEED_ROOM
    g.owner[i] = owner
    g.table[i] = t
    g.second[i] = u
    turns = int64(0) if b.nodes == ALL_NODES else MOST_TURNS
    # The rules are called in one place only: they are inlined, and compiling them takes most of the time.
    for k in range(others):
        other = rows.result[rows.first[u] + k] if owner == 0 else int64(0)
        for row in range(fan):
            result = rows.result[rows.first[t] + row] if owner == 0 else row
            status = lead_to(p, moved(p, s, result, other, turns), g, b, at)
            if status != DONE:
                return status
    return DONE


@kernel
def grow(p, rows, g, b, at, pause):
    """Expand states in turn until all are done, room is short, `pause` edges were added or an error occurs."""
    # The arrays that it writes stay arguments: by their address Europa's land battles lose a third of the pace.
    p, rows, g, b = held(p), TableRows(*rows), Store(*g), StateBuffer(*b)
    stop = at[EDGES] + pause
    if at[STATES] == 0:
        if not within(p, load(p, b.fields, 1), b.limit):
            return BAD_FIELD
        pack(b, 1)
        find_or_add(g, b, at)
    while at[NEXT] < at[STATES]:
        if at[EDGES] >= stop:
            return PAUSED
        before = at[EDGES]
        status = follow(p, rows, g, b, at, at[NEXT])
        if status != DONE:
            at[EDGES] = before
            return status
        at[NEXT] += 1
    g.begin[at[STATES]] = at[EDGES]
    return DONE


@kernel
def rehash(g, states):
    """Enter the first states of a graph into its empty table."""
    g = Store(*g)
    for i in range(states):
        g.slots[slot_of(g.keys, i, g.keys.shape[0], g.slots, is_state, g)] = i + 1


SizeCheck = Callable[["CompiledExplorer"], None]


class CompiledExplorer:
    """Enumerates a chain by its compiled rules; `pause` is the number of edges between two returns to Python."""

    pause = PAUSE

    def __init__(
        self,
        chain: Chain,
        budget: int,
        decisions: bool = False,
        size_check: SizeCheck | None = None,
        room: int = 1 << 14,
    ) -> None:
        """`size_check(explorer)` is called regularly while the graph grows, and may raise NoExactOdds.

        `room`: states that there is room for at first; more cost nothing until they are used. With 1 << 11 graphs of
        8,000 states took 1.15 times as long, small ones as long.
        """
        self._size_check, self.looked_ahead, self.count_from = size_check, False, 0
        self.chain, self.budget = chain, budget
        wanted = ALL_NODES if decisions else BEST_NODES if chain.utilities is not None else NO_NODES
        self.nodes = wanted if chain.decided else NO_NODES
        layout = chain.layout
        bind_state(type(chain.params), type(chain.start))
        self.at, self._starts = np.zeros(4, np.int64), np.zeros(1, np.int64)
        self.store = self._new_store(room, 4 * room)
        self.buffer = StateBuffer(
            np.zeros((len(chain.start), 2), np.int64),
            np.zeros((layout.words, 1), np.uint64),
            *layout[:5],
            chain.counted,
            self.nodes,
        )
        self.buffer.fields[:, 1] = self._settled(chain.start)
        if chain.counted >= 0:
            self.buffer.fields[chain.counted, 1] = 0

    def _settled(self, start: Any) -> Any:
        """The state after the decisions that are due at the start and are no nodes."""
        return start if self.nodes == ALL_NODES else self.chain.settled(start, stop=self.nodes == BEST_NODES)

    def _new_store(self, states: int, edges: int) -> Store:
        words, counted = self.chain.layout.words, bool(self.chain.counters)
        return Store(
            np.empty((words, states), np.uint64),
            np.empty(states, np.int32),
            np.empty(states, np.int32),
            np.empty(states, np.int8),
            np.empty(states + 1, np.int64),
            np.empty(edges, np.int32),
            np.empty(edges if counted else 0, np.uint32),
            np.zeros(slots_for(states), np.int32),
        )

    def _begin_with(self, starts: np.ndarray) -> None:
        """Add all states that exploration begins with (rows of ints)."""
        chain, rows = self.chain, starts.astype(np.int64)
        if chain.decided:
            rows = np.array([self._settled(type(chain.start)._make(row)) for row in rows.tolist()], np.int64)
        fields = rows.T
        if chain.counted >= 0:
            fields[chain.counted] = 0
        wrong = (fields < 0) | (fields > self.buffer.limit[:, None])
        if wrong.any():
            self.buffer.fields[:, 1] = fields[:, int(wrong.any(axis=0).argmax())]
            raise self._wrong(BAD_FIELD)
        keys = packed(chain.layout, fields.T)
        keys, numbers = np.unique(keys, axis=1, return_inverse=True)
        self._starts = numbers.ravel()
        self.at[WRONG] = keys.shape[1]
        self._make_room()
        self.store.keys[:, : keys.shape[1]] = keys
        self.at[STATES] = keys.shape[1]
        rehash(tuple(self.store), keys.shape[1])

    def explore(self, progress: Any = None, starts: np.ndarray | None = None) -> Graph:
        """Explore the graph from `starts` (int64, shape (starts, fields)), or from the start of the chain.

        Raises NoExactOdds past the budget, BrokenGame for a game that breaks its contract.
        """
        chain, rows, asked = self.chain, tuple(self.chain.tables.rows), False
        if starts is not None:
            self._begin_with(starts)
        self.from_start = starts is None
        self._usual = starts is None and self.nodes == NO_NODES
        run = grow.of(chain.params)
        while (status := run(chain.params, rows, tuple(self.store), tuple(self.buffer), self.at, self.pause)) != DONE:
            if self.at[EDGES] > self.pause // 8 and self._usual and not asked:  # small chains are not looked up
                asked = True
                recall(chain, self.budget)
            self._check_budget()
            if status == NEED_ROOM:
                check_one_roll(chain, int(self.at[WRONG]), self.budget)
                self._make_room()
            elif status in {BAD_FIELD, BAD_TABLE, BAD_DECISION}:
                raise self._wrong(status)
            run = grow.of(chain.params)
            if progress:
                progress(int(self.at[STATES]))
        self._check_budget()
        return self._graph()

    @property
    def wide(self) -> bool:
        """Does a state have so many edges that interpreted code follows single edges sooner?"""
        return bool(self.at[EDGES] > WIDE * self.at[NEXT])

    def _check_budget(self) -> None:
        states, edges, done, _ = self.at.tolist()
        size = size_of(self.chain, states, edges)
        try:
            if size > self.budget:
                raise over_budget(self.chain, states, states - done, edges, self.budget)
            if self._size_check:
                self._size_check(self)
        except NoExactOdds as refusal:
            if edges > self.pause and self._usual:
                remember(self.chain, self.budget, str(refusal))
            raise

    def _make_room(self) -> None:
        """Room for the edges of one more state, and for the states that they may find."""
        g, states, edges = self.store, int(self.at[STATES]), int(self.at[EDGES])
        fan = int(self.at[WRONG]) + 1
        if edges + fan > len(g.to):
            # In place, since edges take most of the memory; in smaller steps once they are many.
            more = 2 * (edges + fan) if edges < MANY_EDGES else edges + edges // 4 + fan
            for array in (g.to, g.inc) if self.chain.counters else (g.to,):
                array.resize(more, refcheck=False)
        if 3 * (states + fan) > 2 * len(g.table):
            new = self._new_store(4 * (states + fan), 0)._replace(to=g.to, inc=g.inc)
            for source, target in zip(g[:5], new[:5], strict=True):
                target[..., : source.shape[-1]] = source
            self.store = new
            rehash(tuple(new), states)

    def _wrong(self, status: int) -> BrokenGame:
        """The error for this status."""
        chain, state = self.chain, self._graph().described(int(self.at[NEXT])) if self.at[STATES] else "the start"
        if status == BAD_DECISION:
            return BrokenGame(f"decides: no side, no options, or decisions without end; state {state}")
        if status == BAD_TABLE:
            return chain.tables.missing(int(self.at[WRONG]), state)
        return outside_limits(chain, self.buffer.fields[:, 1].tolist(), state)

    def states(self, first: int, end: int) -> list[Any]:
        """The states with these numbers, as plain ints."""
        fields = self._graph().states(slice(first, end))
        return list(map(type(fields)._make, np.column_stack(fields).tolist()))

    def _graph(self) -> Graph:
        (states, edges, *_), g, chain = self.at.tolist(), self.store, self.chain
        return Graph(
            chain,
            g.keys[:, :states],
            g.table[:states],
            g.second[:states] if chain.paired else None,
            g.owner[:states] if self.nodes else None,
            g.begin[: states + 1],
            g.to[:edges],
            g.inc[:edges] if chain.counters else None,
            self._starts,
        )
