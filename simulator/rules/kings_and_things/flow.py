"""The procedure of a battle (rules/kings_and_things.md sections 3.2 and 6): rounds, steps, retreats, the end."""

from __future__ import annotations

from simulator.engine.chain import helper
from simulator.rules.kings_and_things.counters import (
    aimed_value,
    can_fight,
    count,
    counters_with,
    fire,
    first_slot,
    hand_index,
    people,
    policy,
    stands,
    sure_hits,
    trait,
)
from simulator.rules.kings_and_things.losses import GOLEM_FIRST, losses, useful_hits
from simulator.rules.kings_and_things.opening import handed, target_of
from simulator.rules.kings_and_things.state import (
    AFTER,
    AFTER_ROUNDS,
    AIMED_HAND,
    ALOFT,
    ATTACKING,
    AWAY,
    BALLOON,
    BELOW_CREATURES,
    BOW,
    BOW_HOLDER,
    CHARM,
    CHARM_USE,
    DEFENDING,
    ENDED,
    FIREWALL_AT,
    FIREWALL_DIE,
    FORT_AT,
    HEX,
    HEX_CITADEL,
    HEX_CREATURES,
    HOLDS,
    LOSSES,
    MELEE,
    NEVER,
    OPENING,
    ORDER,
    OVER,
    PEOPLE,
    RANGED,
    RATIO_OVER,
    RATIO_UNDER,
    RETREAT,
    RETREAT_AFTER,
    RETREAT_BELOW,
    ROLE,
    ROLL,
    ROUND,
    ROUND_DONE,
    SAVED_SELF,
    SECOND,
    SEEK,
    SETTLEMENT_AT,
    SHIFT,
    SHOT,
    STEP,
    STEP_DONE,
    SWORD,
    SWORD_HOLDER,
    TALISMAN,
    THIRD,
    alive_of,
    at,
    gear_of,
    get,
    hits_of,
    in_round,
    losing,
    pick,
    put,
    with_gear,
    with_hits,
    with_side,
)

STACK = 10
STALEMATE = 8
DUST_FIRST = -1
DUST_NOW = 7  # in `hand`, at the start

# What `Params.opening` says of a line-up: the usual, the attacker driven off by Dust of Defense, or a side's Firewall
# whose die is rolled (FIREWALL_OF + side).
USUAL, DUST_AT_START, FIREWALL_OF = 0, 1, 2


@helper
def decides(turn):
    """Who decides in this turn: attacker, second, third attacker, then the defender."""
    return pick(turn, ATTACKING, SECOND, THIRD, DEFENDING)


@helper
def attackers(p, s):
    """How many attacking sides are present."""
    number = 0
    for i in range(p.sides):
        if i != DEFENDING and stands(s, i):
            number += 1
    return number


@helper
def is_over(p, s):
    """No attacker is present, or one attacker and no defender."""
    number = attackers(p, s)
    return number == 0 or (number == 1 and not stands(s, DEFENDING))


@helper
def start_round(p, s):
    """Section 3.2, 1: Sword and Bow are handed out, targets named; a stalemate, or the magic step."""
    able, targets = False, 0
    for i in range(p.sides):
        if policy(p, i, HOLDS):
            s = handed(p, s, i, SWORD, SWORD_HOLDER, BOW_HOLDER, 1)
            s = handed(p, s, i, BOW, BOW_HOLDER, SWORD_HOLDER, 0)
        able = able or can_fight(p, s, i)
    if not able:
        return at(in_round(s, s.rounds, 0, s.lineup, STALEMATE), ROUND_DONE, 0, 0, 0)
    if p.sides > 2:
        for i in range(p.sides):
            targets |= target_of(p, s, i) << (2 * i)
    return at(in_round(s, s.rounds + 1, targets, s.lineup, 0), STEP, 0, 0, 0)


@helper
def victim_of(p, s, i):
    """Whom side `i` fires at in this round."""
    return 1 - i if p.sides == 2 else (s.targets >> (2 * i)) & 3


@helper
def start_step(p, s):
    """A step begins: who is aloft is settled, and dice that cannot miss have hit."""
    s = at(s, SEEK, s.step, 0, 0)
    for i in range(p.sides):
        aloft = 1 if counters_with(p, s, i, BALLOON) else 0
        gear = put(gear_of(s, i), ALOFT, aloft)
        s = with_gear(s, i, put(gear, SHOT, 1) if aloft and s.step == RANGED else gear)
    for i in range(p.sides):
        j = victim_of(p, s, i)
        if stands(s, j) and j != i:
            s = with_hits(s, j, useful_hits(p, s, j, hits_of(s, j) + sure_hits(p, s, i)))
    return s


