"""Luck: fought battles compared with their odds. docs/rules/decisions.md section 8.

print(luck([{"scenario": "risk-20v15", "winner": "defender"}]))
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, partial
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.field_words import owner_in_words
from simulator.analysis.history.battle_log import LoggedBattle, column_named, read_log
from simulator.analysis.history.real_dice import round_luck
from simulator.analysis.history.replay import ROLL_COLUMNS
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.distribution import Distribution, wilson
from simulator.analysis.odds.measure import WIN, Weighing, check_winner
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Progress, reported, until_interrupted
from simulator.analysis.result import Result, frame
from simulator.analysis.words import capital
from simulator.rules.battle import WINNERS
from simulator.rules.toolkit.naming import same_name
from simulator.rules.toolkit.tolerances import ALIKE
from simulator.rules.toolkit.words import chance_of, number_of
from simulator.scenarios import Draft, Scenario, ScenarioError, is_uncertain, load
from simulator.scenarios.arguments import checked
from simulator.scenarios.objective import TAKEN, check_weights, values_of
from simulator.scenarios.validation import brief, finite, not_one_of, shown

if TYPE_CHECKING:
    import pandas as pd

MOST_SUMS = 1_000_000
MOST_AT_ONCE = 4_000_000
UNNAMED = ("the attacker", "the defender")


@dataclass(frozen=True)
class Judged:
    """One battle: the expected and the observed worth for the side, and the luck (mid-p).

    `simulated` is the number of simulated battles behind the odds, None where they are exact. `rolls` has a row for
    each round in the log: `line, before, after, change, luck`. `called` is the side as a sentence names it.
    """

    name: str
    side: str
    expected: float
    observed: float
    luck: float
    method: str
    spread: Distribution = field(repr=False)
    simulated: int | None = field(default=None, repr=False)
    rolls: tuple[Mapping[str, Any], ...] = field(default=(), repr=False)
    called: str = field(default="", repr=False)


@dataclass(frozen=True, repr=False)
class Luck(Result):
    """The luck of battles, one by one and together: near 0 is unlucky, 0.5 ordinary, near 1 lucky.

    `expected`, `observed`, `std` are those of the sum; `spread` is its distribution, None if it has too many values
    and the normal distribution is used instead.
    """

    battles: tuple[Judged, ...]
    expected: float
    observed: float
    std: float
    luck: float
    spread: Distribution | None
    weights: Mapping[str, float] = field(default_factory=dict)
    seed: int = 0

    json_fields = ("expected", "observed", "std", "luck", "low", "high", "p_value", "verdict", "seed", "weights")
    json_rows = "battles"

    @cached_property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of `luck`; it has no width where all odds are exact.

        Each battle of n simulated ones adds at most luck x (1 - luck) / n to the variance of `luck`, because the luck
        given its outcome varies no more than the luck itself. So the interval is never too narrow to first order.
        """
        parts = [1 / one.simulated for one in self.battles if one.simulated]
        return wilson(self.luck, 1 / sum(parts) if parts else None)

    @property
    def low(self) -> float:
        """The lower end of `interval`."""
        return self.interval[0]

    @property
    def high(self) -> float:
        """The upper end of `interval`."""
        return self.interval[1]

    @property
    def p_value(self) -> float:
        """The chance of luck at least as unusual, good or bad."""
        return min(1.0, 2 * min(self.luck, 1 - self.luck))

    def rows(self) -> list[dict[str, Any]]:
        """`battle, side, expected, observed, luck, method`."""
        names = ("side", "expected", "observed", "luck", "method")
        return [{"battle": one.name} | {name: getattr(one, name) for name in names} for one in self.battles]

    def roll_rows(self) -> list[dict[str, Any]]:
        """`battle, line, before, after, change, luck` of each round in the log."""
        return [{"battle": one.name} | dict(roll) for one in self.battles for roll in one.rolls]

    @property
    def rolls(self) -> pd.DataFrame:
        """`roll_rows` as a DataFrame."""
        return frame(self.roll_rows(), ["battle", *ROLL_COLUMNS])

    @property
    def distribution(self) -> pd.DataFrame:
        """The distribution of the sum: `value, p, at_least, at_most`; empty if the normal distribution is used."""
        return frame(self._distribution(), ["value", "p", "at_least", "at_most"])

    def _distribution(self) -> list[dict[str, float]]:
        return [] if self.spread is None else self.spread.rows()

    @property
    def headline(self) -> str:
        """The observed and the expected result, and how unusual that is; with the name of a side that has one."""
        names = {one.called for one in self.battles}
        if self.weights != WIN or len(names) > 1 or not names - set(UNNAMED):
            return f"{self}."
        won = f"{names.pop()} won {self.observed:.4g} of {number_of(len(self.battles), 'battle')}"
        return capital(f"{won}, {str(self).partition(', ')[2]}.")

    def __str__(self) -> str:
        won = "won" if self.weights == WIN else "observed"
        expected = f"{self.expected:.1f}" if self.weights == WIN else f"{self.expected:.4g}"
        result = f"{self.observed:.4g} {won}, {expected} expected"
        word = "ordinary luck"
        if self.luck != 0.5:
            word = f"{'worse' if self.luck < 0.5 else 'better'} luck than in {self._share()} of such series"
        return f"{result}: {word}; {self.verdict} (p = {self.p_value:.2g})"

    def _share(self) -> str:
        """The share of series that were luckier or less lucky than this one, with its interval if simulated."""
        share, (low, high) = self.luck, self.interval
        if share < 0.5:
            share, low, high = 1 - share, 1 - high, 1 - low
        if low < high:
            return chance_of(share, 1, (low, high))
        return f"{100 * share:.0f} %" if share < 0.995 else f"{min(100 * share, 99.99):.2f} %"

    @property
    def verdict(self) -> str:
        """`p_value` in words."""
        if self.p_value > 0.1:
            return "nothing unusual"
        word = "unlucky" if self.luck < 0.5 else "lucky"
        return word if self.p_value >= 0.01 else f"very {word}"

    def how(self) -> str:
        """The method of the odds, in one line."""
        simulated = sum(one.method != "exact" for one in self.battles)
        text = f"{len(self.battles)} battles, " + (f"{simulated} simulated, seed {self.seed}" if simulated else "exact")
        if self.spread is None:
            text += f"; more than {MOST_SUMS:,} sums: normal approximation with the exact mean and variance"
        return text

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        more = {"distribution": self._distribution(), "rolls": self.roll_rows()}
        return super().to_dict() | more


