"""A naval battle in which a side decides when to leave: every position is a state (docs/rules/decisions.md section 2).

The fighting by rules.py, with the losses so far, then the pursuit, retreat attrition and leader tests. Decisions come
after a Fire roll (leaving with the wind) and after day one (breaking off).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.europa.sea import end, rules
from simulator.rules.europa.sea.rules import NOBODY, FightParams

# After the stages of the fighting: of these OVER is none that the chain stops at.
EVADE, PURSUIT, STORM_A, STORM_D, LEADERS, DONE = range(rules.SECOND_CHOICE + 1, rules.SECOND_CHOICE + 7)


class DecidedParams(NamedTuple):
    """Numbers of one battle. Arrays of two hold attacker, defender; tables are indices of chance tables."""

    fight: FightParams
    evade: int
    untouched: np.ndarray  # [side]: record of a battle that was evaded
    routs: int  # is a side that is wiped out routed?
    wiped_at: np.ndarray  # [side, routed]: losses from which on a side is wiped out
    chases: np.ndarray  # [winner, group, roll]: table of the pursuit
    record: np.ndarray  # [side, won + 2 * routed, stars of the pursuit, losses]
    storm: np.ndarray  # does this side roll retreat attrition unless it wins?
    storms: np.ndarray  # [side, group, record]: table of records
    gone: np.ndarray  # [side, record]: no ship left
    frail: np.ndarray  # [group]: attacker's leader fragile + 2 * defender's
    tests: np.ndarray  # [frail, attacker's end, defender's]: table
    alike: np.ndarray  # [group]: the first group like it in what follows the pursuit
    of_wind: np.ndarray  # [group]: the first group with its wind


@rule(DecidedParams)
def running(p, s):
    """Has the battle still to be settled?"""
    return s.stage != DONE


@rule(DecidedParams)
def table(p, s):
    """The chance table of the next roll."""
    if s.stage <= rules.SECOND_CHOICE:
        return rules.table(p.fight, s)
    if s.stage == PURSUIT:
        return p.chases[s.verdict, s.group, s.rolls]
    if s.stage == LEADERS:
        return end.leader_table(p, s.verdict, p.frail[s.group], s.record_a, s.record_d)
    if s.stage == EVADE:
        return p.evade
    return p.storms[0, s.group, s.record_a] if s.stage == STORM_A else p.storms[1, s.group, s.record_d]


@rule(DecidedParams)
def second(p, s):
    """The chance table of the defender's roll, where both sides roll."""
    return rules.second(p.fight, s) if s.stage <= rules.SECOND_CHOICE else NO_TABLE


@rule(DecidedParams)
def step(p, s, result, other):
    """The state after a roll or a decision."""
    if s.stage <= rules.SECOND_CHOICE:
        s = rules.step(p.fight, s, result, other)
        return concluded(p, s) if s.stage == rules.OVER else s
    if s.stage == PURSUIT:
        return pursued(p, s, result & rules.LOSS_MASK, result >> rules.LOSS_BITS)
    if s.stage == STORM_A:
        return onward(p, s._replace(record_a=result), STORM_D)
    if s.stage == STORM_D:
        return onward(p, s._replace(record_d=result), LEADERS)
    if s.stage == LEADERS:
        return s._replace(stage=DONE, group=p.of_wind[s.group], fates=result)
    if result == 1:
        return s._replace(stage=DONE, verdict=NOBODY, record_a=p.untouched[0], record_d=p.untouched[1])
    return s._replace(stage=rules.DRAW)


@rule(DecidedParams)
def decides(p, s):
    """A side decides whether it leaves with the wind, or tries to break off.

    A fixed policy is followed at once; only one that is to be chosen as well as possible makes a state of its own.
    """
    return 1 + rules.asked(p.fight, s) if rules.WIND_CHOICE <= s.stage <= rules.SECOND_CHOICE else 0


@rule(DecidedParams)
def options(p, s):
    """To stay, or to leave."""
    return 2


@helper
def concluded(p, s):
    """The winner once the fighting is over, and its pursuit (steps 8 and 9)."""
    morale_a, morale_d = rules.morale_left(p.fight, s, 0), rules.morale_left(p.fight, s, 1)
    winner = rules.winner_of(s.verdict, s.left > 0, is_wiped(p, s, 0), is_wiped(p, s, 1))
    s = s._replace(verdict=winner)
    if rules.pursues(winner, s.left > 0, morale_a, morale_d):
        return s._replace(stage=PURSUIT)
    return recorded(p, s, is_routed(p, s, 0), is_routed(p, s, 1), 0)


@helper
def is_wiped(p, s, side):
    """Do the losses of a side exceed its size? (step 8)"""
    beaten = 1 if rules.morale_left(p.fight, s, side) == 0 else 0
    return (s.loss_a if side == 0 else s.loss_d) >= p.wiped_at[side, beaten]


@helper
def is_routed(p, s, side):
    """1 for a routed side, 0 for another, before any pursuit."""
    return 1 if rules.routed(rules.morale_left(p.fight, s, side), is_wiped(p, s, side), p.routs == 1) else 0


@helper
def pursued(p, s, thirds, stars):
    """The losses and stars of a pursuit, which may rout the loser now (step 9)."""
    routed_a, routed_d = is_routed(p, s, 0), is_routed(p, s, 1)
    if s.verdict == 1:
        s = s._replace(loss_a=s.loss_a + thirds, stars_a=s.stars_a + stars)
        routed_a |= 1 if rules.morale_left(p.fight, s, 0) == 0 else 0
    else:
        s = s._replace(loss_d=s.loss_d + thirds, stars_d=s.stars_d + stars)
        routed_d |= 1 if rules.morale_left(p.fight, s, 1) == 0 else 0
    return recorded(p, s, routed_a, routed_d, stars)


@helper
def recorded(p, s, routed_a, routed_d, caught):
    """The records of both sides, with their losses; `caught`: stars of the pursuit."""
    a, d = fought(s, 0, routed_a), fought(s, 1, routed_d)
    after = s._replace(
        group=p.alike[s.group],
        loss_a=0,
        loss_d=0,
        record_a=p.record[0, a, caught if s.verdict == 1 else 0, s.loss_a],
        record_d=p.record[1, d, caught if s.verdict == 0 else 0, s.loss_d],
    )
    return onward(p, after, STORM_A)


@helper
def fought(s, side, routed):
    """The end of the fight for a side: 1 if it won, + 2 if it is routed."""
    return (1 if s.verdict == side else 0) + 2 * routed


@helper
def onward(p, s, stage):
    """To the first stage from this one on in which something happens."""
    if stage <= STORM_A and end.storm_due(p, s.verdict, 0, s.record_a):
        return s._replace(stage=STORM_A)
    if stage <= STORM_D and end.storm_due(p, s.verdict, 1, s.record_d):
        return s._replace(stage=STORM_D)
    return s._replace(stage=LEADERS)
