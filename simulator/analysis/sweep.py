"""Grids of scenarios: sweeps over one or several fields.

Simulated cells all use the same seed (common random numbers), so that neighbouring cells differ by their settings
and not by their luck.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.answer import Source, answer_cell, check_numbers, scenario_of
from simulator.analysis.measure import measure
from simulator.scenarios import Scenario

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class Cell:
    """One answer of a grid: the settings, the value with its 95 % interval, and how it was obtained."""

    settings: tuple[Any, ...]
    value: float
    low: float
    high: float
    method: str
    battles: int | None


@dataclass
class Sweep:
    """A grid of answers. `paths` are the fields varied, `values` the settings of each, `value` what was asked.

    `cells` are in row order of the settings; fewer than the whole grid when it was interrupted.
    """

    paths: tuple[str, ...]
    values: tuple[tuple[Any, ...], ...]
    value: str
    seed: int
    cells: list[Cell] = field(default_factory=list)

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a cell: a column for each field varied, then `value`, `low`, `high`, `method`, `battles`."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        return [
            dict(zip(self.paths, map(_plain, cell.settings), strict=True))
            | {"value": cell.value, "low": cell.low, "high": cell.high, "method": cell.method, "battles": cell.battles}
            for cell in self.cells
        ]

    def grid(self) -> np.ndarray:
        """Values as an array with one axis for each field varied; nan where a cell is missing."""
        flat = np.full(int(np.prod([len(values) for values in self.values])), np.nan)
        flat[: len(self.cells)] = [cell.value for cell in self.cells]
        return flat.reshape([len(values) for values in self.values])

    def how(self) -> str:
        """How the cells were obtained, in one line."""
        battles = sorted({cell.battles for cell in self.cells if cell.battles is not None})
        simulated = sum(cell.battles is not None for cell in self.cells)
        if not simulated:
            return f"{len(self.cells)} cells, all exact"
        each = " and ".join(f"{number:,}" for number in battles)
        return f"{len(self.cells)} cells, {simulated} simulated with {each} battles each, seed {self.seed}"

    def plot(self, path: Any = None) -> Any:
        """A line with its interval band (one axis) or a heat map (two). Returns the matplotlib figure.

        Raises ValueError for three axes or more.
        """
        from simulator.report.plots import plot_sweep

        return plot_sweep(self, path)


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | float | str | bool) else str(value)


def sweep(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str = "p_attacker",
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Sweep:
    """A grid of answers over all combinations of the fields in `vary` (path -> values).

    Cells are exact where they fit and simulated with `battles` (default 100,000) of the same `seed` where they do
    not; giving `battles` simulates them all. Raises ScenarioError for a setting that is not allowed, ValueError for an
    unknown value. (`Sweeping` keeps the cells done so far when it is interrupted.)
    """
    sweeping = Sweeping(scenario, vary, value, battles, seed)
    sweeping.run(threads, progress)
    return sweeping.sweep


class Sweeping:
    """A sweep under way; after an interrupt `sweep` holds the cells done so far."""

    def __init__(
        self,
        scenario: Source,
        vary: Mapping[str, Iterable[Any]],
        value: str = "p_attacker",
        battles: int | None = None,
        seed: int = 0,
    ) -> None:
        self.scenario = scenario_of(scenario)
        values = tuple(tuple(options) for options in vary.values())
        if not vary or not all(values):
            raise ValueError("vary: nothing to vary; give a field and its values, like attacker.regiments=1:30")
        check_numbers(battles or 1, seed, None)
        self.battles, self.seed = battles, seed
        self.sweep = Sweep(tuple(vary), values, value, seed)

    def run(self, threads: int | None = None, progress: Callable[[int, int], Any] | None = None) -> None:
        """Answer all cells."""
        from simulator.engine.montecarlo import processors

        settings = list(product(*self.sweep.values))
        with ThreadPoolExecutor(threads or processors()) as pool:
            try:
                for cell in pool.map(self._cell, settings):
                    self.sweep.cells.append(cell)
                    if progress:
                        progress(len(self.sweep.cells), len(settings))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def _cell(self, settings: Sequence[Any]) -> Cell:
        odds = answer_cell(changed(self.scenario, self.sweep.paths, settings), self.battles, self.seed)
        return Cell(tuple(settings), *measure(odds, self.sweep.value), odds.method, odds.battles)


def changed(scenario: Scenario, paths: Sequence[str], settings: Sequence[Any]) -> Scenario:
    """The scenario with several fields set at once, so that they are only checked together."""
    return scenario.replace_all(dict(zip(paths, settings, strict=True)))
