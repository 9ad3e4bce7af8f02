"""Many cells in one pass: cells that differ only in the start of their battle share one graph, solved backwards once.

The game declares which fields only change the start state (`Built.starts`), and how cells form one chain
(`Built.joined`); this module checks that. It builds the corners of the grid as usual and interpolates starts and
outcomes between them. The numbers of the smallest cell and of the middle one must equal their own exact answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.measure import weighed
from simulator.analysis.odds.outcome_columns import readable
from simulator.analysis.odds.run import Progress
from simulator.analysis.odds.stages import counting_columns
from simulator.engine.api import Graph, Solver, explore, graph_of
from simulator.engine.model.limits import QUICK_BYTES, BrokenGame, NoExactOdds
from simulator.rules.battle import Columns, Joined
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.scenarios import Draft, Scenario, ScenarioError

LEAST_CELLS = 8
MOST_AXES = 4
# A limit of the edges traversed for questions that differ from cell to cell; beyond it, one cell after the other is as
# fast.
MOST_EDGES = 2_000_000_000

ALL = slice(None)

# Places of an array, and the values there.
Part = tuple[Any, np.ndarray]


def solve_rows(
    base: Draft,
    paths: Sequence[str],
    rows: Sequence[Sequence[Any]],
    asked: Sequence[str],
    progress: Progress | None = None,
) -> np.ndarray | None:
    """The exact values of cells by their settings of `paths` (a row a cell): float64, shape (asked, cells).

    None if the cells need separate answers: the fields change more than the start, a value asked is no mean, or the
    graph is too large. nan for single cells of that kind, and for those that the rules refuse. Raises BrokenGame if
    the declarations of the game are wrong.
    """
    axes = dict(zip(paths, zip(*rows, strict=True), strict=False))
    # True equals 1, and is no setting of a number.
    varied = {
        path: axis for path, axis in axes.items() if len({*map(type, axis)}) > 1 or axis.count(axis[0]) < len(axis)
    }
    if not varied or not all(type(number) is int for axis in varied.values() for number in axis):
        return None
    base = base.with_fields({path: axis[0] for path, axis in axes.items() if path not in varied})
    block = Block.of(base, tuple(varied), np.array(list(varied.values())).T)
    if block is None:
        return None
    try:
        if block.refused:
            return _in_two(base, block, asked, progress)
        found = block.solved(asked, progress)
        if found is not None:
            block.check_cells(asked, found)
            found = found[:, : len(rows)]
    except NoExactOdds:
        return None
    return found


def _in_two(base: Draft, block: Block, asked: Sequence[str], progress: Progress | None) -> np.ndarray | None:
    """`solve_rows` for the cells without the lowest setting of an axis, and for those with it separately."""
    found, settings = np.full((len(asked), len(block.rows)), np.nan), block.rows[:, block.edge()]
    lowest = settings == settings.min()
    for which in (~lowest, lowest):
        solved = solve_rows(base, block.paths, block.rows[which].tolist(), asked, progress)
        if solved is not None:
            found[:, which] = solved
    return None if np.isnan(found).all() else found


@dataclass(frozen=True)
class Block:
    """Cells over `paths` by their settings (`rows`), the scenarios of the corners of the box around them by settings,
    and the corners that the rules refuse. Corners that are no cells themselves are added at the end of the rows.
    """

    paths: Sequence[str]
    rows: np.ndarray
    corners: dict[tuple[int, ...], Scenario]
    refused: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, base: Draft, paths: Sequence[str], rows: np.ndarray) -> Block | None:
        """The block; None for one that is too small or unsuitable, or whose largest corner the rules refuse."""
        size, axes = rows.shape
        if not axes or size < LEAST_CELLS or 2**axes > max(2**MOST_AXES, size // LEAST_CELLS):
            return None
        corners: dict[tuple[int, ...], Scenario] = {}
        refused: list[tuple[int, ...]] = []
        # The largest corner first: if it is refused, the others are not needed.
        for settings in product(*(sorted({min(axis), max(axis)}, reverse=True) for axis in rows.T.tolist())):
            try:
                scenario, note = changed(base, paths, settings)
            except ScenarioError:
                if not corners:
                    return None
                refused.append(settings)
                continue
            if not isinstance(scenario, Scenario) or note or not set(paths) <= set(scenario.built.starts):
                return None
            if scenario.chain.utilities is not None:
                return None
            corners[settings] = scenario
        if refused:
            return cls(paths, rows, corners, tuple(refused))
        cells = set(map(tuple, rows.tolist()))
        missing = [one for one in corners if one not in cells]
        return cls(paths, np.concatenate([rows, missing]) if missing else rows, corners)

    def edge(self) -> int:
        """The axis at whose lowest setting the rules refuse the most corners."""
        lowest = [
            sum(one[axis] == low < high for one in self.refused)
            for axis, (low, high) in enumerate(zip(self.bottom, self.top, strict=True))
        ]
        return int(np.argmax(lowest))

    @cached_property
    def top(self) -> tuple[int, ...]:
        """The settings of the largest corner."""
        return tuple(self.rows.max(axis=0).tolist())

    @cached_property
    def bottom(self) -> tuple[int, ...]:
        """The settings of the smallest corner."""
        return tuple(self.rows.min(axis=0).tolist())

    @cached_property
    def grid(self) -> np.ndarray:
        """The settings of each cell minus those of the largest corner: int64, shape (cells, axes)."""
        return np.asarray(self.rows - np.array(self.top))

    def evenly(self, top: np.ndarray, others: dict[tuple[int, ...], Part]) -> np.ndarray | None:
        """The change of numbers for a step along each axis (float64, shape (axes,)); None if they change unevenly.

        `others` are the numbers at the corners, at those places that a battle from there can reach.
        """
        steps = np.zeros(len(self.paths))
        for axis, (low, high) in enumerate(zip(self.bottom, self.top, strict=True)):
            if low < high:
                where, least = others[(*self.top[:axis], low, *self.top[axis + 1 :])]
                change = (top[where].astype(float) - least) / (high - low)
                steps[axis] = change.flat[0] if change.size else 0.0
        for settings, (where, least) in others.items():
            if not np.array_equal(top[where] + (np.array(settings) - self.top) @ steps, least):
                return None
        return steps

    def joined(self) -> Joined | None:
        """All cells as one chain; None if that is impossible: too many cells, or starts that move unevenly."""
        top = self.corners[self.top]
        if top.built.joined is not None:
            return top.built.joined(self.paths, self.rows)
        starts = self._starts()
        return None if starts is None else Joined(top.chain, starts, self._outcome)

    def _outcome(self, states: Any, settings: Sequence[int]) -> Columns:
        return self.corners[tuple(settings)].built.outcome(states)

    def _starts(self) -> np.ndarray | None:
        """The start of each cell: int64, shape (cells, fields); None if starts move unevenly."""
        found = []
        for f, value in enumerate(self.corners[self.top].chain.start):
            others = {where: (ALL, np.array([int(one.chain.start[f])])) for where, one in self.corners.items()}
            steps = self.evenly(np.array([int(value)]), others)
            if steps is None:
                return None
            found.append(int(value) + self.grid @ steps)
        return np.asarray(np.rint(np.stack(found, axis=1)), np.int64)

    def solved(self, asked: Sequence[str], progress: Progress | None) -> np.ndarray | None:
        """The value of each question in each cell: float64, shape (questions, cells).

        None if one pass cannot compute them.
        """
        joined = self.joined()
        if joined is None:
            return None
        report = (lambda states: progress(states, None)) if progress else None
        graph = explore(joined.chain, QUICK_BYTES, report, starts=joined.starts)
        solver, outcomes = Solver(graph, counted=False), FinalStates(self, joined, graph)
        found = np.empty((len(asked), len(joined.starts)))
        for question, answers in zip(asked, found, strict=True):
            worths = list(outcomes.worths(question))
            if not worths or len(worths) * len(graph.to) > MOST_EDGES:
                return None
            for cells, worth, shift in worths:
                value = np.zeros(len(graph))
                value[graph.final] = worth
                answers[cells] = solver.values(value, report)[graph.starts[cells]] + shift
        return found

    def check_cells(self, asked: Sequence[str], found: np.ndarray) -> None:
        """Raise BrokenGame if the smallest or the middle cell has another answer on its own.

        `found` are the values that `solved` returned: float64, shape (questions, cells).
        """
        top = self.corners[self.top]
        middle = self.rows[np.abs(self.rows - (np.array(self.top) + self.bottom) / 2).sum(axis=1).argmin()].tolist()
        inside = top.replace_all(dict(zip(self.paths, middle, strict=True)))
        for settings, one in ((self.bottom, self.corners[self.bottom]), (middle, inside)):
            # Count rounds as in the largest battle, even if no rule of the smaller one reads them.
            graph = graph_of(replace(one.chain, counters=top.chain.counters), QUICK_BYTES)
            states = graph.states(graph.final)
            columns, solver = readable(_long(one.built.outcome(states), len(states[0]))), Solver(graph, counted=False)
            cell = int((self.rows == settings).all(axis=1).argmax())
            for question, values in zip(asked, found, strict=True):
                worth = weighed(one.battle, columns, int(graph.final.sum()), question)
                assert worth is not None
                value = np.zeros(len(graph))
                value[graph.final] = worth
                own = float(solver.values(value)[0])
                if not abs(own - values[cell]) <= ALIKE * max(1.0, abs(own)):
                    raise BrokenGame(
                        f"{', '.join(self.paths)} do more than move the start: {question} is {own} at "
                        f"{settings}, and {values[cell]} from there in a larger battle"
                    )


class FinalStates:
    """The final states of the graph of a block, as columns of the outcomes of its cells."""

    def __init__(self, block: Block, joined: Joined, graph: Graph) -> None:
        self.block, self.joined, self.graph = block, joined, graph
        self.battle = block.corners[block.top].battle
        states = graph.states(graph.final)
        self.at: dict[tuple[int, ...], tuple[np.ndarray, Columns]] = {}
        for settings in block.corners:
            cell = int((block.rows == settings).all(axis=1).argmax())
            inside = ended_from(graph, graph.starts[cell]) if settings != block.top else np.ones(len(self), bool)
            own = type(states)(*(values[inside] for values in states))
            self.at[settings] = inside, self.columns(own, settings)
        self.top = self.at[block.top][1]
        self.steps: dict[str, np.ndarray | None] = {}

    def columns(self, states: Any, settings: Sequence[int]) -> Columns:
        """The columns of final states in a cell."""
        return _long(self.joined.outcome(states, settings), len(states[0]))

    @cached_property
    def counting(self) -> set[str]:
        """Columns that depend on the counter, which this graph does not contain."""
        final = self.graph.states(self.graph.final)
        return counting_columns(self.graph.chain, final, lambda states: self.columns(states, self.block.top))

    def _steps(self, name: str) -> np.ndarray | None:
        """The change of a column for a step along each axis; None if uneven."""
        if name not in self.steps:
            top = self.top[name]
            others = {settings: (inside, columns[name]) for settings, (inside, columns) in self.at.items()}
            if all(np.array_equal(top[inside], one) for inside, one in others.values()):
                self.steps[name] = np.zeros(len(self.block.paths))
            else:
                self.steps[name] = self.block.evenly(top, others) if top.dtype.kind in "iuf" else None
        return self.steps[name]

    def __len__(self) -> int:
        return int(self.graph.final.sum())

    def _readable(self, below: Any = 0) -> Columns:
        """The columns for users in the cell with these settings relative to the largest corner."""
        found = {}
        for name, values in self.top.items():
            steps = self._steps(name) if np.any(below) else None
            found[name] = values if steps is None or not steps.any() else values + below @ steps
        return readable(found)

    def worths(self, question: str) -> Iterator[tuple[Any, np.ndarray, Any]]:
        """The worths of final states to propagate backwards; none for a question that they do not decide.

        Each item is for some cells: their places (int64, or a slice of all), the worth of each final state (float64,
        shape (final states,)), and the number to add to the mean of each cell (0 or float64, shape (cells,)).
        """
        columns, grid = self._readable(), self.block.grid
        try:
            worth = weighed(self.battle, columns, len(self), question)
        except ValueError:
            return
        words = {*re.findall(r"\w+", question), question[len("mean.") :]}
        words |= {"winner"} if question.startswith("p_") else set()
        used = sorted(words.intersection(columns))
        steps = [self._steps(name) for name in used]
        if worth is None or self.counting.intersection(used) or any(step is None for step in steps):
            return
        changes = grid @ np.stack([np.zeros(grid.shape[1]), *(step for step in steps if step is not None)], axis=1)
        if question not in columns and question.startswith("mean"):
            yield ALL, worth, changes[:, 1]
            return
        if not changes.any():
            yield ALL, worth, 0.0
            return
        _, first, which = np.unique(changes, axis=0, return_index=True, return_inverse=True)
        for number, cell in enumerate(first):
            worth = weighed(self.battle, self._readable(grid[cell]), len(self), question)
            assert worth is not None
            yield np.flatnonzero(which.ravel() == number), worth, 0.0


def ended_from(graph: Graph, start: int) -> np.ndarray:
    """The final states that a state can reach: bool, shape (final states,)."""
    reached, here = np.zeros(len(graph), bool), np.array([start])
    while len(here):
        reached[here] = True
        after = np.unique(graph.to[graph.edges_of(here)[1]])
        here = after[~reached[after]]
    return np.asarray(reached[graph.final])


def _long(columns: Columns, size: int) -> Columns:
    """Columns broadcast to the number of states."""
    return {name: np.broadcast_to(one, size) for name, one in columns.items()}
