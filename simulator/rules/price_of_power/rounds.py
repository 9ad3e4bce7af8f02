"""The rounds of a battle on land or at sea (rules/price_of_power.md sections 3 and 4), one set of rules for both.

The chance steps are: the card each side draws, the charge of each side, the attacker's roll, the defender's roll.
Casualties of a round come off together after the defender's roll.
"""

from __future__ import annotations

from simulator.engine.chain import helper, rule
from simulator.rules.price_of_power.batches import Losses, after_casualties
from simulator.rules.price_of_power.casualties import BITS, GONE, MASK, fighting, hits_left
from simulator.rules.price_of_power.retreat import after_retreat
from simulator.rules.price_of_power.state import (
    ATTACK,
    ATTACKER_CHARGES,
    ATTACKER_DRAWS,
    ATTACKER_ROLLS,
    AUTOMATIC,
    BRIEF,
    CAP,
    COUNT_ROUNDS,
    DEAD,
    DEFENCE,
    DEFENDER_CHARGES,
    DEFENDER_DRAWS,
    DEFENDER_ROLLS,
    FIRST,
    FOLLOWING,
    ICONS,
    KIND,
    LAST,
    LEVELS,
    MAX_ROUNDS,
    MAY_LEAVE,
    MAY_STICK,
    OPENING,
    OVER,
    PLAYER,
    POOLS_AT,
    ROW,
    SEA,
    SHOWS,
    STRIDE,
    SUPPLY,
    TERCIOS,
    Params,
    State,
    count,
    defending_types,
    heavy_ships,
    led,
    led_by,
    types_of,
    with_cards,
    with_phase,
    with_roll,
)


@helper
def pool(p, s, side):
    """The dice a side rolls this round (section 3.2, step 1)."""
    card = s.attacker_card if side == ATTACK else s.defender_card
    condition = 2 if not led(p, s, side) else 1 if led_by(p, s, side) > 0 else 0
    return p.n[p.n[POOLS_AT + side] + (3 * card + condition) * p.n[LAST] + min(s.round, p.n[LAST] - 1)]


@helper
def pool_table(p, s, side):
    """The pool's table for the units at hand."""
    types = types_of(p, 0, s.attacker) if side == ATTACK else defending_types(p, s)
    at = 3 * side
    return (
        p.n[p.n[FIRST] + pool(p, s, side)]
        + min(types & MASK, p.n[CAP + at]) * p.n[STRIDE + at]
        + min((types >> BITS) & MASK, p.n[CAP + at + 1]) * p.n[STRIDE + at + 1]
        + min(types >> (2 * BITS), p.n[CAP + at + 2]) * p.n[STRIDE + at + 2]
    )


@helper
def hits_of(p, s, side, roll):
    """Hits of a roll (section 3.2, step 2; section 4, step 2)."""
    types = types_of(p, 0, s.attacker) if side == ATTACK else defending_types(p, s)
    icons = p.n[p.n[ICONS] + roll]
    hits = (
        min(types & MASK, icons & MASK)
        + min((types >> BITS) & MASK, (icons >> BITS) & MASK)
        + min(types >> (2 * BITS), icons >> (2 * BITS))
    )
    if led(p, s, side):
        hits += p.n[AUTOMATIC + side]
    return hits + heavy_ships(p, s, side) if p.n[SEA] else min(hits, count(types))


@helper
def hurt_by(p, s, side, roll):
    """Wounds that the tercios of a roll deal to the leader of `side` (section 3.2, step 4)."""
    wounds = s.attacker_wounds if side == ATTACK else s.defender_wounds
    return min(p.n[p.n[TERCIOS] + roll] >> 1, DEAD - wounds) if led_by(p, s, side) > 0 else 0


@helper
def alone(s):
    """Has a side no unit left in the area?"""
    return fighting(s.attacker) == 0 or fighting(s.defender_1) + fighting(s.defender_2) + fighting(s.defender_3) == 0


@helper
def defending_hits(s):
    """Hits that the defenders can still take."""
    hits = hits_left(fighting(s.defender_1))
    if s.defender_2 + s.defender_3 > 0:
        hits += hits_left(fighting(s.defender_2)) + hits_left(fighting(s.defender_3))
    return hits


@helper
def after_round(p, s, losses):
    """Steps 3 to 7 of a round, once both have rolled."""
    now = s.round + 1
    after = after_casualties(p, s, losses)
    if alone(after):
        return ended(p, with_haul(p, s, after, losses), now)
    if p.n[MAY_LEAVE]:
        after = after_retreat(p, s, after, losses, now)
    if alone(after) or now == p.n[MAX_ROUNDS]:
        return ended(p, after, now)
    return with_phase(after, ATTACKER_ROLLS, now if p.n[COUNT_ROUNDS] else min(now, p.n[LAST] - 1))


@helper
def with_haul(p, before, after, losses):
    """Ships captured from those sunk in the final roll, the cheapest first (section 4, step 5)."""
    if p.n[SEA] == 0:
        return after
    if hits_left(fighting(after.attacker)) > 0:
        haul, ships, heavy = losses.attacker_haul, count(defending_types(p, before)), heavy_ships(p, before, DEFENCE)
    elif player_defends(p, after):
        haul, ships, heavy = (
            losses.defender_haul,
            count(types_of(p, 0, before.attacker)),
            heavy_ships(p, before, ATTACK),
        )
    else:
        return after
    haul = min(haul, ships)
    return State(
        after.phase, after.round, after.attacker, after.defender_1, after.defender_2, after.defender_3, after.turns,
        after.attacker_card, after.defender_card, after.attacker_wounds, after.defender_wounds,
        0, 0, haul, max(0, haul - (ships - heavy)),
    )  # fmt: skip


