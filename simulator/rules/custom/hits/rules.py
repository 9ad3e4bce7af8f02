"""The battle of a game file on line-ups with too many places for `rules`: a state holds the hits taken by each block.

Who stands, and the dice of each side, are computed from these hits in every state (`hits/dice.py`), so that no array
grows with the number of places. One step rolls equal dice together and draws a binomial number for each hit class that
they may fall into; the best dice come first. Dice that are compared are rolled one by one (`hits/opposed.py`). The
course of the battle (docs/rules/custom_games.md sections 6 and 8) is shared with `rules`.
"""

from __future__ import annotations

from simulator.engine.model.binomial import DRAWS, EVEN, HALF, binomial_drawn
from simulator.engine.model.chain import helper, rule
from simulator.rules.custom.hits.classes import allotted, may_hit, phase_of, tallied
from simulator.rules.custom.hits.dice import best_dice, fires, gauged
from simulator.rules.custom.hits.layout import (
    BEGINS,
    DIE_SIDES,
    EACH_ROUND,
    ENDS,
    ENTRY,
    FACE,
    FACES,
    FIGHTERS,
    HIT,
    LAST_ENTRY,
    LAST_HIT,
    MEAN,
    MOST,
    PAIRS,
    PLACES,
    REST,
    SIDE,
    STAYING,
    TALLIED,
    TALLIES,
    HitsParams,
    HitsState,
)
from simulator.rules.custom.hits.opposed import both_struck, decided, put_down
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

NO_PLACES, NO_TALLIES = (0,) * PLACES, (0,) * TALLIES


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
def stalemate(p, s):
    """Can nobody hit in any coming round (section 6, step 4d)?"""
    for phase in range(min(s.clock + 1, p.phases), p.phases + 1):
        for salvo in range(p.opening, p.salvos):
            if may_hit(p, s, salvo, phase):
                return False
    return True


@helper
def ahead_of(p, s):
    """Mean damage of the attacker in the coming round less the defender's, as units stand; 0 where no policy asks."""
    if p.compares == 0:
        return 0
    phase, total = min(s.clock + 1, p.phases), 0
    for i in range(2 * p.shots.shape[1]):
        side, shot = i % 2, i // 2
        if p.shots[side, shot, EACH_ROUND] > 0 and fires(p, s, side, shot, phase):
            kind, dice = p.kinds.shape[0], 1
            while dice > 0:
                kind, dice = best_dice(p, s, side, shot, phase, kind)
                total += (1 - 2 * side) * p.kinds[kind, MEAN] * dice
    return total


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
    following = s[:PLACES] if p.salvo[salvo, BEGINS] > 0 else s[PLACES:TALLIED]
    s = HitsState(*(s[:PLACES] + following + NO_TALLIES + s[REST:]))
    first = 0 if p.salvo[salvo, PAIRS] > 0 else p.salvo[salvo, HIT]
    return s._replace(
        salvo=salvo, entry=p.salvo[salvo, ENTRY], kind=p.kinds.shape[0], hit=first, dice=0, chance=0, rest=p.whole
    )


@helper
def ended(s, ending):
    """The battle is over."""
    s = HitsState(*(s[:PLACES] + NO_PLACES + NO_TALLIES + s[REST:]))
    return s._replace(salvo=0, entry=0, kind=0, hit=0, dice=0, chance=0, rest=0, ending=ending)


@helper
def checked(p, before):
    """The check after the opening and after every round (section 6, step 4)."""
    s = removed(p, before)
    ending = ending_of(p, s)
    return begun(p, s, p.opening) if ending == FIGHTING else ended(s, ending)


@helper
def salvo_ended(p, s):
    """All dice of a salvo have fallen; at the end of a group all losses come off (section 5, steps 7 and 8)."""
    if p.salvo[s.salvo, PAIRS] > 0:
        mine, theirs = decided(p, s)
        if mine < 0:
            return begun(p, s, s.salvo)
        s = both_struck(p, s, mine, theirs)
    else:
        s = allotted(p, s)
    if p.salvo[s.salvo, ENDS] == 0:
        return begun(p, s, s.salvo + 1)
    s = HitsState(*(s[PLACES:TALLIED] + s[PLACES:]))
    s = salvo_over(p, s)
    return checked(p, s) if s.salvo == p.salvos else begun(p, s, s.salvo)


