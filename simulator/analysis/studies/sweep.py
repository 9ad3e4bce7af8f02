"""Grids of scenarios: sweeps over one or several fields.

Cells that differ only in the start of their battle are solved in one pass (`one_pass`), others one by one. All
simulated cells use the same seed (common random numbers), so that neighbouring cells differ by their settings alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, overload

from simulator.analysis.odds.method import check_numbers
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.storage.kept_sweep import MOST_KEPT, KeptSweep, kept_sweep
from simulator.analysis.studies.grid import MOST_CELLS, Cell, Grid, Portions, grid_of
from simulator.analysis.studies.swept import Answers, Pace, Sweep, answers, in_portions, timed
from simulator.scenarios import ScenarioError, Source
from simulator.scenarios.arguments import checked


@overload
def sweep(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    out: None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> Sweep: ...


@overload
def sweep(
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    out: str | Path,
    cluster: Any = None,
    progress: Progress | None = None,
) -> KeptSweep: ...


@checked
def sweep(  # noqa: PLR0913 - one argument an option
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    out: str | Path | None = None,
    cluster: Any = None,
    progress: Progress | None = None,
) -> Sweep | KeptSweep:
    """The answers for all combinations of settings.

    A value is `headline` or `headline.defender`, the question of the battle kind for a side; `p_attacker`, `p_defender`
    or `p_nobody`; `mean.COLUMN`, `std.COLUMN` or `q90.COLUMN` (any quantile); or a question as for `Odds.p`.

    Parameters
    ----------
    vary : mapping of str to iterable
        The settings of each field, such as `{"attacker.regiments": range(1, 31)}`. Those of `variant` are names of
        variants that the scenario declares, and `base` for itself; or a mapping of names to changes, such as
        `{"d10": {"rules.dice.sides": 10, "rules.unit.*.attack": "scale"}}`.
    value : str or sequence of str, optional
        One or several values; by default `headline`.
    battles : int, optional
        Simulate every cell with this many battles. By default cells are exact where that fits.
    out : str or Path, optional
        A folder of Parquet files to which cells are written as they are answered (needs pyarrow, extra `scale`); the
        same call goes on where it stopped.
    cluster : distributed.Client, optional
        A Dask cluster that answers the cells.

    Returns
    -------
    Sweep or Kept
        One row a cell and value; a cell that the rules refuse has no value and the reason. With `out` the cells on disk
        instead: `table`, `sweep()`, `complete`.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and where the rules refuse every cell.
    ValueError
        For an unknown value, more than 100,000 cells without `out`, and an `out` of another question.
    OSError
        Where `out` cannot be written.
    Interrupted
        After Ctrl-C, with the cells answered so far.

    Examples
    --------
    >>> swept = sweep("risk-20v15", {"attacker.regiments": range(10, 31), "defender.regiments": [10, 15]})
    >>> swept.grid().shape
    (21, 2)
    """
    answering: Answers = partial(answers, threads=threads)
    if cluster is not None:
        from simulator.analysis.storage.cluster import answers_on

        answering = answers_on(cluster)
    check_numbers(1, seed, threads)
    grid = grid_of(scenario, vary, value, battles, seed, MOST_CELLS if out is None else MOST_KEPT)
    if out is not None:
        return kept_sweep(grid, Path(out), answering, progress)
    return cells_of(grid if cluster is None else in_portions(grid), answering, progress)


def cells_of(grid: Grid, answering: Answers, progress: Progress | None = None) -> Sweep:
    """The answered cells of a grid. Raises ScenarioError, Interrupted as `sweep`."""
    cells: dict[int, Cell] = {}
    pace = Pace()
    found = answering(grid, Portions(grid, order=grid.nearest_first))  # an interrupt leaves those near the scenario
    try:
        for one in timed(found, pace, progress, 0, grid.size):
            cells.update(zip(grid.places(one.portion).tolist(), one.cells or (), strict=False))
    except KeyboardInterrupt:
        if not cells:
            raise
        raise Interrupted(Sweep.of(grid, cells, pace)) from None
    swept = Sweep.of(grid, cells, pace)
    if swept.cells and len(swept.refusals) == len(swept.cells):
        raise ScenarioError(swept.cells[0].refused or "")
    return swept
