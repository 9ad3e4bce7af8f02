"""The difference of two answers; simulations with the same seed are paired battle by battle.

docs/rules/decisions.md section 3. Common random numbers reduce the variance of the difference.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.distribution import LEVEL
from simulator.analysis.odds.measure import is_chance, measure, weighed
from simulator.analysis.odds.method import Method, check_numbers
from simulator.analysis.odds.mix import allotted, combined, describe_mixture, settings_without, shares
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import (
    DEFAULT_PRECISION,
    FIRST_BATTLES,
    SimulatedAnswer,
    battles_needed,
    outcome_columns,
)
from simulator.analysis.odds.stages import Shared, digest
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.limits import NoExactOdds
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import Columns, Outcomes
from simulator.rules.toolkit.merging import merge_rows
from simulator.rules.toolkit.tolerances import ROUNDING
from simulator.scenarios import Draft, Scenario, draft

NORMAL = NormalDist()
Z = NORMAL.inv_cdf((1 + LEVEL) / 2)
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
class PairedAnswer:
    """The odds of a scenario and, if simulated, the outcome (row of `odds`) of each battle: int64, shape (battles,)."""

    odds: Odds
    which: np.ndarray | None = None

    def each(self, value: str) -> np.ndarray | None:
        """The numbers (float64, shape (battles,)) whose mean is `value`; None for a value that is no mean."""
        odds = self.odds
        numbers = weighed(odds.battle, odds.readable_columns, len(odds.chances), value)
        return None if numbers is None else np.asarray(numbers[self.which])


def answered(
    scenario: Scenario | Draft, method: Method, many: int | Callable[[Any], int], shared: Shared | None = None
) -> PairedAnswer:
    """Exact where that fits into `method` and it asks for no battles; else its battles, or `many`, are simulated.

    `many` may be a function of the scenario.
    """
    if method.battles is None:
        try:
            return PairedAnswer(answer(scenario, replace(method, exact=True), shared=shared))
        except NoExactOdds:
            pass
    battles = method.battles or (many(scenario) if callable(many) else many)
    return fought(scenario, battles, method.seed, method.threads, shared)


def battles_for(scenario: Scenario | Draft, method: Method, shared: Shared | None = None) -> int:
    """The battles after which chances are about as sure as `odds` has them: FIRST_BATTLES to BATTLES."""
    first = fought(scenario, FIRST_BATTLES, method.seed, method.threads, shared)
    return min(max(battles_needed(first.odds, DEFAULT_PRECISION), FIRST_BATTLES), BATTLES)


def fought(
    scenario: Scenario | Draft, battles: int, seed: int, threads: int | None = None, shared: Shared | None = None
) -> PairedAnswer:
    """Battles 0 to `battles - 1` of the seed, the combinations of fields that are not known one after the other.

    Each combination has its share, so battle i of two such scenarios belongs to the same combination. Raises ValueError
    for fewer battles than combinations.
    """
    check_numbers(battles, seed, threads)
    base = draft(scenario)
    drafts, fields = combined(base)
    if battles < len(drafts):
        raise ValueError(f"battles: {battles:,} is not allowed; the mixture has {len(drafts):,} combinations")
    portions = allotted(shares(fields), battles, least=0)
    asked = [one.checked() for one, portion in zip(drafts, portions, strict=True) if portion and fields]
    asked = asked or [scenario if isinstance(scenario, Scenario) else scenario.checked()]
    parts, first = [], 0
    for one, portion in zip(asked, filter(None, portions), strict=True):
        parts.append(_simulated(one, portion, seed, first if fields else None, threads, shared))
        first += portion
    names = [name for name in parts[0][0] if all(name in columns for columns, _ in parts)]
    columns = {name: np.concatenate([columns[name] for columns, _ in parts]) for name in names}
    offsets = np.cumsum([0, *(len(next(iter(columns.values()))) for columns, _ in parts)])
    which = np.concatenate([offset + rows for offset, (_, rows) in zip(offsets, parts, strict=False)])
    count = np.bincount(which, minlength=int(offsets[-1]))
    outcomes = Outcomes(columns, count / battles, count)
    odds = Odds(
        outcomes,
        battle=asked[0].battle,
        battles=battles,
        seed=seed,
        settings=settings_without(asked[0].settings(), fields),
        assumptions=[*describe_mixture(fields), *asked[0].assumptions()],
        scenario=base.data,
    )
    return PairedAnswer(odds, merge_rows(outcomes)[1][which])


def _simulated(
    scenario: Scenario, battles: int, seed: int, first: int | None, threads: int | None, shared: Shared | None
) -> tuple[Columns, np.ndarray]:
    """Outcomes, and which of them each battle ends with: battles of a part that begins with `first`, or of the whole.

    A composed battle does not say which of its battles ended how. They are put into a random order, which is valid but
    gains nothing.
    """
    if scenario.built.answer is None:
        ends, which = _each_outcome(scenario.chain, seed, battles, first or 0, shared)
        return outcome_columns(scenario, ends), which
    fight = SimulatedAnswer(scenario, seed if first is None else derive_seed(seed, first), threads)
    fight.add(battles)
    odds = fight.odds()
    assert odds.counts is not None
    order = np.random.default_rng(seed if first is None else [seed, first]).permutation(battles)
    return odds.columns, np.repeat(np.arange(len(odds.counts)), odds.counts)[order]


def _each_outcome(
    chain: Chain, seed: int, battles: int, first: int, shared: Shared | None
) -> tuple[OutcomeDistribution, np.ndarray]:
    """The outcomes of single battles; a change that changes no rule and no roll has those of the scenario before it."""
    from simulator.engine.api import each_outcome  # imports numba, which exact answers do not need

    if shared is None or chain.utilities is not None:
        return each_outcome(chain, seed, battles, first=first)
    key = digest(chain), seed, battles, first
    if (known := shared.recall(key)) is None:
        known = each_outcome(chain, seed, battles, first=first)
        shared.remember(key, known, battles)
    ends, which = known
    return ends, which


def difference(value: str, one: PairedAnswer, reference: PairedAnswer) -> Difference:
    """The value of one answer minus that of the reference."""
    d = measure(one.odds, value).value - measure(reference.odds, value).value
    simulated = [answer for answer in (one, reference) if answer.which is not None]
    if not simulated:
        return Difference(d, d, d, 0.5 if abs(d) <= ROUNDING else 1.0)
    numbers = [each for answer in simulated if (each := answer.each(value)) is not None]
    if not numbers:
        return Difference(d, math.nan, math.nan, math.nan)
    if len(numbers) == 2:
        a, b = numbers
        return _of_chances(a > 0, b > 0) if is_chance(value) else _of_means(a, b)
    # One of the two is exact: a number without variance.
    sign, found = 1 if one.which is not None else -1, measure(simulated[0].odds, value)
    number = d - sign * found.value
    low, high = sorted((number + sign * found.low, number + sign * found.high))
    return Difference(d, low, high, _confidence(d, float(numbers[0].std()) / math.sqrt(len(numbers[0]))))


def _confidence(d: float, error: float) -> float:
    if abs(d) <= ROUNDING:
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
