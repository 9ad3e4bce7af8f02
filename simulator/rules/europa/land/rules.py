"""A land battle as a chain of states (docs/rules/europa_land_siege.md sections 3.3 to 3.6).

Sides are 0 (attacker) and 1 (defender). `caused_a` counts thirds that the attacker has inflicted with its main and
middle dice, `last_a` those of its last die (several dice only), `stars_a` the stars, stopped at the enemy's morale.
A 7-LD die that spares a stack its small-stack modifier is thirds inflicted in advance. Once the fighting has ended,
`caused_d` of a winning attacker holds the attacker's own final losses, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper, rule
from simulator.engine.model.chance import NO_TABLE
from simulator.rules.battle import NOBODY

(
    EVADE, DRAW, FIRE_1, SHOCK_1, FIRE_2, SHOCK_2, PURSUIT, FIRST_BREAK, SECOND_BREAK, RETREAT, LEADERS, OVER,
    FIRST_CHOICE, SECOND_CHOICE,
) = range(14)  # fmt: skip
# The end of the fighting: not yet (or evaded, or overrun), on day 1 or 2, after a Shock (or later) or a Fire.
UNENDED, DAY_1, DAY_1_FIRE, DAY_2, DAY_2_FIRE = range(5)
ENDS = DAY_1_FIRE, DAY_1, DAY_2_FIRE, DAY_2  # by stage from FIRE_1 on
UNDECIDED = 3
# The meaning of the result of one part of a roll.
MAIN, MIDDLE_A, LAST_A, MIDDLE_D, LAST_D = range(5)
# Policies, in the order of model.BreakOff.
NEVER, ALWAYS, IF_BEHIND, IF_SURE, BEST = range(5)
STAY, BREAK_OFF = 0, 1
SURE = 10
# A MAIN result: thirds and stars of the attacker, then of the defender.
LOSS_BITS, SIDE_BITS, LOSS_MASK, STAR_MASK = 4, 7, 15, 7
# A DRAW result: the leaders' class, and whether each side's 7-LD die spares it. An attempt to break off: 1 for success
# + 2 * the class that is known then.
SPARE_A, SPARE_D, CLASS_MASK = 4096, 8192, 4095
PURSUES = 4  # + winner: the number of a pursuit, after those of the four rolls (see `roll_of`)


class LandParams(NamedTuple):
    """Numbers of one battle. Arrays of two hold attacker, defender; tables are indices of chance tables."""

    evade: int
    draw: int
    europe: int
    reaches: int
    fires: int
    first: int  # who may break off first
    parts: int
    kinds: np.ndarray  # [part]: what a result means
    rolls: np.ndarray  # [class, roll, failed or how ended, part]: table
    following: np.ndarray  # [roll, part + 1]: the part rolled for next; `parts` for none
    retreat: np.ndarray  # [class, winner, attacker routed, defender routed]: table
    tests: np.ndarray  # [fragile code, attacker won + 2 destroyed, defender won + 2 destroyed]: table
    fragile: np.ndarray  # [class]: fragile code
    pursuers: np.ndarray  # [class, winner, attacker routed, defender routed]: class that is like it from the pursuit on
    retreaters: np.ndarray  # the same, from the retreat on
    manoeuvre: np.ndarray  # [class, side]
    attempt: np.ndarray  # [class, side, morale left]: table
    break_off: np.ndarray
    size: np.ndarray
    morale: np.ndarray
    stranded: np.ndarray  # thirds that find no place to retreat
    spare: np.ndarray  # [side, main or last dice]: thirds that a 7-LD die may spare
    top: np.ndarray  # [side, main or last dice]: tallies beyond which nothing changes
    inflicted: np.ndarray  # [side, tally, tally of the last die]: modified losses (section 3.4)


class LandState(NamedTuple):
    """`failed`: 1 attacker, 2 defender failed to break off; `broke`: 1 or 2 who did; `fates` of leaders.

    The largest value of a field is its default, where it is the same in all battles.
    """

    part: int
    leaders: int
    caused_a: int
    stars_a: int
    last_a: int
    caused_d: int
    stars_d: int
    last_d: int
    stage: int = SECOND_CHOICE
    failed: int = 3
    winner: int = NOBODY
    ended: int = DAY_2_FIRE
    broke: int = 2
    fates: int = 63


@rule(LandParams)
def running(p, s):
    """Has the battle still to be settled?"""
    return s.stage != OVER


@rule(LandParams)
def table(p, s):
    """The chance table of the next roll."""
    if FIRE_1 <= s.stage <= PURSUIT:
        return p.rolls[s.leaders, roll_of(s), s.failed + s.ended, s.part]
    if s.stage == RETREAT:
        return p.retreat[s.leaders, s.winner, is_routed(p, s, 0), is_routed(p, s, 1)]
    if s.stage == LEADERS:
        return leader_table(p, s)
    if FIRST_BREAK <= s.stage <= SECOND_BREAK:
        side = asked(p, s)
        return p.attempt[s.leaders, side, morale_left(p, s, side)]
    if s.stage >= FIRST_CHOICE:
        return NO_TABLE
    return p.evade if s.stage == EVADE else p.draw


@rule(LandParams)
def step(p, s, result):
    """The state after a roll, a part of it, or a decision."""
    if FIRE_1 <= s.stage <= PURSUIT:
        s = add(p, s, result, p.following[roll_of(s), s.part + 1])
        return s if s.part < p.parts else to_retreat(p, s) if s.stage == PURSUIT else after_roll(p, s)
    if s.stage == RETREAT:
        return after_retreat(p, s, result)
    if s.stage == LEADERS:
        return over(s, result)
    if FIRST_BREAK <= s.stage <= SECOND_BREAK:
        return after_attempt(p, s, result)
    if s.stage >= FIRST_CHOICE:
        tries = s._replace(stage=s.stage - FIRST_CHOICE + FIRST_BREAK)
        return tries if result == BREAK_OFF else ask(p, s, s.stage - FIRST_CHOICE + 1)
    if s.stage == EVADE:
        return s._replace(stage=OVER if result else DRAW)
    return drawn(p, s, result)


@rule(LandParams)
def decides(p, s):
    """At the end of day 1 a side decides whether it tries to break off (docs/rules/decisions.md section 2.1).

    A fixed policy is followed at once; only one that is to be chosen as well as possible makes a state of its own.
    """
    return 1 + asked(p, s) if s.stage >= FIRST_CHOICE else 0


@rule(LandParams)
def options(p, s):
    """To stay, or to break off."""
    return 2


@helper
def drawn(p, s, result):
    """Replacement leaders and 7-LD dice (section 3.5 step 3)."""
    s = s._replace(leaders=result & CLASS_MASK)
    if result & SPARE_A:
        s = s._replace(caused_a=p.spare[0, 0], last_a=p.spare[0, 1])
    if result & SPARE_D:
        s = s._replace(caused_d=p.spare[1, 0], last_d=p.spare[1, 1])
    return at_roll(p, s, FIRE_1)


# --- rolls -----------------------------------------------------------------------------------------------------------


@helper
def roll_of(s):
    """The number of a Fire, Shock (0 to 3) or pursuit."""
    return PURSUES + s.winner if s.stage == PURSUIT else s.stage - FIRE_1


@helper
def at_roll(p, s, stage):
    """At the first part of a roll; a Fire that nobody rolls for is left out."""
    if not p.fires and (stage == FIRE_1 or stage == FIRE_2):  # noqa: PLR1714, SIM109 - compiled
        stage += 1
    return s._replace(stage=stage, part=p.following[stage - FIRE_1, 0])


@helper
def add(p, s, result, part):
    """Tally what one part of a roll inflicts (section 3.3); stars stop at the enemy's morale. `part` comes next."""
    kind, a, d = p.kinds[s.part], 0, 0
    if kind == LAST_A:
        return s._replace(part=part, last_a=min(p.top[0, 1], s.last_a + result))
    if kind == LAST_D:
        return s._replace(part=part, last_d=min(p.top[1, 1], s.last_d + result))
    if kind == MIDDLE_A:
        a = result
    elif kind == MIDDLE_D:
        d = result
    else:
        a, d = result & LOSS_MASK, (result >> SIDE_BITS) & LOSS_MASK
        stars_a = min(p.morale[1], s.stars_a + ((result >> LOSS_BITS) & STAR_MASK))
        s = s._replace(stars_a=stars_a, stars_d=min(p.morale[0], s.stars_d + (result >> (SIDE_BITS + LOSS_BITS))))
    return s._replace(part=part, caused_a=min(p.top[0, 0], s.caused_a + a), caused_d=min(p.top[1, 0], s.caused_d + d))


