"""The difference of two answers; simulations with the same seed are paired battle by battle.

docs/rules/decisions.md section 3. Common random numbers reduce the variance of the difference.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.intervals import LEVEL, wilson
from simulator.analysis.odds.measure import is_chance, measure, weighed
from simulator.analysis.odds.mix import allotted, combined, describe_mixture, mix, settings_without, shares
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.outcome_rows import merge_rows
from simulator.analysis.odds.run import Fight, Method, check_numbers, labelled, outcome_columns, settle
from simulator.engine.model.limits import NoExactOdds
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import Columns, Outcomes
from simulator.scenarios import Draft, Scenario

NORMAL = NormalDist()
Z = NORMAL.inv_cdf((1 + LEVEL) / 2)
EQUAL = 1e-12
BATTLES = 1_000_000


class Difference(NamedTuple):
    """Estimate minus that of the reference, its 95 % interval, and the confidence in its sign.

    `gain` is the variance of an unpaired simulation divided by that of this one (None where nothing is paired).
    """

    value: float
    low: float
    high: float
    confidence: float
    gain: float | None = None


@dataclass(frozen=True)
class Answered:
    """The odds of a scenario and, if simulated, the outcome (row of `odds`) of each battle: int64, shape (battles,)."""

    odds: Odds
    which: np.ndarray | None = None

    def each(self, value: str) -> np.ndarray:
        """The number of each battle whose mean is `value` (see `weighed`): float64, shape (battles,)."""
        assert self.which is not None
        odds = self.odds
        numbers = weighed(odds.battle, odds.readable_columns, len(odds.chances), value)
        assert numbers is not None
        return np.asarray(numbers[self.which])


def answered(
    scenario: Scenario,
    battles: int | None,
    seed: int,
    budget: int,
    threads: int | None = None,
    many: int = BATTLES,
    shared: Shared | None = None,
) -> Answered:
    """Exact where that fits in `budget` bytes and `battles` is None; else `battles`, or `many`, are simulated."""
    if battles is None:
        try:
            return Answered(settle(scenario, Method(exact=True, budget=budget), shared=shared).odds())
        except NoExactOdds:
            pass
    return fought(scenario, battles or many, seed, threads)


def fought(scenario: Scenario, battles: int, seed: int, threads: int | None = None) -> Answered:
    """Battles 0 to `battles - 1` of the seed."""
    check_numbers(battles, seed, threads)
    outcomes, which = _counted(*_simulated(scenario, battles, seed, threads=threads))
    return Answered(labelled(scenario, outcomes, battles, seed), which)


def answered_mixture(base: Draft, battles: int | None, seed: int, budget: int, many: int = BATTLES) -> Answered:
    """A scenario with fields that are not known: exact where all combinations are, else simulated."""
    if battles is None:
        try:
            return Answered(mix(base, seed=seed, exact=True, budget=budget).odds)
        except NoExactOdds:
            pass
    return fought_mixture(base, battles or many, seed)


def fought_mixture(base: Draft, battles: int, seed: int) -> Answered:
    """The combinations of the unknown fields one after the other, each with its share of the battles.

    So battle i of two such scenarios belongs to the same combination. Raises ValueError for fewer battles than
    combinations.
    """
    drafts, fields = combined(base)
    if battles < len(drafts):
        raise ValueError(f"battles: {battles:,} is not allowed; the mixture has {len(drafts):,} combinations")
    portions = allotted(shares(fields), battles, least=0)
    asked = [one.checked() for one, portion in zip(drafts, portions, strict=True) if portion]
    parts, first = [], 0
    for one, portion in zip(asked, filter(None, portions), strict=True):
        parts.append(_simulated(one, portion, seed, first))
        first += portion
    names = [name for name in parts[0][0] if all(name in columns for columns, _ in parts)]
    offsets = np.cumsum([0, *(len(next(iter(columns.values()))) for columns, _ in parts)])
    columns = {name: np.concatenate([columns[name] for columns, _ in parts]) for name in names}
    which = np.concatenate([offset + rows for offset, (_, rows) in zip(offsets, parts, strict=False)])
    outcomes, rows = _counted(columns, which)
    odds = Odds(
        outcomes,
        battle=asked[0].battle,
        battles=battles,
        seed=seed,
        settings=settings_without(asked[0].settings(), fields),
        assumptions=[*describe_mixture(fields), *asked[0].assumptions()],
        scenario=base.data,
    )
    return Answered(odds, rows)


def _simulated(
    scenario: Scenario, battles: int, seed: int, first: int | None = None, threads: int | None = None
) -> tuple[Columns, np.ndarray]:
    """Outcomes, and which of them each battle ends with: battles of a part that begins with `first`, or of the whole.

    A composed battle does not say which of its battles ended how. They are put into a random order, which is valid but
    gains nothing.
    """
    if scenario.built.answer is None:
        from simulator.engine.api import each_outcome  # imports numba, which exact answers do not need

        ends, which = each_outcome(scenario.chain, seed, battles, first=first or 0)
        return outcome_columns(scenario, ends), which
    fight = Fight(scenario, seed if first is None else derive_seed(seed, first), threads)
    fight.add(battles)
    odds = fight.odds()
    assert odds.counts is not None
    order = np.random.default_rng(seed if first is None else [seed, first]).permutation(battles)
    return odds.columns, np.repeat(np.arange(len(odds.counts)), odds.counts)[order]


def _counted(columns: Columns, which: np.ndarray) -> tuple[Outcomes, np.ndarray]:
    """The outcomes with the counts of battles, and for each battle the row after equal rows are merged."""
    count = np.bincount(which, minlength=len(next(iter(columns.values()))))
    outcomes = Outcomes(columns, count / len(which), count)
    return outcomes, merge_rows(outcomes)[1][which]


def difference(value: str, one: Answered, reference: Answered) -> Difference:
    """The value of one answer minus that of the reference."""
    d = measure(one.odds, value).value - measure(reference.odds, value).value
    if one.which is None and reference.which is None:
        return Difference(d, d, d, 0.5 if abs(d) <= EQUAL else 1.0)
    if value.startswith(("std.", "std_")) or (value[:1] == "q" and not is_chance(value)):
        return Difference(d, math.nan, math.nan, math.nan)
    if one.which is None or reference.which is None:
        return _against_number(value, d, one, reference)
    a, b = one.each(value), reference.each(value)
    return _of_chances(a > 0, b > 0) if is_chance(value) else _of_means(a, b)


def _against_number(value: str, d: float, one: Answered, reference: Answered) -> Difference:
    """The difference where one of the two is exact: a number without variance."""
    sign, simulated = (1, one) if one.which is not None else (-1, reference)
    found = measure(simulated.odds, value)
    n = simulated.odds.battles
    assert n is not None
    if is_chance(value):
        low, high = wilson(found.value, n)
    else:
        low, high = found.low, found.high
    number = d - sign * found.value
    least, most = sorted((number + sign * low, number + sign * high))
    error = float(simulated.each(value).std()) / math.sqrt(n)
    return Difference(d, least, most, _confidence(d, error))


def _confidence(d: float, error: float) -> float:
    if abs(d) <= EQUAL:
        return 0.5
    return NORMAL.cdf(abs(d) / error) if error > 0 else 1.0


def _of_means(a: np.ndarray, b: np.ndarray) -> Difference:
    d = a - b
    mean, error = float(d.mean()), float(d.std()) / math.sqrt(len(d))
    gain = _ratio(float(a.var() + b.var()), float(d.var()))
    return Difference(mean, mean - Z * error, mean + Z * error, _confidence(mean, error), gain)


def _ratio(unpaired: float, paired: float) -> float | None:
    return unpaired / paired if paired > 0 else None


def _of_chances(a: np.ndarray, b: np.ndarray) -> Difference:
    """The interval of Agresti and Min for paired chances; the confidence is one minus the mid-p of the sign test."""
    n, more, less = len(a), int((a & ~b).sum()), int((b & ~a).sum())
    centre = (more - less) / (n + 2)
    half = Z * math.sqrt((more + less + 1) - (more - less) ** 2 / (n + 2)) / (n + 2)
    gain = _ratio(float(a.var() + b.var()), (more + less) / n - ((more - less) / n) ** 2)
    sure = 1 - mid_p(max(more, less), more + less) if more + less else 0.5
    return Difference((more - less) / n, centre - half, centre + half, sure, gain)


def mid_p(successes: int, tries: int) -> float:
    """P(more than `successes`) + half of P(`successes`) in `tries` fair tries."""
    from scipy.special import bdtrc  # scipy.stats takes a second to import

    return float(bdtrc(successes, tries, 0.5) + bdtrc(successes - 1, tries, 0.5)) / 2
