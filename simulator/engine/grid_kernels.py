"""Solving a grid with its rules compiled: what `grid.PlainGrid` does, a few hundred times as fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64

from simulator.engine.chain import Chain, Ends
from simulator.engine.compiled import (
    bind_state,
    follows,
    inner,
    kernel,
    lands,
    load,
    running,
    second,
    store,
    table,
    within,
)
from simulator.engine.explicit import plain_state
from simulator.engine.grid import (
    ACROSS_LAST,
    AGAIN,
    ALONG_LAST,
    BACKWARDS,
    BAD_FIELD,
    BAD_TABLE,
    CELL,
    DONE,
    ENTRIES,
    FOUND,
    FREE,
    KINDS,
    NODES,
    NOT_APART,
    OVER,
    PAUSE,
    PLANE,
    ROOM,
    ROOM_FOR_FOUND,
    ROOM_FOR_PLANE,
    WANTED,
    WRONG,
    Found,
    Loops,
    Nodes,
    Planes,
    axes_of,
    not_apart,
    over_budget,
    size_of,
    sweep,
)
from simulator.engine.limits import BrokenGame

_sweep = inner(sweep)
# Columns of the work space: the state in hand, one that a result leads to, the first of these, the start.
HERE, THERE, FIRST, START = range(4)
# Which of a state's results is looked at: the first roll's, the other's, or the last of both.
ALONG, ACROSS, TOGETHER = range(3)


class Bench(NamedTuple):
    """Work space: states as columns of fields, the axes (see `grid.Axes`), limits, the place of the counter.

    `kind_of[code]` is 1 + the kind of the planes of this code; `met[place]` where a list has a place already, if
    `by[place]` says that it is this list.
    """

    fields: np.ndarray
    along: np.ndarray
    across: np.ndarray
    kinds: np.ndarray
    values: np.ndarray
    limit: np.ndarray
    counted: int
    kind_of: np.ndarray
    met: np.ndarray
    by: np.ndarray


@inner
def dot(b, strides, column):
    """Where the state in a column lies by these strides."""
    place = 0
    for f in range(strides.shape[0]):
        place += strides[f] * b.fields[f, column]
    return place


@inner
def differs(b, strides, column, other):
    """Do two columns differ in a field that is neither the counter's nor one that these strides are of?"""
    for f in range(strides.shape[0]):
        if strides[f] == 0 and b.fields[f, column] != b.fields[f, other]:
            return True
    return False


@inner
def kind_of(nodes, b, at, code):
    """The kind of the planes of this code: its own, or a new one; -1 if there is no room."""
    if b.kind_of[code] == 0:
        if at[KINDS] == nodes.code.shape[0]:
            return -1
        nodes.code[at[KINDS]] = code
        at[KINDS] += 1
        b.kind_of[code] = at[KINDS]
    return int64(b.kind_of[code]) - 1


@inner
def add_entry(nodes, b, at, first, place, weight):
    """Add to a list that begins at `first`; places that it has already are made one."""
    if b.by[place] == first + 1:
        nodes.weight[b.met[place]] += weight
        return
    b.by[place] = first + 1
    b.met[place] = at[ENTRIES]
    nodes.place[at[ENTRIES]] = place
    nodes.weight[at[ENTRIES]] = weight
    at[ENTRIES] += 1


@inner
def keeps(b, at, way):
    """Has a result changed its own fields only, as far as this one shows it? It stands in THERE."""
    if way == ALONG:
        return not differs(b, b.along, THERE, FIRST)
    if way == ACROSS:
        return not differs(b, b.across, THERE, FIRST)
    if dot(b, b.along, THERE) != at[ALONG_LAST] or dot(b, b.across, THERE) != at[ACROSS_LAST]:
        return False
    for f in range(b.along.shape[0]):
        if b.along[f] + b.across[f] == 0 and b.fields[f, THERE] != b.fields[f, FIRST]:
            return False
    return True


@inner
def list_both(p, rows, nodes, b, at, s):
    """Both lists of a state, each with the other roll's first result, and a look at the last results together.

    DONE, or what is wrong; column THERE holds the last state. One loop, so that the rules are compiled in once.
    """
    tables = rows.first.shape[0] - 1
    t, u = int64(table(p, s)), int64(second(p, s))
    if t < 0 or t >= tables or u < 0 or u >= tables:
        at[WRONG] = u if 0 <= t < tables else t
        return BAD_TABLE
    begin, end, other, last = rows.first[t], rows.first[t + 1], rows.first[u], rows.first[u + 1]
    fan, pairs = end - begin, end - begin + last - other
    at[WRONG] = pairs
    if at[ENTRIES] + pairs > nodes.place.shape[0]:
        return ROOM
    first = at[ENTRIES]
    for k in range(pairs + 1):
        way = ALONG if k < fan else ACROSS if k < pairs else TOGETHER
        row = begin + k if way == ALONG else begin if way == ACROSS else end - 1
        side = other if way == ALONG else other + k - fan if way == ACROSS else last - 1
        if k == fan:
            first = at[ENTRIES]
            nodes.begin[3 * at[NODES] + 1] = first
        after = lands(p, s, rows.result[row], rows.result[side])
        store(p, b.fields, THERE, after)
        if k == 0:
            store(p, b.fields, FIRST, after)
        if not within(p, after, b.limit):
            return BAD_FIELD
        if not keeps(b, at, way):
            return NOT_APART
        if way == ALONG:
            at[ALONG_LAST] = dot(b, b.along, THERE)
            add_entry(nodes, b, at, first, at[ALONG_LAST], rows.weight[row])
        elif way == ACROSS:
            at[ACROSS_LAST] = dot(b, b.across, THERE)
            add_entry(nodes, b, at, first, at[ACROSS_LAST], rows.weight[side])
    nodes.begin[3 * at[NODES] + 2] = at[ENTRIES]
    return DONE


