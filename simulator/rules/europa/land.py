"""A land battle as a chain of states (docs/rules/europa_land_siege.md sections 3.3 to 3.6).

Sides are 0 (attacker) and 1 (defender). `caused_a` counts thirds that the attacker has inflicted with its main and
middle dice, `last_a` those of its last die (several dice only), `stars_a` the stars, stopped at the enemy's morale.
A 7-LD die that spares a stack its small-stack modifier is a third inflicted in advance. Once the fighting has ended,
`caused_d` of a winning attacker holds the attacker's own final losses, and so on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule

EVADE, DRAW, FIRE_1, SHOCK_1, FIRE_2, SHOCK_2, FIRST_BREAK, SECOND_BREAK, PURSUIT, RETREAT, LEADERS, OVER = range(12)
# How the fighting ended: nothing yet (or evaded, or overrun), on day 1 or 2, after a Shock (or later) or a Fire.
UNENDED, DAY_1, DAY_1_FIRE, DAY_2, DAY_2_FIRE = range(5)
NOBODY, UNDECIDED = 2, 3
# What the result of one part of a roll means.
MAIN, MIDDLE_A, LAST_A, MIDDLE_D, LAST_D = range(5)
NEVER, ALWAYS, IF_BEHIND, IF_SURE = range(4)
SURE = 10
# A MAIN result: thirds and stars of the attacker, then of the defender.
LOSS_BITS, SIDE_BITS, LOSS_MASK, STAR_MASK = 4, 7, 15, 7
# A DRAW result: the leaders' class, and whether each side's 7-LD die spares it. An attempt to break off: 1 for success
# + 2 * the class that is known then.
SPARE_A, SPARE_D, CLASS_MASK = 4096, 8192, 4095


class LandParams(NamedTuple):
    """Numbers of one battle. Arrays of two hold attacker, defender; tables are indices of chance tables."""

    evade: int
    draw: int
    europe: int
    reaches: int
    fires: int
    first: int
    parts: int
    kinds: np.ndarray  # [part]: what a result means
    rolls: np.ndarray  # [class, stage - FIRE_1, failed, part]: table
    following: np.ndarray  # [stage - FIRE_1, part]: next part that anybody rolls for, `parts` for none
    pursuit_parts: np.ndarray  # [winner]
    pursuit_kinds: np.ndarray  # [winner, part]
    pursuit: np.ndarray  # [class, winner, how ended, part]: table
    retreat: np.ndarray  # [class, winner, attacker routed, defender routed]: table
    leaders: np.ndarray  # [fragile code, attacker won + 2 destroyed, defender won + 2 destroyed]: table
    fragile: np.ndarray  # [class]: fragile code
    pursuers: np.ndarray  # [class, winner, loser routed]: class that is like it from the pursuit on
    retreaters: np.ndarray  # [class, winner, attacker routed, defender routed]: class that is like it in the retreat
    manoeuvre: np.ndarray  # [class, side]
    attempt: np.ndarray  # [class, side, morale left]: table
    break_off: np.ndarray
    size: np.ndarray
    morale: np.ndarray
    room: np.ndarray  # thirds that find a place to retreat, -1 for all
    small: np.ndarray
    cap: np.ndarray
    top: np.ndarray
    last_small: np.ndarray
    last_cap: np.ndarray
    last_top: np.ndarray
    enough: np.ndarray  # a tally of the main dice that is the end of the enemy whatever the last one did; -1 for none
    spills: np.ndarray  # 1: what the last die inflicts beyond its small-stack modifier may join the other dice's
    modified: np.ndarray  # [side, thirds inflicted]: after the size step


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
    if s.stage == FIRST_BREAK:
        return break_table(p, s, p.first)
    if s.stage == SECOND_BREAK:
        return break_table(p, s, 1 - p.first)
    return p.evade if s.stage == EVADE else p.draw


@rule(LandParams)
def step(p, s, result):
    """What one roll, or one part of it, leads to."""
    if FIRE_1 <= s.stage <= SHOCK_2:
        s = add(p, s, p.kinds[s.part], result)
        part = p.following[s.stage - FIRE_1, s.part]
        return at_part(s, part) if part < p.parts else after_roll(p, at_part(s, 0))
    if s.stage == PURSUIT:
        s = add(p, s, p.pursuit_kinds[s.winner, s.part], result)
        more = s.part + 1 < p.pursuit_parts[s.winner]
        return at_part(s, s.part + 1) if more else after_pursuit(p, at_part(s, 0))
    if s.stage == RETREAT:
        return after_retreat(p, s, result)
    if s.stage == LEADERS:
        return with_fates(s, result)
    if FIRST_BREAK <= s.stage <= SECOND_BREAK:
        return after_break(p, s, result)
    if s.stage == EVADE:
        return LandState(OVER if result else DRAW, 0, 0, 0, 0, 0, 0, 0, 0, 0, NOBODY, UNENDED, 0, 0)
    return drawn(p, s, result)


@helper
def drawn(p, s, result):
    """Replacement leaders and 7-LD dice (section 3.5 step 3)."""
    caused_a, last_a, caused_d, last_d = 0, 0, 0, 0
    if result & SPARE_A:
        caused_a, last_a = (1, 0) if p.last_cap[0] == 0 else (0, 1)
    if result & SPARE_D:
        caused_d, last_d = (1, 0) if p.last_cap[1] == 0 else (0, 1)
    stage = FIRE_1 if p.fires else SHOCK_1
    return LandState(stage, 0, result & CLASS_MASK, caused_a, 0, last_a, caused_d, 0, last_d, 0, NOBODY, UNENDED, 0, 0)


@helper
def add(p, s, kind, result):
    """Tally what one part of a roll inflicts (section 3.3); stars stop at the enemy's morale."""
    caused_a, stars_a, last_a = s.caused_a, s.stars_a, s.last_a
    caused_d, stars_d, last_d = s.caused_d, s.stars_d, s.last_d
    if kind == MAIN:
        caused_a = min(p.top[0], caused_a + (result & LOSS_MASK))
        stars_a = min(p.morale[1], stars_a + ((result >> LOSS_BITS) & STAR_MASK))
        caused_d = min(p.top[1], caused_d + ((result >> SIDE_BITS) & LOSS_MASK))
        stars_d = min(p.morale[0], stars_d + (result >> (SIDE_BITS + LOSS_BITS)))
    elif kind == MIDDLE_A:
        caused_a = min(p.top[0], caused_a + result)
    elif kind == LAST_A:
        last_a = min(p.last_top[0], s.last_a + result)
        caused_a = min(p.top[0], caused_a + p.spills[0] * (s.last_a + result - last_a))
    elif kind == MIDDLE_D:
        caused_d = min(p.top[1], caused_d + result)
    else:
        last_d = min(p.last_top[1], s.last_d + result)
        caused_d = min(p.top[1], caused_d + p.spills[1] * (s.last_d + result - last_d))
    if caused_a == p.enough[0]:
        last_a = p.last_top[0]
    if caused_d == p.enough[1]:
        last_d = p.last_top[1]
    return LandState(
        s.stage, s.part, s.leaders, caused_a, stars_a, last_a, caused_d, stars_d, last_d,
        s.failed, s.winner, s.ended, s.broke, s.fates,
    )  # fmt: skip


