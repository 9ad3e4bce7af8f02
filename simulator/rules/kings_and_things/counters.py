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
    DICE,
    FIREWALL,
    FIREWALL_AT,
    FORT,
    FORT_AT,
    GOLEM,
    HANDS,
    HOME,
    MASK,
    MELEE,
    PASSENGER,
    PEOPLE,
    RANGED,
    ROLE,
    SETTLEMENT_AT,
    SHIFT,
    SHOT,
    STRUCTURE,
    SWORD_HOLDER,
    TRAITS,
    VALUE,
    WIDTH,
    alive_of,
    gear_of,
    get,
)


@helper
def first_slot(p, s, i):
    """Where the slots of side `i` begin."""
    return p.data[p.base_at + i * p.lineups + s.lineup]


@helper
def policy(p, i, column):
    """A policy number of side `i`."""
    return p.data[p.side_at + i * WIDTH + column]


@helper
def trait(p, slot, column):
    """What a slot is: its role, value, dice ... (ROLE, VALUE, DICE ...)."""
    return p.data[p.slot_at + TRAITS * slot + column]


@helper
def hand_of(p, place):
    """The hand with which dice of a value are thrown, by (side, step, value)."""
    return p.data[p.value_at + 2 * place + 1]


@helper
def count(p, packed, slot):
    """Counters of a slot in a packed number."""
    return (packed >> trait(p, slot, SHIFT)) & trait(p, slot, MASK)


@helper
def level(p, gear, slot):
    """Level of the structure that a slot stands for."""
    if trait(p, slot, ROLE) & FORT:
        return get(gear, FORT_AT)
    return get(gear, FIREWALL_AT) if trait(p, slot, ROLE) & FIREWALL else get(gear, SETTLEMENT_AT)


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
        if trait(p, slot, ROLE) & role & COUNTER:
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
    if trait(p, slot, ROLE) & PASSENGER:
        gear = gear_of(s, i)
        if get(gear, ALOFT):
            return RANGED
        if get(gear, SHOT):
            return 3
    return trait(p, slot, HOME)


@helper
def dice_of(p, s, i, slot, held):
    """Dice of one counter of a slot."""
    if held:
        return 2 if held == 1 else 1
    return 1 if trait(p, slot, ROLE) & PASSENGER and get(gear_of(s, i), ALOFT) else trait(p, slot, DICE)


@helper
def value_of(p, s, i, slot, held):
    """Effective value of a counter, or effective level of a structure."""
    if trait(p, slot, ROLE) & STRUCTURE:
        return effective(p, i, level(p, gear_of(s, i), slot), 0)
    return effective(p, i, trait(p, slot, VALUE), 1 if held else 0)


@helper
def units(p, s, i, slot):
    """How many of a slot can fight: counters in the hex, or a structure above level 0."""
    if trait(p, slot, ROLE) & STRUCTURE:
        return 1 if level(p, gear_of(s, i), slot) > 0 else 0
    return count(p, present(s, i), slot)


@helper
def hand_index(p, s, i, hand):
    """Which throw side `i` makes with a hand in this step, from how many dice it has of each value; 0 = no dice."""
    base, index = first_slot(p, s, i), 0
    for slot in range(base, base + p.slots):
        number = units(p, s, i, slot)
        if number and not trait(p, slot, ROLE) & AIMED:
            held = holding(p, s, i, slot)
            if step_of(p, s, i, slot, held) == s.step:
                place = (3 * i + s.step) * 8 + value_of(p, s, i, slot, held)
                if hand_of(p, place) == hand:
                    index += number * dice_of(p, s, i, slot, held) * p.data[p.value_at + 2 * place]
    return index


@helper
def sure_hits(p, s, i):
    """Hits of dice that cannot miss, and that no charm can spoil: they are not drawn."""
    base, hits = first_slot(p, s, i), 0
    for slot in range(base, base + p.slots):
        number = units(p, s, i, slot)
        if number and not trait(p, slot, ROLE) & AIMED:
            held = holding(p, s, i, slot)
            if step_of(p, s, i, slot, held) == s.step:
                value = value_of(p, s, i, slot, held)
                if value >= 6 and hand_of(p, (3 * i + s.step) * 8 + value) == HANDS:
                    hits += number * dice_of(p, s, i, slot, held)
    return hits


@helper
def aimed_value(p, s, i):
    """Target number of the aimed die that side `i` rolls in this step; 0 = none."""
    base = first_slot(p, s, i)
    for slot in range(base, base + p.slots):
        if trait(p, slot, ROLE) & AIMED and units(p, s, i, slot) and trait(p, slot, HOME) == s.step:
            return effective(p, i, trait(p, slot, VALUE), 0)
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
        dice = 1 if trait(p, slot, ROLE) & PASSENGER and aloft else trait(p, slot, DICE)
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