@helper
def rolls(p, s, i, hand):
    """Has side `i` dice to roll with this hand?"""
    j = victim_of(p, s, i)
    if j == i or not stands(s, j):
        return False
    return aimed_value(p, s, i) > 0 if hand == AIMED_HAND else hand_index(p, s, i, hand) > 0


@helper
def next_roll(p, s):
    """The next hand that is rolled in this step, or the losses of the first side."""
    for i in range(s.actor, p.sides):
        for hand in range(s.hand if i == s.actor else 0, AIMED_HAND + 1):
            if rolls(p, s, i, hand):
                return at(s, ROLL, s.step, i, hand)
    return at(losing(s, GOLEM_FIRST, 0, 0, s.aimed), LOSSES, s.step, 0, 0)


@helper
def charm_at(p, s, i):
    """A Lucky Charm that may turn a die of side `i`: 0 none, 1 its own (a near miss), 2 the enemy's (a bare hit)."""
    if get(gear_of(s, i), CHARM) and policy(p, i, CHARM_USE) == 0:
        return 1
    j = 1 - i
    return 2 if p.sides == 2 and get(gear_of(s, j), CHARM) and policy(p, j, CHARM_USE) == 1 else 0


@helper
def rolled(p, s, result):
    """A hand was rolled: `result` is 2 x hits, + 1 if the Lucky Charm turns a die."""
    i, hits = s.actor, result >> 1
    j = victim_of(p, s, i)
    if result & 1:
        owner = i if charm_at(p, s, i) == 1 else j
        hits += 1 if owner == i else -1
        s = with_gear(s, owner, put(gear_of(s, owner), CHARM, 0))
    if s.hand == AIMED_HAND:
        return at(losing(s, 0, 0, 0, j + 1 if hits else 0), SEEK, s.step, i + 1, 0)
    s = with_hits(s, j, useful_hits(p, s, j, hits_of(s, j) + hits))
    return at(s, SEEK, s.step, i, s.hand + 1)


@helper
def side_done(p, s):
    """A side has taken its losses: on to the next side, or out of the step."""
    s = with_hits(losing(s, GOLEM_FIRST, 0, 0, s.aimed), s.actor, 0)
    return at(s, LOSSES if s.actor + 1 < p.sides else STEP_DONE, s.step, s.actor + 1, 0)


@helper
def step_done(p, s):
    """After the losses of any step: the battle may be over at once."""
    over = s.step == MELEE or is_over(p, s)
    return at(losing(s, 0, 0, 0, 0), ROUND_DONE if over else STEP, s.step + 1, 0, 0)


@helper
def fresh(p, s):
    """The state without the marks of the round, so that equal situations are equal states."""
    for i in range(p.sides):
        gear = put(put(put(gear_of(s, i), SWORD_HOLDER, 0), BOW_HOLDER, 0), SAVED_SELF, 0)
        s = with_side(s, i, alive_of(s, i), put(put(gear, ALOFT, 0), SHOT, 0), 0)
    return in_round(s, s.rounds, 0, s.lineup, s.after)


@helper
def others_fire(p, s, i):
    """Fire of all other sides present."""
    total = 0
    for j in range(p.sides):
        if j != i and stands(s, j):
            total += fire(p, s, j)
    return total


@helper
def departs(p, i, rounds, left, own, enemy):
    """Would side `i` with this many people and this fire retreat at the end of this round (policy `retreat`)?"""
    choice = policy(p, i, RETREAT)
    if choice == NEVER or left == 0 or not policy(p, i, HEX):
        return False
    if choice == AFTER_ROUNDS:
        return rounds >= policy(p, i, RETREAT_AFTER)
    if choice == BELOW_CREATURES:
        return left < policy(p, i, RETREAT_BELOW)
    return own * policy(p, i, RATIO_UNDER) < enemy * policy(p, i, RATIO_OVER)


@helper
def leaves(p, s, i):
    """All people of side `i` leave together; what the hex cannot take is removed, weakest first. Items go too."""
    excess = 0 if policy(p, i, HEX_CITADEL) else max(0, people(p, s, i) + policy(p, i, HEX_CREATURES) - STACK)
    base, alive = first_slot(p, s, i), alive_of(s, i)
    for j in range(p.slots):
        slot = trait(p, base + j, ORDER)
        number = count(p, alive, slot) if trait(p, slot, ROLE) else 0
        gone = min(excess, number) if trait(p, slot, ROLE) & PEOPLE else number
        if number:
            alive -= gone << trait(p, slot, SHIFT)
            excess -= gone if trait(p, slot, ROLE) & PEOPLE else 0
    gear = put(put(put(gear_of(s, i), FIREWALL_AT, 0), TALISMAN, 0), AWAY, 1)
    return with_side(s, i, alive, put(put(put(gear, BOW, 0), SWORD, 0), CHARM, 0), 0)


