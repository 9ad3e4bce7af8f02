"""How many of many equal dice hit, drawn at once, however many they are: for rules, compiled or as plain Python.

The number of hits is found by inversion from the likeliest number outwards: as many steps as it lies away from there,
so about the square root of the dice. Chances come from Loader's saddle-point form ("Fast and Accurate Computation of
Binomial Probabilities", 2000), exact to rounding also for millions of dice.
"""

from __future__ import annotations

import math

from simulator.engine.model.chain import helper

# A draw is one of so many equally likely numbers.
DRAWS = 1 << 32
# What is less likely than this is never drawn: far below one in DRAWS.
NEVER = 1e-15
# Above this a deviance is summed as a series: the direct form loses digits to cancellation.
SERIES_FROM = 1000.0


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
    """The chance of m hits of n dice, the likeliest number."""
    if m == 0:
        return math.exp(n * math.log1p(-p))
    if m == n:
        return math.exp(n * math.log(p))
    lost = stirling_error(n) - stirling_error(m) - stirling_error(n - m)
    lost -= deviance(float(m), n * p) + deviance(float(n - m), n * (1 - p))
    return math.exp(lost) * math.sqrt(n / (2 * math.pi * m * (n - m)))


@helper
def hits_drawn(n: int, hit: int, whole: int, draw: int) -> int:
    """Hits of n dice that hit with `hit` of `whole` each (0 < hit < whole), by a number below DRAWS."""
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
