"""A grid of scenarios in portions that are answered independently, in any order and on any machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, product, repeat
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.answer import cell
from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.measure import Measure, measure
from simulator.analysis.odds.run import Progress
from simulator.analysis.studies.cell import NOTHING, Cell, changed
from simulator.analysis.studies.one_pass import solve_block
from simulator.scenarios import Draft, Scenario, ScenarioError

# The largest number of cells that are solved in one pass.
BLOCK = 1 << 17


class Portion(NamedTuple):
    """A range (begin, end) of each axis; `block` says that its cells may be solved in one pass."""

    ranges: tuple[tuple[int, int], ...]
    block: bool = False

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(np.prod([end - begin for begin, end in self.ranges]))


class Answered(NamedTuple):
    """A portion's cells in row order (fewer if it was interrupted) and the seconds it took.

    `cells` is None for a block that cannot be solved in one pass; answer its parts (`Grid.parts`) instead.
    """

    portion: Portion
    cells: list[Cell] | None
    seconds: float


@dataclass(frozen=True)
class Grid:
    """All cells to answer: every combination of `values` of the fields `paths`, in row order.

    `asked` are values, see `measure`; `battles` simulates every cell. Cells that are answered one by one come in
    portions of at most `few` cells. `kept` are the ranges of portions that are already answered.
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
        """The number of settings of each field."""
        return tuple(len(axis) for axis in self.values)

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(np.prod(self.shape, dtype=object))

    def settings(self, portion: Portion) -> Iterator[tuple[Any, ...]]:
        """The settings of a portion's cells."""
        return product(*(axis[begin:end] for axis, (begin, end) in zip(self.values, portion.ranges, strict=True)))

    def places(self, portion: Portion) -> np.ndarray:
        """The numbers of a portion's cells in row order of the grid: int64, shape (cells,)."""
        axes = np.ix_(*(np.arange(begin, end) for begin, end in portion.ranges))
        return np.ravel_multi_index(np.broadcast_arrays(*axes), self.shape).ravel()

    def plan(self) -> Iterator[Portion]:
        """Portions that cover the grid: blocks if fields only move the start of the battle, else few cells each."""
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
        """Axes that only move the start of the battle, judged by the first cell that the rules allow."""
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
        """The same cells in small portions, except those that are kept."""
        *outer, (begin, end) = portion.ranges
        for ranges in product(*([(place, place + 1) for place in range(*one)] for one in outer)):
            for first in range(begin, end, self.few):
                part = Portion((*ranges, (first, min(first + self.few, end))))
                if part.ranges not in self.kept:
                    yield part

    def answer(self, portion: Portion, shared: Shared, stopped: Callable[[], bool] = lambda: False) -> Answered:
        """The answers of a portion; those finished so far once `stopped()` is true."""
        begun = time.perf_counter()

        def report(done: int, total: int | None) -> None:
            if stopped():
                raise KeyboardInterrupt

        found: list[Cell] = []
        try:
            solved = self._solved(portion, report) if portion.block else repeat(None)
            if solved is None:
                return Answered(portion, None, time.perf_counter() - begun)
            for settings, known in zip(self.settings(portion), solved, strict=False):
                if known is None:
                    report(0, None)
                found.append(known or self.cell(settings, shared, report))
        except KeyboardInterrupt:
            if not stopped():
                raise
        return Answered(portion, found, time.perf_counter() - begun)

    def _solved(self, portion: Portion, report: Progress) -> Iterable[Cell | None] | None:
        """The cells of a block, None for each that one pass does not answer; None if it answers none."""
        ranges = zip(self.values, portion.ranges, strict=True)
        axes = [(path, axis[begin:end]) for path, (axis, (begin, end)) in zip(self.paths, ranges, strict=True)]
        fixed = {path: axis[0] for path, axis in axes if len(axis) == 1}
        free = {path: axis for path, axis in axes if len(axis) > 1}
        base = self.draft.with_fields(fixed) if fixed else self.draft
        values = solve_block(base, tuple(free), tuple(free.values()), self.asked, report)
        if values is None:
            return None
        measures = zip(*([Measure(one, one, one) for one in row] for row in values.tolist()), strict=True)
        solved = np.isfinite(values).all(axis=0).tolist()
        cells = zip(self.settings(portion), measures, solved, strict=True)
        return [Cell(settings, found, "exact") if known else None for settings, found, known in cells]

    def cell(self, settings: tuple[Any, ...], shared: Shared, report: Progress | None = None) -> Cell:
        """The answer of a single cell."""
        try:
            scenario, note = changed(self.draft, self.paths, settings)
        except ScenarioError as error:
            return Cell(settings, (NOTHING,) * len(self.asked), "refused", refused=str(error))
        found = cell(scenario, self.battles, self.seed, report, shared)
        measures = tuple(measure(found, value) for value in self.asked)
        return Cell(settings, measures, found.method, found.battles, note=note)


def _cut(size: int, step: int) -> list[tuple[int, int]]:
    """An axis in ranges of at most `step` places."""
    return [(begin, min(begin + step, size)) for begin in range(0, size, step)]
