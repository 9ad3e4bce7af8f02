"""Numbers of hits of dice: of one hit class, or of several that a die may fall into; and hits that are absorbed
(docs/rules/custom_games.md section 5).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import NamedTuple

import numpy as np

from simulator.engine.model.binomial import chances_of_hits
from simulator.engine.model.chance import Row
from simulator.rules.battle import Refusal

# Equal dice of one hit class: their chance, in parts of the whole, and how many they are.
Dice = tuple[tuple[int, int], ...]
# The slots that a die may fall into, with their chances.
Faces = tuple[tuple[int, int], ...]
# The faces of equal dice, and the limits (see `Tossed`) under which they may be rolled again.
Kind = tuple[Faces, tuple[int, ...]]


class TooLarge(Refusal):
    """Line-ups with more places, rolls or tables than are worked out beforehand."""


def check_size(side: str, number: int, what: str, most: int) -> None:
    """Raise TooLarge where there is more to work out than `most`, for these line-ups of a side."""
    if number > most:
        raise TooLarge(side, f"too many units: {number:,} {what}, at most {most:,}; give fewer")


class CountedHits(NamedTuple):
    """Hits that count, by slot: results have room for hits up to `caps`; more than `most` count as `most`.

    `absorbed`: the number absorbed of all slots together, those that would be allotted last.
    """

    caps: tuple[int, ...]
    most: tuple[int, ...]
    absorbed: int


class Tossed(NamedTuple):
    """Dice thrown together, best first: their faces, the limits of which they may be rolled again, and how many.

    A die that misses is rolled again if any of its limits is not used up, the first such; the second throw stands.
    """

    dice: tuple[tuple[Faces, tuple[int, ...], int], ...]
    limits: tuple[int, ...] = ()


Thrown = tuple[Tossed, ...]


@lru_cache(maxsize=1 << 13)
def hits_of(dice: Dice, whole: int, most: int, low_luck: bool, stride: int = 1) -> Row:
    """Numbers of hits, times `stride`, and their chances; more than `most` hits count as `most`.

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


@lru_cache(maxsize=1 << 12)
def joint_row(dice: Thrown, whole: int, counted: CountedHits, low_luck: bool) -> Row:
    """The hits of these dice slot by slot, less those absorbed, packed into one result, and their chances."""
    sizes = sizes_of(counted)
    p = _low_luck(dice, whole, sizes) if low_luck else _rolled(dice, whole, sizes)
    chances = np.bincount(results_of(counted).ravel(), p.ravel())
    able = np.flatnonzero(chances > 0)
    return able, chances[able]


def sizes_of(counted: CountedHits) -> tuple[int, ...]:
    """The distinct numbers of hits of each slot, before any are absorbed."""
    return tuple([cap + counted.absorbed + 1 for cap in counted.caps])


def results_of(counted: CountedHits) -> np.ndarray:
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


def _rolled(thrown: Thrown, whole: int, sizes: tuple[int, ...]) -> np.ndarray:
    """The chances of each number of hits of each slot, counted up to the sizes: one die after the other."""
    p = np.zeros(sizes)
    p[(0,) * len(sizes)] = 1
    for dice, limits in thrown:
        # The first axes count the rest of each limit.
        now = np.zeros((*[limit + 1 for limit in limits], *sizes))
        now[limits] = p
        for faces, covered, number in dice:
            moves = [(slot + len(limits), chance / whole) for slot, chance in faces]
            missed = (whole - sum([chance for _, chance in faces])) / whole
            for _ in range(number):
                now = _one_die(now, moves, missed, covered)
        p = now.sum(axis=tuple(range(len(limits))))
    return p


def _one_die(p: np.ndarray, moves: Sequence[tuple[int, float]], missed: float, covered: Sequence[int]) -> np.ndarray:
    """The chances after one more die, which moves along these axes or misses, and is then rolled again by a limit."""
    after, throws = missed * p, [p]
    for limit in covered:
        again = np.moveaxis(np.zeros_like(p), limit, 0)
        missing = np.moveaxis(after, limit, 0)
        again[:-1], missing[1:] = missing[1:], 0
        throws.append(np.moveaxis(again, 0, limit))
    for second in throws[1:]:
        after += missed * second
    for throw in throws:
        for axis, chance in moves:
            # One more hit of this slot; those past the last one stay there.
            fewer, more = throw.swapaxes(0, axis), after.swapaxes(0, axis)
            more[1:-1] += chance * fewer[:-2]
            more[-1] += chance * fewer[-2:].sum(axis=0)
    return after


def again_of(tossed: Tossed, whole: int) -> list[Fraction]:
    """The mean number of dice of each kind that are rolled again."""
    left, found = {tossed.limits: Fraction(1)}, []
    for faces, covered, number in tossed.dice:
        missed, again = 1 - Fraction(sum(chance for _, chance in faces), whole), Fraction(0)
        for _ in range(number):
            after: dict[tuple[int, ...], Fraction] = {}
            for limits, p in left.items():
                limit = next((k for k in covered if limits[k]), None)
                then = limits if limit is None else (*limits[:limit], limits[limit] - 1, *limits[limit + 1 :])
                again += 0 if limit is None else missed * p
                for some, q in ((limits, (1 - missed) * p), (then, missed * p)):
                    after[some] = after.get(some, Fraction(0)) + q
            left = after
        found.append(again)
    return found


def _low_luck(thrown: Thrown, whole: int, sizes: tuple[int, ...]) -> np.ndarray:
    """Each slot scores its mean, and the fraction is rolled (section 10)."""
    p = np.ones(())
    for slot, size in enumerate(sizes):
        dice = [(faces, number) for toss in thrown for faces, _, number in toss.dice]
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
