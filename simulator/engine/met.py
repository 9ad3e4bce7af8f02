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
from simulator.engine.compiled import inner, kernel, load, moved, paired, running, second, store, table, within
from simulator.engine.expand import Bench, pack, slot_of, unpack
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
    drawn,
)
from simulator.engine.lanes import slot_of as tally_slot
from simulator.engine.streams import HIGH
from simulator.engine.strides import (
    COUNT,
    FINAL,
    MASK,
    MOST_INC,
    NODE,
    Walkers,
    count_alive,
    count_lost,
    find_ended,
    stride,
)

NEED_ROOM = 6
# After what `lanes` keeps in `at`: how many lanes wait to be helped on.
LOST = 5
# What `known` holds: nodes and edges so far, the edges there was no room for, whether no more may be kept; and of the
# numbers drawn for an order, how many there were and how many took a lane where it had to be helped on.
NODES, EDGES, WANTED, SHUT, DRAWN, HELPED = range(6)
# Nodes a lane may come to while it is helped on.
MOST_NEW = 2


class Met(NamedTuple):
    """The nodes met so far; node 0 is nowhere, node 1 + lane is for a state that lane is in and that is not kept.

    `keys` (words, nodes) are packed states; `place` the chance table | first edge << 32 and `other` the second table |
    rows of the first << 32, 0 for final states; `to` the edges, see `strides`; `slots` finds a state's node + 1.
    """

    keys: np.ndarray
    place: np.ndarray
    other: np.ndarray
    to: np.ndarray
    slots: np.ndarray


class Tools(NamedTuple):
    """What else a kernel needs: the alias tables by row, `chance.Rows`, work space for states and for their tally."""

    bits: int
    entry: np.ndarray
    rows: Any
    bench: Bench
    packed: np.ndarray


class Task(NamedTuple):
    """What is to be fought: the order, the node that battles begin with, the lanes, and the tally of how they end."""

    order: Any
    start: int
    lanes: Walkers
    tally: np.ndarray


@inner
def node_of(p, s, m, tools, known, lane):
    """The node of the state in the work space, kept if it is new; -BROKEN or -NEED_ROOM if that cannot be."""
    b = tools.bench
    slot = slot_of(m, b)
    if m.slots[slot] != 0:
        node = int64(m.slots[slot]) - 1
        return node if m.place[node] != 0 else node | FINAL
    node = known[NODES]
    place, other = uint64(0), uint64(0)
    if running(p, s):
        t, u = int64(table(p, s)), int64(second(p, s))
        first = tools.rows.first
        if t < 0 or t >= first.shape[0] - 1 or u < 0 or u >= first.shape[0] - 1:
            return int64(-BROKEN)
        width = first[t + 1] - first[t]
        fan = width * (first[u + 1] - first[u] if paired(p) else 1)
        if known[SHUT]:
            for w in range(b.key.shape[0]):
                m.keys[w, 1 + lane] = b.key[w]
            return int64(1 + lane)
        if known[EDGES] + fan > m.to.shape[0]:
            known[WANTED] = fan
            return int64(-NEED_ROOM)
        place = uint64(t) | uint64(known[EDGES]) << HIGH
        other = uint64(u) | uint64(width) << HIGH
        known[EDGES] += fan
    for w in range(b.key.shape[0]):
        m.keys[w, node] = b.key[w]
    m.place[node] = place
    if paired(p):
        m.other[node] = other
    m.slots[slot] = node + 1
    known[NODES] = node + 1
    return node if place != 0 else node | FINAL


@inner
def rows_drawn(p, s, m, tools, node, word, half):
    """What a number draws in a state: first and second result, and the edge (0 where the node is not kept)."""
    rows, kept = tools.rows, m.place[node] != 0
    t = int64(m.place[node] & uint64(0xFFFFFFFF)) if kept else int64(table(p, s))
    number = uint32(word >> HIGH) if half == 0 else uint32(word)
    row = drawn(t, number, tools.bits, tools.entry)
    edge = (m.place[node] >> HIGH) + uint64(row)
    beside = int64(0)
    if paired(p):
        u = int64(m.other[node] & uint64(0xFFFFFFFF)) if kept else int64(second(p, s))
        beside = drawn(u, uint32(word), tools.bits, tools.entry)
        edge += uint64(beside) * (m.other[node] >> HIGH)
        beside = rows.result[rows.first[u] + beside]
    return rows.result[rows.first[t] + row], beside, edge if kept else uint64(0)


@inner
def help_on(p, m, tools, known, w, lane):
    """Take a lost lane's steps by the rules, and keep where they lead: DONE, or what is wrong."""
    b, word = tools.bench, w.word[lane]
    at, half = w.was[lane], 0
    first = m.to[w.edge[lane]]
    if not paired(p) and first != 0:
        at, half = (at & int64(~MASK)) + int64(first), 1
    while half < (1 if paired(p) else 2) and not at & FINAL:
        node = at & NODE
        unpack(m, b, node)
        s = load(p, b.fields, 0)
        result, beside, edge = rows_drawn(p, s, m, tools, node, word, half)
        target = int64(m.to[edge])
        if target == 0:
            after = moved(p, s, result, beside, MOST_TURNS)
            store(p, b.fields, 1, after)
            if not within(p, after, b.limit):
                return BROKEN
            inc = b.fields[b.counted, 1] if b.counted >= 0 else int64(0)
            pack(b, 1)
            target = node_of(p, after, m, tools, known, lane)
            if target < 0:
                return int64(-target)
            if edge != 0 and inc <= MOST_INC and target & NODE != 1 + lane:
                m.to[edge] = uint32(target | inc << COUNT)
            target += inc << COUNT
        at = (at & int64(~MASK)) + target
        half += 1
    w.at[lane] = at
    return DONE


@inner
def help_all(p, m, tools, known, w):
    """Help every lost lane on: DONE, or why not."""
    for lane in range(w.at.shape[0]):
        if w.at[lane] & MASK == 0:
            if known[NODES] + MOST_NEW > m.place.shape[0]:
                return NEED_ROOM
            status = help_on(p, m, tools, known, w, lane)
            if status != DONE:
                return status
    return DONE


@inner
def count_ended(w, found, tally, packed):
    """Add the listed lanes' ends to the tally (`lanes.slot_of`); returns how many are new to it."""
    fresh = 0
    for i in range(found):
        packed[0, i] = uint64(w.at[w.ended[i]])
        w.at[w.ended[i]] = FINAL
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
    if 3 * (at[USED] + found) > 2 * tally.shape[0]:
        return FULL
    at[USED] += count_ended(w, found, tally, packed)
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
            stride(w, m.place, m.other, m.to, tools.bits, tools.entry, paired(p))
            at[LOST] = count_lost(w.at)
            known[HELPED] += at[LOST]
        if at[LOST] > 0:
            status = help_all(p, m, tools, known, w)
            if status != DONE:
                return status
            at[LOST] = 0
        at[ALIVE] = count_alive(w.at)
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


@kernel
def enter(m, b, nodes, first):
    """Enter nodes `first` and up into empty `slots`."""
    for node in range(first, nodes):
        for w in range(b.key.shape[0]):
            b.key[w] = m.keys[w, node]
        m.slots[slot_of(m, b)] = node + 1
