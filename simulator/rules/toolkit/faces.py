"""Dice faces that give a result, for replays: drawn with their chances under the condition of that result."""

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
    """The first throw that fits; None after `most` throws without one."""
    for _ in range(most):
        thrown = throw(dice)
        if fits(thrown):
            return thrown
    return None


def summing_to(values: Sequence[Sequence[int]], fits: Callable[[int], bool], dice: random.Random) -> list[int] | None:
    """Faces (from 1) of several dice whose values have a sum that fits, drawn die by die; None if no sum fits.

    `values[n]` lists the values of the faces of die n. One pass is enough, however rare the sum.
    """
    rest: list[Counter[int]] = [Counter({0: 1})]
    for faces_of_die in reversed(values):
        rest.append(combine(Counter(faces_of_die), rest[-1], lambda own, others: own + others))
    if not any(map(fits, rest[-1])):
        return None
    faces, total = [], 0
    for faces_of_die, others in zip(values, reversed(rest[:-1]), strict=True):
        fitting = [sum(ways for more, ways in others.items() if fits(total + value + more)) for value in faces_of_die]
        # randrange, as the ways may be integers too large for a float.
        pick, face = dice.randrange(sum(fitting)), 0
        while pick >= fitting[face]:
            pick -= fitting[face]
            face += 1
        faces.append(face + 1)
        total += faces_of_die[face]
    return faces


def hitting(
    targets: Sequence[int], sides: int, hits: int, dice: random.Random, *, or_more: bool = False
) -> list[int] | None:
    """Faces of dice that hit at their target or below, with `hits` hits in all (`or_more`: at least); None if none."""
    values = [[int(face <= target) for face in range(1, sides + 1)] for target in targets]
    return summing_to(values, lambda total: total == hits or (or_more and total > hits), dice)
