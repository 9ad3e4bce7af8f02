"""The fighting of a naval battle, state by state (docs/rules/europa_naval_and_other.md section 3, steps 4 to 9).

Sides are 0 (attacker) and 1 (defender). `loss_a`, `stars_a` are what the attacker has suffered, as the dice gave it.
Nothing in the fighting reads the losses: without decisions they are counters, and fight.py computes the chances of all
losses in one sweep over these rules. Where a side decides, all of them are states of one chain (decided.py). Pursuit,
losses, retreat attrition and leader tests follow (losses.py, end.py).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.battle import NOBODY

(
    DRAW, FIRE_1, BOARD_1, FIRE_2, BOARD_2, FIRST_BREAK, SECOND_BREAK, OVER, WIND_CHOICE, FIRST_CHOICE, SECOND_CHOICE,
) = range(11)  # fmt: skip
UNDECIDED = 3
# Policies that say when to leave.
LEAVING = ("never", "always", "if-behind", "if-near-rout", "if-sure", "best")
NEVER, ALWAYS, IF_BEHIND, IF_NEAR_ROUT, IF_SURE, BEST = range(len(LEAVING))
STAY, LEAVE = 0, 1
SURE = 10
# The result of a side's roll, or of a pursuit: thirds and stars that it inflicts.
LOSS_BITS, LOSS_MASK = 4, 15


class FightParams(NamedTuple):
    """Numbers of one fight. Arrays of two hold attacker, defender; tables are indices of chance tables.

    A *group* is the wind and the values of the leaders, drawn before the first roll.
    """

    draw: int  # table of the groups
    rolls: np.ndarray  # [side, group, roll, failed, side with more stars]: table
    attempts: np.ndarray  # [side, group, morale left]: table
    wind: np.ndarray  # [group]
    sure: np.ndarray  # [side, group]: morale with which an attempt to break off cannot fail
    leave_with_wind: np.ndarray
    break_off: np.ndarray
    breaks: int  # may anybody break off?
    first: int  # who may break off first
    morale: np.ndarray


class NavalState(NamedTuple):
    """`failed`: 1 attacker, 2 defender failed to break off; `broke`, `left`: 1 or 2 who got away.

    The last three are of decided.py, after the fighting: the records of both sides, and the fates of the leaders.
    """

    stage: int
    group: int
    loss_a: int
    loss_d: int
    stars_a: int
    stars_d: int
    failed: int
    rolls: int
    verdict: int
    broke: int
    left: int
    record_a: int = 0
    record_d: int = 0
    fates: int = 0


@helper
def running(p, s):
    """Do the fleets still fight?"""
    return s.stage != OVER


@helper
def rolls(s):
    """Do both sides roll now?"""
    return FIRE_1 <= s.stage <= BOARD_2


@helper
def table(p, s):
    """The chance table of the attacker's roll, or of the only roll."""
    if rolls(s):
        return thrown(p, s, 0)
    if s.stage == DRAW:
        return p.draw
    if s.stage >= WIND_CHOICE:
        return NO_TABLE
    side = asked(p, s)
    return p.attempts[side, s.group, morale_left(p, s, side)]


@helper
def second(p, s):
    """The chance table of the defender's roll, where both sides roll."""
    return thrown(p, s, 1) if rolls(s) else NO_TABLE


@helper
def thrown(p, s, side):
    """The chance table of a side's roll."""
    return p.rolls[side, s.group, s.stage - FIRE_1, s.failed, more_stars(s)]


@helper
def asked(p, s):
    """The side that decides whether to leave, or tries to break off."""
    if s.stage == WIND_CHOICE:
        return p.wind[s.group]
    return p.first if s.stage == FIRST_BREAK or s.stage == FIRST_CHOICE else 1 - p.first  # noqa: PLR1714 - compiled


@helper
def step(p, s, result, other):
    """The state after a roll (what the attacker inflicts, what the defender does), the only roll, or a decision."""
    if rolls(s):
        inflicted = s._replace(
            loss_d=s.loss_d + (result & LOSS_MASK),
            stars_d=s.stars_d + (result >> LOSS_BITS),
            loss_a=s.loss_a + (other & LOSS_MASK),
            stars_a=s.stars_a + (other >> LOSS_BITS),
            rolls=s.rolls + 1,
        )
        return after_roll(p, inflicted)
    if s.stage == DRAW:
        return s._replace(stage=FIRE_1, group=result)
    if s.stage == WIND_CHOICE:
        return left_with_wind(p, s) if result == LEAVE else stayed(p, s)
    if s.stage >= FIRST_CHOICE:
        tries = s._replace(stage=s.stage - FIRST_CHOICE + FIRST_BREAK)
        return tries if result == LEAVE else breaking(p, s, s.stage - FIRST_CHOICE + 1)
    return after_attempt(p, s, result)


