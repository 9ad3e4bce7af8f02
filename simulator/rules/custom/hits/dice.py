"""The units that stand and their dice, computed from the hits that each block of a loss line has taken.

Part of `hits_rules`; docs/rules/custom_games.md sections 2.7, 2.8, 4 and 5. `hits_params` makes the arrays.
"""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import helper
from simulator.rules.toolkit.retreat import Leave

# Columns of the arrays of `HitsParams`.
BLOCK, END = range(2)
BEGIN, EACH_PIECE = range(2)
WORD, SHIFT, MASK, FIRST, LAST = range(5)
IF_OWN, IF_ENEMY, UNLESS_OWN, UNLESS_ENEMY, AIM, LIMIT_OWN, LIMIT_ENEMY, EACH_ROUND = range(8)
SETS, ADDS, MORE, AGAIN, EACH, FROM, HOSTILE, STACK = range(4, 12)
VALUE, DICE, REROLL, DIE = range(4)
GAUGE, CHANCE = range(2)
SIDE, ENTRY, LAST_ENTRY, BEGINS, ENDS = range(5)
# Gauges after those of single units: those that fight on each side, then those that stay when left alone.
FIGHTERS, STAYING = 0, 2
# No gauge.
NEVER = -1
# The hits on a side lie in so many words.
WORDS = 4


class HitsParams(NamedTuple):
    """A battle. Arrays by side first, then by unit (file order), block, shot (step) or help (support, modifier).

    - `line[side, n]`: the loss line in stretches of one unit: BLOCK, and the points of the block up to its END.
      `stretches[side, n]`, block by block: points of the block before it (BEGIN), points of EACH_PIECE.
      `blocks[side, block]`: hits on it are the bits MASK of WORD, from SHIFT; its stretches FIRST up to LAST.
      `gone[side]`: the words where everybody is lost.
    - A *gauge* counts the pieces that stand there, each with the weight of its unit: `came[side, gauge]` before the
      battle, `lost[side, stretch, gauge]` less at the beginning of a stretch, `falls[side, stretch, gauge]` less for
      each piece lost since. The first gauges are of one unit each; presence keys, targets and limits name gauges.
    - `attacker_leave`, `defender_leave`, `outpowered[side]`: as in `rules.Army`.
    - `shots[side, shot]`: gauges (NEVER for none) of presence keys, targets, limits; EACH_ROUND. `in_round[side, shot,
      phase]`. `terms[side, shot, phase]`: the GAUGE of a number of equal dice and their CHANCE, best first; before them
      units with a chance of -1, whose dice depend on what stands there; after them zeros.
      `rolls[side, shot, unit]`: VALUE (0: no roll), DICE, REROLL, DIE.
    - `helps[side, help]`: gauges of presence keys, what it SETS (0: nothing) and ADDS, MORE dice, AGAIN (reroll), EACH
      (0: no support) and the gauge FROM, HOSTILE 1 if it counts the enemy's; the number of its STACK
      (0: none), whose rules have the same units; `to[side, help, unit]`;
      `holds[side, help, shot, phase]`.
    - `chance[die, reroll, value]`: of one die, in parts of `whole`; `at_most` 1 where larger values are better.
    - `salvo[salvo]`: a hit class in a group: the SIDE that fires, its shots from ENTRY up to LAST_ENTRY of `entry`,
      whether it BEGINS or ENDS the group; `leads[entry]` 1 where the class is rolled in this salvo if that shot is the
      first to fire; `takes[salvo, block]` of the enemy.
    - `opening`, `salvos`, `phases`, `clock`, `round_limit`, `retreat_after`, `retreats`, `compares`: as in
      `rules.Params`. `low_luck`: section 10.
    """

    line: np.ndarray
    stretches: np.ndarray
    blocks: np.ndarray
    gone: np.ndarray
    came: np.ndarray
    lost: np.ndarray
    falls: np.ndarray
    attacker_leave: Leave
    defender_leave: Leave
    outpowered: np.ndarray
    shots: np.ndarray
    in_round: np.ndarray
    terms: np.ndarray
    rolls: np.ndarray
    helps: np.ndarray
    to: np.ndarray
    holds: np.ndarray
    chance: np.ndarray
    salvo: np.ndarray
    entry: np.ndarray
    leads: np.ndarray
    takes: np.ndarray
    whole: int
    at_most: int
    opening: int
    salvos: int
    phases: int
    clock: int
    round_limit: int
    retreat_after: int
    retreats: int
    compares: int
    low_luck: int