@checked
def luck(
    battles: str | Path | Sequence[Mapping[str, Any]],
    weights: Mapping[str, float] | None = None,
    *,
    changes: Mapping[str, Any] | None = None,
    method: str | Method = "auto",
    progress: Progress | None = None,
) -> Luck:
    """The luck of fought battles: their outcomes compared with their odds.

    Parameters
    ----------
    battles : sequence of mappings, str or Path
        Each battle has `scenario`, its outcome (`winner`, outcome columns), and `side` (by default the attacker);
        `results`, the losses of both sides in each round, give the luck of each round. Or a CSV or JSON file of them.
    weights : mapping of str to float, optional
        The worth of an outcome to the side; by default `{"win": 1}`.
    changes : mapping, optional
        Fields to set in every scenario.
    method : str
        The method of the odds, as `odds` takes it.

    Returns
    -------
    Luck
        The luck of each battle, and of the series: near 0 is unlucky, 0.5 ordinary, near 1 lucky.

    Raises
    ------
    ScenarioError
        For an invalid scenario.
    ValueError
        For an outcome that cannot happen.
    Interrupted
        After Ctrl-C, with the battles judged so far.

    Examples
    --------
    >>> luck([{"scenario": "risk-20v15", "winner": "defender"}]).verdict
    'nothing unusual'
    """
    weighed = dict(WIN if weights is None else weights)
    check_weights(weighed)
    fought = read_log(battles)
    by = Method.given(method)
    known = cache(partial(answer, method=by))

    def odds_of(scenario: Scenario | Draft) -> Odds:
        """The odds, computed once for equal scenarios."""
        return known(scenario) if isinstance(scenario, Scenario) else answer(scenario, by)

    judged = (
        _judged(f"battles[{place}]", replace(one, settings={**one.settings, **(changes or {})}), odds_of, weighed)
        for place, one in enumerate(reported(fought, progress))
    )
    return until_interrupted(judged, lambda found: series_luck(found, weighed, by.seed))


def _judged(
    where: str, one: LoggedBattle, odds_of: Callable[[Scenario | Draft], Odds], weights: Mapping[str, float]
) -> Judged:
    """One battle judged by its odds, and round by round where its losses were logged."""
    try:
        given = one.draft()
        scenario = given if is_uncertain(given) and not one.results else load(given)
        odds = odds_of(scenario)
        one = replace(one, observed=_in_words_of(odds, one.observed))
        weights = {column_named(name, [*odds.readable_columns]): weight for name, weight in weights.items()}
        if not isinstance(scenario, Scenario):
            return _judge_outcome(where, one, odds, weights)
        rows, ends = round_luck(scenario, one.results, Weighing(weights, one.side), odds) if one.results else ([], None)
    except ScenarioError as error:
        raise ScenarioError(f"{where}.{error}", error.unused) from None
    if ends is not None:
        one = replace(one, observed=_completed(where, one, ends, weights))
    return replace(_judge_outcome(where, one, odds, weights), rolls=tuple(rows))


def _in_words_of(odds: Odds, observed: Mapping[str, Any]) -> dict[str, Any]:
    """The observed outcome with the names of the columns and of the winner as the game writes them."""
    found = {column_named(name, [*odds.readable_columns]): value for name, value in observed.items()}
    if winner := same_name(found.get("winner"), WINNERS):
        found["winner"] = winner
    return found


