"""Exact chances where two rolls act apart: what follows is spelled out for each roll alone, never for their pairs.

The first roll changes some fields of the state (`Chain.apart`), the other roll others, and whatever else a step does is
the same for all results. So a state is known by two lists, of one place on each of two axes for each result, and its
chance goes to all places of their rectangle. Where a battle lands (`lands`) is a cell of a *plane*: a grid over both
axes, one for each value of the remaining fields and of the counter. What a cell comes to without dice (`follows`) is a
*node*: a final state, or one with lists of its own. Nodes are made when chance comes to them, plane by plane.

`sweep` is a plain function over arrays or lists: a small battle is solved before anything is compiled.
"""

from __future__ import annotations

import time
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.chain import Chain, Ends, helper
from simulator.engine.explicit import Progress, compiled_here, patience_for, plain_params, plain_state, spent
from simulator.engine.limits import BrokenGame, NoExactOdds, in_words

DONE, WANTED, ROOM_FOR_PLANE, ROOM_FOR_FOUND, PAUSED, BACKWARDS, BAD_FIELD, BAD_TABLE, ROOM, NOT_APART = range(10)
# What `at` holds: the plane being swept (-1: none) and the cell next in it, endings found, nodes, entries of lists,
# values of the remaining fields met (kinds of planes), which table was wrong or how many entries had no room, how many
# nodes are the start again, and where the last results lead.
PLANE, CELL, FOUND, NODES, ENTRIES, KINDS, WRONG, AGAIN, ALONG_LAST, ACROSS_LAST = range(10)
FREE = -1
OVER = -1
# Cells that fewer battles come to are not followed, nor results that less of a cell's chance leads to: together far
# below 1e-12.
UNLIKELY, TINY = 1e-18, 1e-21
PAUSE = 1 << 25
# Kinds of planes that there may be, and cells of a plane; a battle with more is spelled out as a graph.
MOST_KINDS, MOST_CELLS = 1 << 24, 1 << 22


class Nodes(NamedTuple):
    """What is known of the chain so far.

    - `of`, plane by plane: 1 + the node that a cell comes to, 0 where that is not known yet.
    - `state`: its fields, node by node, the counter 0.
    - `lands`: kind of the plane that what follows lies in, OVER for a final state; `inc`: what is
      added to the counter until there.
    - `begin[node]`: where its list along the first axis begins, the other one after it, and where both end (3 values);
      `place`, `weight`: the lists. A place on the other axis is the beginning of its row.
    - `code[kind]`: the remaining fields of its planes as one number; planes of equal counters are swept by `rank[kind]`,
      which grows where a plane turns out to follow another one.
    """

    of: Any
    state: Any
    lands: Any
    inc: Any
    begin: Any
    place: Any
    weight: Any
    code: Any
    rank: Any


class Planes(NamedTuple):
    """Planes under way: the chance of each of their `cells`, slot by slot, of a plane of `kind` (FREE: none) and `count`.

    `low`, `high` bound the cells that have any.
    """

    cells: int
    mass: Any
    kind: Any
    count: Any
    low: Any
    high: Any


