"""The commands of `battle-odds`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from simulator.cli import INTERRUPTED, reading, working

app = typer.Typer(
    name="battle-odds",
    help="Battle odds for board wargames: exact where it fits, seeded battles where it does not.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)

ScenarioName = Annotated[
    str, typer.Argument(metavar="SCENARIO", help="a TOML or JSON file, - for standard input, or a shipped example")
]
Settings = Annotated[
    list[str] | None, typer.Option("--set", metavar="PATH=VALUE", help="change a field, e.g. attacker.regiments=25")
]
SeedOption = Annotated[int | None, typer.Option("--seed", help="seed of the simulated battles")]
Threads = Annotated[int | None, typer.Option("--threads", help="threads; does not change the numbers")]
AsJson = Annotated[bool, typer.Option("--json", help="print JSON")]
CsvFile = Annotated[Path | None, typer.Option("--csv", metavar="FILE", help="write the table to a CSV file")]
PlotFile = Annotated[Path | None, typer.Option("--plot", metavar="FILE", help="draw a picture (png, svg, pdf)")]


def console() -> Console:
    """Standard output; wide enough for tables when it is not a terminal."""
    out = Console(highlight=False)
    return out if out.is_terminal else Console(highlight=False, width=120)


def check_files(csv: Path | None, plot: Path | None) -> None:
    """Refuse files that cannot be written before any work is done."""
    if csv is not None:
        working.check_folder(csv, "csv")
    if plot is not None:
        from simulator.report.plots import check_path

        check_path(plot)


@app.command()
def odds(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    settings: Settings = None,
    battles: Annotated[int | None, typer.Option("--battles", help="simulate this many battles")] = None,
    seed: SeedOption = None,
    only_exact: Annotated[bool, typer.Option("--exact", help="exact odds or a refusal, never simulated")] = False,
    precision: Annotated[
        str | None, typer.Option("--precision", help="simulate until every winner chance is within this, e.g. 0.1%")
    ] = None,
    threads: Threads = None,
    explain: Annotated[bool, typer.Option("--explain", help="tell how the answer comes about")] = False,
    as_json: AsJson = False,
    csv: CsvFile = None,
    plot: PlotFile = None,
    column: Annotated[str | None, typer.Option("--column", help="the column that --plot draws")] = None,
) -> int:
    """Odds of a battle: who wins, what it costs, the likeliest outcomes, and what the answer rests on."""
    from simulator.report.tables import show_odds

    check_files(csv, plot)
    asked = reading.read_scenario(scenario, settings or ())
    width = None if precision is None else reading.read_precision(precision)
    found, cut = working.answer(
        asked, battles=battles, seed=seed, only_exact=only_exact, precision=width, threads=threads
    )
    if csv is not None:
        working.write_csv(csv, working.outcome_rows(found))
    if plot is not None:
        found.plot(column, plot)
    if as_json:
        print(json.dumps(found.to_dict() | {"explanation": list(asked.built.explain())}))
    else:
        show_odds(console(), asked, found, explain)
    if cut:
        typer.echo(f"interrupted after {found.battles:,} battles; the answer is from these", err=True)
    return INTERRUPTED if cut else 0


@app.command()
def sweep(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    vary: Annotated[list[str], typer.Option("--vary", metavar="PATH=RANGE", help="1:30, 0:20:5 or a,b,c; repeatable")],
    value: Annotated[
        str, typer.Option("--value", help="p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN, or a question")
    ] = "p_attacker",
    settings: Settings = None,
    battles: Annotated[int | None, typer.Option("--battles", help="simulate every cell with so many battles")] = None,
    seed: SeedOption = None,
    threads: Threads = None,
    as_json: AsJson = False,
    csv: CsvFile = None,
    plot: PlotFile = None,
) -> int:
    """A grid of answers over one or several fields, as a table and a picture."""
    from simulator.analysis.sweep import Sweeping
    from simulator.report.tables import show_sweep

    check_files(csv, plot)
    asked = reading.read_scenario(scenario, settings or ())
    ranges = dict(reading.read_range(text) for text in vary)
    if plot is not None and len(ranges) > 2:
        raise ValueError(f"--plot: {len(ranges)} fields varied; a picture shows one or two")
    sweeping = Sweeping(asked, ranges, value, battles, seed or 0)
    cut = False
    try:
        with working.bar("cells") as shown:
            sweeping.run(threads, shown)
    except KeyboardInterrupt:
        if not sweeping.sweep.cells:
            raise
        cut = True
    swept = sweeping.sweep
    if csv is not None:
        working.write_csv(csv, swept.rows())
    if plot is not None:
        swept.plot(plot)
    if as_json:
        print(json.dumps({"value": value, "seed": swept.seed, "cells": swept.rows()}))
    else:
        show_sweep(console(), swept)
    if cut:
        typer.echo(f"interrupted after {len(swept.cells)} cells; these are shown", err=True)
    return INTERRUPTED if cut else 0


@app.command()
def campaign(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    settings: Settings = None,
    all_plans: Annotated[bool, typer.Option("--all-plans", help="all plans of the besieger side by side")] = False,
    battles: Annotated[int | None, typer.Option("--battles", help="simulate this many sieges")] = None,
    seed: SeedOption = None,
    threads: Threads = None,
    as_json: AsJson = False,
    csv: CsvFile = None,
    plot: PlotFile = None,
) -> int:
    """A siege over several rounds: the chance that the fortress has fallen by each round."""
    from simulator.analysis import rounds as campaigns
    from simulator.analysis.answer import check_numbers

    check_files(csv, plot)
    asked = reading.read_scenario(scenario, settings or ())
    campaigns.check_campaign(asked)
    check_numbers(1 if battles is None else battles, seed or 0, threads)
    if all_plans:
        found = working.patiently(lambda: campaigns.plan_odds(asked, battles, seed or 0, threads), "plans")
        rows = campaigns.compared_rows(found)
    else:
        one, _ = working.answer(asked, battles=battles, seed=seed, only_exact=False, precision=None, threads=threads)
        found, rows = {asked.fields.policy.attacker.plan: one}, campaigns.fallen_rows(one)
    if csv is not None:
        working.write_csv(csv, rows)
    if plot is not None:
        from simulator.report.plots import plot_fallen

        plot_fallen(found, plot)
    if as_json:
        how = {plan: odds.how() for plan, odds in found.items()}
        print(json.dumps({"how": how, "rounds": rows, "assumptions": asked.assumptions()}))
        return 0
    out = console()
    table = Table(title=" / ".join(found), box=None)
    for name in rows[0]:
        table.add_column(name, justify="right")
    for row in rows:
        table.add_row(*(str(value) if name == "round" else f"{value:.2%}" for name, value in row.items()))
    out.print(table)
    out.print(next(iter(found.values())).how())
    return 0


@app.command()
def need(
    scenario: ScenarioName,
    path: Annotated[str, typer.Option("--vary", metavar="PATH", help="the field to raise, e.g. attacker.regiments")],
    target: Annotated[str, typer.Option("--target", help="the value to reach, e.g. 80% or 0.8")] = "80%",
    value: Annotated[str, typer.Option("--value", help="as for sweep")] = "p_attacker",
    most: Annotated[int, typer.Option("--most", help="largest setting tried", min=1, max=10_000)] = 100,
    settings: Settings = None,
) -> int:
    """How much is enough: the smallest setting of a field that reaches a chance."""
    from simulator.analysis.need import enough

    asked = reading.read_scenario(scenario, settings or ())
    goal = reading.read_share(target, "--target")
    found = enough(asked, path, goal, value, most=most)
    span = "" if found.method == "exact" else f" (95 % interval {found.low:.4f} to {found.high:.4f})"
    if found.setting is None:
        console().print(f"{path} up to {found.most} is not enough: {value} = {found.value:.4f}{span}, {found.method}")
        return 1
    console().print(f"{path} = {found.setting} is enough: {value} = {found.value:.4f}{span}, {found.method}")
    return 0


@app.command()
def replay(
    scenario: ScenarioName,
    seed: Annotated[int, typer.Option("--seed", help="seed of the simulation")] = 0,
    battle: Annotated[int, typer.Option("--battle", help="which battle of it, from 0")] = 0,
    settings: Settings = None,
) -> None:
    """One simulated battle told roll by roll: the very one that a simulation with this seed counted."""
    from simulator.analysis.replay import replay as tell

    told = tell(reading.read_scenario(scenario, settings or ()), seed, battle)
    for line in told.lines:
        print(line)
    print("Outcome: " + ", ".join(f"{name} {_word(value)}" for name, value in told.outcome.items()))


def _word(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


@app.command()
def survival(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    settings: Settings = None,
    battles: Annotated[int | None, typer.Option("--battles", help="simulate this many battles")] = None,
    seed: SeedOption = None,
    threads: Threads = None,
    as_json: AsJson = False,
    csv: CsvFile = None,
    plot: PlotFile = None,
) -> None:
    """The chance of each counter to survive, for games of individual counters."""
    from simulator.analysis.survival import survival as find
    from simulator.report.tables import survival_table

    check_files(csv, plot)
    found = find(reading.read_scenario(scenario, settings or ()), battles, seed or 0, threads)
    if csv is not None:
        working.write_csv(csv, found.rows())
    if plot is not None:
        found.plot(plot)
    if as_json:
        print(json.dumps({"battles": found.battles, "seed": found.seed, "pieces": found.rows()}))
    else:
        console().print(survival_table(found))
        console().print(found.how())


@app.command()
def games() -> None:
    """The games and their battle kinds."""
    from simulator import rules

    table = Table("game", "battle", "what it is", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for game in rules.GAMES:
        for kind, battle in rules.battles(game).items():
            table.add_row(game, kind, battle.title)
    console().print(table)


@app.command()
def schema(
    game: Annotated[str, typer.Argument(help="a game, see `battle-odds games`")],
    battle: Annotated[str, typer.Argument(help="one of its battle kinds")],
    as_json: AsJson = False,
) -> None:
    """The fields of a battle kind: what each takes, its default and its meaning."""
    from simulator.report.tables import schema_table
    from simulator.scenarios import find_battle
    from simulator.scenarios.validation import schema_of

    kind = find_battle(game, battle)
    if as_json:
        print(json.dumps(schema_of(kind.model), indent=2))
    else:
        console().print(schema_table(kind, schema_of(kind.model)))


examples_app = typer.Typer(help="The shipped example scenarios.", invoke_without_command=True)
app.add_typer(examples_app, name="examples")


@examples_app.callback()
def examples(context: typer.Context) -> None:
    """List the shipped examples; `examples show NAME` prints one."""
    from simulator.scenarios import example_names, example_text

    if context.invoked_subcommand is None:
        table = Table("example", "what it is", box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for name in example_names():
            table.add_row(name, example_text(name).partition("\n")[0].lstrip("# "))
        console().print(table)


@examples_app.command("show")
def show_example(name: Annotated[str, typer.Argument(help="a shipped example")]) -> None:
    """Print an example scenario, ready to be saved and changed."""
    from simulator.scenarios import example_names, example_text
    from simulator.scenarios.validation import not_one_of

    if name not in example_names():
        raise ValueError(f"example: {not_one_of(name, example_names())}")
    print(example_text(name), end="")


@app.command()
def bench(
    seconds: Annotated[float, typer.Option("--seconds", help="time for each example", min=0.05, max=60)] = 0.5,
    threads: Threads = None,
) -> None:
    """A short self-measurement: battles a second and exact times of the shipped examples."""
    from simulator.cli.benching import measure_examples

    table = Table("example", "battles/s", "exact, ms", "states", box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in table.columns[1:]:
        column.justify = "right"
    with working.bar("examples") as shown:
        for row in measure_examples(seconds, threads, shown):
            table.add_row(*row)
    console().print(table)