def _completed(where: str, one: LoggedBattle, ends: Odds, weights: Mapping[str, float]) -> dict[str, Any]:
    """The observed outcome, completed by the winner and the weighted columns that the possible ends imply."""
    observed = dict(one.observed)
    asked = [name for name in dict.fromkeys(["winner", *weights]) if name in ends.columns]
    fits = _happened(where, replace(one, observed={name: observed[name] for name in asked if name in observed}), ends)
    if not fits.any():
        said = ", ".join(f"{name} {observed[name]}" for name in asked if name in observed)
        raise ValueError(f"{where}.results: the battle did not end so with {said}")
    for name in asked:
        values = set(ends.readable_columns[name][fits].tolist())
        if len(values) == 1:
            observed.setdefault(name, values.pop())
    return observed


def _judge_outcome(where: str, one: LoggedBattle, odds: Odds, weights: Mapping[str, float]) -> Judged:
    """The luck of the observed outcome. Raises ValueError for an outcome that cannot happen."""
    check_winner(odds, weights)
    happened = _happened(where, one, odds)
    weighed = Weighing(weights, one.side)
    spread = Distribution.of_worths(weighed.worth(odds), odds.chances)
    score = sum(weight * _value(where, name, one, odds) for name, weight in weights.items())
    if odds.method == "exact" and not happened.any():
        last = sorted(one.observed.items(), key=lambda item: item[0] == "winner")
        outcome = " with ".join(f"{name} {value}" if name == "winner" else f"{name} = {value}" for name, value in last)
        raise ValueError(f"{where}: {outcome} cannot happen in this battle")
    called = owner_in_words(odds.battle, odds.scenario or {}, one.side)
    luck_of = spread.mid_p(score)
    return Judged(one.name, one.side, spread.mean, score, luck_of, odds.method, spread, odds.battles, called=called)


def _happened(where: str, one: LoggedBattle, odds: Odds) -> np.ndarray:
    """The outcomes that fit everything observed (bool). Raises ValueError for a column that the battle lacks."""
    fits = np.ones(len(odds.chances), bool)
    for name, value in one.observed.items():
        if name not in odds.readable_columns:
            raise ValueError(brief(f"{where}.{name}: no such column; columns: {', '.join(odds.readable_columns)}"))
        kind = odds.kind_of(name)
        if name == "winner" and value not in WINNERS:
            raise ValueError(f"{where}.winner: {not_one_of(value, WINNERS)}")
        if kind != "text" and not (isinstance(value, bool) or finite(value)):
            raise ValueError(f"{where}.{name}: {shown(value)} is not allowed; give a {kind}")
        column = odds.readable_columns[name]
        fits &= column == str(value) if kind == "text" else np.abs(column.astype(float) - float(value)) < ALIKE
    return fits & (odds.chances > 0)


def _value(where: str, name: str, one: LoggedBattle, odds: Odds) -> float:
    """The observed number of a weighted column. Raises ValueError if it was not observed."""
    needed = name
    if name == "take":
        needed = next((column for column in TAKEN if column in odds.columns), "winner")
    elif name == "win":
        needed = "winner"
    if needed not in one.observed:
        raise ValueError(f"{where}.{needed}: was not observed, but weights ask for {name}")
    value = WINNERS.index(one.observed["winner"]) if needed == "winner" else one.observed[needed]
    return float(values_of({needed: np.array([value])}, name, one.side, where)[0])


def series_luck(judged: Sequence[Judged], weights: Mapping[str, float], seed: int = 0) -> Luck:
    """The luck of independent battles as one series."""
    expected, observed = sum(one.expected for one in judged), sum(one.observed for one in judged)
    std = math.sqrt(sum(one.spread.std**2 for one in judged))
    spread: Distribution | None = judged[0].spread
    for one in judged[1:]:
        spread = _sum(spread, one.spread)
    chance = NormalDist(expected, std).cdf(observed) if spread is None else spread.mid_p(observed)
    return Luck(tuple(judged), expected, float(observed), std, chance, spread, dict(weights), seed)


def _sum(one: Distribution | None, other: Distribution) -> Distribution | None:
    """The distribution of the sum of two independent worths; None past `MOST_SUMS`."""
    if one is None:
        return None
    value, p = np.empty(0), np.empty(0)
    portion = max(1, MOST_AT_ONCE // len(one.values))
    for first in range(0, len(other.values), portion):
        part = slice(first, first + portion)
        sums = Distribution.of_worths(
            np.concatenate([value, np.add.outer(one.values, other.values[part]).ravel()]),
            np.concatenate([p, np.multiply.outer(one.p, other.p[part]).ravel()]),
        )
        value, p = sums.values, sums.p
        if len(value) > MOST_SUMS:
            return None
    return Distribution(value, p)
