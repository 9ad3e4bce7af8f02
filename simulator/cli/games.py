"""`battle-odds games`: the built-in games and game files, a file to start from, and a check of one's own."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from simulator.cli.options import AsJson, console, gather, json_text

games_app = typer.Typer(help="The games and their battle kinds; game files to start from.", invoke_without_command=True)


def _table(*names: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for name in names:
        table.add_column(name, overflow="fold")
    return table


@games_app.callback()
def games(context: typer.Context, as_json: Annotated[bool, typer.Option("--json", help="print JSON")] = False) -> None:
    """The games, built in and as game files, and their battle kinds."""
    if context.invoked_subcommand is not None:
        return
    from simulator import rules
    from simulator.rules import custom
    from simulator.scenarios import kinds_of

    rows = [
        {"game": game, "battle": kind, "title": battle.title, "file": game not in rules.GAMES}
        for game in (*rules.GAMES, *custom.names())
        for kind, battle in kinds_of(game).items()
    ]
    if as_json:
        print(json.dumps(rows))
        return
    table = _table("game", "battle", "what it is")
    for row in rows:
        table.add_row(str(row["game"]), str(row["battle"]), str(row["title"]))
    out = console()
    out.print(table)
    out.print(f"Game files, yours to change (games show NAME): {', '.join(custom.names())}")


@games_app.command()
def show(name: Annotated[str, typer.Argument(metavar="NAME", help="a shipped game file, e.g. skirmish")]) -> None:
    """Print a shipped game file, to start your own from."""
    from simulator.rules import custom
    from simulator.rules.custom.game_file.files import shipped_text
    from simulator.scenarios.validation import not_one_of

    if name not in custom.names():
        raise ValueError(f"name: {not_one_of(name, custom.names())}")
    print(shipped_text(name), end="")


@games_app.command()
def check(
    file: Annotated[str, typer.Argument(metavar="FILE", help="a game file, or the name of a shipped one")],
    as_json: AsJson = False,
) -> None:
    """Read a game file: its units, steps and the chances of their dice, or what is wrong with it."""
    from simulator.rules.battle import Misfit
    from simulator.rules.custom.game_file import describe
    from simulator.scenarios.validation import first_complaint

    try:
        game = describe.check_file(file)
    except Misfit as misfit:
        complaint = first_complaint(misfit.error, misfit.model)
        raise ValueError(describe.with_line(file, complaint)) from None
    listing: dict[str, Any] = {
        "units": (("unit", "cost", "hits", "tags", "rolls"), describe.unit_rows(game)),
        "battles": (("battle", "title", "attackers", "defenders"), describe.kind_rows(game)),
        "steps": (("step", "when", "fires", "limits"), describe.step_rows(game)),
    }
    if as_json:
        rows = {name: [dict(zip(head, row, strict=True)) for row in body] for name, (head, body) in listing.items()}
        print(json.dumps({"name": game.name, **rows}))
        return
    out = console()
    for line in describe.summary(game):
        out.print(line, markup=False)
    for head, body in listing.values():
        table = _table(*head)
        for row in body:
            table.add_row(*map(Text, row))
        out.print()
        out.print(table)


def fight_waves(scenarios: list[str], settings: list[str], files: Any, as_json: bool, quiet: bool) -> int:
    """Several battles in turn: odds of the whole."""
    from simulator.analysis.campaigns.waves import waves
    from simulator.cli import reading, working
    from simulator.report.tables import chance_table, likely_table, quiet_lines, summary_table

    drafts = [reading.read_draft(source, settings) for source in scenarios]
    found, _ = gather("states", quiet, lambda shown: waves(drafts, shown))
    with files.written(found, lambda: working.outcome_rows(found)):
        if as_json:
            print(json_text(found.to_dict()))
        elif quiet:
            print("\n".join(quiet_lines(found)))
        else:
            out = console()
            out.print(f"{found.battle.game}: {len(drafts)} battles in turn", markup=False)
            for part in (chance_table(found, "winner", found.results), summary_table(found), likely_table(found)):
                if part is not None:
                    out.print(part)
            out.print(Text(f"Method: {found.how()}"))
            out.print(Text(f"Rests on: {'; '.join(found.assumptions)}", style="dim"))
    return 0
