"""Distributions of a column, and confidence intervals of simulated numbers."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simulator.analysis.result import records
from simulator.rules.toolkit.merging import offsets
from simulator.rules.toolkit.tolerances import ALIKE, ROUNDING
from simulator.scenarios.validation import finite, given_number

LEVEL = 0.95


def _z(level: float) -> float:
    """Half-width in standard deviations. Raises ValueError for a level that is not between 0 and 1."""
    if not finite(level) or not 0 < level < 1:
        raise ValueError(f"level: {given_number(level)} is not allowed; above 0 and below 1, like 0.95")
    return _normal_quantile((1 + level) / 2)


@lru_cache(maxsize=16)  # an answer in words asks for the interval of each of its chances
def _normal_quantile(p: float) -> float:
    from statistics import NormalDist  # it takes 6 ms to import

    return NormalDist().inv_cdf(p)


def wilson(p: float, battles: float | None, level: float = LEVEL) -> tuple[float, float]:
    """Wilson score interval of a chance estimated as `p` from `battles` battles; (p, p) if that is None.

    Raises ValueError for a level that is not between 0 and 1. Source: Wilson, "Probable inference", JASA 22 (1927).
    """
    z = _z(level)
    if battles is None:
        return p, p
    centre = (p + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z / (1 + z * z / battles) * math.sqrt(p * (1 - p) / battles + z * z / (4 * battles * battles))
    return max(0.0, centre - half), min(1.0, centre + half)


def half_width_of_mean(std: float, battles: float | None, level: float = LEVEL) -> float:
    """Half-width of the normal interval of a mean of `battles` battles; 0 if that is None. Raises as `wilson`."""
    z = _z(level)
    return 0.0 if battles is None else z * std / math.sqrt(battles)


class Distribution(NamedTuple):
    """Distinct values in ascending order and their chances, both of shape (values,)."""

    values: np.ndarray
    p: np.ndarray

    @classmethod
    def of_column(cls, values: np.ndarray, p: np.ndarray) -> Distribution:
        """The distribution of a column of numbers or text, shape (rows,), whose rows have the chances `p`, float64."""
        if coded := offsets(values):
            code, span = coded
            chances = np.bincount(code, p, span)
            # An outcome may be without a chance; its value is listed all the same.
            able = np.minimum.reduce(p) > 0
            taken = (chances if able else np.bincount(code, minlength=span)).nonzero()[0]
            return cls((taken + int(np.minimum.reduce(values))).astype(values.dtype), chances[taken])
        distinct, inverse = np.unique(values, return_inverse=True)
        return cls(distinct, np.bincount(inverse, p))

    @classmethod
    def of_worths(cls, worths: np.ndarray, p: np.ndarray) -> Distribution:
        """The distribution of worths (float64) with the chances `p`; worths within 1e-9 are one."""
        order = np.argsort(worths, kind="stable")
        sorted_worths = worths[order]
        group = np.concatenate([[0], np.cumsum(np.diff(sorted_worths) > ALIKE)]) if len(order) else order
        first = np.unique(group, return_index=True)[1]
        return cls(sorted_worths[first], np.bincount(group, p[order]))

    @property
    def mean(self) -> float:
        """The expected value."""
        # Not a matrix product: that starts threads, and its rounding depends on the machine.
        return float((self.p * self.values).sum())

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(0.0, float((self.p * (self.values - self.mean) ** 2).sum())))

    def below(self, bound: float) -> float:
        """P(X < bound); a value within 1e-9 of the bound is not below it."""
        return float(self.p[self.values < bound - ALIKE].sum())

    def up_to(self, bound: float) -> float:
        """P(X <= bound)."""
        return float(self.p[self.values <= bound + ALIKE].sum())

    def mid_p(self, score: float) -> float:
        """P(X < score) + half of P(X = score)."""
        return 0.5 * (self.below(score) + self.up_to(score))

    def quantile(self, level: float) -> float:
        """The smallest value that is not exceeded with a chance of at least `level`."""
        cumulated = self.p.cumsum()
        place = int(cumulated.searchsorted(level * cumulated[-1] - ROUNDING))
        return float(self.values[min(place, len(self.values) - 1)])

    def shortfall(self, level: float) -> float:
        """The mean of the worst `level` of the distribution; the outcome at its edge counts in part."""
        share = np.clip(level - (np.cumsum(self.p) - self.p), 0.0, self.p)
        share[-1] += max(0.0, level - float(share.sum()))  # rounding of the chances
        return float(self.values @ share) / level

    def columns(self) -> dict[str, np.ndarray]:
        """Arrays by name, of shape (values,): `value`, in the dtype of the values, and `p`, its chance.

        For numbers also `at_least` and `at_most`, the chances to reach and not to exceed the value. All chances are
        float64.
        """
        columns = {"value": self.values, "p": self.p}
        if self.values.dtype.kind in "biuf":
            columns |= {"at_least": np.cumsum(self.p[::-1])[::-1], "at_most": np.cumsum(self.p)}
        return columns

    def rows(self) -> list[dict[str, float]]:
        """The rows of `columns` as plain values."""
        return records(self.columns())
