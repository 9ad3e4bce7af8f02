"""One batch of casualties for both sides (rules/price_of_power.md section 3.2, steps 3 and 4)."""

from __future__ import annotations

from typing import NamedTuple

from simulator.engine.chain import helper
from simulator.rules.price_of_power.casualties import (
    GONE,
    after_hits,
    fighting,
    full_turns,
    hits_left,
    larger,
    turn_after,
)
from simulator.rules.price_of_power.state import (
    DAMAGE_WOUNDS,
    FACTIONS,
    TIE,
    WHOLE_BATTLE,
    count,
    defending_types,
    types_of,
    with_forces,
    with_turns,
    wounded,
)


class Losses(NamedTuple):
    """What both sides suffer in one batch: hits on each side, wounds for each leader, ships to capture."""

    attacker_hits: int
    defender_hits: int
    attacker_hurt: int
    defender_hurt: int
    attacker_haul: int
    defender_haul: int


class Split(NamedTuple):
    """Hits on each defending faction."""

    first: int
    second: int
    third: int


@helper
def split(p, s, hits):
    """One hit to each defending faction in turn, the largest first, until all are used (section 3.2, step 3)."""
    if p.n[FACTIONS] == 1:
        return Split(hits, 0, 0)
    one, two, three = fighting(s.defender_1), fighting(s.defender_2), fighting(s.defender_3)
    a, b, c = hits_left(one), hits_left(two), hits_left(three)
    taken = min(hits, a + b + c)
    k = full_turns(taken, a, b, c)
    rest = taken - min(a, k) - min(b, k) - min(c, k)
    more_a, more_b, more_c = int(a > k), int(b > k), int(c > k)
    units_a, units_b, units_c = count(types_of(p, 1, one)), count(types_of(p, 2, two)), count(types_of(p, 3, three))
    b_before_a = larger(units_a, p.n[TIE + 1], units_b, p.n[TIE + 2])
    c_before_a = larger(units_a, p.n[TIE + 1], units_c, p.n[TIE + 3])
    c_before_b = larger(units_b, p.n[TIE + 2], units_c, p.n[TIE + 3])
    before_a = more_b * b_before_a + more_c * c_before_a
    before_b = more_a * (1 - b_before_a) + more_c * c_before_b
    before_c = more_a * (1 - c_before_a) + more_b * (1 - c_before_b)
    return Split(
        min(a, k) + int(more_a > 0 and rest > before_a),
        min(b, k) + int(more_b > 0 and rest > before_b),
        min(c, k) + int(more_c > 0 and rest > before_c),
    )


@helper
def turn_of(s, faction):
    """Whose turn it is in the alternation of a faction (0 anew each round)."""
    return (s.turns >> (2 * faction)) & 3


@helper
def hit(s, faction, force, hits):
    """A faction after casualties; one that has left is not hit."""
    return force if force & GONE else after_hits(force, hits, turn_of(s, faction))


@helper
def turns_after(p, s, attacker_hits, hits):
    """Where the alternation of each faction stands after a batch."""
    if p.n[WHOLE_BATTLE] == 0:
        return 0
    return (
        turn_after(s.attacker, attacker_hits, turn_of(s, 0))
        | turn_after(fighting(s.defender_1), hits.first, turn_of(s, 1)) << 2
        | turn_after(fighting(s.defender_2), hits.second, turn_of(s, 2)) << 4
        | turn_after(fighting(s.defender_3), hits.third, turn_of(s, 3)) << 6
    )


@helper
def after_casualties(p, s, losses):
    """Both sides' casualties come off at once, and leaders of sides that lost a unit are wounded (steps 3 and 4)."""
    hits = split(p, s, losses.defender_hits)
    after = with_forces(
        with_turns(s, turns_after(p, s, losses.attacker_hits, hits)),
        hit(s, 0, s.attacker, losses.attacker_hits),
        hit(s, 1, s.defender_1, hits.first),
        hit(s, 2, s.defender_2, hits.second) if p.n[FACTIONS] > 1 else 0,
        hit(s, 3, s.defender_3, hits.third) if p.n[FACTIONS] > 1 else 0,
    )
    attacker_hurt = losses.attacker_hurt
    if attacker_hurt > 0 and not lost_unit(
        p, types_of(p, 0, s.attacker), types_of(p, 0, after.attacker), losses.attacker_hits
    ):
        attacker_hurt = 0
    defender_hurt = losses.defender_hurt
    if defender_hurt > 0 and not lost_unit(p, defending_types(p, s), defending_types(p, after), losses.defender_hits):
        defender_hurt = 0
    return wounded(after, attacker_hurt, defender_hurt)


@helper
def lost_unit(p, before, after, hits):
    """Did the side lose a unit; or, with `damage_counts_as_casualty`, was a ship damaged?"""
    return count(after) < count(before) or (p.n[DAMAGE_WOUNDS] > 0 and hits > 0)
