"""Long work on the command line: kept in files, spread over processes and machines."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from simulator.analysis.odds.run import Method, Progress
from simulator.cli.options import console, gather, json_text, note
from simulator.cli.working import Files
from simulator.scenarios import Scenario

OutFolder = Annotated[
    Path | None,
    typer.Option("--out", metavar="FOLDER", help="keep cells here as Parquet files; the same command goes on"),
]
OutFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="keep the counts of --battles here; the same command goes on"),
]
Workers = Annotated[int | None, typer.Option("--workers", help="spread the work over so many processes", min=1)]
Cluster = Annotated[
    str | None, typer.Option("--cluster", metavar="ADDRESS", help="a Dask scheduler, like tcp://scheduler:8786")
]


@contextmanager
def elsewhere(workers: int | None, address: str | None) -> Iterator[Any]:
    """A cluster's client, or None where the work is done here. Raises ValueError."""
    if workers is not None and address is not None:
        raise ValueError("--workers: does not go with --cluster, which has workers of its own")
    if workers is None and address is None:
        yield None
        return
    from simulator.analysis.storage.cluster import machines

    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # it would tell of tasks that Ctrl-C leaves behind
    with machines(workers, address) as client:
        yield client


def swept(asked: tuple[Any, ...], threads: int | None, out: Path | None, client: Any, shown: Progress) -> Any:
    """A `Sweep`, or what is `Kept` of one in a file; `asked` are draft, ranges, value, battles and seed."""
    from simulator.analysis.storage import long_sweep
    from simulator.analysis.studies import sweep

    answering = None
    if client is not None:
        from simulator.analysis.storage.cluster import answers_on

        answering = answers_on(client)
    if out is None:
        return sweep.sweep(*asked, threads=threads, answering=answering, progress=shown)
    base, ranges, *rest = asked
    return long_sweep.long_sweep(base, ranges, out, *rest, threads=threads, answering=answering, progress=shown)


def show_swept(found: Any, files: Files, as_json: bool, quiet: bool, cut: bool = False) -> None:
    """Print a sweep, or what is kept of one: its cells too if they are few enough; and write the files asked for.

    Of kept work that was `cut` short only what is kept is shown: printing 100,000 cells may take a minute.
    """
    from simulator.analysis.studies.sweep import MOST_CELLS, Sweep

    kept = None if isinstance(found, Sweep) else found
    if kept is not None and (cut or kept.file.grid.size > MOST_CELLS):
        print(json_text(kept.to_dict()) if as_json else kept.how())
        note(str(kept.pace), quiet or not kept.pace.total)
        return
    swept = found if kept is None else kept.sweep()
    with files.written(swept, swept.rows):
        if as_json:
            header = {"value": swept.value, "values": list(swept.asked), "seed": swept.seed, "how": swept.how()}
            print(json_text(header | {"cells": swept.rows()} | (kept.to_dict() if kept else {})))
        else:
            from simulator.report.tables import show_sweep

            show_sweep(console(), swept)
        if kept is not None and not as_json:
            print(kept.how())
        note(str(swept.pace), quiet or not swept.pace.total)


def refuse_uncertain(*options: object) -> None:
    """Raise ValueError where a scenario with a field that is not known is asked for long work."""
    if any(option is not None for option in options):
        raise ValueError("--out, --workers, --cluster: not for a scenario with a field that is not known")


def gathered(
    scenario: Scenario, method: Method, out: Path | None, where: tuple[int | None, str | None], quiet: bool
) -> tuple[Any, bool]:
    """The odds, wherever they are found, and whether Ctrl-C cut them short."""
    what = "battles" if method.exact is False else "states"
    with elsewhere(*where) as there:
        return gather(what, quiet, lambda shown: answered(scenario, method, out, there, shown))


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
