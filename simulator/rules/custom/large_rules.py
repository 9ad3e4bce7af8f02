"""The battle of a game file whose line-ups are too large to work out beforehand what each of their places rolls.

The same battle as in `rules` (docs/rules/custom_games.md sections 5, 6 and 8), reckoned unit by unit from the hits that
each block of a loss line has taken. One roll is what all dice of a step that hit alike score together
(`toolkit.binomial`); the best dice come first. Arrays are made in `large`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper, rule
from simulator.rules.custom.rules import ATTACKER_LEFT, DEFENDER_LEFT, FIGHTING, GONE, OVER, STALEMATE
from simulator.rules.toolkit.binomial import hits_drawn

# Columns of the arrays of `Large`.
BLOCK, END = range(2)
BEGIN, EACH_PIECE = range(2)
WORD, SHIFT, MASK, FIRST, LAST = range(5)
LEAVE_AFTER, LEAVE_AT, OUTNUMBERED, OUTPOWERED = range(4)
IF_OWN, IF_ENEMY, UNLESS_OWN, UNLESS_ENEMY, AIM, LIMIT_OWN, LIMIT_ENEMY, EACH_ROUND = range(8)
SETS, ADDS, MORE, AGAIN, EACH, FROM = range(4, 10)
VALUE, DICE, REROLL, FIRES = range(4)
CHANCE, GAUGE = range(2)
SIDE, ENTRY, LAST_ENTRY = range(3)
# Gauges of a side after those of its units: all that fight, and those that stay when left alone.
FIGHTERS, STAYING = range(2)
# Words of a place.
WORDS = 4
# Halves of the number that a roll draws; the chance table that gives one, all equally likely.
HALF, EVEN = 1 << 16, 1


class Large(NamedTuple):
    """A battle. Arrays by side first, then by unit (file order), block, shot (step) or help (support, modifier).

    - `line[side, n]`: the loss line in stretches of one unit: BLOCK, and how many points of the block are taken at its
      END. `stretches[side, n]`, block by block: points of the block before it (BEGIN), points of EACH_PIECE.
      `blocks[side, block]`: its stretches FIRST up to LAST; hits on it are the bits MASK of WORD, from SHIFT.
      `gone[side]`: the bit of the first word that says that everybody is lost.
    - A *gauge* counts what stands there, so much for each piece: `base[side, gauge]` for those that cannot be hit,
      `before[side, stretch, gauge]` for what a block has at the beginning of a stretch, `falls[side, stretch, gauge]`
      less for each piece lost since; `rest[side, gauge]` when everybody is lost. The first ones are of one unit each.
    - `policies[side]`: as in `rules.Army`.
    - `shots[side, shot]`: gauges (-1 for none) of presence keys, targets, limits; EACH_ROUND. `in_round[side, shot,
      phase]`; `plain[side, plain_at[side, shot, phase]]` and on: CHANCE and GAUGE of dice that nothing on the table
      changes, best first, up to the next one's. `rolls[side, shot, unit]`: VALUE (0: no roll), DICE, REROLL, and FIRES
      where its other dice are.
    - `helps[side, help]`: gauges of presence keys, what it SETS (0: nothing) and ADDS, MORE dice, AGAIN (reroll),
      EACH (0: no support) and the gauge FROM; `to[side, help, unit]`; `holds[side, help, shot, phase]`.
    - `chance[reroll, value]`: of one die, as so many of `whole`; `at_most` 1 where larger values are better.
    - `turns[turn]`: a hit class in a group: the SIDE that fires, its shots from ENTRY up to LAST_ENTRY of `entry`;
      `leads[entry]` 1 where the class is rolled in this turn if that shot is the first to fire; `takes[turn, block]`
      of the enemy. Group g has the turns `turn_at[g]` up to `turn_at[g + 1]`.
    - `opening`, `groups`: groups before the battle, and all. `phases`, `clock`, `round_limit`, `retreat_after`,
      `retreats`: as in `rules.Params`; `compares` 1 where mean hits are compared. `low_luck`: section 10.
    """

    line: np.ndarray
    stretches: np.ndarray
    blocks: np.ndarray
    gone: np.ndarray
    base: np.ndarray
    before: np.ndarray
    falls: np.ndarray
    rest: np.ndarray
    policies: np.ndarray
    shots: np.ndarray
    in_round: np.ndarray
    plain: np.ndarray
    plain_at: np.ndarray
    rolls: np.ndarray
    helps: np.ndarray
    to: np.ndarray
    holds: np.ndarray
    chance: np.ndarray
    turns: np.ndarray
    entry: np.ndarray
    leads: np.ndarray
    takes: np.ndarray
    turn_at: np.ndarray
    whole: int
    at_most: int
    opening: int
    groups: int
    phases: int
    clock: int
    round_limit: int
    retreat_after: int
    retreats: int
    compares: int
    low_luck: int


class LargeState(NamedTuple):
    """Places of both sides, and where they will be when the group is over; what is rolled now.

    `salvo` is the group; `dice` of shot `entry` hit with `chance` each; `hits` has the class so far (low luck: their
    mean, until its fraction is rolled). `clock` counts rounds up to Large.clock, `rounds` those beyond.
    """

    a0: int
    a1: int
    a2: int
    a3: int
    d0: int
    d1: int
    d2: int
    d3: int
    next_a0: int
    next_a1: int
    next_a2: int
    next_a3: int
    next_d0: int
    next_d1: int
    next_d2: int
    next_d3: int
    salvo: int
    turn: int
    entry: int
    chance: int
    dice: int
    hits: int
    clock: int
    ending: int
    rounds: int


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
    """What a gauge of a side shows."""
    if s[WORDS * side] >= p.gone[side]:
        return p.rest[side, gauge]
    total = p.base[side, gauge]
    for block in range(p.blocks.shape[1]):
        if p.blocks[side, block, MASK] > 0:
            word = s[WORDS * side + p.blocks[side, block, WORD]]
            taken = word >> p.blocks[side, block, SHIFT] & p.blocks[side, block, MASK]
            i = stretch_of(p, side, block, taken)
            lost = taken - p.stretches[side, i, BEGIN]
            if p.stretches[side, i, EACH_PIECE] > 1:
                lost //= p.stretches[side, i, EACH_PIECE]
            total += p.before[side, i, gauge] - p.falls[side, i, gauge] * lost
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
def raised(p, s, side, shot, support, unit):
    """How many of a unit a support raises: the first ones that have the roll (2.8)."""
    free = p.helps[side, support, EACH] * gauged(p, s, side, p.helps[side, support, FROM])
    for before in range(unit):
        if p.to[side, support, before] > 0 and p.rolls[side, shot, before, VALUE] > 0 and free > 0:
            free -= gauged(p, s, side, before)
    return max(free, 0)


@helper
def alike(p, s, side, shot, phase, unit, low):
    """Of a unit's pieces beyond the first `low`: up to where they are helped alike, the chance and number of dice."""
    high, value, added = gauged(p, s, side, unit), p.rolls[side, shot, unit, VALUE], 0
    dice, reroll = p.rolls[side, shot, unit, DICE], p.rolls[side, shot, unit, REROLL]
    for h in range(p.helps.shape[1]):
        if p.to[side, h, unit] == 0 or p.holds[side, h, shot, phase] == 0 or not in_scope(p, s, side, p.helps, h):
            continue
        if p.helps[side, h, EACH] > 0:
            up_to = raised(p, s, side, shot, h, unit)
            if up_to <= low:
                continue
            high = min(high, up_to)
        if p.helps[side, h, SETS] > 0:
            set_to = p.helps[side, h, SETS]
            value = max(value, set_to) if p.at_most > 0 else min(value, set_to)
        added += p.helps[side, h, ADDS]
        dice += p.helps[side, h, MORE]
        reroll |= p.helps[side, h, AGAIN]
    value += added if p.at_most > 0 else -added
    value = min(max(value, 0), p.chance.shape[1] - 1)
    return high, p.chance[reroll, value], max(0, dice) * (high - low)


