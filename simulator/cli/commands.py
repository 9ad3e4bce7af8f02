"""The command line `battle-odds` and its list of commands."""

from __future__ import annotations

from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

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


# The questions that commands answer: under each the module and function of a command, and its line in the list of
# commands, which 80 columns would cut if longer.
QUESTIONS = {
    "What will happen?": {
        "odds": ("odds.odds", "Odds of a battle: who wins, what it costs, what is left."),
        "campaign": ("campaigns.campaign", "Battles in turn, fought by the survivors."),
        "rounds": ("judging.rounds", "The battle after each round."),
        "survival": ("odds.survival", "The chance of each piece to survive."),
    },
    "What should I do?": {
        "best": ("judging.best", "The best play: when to stop, and what that is worth."),
        "need": ("studies.need", "The smallest force, or the cheapest, that is enough."),
        "plan": ("plans.plan", "A turn: which units attack, or defend, where."),
        "units": ("studies.units", "The worth of one more of each unit, beside its price."),
        "worth": ("judging.worth", "The value of a battle by weights, and the bad end of it."),
    },
    "What if?": {
        "sweep": ("studies.sweep", "A grid of answers over one or several fields."),
        "compare": ("studies.compare", "Scenarios beside each other, with their differences."),
        "sensitivity": ("studies.sensitivity", "The fields with the largest effect on the odds."),
        "balance": ("studies.balance", "The smallest changes that make a battle even."),
    },
    "What happened?": {
        "luck": ("judging.luck", "Was I unlucky? Fought battles against their odds."),
        "replay": ("odds.replay", "One simulated battle, roll by roll."),
    },
    "What can I ask?": {
        "examples": ("lists.examples", "The shipped example scenarios."),
        "games": ("lists.games_app", "The games and their battles; game files to start from."),
        "schema": ("lists.schema", "The fields of a battle, or the units of a game file."),
        "list": ("lists.names", "Names that fields take: leaders, countries, units."),
        "rules": ("lists.rules", "A section of the rules documents, as --explain cites."),
    },
    "This machine": {
        "web": ("machine.web", "The page for players, served from this machine."),
        "cache": ("machine.cache_app", "The compiled kernels that are kept between runs."),
    },
}
# Those that have commands of their own.
GROUPS = ("games", "cache")
COMMANDS = {name: one for group in QUESTIONS.values() for name, one in group.items() if name not in GROUPS}
# Commands and options of the past, and what to write now.
OLD = {
    "bench": "is gone; with the sources: python -m benchmarks.examples",
    "by-round": "is gone; write campaign SIEGE",
    "--column": "is gone; the picture shows the column of the headline, and Python's odds.plot(column=...) any other",
    "--no-table": "is gone; the table of --json is its key table",
    "--scored": "is gone; write odds SCENARIO, which simulates what is too large for exact odds",
}
# Commands that read their arguments in a way of their own.
CLASSES = {"campaign": "campaigns.WithCounterAttack"}


class ByQuestion(TyperGroup):
    """The command line, whose help lists the commands under the questions that they answer."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the list of commands."""
        width = max(map(len, COMMANDS))
        for question, group in QUESTIONS.items():
            formatter.write(f"\n{question}\n")
            with formatter.indentation():
                formatter.write_dl([(name.ljust(width), brief) for name, (_, brief) in group.items()])


def _imported(place: str) -> Any:
    module, name = place.split(".")
    return getattr(import_module(f"simulator.cli.{module}"), name)


def app_of(*names: str) -> typer.Typer:
    """The command line with these commands, or with all if none is named: building them all takes 30 ms."""
    app = typer.Typer(
        name="battle-odds",
        cls=ByQuestion,
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
        app.command(name, short_help=brief, **own)(_imported(place))
    everything = {name: one for group in QUESTIONS.values() for name, one in group.items()}
    for name in () if names else GROUPS:
        place, brief = everything[name]
        app.add_typer(_imported(place), name=name, short_help=brief)
    return app
