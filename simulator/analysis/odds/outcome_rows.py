"""Rows of outcomes: equal ones made one, and the distribution of one of their columns."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from simulator.rules.battle import Outcomes

# Whole numbers that span no more than this are counted, not sorted.
MOST_COUNTED = 1 << 20
LARGEST_CODE = 1 << 62


def merge(outcomes: Outcomes) -> Outcomes:
    """The same outcomes with equal rows made one, in ascending order of the columns."""
    code, codes = np.zeros(len(outcomes.p), np.int64), 1
    for values in outcomes.columns.values():
        rank, ranks = _ranked(np.asarray(values))
        if codes * ranks > LARGEST_CODE:
            held, code = np.unique(code, return_inverse=True)
            codes = len(held)
            if codes == len(code):
                break  # all are told apart, and in order, by the columns up to here
        if ranks > 1:
            code = code * ranks + rank
            codes *= ranks
    first, row = _distinct(code, codes)
    count = None if outcomes.count is None else np.bincount(row, outcomes.count).astype(np.int64)
    return Outcomes(
        {name: np.asarray(values)[first] for name, values in outcomes.columns.items()},
        np.bincount(row, outcomes.p),
        count,
        outcomes.residual,
        outcomes.explored,
    )


def _distinct(code: np.ndarray, codes: int) -> tuple[np.ndarray, np.ndarray]:
    """Where each of some numbers below `codes` is first met, in ascending order, and which of these each is."""
    if codes > 4 * len(code) + 1024:
        _, first, row = np.unique(code, return_index=True, return_inverse=True)
        return first, row
    where = np.full(codes, -1)
    where[code[::-1]] = np.arange(len(code))[::-1]
    held = np.flatnonzero(where >= 0)
    first = where[held]
    where[held] = np.arange(len(held))
    return first, where[code]


def _ranked(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Numbers from 0 that order values as they are ordered, and one more than the largest."""
    if counted := _counted(values):
        return counted
    _, rank = np.unique(values, return_inverse=True)
    return rank, int(rank.max(initial=0)) + 1


def _counted(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """How far each of some whole numbers is above the smallest, and their span; None for others, or too far apart."""
    if values.dtype.kind not in "biu" or not len(values):
        return None
    low, high = int(values.min()), int(values.max())
    if high - low >= MOST_COUNTED:
        return None
    return np.subtract(values, low, dtype=np.int64), high - low + 1


class Spread(NamedTuple):
    """The values a column takes, in ascending order, and the chance of each."""

    values: np.ndarray
    p: np.ndarray

    @property
    def mean(self) -> float:
        """The expected value."""
        # Not a product of matrices: that wakes threads, and its rounding depends on the machine.
        return float((self.p * self.values).sum())

    @property
    def std(self) -> float:
        """The standard deviation."""
        return math.sqrt(max(0.0, float((self.p * (self.values - self.mean) ** 2).sum())))

    def quantile(self, q: float) -> float:
        """The smallest value that is not exceeded with a chance of at least `q`."""
        gathered = self.p.cumsum()
        place = min(int(gathered.searchsorted(q * gathered[-1] - 1e-12)), len(gathered) - 1)
        return float(self.values[place])


def spread_of(values: np.ndarray, p: np.ndarray) -> Spread:
    """The distribution of a column of numbers or text whose rows have the chances `p`."""
    if counted := _counted(values):
        place, span = counted
        taken = np.flatnonzero(np.bincount(place, minlength=span))
        chances = np.bincount(place, p, span)[taken]
        return Spread((taken + int(values.min())).astype(values.dtype), chances)
    held, inverse = np.unique(values, return_inverse=True)
    return Spread(held, np.bincount(inverse, p))