@inner
def make(p, rows, nodes, b, at, settled):
    """A node for a state in which dice are rolled, or which is final: DONE, or why not."""
    node, entries = at[NODES], at[ENTRIES]
    at[WRONG] = 0
    if node == nodes.lands.shape[0]:
        return ROOM
    store(p, b.fields, HERE, settled)
    store(p, b.fields, THERE, settled)
    if not within(p, settled, b.limit):
        return BAD_FIELD
    inc = b.fields[b.counted, HERE]
    b.fields[b.counted, HERE] = 0
    s = load(p, b.fields, HERE)
    nodes.inc[node] = inc
    nodes.lands[node] = OVER
    nodes.begin[3 * node] = entries
    if running(p, s):
        status = list_both(p, rows, nodes, b, at, s)
        if status == DONE:
            nodes.inc[node] = inc + b.fields[b.counted, THERE]
            nodes.lands[node] = kind_of(nodes, b, at, dot(b, b.kinds, THERE))
            if nodes.lands[node] < 0:
                status = ROOM
        if status != DONE:
            at[ENTRIES] = entries
            for e in range(b.by.shape[0]):
                b.by[e] = 0
            return status
    same = True
    for f in range(b.along.shape[0]):
        nodes.state[node * b.along.shape[0] + f] = b.fields[f, HERE]
        same = same and (f == b.counted or b.fields[f, HERE] == b.fields[f, START])
    at[AGAIN] += same and node > 0
    at[NODES] += 1
    return DONE


@inner
def raw_state(nodes, planes, b, at):
    """The state of the cell that the sweep has come to, into column THERE."""
    code, cell = nodes.code[planes.kind[at[PLANE]]], at[CELL]
    for f in range(b.values.shape[0]):
        value, stride = cell, b.along[f] + b.across[f]
        if stride == 0:
            value, stride = code, b.kinds[f]
        b.fields[f, THERE] = value // stride % b.values[f] if stride > 0 else 0


@kernel
def push_through(p, rows, nodes, planes, found, b, at, pause):
    """Push all chance to final states, making nodes on the way: DONE, or why the caller is needed."""
    while True:
        if at[NODES] > 0:
            status = _sweep(nodes, planes, found, at, pause)
            if status != WANTED:
                return status
            raw_state(nodes, planes, b, at)
            s = follows(p, load(p, b.fields, THERE))
        else:
            s = load(p, b.fields, START)
        status = make(p, rows, nodes, b, at, s)
        if status != DONE:
            return status
        nodes.of[planes.kind[at[PLANE]] * planes.cells + at[CELL]] = at[NODES]


