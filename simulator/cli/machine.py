"""The commands about this machine: kept kernels, the web page for players."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

from simulator.cli import options
from simulator.cli.output import Bar, show

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
    from simulator.analysis.odds.warm import warm
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
    show([f"They belong to {found.owner}; the newest is {_age(found.newest)} old, the oldest {_age(found.oldest)}."])
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


def web(
    host: Annotated[str, typer.Option("--host", help="the address to listen at; 0.0.0.0 for your whole network")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, options.whole("--port", "the port", 0, 65_535)] = 8000,
    workers: Annotated[
        int | None, options.whole("--workers", "large answers at a time; one a processor by default", 1, 64)
    ] = None,
    waiting: Annotated[
        int, options.whole("--waiting", "requests that may wait in each lane; more are refused", 1, 10_000)
    ] = 1000,
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