@helper
def best_dice(p, s, side, shot, phase, below):
    """Of the dice of a step that hit with less than `below`, the best: their chance and number (section 5, 2 to 4)."""
    chance, dice, better = 0, 0, 0
    limited = p.shots[side, shot, LIMIT_OWN] >= 0 or p.shots[side, shot, LIMIT_ENEMY] >= 0
    for n in range(p.plain_at[side, shot, phase], p.plain_at[side, shot, phase + 1]):
        if dice == 0 and (limited or p.plain[side, n, CHANCE] < below):
            number = gauged(p, s, side, p.plain[side, n, GAUGE])
            if p.plain[side, n, CHANCE] >= below:
                better += number
            else:
                chance, dice = p.plain[side, n, CHANCE], number
    for unit in range(p.rolls.shape[2]):
        standing, low = 0, 0
        if p.rolls[side, shot, unit, FIRES] > 0:
            standing = gauged(p, s, side, unit)
        while low < standing:
            low, found, number = alike(p, s, side, shot, phase, unit, low)
            if found >= below:
                better += number
            elif number > 0 and (found > chance or dice == 0):
                chance, dice = found, number
            elif found == chance:
                dice += number
    for k in range(LIMIT_OWN, LIMIT_ENEMY + 1):
        if p.shots[side, shot, k] >= 0:
            whose = side if k == LIMIT_OWN else 1 - side
            dice = min(dice, max(0, gauged(p, s, whose, p.shots[side, shot, k]) - better))
    return chance, dice if chance > 0 else 0


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