@helper
def due(p, s):
    """The next dice of the salvo under way: the entry, their kind and number (0 where all were rolled)."""
    phase, first, last = phase_of(p, s, s.salvo), p.salvo[s.salvo, ENTRY], p.salvo[s.salvo, LAST_ENTRY]
    for i in range(s.entry, last):
        side = i - first if p.salvo[s.salvo, PAIRS] > 0 else p.salvo[s.salvo, SIDE]
        if fires(p, s, side, p.entry[i], phase):
            below = s.kind if i == s.entry else p.kinds.shape[0]
            kind, dice = best_dice(p, s, side, p.entry[i], phase, below)
            if p.salvo[s.salvo, PAIRS] > 0:
                dice = min(dice, p.salvo[s.salvo, MOST + side] - (s.hit if i == s.entry else 0))
            if dice > 0:
                return i, kind, dice
    return last, 0, 0


@helper
def falling(p, s):
    """On to the class into which some of the dice under way may fall; without dice where they fall into no more."""
    while s.dice > 0 and s.hit < p.salvo[s.salvo, LAST_HIT]:
        chance = p.kinds[s.kind, FACES + p.hits[s.hit, FACE]]
        if 0 < chance < s.rest:
            return s._replace(chance=chance)
        if chance > 0:
            s = tallied(p, s, s.hit, s.dice)._replace(dice=0)
        s = s._replace(hit=s.hit + 1)
    return s._replace(dice=0)


@helper
def fraction(p, s, mean):
    """Low luck: a class scores its mean, and the fraction is rolled (section 10); then the next class is due."""
    s = tallied(p, s, s.hit, mean // p.whole)
    if mean % p.whole > 0:
        return s._replace(dice=1, chance=mean % p.whole)
    return again(p, s)


@helper
def again(p, s):
    """The next class of the salvo is due; its dice are counted from the first entry on."""
    return s._replace(entry=p.salvo[s.salvo, ENTRY], kind=p.kinds.shape[0], hit=s.hit + 1, dice=0)


@helper
def onward(p, s):
    """On to the next dice that may hit or miss, or to the end."""
    mean = 0
    while s.ending == FIGHTING:
        pairs, low_luck = p.salvo[s.salvo, PAIRS] > 0, p.low_luck > 0
        if not pairs and not low_luck:
            s = falling(p, s)
        if s.dice > 0:
            return s
        entry, kind, dice = due(p, s)
        if low_luck and not pairs and s.hit < p.salvo[s.salvo, LAST_HIT]:
            mean += p.kinds[kind, FACES + p.hits[s.hit, FACE]] * dice
            s = s._replace(entry=entry, kind=kind)
            if dice == 0:
                s, mean = fraction(p, s, mean), 0
        elif dice == 0 or (low_luck and not pairs):
            s = salvo_ended(p, s)
        elif pairs:
            s = s._replace(hit=s.hit if entry == s.entry else 0, rest=p.kinds[kind, DIE_SIDES])
            s = s._replace(entry=entry, kind=kind, dice=dice)
        else:
            s = s._replace(entry=entry, kind=kind, dice=dice, hit=p.salvo[s.salvo, HIT], rest=p.whole)
    return s


@helper
def scored(p, s, number):
    """On from a roll of dice of which so many fell into a class, or of a die that is compared and shows this face."""
    if p.salvo[s.salvo, PAIRS] > 0:
        s = put_down(p, s, number)
    elif p.low_luck > 0:
        s = again(p, tallied(p, s, s.hit, number))
    else:
        s = tallied(p, s, s.hit, number)
        s = s._replace(dice=s.dice - number, rest=s.rest - s.chance, hit=s.hit + 1)
    return onward(p, s)


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


@helper
def rolled(p, s, draw):
    """The dice of a roll that fall into the class, or the face of a die that is compared, by a number below DRAWS."""
    if p.salvo[s.salvo, PAIRS] > 0:
        return draw * s.rest // DRAWS
    return binomial_drawn(s.dice, s.chance, s.rest, draw)


@rule(HitsParams)
def step(p, s, result, other):
    """One roll, and what follows without dice."""
    return scored(p, s, rolled(p, s, result * HALF + other))


def opened(p: HitsParams, s: HitsState) -> HitsState:
    """The state in which the first dice are rolled (section 6, steps 1 to 3)."""
    s = removed(p, s)
    if not (units_of(p, s, 0) and units_of(p, s, 1)):
        return ended(s, GONE)
    return onward(p, begun(p, s, 0) if p.opening else checked(p, s))
