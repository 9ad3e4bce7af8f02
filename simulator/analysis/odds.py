"""Odds: the distinct outcomes of a battle with their chances, and everything that is asked of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.rules.battle import WINNERS, Columns, Outcomes

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95


def wilson(p: float, battles: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson score interval of a chance estimated as `p` from `battles` battles.

    Source: Wilson, "Probable inference", JASA 22 (1927).
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (p + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z / (1 + z * z / battles) * math.sqrt(p * (1 - p) / battles + z * z / (4 * battles * battles))
    return max(0.0, centre - half), min(1.0, centre + half)


class Odds:
    """Distinct outcomes of one battle with their chances; exact and simulated ones look alike.

    `method` is "exact" or "simulated"; `battles` and `seed` are None when exact; `residual` is the chance that exact
    enumeration left undecided (0 when simulated). `assumptions` are the options, policies and assumed numbers that
    the answer rests on, `headline` the columns a summary shows.
    """

    def __init__(
        self,
        outcomes: Outcomes,
        *,
        battles: int | None = None,
        seed: int | None = None,
        headline: Sequence[str] = (),
        assumptions: Sequence[str] = (),
        scenario: Mapping[str, Any] | None = None,
    ) -> None:
        self._raw = outcomes
        self.battles, self.seed = battles, seed
        self.method = "exact" if battles is None else "simulated"
        self.residual = outcomes.residual
        self.explored = outcomes.explored
        self.headline = tuple(name for name in headline if name in outcomes.columns)
        self.assumptions = list(assumptions)
        self.scenario = scenario

    @cached_property
    def _merged(self) -> Outcomes:
        return merge(self._raw)

    @property
    def columns(self) -> Columns:
        """The columns of the distinct outcomes; `winner` holds codes, see rules/battle.py."""
        return self._merged.columns

    @property
    def chances(self) -> np.ndarray:
        """The chance of each distinct outcome."""
        return self._merged.p

    @property
    def counts(self) -> np.ndarray | None:
        """How many simulated battles came to each distinct outcome; None when exact."""
        return self._merged.count

    @cached_property
    def table(self) -> pd.DataFrame:
        """One row a distinct outcome: `winner`, the game's columns, `p`, and `count` when simulated."""
        import pandas as pd

        data: dict[str, Any] = {"winner": np.array(WINNERS)[self.columns["winner"]]}
        data.update({name: values for name, values in self.columns.items() if name != "winner"})
        data["p"] = self.chances
        if self.counts is not None:
            data["count"] = self.counts
        return pd.DataFrame(data)

    def _where(self, query: str) -> np.ndarray:
        """Which outcomes a pandas query string selects. Raises ValueError when it cannot be understood."""
        if query in self.columns and self.columns[query].dtype == np.bool_:
            return self.columns[query]
        try:
            chosen = np.asarray(self.table.eval(query))
        except Exception as error:  # pandas raises many kinds
            raise ValueError(f"query {query!r} cannot be read: {error}; columns: {', '.join(self.columns)}") from None
        if chosen.dtype != np.bool_ or chosen.shape != self.chances.shape:
            raise ValueError(f'query {query!r} is no yes/no question; write it like "attacker_losses >= 5"')
        return chosen

    def _column(self, name: str) -> np.ndarray:
        if name not in self.columns or name == "winner":
            known = ", ".join(column for column in self.columns if column != "winner")
            raise ValueError(f"no column {name!r}; columns: {known}")
        return self.columns[name]

    def p(self, query: str) -> float:
        """Chance of a pandas query string such as "winner == 'attacker'" or "attacker_losses >= 5".

        The name of a yes/no column alone will do. Raises ValueError for one that cannot be understood.
        """
        return float(self.chances[self._where(query)].sum())

    def winner(self, side: str) -> float:
        """Chance that `side` ("attacker", "defender" or "nobody") wins."""
        if side not in WINNERS:
            raise ValueError(f"winner: {side!r} is not allowed; give one of {', '.join(WINNERS)}")
        return float(self._raw.p[self._raw.columns["winner"] == WINNERS.index(side)].sum())

    def mean(self, column: str) -> float:
        """Expected value of a column. Raises ValueError for an unknown one."""
        return float(self.chances @ self._column(column))

    def std(self, column: str) -> float:
        """Standard deviation of a column. Raises ValueError for an unknown one."""
        values = self._column(column).astype(float)
        mean = self.chances @ values
        return math.sqrt(max(0.0, float(self.chances @ (values - mean) ** 2)))

    def quantile(self, column: str, q: float = 0.5) -> float:
        """Smallest value that the column does not exceed with a chance of at least `q`."""
        if not 0 <= q <= 1:
            raise ValueError(f"q: {q} is not allowed; give a number from 0 to 1")
        values = self._column(column)
        order = np.argsort(values, kind="stable")
        gathered = np.cumsum(self.chances[order])
        place = min(int(np.searchsorted(gathered, q * gathered[-1] - 1e-12)), len(order) - 1)
        return float(values[order][place])

    def interval(self, query: str, level: float = LEVEL) -> tuple[float, float]:
        """Wilson score interval of the chance of `query`, or of a column's mean (normal); no width when exact.

        `query` is as for `p`, or the name of a number column. Raises ValueError for one that is neither.
        """
        if query in self.columns and query != "winner" and self.columns[query].dtype != np.bool_:
            mean = self.mean(query)
            if self.battles is None:
                return mean, mean
            half = NormalDist().inv_cdf((1 + level) / 2) * self.std(query) / math.sqrt(self.battles)
            return mean - half, mean + half
        p = self.p(query)
        return (p, p) if self.battles is None else wilson(p, self.battles, level)

    def winner_interval(self, side: str, level: float = LEVEL) -> tuple[float, float]:
        """Interval of the chance that `side` wins, as `interval`."""
        p = self.winner(side)
        return (p, p) if self.battles is None else wilson(p, self.battles, level)

    def distribution(self, column: str) -> pd.DataFrame:
        """Chances of each value of a column: `value`, `p`, `at_least`, `at_most`; `low` and `high` when simulated."""
        import pandas as pd

        values, inverse = np.unique(self._column(column), return_inverse=True)
        p = np.bincount(inverse, self.chances)
        data = {"value": values, "p": p, "at_least": np.cumsum(p[::-1])[::-1], "at_most": np.cumsum(p)}
        if self.battles is not None:
            bounds = [wilson(chance, self.battles) for chance in p]
            data["low"], data["high"] = (np.array(side) for side in zip(*bounds, strict=True))
        return pd.DataFrame(data)

    def summary(self) -> pd.DataFrame:
        """Headline columns with mean, interval of the mean, standard deviation and the 5, 50 and 95 % quantiles."""
        import pandas as pd

        return pd.DataFrame(self.summary_rows()).set_index("column")

    def summary_rows(self) -> list[dict[str, Any]]:
        """The rows of `summary` as plain values."""
        rows = []
        for name in self.headline or [column for column in self.columns if column != "winner"]:
            low, high = self.interval(name)
            row: dict[str, Any] = {"column": name, "mean": self.mean(name), "low": low, "high": high}
            row["std"] = self.std(name)
            row |= {f"q{round(100 * q):02d}": self.quantile(name, q) for q in (0.05, 0.5, 0.95)}
            rows.append(row)
        return rows

    def likely(self, most: int = 5, columns: Sequence[str] | None = None) -> list[dict[str, Any]]:
        """The most likely outcomes, told by the winner and the headline columns (or those given)."""
        chosen = {"winner": self.columns["winner"]} | {name: self._column(name) for name in columns or self.headline}
        seen = merge(Outcomes(chosen, self.chances, self.counts))
        order = np.argsort(-seen.p, kind="stable")[:most]
        return [
            {
                name: WINNERS[values[row]] if name == "winner" else values[row].item()
                for name, values in seen.columns.items()
            }
            | {"p": float(seen.p[row])}
            for row in order
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON: how it was obtained, chances with intervals, summary, table."""
        chances = {}
        for side in WINNERS:
            low, high = self.winner_interval(side)
            chances[side] = {"p": self.winner(side), "low": low, "high": high}
        for name, values in self.columns.items():
            if values.dtype == np.bool_:
                low, high = self.interval(name)
                chances[name] = {"p": self.p(name), "low": low, "high": high}
        table = {name: values.tolist() for name, values in self.columns.items()}
        table["winner"] = [WINNERS[code] for code in table["winner"]]
        return {
            "method": self.method,
            "battles": self.battles,
            "seed": self.seed,
            "residual": self.residual,
            "level": LEVEL,
            "chances": chances,
            "summary": self.summary_rows(),
            "assumptions": self.assumptions,
            "scenario": self.scenario,
            "table": table
            | {"p": self.chances.tolist()}
            | ({} if self.counts is None else {"count": self.counts.tolist()}),
        }

    def plot(self, column: str | None = None, path: Any = None) -> Any:
        """A figure of the distribution of `column` (the first headline column by default), split by winner.

        Saved to `path` (png or svg) if given. Returns the matplotlib figure.
        """
        from simulator.report.plots import plot_odds

        return plot_odds(self, column, path)

    def how(self) -> str:
        """How the answer was obtained, in one line."""
        if self.battles is None:
            left = f", {self.residual:.1e} left undecided" if self.residual else ""
            return f"exact ({self.explored:,} states{left})" if self.explored else "exact (no dice)"
        return f"simulated: {self.battles:,} battles, seed {self.seed}, 95 % intervals"

    def __repr__(self) -> str:
        chances = ", ".join(f"{side} {self.winner(side):.4f}" for side in WINNERS)
        return f"Odds({chances}; {self.how()})"


def merge(outcomes: Outcomes) -> Outcomes:
    """The same outcomes with equal rows made one, in ascending order of the columns."""
    names = list(outcomes.columns)
    size = len(outcomes.p)
    code = np.zeros(size, np.int64)
    for name in names:
        _, inverse = np.unique(outcomes.columns[name], return_inverse=True)
        _, code = np.unique(code * (int(inverse.max(initial=0)) + 1) + inverse, return_inverse=True)
    _, first = np.unique(code, return_index=True)
    count = None if outcomes.count is None else np.bincount(code, outcomes.count).astype(np.int64)
    return Outcomes(
        {name: np.asarray(outcomes.columns[name])[first] for name in names},
        np.bincount(code, outcomes.p),
        count,
        outcomes.residual,
        outcomes.explored,
    )
