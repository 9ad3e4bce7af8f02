"""Chances of numbers of hits, by convolution."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, reduce

import numpy as np

from simulator.engine.model.chance import NEGLIGIBLE


def chances_of_hits(dice: Iterable[tuple[int, int]], whole: int) -> tuple[int, np.ndarray]:
    """The least number of hits that is not negligible, and the chances from there on (float64).

    `dice` are pairs (hit, number): this number of dice, each of which hits with chance hit / whole.
    """
    each = [_binomial(number, hit, whole) for hit, number in dice]
    return reduce(_sum, each) if each else (0, np.ones(1))


@lru_cache(maxsize=1 << 14)
def _binomial(dice: int, hit: int, whole: int) -> tuple[int, np.ndarray]:
    if dice == 1:
        return 0, np.array([(whole - hit) / whole, hit / whole])
    half = _binomial(dice // 2, hit, whole)
    found = _sum(half, half)
    return _sum(found, _binomial(1, hit, whole)) if dice % 2 else found


def _sum(one: tuple[int, np.ndarray], other: tuple[int, np.ndarray]) -> tuple[int, np.ndarray]:
    """The sum of two independent numbers of hits, without tails that are negligible."""
    p = np.convolve(one[1], other[1])
    low = int(np.searchsorted(np.cumsum(p), NEGLIGIBLE))
    high = len(p) - int(np.searchsorted(np.cumsum(p[::-1]), NEGLIGIBLE))
    return one[0] + other[0] + low, p[low:high]