class Found(NamedTuple):
    """Final states that were reached: node, what the counter holds, chance. `lost` gathers, in place 0, what was cut."""

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
def hand_out(nodes, planes, found, node, slot, mass):
    """Hand a node's chance to the rectangle of its lists; returns how many cells that were."""
    first, middle, end = nodes.begin[3 * node], nodes.begin[3 * node + 1], nodes.begin[3 * node + 2]
    most = 0.0
    for e in range(middle, end):
        most = max(most, nodes.weight[e])
    left, right = first, middle
    kept = 1.0
    while left < right and mass * most * nodes.weight[left] < TINY:
        kept -= nodes.weight[left]
        left += 1
    while left < right and mass * most * nodes.weight[right - 1] < TINY:
        right -= 1
        kept -= nodes.weight[right]
    found.lost[0] += mass * (1.0 - kept)
    if left == right:
        return 0
    largest = 0.0
    low, high, together = nodes.place[left], nodes.place[left], True
    for e in range(left, right):
        together = together and nodes.place[e] - nodes.place[left] == e - left
        largest = max(largest, nodes.weight[e])
        low = min(low, nodes.place[e])
        high = max(high, nodes.place[e])
    base = slot * planes.cells
    bottom, top = planes.low[slot], planes.high[slot]
    rows = 0
    for e in range(middle, end):
        part = mass * nodes.weight[e]
        if part * largest < TINY:
            found.lost[0] += part * kept
            continue
        row = nodes.place[e]
        bottom = min(bottom, row + low)
        top = max(top, row + high)
        if together:
            add_row(planes.mass, base + row + low, nodes.weight, left, right - left, part)
        else:
            for k in range(left, right):
                planes.mass[base + row + nodes.place[k]] += part * nodes.weight[k]
        rows += 1
    planes.low[slot] = bottom
    planes.high[slot] = top
    return rows * (right - left)


@helper
def add_row(cells, to, weight, first, size, part):
    """Add `size` weights, times `part`, to as many neighbouring cells."""
    for k in range(size):
        cells[to + k] += part * weight[first + k]


def sweep(nodes, planes, found, at, pause):
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
            if mass <= UNLIKELY:
                found.lost[0] += mass
                planes.mass[base + cell] = 0.0
                continue
            at[CELL] = cell
            node = nodes.of[kind * planes.cells + cell] - 1
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
                    if nodes.rank[after] > at[KINDS]:
                        return BACKWARDS
                slot = slot_of_plane(planes, after, then)
                if slot < 0:
                    return ROOM_FOR_PLANE
                work += hand_out(nodes, planes, found, node, slot, mass)
            planes.mass[base + cell] = 0.0
        planes.kind[here] = FREE
        at[PLANE] = -1


class Axes(NamedTuple):
    """Where a state lies: by field, its stride `along` the first axis, `across` to the other one's rows, and among the
    `kinds` of planes (0 where the field is no part of it); how many values it has. The counter is in none of them.
    """

    along: np.ndarray
    across: np.ndarray
    kinds: np.ndarray
    values: np.ndarray

    @property
    def cells(self) -> int:
        """Cells of a plane."""
        return int(((self.values - 1) * (self.along + self.across)).sum()) + 1

    @property
    def most_kinds(self) -> int:
        """Kinds of planes that there may be."""
        return int(((self.values - 1) * self.kinds).sum()) + 1


def axes_of(chain: Chain) -> Axes:
    """The axes of a chain whose rolls act apart."""
    assert chain.apart is not None
    fields, values = chain.start._fields, np.array([int(limit) + 1 for limit in chain.limits])
    strides, width = np.zeros((3, len(fields)), np.int64), 1
    for axis, names in enumerate((*chain.apart, ())):
        stride = width if axis < 2 else 1
        for f, name in enumerate(fields):
            of_kind = axis == 2 and f != chain.counted and name not in chain.apart[0] + chain.apart[1]
            if name in names or of_kind:
                strides[axis, f] = stride
                stride *= int(values[f])
        width = stride
    return Axes(*strides, values)


def fits(chain: Chain) -> bool:
    """May this chain be solved on a grid?"""
    if chain.apart is None or chain.counted < 0 or chain.decided:
        return False
    axes = axes_of(chain)
    return axes.cells <= MOST_CELLS and axes.most_kinds <= MOST_KINDS


def size_of(nodes: int, entries: int, kinds: int, planes: int, cells: int) -> int:
    """Bytes that so much is reckoned at: what budgets are held against."""
    return nodes * 64 + entries * 12 + kinds * cells * 4 + planes * cells * 8


def over_budget(nodes: int, size: int, budget: int) -> NoExactOdds:
    """The refusal of a grid that grew past its budget."""
    return NoExactOdds(
        f"more than {nodes:,} states, not all of them followed: at least {in_words(size)}, past the budget of "
        f"{in_words(budget)}"
    )