@helper
def at_part(s, part):
    """The same state at another part of the roll."""
    return LandState(
        s.stage, part, s.leaders, s.caused_a, s.stars_a, s.last_a, s.caused_d, s.stars_d, s.last_d,
        s.failed, s.winner, s.ended, s.broke, s.fates,
    )  # fmt: skip


@helper
def at_stage(s, stage, failed):
    """The same state at another stage."""
    return LandState(
        stage, s.part, s.leaders, s.caused_a, s.stars_a, s.last_a, s.caused_d, s.stars_d, s.last_d,
        failed, s.winner, s.ended, s.broke, s.fates,
    )  # fmt: skip


@helper
def led_by(s, leaders):
    """The same state with another class of leaders."""
    return LandState(
        s.stage, s.part, leaders, s.caused_a, s.stars_a, s.last_a, s.caused_d, s.stars_d, s.last_d,
        s.failed, s.winner, s.ended, s.broke, s.fates,
    )  # fmt: skip


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
    caused = (s.caused_a if side == 0 else s.caused_d) - p.small[side]
    last = (s.last_a if side == 0 else s.last_d) - p.last_small[side]
    return p.modified[side, min(p.cap[side], max(0, caused)) + min(p.last_cap[side], max(0, last))]


@helper
def after_roll(p, s):
    """Rout check after each Fire and Shock (section 3.5 steps 4 to 6)."""
    routed_a, routed_d = is_routed(p, s, 0), is_routed(p, s, 1)
    if routed_a or routed_d:
        declared = NOBODY if routed_a and routed_d else 1 if routed_a else 0
        ended = DAY_1 if s.stage == SHOCK_1 else DAY_1_FIRE if s.stage == FIRE_1 else DAY_2
        return conclude(p, s, declared, DAY_2_FIRE if s.stage == FIRE_2 else ended, 0)
    if s.stage == FIRE_1:
        return at_stage(s, SHOCK_1, 0)
    if s.stage == FIRE_2:
        return at_stage(s, SHOCK_2, s.failed)
    if s.stage == SHOCK_2:
        return conclude(p, s, UNDECIDED, DAY_2, 0)
    gone_a = inflicted(p, s, 1) + p.reaches > p.size[0]
    gone_d = inflicted(p, s, 0) + p.reaches > p.size[1]
    if gone_a or gone_d:
        return conclude(p, s, NOBODY if gone_a and gone_d else 1 if gone_a else 0, DAY_1, 0)
    if wants_away(p, s, p.first):
        return at_stage(s, FIRST_BREAK, 0)
    return second_break(p, s, 0)


