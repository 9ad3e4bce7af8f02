"""The lanes of a walk: a few hundred battles side by side, each with its own random stream, counted as they end.

A finished lane is counted and takes the next battle. The lane, thread and batch of a battle do not matter, since its
numbers depend on (seed, battle index) alone. Walks differ in what a lane holds and in how all lanes advance together:
`rule_walk`, `node_walk`, `lazy_walk`. The tally maps final states or nodes to counts, so that memory does
not grow with the number of battles.
"""

from __future__ import annotations

from types import FunctionType
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.jit.kernels import Kernel, inner, kernel, outlined
from simulator.engine.jit.state_table import hash_of, slot_from
from simulator.engine.jit.vectors import find_lanes
from simulator.engine.model import streams
from simulator.engine.model.status import DONE, ENDLESS, FULL, NEED_ROOM, PAST_BUDGET, PAUSED

# A multiple of sixteen. Measured, CPU time of a battle, refilled when a sixteenth are idle: Risk 20 v 15 8.8 ns, 400 v
# 380 602 ns; a quarter 9.3 and 610, an eighth 9.0 and 602, any 9.0 and 642. 1,024 lanes: no difference.
LANES = 512
IDLE_SHARE = 16
# Rolls of all lanes between two returns to Python: a few hundredths of a second.
SLICE = 1 << 12
# The entries of `at`, the progress of an order: battles started and counted, running lanes, rolls since a battle ended,
# lanes on unexplored edges; and the states in the tally, over all orders.
STARTED, COUNTED, ALIVE, ROLLS, LOST, USED = range(6)
PLACES = USED + 1
# The position of a lane: a node in the low bits, FINAL beside it if the battle is over. The counter stands above them.
NODE_BITS = 22
NODE = (1 << NODE_BITS) - 1
FINAL = 1 << NODE_BITS
MASK = NODE | FINAL
COUNT = NODE_BITS + 1

mix = inner(streams.mix)


@inner
def battle_key(seed, battle):
    """`streams.battle_key`, compiled."""
    return mix(mix(battle) + mix(seed ^ streams.SEED_SALT))


class Order(NamedTuple):
    """A batch of battles: the seed, the index of the first battle, and their number."""

    seed: np.uint64
    battle: int
    battles: int


class Lanes(NamedTuple):
    """The lanes of one thread.

    - Of each battle: its position, its counter, the key of its stream, and the halves of its last number.
    - Buffers of look-ups: the previous position, and results; `ended` lists lanes; `packed` (words x lanes) final
      states.
    - Of a walk by the rules: the fields of states (fields x lanes), those of the start, and how states are packed.
    - Of a walk on own tables: `direct` counts the battles that ended in the first positions; others have an empty one.
    """

    at: np.ndarray
    held: np.ndarray
    key: np.ndarray
    high: np.ndarray
    low: np.ndarray
    was: np.ndarray
    row: np.ndarray
    other: np.ndarray
    width: np.ndarray
    ended: np.ndarray
    packed: np.ndarray
    fields: np.ndarray
    begin: np.ndarray
    word: np.ndarray
    shift: np.ndarray
    direct: np.ndarray


def new_lanes(begin: np.ndarray | None = None, layout: Any = None, direct: int = 0) -> Lanes:
    """Empty lanes. `direct` is the number of positions that are counted without a search in the tally.

    A walk by the rules also gives `begin`, the fields of the start (int32 or int64, shape (fields,)), and `layout`: the
    number of words of a packed state, and the word (int64) and shift (uint64) of each field, both of shape (fields,).
    """
    at, high, low, was, row, other, width = np.zeros((7, LANES), np.uint32)
    held, key = np.zeros((2, LANES), np.uint64)
    ended, counts = np.zeros(LANES + 1, np.uint32), np.zeros(direct, np.uint64)
    fields = np.zeros(0, np.int64) if begin is None else begin
    words, word, shift = layout or (1, np.zeros(0, np.int64), np.zeros(0, np.uint64))
    packed, room = np.zeros((words, LANES), np.uint64), np.zeros((len(fields), LANES), fields.dtype)
    return Lanes(at, held, key, high, low, was, row, other, width, ended, packed, room, fields, word, shift, counts)


class Positions(NamedTuple):
    """The position in which battles start. A battle is over where `mask` leaves one of `ends` numbers from `final` on.

    Lanes without a battle stand at `idle`, which is none of them.
    """

    start: np.uint64
    mask: np.uint64 = np.uint64(MASK)
    final: np.uint64 = np.uint64(FINAL + 1)
    ends: np.uint64 = np.uint64(NODE)
    idle: np.uint64 = np.uint64(FINAL)


class Task(NamedTuple):
    """The work of a kernel: an order, the positions of battles, the lanes, and the tally (a table of `slot_in`)."""

    order: Any
    positions: Any
    lanes: Any
    tally: np.ndarray