# The hits on both sides, and those after the group under way; then the roll: `dice` of shot `entry` that hit with
# `chance` each, and the `hits` of the class so far (low luck: their mean, until its fraction is rolled). The others
# are as in `rules.State`.
_PLACES = [f"{side}{word}" for side in "ad" for word in range(WORDS)]
_NEXT = [f"next_{place}" for place in _PLACES]
HitsState: Any = namedtuple(
    "HitsState", [*_PLACES, *_NEXT, "salvo", "entry", "chance", "dice", "hits", "clock", "ending", "rounds"]
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
    for block in range(p.blocks.shape[1]):
        if p.blocks[side, block, MASK] > 0:
            word = s[WORDS * side + p.blocks[side, block, WORD]]
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
def offered(p, s, side, support):
    """The number of pieces that the supporters standing may help."""
    whose = 1 - side if p.helps[side, support, HOSTILE] > 0 else side
    return p.helps[side, support, EACH] * gauged(p, s, whose, p.helps[side, support, FROM])


@helper
def passed_over(p, s, side, shot, phase, support):
    """The number of pieces that rules of the same stack before this one help."""
    total = 0
    if p.helps[side, support, STACK] > 0:
        for h in range(support):
            same = p.helps[side, h, STACK] == p.helps[side, support, STACK] and p.holds[side, h, shot, phase] > 0
            if same and in_scope(p, s, side, p.helps, h):
                total += offered(p, s, side, h)
    return total


@helper
def reached(p, s, side, shot, support, unit, free):
    """The number of a unit among the first `free` pieces that a support may help: those that have the roll (2.8)."""
    for before in range(unit):
        if p.to[side, support, before] > 0 and p.rolls[side, shot, before, VALUE] > 0 and free > 0:
            free -= gauged(p, s, side, before)
    return max(free, 0)


@helper
def alike(p, s, side, shot, phase, unit, low):
    """Of a unit's pieces after the first `low`: how far supports are the same, the chance and number of dice."""
    high, value, added = gauged(p, s, side, unit), p.rolls[side, shot, unit, VALUE], 0
    dice, reroll = p.rolls[side, shot, unit, DICE], p.rolls[side, shot, unit, REROLL]
    for h in range(p.helps.shape[1]):
        if p.to[side, h, unit] == 0 or p.holds[side, h, shot, phase] == 0 or not in_scope(p, s, side, p.helps, h):
            continue
        if p.helps[side, h, EACH] > 0:
            before = passed_over(p, s, side, shot, phase, h)
            begin = reached(p, s, side, shot, h, unit, before)
            end = reached(p, s, side, shot, h, unit, before + offered(p, s, side, h))
            if low < begin:
                high = min(high, begin)
            elif low < end:
                high = min(high, end)
            if low < begin or low >= end:
                continue
        if p.helps[side, h, SETS] > 0:
            set_to = p.helps[side, h, SETS]
            value = max(value, set_to) if p.at_most > 0 else min(value, set_to)
        added += p.helps[side, h, ADDS]
        dice += p.helps[side, h, MORE]
        reroll |= p.helps[side, h, AGAIN]
    value += added if p.at_most > 0 else -added
    value = min(max(value, 0), p.chance.shape[2] - 1)
    return high, p.chance[p.rolls[side, shot, unit, DIE], reroll, value], max(0, dice) * (high - low)


@helper
def best_dice(p, s, side, shot, phase, below):
    """Of the dice of a step that hit with less than `below`, the best: their chance and number (section 5, 2 to 4)."""
    chance, dice, better = 0, 0, 0
    limited = p.shots[side, shot, LIMIT_OWN] >= 0 or p.shots[side, shot, LIMIT_ENEMY] >= 0
    for n in range(p.terms.shape[3]):
        gauge, found, low = p.terms[side, shot, phase, n, GAUGE], p.terms[side, shot, phase, n, CHANCE], 0
        if found == 0 or 0 < found < chance:
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
            elif more > 0 and (found > chance or dice == 0):
                chance, dice = found, more
            elif found == chance:
                dice += more
    for k in range(LIMIT_OWN, LIMIT_ENEMY + 1):
        if p.shots[side, shot, k] >= 0:
            whose = side if k == LIMIT_OWN else 1 - side
            dice = min(dice, max(0, gauged(p, s, whose, p.shots[side, shot, k]) - better))
    return chance, dice if chance > 0 else 0
