"""What a battle is at any moment, and what is read off it (rules/price_of_power.md sections 3.4 and 4)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper
from simulator.rules.price_of_power.casualties import BITS, MASK, ONLY_REGULAR, fighting, hits_left

# Phases: what happens next.
ATTACKER_DRAWS, DEFENDER_DRAWS, ATTACKER_CHARGES, DEFENDER_CHARGES, ATTACKER_ROLLS, DEFENDER_ROLLS, OVER = range(7)
ATTACK, DEFENCE = 0, 1
PLAYER, NPR, TO_THE_LAST = 0, 1, 2
NEVER, WHEN_OUTNUMBERED, WHEN_HALF, AT_OR_BELOW, AFTER_ROUND, WHEN_LEADER_WOUNDED = range(6)
DEAD = 2


# Where each number of a battle stands in Params.n: first single ones,
(
    SEA,
    WHOLE_BATTLE,
    DAMAGE_WOUNDS,
    COUNT_ROUNDS,
    MAX_ROUNDS,
    LAST,
    BRIEF,
    MAY_STICK,
    MAY_LEAVE,
    FACTIONS,
    LEVELS,
    FIRST,
    SHOWS,
    ICONS,
    TERCIOS,
) = range(15)
# then one for each side (2 places), faction (4) or category of a faction (12).
FOLLOWING = 15
OPENING = 19
KIND = 23
STAYS = 27
TIE = 31
ROW = 35
AUTOMATIC = 47
RETREAT = 49
RETREAT_AT = 51
CAN_RETREAT = 53
START_UNITS = 55
MAIN = 57
SUPPLY = 59
POOLS_AT = 61
CAP = 63
STRIDE = 69
SECTIONS = 75


class Params(NamedTuple):
    """All numbers of a battle in one int32 array: compiled rules get their parameters by value, and two dozen arrays
    cost more than the rules themselves (power-italian-war: 0.7 instead of 2.5 M battles/s a core, before inlining).

    After the places named above follow the sections: `n[ROW + 3 * faction + category]` is where the *levels* of a
    category begin, what n hits leave of it: infantry, cavalry, artillery (at sea ships last), ten bits each; `LEVELS`
    places further on its heavy ships, and again as far the fewest hits that as many ships can take.
    `n[POOLS_AT + side]` is where the side's pools begin, by (3 * card + condition) * last + round; the tables of a
    pool begin at `n[n[FIRST] + pool]`, the icons its dice can show stand at `n[n[SHOWS] + pool]`; the icons and
    tercios of a roll at `n[n[ICONS] + roll]` and `n[n[TERCIOS] + roll]`.
    """

    n: np.ndarray


class State(NamedTuple):
    """A battle under way: phase, rounds done, the ranks of each faction (casualties.py), leaders, a pending roll.

    `turns` holds whose turn in the alternation it is, two bits a faction (whole-battle only). `hits`, `hurt` and
    `haul` are the attacker's roll until the defender has rolled: hits, wounds, ships to capture. Once the battle is
    over `haul` and `heavy_haul` are the ships that the winner captured.
    """

    phase: int
    round: int
    attacker: int
    defender_1: int
    defender_2: int
    defender_3: int
    turns: int
    attacker_card: int
    defender_card: int
    attacker_wounds: int
    defender_wounds: int
    hits: int
    hurt: int
    haul: int
    heavy_haul: int


@helper
def types_of(p, faction, force):
    """Infantry, cavalry and artillery (at sea: ships last) of a faction, ten bits each."""
    at = 3 * faction
    if force == force & ONLY_REGULAR:
        return p.n[p.n[ROW + at + 1] + (force >> BITS)]
    return (
        p.n[p.n[ROW + at] + (force & MASK)]
        + p.n[p.n[ROW + at + 1] + ((force >> BITS) & MASK)]
        + p.n[p.n[ROW + at + 2] + ((force >> (2 * BITS)) & MASK)]
    )


@helper
def defending_types(p, s):
    """Types of all defending factions that are still there."""
    types = types_of(p, 1, fighting(s.defender_1))
    if p.n[FACTIONS] > 1:
        types += types_of(p, 2, fighting(s.defender_2)) + types_of(p, 3, fighting(s.defender_3))
    return types


@helper
def count(types):
    """Units of all types."""
    return (types & MASK) + ((types >> BITS) & MASK) + (types >> (2 * BITS))


@helper
def heavy_of(p, faction, force):
    """Heavy ships of a faction, sound or damaged."""
    return p.n[p.n[ROW + 3 * faction + 1] + p.n[LEVELS] + ((force >> BITS) & MASK)]


@helper
def heavy_ships(p, s, side):
    """Heavy ships of a side: each adds one automatic hit (section 4, step 2)."""
    if p.n[SEA] == 0:
        return 0
    if side == ATTACK:
        return heavy_of(p, 0, s.attacker)
    return (
        heavy_of(p, 1, fighting(s.defender_1))
        + heavy_of(p, 2, fighting(s.defender_2))
        + heavy_of(p, 3, fighting(s.defender_3))
    )


@helper
def led(p, s, side):
    """There is no main defender, or he still has a unit in the battle (section 3.1, step 1)."""
    if side == ATTACK or p.n[MAIN + side] == 0:
        return True
    main = s.defender_1 if p.n[MAIN + side] == 1 else s.defender_2 if p.n[MAIN + side] == 2 else s.defender_3
    return hits_left(fighting(main)) > 0


@helper
def led_by(p, s, side):
    """The card of the leader who leads a side now, alive; 0 for none."""
    card = s.attacker_card if side == ATTACK else s.defender_card
    wounds = s.attacker_wounds if side == ATTACK else s.defender_wounds
    return card if wounds < DEAD and led(p, s, side) else 0


@helper
def with_phase(s, phase, rounds):
    """The same battle at another phase, after so many rounds, no roll pending."""
    return State(
        phase, rounds, s.attacker, s.defender_1, s.defender_2, s.defender_3, s.turns,
        s.attacker_card, s.defender_card, s.attacker_wounds, s.defender_wounds, 0, 0, 0, 0,
    )  # fmt: skip


@helper
def with_cards(s, phase, attacker_card, defender_card):
    """The same battle with leaders drawn."""
    return State(
        phase, s.round, s.attacker, s.defender_1, s.defender_2, s.defender_3, s.turns,
        attacker_card, defender_card, s.attacker_wounds, s.defender_wounds, 0, 0, 0, 0,
    )  # fmt: skip


@helper
def with_roll(s, phase, hits, hurt, haul):
    """The same battle with the attacker's roll pending."""
    return State(
        phase, s.round, s.attacker, s.defender_1, s.defender_2, s.defender_3, s.turns,
        s.attacker_card, s.defender_card, s.attacker_wounds, s.defender_wounds, hits, hurt, haul, 0,
    )  # fmt: skip


@helper
def with_forces(s, attacker, defender_1, defender_2, defender_3):
    """The same battle with other ranks."""
    return State(
        s.phase, s.round, attacker, defender_1, defender_2, defender_3, s.turns,
        s.attacker_card, s.defender_card, s.attacker_wounds, s.defender_wounds, 0, 0, 0, 0,
    )  # fmt: skip


@helper
def with_turns(s, turns):
    """The same battle at another point of the alternation."""
    return State(
        s.phase, s.round, s.attacker, s.defender_1, s.defender_2, s.defender_3, turns,
        s.attacker_card, s.defender_card, s.attacker_wounds, s.defender_wounds, 0, 0, 0, 0,
    )  # fmt: skip


@helper
def wounded(s, attacker_hurt, defender_hurt):
    """The same battle with leaders wounded."""
    return State(
        s.phase, s.round, s.attacker, s.defender_1, s.defender_2, s.defender_3, s.turns, s.attacker_card,
        s.defender_card, s.attacker_wounds + attacker_hurt, s.defender_wounds + defender_hurt, 0, 0, 0, 0,
    )  # fmt: skip
