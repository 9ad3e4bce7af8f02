"""A battle as rounds of dice: one fight, or a path of places taken one after the other (docs/rules/risk.md sections
4 to 6). A sea fight or an attack on a single territory is a path of one place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule
from simulator.rules.toolkit.retreat import Leave, leaves


class Policy(NamedTuple):
    """When the side that attacks calls a fight off (section 6).

    `hopeless[place, own, enemy]`: 1 where the chance to win is below the one asked for; read if `by_odds` is 1.
    """

    leave: Leave
    by_odds: int
    hopeless: np.ndarray


class Params(NamedTuple):
    """`defenders[place]` (one 0 more at the end); regiments `left_behind` in each captured place; the round tables as
    `tables[place, attackers, defenders]`, four units or more as four; when the attacker stops.
    """

    defenders: np.ndarray
    left_behind: int
    tables: np.ndarray
    policy: Policy


class State(NamedTuple):
    """Attackers alive (garrisons included), places captured, defenders of the next one, rounds fought."""

    attackers: int
    captured: int
    defenders: int
    rounds: int


@helper
def hand_of(units):
    """Units that matter to the dice: nobody rolls more than four."""
    return min(units, 4)


@helper
def force_of(p, s):
    """Attackers who are not garrisons (section 5.1)."""
    return max(0, s.attackers - p.left_behind * s.captured)


@helper
def calls_off(policy, place, own, enemy, rounds):
    """Does the policy say stop? Asked before every round, the first included (section 6)."""
    if policy.by_odds > 0 and policy.hopeless[place, own, enemy] > 0:
        return True
    return leaves(policy.leave, own, rounds, own, enemy)


@rule(Params)
@helper
def running(p, s):
    """Both sides are there and the attacker goes on (section 4, steps 1 and 2)."""
    force = force_of(p, s)
    return force > 0 and s.defenders > 0 and not calls_off(p.policy, s.captured, force, s.defenders, s.rounds)


@rule(Params)
@helper
def table(p, s):
    """Round table of the place being attacked (section 3)."""
    return p.tables[s.captured, hand_of(force_of(p, s)), hand_of(s.defenders)]


@rule(Params)
@helper
def step(p, s, result):
    """Losses come off together; a place without defenders is captured if any of the force is left (section 5.1)."""
    own, enemy = result >> 3, result & 7
    defenders, captured = s.defenders - enemy, s.captured
    if defenders == 0 and force_of(p, s) > own:
        captured += 1
        defenders = p.defenders[captured]
    return s._replace(attackers=s.attackers - own, captured=captured, defenders=defenders, rounds=s.rounds + 1)
