"""`battle-odds web`: the page for players."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Annotated

import typer

NEEDED = ("starlette", "uvicorn", "jinja2", "orjson")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(web)


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
) -> int:
    """A web page for players: forms for every game, answers while you type, links to share."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ValueError(f"web: needs {', '.join(missing)}; install it with: python -m pip install 'battle-odds[web]'")
    from simulator.web.server.serve import serve

    serve(host, port, workers, waiting)
    return 0
