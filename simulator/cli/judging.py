"""The commands that judge a battle: what it is worth, and whether it was luck."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from simulator.cli import reading, working
from simulator.cli.comparing import deliver
from simulator.cli.options import (
    AsJson,
    Battles,
    CsvFile,
    Force,
    PlotFile,
    Quiet,
    ScenarioName,
    SeedOption,
    Settings,
    Threads,
    console,
    gather,
)

Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", metavar="COLUMN=NUMBER", help="what win, take or a column is worth; repeatable"),
]
Side = Annotated[str, typer.Option("--side", help="attacker or defender: whose win and take")]


def add_to(app: typer.Typer) -> None:
    """Give a command line these commands."""
    app.command()(worth)


def read_weights(texts: Sequence[str] | None) -> dict[str, float] | None:
    """`win=15` for each weight; None if none is given. Raises ValueError for one given twice."""
    found: dict[str, float] = {}
    for text in texts or ():
        name, number = reading.split_setting(text, "--weight")
        if name in found:
            raise ValueError(f"--weight: {name} is given twice")
        found[name] = reading.read_number(number, f"--weight {name}")
    return found or None


def worth(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    weight: Weights = None,
    level: Annotated[str, typer.Option("--level", help="how much of the bad end: 5% or 0.05")] = "5%",
    lose: Annotated[list[float] | None, typer.Option("--lose", help="the chance to lose this or more")] = None,
    side: Side = "attacker",
    settings: Settings = None,
    battles: Battles = None,
    seed: SeedOption = None,
    threads: Threads = None,
    as_json: AsJson = False,
    csv: CsvFile = None,
    plot: PlotFile = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """What a battle is worth by weights, and how bad it can get (value at risk, expected shortfall)."""
    from simulator.analysis.worth import worth as find

    files = working.Files(csv, plot, force, scenario)
    files.check()
    asked = reading.read_scenario(scenario, settings or ())
    weights, share = read_weights(weight), reading.read_number(level, "level")
    method = reading.method_of(False, battles, seed, None, threads)
    found, _ = gather(
        "battles",
        quiet,
        lambda shown: find(asked, weights, share, lose or (), side, method=method, progress=shown),
    )
    deliver(found, files, as_json, _show_worth)


def _show_worth(found: Any) -> None:
    from simulator.report.risks import worth_table

    console().print(worth_table(found))
    print(f"Weights: {found.how()}")