@helper
def morale_left(p, s, side):
    """Remaining morale of a side."""
    return p.morale[side] - (s.stars_d if side == 0 else s.stars_a)


@helper
def is_routed(p, s, side):
    """1 for a side without morale."""
    return 1 if morale_left(p, s, side) == 0 else 0


@helper
def inflicted(p, s, side):
    """Modified losses that a side inflicts (section 3.4)."""
    return p.inflicted[0, s.caused_a, s.last_a] if side == 0 else p.inflicted[1, s.caused_d, s.last_d]


@helper
def gone(p, s, side):
    """Is a side destroyed, by the test of section 3.4?"""
    return inflicted(p, s, 1 - side) + p.reaches > p.size[side]


@helper
def after_roll(p, s):
    """Rout check after each Fire and Shock, destruction test and breaking off after day 1 (3.5 steps 4 to 6)."""
    routed_a, routed_d = is_routed(p, s, 0), is_routed(p, s, 1)
    if routed_a or routed_d:
        return conclude(p, s, NOBODY if routed_a and routed_d else routed_a, ENDS[s.stage - FIRE_1])
    if s.stage == FIRE_1 or s.stage == FIRE_2:  # noqa: PLR1714 - compiled
        return at_roll(p, s, s.stage + 1)
    if s.stage == SHOCK_2 or gone(p, s, 0) or gone(p, s, 1):
        return conclude(p, s, UNDECIDED, ENDS[s.stage - FIRE_1])
    return ask(p, s, 0)


