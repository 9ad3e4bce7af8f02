"""Enumeration of a chain by the game's functions as plain Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.factored.grid import not_factored
from simulator.engine.factored.many_states import ManyStates, NotTogether
from simulator.engine.graph.graph import FINAL, Graph, check_one_roll, over_budget, size_of
from simulator.engine.jit.cost_model import Meter
from simulator.engine.model.chain import Chain, check_limits, rows_of
from simulator.engine.model.interpreted import plain_params, quicken
from simulator.engine.model.limits import BrokenGame
from simulator.engine.model.packing import packed

SizeCheck = Callable[["PlainExplorer", int], None]
# Number of edges from which on `size_check` tests whether the chain is too large (`size_bound`).
LOOK_FROM = 1 << 13
# The work at states that are followed together, in steps by the rules: at a state, and at each of its edges. Measured:
# 28,900 states with 404,096 edges 0.55 s, 11,560 with 23,116 0.15 s, where a step takes 5.8 us.
STEPS_OF_A_STATE, SHARE_OF_AN_EDGE = 2.0, 0.1


class _Columns(NamedTuple):
    """A growing graph as lists; see `graph.Graph`."""

    states: list[Any]
    table: list[int]
    second: list[int]
    owner: list[int]
    begin: list[int]
    to: list[int]
    inc: list[int]


class PlainExplorer:
    """Enumerates a chain by interpreted rules."""

    def __init__(self, chain: Chain, budget: int, decisions: bool = False, size_check: SizeCheck | None = None) -> None:
        """`size_check(explorer, edges)` may raise NoExactOdds; it is called once, for a chain with that many edges."""
        self._size_check = size_check
        self.budget, self.decisions = budget, chain.decided and (decisions or chain.utilities is not None)
        self.chain = chain
        quicken(type(chain.start))
        self._p = plain_params(chain.params)
        self._counted = chain.counted
        first = chain.tables.first.tolist()
        result = chain.tables.result.tolist()
        self._results = [result[a:b] for a, b in pairwise(first)]
        self._parts = [chain.part(name) for name in ("running", "table", "second")]
        self._follows = chain.part("follows")
        self._move = chain.leap if decisions else self._to_decision if self.decisions else chain.move
        # Decisions are taken at once, unless all of them are nodes or there are none.
        self._decides = chain.decided and not decisions
        # The states that follow the cells of each column of a plane (see `factored.grid`), by its rows.
        self._known_cells: dict[Any, dict[Any, tuple[Any, int]]] = {}
        self._many = ManyStates(chain) if ManyStates.serves(chain) and not self.decisions else None
        self._numbers: dict[Any, int] = {}
        # The number of the state that follows each cell, and the amount that is added to the counter.
        self._cells: dict[int, tuple[int, int]] = {}
        self._look_from = LOOK_FROM
        # The work of an edge of states that are followed together, in steps.
        self._edge = 1.0
        self.edges, self.work = 0, 0.0

    def _settled(self, s: Any) -> Any:
        return self.chain.settled(s, self._p, stop=self.decisions) if self._decides else s

    def _to_decision(self, p: Any, s: Any, result: int, other: int) -> Any:
        return self._settled(self.chain.leap(p, s, result, other))

    def begun(self, start: Any) -> Any:
        """The first chance state of a battle from this start, without its counter."""
        first = self._settled(start)
        begun = type(start)(*(0 if f == self._counted else int(value) for f, value in enumerate(first)))
        check_limits(self.chain, begun, start)
        return begun

    def explore(self, meter: Meter | None = None, starts: np.ndarray | None = None) -> Graph | None:
        """The graph, or None if it has more edges than the `meter` allows.

        `starts` as for `explore.explore`: int64, shape (starts, fields).
        """
        chain, self._look_from = self.chain, LOOK_FROM
        a_state, an_edge = size_of(chain, 1, 0), size_of(chain, 0, 1)
        begun = self._first_states(starts)
        found = _Columns(list(dict.fromkeys(begun)), [], [], [], [0], [], [])
        states, tables, to = found.states, found.table, found.to
        number = self._numbers = {state: i for i, state in enumerate(states)}
        while len(tables) < len(states):
            if meter and self._work(found) > meter.most and meter.is_over(self._work(found)):
                break
            self._follow_some(found, starts is None)
            if len(states) * a_state + len(to) * an_edge > self.budget:
                raise over_budget(chain, len(states), len(states) - len(tables), len(to), self.budget)
        self.edges, self.work = len(to), self._work(found)
        return None if len(tables) < len(states) else self._graph(found, np.array([number[s] for s in begun]))

    def price(self, step: float, solving: float) -> float:
        """The seconds of a unit of work, with those of `solving` an edge later."""
        self._edge = SHARE_OF_AN_EDGE + solving / step
        return step if self._many else step + solving

    def _work(self, found: _Columns) -> float:
        """The work so far: edges, or less where they are made together."""
        edges = len(found.to)
        return min(edges, STEPS_OF_A_STATE * len(found.table) + self._edge * edges) if self._many else edges

    def _follow_some(self, found: _Columns, sample: bool) -> None:
        """Follow the next state, or several at once."""
        if self._many:
            try:
                self._follow_many(self._many, found, sample)
                return
            except NotTogether:
                self._many = None
        s = found.states[len(found.table)]
        t, u, owner, results, others = self.choices(s)
        self._look_ahead(len(found.to), len(results) * len(others), sample)
        found.table.append(t)
        found.second.append(u)
        found.owner.append(owner)
        for after, count in self._each_after(s, owner, results, others):
            found.to.append(self._number_of(found.states, after, s))
            found.inc.append(count)
        found.begin.append(len(found.to))

    def _follow_many(self, many: ManyStates, found: _Columns, sample: bool) -> None:
        """Follow several states at once; a cell that edges lead to is followed once. Raises NotTogether."""
        batch = found.states[len(found.table) :][: many.most]
        steps = many.steps(batch)
        widest = int(steps.size.max())
        self._look_ahead(len(found.to) + len(steps.cell) - widest, widest, sample)
        cells, first, which = np.unique(steps.cell, return_index=True, return_inverse=True)
        end, order = np.cumsum(steps.size), np.argsort(first)
        cells, before = cells[order], np.searchsorted(end, first[order], "right").tolist()
        numbers = cells.tolist()
        new = [at for at, cell in enumerate(numbers) if cell not in self._cells]
        for at, landed in zip(new, many.states(cells[new]), strict=True):
            after, count = self.without_count(batch[before[at]], self._settled(self._follows(self._p, landed)))
            self._cells[numbers[at]] = self._number_of(found.states, after, batch[before[at]]), count
        reached = np.array([self._cells[cell] for cell in numbers], np.int64).reshape(-1, 2)
        number, more = reached[np.argsort(order)[which]].T
        found.table.extend(steps.table.tolist())
        found.second.extend(steps.second.tolist())
        found.owner.extend([0] * len(batch))
        found.begin.extend((len(found.to) + end).tolist())
        found.to.extend(number.tolist())
        found.inc.extend(more.tolist())

    def _number_of(self, states: list[Any], after: Any, before: Any) -> int:
        """The number of a state, a new one if necessary."""
        if (known := self._numbers.get(after)) is not None:
            return known
        check_limits(self.chain, after, before)
        self._numbers[after] = len(states)
        states.append(after)
        return len(states) - 1

    def _each_after(self, s: Any, owner: int, results: Sequence[int], others: Sequence[int]) -> list[tuple[Any, int]]:
        """The state at the end of each edge, and the amount that the edge adds to the counter, see `without_count`."""
        p, move, chain = self._p, self._move, self.chain
        if chain.factored is None or owner or not results:
            return [self.without_count(s, move(p, s, result, other)) for other in others for result in results]
        # Each roll is made alone, and a cell that pairs of results lead to is followed once: 1 us an edge, not 13.
        lands, second, columns = chain.part("lands"), chain.factored[1], []
        rows = [tuple(getattr(lands(p, s, results[0], other), name) for name in second) for other in others]
        for result in results:
            column = lands(p, s, result, others[0])._replace(**dict.fromkeys(second, 0))
            known = self._known_cells.setdefault(column, {})
            for row in rows:
                if row not in known:
                    cell = column._replace(**dict(zip(second, row, strict=True)))
                    known[row] = self.without_count(s, self._settled(chain.part("follows")(p, cell)))
            columns.append([known[row] for row in rows])
        if lands(p, s, results[-1], others[-1]) != column._replace(**dict(zip(second, rows[-1], strict=True))):
            raise not_factored(chain, s)
        return [after for line in zip(*columns, strict=True) for after in line]

    def _look_ahead(self, edges: int, fan: int, sample: bool) -> None:
        """Raise NoExactOdds if the next `fan` edges alone are past the budget, or if `size_check` does."""
        if edges + fan <= self._look_from:
            return
        check_one_roll(self.chain, fan, self.budget)
        if sample and self._size_check and self._look_from == LOOK_FROM:
            self._size_check(self, edges + fan)
        self._look_from = max(LOOK_FROM + 1, self.budget // size_of(self.chain, 0, 1))

    def _first_states(self, starts: np.ndarray | None) -> list[Any]:
        """The first chance states of battles from these starts (rows of ints), or from that of the chain."""
        if starts is None:
            return [self.begun(self.chain.start)]
        return [self.begun(type(self.chain.start)._make(start)) for start in starts.tolist()]

    def _graph(self, found: _Columns, starts: np.ndarray) -> Graph:
        chain = self.chain
        return Graph(
            chain,
            packed(chain.layout, rows_of(found.states)),
            np.array(found.table, np.int32),
            np.array(found.second, np.int32) if chain.paired else None,
            np.array(found.owner, np.int8) if self.decisions else None,
            np.array(found.begin, np.int64),
            np.array(found.to, np.int32),
            np.array(found.inc, np.uint32) if chain.counters else None,
            starts,
        )

    def choices(self, s: Any) -> tuple[int, int, int, Sequence[int], Sequence[int]]:
        """Both tables and the owner of a state, and the results of both rolls, or the options of a decision.

        An edge leads to each pair of them, the second ones in turn.
        """
        p, (running, table, second) = self._p, self._parts
        if not running(p, s):
            return FINAL, 0, 0, (), ()
        if self.decisions and (owner := int(self.chain.part("decides")(p, s))):
            return 0, 0, owner, range(options_of(self.chain, p, s, owner)), (0,)
        t, u = int(table(p, s)), int(second(p, s))
        for index in (t, u):
            if not 0 <= index < len(self._results):
                raise self.chain.tables.missing(index, s)
        return t, u, 0, self._results[t], self._results[u] if self.chain.paired else (0,)

    def fan_of(self, s: Any) -> int:
        """The number of edges of a state; 0 for a final one."""
        *_, results, others = self.choices(s)
        return len(results) * len(others)

    def after(self, s: Any, edge: int) -> Any:
        """The state that this edge of a running state leads to, without its counter."""
        *_, results, others = self.choices(s)
        other, row = divmod(edge, len(results))
        after, _ = self.without_count(s, self._move(self._p, s, results[row], others[other]))
        check_limits(self.chain, after, s)
        return after

    def without_count(self, before: Any, after: Any) -> tuple[Any, int]:
        """The state after a step with its counter at 0, and the amount that the step added to the counter."""
        if self._counted < 0:
            return after, 0
        more = int(after[self._counted])
        if more == 0:
            return after, 0
        limit = int(self.chain.limits[self._counted])
        if not 0 <= more <= limit:
            raise BrokenGame(
                f"counter {self.chain.counters[0]}: {more} is not within 0 to {limit}, after state {before}"
            )
        counted = self._counted
        return tuple.__new__(type(after), (*after[:counted], 0, *after[counted + 1 :])), more


def options_of(chain: Chain, p: Any, s: Any, owner: int) -> int:
    """The number of options of a decision by `owner` (1 + side); raises BrokenGame for no options, or for no side."""
    count = int(chain.part("options")(p, s))
    if owner not in {1, 2} or count < 1:
        raise BrokenGame(f"decides: {owner} is no side, or {count} no number of options; state {s}")
    return count
