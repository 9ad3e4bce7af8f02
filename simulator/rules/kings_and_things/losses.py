"""Taking losses: one side, one step (rules/kings_and_things.md section 3.3).

`losses` carries on until all hits on the side are spent or a saving roll is needed; `saved` does what the roll says.
"""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.kings_and_things.counters import (
    count,
    counters_with,
    effective,
    first_slot,
    has_golem,
    holding,
    level,
    policy,
    present,
    step_of,
    trait,
)
from simulator.rules.kings_and_things.state import (
    BOW,
    BOW_HOLDER,
    BRITTLE,
    COUNTER,
    FIREWALL,
    FIREWALL_AT,
    FIXED,
    FORT,
    FORT_AT,
    GOLEM,
    GROUPS,
    LOSSES,
    NEXT_STEP_KEPT,
    ORDER,
    PEOPLE,
    RANGED,
    ROLE,
    SAVE,
    SAVED_SELF,
    SAVES,
    SCREEN,
    SETTLEMENT_AT,
    SHIFT,
    SLACK,
    SPEND,
    STRUCTURE,
    SWORD,
    SWORD_HOLDER,
    SWORD_MASTER,
    TALISMAN,
    VALUE,
    alive_of,
    at,
    gear_of,
    get,
    hits_of,
    losing,
    put,
    with_gear,
    with_hits,
    with_side,
)

# Stages of one side's losses, in the order of section 3.3.
GOLEM_FIRST, AIMED_HIT, SCREENED, SPENDING, FIRST_PASS, SECOND_PASS, DONE = range(7)
NO_SAVE, OWN_SAVE, TALISMAN_SAVE = 0, 1, 2


@helper
def useful_hits(p, s, i, hits):
    """`hits` on side `i` but for those that would be void whatever happens: fewer states to tell apart."""
    base, room = first_slot(p, s, i), policy(p, i, SLACK)
    for slot in range(base, base + p.slots):
        if trait(p, slot, ROLE) & STRUCTURE:
            room += level(p, gear_of(s, i), slot)
        elif trait(p, slot, ROLE):
            room += count(p, present(s, i), slot) * (2 if policy(p, i, SAVES) else 1)
    return min(hits, room)


@helper
def save_of(p, s, i, slot):
    """The saving roll that a counter struck now may make: its own before the Talisman, never both."""
    if trait(p, slot, ROLE) & SWORD_MASTER and not get(gear_of(s, i), SAVED_SELF):
        return OWN_SAVE
    return TALISMAN_SAVE if trait(p, slot, ROLE) & PEOPLE and get(gear_of(s, i), TALISMAN) else NO_SAVE


@helper
def killed(p, s, i, slot, number):
    """Take counters off a slot; an item whose holder dies lies idle until the next round."""
    gear = gear_of(s, i)
    place = slot - first_slot(p, s, i) + 1
    if get(gear, SWORD_HOLDER) == place:
        gear = put(gear, SWORD_HOLDER, 0)
    if get(gear, BOW_HOLDER) == place:
        gear = put(gear, BOW_HOLDER, 0)
    return with_side(s, i, alive_of(s, i) - (number << trait(p, slot, SHIFT)), gear, hits_of(s, i))


@helper
def battered(p, s, i, slot, hits):
    """Take hits off a structure's level; a brittle Firewall falls to any hit."""
    gear = gear_of(s, i)
    left = level(p, gear, slot) - hits
    if trait(p, slot, ROLE) & FIREWALL:
        return with_gear(s, i, put(gear, FIREWALL_AT, 0 if policy(p, i, BRITTLE) else left))
    return with_gear(s, i, put(gear, FORT_AT if trait(p, slot, ROLE) & FORT else SETTLEMENT_AT, left))


@helper
def toughness(p, s, i, slot):
    """Hits that a structure takes until it is neutralised."""
    height = level(p, gear_of(s, i), slot)
    return min(1, height) if trait(p, slot, ROLE) & FIREWALL and policy(p, i, BRITTLE) else height


@helper
def strike(p, s, i, slot, save):
    """One hit on a counter: it dies, or a saving roll is due."""
    if save == NO_SAVE:
        return killed(p, s, i, slot, 1)
    if save == OWN_SAVE:
        s = with_gear(s, i, put(gear_of(s, i), SAVED_SELF, 1))
    s = losing(s, s.stage, 2 * (slot - first_slot(p, s, i)) + save, s.saved, s.aimed)
    return at(s, SAVE, s.step, s.actor, s.hand)


@helper
def saved(p, s, result):
    """The saving roll: 1 = saved, the counter fights on; 0 = it dies, and with it the Talisman that failed."""
    i, slot, save = s.actor, first_slot(p, s, s.actor) + (s.victim - 1) // 2, (s.victim - 1) % 2 + 1
    marks = s.saved
    if result:
        marks += 1 << trait(p, slot, SHIFT)
    else:
        s = killed(p, s, i, slot, 1)
        if save == TALISMAN_SAVE:
            s = with_gear(s, i, put(gear_of(s, i), TALISMAN, 0))
    return at(losing(s, s.stage, 0, marks, s.aimed), LOSSES, s.step, s.actor, s.hand)