@helper
def more_stars(s):
    """The side with more stars suffered so far: 0 neither, 1 attacker, 2 defender."""
    return 1 if s.stars_a > s.stars_d else 2 if s.stars_d > s.stars_a else 0


@helper
def morale_left(p, s, side):
    """Morale less stars suffered, at least 0."""
    return max(0, p.morale[side] - (s.stars_a if side == 0 else s.stars_d))


@helper
def after_roll(p, s):
    """Routs, leaving with the wind, breaking off, the next roll (step 7)."""
    own, enemy = morale_left(p, s, 0), morale_left(p, s, 1)
    if own == 0 or enemy == 0:
        return ended(s, NOBODY if own == enemy else 1 if own == 0 else 0)
    leaver = p.wind[s.group]
    if s.rolls % 2 == 1 and leaver != NOBODY:
        if p.leave_with_wind[leaver] == BEST:
            return s._replace(stage=WIND_CHOICE)
        if wants(p, s, leaver, p.leave_with_wind[leaver]):
            return left_with_wind(p, s)
    return stayed(p, s)


@helper
def left_with_wind(p, s):
    """The side with the wind is away; it loses."""
    leaver = p.wind[s.group]
    return ended(s._replace(left=leaver + 1), 1 - leaver)


@helper
def stayed(p, s):
    """Nobody has left with the wind: breaking off, the next roll, or the end of the second day."""
    if s.rolls == 2 and p.breaks:
        return breaking(p, s, 0)
    if s.rolls == 4:
        own, enemy = morale_left(p, s, 0), morale_left(p, s, 1)
        return ended(s, 0 if own > enemy else 1 if enemy > own else NOBODY)
    return s._replace(stage=FIRE_1 + s.rolls)


@helper
def wants(p, s, side, policy):
    """Does a policy say to leave, or to try to break off?"""
    own, enemy = morale_left(p, s, side), morale_left(p, s, 1 - side)
    if policy == IF_BEHIND:
        return own < enemy
    if policy == IF_NEAR_ROUT:
        return own <= 1
    if policy == IF_SURE:
        return own >= p.sure[side, s.group]
    return policy == ALWAYS


@helper
def breaking(p, s, place):
    """The first side from this place (0 or 1) on that tries to break off or has to be asked; without one, day two."""
    while place < 2:
        side = p.first if place == 0 else 1 - p.first
        if p.break_off[side] == BEST:
            return s._replace(stage=FIRST_CHOICE + place)
        if wants(p, s, side, p.break_off[side]):
            return s._replace(stage=FIRST_BREAK + place)
        place += 1
    return s._replace(stage=FIRE_2)


@helper
def after_attempt(p, s, success):
    """Got away, or the enemy has +1/+1 on day two and the other side may try."""
    side = asked(p, s)
    if success == 1:
        return ended(s._replace(broke=side + 1), 1 - side)
    return breaking(p, s._replace(failed=s.failed | (1 << side)), s.stage - FIRST_BREAK + 1)


@helper
def ended(s, verdict):
    """The fighting is over: `verdict` has won, unless fleets turn out to be wiped out (step 8)."""
    return s._replace(stage=OVER, verdict=verdict, failed=0)


# --- the end of the fighting (steps 8 and 9) -------------------------------------------------------------------------


@helper
def winner_of(verdict, left, wiped_a, wiped_d):
    """The winner of a fight; a side that is wiped out loses whatever else happened, both: nobody wins.

    `left`: somebody has left with the wind.
    """
    if left or not (wiped_a or wiped_d):
        return verdict
    return NOBODY if wiped_a and wiped_d else 1 if wiped_a else 0


@helper
def pursues(winner, left, morale_a, morale_d):
    """Does the winner pursue? Not if it is routed itself, by the morale that is left, or if the enemy has left."""
    return winner != NOBODY and not left and (morale_d if winner == 1 else morale_a) > 0


@helper
def routed(morale, wiped, routs):
    """Is a side routed? `routs`: a side that is wiped out is routed too (destruction_is_rout)."""
    return morale == 0 or (routs and wiped)


def settled(verdict, left, morale, wiped, routs):
    """(winner, does it pursue?, who is routed) of a fight, by the morale left and who is wiped out."""
    winner = winner_of(verdict, left, *wiped)
    return winner, pursues(winner, left, *morale), tuple(map(routed, morale, wiped, (routs, routs)))
