"""Was I unlucky? docs/rules/decisions.md section 8.

print(luck([{"scenario": "risk-20v15", "winner": "defender"}]))
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.decisions.weights import Weighing
from simulator.analysis.decisions.worth import Distribution
from simulator.analysis.history.battle_log import Fought, read_log
from simulator.analysis.history.real_dice import Told, told_rounds
from simulator.analysis.odds.answer import Interrupted, Method, Progress, answer
from simulator.analysis.odds.odds import Odds
from simulator.rules.battle import WINNERS
from simulator.scenarios import Scenario, ScenarioError, is_uncertain, load
from simulator.scenarios.objective import TAKEN, check_weights
from simulator.scenarios.validation import brief, finite, not_one_of, shown

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

MOST_SUMS = 1_000_000
MOST_AT_ONCE = 4_000_000
WIN: Mapping[str, float] = {"win": 1}


@dataclass(frozen=True)
class Judged:
    """One battle: what was to be expected for the side, what came, and how lucky that was (mid-p).

    `rolls` tell each round whose losses were logged: `line, before, after, change, luck`.
    """

    name: str
    side: str
    expected: float
    observed: float
    luck: float
    method: str
    spread: Distribution = field(repr=False)
    rolls: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)


@dataclass(frozen=True)
class Luck:
    """How lucky battles were, one by one and together: `luck` near 0 is unlucky, .5 ordinary, near 1 lucky.

    `expected`, `observed`, `std` are those of the sum; `spread` is its distribution, None where there are so many sums
    that the normal distribution stands for it.
    """

    battles: tuple[Judged, ...]
    expected: float
    observed: float
    std: float
    luck: float
    spread: Distribution | None = field(repr=False)
    weights: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    @property
    def p_value(self) -> float:
        """The chance of luck as unusual as this, good or bad."""
        return min(1.0, 2 * min(self.luck, 1 - self.luck))

    def rows(self) -> list[dict[str, Any]]:
        """`battle, side, expected, observed, luck, method`."""
        return [
            {
                "battle": one.name,
                "side": one.side,
                "expected": one.expected,
                "observed": one.observed,
                "luck": one.luck,
                "method": one.method,
            }
            for one in self.battles
        ]

    @property
    def table(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def roll_rows(self) -> list[dict[str, Any]]:
        """`battle, line, before, after, change, luck` of each round whose losses were logged."""
        return [{"battle": one.name} | dict(roll) for one in self.battles for roll in one.rolls]

    @property
    def rolls(self) -> pd.DataFrame:
        """`roll_rows` as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.roll_rows(), columns=["battle", "line", "before", "after", "change", "luck"])

    @property
    def distribution(self) -> pd.DataFrame:
        """The distribution of the sum: `value, p, at_least, at_most`; empty where it is taken as normal."""
        import pandas as pd

        rows = [] if self.spread is None else self.spread.rows()
        return pd.DataFrame(rows, columns=["value", "p", "at_least", "at_most"])

    def __str__(self) -> str:
        won = "won" if self.weights == WIN else "observed"
        expected = f"{self.expected:.1f}" if self.weights == WIN else f"{self.expected:.4g}"
        told = f"{self.observed:.4g} {won}, {expected} expected"
        share = max(self.luck, 1 - self.luck)
        percent = f"{100 * share:.0f}" if share < 0.995 else f"{min(100 * share, 99.99):.2f}"
        word = (
            "ordinary luck"
            if self.luck == 0.5
            else f"{'worse' if self.luck < 0.5 else 'better'} luck than in {percent} %"
        )
        rest = "" if self.luck == 0.5 else " of such series"
        return f"{told}: {word}{rest}; {self.verdict} (p = {self.p_value:.2g})"

    @property
    def verdict(self) -> str:
        """`p_value` in words."""
        if self.p_value > 0.1:
            return "nothing unusual"
        word = "unlucky" if self.luck < 0.5 else "lucky"
        return word if self.p_value >= 0.01 else f"very {word}"

    def how(self) -> str:
        """How the odds were obtained, in one line."""
        simulated = sum(one.method != "exact" for one in self.battles)
        text = f"{len(self.battles)} battles, " + (f"{simulated} simulated, seed {self.seed}" if simulated else "exact")
        if self.spread is None:
            text += f"; more than {MOST_SUMS:,} sums: normal approximation with the exact mean and variance"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        names = ("expected", "observed", "std", "luck", "p_value", "verdict", "seed")
        told: dict[str, Any] = {name: getattr(self, name) for name in names}
        rows = [] if self.spread is None else self.spread.rows()
        rest = {"sentence": str(self), "how": self.how(), "weights": dict(self.weights)}
        return told | rest | {"battles": self.rows(), "distribution": rows, "rolls": self.roll_rows()}

    def plot(self, path: Any = None) -> Figure:
        """The distribution of the sum, what was observed marked. Returns the matplotlib figure."""
        from simulator.report.luck_plot import plot_luck

        return plot_luck(self, path)


