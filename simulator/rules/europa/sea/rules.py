"""The fighting of a naval battle, state by state (docs/rules/europa_naval_and_other.md section 3, steps 4 to 7).

Sides are 0 (attacker) and 1 (defender). `loss_a`, `stars_a` are what the attacker has suffered, as the dice gave it.
Nothing in the fighting reads the losses: they are counters. fight.py computes the chances of all losses in one sweep
over these rules, which look up their numbers and tables in the NavalSetup `p`; a battle then draws its end at once.
Pursuit, losses, retreat attrition and leader tests follow (fight.py, losses.py, end.py).
"""

from __future__ import annotations

from typing import NamedTuple

from simulator.engine.model.chance import NO_TABLE

DRAW, FIRE_1, BOARD_1, FIRE_2, BOARD_2, FIRST_BREAK, SECOND_BREAK, OVER = range(8)
NOBODY, UNDECIDED = 2, 3
SURE = 10
# The result of a side's roll, or of a pursuit: thirds and stars that it inflicts.
LOSS_BITS, LOSS_MASK = 4, 15


class NavalState(NamedTuple):
    """`failed`: 1 attacker, 2 defender failed to break off; `broke`, `left`: 1 or 2 who got away."""

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


def running(p, s):
    """Do the fleets still fight?"""
    return s.stage != OVER


def rolls(s):
    """Do both sides roll now?"""
    return FIRE_1 <= s.stage <= BOARD_2


def table(p, s):
    """The chance table of the attacker's roll, or of the only roll."""
    if s.stage == DRAW:
        return p.draw
    return thrown(p, s, 0) if rolls(s) else p.attempt(s.group, breaker(p, s), morale_left(p, s, breaker(p, s)))


def second(p, s):
    """The chance table of the defender's roll, where both sides roll."""
    return thrown(p, s, 1) if rolls(s) else NO_TABLE


def thrown(p, s, side):
    """The chance table of a side's roll."""
    return p.roll_table(side, s.group, s.stage - FIRE_1, s.failed, more_stars(s))


def breaker(p, s):
    """The side that tries to break off."""
    return p.first if s.stage == FIRST_BREAK else 1 - p.first


def step(p, s, result, other):
    """The state after a roll: what the attacker inflicts and what the defender does, or the result of the only roll."""
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
    return after_attempt(p, s, breaker(p, s), result)


def more_stars(s):
    """The side with more stars suffered so far: 0 neither, 1 attacker, 2 defender."""
    return 1 if s.stars_a > s.stars_d else 2 if s.stars_d > s.stars_a else 0


def morale_left(p, s, side):
    """Morale less stars suffered, at least 0."""
    return max(0, p.morale[0] - s.stars_a) if side == 0 else max(0, p.morale[1] - s.stars_d)


def after_roll(p, s):
    """Routs, leaving with the wind, breaking off, the next roll (step 7)."""
    own, enemy = morale_left(p, s, 0), morale_left(p, s, 1)
    if own == 0 or enemy == 0:
        return ended(p, s, NOBODY if own == enemy else 1 if own == 0 else 0)
    leaver = p.places[s.group].wind
    if s.rolls % 2 == 1 and leaver != NOBODY and wants(p, s, leaver, p.policies[leaver].leave_with_wind):
        return ended(p, s._replace(left=leaver + 1), 1 - leaver)
    if s.rolls == 2 and p.breaks:
        return breaking(p, s, FIRST_BREAK)
    if s.rolls == 4:
        return ended(p, s, 0 if own > enemy else 1 if enemy > own else NOBODY)
    return s._replace(stage=s.stage + 1)


def wants(p, s, side, policy):
    """Does a policy say to leave, or to try to break off?"""
    own, enemy = morale_left(p, s, side), morale_left(p, s, 1 - side)
    if policy == "if-behind":
        return own < enemy
    if policy == "if-near-rout":
        return own <= 1
    if policy == "if-sure":
        return p.free or p.man(s.group, side) + own >= SURE
    return policy == "always"


def breaking(p, s, stage):
    """The next side that tries to break off, or the second day."""
    if stage == FIRST_BREAK and wants(p, s, p.first, p.policies[p.first].break_off):
        return s._replace(stage=FIRST_BREAK)
    if wants(p, s, 1 - p.first, p.policies[1 - p.first].break_off):
        return s._replace(stage=SECOND_BREAK)
    return s._replace(stage=FIRE_2)


def after_attempt(p, s, side, success):
    """Got away, or the enemy has +1/+1 on day two and the other side may try."""
    if success == 1:
        return ended(p, s._replace(broke=side + 1), 1 - side)
    s = s._replace(failed=s.failed | (1 << side))
    return breaking(p, s, SECOND_BREAK) if s.stage == FIRST_BREAK else s._replace(stage=FIRE_2)


def ended(p, s, verdict):
    """The fighting is over: `verdict` has won, unless fleets turn out to be wiped out (step 8)."""
    return s._replace(stage=OVER, verdict=verdict, failed=0)


def settled(verdict, left, morale, wiped, routs):
    """(winner, does it pursue?, who is routed) of a fight, by the morale left and who is wiped out (steps 8 and 9).

    A wiped-out side loses whatever else happened; both: nobody wins. `left`: somebody has left with the wind. `routs`:
    a side that is wiped out is routed too (destruction_is_rout).
    """
    winner = verdict
    if any(wiped) and not left:
        winner = NOBODY if all(wiped) else 1 if wiped[0] else 0
    pursues = winner != NOBODY and not left and morale[winner] > 0
    return winner, pursues, (morale[0] == 0 or (routs and wiped[0]), morale[1] == 0 or (routs and wiped[1]))
