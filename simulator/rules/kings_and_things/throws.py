"""Chance tables of throws: how many dice hit, and whether the Lucky Charm can turn one (sections 2 and 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from simulator.engine.chance import Tables, from_rows
from simulator.rules.kings_and_things.state import AIMED_HAND, HANDS

VALUES = range(1, 8)
PLAIN, NEAR_MISS, BARE_HIT = range(3)
# A hand holds the dice of a few neighbouring values; its tables cover all combinations of up to that many.
MOST_COMBINATIONS = 600
SURE, NO_HAND = HANDS, HANDS + 1


@lru_cache(maxsize=1 << 16)
def _ways(dice: tuple[int, ...], barred: int) -> np.ndarray:
    """Chances of 0, 1, 2 ... hits of `dice[v - 1]` dice of value v; without the turning face if `barred`.

    The turning face of NEAR_MISS is value + 1, that of BARE_HIT the value itself.
    """
    place = next((v for v, number in enumerate(dice, 1) if number), 0)
    if not place:
        return np.ones(1)
    hit = min(place, 6) - (1 if barred == BARE_HIT and place <= 6 else 0)
    miss = max(0, 6 - place) - (1 if barred == NEAR_MISS and place < 6 else 0)
    rest = tuple(number - (v == place) for v, number in enumerate(dice, 1))
    return np.convolve(_ways(rest, barred), np.array([miss, hit]) / 6)


Pair = tuple[np.ndarray, np.ndarray]


@lru_cache(maxsize=1 << 16)
def throw(dice: tuple[int, ...], charm: int) -> Pair:
    """Results 2 x hits (+ 1 if the charm can turn a die) and their chances."""
    whole = _ways(dice, PLAIN)
    results = 2 * np.arange(len(whole))
    if charm == PLAIN:
        return _kept(results, whole)
    unturned = _ways(dice, charm)
    turned = np.maximum(0.0, whole - unturned)
    turned[turned < 1e-15] = 0.0
    return _kept(np.concatenate([results, results + 1]), np.concatenate([unturned, turned]))


def _kept(results: np.ndarray, chances: np.ndarray) -> Pair:
    return results[chances > 0], chances[chances > 0]


def table_of(weights: dict[int, int]) -> Pair:
    """Results and chances of integer weights."""
    total = sum(weights.values())
    return np.array(list(weights)), np.array([weight / total for weight in weights.values()])


class Book:
    """Collects tables; table 0 is the certain result 0."""

    def __init__(self) -> None:
        self.rows: list[Pair] = [(np.zeros(1, int), np.ones(1))]

    def add(self, *rows: Pair) -> int:
        """Index of the first of these tables."""
        self.rows += rows
        return len(self.rows) - len(rows)

    def close(self) -> Tables:
        """All tables, flattened."""
        return from_rows(self.rows)


@dataclass
class Hands:
    """How each side's dice are thrown in each step; arrays as `Params` wants them.

    `most[side, step, value]` is the largest number of dice of that value that can be thrown together.
    """

    most: np.ndarray
    charms: tuple[int, ...]
    spoiled: Sequence[bool]
    book: Book
    stride: np.ndarray = field(init=False)
    hand_of: np.ndarray = field(init=False)
    hand_table: np.ndarray = field(init=False)
    hand_size: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        sides = len(self.most)
        self.stride = np.zeros((sides, 3, 8), np.int32)
        self.hand_of = np.full((sides, 3, 8), NO_HAND, np.int32)
        self.hand_table = np.zeros((sides, 3, HANDS), np.int32)
        self.hand_size = np.zeros((sides, 3, HANDS), np.int32)
        for side in range(sides):
            for step in range(3):
                self._deal(side, step)

    def _deal(self, side: int, step: int) -> None:
        """Split the values of one side and step into hands."""
        most = self.most[side, step]
        rolled = [v for v in VALUES if most[v] and (v < 6 or (v == 6 and self.spoiled[side]))]
        self.hand_of[side, step, [v for v in (6, 7) if v not in rolled]] = SURE
        hands: list[list[int]] = []
        for v in rolled:
            size = np.prod([most[w] + 1 for w in (*hands[-1], v)]) if hands else 0
            if not hands or size > MOST_COMBINATIONS:
                hands.append([])
            hands[-1].append(v)
        if len(hands) > AIMED_HAND:
            hands = [[v for v in rolled if v in pair] for pair in ((1, 2), (3, 4), (5, 6))]
        for hand, values in enumerate(hands):
            self._tabulate(side, step, hand, values)

    def _tabulate(self, side: int, step: int, hand: int, values: list[int]) -> None:
        sizes = [int(self.most[side, step, v]) + 1 for v in values]
        strides = np.cumprod([1, *sizes])[:-1]
        self.stride[side, step, values] = strides
        self.hand_of[side, step, values] = hand
        self.hand_size[side, step, hand] = np.prod(sizes, dtype=int)
        rows = []
        for charm in range(3):
            if charm in self.charms:
                # ndindex runs with the last index fastest; strides with the first.
                for numbers in np.ndindex(*sizes[::-1]):
                    dice = [0] * 7
                    for v, number in zip(values, numbers[::-1], strict=True):
                        dice[v - 1] = number
                    rows.append(throw(tuple(dice), charm))
            elif charm < max(self.charms):
                rows += [self.book.rows[0]] * int(self.hand_size[side, step, hand])
        self.hand_table[side, step, hand] = self.book.add(*rows)
