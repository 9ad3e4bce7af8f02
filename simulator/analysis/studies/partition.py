"""A grid cut into portions, each answered by itself: the same numbers whoever answers them, in whatever order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product, repeat
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.answer import Progress, cell
from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.measure import Measure, measure
from simulator.analysis.studies.cell import NOTHING, Cell, changed
from simulator.analysis.studies.one_pass import solve_block
from simulator.scenarios import Draft, Scenario, ScenarioError

# A block that is solved in one pass has at most so many cells.
BLOCK = 1 << 17


class Portion(NamedTuple):
    """Which places of each axis (begin, end); `block` tells that they may be solved in one pass."""

    ranges: tuple[tuple[int, int], ...]
    block: bool = False

    @property
    def size(self) -> int:
        """How many cells it has."""
        return int(np.prod([end - begin for begin, end in self.ranges]))


class Answered(NamedTuple):
    """A portion's cells in row order (fewer if it was interrupted) and the seconds it took.

    `cells` is None for a block that cannot be solved in one pass: its parts (`Grid.parts`) are to be answered instead.
    """

    portion: Portion
    cells: list[Cell] | None
    seconds: float


@dataclass(frozen=True)
class Grid:
    """All cells that are to be answered: every combination of `values` of the fields `paths`, in row order.

    `asked` is what `measure` takes; `battles` simulates every cell with so many. Cells that are answered one by one
    come in portions of at most `few`. `kept` are portions (their ranges) that nobody wants any more.
    """

    draft: Draft
    paths: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    asked: tuple[str, ...]
    battles: int | None = None
    seed: int = 0
    few: int = 1
    kept: frozenset[tuple[tuple[int, int], ...]] = frozenset()

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """How many settings each field has."""
        return tuple(len(axis) for axis in self.values)

    @property
    def size(self) -> int:
        """How many cells there are."""
        return int(np.prod(self.shape, dtype=object))

    def settings(self, portion: Portion) -> Iterator[tuple[Any, ...]]:
        """The settings of a portion's cells."""
        return product(*(axis[begin:end] for axis, (begin, end) in zip(self.values, portion.ranges, strict=True)))

    def places(self, portion: Portion) -> np.ndarray:
        """Which cells of the grid they are, numbered in row order."""
        axes = np.ix_(*(np.arange(begin, end) for begin, end in portion.ranges))
        return np.ravel_multi_index(np.broadcast_arrays(*axes), self.shape).ravel()

    def plan(self) -> Iterator[Portion]:
        """Portions that cover the grid: blocks where a game has fields that only move the start, else few cells."""
        inner = self._moving()
        if not inner:
            yield from self.parts(Portion(tuple((0, size) for size in self.shape)))
            return
        rest = int(np.prod([self.shape[axis] for axis in inner[1:]]))
        step = max(1, BLOCK // rest)
        cuts = [
            _cut(size, step if axis == inner[0] else size if axis in inner else 1)
            for axis, size in enumerate(self.shape)
        ]
        for ranges in product(*cuts):
            yield Portion(ranges, block=True)

    def _moving(self) -> list[int]:
        """Axes that only move the start of the battle, as far as the first cell that the rules allow tells."""
        if self.battles is not None:
            return []
        for settings in islice(product(*self.values), 1000):
            try:
                scenario, _ = changed(self.draft, self.paths, settings)
            except ScenarioError:
                continue
            starts = scenario.built.starts if isinstance(scenario, Scenario) else ()
            return [axis for axis, path in enumerate(self.paths) if path in starts and self.shape[axis] > 1]
        return []

    def parts(self, portion: Portion) -> Iterator[Portion]:
        """The same cells in small portions, without those that are kept."""
        *outer, (begin, end) = portion.ranges
        for ranges in product(*([(place, place + 1) for place in range(*one)] for one in outer)):
            for first in range(begin, end, self.few):
                part = Portion((*ranges, (first, min(first + self.few, end))))
                if part.ranges not in self.kept:
                    yield part

    def answer(self, portion: Portion, shared: Shared, stopped: Callable[[], bool] = lambda: False) -> Answered:
        """A portion's answers; those so far once `stopped()` says so."""
        begun = time.perf_counter()

        def told(done: int, total: int | None) -> None:
            if stopped():
                raise KeyboardInterrupt

        found: list[Cell] = []
        try:
            solved = self._solved(portion, told) if portion.block else repeat(None)
            if solved is None:
                return Answered(portion, None, time.perf_counter() - begun)
            for settings, known in zip(self.settings(portion), solved, strict=False):
                if known is None:
                    told(0, None)
                found.append(known or self.cell(settings, shared, told))
        except KeyboardInterrupt:
            if not stopped():
                raise
        return Answered(portion, found, time.perf_counter() - begun)

    def _solved(self, portion: Portion, told: Progress) -> Iterable[Cell | None] | None:
        """A block's cells, None for those that one pass does not answer; None if it answers none."""
        ranges = zip(self.values, portion.ranges, strict=True)
        axes = [(path, axis[begin:end]) for path, (axis, (begin, end)) in zip(self.paths, ranges, strict=True)]
        fixed = {path: axis[0] for path, axis in axes if len(axis) == 1}
        free = {path: axis for path, axis in axes if len(axis) > 1}
        base = self.draft.with_fields(fixed) if fixed else self.draft
        values = solve_block(base, tuple(free), tuple(free.values()), self.asked, told)
        if values is None:
            return None
        measures = zip(*([Measure(one, one, one) for one in row] for row in values.tolist()), strict=True)
        solved = np.isfinite(values).all(axis=0).tolist()
        cells = zip(self.settings(portion), measures, solved, strict=True)
        return [Cell(settings, found, "exact") if known else None for settings, found, known in cells]

    def cell(self, settings: tuple[Any, ...], shared: Shared, told: Progress | None = None) -> Cell:
        """The answer of one cell by itself."""
        try:
            scenario, note = changed(self.draft, self.paths, settings)
        except ScenarioError as error:
            return Cell(settings, (NOTHING,) * len(self.asked), "refused", refused=str(error))
        found = cell(scenario, self.battles, self.seed, told, shared)
        measures = tuple(measure(found, value) for value in self.asked)
        return Cell(settings, measures, found.method, found.battles, note=note)


def _cut(size: int, step: int) -> list[tuple[int, int]]:
    """An axis in ranges of so many places."""
    return [(begin, min(begin + step, size)) for begin in range(0, size, step)]
