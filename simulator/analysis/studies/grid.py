"""A grid of scenarios: its cells, and portions of them that are answered independently, in any order, anywhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, islice, product
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.answer import answer, changed
from simulator.analysis.odds.headline import meant
from simulator.analysis.odds.measure import Measure, measure
from simulator.analysis.odds.method import Method, check_numbers
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import CELL_BATTLES, CELL_BYTES, Progress, by_rules
from simulator.analysis.odds.stages import Shared
from simulator.analysis.plan.answer import studied
from simulator.analysis.studies.one_pass import solve_rows
from simulator.analysis.studies.variants import variants, with_variants
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import VARIANT, Draft, Scenario, ScenarioError, Source
from simulator.scenarios.paths import setting_at
from simulator.scenarios.schema import field_at, unknown_field
from simulator.scenarios.validation import shown

# The largest number of cells of a grid, and of those that are solved in one pass.
MOST_CELLS, BLOCK = 100_000, 1 << 17
NOTHING = Measure(float("nan"), float("nan"), float("nan"))


class Cell(NamedTuple):
    """One answer of a grid: the settings, the values with 95 % intervals, and how they were obtained.

    A cell that the rules refuse has no numbers (nan) and the reason in `refused`; `note` names fields left out.
    """

    settings: tuple[Any, ...]
    measures: tuple[Measure, ...]
    method: str
    battles: int | None = None
    refused: str | None = None
    note: str = ""

    @property
    def value(self) -> float:
        """The first value."""
        return self.measures[0].value

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""
        return self.measures[0].low

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""
        return self.measures[0].high


def number_rows(about: Mapping[str, Any], asked: Sequence[str], cell: Cell) -> list[dict[str, Any]]:
    """A row for each value asked of a cell: `about`, `asked`, `value`, `low`, `high`, `method`, `battles`, `refused`.

    All tables of many answers have these columns, whether one value was asked or several.
    """
    how = {"method": cell.method, "battles": cell.battles, "refused": cell.refused or ""}
    return [
        {**about, "asked": name}
        | {part: None if np.isnan(number) else number for part, number in measure._asdict().items()}
        | how
        for name, measure in zip(asked, cell.measures, strict=True)
    ]


def solved_cells(
    base: Draft,
    paths: Sequence[str],
    rows: Sequence[tuple[Any, ...]],
    asked: Sequence[str],
    report: Progress | None = None,
) -> list[Cell | None] | None:
    """The cells of these settings solved in one pass, None for each that it does not answer; None if it answers none.

    See `solve_rows`.
    """
    values = solve_rows(base, paths, rows, asked, report)
    if values is None:
        return None
    solved = np.isfinite(values).all(axis=0).tolist()
    return [
        Cell(settings, tuple(Measure(one, one, one) for one in row), "exact") if known else None
        for settings, row, known in zip(rows, values.T.tolist(), solved, strict=True)
    ]


class Portion(NamedTuple):
    """A range (begin, end) of each axis; `block` says that its cells may be solved in one pass."""

    ranges: tuple[tuple[int, int], ...]
    block: bool = False

    @property
    def size(self) -> int:
        """The number of cells."""
        return int(np.prod([end - begin for begin, end in self.ranges]))


class AnsweredPortion(NamedTuple):
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
    portions of at most `few` cells.
    """

    draft: Draft
    paths: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    asked: tuple[str, ...]
    battles: int | None = None
    seed: int = 0
    few: int = 1

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
        steps = dict.fromkeys(inner, max(self.shape)) | {inner[0]: max(1, BLOCK // rest)}
        cuts = [_cut((0, size), steps.get(axis, 1)) for axis, size in enumerate(self.shape)]
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
        """The same cells in small portions."""
        *outer, last = portion.ranges
        return map(Portion, product(*(_cut(one, 1) for one in outer), _cut(last, self.few)))

    def nearest_first(self, portions: Iterable[Portion]) -> list[Portion]:
        """The portions by how far they begin from the settings that the scenario has itself, counted in settings."""
        battle, data = self.draft.battle(), self.draft.data
        given = [setting_at(battle, data, path) for path in self.paths]
        now = [axis.index(one) if one in axis else 0 for one, axis in zip(given, self.values, strict=True)]
        return sorted(
            portions, key=lambda one: max(abs(at - here[0]) for at, here in zip(now, one.ranges, strict=True))
        )

    def answer(self, portion: Portion, shared: Shared, stopped: Callable[[], bool] = lambda: False) -> AnsweredPortion:
        """The answers of a portion; those finished so far once `stopped()` is true."""
        begun = time.perf_counter()

        def report(done: int, total: int | None) -> None:
            if stopped():
                raise KeyboardInterrupt

        found: list[Cell] = []
        try:
            settings = list(self.settings(portion))
            solved: list[Cell | None] | None = [None] * len(settings)
            if portion.block:
                solved = solved_cells(self.draft, self.paths, settings, self.asked, report)
            if solved is None:
                return AnsweredPortion(portion, None, time.perf_counter() - begun)
            for one, known in zip(settings, solved, strict=True):
                if known is None:
                    report(0, None)
                found.append(known or self.cell(one, shared, report))
        except KeyboardInterrupt:
            if not stopped():
                raise
        return AnsweredPortion(portion, found, time.perf_counter() - begun)

    def cell(self, settings: tuple[Any, ...], shared: Shared, report: Progress) -> Cell:
        """The answer of a single cell."""
        try:
            found, note = self.odds(settings, shared, report)
        except ScenarioError as error:
            return Cell(settings, (NOTHING,) * len(self.asked), "refused", refused=str(error))
        measures = tuple(measure(found, value) for value in self.asked)
        return Cell(settings, measures, found.method, found.battles, note=note)

    def odds(
        self, settings: tuple[Any, ...], shared: Shared | None = None, report: Progress | None = None
    ) -> tuple[Odds, str]:
        """The odds of a cell, and a note of fields left out. Raises ScenarioError for settings that the rules refuse.

        Exact where it is small and `battles` is None, else simulated on one thread.
        """
        scenario, note = changed(self.draft, self.paths, settings)
        if self.battles is None:
            try:
                method = Method(exact=True, budget=CELL_BYTES, values=tuple(self.asked))
                return answer(scenario, method, report, shared), note
            except NoExactOdds:
                # A larger graph does not pay for so few battles: 0.3 s in place of 3.1 s, one cell of Kings & Things.
                if isinstance(scenario, Scenario):
                    by_rules(scenario)
        method = Method(False, self.battles or CELL_BATTLES, seed=self.seed, threads=1)
        return answer(scenario, method, report, shared), note


def _cut(span: tuple[int, int], step: int) -> list[tuple[int, int]]:
    """A range in ranges of at most `step` places."""
    begin, end = span
    return [(first, min(first + step, end)) for first in range(begin, end, step)]


class Portions:
    """The portions of a grid that are not `done`, in order. A block that one pass cannot solve comes again in parts.

    `order` puts portions into another order.
    """

    def __init__(
        self,
        grid: Grid,
        done: Callable[[Portion], bool] = lambda portion: False,
        order: Callable[[Iterable[Portion]], Iterable[Portion]] = lambda portions: portions,
    ) -> None:
        self.grid, self._done, self._order = grid, done, order
        self._waiting = iter(order(grid.plan()))

    def __iter__(self) -> Iterator[Portion]:
        return self

    def __next__(self) -> Portion:
        return next(portion for portion in self._waiting if not self._done(portion))

    def learn(self, answered: AnsweredPortion) -> None:
        """Note how a portion was answered."""
        if answered.cells is None:
            self._waiting = chain(self._order(self.grid.parts(answered.portion)), self._waiting)


def grid_of(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | Sequence[str] | None,
    battles: int | None,
    seed: int,
    most: int = MOST_CELLS,
) -> Grid:
    """The grid of a sweep. Raises ValueError and ScenarioError as `sweep`."""
    check_numbers(1 if battles is None else battles, seed, None)
    base = studied(scenario)
    if isinstance(given := vary.get(VARIANT), Mapping):
        base = with_variants(base, given)
    for path, some in vary.items():
        if path != VARIANT and isinstance(some, Mapping):
            raise ValueError(f"vary.{path}: {shown(some)} is not allowed; give a list of values, like range(1, 31)")
    values = tuple([tuple(variants(base, some) if path == VARIANT else some) for path, some in vary.items()])
    if not vary or not all(values):
        raise ValueError("vary: nothing to vary; give a field and its values, like attacker.regiments=1:30")
    given_values = (value,) if isinstance(value, str) else ("headline",) if value is None else tuple(value)
    asked = tuple(meant(base.battle(), one) for one in given_values)
    grid = Grid(base, tuple(vary), values, asked, battles, seed)
    if grid.size > most:
        raise ValueError(f"vary: {grid.size:,} combinations; at most {most:,}")
    _suggest_rules(grid)
    return grid


def _suggest_rules(grid: Grid) -> None:
    """Raise ScenarioError for a path that is a key of the game file, but no field of the scenario."""
    battle = grid.draft.battle()
    for path in grid.paths:
        if battle.rules is not None and field_at(battle, path) is None and field_at(battle, f"rules.{path}"):
            raise ScenarioError(unknown_field(battle, path))
