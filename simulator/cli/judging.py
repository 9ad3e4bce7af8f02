"""The commands that judge a battle: how to play it best, what it is worth, how it stands, whether it was luck."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from simulator.cli import options
from simulator.cli.odds import bare_odds
from simulator.cli.output import DiceOptions, Given, Output, TableOutput, from_battles, grouped
from simulator.scenarios import reading


@grouped
def best(
    given: Given,
    decide: options.Decided = None,
    weight: options.Wanted = None,
    side: options.WhoseSide = "attacker",
    *,
    output: TableOutput,
) -> int:
    """Find the best play: what to lose first, when to leave, and what that brings."""
    from simulator.analysis.decisions.best import best as solve
    from simulator.analysis.odds.headline import side_called
    from simulator.report.tables.best import policy_parts
    from simulator.scenarios.objective import with_winning

    asked = given.draft()
    side = side_called(asked, side)
    if weights := reading.read_weights(weight):
        asked = asked.with_fields({f"objective.{side}": with_winning(weights)})
    found, cut = output.gather("combinations", lambda shown: solve(asked, decide, side=side, progress=shown))
    if not cut and not output.quiet:
        _, cut = output.gather("fixed policies", found.find_gains)

    def parts(found: Any) -> Iterator[Any]:
        yield from policy_parts(found, output.every)
        yield from bare_odds(found.odds)
        yield f"Policy: {found.how()}"

    output.deliver(found, parts)
    return output.finished(cut, "interrupted; not every fixed policy was tried")


@grouped
def worth(
    given: Given,
    weight: options.Weights = None,
    level: options.Level = "5%",
    lose: options.Losses = None,
    side: options.Side = "attacker",
    *,
    dice: DiceOptions,
    output: TableOutput,
) -> int:
    """Value a battle by weights, and show how bad it can get (value at risk, expected shortfall)."""
    from simulator.analysis.decisions.worth import worth as find
    from simulator.analysis.odds.headline import side_called
    from simulator.report.tables.studies import worth_parts

    asked, weights = given.draft(), reading.read_weights(weight)
    share, method, side = reading.read_number(level, "level"), dice.method(), side_called(asked, side)
    return output.answer(
        "battles",
        lambda shown: find(asked, weights, share, lose or (), side, method=method, progress=shown),
        lambda found: worth_parts(found, output.every),
        lambda found: from_battles(found.odds),
    )


@grouped
def rounds(
    given: Given,
    most: options.MostRounds = None,
    after: options.AfterRounds = None,
    everything: options.Everything = False,
    *,
    dice: DiceOptions,
    output: Output,
) -> int:
    """Show the battle after each round: over or not, winner, losses so far."""
    from simulator.analysis.history.rounds import rounds as find
    from simulator.report.tables.answers import rounds_passed_tables

    asked = given.checked()
    if after is not None and after < 0:
        raise ValueError(f"after: {after} is not allowed; 0 or more")
    fought = most if after is None else max(most or 0, after)
    found, cut = output.gather(
        "battles", lambda shown: find(asked, fought, dice.battles, dice.seed or 0, progress=shown)
    )
    if after is None or after >= len(found.by_round):
        output.deliver(found, lambda found: (*rounds_passed_tables(found, everything), f"Method: {found.how()}"))
    else:
        odds = found.after(after)
        output.deliver(
            found, lambda found: bare_odds(odds), data=lambda found: odds.to_dict(), headline=str(odds.headline)
        )
    unit = "rounds" if found.battles is None else f"battles, {found.battles:,} in all,"
    return output.finished(cut, f"interrupted; these are the {unit} followed until then")


@grouped
def luck(
    file: options.LogFile = None,
    template: options.Template = None,
    weight: options.Weights = None,
    settings: options.Settings = None,
    *,
    dice: DiceOptions,
    output: Output,
) -> int:
    """Was I unlucky? Battles that were fought against what was to be expected, one by one and together."""
    from simulator.analysis.history.luck import luck as find
    from simulator.report.tables.answers import luck_table, roll_table

    if template is not None:
        from simulator.analysis.history.battle_log import template as to_fill_in

        print(to_fill_in(template), end="")
        return 0
    if file is None:
        raise ValueError("luck: give a file of battles; `battle-odds luck --template risk` prints one to fill in")
    pairs = [reading.split_setting(setting, "--set") for setting in settings or ()]
    changes = {path: reading.read_value(value, "--set") for path, value in pairs}
    weights, method = reading.read_weights(weight), dice.method()

    def parts(found: Any) -> Iterator[Any]:
        yield luck_table(found)
        for one in found.battles:
            if one.rolls:
                yield f"{one.name}, round by round (worth to the {one.side}):"
                yield roll_table(one.rolls)
        yield f"Method: {found.how()}"

    return output.answer(
        "battles",
        lambda shown: find(file, weights, changes=changes, method=method, progress=shown),
        parts,
        lambda found: f"interrupted after {len(found.battles)} battles of the log; these are judged",
    )
