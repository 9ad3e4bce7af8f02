"""One number of a battle that is too large for exact odds: battles fought only as far as the rest can be solved."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from simulator.analysis.intervals import LEVEL
from simulator.analysis.measure import is_chance, weighed
from simulator.engine.limits import QUICK_BYTES, NoExactOdds
from simulator.rules.battle import WINNERS
from simulator.scenarios import Scenario, Source, load

# A value may not depend on what the counter (rounds) holds: it is tried with these.
_COUNTS = (0, 1, 7, 1000)
FEW = 100


@dataclass(frozen=True)
class Scored:
    """A value (docs/rules/decisions.md section 10) with its 95 % interval.

    `states` were solved exactly, `entered` is the share of battles that came to them, `effective` (sum x)² / sum x² of
    the scores. `gain`: as many times the battles would plain simulation need for the same interval.
    """

    value: float
    low: float
    high: float
    battles: int
    seed: int
    states: int
    entered: float
    effective: float
    gain: float

    def how(self) -> str:
        """How the value was obtained, in one line."""
        few = "; few battles carry this estimate, do not trust the interval" if self.effective < FEW else ""
        return (
            f"scored: {self.battles:,} battles, seed {self.seed}, 95 % interval, {self.states:,} states solved, "
            f"worth {self.gain:.1f} times as many simulated battles{few}"
        )


def scored(scenario: Source, value: str = "p_attacker", battles: int = 100_000, seed: int = 0) -> Scored:
    """A chance or a mean of a battle that is too large for exact odds.

    Raises ValueError for a value that is none of these or depends on a counter, and for a battle that is small enough
    or is fought in stages; NoExactOdds where too many states may follow however late battles are cut.
    """
    from simulator.analysis.answer import check_numbers
    from simulator.engine.cut import cut
    from simulator.engine.explicit import spell_out

    check_numbers(battles, seed, None)
    asked = load(scenario)
    if asked.built.answer is not None:
        raise ValueError(f"battle: {asked.battle.title} cannot be scored; use simulate")
    chain = asked.chain
    try:
        spell_out(chain, QUICK_BYTES)
    except NoExactOdds:
        if chain.aims is not None:
            raise
    else:
        raise ValueError("battle: this battle is small enough for exact odds")
    found = cut(chain, battles, seed)

    def worth(states: Any) -> np.ndarray:
        return _worth(asked, states, value, chain.counted)

    score, square = found.expected(worth), found.expected(lambda states: worth(states) ** 2)
    mean = float(found.counts @ score) / battles
    spread = float(found.counts @ (score - mean) ** 2) / max(1, battles - 1)
    plain = float(found.counts @ square) / battles - mean**2
    half = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(spread / battles)
    low, high = (max(0.0, mean - half), min(1.0, mean + half)) if is_chance(value) else (mean - half, mean + half)
    total, squares = float(found.counts @ score), float(found.counts @ score**2)
    return Scored(
        mean,
        low,
        high,
        battles,
        seed,
        0 if found.graph is None else len(found.graph),
        float(found.counts[found.running].sum()) / battles,
        total**2 / squares if squares else 0.0,
        plain / spread if spread > 0 else math.inf if plain > 0 else 1.0,
    )


def _worth(scenario: Scenario, states: Any, value: str, counted: int) -> np.ndarray:
    """What final states count for the value, whatever the counter holds. Raises ValueError where that matters."""
    outcome, kind = scenario.built.outcome, type(states)
    assert outcome is not None
    size, found = len(states[0]), []
    for count in _COUNTS[: len(_COUNTS) if counted >= 0 else 1]:
        fields = list(states)
        if counted >= 0:
            fields[counted] = np.full(size, count)
        told = dict(outcome(kind(*fields)))
        if "winner" in told:
            told["winner"] = np.array(WINNERS)[told["winner"]]
        numbers = weighed(scenario.battle, told, size, value)
        if numbers is None:
            raise ValueError(f"value: {value} cannot be scored; give a chance, mean.COLUMN or a question")
        found.append(numbers)
    if not all(np.array_equal(found[0], other) for other in found[1:]):
        raise ValueError(f"value: {value} depends on a count of rounds, which cannot be scored; use simulate")
    return found[0]
