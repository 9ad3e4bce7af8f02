"""The commands about this machine: kept kernels, its speed, the web page for players."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from statistics import median
from timeit import repeat
from typing import TYPE_CHECKING, Annotated

import typer

from simulator.cli import options
from simulator.cli.output import Bar, show

if TYPE_CHECKING:
    from simulator.scenarios import Scenario

EXACT_RUNS = 5
FIRST = 200_000
NEEDED = ("starlette", "uvicorn", "jinja2", "orjson")

cache_app = typer.Typer(help="The compiled kernels that are kept between runs.", invoke_without_command=True)


@cache_app.callback()
def cache(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="answer every example once, compiled, so that all is warm")
    ] = False,
) -> None:
    """Show size, owner and age of the compiled kernels that are kept; `clear` removes them, `--all` makes them."""
    from simulator.analysis.odds.warming import warm
    from simulator.engine.api import cache_folder, kept

    if context.invoked_subcommand is not None:
        return
    if everything:
        with Bar("examples") as shown:
            warm(progress=shown)
    found = kept()
    if found is None:
        print(f"No kernels are kept so far; they will be in\n{cache_folder()}")
        return
    print(f"{found.files:,} files of kept kernels take {found.size / 1e6:.1f} MB.\n{cache_folder()}")
    print(f"They belong to {found.owner}; the newest is {_age(found.newest)} old, the oldest {_age(found.oldest)}.")
    if found.complaint:
        print(f"They are not used: {found.complaint} (docs/scale.md)")


def _age(days: float) -> str:
    """A time in days, as people say it."""
    if days < 1:
        hours, minutes = divmod(round(days * 24 * 60), 60)
        return f"{hours} h" if hours else f"{minutes} min"
    return "1 day" if round(days) == 1 else f"{round(days)} days"


@cache_app.command("clear")
def clear_cache() -> None:
    """Remove all kept kernels."""
    from simulator.engine.api import clear

    print(f"{clear() / 1e6:.1f} MB of kept kernels were removed.")


def bench(
    seconds: Annotated[float, typer.Option("--seconds", help="time for each example", min=0.05, max=60)] = 0.5,
    threads: options.Threads = None,
) -> None:
    """A short self-measurement, warm: battles a second of one long simulation, and exact times of the examples."""
    from simulator.report.tables.odds import listing

    with Bar("examples") as shown:
        rows = list(measure_examples(seconds, threads, shown))
    table = listing(rows)
    for column in table.columns[1:]:
        column.justify = "right"
    show([f"{len(rows)} examples were measured on this machine, each warm.", table])


def measure_examples(
    seconds: float, threads: int | None, progress: Callable[[int, int | None], object]
) -> Iterator[dict[str, str]]:
    """Name, battles a second, median exact milliseconds and states of each shipped example, as text."""
    from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
    from simulator.scenarios import example_names, load

    names = example_names()
    for i, name in enumerate(names):
        progress(i, len(names))
        scenario = load(name)
        pace = f"{battles_per_second(scenario, seconds, threads):,.0f}"
        try:
            took, states = exact_time(scenario, QUICK_BYTES)
            size = f"{1000 * took:.2f}", f"{states:,}"
            pace = pace if states else "no dice"
        except NoExactOdds:
            size = "too large", f"past {QUICK_BYTES / 1e6:.0f} MB"
        yield dict(zip(("example", "battles/s", "exact, ms", "states"), (name, pace, *size), strict=True))


def battles_per_second(scenario: Scenario, seconds: float, threads: int | None = None) -> float:
    """Pace of one warm simulation of as many battles as take about so many seconds, as `--battles` would fight them."""
    from simulator.analysis.odds.run import Fight

    fight = Fight(scenario, 0, threads)
    fight.add(FIRST)
    pace = 0.0
    for share in (0.1, 1.0):
        battles = max(FIRST, int(pace * share * seconds))
        begin, before = time.perf_counter(), fight.battles
        fight.add(battles)
        pace = (fight.battles - before) / max(time.perf_counter() - begin, 1e-9)
    return pace


def exact_time(scenario: Scenario, budget: int) -> tuple[float, int]:
    """Median seconds of a warm exact answer, and the states it visits. Raises NoExactOdds."""
    from simulator.analysis.odds.answer import exact

    states = exact(scenario, budget).explored
    return median(repeat(lambda: exact(scenario, budget), number=1, repeat=EXACT_RUNS)), states


def web(
    host: Annotated[str, typer.Option("--host", help="the address to listen at; 0.0.0.0 for your whole network")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", help="the port", min=0, max=65535)] = 8000,
    workers: Annotated[
        int | None, typer.Option("--workers", help="large answers at a time; one a processor by default", min=1, max=64)
    ] = None,
    waiting: Annotated[
        int, typer.Option("--waiting", help="requests that may wait in each lane; more are refused", min=1, max=10_000)
    ] = 64,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option("--allowed-host", help="a name under which it may be asked, *.example.org; default any"),
    ] = None,
) -> int:
    """A web page for players: forms for every game, answers while you type, links to share."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ValueError(f"web: needs {', '.join(missing)}; install it with: python -m pip install 'battle-odds[web]'")
    from simulator.web.server.serve import serve

    serve(host, port, workers, waiting, allowed_host or ())
    return 0
