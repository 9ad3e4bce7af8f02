"""What a battle is worth by weights, and how bad it can get. docs/rules/decisions.md section 7.

worth("risk-20v15", {"win": 15, "attacker_regiments_lost": -1}).shortfall
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.analysis.decisions.weights import Weighing, check_side, weighing
from simulator.analysis.odds.answer import Interrupted, Method, Progress
from simulator.analysis.odds.answer import answer as find_odds
from simulator.analysis.odds.intervals import half_width_of_mean, wilson
from simulator.analysis.odds.odds import Odds
from simulator.scenarios import Source
from simulator.scenarios.validation import finite, given_number

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

ALIKE = 1e-9
NO_WEIGHTS = "weights: give some, like win=1, or an [objective.attacker]"


@dataclass(frozen=True)
class Distribution:
    """The distinct worths in ascending order, and their chances; worths within 1e-9 are one."""

    value: np.ndarray
    p: np.ndarray

    @classmethod
    def of(cls, worths: np.ndarray, chances: np.ndarray) -> Distribution:
        """Gather equal worths."""
        order = np.argsort(worths, kind="stable")
        sorted_worths = worths[order]
        group = np.concatenate([[0], np.cumsum(np.diff(sorted_worths) > ALIKE)]) if len(order) else order
        first = np.unique(group, return_index=True)[1]
        return cls(sorted_worths[first], np.bincount(group, chances[order]))

    @property
    def mean(self) -> float:
        """Expectation."""
        return float(self.value @ self.p)

    @property
    def std(self) -> float:
        """Standard deviation."""
        return math.sqrt(max(0.0, float((self.value - self.mean) ** 2 @ self.p)))

    def below(self, bound: float) -> float:
        """P(X < bound); a worth within 1e-9 of the bound is on it, not below."""
        return float(self.p[self.value < bound - ALIKE].sum())

    def up_to(self, bound: float) -> float:
        """P(X <= bound)."""
        return float(self.p[self.value <= bound + ALIKE].sum())

    def mid_p(self, score: float) -> float:
        """P(X < score) + half of P(X = score)."""
        return 0.5 * (self.below(score) + self.up_to(score))

    def quantile(self, level: float) -> float:
        """The smallest worth that is not exceeded with a chance of at least `level`."""
        gathered = np.cumsum(self.p)
        place = int(np.searchsorted(gathered, level * gathered[-1] - 1e-12))
        return float(self.value[min(place, len(self.value) - 1)])

    def shortfall(self, level: float) -> float:
        """The mean of the worst `level` of the distribution; the outcome at its edge counts in part."""
        left = np.clip(level - (np.cumsum(self.p) - self.p), 0.0, self.p)
        left[-1] += max(0.0, level - float(left.sum()))  # rounding of the chances
        return float(self.value @ left) / level

    def rows(self) -> list[dict[str, float]]:
        """`value, p, at_least, at_most`."""
        at_most, at_least = np.cumsum(self.p), np.cumsum(self.p[::-1])[::-1]
        columns = {"value": self.value, "p": self.p, "at_least": at_least, "at_most": at_most}
        rows = zip(*(one.tolist() for one in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]


@dataclass(frozen=True)
class Worth:
    """X, the worth of an outcome: mean, spread, and its bad end.

    `quantile` is the value at risk at `level`, `shortfall` the mean of the worst `level` (CVaR), `p_negative` P(X < 0),
    `p_lose` the chance of X <= -x by x. `low`, `high` and those of `p_negative` are 95 % bounds (exact: no width).
    """

    mean: float
    low: float
    high: float
    std: float
    p_negative: float
    p_negative_low: float
    p_negative_high: float
    quantile: float
    shortfall: float
    p_lose: Mapping[float, float]
    level: float
    method: str
    odds: Odds = field(repr=False)
    spread: Distribution = field(repr=False)
    weighed: Weighing = field(repr=False)
    side: str = "attacker"

    def rows(self) -> list[dict[str, float]]:
        """The distribution of X: `value, p, at_least, at_most`."""
        return self.spread.rows()

    @property
    def distribution(self) -> pd.DataFrame:
        """`rows` as a DataFrame."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    table = distribution

    def how(self) -> str:
        """What was weighed, and how the odds were obtained."""
        return f"{self.side}: {self.weighed.in_words()}; {self.odds.how()}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        names = ("mean", "low", "high", "std", "p_negative", "p_negative_low", "p_negative_high")
        rest = ("quantile", "shortfall", "level", "method", "side")
        return {name: getattr(self, name) for name in (*names, *rest)} | {
            "p_lose": {f"{x:g}": p for x, p in self.p_lose.items()},
            "weights": self.weighed.in_words(),
            "battles": self.odds.battles,
            "seed": self.odds.seed,
            "how": self.how(),
            "distribution": self.rows(),
        }

    def plot(self, path: Any = None) -> Figure:
        """The distribution of X, losses and the worst `level` coloured. Returns the matplotlib figure."""
        from simulator.report.worth_plot import plot_worth

        return plot_worth(self, path)


def worth(
    answer: Odds | Source,
    weights: Mapping[str, float] | None = None,
    level: float = 0.05,
    lose: Sequence[float] = (),
    side: str = "attacker",
    *,
    method: Method | None = None,
    progress: Progress | None = None,
) -> Worth:
    """The worth of a battle for a side: `answer` is its odds, or a scenario (then its `odds`, or as `method` says).

    Without `weights` the scenario's objective is taken. Raises ScenarioError and ValueError, Interrupted with the worth
    by the battles fought until then.
    """
    check_side(side)
    _check_level(level)
    for x in lose:
        if not finite(x) or x < 0:
            raise ValueError(f"lose: {given_number(x)} is not allowed; 0 or more")
    if weights is not None:
        weighing(None, weights, side)
    cut = False
    try:
        odds = answer if isinstance(answer, Odds) else find_odds(answer, method, progress)
    except Interrupted as short:
        odds, cut = short.gathered, True
    weighed = weighing(odds.scenario, weights, side)
    if weighed is None:
        raise ValueError(NO_WEIGHTS)
    found = weigh(odds, weighed, level, lose, side)
    if cut:
        raise Interrupted(found)
    return found


def _check_level(level: float) -> None:
    if not finite(level) or not 0 < level <= 1:
        raise ValueError(f"level: {given_number(level)} is not allowed; above 0 and at most 1")


def weigh(odds: Odds, weighed: Weighing, level: float, lose: Sequence[float], side: str) -> Worth:
    """The worth of these odds."""
    spread = Distribution.of(weighed.worth(odds), odds.chances)
    negative = spread.below(0.0)
    half, bounds = half_width_of_mean(spread.std, odds.battles), wilson(negative, odds.battles)
    return Worth(
        mean=spread.mean,
        low=spread.mean - half,
        high=spread.mean + half,
        std=spread.std,
        p_negative=negative,
        p_negative_low=bounds[0],
        p_negative_high=bounds[1],
        quantile=spread.quantile(level),
        shortfall=spread.shortfall(level),
        p_lose={x: spread.up_to(-x) for x in lose},
        level=level,
        method=odds.method,
        odds=odds,
        spread=spread,
        weighed=weighed,
        side=side,
    )
