"""The units that stand and their dice, computed from the hits that each block of a loss line has taken.

Part of `hits/rules.py`; docs/rules/custom_games.md sections 2.7, 2.8, 4 and 5. `hits/params.py` makes the arrays.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.custom.hits.layout import (
    ADDS,
    AGAIN,
    AIM,
    BEGIN,
    COMPARED,
    DICE,
    DIE,
    EACH,
    EACH_PIECE,
    FIRST,
    FROM,
    GAUGE,
    HOSTILE,
    IF_ENEMY,
    IF_OWN,
    KIND,
    LAST,
    LIMIT_ENEMY,
    LIMIT_OWN,
    MASK,
    MORE,
    PLACES,
    REROLL,
    REST,
    SETS,
    SHIFT,
    STACK,
    UNLESS_ENEMY,
    VALUE,
    WORD,
    WORDS,
    HitsState,
)

# Numbers of pieces, three in a word.
IN_WORD, NUMBER_BITS = 3, 20
NUMBER = (1 << NUMBER_BITS) - 1
NOTHING = (0,) * (REST - PLACES)


@helper
def added(s, word, more):
    """The state with more in a word of those between PLACES and REST, counted from PLACES."""
    return s._replace(
        next_a0=s.next_a0 + (more if word == 0 else 0),
        next_a1=s.next_a1 + (more if word == 1 else 0),
        next_a2=s.next_a2 + (more if word == 2 else 0),
        next_a3=s.next_a3 + (more if word == 3 else 0),
        next_d0=s.next_d0 + (more if word == 4 else 0),
        next_d1=s.next_d1 + (more if word == 5 else 0),
        next_d2=s.next_d2 + (more if word == 6 else 0),
        next_d3=s.next_d3 + (more if word == 7 else 0),
        tally0=s.tally0 + (more if word == 8 else 0),
        tally1=s.tally1 + (more if word == 9 else 0),
        tally2=s.tally2 + (more if word == 10 else 0),
        tally3=s.tally3 + (more if word == 11 else 0),
        tally4=s.tally4 + (more if word == 12 else 0),
        tally5=s.tally5 + (more if word == 13 else 0),
        tally6=s.tally6 + (more if word == 14 else 0),
        tally7=s.tally7 + (more if word == 15 else 0),
    )


@helper
def stretch_of(p, side, block, taken):
    """The stretch of a block in which the last of so many hits on it was taken, or the next will be."""
    low, high = p.blocks[side, block, FIRST], p.blocks[side, block, LAST]
    while low + 1 < high:
        middle = (low + high) // 2
        if p.stretches[side, middle, BEGIN] <= taken:
            low = middle
        else:
            high = middle
    return low


@helper
def gauged(p, s, side, gauge):
    """The value of a gauge of a side."""
    total = p.came[side, gauge]
    for block in range(p.blocks.shape[1] if total > 0 else 0):
        if p.blocks[side, block, MASK] > 0:
            word = s[:PLACES][WORDS * side + p.blocks[side, block, WORD]]
            taken = word >> p.blocks[side, block, SHIFT] & p.blocks[side, block, MASK]
            i = stretch_of(p, side, block, taken)
            hits = taken - p.stretches[side, i, BEGIN]
            if p.stretches[side, i, EACH_PIECE] > 1:
                hits //= p.stretches[side, i, EACH_PIECE]
            total -= p.lost[side, i, gauge] + p.falls[side, i, gauge] * hits
    return total


@helper
def in_scope(p, s, side, scopes, row):
    """Do the presence keys of a shot or help of the side hold (2.7)?"""
    for k in range(IF_OWN, UNLESS_ENEMY + 1):
        gauge = scopes[side, row, k]
        if gauge >= 0:
            whose = side if k % 2 == 0 else 1 - side
            if (gauged(p, s, whose, gauge) > 0) != (k <= IF_ENEMY):
                return False
    return True


@helper
def fires(p, s, side, shot, phase):
    """Does the side fire this step (section 5, step 1)?"""
    if p.in_round[side, shot, phase] == 0 or gauged(p, s, 1 - side, p.shots[side, shot, AIM]) == 0:
        return False
    return in_scope(p, s, side, p.shots, shot)


@helper
def offered(p, s, side, shot, phase, support):
    """The number of pieces that the supporters standing may help in a step."""
    if p.holds[side, support, shot, phase] == 0 or not in_scope(p, s, side, p.helps, support):
        return 0
    whose = 1 - side if p.helps[side, support, HOSTILE] > 0 else side
    return p.helps[side, support, EACH] * gauged(p, s, whose, p.helps[side, support, FROM])


@helper
def of_stack(p, side, support, h):
    """Is a rule this support, or one of its stack?"""
    return (h == support) | (p.helps[side, h, STACK] > 0) & (p.helps[side, h, STACK] == p.helps[side, support, STACK])


@helper
def raised(p, s, side, shot, phase, support, unit):
    """The pieces of a unit that a support helps: the first of them, and the one behind them (2.8).

    Rules of a stack help one after the other, each the pieces that those before it have left. The words of `free`
    that no gauge reads count the pieces that each may still help.
    """
    free = HitsState(*(s[:PLACES] + NOTHING + s[REST:]))
    first = 0 if p.helps[side, support, STACK] > 0 else support
    for h in range(first, support + 1):
        if of_stack(p, side, support, h):
            more = min(offered(p, s, side, shot, phase, h), NUMBER)
            free = added(free, h // IN_WORD, more << NUMBER_BITS * (h % IN_WORD))
    begin, end = 0, 0
    for u in range(unit + 1):
        begin, end = 0, 0
        if p.rolls[side, shot, u, DICE] == 0:
            continue
        for h in range(first, support + 1):
            if p.to[side, h, u] > 0 and of_stack(p, side, support, h):
                left = free[PLACES:REST][h // IN_WORD] >> NUMBER_BITS * (h % IN_WORD) & NUMBER
                begin = end
                end += min(left, gauged(p, s, side, u) - begin)
                free = added(free, h // IN_WORD, begin - end << NUMBER_BITS * (h % IN_WORD))
    return begin, end


@helper
def alike(p, s, side, shot, phase, unit, low):
    """Of a unit's pieces after the first `low`: how far supports are the same, the kind and number of dice."""
    high, value, added_up = gauged(p, s, side, unit), p.rolls[side, shot, unit, VALUE], 0
    dice, reroll = p.rolls[side, shot, unit, DICE], p.rolls[side, shot, unit, REROLL]
    compared = p.rolls[side, shot, unit, COMPARED] > 0
    for h in range(p.helps.shape[1]):
        if p.to[side, h, unit] == 0 or p.holds[side, h, shot, phase] == 0 or not in_scope(p, s, side, p.helps, h):
            continue
        if p.helps[side, h, EACH] > 0:
            begin, end = raised(p, s, side, shot, phase, h, unit)
            if low < begin:
                high = min(high, begin)
            elif low < end:
                high = min(high, end)
            if low < begin or low >= end:
                continue
        if p.helps[side, h, SETS] > 0 and not compared:
            set_to = p.helps[side, h, SETS]
            value = max(value, set_to) if p.at_most > 0 else min(value, set_to)
        added_up += p.helps[side, h, ADDS]
        dice += p.helps[side, h, MORE]
        reroll |= p.helps[side, h, AGAIN]
    value += (added_up if p.at_most > 0 or compared else -added_up) - p.least_value
    value = min(max(value, 0), p.kind.shape[2] - 1)
    return high, p.kind[p.rolls[side, shot, unit, DIE], reroll, value], max(0, dice) * (high - low)


