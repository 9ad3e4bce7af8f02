"""The commands of `battle-odds` that answer a scenario."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from simulator.cli import comparing, decisions, judging, lists, reading, scaling, serving, working
from simulator.cli.games import fight_waves
from simulator.cli.grouped import Dice, Output, grouped
from simulator.cli.options import (
    AsJson,
    AsScored,
    Battles,
    Device,
    ScenarioName,
    SeedOption,
    Settings,
    Threads,
    ValueName,
    Vary,
    complete_path,
    console,
    finished,
    gather,
    json_text,
)
from simulator.scenarios import is_uncertain

app = typer.Typer(
    name="battle-odds",
    help="Battle odds for board wargames: exact where it fits, seeded battles where it does not.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def _version(asked: bool) -> None:
    if asked:
        from simulator import __version__

        print(f"battle-odds {__version__}")
        raise typer.Exit


@app.callback()
def top(
    version: Annotated[
        bool, typer.Option("--version", help="print the version", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Battle odds for board wargames: exact where it fits, seeded battles where it does not."""


@app.command()
@grouped
def odds(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    settings: Settings = None,
    weight: judging.Weights = None,
    battles: Battles = None,
    seed: SeedOption = None,
    only_exact: Annotated[bool, typer.Option("--exact", help="exact odds or a refusal, never simulated")] = False,
    precision: Annotated[
        str | None, typer.Option("--precision", help="simulate until every chance is within this, e.g. 0.1%")
    ] = None,
    scored: AsScored = False,
    value: ValueName = None,
    threads: Threads = None,
    device: Device = "processor",
    explain: Annotated[bool, typer.Option("--explain", help="tell how the answer comes about")] = False,
    no_table: Annotated[bool, typer.Option("--no-table", help="JSON without the table of all outcomes")] = False,
    column: Annotated[str | None, typer.Option("--column", help="the column that --plot draws")] = None,
    out: scaling.OutFile = None,
    workers: scaling.Workers = None,
    cluster: scaling.Cluster = None,
    *,
    output: Output,
) -> int:
    """Odds of a battle: who wins, what it costs, the likeliest outcomes, and what the answer rests on."""
    from simulator.report.tables import quiet_lines, show_odds

    files = output.files(scenario)
    base = reading.read_draft(scenario, settings or ())
    if scored:
        others: dict[str, Any] = {
            "--weight": weight,
            "--exact": only_exact,
            "--precision": precision,
            "--plot": output.plot,
        }
        others |= {"--out": out, "--workers": workers, "--cluster": cluster, "--device": device != "processor"}
        return judging.scored_odds(base, value, battles, seed or 0, files, output.as_json, output.quiet, others)
    if value is not None:
        raise ValueError("--value: goes with --scored; the odds tell every value")
    method = reading.method_of(only_exact, battles, seed, precision, threads, device)
    if is_uncertain(base):
        scaling.refuse_uncertain(out, workers, cluster)
        judging.mixed_odds(base, method, files, judging.read_weights(weight), output.as_json, output.quiet)
        return 0
    if weight:
        raise ValueError("--weight: tells what it is worth to know a field; no field of this scenario is uncertain")
    asked = base.checked()
    if column is not None and not output.plot:
        raise ValueError("--column: goes with --plot")
    found, cut = scaling.gathered(asked, method, out, (workers, cluster), output.quiet)
    if column is not None:
        found.kind_of(column)
    with files.written(found, lambda: working.outcome_rows(found), column):
        if output.as_json:
            print(json_text(found.to_dict(table=not no_table) | {"explanation": list(asked.built.explain())}))
        elif output.quiet:
            print("\n".join(quiet_lines(found)))
        else:
            show_odds(console(), asked, found, explain)
    return finished(cut, f"interrupted after {found.battles or 0:,} battles; the answer is from these", output.quiet)


@app.command()
@grouped
def sweep(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    vary: Vary,
    value: Annotated[
        list[str] | None,
        typer.Option(
            "--value", metavar="VALUE", help="p_attacker, mean.COLUMN, std.COLUMN, q90.COLUMN or a question; repeatable"
        ),
    ] = None,
    settings: Settings = None,
    battles: Annotated[int | None, typer.Option("--battles", help="simulate every cell with so many battles")] = None,
    seed: SeedOption = None,
    threads: Threads = None,
    out: scaling.OutFolder = None,
    workers: scaling.Workers = None,
    cluster: scaling.Cluster = None,
    *,
    output: Output,
) -> int:
    """A grid of answers over one or several fields, as a table and a picture."""
    files = output.files(scenario)
    base = reading.read_draft(scenario, settings or ())
    ranges = reading.read_vary(vary)
    if output.plot is not None and len(ranges) > 2:
        raise ValueError(f"--plot: {len(ranges)} fields varied; a picture shows one or two")
    asked = base, ranges, value or None, battles, seed or 0
    with scaling.elsewhere(workers, cluster) as there:
        swept, cut = gather("cells", output.quiet, lambda shown: scaling.swept(asked, threads, out, there, shown))
    scaling.show_swept(swept, files, output.as_json, output.quiet, cut)
    kept = "they are kept" if out else "these are shown"
    return finished(cut, f"interrupted after {swept.pace.total:,} cells; {kept}", output.quiet)


