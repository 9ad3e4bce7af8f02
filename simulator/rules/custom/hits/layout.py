"""The arrays and states of a battle that holds the hits taken by each block; `hits/params.py` makes the arrays."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.toolkit.retreat import Leave

# Columns of the arrays of `HitsParams`.
BLOCK, END, PIECE = range(3)
BEGIN, EACH_PIECE = range(2)
WORD, SHIFT, MASK, FIRST, LAST = range(5)
IF_OWN, IF_ENEMY, UNLESS_OWN, UNLESS_ENEMY, AIM, LIMIT_OWN, LIMIT_ENEMY, EACH_ROUND = range(8)
SETS, ADDS, MORE, AGAIN, EACH, FROM, HOSTILE, STACK = range(4, 12)
VALUE, DICE, REROLL, DIE, COMPARED = range(5)
GAUGE, KIND = range(2)
# Of a kind of dice: its chance to hit anything, its mean damage, then its chance in each hit class.
CHANCE, MEAN, FACES = range(3)
# Of dice that are compared: their sides, and the lowest value less one.
DIE_SIDES, BONUS = range(2)
SIDE, ENTRY, LAST_ENTRY, BEGINS, ENDS, HIT, LAST_HIT, SLOT, LAST_SLOT, PAIRS, TIES, MOST = range(12)
FACE, TALLY, TALLY_SHIFT, TALLY_MASK, CAP, DAMAGE, SPLIT, STANDING = range(8)
# Gauges after those of single units: those that fight on each side, those that stay when left alone, hits absorbed.
FIGHTERS, STAYING, ABSORBING = 0, 2, 4
# No gauge.
NEVER = -1
# The hits on a side lie in so many words, those of the roll under way, or the values of dice compared, in so many.
WORDS, TALLIES = 4, 8
# Fields of a state: the places of both sides, those that follow when the group is over, tallies, the rest from here on.
PLACES, TALLIED, REST = 2 * WORDS, 4 * WORDS, 4 * WORDS + TALLIES


class HitsParams(NamedTuple):
    """A battle. Arrays by side first, then by unit (file order), block, shot (step) or help (support, modifier).

    - `line[side, n]`: the loss line in stretches of one unit: BLOCK, the points of the block up to its END, points of
      each PIECE (0: no piece dies). `stretches[side, n]`, block by block: points of the block before it (BEGIN),
      points of EACH_PIECE. `blocks[side, block]`: hits on it are the bits MASK of WORD, from SHIFT; its stretches FIRST
      up to LAST. `gone[side]`: the words where everybody is lost.
    - A *gauge* counts the pieces that stand there, each with the weight of its unit: `came[side, gauge]` before the
      battle, `lost[side, stretch, gauge]` less at the beginning of a stretch, `falls[side, stretch, gauge]` less for
      each piece lost since. The first gauges are of one unit each; presence keys, targets and limits name gauges.
    - `attacker_leave`, `defender_leave`, `outpowered[side]`: as in `rules.Army`.
    - A *kind* of dice is a number, larger for better dice: `kinds[kind]` are its CHANCE, MEAN damage, and chances from
      FACES on by hit class, in parts of `whole`; of dice that are compared DIE_SIDES and BONUS. 0: no chance.
    - `shots[side, shot]`: gauges (NEVER for none) of presence keys, targets, limits; EACH_ROUND. `in_round[side, shot,
      phase]`. `terms[side, shot, phase]`: the GAUGE of a number of equal dice and their KIND, best first; before them
      units with a kind of -1, whose dice depend on what stands there; after them zeros.
      `rolls[side, shot, unit]`: VALUE, DICE (0: no roll), REROLL, DIE, COMPARED.
    - `helps[side, help]`: gauges of presence keys, what it SETS (0: nothing) and ADDS, MORE dice, AGAIN (reroll), EACH
      (0: no support) and the gauge FROM, HOSTILE 1 if it counts the enemy's; the number of its STACK (0: none);
      `to[side, help, unit]`; `holds[side, help, shot, phase]`.
    - `kind[die, reroll, value]`: by DIE and REROLL of a roll and its value from `least_value` on; `at_most` 1 where
      larger values are better.
    - `salvo[salvo]`: hit classes of a group that are rolled together: the SIDE that fires, its shots from ENTRY up to
      LAST_ENTRY of `entry`, whether it BEGINS or ENDS the group; its classes from HIT up to LAST_HIT of `hits`, in the
      order in which they are allotted as SLOTs of `slot` (a class may stand there twice); `leads[slot, entry]` 1 where
      the class is allotted there if that shot is the first to fire of those that can yield it, -1 where it is not, 0
      where the shot does not yield it. Dice that are compared: PAIRS (else 0), TIES, MOST and MOST + 1; the entry and
      the class of each side.
    - `hits[hit]`: its FACE among the chances of a kind; its tally, up to CAP, as bits TALLY_MASK of word TALLY from
      TALLY_SHIFT; DAMAGE, SPLIT; the gauge STANDING of the units hit. `takes[hit, block]` of the enemy.
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
    kinds: np.ndarray
    shots: np.ndarray
    in_round: np.ndarray
    terms: np.ndarray
    rolls: np.ndarray
    helps: np.ndarray
    to: np.ndarray
    holds: np.ndarray
    kind: np.ndarray
    salvo: np.ndarray
    entry: np.ndarray
    slot: np.ndarray
    leads: np.ndarray
    hits: np.ndarray
    takes: np.ndarray
    whole: int
    least_value: int
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


# The hits on both sides, those after the group under way, and the tallies of the salvo under way; then the roll: `dice`
# of a `kind` of shot `entry`, of which each falls into class `hit` with the chance `chance` / `rest`. The others are as
# in `rules.State`. Dice that are compared: `hit` were rolled by the side of `entry`, `dice` of a kind of `rest` sides
# are next.
_FIELDS = [f"{side}{word}" for side in "ad" for word in range(WORDS)]
_NEXT = [f"next_{place}" for place in _FIELDS] + [f"tally{word}" for word in range(TALLIES)]
HitsState: Any = namedtuple(
    "HitsState",
    [*_FIELDS, *_NEXT, "salvo", "entry", "kind", "hit", "dice", "chance", "rest", "clock", "ending", "rounds"],
)
