"""Fighting battles whose graph is too large: states that were met are looked up, new ones are stepped once.

Each thread spells out the part of the chain that its battles come to, edge by edge. An edge that nobody took yet leads
to node 0; a lane that lands there is helped on by the rules, and the edge is known from then on. Most battles keep to
few states, so most steps are look-ups, made for all lanes at once (`strides`). When the budget is used up, what is not
known is stepped afresh each time. Either way battle i of a seed is the very battle that the rules would fight.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.chain import MOST_TURNS
from simulator.engine.compiled import inner, kernel, load, moved, paired, running, second, store, table, within, word_of
from simulator.engine.expand import Bench
from simulator.engine.lanes import (
    ALIVE,
    BROKEN,
    COUNTED,
    DONE,
    ENDLESS,
    FULL,
    IDLE_SHARE,
    PAUSED,
    ROLLS,
    SLICE,
    STARTED,
    USED,
    battle_key,
    mix,
)
from simulator.engine.lanes import slot_of as tally_slot
from simulator.engine.streams import HIGH
from simulator.engine.strides import (
    BLOCK,
    BLOCK_BITS,
    COUNT,
    FINAL,
    MASK,
    MOST_INC,
    NODE,
    ONE_ROLL,
    TWO_ROLLS,
    Walkers,
    count_alive,
    count_lost,
    find_ended,
    find_lost,
    row_drawn,
    stride,
)

NEED_ROOM = 6
# After what `lanes` keeps in `at`: how many lanes wait to be helped on.
LOST = 5
# What `known` holds: nodes so far, the blocks they take, whether no more may be kept; and of the numbers drawn for an
# order, how many there were and how many took a lane where it had to be helped on.
NODES, BLOCKS, SHUT, DRAWN, HELPED = range(5)
# Nodes a lane may come to while it is helped on.
MOST_NEW = 2
_TAG = np.uint64(NODE)
_LOW = np.uint64(0xFFFFFFFF)


class Met(NamedTuple):
    """The nodes met so far, as in `strides`: `words` is all that is kept of them, their packed states in the first
    `head` words; running states may take up to `budget` blocks.

    Behind node 0 each lane has a node for the state that it is in and that is not kept; the others begin at `first`.
    `slots` finds a node by its state: a power of two of them, with a hash above the node's bits.
    """

    words: np.ndarray
    slots: np.ndarray
    head: int
    first: int
    budget: int


class Tools(NamedTuple):
    """What else a kernel needs: `narrow` alias tables by row, `chance.Rows`, work space for states and their tally."""

    bits: int
    entry: np.ndarray
    rows: Any
    bench: Bench
    packed: np.ndarray


class Task(NamedTuple):
    """What is to be fought: the order, the node that battles begin with, the lanes, and the tally of how they end.

    The tally is one of `lanes.slot_of`, or of one column: counts of the nodes from `first_end` on.
    """

    order: Any
    start: int
    lanes: Walkers
    tally: np.ndarray
    first_end: int = 0


@inner
def blocks_for(m, p, edges):
    """The blocks that a node with so many edges takes."""
    words = m.head + (TWO_ROLLS if paired(p) else ONE_ROLL) + edges
    return (words + BLOCK - 1) >> BLOCK_BITS


@inner
def place_of(node):
    """Where a node's words begin."""
    return uint64(node & NODE) << uint64(BLOCK_BITS)


@inner
def hash_of(key):
    """A hash of a packed state."""
    code = uint64(0)
    for w in range(key.shape[0]):
        code = mix(code ^ key[w])
    return code


@inner
def is_state(m, node, key):
    """Is this the node of the packed state?"""
    at, same = place_of(node), True
    for w in range(key.shape[0]):
        same = same and m.words[at + uint64(2 * w)] == uint32(key[w])
        same = same and m.words[at + uint64(2 * w + 1)] == uint32(key[w] >> HIGH)
    return same


@inner
def slot_of(m, key):
    """Where the node of a packed state is in `slots`, or where it belongs; and what belongs there but for the node."""
    code = hash_of(key) & ~_TAG
    last = uint64(m.slots.shape[0] - 1)
    slot = (code >> HIGH) & last
    while m.slots[slot] != 0:
        if (m.slots[slot] & ~_TAG) == code and is_state(m, int64(m.slots[slot] & _TAG), key):
            break
        slot = (slot + uint64(1)) & last
    return slot, code


