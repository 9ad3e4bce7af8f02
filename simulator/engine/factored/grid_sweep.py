"""The pass over a grid (see `grid`): it pushes chance from plane to plane to the final states.

`sweep` is a plain function over arrays or lists, so that a small battle is solved without a compiler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NEGLIGIBLE
from simulator.engine.model.status import BACKWARDS, DONE, PAUSED, ROOM_FOR_FOUND, ROOM_FOR_PLANE, WANTED

# The entries of `at`: the current plane (-1: none) and its next cell; the number of endings, of nodes, of kinds of
# planes; and an invalid table.
PLANE, CELL, FOUND, NODES, KINDS, WRONG = range(6)
FREE = -1
OVER = -1
# States with less chance than NEGLIGIBLE are not followed; on planes of more than MANY cells neither are results with
# less chance than TINY: together far below 1e-12.
TINY, MANY = 1e-21, 4096
PAUSE = 1 << 25


class Nodes(NamedTuple):
    """The part of the chain that is enumerated so far.

    - `of`, plane by plane: 1 + the node of a cell, 0 if it is not made yet.
    - `state`: the fields, node by node, with the counter 0.
    - `lands`: the kind of the plane after the roll, OVER for a final state; `inc`: the amount added to the counter.
    - `table`, `second`: the tables of the node; `along`, `across`: the begin of its results in `place`.
    - `place`: 1 + the position of each result in the plane (for `across` the begin of a row), 0 if it is not filled in.
    - `code[kind]`: the rest of the fields as one number; planes of equal counters are swept in the order of
      `rank[kind]`, which grows when a plane turns out to follow another one.
    """

    of: Any
    state: Any
    lands: Any
    inc: Any
    table: Any
    second: Any
    along: Any
    across: Any
    place: Any
    code: Any
    rank: Any


class Planes(NamedTuple):
    """Planes in progress: the chance of each of their `cells`, slot by slot.

    A slot belongs to a `kind` (FREE: none) and a counter value `count`; `low`, `high` bound the cells with any chance.
    `reached`, `share` are scratch: cells along a plane and their chances, then the same for rows across it.
    """

    cells: int
    reached: Any
    share: Any
    mass: Any
    kind: Any
    count: Any
    low: Any
    high: Any


class GridEndings(NamedTuple):
    """The final states reached: node, counter value, chance.

    `lost[0]` sums the chance that was cut; `lost[1]` is the amount that may be cut at once. `peak` is the largest
    chance of each table.
    """

    node: Any
    count: Any
    p: Any
    lost: Any
    peak: Any


@helper
def next_plane(nodes, planes):
    """The plane with no predecessor in progress: least counter, then least rank; -1 if all are done."""
    best = -1
    for slot in range(len(planes.kind)):
        if planes.kind[slot] == FREE:
            continue
        if best >= 0:
            if planes.count[slot] > planes.count[best]:
                continue
            same = planes.count[slot] == planes.count[best]
            if same and nodes.rank[planes.kind[slot]] >= nodes.rank[planes.kind[best]]:
                continue
        best = slot
    return best


@helper
def slot_of_plane(planes, kind, count):
    """The slot of a plane, a free one if it has none yet; -1 without room."""
    free = -1
    for slot in range(len(planes.kind)):
        if planes.kind[slot] == kind and planes.count[slot] == count:
            return slot
        if planes.kind[slot] == FREE:
            free = slot
    if free >= 0:
        planes.kind[free] = kind
        planes.count[free] = count
        planes.low[free] = planes.cells
        planes.high[free] = -1
    return free


@helper
def likely(rows, table, mass, tiny):
    """The rows of a table with at least the chance `tiny` of this mass: first row, end, sum of their weights."""
    left, right, kept = rows.first[table], rows.first[table + 1], 1.0
    while left < right and mass * rows.weight[left] < tiny:
        kept -= rows.weight[left]
        left += 1
    while left < right and mass * rows.weight[right - 1] < tiny:
        right -= 1
        kept -= rows.weight[right]
    return left, right, kept


class Reached(NamedTuple):
    """The cells that some rows of a table lead to: entries `begin` to `end` of `planes.reached` and `planes.share`.

    They form `runs` runs of adjacent cells; `low`, `high` bound them.
    """

    begin: int
    end: int
    runs: int
    low: int
    high: int


@helper
def find_reached(rows, nodes, planes, places, span, begin):
    """The cells that the rows in this span lead to, by their `places`; they are listed from `begin`."""
    end, runs = begin, 0
    low = high = nodes.place[places + rows.result[span[0]]] - 1
    for row in range(span[0], span[1]):
        cell = nodes.place[places + rows.result[row]] - 1
        if end > begin and planes.reached[end - 1] == cell:
            planes.share[end - 1] += rows.weight[row]
            continue
        if end == begin or planes.reached[end - 1] != cell - 1:
            runs += 1
        planes.reached[end] = cell
        planes.share[end] = rows.weight[row]
        low, high, end = min(low, cell), max(high, cell), end + 1
    return Reached(begin, end, runs, low, high)


@helper
def hand_out(rows, nodes, planes, found, node, slot, mass):
    """Push the chance of a node to the rectangle of its results; returns the number of cells."""
    table, second, tiny = nodes.table[node], nodes.second[node], found.lost[1]
    left, right, kept = likely(rows, table, mass * found.peak[second], tiny)
    bottom, top, rest = likely(rows, second, mass * found.peak[table], tiny)
    found.lost[0] += mass * (1.0 - kept * rest)
    if left >= right or bottom >= top:
        return 0
    half = len(planes.share) // 2
    along = find_reached(rows, nodes, planes, nodes.along[node], (left, right), 0)
    across = find_reached(rows, nodes, planes, nodes.across[node], (bottom, top), half)
    add_rectangle(planes.mass, planes.reached, planes.share, (slot * planes.cells, mass), along, across)
    planes.low[slot] = min(planes.low[slot], along.low + across.low)
    planes.high[slot] = max(planes.high[slot], along.high + across.high)
    return (top - bottom) * (right - left)


def add_rectangle(cells, reached, share, handed, along, across):
    """Add chances to a rectangle of cells; `grid_kernels` replaces it by a vectorised version.

    `handed`: the first cell of the plane, and the chance of the node.
    """
    base, mass = handed
    for side in range(across.begin, across.end):
        line, part = base + reached[side], mass * share[side]
        for k in range(along.begin, along.end):
            cells[line + reached[k]] += part * share[k]


@helper
def add_final(found, at, node, count, mass):
    """Add a final node, its counter and its chance to those found."""
    found.node[at[FOUND]] = node
    found.count[at[FOUND]] = count
    found.p[at[FOUND]] = mass
    at[FOUND] += 1


@helper
def pass_on(rows, nodes, planes, found, at, place):
    """Hand the mass of a node to the cells after it; returns the work, or minus the status for the caller."""
    kind, count, node, mass = place
    then, after = count + nodes.inc[node], nodes.lands[node]
    if after == OVER:
        if at[FOUND] == len(found.node):
            return -ROOM_FOR_FOUND
        add_final(found, at, node, then, mass)
        return 0
    if then == count and comes_back(nodes, kind, after, at[KINDS]):
        return -BACKWARDS
    slot = slot_of_plane(planes, after, then)
    return hand_out(rows, nodes, planes, found, node, slot, mass) if slot >= 0 else -ROOM_FOR_PLANE


@helper
def comes_back(nodes, kind, after, kinds):
    """Rank a kind of node after the one that leads to it without counting; True if that closes a circle."""
    if nodes.rank[after] > nodes.rank[kind]:
        return False
    nodes.rank[after] = nodes.rank[kind] + 1
    return after == kind or nodes.rank[after] >= kinds


def sweep(rows, nodes, planes, found, at, pause):
    """Push all chance to final states: DONE, WANTED if a node has to be made, or another status for the caller."""
    work = 0
    while True:
        if at[PLANE] < 0:
            at[PLANE] = next_plane(nodes, planes)
            if at[PLANE] < 0:
                return DONE
            at[CELL] = planes.low[at[PLANE]]
        here = at[PLANE]
        kind, count, base = planes.kind[here], planes.count[here], here * planes.cells
        for cell in range(at[CELL], planes.high[here] + 1):
            mass = planes.mass[base + cell]
            if mass == 0.0:
                continue
            at[CELL] = cell
            node = nodes.of[kind * planes.cells + cell] - 1
            if mass <= NEGLIGIBLE and (found.lost[1] > 0.0 or (node >= 0 and nodes.lands[node] != OVER)):
                found.lost[0] += mass
                planes.mass[base + cell] = 0.0
                continue
            if node < 0:
                return WANTED
            if work > pause:
                return PAUSED
            more = pass_on(rows, nodes, planes, found, at, (kind, count, node, mass))
            if more < 0:
                return -more
            work += more
            planes.mass[base + cell] = 0.0
        planes.kind[here] = FREE
        at[PLANE] = -1
