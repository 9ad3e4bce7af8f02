"""Exact chances of factored chains: results are enumerated for each of the two rolls alone, never for their pairs.

The fields of a state have three parts: those that the first roll changes, those that the second roll changes
(`Chain.factored`), and the rest. The dice (`lands`) change each part separately, so that the successors of each part
are enumerated alone, and the chance of a state goes to a rectangle of successors. Each is a cell of a *plane*: a
grid over the values of both parts (the first along it, the second across), one for each rest and counter value.
The part of the step without dice (`follows`) leads from a cell to a *node*: a final state, or one with a table for
each roll. Nodes are made when chance first reaches them, plane by plane.

A small battle is solved as plain Python, a larger one by `grid_kernels`.
"""

from __future__ import annotations

import time
from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.factored.grid_sweep import (
    CELL,
    FOUND,
    FREE,
    KINDS,
    MANY,
    NODES,
    OVER,
    PAUSE,
    PLANE,
    TINY,
    Endings,
    Nodes,
    Planes,
    slot_of_plane,
    sweep,
)
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.chance import Rows
from simulator.engine.model.interpreted import plain_params, plain_state
from simulator.engine.model.limits import BrokenGame, NoExactOdds, in_words
from simulator.engine.model.status import BACKWARDS, DONE, ROOM_FOR_FOUND, ROOM_FOR_PLANE, WANTED

# Initial room for planes in progress.
PLANES = 4
# Limits of kinds of planes, cells of a plane, and places of a kind; a larger battle is enumerated as a graph.
MOST_KINDS, MOST_CELLS, MOST_PLACES = 1 << 25, 1 << 22, 1 << 24
# Limit of the cells of a plane times the pairs of results of two rolls: beyond it enumeration takes longer than a
# simulation on a lazy graph (100 against 100 infantry, a million battles: 2.8 s, against 0.2 s in all).
MOST_PAIRS = 1 << 22
# Results of each roll with which the start state is checked to be factored.
SOME = 6
_checked: set[type] = set()
# Most places for each cell in a grid walk. 20 against 20 at sea has 74, most of them never visited: its grid walk was
# no faster than the lazy walk, and began 50 ms later; 150 against 149 units has 2.
MOST_PLACES_A_CELL = 16


class Axes(NamedTuple):
    """The position of a state: for each field its stride `along` a plane, `across` it, and in the code of the rest.

    A stride is 0 if the field has no part in that axis; the counter is in none. `values` is the number of values of
    each field; a plane has `long` cells along it, in `wide` rows.
    """

    along: np.ndarray
    across: np.ndarray
    rest: np.ndarray
    values: np.ndarray
    long: int
    wide: int

    @property
    def cells(self) -> int:
        """Cells of a plane."""
        return self.long * self.wide

    def distinct(self, states: np.ndarray) -> int:
        """The number of distinct states among these rows: several cells may lead to the same state."""
        codes = states @ (self.along + self.across + self.rest * self.cells)
        codes.sort()
        return int(np.count_nonzero(codes[1:] != codes[:-1])) + 1

    @property
    def tiny(self) -> float:
        """The chance that may be cut at once."""
        return TINY if self.cells > MANY else 0.0

    @property
    def lengths(self) -> tuple[int, int]:
        """Cells along a plane, and rows across it."""
        return self.long, self.wide


def axes_of(chain: Chain) -> Axes:
    """The axes of a factored chain."""
    assert chain.factored is not None
    return _axes_of(chain.start._fields, tuple(map(int, chain.limits)), chain.counted, chain.factored)


