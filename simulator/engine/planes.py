"""The pass over a grid (see `grid`): chance is pushed from plane to plane until it lies in final states.

`sweep` is a plain function over arrays or lists: a small battle is solved before anything is compiled.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from simulator.engine.chain import helper

DONE, WANTED, ROOM_FOR_PLANE, ROOM_FOR_FOUND, PAUSED, BACKWARDS, BAD_FIELD, BAD_TABLE, ROOM, NOT_APART = range(10)
# What `at` holds: the plane being swept (-1: none) and the cell next in it, endings found, nodes, kinds of planes, and
# which table was wrong.
PLANE, CELL, FOUND, NODES, KINDS, WRONG = range(6)
FREE = -1
OVER = -1
# States that fewer battles come to are not followed; on planes of more than so many cells, neither are results that
# less of a state's chance leads to: together far below 1e-12.
UNLIKELY, TINY, MANY = 1e-18, 1e-21, 4096
PAUSE = 1 << 25


class Nodes(NamedTuple):
    """What is known of the chain so far.

    - `of`, plane by plane: 1 + the node that a cell comes to, 0 where that is not known yet.
    - `state`: its fields, node by node, the counter 0.
    - `lands`: kind of the plane that its dice land in, OVER for a final state; `inc`: what is added to the counter.
    - `table`, `second`: its tables; `along`, `across`: where its results begin in `place`.
    - `place`: 1 + where each result leads in the plane, the beginning of a row across it; 0 where that is not known.
    - `code[kind]`: the rest of the fields as one number; planes of equal counters are swept in the order of
      `rank[kind]`, which grows where a plane turns out to follow another one.
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
    """Planes under way: the chance of each of their `cells`, slot by slot.

    Each is that of a `kind` (FREE: none) and of what the counter holds; `low`, `high` bound the cells that have any.
    """

    cells: int
    mass: Any
    kind: Any
    count: Any
    low: Any
    high: Any


class Found(NamedTuple):
    """Final states that were reached: node, what the counter holds, chance.

    `lost` gathers, in place 0, the chance that was cut; place 1 says how much may be cut at once.
    """

    node: Any
    count: Any
    p: Any
    lost: Any


@helper
def next_plane(nodes, planes):
    """The plane that none other leads to: least counter, then least rank; -1 if all are done."""
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
    """The slot of a plane, a free one if it has none yet; -1 if there is no room."""
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
    """The rows of a table that get more than so little of this chance: first one, end, their sum, the largest."""
    left, right = rows.first[table], rows.first[table + 1]
    kept, largest = 1.0, 0.0
    while left < right and mass * rows.weight[left] < tiny:
        kept -= rows.weight[left]
        left += 1
    while left < right and mass * rows.weight[right - 1] < tiny:
        right -= 1
        kept -= rows.weight[right]
    for row in range(left, right):
        largest = max(largest, rows.weight[row])
    return left, right, kept, largest


@helper
def hand_out(rows, nodes, planes, found, node, slot, mass):
    """Hand a node's chance to the rectangle of its results; returns how many cells that were."""
    bottom, top, rest, most = likely(rows, nodes.second[node], mass, found.lost[1])
    left, right, kept, largest = likely(rows, nodes.table[node], mass * most, found.lost[1])
    found.lost[0] += mass * (1.0 - kept * rest)
    if left >= right or bottom >= top:
        return 0
    along, across, base = nodes.along[node], nodes.across[node], slot * planes.cells
    begin = nodes.place[along + rows.result[left]] - 1
    low, high, apart = begin, begin, left
    for row in range(left, right):
        place = nodes.place[along + rows.result[row]] - 1
        if row == apart and place - begin == row - left:
            apart = row + 1
        low, high = min(low, place), max(high, place)
    first, last = planes.low[slot], planes.high[slot]
    for side in range(bottom, top):
        part = mass * rows.weight[side]
        if part * largest < found.lost[1]:
            found.lost[0] += part * kept
            continue
        line = nodes.place[across + rows.result[side]] - 1
        first, last = min(first, line + low), max(last, line + high)
        add_row(planes.mass, base + line + begin, rows.weight, left, apart - left, part)
        for row in range(apart, right):
            place = nodes.place[along + rows.result[row]] - 1
            planes.mass[base + line + place] += part * rows.weight[row]
    planes.low[slot], planes.high[slot] = first, last
    return (top - bottom) * (right - left)


def add_row(cells, to, weight, first, size, part):
    """Add `size` weights, times `part`, to as many neighbouring cells; `grid_kernels` compiles a version of its own."""
    for k in range(size):
        cells[to + k] += part * weight[first + k]


def sweep(rows, nodes, planes, found, at, pause):
    """Push all chance to final states: DONE, WANTED where a node has to be made first, or why the caller is needed."""
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
            unlikely = mass <= UNLIKELY and (found.lost[1] > 0.0 or (node >= 0 and nodes.lands[node] != OVER))
            if unlikely:
                found.lost[0] += mass
                planes.mass[base + cell] = 0.0
                continue
            if node < 0:
                return WANTED
            if work > pause:
                return PAUSED
            then = count + nodes.inc[node]
            if nodes.lands[node] == OVER:
                if at[FOUND] == len(found.node):
                    return ROOM_FOR_FOUND
                found.node[at[FOUND]] = node
                found.count[at[FOUND]] = then
                found.p[at[FOUND]] = mass
                at[FOUND] += 1
            else:
                after = nodes.lands[node]
                if then == count and nodes.rank[after] <= nodes.rank[kind]:
                    nodes.rank[after] = nodes.rank[kind] + 1
                    if after == kind or nodes.rank[after] >= at[KINDS]:
                        return BACKWARDS
                slot = slot_of_plane(planes, after, then)
                if slot < 0:
                    return ROOM_FOR_PLANE
                work += hand_out(rows, nodes, planes, found, node, slot, mass)
            planes.mass[base + cell] = 0.0
        planes.kind[here] = FREE
        at[PLANE] = -1
