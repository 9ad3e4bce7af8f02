"""New nodes and edges of a lazy graph: the rules take the steps of lanes on unexplored edges.

All these lanes advance together, one stage after the other, so that the memory accesses of a stage overlap.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.jit.kernels import (
    inner,
    load,
    moved,
    outlined,
    paired,
    running,
    second,
    store,
    table,
    within,
    word_of,
)
from simulator.engine.jit.state_table import hash_of
from simulator.engine.model.chain import MOST_TURNS
from simulator.engine.model.status import BROKEN, DONE
from simulator.engine.model.streams import HIGH
from simulator.engine.sample.node_walk import BLOCK, BLOCK_BITS, ONE_ROLL, TWO_ROLLS, row_drawn
from simulator.engine.sample.walk import COUNT, FINAL, LANES, NODE, put, slot_in

# The entries of `known`: the nodes, their blocks, whether the graph is full; the random numbers drawn for the current
# order, and the steps to an unexplored edge; the numbered jumps of the counter.
NODES, BLOCKS, SHUT, DRAWN, STEPPED, JUMPED = range(6)
# In place of a table: the battle is over.
OVER = -1
# The most new nodes of a lane for one number.
MOST_NEW = 2


class LazyNodes(NamedTuple):
    """The nodes so far, in the layout of `node_walk`: `words` holds them, each with its packed state in the first
    `head` words; running states may take up to `budget` blocks.

    After node 0 each lane has a private node, for a state that does not fit; the others begin at `first`. `slots` is a
    table (`walk.slot_in`) of nodes. `jumps` are the amounts that edges add to the counter, by number; empty without a
    counter.
    """

    words: np.ndarray
    slots: np.ndarray
    jumps: np.ndarray
    head: int
    first: int
    budget: int


class RuleSteps(NamedTuple):
    """Scratch buffer of steps by the rules: their targets (packed states: words x steps; both tables, OVER for a final
    state; hashes; contents of their slots); the amounts added to the counter; the places of edges, or 0.
    """

    key: np.ndarray
    table: np.ndarray
    second: np.ndarray
    code: np.ndarray
    seen: np.ndarray
    inc: np.ndarray
    edge: np.ndarray


def new_steps(words: int) -> RuleSteps:
    """A buffer for states of this many words."""
    table, second, inc, edge = np.zeros((4, LANES), np.int64)
    code, seen = np.zeros((2, LANES), np.uint64)
    return RuleSteps(np.zeros((words, LANES), np.uint64), table, second, code, seen, inc, edge)


class RuleData(NamedTuple):
    """The inputs of steps by the rules: `narrow` alias tables by row, `chance.Rows`, scratch buffers for steps and the
    fields of two states, the layout of packed states, the place of the counter, or -1.
    """

    bits: int
    entry: np.ndarray
    rows: Any
    steps: RuleSteps
    fields: np.ndarray
    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    limit: np.ndarray
    place: np.ndarray
    counted: int


@inner
def blocks_for(m, p, edges):
    """The number of blocks of a node with this many edges."""
    words = m.head + (TWO_ROLLS if paired(p) else ONE_ROLL) + edges
    return (words + BLOCK - 1) >> BLOCK_BITS


@inner
def place_of(node):
    """The first word of a node."""
    return uint64(node & NODE) << uint64(BLOCK_BITS)


@outlined
def look_for(found, key, code, slots, seen):
    """Hashes of the first `found` packed states (words x states); it prefetches their slots, all together."""
    words, last = key.shape[0], uint64(slots.shape[0] - 1)
    for i in range(found):
        code[i] = hash_of(key, i, words)
    for i in range(found):
        seen[i] = slots[code[i] & last, words]


@inner
def write_state(m, node, key, i):
    """Write packed state `i` into a node."""
    at = place_of(node)
    for w in range(key.shape[0]):
        m.words[at + uint64(2 * w)] = uint32(key[w, i])
        m.words[at + uint64(2 * w + 1)] = uint32(key[w, i] >> HIGH)


@inner
def read_state(m, b, node):
    """Read the state of a node into column 0 of the buffer; the counter is 0."""
    at = place_of(node)
    for f in range(b.fields.shape[0]):
        place = at + uint64(2 * b.word[f])
        word = uint64(m.words[place]) | uint64(m.words[place + uint64(1)]) << HIGH
        b.fields[f, 0] = int64((word >> b.shift[f]) & b.mask[f])


@inner
def rows_drawn(p, s, data, number, beside):
    """Both results that the halves of a number draw in a state, and the place of the edge in its node."""
    rows, t = data.rows, int64(table(p, s))
    row = int64(row_drawn(t, number, data.bits, data.entry))
    result, other, edge = rows.result[rows.first[t] + row], int64(0), row + ONE_ROLL
    if paired(p):
        u = int64(second(p, s))
        across = int64(row_drawn(u, beside, data.bits, data.entry))
        other = rows.result[rows.first[u] + across]
        edge = TWO_ROLLS + row + across * (rows.first[t + 1] - rows.first[t])
    return result, other, edge


@inner
def step_lane(p, m, data, w, number, i):
    """Step listed lane `i` by the rules: DONE or BROKEN."""
    steps, lane = data.steps, w.ended[i]
    node = int64(w.was[lane] & NODE)
    read_state(m, data, node)
    s = load(p, data.fields, 0)
    result, other, edge = rows_drawn(p, s, data, number[lane], w.low[lane])
    after = moved(p, s, result, other, MOST_TURNS)
    store(p, data.fields, 1, after)
    if not within(p, after, data.limit):
        return int64(BROKEN)
    steps.inc[i] = data.fields[data.counted, 1] if data.counted >= 0 else int64(0)
    steps.edge[i] = int64(place_of(node)) + m.head + edge if node >= m.first else int64(0)
    for word in range(steps.key.shape[0]):
        steps.key[word, i] = word_of(p, after, data, word)
    t, u, tables = int64(OVER), int64(0), data.rows.first.shape[0] - 1
    if running(p, after):
        t, u = int64(table(p, after)), int64(second(p, after))
        if t < 0 or t >= tables or u < 0 or u >= tables:
            return int64(BROKEN)
    steps.table[i], steps.second[i] = t, u
    return int64(DONE)


@inner
def add_node(p, m, data, known, lane, i, slot):
    """Add a node for entry `i` of the buffer, or use the private node of the lane; returns the node."""
    steps, first = data.steps, data.rows.first
    t, u = steps.table[i], steps.second[i]
    over, width, fan = t == OVER, int64(0), int64(1)
    if not over:
        width = first[t + 1] - first[t]
        fan = width * (first[u + 1] - first[u] if paired(p) else 1)
    node, after = known[BLOCKS], known[BLOCKS] + blocks_for(m, p, fan)
    if not over and (known[SHUT] or after > m.budget):
        known[SHUT] = 1
        node = 1 + lane * blocks_for(m, p, 1)
        write_state(m, node, steps.key, i)
        return node
    write_state(m, node, steps.key, i)
    at = place_of(node) + uint64(m.head)
    m.words[at] = uint32(0 if over else t)
    if paired(p):
        m.words[at + uint64(1)], m.words[at + uint64(2)] = uint32(u), uint32(width)
    put(m.slots, slot, steps.key, i, steps.key.shape[0], uint64(node))
    known[NODES] += 1
    known[BLOCKS] = after
    return node


@inner
def jump_number(m, known, inc):
    """The number of a jump of the counter, a new one if necessary; -1 if all are taken."""
    if inc == 0:
        return int64(0)
    for number in range(1, known[JUMPED]):
        if m.jumps[number] == uint64(inc):
            return int64(number)
    if known[JUMPED] == m.jumps.shape[0]:
        return int64(-1)
    m.jumps[known[JUMPED]] = uint64(inc)
    known[JUMPED] += 1
    return known[JUMPED] - 1


@inner
def arrive(p, m, data, known, w, i):
    """Move listed lane `i` to the target of its step, and store the edge."""
    steps, lane = data.steps, int64(w.ended[i])
    words = steps.key.shape[0]
    slot = slot_in(m.slots, steps.code[i], steps.key, i, words)
    node = int64(m.slots[slot, words])
    if node == 0:
        node = add_node(p, m, data, known, lane, i, slot)
    target, inc = node | (FINAL if steps.table[i] == OVER else 0), steps.inc[i]
    w.at[lane] = target
    w.held[lane] += uint64(inc)
    if steps.edge[i] != 0 and node >= m.first:
        number = jump_number(m, known, inc)
        if number >= 0:
            m.words[steps.edge[i]] = uint32(target | number << COUNT)


@inner
def too_full(p, m, known):
    """Is there too little room for all nodes that one number may add? The budget limits running states only."""
    more = MOST_NEW * LANES
    blocks = max(known[BLOCKS], m.budget) + more * blocks_for(m, p, 1)
    return blocks << BLOCK_BITS > m.words.shape[0] or 2 * (known[NODES] + more) > m.slots.shape[0]


@inner
def step_lost(p, m, data, known, w, number, lost):
    """Step the listed lanes by the rules from where they were, and store their nodes and edges: DONE or BROKEN.

    The hash slots of all lanes are prefetched before any lane advances: separate accesses took most of the time.
    """
    steps = data.steps
    for i in range(lost):
        status = step_lane(p, m, data, w, number, i)
        if status != DONE:
            return status
    look_for(lost, steps.key, steps.code, m.slots, steps.seen)
    for i in range(lost):
        arrive(p, m, data, known, w, i)
    return int64(DONE)
