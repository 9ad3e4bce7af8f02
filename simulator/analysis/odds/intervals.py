"""Confidence intervals of simulated numbers."""

from __future__ import annotations

import math
from statistics import NormalDist

from simulator.scenarios.validation import finite, given_number

LEVEL = 0.95


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
