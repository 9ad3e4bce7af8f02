"""Fighting on a battle's graph: where a game's steps branch too much for SIMD, its states are numbered once.

The graph (the same states and chance tables that exact odds are summed over) is explored when the fighting begins;
from then on a step is three look-ups without a branch, and LLVM turns the lane loop into SIMD. The same draws lead to
the same battles as `montecarlo.fight`: only the bookkeeping differs. A chain asks for it with `walked=True`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int32, int64, uint32, uint64

from simulator.engine import streams
from simulator.engine.alias import build_alias
from simulator.engine.chain import Chain
from simulator.engine.chance import Alias, Tables
from simulator.engine.compiled import apart, inner, kernel
from simulator.engine.graph import Graph
from simulator.engine.limits import NoExactOdds
from simulator.engine.montecarlo import IDLE_SHARE, battle_key, mix

# A graph of more transitions does not fit in the caches, and exploring it would take longer than it saves.
MOST_EDGES = 1 << 20

_GAMMA = streams.GAMMA
_HIGH = streams.HIGH
_HALF = np.uint64(32)
_LOW = np.uint64(0xFFFFFFFF)


class Walk(NamedTuple):
    """Numbered states: those below `running` still run. `place[i]` packs where the alias entries of state i begin
    (low half) and where its successors do: the drawn row r of its chance table leads to `to[begin + r]`. A final state
    leads to itself.
    """

    running: int
    start: int
    place: np.ndarray
    to: np.ndarray
    bits: int
    entry: np.ndarray


class Walkers(NamedTuple):
    """Work space of one thread: the state of each lane, stream keys, busy marks, and a list of lane numbers."""

    node: np.ndarray
    key: np.ndarray
    busy: np.ndarray
    ended: np.ndarray


@inner
def towards(number, node, place, to, bits, entry):
    """The state after one draw."""
    here = place[node]
    e = entry[(here & _LOW) + uint64(number >> uint32(32 - bits))]
    first = uint32(number << uint32(bits)) < uint32(e)
    row = (e >> _HALF) & uint64(0xFFFF) if first else e >> uint64(48)
    return to[(here >> _HALF) + row]


@apart
def stride(node, key, place, to, bits, entry, running):
    """Two steps of every lane; returns how many battles still run."""
    alive = int32(0)
    for lane in range(node.shape[0]):
        key[lane] += _GAMMA
        word = mix(key[lane])
        at = towards(uint32(word >> _HIGH), node[lane], place, to, bits, entry)
        at = towards(uint32(word), at, place, to, bits, entry)
        node[lane] = at
        alive += int32(at < running)
    return alive


@apart
def arrived(node, busy, ended, running):
    """List the lanes whose battle is over; returns how many."""
    found = 0
    for lane in range(node.shape[0]):
        ended[found] = lane
        found += int64(busy[lane]) * int64(node[lane] >= running)
    return found


@kernel
def walk_battles(walk, order, lanes, counts):
    """Fight the ordered battles; `counts[i]` counts those that end in final state `running + i`."""
    width = lanes.node.shape[0]
    for lane in range(width):
        lanes.node[lane] = walk.running
        lanes.key[lane] = uint64(0)
        lanes.busy[lane] = 0
        lanes.ended[lane] = lane
    started = min(order.battles, width)
    set_out(walk, lanes, order, 0, started)
    counted, alive = 0, 0
    while counted < order.battles:
        waiting = started < order.battles
        if alive == 0 or (waiting and (width - alive) * IDLE_SHARE >= width):
            found = arrived(lanes.node, lanes.busy, lanes.ended, walk.running)
            for i in range(found):
                counts[lanes.node[lanes.ended[i]] - walk.running] += 1
                lanes.busy[lanes.ended[i]] = 0
            counted += found
            fresh = min(found, order.battles - started)
            set_out(walk, lanes, order, started, fresh)
            started += fresh
        alive = stride(lanes.node, lanes.key, walk.place, walk.to, walk.bits, walk.entry, walk.running)
    return counted


@inner
def set_out(walk, lanes, order, started, fresh):
    """Start the next battles in the first listed lanes."""
    for i in range(fresh):
        lane = lanes.ended[i]
        lanes.key[lane] = battle_key(order.seed, uint64(order.battle) + uint64(started) + uint64(i))
        lanes.node[lane] = walk.start
        lanes.busy[lane] = 1


class Explored(NamedTuple):
    """A walk and the packed final states (words x states), numbered from `walk.running` up."""

    walk: Walk
    finals: np.ndarray


def explored(chain: Chain) -> Explored | None:
    """The numbered graph of a chain, or None when it is too large."""
    graph = Graph(chain, MOST_EDGES)
    try:
        graph.spread(1e-13)
    except NoExactOdds:
        return None
    graph.explore()
    store, size = graph.store, graph.size
    is_open = store.open[:size].astype(bool)
    order = np.concatenate([np.flatnonzero(is_open), np.flatnonzero(~is_open)])
    number = np.empty(size, np.int64)
    number[order] = np.arange(size)
    running = int(is_open.sum())
    edges = int(graph.counters[2])
    alias = row_alias(chain.tables)
    entries, begin = np.zeros(size, np.uint64), np.empty(size, np.uint64)
    entries[:running] = store.table[order[:running]].astype(np.uint64) << np.uint64(alias.bits)
    begin[:running] = store.begin[order[:running]]
    begin[running:] = edges + np.arange(size - running)
    to = np.concatenate([number[store.to[:edges]], np.arange(running, size)]).astype(np.int32)
    # A final state draws from table 0 (certain, row 0) and stays.
    walk = Walk(running, int(number[0]), begin << _HALF | entries, to, alias.bits, alias.entry)
    return Explored(walk, np.ascontiguousarray(store.key[:, order[running:]]))


def row_alias(tables: Tables) -> Alias:
    """The alias tables with the number of the drawn row in place of its result."""
    sizes = np.diff(tables.first)
    rows = np.arange(len(tables.result)) - np.repeat(tables.first[:-1], sizes)
    return build_alias(Tables(tables.first, rows, tables.weight))


def walkers(lanes: int) -> Walkers:
    """Work space for one thread."""
    return Walkers(
        np.zeros(lanes, np.int32), np.empty(lanes, np.uint64), np.empty(lanes, np.uint8), np.empty(lanes + 1, np.int32)
    )
