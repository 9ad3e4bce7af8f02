"""The most dice a side rolls and the most hits it absorbs in a group of steps."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simulator.rules.custom.dice.die import Hit, classes_of
from simulator.rules.custom.dice.volleys import Standing
from simulator.rules.custom.masks import bits
from simulator.rules.custom.setup import Shot, SideSetup

# The most damage of a hit.
MOST_DAMAGE = 20


def most_absorbed(side: SideSetup) -> int:
    """The hits that a side takes off the enemy's in each group while all its units stand."""
    return sum([n * piece.absorbs for n, piece in zip(side.counts, side.pieces, strict=True)])


def most_dice(side: SideSetup, group: Sequence[int], hit: Hit | None = None) -> int:
    """The side never rolls more dice than this in a group; with `hit`, in the steps whose dice may fall into it."""
    return sum(
        _most_of_shot(side, shot) for shot in side.shots_in(group) if hit is None or hit in classes_of(side, shot)
    )


def _most_of_shot(side: SideSetup, shot: Shot) -> int:
    helps = [rule for rule in side.helps if rule.given.dice > 0 and rule.applies(shot)]
    found = 0
    for unit in bits(shot.by & side.present):
        roll, more = side.roll(unit, shot), sum([rule.given.dice for rule in helps if rule.units >> unit & 1])
        found += side.counts[unit] * (roll.dice + more)
    if shot.given.aim != "anyone":  # points, not hits
        return found * MOST_DAMAGE
    if shot.limit is None:
        return found
    complete = [Standing(np.array([one.counts]), 0, 0) for one in (side, side.setup.sides[side.enemy])]
    return min(found, int(np.max(shot.limited(*complete))))
