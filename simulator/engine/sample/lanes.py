"""The lanes of a walk: a few hundred battles side by side, each with its own random stream, counted as they end.

A finished lane is counted and takes the next battle. The lane, thread and batch of a battle do not matter, since its
numbers depend on (seed, battle index) alone. Walks differ in what a lane holds and in how all lanes advance together:
`rule_walk`, `node_walk`, `lazy_walk`, `grid_walk`. The tally maps final states or nodes to counts, so that memory does
not grow with the number of battles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64

from simulator.engine.jit.kernels import inner, kernel, outlined
from simulator.engine.jit.state_table import hash_of
from simulator.engine.model import streams
from simulator.engine.model.status import DONE, FULL, PAUSED

# Measured, Risk 20 v 15, CPU time of a battle: 512 lanes, refilled when a quarter are idle, 18.9 ns; 256 lanes 19.8,
# 2048 lanes 18.9; refilled when a third are idle 19.1, an eighth 19.7.
LANES = 512
IDLE_SHARE = 4
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


def new_lanes(position: Any = np.uint32, begin: np.ndarray | None = None, layout: Any = None) -> Lanes:
    """Empty lanes; `position` is the dtype of `at`.

    A walk by the rules also gives `begin`, the fields of the start (int32 or int64, shape (fields,)), and `layout`: the
    number of words of a packed state, and the word (int64) and shift (uint64) of each field, both of shape (fields,).
    """
    high, low, was, row, other, width = np.zeros((6, LANES), np.uint32)
    held, key = np.zeros((2, LANES), np.uint64)
    at, ended = np.zeros(LANES, position), np.zeros(LANES + 1, np.int32)
    fields = np.zeros(0, np.int64) if begin is None else begin
    words, word, shift = layout or (1, np.zeros(0, np.int64), np.zeros(0, np.uint64))
    packed, room = np.zeros((words, LANES), np.uint64), np.zeros((len(fields), LANES), fields.dtype)
    return Lanes(at, held, key, high, low, was, row, other, width, ended, packed, room, fields, word, shift)


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


@inner
def slot_in(table, code, keys, i, words):
    """The slot of packed state `i` (keys: words x states), whose hash is `code`, in a table of states and their values.

    The table has shape (slots, words + 1); the value 0 marks a free slot. State and value are adjacent, so that a
    look-up costs one cache miss.
    """
    last = uint64(table.shape[0] - 1)
    slot = code & last
    while table[slot, words] != 0:
        same = True
        for w in range(words):
            same = same and table[slot, w] == keys[w, i]
        if same:
            break
        slot = (slot + uint64(1)) & last
    return slot


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
def find_ended(at, mask, final, ends, ended):
    """List the lanes with a finished battle that is not counted yet, without a branch; returns their number."""
    # Numbers below `final` become huge ones: one comparison of unsigned numbers instead of two.
    found = 0
    for lane in range(at.shape[0]):
        ended[found] = lane
        found += int64(uint64(at[lane] & mask) - uint64(final) < uint64(ends))
    return found


@outlined
def count_alive(at):
    """The number of running battles of a walk on nodes."""
    alive = int64(0)
    for lane in range(at.shape[0]):
        alive += int64((at[lane] & FINAL) == 0)
    return alive


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
def count_ended(w, found, idle, tally, words):
    """Add the final states of the listed lanes to the tally, and make these lanes idle; returns the new states."""
    if w.fields.shape[0] > 0:
        pack(w.fields, w.ended, found, w.word, w.shift, w.packed)
    else:
        for i in range(found):
            w.packed[0, i] = uint64(w.at[w.ended[i]]) | w.held[w.ended[i]] << uint64(COUNT)
    fresh = 0
    for i in range(found):
        slot = slot_in(tally, hash_of(w.packed, i, words), w.packed, i, words)
        fresh += int64(tally[slot, words] == 0)
        put(tally, slot, w.packed, i, words, tally[slot, words] + uint64(1))
        w.at[w.ended[i]] = idle
    return fresh


@inner
def begin_battles(w, start, order, first, fresh):
    """Start battles `first` .. `first + fresh - 1` of the order in the first listed lanes."""
    for i in range(fresh):
        w.key[w.ended[i]] = battle_key(order.seed, uint64(order.battle + first + i))
        w.at[w.ended[i]] = start
        w.held[w.ended[i]] = 0
    for f in range(w.fields.shape[0]):
        for i in range(fresh):
            w.fields[f, w.ended[i]] = w.begin[f]


@inner
def begin(task, at):
    """Start the first battles of an order."""
    w = task.lanes
    for lane in range(w.at.shape[0]):
        w.at[lane] = task.positions.idle
        w.key[lane] = uint64(0)
        w.ended[lane] = lane
        for f in range(w.fields.shape[0]):
            w.fields[f, lane] = w.begin[f]
    at[STARTED] = min(task.order.battles, w.at.shape[0])
    begin_battles(w, task.positions.start, task.order, 0, at[STARTED])


@inner
def exchange_if_due(task, at, words):
    """If many lanes are idle, count finished battles and start others: DONE, FULL, or PAUSED to continue.

    `words` are those of a packed state; as a constant 1 they make counting twice as fast.
    """
    w, order, ends = task.lanes, task.order, task.positions
    width, waiting = w.at.shape[0], at[STARTED] < order.battles
    if at[ALIVE] > 0 and not (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
        return int64(PAUSED)
    found = find_ended(w.at, ends.mask, ends.final, ends.ends, w.ended)
    if 3 * (at[USED] + found) > 2 * task.tally.shape[0]:
        return int64(FULL)
    at[USED] += count_ended(w, found, ends.idle, task.tally, words)
    at[COUNTED] += found
    if found > 0:
        at[ROLLS] = 0
    if at[COUNTED] == order.battles:
        return int64(DONE)
    fresh = min(found, order.battles - at[STARTED])
    begin_battles(w, ends.start, order, at[STARTED], fresh)
    at[STARTED] += fresh
    return int64(PAUSED)