@helper
def player_defends(p, s):
    """Has a player realm units among the defenders?"""
    return (
        (p.n[KIND + 1] == PLAYER and hits_left(fighting(s.defender_1)) > 0)
        or (p.n[KIND + 2] == PLAYER and hits_left(fighting(s.defender_2)) > 0)
        or (p.n[KIND + 3] == PLAYER and hits_left(fighting(s.defender_3)) > 0)
    )


@helper
def haul_of(p, s, side, roll, hits):
    """Ships that a roll captures if it sinks the enemy's last; 0 if it cannot."""
    if p.n[SUPPLY + side] == 0:
        return 0
    enemy = defending_hits(s) if side == ATTACK else hits_left(fighting(s.attacker))
    return min(p.n[p.n[TERCIOS] + roll], p.n[SUPPLY + side]) if hits >= enemy else 0


@helper
def ended(p, s, rounds):
    """The battle is over; what no answer asks for is forgotten, so that fewer outcomes are told apart."""
    rounds = rounds if p.n[COUNT_ROUNDS] else 0
    if p.n[BRIEF] == 0:
        return State(
            OVER, rounds, s.attacker, s.defender_1, s.defender_2, s.defender_3, 0,
            s.attacker_card, s.defender_card, s.attacker_wounds, s.defender_wounds, 0, 0, s.haul, s.heavy_haul,
        )  # fmt: skip
    return State(
        OVER, rounds, plain(p, 0, s.attacker), plain(p, 1, s.defender_1), plain(p, 2, s.defender_2),
        plain(p, 3, s.defender_3), 0, 0, 0, 0, 0, 0, 0, s.haul, 0,
    )  # fmt: skip


@helper
def plain(p, faction, force):
    """A fleet told by its number of ships alone: sound or damaged is all one to the stage that follows."""
    if p.n[SEA] == 0:
        return force
    fewest = p.n[p.n[ROW + 3 * faction + 1] + 2 * p.n[LEVELS] + ((force >> BITS) & MASK)]
    return (force & GONE) | (fewest << BITS)


@helper
def stuck(p, s):
    """Can no result of the roll change the state? Then the battle ends without that round (section 3.2)."""
    if s.round < p.n[LAST] - 1 or can_hit(p, s, ATTACK) or can_hit(p, s, DEFENCE):
        return False
    after = after_round(p, s, Losses(0, 0, 0, 0, 0, 0))
    return (
        after.phase == s.phase
        and after.attacker == s.attacker
        and after.defender_1 == s.defender_1
        and after.defender_2 == s.defender_2
        and after.defender_3 == s.defender_3
    )


@helper
def can_hit(p, s, side):
    """May a roll of this side hit?"""
    types = types_of(p, 0, s.attacker) if side == ATTACK else defending_types(p, s)
    shows = p.n[p.n[SHOWS] + pool(p, s, side)]
    return (
        (types & MASK > 0 and shows & 1 > 0)
        or ((types >> BITS) & MASK > 0 and shows & 2 > 0)
        or (types >> (2 * BITS) > 0 and shows & 4 > 0)
        or (p.n[AUTOMATIC + side] > 0 and led(p, s, side))
        or heavy_ships(p, s, side) > 0
    )


@rule(Params)
def running(p, s):
    """A battle is fought until one side is alone, `max_rounds` are done, or nothing can change."""
    if s.phase == OVER:
        return False
    return not (p.n[MAY_STICK] and s.phase == ATTACKER_ROLLS and stuck(p, s))


@rule(Params)
def table(p, s):
    """The pool of the side that rolls now; a card or a charge before."""
    if s.phase == DEFENDER_ROLLS:
        return pool_table(p, s, DEFENCE)
    return pool_table(p, s, ATTACK) if s.phase == ATTACKER_ROLLS else p.n[OPENING + s.phase]


@rule(Params)
def step(p, s, result):
    """What a roll, a card or a charge leads to."""
    if s.phase == ATTACKER_ROLLS:
        hits = hits_of(p, s, ATTACK, result)
        haul = haul_of(p, s, ATTACK, result, hits)
        return with_roll(s, DEFENDER_ROLLS, on_defenders(s, hits), hurt_by(p, s, DEFENCE, result), haul)
    if s.phase == DEFENDER_ROLLS:
        hits = hits_of(p, s, DEFENCE, result)
        haul = haul_of(p, s, DEFENCE, result, hits)
        return after_round(p, s, Losses(hits, s.hits, hurt_by(p, s, ATTACK, result), s.hurt, s.haul, haul))
    return before_round_1(p, s, result)


@helper
def on_defenders(s, hits):
    """Hits beyond the last unit are lost."""
    return min(hits, defending_hits(s))


@helper
def before_round_1(p, s, result):
    """Cards and charges (section 3.1, steps 2 and 3)."""
    if s.phase > DEFENDER_CHARGES:
        return s
    drawn, following = 0 + result, 0 + p.n[FOLLOWING + s.phase]  # as wide as the numbers of a state
    if s.phase == ATTACKER_DRAWS:
        return with_cards(s, following, drawn, s.defender_card)
    if s.phase == DEFENDER_DRAWS:
        return with_cards(s, following, s.attacker_card, drawn)
    if s.phase == ATTACKER_CHARGES:
        return with_roll(s, following, on_defenders(s, drawn), 0, 0)
    after = after_casualties(p, s, Losses(drawn, s.hits, 0, 0, 0, 0))
    return ended(p, after, 0) if alone(after) else with_phase(after, ATTACKER_ROLLS, 0)
