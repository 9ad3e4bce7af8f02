"""A battle as rounds of dice: one fight, or a path of places taken one after the other (docs/rules/risk.md sections
4 to 6). A sea fight or an attack on a single territory is a path of one place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule
from simulator.rules.toolkit.retreat import Leave, leaves

# What the side that attacks has decided about the coming round; its options are 0 = go on, 1 = stop.
UNDECIDED, GOES_ON, STOPPED = range(3)


class Policy(NamedTuple):
    """When the side that attacks calls a fight off (section 6); `asks` is 0 if it never does.

    `hopeless[place, own, enemy]`: 1 where the chance to win is below the one asked for; read if `by_odds` is 1.
    """

    asks: int
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
    """Attackers alive (garrisons included), places captured, defenders of the next one, the decision, rounds fought."""

    attackers: int
    captured: int
    defenders: int
    decided: int
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
    """Both sides are there, and the attacker has not called the fight off (section 4)."""
    return force_of(p, s) > 0 and s.defenders > 0 and s.decided != STOPPED


@rule(Params)
@helper
def decides(p, s):
    """The attacker is asked before every round, unless the policy is to the end (section 4, step 2)."""
    return 1 if p.policy.asks > 0 and s.decided == UNDECIDED else 0


@rule(Params)
def options(p, s):
    """Go on or stop."""
    return 2


@rule(Params)
@helper
def choose(p, s):
    """What the fixed policy says."""
    return 1 if calls_off(p.policy, s.captured, force_of(p, s), s.defenders, s.rounds) else 0


@rule(Params)
@helper
def table(p, s):
    """Round table of the place being attacked (section 3)."""
    return p.tables[s.captured, hand_of(force_of(p, s)), hand_of(s.defenders)]


@rule(Params)
@helper
def step(p, s, result):
    """A decision, or a round: losses come off together; a place without defenders is captured if any of the force is
    left (section 5.1).
    """
    if decides(p, s) > 0:
        return s._replace(decided=GOES_ON + result)
    own, enemy = result >> 3, result & 7
    defenders, captured = s.defenders - enemy, s.captured
    if defenders == 0 and force_of(p, s) > own:
        captured += 1
        defenders = p.defenders[captured]
    s = s._replace(attackers=s.attackers - own, captured=captured, defenders=defenders)
    return s._replace(decided=UNDECIDED, rounds=s.rounds + 1)
