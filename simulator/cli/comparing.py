"""The commands that hold scenarios against each other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from simulator.cli import reading, working
from simulator.cli.grouped import Dice, Output, grouped
from simulator.cli.options import (
    ScenarioName,
    Settings,
    ValueName,
    complete_path,
    complete_scenario,
    console,
    finished,
    gather,
    json_text,
)

_NUMBERED = re.compile(r"(\d+):(.+)$", re.DOTALL)


def add_to(app: typer.Typer) -> None:
    """Give a command line these commands."""
    app.command()(compare)
    app.command()(sensitivity)


def drafts_of(sources: Sequence[str], settings: Sequence[str]) -> dict[str, Any]:
    """The scenarios by name, with settings put in: `path=value` in all, `2:path=value` in the second.

    Raises ScenarioError, ValueError for a number of no scenario.
    """
    from simulator.analysis.studies.compare import names_of

    found = {}
    for place, (name, source) in enumerate(zip(names_of(list(sources)), sources, strict=True), 1):
        own = []
        for setting in settings:
            match = _NUMBERED.match(setting)
            if match and not 1 <= int(match[1]) <= len(sources):
                raise ValueError(f"--set: {setting!r} is not allowed; there are scenarios 1 to {len(sources)}")
            if not match or int(match[1]) == place:
                own.append(match[2] if match else setting)
        found[name] = reading.read_draft(source, own)
    return found


@grouped
def compare(
    scenarios: Annotated[
        list[str],
        typer.Argument(
            metavar="SCENARIO...", help="two to ten; the first is the reference", autocompletion=complete_scenario
        ),
    ],
    value: Annotated[
        list[str] | None,
        typer.Option("--value", metavar="VALUE", help="p_attacker, mean.COLUMN, q90.COLUMN or a question; repeatable"),
    ] = None,
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Scenarios beside each other: values, differences, how sure their sign is. --set 2:PATH=VALUE sets the second."""
    from simulator.analysis.studies.compare import compare as answer

    files = output.files()
    drafts = drafts_of(scenarios, settings or ())
    found, cut = gather(
        "scenarios",
        output.quiet,
        lambda shown: answer(drafts, value or None, dice.battles, dice.seed or 0, threads=dice.threads, progress=shown),
    )
    output.deliver(found, files, _show_comparison)
    return finished(cut, f"interrupted after {len(found.odds)} scenarios; these are compared", output.quiet)


def _show_comparison(found: Any) -> None:
    from simulator.report.compare_plot import comparison_table

    console().print(comparison_table(found))
    print(found.sentence())
    print(f"Method: {found.how()}")


@grouped
def sensitivity(
    scenario: ScenarioName,
    value: ValueName = None,
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--fields",
            metavar="PATH",
            help="only this field, or those of a table like attacker; repeatable",
            autocompletion=complete_path,
        ),
    ] = None,
    vary: Annotated[
        list[str] | None,
        typer.Option(
            "--vary",
            metavar="PATH=RANGE",
            help="Sobol indices over a grid of settings instead; repeatable",
            autocompletion=complete_path,
        ),
    ] = None,
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Which field moves the odds most: each one step alone (a tornado), or with --vary the Sobol indices of a grid."""
    from simulator.analysis.studies.sensitivity import sensitivity as step
    from simulator.analysis.studies.sensitivity import swept_fully

    files = output.files(scenario)
    base = reading.read_draft(scenario, settings or ())
    if vary:
        if fields:
            raise ValueError("--fields: does not go with --vary, which names its fields itself")
        ranges = reading.read_vary(vary)
        if output.plot is not None and len(ranges) > 2:
            raise ValueError(f"--plot: {len(ranges)} fields varied; a picture shows one or two")
        swept, cut = gather(
            "cells",
            output.quiet,
            lambda shown: swept_fully(
                base, ranges, value, dice.battles, dice.seed or 0, threads=dice.threads, progress=shown
            ),
        )
        if cut:  # indices of a part of the grid would be those of another question
            raise KeyboardInterrupt
        _deliver_indices(swept, files, output.as_json)
        return 0
    found, cut = gather(
        "changes",
        output.quiet,
        lambda shown: step(
            base, value, fields or None, dice.battles, dice.seed or 0, threads=dice.threads, progress=shown
        ),
    )
    output.deliver(found, files, _show_sensitivity)
    return finished(cut, f"interrupted after {len(found.steps)} changes; these are shown", output.quiet)


def _show_sensitivity(found: Any) -> None:
    from simulator.report.sensitivity_plot import sensitivity_table

    console().print(sensitivity_table(found))
    if found.without_effect():
        print(f"Without any effect: {', '.join(found.without_effect())}")
    print(f"Method: {found.how()}")


def _deliver_indices(swept: Any, files: working.Files, as_json: bool) -> None:
    from simulator.report.tables import plain_table

    rows = swept.sobol().to_dict("records")
    with files.written(swept, lambda: rows):
        if as_json:
            print(json_text({"value": swept.value, "how": swept.how(), "seed": swept.seed, "table": rows}))
        else:
            table = plain_table("field", "first", "total", right=("first", "total"))
            for row in rows:
                table.add_row(row["path"], f"{row['first']:.4f}", f"{row['total']:.4f}")
            console().print(table)
            print(f"Shares of the variance of {swept.value}; {swept.how()}")
