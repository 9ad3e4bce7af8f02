"""One round of dice: hands, modifiers, comparison (docs/rules/risk.md section 3), counted exactly."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np

MOST_DICE = 4


class Hand(NamedTuple):
    """How one side rolls in one place: most dice, sides, commander dice and bonus dice, modifiers, adjustments."""

    dice: int
    sides: int
    commanders: int = 0
    commander_sides: int = 8
    bonus: int = 0
    highest: int = 0
    lowest: int = 0
    all: int = 0
    clamp: bool = False
    resort: bool = False


def kept_dice(hand: Hand, units: int) -> Counter[tuple[int, ...]]:
    """Ways of each hand kept by a side of `units`, high to low, before modifiers (steps 1-3)."""
    size = min(hand.dice, units)
    commanders = min(hand.commanders, size)
    sides = [hand.commander_sides] * commanders + [hand.sides] * (size - commanders + hand.bonus)
    ways: Counter[tuple[int, ...]] = Counter({(): 1})
    for faces in sides:
        wider: Counter[tuple[int, ...]] = Counter()
        for kept, count in ways.items():
            for face in range(1, faces + 1):
                wider[tuple(sorted((*kept, face), reverse=True)[:size])] += count
        ways = wider
    return ways


def modified(hand: Hand, kept: tuple[int, ...]) -> tuple[int, ...]:
    """A kept hand after modifiers, in comparison order (steps 4-6)."""
    dice = [face + hand.all for face in kept]
    dice[0] += hand.highest
    dice[-1] += hand.lowest
    if hand.clamp:
        largest = largest_die(hand, len(kept))
        dice = [min(max(face, 1), largest) for face in dice]
    return tuple(sorted(dice, reverse=True)) if hand.resort else tuple(dice)


def largest_die(hand: Hand, size: int) -> int:
    """Sides of the largest die that this side rolls with a hand of `size`."""
    commanders = min(hand.commanders, size)
    rolled = [hand.commander_sides] * (commanders > 0) + [hand.sides] * (size - commanders + hand.bonus > 0)
    return max(rolled)


def compare(mine: tuple[int, ...], theirs: tuple[int, ...], ties: str) -> tuple[int, int]:
    """Losses (attacker, defender) of two hands in comparison order (step 7)."""
    own = enemy = 0
    for a, d in zip(mine, theirs, strict=False):
        own += a < d or (a == d and ties in {"defender", "both"})
        enemy += a > d or (a == d and ties in {"attacker", "both"})
    return own, enemy


@lru_cache(maxsize=4096)
def _faces(hand: Hand, units: int) -> tuple[np.ndarray, np.ndarray]:
    """Distinct hands after modifiers (rows) and their ways."""
    seen: Counter[tuple[int, ...]] = Counter()
    for kept, ways in kept_dice(hand, units).items():
        seen[modified(hand, kept)] += ways
    return np.array(list(seen)), np.array(list(seen.values()), np.int64)


@lru_cache(maxsize=4096)
def round_table(attack: Hand, defence: Hand, attackers: int, defenders: int, ties: str) -> dict[int, int]:
    """Ways of each result of a round: result = 8 * own losses + enemy losses (step 8). Exact integer counts."""
    mine, my_ways = _faces(attack, attackers)
    theirs, their_ways = _faces(defence, defenders)
    pairs = min(mine.shape[1], theirs.shape[1])
    left, right = mine[:, None, :pairs], theirs[None, :, :pairs]
    equal = left == right
    own = ((left < right) | (equal & (ties in {"defender", "both"}))).sum(axis=2)
    enemy = ((left > right) | (equal & (ties in {"attacker", "both"}))).sum(axis=2)
    result = (8 * own + enemy).ravel()
    ways = np.outer(my_ways, their_ways).ravel()
    return {int(value): int(ways[result == value].sum()) for value in np.unique(result)}


def place_tables(attack: Hand, defence: Hand, ties: str) -> list[dict[int, int]]:
    """The 16 tables of a place, for 1 to 4 units a side: index 4 * (attackers - 1) + defenders - 1."""
    sizes = range(1, MOST_DICE + 1)
    return [round_table(attack, defence, a, d, ties) for a in sizes for d in sizes]


def lost(result: int) -> tuple[int, int]:
    """Losses (attacker, defender) that a result stands for."""
    return result >> 3, result & 7
