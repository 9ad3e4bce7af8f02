"""Distributions of a column, confidence intervals of simulated numbers, and merging equal rows of outcomes."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from simulator.analysis.result import records
from simulator.rules.battle import Outcomes
from simulator.scenarios.validation import finite, given_number

# Worths closer than this are equal.
ALIKE = 1e-9
LEVEL = 0.95
# Whole numbers within a range of this size are ranked by their offset, without sorting.
MOST_COUNTED = 1 << 20
LARGEST_CODE = 1 << 62


def _z(level: float) -> float:
    """Half-width in standard deviations. Raises ValueError for a level that is not between 0 and 1."""
    if not finite(level) or not 0 < level < 1:
        raise ValueError(f"level: {given_number(level)} is not allowed; above 0 and below 1, like 0.95")
    return NormalDist().inv_cdf((1 + level) / 2)


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


def merge(outcomes: Outcomes) -> Outcomes:
    """The same outcomes with equal rows merged, in ascending order of the columns."""
    return merge_rows(outcomes)[0]


def merge_rows(outcomes: Outcomes) -> tuple[Outcomes, np.ndarray]:
    """As `merge`, and for each of the rows given the number of the merged row (int, shape (rows,))."""
    code, codes = np.zeros(len(outcomes.p), np.int64), 1
    for values in outcomes.columns.values():
        rank, ranks = offsets(np.asarray(values)) or _sorted_ranks(values)
        if codes * ranks > LARGEST_CODE:
            held, code = np.unique(code, return_inverse=True)
            codes = len(held)
            if codes == len(code):
                break  # the columns up to here distinguish and order all rows
        if ranks > 1:
            code = code * ranks + rank
            codes *= ranks
    first, row = _distinct(code, codes)
    count = None if outcomes.count is None else np.bincount(row, outcomes.count).astype(np.int64)
    merged = Outcomes(
        {name: np.asarray(values)[first] for name, values in outcomes.columns.items()},
        np.bincount(row, outcomes.p),
        count,
        outcomes.residual,
        outcomes.explored,
    )
    return merged, row


def _distinct(code: np.ndarray, codes: int) -> tuple[np.ndarray, np.ndarray]:
    """For each distinct code, in ascending order, the place where it first stands; for each place, its number."""
    if codes > 4 * len(code) + 1024:
        _, first, row = np.unique(code, return_index=True, return_inverse=True)
        return first, row
    where = np.full(codes, -1)
    where[code[::-1]] = np.arange(len(code))[::-1]
    held = np.flatnonzero(where >= 0)
    first = where[held]
    where[held] = np.arange(len(held))
    return first, where[code]


def _sorted_ranks(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Ranks from 0 in the order of the values, and their number."""
    distinct, rank = np.unique(values, return_inverse=True)
    return rank, len(distinct)


def offsets(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """The distance of each value from the smallest, int64, shape (values,), and the number of values in the range.

    `values` has this shape and any dtype. None for an empty array, for other values than whole numbers and bool, and
    for a range of MOST_COUNTED values or more.
    """
    if values.dtype.kind not in "biu" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= MOST_COUNTED:
        return None
    return np.subtract(values, low, dtype=np.int64), high - low + 1


class Distribution(NamedTuple):
    """Distinct values in ascending order and their chances, both of shape (values,)."""

    values: np.ndarray
    p: np.ndarray

    @classmethod
    def of_column(cls, values: np.ndarray, p: np.ndarray) -> Distribution:
        """The distribution of a column of numbers or text, shape (rows,), whose rows have the chances `p`, float64."""
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
