"""How sure a simulated number is."""

from __future__ import annotations

import math
from statistics import NormalDist

LEVEL = 0.95


def wilson(p: float, battles: float, level: float = LEVEL) -> tuple[float, float]:
    """Wilson score interval of a chance estimated as `p` from `battles` battles.

    Source: Wilson, "Probable inference", JASA 22 (1927).
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    centre = (p + z * z / (2 * battles)) / (1 + z * z / battles)
    half = z / (1 + z * z / battles) * math.sqrt(p * (1 - p) / battles + z * z / (4 * battles * battles))
    return max(0.0, centre - half), min(1.0, centre + half)


def half_width_of_mean(std: float, battles: float, level: float = LEVEL) -> float:
    """Half the width of the normal interval of a mean of `battles` battles."""
    return NormalDist().inv_cdf((1 + level) / 2) * std / math.sqrt(battles)
