"""Sweeps that keep what they did: cells go to a folder of Parquet files; asked again they go on where they stopped."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.storage.parquet_store import LOCK, CellFile, folder_of_cells
from simulator.analysis.storage.run_store import alone
from simulator.analysis.studies.sweep import MOST_CELLS, Answers, Pace, Sweep, answers, grid_of, in_portions
from simulator.scenarios import Source

MOST_KEPT = 10**9


@dataclass(repr=False)
class Kept:
    """A sweep on disk: its file, how many cells it has of how many, and the pace of those answered just now."""

    file: CellFile
    pace: Pace = field(default_factory=Pace)

    @property
    def cells(self) -> int:
        """How many cells are kept."""
        return self.file.cells

    @property
    def complete(self) -> bool:
        """Are these all cells of the grid?"""
        return self.file.cells == self.file.grid.size

    def table(self) -> Any:
        """All cells kept as a DataFrame: `cell`, the place in row order, and the columns of `Sweep.table`."""
        return self.file.read().to_pandas()

    def sweep(self) -> Sweep:
        """The cells as a sweep. Raises ValueError for more than a sweep in memory may have."""
        grid = self.file.grid
        if grid.size > MOST_CELLS:
            raise ValueError(f"vary: {grid.size:,} combinations; only up to {MOST_CELLS:,} are shown, read the file")
        battle = grid.draft.battle()
        swept = Sweep(grid.paths, grid.values, grid.asked, grid.seed, f"{battle.game} {battle.kind}", pace=self.pace)
        swept.take(self.file.found(), self.pace.seconds)
        return swept

    def how(self) -> str:
        """What is kept where, in one line."""
        some = "" if self.complete else f" of {self.file.grid.size:,}; the same command goes on"
        return f"{self.cells:,} cells are kept in {self.file.path}{some}"

    def to_dict(self) -> dict[str, Any]:
        """Where the cells are and whether they are all, for JSON."""
        return {"out": str(self.file.path), "kept": self.cells, "of": self.file.grid.size, "complete": self.complete}

    def __repr__(self) -> str:
        return f"Kept({self.how()})"


def long_sweep(  # noqa: PLR0913 - as `sweep`
    scenario: Source,
    vary: Mapping[str, Iterable[Any]],
    out: str | Path,
    value: str | Sequence[str] | None = None,
    battles: int | None = None,
    seed: int = 0,
    *,
    threads: int | None = None,
    answering: Answers | None = None,
    progress: Progress | None = None,
) -> Kept:
    """As `sweep`, the cells written to `out` as they are answered; called again it goes on where it stopped.

    `out` is a folder of Parquet files (pyarrow, extra `scale`). `answering` has portions answered elsewhere
    (`cluster.answers_on`). Raises ValueError as `sweep`, and for an `out` of another question; OSError where it cannot
    be written; Interrupted with what is kept.
    """
    grid = in_portions(grid_of(scenario, vary, value, battles, seed, MOST_KEPT))
    with alone(folder_of_cells(Path(out)) / LOCK):
        kept = Kept(CellFile(Path(out), grid))
        _answer(kept, answering or (lambda asked, portions: answers(asked, threads, portions)), progress)
    return kept


def _answer(kept: Kept, answering: Answers, progress: Progress | None) -> None:
    """Answer what is not kept yet."""
    file, grid, begun = kept.file, kept.file.grid, time.perf_counter()
    missing = (one for one in grid.plan() if not file.has(one))
    done = file.cells
    try:
        if progress:
            progress(done, grid.size)
        for one in answering(replace(grid, kept=frozenset(file.done)), missing):
            file.add(one)
            if one.cells:
                kept.pace.add(one.cells, one.seconds)
                done += len(one.cells)
                if progress:
                    progress(done, grid.size)
    except KeyboardInterrupt:
        raise Interrupted(kept) from None
    finally:
        kept.pace.seconds = time.perf_counter() - begun
        file.save()