# --- breaking off (section 3.5 step 5) -------------------------------------------------------------------------------


@helper
def asked(p, s):
    """The side that decides, or tries, to break off."""
    return p.first if s.stage == FIRST_CHOICE or s.stage == FIRST_BREAK else 1 - p.first  # noqa: PLR1714 - compiled


@helper
def wants_away(p, s, side):
    """`policy.<side>.break_off` (section 3.1)."""
    policy, left = p.break_off[side], morale_left(p, s, side)
    if policy == IF_BEHIND:
        return 1 if left < morale_left(p, s, 1 - side) else 0
    if policy == IF_SURE:
        return 1 if p.manoeuvre[s.leaders, side] + left >= SURE else 0
    return 1 if policy == ALWAYS else 0


@helper
def ask(p, s, place):
    """The first side from this place (0 or 1) on that tries to break off or has to be asked; without one, day 2."""
    while place < 2:
        side = p.first if place == 0 else 1 - p.first
        if p.break_off[side] == BEST:
            return s._replace(stage=FIRST_CHOICE + place)
        if wants_away(p, s, side):
            return s._replace(stage=FIRST_BREAK + place)
        place += 1
    return at_roll(p, s, FIRE_2)


@helper
def after_attempt(p, s, result):
    """A side that breaks off loses; one that fails gives the enemy +1/+1 on day 2. Its manoeuvre is known now."""
    side = asked(p, s)
    s = s._replace(leaders=result >> 1)
    if result & 1:
        return conclude(p, s._replace(broke=side + 1), 1 - side, DAY_1)
    return ask(p, s._replace(failed=s.failed | (side + 1)), s.stage - FIRST_BREAK + 1)


