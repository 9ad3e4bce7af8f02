"""A land battle as a chain of states (docs/rules/europa_land_siege.md sections 3.3 to 3.6).

Sides are 0 (attacker) and 1 (defender). `caused_a` counts thirds that the attacker has inflicted with its main and
middle dice, `last_a` those of its last die (several dice only), `stars_a` the stars, stopped at the enemy's morale.
A 7-LD die that spares a stack its small-stack modifier is thirds inflicted in advance. Once the fighting has ended,
`caused_d` of a winning attacker holds the attacker's own final losses, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine import chain
from simulator.engine.chain import helper, rule

(
    EVADE, DRAW, FIRE_1, SHOCK_1, FIRE_2, SHOCK_2, FIRST_BREAK, SECOND_BREAK, PURSUIT, RETREAT, LEADERS, OVER,
    FIRST_CHOICE, SECOND_CHOICE,
) = range(14)  # fmt: skip
# How the fighting ended: nothing yet (or evaded, or overrun), on day 1 or 2, after a Shock (or later) or a Fire.
UNENDED, DAY_1, DAY_1_FIRE, DAY_2, DAY_2_FIRE = range(5)
NOBODY, UNDECIDED = 2, 3
# What the result of one part of a roll means.
MAIN, MIDDLE_A, LAST_A, MIDDLE_D, LAST_D = range(5)
NEVER, ALWAYS, IF_BEHIND, IF_SURE, BEST = range(5)
STAY, BREAK_OFF = 0, 1
SOUGHT = chain.BEST
SURE = 10
# A MAIN result: thirds and stars of the attacker, then of the defender.
LOSS_BITS, SIDE_BITS, LOSS_MASK, STAR_MASK = 4, 7, 15, 7
# A DRAW result: the leaders' class, and whether each side's 7-LD die spares it. An attempt to break off: 1 for success
# + 2 * the class that is known then.
SPARE_A, SPARE_D, CLASS_MASK = 4096, 8192, 4095
PURSUES = 4  # rows of `following` for the pursuits come after those of the four rolls


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
    rolls: np.ndarray  # [class, stage - FIRE_1, failed, part]: table
    pursuit: np.ndarray  # [class, winner, how ended, part]: table
    following: np.ndarray  # [stage - FIRE_1, or PURSUES + winner, part + 1]: the part rolled for next; `parts` for none
    retreat: np.ndarray  # [class, winner, attacker routed, defender routed]: table
    tests: np.ndarray  # [fragile code, attacker won + 2 destroyed, defender won + 2 destroyed]: table
    fragile: np.ndarray  # [class]: fragile code
    pursuers: np.ndarray  # [class, winner, loser routed]: class that is like it from the pursuit on
    retreaters: np.ndarray  # [class, winner, attacker routed, defender routed]: class that is like it in the retreat
    manoeuvre: np.ndarray  # [class, side]
    attempt: np.ndarray  # [class, side, morale left]: table
    break_off: np.ndarray
    size: np.ndarray
    morale: np.ndarray
    room: np.ndarray  # thirds that find a place to retreat, -1 for all
    spare: np.ndarray  # [side, main or last dice]: thirds that a 7-LD die may spare
    top: np.ndarray  # tallies beyond which nothing changes
    last_top: np.ndarray
    enough: np.ndarray  # a tally of the main dice that is the end of the enemy whatever the last one did; -1 for none
    spills: np.ndarray  # 1: what the last die inflicts beyond its small-stack modifier may join the other dice's
    inflicted: np.ndarray  # [side, tally, tally of the last die]: modified losses (section 3.4)


class LandState(NamedTuple):
    """`failed`: 1 attacker, 2 defender failed to break off; `broke`: 1 or 2 who did; `fates` of leaders."""

    stage: int
    part: int
    leaders: int
    caused_a: int
    stars_a: int
    last_a: int
    caused_d: int
    stars_d: int
    last_d: int
    failed: int
    winner: int
    ended: int
    broke: int
    fates: int


@rule(LandParams)
def running(p, s):
    """Has the battle still to be settled?"""
    return s.stage != OVER


@rule(LandParams)
def table(p, s):
    """The chance table of the next roll."""
    if FIRE_1 <= s.stage <= SHOCK_2:
        return p.rolls[s.leaders, s.stage - FIRE_1, s.failed, s.part]
    if s.stage == PURSUIT:
        return p.pursuit[s.leaders, s.winner, s.ended, s.part]
    if s.stage == RETREAT:
        return p.retreat[s.leaders, s.winner, is_routed(p, s, 0), is_routed(p, s, 1)]
    if s.stage == LEADERS:
        return leader_table(p, s)
    if FIRST_BREAK <= s.stage <= SECOND_BREAK:
        side = asked(p, s)
        return p.attempt[s.leaders, side, morale_left(p, s, side)]
    if s.stage >= FIRST_CHOICE:
        return 0
    return p.evade if s.stage == EVADE else p.draw


@rule(LandParams)
def step(p, s, result):
    """What one roll, one part of it, or a decision leads to."""
    if FIRE_1 <= s.stage <= SHOCK_2 or s.stage == PURSUIT:
        roll = PURSUES + s.winner if s.stage == PURSUIT else s.stage - FIRE_1
        s = add(p, s, result, p.following[roll, s.part + 1])
        return s if s.part < p.parts else after_pursuit(p, s) if s.stage == PURSUIT else after_roll(p, s)
    if s.stage == RETREAT:
        return after_retreat(p, s, result)
    if s.stage == LEADERS:
        return over(s, result)
    if FIRST_BREAK <= s.stage <= SECOND_BREAK:
        return after_attempt(p, s, result)
    if s.stage == FIRST_CHOICE:
        return first_chosen(p, s, result)
    if s.stage == SECOND_CHOICE:
        return second_chosen(p, s, result)
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


@rule(LandParams)
def choose(p, s):
    """Only a decision that is to be made as well as possible is a state of its own."""
    return SOUGHT


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
def at_roll(p, s, stage):
    """At the first part of a roll; a Fire that nobody rolls for is left out."""
    if not p.fires and (stage == FIRE_1 or stage == FIRE_2):  # noqa: PLR1714, SIM109 - compiled
        stage += 1
    return s._replace(stage=stage, part=p.following[stage - FIRE_1, 0])


@helper
def add(p, s, result, part):
    """Tally what one part of a roll inflicts (section 3.3); stars stop at the enemy's morale. `part` comes next."""
    kind = p.kinds[s.part]
    if kind == MAIN:
        s = s._replace(
            part=part,
            caused_a=min(p.top[0], s.caused_a + (result & LOSS_MASK)),
            stars_a=min(p.morale[1], s.stars_a + ((result >> LOSS_BITS) & STAR_MASK)),
            caused_d=min(p.top[1], s.caused_d + ((result >> SIDE_BITS) & LOSS_MASK)),
            stars_d=min(p.morale[0], s.stars_d + (result >> (SIDE_BITS + LOSS_BITS))),
        )
    elif kind == MIDDLE_A:
        s = s._replace(part=part, caused_a=min(p.top[0], s.caused_a + result))
    elif kind == MIDDLE_D:
        s = s._replace(part=part, caused_d=min(p.top[1], s.caused_d + result))
    elif kind == LAST_A:
        last = min(p.last_top[0], s.last_a + result)
        spilt = p.spills[0] * (s.last_a + result - last)
        s = s._replace(part=part, last_a=last, caused_a=min(p.top[0], s.caused_a + spilt))
    else:
        last = min(p.last_top[1], s.last_d + result)
        spilt = p.spills[1] * (s.last_d + result - last)
        s = s._replace(part=part, last_d=last, caused_d=min(p.top[1], s.caused_d + spilt))
    if s.caused_a == p.enough[0]:
        s = s._replace(last_a=p.last_top[0])
    if s.caused_d == p.enough[1]:
        s = s._replace(last_d=p.last_top[1])
    return s


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
def victor(out_a, out_d):
    """Who wins when sides are out of the fight (routed, destroyed): the other; nobody if both are."""
    return NOBODY if out_a and out_d else 1 if out_a else 0


