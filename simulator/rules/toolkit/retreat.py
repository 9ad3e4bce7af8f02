"""Retreat policies as numbers, and the rule that reads them.

A game maps the names of its own policies to these: `any_of(Leave(below=4), Leave(rounds=2))`. A side leaves as soon as
one part of its `Leave` says so; `Leave()` never does.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

from simulator.engine.model.chain import helper

NO_LIMIT = 2**31 - 1


class Leave(NamedTuple):
    """Fewer units than `below`; after `rounds`; weaker (own * `own_times` < enemy * `enemy_times`); enemy worn down."""

    below: int = 0
    rounds: int = NO_LIMIT
    own_times: int = 0
    enemy_times: int = 0
    worn_down: int = -1


@helper
def leaves(leave, units, rounds, own, enemy):
    """Does the side leave with these units, rounds fought, and strengths (units, or firepower) of both sides?"""
    return (
        (units < leave.below)
        | (rounds >= leave.rounds)
        | (own * leave.own_times < enemy * leave.enemy_times)
        | (enemy <= leave.worn_down)
    )


def outnumbered(ratio: Fraction = Fraction(1)) -> Leave:
    """Leave when weaker than the enemy: own strength < `ratio` x the enemy's."""
    return Leave(own_times=ratio.denominator, enemy_times=ratio.numerator)


def any_of(*policies: Leave) -> Leave:
    """Leave as soon as one of these policies says so; numbers are cut at NO_LIMIT.

    Raises ValueError for two different ratios.
    """
    ratios = {(policy.own_times, policy.enemy_times) for policy in policies} - {(0, 0)}
    if len(ratios) > 1:
        raise ValueError("two policies ask for different ratios")
    own_times, enemy_times = ratios.pop() if ratios else (0, 0)
    return Leave(
        below=min(max((policy.below for policy in policies), default=0), NO_LIMIT),
        rounds=min((policy.rounds for policy in policies), default=NO_LIMIT),
        own_times=own_times,
        enemy_times=enemy_times,
        worn_down=min(max((policy.worn_down for policy in policies), default=-1), NO_LIMIT),
    )


def reads_rounds(leave: Leave) -> bool:
    """Does the policy depend on the rounds fought? If not, rounds may be a counter of the chain."""
    return leave.rounds < NO_LIMIT
