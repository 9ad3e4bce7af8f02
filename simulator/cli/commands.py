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
    "rules": "lists.rules",
    "by-round": "campaigns.campaign",
}
# The line of each command in the list of commands; at 80 columns a longer one would be cut.
IN_BRIEF = {
    "odds": "Odds of a battle: who wins, what it costs, what is left.",
    "sweep": "A grid of answers over one or several fields.",
    "need": "The smallest force, or the cheapest, that is enough.",
    "campaign": "Battles in turn, fought by the survivors.",
    "survival": "The chance of each piece to survive.",
    "replay": "One simulated battle, roll by roll.",
    "schema": "The fields of a battle, or the units of a game file.",
    "best": "The best play: when to stop, and what that is worth.",
    "balance": "The smallest changes that make a battle even.",
    "compare": "Scenarios beside each other, with their differences.",
    "sensitivity": "The fields with the largest effect on the odds.",
    "units": "The worth of one more of each unit, beside its price.",
    "worth": "The value of a battle by weights, and the bad end of it.",
    "rounds": "The battle after each round.",
    "luck": "Was I unlucky? Fought battles against their odds.",
    "bench": "The speed of this machine.",
    "web": "The page for players, served from this machine.",
    "list": "Names that fields take: leaders, countries, units.",
    "rules": "A section of the rules documents, as --explain cites.",
    "games": "The games and their battles; game files to start from.",
    "examples": "The shipped example scenarios.",
    "cache": "The compiled kernels that are kept between runs.",
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
        app.command(name, hidden=name in HIDDEN, short_help=IN_BRIEF.get(name), **own)(_imported(COMMANDS[name]))
    for name in () if names else GROUPS:
        app.add_typer(_imported(GROUPS[name]), name=name, short_help=IN_BRIEF[name])
    return app
