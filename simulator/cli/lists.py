"""The commands that tell what there is: games, game files, fields, names, examples."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from simulator.cli.options import AsJson, complete_example, complete_game, complete_kind
from simulator.cli.output import show, write_text
from simulator.cli.reading import matching
from simulator.rules.custom.game_file.files import is_path

# The names that examples begin with.
SHORT = {"knt": "kings-and-things", "power": "price-of-power"}
Game = Annotated[str, typer.Argument(help="a game, see `battle-odds games`", autocompletion=complete_game)]


def schema(
    game: Game,
    battle: Annotated[
        str | None,
        typer.Argument(help="one of its battle kinds; without it they are listed", autocompletion=complete_kind),
    ] = None,
    required: Annotated[bool, typer.Option("--required", help="only the fields that are needed")] = False,
    search: Annotated[str | None, typer.Option("--search", metavar="WORD", help="only fields that speak of it")] = None,
    everything: Annotated[bool, typer.Option("--all", help="of a game file, every field; else its units")] = False,
    as_json: AsJson = False,
) -> None:
    """Show the fields of a battle: what each takes, default, meaning.

    The units of a game file come first (`schema ./my.toml`). `schema game-file` and `schema campaign`: their keys.
    """
    from simulator.report.tables.odds import listing, schema_table, units_of
    from simulator.rules.campaign import GAME
    from simulator.scenarios import find_battle, game_file_battle, kinds_of
    from simulator.scenarios.schema import campaign_battle, field_rows, objective_rows, scenario_schema, schema_of

    game, file = SHORT.get(game, game), game == "game-file"
    frame = game == GAME and battle is None
    if file or frame:
        kind_asked = game_file_battle() if file else campaign_battle()
    else:
        kinds = kinds_of(game)
        if battle is None and not (len(kinds) == 1 and is_path(game)):
            show([listing([{"battle": kind, "what it is": one.title} for kind, one in kinds.items()])])
            return
        kind_asked = find_battle(game, battle or next(iter(kinds)))
    if as_json:
        print(json.dumps(schema_of(kind_asked.model) if file else scenario_schema(kind_asked), indent=2))
        return
    every = [*field_rows(kind_asked), *(() if file else objective_rows())]
    rows = [row for row in every if row.needed or not required]
    if search is not None:
        rows = [row for row in rows if search.lower() in f"{row.path} {row.takes} {row.meaning}".lower()]
        if not rows:
            raise ValueError(f"--search: no field of {game}{f' {battle}' if battle else ''} speaks of {search!r}")
    elif kind_asked.rules is not None and not (everything or required):
        show([f"{kind_asked.label}: {kind_asked.title}", *units_of(kind_asked, rows)])
        show(["", f"All {len(rows)} fields, policies and options too: --all; one of them: --search WORD"])
        return
    show([schema_table(kind_asked, rows)])
    if frame and not required and search is None:
        show([Text(f"The fields of forces: battle-odds schema {GAME} OF, of one of {', '.join(kinds_of(GAME))}")])


def names(
    game: Game,
    what: Annotated[str | None, typer.Argument(help="a list of it; without it they are named")] = None,
    words: Annotated[list[str] | None, typer.Argument(help="only rows that hold all of these words")] = None,
    as_json: AsJson = False,
) -> None:
    """List the names that fields take: leaders, countries, creatures, items, units."""
    from simulator import rules
    from simulator.report.tables.odds import listing
    from simulator.scenarios import kinds_of
    from simulator.scenarios.validation import not_one_of

    game = next(iter(kinds_of(SHORT.get(game, game)).values())).game
    found = rules.lists(game)
    if not found:
        raise ValueError(f"list: {game} takes no names; `battle-odds schema {game}` tells what its fields take")
    if what is None and len(found) > 1:
        show([f"battle-odds list {game} {name}" for name in found])
        return
    what = what or next(iter(found))
    if what not in found:
        raise ValueError(f"list: {not_one_of(what, list(found))}")
    rows = matching(found[what](), words or ())
    if not rows:
        raise ValueError(f"list: nothing in {what} holds {' '.join(words or ())!r}")
    if as_json:
        print(json.dumps(rows))
    else:
        show([listing(rows)])


def rules(
    document: Annotated[str | None, typer.Argument(help="a game, or a document; without it they are listed")] = None,
    section: Annotated[str | None, typer.Argument(help="a section, like 3.2; without it they are listed")] = None,
) -> None:
    """Print a section of the rules that a game implements, as `odds --explain` cites them."""
    from simulator.report import rule_documents
    from simulator.report.tables.odds import listing

    if document is None:
        show([listing(rule_documents.titles())])
        return
    found = rule_documents.documents_of(SHORT.get(document, document))
    show(rule_documents.contents(found) if section is None else rule_documents.section(found, section))


examples_app = typer.Typer(help="The shipped example scenarios.", invoke_without_command=True)


@examples_app.callback()
def examples(context: typer.Context) -> None:
    """List the shipped examples; `examples show NAME` prints one."""
    from simulator.report.tables.odds import listing
    from simulator.scenarios import example_names, example_text

    if context.invoked_subcommand is None:
        titles = {name: example_text(name).partition("\n")[0].lstrip("# ") for name in example_names()}
        show([listing([{"example": name, "what it is": title} for name, title in titles.items()])])


@examples_app.command("show")
def show_example(
    name: Annotated[str, typer.Argument(help="a shipped example", autocompletion=complete_example)],
) -> None:
    """Print an example scenario, ready to be saved and changed."""
    from simulator.scenarios import example_names, example_text
    from simulator.scenarios.validation import not_one_of

    if name not in example_names():
        raise ValueError(f"example: {not_one_of(name, example_names())}")
    print(example_text(name), end="")


games_app = typer.Typer(help="The games and their battle kinds; game files to start from.", invoke_without_command=True)


@games_app.callback()
def games(context: typer.Context, as_json: AsJson = False) -> None:
    """The games, built in and as game files, and their battle kinds."""
    if context.invoked_subcommand is not None:
        return
    from simulator import rules
    from simulator.report.tables.odds import listing
    from simulator.rules import custom
    from simulator.scenarios import kinds_of

    found = [
        (game, kind, battle) for game in (*rules.GAMES, *custom.names()) for kind, battle in kinds_of(game).items()
    ]
    if as_json:
        keys = ("game", "battle", "title", "file")
        rows = ((game, kind, battle.title, game not in rules.GAMES) for game, kind, battle in found)
        print(json.dumps([dict(zip(keys, row, strict=True)) for row in rows]))
        return
    listed = [{"game": game, "battle": kind, "what it is": battle.title} for game, kind, battle in found]
    show([listing(listed), Text(f"Game files, yours to change (games show NAME): {', '.join(custom.names())}")])


@games_app.command("show")
def show_game(name: Annotated[str, typer.Argument(metavar="NAME", help="a shipped game file, e.g. skirmish")]) -> None:
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
    from simulator.report.tables.odds import listing
    from simulator.rules.battle import Misfit
    from simulator.rules.custom.game_file import describe, describe_rules
    from simulator.scenarios.scenario import refused
    from simulator.scenarios.validation import complaints

    try:
        game = describe.check_file(file)
    except Misfit as misfit:
        lines = complaints(misfit.error, misfit.model)
        raise refused([describe.with_line(file, line) for line in lines]) from None
    tables: dict[str, Any] = {
        "units": (("unit", "cost", "hits", "tags", "rolls"), describe.unit_rows(game)),
        "battles": (("battle", "title", "attackers", "defenders"), describe.kind_rows(game)),
        "steps": (("step", "when", "fires", "limits"), describe.step_rows(game)),
        "rules": (("rule", "gives", "side", "when"), describe_rules.rule_rows(game)),
        "conditions": (("condition", "values", "default", "about"), describe_rules.condition_rows(game)),
        "losses": (("losses of", "in this order", "last", "removed alone"), describe_rules.loss_rows(game)),
    }
    never = describe_rules.warnings(game)
    rows = {name: [dict(zip(head, row, strict=True)) for row in body] for name, (head, body) in tables.items()}
    if as_json:
        print(json.dumps({"name": game.name, **rows, "warnings": never}))
        return
    show(describe.summary(game))
    for table in filter(None, rows.values()):
        show(["", listing(table)])
    if never:
        show(["", *(f"never applies: {line}" for line in never)])


@games_app.command("import")
def import_map(
    map_file: Annotated[str, typer.Argument(metavar="MAP.xml", help="the XML file of a TripleA map")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="write the game file there")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the file of --out if it exists")] = False,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="write the report there")] = None,
    units: Annotated[str | None, typer.Option("--units", metavar="A,B,C", help="only these units")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="the report as JSON")] = False,
) -> None:
    """Turn a TripleA map into a game file; the report says what was taken, approximated and left out."""
    from simulator.rules.custom.triplea import import_triplea, report_text

    chosen = None if units is None else [name.strip() for name in units.split(",") if name.strip()]
    made = import_triplea(map_file, units=chosen)
    text = json.dumps(made.report, indent=1) if as_json else report_text(made.records)
    if out is not None:
        write_text(out, made.toml, "out", force)
    if report is not None:
        write_text(report, text + "\n", "report", force=True)
    else:
        print(text, file=sys.stderr)
    if out is None:
        print(made.toml, end="")
