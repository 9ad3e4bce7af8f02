"""The cells of a sweep: how portions of its grid are answered, and the answers.

Cells that differ only in the start of their battle are solved in one pass (`one_pass`), others one by one. All
simulated cells use the same seed (common random numbers), so that neighbouring cells differ by their settings alone.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import islice
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from simulator.analysis.odds.measure import is_chance
from simulator.analysis.odds.run import Progress
from simulator.analysis.odds.stages import Shared
from simulator.analysis.plan.answer import lacking_with
from simulator.analysis.result import Result, frame
from simulator.analysis.studies.grid import AnsweredPortion, Cell, Grid, Portions, number_rows
from simulator.analysis.words import amount_in_words, capital, meaning, settings_in_words
from simulator.engine.model.limits import processors
from simulator.scenarios import Draft, Variant
from simulator.scenarios.paths import leaves

if TYPE_CHECKING:
    import pandas as pd

# Work for other processes or for a file is cut into about this many portions, within these bounds of cells: sending a
# portion takes as long as answering two or three small cells.
PORTIONS, LEAST_TOGETHER, MOST_TOGETHER = 256, 4, 64

# Seconds to wait for the cells in progress after Ctrl-C; a cell that compiles or loads a kernel takes longer.
LAST_WAIT = 0.2
EVEN = 0.5
# A variance below this is rounding: no field explains a part of it.
NO_VARIANCE = 1e-30

T = TypeVar("T")
R = TypeVar("R")
Answers = Callable[[Grid, Portions], Generator[AnsweredPortion, None, None]]


@dataclass
class Pace:
    """The speed of answering: the cells and processor seconds by method, and the seconds elapsed."""

    cells: Counter[str] = field(default_factory=Counter)
    busy: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0

    def add(self, cells: Sequence[Cell], seconds: float) -> None:
        """Count cells that took `seconds` together; each is assumed to have taken as long as the others."""
        count = Counter(cell.method for cell in cells)
        self.cells += count
        for method, number in count.items():
            self.busy[method] += seconds * number / len(cells)  # type: ignore[assignment]

    @property
    def total(self) -> int:
        """The number of cells."""
        return sum(self.cells.values())

    def rates(self) -> dict[str, float]:
        """Cells a second by method: "exact", "simulated", "refused"."""
        whole = sum(self.busy.values())
        return {
            method: number * whole / (self.busy[method] * self.seconds)
            for method, number in self.cells.items()
            if self.busy[method] * self.seconds > 0
        }

    def __str__(self) -> str:
        rates = self.rates()
        parts = [
            f"{self.cells[how]:,} {how} cells, {rates[how]:,.0f} a second"
            for how in ("exact", "simulated")
            if how in rates
        ]
        return f"{'; '.join(parts)} ({self.seconds:.2f} s in all)" if parts else ""


@dataclass(repr=False)
class Sweep(Result):
    """A grid of answers: `paths` are the fields varied, `values` the settings of each, `asked` the values computed.

    `cells` are in row order of the settings. An interrupted sweep has only the cells at `places`. `pace` is the speed
    of answering.
    """

    paths: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    asked: tuple[str, ...]
    seed: int
    base: Draft
    title: str = ""
    cells: list[Cell] = field(default_factory=list)
    places: list[int] = field(default_factory=list)
    pace: Pace = field(default_factory=Pace)

    json_fields = ("paths", "asked", "seed")

    @classmethod
    def of(cls, grid: Grid, found: Mapping[int, Cell], pace: Pace) -> Sweep:
        """The cells of a grid by their place."""
        battle, places = grid.draft.battle(), sorted(found)
        title, cells = battle.label, [found[place] for place in places]
        return cls(grid.paths, grid.values, grid.asked, grid.seed, grid.draft, title, cells, places, pace)

    @property
    def value(self) -> str:
        """The first value."""
        return self.asked[0]

    def rows(self) -> list[dict[str, Any]]:
        """One row a cell and value, in the order of the settings.

        A column for each field varied, then `asked`, `value`, `low`, `high`, `method`, `battles`, `refused`. If the
        rules refuse a cell, its numbers are None, and `refused` gives the reason.
        """
        rows = []
        for found in self.cells:
            plain = (one if isinstance(one, int | float | str | bool) else str(one) for one in found.settings)
            rows += number_rows(dict(zip(self.paths, plain, strict=True)), self.asked, found)
        return rows

    def grid(self, place: int = 0) -> np.ndarray:
        """One value as an array with one axis for each field varied.

        Parameters
        ----------
        place : int
            The place of the value in `asked`.

        Returns
        -------
        numpy.ndarray
            float64, shape (settings of the first field, of the second, ...); nan where a cell is missing or refused.

        Examples
        --------
        >>> sweep("risk-20v15", {"attacker.regiments": range(10, 31)}).grid().round(2)[:3].tolist()
        [0.24, 0.31, 0.39]
        """
        grid = np.full([len(values) for values in self.values], np.nan)
        grid.flat[self.places] = [cell.measures[place].value for cell in self.cells]
        return grid

    def sobol(self) -> pd.DataFrame:
        """Sobol indices of the first value: `path, first, total`, settings equally likely. Raises ValueError.

        `first` is the share of the variance that a field explains alone, `total` with all its interactions. Source:
        Saltelli et al., "Global Sensitivity Analysis. The Primer" (2008), chapter 4.
        """
        self._check_full()
        grid = self.grid()
        variance = float(grid.var())
        rows = []
        for axis, path in enumerate(self.paths):
            others = tuple(other for other in range(grid.ndim) if other != axis)
            first = total = 0.0
            if variance >= NO_VARIANCE:
                first = float(grid.mean(axis=others).var()) / variance
                total = 1 - float(grid.mean(axis=axis).var()) / variance
            rows.append({"path": path, "first": first, "total": total})
        return frame(rows, ["path", "first", "total"])

    def _check_full(self) -> None:
        """Refuse (ValueError) a grid with cells that are missing or refused by the rules."""
        for one in self.refusals:
            field = (one.refused or "").partition(":")[0]
            named = list(zip(self.paths, one.settings, strict=True))
            blamed = [pair for pair in named if pair[0] == field] or named
            settings = ", ".join(f"{path} = {setting}" for path, setting in blamed)
            raise ValueError(f"vary: every combination must be allowed; {settings} is not")
        if len(self.cells) < self.grid().size:
            raise ValueError("vary: every combination must be allowed; the sweep was interrupted")

    @property
    def changes(self) -> list[str]:
        """A line for each value that a variant scaled, or changed by a pattern."""
        named = [one for axis in self.values for one in axis if isinstance(one, Variant)]
        return [f"{one}: {line}" for one in named for line in one.lines]

    @property
    def refusals(self) -> list[Cell]:
        """The cells that the rules refuse."""
        return [cell for cell in self.cells if cell.refused]

    @property
    def nearest(self) -> int | None:
        """The place in `cells` of the chance nearest to even; None for other values, and without any answer."""
        known = [place for place, cell in enumerate(self.cells) if not cell.refused]
        if not known or not is_chance(self.value):
            return None
        return min(known, key=lambda place: abs(self.cells[place].value - EVEN))

    @property
    def present(self) -> tuple[Any, ...]:
        """The settings that the scenario itself gives the fields varied; None for one that it leaves out."""
        given = dict(leaves(self.base.data))
        return tuple(given.get(path) for path in self.paths)

    @property
    def headline(self) -> str:
        """The least and the largest value, the present one, and of chances the one nearest to even."""
        allowed = [cell for cell in self.cells if not cell.refused]
        if not allowed:
            return f"None of the {len(self.cells)} cells is allowed."
        known = sorted((cell for cell in allowed if not isnan(cell.value)), key=lambda cell: cell.value)
        without = self._without_plan(allowed) if len(known) < len(allowed) else ""
        return " ".join(filter(None, [self._extent(known) if known else "", without]))

    def _without_plan(self, cells: Sequence[Cell]) -> str:
        """The first cell in which no plan exists, and the best that can be had there; "" for other scenarios."""
        cell = next(cell for cell in cells if isnan(cell.value))
        return lacking_with(self.base, dict(zip(self.paths, cell.settings, strict=True)))

    def _extent(self, known: Sequence[Cell]) -> str:
        """The headline of cells that have a value, in ascending order of it."""
        what = capital(meaning(self.base.battle(), self.base.data, self.value))
        least, most = known[0], known[-1]
        if self._value(least) == self._value(most):
            if len(known) == 1:
                only = "allowed" if all(cell.refused for cell in self.cells if cell is not least) else "with a plan"
                return f"{what} is {self._value(least)} with {self._in_words(least)}, the only cell {only}."
            cells = "both cells" if len(known) == 2 else f"all {len(known)} cells"
            return f"{what} is {self._value(least)} in {cells}."
        runs = f"{what} runs from {self._value(least)} with {self._in_words(least)} to {self._value(most)}"
        more = [f"with {self._in_words(most)}"]
        now = next((cell for cell in known if cell.settings == self.present), None)
        if now is not None and now not in {least, most}:
            more.append(f"it is {self._value(now)} now")
        even = None if self.nearest is None else self.cells[self.nearest]
        if even is not None and even != now and least.value < even.value < most.value:
            more.append(f"it is nearest to even with {self._in_words(even)}: {self._value(even)}")
        return f"{runs} {'; '.join(more)}."

    def _value(self, cell: Cell) -> str:
        return amount_in_words(self.base.battle(), self.value, cell.measures[0])

    def _in_words(self, cell: Cell) -> str:
        return settings_in_words(self.base.battle(), self.base.data, dict(zip(self.paths, cell.settings, strict=True)))

    def how(self) -> str:
        """The method of the cells, in one line."""
        answered = [cell for cell in self.cells if not cell.refused]
        battles = sorted({cell.battles for cell in answered if cell.battles is not None})
        simulated = sum(cell.battles is not None for cell in answered)
        text = f"{len(answered)} cells, all exact"
        if simulated:
            each = " and ".join(f"{number:,}" for number in battles)
            text = f"{len(answered)} cells, {simulated} simulated with {each} battles each, seed {self.seed}"
        if self.refusals:
            text += f"; {len(self.refusals)} not allowed and left empty ({self.refusals[0].refused})"
        notes = dict.fromkeys(cell.note for cell in answered if cell.note)
        return "; ".join([text, *notes])

    def __repr__(self) -> str:
        axes = " x ".join(f"{len(values)} {path}" for path, values in zip(self.paths, self.values, strict=True))
        return f"Sweep({', '.join(self.asked)} over {axes}; {self.how()})"


def timed(
    found: Generator[AnsweredPortion, None, None], pace: Pace, progress: Progress | None, done: int, total: int
) -> Iterator[AnsweredPortion]:
    """The portions whose cells are answered; counts them in `pace`, and reports them after the `done` cells before."""
    begun = time.perf_counter()
    try:
        with closing(found):  # its threads end with it, whatever is raised
            for one in found:
                if one.cells is not None:
                    yield one
                    pace.add(one.cells, one.seconds)
                    done += len(one.cells)
                    if progress:
                        progress(done, total)
    finally:
        pace.seconds = time.perf_counter() - begun


def in_portions(grid: Grid) -> Grid:
    """The grid in portions for workers or a file: large enough to be worth sending, and enough for many workers."""
    return replace(grid, few=min(max(LEAST_TOGETHER, grid.size // PORTIONS), MOST_TOGETHER))


def answers(grid: Grid, portions: Portions, threads: int | None = None) -> Generator[AnsweredPortion, None, None]:
    """Answer portions of a grid in threads."""
    shared, workers = Shared(), min(threads or processors(), grid.size)
    return in_threads(lambda one, stopped: grid.answer(one, shared, stopped), portions, workers, portions.learn)


def in_threads(
    work: Callable[[T, Callable[[], bool]], R],
    pieces: Iterator[T],
    workers: int,
    learn: Callable[[R], Any] = lambda found: None,
) -> Generator[R, None, None]:
    """The results of `work(piece, stopped)`, in their order; `learn` gets each before another piece is taken.

    After an interrupt `stopped()` is true; the results of the pieces in progress come cut short.
    """
    stopped = threading.Event()
    pool, patient = ThreadPoolExecutor(workers), True
    under_way = deque(pool.submit(work, one, stopped.is_set) for one in islice(pieces, 2 * workers))
    try:
        while under_way:
            one = under_way.popleft().result()
            learn(one)
            missing = islice(pieces, 2 * workers - len(under_way))
            under_way.extend(pool.submit(work, more, stopped.is_set) for more in missing)
            yield one
    except KeyboardInterrupt:
        stopped.set()
        patient = False
        pool.shutdown(wait=False, cancel_futures=True)
        wait(under_way, LAST_WAIT)
        yield from (future.result() for future in under_way if future.done() and not future.cancelled())
        raise
    finally:
        stopped.set()
        pool.shutdown(wait=patient, cancel_futures=True)
