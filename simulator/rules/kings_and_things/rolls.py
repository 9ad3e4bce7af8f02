"""A battle as a chain of rolls: which die is next, and what it does (rules/kings_and_things.md section 3.2)."""

from __future__ import annotations

from simulator.engine.chain import helper, rule
from simulator.rules.kings_and_things.counters import aimed_value, hand_index
from simulator.rules.kings_and_things.flow import (
    charm_at,
    go_on,
    rolled,
    rolls_after,
)
from simulator.rules.kings_and_things.losses import saved
from simulator.rules.kings_and_things.state import (
    AFTER,
    AIMED_HAND,
    DIGIT_BITS,
    DRAW,
    FIREWALL_AT,
    FIREWALL_DIE,
    HANDS,
    OPENING,
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
)


@helper
def drawn(p, s, result):
    """One digit of the number of the line-up that is drawn from the cup; the last one opens the battle."""
    s = in_round(s, 0, 0, (s.lineup << DIGIT_BITS) | result, 0)
    if s.hand + 1 < p.digits:
        return at(s, DRAW, 0, 0, s.hand + 1)
    return at(s, OPENING, 0, 0, 0)


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
        place = p.hand_at + 2 * ((3 * s.actor + s.step) * HANDS + s.hand)
        return p.data[place] + charm * p.data[place + 1] + hand_index(p, s, s.actor, s.hand)
    if s.phase == SAVE:
        return p.save_table
    if s.phase == DRAW:
        return p.data[p.draw_at + s.hand] + s.lineup
    return p.after_table + rolls_after(p, s) if s.phase == AFTER else p.die_table


@rule(Params)
def step(p, s, result):
    """What a roll does, and everything up to the next one."""
    if p.ticks:
        s = in_round(s, 0, s.targets, s.lineup, s.after)
    if s.phase == ROLL:
        s = rolled(p, s, result)
    elif s.phase == SAVE:
        s = saved(p, s, result)
    elif s.phase == DRAW:
        s = drawn(p, s, result)
    elif s.phase == AFTER:
        s = at(in_round(s, s.rounds, 0, s.lineup, result & 7), OVER, 0, 0, 0)
    elif s.phase == FIREWALL_DIE:
        s = with_gear(s, s.actor, put(gear_of(s, s.actor), FIREWALL_AT, result))
        s = at(s, ROUND, 0, 0, 0)
    return go_on(p, s)
