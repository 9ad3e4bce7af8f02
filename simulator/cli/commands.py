"""The command line `battle-odds` and its list of commands."""

from __future__ import annotations

from typing import Annotated

import typer

from simulator.cli import judging, lists, machine, odds, studies

TITLE = "Battle odds for board wargames: exact where it fits, seeded battles where it does not."
app = typer.Typer(
    name="battle-odds",
    help=TITLE,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        from simulator import __version__

        print(f"battle-odds {__version__}")
        raise typer.Exit


@app.callback(help=TITLE)
def top(
    version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options of the command line itself."""


for command in (
    odds.odds,
    studies.sweep,
    studies.need,
    odds.campaign,
    odds.survival,
    odds.replay,
    lists.schema,
    judging.best,
    studies.compare,
    studies.sensitivity,
    judging.worth,
    judging.rounds,
    judging.luck,
    machine.bench,
    machine.web,
):
    app.command()(command)
app.command("list")(lists.names)
app.command("by-round", hidden=True)(odds.campaign)
app.add_typer(lists.games_app, name="games")
app.add_typer(lists.examples_app, name="examples")
app.add_typer(machine.cache_app, name="cache")