@helper
def after_roll(p, s):
    """Rout check after each Fire and Shock, destruction test and breaking off after day 1 (3.5 steps 4 to 6)."""
    routed_a, routed_d = is_routed(p, s, 0), is_routed(p, s, 1)
    if routed_a or routed_d:
        day_1 = DAY_1_FIRE if s.stage == FIRE_1 else DAY_1
        day_2 = DAY_2_FIRE if s.stage == FIRE_2 else DAY_2
        return conclude(p, s, victor(routed_a, routed_d), day_1 if s.stage <= SHOCK_1 else day_2)
    if s.stage == FIRE_1 or s.stage == FIRE_2:  # noqa: PLR1714 - compiled
        return at_roll(p, s, s.stage + 1)
    if s.stage == SHOCK_2:
        return conclude(p, s, UNDECIDED, DAY_2)
    gone_a = inflicted(p, s, 1) + p.reaches > p.size[0]
    gone_d = inflicted(p, s, 0) + p.reaches > p.size[1]
    if gone_a or gone_d:
        return conclude(p, s, victor(gone_a, gone_d), DAY_1)
    s = s._replace(stage=FIRST_CHOICE)
    return s if p.break_off[p.first] == BEST else first_chosen(p, s, wants_away(p, s, p.first))


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
def first_chosen(p, s, option):
    """The side that is asked first tries to break off, or the other is asked."""
    return s._replace(stage=FIRST_BREAK) if option == BREAK_OFF else ask_second(p, s)


