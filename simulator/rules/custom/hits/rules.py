"""The battle of a game file on line-ups with too many places for `rules`: a state holds the hits taken by each block.

Who stands, and the dice of each side, are computed from these hits in every state (`hits_dice`), so that no array grows
with the number of places. One step rolls equal dice together and draws a binomial number; the best dice come first.
The course of the battle (docs/rules/custom_games.md sections 6 and 8) is shared with `rules`.
"""

from __future__ import annotations

from simulator.engine.model.binomial import EVEN, HALF, binomial_drawn
from simulator.engine.model.chain import helper, rule
from simulator.rules.custom.hits.dice import (
    BEGINS,
    BLOCK,
    EACH_ROUND,
    END,
    ENDS,
    ENTRY,
    FIGHTERS,
    LAST_ENTRY,
    MASK,
    SHIFT,
    SIDE,
    STAYING,
    WORD,
    WORDS,
    HitsParams,
    HitsState,
    best_dice,
    fires,
    gauged,
)
from simulator.rules.custom.rules import (
    ATTACKER_LEFT,
    DEFENDER_LEFT,
    FIGHTING,
    GONE,
    STALEMATE,
    finished,
    removes,
    salvo_over,
)
from simulator.rules.toolkit.retreat import leaves

# Fields of a state: the places of both sides, those that follow when the group is over, the rest from here on.
PLACES, REST = 2 * WORDS, 4 * WORDS
NO_PLACES = (0,) * PLACES
# More mean hits than there can be.
ALL = 1 << 62


@helper
def struck(p, s, side, salvo, hits):
    """The place of a side after the hits of a class, each on the first point it may take (section 5, step 7)."""
    for i in range(p.line.shape[1]):
        block = p.line[side, i, BLOCK]
        if hits > 0 and p.takes[salvo, block] > 0:
            word, shift = WORDS * side + p.blocks[side, block, WORD], p.blocks[side, block, SHIFT]
            taken = s[PLACES + word] >> shift & p.blocks[side, block, MASK]
            more = min(hits, max(0, p.line[side, i, END] - taken))
            bits = more << shift
            s = s._replace(
                next_a0=s.next_a0 + (bits if word == 0 else 0),
                next_a1=s.next_a1 + (bits if word == 1 else 0),
                next_a2=s.next_a2 + (bits if word == 2 else 0),
                next_a3=s.next_a3 + (bits if word == 3 else 0),
                next_d0=s.next_d0 + (bits if word == 4 else 0),
                next_d1=s.next_d1 + (bits if word == 5 else 0),
                next_d2=s.next_d2 + (bits if word == 6 else 0),
                next_d3=s.next_d3 + (bits if word == 7 else 0),
            )
            hits -= more
    return s


@helper
def units_of(p, s, side):
    """The number of units of a side that fight."""
    return gauged(p, s, side, p.rolls.shape[2] + FIGHTERS + side)


@helper
def alone(p, s, side):
    """Are only units left to a side that are removed then?"""
    return units_of(p, s, side) > 0 and gauged(p, s, side, p.rolls.shape[2] + STAYING + side) == 0


@helper
def removed(p, s):
    """A side with nothing but units that are removed alone loses them, unless both have or the enemy is gone."""
    attackers, defenders = alone(p, s, 0), alone(p, s, 1)
    if removes(attackers, defenders, units_of(p, s, 1)):
        return s._replace(a0=p.gone[0, 0], a1=p.gone[0, 1], a2=p.gone[0, 2], a3=p.gone[0, 3])
    if removes(defenders, attackers, units_of(p, s, 0)):
        return s._replace(d0=p.gone[1, 0], d1=p.gone[1, 1], d2=p.gone[1, 2], d3=p.gone[1, 3])
    return s


@helper
def power(p, s, side, phase, enough):
    """Mean hits of a side in a round of the units that stand now, in parts of the whole, counted up to `enough`."""
    total = 0
    for shot in range(p.shots.shape[1]):
        if p.shots[side, shot, EACH_ROUND] > 0 and fires(p, s, side, shot, phase):
            below, dice = p.whole + 1, 1
            while dice > 0 and total < enough:
                below, dice = best_dice(p, s, side, shot, phase, below)
                total += below * dice
    return total


@helper
def stalemate(p, s):
    """Can nobody hit in any coming round (section 6, step 4d)?"""
    for phase in range(min(s.clock + 1, p.phases), p.phases + 1):
        for side in range(2):
            if power(p, s, side, phase, 1) > 0:
                return False
    return True


@helper
def ahead_of(p, s):
    """Mean hits of the attacker in the coming round less the defender's; 0 where no policy asks."""
    if p.compares == 0:
        return 0
    phase = min(s.clock + 1, p.phases)
    return power(p, s, 0, phase, ALL) - power(p, s, 1, phase, ALL)