class Loops(Exception):
    """A battle whose planes lead back to each other: it has to be spelled out as a graph."""


def not_apart(chain: Chain, state: Any) -> BrokenGame:
    """The rolls do not keep to their fields."""
    return BrokenGame(f"apart: the two rolls do not act apart in {state}; they were to change {chain.apart} only")


class PlainGrid:
    """Solves a chain by the game's functions as they stand, and by `sweep` as plain Python."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain, self.budget = chain, budget
        self._p = plain_params(chain.params)
        tables = chain.tables
        first, result, weight = tables.first.tolist(), tables.result.tolist(), tables.weight.tolist()
        self._rows = [(result[a:b], weight[a:b]) for a, b in pairwise(first)]
        axes = axes_of(chain)
        self._cells = axes.cells
        self._along, self._across, self._kind, self._values = (part.tolist() for part in axes)
        self._kinds: dict[int, int] = {}

    def ends(self, patience: float = float("inf")) -> Ends | None:
        """The endings, or None if that took longer than `patience` seconds.

        Raises BrokenGame, NoExactOdds as `explicit.spell_out`, and Loops.
        """
        deadline = time.thread_time() + patience
        nodes, planes = Nodes([], [], [], [], [], [], [], [], []), Planes(self._cells, [], [], [], [], [])
        found, at = Found([], [], [], [0.0]), [-1, 0, 0, 0, 0, 0, 0, 0]
        self._begin(nodes, planes, at)
        while (status := sweep(nodes, planes, found, at, PAUSE >> 8)) != DONE:
            if status == WANTED:
                self._wanted(nodes, planes, at)
            elif status == ROOM_FOR_FOUND:
                for values in found[:3]:
                    values += [0] * 64
            elif status == ROOM_FOR_PLANE:
                self._more_planes(planes)
            elif status == BACKWARDS:
                raise Loops
            size = size_of(at[NODES], at[ENTRIES], len(self._kinds), len(planes.kind), self._cells)
            if size > self.budget:
                raise over_budget(at[NODES], size, self.budget)
            if time.thread_time() > deadline:
                return None
        return self._ends(nodes, found, at)

    def _ends(self, nodes: Nodes, found: Found, at: list[int]) -> Ends:
        numbers, counts, p = (values[: at[FOUND]] for values in found[:3])
        fields = np.array(nodes.state, np.int64).reshape(-1, len(self.chain.start))[numbers].T
        fields[self.chain.counted] = counts
        states = type(self.chain.start)(*np.ascontiguousarray(fields))
        return Ends(states, np.array(p, float), residual=found.lost[0], explored=at[NODES] - at[AGAIN])

    def _more_planes(self, planes: Planes) -> None:
        planes.mass.extend([0.0] * self._cells)
        for values, fill in zip(planes[2:], (FREE, 0, 0, 0), strict=True):
            values.append(fill)

    def _begin(self, nodes: Nodes, planes: Planes, at: list[int]) -> None:
        """All chance lies where the start does."""
        start = plain_state(self.chain, self.chain.start)
        self._more_planes(planes)
        kind = self._kind_of(nodes, at, self._dot(self._kind, start))
        at[PLANE] = slot_of_plane(planes, kind, 0)
        at[CELL] = planes.low[0] = planes.high[0] = self._dot(self._along, start) + self._dot(self._across, start)
        planes.mass[at[CELL]] = 1.0
        nodes.of[kind * self._cells + at[CELL]] = 1
        self._start = start._replace(**{start._fields[self.chain.counted]: 0})
        self._make(nodes, at, start)

    def _wanted(self, nodes: Nodes, planes: Planes, at: list[int]) -> None:
        """Make the node that the sweep has come to."""
        kind, cell = planes.kind[at[PLANE]], at[CELL]
        code = nodes.code[kind]
        fields = [
            (cell // (along + across) if along + across else code // other if other else 0) % values
            for along, across, other, values in zip(self._along, self._across, self._kind, self._values, strict=True)
        ]
        nodes.of[kind * self._cells + cell] = at[NODES] + 1
        raw = type(self.chain.start)(*fields)
        self._make(nodes, at, plain_state(self.chain, self.chain.part("follows")(self._p, raw), raw))

    @staticmethod
    def _dot(strides: list[int], state: Any) -> int:
        return sum(stride * value for stride, value in zip(strides, state, strict=True) if stride)

    def _kind_of(self, nodes: Nodes, at: list[int], code: int) -> int:
        if code not in self._kinds:
            self._kinds[code] = at[KINDS]
            at[KINDS] += 1
            nodes.code.append(code)
            nodes.rank.append(0)
            nodes.of.extend([0] * self._cells)
        return self._kinds[code]

    def _make(self, nodes: Nodes, at: list[int], settled: Any) -> None:
        """A node for a state in which dice are rolled, or which is final."""
        chain, p, node = self.chain, self._p, at[NODES]
        counted = chain.counted
        name = chain.start._fields[counted]
        inc, s = settled[counted], settled._replace(**{name: 0})
        at[NODES] += 1
        at[AGAIN] += node > 0 and s == self._start
        nodes.state.extend(s)
        if not chain.part("running")(p, s):
            nodes.lands.append(OVER)
            nodes.inc.append(inc)
            nodes.begin.extend([at[ENTRIES]] * 3)
            return
        (results, chances), (others, shares) = self._rolls(p, s)
        lands = chain.part("lands")
        ends = [plain_state(chain, lands(p, s, result, others[0]), s) for result in results]
        sides = [plain_state(chain, lands(p, s, results[0], other), s) for other in others]
        last = plain_state(chain, lands(p, s, results[-1], others[-1]), s)
        self._hold_apart(s, ends, sides, last)
        nodes.lands.append(self._kind_of(nodes, at, self._dot(self._kind, last)))
        nodes.inc.append(inc + last[counted])
        nodes.begin.append(at[ENTRIES])
        for strides, states, weights in ((self._along, ends, chances), (self._across, sides, shares)):
            merged: dict[int, float] = {}
            for state, weight in zip(states, weights, strict=True):
                place = self._dot(strides, state)
                merged[place] = merged.get(place, 0.0) + weight
            nodes.place.extend(merged)
            nodes.weight.extend(merged.values())
            at[ENTRIES] += len(merged)
            nodes.begin.append(at[ENTRIES])

    def _rolls(self, p: Any, s: Any) -> list[tuple[list[int], list[float]]]:
        """Results and chances of both rolls."""
        found = []
        for part in ("table", "second"):
            index = int(self.chain.part(part)(p, s))
            if not 0 <= index < len(self._rows):
                raise BrokenGame(f"chance table {index}: there are tables 0 to {len(self._rows) - 1}; state {s}")
            found.append(self._rows[index])
        return found

    def _hold_apart(self, s: Any, ends: list[Any], sides: list[Any], last: Any) -> None:
        """Raise BrokenGame where a roll changes anything but its own fields, as far as these results show it."""
        for f, (along, across) in enumerate(zip(self._along, self._across, strict=True)):
            alike = sides if along else ends if across else ends + sides
            due = ends[-1][f] if along else sides[-1][f] if across else ends[0][f]
            if last[f] != due or any(state[f] != alike[0][f] for state in alike):
                raise not_apart(self.chain, s)


def ends(chain: Chain, budget: int, progress: Progress | None = None) -> Ends | None:
    """The endings of a chain that fits on a grid; None where its planes lead back to each other.

    By plain Python while that is sooner (see `explicit`). Raises BrokenGame, NoExactOdds as `explicit.spell_out`.
    """
    try:
        patience = patience_for(chain, "push_through")
        found = None
        if patience > 0:
            begun = time.thread_time()
            found = PlainGrid(chain, budget).ends(patience)
            spent(chain, time.thread_time() - begun)
        if found is None:
            from simulator.engine.grid_kernels import CompiledGrid

            compiled_here.add(type(chain.params))
            found = CompiledGrid(chain, budget).ends(progress)
        return found
    except Loops:
        return None
