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


# The module and function of each command, and its line in the list of commands, which 80 columns would cut if longer.
COMMANDS = {
    "odds": ("odds.odds", "Odds of a battle: who wins, what it costs, what is left."),
    "sweep": ("studies.sweep", "A grid of answers over one or several fields."),
    "need": ("studies.need", "The smallest force, or the cheapest, that is enough."),
    "campaign": ("campaigns.campaign", "Battles in turn, fought by the survivors."),
    "plan": ("plans.plan", "A turn: which units attack, or defend, where."),
    "survival": ("odds.survival", "The chance of each piece to survive."),
    "replay": ("odds.replay", "One simulated battle, roll by roll."),
    "schema": ("lists.schema", "The fields of a battle, or the units of a game file."),
    "best": ("judging.best", "The best play: when to stop, and what that is worth."),
    "balance": ("studies.balance", "The smallest changes that make a battle even."),
    "compare": ("studies.compare", "Scenarios beside each other, with their differences."),
    "sensitivity": ("studies.sensitivity", "The fields with the largest effect on the odds."),
    "units": ("studies.units", "The worth of one more of each unit, beside its price."),
    "worth": ("judging.worth", "The value of a battle by weights, and the bad end of it."),
    "rounds": ("judging.rounds", "The battle after each round."),
    "luck": ("judging.luck", "Was I unlucky? Fought battles against their odds."),
    "bench": ("machine.bench", "The speed of this machine."),
    "web": ("machine.web", "The page for players, served from this machine."),
    "examples": ("lists.examples", "The shipped example scenarios."),
    "list": ("lists.names", "Names that fields take: leaders, countries, units."),
    "rules": ("lists.rules", "A section of the rules documents, as --explain cites."),
    "by-round": ("campaigns.campaign", ""),
}
GROUPS = {
    "games": ("lists.games_app", "The games and their battles; game files to start from."),
    "cache": ("machine.cache_app", "The compiled kernels that are kept between runs."),
}
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
        place, brief = COMMANDS[name]
        own = {"cls": _imported(CLASSES[name])} if name in CLASSES else {}
        app.command(name, hidden=not brief, short_help=brief or None, **own)(_imported(place))
    for name, (place, brief) in () if names else GROUPS.items():
        app.add_typer(_imported(place), name=name, short_help=brief)
    return app
