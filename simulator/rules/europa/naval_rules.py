"""A naval battle as a chain of states (docs/rules/europa_naval_and_other.md section 3).

Sides are 0 (attacker) and 1 (defender). `loss_a`, `stars_a` are what the attacker has suffered, as the dice gave it;
`caught_a` the stars of its pursuit. Nothing in the fighting reads the losses: they count
up, and what they cost is reckoned at the end (naval_losses.py). Only where a fleet may be wiped out, or rolls retreat
attrition, they decide something (`reads`): then the reckoning is a step of its own, after which each side's record
stands in the state. Fought `alone`, a battle ends before the pursuit: passage_battles.py goes on from there for
fleets of many sizes at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule

(
    EVADE, DRAW, FIRE_1, BOARD_1, FIRE_2, BOARD_2, MEN, FIRST_BREAK, SECOND_BREAK, MEN_TO_CHASE, CHASE_A, CHASE_D,
    SETTLE, STORM_A, STORM_D, LEADERS, OVER,
) = range(17)  # fmt: skip
NOBODY, UNDECIDED = 2, 3
NEVER, ALWAYS, IF_BEHIND, IF_NEAR_ROUT, IF_SURE = range(5)
SURE = 10
# A roll's result: thirds and stars that the attacker inflicts, then the defender; a pursuit's only the first.
LOSS_BITS, SIDE_BITS, LOSS_MASK, SIDE_MASK = 4, 7, 15, 127
# A leader test's result: attacker's fate + FATES * defender's.
FATES = 3


class NavalParams(NamedTuple):
    """Numbers of one battle. Arrays of two hold attacker, defender; tables are indices of chance tables.

    A *group* is what is known of wind and leaders: the first ones are drawn before the battle, others also know the
    manoeuvres that breaking off or retreat attrition ask for.
    """

    evade: int
    draw: int
    first: int  # who breaks off first
    breaks: int  # may anybody break off?
    free: int  # breaking off needs no roll
    reads: int  # do losses decide anything before the end?
    storms: int
    routs: int  # is a wiped-out side routed?
    tested: int  # are leaders tested?
    wind: np.ndarray  # [group]: side or NOBODY
    rolls: np.ndarray  # [group, roll, failed, who has suffered more stars + 1]: table
    men: np.ndarray  # [group]: table of the groups that know manoeuvres, 0 if nothing is to be known
    man: np.ndarray  # [group, side]
    attempt: np.ndarray  # [group, side, morale left]: table
    chase: np.ndarray  # [group, side, rolls fought]: table
    later: np.ndarray  # [group]: group that is like it after the pursuit
    leave: np.ndarray  # policy
    break_off: np.ndarray  # policy
    morale: np.ndarray
    alone: int  # the fighting only
    storm: np.ndarray  # does this side roll retreat attrition unless it wins?
    wiped: np.ndarray  # [side, thirds]
    record: np.ndarray  # [side, won, routed, caught, thirds]: record; with `reads`
    gone: np.ndarray  # [side, record]: no ship left
    storm_rolls: np.ndarray  # [side, record, group]: table of records
    frail: np.ndarray  # [group]: attacker's leader fragile + 2 * defender's
    tests: np.ndarray  # [frail, attacker's condition, defender's]: table


class NavalState(NamedTuple):
    """`failed`: 1 attacker, 2 defender failed to break off; `broke`, `left`: 1 or 2 who got away; `routs`: 1 attacker,
    2 defender is routed as it is wiped out."""

    stage: int
    group: int
    loss_a: int
    loss_d: int
    stars_a: int
    stars_d: int
    failed: int
    rolls: int
    routs: int
    verdict: int
    broke: int
    left: int
    caught_a: int
    caught_d: int
    record_a: int
    record_d: int
    fates: int


@rule(NavalParams)
def running(p, s):
    """Has the battle still to be settled?"""
    return s.stage != OVER


@rule(NavalParams)
def table(p, s):
    """The chance table of the next roll."""
    if FIRE_1 <= s.stage <= BOARD_2:
        return p.rolls[s.group, s.stage - FIRE_1, s.failed, more_stars(s)]
    if CHASE_A <= s.stage <= CHASE_D:
        return p.chase[s.group, s.stage - CHASE_A, s.rolls]
    if s.stage == LEADERS:
        return p.tests[p.frail[s.group], condition(p, s, 0), condition(p, s, 1)]
    if s.stage == FIRST_BREAK:
        return break_table(p, s, p.first)
    if s.stage == SECOND_BREAK:
        return break_table(p, s, 1 - p.first)
    if s.stage == MEN:
        return p.men[s.group]
    if s.stage == MEN_TO_CHASE:
        return p.men[s.group]
    if s.stage == STORM_A:
        return p.storm_rolls[0, s.record_a, s.group]
    if s.stage == STORM_D:
        return p.storm_rolls[1, s.record_d, s.group]
    return 0 if s.stage == SETTLE else p.evade if s.stage == EVADE else p.draw


@rule(NavalParams)
def step(p, s, result):
    """What one roll leads to."""
    if FIRE_1 <= s.stage <= BOARD_2:
        return after_roll(p, added(s, result))
    if s.stage == CHASE_A:
        return onward(p, chased_by_a(p, s, result), CHASE_D)
    if s.stage == CHASE_D:
        return onward(p, chased_by_d(p, s, result), SETTLE)
    if s.stage == LEADERS:
        return s._replace(stage=OVER, fates=result)
    if s.stage == FIRST_BREAK:
        return after_attempt(p, s, p.first, result)
    if s.stage == SECOND_BREAK:
        return after_attempt(p, s, 1 - p.first, result)
    if s.stage == MEN:
        return breaking(p, s._replace(group=result), FIRST_BREAK)
    if s.stage == MEN_TO_CHASE:
        return onward(p, s._replace(group=result), CHASE_A)
    if s.stage == SETTLE:
        return onward(p, settled(p, s), STORM_A)
    if s.stage == STORM_A:
        return onward(p, s._replace(record_a=result), STORM_D)
    if s.stage == STORM_D:
        return onward(p, s._replace(record_d=result), LEADERS)
    if s.stage == EVADE and result == 1:
        return s._replace(stage=OVER)
    return s._replace(stage=FIRE_1, group=result) if s.stage == DRAW else s._replace(stage=DRAW)


@helper
def more_stars(s):
    """Who has suffered more stars so far: 0 nobody, 1 attacker, 2 defender."""
    return 1 if s.stars_a > s.stars_d else 2 if s.stars_d > s.stars_a else 0


@helper
def added(s, result):
    """The tallies after a roll of both sides; the attacker's losses are what the defender inflicts."""
    by_a, by_d = result & SIDE_MASK, result >> SIDE_BITS
    return s._replace(
        loss_d=s.loss_d + (by_a & LOSS_MASK),
        stars_d=s.stars_d + (by_a >> LOSS_BITS),
        loss_a=s.loss_a + (by_d & LOSS_MASK),
        stars_a=s.stars_a + (by_d >> LOSS_BITS),
        rolls=s.rolls + 1,
    )


