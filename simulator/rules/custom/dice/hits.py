"""Numbers of hits of dice: of one hit class, or of several that a die may fall into; and hits that are absorbed
(docs/rules/custom_games.md section 5).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.binomial import chances_of_hits
from simulator.engine.model.chance import Row
from simulator.rules.battle import Refusal

# Equal dice of one hit class: their chance, in parts of the whole, and how many they are.
Dice = tuple[tuple[int, int], ...]
# Kinds of dice by the slots that they may fall into, with their chances; and how many of each.
LinkedDice = tuple[tuple[tuple[tuple[int, int], ...], int], ...]


class TooLarge(Refusal):
    """Line-ups with more places, rolls or tables than are worked out beforehand."""


def check_size(side: str, number: int, what: str, most: int) -> None:
    """Raise TooLarge where there is more to work out than `most`, for these line-ups of a side."""
    if number > most:
        raise TooLarge(side, f"too many units: {number:,} {what}, at most {most:,}; give fewer")


class Counted(NamedTuple):
    """Hits that count, by slot: results have room for hits up to `caps`; more than `most` are as good as that.

    Of all slots together so many are `absorbed`, those that would be allotted last.
    """

    caps: tuple[int, ...]
    most: tuple[int, ...]
    absorbed: int


@lru_cache(maxsize=1 << 13)
def hits_of(dice: Dice, whole: int, most: int, low_luck: bool, stride: int = 1) -> Row:
    """Numbers of hits, times `stride`, and their chances; more than `most` hits are as good as that.

    Low luck: the whole part of the mean for certain, and one more with the chance of the rest (section 10).
    """
    hits, p = _all_hits_of(dice, whole, low_luck)
    if hits[-1] > most:
        p = np.bincount(np.minimum(hits, most), p)
        hits = np.flatnonzero(p)
        p = p[hits]
    return hits * stride, p


@lru_cache(maxsize=1 << 13)
def _all_hits_of(dice: Dice, whole: int, low_luck: bool) -> Row:
    """As `hits_of`, without a cap on the hits."""
    if low_luck:
        sure, rest = divmod(sum(hit * number for hit, number in dice), whole)
        low, p = sure, np.array([(whole - rest) / whole, rest / whole] if rest else [1.0])
    else:
        low, p = chances_of_hits(dice, whole)
    hits = np.arange(low, low + len(p))
    able = p > 0
    return hits[able], p[able]


def joint_row(dice: LinkedDice, whole: int, counted: Counted, low_luck: bool) -> Row:
    """The hits of these dice slot by slot, less those absorbed, packed into one result, and their chances."""
    sizes = sizes_of(counted)
    p = _low_luck(dice, whole, sizes) if low_luck else _rolled(dice, whole, sizes)
    chances = np.bincount(results_of(counted).ravel(), p.ravel())
    able = np.flatnonzero(chances > 0)
    return able, chances[able]


def sizes_of(counted: Counted) -> tuple[int, ...]:
    """The distinct numbers of hits of each slot, before any are absorbed."""
    return tuple([cap + counted.absorbed + 1 for cap in counted.caps])


def results_of(counted: Counted) -> np.ndarray:
    """The packed result by the hits of each slot, before any are absorbed: int64, of the shape `sizes_of`."""
    sizes = sizes_of(counted)
    hits = np.indices(sizes)
    left = np.full(sizes, counted.absorbed)
    packed, stride = np.zeros(sizes, np.int64), prod(cap + 1 for cap in counted.caps)
    for slot in reversed(range(len(sizes))):
        stride //= counted.caps[slot] + 1
        gone = np.minimum(left, hits[slot])
        left -= gone
        packed += stride * np.minimum(hits[slot] - gone, counted.most[slot])
    return packed


@lru_cache(maxsize=1 << 12)
def _rolled(dice: LinkedDice, whole: int, sizes: tuple[int, ...]) -> np.ndarray:
    """The chances of so many hits of each slot, counted up to the sizes: one die after the other."""
    p = np.zeros(sizes)
    p[(0,) * len(sizes)] = 1
    for faces, number in dice:
        missed = (whole - sum(chance for _, chance in faces)) / whole
        for _ in range(number):
            after = missed * p
            for slot, chance in faces:
                after += chance / whole * _one_more(p, slot)
            p = after
    return p


def _one_more(p: np.ndarray, slot: int) -> np.ndarray:
    """The chances after one more hit of a slot; those past the last one stay there."""
    moved = np.zeros_like(p)
    here: list[Any] = [slice(None)] * p.ndim
    there = here.copy()
    here[slot], there[slot] = slice(0, -1), slice(1, None)
    moved[tuple(there)] = p[tuple(here)]
    here[slot] = there[slot] = -1
    moved[tuple(there)] += p[tuple(here)]
    return moved


def _low_luck(dice: LinkedDice, whole: int, sizes: tuple[int, ...]) -> np.ndarray:
    """Each slot scores its mean, and the fraction is rolled (section 10)."""
    p = np.ones(())
    for slot, size in enumerate(sizes):
        here = tuple([(chance, number) for faces, number in dice for at, chance in faces if at == slot])
        hits, chances = hits_of(here, whole, size - 1, True)
        scored = np.zeros(size)
        scored[hits] = chances
        p = np.multiply.outer(p, scored)
    return p


def linked_hits(dice: Sequence[Sequence[tuple[int, float]]], fits: np.ndarray, rng: random.Random) -> list[int | None]:
    """The slot that each die falls into, None for a miss, drawn under the condition that the sum fits.

    `dice`: slots and chances of each die; `fits`: which hits by slot do, bool of the shape `sizes_of`.
    """
    rest = [fits.astype(float)]
    for faces in reversed(dice):
        later = rest[-1]
        now = (1 - sum(chance for _, chance in faces)) * later
        for slot, chance in faces:
            last = later.shape[slot] - 1
            now += chance * later.take([*range(1, last + 1), last], axis=slot)
        rest.append(now)
    at, found = [0] * fits.ndim, list[int | None]()
    for faces, later in zip(dice, reversed(rest[:-1]), strict=True):
        options: list[tuple[int | None, float]] = []
        for slot, chance in faces:
            then = [min(n + (k == slot), later.shape[k] - 1) for k, n in enumerate(at)]
            options.append((slot, chance * later[tuple(then)]))
        options.append((None, (1 - sum(chance for _, chance in faces)) * later[tuple(at)]))
        fallen = rng.choices([slot for slot, _ in options], [weight for _, weight in options])[0]
        if fallen is not None:
            at[fallen] = min(at[fallen] + 1, fits.shape[fallen] - 1)
        found.append(fallen)
    return found
