"""Two simulations told battle by battle: the difference of their answers, with what the common dice gain.

docs/rules/decisions.md section 3. Battle i of the one is held against battle i of the other; both have the same seed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from simulator.analysis.odds.answer import Enumerated, Fight, Method, check_numbers, labelled, seen, settle
from simulator.analysis.odds.chain_cache import Shared
from simulator.analysis.odds.intervals import LEVEL, wilson
from simulator.analysis.odds.measure import is_chance, measure
from simulator.analysis.odds.mix import allotted, combined, mix, shares, told_drawn
from simulator.analysis.odds.odds import Odds
from simulator.engine.model.limits import NoExactOdds
from simulator.engine.model.streams import derive_seed
from simulator.rules.battle import WINNERS, Columns, Outcomes
from simulator.scenarios import Draft, Scenario

NORMAL = NormalDist()
Z = NORMAL.inv_cdf((1 + LEVEL) / 2)
EQUAL = 1e-12
BATTLES = 1_000_000


class Difference(NamedTuple):
    """Estimate minus the reference's, its 95 % interval, and how sure its sign is.

    `gain` is the variance of an unpaired simulation over that of this one (None where nothing is paired).
    """

    value: float
    low: float
    high: float
    confidence: float
    gain: float | None = None


@dataclass(frozen=True)
class Fought:
    """The odds of a scenario and, where it was simulated, the row of the outcomes that each battle came to."""

    odds: Odds
    which: np.ndarray | None = None

    def each(self, value: str) -> np.ndarray:
        """The value asked (a chance's event: 1 or 0, or a column) for each battle."""
        assert self.which is not None
        return np.asarray(of_outcomes(self.odds, value)[self.which])


def of_outcomes(odds: Odds, value: str) -> np.ndarray:
    """A value as a number for each distinct outcome: 1.0 or 0.0 for a chance, the column for a mean."""
    if value.startswith("p_") and value[2:] in WINNERS:
        return np.asarray(odds.columns["winner"] == WINNERS.index(value[2:]), float)
    if not is_chance(value):
        return odds.numbers(value[5:]).astype(float)
    return odds._where(value).astype(float)


def answered(
    scenario: Scenario,
    battles: int | None,
    seed: int,
    budget: int,
    threads: int | None = None,
    many: int = BATTLES,
    shared: Shared | None = None,
) -> Fought:
    """Exact where it fits (and no battles are asked for), else battle by battle, `many` unless told.

    `shared` keeps the ends of equal chains.
    """
    if battles is None:
        try:
            found = settle(scenario, Method(exact=True, budget=budget), shared=shared)
            assert isinstance(found, Enumerated)
            return Fought(found.odds())
        except NoExactOdds:
            pass
    return fought(scenario, battles or many, seed, threads)


def fought(scenario: Scenario, battles: int, seed: int, threads: int | None = None) -> Fought:
    """Battles 0 to `battles - 1` of the seed.

    A composed battle does not tell its battles apart: they are put in any order, which is valid but gains nothing.
    """
    check_numbers(battles, seed, threads)
    if scenario.built.answer is None:
        from simulator.engine.api import each_end

        ends, which = each_end(scenario.chain, seed, battles)
        outcomes = Outcomes(seen(scenario, ends), ends.p, ends.count)
        odds, rows = labelled(scenario, outcomes, battles, seed), _merged_rows(outcomes)
        return Fought(odds, rows[which])
    fight = Fight(scenario, seed, threads)
    fight.add(battles)
    odds = fight.odds()
    assert odds.counts is not None
    order = np.random.default_rng(seed).permutation(battles)
    return Fought(odds, np.repeat(np.arange(len(odds.counts)), odds.counts)[order])


def answered_mixture(base: Draft, battles: int | None, seed: int, budget: int, many: int = BATTLES) -> Fought:
    """A scenario with fields that are not known: exact where all its combinations are, else battle by battle."""
    if battles is None:
        try:
            return Fought(mix(base, seed=seed, exact=True, budget=budget).odds)
        except NoExactOdds:
            pass
    return fought_mixture(base, battles or many, seed)


def fought_mixture(base: Draft, battles: int, seed: int) -> Fought:
    """The combinations of what is not known one after the other, each with its share of the battles.

    So battle i of two such scenarios stands at the same place of what may be drawn. Raises ValueError for fewer battles
    than combinations.
    """
    drafts, fields = combined(base)
    if battles < len(drafts):
        raise ValueError(f"battles: {battles:,} is not allowed; the mixture has {len(drafts):,} combinations")
    portions = allotted(shares(fields), battles, least=0)
    asked = [one.checked() for one, portion in zip(drafts, portions, strict=True) if portion]
    parts, first = [], 0
    for one, portion in zip(asked, filter(None, portions), strict=True):
        parts.append(_ended(one, portion, seed, first))
        first += portion
    names = [name for name in parts[0][0] if all(name in columns for columns, _ in parts)]
    offsets = np.cumsum([0, *(len(next(iter(columns.values()))) for columns, _ in parts)])
    columns = {name: np.concatenate([columns[name] for columns, _ in parts]) for name in names}
    which = np.concatenate([offset + rows for offset, (_, rows) in zip(offsets, parts, strict=False)])
    count = np.bincount(which, minlength=offsets[-1])
    outcomes = Outcomes(columns, count / battles, count)
    odds = Odds(
        outcomes,
        battle=asked[0].battle,
        battles=battles,
        seed=seed,
        settings=[line for line in asked[0].settings() if line.split(" = ", maxsplit=1)[0] not in fields],
        assumptions=[*told_drawn(fields), *asked[0].assumptions()],
        scenario=base.data,
    )
    return Fought(odds, _merged_rows(outcomes)[which])


def _ended(scenario: Scenario, battles: int, seed: int, first: int) -> tuple[Columns, np.ndarray]:
    """Outcomes, and which of them each of the battles from `first` on came to; see `fought`."""
    if scenario.built.answer is None:
        from simulator.engine.api import each_end

        ends, which = each_end(scenario.chain, seed, battles, first=first)
        return seen(scenario, ends), which
    fight = Fight(scenario, derive_seed(seed, first))
    fight.add(battles)
    odds = fight.odds()
    assert odds.counts is not None
    order = np.random.default_rng([seed, first]).permutation(battles)
    return odds.columns, np.repeat(np.arange(len(odds.counts)), odds.counts)[order]


def _merged_rows(outcomes: Outcomes) -> np.ndarray:
    """The number that each row gets when equal rows are made one."""
    from simulator.analysis.odds.outcome_rows import merge

    marked = replace(outcomes, p=np.arange(len(outcomes.p), dtype=float), count=None)
    names = list(outcomes.columns)
    kept = merge(marked)
    place = {
        tuple(row): number for number, row in enumerate(zip(*(kept.columns[n].tolist() for n in names), strict=True))
    }
    rows = zip(*(np.asarray(outcomes.columns[n]).tolist() for n in names), strict=True)
    return np.array([place[tuple(row)] for row in rows], np.int64)


def difference(value: str, one: Fought, reference: Fought) -> Difference:
    """The value of the one minus that of the reference."""
    d = measure(one.odds, value).value - measure(reference.odds, value).value
    if one.which is None and reference.which is None:
        return Difference(d, d, d, 0.5 if abs(d) <= EQUAL else 1.0)
    if value.startswith(("std.", "std_")) or (value[:1] == "q" and not is_chance(value)):
        return Difference(d, math.nan, math.nan, math.nan)
    if one.which is None or reference.which is None:
        return _against_number(value, d, one, reference)
    a, b = one.each(value), reference.each(value)
    return _of_chances(a > 0, b > 0) if is_chance(value) else _of_means(a, b)


def _against_number(value: str, d: float, one: Fought, reference: Fought) -> Difference:
    """One of the two is exact: it enters as its number, without variance."""
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
    spread = float(np.std(of_outcomes(simulated.odds, value)[simulated.which])) / math.sqrt(n)
    return Difference(d, least, most, _sureness(d, spread))


def _sureness(d: float, spread: float) -> float:
    if abs(d) <= EQUAL:
        return 0.5
    return NORMAL.cdf(abs(d) / spread) if spread > 0 else 1.0


def _of_means(a: np.ndarray, b: np.ndarray) -> Difference:
    d = a - b
    mean, spread = float(d.mean()), float(d.std()) / math.sqrt(len(d))
    gain = _ratio(float(a.var() + b.var()), float(d.var()))
    return Difference(mean, mean - Z * spread, mean + Z * spread, _sureness(mean, spread), gain)


def _ratio(unpaired: float, paired: float) -> float | None:
    return unpaired / paired if paired > 0 else None


def _of_chances(a: np.ndarray, b: np.ndarray) -> Difference:
    """Agresti and Min's interval of paired chances; the sign test's mid-p for the sign."""
    n, more, less = len(a), int((a & ~b).sum()), int((b & ~a).sum())
    centre = (more - less) / (n + 2)
    half = Z * math.sqrt((more + less + 1) - (more - less) ** 2 / (n + 2)) / (n + 2)
    gain = _ratio(float(a.var() + b.var()), (more + less) / n - ((more - less) / n) ** 2)
    sure = 1 - mid_p(max(more, less), more + less) if more + less else 0.5
    return Difference((more - less) / n, centre - half, centre + half, sure, gain)


def mid_p(successes: int, tries: int) -> float:
    """Chance of more than so many successes in fair tries, and half that of as many."""
    from scipy.special import bdtrc  # scipy.stats takes a second to import

    return float(bdtrc(successes, tries, 0.5) + bdtrc(successes - 1, tries, 0.5)) / 2