@helper
def dust_thrown(p, s):
    """Dust of Defense: at the start, or kept for the first round in which the defender is outgunned."""
    if s.hand == DUST_NOW:
        return True
    if get(gear_of(s, DEFENDING), AWAY):
        return False  # it went back to the cup with the defender's other items
    able = people(p, s, ATTACKING) > 0 and policy(p, ATTACKING, HEX) == 1
    return p.dust == 1 and able and fire(p, s, DEFENDING) < fire(p, s, ATTACKING)


@helper
def round_done(p, s):
    """Section 3.2, 5: Dust of Defense, then each side's retreat, each knowing the earlier ones."""
    s = fresh(p, s)
    for turn in range(DUST_FIRST, 4):
        i = ATTACKING if turn == DUST_FIRST else decides(turn)
        undecided = i < p.sides and s.after != STALEMATE and not is_over(p, s)
        if undecided and (
            dust_thrown(p, s)
            if turn == DUST_FIRST
            else departs(p, i, s.rounds, people(p, s, i), fire(p, s, i), others_fire(p, s, i))
        ):
            s = leaves(p, s, i)
    return at(s, ENDED if s.after == STALEMATE or is_over(p, s) else ROUND, 0, 0, 0)


@helper
def drawn_settlement(p, s):
    """Printed level of the settlement in the hex."""
    return p.data[p.drawn_at + 2 * s.lineup + 1]


@helper
def rolls_of(when, fort, fort_left, settlement, settlement_left, income):
    """Which of fort (1), settlement (2) and income counter (4) roll after the battle (section 3.2, 7).

    `when` is 0 for none of them, 1 for damaged structures, 2 for all; a citadel never rolls.
    """
    if when == 0:
        return 0
    rolled = 1 if 0 < fort < 4 and (when == 2 or fort_left < fort) else 0
    rolled += 2 if settlement > 0 and (when == 2 or settlement_left < settlement) else 0
    return rolled + (4 if income else 0)


@helper
def rolls_after(p, s):
    """What rolls after this battle."""
    gear = gear_of(s, DEFENDING)
    fort, settlement = get(gear, FORT_AT), get(gear, SETTLEMENT_AT)
    return rolls_of(p.post_battle, p.fort, fort, drawn_settlement(p, s), settlement, p.income)


@helper
def finish(p, s):
    """The battle is over: the post-battle roll if there is one."""
    untaken = p.unexplored == 1 and attackers(p, s) == 0
    if s.after == STALEMATE or untaken or rolls_after(p, s) == 0:
        return at(s, OVER, 0, 0, 0)
    return at(s, AFTER, 0, 0, 0)


@helper
def opened(p, s):
    """Before round 1: both sides are lined up; the Firewall's die, Dust of Defense, a side that is already empty."""
    for i in range(p.sides):
        place = i * p.lineups + s.lineup
        s = with_side(s, i, p.data[p.start_at + 2 * place], p.data[p.start_at + 2 * place + 1], 0)
    opening = p.data[p.drawn_at + 2 * s.lineup]
    if opening == DUST_AT_START:
        return at(s, ROUND_DONE, 0, 0, DUST_NOW)
    if is_over(p, s):
        return at(s, ENDED, 0, 0, 0)
    if opening >= FIREWALL_OF:
        return at(s, FIREWALL_DIE, 0, opening - FIREWALL_OF, 0)
    return at(s, ROUND, 0, 0, 0)


@helper
def go_on(p, s):
    """Carry on to the next roll, or to the end. Each part stands here once: compiling takes long enough."""
    while s.phase > OVER:
        if s.phase == SEEK:
            s = next_roll(p, s)
        elif s.phase == LOSSES:
            s = losses(p, s)
            if s.phase == LOSSES:
                s = side_done(p, s)
        elif s.phase == STEP_DONE:
            s = step_done(p, s)
        elif s.phase == STEP:
            s = start_step(p, s)
        elif s.phase == ROUND_DONE:
            s = round_done(p, s)
        elif s.phase == ROUND:
            s = start_round(p, s)
        elif s.phase == OPENING:
            s = opened(p, s)
        else:
            s = finish(p, s)
    return s
