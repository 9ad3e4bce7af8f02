"""The common part of the commands: groups of options, the progress bar, the files and the text of an answer."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, dataclass, fields, is_dataclass
from datetime import timedelta
from functools import cache, wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, TypeVar, get_type_hints

from rich.console import Console
from rich.text import Text

from simulator.cli import options
from simulator.report.words import broken
from simulator.scenarios import reading

if TYPE_CHECKING:
    from rich.progress import Progress

    from simulator.analysis.odds.method import Method
    from simulator.scenarios import Draft, Scenario

UNWATCHED_WIDTH = 120
# The status of a command that was interrupted, and has shown what was gathered.
CUT_SHORT = -130
STANDARD_OUTPUT = Path("-")
# A progress bar appears after this many seconds.
PATIENCE = 1.0
T = TypeVar("T")


def console() -> Console:
    """Standard output; wide enough for tables when it is not a terminal, unless COLUMNS says otherwise."""
    out = Console(markup=False, highlight=False)
    return out if is_watched(out) else Console(markup=False, highlight=False, width=UNWATCHED_WIDTH)


def is_watched(out: Console) -> bool:
    """Does a person read the output, in a terminal or at the width of COLUMNS?"""
    given = os.environ.get("COLUMNS", "")
    return out.is_terminal or (given.isdigit() and int(given) > 0)


def note(text: str, quiet: bool = False) -> None:
    """A remark on standard error."""
    if not quiet:
        print(fitted(text, Console(stderr=True)), file=sys.stderr)


def fitted(text: str, out: Console) -> str:
    """Text broken to the width of an output that a person reads; as it is where another program reads it."""
    lines = text.split("\n")
    return "\n".join(part for line in lines for part in broken(line, out.width)) if is_watched(out) else text


def show(parts: Iterable[Any]) -> None:
    """Print lines of text, tables and styled text as wide as the output is; None is left out.

    Lines of text are broken for people only, not where another program reads them.
    """
    out = console()
    for part in parts:
        if isinstance(part, str):
            print(fitted(part, out))
        elif part is not None:
            out.print(part)


def json_text(value: Any) -> str:
    """JSON without what JSON does not know: numbers that are none become null."""
    try:
        return json.dumps(value, allow_nan=False)
    except ValueError:  # rare, and looking for them first takes as long as writing them
        return json.dumps(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Bar:
    """A progress bar on standard error while work lasts; it appears after a while, if that is a terminal."""

    def __init__(self, what: str, quiet: bool = False, after: float = PATIENCE) -> None:
        self._what = what
        self._shown = not quiet and sys.stderr is not None and sys.stderr.isatty()
        self._lock = threading.Lock()
        self._done: tuple[int, int | None] = (0, None)
        self._first: tuple[float, int] | None = None
        self._progress: Progress | None = None
        self._timer = threading.Timer(after, self._appear)
        self._timer.daemon = True

    def __enter__(self) -> Bar:
        if self._shown:
            self._timer.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._timer.cancel()
        with self._lock:
            self._shown = False
            if self._progress is not None:
                self._progress.stop()

    def __call__(self, done: int, total: int | None) -> None:
        """Progress: units done, and units in total (None: unknown)."""
        self._done = (done, total)
        if self._first is None:
            self._first = time.monotonic(), done
        self._update()

    def _appear(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        with self._lock:
            if self._shown:
                columns = TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[count]}")
                out = Console(stderr=True)
                self._progress = Progress(*columns, TimeElapsedColumn(), console=out, transient=True)
                self._progress.add_task(self._what, total=None, count="")
                self._progress.start()
        self._update()

    def _update(self) -> None:
        if self._progress is not None:
            (done, total), since = self._done, self._first
            count = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            count += "" if since is None else pace(done, total, time.monotonic() - since[0], since[1])
            self._progress.update(self._progress.task_ids[0], completed=done, total=total, count=count)


def pace(done: int, total: int | None, seconds: float, before: int) -> str:
    """Units a second since `before` of them were done, and the time left: ", 1,200 a second, 0:00:41 left"."""
    if done <= before or seconds < PATIENCE / 2:
        return ""
    rate = (done - before) / seconds
    left = "" if not total else f", {timedelta(seconds=round((total - done) / rate))} left"
    return f", {rate:,.0f} a second{left}"


@dataclass(frozen=True)
class Given:
    """The scenario of a command, and changes of its fields."""

    scenario: options.ScenarioName
    settings: options.Settings = None

    def draft(self) -> Draft:
        """The scenario with its changes, not checked yet. Raises ScenarioError."""
        return reading.read_draft(self.scenario, self.settings or ())

    def checked(self) -> Scenario:
        """The same as a checked scenario."""
        return self.draft().checked()


@dataclass(frozen=True)
class DiceOptions:
    """Options of the simulation."""

    battles: options.Battles = None
    seed: options.SeedOption = None
    threads: options.Threads = None

    def arguments(self) -> dict[str, Any]:
        """The same as keyword arguments of a function of `simulator.analysis`."""
        return {"battles": self.battles, "seed": self.seed or 0, "threads": self.threads}

    def method(self, exact: bool = False, precision: str | None = None) -> Method:
        """The method of an answer. Raises ValueError for options that contradict each other."""
        from simulator.analysis.odds.method import Method

        width = None if precision is None else reading.read_precision(precision)
        dice = self.battles is not None or self.seed is not None
        if exact and (dice or width is not None):
            others = "--battles, --seed or --precision"
            raise ValueError(f"--exact: does not go with {others}, which ask for simulated battles")
        if self.battles is not None and width is not None:
            raise ValueError("--battles: does not go with --precision, which decides how many battles are fought")
        wanted = True if exact else False if dice else None
        return Method(exact=wanted, precision=width, at_once=True, **self.arguments())


@dataclass(frozen=True)
class Output:
    """Options of the output."""

    as_json: options.AsJson = False
    csv: options.CsvFile = None
    plot: options.PlotFile = None
    force: options.Force = False
    quiet: options.Quiet = False

    def check_files(self, source: str) -> None:
        """Refuse (ValueError) files that cannot be written, or that are there already and are something else.

        `source` is the file that the command reads; the table must not overwrite it.
        """
        if self.csv == STANDARD_OUTPUT and self.as_json:
            raise ValueError("csv: '-' does not go with --json, which prints there, too")
        for path, option in ((self.csv, "csv"), (self.plot, "plot")):
            if path is not None and path != STANDARD_OUTPUT:
                check_writable(path, option)
        if self.plot is not None:
            from simulator.report.plots.figures import check_path

            check_path(self.plot)
        if self.csv not in {None, STANDARD_OUTPUT} and self.csv.exists() and not self.force:
            same = source and Path(source).exists() and self.csv.samefile(source)
            if same or self.csv.suffix.lower() != ".csv":
                what = "is the scenario" if same else "is there already and is no .csv file"
                raise ValueError(f"csv: {str(self.csv)!r} {what}; --force overwrites it")

    def check_panels(self, ranges: Mapping[str, Any]) -> None:
        """Refuse (ValueError) a picture of more than two varied fields."""
        if self.plot is not None and len(ranges) > 2:
            raise ValueError(f"--plot: {len(ranges)} fields varied; a picture shows one or two")

    def gather(self, what: str, work: Callable[[Bar], T]) -> tuple[T, bool]:
        """Do the work with a progress bar; its answer, and whether Ctrl-C cut it short."""
        from simulator.analysis.odds.run import Interrupted
        from simulator.engine.api import announce

        if not self.quiet and not announce:
            announce.append(cache(note))  # a line for each text, however many kernels have to be compiled
        try:
            with Bar(what, self.quiet) as shown:
                return work(shown), False
        except Interrupted as short:
            return short.gathered, True

    @contextmanager
    def files(self, answer: Any) -> Iterator[None]:
        """Write the table and the picture of an answer before it is printed: a closed pipe may end the printing.

        A full disk does not cost the answer: it is printed, then OSError is raised.
        """
        try:
            if self.csv is not None and self.csv != STANDARD_OUTPUT:
                with self.csv.open("w", newline="", encoding="utf-8") as file:
                    write_csv(file, answer.rows())
            if self.plot is not None:
                answer.plot(path=self.plot)
        finally:
            yield

    def deliver(
        self,
        found: Any,
        parts: Callable[[Any], Iterable[Any]],
        data: Callable[[Any], Any] = lambda found: found.to_dict(),
        headline: str = "",
    ) -> None:
        """Write the files asked for and print an answer: the headline, by default its own, and its `parts`.

        With --json its `data` instead, with --quiet the headline alone.
        """
        with self.files(found):
            if self.csv == STANDARD_OUTPUT:
                write_csv(sys.stdout, found.rows(), "\n")
            elif self.as_json:
                print(json_text(data(found)))
            else:
                show(headed(headline or str(found.headline), () if self.quiet else parts(found)))

    def answer(
        self,
        what: str,
        work: Callable[[Bar], Any],
        parts: Callable[[Any], Iterable[Any]],
        cut: Callable[[Any], str],
    ) -> int:
        """Do the work and deliver its answer; the exit status. `cut` says of an interrupted one how much it holds."""
        found, short = self.gather(what, work)
        self.deliver(found, parts)
        return self.finished(short, cut(found))

    def finished(self, cut: bool, text: str) -> int:
        """The exit status, and a remark on an answer that Ctrl-C cut short."""
        if cut:
            note(text, self.quiet)
        return CUT_SHORT if cut else 0


@dataclass(frozen=True)
class TableOutput(Output):
    """Options of an answer with tables; `every`: long ones are shown whole. Files and JSON always hold all rows."""

    every: options.Everything = False


def headed(headline: str, parts: Iterable[Any]) -> Iterator[Any]:
    """The headline of an answer, on one line where another program reads it, and its parts below."""
    yield Text(headline, style="bold") if is_watched(console()) else headline
    yield from parts


def from_battles(found: Any) -> str:
    """The number of battles of an interrupted answer, in words."""
    return f"interrupted after {found.battles or 0:,} battles; the answer is from these"


def check_writable(path: Path, option: str) -> None:
    """Refuse (ValueError) a file that cannot be written."""
    folder = path.absolute().parent
    if not folder.is_dir():
        raise ValueError(f"{option}: no folder {str(path.parent)!r}")
    if path.is_dir():
        raise ValueError(f"{option}: {str(path)!r} is a folder; give a file")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise ValueError(f"{option}: {str(path)!r} cannot be written")


def write_text(path: Path, text: str, option: str, force: bool = False) -> None:
    """Write a file as a whole or not at all; raise ValueError if it exists already, unless `force`."""
    from simulator.analysis.storage.run_store import write_whole

    if path.exists() and not force:
        raise ValueError(f"{option}: {str(path)!r} is there already; --force overwrites it")
    try:
        write_whole(path, text.encode("utf-8"))
    except OSError as error:
        raise ValueError(f"{option}: cannot write {str(path)!r}: {error.strerror or error}") from None


def write_csv(file: TextIO, rows: Sequence[Mapping[str, Any]], end: str = "\r\n") -> None:
    """Write rows with a header line, all at once; `end` of each line."""
    writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [], lineterminator=end)
    writer.writeheader()
    writer.writerows(rows)


def grouped(command: Callable[..., int]) -> Callable[..., int]:
    """A command for typer, with one option for each field of its parameters that are dataclasses.

    The files of its `Output` are checked before it begins.
    """
    hints = get_type_hints(command, include_extras=True)
    groups = {name: kind for name, kind in hints.items() if is_dataclass(kind) and isinstance(kind, type)}
    found: list[Parameter] = []
    for name, one in signature(command).parameters.items():
        if name in groups:
            inside = get_type_hints(groups[name], include_extras=True)
            for field in fields(groups[name]):
                default = Parameter.empty if field.default is MISSING else field.default
                hint = inside[field.name]
                found.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
        else:
            found.append(one.replace(kind=Parameter.KEYWORD_ONLY, annotation=hints[name]))

    @wraps(command)
    def called(**given: Any) -> int:
        source = given.get("scenario") or given.get("file") or ""
        for name, kind in groups.items():
            given[name] = kind(**{field.name: given.pop(field.name) for field in fields(kind)})
        given["output"].check_files(source)
        return command(**given)

    called.__signature__ = Signature(found)  # type: ignore[attr-defined]
    called.__annotations__ = {one.name: one.annotation for one in found}
    return called
