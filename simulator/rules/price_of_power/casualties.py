"""Forces, strengths and casualties (docs/rules/price_of_power.md section 3.2, steps 2 to 4).

The *force* of a faction is one number: the hits that its mercenary, regular and allied units can still take, ten bits
each, and GONE once it has left the battle (the force then counts the survivors). Ships are regular and count by hits.
Fixed lists (forces.py) give the *strength* of each force, which packs infantry, cavalry, artillery, heavy ships, all
units, and the hits that they can take. Ships count as artillery, whose icons hit for them. Strengths add up.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.toolkit.losses import Dealt, in_turn

BITS = 10
MASK = (1 << BITS) - 1
ONLY_REGULAR = MASK << BITS
GONE = 1 << 30
HEAVY, UNITS, HITS, MANY = 30, 40, 51, 2047
TERCIOS = 3 * BITS
ATTACK, DEFENCE = 0, 1


@helper
def present(force):
    """A faction has a unit in the battle."""
    return 0 < force < GONE


@helper
def force_of(s, faction):
    """The force of a faction."""
    if faction == 0:
        return s.attacker
    return s.defender_1 if faction == 1 else s.defender_2 if faction == 2 else s.defender_3


@helper
def part(packed, which):
    """Hits that a category of a force can take; or the number of a type in a strength or a roll."""
    return (packed >> (BITS * which)) & MASK


def packed(first, second, third):
    """Three numbers (ints, or int arrays) in one, as `part` reads them."""
    return first | second << BITS | third << 2 * BITS


@helper
def strength_of(p, faction, force):
    """The strength of a faction; 0 once it has left."""
    if force == force & ONLY_REGULAR:
        return p.strength[3 * faction + 1, force >> BITS]
    return 0 if force & GONE else strength_in_place(p, faction, force)


@helper
def strength_in_place(p, faction, force):
    """The strength of a faction that has not left."""
    return (
        p.strength[3 * faction, part(force, 0)]
        + p.strength[3 * faction + 1, part(force, 1)]
        + p.strength[3 * faction + 2, part(force, 2)]
    )


@helper
def strength_on(p, s, side):
    """The strength of a side."""
    strength = 0
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        strength += strength_of(p, faction, force_of(s, faction))
    return strength


@helper
def units_on(p, s, side):
    """Units or ships of a side."""
    return (strength_on(p, s, side) >> UNITS) & MANY


@helper
def hits_with(sea, own, shown, hits):
    """Automatic `hits` and those of icons (step 2): on land no unit hits twice, at sea each heavy ship adds a hit."""
    for which in range(3):
        hits += min(part(own, which), part(shown, which))
    return hits + part(own, 3) if sea else min(hits, (own >> UNITS) & MANY)


@helper
def table_for(own, first, cap):
    """The table of a pool, whose first table is `first`, for these units."""
    at = 0
    for which in range(3):
        at = at * (part(cap, which) + 1) + min(part(own, which), part(cap, which))
    return first + at


@helper
def losses(force, hits, turn):
    """Hits on each category when casualties alternate mercenary, regular, allied, beginning at `turn`."""
    return in_turn(hits, part(force, 0), part(force, 1), part(force, 2), 3 * turn)


@helper
def after_hits(force, hits, turn):
    """A force after casualties; a force that has left takes none."""
    if force == force & ONLY_REGULAR:
        return max(force - (hits << BITS), 0)
    return with_casualties(force, 0 if force & GONE else hits, turn)


@helper
def with_casualties(force, hits, turn):
    """A force in the battle after casualties."""
    dealt = losses(force, hits, turn)
    return force - dealt.first - (dealt.second << BITS) - (dealt.third << (2 * BITS))


@helper
def turn_after(force, hits, turn):
    """The category hit next after such casualties: the one after the last category hit."""
    if force == force & ONLY_REGULAR or force & GONE or hits == 0:
        return 0 if force == force & ONLY_REGULAR else turn
    hits = min(hits, part(force, 0) + part(force, 1) + part(force, 2))
    before, after = losses(force, hits - 1, turn), losses(force, hits, turn)
    return 1 if after.first > before.first else 2 if after.second > before.second else 0


@helper
def turn_of(s, faction):
    """The category of a faction that is hit next in the alternation."""
    return (s.turns >> (2 * faction)) & 3


@helper
def larger(p, s, faction, other):
    """1 if the other faction is hit first: it has more units, or as many and comes first by `ties`; else 0."""
    own = (strength_of(p, faction, force_of(s, faction)) >> UNITS) & MANY
    theirs = (strength_of(p, other, force_of(s, other)) >> UNITS) & MANY
    return 1 if theirs > own or (theirs == own and p.tie[other] < p.tie[faction]) else 0


@helper
def split(p, s, hits):
    """Hits on each defending faction: one to each in turn, the largest first, until all are used."""
    if s.defender_2 + s.defender_3 == 0:
        return Dealt(hits, 0, 0)
    order = larger(p, s, 1, 2) + 2 * larger(p, s, 1, 3) + 4 * larger(p, s, 2, 3)
    one, two = strength_of(p, 1, s.defender_1) >> HITS, strength_of(p, 2, s.defender_2) >> HITS
    return in_turn(hits, one, two, strength_of(p, 3, s.defender_3) >> HITS, order)


@helper
def lost_a_unit(p, before, after, side, hits):
    """The side lost a unit; or, with `damage_counts_as_casualty`, a ship was damaged."""
    return units_on(p, after, side) < units_on(p, before, side) or (p.damage_wounds > 0 and hits > 0)


@helper
def after_casualties(p, s, hits, wounds):
    """Casualties of both sides at once; the leader of a side that lost a unit is wounded.

    `hits` and `wounds` fall on the attacker; those on the defender are pending in the state.
    """
    dealt = split(p, s, s.hits)
    after = s._replace(
        attacker=after_hits(s.attacker, hits, turn_of(s, 0)),
        defender_1=after_hits(s.defender_1, dealt.first, turn_of(s, 1)),
        defender_2=after_hits(s.defender_2, dealt.second, turn_of(s, 2)),
        defender_3=after_hits(s.defender_3, dealt.third, turn_of(s, 3)),
        hits=0, wounds=0, captured=0,
    )  # fmt: skip
    if p.whole_battle or p.asks[ATTACK] or p.asks[DEFENCE]:  # nothing else reads the turn
        after = after._replace(
            turns=turn_after(s.attacker, hits, turn_of(s, 0))
            | turn_after(s.defender_1, dealt.first, turn_of(s, 1)) << 2
            | turn_after(s.defender_2, dealt.second, turn_of(s, 2)) << 4
            | turn_after(s.defender_3, dealt.third, turn_of(s, 3)) << 6
        )
    if wounds > 0 and lost_a_unit(p, s, after, ATTACK, hits):
        after = after._replace(attacker_leader=s.attacker_leader + wounds)
    if s.wounds > 0 and lost_a_unit(p, s, after, DEFENCE, s.hits):
        after = after._replace(defender_leader=s.defender_leader + s.wounds)
    return after
