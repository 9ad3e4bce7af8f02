"""The number of battles after which players would notice a difference of two chances."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache

import numpy as np
from scipy import special

from simulator.rules.toolkit.tolerances import ALIKE

LEVEL, POWER = 0.05, 0.8
# Beyond this many battles each the normal formula alone is used; it is then within one per cent.
MOST_EXACT = 20_000
MOST = 1_000_000_000


@lru_cache(maxsize=1024)
def battles_to_notice(p: float, q: float, level: float = LEVEL, power: float = POWER) -> int | None:
    """The number of battles of each version that shows two chances to differ; None if they are equal.

    The least number n for which the two-sided pooled two-proportion z-test at `level` rejects equality with a chance of
    at least `power`, if n battles are won with chance `p` and n with chance `q`. That chance is summed over both
    binomial distributions. Source: Fleiss, Levin and Paik, Statistical Methods for Rates and Proportions (3rd edition,
    2003), sections 3.1 and 4.2.
    """
    if abs(p - q) < ALIKE:
        return None
    guess = normal_number(p, q, level, power)
    if guess > MOST_EXACT:
        return guess
    high = max(8, guess + guess // 4)
    while exact_power(high, p, q, level) < power:
        high *= 2
    if guess <= 200:
        return next(n for n in range(1, high + 1) if exact_power(n, p, q, level) >= power)
    return bisect_left(range(high), power, 1, key=lambda n: exact_power(n, p, q, level))


def normal_number(p: float, q: float, level: float, power: float) -> int:
    """The number by the normal approximation (section 4.2 there), without a correction for continuity."""
    mean = (p + q) / 2
    z, beyond = special.ndtri(1 - level / 2), special.ndtri(power)
    spread = z * math.sqrt(2 * mean * (1 - mean)) + beyond * math.sqrt(p * (1 - p) + q * (1 - q))
    return min(MOST, math.ceil(float((spread / (p - q)) ** 2)))


def exact_power(n: int, p: float, q: float, level: float) -> float:
    """The chance that n battles of each version show the difference, summed over both binomials."""
    x = np.arange(n + 1)
    low, high = _accepted(x, n, float(special.ndtri(1 - level / 2)))
    below = np.where(low > 0, special.bdtr(np.maximum(low - 1, 0), n, q), 0.0)
    above = np.where(high < n, special.bdtrc(np.minimum(high, n), n, q), 0.0)
    ways = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    chances = np.exp(ways + special.xlogy(x, p) + special.xlog1py(n - x, -p))
    return float(chances @ (below + above))


def _accepted(x: np.ndarray, n: int, z: float) -> tuple[np.ndarray, np.ndarray]:
    """For each number x of wins, the least and the largest number y of the other side that the test accepts.

    The test accepts (x - y)^2 <= z^2 m (1 - m) 2 n with m = (x + y) / 2n; this is a quadratic inequality in y.
    """
    c = z * z / (2 * n)
    # (1 + c) y^2 + (2 c x - 2 x - 2 n c) y + (1 + c) x^2 - 2 n c x <= 0
    a, half, last = 1 + c, (c - 1) * x - n * c, (1 + c) * x * x - 2 * n * c * x
    root = np.sqrt(np.maximum(half * half - a * last, 0.0))
    low, high = (-half - root) / a, (-half + root) / a
    return np.ceil(low - ALIKE).astype(np.int64), np.floor(high + ALIKE).astype(np.int64)
