"""The walk on nodes: look-ups for all lanes together, in a sequence of short passes.

In a single loop the look-ups of a lane would wait for each other, and few lanes fit into the window of the CPU; a pass
that makes the same look-up for every lane overlaps their memory accesses.

The data of a state, a node, is contiguous in one array of 32-bit words, so that a step reads one or two cache lines:
its packed state (`head` words, in a lazy graph), its chance table, for two rolls also the second table and the rows
of the first, then its edges. The position of a battle is one number: the node in its low 22 bits (counted in blocks of
eight words), and FINAL for a final state. An edge is such a number, with the number of a jump of the counter above it.
Node 0 marks an unexplored edge; a lane that reaches it waits there.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.jit.kernels import inner, outlined
from simulator.engine.model.streams import GAMMA, HIGH
from simulator.engine.sample.alias import Alias
from simulator.engine.sample.rule_walk import mix

NODE_BITS = 22
NODE = (1 << NODE_BITS) - 1
FINAL = 1 << NODE_BITS
MASK = NODE | FINAL
COUNT = NODE_BITS + 1
# Edges can hold this many different jumps of the counter; an edge with another jump is never stored.
JUMPS = 1 << (32 - COUNT)
# Nodes begin at multiples of eight words.
BLOCK_BITS = 3
BLOCK = 1 << BLOCK_BITS
LANES = 512
# The begin of a node's edges after its `head`, for one roll and for two.
ONE_ROLL, TWO_ROLLS = 1, 3

_ONE, _NUMBER_BITS = np.uint32(1), 32
_NODE, _FINAL, _MASK, _COUNT, _BLOCK_BITS = map(np.uint32, (NODE, FINAL, MASK, COUNT, BLOCK_BITS))


class Walkers(NamedTuple):
    """Lanes: the position of each battle, its counter, the key of its stream, and the halves of its last number.

    `was` is the previous position; `row`, `other` and `width` hold results of look-ups; `ended` lists lanes.
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


def new_walkers() -> Walkers:
    """Lanes without battles."""
    at, high, low, was, row, other, width = np.zeros((7, LANES), np.uint32)
    held, key = np.zeros((2, LANES), np.uint64)
    at[:] = FINAL
    return Walkers(at, held, key, high, low, was, row, other, width, np.zeros(LANES + 1, np.int32))


def narrow(alias: Alias) -> np.ndarray:
    """The entries of alias tables whose results are their rows, in 32 bits: cut | other, and here is the column.

    A cut's low `bits` bits are 0, and no other row needs more than them.
    """
    entry = alias.entry
    return ((entry & np.uint64(0xFFFFFFFF)) | entry >> np.uint64(48)).astype(np.uint32)


@inner
def row_drawn(table, number, bits, entry):
    """The row of a table that a 32-bit number draws, by `narrow` entries."""
    column = uint32(number) >> uint32(_NUMBER_BITS - bits)
    others = uint32((_ONE << uint32(bits)) - _ONE)
    e = uint32(entry[(uint64(table) << uint64(bits)) + uint64(column)])
    # With its low bits set, the rest is below cut | other exactly if it is below the cut.
    return column if uint32((uint32(number) << uint32(bits)) | others) < e else uint32(e & others)


@outlined
def next_words(key, high, low):
    """The next number of every stream, in two halves."""
    for lane in range(key.shape[0]):
        key[lane] += GAMMA
        word = mix(key[lane])
        high[lane] = uint32(word >> HIGH)
        low[lane] = uint32(word)


@outlined
def look(at, words, place, found):
    """Read the word at this place of the node of every lane."""
    for lane in range(at.shape[0]):
        found[lane] = words[uint64(uint32((at[lane] & _NODE) << _BLOCK_BITS)) + uint64(place)]


@outlined
def draw_rows(row, number, bits, entry):
    """Replace the table of each lane by the row that its number draws."""
    for lane in range(row.shape[0]):
        row[lane] = row_drawn(row[lane], number[lane], bits, entry)


@outlined
def join_rows(row, other, width):
    """Replace the row of the first roll by the row of both."""
    for lane in range(row.shape[0]):
        row[lane] += other[lane] * width[lane]


@outlined
def follow_edges(at, row, words, place):
    """Move each lane along its edge; edges begin at this place of a node; finished lanes do not move."""
    for lane in range(at.shape[0]):
        edge = words[uint64(uint32(((at[lane] & _NODE) << _BLOCK_BITS) + row[lane])) + uint64(place)]
        at[lane] = at[lane] if uint32(at[lane] & _FINAL) != 0 else uint32(edge & _MASK)


@outlined
def count_and_follow(at, held, row, words, place, jumps):
    """As `follow_edges`, and add the jumps to the counters."""
    for lane in range(at.shape[0]):
        edge = words[uint64(uint32(((at[lane] & _NODE) << _BLOCK_BITS) + row[lane])) + uint64(place)]
        over = uint32(at[lane] & _FINAL) != 0
        held[lane] += uint64(0) if over else jumps[uint64(uint32(edge >> _COUNT))]
        at[lane] = at[lane] if over else uint32(edge & _MASK)


@outlined
def keep(at, was):
    """Copy the positions of all lanes."""
    for lane in range(at.shape[0]):
        was[lane] = at[lane]


@outlined
def count_lost(at):
    """The number of lanes at node 0."""
    lost = int64(0)
    for lane in range(at.shape[0]):
        lost += int64((at[lane] & MASK) == 0)
    return lost


@outlined
def find_lost(at, lost):
    """List the lanes at node 0; returns their number."""
    found = 0
    for lane in range(at.shape[0]):
        lost[found] = lane
        found += int64((at[lane] & MASK) == 0)
    return found


@outlined
def count_alive(at):
    """The number of running battles."""
    alive = int64(0)
    for lane in range(at.shape[0]):
        alive += int64((at[lane] & FINAL) == 0)
    return alive


@outlined
def find_ended(at, ended):
    """List the lanes with a finished battle that is not counted yet, without a branch; returns their number."""
    found = 0
    for lane in range(at.shape[0]):
        ended[found] = lane
        found += int64((at[lane] & FINAL) != 0) & int64(at[lane] != FINAL)
    return found


@inner
def follow(w, row, m, place):
    """Move all lanes along the edges of these rows."""
    if m.jumps.shape[0] > 0:
        count_and_follow(w.at, w.held, row, m.words, place, m.jumps)
    else:
        follow_edges(w.at, row, m.words, place)


@inner
def stride(w, m, bits, entry, both):
    """One number for every lane: two steps, or one of two rolls."""
    words, head = m.words, m.head
    next_words(w.key, w.high, w.low)
    keep(w.at, w.was)
    look(w.at, words, head, w.row)
    if both:
        look(w.at, words, head + 1, w.other)
        look(w.at, words, head + 2, w.width)
        draw_rows(w.row, w.high, bits, entry)
        draw_rows(w.other, w.low, bits, entry)
        join_rows(w.row, w.other, w.width)
        follow(w, w.row, m, head + TWO_ROLLS)
        return
    draw_rows(w.row, w.high, bits, entry)
    follow(w, w.row, m, head + ONE_ROLL)
    look(w.at, words, head, w.other)
    draw_rows(w.other, w.low, bits, entry)
    follow(w, w.other, m, head + ONE_ROLL)