@helper
def second_break(p, s, failed):
    """The other side's attempt to break off, else day 2."""
    if wants_away(p, s, 1 - p.first):
        return at_stage(s, SECOND_BREAK, failed)
    return at_stage(s, FIRE_2 if p.fires else SHOCK_2, failed)


@helper
def wants_away(p, s, side):
    """`policy.<side>.break_off` (section 3.1)."""
    policy, left = p.break_off[side], morale_left(p, s, side)
    if policy == IF_BEHIND:
        return left < morale_left(p, s, 1 - side)
    if policy == IF_SURE:
        return p.manoeuvre[s.leaders, side] + left >= SURE
    return policy == ALWAYS


@helper
def break_table(p, s, side):
    """Success if d10 <= manoeuvre + remaining morale."""
    return p.attempt[s.leaders, side, morale_left(p, s, side)]


@helper
def after_break(p, s, result):
    """A side that breaks off loses; one that fails gives the enemy +1/+1 on day 2. Its manoeuvre is known now."""
    side = p.first if s.stage == FIRST_BREAK else 1 - p.first
    s = led_by(s, result >> 1)
    if result & 1:
        return conclude(p, s, 1 - side, DAY_1, side + 1)
    failed = s.failed | (side + 1)
    return second_break(p, s, failed) if s.stage == FIRST_BREAK else at_stage(s, FIRE_2 if p.fires else SHOCK_2, failed)


