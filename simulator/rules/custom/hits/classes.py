"""Hit classes of a salvo: their mean, their tally and how they are allotted (docs/rules/custom_games.md section 5)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.custom.hits.dice import added, best_dice, fires, gauged
from simulator.rules.custom.hits.layout import (
    ABSORBING,
    BLOCK,
    CAP,
    DAMAGE,
    END,
    ENTRY,
    FACE,
    FACES,
    HIT,
    LAST_ENTRY,
    LAST_HIT,
    LAST_SLOT,
    MASK,
    PAIRS,
    PIECE,
    PLACES,
    REST,
    SHIFT,
    SIDE,
    SLOT,
    SPLIT,
    STANDING,
    TALLIED,
    TALLY,
    TALLY_MASK,
    TALLY_SHIFT,
    WORD,
    WORDS,
)

# More than there can be of dice that may fall into a class; more than any sum of weights.
ABLE, ALL = 1 << 34, 1 << 62


@helper
def phase_of(p, s, salvo):
    """The kind of round in which a salvo is fought now; 0 before the battle."""
    return 0 if salvo < p.opening else min(s.clock + 1, p.phases)


@helper
def allots(p, s, salvo, slot, phase):
    """Are hits of the class of a slot allotted there, and not in another slot of the class?"""
    side, first = p.salvo[salvo, SIDE], p.salvo[salvo, ENTRY]
    for i in range(first, p.salvo[salvo, LAST_ENTRY]):
        lead = p.leads[slot, i - first]
        if lead != 0 and fires(p, s, side, p.entry[i], phase):
            return lead > 0
    return True


@helper
def allotting(p, s, salvo, phase):
    """The slots of a salvo in which hits are allotted, as bits."""
    slots, first = 0, p.salvo[salvo, SLOT]
    for k in range(first, p.salvo[salvo, LAST_SLOT]):
        slots |= int(allots(p, s, salvo, k, phase)) << k - first
    return slots


@helper
def weight(p, salvo, kind, slots, k):
    """Of a die: 1 if it may fall into these slots of a salvo, and ABLE more if into slot `k`, the first of them.

    Low luck: its chance in slot `k`, in parts of the whole.
    """
    if p.salvo[salvo, PAIRS] > 0:
        return 1
    first = p.salvo[salvo, SLOT]
    own = p.kinds[kind, FACES + p.hits[p.slot[first + k], FACE]] if slots >> k & 1 else 0
    if own > 0 or p.low_luck > 0:
        return own if p.low_luck > 0 else ABLE + 1
    for j in range(k + 1, p.salvo[salvo, LAST_SLOT] - first):
        if slots >> j & 1 and p.kinds[kind, FACES + p.hits[p.slot[first + j], FACE]] > 0:
            return 1
    return 0


@helper
def weighed(p, s, salvo, phase, slots, k, enough):
    """The weights of the dice of a salvo, summed up to `enough`; of side `k` where dice are compared."""
    total, first = 0, p.salvo[salvo, ENTRY]
    side = k if p.salvo[salvo, PAIRS] > 0 else p.salvo[salvo, SIDE]
    for i in range(first, p.salvo[salvo, LAST_ENTRY]):
        if (p.salvo[salvo, PAIRS] == 0 or i - first == side) and fires(p, s, side, p.entry[i], phase):
            kind, dice = p.kinds.shape[0], 1
            while dice > 0 and total < enough:
                kind, dice = best_dice(p, s, side, p.entry[i], phase, kind)
                total += weight(p, salvo, kind, slots, k) * dice if dice > 0 else 0
    return total


@helper
def may_hit(p, s, salvo, phase):
    """May a salvo score more hits than the enemy absorbs, on units that stand? Compared dice: do both sides roll any?

    Hits of a slot count if with all hits of the later slots, which are absorbed first, they are more than are absorbed.
    """
    side, first, pairs = p.salvo[salvo, SIDE], p.salvo[salvo, SLOT], p.salvo[salvo, PAIRS] > 0
    count, slots, hits = 2 if pairs else p.salvo[salvo, LAST_SLOT] - first, allotting(p, s, salvo, phase), 0
    absorbed = 0 if pairs else gauged(p, s, 1 - side, p.rolls.shape[2] + ABSORBING + 1 - side)
    enough = ALL if absorbed > 0 else 1 if pairs or p.low_luck > 0 else ABLE
    for k in range(count - 1, -1, -1):
        found = weighed(p, s, salvo, phase, slots, k, enough)
        if pairs and found == 0:
            return False
        hits = hits - (-found // p.whole) if p.low_luck > 0 else found % ABLE
        able = found > 0 if p.low_luck > 0 else found >= ABLE
        if not pairs and able and hits > absorbed and gauged(p, s, 1 - side, p.hits[p.slot[first + k], STANDING]) > 0:
            return True
    return pairs


@helper
def tally_of(p, s, hit):
    """The hits of a class so far."""
    return s[TALLIED:REST][p.hits[hit, TALLY]] >> p.hits[hit, TALLY_SHIFT] & p.hits[hit, TALLY_MASK]


@helper
def tallied(p, s, hit, number):
    """The state with more hits of a class, up to those that can count."""
    more = min(number, p.hits[hit, CAP] - tally_of(p, s, hit))
    return added(s, 2 * WORDS + p.hits[hit, TALLY], more << p.hits[hit, TALLY_SHIFT])


@helper
def points_hit(number, damage, left, piece):
    """The points that hits take off a stretch of so many points left, and the hits that it takes to do so.

    A whole hit of a damage takes points of one piece only (section 7, step 6).
    """
    if damage == 1 or piece < 2:
        points = min(number, left)
        return points, points
    hits = min(number, -(-(left % piece) // damage))
    points = min(left % piece, hits * damage)
    each, pieces = -(-piece // damage), left // piece
    whole = min((number - hits) // each, pieces)
    points, hits = points + whole * piece, hits + whole * each
    if whole < pieces:
        return points + (number - hits) * damage, number
    return points, hits


@helper
def struck(p, s, side, hit, number):
    """The place of a side after the hits of a class, each on the first point it may take (section 5, step 7)."""
    damage = p.hits[hit, DAMAGE]
    if p.hits[hit, SPLIT] > 0:
        number, damage = number * damage, 1
    for i in range(p.line.shape[1]):
        block = p.line[side, i, BLOCK]
        if number > 0 and p.takes[hit, block] > 0:
            word, shift = WORDS * side + p.blocks[side, block, WORD], p.blocks[side, block, SHIFT]
            taken = s[PLACES:TALLIED][word] >> shift & p.blocks[side, block, MASK]
            left = max(0, p.line[side, i, END] - taken)
            points, used = points_hit(number, damage, left, p.line[side, i, PIECE])
            s = added(s, word, points << shift)
            number -= used
    return s


@helper
def allotted(p, s):
    """The hits of a salvo on the other side, less those that it absorbs, in the order of the slots."""
    enemy, phase = 1 - p.salvo[s.salvo, SIDE], phase_of(p, s, s.salvo)
    left = -gauged(p, s, enemy, p.rolls.shape[2] + ABSORBING + enemy)
    for hit in range(p.salvo[s.salvo, HIT], p.salvo[s.salvo, LAST_HIT]):
        left += tally_of(p, s, hit)
    for k in range(p.salvo[s.salvo, SLOT], p.salvo[s.salvo, LAST_SLOT]):
        if left > 0 and allots(p, s, s.salvo, k, phase):
            number = min(left, tally_of(p, s, p.slot[k]))
            left -= number
            s = struck(p, s, enemy, p.slot[k], number)
    return s