@app.command()
@grouped
def need(  # noqa: PLR0913, PLR0917 - one parameter an option
    scenario: ScenarioName,
    vary: Annotated[
        list[str],
        typer.Option(
            "--vary", metavar="PATH[=RANGE]", help="a field to raise; repeatable", autocompletion=complete_path
        ),
    ],
    target: Annotated[
        str | None, typer.Option("--target", help="the value to reach: 80% (as without it) or 0.8")
    ] = None,
    value: ValueName = None,
    cost: Annotated[list[str] | None, typer.Option("--cost", metavar="PATH=PRICE", help="what one of it costs")] = None,
    budget: Annotated[float | None, typer.Option("--budget", help="the best for so much, instead of a target")] = None,
    most: Annotated[int, typer.Option("--most", help="largest setting tried", min=1, max=100_000)] = 100,
    no_pruning: Annotated[bool, typer.Option("--no-pruning", help="try every combination")] = False,
    settings: Settings = None,
    seed: SeedOption = None,
    threads: Threads = None,
    *,
    output: Output,
) -> int:
    """How much is enough: the smallest setting of a field, or the cheapest of several, that reaches a value."""
    from simulator.analysis.decisions.need import need as search
    from simulator.report.tables import need_table

    files = output.files(scenario)
    base = reading.read_draft(scenario, settings or ())
    goal = reading.read_target(target, value)
    found, cut = gather(
        "combinations",
        output.quiet,
        lambda shown: search(
            base,
            reading.read_needs(vary),
            goal,
            value,
            cost=reading.read_prices(cost or ()),
            budget=budget,
            most=most,
            seed=seed or 0,
            pruning=not no_pruning,
            threads=threads,
            progress=shown,
        ),
    )

    def show(answer: Any) -> None:
        if len(answer.settings) > 1 and not output.quiet:
            console().print(need_table(answer))
        print(answer.how())

    output.deliver(found, files, show)
    status = finished(cut, f"interrupted after {found.tried} answers; this is the best of them", output.quiet)
    return status or (0 if found.enough else 1)


@app.command()
@grouped
def campaign(
    scenario: ScenarioName,
    more: Annotated[
        list[str] | None, typer.Argument(metavar="[SCENARIO]...", help="the next waves, which survivors fight")
    ] = None,
    settings: Settings = None,
    all_plans: Annotated[bool, typer.Option("--all-plans", help="all plans side by side")] = False,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """By round: the chance that it has come about by each round; or several battles in turn, fought by survivors."""
    from simulator.analysis.campaigns.campaign import campaign as by_round
    from simulator.report.tables import rounds_table

    files = output.files(scenario)
    if more:
        return fight_waves([scenario, *more], settings or [], files, output.as_json, output.quiet)
    asked = reading.read_scenario(scenario, settings or ())
    found, cut = gather(
        "answers",
        output.quiet,
        lambda shown: by_round(
            asked, all_plans=all_plans, battles=dice.battles, seed=dice.seed or 0, threads=dice.threads, progress=shown
        ),
    )
    output.deliver(found, files, lambda answer: _show_table(rounds_table, answer))
    return finished(cut, "interrupted; this is what was gathered", output.quiet)


def _show_table(table: Any, found: Any) -> None:
    console().print(table(found))
    print(found.how())


app.command("by-round", hidden=True)(campaign)


@app.command()
@grouped
def survival(
    scenario: ScenarioName,
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """The chance of each piece to survive, for games of individual pieces."""
    from simulator.analysis.odds.survival import survival as find
    from simulator.report.tables import survival_table

    files = output.files(scenario)
    asked = reading.read_scenario(scenario, settings or ())
    found, cut = gather(
        "battles", output.quiet, lambda shown: find(asked, dice.battles, dice.seed or 0, dice.threads, shown)
    )
    output.deliver(found, files, lambda answer: _show_table(survival_table, answer))
    return finished(cut, f"interrupted after {found.battles or 0:,} battles; the answer is from these", output.quiet)


@app.command()
def replay(
    scenario: ScenarioName,
    seed: SeedOption = 0,
    battle: Annotated[int, typer.Option("--battle", help="which battle of it, from 0")] = 0,
    settings: Settings = None,
    luck: Annotated[bool, typer.Option("--luck", help="how each roll moved the chances, and how lucky it was")] = False,
    as_json: AsJson = False,
) -> None:
    """One simulated battle shown roll by roll: the very one that a simulation with this seed counted."""
    from simulator.analysis.history.replay import replay as tell

    asked = reading.read_scenario(scenario, settings or ())
    answer = tell(asked, seed or 0, battle)
    rolls = answer.luck_rows() if luck else []
    if as_json:
        print(json_text(answer.to_dict() | ({"luck": rolls} if luck else {})))
        return
    if luck:
        from simulator.report.luck_plot import roll_table

        console().print(roll_table(rolls))
    for line in answer.lines if not luck else ():
        print(line)
    outcome = answer.outcome.items()
    print("Outcome: " + ", ".join(f"{name} {_plain(value)}" for name, value in outcome))


def _plain(value: Any) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


lists.add_to(app)
decisions.add_to(app)
comparing.add_to(app)
judging.add_to(app)
serving.add_to(app)
