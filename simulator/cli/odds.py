"""The commands that answer one battle: its odds, by piece, battle by battle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options, reading, scaling
from simulator.cli.output import Dice, Given, Output, from_battles, grouped, headed, json_text, show
from simulator.scenarios import Scenario, is_uncertain

if TYPE_CHECKING:
    from simulator.analysis.odds.run import Method


@dataclass(frozen=True)
class Shown:
    """Options that choose the shown part of the odds of a battle."""

    explain: options.Explain = False
    everything: options.Everything = False
    no_table: options.NoTable = False
    column: options.ColumnName = None


@grouped
def odds(  # noqa: PLR0913 - one parameter an option
    given: Given,
    weight: options.Weights = None,
    *,
    dice: Dice,
    only_exact: options.Exact = False,
    precision: options.Precision = None,
    shown: Shown,
    out: options.OutFile = None,
    elsewhere: scaling.Elsewhere,
    output: Output,
) -> int:
    """Odds of a battle: who wins, what it costs, the likeliest outcomes, and what the answer rests on."""
    base = given.draft()
    long_work = {"--out": out, "--workers": elsewhere.workers, "--cluster": elsewhere.cluster}
    method = dice.method(only_exact, precision)
    if is_uncertain(base):
        if any(setting is not None for setting in long_work.values()):
            raise ValueError("--out, --workers, --cluster: not for a scenario with a field that is not known")
        return mixed_odds(base, method, reading.read_weights(weight), output)
    if weight:
        raise ValueError("--weight: tells what it is worth to know a field; no field of this scenario is uncertain")
    return plain_odds(base.checked(), method, out, elsewhere, shown, output)


def plain_odds(
    asked: Scenario, method: Method, out: Path | None, elsewhere: scaling.Elsewhere, shown: Shown, output: Output
) -> int:
    """The odds of a battle without uncertain fields, wherever they are computed."""
    from simulator.report.tables.odds import odds_parts

    if shown.column is not None and not output.plot:
        raise ValueError("--column: goes with --plot")
    what = "battles" if method.exact is False else "states"
    with elsewhere.helpers() as helpers:
        found, cut = output.gather(what, lambda bar: scaling.answered(asked, method, out, helpers, bar))
    if shown.column is not None:
        found.kind_of(shown.column)

    def data(found: Any) -> dict[str, Any]:
        return {**found.to_dict(table=not shown.no_table), "explanation": list(asked.built.explain())}

    output.deliver(
        found,
        lambda found: odds_parts(asked, found, shown.explain, shown.everything),
        data,
        column=shown.column,
    )
    return output.finished(cut, from_battles(found))


def mixed_odds(asked: Any, method: Any, weights: dict[str, float] | None, output: Output) -> int:
    """The odds of a scenario in which fields are not known: the mixture, its parts, what knowing them is worth."""
    from simulator.analysis.odds.measure import weighing
    from simulator.analysis.odds.mix import mixed
    from simulator.report.tables.answers import mixture_table

    found, _ = output.gather("combinations", lambda shown: mixed(asked, method, shown))
    weighted = weights is not None or weighing(found.odds.scenario, None) is not None
    knowing = found.information_rows(weights) if weighted else []

    def parts(found: Any) -> Iterator[Any]:
        yield from bare_odds(found.odds)
        yield mixture_table(found)
        for row in knowing:
            what = "everything" if row["field"] == "all" else row["field"]
            if row["field"] != "all" or len(found.paths) > 1:
                yield f"knowing {what} before deciding is worth {row['worth']:.4f}"

    extra = {"information": knowing} if knowing else {}
    output.deliver(found, parts, lambda found: found.to_dict() | extra)
    return 0


def bare_odds(odds: Any) -> Iterator[Any]:
    """Tables of odds without a scenario's own introduction."""
    from simulator.report.tables.odds import chance_table, grounds, likely_table, summary_table

    yield from (chance_table(odds, "result", odds.results), summary_table(odds), likely_table(odds))
    if "over" in odds.columns:
        yield f"Over by then: {100 * odds.p('over'):.2f} %"
    yield from grounds(odds)


@grouped
def survival(given: Given, *, dice: Dice, output: Output) -> int:
    """The chance of each piece to survive, for games of individual pieces."""
    from simulator.analysis.odds.survival import survival as find
    from simulator.report.tables.odds import survival_table

    asked = given.checked()
    return output.answer(
        "battles",
        lambda shown: find(asked, **dice.arguments(), progress=shown),
        lambda found: (survival_table(found), found.how()),
        from_battles,
    )


def replay(
    scenario: options.ScenarioName,
    seed: options.SeedOption = 0,
    battle: options.BattleNumber = 0,
    settings: options.Settings = None,
    luck: options.WithLuck = False,
    as_json: options.AsJson = False,
) -> None:
    """One simulated battle shown roll by roll: the very one that a simulation with this seed counted."""
    from simulator.analysis.history.replay import replay as find

    answer = find(Given(scenario, settings).checked(), seed or 0, battle)
    rolls = answer.luck_rows() if luck else []
    if as_json:
        print(json_text(answer.to_dict() | ({"luck": rolls} if luck else {})))
        return
    from simulator.report.answer_words import ending
    from simulator.report.tables.answers import roll_table

    assert answer.scenario is not None
    lines = [roll_table(rolls)] if luck else answer.lines
    show(headed(answer.headline, (*lines, "", *ending(answer.scenario.battle, answer.outcome))))