@inner
def write_state(m, node, key):
    """The packed state becomes that of a node."""
    at = place_of(node)
    for w in range(key.shape[0]):
        m.words[at + uint64(2 * w)] = uint32(key[w])
        m.words[at + uint64(2 * w + 1)] = uint32(key[w] >> HIGH)


@inner
def read_state(m, b, node):
    """The state of a node into column 0 of the work space; the counter is 0."""
    at = place_of(node)
    for f in range(b.fields.shape[0]):
        place = at + uint64(2 * b.word[f])
        word = uint64(m.words[place]) | uint64(m.words[place + uint64(1)]) << HIGH
        b.fields[f, 0] = int64((word >> b.shift[f]) & b.mask[f])


@inner
def node_of(p, s, m, tools, known, lane):
    """The node of the state `s`, kept if it is new; -BROKEN for tables that are not there."""
    b, goes_on = tools.bench, running(p, s)
    for w in range(b.key.shape[0]):
        b.key[w] = word_of(p, s, b, w)
    slot, code = slot_of(m, b.key)
    if m.slots[slot] != 0:
        node = int64(m.slots[slot] & _TAG)
        return node if goes_on else node | FINAL
    t, u, width, fan = int64(0), int64(0), int64(0), int64(1)
    if goes_on:
        t, u, first = int64(table(p, s)), int64(second(p, s)), tools.rows.first
        if t < 0 or t >= first.shape[0] - 1 or u < 0 or u >= first.shape[0] - 1:
            return int64(-BROKEN)
        width = first[t + 1] - first[t]
        fan = width * (first[u + 1] - first[u] if paired(p) else 1)
    node, after = known[BLOCKS], known[BLOCKS] + blocks_for(m, p, fan)
    if goes_on and (known[SHUT] or after > m.budget):
        known[SHUT] = 1
        node = 1 + lane * blocks_for(m, p, 1)
        write_state(m, node, b.key)
        return node
    write_state(m, node, b.key)
    at = place_of(node) + uint64(m.head)
    m.words[at] = uint32(t)
    if paired(p):
        m.words[at + uint64(1)], m.words[at + uint64(2)] = uint32(u), uint32(width)
    m.slots[slot] = code | uint64(node)
    known[NODES] += 1
    known[BLOCKS] = after
    return node if goes_on else node | FINAL


@inner
def rows_drawn(p, s, m, tools, number, beside):
    """What two halves of a number draw in a state: first and second result, and the place of the edge in its node."""
    rows, t = tools.rows, int64(table(p, s))
    row = int64(row_drawn(t, number, tools.bits, tools.entry))
    result, other, edge = rows.result[rows.first[t] + row], int64(0), row + ONE_ROLL
    if paired(p):
        u = int64(second(p, s))
        across = int64(row_drawn(u, beside, tools.bits, tools.entry))
        other = rows.result[rows.first[u] + across]
        edge = TWO_ROLLS + row + across * (rows.first[t + 1] - rows.first[t])
    return result, other, edge


@inner
def step_on(p, m, tools, known, at, number, lane):
    """Where a lane goes from `at` by the low or only half `number` of what was drawn, by the rules; what is wrong < 0.

    For two rolls `number` is both halves.
    """
    b, node = tools.bench, at & NODE
    read_state(m, b, node)
    s = load(p, b.fields, 0)
    high = uint32(number >> HIGH) if paired(p) else uint32(number)
    result, beside, edge = rows_drawn(p, s, m, tools, high, uint32(number))
    after = moved(p, s, result, beside, MOST_TURNS)
    store(p, b.fields, 1, after)
    if not within(p, after, b.limit):
        return int64(-BROKEN)
    inc = b.fields[b.counted, 1] if b.counted >= 0 else int64(0)
    target = node_of(p, after, m, tools, known, lane)
    if target < 0:
        return target
    if node >= m.first and inc <= MOST_INC and (target & NODE) >= m.first:
        m.words[place_of(node) + uint64(m.head + edge)] = uint32(target | inc << COUNT)
    return (at & int64(~MASK)) + target + (inc << COUNT)


@inner
def help_on(p, m, tools, known, w, lane):
    """Take a lost lane's steps by the rules, and keep where they lead: DONE, or what is wrong."""
    at, half = int64(w.was[lane]), 0
    if paired(p):
        at = step_on(p, m, tools, known, at, uint64(w.high[lane]) << HIGH | uint64(w.low[lane]), lane)
    else:
        first = m.words[place_of(at) + uint64(m.head + ONE_ROLL) + uint64(w.row[lane])]
        if first != 0:
            at, half = (at & int64(~MASK)) + int64(first), 1
        while half < 2 and at >= 0 and not at & FINAL:
            number = w.high[lane] if half == 0 else w.low[lane]
            at = step_on(p, m, tools, known, at, uint64(number), lane)
            half += 1
    if at < 0:
        return -at
    w.at[lane] = at
    return int64(DONE)