@helper
def ask_second(p, s):
    """The other side's decision."""
    s = s._replace(stage=SECOND_CHOICE)
    second = 1 - p.first
    return s if p.break_off[second] == BEST else second_chosen(p, s, wants_away(p, s, second))


@helper
def second_chosen(p, s, option):
    """The other side tries to break off, or day 2 begins."""
    return s._replace(stage=SECOND_BREAK) if option == BREAK_OFF else at_roll(p, s, FIRE_2)


@helper
def after_attempt(p, s, result):
    """A side that breaks off loses; one that fails gives the enemy +1/+1 on day 2. Its manoeuvre is known now."""
    side = asked(p, s)
    s = s._replace(leaders=result >> 1)
    if result & 1:
        return conclude(p, s._replace(broke=side + 1), 1 - side, DAY_1)
    s = s._replace(failed=s.failed | (side + 1))
    return ask_second(p, s) if s.stage == FIRST_BREAK else at_roll(p, s, FIRE_2)


# --- the end of the fighting (section 3.5 steps 7 to 9) --------------------------------------------------------------


@helper
def conclude(p, s, declared, ended):
    """The winner, and what cannot change any more: the winner's own losses; of a pursuer the enemy's still grow."""
    on_a, on_d = inflicted(p, s, 1), inflicted(p, s, 0)
    gone_a, gone_d = on_a + p.reaches > p.size[0], on_d + p.reaches > p.size[1]
    winner = declared
    if gone_a or gone_d:
        winner = victor(gone_a, gone_d)
    elif declared == UNDECIDED:
        left_a, left_d = morale_left(p, s, 0), morale_left(p, s, 1)
        winner = 0 if left_a > left_d else 1 if left_d > left_a else NOBODY
    pursuer = winner if winner != NOBODY and morale_left(p, s, 0 if winner == 0 else 1) > 0 else NOBODY
    s = s._replace(
        winner=winner,
        ended=ended,
        failed=0,
        caused_a=s.caused_a if pursuer == 0 else rounded(p, 1, on_d) if winner == 1 else min(on_d, p.size[1]),
        last_a=s.last_a if pursuer == 0 else 0,
        caused_d=s.caused_d if pursuer == 1 else rounded(p, 0, on_a) if winner == 0 else min(on_a, p.size[0]),
        last_d=s.last_d if pursuer == 1 else 0,
    )
    if pursuer == NOBODY:
        return to_retreat(p, s)
    leaders = p.pursuers[s.leaders, winner, is_routed(p, s, 1 - winner)]
    return s._replace(stage=PURSUIT, part=p.following[PURSUES + winner, 0], leaders=leaders)


@helper
def after_pursuit(p, s):
    """Losses and stars of the pursuit have joined the tally (section 3.5 step 8); the winner stays."""
    if s.winner == 0:
        return to_retreat(p, s._replace(caused_a=min(inflicted(p, s, 0), p.size[1])))
    return to_retreat(p, s._replace(caused_d=min(inflicted(p, s, 1), p.size[0])))


@helper
def to_retreat(p, s):
    """From here on only the day of the end matters, and of the leaders only how the losers retreat."""
    leaders = p.retreaters[s.leaders, s.winner, is_routed(p, s, 0), is_routed(p, s, 1)]
    day = DAY_1 if s.ended <= DAY_1_FIRE else DAY_2
    return s._replace(stage=RETREAT, part=0, leaders=leaders, last_a=0, last_d=0, ended=day)


@helper
def rounded(p, side, thirds):
    """Losses of a side: in Europe whole LD; never more than it has (section 3.5 step 9)."""
    return min((thirds + 1) // 3 * 3 if p.europe else thirds, p.size[side])


@helper
def retreated(p, side, thirds):
    """Losses of a side that did not win: what finds no place to retreat is lost too."""
    lost = rounded(p, side, thirds)
    return max(lost, p.size[side] - p.room[side]) if p.room[side] >= 0 else lost


@helper
def after_retreat(p, s, result):
    """Every non-winner adds its retreat roll; `result` holds the attacker's thirds + 4 * the defender's."""
    s = s._replace(
        stage=LEADERS,
        leaders=p.fragile[s.leaders],
        caused_d=s.caused_d if s.winner == 0 else retreated(p, 0, s.caused_d + (result & 3)),
        caused_a=s.caused_a if s.winner == 1 else retreated(p, 1, s.caused_a + (result >> 2)),
    )
    return s if leader_table(p, s) else over(s, 0)


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
