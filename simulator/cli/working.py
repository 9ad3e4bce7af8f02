"""Working for a command: a progress bar once it takes a second, files that are never written by mistake."""

from __future__ import annotations

import csv
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.analysis.odds.odds import Odds

if TYPE_CHECKING:
    from rich.progress import Progress

PATIENCE = 1.0


class Bar:
    """A progress bar on standard error that appears after a second, if that is a terminal."""

    def __init__(self, what: str, quiet: bool = False) -> None:
        self._what = what
        self._lock = threading.Lock()
        self._done: tuple[int, int | None] = (0, None)
        self._first: tuple[float, int] | None = None
        self._progress: Progress | None = None
        self._task: Any = None
        self._timer = threading.Timer(PATIENCE, self._appear)
        self._timer.daemon = True
        if not quiet and sys.stderr is not None and sys.stderr.isatty():
            self._timer.start()

    def __call__(self, done: int, total: int | None) -> None:
        """So much of so much is done; a total of None is not known."""
        self._done = (done, total)
        if self._first is None:
            self._first = time.monotonic(), done
        if self._progress is not None:
            self._update()

    def _appear(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if not self._closed:
                self._progress = Progress(
                    TextColumn("{task.description}"),
                    BarColumn(),
                    TextColumn("{task.fields[count]}"),
                    TimeElapsedColumn(),
                    console=Console(stderr=True),
                    transient=True,
                )
                self._task = self._progress.add_task(self._what, total=None, count="")
                self._progress.start()
        self._update()

    _closed = False

    def _update(self) -> None:
        done, total = self._done
        if self._progress is not None:
            count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            count += "" if self._first is None else pace(done, total, *self._first)
            self._progress.update(self._task, completed=done, total=total, count=count)

    def close(self) -> None:
        """Take the bar away."""
        self._closed = True
        self._timer.cancel()
        with self._lock:
            if self._progress is not None:
                self._progress.stop()


def pace(done: int, total: int | None, since: float, before: int) -> str:
    """How many a second since a time when so many were done, and the time left: ", 1,200 a second, 0:41 left"."""
    seconds = time.monotonic() - since
    if done <= before or seconds < PATIENCE / 2:
        return ""
    rate = (done - before) / seconds
    left = "" if not total else f", {timedelta(seconds=round((total - done) / rate))} left"
    return f", {rate:,.0f} a second{left}"


@contextmanager
def bar(what: str, quiet: bool = False) -> Iterator[Bar]:
    """A progress bar for as long as the work lasts."""
    shown = Bar(what, quiet)
    try:
        yield shown
    finally:
        shown.close()


@dataclass(frozen=True)
class Files:
    """The files that a command was asked to write, checked before any work is done."""

    csv: Path | None = None
    plot: Path | None = None
    force: bool = False
    scenario: str = ""

    def check(self) -> None:
        """Refuse (ValueError) files that cannot be written, or that are there already and are something else."""
        for path, option in ((self.csv, "csv"), (self.plot, "plot")):
            if path is not None:
                _check_writable(path, option)
        if self.plot is not None:
            from simulator.report.plots import check_path

            check_path(self.plot)
        if self.csv is not None and self.csv.exists() and not self.force:
            same = self.scenario and Path(self.scenario).exists() and self.csv.samefile(self.scenario)
            if same or self.csv.suffix.lower() != ".csv":
                what = "is the scenario" if same else "is there already and is no .csv file"
                raise ValueError(f"csv: {str(self.csv)!r} {what}; --force overwrites it")

    @contextmanager
    def written(
        self, answer: Any, rows: Callable[[], Sequence[Mapping[str, Any]]], column: str | None = None
    ) -> Iterator[None]:
        """Write the table and the picture before the answer is printed, which a closed pipe may end.

        A full disk does not cost the answer: it is printed before OSError is raised.
        """
        try:
            if self.csv is not None:
                write_csv(self.csv, rows())
            if self.plot is not None and isinstance(answer, Odds):
                answer.plot(path=self.plot, column=column)
            elif self.plot is not None:
                answer.plot(path=self.plot)
        finally:
            yield


def _check_writable(path: Path, option: str) -> None:
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{option}: no folder {str(path.parent)!r}")
    if path.is_dir():
        raise ValueError(f"{option}: {str(path)!r} is a folder; give a file")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{option}: {str(path)!r} cannot be written")


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with a header line, all at once."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)


def outcome_rows(odds: Odds) -> list[dict[str, Any]]:
    """The outcome table as rows of plain values."""
    table = odds.to_dict()["table"]
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
