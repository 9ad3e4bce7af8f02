"""Doing the work with a progress bar once it takes a second, and keeping what is done when interrupted."""

from __future__ import annotations

import csv
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from simulator.analysis.answer import QUICK_BUDGET, Fight, check_numbers, exact, to_precision
from simulator.analysis.odds import Odds
from simulator.cli import INTERRUPTED
from simulator.engine.limits import NoExactOdds
from simulator.scenarios import Scenario

PATIENCE = 1.0
T = TypeVar("T")


class Bar:
    """A progress bar on standard error that appears after a second, if that is a terminal."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._begin = time.monotonic()
        self._progress: Progress | None = None
        self._task: Any = None

    def __call__(self, done: int, total: int | None) -> None:
        """So much of so much is done; a total of None is not known."""
        if self._progress is None:
            if time.monotonic() - self._begin < PATIENCE or not sys.stderr.isatty():
                return
            self._progress = Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                *([MofNCompleteColumn(), TimeRemainingColumn()] if total else []),
                console=Console(stderr=True),
                transient=True,
            )
            self._progress.start()
            self._task = self._progress.add_task(self._what, total=total)
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        """Take the bar away."""
        if self._progress is not None:
            self._progress.stop()


@contextmanager
def bar(what: str) -> Iterator[Bar]:
    """A progress bar for as long as the work lasts."""
    shown = Bar(what)
    try:
        yield shown
    finally:
        shown.close()


def patiently(work: Callable[[], T], what: str) -> T:
    """Do work that cannot tell its progress: a moving bar after a second, and an interrupt is heard at once."""
    with ThreadPoolExecutor(1) as pool, bar(what) as shown:
        future = pool.submit(work)
        while not future.done():
            try:
                wait([future], 0.05)
                shown(0, None)
            except KeyboardInterrupt:
                # The kernel under way cannot be stopped; leave without waiting for it.
                shown.close()
                print("interrupted before anything was gathered", file=sys.stderr)
                os._exit(INTERRUPTED)
        return future.result()


def answer(
    scenario: Scenario,
    *,
    battles: int | None,
    seed: int | None,
    only_exact: bool,
    precision: float | None,
    threads: int | None,
) -> tuple[Odds, bool]:
    """The odds asked for, and whether an interrupt cut them short.

    Exact when it fits, unless battles or a seed are given. Raises NoExactOdds when only exact will do and it does not
    fit, KeyboardInterrupt when nothing was gathered yet.
    """
    if only_exact and (battles is not None or seed is not None or precision is not None):
        raise ValueError("--exact: does not go with --battles, --seed or --precision, which ask for simulated battles")
    if battles is not None and precision is not None:
        raise ValueError("--battles: does not go with --precision, which decides how many battles are fought")
    check_numbers(1 if battles is None else battles, seed or 0, threads)
    if only_exact:
        return patiently(lambda: exact(scenario), "states"), False
    if battles is None and seed is None:
        with suppress(NoExactOdds):
            return patiently(lambda: exact(scenario, QUICK_BUDGET), "states"), False
    fight = Fight(scenario, seed or 0, threads)
    try:
        with bar("battles") as shown:
            if battles is not None:
                fight.add(battles, lambda done: shown(done, battles))
            else:
                to_precision(fight, precision or 0.001, shown)
    except KeyboardInterrupt:
        if fight.battles == 0:
            raise
        return fight.odds(), True
    return fight.odds(), False


def write_csv(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows with a header line, all at once."""
    check_folder(path, "csv")
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
        writer.writeheader()
        writer.writerows(rows)


def check_folder(path: Path, option: str) -> None:
    """Refuse (ValueError) a file in a folder that is not there."""
    if not path.absolute().parent.is_dir():
        raise ValueError(f"{option}: no folder {str(path.parent)!r}")


def outcome_rows(odds: Odds) -> list[dict[str, Any]]:
    """The outcome table as rows of plain values."""
    table = odds.to_dict()["table"]
    return [dict(zip(table, values, strict=True)) for values in zip(*table.values(), strict=True)]
