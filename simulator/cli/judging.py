"""The commands that judge a battle: what it is worth, and whether it was luck."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from simulator.cli import reading, working
from simulator.cli.grouped import Dice, Output, grouped
from simulator.cli.options import (
    ScenarioName,
    Settings,
    console,
    finished,
    gather,
    json_text,
)

Weights = Annotated[
    list[str] | None,
    typer.Option("--weight", metavar="COLUMN=NUMBER", help="what win, take or a column is worth; repeatable"),
]
Side = Annotated[str, typer.Option("--side", help="attacker or defender: whose win and take")]


def add_to(app: typer.Typer) -> None:
    """Give a command line these commands."""
    app.command()(worth)
    app.command()(rounds)
    app.command()(luck)


def read_weights(texts: Sequence[str] | None) -> dict[str, float] | None:
    """`win=15` for each weight; None if none is given. Raises ValueError for one given twice."""
    found: dict[str, float] = {}
    for text in texts or ():
        name, number = reading.split_setting(text, "--weight")
        if name in found:
            raise ValueError(f"--weight: {name} is given twice")
        found[name] = reading.read_number(number, f"--weight {name}")
    return found or None


@grouped
def worth(  # noqa: PLR0913 - one parameter an option
    scenario: ScenarioName,
    weight: Weights = None,
    level: Annotated[str, typer.Option("--level", help="how much of the bad end: 5% or 0.05")] = "5%",
    lose: Annotated[list[float] | None, typer.Option("--lose", help="the chance to lose this or more")] = None,
    side: Side = "attacker",
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """What a battle is worth by weights, and how bad it can get (value at risk, expected shortfall)."""
    from simulator.analysis.decisions.worth import worth as find

    files = output.files(scenario)
    asked = reading.read_draft(scenario, settings or ())
    weights, share = read_weights(weight), reading.read_number(level, "level")
    method = reading.method_of(False, dice.battles, dice.seed, None, dice.threads)
    found, cut = gather(
        "battles",
        output.quiet,
        lambda shown: find(asked, weights, share, lose or (), side, method=method, progress=shown),
    )
    output.deliver(found, files, _show_worth)
    return finished(
        cut, f"interrupted after {found.odds.battles or 0:,} battles; the answer is from these", output.quiet
    )


def _show_worth(found: Any) -> None:
    from simulator.report.worth_plot import worth_table

    console().print(worth_table(found))
    print(f"Weights: {found.how()}")


@grouped
def rounds(
    scenario: ScenarioName,
    most: Annotated[
        int | None, typer.Option("--most", help="how many rounds; else until all but a millionth end")
    ] = None,
    after: Annotated[int | None, typer.Option("--after", help="the odds of everything after so many rounds")] = None,
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """How it stands after each round: over or not, who has won, losses so far."""
    from simulator.analysis.history.rounds import rounds as find

    files = output.files(scenario)
    reading.method_of(False, dice.battles, dice.seed, None, dice.threads)  # battles are followed one by one
    asked = reading.read_scenario(scenario, settings or ())
    if after is not None and after < 0:
        raise ValueError(f"after: {after} is not allowed; 0 or more")
    fought = most if after is None else max(most or 0, after)
    found, cut = gather(
        "battles", output.quiet, lambda shown: find(asked, fought, dice.battles, dice.seed or 0, progress=shown)
    )
    unit = "rounds" if found.battles is None else f"battles, {found.battles:,} in all,"
    what = f"interrupted; these are the {unit} followed until then"
    if after is None or after >= len(found.by_round):
        output.deliver(found, files, _show_rounds)
        return finished(cut, what, output.quiet)
    odds = found.after(after)
    with files.written(found, found.rows):
        if output.as_json:
            print(json_text(odds.to_dict()))
        else:
            show_odds_alone(odds)
    return finished(cut, what, output.quiet)


def _show_rounds(found: Any) -> None:
    from simulator.report.rounds_plot import rounds_passed_table

    console().print(rounds_passed_table(found))
    print(f"Method: {found.how()}")


def show_odds_alone(odds: Any) -> None:
    """Odds without a scenario's own introduction."""
    from simulator.report.tables import chance_table, likely_table, show_grounds, summary_table

    out = console()
    for part in (chance_table(odds, "result", odds.results), summary_table(odds), likely_table(odds)):
        if part is not None:
            out.print(part)
    if "over" in odds.columns:
        out.print(f"Over by then: {100 * odds.p('over'):.2f} %")
    show_grounds(out, odds)