@outlined
def next_words(key, high, low):
    """The next number of every stream, in two halves."""
    for lane in range(key.shape[0]):
        key[lane] += streams.GAMMA
        word = mix(key[lane])
        high[lane] = uint32(word >> streams.HIGH)
        low[lane] = uint32(word)


@inner
def same_state(table, slot, keys, i):
    """Is packed state `i` that in this slot?"""
    same = True
    for w in range(keys.shape[0]):
        same = same and table[slot, w] == keys[w, i]
    return same


@inner
def slot_in(table, code, keys, i, words):
    """The slot of packed state `i` (keys: words x states), whose hash is `code`, in a table of states and their values.

    The table has shape (slots, words + 1); the value 0 marks a free slot. State and value are adjacent, so that a
    look-up costs one cache miss.
    """
    return slot_from(code, keys, i, table[:, words], same_state, table)


@inner
def put(table, slot, keys, i, words, value):
    """Write packed state `i` and its value into a slot."""
    for w in range(words):
        table[slot, w] = keys[w, i]
    table[slot, words] = value


@kernel
def enter(table, keys, values):
    """Put packed states (words x states) and their values into a table."""
    words = keys.shape[0]
    for i in range(len(values)):
        put(table, slot_in(table, hash_of(keys, i, words), keys, i, words), keys, i, words, values[i])


@outlined
def pack(fields, chosen, found, word, shift, packed):
    """Pack the first `found` of the `chosen` states of the field arrays into `packed`, field by field."""
    for w in range(packed.shape[0]):
        for i in range(found):
            packed[w, i] = uint64(0)
    for f in range(fields.shape[0]):
        for i in range(found):
            packed[word[f], i] |= uint64(fields[f, chosen[i]]) << shift[f]


@inner
def count_ended(w, found, tally, words):
    """Add the final states of the listed lanes to the tally; returns the new states."""
    if w.fields.shape[0] > 0:
        pack(w.fields, w.ended, found, w.word, w.shift, w.packed)
    fresh, direct = 0, uint64(w.direct.shape[0])
    for i in range(found):
        if w.fields.shape[0] == 0:
            position = uint64(w.at[w.ended[i]]) | w.held[w.ended[i]] << uint64(COUNT)
            if position < direct:
                w.direct[position] += uint64(1)
                continue
            w.packed[0, i], w.held[w.ended[i]] = position, 0
        slot = slot_in(tally, hash_of(w.packed, i, words), w.packed, i, words)
        fresh += int64(tally[slot, words] == 0)
        put(tally, slot, w.packed, i, words, tally[slot, words] + uint64(1))
    return fresh


@outlined
def new_keys(packed, seed, first, fresh):
    """Write the keys of battles `first` .. `first + fresh - 1` into the first row; LLVM vectorises this loop."""
    for i in range(fresh):
        packed[0, i] = battle_key(seed, first + uint64(i))


@inner
def begin_battles(w, start, order, first, fresh):
    """Start battles `first` .. `first + fresh - 1` of the order in the first listed lanes."""
    new_keys(w.packed, order.seed, uint64(order.battle + first), fresh)
    for i in range(fresh):
        w.key[w.ended[i]] = w.packed[0, i]
        w.at[w.ended[i]] = start
    for f in range(w.fields.shape[0]):
        for i in range(fresh):
            w.fields[f, w.ended[i]] = w.begin[f]


@inner
def begin(task, at):
    """Start the first battles of an order."""
    w = task.lanes
    for lane in range(w.at.shape[0]):
        w.at[lane] = task.positions.idle
        w.held[lane] = 0
        w.ended[lane] = lane
        for f in range(w.fields.shape[0]):
            w.fields[f, lane] = w.begin[f]
    at[STARTED] = min(task.order.battles, w.at.shape[0])
    begin_battles(w, task.positions.start, task.order, 0, at[STARTED])


