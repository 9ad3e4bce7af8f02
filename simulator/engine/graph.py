"""The graph of a battle's distinct states, grown as far as it is needed, and chances pushed through it.

Each distinct state is stored once (open addressing over its packed key); an expanded state keeps the list of its
successors, one for each row of its chance table. Exact odds and the backward solver both stand on this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.chain import Chain
from simulator.engine.compiled import bind_state, inner, kernel, load, running, step, store, table
from simulator.engine.limits import EDGE_BUDGET, NoExactOdds
from simulator.engine.montecarlo import move, slot_of

DONE, NEED_ROOM, ENDLESS = 0, 1, 2
# Where `counters` keeps what.
STATES, EDGES, AT, FRONTIER, FILL = range(5)


class Store(NamedTuple):
    """States (fields x room), their packed keys, `open` (still running), table numbers and where their edges begin.

    `to` holds the successors; `slots` is the hash table from key to state number + 1; `mass` is the chance waiting in
    a running state or gathered in a final one; `frontier`, `following` and `queued` are the layer being pushed (final
    states count as queued). `found` and `packed` hold the states that have just been stepped to: most are known.
    """

    fields: np.ndarray
    key: np.ndarray
    open: np.ndarray
    table: np.ndarray
    begin: np.ndarray
    to: np.ndarray
    slots: np.ndarray
    mass: np.ndarray
    frontier: np.ndarray
    following: np.ndarray
    queued: np.ndarray
    found: np.ndarray
    packed: np.ndarray


@inner
def pack_found(g, row, layout):
    """Pack the state that stands at place `row` of `g.found`."""
    for w in range(g.packed.shape[0]):
        g.packed[w, row] = uint64(0)
    for f in range(g.found.shape[0]):
        g.packed[layout.word[f], row] |= uint64(uint32(g.found[f, row])) << layout.shift[f]


@inner
def find_or_add(p, g, counters, row):
    """Number of the packed state at place `row` of `g.found`: its own, or a new one."""
    words = g.packed.shape[0]
    slot = slot_of(g.packed, row, g.slots)
    if g.slots[slot, words] != 0:
        return int64(g.slots[slot, words]) - 1
    i = counters[STATES]
    for w in range(words):
        g.key[w, i] = g.packed[w, row]
        g.slots[slot, w] = g.packed[w, row]
    g.slots[slot, words] = uint64(i + 1)
    for f in range(g.found.shape[0]):
        g.fields[f, i] = g.found[f, row]
    g.open[i] = running(p, load(p, g.found, row))
    g.mass[i] = 0.0
    g.queued[i] = 0 if g.open[i] else 1
    g.table[i] = -1
    counters[STATES] = i + 1
    return i


@inner
def has_room(g, counters, fan):
    """Is there space for `fan` more states and edges, with the hash table at most half full?"""
    states = counters[STATES] + fan + 1
    return states <= g.open.shape[0] and 2 * states <= g.slots.shape[0] and counters[EDGES] + fan <= g.to.shape[0]


@inner
def expand(p, rows, g, counters, i, layout):
    """List the successors of state `i`; False if there is no room for them."""
    s = load(p, g.fields, i)
    t = table(p, s)
    fan = rows.first[t + 1] - rows.first[t]
    if not has_room(g, counters, fan):
        return False
    g.table[i] = t
    g.begin[i] = counters[EDGES]
    for row in range(fan):
        store(p, g.found, row, step(p, s, rows.result[rows.first[t] + row]))
        pack_found(g, row, layout)
    # A loop of its own: look-ups miss the cache, and several can be under way at once.
    for row in range(fan):
        g.to[g.begin[i] + row] = find_or_add(p, g, counters, row)
    counters[EDGES] += fan
    return True


@inner
def push(rows, g, i, fill):
    """Hand the mass of state `i` to its successors, a loop back to itself summed up; returns the following fill.

    A state that can only return to itself would never end: returns -1.
    """
    t = g.table[i]
    first, fan = rows.first[t], rows.first[t + 1] - rows.first[t]
    stay = 0.0
    for row in range(fan):
        if g.to[g.begin[i] + row] == i:
            stay += rows.weight[first + row]
    if stay > 1.0 - 1e-12:
        return -1
    mass = g.mass[i] / (1.0 - stay)
    g.mass[i] = 0.0
    for row in range(fan):
        j = g.to[g.begin[i] + row]
        if j != i:
            g.mass[j] += mass * rows.weight[first + row]
            if g.queued[j] == 0:
                g.queued[j] = 1
                g.following[fill] = j
                fill += 1
    return fill


@inner
def begin(p, g, counters, layout):
    """Number the start state, which stands in `g.found`, and put the whole chance on it."""
    pack_found(g, 0, layout)
    find_or_add(p, g, counters, 0)
    g.mass[0] = 1.0
    if g.open[0]:
        g.frontier[0] = 0
        g.queued[0] = 1
        counters[FRONTIER] = 1


@kernel
def spread(p, rows, g, counters, tolerance, layout):
    """Push the mass of the frontier layer by layer until less than `tolerance` still runs.

    Returns DONE, NEED_ROOM (grow the store and call again) or ENDLESS (a state that never changes).
    """
    if counters[STATES] == 0:
        begin(p, g, counters, layout)
    while True:
        fill = counters[FILL]
        while counters[AT] < counters[FRONTIER]:
            i = g.frontier[counters[AT]]
            if g.table[i] < 0 and not expand(p, rows, g, counters, i, layout):
                counters[FILL] = fill
                return NEED_ROOM
            g.queued[i] = 0
            fill = push(rows, g, i, fill)
            if fill < 0:
                return ENDLESS
            counters[AT] += 1
        left = 0.0
        for i in range(fill):
            g.frontier[i] = g.following[i]
            left += g.mass[g.following[i]]
        counters[FRONTIER] = fill
        counters[AT] = 0
        counters[FILL] = 0
        if left < tolerance:
            return DONE


@kernel
def explore(p, rows, g, counters, layout):
    """Expand every state that can be reached. Returns DONE or NEED_ROOM."""
    if counters[STATES] == 0:
        begin(p, g, counters, layout)
    while counters[AT] < counters[STATES]:
        i = counters[AT]
        if g.open[i] and g.table[i] < 0 and not expand(p, rows, g, counters, i, layout):
            return NEED_ROOM
        counters[AT] += 1
    return DONE


@dataclass
class Graph:
    """The states of one chain, grown on demand up to a budget of edges."""

    chain: Chain
    budget: int = EDGE_BUDGET
    room: int = 1 << 11
    counters: np.ndarray = field(default_factory=lambda: np.zeros(5, np.int64))

    def __post_init__(self) -> None:
        self._layout = self.chain.layout()
        self._fan = int(np.diff(self.chain.tables.first).max())
        bind_state(type(self.chain.params), type(self.chain.start))
        self.store = self._new_store(self.room, 4 * self.room)
        self.store.found[:, 0] = self.chain.start

    def _new_store(self, states: int, edges: int) -> Store:
        words, fields = self._layout.words, len(self.chain.start)
        return Store(
            # A few columns more: rows a power of two apart would fight for the same lines of the cache.
            fields=np.empty((fields, states + 24), np.int32),
            key=np.empty((words, states), np.uint64),
            open=np.empty(states, np.bool_),
            table=np.empty(states, np.int32),
            begin=np.empty(states, np.int64),
            to=np.empty(edges, np.int32),
            slots=np.zeros((2 * states, words + 1), np.uint64),
            mass=np.empty(states, np.float64),
            frontier=np.empty(states, np.int32),
            following=np.empty(states, np.int32),
            queued=np.empty(states, np.int8),
            found=np.empty((fields, self._fan + 24), np.int32),
            packed=np.empty((words, self._fan), np.uint64),
        )

    def _grow(self) -> None:
        """Make room, or raise NoExactOdds past the budget."""
        states, edges = int(self.counters[STATES]), int(self.counters[EDGES])
        if max(edges, states) > self.budget:
            raise NoExactOdds(
                f"more than {states:,} states and {edges:,} transitions, past the budget of {self.budget:,}"
            )
        largest, old = self._fan, self.store
        more_states = len(old.open) * (4 if 4 * (states + largest) > len(old.open) else 1)
        more_edges = len(old.to) * (4 if 2 * (edges + largest) > len(old.to) else 1)
        # The hash table is masked: its size, twice the room for states, must be a power of two.
        room = 1 << (max(more_states, 2 * (states + largest)) - 1).bit_length()
        # No more room for edges than the budget allows, so that the next growth past it is refused.
        new = self._new_store(room, min(max(more_edges, 2 * (edges + largest)), self.budget + largest + 1))
        for name in (
            "fields",
            "key",
            "open",
            "table",
            "begin",
            "to",
            "mass",
            "frontier",
            "following",
            "queued",
        ):
            source, target = getattr(old, name), getattr(new, name)
            target[..., : source.shape[-1]] = source
        move(np.ascontiguousarray(new.key[:, :states]), np.arange(1, states + 1, dtype=np.uint64), new.slots)
        self.store = new

    def spread(self, tolerance: float) -> float:
        """Push the whole chance to the final states; returns the chance that still ran when it stopped.

        Raises NoExactOdds past the budget, ValueError for a battle that can never end.
        """
        params, rows = self.chain.params, self.chain.tables.rows
        run = spread.of(params)
        while (status := run(params, rows, self.store, self.counters, tolerance, self._layout)) == NEED_ROOM:
            self._grow()
        if status == ENDLESS:
            raise ValueError("this battle can reach a state that never changes")
        waiting = self.store.frontier[: self.counters[FRONTIER]]
        return float(self.store.mass[waiting].sum())

    def explore(self) -> None:
        """Expand every reachable state. Raises NoExactOdds past the budget."""
        params, rows = self.chain.params, self.chain.tables.rows
        self.counters[AT] = 0
        run = explore.of(params)
        while run(params, rows, self.store, self.counters, self._layout) == NEED_ROOM:
            self._grow()

    @property
    def size(self) -> int:
        """Number of distinct states seen."""
        return int(self.counters[STATES])

    def states(self, which: Any = slice(None)) -> Any:
        """The states (or those selected) as a State of int64 arrays; checks that none left its limits."""
        fields = self.store.fields[:, : self.size].astype(np.int64)
        for name, values, limit in zip(self.chain.start._fields, fields, self.chain.limits, strict=True):
            if values.min() < 0 or values.max() > max(1, limit):
                raise AssertionError(f"{name} left its limits: {values.min()} to {values.max()}, not 0 to {limit}")
        return type(self.chain.start)(*(values[which] for values in fields))