def luck(
    battles: str | Path | Sequence[Mapping[str, Any]],
    weights: Mapping[str, float] | None = None,
    *,
    changes: Mapping[str, Any] | None = None,
    method: Method | None = None,
    progress: Progress | None = None,
) -> Luck:
    """Were these battles lucky? `battles` are mappings, or a CSV or JSON file of them.

    Each has `scenario`, what was observed (`winner`, outcome columns), and `side` (attacker unless told); `results`,
    the losses of both sides in each round, tell the luck of each round. `weights` say what an outcome is worth to the
    side, `win` alone unless told. `changes` are set in every scenario. Raises ScenarioError and ValueError, Interrupted
    with the battles judged until then.
    """
    weighed = dict(WIN if weights is None else weights)
    check_weights(weighed)
    fought = read_log(battles)
    method = method or Method()
    answers: dict[Scenario, Odds] = {}
    judged: list[Judged] = []
    try:
        for place, one in enumerate(fought):
            if progress:
                progress(place, len(fought))
            own = replace(one, settings={**one.settings, **(changes or {})})
            judged.append(_judged(f"battles[{place}]", own, answers, weighed, method))
    except KeyboardInterrupt:
        if not judged:
            raise KeyboardInterrupt from None
        raise Interrupted(together(judged, weighed, method.seed)) from None
    return together(judged, weighed, method.seed)


def _judged(
    where: str, one: Fought, answers: dict[Scenario, Odds], weights: Mapping[str, float], method: Method
) -> Judged:
    """One battle judged by its odds, and round by round where its losses were logged."""
    try:
        given = one.draft()
        if is_uncertain(given) and not one.results:
            return _held_against(where, one, answer(given, method), weights)
        scenario = load(given)
        odds = _answered(scenario, answers, method)
        told = told_rounds(scenario, one.results, Weighing(weights, one.side), odds) if one.results else None
    except ScenarioError as error:
        raise ScenarioError(f"{where}.{error}", error.unused) from None
    if told is None:
        return _held_against(where, one, odds, weights)
    known = replace(one, observed=_completed(where, one, told, weights))
    return replace(_held_against(where, known, odds, weights), rolls=tuple(told.rows))


def _completed(where: str, one: Fought, told: Told, weights: Mapping[str, float]) -> dict[str, Any]:
    """What was observed, and what the rounds that were told say beyond that of the winner and of what is weighted."""
    ends, observed = told.ends, dict(one.observed)
    if ends is None:
        return observed
    asked = [name for name in dict.fromkeys(["winner", *weights]) if name in ends.columns]
    fits = _happened(where, replace(one, observed={name: observed[name] for name in asked if name in observed}), ends)
    if not fits.any():
        said = ", ".join(f"{name} {observed[name]}" for name in asked if name in observed)
        raise ValueError(f"{where}.results: the battle did not end so with {said}")
    for name in asked:
        values = set(ends.told[name][fits].tolist())
        if len(values) == 1:
            observed.setdefault(name, values.pop())
    return observed


