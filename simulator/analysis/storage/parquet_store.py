"""Cells kept on disk as they are answered: a folder of Parquet files, which every reader of Parquet takes as one table.

A file is written aside and then put in its place, so that whatever stops the work, a full disk or a power cut, leaves
only whole files. Each tells in its metadata which portions of the grid it holds.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.odds.measure import Measure
from simulator.analysis.storage.run_store import Due, question_of, refuse_another, write_whole
from simulator.analysis.studies.cell import Cell
from simulator.analysis.studies.partition import Answered, Grid, Portion

if TYPE_CHECKING:
    import pyarrow

ASKED, LOCK, PORTIONS = "_asked.json", "_lock", b"portions"
# Cells held before they are written, however soon that is.
MOST_HELD = 1 << 18

Ranges = tuple[tuple[int, int], ...]


def need_pyarrow() -> None:
    """Raises ValueError where pyarrow is missing."""
    try:
        import pyarrow.parquet
    except ImportError:
        raise ValueError('out: needs pyarrow; install it with python -m pip install "battle-odds[scale]"') from None
    pyarrow.array([])  # imports pandas, which would take half of a second when cells are saved after Ctrl-C


def folder_of_cells(path: Path) -> Path:
    """The folder, made if it is missing. Raises ValueError without pyarrow, and for one that holds no sweep."""
    need_pyarrow()
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


class CellFile:
    """The cells of one grid on disk; opened again it knows which it has. Open it only while its lock is held.

    `done` are the portions kept, `cells` how many cells that is. Raises ValueError for a file of another question, and
    for one that is damaged.
    """

    def __init__(self, path: Path, grid: Grid) -> None:
        self.path, self.grid = path, grid
        self.done: set[Ranges] = set()
        self.cells = 0
        self._held: list[Answered] = []
        self._due = Due()
        self._begin()
        for old in path.glob(".*.tmp"):
            old.unlink(missing_ok=True)
        for part in self._parts():
            self._take(part)

    def _begin(self) -> None:
        asked = question_of(
            self.grid.draft,
            axes=list(self.grid.paths),
            vary={path: list(values) for path, values in zip(self.grid.paths, self.grid.values, strict=True)},
            value=self.grid.asked,
            battles=self.grid.battles,
            seed=self.grid.seed,
            portion=self.grid.few,
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
        """Note which portions a file holds. Raises ValueError for one that is damaged or has cells of another file."""
        table = _read(part)
        try:
            portions = [
                Portion(tuple((int(begin), int(end)) for begin, end in ranges))
                for ranges in json.loads(table.schema.metadata[PORTIONS])
            ]
            places = np.concatenate([self.grid.places(one) for one in portions])
            right = np.array_equal(places, table["cell"].to_numpy())
            right = right and table.schema.equals(self._table([]).schema)
        except (KeyError, ValueError, TypeError):
            right = False
        if not right:
            raise _damaged(part, "its cells are not those that it names")
        ranges = {one.ranges for one in portions}
        if self.done & ranges:
            raise _damaged(part, "another file has the same cells")
        self.done |= ranges
        self.cells += table.num_rows

    def has(self, portion: Portion) -> bool:
        """Is this portion kept?"""
        return portion.ranges in self.done

    def add(self, answered: Answered) -> None:
        """Keep a portion that is answered as a whole; written when it is time. Raises OSError, see `save`."""
        if answered.cells is None or len(answered.cells) < answered.portion.size:
            return
        self._held.append(answered)
        if self._due or sum(one.portion.size for one in self._held) >= MOST_HELD:
            self.save()

    def save(self) -> None:
        """Write what is held. Raises OSError, which tells what is kept, where a disk is full and the like."""
        if not self._held:
            return
        from pyarrow import BufferOutputStream
        from pyarrow.parquet import write_table

        with self._due.saving():
            portions = [one.portion.ranges for one in self._held]
            table = self._table(self._held).replace_schema_metadata({PORTIONS: json.dumps(portions)})
            packed = BufferOutputStream()
            write_table(table, packed, compression="zstd", write_page_checksum=True)
            parts = self._parts()
            number = int(parts[-1].stem.partition("-")[2]) + 1 if parts else 0
            try:
                write_whole(self.path / f"part-{number:08}.parquet", packed.getvalue().to_pybytes())
            except OSError as error:
                kept = f"{self.cells:,} cells are kept in {str(self.path)!r}, and the same command goes on from there"
                raise OSError(f"out: {error.strerror or error}; {kept}") from None
        self._held = []
        self.done |= set(portions)
        self.cells += table.num_rows

    def _table(self, answers: Sequence[Answered]) -> pyarrow.Table:
        """Portions as a table: `cell` numbers the cells of the grid in row order."""
        import pyarrow as pa

        grid = self.grid
        cells = [cell for one in answers for cell in one.cells or ()]
        columns: dict[str, Any] = {
            "cell": np.concatenate([np.empty(0, int), *(grid.places(one.portion) for one in answers)])
        }
        for axis, (path, values) in enumerate(zip(grid.paths, grid.values, strict=True)):
            kind = _kind(values)
            columns[path] = pa.array([_as(kind, cell.settings[axis]) for cell in cells], kind)
        for place, name in enumerate(grid.asked):
            for part, column in enumerate(number_columns(grid.asked, name)):
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
        if not parts:
            return self._table([])
        return pa.concat_tables(parts).replace_schema_metadata(None).sort_by("cell")

    def found(self) -> dict[int, Cell]:
        """All cells kept by their place."""
        names = [number_columns(self.grid.asked, name) for name in self.grid.asked]
        found = {}
        for row in self.read().to_pylist():
            place = np.unravel_index(row["cell"], self.grid.shape)
            settings = tuple(axis[int(i)] for axis, i in zip(self.grid.values, place, strict=True))
            measures = tuple(Measure(*(_number(row[column]) for column in columns)) for columns in names)
            cell = Cell(settings, measures, row["method"], row["battles"], row["refused"] or None, row["note"])
            found[row["cell"]] = cell
        return found


def _read(part: Path) -> pyarrow.Table:
    """A file with its checksums compared. Raises ValueError."""
    from pyarrow import ArrowException
    from pyarrow.parquet import read_table

    try:
        return read_table(part, page_checksum_verification=True, partitioning=None)
    except (ArrowException, OSError, ValueError) as error:
        raise _damaged(part, str(error)) from None


def _damaged(part: Path, why: str) -> ValueError:
    return ValueError(f"out: {str(part)!r} cannot be read ({why}); remove it to have its cells again")


def number_columns(asked: Sequence[str], name: str) -> tuple[str, str, str]:
    """The columns of one value asked: it, and the ends of its interval."""
    return ("value", "low", "high") if len(asked) == 1 else (name, f"{name}.low", f"{name}.high")


def _number(value: float | None) -> float:
    return float("nan") if value is None else value


def _kind(values: Sequence[Any]) -> pyarrow.DataType:
    """What a column of settings holds: yes/no, whole numbers, numbers or text."""
    import pyarrow as pa

    kinds = set(map(type, values))
    if kinds <= {bool}:
        return pa.bool_()
    if kinds <= {int}:
        return pa.int64()
    return pa.float64() if kinds <= {int, float} else pa.string()


def _as(kind: pyarrow.DataType, value: Any) -> Any:
    import pyarrow as pa

    if kind == pa.string():
        return str(value)
    return float(value) if kind == pa.float64() else value
