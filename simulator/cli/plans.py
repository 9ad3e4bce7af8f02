"""The command that plans a turn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from simulator.cli import options
from simulator.cli.output import Given, Output, check_writable, grouped, write_text

Objective = Annotated[
    str | None,
    typer.Option("--objective", help="worth, all or cheapest, in place of the file's objective"),
]
Following = Annotated[int, options.whole("--next", "number of alternatives", 0, 100)]
Saved = Annotated[
    tuple[str, Path] | None,
    typer.Option("--save-campaign", metavar="TARGET FILE", help="write the attack on a target as a campaign"),
]


@grouped
def plan(
    given: Given,
    objective: Objective = None,
    following: Following = 5,
    save_campaign: Saved = None,
    *,
    output: Output,
) -> int:
    """Plan a turn: which units attack, or defend, where; what it is worth, and what one unit more would be."""
    from simulator.analysis.plan.plan import plan as divide
    from simulator.analysis.plan.words import gap
    from simulator.report.tables.plan import plan_parts
    from simulator.scenarios.files import toml_text

    asked = given.draft()
    if objective is not None:
        asked = asked.with_fields({"objective": objective})
    found, _ = output.gather("attacks", lambda shown: divide(asked, following, progress=shown))
    if save_campaign is not None:
        name, path = save_campaign
        check_writable(path, "save-campaign")
        write_text(path, toml_text(found.campaign(name)), "save-campaign", output.force)
    output.deliver(found, plan_parts, data=lambda found: found.to_dict())
    if found.bound is not None:
        return output.finished(True, f"interrupted: {gap(found)}")
    if found.interrupted:
        return output.finished(True, "interrupted; this is the best plan, without all alternatives and units")
    return 0 if found.enough else 1
