"""What becomes of a leader (rules/europa_land_siege.md section 3.6), and how a fate is coded.

A fate is 0 unharmed, 1 killed, 2 captured, or 2 + the rounds that a wound lasts (1 to 5).
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

import numpy as np

from simulator.engine.chance import combine
from simulator.rules.europa.leaders import Leader

UNHARMED, KILLED, CAPTURED, WOUNDED = 0, 1, 2, 2
FATES = 8
FACES = 10


class Trial(NamedTuple):
    """The circumstances of a leader test."""

    won: bool
    destroyed: bool
    fragile: bool


def bonus(trial: Trial) -> int:
    """-1 if the side did not win, -5 if it was destroyed, -1 if fragile."""
    return -(not trial.won) - 5 * trial.destroyed - trial.fragile


def fate(leader: Leader, trial: Trial, die: int, second: int) -> int:
    """The fate that a test die and, when it hits, a second die bring."""
    if die + bonus(trial) >= 2:
        return UNHARMED
    if leader.kind == "king" and trial.destroyed:
        return CAPTURED
    if leader.anonymous or second % 2 == 1:
        return KILLED
    return WOUNDED + second // 2


def fates(leader: Leader, trial: Trial) -> Counter[int]:
    """Fates with their weights, out of 100."""
    found: Counter[int] = Counter()
    for die in range(1, FACES + 1):
        for second in range(1, FACES + 1):
            found[fate(leader, trial, die, second)] += 1
    return found


def both(attacker: Counter[int], defender: Counter[int]) -> Counter[int]:
    """Fates of both leaders in one result: attacker's + 8 * defender's."""
    return combine(attacker, defender, lambda own, enemy: own + FATES * enemy)


def columns(side: str, codes: np.ndarray) -> dict[str, np.ndarray]:
    """Leader outputs of a side from its fates."""
    wounded = codes > WOUNDED
    return {
        f"{side}_leader_killed": codes == KILLED,
        f"{side}_leader_wounded": wounded,
        f"{side}_leader_captured": codes == CAPTURED,
        f"{side}_leader_wound_rounds": np.where(wounded, codes - WOUNDED, 0),
    }


def told(code: int) -> str:
    """A fate in words."""
    if code > WOUNDED:
        rounds = code - WOUNDED
        return f"wounded for {rounds} round{'s' * (rounds != 1)}"
    return ("unharmed", "killed", "captured")[code]
