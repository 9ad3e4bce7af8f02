"""Exact odds on a grid: first by interpreted rules over lists, then by compiled ones over arrays."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np

from simulator.engine.factored import grid_nodes
from simulator.engine.factored.grid import (
    CyclicPlanes,
    axes_of,
    check_budget,
    check_factored,
    not_factored,
)
from simulator.engine.factored.grid_nodes import HERE, START, THERE, GridBuffer
from simulator.engine.factored.grid_sweep import (
    CELL,
    FOUND,
    FREE,
    KINDS,
    NODES,
    PAUSE,
    PLANE,
    WRONG,
    GridEndings,
    Nodes,
    Planes,
)
from simulator.engine.jit.cost_model import Meter, compile_for, patience_for, spent
from simulator.engine.model.chain import Chain, OutcomeDistribution, outside_limits
from simulator.engine.model.chance import TableRows
from simulator.engine.model.contract import check_contract
from simulator.engine.model.interpreted import plain_params, plain_state
from simulator.engine.model.limits import BrokenGame, Progress
from simulator.engine.model.status import (
    BACKWARDS,
    BAD_FIELD,
    BAD_TABLE,
    DONE,
    NEED_ROOM,
    NOT_FACTORED,
    PAUSED,
    ROOM_FOR_FOUND,
    ROOM_FOR_PLANE,
)

# Steps of a kernel between two reports of progress; plain Python takes fewer.
PLAIN_PAUSE = PAUSE >> 8
# The work of plain Python, in steps by the rules: at a node, for each result of a roll, and for each pair of results.
# Measured: 2,032 nodes with 6 results a roll 0.12 s, 4,157 with 22 0.88 s.
A_NODE, A_RESULT, A_PAIR = 5.0, 0.2, 0.016

# If less than LEAST_ENDED of the chance has ended while the counter grew by SUSPICIOUS, perhaps the battle never ends.
SUSPICIOUS, LEAST_ENDED = 1 << 12, 1e-9

# Cells of the kinds of planes for which compiled nodes have room at first.
ROOM = 1 << 13


def work_of(fan: Any, others: Any) -> Any:
    """The work of a node by the numbers of results of both rolls, see A_NODE; these may be arrays."""
    return A_NODE + A_RESULT * (fan + others) + A_PAIR * fan * others


class GridNodes:
    """The nodes of a grid, over arrays if they are `compiled`, else over lists."""

    def __init__(self, chain: Chain, compiled: bool = True) -> None:
        self.chain, self.compiled, self.axes = chain, compiled, axes_of(chain)
        self.start = plain_state(chain, chain.start)
        self.cells, self.at = self.axes.cells, self._room(6, np.int64)
        self.tables, self.results = chain.tables.numbered
        rows = self.tables.rows
        self.rows = rows if compiled else TableRows(*(part.tolist() for part in rows))
        self.params = chain.params if compiled else plain_params(chain.params)
        if compiled:
            from simulator.engine.jit.kernels import bind_state

            bind_state(type(chain.params), type(chain.start))
        else:
            grid_nodes.bind_plainly(chain)
        axes, places = self.axes, len(self.results)
        self._places = (axes.long + axes.wide) * places
        self.buffer = self._new_buffer(places)
        # More room would take another call: 15 us.
        kinds = min(axes.codes, max(4, ROOM // axes.cells)) if compiled else 1
        of, *rest = self._of_kinds(kinds)
        self.nodes = Nodes._make((of, *self._of_nodes(1 << 9 if compiled else 1 << 6), *rest))

    def _room(self, size: int, kind: Any, fill: int = 0) -> Any:
        if not self.compiled:
            return [fill] * size
        return np.full(size, fill, kind) if fill else np.zeros(size, kind)

    def _new_buffer(self, places: int) -> GridBuffer:
        chain, axes = self.chain, self.axes
        fields = np.zeros((len(chain.start), 3), np.int64)
        fields[:, START] = self.start
        parts: list[Any] = [*axes[:4], chain.layout.limit]
        results: Any = self.results if self.compiled else self.results.tolist()
        kinds: Any = defaultdict(int)
        if self.compiled:
            kinds = np.zeros(axes.codes, np.int32)
        else:
            parts = [part.tolist() for part in parts]
        held: Any = fields if self.compiled else {place: int(value) for place, value in np.ndenumerate(fields)}
        return GridBuffer._make((held, *parts, chain.counted, axes.long, axes.wide, places, results, kinds))

    def _of_nodes(self, room: int) -> tuple[Any, ...]:
        """State, lands, inc, table, second, along, across."""
        kinds = (np.int32, np.int64, np.int32, np.int32, np.int64, np.int64)
        state = self._room(room * len(self.chain.start), np.int32)
        return state, *(self._room(room, kind) for kind in kinds)

    def _of_kinds(self, kinds: int) -> tuple[Any, ...]:
        """Of, place, code, rank."""
        of, place = self._room(kinds * self.cells, np.int32), self._room(kinds * self._places, np.int32)
        return of, place, self._room(kinds, np.int64), self._room(kinds, np.int64)

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
        before, after = ([int(fields[f, column]) for f in range(len(chain.start))] for column in (HERE, THERE))
        state = type(chain.start)(*before)
        if status == NOT_FACTORED:
            return not_factored(chain, state)
        if status == BAD_TABLE:
            return chain.tables.missing(int(self.at[WRONG]), state)
        return outside_limits(chain, after, state)


class GridSolver(GridNodes):
    """Solves a chain: pushes all chance to its final states."""

    def __init__(self, chain: Chain, budget: int, compiled: bool = True) -> None:
        super().__init__(chain, compiled)
        self.budget, peak = budget, chain.tables.peaks
        self.work, self._counted = 0.0, -1
        self._looked_at, self._running = 0, 1.0
        scratch = (self._room(2 * chain.tables.largest, kind) for kind in (np.int64, np.float64))
        self.planes = Planes(self.cells, *scratch, *self._of_planes(4 if compiled else 1))
        lost = np.array([0.0, self.axes.tiny])
        cut = (lost, peak) if compiled else (lost.tolist(), peak.tolist())
        self.found = GridEndings._make((*self._of_found(1 << 10), *cut))
        self._begin(self.start)

    def _of_found(self, room: int) -> tuple[Any, ...]:
        """Node, count, p."""
        return self._room(room, np.int32), self._room(room, np.int64), self._room(room, np.float64)

    def _of_planes(self, planes: int) -> tuple[Any, ...]:
        """Mass, kind, count, low, high."""
        rest = (self._room(planes, np.int64, fill) for fill in (FREE, 0, 0, 0))
        return self._room(planes * self.cells, np.float64), *rest

    def _begin(self, start: Any) -> None:
        """Put all chance into the cell of the start."""
        axes, planes = self.axes, self.planes
        cell, code = int((axes.along + axes.across) @ start), int(axes.rest @ start)
        self.buffer.kind_of[code] = 1
        self.nodes.code[0], self.at[KINDS], self.at[CELL] = code, 1, cell
        planes.kind[0], planes.low[0], planes.high[0] = 0, cell, cell
        planes.mass[cell] = 1.0

    def _push(self) -> int:
        if not self.compiled:
            work: Any = self.nodes, self.planes, self.found, self.buffer
            return int(grid_nodes.advance(self.params, self.rows, work, self.at, PLAIN_PAUSE))
        from simulator.engine.factored.grid_kernels import push_through

        work = tuple(self.nodes), tuple(self.planes), tuple(self.found), tuple(self.buffer)
        return int(push_through.of(self.params)(self.params, tuple(self.rows), work, self.at, PAUSE))

    def ends(self, meter: Meter | None = None, progress: Progress | None = None) -> OutcomeDistribution | None:
        """The distribution of outcomes, or None if it takes more work than the `meter` allows.

        Raises BrokenGame, NoExactOdds as `graph_cache.graph_of`, and CyclicPlanes, also where perhaps it never ends.
        """
        while (status := self._push()) != DONE:
            if status == NEED_ROOM:
                self.more_room()
            elif status == ROOM_FOR_PLANE:
                longer = _longer(self.planes[3:], self._of_planes(2 * len(self.planes.kind)))
                self.planes = Planes._make((*self.planes[:3], *longer))
            elif status == ROOM_FOR_FOUND:
                longer = _longer(self.found[:3], self._of_found(2 * len(self.found.node)))
                self.found = GridEndings._make((*longer, *self.found[3:]))
            elif status == BACKWARDS or (status == PAUSED and self._hardly_ends()):
                raise CyclicPlanes
            elif status in {BAD_FIELD, BAD_TABLE, NOT_FACTORED}:
                raise self.wrong(status)
            check_budget(self.chain, self.axes, self.at, self.budget)
            if meter and self._work() > meter.most and meter.is_over(self.work):
                return None
            if progress:
                progress(int(self.at[NODES]))
        check_budget(self.chain, self.axes, self.at, self.budget)
        return self._outcomes()

    def _hardly_ends(self) -> bool:
        """Has next to no chance ended while the counter grew by SUSPICIOUS?"""
        count = int(self.planes.count[int(self.at[PLANE])])
        if count < self._looked_at + SUSPICIOUS:
            return False
        before, self._looked_at, self._running = self._running, count, float(sum(self.planes.mass))
        return self._running > before * (1 - LEAST_ENDED)

    def _work(self) -> float:
        """The work of the nodes so far, see A_NODE; the newest node is added."""
        node = int(self.at[NODES]) - 1
        if self._counted < node:
            self._counted, first = node, self.rows.first
            table, second = self.nodes.table[node], self.nodes.second[node]
            self.work += work_of(first[table + 1] - first[table], first[second + 1] - first[second])
        return self.work

    def _outcomes(self) -> OutcomeDistribution:
        """The final states reached, with their chances."""
        chain, count = self.chain, int(self.at[FOUND])
        numbers, counts, p = (np.array(values[:count]) for values in self.found[:3])
        width = len(chain.start)
        made = np.array(self.nodes.state[: self.at[NODES] * width], np.int64).reshape(-1, width)
        fields = made.T.take(numbers, axis=1)
        fields[chain.counted] = counts
        states, explored = type(chain.start)(*fields), self.axes.distinct(made)
        return OutcomeDistribution(states, p, residual=float(self.found.lost[0]), explored=explored)


def _longer(old: tuple[Any, ...], fresh: tuple[Any, ...]) -> tuple[Any, ...]:
    """The fresh arrays or lists, with the contents of the old ones at their start."""
    for source, target in zip(old, fresh, strict=True):
        target[: len(source)] = source
    return fresh


def grid_outcomes(chain: Chain, budget: int, progress: Progress | None = None) -> OutcomeDistribution | None:
    """The distribution of outcomes of a chain that fits on a grid; None if its planes lead back to each other, or if
    it perhaps never ends: a graph shows whether it can.

    Raises BrokenGame, NoExactOdds as `graph_cache.graph_of`.
    """
    check_contract(chain)
    try:
        check_factored(chain)
        patience = patience_for(chain, "push_through")
        found = None
        if patience > 0:
            meter, plain = Meter(chain, patience), GridSolver(chain, budget, compiled=False)
            found = plain.ends(meter)
            spent(chain, meter.seconds(plain.work))
        if found is None:
            compile_for("push_through", chain)
            found = GridSolver(chain, budget).ends(progress=progress)
        return found
    except CyclicPlanes:
        return None
