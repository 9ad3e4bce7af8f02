"""Dice that give a result: what a replay shows. Each throw that gives it is as likely as it should be."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from simulator.engine.model.chance import combine

Thrown = TypeVar("Thrown")
MOST_THROWS = 100_000


def face_where(faces: Iterable[Thrown], fits: Callable[[Thrown], bool], dice: random.Random) -> Thrown:
    """One of the faces of a single die that fit. Raises IndexError if none does."""
    return dice.choice([face for face in faces if fits(face)])


def thrown_until(
    throw: Callable[[random.Random], Thrown],
    fits: Callable[[Thrown], bool],
    dice: random.Random,
    most: int = MOST_THROWS,
) -> Thrown | None:
    """The first throw that fits; None after `most` throws, where the result is too rare to be found so."""
    for _ in range(most):
        thrown = throw(dice)
        if fits(thrown):
            return thrown
    return None


def summing_to(values: Sequence[Sequence[int]], fits: Callable[[int], bool], dice: random.Random) -> list[int] | None:
    """Faces (from 1) of several dice whose values come to a sum that fits, drawn die by die; None if none does.

    `values[n]` lists what each face of die n is worth. However rare the sum, it takes one pass.
    """
    rest: list[Counter[int]] = [Counter({0: 1})]
    for worth in reversed(values):
        rest.append(combine(Counter(worth), rest[-1], lambda own, others: own + others))
    if not any(map(fits, rest[-1])):
        return None
    faces, total = [], 0
    for worth, others in zip(values, reversed(rest[:-1]), strict=True):
        fitting = [sum(ways for more, ways in others.items() if fits(total + value + more)) for value in worth]
        # Whole numbers too large for a float are fine: a die is picked with randrange.
        pick, face = dice.randrange(sum(fitting)), 0
        while pick >= fitting[face]:
            pick -= fitting[face]
            face += 1
        faces.append(face + 1)
        total += worth[face]
    return faces


def hitting(
    targets: Sequence[int], sides: int, hits: int, dice: random.Random, *, or_more: bool = False
) -> list[int] | None:
    """Faces of dice that hit at most at their target, with so many hits in all (`or_more`: at least); None if none."""
    values = [[int(face <= target) for face in range(1, sides + 1)] for target in targets]
    return summing_to(values, lambda found: found == hits or (or_more and found > hits), dice)
