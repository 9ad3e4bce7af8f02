"""The battle of a game file whose line-ups are too large to work out beforehand what each of their places rolls.

The same battle as in `rules` (docs/rules/custom_games.md sections 5, 6 and 8). One roll is what all dice of a step that
hit alike score together (`large_hits`); the best dice come first.
"""

from __future__ import annotations

from simulator.engine.model.chain import helper, rule
from simulator.rules.custom.large_dice import (
    BLOCK,
    EACH_ROUND,
    END,
    ENTRY,
    FIGHTERS,
    LAST_ENTRY,
    LEAVE_AFTER,
    LEAVE_AT,
    MASK,
    OUTNUMBERED,
    OUTPOWERED,
    SHIFT,
    SIDE,
    STAYING,
    WORD,
    WORDS,
    Large,
    LargeState,
    best_dice,
    fires,
    gauged,
)
from simulator.rules.custom.large_hits import hits_drawn
from simulator.rules.custom.rules import ATTACKER_LEFT, DEFENDER_LEFT, FIGHTING, GONE, OVER, STALEMATE

# Halves of the number that a roll draws; the chance table that gives one, all equally likely.
HALF, EVEN = 1 << 16, 1


@helper
def struck(p, s, side, turn, hits):
    """Where a side will be after the hits of a turn's class, each on the first point it may take (section 5, 7)."""
    for i in range(p.line.shape[1]):
        block = p.line[side, i, BLOCK]
        if hits > 0 and p.takes[turn, block] > 0:
            word, shift = WORDS * side + p.blocks[side, block, WORD], p.blocks[side, block, SHIFT]
            taken = s[2 * WORDS + word] >> shift & p.blocks[side, block, MASK]
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
def units_of(p, s, side, which):
    """How many units fight, all of them or those that stay when left alone."""
    return gauged(p, s, side, p.rolls.shape[2] + which)


@helper
def removed(p, s):
    """A side with nothing but units that are removed alone loses them, unless both have or the enemy is gone."""
    mine, theirs = units_of(p, s, 0, STAYING), units_of(p, s, 1, STAYING)
    if mine == 0 and theirs > 0 and units_of(p, s, 0, FIGHTERS) > 0:
        return s._replace(a0=p.gone[0], a1=0, a2=0, a3=0)
    if theirs == 0 and mine > 0 and units_of(p, s, 1, FIGHTERS) > 0:
        return s._replace(d0=p.gone[1], d1=0, d2=0, d3=0)
    return s


@helper
def power(p, s, side, phase):
    """Mean hits of a side in a round of the units that stand now, as so many of Large.whole (section 8).

    Some of them are enough where nobody compares.
    """
    total = 0
    for shot in range(p.shots.shape[1]):
        if p.shots[side, shot, EACH_ROUND] > 0 and fires(p, s, side, shot, phase):
            below, dice = p.whole + 1, 1
            while dice > 0:
                below, dice = best_dice(p, s, side, shot, phase, below)
                total += below * dice
                if total > 0 and p.compares == 0:
                    return total
    return total


@helper
def power_of_both(p, s, phase):
    """That of the attacker and of the defender."""
    mine, theirs = 0, 0
    for side in range(2):
        if side == 0 or mine == 0 or p.compares > 0:
            found = power(p, s, side, phase)
            mine, theirs = (found, 0) if side == 0 else (mine, found)
    return mine, theirs


@helper
def leaves(policy, clock, own, enemies, less_power):
    """Does a side with so many units leave (section 8)?"""
    if (policy[LEAVE_AFTER] >= 0) & (clock >= policy[LEAVE_AFTER]):
        return True
    if own <= policy[LEAVE_AT]:
        return True
    return ((policy[OUTNUMBERED] > 0) & (own < enemies)) | ((policy[OUTPOWERED] > 0) & less_power)


@helper
def ending_of(p, s):
    """How the battle is over after the opening or a round, FIGHTING if it is not (section 6, steps 4b to 4e)."""
    mine, theirs = units_of(p, s, 0, FIGHTERS), units_of(p, s, 1, FIGHTERS)
    if (mine == 0) | (theirs == 0):
        return GONE
    if (p.round_limit > 0) & (s.clock >= p.round_limit):
        return OVER
    coming = min(s.clock + 1, p.phases)
    gains, able, phase = 0, False, coming
    while phase <= p.phases and not able:
        own, enemy = power_of_both(p, s, phase)
        gains = own - enemy if phase == coming else gains
        able = own + enemy > 0
        phase += 1
    if not able:
        return STALEMATE
    if (p.retreats > 0) & (s.clock >= p.retreat_after):
        if leaves(p.policies[0], s.clock, mine, theirs, gains < 0):
            return ATTACKER_LEFT
        if leaves(p.policies[1], s.clock, theirs, mine, gains > 0):
            return DEFENDER_LEFT
    return FIGHTING


