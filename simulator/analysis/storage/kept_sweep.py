"""Sweeps kept on disk: a folder of Parquet files, which every reader of Parquet takes as one table.

A file is written aside and then put in its place, so that whatever stops the work, a full disk or a power cut, leaves
only whole files. Asked again, the sweep goes on where it stopped.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.measure import Measure
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.result import Result
from simulator.analysis.storage.run_store import Due, alone, question_of, refuse_another, write_whole
from simulator.analysis.studies.grid import MOST_CELLS, AnsweredPortion, Cell, Grid, Portion, Portions
from simulator.analysis.studies.swept import Answers, Pace, Sweep, in_portions, timed

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow

MOST_KEPT = 10**9
ASKED, LOCK = "_asked.json", "_lock"
# Cells held before they are written, however soon that is.
MOST_HELD = 1 << 18
# The columns of one value in a table, and those after them.
PARTS, LAST = ["value", "low", "high"], ["method", "battles", "refused", "note"]


class KeptSweep(Result):
    """The cells of one grid in a folder; opened again it knows which it has. Open it only while its lock is held.

    `done` are the cells kept (bool, by place in row order), `cells` their number, `pace` that of the cells answered
    just now. Raises ValueError for a folder of another question, and for a damaged file.
    """

    def __init__(self, path: Path, grid: Grid) -> None:
        self.path, self.grid, self.pace = path, grid, Pace()
        self.done = np.zeros(grid.size, bool)
        self._held: list[AnsweredPortion] = []
        self._due = Due()
        self._begin()
        for old in path.glob(".*.tmp"):
            old.unlink(missing_ok=True)
        for part in self._parts():
            self._take(part)

    def _begin(self) -> None:
        grid = self.grid
        asked = question_of(
            grid.draft,
            axes=list(grid.paths),
            vary={path: list(values) for path, values in zip(grid.paths, grid.values, strict=True)},
            value=grid.asked,
            battles=grid.battles,
            seed=grid.seed,
            portion=grid.few,
        )
        file = self.path / ASKED
        if not file.exists():
            write_whole(file, json.dumps(asked, indent=1).encode())
        try:
            kept = dict(json.loads(file.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            raise ValueError(f"out: {str(file)!r} is damaged; give another folder") from None
        refuse_another(self.path, kept, asked)

    def _parts(self) -> list[Path]:
        return sorted(self.path.glob("part-*.parquet"))

    def _take(self, part: Path) -> None:
        """Note which cells a file holds. Raises ValueError for one that is damaged or has cells of another file."""
        table = _read(part)
        right = table.schema.equals(self._table([]).schema)
        places = table["cell"].to_numpy() if right else np.empty(0, int)
        if not right or not ((places >= 0) & (places < self.grid.size)).all():
            raise _damaged(part, "its cells are not those of this sweep")
        if self.done[places].any():
            raise _damaged(part, "another file has the same cells")
        self.done[places] = True

    @property
    def headline(self) -> str:
        """The number of cells kept, and their folder."""
        return f"{self.how()}."

    @property
    def cells(self) -> int:
        """The number of cells on disk."""
        return int(self.done.sum())

    @property
    def complete(self) -> bool:
        """Are these all cells of the grid?"""
        return bool(self.done.all())

    def has(self, portion: Portion) -> bool:
        """Is this portion kept?"""
        return bool(self.done[self.grid.places(portion)].all())

    def add(self, answered: AnsweredPortion) -> None:
        """Keep a portion that is answered as a whole; written when it is time. Raises OSError, see `save`."""
        if answered.cells is None or len(answered.cells) < answered.portion.size:
            return
        self._held.append(answered)
        if self._due or sum(one.portion.size for one in self._held) >= MOST_HELD:
            self.save()

    def save(self) -> None:
        """Write the cells held. Raises OSError, which says how many are kept, where a disk is full and the like."""
        if not self._held:
            return
        from pyarrow import BufferOutputStream
        from pyarrow.parquet import write_table

        with self._due.saving(f"{self.cells:,} cells are kept in {str(self.path)!r}"):
            table = self._table(self._held)
            packed = BufferOutputStream()
            write_table(table, packed, compression="zstd", write_page_checksum=True)
            parts = self._parts()
            number = int(parts[-1].stem.partition("-")[2]) + 1 if parts else 0
            write_whole(self.path / f"part-{number:08}.parquet", packed.getvalue().to_pybytes())
        self._held = []
        self.done[table["cell"].to_numpy()] = True

    def _table(self, portions: Sequence[AnsweredPortion]) -> pyarrow.Table:
        """Portions as a table: `cell` numbers the cells of the grid in row order."""
        import pyarrow as pa

        grid = self.grid
        cells = [cell for one in portions for cell in one.cells or ()]
        columns: dict[str, Any] = {
            "cell": np.concatenate([np.empty(0, int), *(grid.places(one.portion) for one in portions)])
        }
        for axis, (path, values) in enumerate(zip(grid.paths, grid.values, strict=True)):
            plain, kind = _kind(values)
            columns[path] = pa.array([plain(cell.settings[axis]) for cell in cells], kind)
        for place, name in enumerate(grid.asked):
            for part, column in enumerate(_number_columns(grid.asked, name)):
                numbers = np.array([cell.measures[place][part] for cell in cells])
                columns[column] = pa.array(numbers, mask=np.isnan(numbers))
        columns["method"] = pa.array([cell.method for cell in cells], pa.string())
        columns["battles"] = pa.array([cell.battles for cell in cells], pa.int64())
        columns["refused"] = pa.array([cell.refused or "" for cell in cells], pa.string())
        columns["note"] = pa.array([cell.note for cell in cells], pa.string())
        return pa.table(columns)

    def read(self) -> pyarrow.Table:
        """All cells kept, in row order of the grid."""
        import pyarrow as pa

        parts = [_read(part) for part in self._parts()]
        return pa.concat_tables(parts).sort_by("cell") if parts else self._table([])

    @cached_property
    def table(self) -> pd.DataFrame:
        """All cells kept: `cell`, the place in row order, the columns of `Sweep.table`, and `note`."""
        import pandas as pd

        wide, asked = self.read().to_pandas(), self.grid.asked
        numbers = [
            wide[list(_number_columns(asked, name))].set_axis(PARTS, axis=1).assign(asked=name) for name in asked
        ]
        others = wide[["cell", *self.grid.paths, *LAST]]
        found: pd.DataFrame = pd.concat([pd.concat([others, one], axis=1) for one in numbers])
        return found[self._columns].sort_values("cell", kind="stable", ignore_index=True)

    @property
    def _columns(self) -> list[str]:
        return ["cell", *self.grid.paths, "asked", *PARTS, *LAST]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of `table` as plain values."""
        rows, asked = [], self.grid.asked
        for wide in self.read().to_pylist():
            for name in asked:
                numbers = (wide[column] for column in _number_columns(asked, name))
                row = wide | {"asked": name} | dict(zip(PARTS, numbers, strict=True))
                rows.append({column: row[column] for column in self._columns})
        return rows

    def sweep(self) -> Sweep:
        """The cells as a sweep. Raises ValueError for more than a sweep in memory may have."""
        grid = self.grid
        if grid.size > MOST_CELLS:
            most = f"only up to {MOST_CELLS:,} are shown, read the file"
            raise ValueError(f"vary: {grid.size:,} combinations; {most}")
        names = [_number_columns(grid.asked, name) for name in grid.asked]
        found = {}
        for row in self.read().to_pylist():
            place = np.unravel_index(row["cell"], grid.shape)
            settings = tuple(axis[int(i)] for axis, i in zip(grid.values, place, strict=True))
            numbers = ([np.nan if row[column] is None else row[column] for column in columns] for columns in names)
            measures = tuple(Measure(*one) for one in numbers)
            found[row["cell"]] = Cell(
                settings, measures, row["method"], row["battles"], row["refused"] or None, row["note"]
            )
        return Sweep.of(grid, found, self.pace)

    def how(self) -> str:
        """The cells on disk and their folder, in one line."""
        some = "" if self.complete else f" of {self.grid.size:,}; the same command goes on"
        return f"{self.cells:,} cells are kept in {self.path}{some}"

    def to_dict(self) -> dict[str, Any]:
        """The folder of the cells and whether they are complete, for JSON."""
        found = {"out": str(self.path), "kept": self.cells, "of": self.grid.size, "complete": self.complete}
        return {"headline": self.headline, "how": self.how()} | found