# --- the end of the fighting (section 3.5 steps 7 to 9) --------------------------------------------------------------


@helper
def conclude(p, s, winner, ended):
    """The winner, its own losses, which cannot change any more, and the pursuit unless it is itself routed."""
    gone_a, gone_d = gone(p, s, 0), gone(p, s, 1)
    if gone_a or gone_d:
        winner = NOBODY if gone_a and gone_d else 1 if gone_a else 0
    elif winner == UNDECIDED:
        left_a, left_d = morale_left(p, s, 0), morale_left(p, s, 1)
        winner = 0 if left_a > left_d else 1 if left_d > left_a else NOBODY
    s = s._replace(winner=winner, ended=ended, failed=0)
    if winner == 0:
        s = s._replace(caused_d=rounded(p, 0, inflicted(p, s, 1)), last_d=0)
    if winner == 1:
        s = s._replace(caused_a=rounded(p, 1, inflicted(p, s, 0)), last_a=0)
    if winner == NOBODY or is_routed(p, s, winner):
        return to_retreat(p, s)
    leaders = p.pursuers[s.leaders, winner, is_routed(p, s, 0), is_routed(p, s, 1)]
    return s._replace(stage=PURSUIT, part=p.following[PURSUES + winner, 0], leaders=leaders)


@helper
def to_retreat(p, s):
    """From here on only the day of the end matters, of the leaders how the losers retreat, and of tallies the losses.

    Those of a pursuit have joined them (section 3.5 step 8); the winner stays.
    """
    return s._replace(
        stage=RETREAT,
        part=0,
        leaders=p.retreaters[s.leaders, s.winner, is_routed(p, s, 0), is_routed(p, s, 1)],
        caused_a=s.caused_a if s.winner == 1 else min(inflicted(p, s, 0), p.size[1]),
        last_a=0,
        caused_d=s.caused_d if s.winner == 0 else min(inflicted(p, s, 1), p.size[0]),
        last_d=0,
        ended=DAY_1 if s.ended <= DAY_1_FIRE else DAY_2,
    )


@helper
def rounded(p, side, thirds):
    """Losses of a side: in Europe whole LD; never more than it has (section 3.5 step 9)."""
    return min((thirds + 1) // 3 * 3 if p.europe else thirds, p.size[side])


@helper
def after_retreat(p, s, result):
    """Every non-winner adds its retreat roll, and what finds no place to retreat is lost too (3.5 step 9).

    `result` holds the attacker's thirds + 4 * the defender's.
    """
    lost_a = max(p.stranded[0], rounded(p, 0, s.caused_d + (result & 3)))
    lost_d = max(p.stranded[1], rounded(p, 1, s.caused_a + (result >> 2)))
    s = s._replace(
        stage=LEADERS,
        leaders=p.fragile[s.leaders],
        caused_d=s.caused_d if s.winner == 0 else lost_a,
        caused_a=s.caused_a if s.winner == 1 else lost_d,
    )
    return s if leader_table(p, s) != NO_TABLE else over(s, 0)


@helper
def leader_table(p, s):
    """Leader tests of both sides (section 3.6): -1 if the side did not win, -5 if nothing of it is left."""
    attacker = (1 if s.winner == 0 else 0) + (2 if s.caused_d == p.size[0] else 0)
    defender = (1 if s.winner == 1 else 0) + (2 if s.caused_a == p.size[1] else 0)
    return p.tests[s.leaders, attacker, defender]


@helper
def over(s, fates):
    """The battle is over."""
    return s._replace(stage=OVER, leaders=0, fates=s.fates + fates)