@helper
def morale_left(p, s, side):
    """Morale less stars suffered, at least 0."""
    return max(0, p.morale[0] - s.stars_a) if side == 0 else max(0, p.morale[1] - s.stars_d)


@helper
def after_roll(p, s):
    """Routs, leaving with the wind, breaking off, the next roll (step 7)."""
    own, enemy = morale_left(p, s, 0), morale_left(p, s, 1)
    if own == 0 or enemy == 0:
        return ended(p, s, NOBODY if own == enemy else 1 if own == 0 else 0)
    leaver = p.wind[s.group]
    if s.rolls % 2 == 1 and leaver != NOBODY and wants(p, s, leaver, p.leave[leaver]):
        return ended(p, s._replace(left=leaver + 1), 1 - leaver)
    if s.rolls == 2 and p.breaks == 1:
        if p.men[s.group] > 0:
            return s._replace(stage=MEN)
        return breaking(p, s, FIRST_BREAK)
    if s.rolls == 4:
        return ended(p, s, 0 if own > enemy else 1 if enemy > own else NOBODY)
    return s._replace(stage=s.stage + 1)


@helper
def wants(p, s, side, policy):
    """Does a policy say to leave, or to try to break off?"""
    own, enemy = morale_left(p, s, side), morale_left(p, s, 1 - side)
    if policy == IF_BEHIND:
        return own < enemy
    if policy == IF_NEAR_ROUT:
        return own <= 1
    if policy == IF_SURE:
        return p.free == 1 or p.man[s.group, side] + own >= SURE
    return policy == ALWAYS


@helper
def breaking(p, s, stage):
    """Whoever tries next to break off, or the second day."""
    if stage == FIRST_BREAK and wants(p, s, p.first, p.break_off[p.first]):
        return s._replace(stage=FIRST_BREAK)
    if wants(p, s, 1 - p.first, p.break_off[1 - p.first]):
        return s._replace(stage=SECOND_BREAK)
    return s._replace(stage=FIRE_2)


