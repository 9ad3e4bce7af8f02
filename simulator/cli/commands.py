"""The command line `battle-odds` and its list of commands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer

TITLE = "Battle odds for board wargames: exact where it fits, seeded battles where it does not."


def _version(asked: bool) -> None:
    if asked:
        from simulator import __version__

        print(f"battle-odds {__version__}")
        raise typer.Exit


def top(
    version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options of the command line itself."""


# The module and function of each command.
COMMANDS = {
    "odds": "odds.odds",
    "sweep": "studies.sweep",
    "need": "studies.need",
    "campaign": "campaigns.campaign",
    "survival": "odds.survival",
    "replay": "odds.replay",
    "schema": "lists.schema",
    "best": "judging.best",
    "balance": "studies.balance",
    "compare": "studies.compare",
    "sensitivity": "studies.sensitivity",
    "units": "studies.units",
    "worth": "judging.worth",
    "rounds": "judging.rounds",
    "luck": "judging.luck",
    "bench": "machine.bench",
    "web": "machine.web",
    "list": "lists.names",
    "by-round": "campaigns.campaign",
}
GROUPS = {"games": "lists.games_app", "examples": "lists.examples_app", "cache": "machine.cache_app"}
HIDDEN = {"by-round"}
# Commands that read their arguments in a way of their own.
CLASSES = dict.fromkeys(("campaign", "by-round"), "campaigns.WithCounterAttack")


def _imported(place: str) -> Any:
    module, name = place.split(".")
    return getattr(import_module(f"simulator.cli.{module}"), name)


def app_of(*names: str) -> typer.Typer:
    """The command line with these commands, or with all if none is named: building them all takes 30 ms."""
    app = typer.Typer(
        name="battle-odds",
        help=TITLE,
        no_args_is_help=True,
        add_completion=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback(help=TITLE)(top)
    for name in names or COMMANDS:
        own = {"cls": _imported(CLASSES[name])} if name in CLASSES else {}
        app.command(name, hidden=name in HIDDEN, **own)(_imported(COMMANDS[name]))
    for name in () if names else GROUPS:
        app.add_typer(_imported(GROUPS[name]), name=name)
    return app