@inner
def help_all(p, m, tools, known, w, at):
    """Help the listed lanes on: DONE, or why not; those that wait still are in `at`."""
    while at[LOST] > 0:
        # Running states stop at the budget, ends do not.
        blocks = max(known[BLOCKS], m.budget) + MOST_NEW * blocks_for(m, p, 1)
        if blocks << BLOCK_BITS > m.words.shape[0] or 2 * (known[NODES] + MOST_NEW) > m.slots.shape[0]:
            return int64(NEED_ROOM)
        status = help_on(p, m, tools, known, w, w.ended[at[LOST] - 1])
        if status != DONE:
            return status
        at[LOST] -= 1
    return int64(DONE)


@inner
def count_ended(w, found, task, packed):
    """Add the listed lanes' ends to the tally; returns how many are new to it."""
    tally, fresh = task.tally, 0
    for i in range(found):
        packed[0, i] = uint64(w.at[w.ended[i]])
        w.at[w.ended[i]] = FINAL
    if tally.shape[1] == 1:
        for i in range(found):
            tally[(packed[0, i] & _TAG) - uint64(task.first_end), 0] += uint64(1)
        return 0
    for i in range(found):
        slot = tally_slot(packed, i, 1, tally)
        fresh += int64(tally[slot, 1] == 0)
        tally[slot, 0] = packed[0, i]
        tally[slot, 1] += uint64(1)
    return fresh


@inner
def begin_battles(w, start, order, first, fresh):
    """Start battles `first` .. `first + fresh - 1` of the order in the first listed lanes."""
    for i in range(fresh):
        w.key[w.ended[i]] = battle_key(order.seed, uint64(order.battle + first + i))
        w.at[w.ended[i]] = start


@inner
def exchange(task, packed, at):
    """Count the battles that are over and start others in their lanes: DONE, FULL, or PAUSED to go on."""
    w, order, tally = task.lanes, task.order, task.tally
    found = find_ended(w.at, w.ended)
    if tally.shape[1] > 1 and 3 * (at[USED] + found) > 2 * tally.shape[0]:
        return FULL
    at[USED] += count_ended(w, found, task, packed)
    at[COUNTED] += found
    if found > 0:
        at[ROLLS] = 0
    if at[COUNTED] == order.battles:
        return DONE
    fresh = min(found, order.battles - at[STARTED])
    begin_battles(w, task.start, order, at[STARTED], fresh)
    at[STARTED] += fresh
    return PAUSED


@kernel
def fight_on(p, m, tools, known, task, at, most):
    """As `lanes.fight`, with the nodes met so far; also NEED_ROOM: call again with larger arrays in `m`."""
    w, order = task.lanes, task.order
    width = w.at.shape[0]
    if at[STARTED] == 0:
        for lane in range(width):
            w.at[lane] = FINAL
            w.ended[lane] = lane
        at[STARTED] = min(order.battles, width)
        begin_battles(w, task.start, order, 0, at[STARTED])
    for _ in range(SLICE):
        if at[LOST] == 0:
            waiting = at[STARTED] < order.battles
            if at[ALIVE] == 0 or (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
                status = exchange(task, tools.packed, at)
                if status != PAUSED:
                    return status
            known[DRAWN] += at[ALIVE]
            stride(w, m.words, m.head, tools.bits, tools.entry, paired(p))
            at[LOST] = find_lost(w.at, w.ended) if count_lost(w.at) else 0
            known[HELPED] += at[LOST]
        if at[LOST] > 0:
            status = help_all(p, m, tools, known, w, at)
            if status != DONE:
                return status
        at[ALIVE] = count_alive(w.at)
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


@kernel
def enter(m, key, node):
    """Enter a packed state's node into `slots`."""
    slot, code = slot_of(m, key)
    m.slots[slot] = code | uint64(node)


@kernel
def spread(old, new):
    """Enter all that is in `old` slots into the empty `new` ones."""
    last = uint64(new.shape[0] - 1)
    for i in range(old.shape[0]):
        if old[i] != 0:
            slot = (old[i] >> HIGH) & last
            while new[slot] != 0:
                slot = (slot + uint64(1)) & last
            new[slot] = old[i]
