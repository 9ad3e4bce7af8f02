"""`battle-odds best`: the battle under best play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from simulator.cli import reading
from simulator.cli.grouped import Output, grouped
from simulator.cli.judging import read_weights
from simulator.cli.options import (
    ScenarioName,
    Settings,
    console,
    finished,
    gather,
    json_text,
    note,
)

MOST_ROWS = 20
MARKS = {"go on": ".", "stop": "S"}


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command()(best)


@grouped
def best(
    scenario: ScenarioName,
    settings: Settings = None,
    decide: Annotated[
        list[str] | None,
        typer.Option(
            "--decide",
            metavar="PATH",
            help="a policy to set to best first, or PATH=named for the best of its named values; repeatable; "
            "where nothing is best, the first that may be",
        ),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(
            "--weight",
            metavar="COLUMN=NUMBER",
            help="what the attacker wants; repeatable; winning counts 1 unless win or take is given",
        ),
    ] = None,
    *,
    output: Output,
) -> int:
    """How to play it best: when to stop, what that is worth, and how far fixed policies fall short."""
    from simulator.analysis.decisions.best import best as solve
    from simulator.analysis.decisions.best import may_be_best
    from simulator.report.tables import quiet_lines, show_odds
    from simulator.scenarios.objective import with_winning

    files = output.files(scenario)
    asked = reading.read_draft(scenario, settings or ())
    if weights := read_weights(weight):
        asked = asked.with_fields({"objective.attacker": with_winning(weights)})
    if not decide and not asked.checked().decided and (first := may_be_best(asked)[:1]):
        decide = first
        note(f"nothing in this scenario is best: {decide[0]} is made so; --decide names others", output.quiet)
    found, cut = gather("combinations", output.quiet, lambda shown: solve(asked, decide, progress=shown))
    if not cut and not output.quiet:
        _, cut = gather("fixed policies", output.quiet, found.find_gains)
    with files.written(found, found.rows):
        if output.as_json:
            print(json_text(found.to_dict()))
        elif output.quiet:
            print(
                "\n".join([*quiet_lines(found.odds), *(f"worth_{side} {value}" for side, value in found.value.items())])
            )
        else:
            print("\n".join(found.wanted))
            show_odds(console(), found.scenario, found.odds)
            _show(found)
    return finished(cut, "interrupted; not every fixed policy was tried", output.quiet)


def _show(found: Any) -> None:
    """Gains over fixed policies, the policy, and how it was found."""
    print()
    for side, value in found.value.items():
        print(f"worth to the {side}: {value:.6f}")
    for line in found.advice():
        print(line)
    for one in found.fixed:
        print(f"  {one.decision} = {one.policy}: {one.value:.6f}, {one.gain:.6f} less than best")
    rows = found.rows()
    if rows and "own" in rows[0]:
        for line in _grids(rows):
            print(line)
    elif rows:
        _listing(rows)
    print(found.how())


def _grids(rows: Sequence[dict[str, Any]]) -> list[str]:
    """Own units across, enemy units up: go on or stop; of dice their number."""
    lines = []
    for panel in dict.fromkeys((row["decision"], row["place"]) for row in rows):
        found: dict[tuple[int, int], set[str]] = {}
        for row in rows:
            if (row["decision"], row["place"]) == panel:
                mark = MARKS.get(row["choice"], row["choice"][:1])
                found.setdefault((row["enemy"], row["own"]), set()).add(mark)
        widest, highest = max(own for _, own in found), max(enemy for enemy, _ in found)
        if widest > 100:
            continue
        legend = ". go on, S stop" if panel[0].endswith("retreat") else "dice rolled, * it depends"
        lines += ["", f"{', '.join(panel)}: own units across, enemy units up ({legend})"]
        for enemy in range(highest, 0, -1):
            cells = (found.get((enemy, own), {" "}) for own in range(1, widest + 1))
            lines.append(
                f"{enemy:4} " + "".join(next(iter(cell)) if len(cell) == 1 else "*" for cell in cells).rstrip()
            )
        lines.append("     " + "".join(str(own % 10) for own in range(1, widest + 1)))
    return lines


def _listing(rows: Sequence[dict[str, Any]]) -> None:
    """The rows that are met most often."""
    from simulator.report.tables import listing

    often = sorted(rows, key=lambda row: -row["reached"])[:MOST_ROWS]
    rows = [row | {"advantage": f"{row['advantage']:.6f}", "reached": f"{row['reached']:.4f}"} for row in often]
    console().print(listing(rows))
    if len(rows) > MOST_ROWS:
        print(f"the {MOST_ROWS} states that are met most often, of {len(rows):,}")