@helper
def ending_of(p, s):
    """The ending of the battle after the opening or a round, FIGHTING for none (section 6, steps 4b to 4e)."""
    attackers, defenders = units_of(p, s, 0), units_of(p, s, 1)
    ending = finished(p, s, attackers, defenders)
    if ending != FIGHTING:
        return ending
    if stalemate(p, s):
        return STALEMATE
    if p.retreats > 0 and s.clock >= p.retreat_after:
        ahead = ahead_of(p, s)
        if leaves(p.attacker_leave, attackers, s.clock, attackers, defenders) | (p.outpowered[0] * ahead < 0):
            return ATTACKER_LEFT
        if leaves(p.defender_leave, defenders, s.clock, defenders, attackers) | (p.outpowered[1] * ahead > 0):
            return DEFENDER_LEFT
    return FIGHTING


@helper
def begun(p, s, salvo):
    """At the beginning of a salvo, nothing rolled yet; the first one of a group begins where both sides are."""
    if p.salvo[salvo, BEGINS] > 0:
        s = HitsState(*(s[:PLACES] + s[:PLACES] + s[REST:]))
    return s._replace(salvo=salvo, entry=p.salvo[salvo, ENTRY], chance=p.whole + 1, hits=0)


@helper
def ended(s, ending):
    """The battle is over."""
    s = HitsState(*(s[:PLACES] + NO_PLACES + s[REST:]))
    return s._replace(salvo=0, entry=0, chance=0, dice=0, hits=0, ending=ending)


@helper
def checked(p, before):
    """The check after the opening and after every round (section 6, step 4)."""
    s = removed(p, before)
    ending = ending_of(p, s)
    return begun(p, s, p.opening) if ending == FIGHTING else ended(s, ending)


@helper
def class_over(p, s):
    """The hits of a class are allotted; after the last class of a group all losses come off (section 5, step 8)."""
    if s.hits > 0:
        s = struck(p, s, 1 - p.salvo[s.salvo, SIDE], s.salvo, s.hits)
    if p.salvo[s.salvo, ENDS] == 0:
        return begun(p, s, s.salvo + 1)
    s = HitsState(*(s[PLACES:REST] + s[PLACES:]))
    s = salvo_over(p, s)
    return checked(p, s) if s.salvo == p.salvos else begun(p, s, s.salvo)


@helper
def due(p, s):
    """The next dice of the class under way: the entry, their chance and number (0 where all were rolled)."""
    phase = 0 if s.salvo < p.opening else min(s.clock + 1, p.phases)
    side, last, led = p.salvo[s.salvo, SIDE], p.salvo[s.salvo, LAST_ENTRY], False
    for i in range(p.salvo[s.salvo, ENTRY], last if s.entry < last else 0):
        shot = p.entry[i]
        if not fires(p, s, side, shot, phase):
            continue
        if not led and p.leads[i] == 0:
            break
        led = True
        if i >= s.entry:
            chance, dice = best_dice(p, s, side, shot, phase, s.chance if i == s.entry else p.whole + 1)
            if dice > 0:
                return i, chance, dice
    return last, 0, 0


@helper
def onward(p, s):
    """On to the next dice that may hit or miss, or to the end. Low luck adds means, and rolls the fraction last."""
    while s.ending == FIGHTING:
        entry, chance, dice = due(p, s)
        if dice > 0 and p.low_luck == 0 and chance < p.whole:
            return s._replace(entry=entry, chance=chance, dice=dice)
        if dice > 0:
            s = s._replace(entry=entry, chance=chance, hits=s.hits + (dice * chance if p.low_luck > 0 else dice))
        elif p.low_luck > 0 and s.entry < entry:
            s = s._replace(entry=entry, chance=s.hits % p.whole, dice=1, hits=s.hits // p.whole)
            if s.chance > 0:
                return s
        else:
            s = class_over(p, s)
    return s


@helper
def scored(p, s, hits):
    """On from a roll that scored these hits."""
    return onward(p, s._replace(hits=s.hits + hits, dice=0))


@rule(HitsParams)
def running(p, s):
    """Until somebody is gone, the rounds are over, nobody can hit, or a side leaves."""
    return s.ending == FIGHTING


@rule(HitsParams)
def table(p, s):
    """Half of the number that decides how many dice hit."""
    return EVEN


@rule(HitsParams)
def second(p, s):
    """The other half."""
    return EVEN


@rule(HitsParams)
def step(p, s, result, other):
    """One roll, and what follows without dice."""
    return scored(p, s, binomial_drawn(s.dice, s.chance, p.whole, result * HALF + other))


def opened(p: HitsParams, s: HitsState) -> HitsState:
    """The state in which the first dice are rolled (section 6, steps 1 to 3)."""
    s = removed(p, s)
    if not (units_of(p, s, 0) and units_of(p, s, 1)):
        return ended(s, GONE)
    return onward(p, begun(p, s, 0) if p.opening else checked(p, s))