@helper
def break_table(p, s, side):
    """The table of an attempt: d10 <= manoeuvre + morale left."""
    return p.attempt[s.group, side, morale_left(p, s, side)]


@helper
def after_attempt(p, s, side, success):
    """Got away, or the enemy has +1/+1 on day two and the other side may try."""
    if success == 1:
        return ended(p, s._replace(broke=side + 1), 1 - side)
    s = s._replace(failed=s.failed | (1 << side))
    return breaking(p, s, SECOND_BREAK) if s.stage == FIRST_BREAK else s._replace(stage=FIRE_2)


@helper
def ended(p, s, verdict):
    """The fighting is over: `verdict` has won, unless fleets are wiped out (step 8)."""
    if p.alone == 1:
        return s._replace(stage=OVER, verdict=verdict, failed=0)
    if p.reads == 1 and s.left == 0:
        wiped_a, wiped_d = p.wiped[0, s.loss_a], p.wiped[1, s.loss_d]
        verdict = winner_of(verdict, wiped_a, wiped_d)
        s = s._replace(routs=p.routs * (wiped_a + 2 * wiped_d))
    return onward(p, s._replace(verdict=verdict, failed=0), MEN_TO_CHASE)


@helper
def winner_of(verdict, wiped_a, wiped_d):
    """A wiped-out side loses whatever else happened; both: nobody wins (step 8)."""
    if wiped_a == 1 and wiped_d == 1:
        return NOBODY
    return 1 if wiped_a == 1 else 0 if wiped_d == 1 else verdict


@helper
def chases(p, s, side):
    """Does a side pursue? (step 9)"""
    return s.left == 0 and s.verdict == side and morale_left(p, s, side) > 0


@helper
def onward(p, s, stage):
    """To the first stage from this one on in which something happens."""
    if stage <= MEN_TO_CHASE and p.storms == 1 and p.men[s.group] > 0:
        return s._replace(stage=MEN_TO_CHASE)
    if stage <= CHASE_A and chases(p, s, 0):
        return s._replace(stage=CHASE_A)
    if stage <= CHASE_D and chases(p, s, 1):
        return s._replace(stage=CHASE_D)
    s = s._replace(group=p.later[s.group])
    if stage <= SETTLE and p.reads == 1:
        return s._replace(stage=SETTLE)
    if stage <= STORM_A and p.storms == 1 and storm_due(p, s, 0, s.record_a):
        return s._replace(stage=STORM_A)
    if stage <= STORM_D and p.storms == 1 and storm_due(p, s, 1, s.record_d):
        return s._replace(stage=STORM_D)
    return s._replace(stage=LEADERS if p.tested == 1 else OVER)


@helper
def chased_by_a(p, s, result):
    """The attacker's pursuit, on the defender's tally."""
    thirds, stars = result & LOSS_MASK, result >> LOSS_BITS
    return s._replace(loss_d=s.loss_d + thirds, stars_d=s.stars_d + stars, caught_a=stars)


@helper
def chased_by_d(p, s, result):
    """The defender's pursuit."""
    thirds, stars = result & LOSS_MASK, result >> LOSS_BITS
    return s._replace(loss_a=s.loss_a + thirds, stars_a=s.stars_a + stars, caught_d=stars)


@helper
def settled(p, s):
    """Each side's record in place of its losses (steps 10 and 11)."""
    routed_a = 1 if s.stars_a >= p.morale[0] or s.routs & 1 > 0 else 0
    routed_d = 1 if s.stars_d >= p.morale[1] or s.routs & 2 > 0 else 0
    record_a = p.record[0, 1 if s.verdict == 0 else 0, routed_a, s.caught_d, s.loss_a]
    record_d = p.record[1, 1 if s.verdict == 1 else 0, routed_d, s.caught_a, s.loss_d]
    s = s._replace(loss_a=0, loss_d=0, caught_a=0, caught_d=0, routs=0)
    return s._replace(record_a=record_a, record_d=record_d)


@helper
def storm_due(p, s, side, record):
    """Does a side roll retreat attrition? (step 12)"""
    return p.storm[side] == 1 and s.verdict != side and p.gone[side, record] == 0


@helper
def condition(p, s, side):
    """The condition of a side in the leader test: 0 won, 1 did not; 2 and 3 the same with no ship left."""
    if p.reads == 0:
        return 0 if s.verdict == side else 1
    gone = p.gone[side, s.record_a] if side == 0 else p.gone[side, s.record_d]
    return (0 if s.verdict == side else 1) + 2 * gone
