"""Dice that score points: the sum of their numbers (docs/rules/custom_games.md 2.6, points)."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np

from simulator.engine.model.chance import NO_TABLE, Row
from simulator.rules.custom.dice.tables import DiceTables, Throws, distinct
from simulator.rules.custom.dice.volleys import Volley, fires, volleys
from simulator.rules.custom.game_file.units import die_named, faces_number
from simulator.rules.toolkit.faces import thrown_until

# Equal dice that score: their bonus, their sides, and how many they are.
Scoring = tuple[tuple[int, int, int], ...]


@lru_cache(maxsize=1 << 10)
def sums_of(dice: Scoring) -> Row:
    """The sums that these dice score, and their chances: one die after the other; no die scores less than 0."""
    p = np.ones(1)
    for bonus, sides, number in dice:
        one = np.bincount([max(0, face + bonus) for face in range(1, sides + 1)]) / sides
        for _ in range(number):
            p = np.convolve(p, one)
    able = np.flatnonzero(p)
    return able, p[able]


def scoring(found: Sequence[Volley], numbers: Sequence[int]) -> Scoring:
    """The dice of each volley, in these numbers."""
    dice = [
        (v.value, faces_number(die_named(v.side.setup.file, v.roll.die)), n)
        for v, n in zip(found, numbers, strict=True)
    ]
    return tuple([one for one in dice if one[2]])


def points_throws(dice: DiceTables, group: int, number: int) -> Throws:
    """The points that a side scores in a group that counts them; as mean hits they are 0 (section 8)."""
    shots = [shot for shot in dice.side.shots_of(group, number) if dice.side.able(shot)]
    if not shots:
        return dice.nothing()
    shown, examples = dice.shown(shots, number)
    tables = np.zeros((len(dice.own), len(examples)), np.int64)
    for rows, seen, now in dice.situations(number, dice.distinguished(shots, number), examples):
        if fires(shots[0], now):
            tables[rows, seen] = _tables(dice, group, volleys(dice.side, shots[0], now))
    return Throws(shown, tables, np.zeros(tables.shape, np.int64))


def _tables(dice: DiceTables, group: int, found: Sequence[Volley]) -> np.ndarray | int:
    """The chance table of the points in each place."""
    if not found:
        return NO_TABLE
    label, examples = distinct([volley.dice for volley in found], len(found[0].dice))
    tables = []
    for at in examples:
        key = scoring(found, [int(volley.dice[at]) for volley in found])
        tables.append(dice.book.by(("points", key), partial(sums_of, key)) if key else NO_TABLE)
        most = sum(max(0, bonus + sides) * number for bonus, sides, number in key)
        dice.most_points[group] = max(most, dice.most_points.get(group, 0))
    return np.array(tables)[label]


def dice_in_words(dice: Scoring, points: int, rng: random.Random) -> str:
    """Faces that score these points, each with its bonus."""

    def throw(rng: random.Random) -> list[int]:
        return [max(0, rng.randint(1, sides) + bonus) for bonus, sides, number in dice for _ in range(number)]

    thrown = thrown_until(throw, lambda faces: sum(faces) == points, rng)
    return f"{'?' if thrown is None else ' '.join(map(str, thrown))} -> {points} points"