@helper
def conclude(p, s, declared, ended, broke):
    """The winner (section 3.5 step 7), and what cannot change any more: the winner's own losses (step 9)."""
    on_a, on_d = inflicted(p, s, 1), inflicted(p, s, 0)
    gone_a, gone_d = on_a + p.reaches > p.size[0], on_d + p.reaches > p.size[1]
    winner = declared
    if gone_a or gone_d:
        winner = NOBODY if gone_a and gone_d else 1 if gone_a else 0
    elif declared == UNDECIDED:
        left_a, left_d = morale_left(p, s, 0), morale_left(p, s, 1)
        winner = 0 if left_a > left_d else 1 if left_d > left_a else NOBODY
    pursues = winner != NOBODY and morale_left(p, s, 0 if winner == 0 else 1) > 0
    caused_a, last_a, caused_d, last_d = min(on_d, p.size[1]), 0, min(on_a, p.size[0]), 0
    if winner == 0:
        caused_d = rounded(p, 0, on_a)
        if pursues:
            caused_a, last_a = s.caused_a, s.last_a
    if winner == 1:
        caused_a = rounded(p, 1, on_d)
        if pursues:
            caused_d, last_d = s.caused_d, s.last_d
    if not pursues:
        return to_retreat(p, s, caused_a, caused_d, winner, ended, broke)
    leaders = p.pursuers[s.leaders, winner, is_routed(p, s, 1 - winner)]
    return LandState(
        PURSUIT, 0, leaders, caused_a, s.stars_a, last_a, caused_d, s.stars_d, last_d, 0, winner, ended, broke, 0
    )


@helper
def to_retreat(p, s, caused_a, caused_d, winner, ended, broke):
    """From here on only the day of the end matters, and of the leaders only how the losers retreat."""
    leaders = p.retreaters[s.leaders, winner, is_routed(p, s, 0), is_routed(p, s, 1)]
    day = DAY_1 if ended <= DAY_1_FIRE else DAY_2
    return LandState(RETREAT, 0, leaders, caused_a, s.stars_a, 0, caused_d, s.stars_d, 0, 0, winner, day, broke, 0)


@helper
def after_pursuit(p, s):
    """Losses and stars of the pursuit have joined the tally (section 3.5 step 8); the winner stays."""
    caused_a, caused_d = s.caused_a, s.caused_d
    if s.winner == 0:
        caused_a = min(inflicted(p, s, 0), p.size[1])
    else:
        caused_d = min(inflicted(p, s, 1), p.size[0])
    return to_retreat(p, s, caused_a, caused_d, s.winner, s.ended, s.broke)


@helper
def rounded(p, side, thirds):
    """Losses of a side: in Europe whole LD; never more than it has (section 3.5 step 9)."""
    total = (thirds + 1) // 3 * 3 if p.europe else thirds
    return min(total, p.size[side])


@helper
def retreated(p, side, thirds):
    """Losses of a side that did not win: what finds no place to retreat is lost too."""
    lost = rounded(p, side, thirds)
    if 0 <= p.room[side] < p.size[side] - lost:
        lost = p.size[side] - p.room[side]
    return lost


@helper
def after_retreat(p, s, result):
    """Every non-winner adds its retreat roll; `result` holds the attacker's thirds + 4 * the defender's."""
    caused_a, caused_d = s.caused_a, s.caused_d
    if s.winner != 0:
        caused_d = retreated(p, 0, caused_d + (result & 3))
    if s.winner != 1:
        caused_a = retreated(p, 1, caused_a + (result >> 2))
    s = LandState(
        LEADERS, 0, p.fragile[s.leaders] & 3, caused_a, s.stars_a, 0, caused_d, s.stars_d, 0,
        0, s.winner, s.ended, s.broke, 0,
    )  # fmt: skip
    return s if leader_table(p, s) else with_fates(s, 0)


@helper
def leader_table(p, s):
    """Leader tests of both sides (section 3.6): -1 if the side did not win, -5 if nothing of it is left."""
    attacker = (1 if s.winner == 0 else 0) + (2 if s.caused_d == p.size[0] else 0)
    defender = (1 if s.winner == 1 else 0) + (2 if s.caused_a == p.size[1] else 0)
    return p.leaders[s.leaders, attacker, defender]


@helper
def with_fates(s, fates):
    """The battle is over."""
    return LandState(
        OVER, 0, 0, s.caused_a, s.stars_a, 0, s.caused_d, s.stars_d, 0, 0, s.winner, s.ended, s.broke, fates
    )
