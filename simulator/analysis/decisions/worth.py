"""The worth of a battle by weights, and its risk. docs/rules/decisions.md section 7.

worth("risk-20v15", {"win": 15, "attacker_regiments_lost": -1}).shortfall
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simulator.analysis.field_words import owner_in_words
from simulator.analysis.odds.answer import answer as find_odds
from simulator.analysis.odds.distribution import Distribution, half_width_of_mean, wilson
from simulator.analysis.odds.measure import NO_WEIGHTS, Weighing, check_side, check_winner, weighing
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.odds import Odds
from simulator.analysis.odds.run import Interrupted, Progress
from simulator.analysis.result import Result
from simulator.analysis.words import in_chance
from simulator.scenarios import Source
from simulator.scenarios.arguments import checked
from simulator.scenarios.validation import finite, given_number

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, repr=False)
class Worth(Result):
    """The worth X of an outcome: mean, standard deviation, and measures of risk.

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
    odds: Odds
    spread: Distribution
    weighed: Weighing
    side: str = "attacker"

    json_fields = (
        *("mean", "low", "high", "std", "p_negative", "p_negative_low", "p_negative_high"),
        *("quantile", "shortfall", "level", "method", "side"),
    )
    json_rows = "distribution"

    def rows(self) -> list[dict[str, float]]:
        """The distribution of X: `value, p, at_least, at_most`."""
        return self.spread.rows()

    @property
    def distribution(self) -> pd.DataFrame:
        """The distribution of X: the same as `table`."""
        return self.table

    @property
    def headline(self) -> str:
        """The mean worth, and the chance of a loss."""
        simulated = self.odds.battles is not None
        mean = f"{self.mean:.4g}"
        mean = f"about {mean} ({self.low:.4g} to {self.high:.4g})" if simulated else mean
        name = owner_in_words(self.odds.battle, self.odds.scenario or {}, self.side)
        negative = (self.p_negative_low, self.p_negative_high) if simulated else None
        less = in_chance(self.p_negative, negative)
        risk = "never less than 0" if less == "never" else f"less than 0 {less}"
        return f"It is worth {mean} to {name} on average, and {risk}."

    def how(self) -> str:
        """The weights, and how the odds were obtained."""
        return f"{self.side}: {self.weighed.in_words()}; {self.odds.how()}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        return super().to_dict() | {
            "p_lose": {f"{x:g}": p for x, p in self.p_lose.items()},
            "weights": self.weighed.in_words(),
            "battles": self.odds.battles,
            "seed": self.odds.seed,
        }


@checked
def worth(
    answer: Odds | Source,
    weights: Mapping[str, float] | None = None,
    level: float = 0.05,
    lose: Sequence[float] = (),
    side: str = "attacker",
    *,
    method: str | Method = "auto",
    progress: Progress | None = None,
) -> Worth:
    """The worth of a battle to a side by weights, and its risk.

    Parameters
    ----------
    answer : Odds, Scenario, mapping, str or Path
        Odds, or a scenario, which is then answered.
    weights : mapping of str to float, optional
        Weights of `win`, `take` and outcome columns; by default the objective of the scenario.
    level : float
        The share of the worst outcomes for `quantile` and `shortfall`, above 0 and at most 1.
    lose : sequence of float
        Losses x for which the chance of a worth of -x or less is computed.
    side : str
        "attacker" or "defender".
    method : str
        The method of the odds, as `odds` takes it; ask `odds` first for a seed or a precision of your own.

    Returns
    -------
    Worth
        Mean, standard deviation, quantile, shortfall, and the distribution.

    Raises
    ------
    ScenarioError
        For an invalid scenario, and an unknown weight.
    ValueError
        For a number out of range, without weights, and for winning alone in a kind of battle that has no winner.
    Interrupted
        After Ctrl-C, with the worth from the battles so far.

    Examples
    --------
    >>> round(worth("risk-20v15", {"win": 15, "attacker_regiments_lost": -1}).mean, 3)
    0.636
    """
    check_side(side)
    if not finite(level) or not 0 < level <= 1:
        raise ValueError(f"level: {given_number(level)} is not allowed; above 0 and at most 1 (5 % is 0.05)")
    for x in lose:
        if not finite(x) or x < 0:
            raise ValueError(f"lose: {given_number(x)} is not allowed; 0 or more")
    if weights is not None:
        weighing(None, weights, side)
    cut = False
    try:
        odds = answer if isinstance(answer, Odds) else find_odds(answer, Method.given(method), progress)
    except Interrupted as short:
        odds, cut = short.gathered, True
    weighed = weighing(odds.scenario, weights, side)
    if weighed is None:
        raise ValueError(NO_WEIGHTS)
    check_winner(odds, weighed.weights)
    found = weigh(odds, weighed, level, lose, side)
    if cut:
        raise Interrupted(found)
    return found


def weigh(odds: Odds, weighed: Weighing, level: float, lose: Sequence[float], side: str) -> Worth:
    """The worth of these odds."""
    spread = Distribution.of_worths(weighed.worth(odds), odds.chances)
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
