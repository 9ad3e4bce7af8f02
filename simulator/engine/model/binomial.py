"""Numbers of hits of equal dice: their chances, for chance tables, and drawn one by one, past what tables can hold.

`chances_of_hits` adds up dice of different chances by convolution. `binomial_drawn` inverts the distribution of equal
dice: it searches from the likeliest number outwards, in about as many steps as the square root of the number of dice.
The first chance comes from Loader's saddle-point form ("Fast and Accurate Computation of Binomial Probabilities",
2000), which is exact to rounding also for millions of dice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from functools import lru_cache, reduce

import numpy as np

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import Tables

# A draw is a 32-bit number: two results of the chance table EVEN, each of them a half.
DRAWS, HALF, EVEN = 1 << 32, 1 << 16, 1
# Numbers of hits that are less likely than this are never drawn; it is far below one in DRAWS.
NEVER = 1e-15
# Tails of a number of hits with less chance than this are cut off; it is far below rounding.
TAIL = 1e-18
# Above this mean the deviance is summed as a series, since the direct form loses digits to cancellation.
SERIES_FROM = 1000.0


def chances_of_hits(dice: Iterable[tuple[int, int]], whole: int) -> tuple[int, np.ndarray]:
    """The least number of hits that is not negligible, and the chances from there on (float64).

    `dice` are pairs (hit, number): so many dice that hit with chance hit / whole each.
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
    low = int(np.searchsorted(np.cumsum(p), TAIL))
    high = len(p) - int(np.searchsorted(np.cumsum(p[::-1]), TAIL))
    return one[0] + other[0] + low, p[low:high]


def even_tables() -> Tables:
    """Chance tables for chains that draw binomial numbers: the certain one, and EVEN."""
    return Tables(np.array([0, 1, 1 + HALF]), np.append(0, np.arange(HALF)), np.append(1.0, np.full(HALF, 1 / HALF)))


@helper
def stirling_error(n: int) -> float:
    """log(n!) less Stirling's formula log(sqrt(2 pi n) (n / e)**n), for n from 1."""
    if n < 16:
        return math.lgamma(n + 1.0) - (n + 0.5) * math.log(n) + n - 0.91893853320467274178
    square = float(n) * n
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n


@helper
def deviance(x: float, mean: float) -> float:
    """x log(x / mean) + mean - x, where x is next to the mean."""
    if mean < SERIES_FROM:
        return x * math.log(x / mean) + mean - x
    d = (x - mean) / mean
    return mean * d * d * (1 / 2 - d * (1 / 6 - d * (1 / 12 - d * (1 / 20))))


@helper
def likeliest(n: int, p: float, m: int) -> float:
    """The chance of m hits of n dice, where m is the likeliest number."""
    if m == 0:
        return math.exp(n * math.log1p(-p))
    if m == n:
        return math.exp(n * math.log(p))
    lost = stirling_error(n) - stirling_error(m) - stirling_error(n - m)
    lost -= deviance(float(m), n * p) + deviance(float(n - m), n * (1 - p))
    return math.exp(lost) * math.sqrt(n / (2 * math.pi * m * (n - m)))


@helper
def binomial_drawn(n: int, hit: int, whole: int, draw: int) -> int:
    """The hits of n dice, each of which hits with chance hit / whole (0 < hit < whole), for a number below DRAWS."""
    p = hit / whole
    m = min(n, (n + 1) * hit // whole)
    up = down = likeliest(n, p, m)
    rest = (draw + 0.5) / DRAWS - up
    low, high, odds = m, m, hit / (whole - hit)
    while rest >= 0 and up + down > NEVER:
        up *= (n - high) / (high + 1.0) * odds
        high += 1
        rest -= up
        if rest < 0:
            return high
        if low > 0:
            down *= low / ((n - low + 1.0) * odds)
            low -= 1
            rest -= down
            if rest < 0:
                return low
        else:
            down = 0.0
    return m
