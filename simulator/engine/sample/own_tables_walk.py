"""The walk on own tables: each running state has an alias table whose results are the following states.

One look-up makes a step. A table's entry fits into 32 bits with the high bits of its cut, and sixteen of them are read
together; a number that equals those bits is compared with the whole cut afterwards. A position is the number of a state
with the counter above it; numbers of states begin with the running ones.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import uint32

from simulator.engine.graph.graph import Graph
from simulator.engine.jit.kernels import inner, outlined
from simulator.engine.jit.vectors import find_lanes, plus, shifted, shifted_down, signed
from simulator.engine.model.chance import Tables
from simulator.engine.model.status import DONE
from simulator.engine.sample.alias import build_alias
from simulator.engine.sample.graph_tables import GraphTables, graph_words
from simulator.engine.sample.rule_walk import drawn
from simulator.engine.sample.walk import (
    Positions,
    Task,
    Walk,
    new_lanes,
    next_words,
    walk_kernel,
)

# Most entries of own tables, of 8 bytes each: beyond it three look-ups in small arrays are faster.
MOST_OWN = 1 << 19
# A position, the counter above the state, takes at most 32 bits; so do two results beside the high bits of a cut, whose
# low bits decide only once in 2**6 steps or less.
MOST_POSITIONS, MOST_RESULT_BITS = 1 << 32, 13
# Positions that are counted without a search: at most a quarter of a megabyte, of which a walk touches little.
DIRECT = 1 << 15
_ONE, _ALL = np.uint32(1), np.uint32(0xFFFFFFFF)
# Lanes that are unsure in one step or both (see `find_lanes`).
_UNSURE = (np.uint32(3), np.uint32(1), np.uint32(3))


class Entries(NamedTuple):
    """Alias tables of running positions, `2**bits` wide: `whole` entries (see `Alias`) and `short` ones (uint32).

    A short entry holds the result of its column, the other one << width, and the high bits of the cut. Results have at
    most `width` bits. The number of a state is what `mask` leaves of a position; from `running` on states are final.
    """

    bits: int
    width: int
    mask: np.uint32
    running: np.uint32
    whole: np.ndarray
    short: np.ndarray


class OwnTables(NamedTuple):
    """The entries of a graph, its states in the order of their numbers, and the bits of such a number in a position."""

    entries: Entries
    order: np.ndarray
    bits: int


def own_tables(g: GraphTables) -> OwnTables | None:
    """The own tables of a graph; None if they or their positions are too large, or for two rolls."""
    graph, final = g.graph, g.graph.final
    running = np.flatnonzero(~final)
    if g.second is not None or (len(running) + 1) << (g.tables.largest - 1).bit_length() > MOST_OWN:
        return None
    order = np.concatenate([running, np.flatnonzero(final)])
    number, bits = np.empty(len(graph), np.int64), len(graph).bit_length()
    number[order] = np.arange(len(graph))
    to = number[g.to] | g.inc.astype(np.int64) << bits
    width = int(to.max(initial=0)).bit_length()
    counted = int(graph.chain.limits[graph.chain.counted]) if graph.inc is not None else 0
    if width > MOST_RESULT_BITS or (counted + 1) << bits > MOST_POSITIONS:
        return None
    table, size = g.table[running], g.width[running]
    first = np.append(0, np.cumsum(size))
    row = np.arange(first[-1]) - np.repeat(first[:-1], size)
    result = to[np.repeat(g.begin[running], size) + row]
    weight = g.tables.weight[np.repeat(g.tables.first[table], size) + row]
    # All final states share the last table. The tables are as wide as the chain's, even if these are smaller, so that a
    # number draws the same row.
    tables = Tables(np.append(first, first[-1] + 1), np.append(result, 0), np.append(weight, 1.0), g.tables.largest)
    alias = build_alias(tables)
    short = short_entries(alias.entry, np.uint64(width))
    mask = np.uint32((1 << bits) - 1)
    return OwnTables(Entries(alias.bits, width, mask, np.uint32(len(running)), alias.entry, short), order, bits)


def short_entries(entry: np.ndarray, width: np.uint64) -> np.ndarray:
    """The short entries (uint32) of whole ones (uint64), whose results have at most `width` bits."""
    here, cut = entry >> np.uint64(32) & np.uint64(0xFFFF), entry & np.uint64(0xFFFFFFFF)
    shift = np.uint64(2) * width
    return np.asarray(here | entry >> np.uint64(48) << width | cut >> shift << shift).astype(np.uint32)


@outlined
def step_own(at, number, unsure, half, own):
    """One step of every lane by its short entry; returns whether a lane is unsure.

    A lane whose number equals the cut as far as the entry holds it does not move: `unsure` takes the bit `half`.
    """
    left, right, width = uint32(own.bits), uint32(32 - own.bits), uint32(own.width)
    result, cut = uint32((_ONE << width) - _ONE), uint32(_ALL << uint32(2 * width))
    doubts, before = uint32(0), uint32(half - _ONE)
    for lane in range(at.shape[0]):
        here, word = at[lane], number[lane]
        state = uint32(here & own.mask)
        entry = own.short[signed(plus(shifted(min(state, own.running), left), shifted_down(word, right)))]
        rest = shifted(word, left)
        to = uint32((entry if rest < entry else shifted_down(entry, width)) & result)
        doubt = uint32((unsure[lane] & before) | (half if uint32((rest ^ entry) & cut) == uint32(0) else uint32(0)))
        unsure[lane] = doubt
        at[lane] = here if doubt or state >= own.running else plus(uint32(here - state), to)
        doubts = uint32(doubts | doubt)
    return doubts


@inner
def stepped(position, number, own):
    """The next position by the whole entry."""
    state = uint32(position & own.mask)
    if state >= own.running:
        return position
    return uint32(position - state + uint32(drawn(state, number, own.bits, own.whole)))


@inner
def advance_on_own_tables(p, own, w, at):
    """Two steps of every lane on own tables; short entries decide most of them, and whole ones the rest."""
    next_words(w.key, w.high, w.low)
    step_own(w.at, w.high, w.was, uint32(1), own)
    if step_own(w.at, w.low, w.was, uint32(2), own):
        for i in range(find_lanes(w.was, _UNSURE, w.ended)):
            lane = w.ended[i]
            if w.was[lane] & 1:
                w.at[lane] = stepped(w.at[lane], w.high[lane], own)
            w.at[lane] = stepped(w.at[lane], w.low[lane], own)
    return DONE


fight_on_own_tables = walk_kernel("fight_on_own_tables", advance_on_own_tables)


class OwnTablesWalk(Walk):
    """Walks on the own tables of a graph."""

    def __init__(self, graph: Graph, layout: OwnTables) -> None:
        self._layout = layout
        own, start = layout.entries, np.uint64(np.flatnonzero(layout.order == 0)[0])
        counted = int(graph.chain.limits[graph.chain.counted]) if graph.inc is not None else 0
        lanes = new_lanes(direct=min(DIRECT, (counted + 1) << layout.bits))
        super().__init__(lanes, Positions(start, own.mask, own.running, own.mask - own.running, own.mask))

    def _run(self, task: Task, most: int) -> int:
        return int(fight_on_own_tables(None, self._layout.entries, task, self._at, most))

    def _words_of(self, keys: np.ndarray) -> np.ndarray:
        held, layout = keys[:, 0].astype(np.int64), self._layout
        number = layout.order[held & ((1 << layout.bits) - 1)]
        return graph_words(number, held >> layout.bits)