class CompiledGrid:
    """Solves a chain by its rules compiled."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain, self.budget = chain, budget
        bind_state(type(chain.params), type(chain.start))
        axes = axes_of(chain)
        self._cells = axes.cells
        self.at = np.zeros(10, np.int64)
        fields = np.zeros((len(chain.start), 4), np.int64)
        fields[:, START] = plain_state(chain, chain.start)
        whole = np.zeros(axes.most_kinds, np.int32), np.zeros(self._cells, np.int32), np.zeros(self._cells, np.int32)
        self.bench = Bench(fields, *axes, chain.layout.limit, chain.counted, *whole)
        self.nodes = Nodes(
            np.zeros(0, np.int32), *self._of_nodes(1 << 9), *self._of_entries(1 << 13), *np.zeros((2, 0), int)
        )
        self.planes = Planes(self._cells, np.zeros(0), *(np.zeros(0, np.int64) for _ in range(4)))
        self.found = Found(*self._of_found(1 << 10), np.zeros(1))
        self._more_kinds(2)
        self._more_planes(3)
        self._begin()

    def _of_nodes(self, room: int) -> tuple[np.ndarray, ...]:
        state = np.empty(room * len(self.chain.start), np.int32)
        return state, np.empty(room, np.int32), np.empty(room, np.int64), np.empty(3 * room, np.int64)

    @staticmethod
    def _of_entries(room: int) -> tuple[np.ndarray, ...]:
        return np.empty(room, np.int32), np.empty(room)

    @staticmethod
    def _of_found(room: int) -> tuple[np.ndarray, ...]:
        return np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room)

    def _begin(self) -> None:
        """All chance lies where the start does."""
        b, start, planes = self.bench, self.bench.fields[:, START], self.planes
        cell, code = int((b.along + b.across) @ start), int(b.kinds @ start)
        b.kind_of[code] = 1
        self.nodes.code[0], self.at[KINDS] = code, 1
        self.at[CELL] = cell
        planes.kind[0], planes.count[0], planes.low[0], planes.high[0] = 0, 0, cell, cell
        planes.mass[cell] = 1.0

    def ends(self, progress: Callable[[int], Any] | None = None) -> Ends:
        """The endings. Raises BrokenGame, NoExactOdds as `explicit.spell_out`, and Loops."""
        chain, rows, at = self.chain, self.chain.tables.rows, self.at
        run = push_through.of(chain.params)
        while (status := run(chain.params, rows, self.nodes, self.planes, self.found, self.bench, at, PAUSE)) != DONE:
            if status == ROOM:
                self._more_room()
            elif status == ROOM_FOR_PLANE:
                self._more_planes(2 * len(self.planes.kind))
            elif status == ROOM_FOR_FOUND:
                self.found = Found(*_longer(self.found[:3], self._of_found(2 * len(self.found.node))), self.found.lost)
            elif status == BACKWARDS:
                raise Loops
            elif status in {BAD_FIELD, BAD_TABLE, NOT_APART}:
                raise self._wrong(status)
            if progress:
                progress(int(at[NODES]))
        self._hold_to_budget()
        return self._ends()

    def _hold_to_budget(self) -> None:
        size = size_of(
            len(self.nodes.lands), len(self.nodes.place), len(self.nodes.code), len(self.planes.kind), self._cells
        )
        if size > self.budget:
            raise over_budget(int(self.at[NODES]), size, self.budget)

    def _more_room(self) -> None:
        """Room for more nodes, entries or kinds, whatever is short; raises NoExactOdds where that is too much."""
        n, at = self.nodes, self.at
        if at[NODES] == len(n.lands):
            n = n._replace(
                **dict(
                    zip(
                        ("state", "lands", "inc", "begin"),
                        _longer(n[1:5], self._of_nodes(2 * len(n.lands))),
                        strict=True,
                    )
                )
            )
        if at[ENTRIES] + at[WRONG] > len(n.place):
            longer = self._of_entries(2 * len(n.place) + int(at[WRONG]))
            n = n._replace(**dict(zip(("place", "weight"), _longer(n[5:7], longer), strict=True)))
        self.nodes = n
        if at[KINDS] == len(n.code):
            self._more_kinds(2 * len(n.code))
        self._hold_to_budget()

    def _more_kinds(self, kinds: int) -> None:
        n, fresh = self.nodes, (np.zeros(kinds * self._cells, np.int32), *np.zeros((2, kinds), int))
        of, code, rank = _longer((n.of, n.code, n.rank), fresh)
        self.nodes = n._replace(of=of, code=code, rank=rank)

    def _more_planes(self, planes: int) -> None:
        old = self.planes
        fresh = (np.zeros(planes * self._cells), np.full(planes, FREE), *(np.zeros(planes, np.int64) for _ in range(3)))
        self.planes = Planes(self._cells, *_longer(old[1:], fresh))

    def _wrong(self, status: int) -> BrokenGame:
        """What is wrong, as an error of the game."""
        chain, fields = self.chain, self.bench.fields
        before = type(chain.start)(*fields[:, HERE].tolist())
        if status == NOT_APART:
            return not_apart(chain, before)
        if status == BAD_TABLE:
            return BrokenGame(
                f"chance table {self.at[WRONG]}: there are tables 0 to {len(chain.tables) - 1}; state {before}"
            )
        for name, value, limit in zip(chain.start._fields, fields[:, THERE], chain.limits, strict=True):
            if not 0 <= value <= limit:
                kind = "counter" if chain.counters[:1] == (name,) else "field"
                return BrokenGame(f"{kind} {name}: {value} is not within 0 to {limit}, after state {before}")
        raise AssertionError("no field is wrong")

    def _ends(self) -> Ends:
        """The final states that were reached."""
        chain, count = self.chain, int(self.at[FOUND])
        numbers, counts, p = (values[:count] for values in self.found[:3])
        fields = self.nodes.state.reshape(-1, len(chain.start))[numbers].T.astype(np.int64)
        fields[chain.counted] = counts
        explored = int(self.at[NODES] - self.at[AGAIN])
        return Ends(type(chain.start)(*fields), p, residual=float(self.found.lost[0]), explored=explored)


def _longer(old: tuple[np.ndarray, ...], fresh: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The fresh arrays, begun with what the old ones hold."""
    for source, target in zip(old, fresh, strict=True):
        target[: len(source)] = source
    return fresh