def _answered(scenario: Scenario, answers: dict[Scenario, Odds], method: Method) -> Odds:
    """Its odds, found once for equal scenarios."""
    if scenario not in answers:
        answers[scenario] = answer(scenario, method)
    return answers[scenario]


def _held_against(where: str, one: Fought, odds: Odds, weights: Mapping[str, float]) -> Judged:
    """What was observed against what was to be expected. Raises ValueError for what cannot happen."""
    happened = _happened(where, one, odds)
    weighed = Weighing(weights, one.side)
    spread = Distribution.of(weighed.worth(odds), odds.chances)
    score = sum(weight * _value(where, name, one, odds) for name, weight in weights.items())
    if odds.method == "exact" and not happened.any():
        told = " with ".join(
            f"{name} {value}" if name == "winner" else f"{name} = {value}" for name, value in _last(one)
        )
        raise ValueError(f"{where}: {told} cannot happen in this battle")
    return Judged(one.name, one.side, spread.mean, score, spread.mid_p(score), odds.method, spread)


def _last(one: Fought) -> list[tuple[str, Any]]:
    return sorted(one.observed.items(), key=lambda item: item[0] == "winner")


def _happened(where: str, one: Fought, odds: Odds) -> np.ndarray:
    """The outcomes that agree with everything observed. Raises ValueError for what the battle does not tell."""
    fits = np.ones(len(odds.chances), bool)
    for name, value in one.observed.items():
        if name not in odds.told:
            raise ValueError(brief(f"{where}.{name}: no such column; columns: {', '.join(odds.told)}"))
        kind = odds.kind_of(name)
        if name == "winner" and value not in WINNERS:
            raise ValueError(f"{where}.winner: {not_one_of(value, WINNERS)}")
        if kind != "text" and not (isinstance(value, bool) or finite(value)):
            raise ValueError(f"{where}.{name}: {shown(value)} is not allowed; give a {kind}")
        column = odds.told[name]
        fits &= column == str(value) if kind == "text" else np.abs(column.astype(float) - float(value)) < 1e-9
    return fits & (odds.chances > 0)


def _value(where: str, name: str, one: Fought, odds: Odds) -> float:
    """What was observed of something weighted. Raises ValueError if it was not."""
    needed = name
    if name == "take":
        needed = next((column for column in TAKEN if column in odds.columns), "winner")
    elif name == "win":
        needed = "winner"
    if needed not in one.observed:
        raise ValueError(f"{where}.{needed}: was not observed, but weights ask for {name}")
    value = one.observed[needed]
    if needed == "winner":
        return float((value == "attacker") == (one.side == "attacker")) if name == "take" else float(value == one.side)
    return 1.0 - float(value) if name == "take" and one.side == "defender" else float(value)


def together(judged: Sequence[Judged], weights: Mapping[str, float], seed: int = 0) -> Luck:
    """The luck of independent battles as one series."""
    expected, observed = sum(one.expected for one in judged), sum(one.observed for one in judged)
    std = math.sqrt(sum(one.spread.std**2 for one in judged))
    spread: Distribution | None = judged[0].spread
    for one in judged[1:]:
        spread = _plus(spread, one.spread)
    fortune = NormalDist(expected, std).cdf(observed) if spread is None else spread.mid_p(observed)
    return Luck(tuple(judged), expected, float(observed), std, fortune, spread, dict(weights), seed)


def _plus(one: Distribution | None, other: Distribution) -> Distribution | None:
    """The distribution of the sum of two independent worths; None past `MOST_SUMS`."""
    if one is None:
        return None
    value, p = np.empty(0), np.empty(0)
    portion = max(1, MOST_AT_ONCE // len(one.value))
    for first in range(0, len(other.value), portion):
        part = slice(first, first + portion)
        sums = Distribution.of(
            np.concatenate([value, np.add.outer(one.value, other.value[part]).ravel()]),
            np.concatenate([p, np.multiply.outer(one.p, other.p[part]).ravel()]),
        )
        value, p = sums.value, sums.p
        if len(value) > MOST_SUMS:
            return None
    return Distribution(value, p)
