"""Forces, strengths and casualties (docs/rules/price_of_power.md section 3.2, steps 2 to 4, and 3.4).

The *force* of a faction packs a number for its mercenary, regular and allied units each, and GONE once it has left the
battle (the force then counts the survivors). Ships are regular. The number says which units are left (forces.py): along
a fixed list it is the hits that they can still take; where the owner picks his losses it numbers all line-ups.
Its *strength* packs infantry, cavalry, artillery, heavy ships, all units, and the hits that they can take. Ships count
as artillery, whose icons hit for them. Strengths add up.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.toolkit.losses import in_turn

GONE = 1
# Bits of the number of a category in a force, and the place of that of the regulars, which most forces have alone.
WIDE, REGULARS = 18, 1
MOST_NUMBER = (1 << WIDE) - 1
ONLY_REGULAR = MOST_NUMBER << REGULARS
BITS = 10
MASK = (1 << BITS) - 1
HEAVY, UNITS, HITS, MANY = 30, 39, 51, 4095
MOST_HEAVY = (1 << UNITS - HEAVY) - 1
TERCIOS = 3 * BITS
ATTACK, DEFENCE = 0, 1
CATEGORIES = 3


@helper
def present(force):
    """A faction has a unit in the battle."""
    return force > 0 and force & GONE == 0


@helper
def force_of(s, faction):
    """The force of a faction."""
    if faction == 0:
        return s.attacker
    if faction <= 2:
        return s.defender_1 if faction == 1 else s.defender_2
    return s.defender_3 if faction == 3 else s.defender_4 if faction == 4 else s.defender_5


@helper
def with_force(s, faction, force):
    """The state with another force of a faction."""
    if faction == 0:
        return s._replace(attacker=force)
    if faction <= 2:
        return s._replace(defender_1=force) if faction == 1 else s._replace(defender_2=force)
    if faction == 3:
        return s._replace(defender_3=force)
    return s._replace(defender_4=force) if faction == 4 else s._replace(defender_5=force)


@helper
def at(category):
    """The place of the number of a category (0 mercenary, 1 regular, 2 allied) in a force."""
    return REGULARS + WIDE * ((category + 2) % CATEGORIES)


@helper
def number_of(force, category):
    """The number of a category of a force."""
    return (force >> at(category)) & MOST_NUMBER


def force_with(mercenary, regular, allied):
    """The force with these numbers (ints, or int arrays)."""
    return mercenary << at(0) | regular << at(1) | allied << at(2)


@helper
def part(packed, which):
    """The number of a type in a strength or a roll."""
    return (packed >> (BITS * which)) & MASK


def packed(first, second, third):
    """Three numbers (ints, or int arrays) in one, as `part` reads them."""
    return first | second << BITS | third << 2 * BITS


@helper
def strength_of(p, faction, force):
    """The strength of a faction; 0 once it has left."""
    if force == force & ONLY_REGULAR:
        return p.strength[CATEGORIES * faction + 1, force >> REGULARS]
    return 0 if force & GONE else strength_in_place(p, faction, force)


@helper
def strength_in_place(p, faction, force):
    """The strength of a faction that has not left."""
    return (
        p.strength[CATEGORIES * faction, number_of(force, 0)]
        + p.strength[CATEGORIES * faction + 1, number_of(force, 1)]
        + p.strength[CATEGORIES * faction + 2, number_of(force, 2)]
    )


@helper
def strength_on(p, s, side):
    """The strength of a side."""
    strength = 0
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        strength += strength_of(p, faction, force_of(s, faction))
    return strength


@helper
def units_in(strength):
    """Units or ships of a strength."""
    return (strength >> UNITS) & MANY


@helper
def units_on(p, s, side):
    """Units or ships of a side."""
    return units_in(strength_on(p, s, side))


@helper
def heavy_in(strength):
    """Heavy ships of a strength."""
    return (strength >> HEAVY) & MOST_HEAVY


@helper
def hits_with(sea, own, shown, hits):
    """Automatic `hits` and those of icons (step 2): on land no unit hits twice, at sea each heavy ship adds a hit."""
    for which in range(3):
        hits += min(part(own, which), part(shown, which))
    return hits + heavy_in(own) if sea else min(hits, units_in(own))


@helper
def table_for(own, first, cap):
    """The table of a pool, whose first table is `first`, for these units."""
    at = 0
    for which in range(3):
        at = at * (part(cap, which) + 1) + min(part(own, which), part(cap, which))
    return first + at


# Casualties along fixed lists: a category's number is that of the hits that it can take.


@helper
def after_hits(force, hits, turn):
    """A force after casualties; a force that has left takes none."""
    if force == force & ONLY_REGULAR:
        return max(force - (hits << REGULARS), 0)
    return with_casualties(force, 0 if force & GONE else hits, turn)


@helper
def with_casualties(force, hits, turn):
    """A force in the battle after casualties, which alternate mercenary, regular, allied, beginning at `turn`."""
    dealt = in_turn(hits, number_of(force, 0), number_of(force, 1), number_of(force, 2), 3 * turn)
    return force - (dealt.first << at(0)) - (dealt.second << at(1)) - (dealt.third << at(2))


# All casualties. Hits are dealt, categories alternate in the same way where the owner picks the units.


@helper
def room_of(p, faction, force, category):
    """Hits that a category of a force can take."""
    return p.strength[CATEGORIES * faction + category, number_of(force, category)] >> HITS


@helper
def dealt_to(p, faction, force, hits, turn):
    """Hits on each category of a faction, by the alternation that begins at `turn`."""
    one, two, three = (room_of(p, faction, force, 0), room_of(p, faction, force, 1), room_of(p, faction, force, 2))
    return in_turn(0 if force & GONE else hits, one, two, three, 3 * turn)


@helper
def turn_after(p, faction, force, hits, turn):
    """The category hit next after such casualties: the one after the last category hit."""
    if force == force & ONLY_REGULAR or force & GONE or hits == 0:
        return 0 if force == force & ONLY_REGULAR else turn
    hits = min(hits, strength_of(p, faction, force) >> HITS)
    before, after = dealt_to(p, faction, force, hits - 1, turn), dealt_to(p, faction, force, hits, turn)
    return 1 if after.first > before.first else 2 if after.second > before.second else 0


@helper
def turn_of(s, faction):
    """The category of a faction that is hit next in the alternation."""
    return (s.turns >> (2 * faction)) & 3


@helper
def hit_before(p, s, faction, other):
    """The other faction is hit first: it has more units, or as many and comes first by `ties`."""
    own = units_in(strength_of(p, faction, force_of(s, faction)))
    theirs = units_in(strength_of(p, other, force_of(s, other)))
    return theirs > own or (theirs == own and p.tie[other] < p.tie[faction])


@helper
def share(p, s, faction, hits):
    """Hits on a faction: one to each of its side in turn, the largest first, until all are used."""
    room, taken = strength_of(p, faction, force_of(s, faction)) >> HITS, 0
    if faction == 0 or p.first_of[2] == 2:
        return min(hits, room)
    while taken < room and taken < hits:
        before = 0
        for other in range(1, p.first_of[2]):
            theirs = strength_of(p, other, force_of(s, other)) >> HITS
            before += min(theirs, taken) + (1 if theirs > taken and hit_before(p, s, faction, other) else 0)
        if before >= hits:
            return taken
        taken += 1
    return taken


# Casualties that the owner picks (section 3.4). The hits on a category can be taken in several ways: line-ups after
# them. A side picks one for each category of each faction; the ways of the first change slowest.


@helper
def due(p, s, faction):
    """Hits that a faction takes now: in the phases of paying one if it leaves, else its share of those pending."""
    if s.leaving > 0:
        return s.leaving >> faction & 1
    return share(p, s, faction, s.back if faction == 0 else s.hits)


@helper
def has(force, category):
    """A force in the battle has units of this category."""
    return force & GONE == 0 and number_of(force, category) > 0


@helper
def ways_of(p, s, faction, category):
    """Place in `ways_at` of the ways in which a category of a faction can take what is due."""
    force, hits = force_of(s, faction), due(p, s, faction)
    if force != force & ONLY_REGULAR:
        dealt = dealt_to(p, faction, force, hits, turn_of(s, faction))
        hits = dealt.first if category == 0 else dealt.second if category == 1 else dealt.third
    if p.sea and s.leaving > 0:
        hits *= p.most_hits + 1  # the price of a retreat is a ship, whatever hits it can take
    return p.first_way[CATEGORIES * faction + category] + number_of(force, category) * (p.most_hits + 2) + hits


@helper
def all_ways(p, s, side):
    """The number of ways in which a side can take what is due, and among them the place of the default policy's."""
    number, usual = 1, 0
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        for category in range(CATEGORIES):
            if has(force_of(s, faction), category):
                way = ways_of(p, s, faction, category)
                width = p.ways_at[way + 1] - p.ways_at[way]
                number, usual = number * width, usual * width + p.usual[way]
    return number, usual


