"""The commands that answer one battle: its odds, by piece, battle by battle."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simulator.cli import options, scaling
from simulator.cli.output import DiceOptions, Given, Output, from_battles, grouped, headed, json_text, show
from simulator.scenarios import Scenario, is_uncertain, reading

if TYPE_CHECKING:
    from simulator.analysis.odds.method import Method
    from simulator.analysis.odds.odds import Odds


@dataclass(frozen=True)
class ShownParts:
    """Options that choose the shown part of the odds of a battle."""

    value: options.ValueNames = None
    explain: options.Explain = False
    everything: options.Everything = False


@grouped
def odds(  # noqa: PLR0913 - one parameter an option
    given: Given,
    weight: options.Weights = None,
    *,
    dice: DiceOptions,
    only_exact: options.Exact = False,
    precision: options.Precision = None,
    shown: ShownParts,
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
        if shown.value:
            raise ValueError("--value: not for a scenario with a field that is not known")
        return mixed_odds(base, method, reading.read_weights(weight), output)
    if weight:
        raise ValueError("--weight: is for the value of knowing a field; no field of this scenario is uncertain")
    return plain_odds(base.checked(), method, out, elsewhere, shown, output)


def plain_odds(
    asked: Scenario, method: Method, out: Path | None, elsewhere: scaling.Elsewhere, shown: ShownParts, output: Output
) -> int:
    """The odds of a battle without uncertain fields, wherever they are computed; first the values asked, if any."""
    what = "battles" if method.exact is False else "states"
    with elsewhere.helpers() as helpers:
        found, cut = output.gather(what, lambda bar: scaling.answered(asked, method, out, helpers, bar))
    show_odds(asked, found, shown, output)
    return output.finished(cut, from_battles(found))


def show_odds(asked: Scenario, found: Odds, shown: ShownParts, output: Output) -> None:
    """Print the odds of a battle, or write them: the values asked, if any, then its headline and its tables."""
    from simulator.analysis.odds.measure import measure
    from simulator.analysis.words import capital, value_in_words
    from simulator.report.tables.odds import odds_parts

    measured = {name: measure(found, name) for name in shown.value or ()}
    sentences = [value_in_words(asked.battle, asked.data, name, one) for name, one in measured.items()]

    def parts(found: Odds) -> Iterator[Any]:
        if sentences:
            yield found.headline.text
        yield from odds_parts(asked, found, shown.explain, shown.everything)

    def data(found: Odds) -> dict[str, Any]:
        extra = {"values": {name: one._asdict() for name, one in measured.items()}} if measured else {}
        return {**found.to_dict(), "explanation": list(asked.built.explain()), **extra}

    headline = " ".join(f"{capital(sentence)}." for sentence in sentences)
    output.deliver(found, parts, data, headline)


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
    """The tables of odds, without the introduction of a scenario."""
    from simulator.report.tables.odds import chance_table, grounds, likely_table, summary_table

    yield from (chance_table(odds, "result", odds.results), summary_table(odds), likely_table(odds))
    if "over" in odds.columns:
        yield f"Over by then: {100 * odds.p('over'):.2f} %"
    yield from grounds(odds)


@grouped
def survival(given: Given, *, dice: DiceOptions, output: Output) -> int:
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
    quiet: options.Quiet = False,
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
    parts = () if quiet else (*lines, "", *ending(answer.scenario.battle, answer.outcome))
    show(headed(answer.headline, parts))