@helper
def best_dice(p, s, side, shot, phase, below):
    """Of the dice of a step of kinds before `below`, the best: their kind and number (section 5, 2 to 4)."""
    kind, dice, better = 0, 0, 0
    limited = p.shots[side, shot, LIMIT_OWN] >= 0 or p.shots[side, shot, LIMIT_ENEMY] >= 0
    for n in range(p.terms.shape[3]):
        gauge, found, low = p.terms[side, shot, phase, n, GAUGE], p.terms[side, shot, phase, n, KIND], 0
        if found == 0 or 0 < found < kind:
            break
        # Better dice only use up a limit. 64 kinds of 1,000, one hit each: 17.5 -> 16 us a battle.
        if found >= below and not limited:
            continue
        changing, there = found < 0, gauged(p, s, side, gauge)
        while low < there:
            if changing:
                low, found, more = alike(p, s, side, shot, phase, gauge, low)
            else:
                low, more = there, there
            if found >= below:
                better += more
            elif more > 0 and (found > kind or dice == 0):
                kind, dice = found, more
            elif found == kind:
                dice += more
    for k in range(LIMIT_OWN, LIMIT_ENEMY + 1):
        if p.shots[side, shot, k] >= 0:
            whose = side if k == LIMIT_OWN else 1 - side
            dice = min(dice, max(0, gauged(p, s, whose, p.shots[side, shot, k]) - better))
    return kind, dice if kind > 0 else 0