@helper
def picked(p, s, side, option):
    """The forces of a side after what is due, taken in one of its ways: the first is what the default would do."""
    _, usual = all_ways(p, s, side)
    place, after = usual if option == 0 else option - 1 if option <= usual else option, s
    for back in range(p.first_of[side + 1] - p.first_of[side]):
        faction = p.first_of[side + 1] - 1 - back
        force = force_of(s, faction)
        for category in (2, 1, 0):
            if has(force, category):
                way = ways_of(p, s, faction, category)
                number = p.ways_at[way + 1] - p.ways_at[way]
                left = p.ways[p.ways_at[way] + place % number]
                place //= number
                force += (left - number_of(force, category)) << at(category)
        after = with_force(after, faction, force)
    return after


@helper
def forces_after(p, s, side, option):
    """The forces of a side after what is due, by its list or as it picks."""
    if p.picks[side]:
        return picked(p, s, side, option)
    after = s
    for faction in range(p.first_of[side], p.first_of[side + 1]):
        force = after_hits(force_of(s, faction), due(p, s, faction), turn_of(s, faction))
        after = with_force(after, faction, force)
    return after


@helper
def lost(p, s, after, side):
    """The state after the casualties of a roll or a charge; the leader of a side that lost a unit is wounded."""
    hits, wounds = (s.back, s.hurt) if side == ATTACK else (s.hits, s.wounds)
    if hits > 0 and p.alternates:  # nothing else reads the turn
        turns = s.turns
        for faction in range(p.first_of[side], p.first_of[side + 1]):
            now = turn_of(s, faction)
            following = turn_after(p, faction, force_of(s, faction), due(p, s, faction), now)
            turns += (following - now) << (2 * faction)
        after = after._replace(turns=turns)
    wounded = wounds > 0 and (units_on(p, after, side) < units_on(p, s, side) or (p.damage_wounds > 0 and hits > 0))
    more = wounds if wounded else 0
    if side == ATTACK:
        return after._replace(attacker_leader=s.attacker_leader + more, back=0, hurt=0)
    return after._replace(defender_leader=s.defender_leader + more, hits=0, wounds=0)
