"""The commands that list things: games, game files, fields, names, examples."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sized
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from simulator.cli.options import AsJson, complete_example, complete_game, complete_kind
from simulator.cli.output import show, write_text
from simulator.rules.custom.game_file.files import is_path
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.naming import plural, suggested
from simulator.scenarios.reading import matching

if TYPE_CHECKING:
    from simulator.rules.battle import Battle

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
    everything: Annotated[bool, typer.Option("--all", help="every field; else those that a player knows first")] = (
        False
    ),
    as_json: AsJson = False,
) -> None:
    """Show the fields of a battle: what each takes, default, meaning.

    The units of a game file come first (`schema ./my.toml`). `schema game-file` and `schema campaign`: their keys.
    """
    from simulator.rules.campaign import GAME
    from simulator.scenarios import find_battle, game_file_battle, kinds_of
    from simulator.scenarios.schema import campaign_battle, scenario_schema, schema_of

    game, file = SHORT.get(game, game), game == "game-file"
    frame = game == GAME and battle is None
    if file or frame:
        kind_asked = game_file_battle() if file else campaign_battle()
    else:
        kinds = kinds_of(game)
        if battle is None and not (len(kinds) == 1 and is_path(game)):
            one = next(iter(kinds.values()))
            title = f"{one.name or game.capitalize()} has {plural(len(kinds), 'battle kind')}"
            show([f"{title}; battle-odds schema {game} {one.kind} shows the fields of one.", _listed(kinds)])
            return
        kind_asked = find_battle(game, battle or next(iter(kinds)))
    if as_json:
        print(json.dumps(schema_of(kind_asked.model) if file else scenario_schema(kind_asked), indent=2))
        return
    show(_fields_of(kind_asked, game, required, search, everything))
    if frame and not required and search is None:
        show([Text(f"The fields of forces: battle-odds schema {GAME} OF, of one of {', '.join(kinds_of(GAME))}")])


def _listed(kinds: Mapping[str, Battle]) -> Any:
    """Battle kinds with their titles."""
    from simulator.report.tables.odds import listing

    return listing([{"battle": kind, "what it is": one.title} for kind, one in kinds.items()])


def _fields_of(battle: Battle, game: str, required: bool, search: str | None, everything: bool) -> Iterator[Any]:
    """A sentence with the number of the fields, and those asked for. Raises ValueError where none are."""
    from simulator.report.tables.odds import schema_table, units_of
    from simulator.scenarios.needed import pieces_of, refusals_of_nothing
    from simulator.scenarios.schema import field_rows, objective_rows

    every = [*field_rows(battle), *(() if game == "game-file" else objective_rows())]
    label, whole = battle.label, plural(len(every), "field")
    if search is not None:
        rows = [row for row in every if search.lower() in f"{row.path} {row.takes} {row.meaning}".lower()]
        if not rows:
            raise ValueError(f"--search: no field of {battle.game} {battle.kind} speaks of {search!r}")
        yield f"{label}: {len(rows)} of its {whole} {'speaks' if len(rows) == 1 else 'speak'} of {search!r}."
    elif required:
        rows, lines = [row for row in every if row.needed], refusals_of_nothing(battle)
        pieces = pieces_of(every, lines)
        yield f"{label}: {len(rows)} of its {whole} are always needed{', and pieces' * bool(lines)}."
        yield from [schema_table([row for row in every if row in rows or row in pieces]), *lines]
        return
    elif battle.rules is not None and not everything:
        yield f"{label}: {battle.title}; its units and conditions, of {whole} in all."
        yield from (*units_of(battle, every), "", "Policies and options too: --all; one field: --search WORD")
        return
    else:
        rows = [row for row in every if row.first or everything]
        few = len(rows) < len(every)
        yield f"{label} has {whole}" + (f"; these are the {len(rows)} that a player needs first." if few else ".")
    yield schema_table(rows)
    if search is None and len(rows) < len(every):
        yield "All fields: --all; one of them: --search WORD"


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

    battle = next(iter(kinds_of(SHORT.get(game, game)).values()))
    game, label = battle.game, battle.name or battle.game.capitalize()
    found = rules.lists(game)
    if not found:
        raise ValueError(f"list: {game} takes no names; `battle-odds schema {game}` lists what its fields take")
    if what is None and len(found) > 1:
        show([f"{label} has {len(found)} lists of names:", *(f"battle-odds list {game} {name}" for name in found)])
        return
    what = what or next(iter(found))
    if what not in found:
        raise ValueError(f"list: {not_one_of(what, list(found))}")
    every = found[what]()
    rows = matching(every, words or ())
    if not rows:
        raise ValueError(f"list: nothing in {what} holds {' '.join(words or ())!r}")
    if as_json:
        print(json.dumps(rows))
    else:
        some = f"{len(rows)} of {len(every)} {what} {_hold(rows)} {' '.join(words)!r}" if words else ""
        show([f"{some or f'{label} has {len(rows)} {what}'}.", listing(rows)])


def rules(
    document: Annotated[str | None, typer.Argument(help="a game, or a document; without it they are listed")] = None,
    section: Annotated[str | None, typer.Argument(help="a section, like 3.2; without it they are listed")] = None,
) -> None:
    """Print a section of the rules that a game implements, as `odds --explain` cites them."""
    from simulator.report import rule_documents
    from simulator.report.tables.odds import listing

    if document is None:
        titles = rule_documents.titles()
        show([f"{len(titles)} rules documents; battle-odds rules NAME lists the sections of one.", listing(titles)])
        return
    found = rule_documents.documents_of(SHORT.get(document, document))
    show(rule_documents.contents(found) if section is None else rule_documents.section(found, section))


def examples(
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME | WORD...]",
            help="an example to print, or words (a game, a battle kind) that choose some",
            autocompletion=complete_example,
        ),
    ] = None,
) -> None:
    """List the shipped examples by game, or those that hold all of these words; the name of one prints it."""
    from simulator.report.tables.odds import listing
    from simulator.scenarios import example_names, example_text
    from simulator.scenarios.files import example

    show_one, every = (words or [])[:1] == ["show"], example_names()
    asked = (words or [])[show_one:]
    if len(asked) == 1 and asked[0] in every:
        print(example_text(asked[0]), end="")
        return
    rows = [
        {"example": name, "battle": f"{data['game']} {data.get('battle', '')}".strip(), "what it is": title}
        for name in every
        for data, title in [(example(name), example_text(name).partition("\n")[0].lstrip("# "))]
    ]
    found = [] if show_one else matching(rows, [SHORT.get(word, word) for word in asked])
    if not found:
        near = suggested(" ".join(asked), every)
        hint = f"did you mean {near}?" if near else "`battle-odds examples` lists them"
        raise ValueError(f"example: no example is called {' '.join(asked)!r}, or speaks of it; {hint}")
    if asked:
        show([f"{len(found)} of the {len(every)} examples {_hold(found)} {' '.join(asked)!r}.", listing(found)])
        return
    games = by_key(rows, lambda row: row["battle"].partition(" ")[0])
    show([f"{len(every)} examples of {len(games)} games; add a game to list its own, a name to print one."])
    for game, those in games.items():
        show(["", f"{game}: {', '.join(row['example'] for row in those)}"])


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
    table = [{"game": game, "battle": kind, "what it is": battle.title} for game, kind, battle in found]
    show([f"{len({row['game'] for row in table})} games with {len(table)} battle kinds.", listing(table)])
    show([Text(f"Game files, yours to change (games show NAME): {', '.join(custom.names())}")])


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
    from simulator.scenarios.validation import lines_of, refused

    try:
        game = describe.check_file(file)
    except Misfit as misfit:
        raise refused([describe.with_line(file, line) for line in lines_of(misfit)]) from None
    tables: dict[str, Any] = {
        "units": (("unit", "cost", "hits", "tags", "rolls"), describe.unit_rows(game)),
        "battles": (("battle", "title", "attackers", "defenders"), describe.kind_rows(game)),
        "steps": (("step", "when", "fires", "limits"), describe.step_rows(game)),
        "rules": (("rule", "gives", "side", "when"), describe_rules.rule_rows(game)),
        "options": (("option", "group", "needs", "changes"), describe_rules.option_rows(game)),
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
        show(["", *(f"note: {line}" for line in never)])


@games_app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="the game's name; also that of its file, NAME.toml")],
    units: Annotated[
        Path | None,
        typer.Option("--units", metavar="CSV", help="a spreadsheet of units: name, cost, attack, defence, hits"),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="write it there")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the file if it exists")] = False,
) -> None:
    """Write a game file to begin with: a commented one, or one with the units of a spreadsheet."""
    from simulator.rules.custom.game_file.begin import beginning, game_from_csv
    from simulator.rules.custom.game_file.unit_names import slug
    from simulator.rules.toolkit.naming import unaccented

    name = name.removesuffix(".toml")
    stem = slug(unaccented(name), "-")
    if not stem:
        raise ValueError(f"name: {name!r} is not allowed; give letters or digits")
    text = beginning(name) if units is None else game_from_csv(units, name)
    path = out or Path(f"{stem}.toml")
    write_text(path, text, "out" if out else "name", force)
    print(f"The game file is written to {path}; see what it says: battle-odds games check {path}")


def _hold(found: Sized) -> str:
    """The verb for some of many: one of them holds a word, two hold it."""
    return "holds" if len(found) == 1 else "hold"


@games_app.command("import")
def import_map(
    map_file: Annotated[str, typer.Argument(metavar="MAP.xml", help="the XML file of a TripleA map")],
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="write the game file there")] = None,
    force: Annotated[bool, typer.Option("--force", help="replace the file of --out if it exists")] = False,
    report: Annotated[Path | None, typer.Option("--report", metavar="FILE", help="write the report there")] = None,
    units: Annotated[str | None, typer.Option("--units", metavar="A,B,C", help="only these units")] = None,
    players: Annotated[
        str | None, typer.Option("--players", metavar="A,B", help="only the units that these players have")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="the report as JSON")] = False,
) -> None:
    """Turn a TripleA map into a game file; the report says what was taken, approximated and left out."""
    from simulator.rules.custom.triplea import import_triplea, report_text

    made = import_triplea(map_file, units=_names_in(units), players=_names_in(players))
    text = json.dumps(made.report, indent=1) if as_json else report_text(made.records)
    if out is not None:
        write_text(out, made.toml, "out", force)
        print(f"The game file of the map is written to {out}.")
    if report is not None:
        write_text(report, text + "\n", "report", force=True)
    else:
        print(text, file=sys.stderr)
    if out is None:
        print(made.toml, end="")


def _names_in(text: str | None) -> list[str] | None:
    """The names that commas separate; None if none are given."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]
