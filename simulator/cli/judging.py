"""The commands that judge a battle: how to play it best, what it is worth, how it stands, whether it was luck."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from simulator.cli import options, reading
from simulator.cli.odds import bare_odds
from simulator.cli.output import Dice, Given, Output, console, from_battles, grouped, note

MOST_ROWS = 20
MARKS = {"go on": ".", "stop": "S"}


@grouped
def best(given: Given, decide: options.Decided = None, weight: options.Wanted = None, *, output: Output) -> int:
    """Find the best play: when to stop, the value of that, and how far fixed policies fall short."""
    from simulator.analysis.decisions.best import best as solve
    from simulator.analysis.decisions.best import may_be_best
    from simulator.report.tables import quiet_lines, show_odds
    from simulator.scenarios.objective import with_winning

    asked = given.draft()
    if weights := reading.read_weights(weight):
        asked = asked.with_fields({"objective.attacker": with_winning(weights)})
    if not decide and not asked.checked().decided and (first := may_be_best(asked)[:1]):
        decide = first
        note(f"no policy here is best: this answer decides {decide[0]}; --decide names others", output.quiet)
    found, cut = output.gather("combinations", lambda shown: solve(asked, decide, progress=shown))
    if not cut and not output.quiet:
        _, cut = output.gather("fixed policies", found.find_gains)

    def parts(found: Any) -> Iterator[Any]:
        yield "\n".join(found.wanted)
        show_odds(console(), found.scenario, found.odds)
        yield from _policy(found)

    def brief(found: Any) -> list[str]:
        return [*quiet_lines(found.odds), *(f"worth_{side} {value}" for side, value in found.value.items())]

    output.deliver(found, parts, brief)
    return output.finished(cut, "interrupted; not every fixed policy was tried")


def _policy(found: Any) -> Iterator[Any]:
    """Gains over fixed policies, the policy, and how it was found."""
    from simulator.report.tables import listing

    yield ""
    for side, value in found.value.items():
        yield f"worth to the {side}: {value:.6f}"
    yield from found.advice()
    for one in found.fixed:
        yield f"  {one.decision} = {one.policy}: {one.value:.6f}, {one.gain:.6f} less than best"
    rows = found.rows()
    if rows and "own" in rows[0]:
        yield from _grids(rows)
    elif rows:
        often = sorted(rows, key=lambda row: -row["reached"])[:MOST_ROWS]
        yield listing(
            [row | {"advantage": f"{row['advantage']:.6f}", "reached": f"{row['reached']:.4f}"} for row in often]
        )
    yield found.how()


def _grids(rows: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Own units across, enemy units up: go on or stop; of dice their number."""
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
        yield f"\n{', '.join(panel)}: own units across, enemy units up ({legend})"
        for enemy in range(highest, 0, -1):
            cells = (found.get((enemy, own), {" "}) for own in range(1, widest + 1))
            line = "".join(next(iter(cell)) if len(cell) == 1 else "*" for cell in cells)
            yield f"{enemy:4} {line.rstrip()}"
        yield "     " + "".join(str(own % 10) for own in range(1, widest + 1))


@grouped
def worth(
    given: Given,
    weight: options.Weights = None,
    level: options.Level = "5%",
    lose: options.Losses = None,
    side: options.Side = "attacker",
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Value a battle by weights, and show how bad it can get (value at risk, expected shortfall)."""
    from simulator.analysis.decisions.worth import worth as find
    from simulator.report.answer_tables import worth_table

    asked, weights = given.draft(), reading.read_weights(weight)
    share, method = reading.read_number(level, "level"), dice.method()
    return output.answer(
        "battles",
        lambda shown: find(asked, weights, share, lose or (), side, method=method, progress=shown),
        lambda found: (worth_table(found), f"Weights: {found.how()}"),
        lambda found: from_battles(found.odds),
    )


@grouped
def rounds(
    given: Given,
    most: options.MostRounds = None,
    after: options.AfterRounds = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Show the battle after each round: over or not, winner, losses so far."""
    from simulator.analysis.history.rounds import rounds as find
    from simulator.report.answer_tables import rounds_passed_tables

    asked = given.checked()
    if after is not None and after < 0:
        raise ValueError(f"after: {after} is not allowed; 0 or more")
    fought = most if after is None else max(most or 0, after)
    found, cut = output.gather(
        "battles", lambda shown: find(asked, fought, dice.battles, dice.seed or 0, progress=shown)
    )
    if after is None or after >= len(found.by_round):
        output.deliver(found, lambda found: (*rounds_passed_tables(found), f"Method: {found.how()}"))
    else:
        odds = found.after(after)
        output.deliver(found, lambda found: bare_odds(odds), data=lambda found: odds.to_dict())
    unit = "rounds" if found.battles is None else f"battles, {found.battles:,} in all,"
    return output.finished(cut, f"interrupted; these are the {unit} followed until then")


@grouped
def luck(
    file: options.LogFile,
    weight: options.Weights = None,
    settings: options.Settings = None,
    *,
    dice: Dice,
    output: Output,
) -> int:
    """Was I unlucky? Battles that were fought against what was to be expected, one by one and together."""
    from simulator.analysis.history.luck import luck as find
    from simulator.report.answer_tables import luck_table, roll_table

    pairs = [reading.split_setting(setting, "--set") for setting in settings or ()]
    changes = {path: reading.read_value(value) for path, value in pairs}
    weights, method = reading.read_weights(weight), dice.method()

    def parts(found: Any) -> Iterator[Any]:
        yield luck_table(found)
        for one in found.battles:
            if one.rolls:
                yield f"{one.name}, round by round (worth to the {one.side}):"
                yield roll_table(one.rolls)
        yield from (str(found), f"Method: {found.how()}")

    return output.answer(
        "battles",
        lambda shown: find(file, weights, changes=changes, method=method, progress=shown),
        parts,
        lambda found: f"interrupted after {len(found.battles)} battles of the log; these are judged",
    )