@helper
def turn_of(p, s, i, slot):
    """When a slot is lost (policy `losses`): lower turns first, within a turn in the order of the slots."""
    groups = policy(p, i, GROUPS)
    if groups == FIXED:
        return 0
    if trait(p, slot, ROLE) & STRUCTURE:
        return 0 if groups == NEXT_STEP_KEPT else 3
    held = holding(p, s, i, slot)
    fights = step_of(p, s, i, slot, held)
    value = effective(p, i, trait(p, slot, VALUE), 1 if held else 0)
    return 2 if s.step < fights < 3 and value > 0 else 1


@helper
def may_be_struck(p, s, i, slot):
    """Golem is untouchable in the ranged step."""
    return not (trait(p, slot, ROLE) & GOLEM and s.step == RANGED)


@helper
def less_golem(p, s, i):
    """Step 1: in the ranged step a Golem takes one hit off, an ordinary one first."""
    if s.step == RANGED and has_golem(p, s, i):
        if hits_of(s, i) > 0:
            return with_hits(s, i, hits_of(s, i) - 1)
        if s.aimed == i + 1:
            return losing(s, s.stage, s.victim, s.saved, 0)
    return s


@helper
def aimed_hit(p, s, i):
    """Step 2: the last counter of the weakest-first order, Golem and structures excluded."""
    if s.aimed != i + 1:
        return s
    s = losing(s, s.stage, s.victim, s.saved, 0)
    base = first_slot(p, s, i)
    for j in range(p.slots):
        slot = trait(p, base + p.slots - 1 - j, ORDER)
        if trait(p, slot, ROLE) & COUNTER and not trait(p, slot, ROLE) & GOLEM and count(p, present(s, i), slot):
            return strike(p, s, i, slot, save_of(p, s, i, slot))
    return with_hits(s, i, hits_of(s, i) + 1)


@helper
def screened(p, s, i):
    """Policy `screen`: while his save of this round is unused the Sword Master takes the first hit."""
    if hits_of(s, i) == 0 or not policy(p, i, SCREEN) or get(gear_of(s, i), SAVED_SELF):
        return s
    base = first_slot(p, s, i)
    for slot in range(base, base + p.slots):
        if trait(p, slot, ROLE) & SWORD_MASTER and count(p, present(s, i), slot) > count(p, s.saved, slot):
            return strike(p, with_hits(s, i, hits_of(s, i) - 1), i, slot, save_of(p, s, i, slot))
    return s


@helper
def spent(p, s, i):
    """Step 3, policy `spend`: the first hit takes the Magic Bow off the board, the next the Magic Sword."""
    if not policy(p, i, SPEND):
        return s
    gear, hits = gear_of(s, i), hits_of(s, i)
    if hits > 0 and get(gear, BOW):
        gear, hits = put(put(gear, BOW, 0), BOW_HOLDER, 0), hits - 1
    if hits > 0 and get(gear, SWORD):
        gear, hits = put(put(gear, SWORD, 0), SWORD_HOLDER, 0), hits - 1
    return with_side(s, i, alive_of(s, i), gear, hits)


@helper
def first_pass(p, s, i):
    """Step 4: down the loss order; a structure falls to level 0, every other counter takes at most one hit."""
    base, before = first_slot(p, s, i), s
    for turn in range(1 if policy(p, i, GROUPS) == FIXED else 4):
        for slot in range(base, base + p.slots):
            hits = hits_of(s, i)
            if hits == 0:
                return s
            if trait(p, slot, ROLE) & STRUCTURE:
                taken = min(hits, toughness(p, s, i, slot))
                if taken and turn_of(p, before, i, slot) == turn:
                    s = with_hits(battered(p, s, i, slot, taken), i, hits - taken)
            elif trait(p, slot, ROLE) and may_be_struck(p, s, i, slot):
                unstruck = count(p, present(s, i), slot) - count(p, s.saved, slot)
                if unstruck > 0 and turn_of(p, before, i, slot) == turn:
                    save = save_of(p, s, i, slot)
                    if save != NO_SAVE:
                        return strike(p, with_hits(s, i, hits - 1), i, slot, save)
                    taken = min(hits, unstruck)
                    s = with_hits(killed(p, s, i, slot, taken), i, hits - taken)
    return s


@helper
def second_pass(p, s, i):
    """Step 5: saved counters take one hit more each, in the loss order, and die without a roll."""
    base, before = first_slot(p, s, i), s
    for turn in range(1 if policy(p, i, GROUPS) == FIXED else 4):
        for slot in range(base, base + p.slots):
            marked = min(hits_of(s, i), count(p, before.saved, slot))
            if marked and turn_of(p, before, i, slot) == turn:
                s = with_hits(killed(p, s, i, slot, marked), i, hits_of(s, i) - marked)
    return s


@helper
def losses(p, s):
    """Go on with the losses of side `s.actor` from `s.stage`: to the end, or to a saving roll."""
    i = s.actor
    for stage in range(GOLEM_FIRST, DONE):
        if stage >= s.stage and s.phase == LOSSES:
            # The first pass is resumed where it was after a roll: those struck are dead or marked as saved.
            s = losing(s, stage if stage == FIRST_PASS else stage + 1, s.victim, s.saved, s.aimed)
            if stage == GOLEM_FIRST:
                s = less_golem(p, s, i)
            elif stage == AIMED_HIT:
                s = aimed_hit(p, s, i)
            elif stage == SCREENED:
                s = screened(p, s, i)
            elif stage == SPENDING:
                s = spent(p, s, i)
            elif stage == FIRST_PASS:
                s = first_pass(p, s, i)
            else:
                s = second_pass(p, s, i)
    return s


__all__ = ["counters_with", "losses", "saved", "useful_hits"]
