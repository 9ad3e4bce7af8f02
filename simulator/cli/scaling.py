"""Long work on the command line: kept in files, spread over processes and machines."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options
from simulator.cli.output import TableOutput, console, note

if TYPE_CHECKING:
    from simulator.analysis.odds.method import Method
    from simulator.analysis.odds.run import Progress
    from simulator.analysis.studies.grid import AnsweredPortion, Grid, Portions
    from simulator.scenarios import Draft, Scenario

# The seconds that worker processes take to start and to load their kernels.
HERE_SECONDS = 4.0


@dataclass(frozen=True)
class Elsewhere:
    """Processes or machines that share the work."""

    workers: options.Workers = None
    cluster: options.Cluster = None

    @contextmanager
    def helpers(self) -> Iterator[Helpers | None]:
        """The processes or machines, or None where the work is done here. Raises ValueError."""
        if self.workers is not None and self.cluster is not None:
            raise ValueError("--workers: does not go with --cluster, which has workers of its own")
        if self.workers is None and self.cluster is None:
            yield None
            return
        from simulator.analysis.storage.cluster import machines

        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it would report tasks that Ctrl-C leaves behind
        with ExitStack() as ending:
            yield Helpers(lambda: ending.enter_context(machines(self.workers, self.cluster)), self.cluster is None)


@dataclass(frozen=True)
class Helpers:
    """Processes or machines: `client()` starts them; `own` says that they are processes of this machine."""

    client: Callable[[], Any]
    own: bool

    def answers(self, grid: Grid, portions: Portions) -> Generator[AnsweredPortion, None, None]:
        """Portions of a grid answered by them; own processes start only where this one is not done in HERE_SECONDS."""
        from simulator.analysis.odds.stages import Shared
        from simulator.analysis.storage.cluster import answers_on

        begun, shared = time.perf_counter(), Shared()
        while self.own and time.perf_counter() - begun < HERE_SECONDS:
            portion = next(portions, None)
            if portion is None:
                seconds = time.perf_counter() - begun
                note(f"--workers: done here in {seconds:.1f} s, before processes would have started")
                return
            answered = grid.answer(portion, shared)
            portions.learn(answered)
            yield answered
        yield from answers_on(self.client())(grid, portions)

    def pay(self, scenario: Scenario, battles: int) -> bool:
        """Do they make a simulation faster? A chain uses all processors in one process, and so does one portion."""
        from simulator.analysis.odds.run import PORTION

        if self.own and (scenario.built.answer is None or battles <= PORTION):
            note("--workers: not used; one process uses all processors here, and starts sooner")
            return False
        return True


def swept(
    asked: tuple[Draft, Mapping[str, Any], list[str] | None, int | None, int],
    threads: int | None,
    out: Path | None,
    helpers: Helpers | None,
    shown: Progress,
) -> Any:
    """A `Sweep`, or the `KeptSweep` of one in a file; `asked` are draft, ranges, value, battles and seed."""
    from simulator.analysis.storage.kept_sweep import MOST_KEPT, kept_sweep
    from simulator.analysis.studies.grid import MOST_CELLS, grid_of
    from simulator.analysis.studies.sweep import cells_of, sweep
    from simulator.analysis.studies.swept import in_portions

    if helpers is None:
        return sweep(*asked, threads=threads, out=out, progress=shown)
    grid = grid_of(*asked, most=MOST_CELLS if out is None else MOST_KEPT)
    if out is not None:
        return kept_sweep(grid, out, helpers.answers, shown)
    return cells_of(in_portions(grid), helpers.answers, shown)


def show_swept(found: Any, output: TableOutput, cut: bool = False) -> None:
    """Print a sweep, or the kept cells of one, if they are few enough; and write the files asked for.

    Of kept work that was `cut` short only the number of cells is shown: printing 100,000 cells may take a minute.
    """
    from simulator.analysis.studies.grid import MOST_CELLS
    from simulator.analysis.studies.swept import Sweep
    from simulator.report.tables.sweeps import sweep_parts

    kept = None if isinstance(found, Sweep) else found
    if kept is not None and (cut or kept.grid.size > MOST_CELLS):
        output.deliver(kept, lambda kept: ())
    else:
        lines, folder = ([], {}) if kept is None else ([kept.how()], kept.to_dict())

        def data(grid: Sweep) -> dict[str, Any]:
            found = {"headline": grid.headline, "value": grid.value, "values": list(grid.asked), "seed": grid.seed}
            changes = {"changes": grid.changes} if grid.changes else {}
            return folder | found | {"how": grid.how()} | changes | {"cells": grid.rows()}

        output.deliver(
            found if kept is None else kept.sweep(),
            lambda grid: (*sweep_parts(grid, console().width, output.every), *lines),
            data=data,
        )
    note(str(found.pace), output.quiet or not found.pace.total)


def answered(scenario: Scenario, method: Method, out: Path | None, helpers: Helpers | None, shown: Progress) -> Any:
    """The odds, kept in a file or fought elsewhere where that is asked for. Raises ValueError without battles."""
    if out is None and helpers is None:
        from simulator.analysis.odds.answer import answer

        return answer(scenario, method, shown)
    from simulator.analysis.storage.kept_run import kept_run

    if method.battles is None:
        raise ValueError("--out, --workers, --cluster: go with --battles; exact odds need none of them")
    fighting = None
    if helpers is not None and helpers.pay(scenario, method.battles):
        from simulator.analysis.storage.cluster import fight_on

        fighting = fight_on(helpers.client())
    return kept_run(scenario, method, out, fighting=fighting, progress=shown)