def _number_columns(asked: Sequence[str], name: str) -> list[str]:
    """The columns on disk of one value asked: it, and the ends of its interval."""
    return PARTS if len(asked) == 1 else [name, f"{name}.low", f"{name}.high"]


def _read(part: Path) -> pyarrow.Table:
    """A file with its checksums compared. Raises ValueError."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        table = read_table(part, page_checksum_verification=True, partitioning=None)
    except (ArrowException, OSError, ValueError) as error:
        raise _damaged(part, str(error)) from None
    return table.replace_schema_metadata(None)


def _damaged(part: Path, why: str) -> ValueError:
    return ValueError(f"out: {str(part)!r} cannot be read ({why}); remove it to have its cells again")


def _kind(values: Sequence[Any]) -> tuple[type, pyarrow.DataType]:
    """The type of a column of settings, in Python and in a file: yes/no, whole numbers, numbers or text."""
    import pyarrow as pa

    kinds = set(map(type, values))
    if kinds <= {bool}:
        return bool, pa.bool_()
    if kinds <= {int}:
        return int, pa.int64()
    return (float, pa.float64()) if kinds <= {int, float} else (str, pa.string())


def _folder_of_cells(path: Path) -> Path:
    """The folder, made if it is missing. Raises ValueError without pyarrow, and for one that holds no sweep."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ValueError('out: needs pyarrow; install it with python -m pip install "battle-odds[scale]"') from None
    pyarrow.array([])  # imports pandas, which would take half of a second when cells are saved after Ctrl-C
    try:
        path.mkdir(parents=True, exist_ok=True)
        others = {one.name for one in path.iterdir()} - {LOCK}
    except FileExistsError:
        others = {path.name}
    except OSError as error:
        raise ValueError(f"out: {str(path)!r} cannot be written ({error.strerror})") from None
    if others and not (path / ASKED).exists():
        raise ValueError(f"out: {str(path)!r} is there already and holds no sweep; give another name")
    return path


def kept_sweep(grid: Grid, out: Path, answering: Answers, progress: Progress | None = None) -> KeptSweep:
    """The cells of a grid of `sweep` in a folder: they are written as they are answered by `answering`.

    Raises ValueError, OSError and Interrupted as `sweep`.
    """
    grid = in_portions(grid)
    with alone(_folder_of_cells(out) / LOCK):
        kept = KeptSweep(out, grid)
        found, done = answering(grid, Portions(grid, kept.has)), kept.cells
        try:
            if progress:
                progress(done, grid.size)
            for one in timed(found, kept.pace, progress, done, grid.size):
                kept.add(one)
        except KeyboardInterrupt:
            raise Interrupted(kept) from None
        finally:
            kept.save()
    return kept