@helper
def group_begun(p, s, salvo):
    """At the beginning of a group, nothing rolled yet."""
    turn = p.turn_at[salvo]
    return s._replace(
        next_a0=s.a0,
        next_a1=s.a1,
        next_a2=s.a2,
        next_a3=s.a3,
        next_d0=s.d0,
        next_d1=s.d1,
        next_d2=s.d2,
        next_d3=s.d3,
        salvo=salvo,
        turn=turn,
        entry=p.turns[turn, ENTRY],
        chance=p.whole + 1,
    )


@helper
def ended(s, ending):
    """The battle is over."""
    return s._replace(
        next_a0=0,
        next_a1=0,
        next_a2=0,
        next_a3=0,
        next_d0=0,
        next_d1=0,
        next_d2=0,
        next_d3=0,
        salvo=0,
        turn=0,
        entry=0,
        chance=0,
        dice=0,
        hits=0,
        ending=ending,
    )


@helper
def checked(p, before):
    """The check after the opening and after every round (section 6, step 4)."""
    s = removed(p, before)
    ending = ending_of(p, s)
    if ending == FIGHTING:
        return group_begun(p, s, p.opening)
    return ended(s, ending)


@helper
def group_over(p, s):
    """Losses of a group come off; then the next group, or the check."""
    clock, rounds, following = s.clock, s.rounds, s.salvo + 1
    s = s._replace(
        a0=s.next_a0,
        a1=s.next_a1,
        a2=s.next_a2,
        a3=s.next_a3,
        d0=s.next_d0,
        d1=s.next_d1,
        d2=s.next_d2,
        d3=s.next_d3,
    )
    if following not in (p.opening, p.groups):
        return group_begun(p, s, following)
    if following == p.groups and p.opening < p.groups:
        clock = min(s.clock + 1, p.clock)
        rounds = s.rounds + s.clock + 1 - clock
    return checked(p, s._replace(clock=clock, rounds=rounds))


@helper
def class_over(p, s):
    """The hits of a class are allotted; the next class begins."""
    if s.hits > 0:
        s = struck(p, s, 1 - p.turns[s.turn, SIDE], s.turn, s.hits)
    return s._replace(turn=s.turn + 1, entry=p.turns[s.turn + 1, ENTRY], chance=p.whole + 1, hits=0)


@helper
def due(p, s):
    """The next dice of the class under way: the entry, their chance and number (0 where all were rolled)."""
    phase = 0 if s.salvo < p.opening else min(s.clock + 1, p.phases)
    side, last, led = p.turns[s.turn, SIDE], p.turns[s.turn, LAST_ENTRY], False
    for i in range(p.turns[s.turn, ENTRY], last if s.entry < last else 0):
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
    """On to the next dice that may hit or miss, or to the end."""
    while s.ending == FIGHTING:
        if s.turn == p.turn_at[s.salvo + 1]:
            s = group_over(p, s)
            continue
        last = p.turns[s.turn, LAST_ENTRY]
        entry, chance, dice = due(p, s)
        if dice > 0:
            if p.low_luck == 0 and chance < p.whole:
                return s._replace(entry=entry, chance=chance, dice=dice)
            s = s._replace(entry=entry, chance=chance, hits=s.hits + (dice * chance if p.low_luck > 0 else dice))
        elif p.low_luck > 0 and s.entry < last and s.hits % p.whole > 0:
            return s._replace(entry=last, chance=s.hits % p.whole, dice=1, hits=s.hits // p.whole)
        else:
            if p.low_luck > 0 and s.entry < last:
                s = s._replace(hits=s.hits // p.whole)
            s = class_over(p, s)
    return s


@helper
def scored(p, s, hits):
    """On from a roll that scored these hits."""
    return onward(p, s._replace(hits=s.hits + hits, dice=0))


@rule(Large)
def running(p, s):
    """Until somebody is gone, the rounds are over, nobody can hit, or a side leaves."""
    return s.ending == FIGHTING


@rule(Large)
def table(p, s):
    """Half of the number that decides how many dice hit."""
    return EVEN


@rule(Large)
def second(p, s):
    """The other half."""
    return EVEN


@rule(Large)
def step(p, s, result, other):
    """One roll, and what follows without dice."""
    return scored(p, s, hits_drawn(s.dice, s.chance, p.whole, result * HALF + other))


def opened(p: Large, s: LargeState) -> LargeState:
    """The state in which the first dice are rolled (section 6, steps 1 to 3)."""
    s = removed(p, s)
    if not (units_of(p, s, 0, FIGHTERS) and units_of(p, s, 1, FIGHTERS)):
        return ended(s, GONE)
    return onward(p, group_begun(p, s, 0)) if p.opening else onward(p, checked(p, s))
