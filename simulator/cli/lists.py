"""The commands that tell what there is: games, fields, examples, names, the kernel cache, this machine's speed."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.table import Table

from simulator.cli import working
from simulator.cli.games import games_app
from simulator.cli.options import (
    AsJson,
    Threads,
    complete_example,
    complete_game,
    complete_kind,
    console,
)


def add_to(app: typer.Typer) -> None:
    """Give a command line these commands."""
    for command in (schema, names, bench):
        app.command(name="list" if command is names else None)(command)
    app.add_typer(games_app, name="games")
    app.add_typer(examples_app, name="examples")
    app.add_typer(cache_app, name="cache")


# The names that examples begin with.
SHORT = {"knt": "kings-and-things", "power": "price-of-power"}


def _plain(*columns: str) -> Table:
    return Table(*columns, box=None, pad_edge=False, padding=(0, 2, 0, 0))


def schema(
    game: Annotated[str, typer.Argument(help="a game, see `battle-odds games`", autocompletion=complete_game)],
    battle: Annotated[
        str | None,
        typer.Argument(help="one of its battle kinds; without it they are listed", autocompletion=complete_kind),
    ] = None,
    required: Annotated[bool, typer.Option("--required", help="only the fields that are needed")] = False,
    search: Annotated[str | None, typer.Option("--search", metavar="WORD", help="only fields that speak of it")] = None,
    as_json: AsJson = False,
) -> None:
    """The fields of a battle kind: what each takes, default, meaning; `schema game-file`: the keys of a game file."""
    from simulator.report.tables import schema_table
    from simulator.scenarios import find_battle, game_file_battle, kinds_of
    from simulator.scenarios.schema import field_rows, objective_rows, scenario_schema, schema_of

    game, file = SHORT.get(game, game), game == "game-file"
    if file:
        kind_asked = game_file_battle()
    elif battle is None:
        table = _plain("battle", "what it is")
        for kind, one in kinds_of(game).items():
            table.add_row(kind, one.title)
        console().print(table)
        return
    else:
        kind_asked = find_battle(game, battle)
    if as_json:
        print(json.dumps(schema_of(kind_asked.model) if file else scenario_schema(kind_asked), indent=2))
        return
    every = [*field_rows(kind_asked), *(() if file else objective_rows())]
    rows = [row for row in every if row.needed or not required]
    if search is not None:
        rows = [row for row in rows if search.lower() in f"{row.path} {row.takes} {row.meaning}".lower()]
        if not rows:
            raise ValueError(f"--search: no field of {game} {battle} speaks of {search!r}")
    console().print(schema_table(kind_asked, rows))


def names(
    game: Annotated[str, typer.Argument(help="a game, see `battle-odds games`", autocompletion=complete_game)],
    what: Annotated[str | None, typer.Argument(help="a list of it; without it they are named")] = None,
    words: Annotated[list[str] | None, typer.Argument(help="only rows that hold all of these words")] = None,
    as_json: AsJson = False,
) -> None:
    """What fields take by name: leaders, countries, creatures, items, units."""
    from simulator import rules
    from simulator.report.tables import listing
    from simulator.scenarios import kinds_of
    from simulator.scenarios.validation import not_one_of

    game = SHORT.get(game, game)
    kinds_of(game)
    found = rules.lists(game)
    if not found:
        raise ValueError(f"list: {game} takes no names; `battle-odds schema {game}` tells what its fields take")
    if what is None:
        print("\n".join(f"battle-odds list {game} {name}" for name in found))
        return
    if what not in found:
        raise ValueError(f"list: {not_one_of(what, list(found))}")
    rows = [row for row in found[what]() if all(_holds(row, word) for word in words or ())]
    if not rows:
        raise ValueError(f"list: nothing in {what} holds {' '.join(words or ())!r}")
    if as_json:
        print(json.dumps(rows))
    else:
        console().print(listing(rows))


def _holds(row: dict[str, object], word: str) -> bool:
    return any(word.lower() in str(value).lower() for value in row.values())


examples_app = typer.Typer(help="The shipped example scenarios.", invoke_without_command=True)


@examples_app.callback()
def examples(context: typer.Context) -> None:
    """List the shipped examples; `examples show NAME` prints one."""
    from simulator.scenarios import example_names, example_text

    if context.invoked_subcommand is None:
        table = _plain("example", "what it is")
        for name in example_names():
            table.add_row(name, example_text(name).partition("\n")[0].lstrip("# "))
        console().print(table)


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


cache_app = typer.Typer(help="The compiled kernels that are kept between runs.", invoke_without_command=True)


@cache_app.callback()
def cache(
    context: typer.Context,
    everything: Annotated[
        bool, typer.Option("--all", help="answer every example once, compiled, so that all is warm")
    ] = False,
) -> None:
    """Show where compiled kernels are kept and how large they are; `cache clear` removes them, `--all` makes them."""
    from simulator.cli.warming import kept, warm

    if context.invoked_subcommand is not None:
        return
    if everything:
        with working.bar("examples") as shown:
            warm(shown)
    folder, files, size = kept()
    print(f"{folder}: {files:,} files, {size / 1e6:.1f} MB")


@cache_app.command("clear")
def clear_cache() -> None:
    """Remove all kept kernels."""
    from simulator.engine.api import clear

    print(f"{clear() / 1e6:.1f} MB removed")


def bench(
    seconds: Annotated[float, typer.Option("--seconds", help="time for each example", min=0.05, max=60)] = 0.5,
    threads: Threads = None,
) -> None:
    """A short self-measurement, warm: battles a second of one long simulation, and exact times of the examples."""
    from simulator.cli.benching import measure_examples

    table = _plain("example", "battles/s", "exact, ms", "states")
    for column in table.columns[1:]:
        column.justify = "right"
    with working.bar("examples") as shown:
        for row in measure_examples(seconds, threads, shown):
            table.add_row(*row)
    console().print(table)