@grouped
def luck(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="a CSV or JSON file of battles: scenario, winner, side, results")
    ],
    weight: Weights = None,
    settings: Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Was I unlucky? Battles that were fought against what was to be expected, one by one and together."""
    from simulator.analysis.history.luck import luck as judge

    files = output.files(file)
    pairs = [reading.split_setting(setting, "--set") for setting in settings or ()]
    changes = {path: reading.read_value(value) for path, value in pairs}
    method = reading.method_of(False, dice.battles, dice.seed, None, dice.threads)
    found, cut = gather(
        "battles",
        output.quiet,
        lambda shown: judge(file, read_weights(weight), changes=changes, method=method, progress=shown),
    )
    output.deliver(found, files, _show_luck)
    return finished(cut, f"interrupted after {len(found.battles)} battles of the log; these are judged", output.quiet)


def _show_luck(found: Any) -> None:
    from simulator.report.luck_plot import luck_table, roll_table

    console().print(luck_table(found))
    for one in found.battles:
        if one.rolls:
            print(f"{one.name}, round by round (worth to the {one.side}):")
            console().print(roll_table(one.rolls))
    print(found)
    print(f"Method: {found.how()}")


def mixed_odds(
    asked: Any, method: Any, files: working.Files, weights: dict[str, float] | None, as_json: bool, quiet: bool
) -> None:
    """The odds of a scenario in which fields are not known: the mixture, its parts, what knowing them is worth."""
    from simulator.analysis.decisions.weights import weighing
    from simulator.analysis.odds.mix import mixed
    from simulator.report.mix_plot import mixture_table
    from simulator.report.tables import quiet_lines

    found, _ = gather("combinations", quiet, lambda shown: mixed(asked, method, shown))
    weighted = weights is not None or weighing(found.odds.scenario, None) is not None
    knowing = found.information_rows(weights) if weighted else []
    with files.written(found, found.rows):
        if as_json:
            print(json_text(found.to_dict() | ({"information": knowing} if knowing else {})))
        elif quiet:
            print("\n".join(quiet_lines(found.odds)))
        else:
            show_odds_alone(found.odds)
            console().print(mixture_table(found))
            for row in knowing:
                what = "everything" if row["field"] == "all" else row["field"]
                if row["field"] != "all" or len(found.paths) > 1:
                    print(f"knowing {what} before deciding is worth {row['worth']:.4f}")


def scored_odds(  # noqa: PLR0913, PLR0917 - what the command was given
    asked: Any,
    value: str | None,
    battles: int | None,
    seed: int,
    files: working.Files,
    as_json: bool,
    quiet: bool,
    others: Mapping[str, Any],
) -> int:
    """One number of a battle too large for exact odds. Raises ValueError for options that do not go with it."""
    from simulator.analysis.odds.measure import in_words
    from simulator.analysis.studies.rare_events import BATTLES, scored

    for option, given in others.items():
        if given:
            raise ValueError(f"{option}: does not go with --scored, which answers one number")
    found, cut = gather(
        "battles",
        quiet,
        lambda shown: scored(
            asked, value or "p_attacker", BATTLES if battles is None else battles, seed, progress=shown
        ),
    )
    with files.written(found, found.rows):
        if as_json:
            print(json_text(found.to_dict()))
        elif quiet:
            print(f"{found.asked} {found.value} {found.low} {found.high}")
        else:
            print(f"{in_words(found.asked)}: {found.value:.6g} ({found.low:.6g} to {found.high:.6g})")
            print(f"Method: {found.how()}")
    return finished(cut, f"interrupted after {found.battles:,} battles; the answer is from these", quiet)
