"""A battle as a chain of rolls: which die is next, and what it does (rules/kings_and_things.md section 3.2)."""

from __future__ import annotations

from simulator.engine.chain import helper, rule
from simulator.rules.kings_and_things.counters import aimed_value, hand_index
from simulator.rules.kings_and_things.flow import (
    attackers,
    charm_at,
    finish,
    go_on,
    is_over,
    leaves,
    rolled,
    rolls_after,
)
from simulator.rules.kings_and_things.losses import saved
from simulator.rules.kings_and_things.state import (
    AFTER,
    AIMED_HAND,
    ATTACKING,
    DIGIT_BITS,
    DRAW,
    FIREWALL_AT,
    FIREWALL_DIE,
    HANDS,
    OVER,
    ROLL,
    ROUND,
    SAVE,
    Params,
    at,
    gear_of,
    in_round,
    put,
    with_gear,
    with_side,
)

__all__ = ["attackers", "opened", "running", "step", "table"]

# What `Params.opening` says of a line-up: the usual, the attacker driven off by Dust of Defense, or a side's Firewall
# whose die is rolled (FIREWALL_OF + side).
USUAL, DUST_AT_START, FIREWALL_OF = 0, 1, 2


@helper
def opened(p, s):
    """Before round 1: both sides are lined up; the Firewall's die, Dust of Defense, a side that is already empty."""
    for i in range(p.sides):
        place = i * p.lineups + s.lineup
        s = with_side(s, i, p.start_alive[place], p.start_gear[place], 0)
    opening = p.opening[s.lineup]
    if opening == DUST_AT_START:
        return finish(p, leaves(p, s, ATTACKING))
    if is_over(p, s):
        return finish(p, s)
    if opening >= FIREWALL_OF:
        return at(s, FIREWALL_DIE, 0, opening - FIREWALL_OF, 0)
    return go_on(p, at(s, ROUND, 0, 0, 0))


@helper
def drawn(p, s, result):
    """One digit of the number of the line-up that is drawn from the cup; the last one opens the battle."""
    s = in_round(s, 0, 0, (s.lineup << DIGIT_BITS) | result, 0)
    if s.hand + 1 < p.digits:
        return at(s, DRAW, 0, 0, s.hand + 1)
    return opened(p, s)


@rule(Params)
def running(p, s):
    """Is anything still to be rolled?"""
    return s.phase != OVER


@rule(Params)
def table(p, s):
    """The table of the next roll."""
    if s.phase == ROLL:
        charm = charm_at(p, s, s.actor)
        if s.hand == AIMED_HAND:
            return p.aimed_table + 3 * aimed_value(p, s, s.actor) + charm
        place = (3 * s.actor + s.step) * HANDS + s.hand
        return p.hand_table[place] + charm * p.hand_size[place] + hand_index(p, s, s.actor, s.hand)
    if s.phase == SAVE:
        return p.save_table
    if s.phase == DRAW:
        return p.draw_table[s.hand] + s.lineup
    return p.after_table + rolls_after(p, s) if s.phase == AFTER else p.die_table


@rule(Params)
def step(p, s, result):
    """What a roll does, and everything up to the next one."""
    if s.phase == ROLL:
        return go_on(p, rolled(p, s, result))
    if s.phase == SAVE:
        return go_on(p, saved(p, s, result))
    if s.phase == DRAW:
        return drawn(p, s, result)
    if s.phase == AFTER:
        return at(in_round(s, s.rounds, 0, s.lineup, result & 7), OVER, 0, 0, 0)
    gear = put(gear_of(s, s.actor), FIREWALL_AT, result)
    return go_on(p, at(with_gear(s, s.actor, gear), ROUND, 0, 0, 0))