@inner
def exchange_if_due(task, at, words):
    """If many lanes are idle, count finished battles and start others: DONE, FULL, or PAUSED to continue.

    `words` are those of a packed state.
    """
    w, order, ends = task.lanes, task.order, task.positions
    width, waiting = w.at.shape[0], at[STARTED] < order.battles
    found = find_lanes(w.at, (ends.mask, ends.final, ends.ends), w.ended)
    at[ALIVE] = at[STARTED] - at[COUNTED] - found
    if at[ALIVE] > 0 and not (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
        return int64(PAUSED)
    if 3 * (at[USED] + found) > 2 * task.tally.shape[0]:
        return int64(FULL)
    at[USED] += count_ended(w, found, task.tally, words)
    at[COUNTED] += found
    if found > 0:
        at[ROLLS] = 0
    if at[COUNTED] == order.battles:
        return int64(DONE)
    fresh = min(found, order.battles - at[STARTED])
    begin_battles(w, ends.start, order, at[STARTED], fresh)
    for i in range(fresh, found):
        w.at[w.ended[i]] = ends.idle
    at[STARTED] += fresh
    return int64(PAUSED)


@inner
def exchange_positions(task, at):
    """`exchange_if_due` where a final state is a position, of one word: a constant halves the time of counting."""
    return exchange_if_due(task, at, 1)


def advance_lanes(p, data, w, at):
    """A roll of every lane: DONE, or the status for the caller of `fight`; `walk_kernel` replaces it.

    While `at[LOST]` is not 0, the roll is not finished.
    """
    raise NotImplementedError


def fight(p, data, task, at, most):
    """Simulate the ordered battles and add their final states to the tally.

    Returns DONE, regularly PAUSED (call again), FULL (call again with a larger tally), ENDLESS if no battle ended in
    `most` rolls, or a status of `advance_lanes`: NEED_ROOM (call again with larger arrays in `data`) or an error.
    """
    # Read once, before the loop: inside it this would cost an eighth of the pace.
    w = task.lanes
    if at[STARTED] == 0:
        begin(task, at)
    for _ in range(SLICE):
        if at[LOST] == 0:
            status = exchange_positions(task, at)
            if status != PAUSED:
                return status
        status = advance_lanes(p, data, w, at)
        if status != DONE:
            return status
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


def walk_kernel(name: str, advance: Any, exchange: Any = exchange_positions) -> Kernel:
    """`fight` as a kernel of this name, with these functions as `advance_lanes` and `exchange_positions`."""
    scope = globals() | {"advance_lanes": advance, "exchange_positions": exchange}
    linked = FunctionType(fight.__code__, scope, name)
    linked.__qualname__ = name
    return kernel(linked)


def enlarged(table: np.ndarray, factor: int) -> np.ndarray:
    """The same hash table of states with `factor` times the slots: uint64, shape (slots, words + 1).

    A row holds the packed state and its number of battles, which is 0 in a free slot.
    """
    held, larger = table[table[:, -1] > 0], np.zeros((factor * len(table), table.shape[1]), np.uint64)
    enter(larger, np.ascontiguousarray(held[:, :-1].T), np.ascontiguousarray(held[:, -1]))
    return larger


class Walk:
    """Simulates orders of battles in the lanes of one thread, one order after the other."""

    # A walk that does not pay simulates no more orders; one that may give up an order can return PAST_BUDGET.
    pays = True
    may_give_up = False
    # The list that keeps the walk for later simulations of its chain; None for a walk that is not kept.
    shelf: list[Walk] | None = None

    def __init__(self, lanes: Lanes, positions: Positions) -> None:
        self._lanes, self._positions = lanes, Positions(*map(lanes.at.dtype.type, positions))
        self._at = np.zeros(PLACES, np.int64)
        self._tally = self._new_tally()

    def _new_tally(self) -> np.ndarray:
        return np.zeros((4 * LANES, len(self._lanes.packed) + 1), np.uint64)

    def begin(self, order: Order) -> None:
        """Take this order."""
        self.order = order
        self._at[:USED] = 0
        self._before = (self._tally.copy(), int(self._at[USED])) if self.may_give_up else None

    def fight(self, most: int) -> int:
        """Continue the order: DONE, PAUSED (call again), BROKEN, PAST_BUDGET, or ENDLESS (no end in `most` rolls).

        Raises BrokenGame for some errors of a game.
        """
        while True:
            status = self._run(Task(self.order, self._positions, self._lanes, self._tally), most)
            if status == FULL:
                self._tally = enlarged(self._tally, 4)
            elif status != NEED_ROOM:
                return status
            elif not self._make_room():
                return PAST_BUDGET

    def give_up(self) -> None:
        """Forget the battles of the current order."""
        assert self._before is not None
        self._tally, self._at[USED] = self._before

    def counts(self) -> np.ndarray:
        """Final states and the number of battles that ended in each: uint64, shape (states, words + 1).

        The last column is the number of battles, the others are the words of the state. Starts a new tally.

        States of a graph are `graph_tables.graph_words`; others are packed, with counters as fields.
        """
        direct, held = self._lanes.direct, self._tally[self._tally[:, -1] > 0]
        ended = np.flatnonzero(direct).astype(np.uint64)
        if len(ended):
            held = np.concatenate([held, np.column_stack([ended, direct[ended]])])
            direct[:] = 0
        self._tally, self._at[USED] = self._new_tally(), 0
        return np.column_stack([self._words_of(held[:, :-1]), held[:, -1]])

    def _run(self, task: Task, most: int) -> int:
        raise NotImplementedError

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        """The words of final states (states x words, uint64), given those that the tally holds."""
        raise NotImplementedError

    def _make_room(self) -> bool:
        """Enlarge the arrays that are too small; False past the budget."""
        raise NotImplementedError
