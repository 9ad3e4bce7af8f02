"""How a round begins: who holds Sword and Bow (rules/kings_and_things.md section 5), who fires at whom (section 6)."""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.kings_and_things.counters import (
    count,
    dice_of,
    effective,
    fire,
    first_slot,
    policy,
    present,
    stands,
    trait,
)
from simulator.rules.kings_and_things.state import (
    ATTACKING,
    DEFENDING,
    HOLDER,
    HOME,
    NAMED,
    PRINTED,
    ROLE,
    SECOND,
    SPECIAL,
    STRONGEST,
    TARGET,
    THIRD,
    VALUE,
    WEAKEST,
    gear_of,
    get,
    pick,
    put,
    with_gear,
)


@helper
def ranking(turn):
    """Ties between targets: defender, attacker, second, third."""
    return pick(turn, DEFENDING, ATTACKING, SECOND, THIRD)


@helper
def gain(p, s, i, slot, sword):
    """Gain of giving the Sword (else the Bow) to a counter, then what breaks ties (section 5); -1 = may not hold."""
    if not trait(p, slot, ROLE) & HOLDER or not count(p, present(s, i), slot):
        return -1
    new = (1 + sword) * min(6, effective(p, i, trait(p, slot, VALUE), 1))
    more = new - dice_of(p, s, i, slot, 0) * min(6, effective(p, i, trait(p, slot, VALUE), 0))
    special = 1 if trait(p, slot, ROLE) & SPECIAL else 0
    # More is never below -6: a charging 6 has 12 and shoots with one die.
    return (((more + 12) * 3 + trait(p, slot, HOME)) * 8 + trait(p, slot, PRINTED)) * 2 + special


@helper
def handed(p, s, i, item, holder, other, sword):
    """Hand an item out for the round; among equals to the one that is lost last."""
    gear = gear_of(s, i)
    if not get(gear, item):
        return s
    base, best, place = first_slot(p, s, i), -1, 0
    for slot in range(base, base + p.slots):
        worth = gain(p, s, i, slot, sword)
        if worth >= 0 and worth >= best and get(gear, other) != slot - base + 1:
            best, place = worth, slot - base + 1
    return with_gear(s, i, put(gear, holder, place))


@helper
def target_of(p, s, i):
    """The side at which side `i` fires this round (section 6); itself if nobody else is present."""
    if p.sides == 2:
        return 1 - i
    wish = policy(p, i, TARGET)
    if NAMED <= wish < STRONGEST and wish != i and wish < p.sides and stands(s, wish):
        return wish
    best, found = -1, i
    for turn in range(4):
        j = ranking(turn)
        if j < p.sides and j != i and stands(s, j):
            power = fire(p, s, j)
            if best < 0 or (power < best if wish == WEAKEST else power > best):
                best, found = power, j
    return found
