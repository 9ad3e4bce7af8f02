"""Dice that are compared, rolled one by one (docs/rules/custom_games.md sections 2.6 and 5)."""

from __future__ import annotations

from simulator.engine.model.chain import helper
from simulator.rules.custom.hits.classes import struck
from simulator.rules.custom.hits.dice import IN_WORD, NUMBER, NUMBER_BITS, added
from simulator.rules.custom.hits.layout import BONUS, ENTRY, HIT, PAIRS, REST, TALLIED, TALLIES, TIES, WORDS

# The sides that hit when both dice are equal, as bits. AGAIN: both sides roll all dice again.
ATTACKERS, DEFENDERS, AGAIN = 1, 2, 4


@helper
def put_down(p, s, face):
    """A die that was rolled, among those of its side, highest first; faces are counted from 0."""
    first = (s.entry - p.salvo[s.salvo, ENTRY]) * (TALLIES // 2)
    value = face + p.kinds[s.kind, BONUS]
    for word in range(TALLIES // 2):
        before, after = s[TALLIED:REST][first + word], 0
        for k in range(IN_WORD):
            other = before >> NUMBER_BITS * k & NUMBER
            after |= max(value, other) << NUMBER_BITS * k
            value = min(value, other)
        s = added(s, 2 * WORDS + first + word, after - before)
    return s._replace(dice=s.dice - 1, hit=s.hit + 1)


@helper
def value_of(s, side, place):
    """The value of the die of a side in this place, the highest one first; 0 without one."""
    return s[TALLIED:REST][side * (TALLIES // 2) + place // IN_WORD] >> NUMBER_BITS * (place % IN_WORD) & NUMBER


@helper
def decided(p, s):
    """The hits of both sides after their dice were rolled; -1 for the attacker's where everything is rolled again."""
    mine, theirs, ties = 0, 0, p.salvo[s.salvo, TIES]
    for place in range(p.salvo[s.salvo, PAIRS]):
        own, enemy = value_of(s, 0, place), value_of(s, 1, place)
        if own == 0 or enemy == 0:
            break
        if own == enemy and ties == AGAIN:
            return -1, 0
        mine += int((own > enemy) | (own == enemy) & (ties & ATTACKERS > 0))
        theirs += int((own < enemy) | (own == enemy) & (ties & DEFENDERS > 0))
    return mine, theirs


@helper
def both_struck(p, s, mine, theirs):
    """The places of both sides after these hits."""
    return struck(p, struck(p, s, 1, p.salvo[s.salvo, HIT], mine), 0, p.salvo[s.salvo, HIT] + 1, theirs)
