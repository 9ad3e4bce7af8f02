"""Long work on the command line: kept in files, spread over processes and machines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options
from simulator.cli.output import Output, console, json_text, note, show

if TYPE_CHECKING:
    from simulator.analysis.odds.run import Method, Progress
    from simulator.scenarios import Scenario


@dataclass(frozen=True)
class Elsewhere:
    """Processes or machines that share the work."""

    workers: options.Workers = None
    cluster: options.Cluster = None

    @contextmanager
    def client(self) -> Iterator[Any]:
        """A cluster's client, or None where the work is done here. Raises ValueError."""
        if self.workers is not None and self.cluster is not None:
            raise ValueError("--workers: does not go with --cluster, which has workers of its own")
        if self.workers is None and self.cluster is None:
            yield None
            return
        from simulator.analysis.storage.cluster import machines

        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it would tell of tasks that Ctrl-C leaves behind
        with machines(self.workers, self.cluster) as client:
            yield client


def swept(asked: tuple[Any, ...], threads: int | None, out: Path | None, client: Any, shown: Progress) -> Any:
    """A `Sweep`, or what is `Kept` of one in a file; `asked` are draft, ranges, value, battles and seed."""
    from simulator.analysis.storage.long_sweep import long_sweep
    from simulator.analysis.studies.sweep import sweep

    more: dict[str, Any] = {"threads": threads, "progress": shown}
    if client is not None:
        from simulator.analysis.storage.cluster import answers_on

        more["answering"] = answers_on(client)
    base, ranges, *rest = asked
    return sweep(*asked, **more) if out is None else long_sweep(base, ranges, out, *rest, **more)


def show_swept(found: Any, output: Output, cut: bool = False) -> None:
    """Print a sweep, or what is kept of one: its cells too if they are few enough; and write the files asked for.

    Of kept work that was `cut` short only what is kept is shown: printing 100,000 cells may take a minute.
    """
    from simulator.analysis.studies.sweep import MOST_CELLS, Sweep
    from simulator.report.tables import show_sweep

    kept = None if isinstance(found, Sweep) else found
    if kept is not None and (cut or kept.grid.size > MOST_CELLS):
        print(json_text(kept.to_dict()) if output.as_json else kept.how())
    else:
        grid = found if kept is None else kept.sweep()
        with output.files(grid):
            if output.as_json:
                header = {"value": grid.value, "values": list(grid.asked), "seed": grid.seed, "how": grid.how()}
                print(json_text((kept.to_dict() if kept else {}) | header | {"cells": grid.rows()}))
            else:
                show_sweep(console(), grid)
                show([kept and kept.how()])
    note(str(found.pace), output.quiet or not found.pace.total)


def answered(scenario: Scenario, method: Method, out: Path | None, client: Any, shown: Progress) -> Any:
    """The odds, of a long run where that is asked for. Raises ValueError for one without a number of battles."""
    if out is None and client is None:
        from simulator.analysis.odds.answer import answer

        return answer(scenario, method, shown)
    from simulator.analysis.storage.long_run import long_run

    if method.battles is None:
        raise ValueError("--out, --workers, --cluster: go with --battles; exact odds need none of them")
    if method.device != "processor":
        raise ValueError("--device: does not go with --out, --workers or --cluster")
    fighting = None
    if client is not None:
        from simulator.analysis.storage.cluster import fight_on

        fighting = fight_on(client)
    seed, threads = method.seed, method.threads
    return long_run(scenario, method.battles, out, seed, threads=threads, fighting=fighting, progress=shown)
