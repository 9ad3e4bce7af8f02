"""Look-ups of a large graph for all lanes at once, one small pass after the other.

In one loop over everything a lane's look-ups wait for each other, and few lanes fit into the processor's window; a pass
that makes the same look-up for every lane keeps its memory busy.

All that is kept of a state, a node, stands together in one array of 32-bit words, so that a step asks memory for one or
two lines: its packed state (`head` words, where states are met), its chance table, for two rolls also the second table
and the rows of the first, and then its edges. Where a battle stands is one number: the node in its low 22 bits (counted
in blocks of eight words), and FINAL where the battle is over. Edges are the same, and above that the number of the jump
that the counter makes. Node 0 is where edges lead that are not known: whoever comes there stays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.jit.kernels import inner, outlined
from simulator.engine.model.chain import rule
from simulator.engine.model.streams import GAMMA, HIGH
from simulator.engine.sample.alias import Alias
from simulator.engine.sample.rule_walk import mix

NODE_BITS = 22
NODE = (1 << NODE_BITS) - 1
FINAL = 1 << NODE_BITS
MASK = NODE | FINAL
COUNT = NODE_BITS + 1
# So many different jumps of the counter edges can tell; one that makes another is never kept.
JUMPS = 1 << (32 - COUNT)
# Nodes begin at multiples of eight words.
BLOCK_BITS = 3
BLOCK = 1 << BLOCK_BITS
LANES = 512
# Where a node's edges begin, after its `head`: one roll, two rolls.
ONE_ROLL, TWO_ROLLS = 1, 3

_ONE, _NUMBER_BITS = np.uint32(1), 32
_NODE, _FINAL, _MASK, _COUNT, _BLOCK_BITS = map(np.uint32, (NODE, FINAL, MASK, COUNT, BLOCK_BITS))


class Walkers(NamedTuple):
    """Lanes: where each battle stands, what its counter holds, its stream's key, and the halves of its last number.

    `was` is where it stood before that; `row`, `other` and `width` are what was looked up; `ended` lists lanes.
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
    # Filled up with ones the rest is below cut | other where it is below the cut, and nowhere else.
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
    """The word at this place of the node of every lane."""
    for lane in range(at.shape[0]):
        found[lane] = words[uint64(uint32((at[lane] & _NODE) << _BLOCK_BITS)) + uint64(place)]


@outlined
def draw_rows(row, number, bits, entry):
    """In place of each lane's table the row that the number draws."""
    for lane in range(row.shape[0]):
        row[lane] = row_drawn(row[lane], number[lane], bits, entry)


@outlined
def join_rows(row, other, width):
    """In place of the row of the first roll the row of both."""
    for lane in range(row.shape[0]):
        row[lane] += other[lane] * width[lane]


@outlined
def follow_edges(at, row, words, place):
    """Where the edges lead that begin at this place of a node; who has ended stays."""
    for lane in range(at.shape[0]):
        edge = words[uint64(uint32(((at[lane] & _NODE) << _BLOCK_BITS) + row[lane])) + uint64(place)]
        at[lane] = at[lane] if uint32(at[lane] & _FINAL) != 0 else uint32(edge & _MASK)


@outlined
def count_and_follow(at, held, row, words, place, jumps):
    """The same, and the counters jump."""
    for lane in range(at.shape[0]):
        edge = words[uint64(uint32(((at[lane] & _NODE) << _BLOCK_BITS) + row[lane])) + uint64(place)]
        over = uint32(at[lane] & _FINAL) != 0
        held[lane] += uint64(0) if over else jumps[uint64(uint32(edge >> _COUNT))]
        at[lane] = at[lane] if over else uint32(edge & _MASK)


@outlined
def keep(at, was):
    """Remember where every lane stands."""
    for lane in range(at.shape[0]):
        was[lane] = at[lane]


@outlined
def count_lost(at):
    """How many lanes came to node 0."""
    lost = int64(0)
    for lane in range(at.shape[0]):
        lost += int64((at[lane] & MASK) == 0)
    return lost


@outlined
def find_lost(at, lost):
    """List the lanes that came to node 0; returns how many."""
    found = 0
    for lane in range(at.shape[0]):
        lost[found] = lane
        found += int64((at[lane] & MASK) == 0)
    return found


@outlined
def count_alive(at):
    """How many battles still run."""
    alive = int64(0)
    for lane in range(at.shape[0]):
        alive += int64((at[lane] & FINAL) == 0)
    return alive


@outlined
def find_ended(at, ended):
    """List the lanes whose battle is over and not yet counted, without a branch; returns how many."""
    found = 0
    for lane in range(at.shape[0]):
        ended[found] = lane
        found += int64((at[lane] & FINAL) != 0) & int64(at[lane] != FINAL)
    return found


@inner
def follow(w, row, m, place):
    """On along the edges of these rows."""
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


class Known(NamedTuple):
    """Params where every edge is known and no rule is needed."""

    nothing: int


class KnownPair(NamedTuple):
    """As `Known`, where two rolls are made at once."""

    nothing: int


@rule(Known)
def running(p, s):
    """Nobody asks."""
    return False


@rule(Known)
def step(p, s, result):
    """Nobody asks."""
    return s


@rule(KnownPair)
def running(p, s):
    """Nobody asks."""
    return False


@rule(KnownPair)
def second(p, s):
    """Nobody asks."""
    return 0


@rule(KnownPair)
def step(p, s, result, other):
    """Nobody asks."""
    return s


class Nothing(NamedTuple):
    """A state of which nothing is known."""

    nothing: int
