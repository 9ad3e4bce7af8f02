"""The battles that benchmarks measure: one row each, with its NumPy peer where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import kings_and_things_numpy, risk_numpy

Peer = Callable[[int, np.random.Generator], dict[str, np.ndarray]]


@dataclass(frozen=True)
class Case:
    """A scenario (example name or mapping), the same battle in NumPy, and what the project aims at.

    `pace` is the least number of battles a second on 2 cores, `ratio` the least multiple of the peer's pace, `exact`
    the most seconds of a warm exact answer; None where nothing was promised.
    """

    name: str
    scenario: Any
    peer: Peer | None = None
    pace: float | None = None
    ratio: float | None = None
    exact: float | None = None


CASES = [
    Case("risk 20 v 15", "risk-20v15", risk_numpy.battles, ratio=25, exact=0.002),
    Case("risk path", "risk-path"),
    Case("risk landing", "risk-landing"),
    Case("risk invasion", "risk-invasion"),
    Case(
        "knt 10 v 10, citadel",
        "knt-ten-against-a-citadel",
        kings_and_things_numpy.battles,
        pace=3e6,
        ratio=20,
        exact=2.0,
    ),
    Case("knt exploration", "knt-into-the-unknown"),
    Case("knt heroes", "knt-heroes-and-magic"),
    Case("knt free-for-all", "knt-three-kings"),
]
