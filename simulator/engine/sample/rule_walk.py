"""The walk by the rules: lanes of battles, each with its own random stream, counted as they end.

A batch of battles runs in a few hundred lanes; a finished lane is counted and takes the next battle. The lane, thread
and batch of a battle do not matter, since its numbers depend on (seed, battle index) alone. The tally maps packed final
states to counts, so that memory does not grow with the number of battles.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, uint32, uint64

from simulator.engine.jit.kernels import (
    absorbing,
    inner,
    kernel,
    load,
    moved,
    outlined,
    paired,
    running,
    second,
    store,
    table,
    within,
)
from simulator.engine.model import streams
from simulator.engine.model.chain import MOST_TURNS
from simulator.engine.model.status import BROKEN, DONE, ENDLESS, FULL, PAUSED

# Measured, Risk 20 v 15, CPU time of a battle: 512 lanes, refilled when a quarter are idle, 18.9 ns; 256 lanes 19.8,
# 2048 lanes 18.9; refilled when a third are idle 19.1, an eighth 19.7.
LANES = 512
IDLE_SHARE = 4
# Rolls of all lanes between two returns to Python: a few hundredths of a second.
SLICE = 1 << 12
# The entries of `at`: battles started and counted, running lanes, rolls since a battle ended, states in the tally.
STARTED, COUNTED, ALIVE, ROLLS, USED = range(5)

_GAMMA = streams.GAMMA
_HIGH = streams.HIGH
mix = inner(streams.mix)


@inner
def battle_key(seed, battle):
    """`streams.battle_key`, compiled."""
    return mix(mix(battle) + mix(seed ^ streams.SEED_SALT))


class Lanes(NamedTuple):
    """Buffers of one thread: state fields (fields x lanes), stream keys, busy marks, a list of lane numbers.

    `packed` holds the packed state of each lane (words x lanes).
    """

    fields: np.ndarray
    key: np.ndarray
    busy: np.ndarray
    ended: np.ndarray
    packed: np.ndarray


class Order(NamedTuple):
    """A batch of battles: the seed, the index of the first battle, and their number."""

    seed: np.uint64
    battle: int
    battles: int


class Work(NamedTuple):
    """The work of one thread: the order, its lanes, the layout of packed states, and the tally."""

    order: Any
    lanes: Any
    layout: Any
    tally: Any


@inner
def drawn(t, number, bits, entry):
    """The result that a 32-bit number draws from table `t`."""
    # Unsigned indices and one packed gather: with signed indices and three arrays the loop took twice as long.
    e = entry[(uint64(t) << uint64(bits)) + uint64(number >> uint32(32 - bits))]
    first = uint32(number << uint32(bits)) < uint32(e)
    return int64((e >> uint64(32)) & uint64(0xFFFF)) if first else int64(e >> uint64(48))


@inner
def there(p, t, bits, entry):
    """The table, or table 0 for a missing one, which `astray` reports."""
    return t if absorbing(p) or uint64(t) < uint64(entry.shape[0]) >> uint64(bits) else int64(0)


@inner
def advance(p, s, number, other, bits, entry):
    """One step of one battle with a 32-bit number, and with `other` for the second of two independent rolls.

    A final state does not change.
    """
    go = absorbing(p) or running(p, s)
    t = there(p, table(p, s), bits, entry) if go else int64(0)
    u = there(p, second(p, s), bits, entry) if go and paired(p) else int64(0)
    result = drawn(t, number, bits, entry)
    beside = drawn(u, other, bits, entry) if paired(p) else int64(0)
    return moved(p, s, result, beside, MOST_TURNS) if go else s


@inner
def astray(p, s, bits, entry, limit):
    """1 for a state outside its limits, or with a missing table."""
    if absorbing(p):
        return int32(0)
    tables = uint64(entry.shape[0]) >> uint64(bits)
    if not within(p, s, limit):
        return int32(1)
    if not running(p, s):
        return int32(0)
    return int32(uint64(table(p, s)) >= tables) | int32(uint64(second(p, s)) >= tables)


@outlined
def roll(p, fields, keys, bits, entry, limit):
    """Two steps of every lane, or one of two rolls; returns the number of running battles, -1 for an invalid state.

    LLVM vectorises this loop if possible. The arrays are separate arguments, since only plain array arguments are known
    not to alias.
    """
    alive, wrong = int32(0), int32(0)
    for lane in range(fields.shape[1]):
        keys[lane] += _GAMMA
        word = mix(keys[lane])
        s = load(p, fields, lane)
        for half in range(1 if paired(p) else 2):
            number = uint32(word >> _HIGH) if half == 0 else uint32(word)
            after = advance(p, s, number, uint32(word), bits, entry)
            bad = astray(p, after, bits, entry, limit)
            # No rule gets an invalid state: it might read any place in memory.
            s = s if bad else after
            wrong |= bad
        store(p, fields, lane, s)
        alive += int32(bool(running(p, s)))
    return int32(-1) if wrong else alive


@outlined
def find_ended(p, fields, busy, ended):
    """List the lanes with a finished battle, without a branch; returns their number."""
    found = 0
    for lane in range(busy.shape[0]):
        ended[found] = lane
        found += int64(busy[lane]) * (1 - int64(bool(running(p, load(p, fields, lane)))))
    return found


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
def slot_of(packed, i, words, slots):
    """The slot of packed state `i` in an open-addressing table: its own, or a free one.

    `slots` (a power of two of slots x words + 1) holds packed states, each followed by its value; the value 0 marks a
    free slot. State and value are adjacent, so that they cost one cache miss.
    """
    code = uint64(0)
    for w in range(words):
        # States that differ only in high bits must differ in the low bits of the hash, which select the slot.
        code ^= packed[w, i]
        code = (code ^ code >> _HIGH) * _GAMMA
        code ^= code >> _HIGH
    mask = uint64(slots.shape[0] - 1)
    slot = code & mask
    while slots[slot, words] != 0:
        same = True
        for w in range(words):
            same = same and slots[slot, w] == packed[w, i]
        if same:
            break
        slot = (slot + uint64(1)) & mask
    return slot


@inner
def count_ended(p, lanes, found, layout, tally):
    """Add the final states of the listed lanes to the tally, a table of `slot_of`; returns the number of new ones."""
    pack(lanes.fields, lanes.ended, found, layout.word, layout.shift, lanes.packed)
    # A state of a graph is one word; as a constant this makes counting twice as fast.
    words = 1 if absorbing(p) else lanes.packed.shape[0]
    fresh = 0
    for i in range(found):
        slot = slot_of(lanes.packed, i, words, tally)
        fresh += int64(tally[slot, words] == 0)
        for w in range(words):
            tally[slot, w] = lanes.packed[w, i]
        tally[slot, words] += uint64(1)
        lanes.busy[lanes.ended[i]] = 0
    return fresh


@inner
def refill(lanes, start, seed, battle, fresh):
    """Start battles `battle` .. `battle + fresh - 1` in the first listed lanes."""
    for i in range(fresh):
        lanes.key[lanes.ended[i]] = battle_key(seed, uint64(battle) + uint64(i))
        lanes.busy[lanes.ended[i]] = 1
    for f in range(start.shape[0]):
        for i in range(fresh):
            lanes.fields[f, lanes.ended[i]] = start[f]


@inner
def idle_lanes(lanes, start):
    """Put the start state into every lane, without a battle, and list all lanes."""
    for lane in range(lanes.key.shape[0]):
        lanes.ended[lane] = lane
        lanes.busy[lane] = 0
        lanes.key[lane] = uint64(0)
        for f in range(start.shape[0]):
            lanes.fields[f, lane] = start[f]


@kernel
def fight(p, start, alias, work, at, most):
    """Simulate the ordered battles and add their final states to the tally.

    Returns DONE, regularly PAUSED (call again), FULL (call again with a larger tally), BROKEN, or ENDLESS if no battle
    ended in `most` rolls.
    """
    order, lanes, layout = work.order, work.lanes, work.layout
    width = lanes.key.shape[0]
    if at[STARTED] == 0:
        idle_lanes(lanes, start)
        at[STARTED] = min(order.battles, width)
        refill(lanes, start, order.seed, order.battle, at[STARTED])
    for _ in range(SLICE):
        waiting = at[STARTED] < order.battles
        if at[ALIVE] == 0 or (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
            found = find_ended(p, lanes.fields, lanes.busy, lanes.ended)
            if 3 * (at[USED] + found) > 2 * work.tally.shape[0]:
                return FULL
            at[USED] += count_ended(p, lanes, found, layout, work.tally)
            at[COUNTED] += found
            if found > 0:
                at[ROLLS] = 0
            if at[COUNTED] == order.battles:
                return DONE
            fresh = min(found, order.battles - at[STARTED])
            refill(lanes, start, order.seed, order.battle + at[STARTED], fresh)
            at[STARTED] += fresh
        at[ALIVE] = roll(p, lanes.fields, lanes.key, alias.bits, alias.entry, layout.limit)
        if at[ALIVE] < 0:
            return BROKEN
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


@kernel
def move(packed, values, slots):
    """Put packed states (words x states) and their values into a table of `slot_of`."""
    words = packed.shape[0]
    for i in range(len(values)):
        slot = slot_of(packed, i, words, slots)
        for w in range(words):
            slots[slot, w] = packed[w, i]
        slots[slot, words] = values[i]