@lru_cache(maxsize=1024)
def _axes_of(
    fields: tuple[str, ...], limits: tuple[int, ...], counted: int, factored: tuple[tuple[str, ...], tuple[str, ...]]
) -> Axes:
    strides, width, widths = np.zeros((3, len(fields)), np.int64), 1, []
    for axis, names in enumerate((*factored, ())):
        stride = width if axis < 2 else 1
        for f, name in enumerate(fields):
            of_kind = axis == 2 and f != counted and name not in factored[0] + factored[1]
            if name in names or of_kind:
                strides[axis, f] = stride
                stride *= limits[f] + 1
        width = stride
        widths.append(width)
    return Axes(*strides, np.array(limits) + 1, widths[0], widths[1] // widths[0])


def fits_on_grid(chain: Chain) -> bool:
    """May this chain be solved on a grid?"""
    if chain.factored is None or chain.counted < 0 or chain.decided:
        return False
    values = {name: int(limit) + 1 for name, limit in zip(chain.start._fields, chain.limits, strict=True)}
    del values[chain.start._fields[chain.counted]]
    along, across = (prod(values.pop(name) for name in names) for names in chain.factored)
    if along * across > MOST_CELLS or prod(values.values()) > MOST_KINDS:
        return False
    return (along + across) * width_of(chain) <= MOST_PLACES


def too_wide(chain: Chain) -> bool:
    """Does a factored chain have too many pairs of results for a graph to pay?"""
    if chain.factored is None:
        return False
    return bool(axes_of(chain).cells * np.diff(chain.tables.first).mean() ** 2 > MOST_PAIRS)


def may_be_walked(chain: Chain) -> bool:
    """If this chain is too large for a graph: is the grid walk the fastest simulation?"""
    if not fits_on_grid(chain):
        return False
    axes = axes_of(chain)
    return sum(axes.lengths) * width_of(chain) <= MOST_PLACES_A_CELL * axes.cells


def width_of(chain: Chain) -> int:
    """The number of places for each value of a part: one for each result."""
    return int(chain.tables.result.max(initial=0)) + 1


def peaks(chain: Chain) -> np.ndarray:
    """The largest chance of each table."""
    return np.maximum.reduceat(chain.tables.weight, chain.tables.first[:-1])


def check_budget(chain: Chain, axes: Axes, at: Any, budget: int) -> None:
    """Raise NoExactOdds if nodes, kinds, endings and planes need more bytes than the budget."""
    nodes, kinds, endings = int(at[NODES]), int(at[KINDS]), int(at[FOUND])
    places = sum(axes.lengths) * width_of(chain)
    size = nodes * (40 + 4 * len(chain.start)) + 4 * kinds * (axes.cells + places)
    size += 20 * endings + 8 * PLANES * axes.cells
    if size > budget:
        raise NoExactOdds(
            f"more than {nodes:,} states and {endings:,} endings, not all of them followed: at least "
            f"{in_words(size)}, past the budget of {in_words(budget)}"
        )


class CyclicPlanes(Exception):
    """The planes of a battle lead back to each other: it needs a graph."""


def not_factored(chain: Chain, state: Any) -> BrokenGame:
    """The error for a roll that changes a field of another part."""
    return BrokenGame(
        f"factored: the two rolls change each other's fields in {state}; they may change {chain.factored} only"
    )


def check_factored(chain: Chain) -> None:
    """Raise BrokenGame if some pairs of results in the start state show that the chain is not factored.

    Only the first chain of each kind is checked: a check takes as long as a small battle.
    """
    if type(chain.params) in _checked:
        return
    _checked.add(type(chain.params))
    p, s, axes = plain_params(chain.params), plain_state(chain, chain.start), axes_of(chain)
    lands, follows = chain.part("lands"), chain.part("follows")
    if not chain.part("running")(p, s):
        return
    some = []
    for part in ("table", "second"):
        results = chain.tables.rows_of(int(chain.part(part)(p, s)))
        some.append(results[np.linspace(0, len(results) - 1, min(SOME, len(results))).astype(int)].tolist())
    parts: list[dict[int, int]] = [{}, {}, {}]
    for mine, theirs in product(*some):
        after = plain_state(chain, lands(p, s, mine, theirs), s)
        for seen, roll, strides in zip(parts, (mine, theirs, 0), axes[:3], strict=True):
            place = int(np.dot(strides, after))
            if seen.setdefault(roll, place) != place:
                raise not_factored(chain, s)
        if follows(p, after) != chain.leap(p, s, mine, theirs):
            raise BrokenGame(f"factored: step is not follows after lands for the results {mine} and {theirs}, in {s}")


class PlainGrid:
    """Solves a chain by interpreted rules and `sweep`."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain, self.budget = chain, budget
        self._p = plain_params(chain.params)
        self._rows = Rows(*(part.tolist() for part in chain.tables.rows))
        self._axes = axes_of(chain)
        self._along, self._across, self._rest, self._values = (part.tolist() for part in self._axes[:4])
        self._cells, self._width = self._axes.cells, width_of(chain)
        self._kinds: dict[int, int] = {}
        self._start = plain_state(chain, chain.start)
        self._counter = chain.start._fields[chain.counted]

    def ends(self, patience: float = float("inf")) -> OutcomeDistribution | None:
        """The distribution of outcomes, or None if it took longer than `patience` CPU seconds.

        Raises BrokenGame, NoExactOdds as `graph_cache.graph_of`, and CyclicPlanes.
        """
        deadline = time.thread_time() + patience
        nodes, planes = Nodes(*([] for _ in Nodes._fields)), Planes(self._cells, [], [], [], [], [])
        found, at = Endings([], [], [], [0.0, self._axes.tiny], peaks(self.chain).tolist()), [0] * 6
        self._begin(nodes, planes, at)
        while (status := sweep(self._rows, nodes, planes, found, at, PAUSE >> 8)) != DONE:
            if status == WANTED:
                self._wanted(nodes, planes, at)
            elif status == ROOM_FOR_FOUND:
                for values in found[:3]:
                    values.extend([0] * 64)
            elif status == ROOM_FOR_PLANE:
                self._more_planes(planes)
            elif status == BACKWARDS:
                raise CyclicPlanes
            check_budget(self.chain, self._axes, at, self.budget)
            if time.thread_time() > deadline:
                return None
        return self._ends(nodes, found, at)

    def _ends(self, nodes: Nodes, found: Endings, at: list[int]) -> OutcomeDistribution:
        numbers, counts, p = (values[: at[FOUND]] for values in found[:3])
        nodes_made = np.array(nodes.state, np.int64).reshape(-1, len(self.chain.start))
        fields = nodes_made[numbers].T
        fields[self.chain.counted] = counts
        states = type(self.chain.start)(*np.ascontiguousarray(fields))
        return OutcomeDistribution(
            states, np.array(p, float), residual=found.lost[0], explored=self._axes.distinct(nodes_made)
        )

    def _more_planes(self, planes: Planes) -> None:
        planes.mass.extend([0.0] * self._cells)
        for values, fill in zip(planes[2:], (FREE, 0, 0, 0), strict=True):
            values.append(fill)

    def _begin(self, nodes: Nodes, planes: Planes, at: list[int]) -> None:
        """Put all chance into the cell of the start."""
        self._more_planes(planes)
        kind = self._kind_of(nodes, at, self._start)
        at[PLANE] = slot_of_plane(planes, kind, 0)
        at[CELL] = planes.low[0] = planes.high[0] = self._dot(self._along, self._start) + self._dot(
            self._across, self._start
        )
        planes.mass[at[CELL]] = 1.0
        nodes.of[kind * self._cells + at[CELL]] = 1
        self._make(nodes, at, self._start)

    def _wanted(self, nodes: Nodes, planes: Planes, at: list[int]) -> None:
        """Make the node that the sweep needs."""
        kind, cell = planes.kind[at[PLANE]], at[CELL]
        code = nodes.code[kind]
        fields = [
            (cell // (along + across) if along + across else code // rest if rest else 0) % values
            for along, across, rest, values in zip(self._along, self._across, self._rest, self._values, strict=True)
        ]
        nodes.of[kind * self._cells + cell] = at[NODES] + 1
        raw = type(self._start)(*fields)
        self._make(nodes, at, plain_state(self.chain, self.chain.part("follows")(self._p, raw), raw))

    @staticmethod
    def _dot(strides: list[int], state: Any) -> int:
        return sum(stride * value for stride, value in zip(strides, state, strict=True) if stride)

    def _kind_of(self, nodes: Nodes, at: list[int], state: Any) -> int:
        code = self._dot(self._rest, state)
        if code not in self._kinds:
            self._kinds[code] = at[KINDS]
            at[KINDS] += 1
            nodes.code.append(code)
            nodes.rank.append(0)
            nodes.of.extend([0] * self._cells)
            nodes.place.extend([0] * (sum(self._axes.lengths) * self._width))
        return self._kinds[code]

    def _make(self, nodes: Nodes, at: list[int], settled: Any) -> None:
        """Add a node for a chance state or a final state."""
        chain, p, counted = self.chain, self._p, self.chain.counted
        inc, s = settled[counted], settled._replace(**{self._counter: 0})
        at[NODES] += 1
        nodes.state.extend(s)
        if not chain.part("running")(p, s):
            for values, fill in zip(nodes[2:8], (OVER, inc, 0, 0, 0, 0), strict=True):
                values.append(fill)
            return
        tables = [int(chain.part(part)(p, s)) for part in ("table", "second")]
        for index in tables:
            if not 0 <= index < len(chain.tables):
                raise chain.tables.missing(index, s)
        long, wide = self._axes.lengths
        begun = self._kind_of(nodes, at, s) * (long + wide)
        row = self._dot(self._across, s) // long
        bases = [(begun + self._dot(self._along, s)) * self._width, (begun + long + row) * self._width]
        last = self._places(nodes, s, tables, bases)
        numbers = (self._kind_of(nodes, at, last), inc + last[counted], *tables, *bases)
        for values, number in zip(nodes[2:8], numbers, strict=True):
            values.append(number)

    def _places(self, nodes: Nodes, s: Any, tables: list[int], bases: list[int]) -> Any:
        """Fill in the places of all results; returns the state that the last results lead to together.

        Raises BrokenGame if it differs from the places of each result alone.
        """
        chain, lands = self.chain, self.chain.part("lands")
        results = [self._rows.result[self._rows.first[t] : self._rows.first[t + 1]] for t in tables]
        for axis, strides in enumerate((self._along, self._across)):
            for result in results[axis]:
                if not nodes.place[bases[axis] + result]:
                    rolls = (result, results[1][0]) if axis == 0 else (results[0][0], result)
                    after = plain_state(chain, lands(self._p, s, *rolls), s)
                    nodes.place[bases[axis] + result] = 1 + self._dot(strides, after)
        last = plain_state(chain, lands(self._p, s, results[0][-1], results[1][-1]), s)
        due = [nodes.place[base + rolled[-1]] - 1 for base, rolled in zip(bases, results, strict=True)]
        if [self._dot(self._along, last), self._dot(self._across, last)] != due:
            raise not_factored(chain, s)
        return last
