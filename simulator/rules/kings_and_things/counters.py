"""What a side has and can do (rules/kings_and_things.md sections 2, 4 and 5), read from the state."""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.kings_and_things.state import (
    AIMED,
    ALOFT,
    AWAY,
    BALLOON,
    BOW_HOLDER,
    CLOUD,
    COUNTER,
    FIREWALL,
    FIREWALL_AT,
    FORT,
    FORT_AT,
    GOLEM,
    HANDS,
    MELEE,
    PASSENGER,
    PEOPLE,
    RANGED,
    SETTLEMENT_AT,
    SHOT,
    STRUCTURE,
    SWORD_HOLDER,
    WIDTH,
    alive_of,
    gear_of,
    get,
)


@helper
def first_slot(p, s, i):
    """Where the slots of side `i` begin."""
    return p.base[i * p.lineups + s.lineup]


@helper
def policy(p, i, column):
    """A policy number of side `i`."""
    return p.side[i * WIDTH + column]


@helper
def count(p, packed, slot):
    """Counters of a slot in a packed number."""
    return (packed >> p.shift[slot]) & p.mask[slot]


@helper
def level(p, gear, slot):
    """Level of the structure that a slot stands for."""
    if p.role[slot] & FORT:
        return get(gear, FORT_AT)
    return get(gear, FIREWALL_AT) if p.role[slot] & FIREWALL else get(gear, SETTLEMENT_AT)


@helper
def present(s, i):
    """Packed counters of side `i` that are in the hex."""
    return 0 if get(gear_of(s, i), AWAY) else alive_of(s, i)


@helper
def levels(gear):
    """Sum of the levels of all structures."""
    return get(gear, FORT_AT) + get(gear, SETTLEMENT_AT) + get(gear, FIREWALL_AT)


@helper
def stands(s, i):
    """Has side `i` a counter or a structure above level 0?"""
    return present(s, i) != 0 or levels(gear_of(s, i)) != 0


@helper
def counters_with(p, s, i, role):
    """How many counters of a role (PEOPLE, GOLEM ...) side `i` has in the hex."""
    here, base, found = present(s, i), first_slot(p, s, i), 0
    for slot in range(base, base + p.slots):
        if p.role[slot] & role & COUNTER:
            found += count(p, here, slot)
    return found


@helper
def effective(p, i, printed, bonus):
    """Effective value: +1 with Sword or Bow, -1 under the Black Cloud, never below 0."""
    return max(0, printed + bonus - policy(p, i, CLOUD))


@helper
def holding(p, s, i, slot):
    """0: nothing, 1: the Magic Sword, 2: the Magic Bow."""
    gear, place = gear_of(s, i), slot - first_slot(p, s, i) + 1
    return 1 if get(gear, SWORD_HOLDER) == place else 2 if get(gear, BOW_HOLDER) == place else 0


@helper
def step_of(p, s, i, slot, held):
    """The step in which the counters of a slot fight this round; 3 = none."""
    if held:
        return MELEE if held == 1 else RANGED
    if p.role[slot] & PASSENGER:
        gear = gear_of(s, i)
        if get(gear, ALOFT):
            return RANGED
        if get(gear, SHOT):
            return 3
    return p.home[slot]


@helper
def dice_of(p, s, i, slot, held):
    """Dice of one counter of a slot."""
    if held:
        return 2 if held == 1 else 1
    return 1 if p.role[slot] & PASSENGER and get(gear_of(s, i), ALOFT) else p.dice[slot]


@helper
def value_of(p, s, i, slot, held):
    """Effective value of a counter, or effective level of a structure."""
    if p.role[slot] & STRUCTURE:
        return effective(p, i, level(p, gear_of(s, i), slot), 0)
    return effective(p, i, p.value[slot], 1 if held else 0)


@helper
def units(p, s, i, slot):
    """How many of a slot can fight: counters in the hex, or a structure above level 0."""
    if p.role[slot] & STRUCTURE:
        return 1 if level(p, gear_of(s, i), slot) > 0 else 0
    return count(p, present(s, i), slot)


@helper
def hand_index(p, s, i, hand):
    """Which throw side `i` makes with a hand in this step, from how many dice it has of each value; 0 = no dice."""
    base, index = first_slot(p, s, i), 0
    for slot in range(base, base + p.slots):
        number = units(p, s, i, slot)
        if number and not p.role[slot] & AIMED:
            held = holding(p, s, i, slot)
            if step_of(p, s, i, slot, held) == s.step:
                place = (3 * i + s.step) * 8 + value_of(p, s, i, slot, held)
                if p.hand_of[place] == hand:
                    index += number * dice_of(p, s, i, slot, held) * p.stride[place]
    return index


@helper
def sure_hits(p, s, i):
    """Hits of dice that cannot miss, and that no charm can spoil: they are not drawn."""
    base, hits = first_slot(p, s, i), 0
    for slot in range(base, base + p.slots):
        number = units(p, s, i, slot)
        if number and not p.role[slot] & AIMED:
            held = holding(p, s, i, slot)
            if step_of(p, s, i, slot, held) == s.step:
                value = value_of(p, s, i, slot, held)
                if value >= 6 and p.hand_of[(3 * i + s.step) * 8 + value] == HANDS:
                    hits += number * dice_of(p, s, i, slot, held)
    return hits


@helper
def aimed_value(p, s, i):
    """Target number of the aimed die that side `i` rolls in this step; 0 = none."""
    base = first_slot(p, s, i)
    for slot in range(base, base + p.slots):
        if p.role[slot] & AIMED and units(p, s, i, slot) and p.home[slot] == s.step:
            return effective(p, i, p.value[slot], 0)
    return 0


@helper
def can_fight(p, s, i):
    """Has side `i` a counter or structure with an effective value of at least 1?"""
    base = first_slot(p, s, i)
    for slot in range(base, base + p.slots):
        if units(p, s, i, slot) and value_of(p, s, i, slot, holding(p, s, i, slot)) >= 1:
            return True
    return False


@helper
def fire(p, s, i):
    """Fire of side `i` at the end of a round: dice x min(6, effective value), Bow and Sword ignored (section 4)."""
    base, total = first_slot(p, s, i), 0
    aloft = counters_with(p, s, i, BALLOON) > 0
    for slot in range(base, base + p.slots):
        dice = 1 if p.role[slot] & PASSENGER and aloft else p.dice[slot]
        total += units(p, s, i, slot) * dice * min(6, value_of(p, s, i, slot, 0))
    return total


@helper
def people(p, s, i):
    """Creatures and special characters of side `i` in the hex."""
    return counters_with(p, s, i, PEOPLE)


@helper
def has_golem(p, s, i):
    """Is the Golem of side `i` alive?"""
    return counters_with(p, s, i, GOLEM) > 0
