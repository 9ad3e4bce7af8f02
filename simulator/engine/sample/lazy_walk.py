"""The walk on a lazy graph: visited states are looked up, new edges are explored once by the rules.

Each thread enumerates the part of the chain that its battles visit, edge by edge. An unexplored edge leads to node 0; a
lane that reaches it is stepped by the rules (`lazy_steps`), and the edge is stored. Most battles visit few states, so
that most steps are look-ups, made for all lanes together (`node_walk`). When the budget is used up, unexplored edges
are stepped by the rules each time. Battle i of a seed has the same outcome as by the rules.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64

from simulator.engine.jit.kernels import inner, kernel, paired
from simulator.engine.model.status import DONE, ENDLESS, FULL, PAUSED
from simulator.engine.model.streams import HIGH
from simulator.engine.sample.lazy_steps import DRAWN, LOST, STEPPED, look_for, slot_of, step_lost, write_state
from simulator.engine.sample.node_walk import (
    COUNT,
    FINAL,
    NODE,
    Walkers,
    count_alive,
    count_lost,
    find_ended,
    find_lost,
    stride,
)
from simulator.engine.sample.rule_walk import ALIVE, COUNTED, IDLE_SHARE, ROLLS, SLICE, STARTED, USED, battle_key
from simulator.engine.sample.rule_walk import slot_of as tally_slot

_TAG = np.uint64(NODE)


class Task(NamedTuple):
    """The work of a kernel: the order, the first node of battles, the lanes, and the tally of final states.

    The tally is a table of `rule_walk.slot_of`, or one column: counts of the nodes from `first_end` on.
    """

    order: Any
    start: int
    lanes: Walkers
    tally: np.ndarray
    first_end: int = 0


@inner
def count_ended(w, found, task, packed):
    """Add the final states of the listed lanes to the tally; returns the number of new ones."""
    tally, fresh = task.tally, 0
    for i in range(found):
        lane = w.ended[i]
        packed[0, i] = uint64(w.at[lane]) | uint64(w.held[lane]) << uint64(COUNT)
        w.at[lane] = FINAL
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
        w.held[w.ended[i]] = 0


@inner
def exchange(task, packed, at):
    """Count finished battles and start others in their lanes: DONE, FULL, or PAUSED to continue."""
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


@inner
def begin(task, at):
    """Start the first battles of an order."""
    w = task.lanes
    for lane in range(w.at.shape[0]):
        w.at[lane] = FINAL
        w.ended[lane] = lane
    at[STARTED] = min(task.order.battles, w.at.shape[0])
    begin_battles(w, task.start, task.order, 0, at[STARTED])


@inner
def exchange_if_due(task, packed, at):
    """`exchange` if many lanes are idle; PAUSED to continue."""
    width = task.lanes.at.shape[0]
    waiting = at[STARTED] < task.order.battles
    if at[ALIVE] == 0 or (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
        return exchange(task, packed, at)
    return PAUSED


@kernel
def fight_on(p, m, arrays, known, task, at, most):
    """As `rule_walk.fight`, on a lazy graph; also NEED_ROOM: call again with larger arrays in `m`."""
    w = task.lanes
    if at[STARTED] == 0:
        begin(task, at)
    for _ in range(SLICE):
        if at[LOST] == 0:
            status = exchange_if_due(task, arrays.packed, at)
            if status != PAUSED:
                return status
            known[DRAWN] += at[ALIVE]
            stride(w, m, arrays.bits, arrays.entry, paired(p))
            at[LOST] = find_lost(w.at, w.ended) if count_lost(w.at) else 0
            known[STEPPED] += at[LOST]
        if at[LOST] > 0:
            status = step_lost(p, m, arrays, known, w, at)
            if status != DONE:
                return status
        at[ALIVE] = count_alive(w.at)
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


@kernel
def enter(m, steps, node):
    """Enter the only state in the buffer into `slots`, as this node."""
    look_for(1, steps.key, steps.code, m.slots, steps.seen)
    m.slots[slot_of(m, steps.key, 0, steps.code[0])] = (steps.code[0] & ~_TAG) | uint64(node)
    write_state(m, node, steps.key, 0)


@kernel
def spread(old, new):
    """Enter the contents of the `old` slots into the empty `new` ones."""
    last = uint64(new.shape[0] - 1)
    for i in range(old.shape[0]):
        if old[i] != 0:
            slot = (old[i] >> HIGH) & last
            while new[slot] != 0:
                slot = (slot + uint64(1)) & last
            new[slot] = old[i]
