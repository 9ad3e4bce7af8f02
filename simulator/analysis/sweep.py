"""Grids of scenarios: sweeps over one or several fields.

Simulated cells all use the same seed (common random numbers), so that neighbouring cells differ by their settings
and not by their luck.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.answer import Interrupted, Progress, cell, check_numbers
from simulator.analysis.measure import Measure, measure
from simulator.scenarios import Draft, Scenario, ScenarioError, Source, draft, is_uncertain

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_CELLS = 100_000
NOTHING = Measure(float("nan"), float("nan"), float("nan"))


@dataclass(frozen=True)
class Cell:
    """One answer of a grid: the settings, what was asked with 95 % intervals, and how it was obtained.

    A cell that the rules refuse has no numbers (nan) and says why in `refused`; `note` tells what was left out.
    """

    settings: tuple[Any, ...]
    measures: tuple[Measure, ...]
    method: str
    battles: int | None = None
    refused: str | None = None
    note: str = ""

    @property
    def value(self) -> float:
        """The first of the values asked."""
        return self.measures[0].value

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""
        return self.measures[0].low

    @property
    def high(self) -> float:
        """Upper end of its 95 % interval."""
        return self.measures[0].high


@dataclass(repr=False)
class Sweep:
    """A grid of answers. `paths` are the fields varied, `values` the settings of each, `asked` what was asked.

    `cells` are in row order of the settings; fewer than the whole grid when it was interrupted.
    """

    paths: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    asked: tuple[str, ...]
    seed: int
    title: str = ""
    cells: list[Cell] = field(default_factory=list)

    @property
    def value(self) -> str:
        """The first of the values asked."""
        return self.asked[0]

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a cell, see `rows`."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """One row a cell: a column for each field varied, `value`, `low`, `high`, `method`, `battles`.

        With several values asked there are three columns for each: its name, and that with `.low` and `.high`. If the
        rules refuse a cell its numbers are empty (None), and a column `refused` gives the reason.
        """
        return [self._row(cell, any(cell.refused for cell in self.cells)) for cell in self.cells]

    def _row(self, cell: Cell, refusals: bool) -> dict[str, Any]:
        row = dict(zip(self.paths, map(_plain, cell.settings), strict=True))
        for name, found in zip(self.asked, cell.measures, strict=True):
            names = ("value", "low", "high") if len(self.asked) == 1 else (name, f"{name}.low", f"{name}.high")
            row |= {key: None if np.isnan(number) else number for key, number in zip(names, found, strict=True)}
        row |= {"method": cell.method, "battles": cell.battles}
        return row | ({"refused": cell.refused or ""} if refusals else {})

    def grid(self, place: int = 0) -> np.ndarray:
        """Values as an array with one axis for each field varied; nan where a cell is missing or refused."""
        flat = np.full(int(np.prod([len(values) for values in self.values])), np.nan)
        flat[: len(self.cells)] = [cell.measures[place].value for cell in self.cells]
        return flat.reshape([len(values) for values in self.values])

    def sobol(self) -> pd.DataFrame:
        """Sobol indices of the first value over the whole grid, see `sensitivity.sobol`. Raises ValueError."""
        from simulator.analysis.sensitivity import sobol_of

        return sobol_of(self)

    @property
    def refusals(self) -> list[Cell]:
        """The cells that the rules refuse."""
        return [cell for cell in self.cells if cell.refused]

    def how(self) -> str:
        """How the cells were obtained, in one line."""
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

    def plot(self, path: Any = None) -> Figure:
        """A line with its interval band (one axis) or a heat map (two). Returns the matplotlib figure.

        Raises ValueError for three axes or more.
        """
        from simulator.report.grids import plot_sweep

        return plot_sweep(self, path)

    def __repr__(self) -> str:
        axes = " x ".join(f"{len(values)} {path}" for path, values in zip(self.paths, self.values, strict=True))
        return f"Sweep({', '.join(self.asked)} over {axes}; {self.how()})"


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool) else str(value)


def sweep(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Sweep:
    """The answers for all combinations of settings, e.g. `{"attacker.regiments": range(1, 31)}`.

    `value` is what `measure` takes, or several of these; by default the battle's own, such as `p_attacker`. Cells are
    exact where they fit; `battles` simulates them all. A cell that the rules refuse is left empty. Raises
    ScenarioError if they refuse every cell, ValueError for an unknown value, Interrupted with the cells done so far.
    """
    check_numbers(1 if battles is None else battles, seed, threads)
    values = tuple(tuple(options) for options in vary.values())
    if not vary or not all(values):
        raise ValueError("vary: nothing to vary; give a field and its values, like attacker.regiments=1:30")
    size = int(np.prod([len(options) for options in values], dtype=object))
    if size > MOST_CELLS:
        raise ValueError(f"vary: {size:,} combinations; at most {MOST_CELLS:,}")
    sweeping = Sweeping(scenario, tuple(vary), battles, seed)
    asked = (value,) if isinstance(value, str) else None if value is None else tuple(value)
    return sweeping.run(values, asked, threads, progress)


class Sweeping:
    """A sweep under way."""

    def __init__(self, scenario: Source, paths: tuple[str, ...], battles: int | None, seed: int) -> None:
        self.draft = draft(scenario)
        self.paths, self.battles, self.seed = paths, battles, seed
        self._stopped = threading.Event()

    def run(
        self,
        values: tuple[tuple[Any, ...], ...],
        asked: tuple[str, ...] | None,
        threads: int | None,
        progress: Progress | None,
    ) -> Sweep:
        """Answer all cells, a few at a time."""
        from simulator.engine.montecarlo import processors

        settings = list(product(*values))
        if asked is None:
            asked = (self._own_value(settings),)
        battle = self.draft.battle()
        swept = Sweep(self.paths, values, asked, self.seed, f"{battle.game} {battle.kind}")
        workers = min(threads or processors(), len(settings))
        with ThreadPoolExecutor(workers) as pool:
            waiting = (pool.submit(self._cell, one, asked) for one in settings)
            under_way = deque(islice(waiting, 2 * workers))
            try:
                while under_way:
                    swept.cells.append(under_way.popleft().result())
                    under_way.extend(islice(waiting, 1))
                    if progress:
                        progress(len(swept.cells), len(settings))
            except BaseException as error:
                self._stopped.set()
                pool.shutdown(wait=True, cancel_futures=True)
                if isinstance(error, KeyboardInterrupt) and swept.cells:
                    raise Interrupted(swept) from None
                raise
        if swept.cells and len(swept.refusals) == len(swept.cells):
            raise ScenarioError(swept.cells[0].refused or "")
        return swept

    def _own_value(self, settings: Sequence[tuple[Any, ...]]) -> str:
        """What this battle is asked when nothing is named: answered for the first cell that the rules allow."""
        refused = None
        for one in settings:
            try:
                return cell(changed(self.draft, self.paths, one)[0], self.battles, self.seed).value
            except ScenarioError as error:
                refused = refused or error
        assert refused is not None
        raise refused

    def _cell(self, settings: tuple[Any, ...], asked: tuple[str, ...]) -> Cell:
        try:
            scenario, note = changed(self.draft, self.paths, settings)
        except ScenarioError as error:
            return Cell(settings, (NOTHING,) * len(asked), "refused", refused=str(error))
        found = cell(scenario, self.battles, self.seed, self._told)
        measures = tuple(measure(found, value) for value in asked)
        return Cell(settings, measures, found.method, found.battles, note=note)

    def _told(self, done: int, total: int | None) -> None:
        """Progress within a cell, where a sweep that was interrupted stops."""
        if self._stopped.is_set():
            raise KeyboardInterrupt


def changed(base: Draft, paths: Sequence[str], settings: Sequence[Any]) -> tuple[Scenario | Draft, str]:
    """The scenario with several fields set at once, checked together, and a note of what was left out for it.

    Where a policy is varied, a number that belongs to the policy before (`stop_below`) is left out where the new one
    has no use for it. Raises ScenarioError, with the rules' own words, for what they do not allow.
    """
    base = base.with_fields(dict(zip(paths, settings, strict=True)))
    if is_uncertain(base):
        from simulator.analysis.mix import check_all

        check_all(base)
        return base, ""
    tables = {path.rpartition(".")[0] for path in paths if path.startswith("policy.")}
    left_out: list[str] = []
    first: ScenarioError | None = None
    while True:
        try:
            scenario = base.checked()
            break
        except ScenarioError as error:
            first = first or error
            path = str(error).partition(":")[0]
            fit = error.unused or path.rpartition(".")[0] in tables
            smaller = base.without(path) if fit and path not in paths else None
            if smaller is None:
                raise first from None
            base = smaller
            left_out.append(path)
    return scenario, f"{', '.join(left_out)} left out where the policy has no use for it" if left_out else ""
