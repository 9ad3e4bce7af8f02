"""Distributions: distinct values in ascending order with their chances."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.analysis.odds.outcome_rows import offsets

# Worths closer than this are equal.
ALIKE = 1e-9


class Distribution(NamedTuple):
    """Distinct values in ascending order and their chances, both of shape (values,)."""

    values: np.ndarray
    p: np.ndarray

    @classmethod
    def of_column(cls, values: np.ndarray, p: np.ndarray) -> Distribution:
        """The distribution of a column of numbers or text whose rows have the chances `p`."""
        if coded := offsets(values):
            code, span = coded
            taken = np.flatnonzero(np.bincount(code, minlength=span))
            chances = np.bincount(code, p, span)[taken]
            return cls((taken + int(values.min())).astype(values.dtype), chances)
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
        cumulated = np.cumsum(self.p)
        place = int(np.searchsorted(cumulated, level * cumulated[-1] - 1e-12))
        return float(self.values[min(place, len(self.values) - 1)])

    def shortfall(self, level: float) -> float:
        """The mean of the worst `level` of the distribution; the outcome at its edge counts in part."""
        share = np.clip(level - (np.cumsum(self.p) - self.p), 0.0, self.p)
        share[-1] += max(0.0, level - float(share.sum()))  # rounding of the chances
        return float(self.values @ share) / level

    def columns(self) -> dict[str, np.ndarray]:
        """`value`, `p`, and for numbers `at_least` and `at_most`, the chances to reach and not to exceed the value."""
        columns = {"value": self.values, "p": self.p}
        if self.values.dtype.kind in "biuf":
            columns |= {"at_least": np.cumsum(self.p[::-1])[::-1], "at_most": np.cumsum(self.p)}
        return columns

    def rows(self) -> list[dict[str, float]]:
        """The rows of `columns` as plain values."""
        columns = self.columns()
        rows = zip(*(one.tolist() for one in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in rows]
