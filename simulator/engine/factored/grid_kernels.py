"""Solution of a grid by compiled rules: as `grid.PlainGrid`, a few hundred times as fast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numba import int64, uint64
from numba.extending import overload

from simulator.engine.factored.grid import PLANES, CyclicPlanes, axes_of, check_budget, not_factored, peaks, width_of
from simulator.engine.factored.grid_sweep import (
    CELL,
    FOUND,
    FREE,
    KINDS,
    NODES,
    OVER,
    PAUSE,
    PLANE,
    WRONG,
    Endings,
    Nodes,
    Planes,
    add_block,
    sweep,
)
from simulator.engine.jit.kernels import (
    bind_state,
    follows,
    inner,
    kernel,
    lands,
    load,
    outlined,
    running,
    second,
    store,
    table,
    within,
)
from simulator.engine.model.chain import Chain, OutcomeDistribution, outside_limits
from simulator.engine.model.chance import Rows
from simulator.engine.model.interpreted import plain_state
from simulator.engine.model.limits import BrokenGame
from simulator.engine.model.status import (
    BACKWARDS,
    BAD_FIELD,
    BAD_TABLE,
    DONE,
    NEED_ROOM,
    NOT_FACTORED,
    ROOM_FOR_FOUND,
    ROOM_FOR_PLANE,
    WANTED,
)


@outlined
def _add_block(cells, weight, result, place, block, mass):
    """As `add_block`: with unsigned indices, and not inlined, LLVM vectorises it."""
    part = 0.0
    for side in range(block.bottom, block.top):
        line, part = place[block.across + result[side]], part + mass * weight[side]
        if side + 1 < block.top and place[block.across + result[side + 1]] == line:
            continue
        for k in range(uint64(block.size)):
            cells[uint64(block.to + line - 1) + k] += part * weight[uint64(block.left) + k]
        part = 0.0


@overload(add_block, strict=False)
def _choose(cells, weight, result, place, block, mass):
    return lambda cells, weight, result, place, block, mass: _add_block(cells, weight, result, place, block, mass)  # noqa: PLW0108


_sweep = inner(sweep)
# Columns of the buffer: the current state, a successor, the start.
HERE, THERE, START = range(3)


class GridBuffer(NamedTuple):
    """Scratch buffer: states as columns of fields, the axes (see `grid.Axes`), limits, the place of the counter.

    `long` and `wide` are the cells along and the rows across a plane, `width` the places for each of them;
    `kind_of[code]` is 1 + the kind of the planes with this rest.
    """

    fields: np.ndarray
    along: np.ndarray
    across: np.ndarray
    rest: np.ndarray
    values: np.ndarray
    limit: np.ndarray
    counted: int
    long: int
    wide: int
    width: int
    kind_of: np.ndarray


@inner
def dot(b, strides, column):
    """The position of the state in a column by these strides."""
    place = 0
    for f in range(strides.shape[0]):
        place += strides[f] * b.fields[f, column]
    return place


@inner
def kind_at(nodes, b, at, column):
    """The kind of plane for the rest of the state in a column, a new one if necessary; -1 without room."""
    code = dot(b, b.rest, column)
    if b.kind_of[code] == 0:
        if at[KINDS] == nodes.code.shape[0]:
            return -1
        nodes.code[at[KINDS]] = code
        at[KINDS] += 1
        b.kind_of[code] = at[KINDS]
    return int64(b.kind_of[code]) - 1


@inner
def find_places(p, rows, nodes, b, at, s):
    """Fill in the places of all results of the new node: DONE, or an error.

    Column THERE then holds the state after the last results. There is one loop, so that the rules are inlined once.
    """
    node = at[NODES]
    t, u = nodes.table[node], nodes.second[node]
    begin, end, other, last = rows.first[t], rows.first[t + 1], rows.first[u], rows.first[u + 1]
    fan, pairs = end - begin, end - begin + last - other
    for k in range(pairs + 1):
        row = begin + k if k < fan else begin if k < pairs else end - 1
        side = other if k < fan else other + k - fan if k < pairs else last - 1
        base = nodes.along[node] + rows.result[row] if k < fan else nodes.across[node] + rows.result[side]
        if k < pairs and nodes.place[base] != 0:
            continue
        after = lands(p, s, rows.result[row], rows.result[side])
        store(p, b.fields, THERE, after)
        if not within(p, after, b.limit):
            return BAD_FIELD
        if k < pairs:
            nodes.place[base] = 1 + (dot(b, b.along, THERE) if k < fan else dot(b, b.across, THERE))
    along, across = nodes.along[node] + rows.result[end - 1], nodes.across[node] + rows.result[last - 1]
    if dot(b, b.along, THERE) + 1 != nodes.place[along] or dot(b, b.across, THERE) + 1 != nodes.place[across]:
        return NOT_FACTORED
    return DONE


@inner
def make_running(p, rows, nodes, b, at, s):
    """Complete the node of a chance state: DONE, NEED_ROOM or an error."""
    node, tables = at[NODES], rows.first.shape[0] - 1
    t, u = int64(table(p, s)), int64(second(p, s))
    if t < 0 or t >= tables or u < 0 or u >= tables:
        at[WRONG] = u if 0 <= t < tables else t
        return BAD_TABLE
    kind = kind_at(nodes, b, at, HERE)
    if kind < 0:
        return NEED_ROOM
    nodes.table[node] = t
    nodes.second[node] = u
    begun = kind * (b.long + b.wide)
    nodes.along[node] = (begun + dot(b, b.along, HERE)) * b.width
    nodes.across[node] = (begun + b.long + dot(b, b.across, HERE) // b.long) * b.width
    status = find_places(p, rows, nodes, b, at, s)
    if status != DONE:
        return status
    nodes.inc[node] += b.fields[b.counted, THERE]
    nodes.lands[node] = kind_at(nodes, b, at, THERE)
    return NEED_ROOM if nodes.lands[node] < 0 else DONE


@inner
def make(p, rows, nodes, b, at, settled):
    """Add a node for a chance state or a final state: DONE, NEED_ROOM or an error."""
    node = at[NODES]
    if node == nodes.lands.shape[0]:
        return NEED_ROOM
    store(p, b.fields, HERE, settled)
    store(p, b.fields, THERE, settled)
    if not within(p, settled, b.limit):
        return BAD_FIELD
    nodes.inc[node] = b.fields[b.counted, HERE]
    nodes.lands[node] = OVER
    b.fields[b.counted, HERE] = 0
    s = load(p, b.fields, HERE)
    if running(p, s):
        status = make_running(p, rows, nodes, b, at, s)
        if status != DONE:
            return status
    for f in range(b.along.shape[0]):
        nodes.state[node * b.along.shape[0] + f] = b.fields[f, HERE]
    at[NODES] += 1
    return DONE


@inner
def raw_state(nodes, b, kind, cell):
    """The state of a cell of a plane of this kind, into column THERE."""
    code = nodes.code[kind]
    for f in range(b.values.shape[0]):
        value, stride = cell, b.along[f] + b.across[f]
        if stride == 0:
            value, stride = code, b.rest[f]
        b.fields[f, THERE] = value // stride % b.values[f] if stride > 0 else 0


@kernel
def push_through(p, rows, work, at, pause):
    """Push all chance to final states and make nodes on the way: DONE, or the status that the caller has to handle."""
    # Kernels take plain tuples: passing named tuples takes twice as long.
    rows, nodes, planes, found, b = (
        Rows(*rows),
        Nodes(*work[0]),
        Planes(*work[1]),
        Endings(*work[2]),
        GridBuffer(*work[3]),
    )
    while True:
        if at[NODES] > 0:
            status = _sweep(rows, nodes, planes, found, at, pause)
            if status != WANTED:
                return status
            raw_state(nodes, b, planes.kind[at[PLANE]], at[CELL])
            s = follows(p, load(p, b.fields, THERE))
        else:
            s = load(p, b.fields, START)
        status = make(p, rows, nodes, b, at, s)
        if status != DONE:
            return status
        nodes.of[planes.kind[at[PLANE]] * planes.cells + at[CELL]] = at[NODES]


class CompiledNodes:
    """The nodes of a grid, made by compiled rules."""

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        bind_state(type(chain.params), type(chain.start))
        axes = axes_of(chain)
        self.axes, self.cells = axes, axes.cells
        self.at = np.zeros(6, np.int64)
        fields = np.zeros((len(chain.start), 3), np.int64)
        fields[:, START] = plain_state(chain, chain.start)
        kinds = np.zeros(int((axes.values - 1) @ axes.rest) + 1, np.int32)
        places = width_of(chain)
        self._places = (axes.long + axes.wide) * places
        self.buffer = GridBuffer(
            fields, *axes[:4], chain.layout.limit, chain.counted, axes.long, axes.wide, places, kinds
        )
        of, *rest = self._of_kinds(4)
        self.nodes = Nodes._make((of, *self._of_nodes(1 << 9), *rest))

    def _of_nodes(self, room: int) -> tuple[np.ndarray, ...]:
        """State, lands, inc, table, second, along, across."""
        state = np.empty(room * len(self.chain.start), np.int32)
        small = (np.empty(room, np.int32) for _ in range(2))
        return state, np.empty(room, np.int32), np.empty(room, np.int64), *small, *np.empty((2, room), np.int64)

    def _of_kinds(self, kinds: int) -> tuple[np.ndarray, ...]:
        """Of, place, code, rank."""
        code, rank = np.zeros((2, kinds), np.int64)
        return np.zeros(kinds * self.cells, np.int32), np.zeros(kinds * self._places, np.int32), code, rank

    def more_room(self) -> None:
        """Enlarge the arrays of nodes or kinds, if they are full."""
        n = self.nodes
        if self.at[NODES] == len(n.lands):
            self.nodes = n = Nodes._make((n.of, *_longer(n[1:8], self._of_nodes(2 * len(n.lands))), *n[8:]))
        if self.at[KINDS] == len(n.code):
            of, place, code, rank = _longer((n.of, n.place, n.code, n.rank), self._of_kinds(2 * len(n.code)))
            self.nodes = n._replace(of=of, place=place, code=code, rank=rank)

    def wrong(self, status: int) -> BrokenGame:
        """The error for this status."""
        chain, fields = self.chain, self.buffer.fields
        before = type(chain.start)(*fields[:, HERE].tolist())
        if status == NOT_FACTORED:
            return not_factored(chain, before)
        if status == BAD_TABLE:
            return chain.tables.missing(int(self.at[WRONG]), before)
        return outside_limits(chain, fields[:, THERE].tolist(), before)


class CompiledGrid(CompiledNodes):
    """Solves a chain by compiled rules."""

    def __init__(self, chain: Chain, budget: int) -> None:
        super().__init__(chain)
        self.budget = budget
        self.planes = Planes(self.cells, *self._of_planes(PLANES))
        self.found = Endings._make((*self._of_found(1 << 10), np.array([0.0, self.axes.tiny]), peaks(chain)))
        self._begin(self.buffer.fields[:, START])

    @staticmethod
    def _of_found(room: int) -> tuple[np.ndarray, ...]:
        return np.empty(room, np.int32), np.empty(room, np.int64), np.empty(room)

    def _of_planes(self, planes: int) -> tuple[np.ndarray, ...]:
        """Mass, kind, count, low, high."""
        return np.zeros(planes * self.cells), np.full(planes, FREE), *np.zeros((3, planes), np.int64)

    def _begin(self, start: np.ndarray) -> None:
        """Put all chance into the cell of the start."""
        b, planes = self.buffer, self.planes
        cell, code = int((b.along + b.across) @ start), int(b.rest @ start)
        b.kind_of[code] = 1
        self.nodes.code[0], self.at[KINDS] = code, 1
        self.at[CELL] = cell
        planes.kind[0], planes.low[0], planes.high[0] = 0, cell, cell
        planes.mass[cell] = 1.0

    def ends(self, progress: Callable[[int], Any] | None = None) -> OutcomeDistribution:
        """The distribution of outcomes. Raises BrokenGame, NoExactOdds as `graph_cache.graph_of`, and CyclicPlanes."""
        chain, rows, at = self.chain, tuple(self.chain.tables.rows), self.at
        run = push_through.of(chain.params)
        while (status := run(chain.params, rows, self._work, at, PAUSE)) != DONE:
            if status == NEED_ROOM:
                self.more_room()
                self._check_budget()
            elif status == ROOM_FOR_PLANE:
                self._more_planes(2 * len(self.planes.kind))
            elif status == ROOM_FOR_FOUND:
                longer = _longer(self.found[:3], self._of_found(2 * len(self.found.node)))
                self.found = Endings._make((*longer, *self.found[3:]))
                self._check_budget()
            elif status == BACKWARDS:
                raise CyclicPlanes
            elif status in {BAD_FIELD, BAD_TABLE, NOT_FACTORED}:
                raise self.wrong(status)
            if progress:
                progress(int(at[NODES]))
        self._check_budget()
        return self._ends()

    @property
    def _work(self) -> tuple[tuple[Any, ...], ...]:
        return tuple(self.nodes), tuple(self.planes), tuple(self.found), tuple(self.buffer)

    def _check_budget(self) -> None:
        check_budget(self.chain, self.axes, self.at, self.budget)

    def _more_planes(self, planes: int) -> None:
        self.planes = Planes(self.cells, *_longer(self.planes[1:], self._of_planes(planes)))

    def _ends(self) -> OutcomeDistribution:
        """The final states reached, with their chances."""
        chain, count = self.chain, int(self.at[FOUND])
        numbers, counts, p = (values[:count] for values in self.found[:3])
        made = self.nodes.state.reshape(-1, len(chain.start))[: self.at[NODES]]
        fields = made[numbers].T.astype(np.int64)
        fields[chain.counted] = counts
        states, explored = type(chain.start)(*fields), self.axes.distinct(made)
        return OutcomeDistribution(states, p, residual=float(self.found.lost[0]), explored=explored)


def _longer(old: tuple[np.ndarray, ...], fresh: tuple[np.ndarray, ...]) -> tuple[np.ndarray, ...]:
    """The fresh arrays, with the contents of the old ones at their start."""
    for source, target in zip(old, fresh, strict=True):
        target[: len(source)] = source
    return fresh
