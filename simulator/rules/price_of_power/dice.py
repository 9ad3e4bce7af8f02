"""Dice with icons: their faces, what an override may say, and the military deck (rules/price_of_power.md section 1).

Faces and cards come from data/*.csv; data/README.md names their sources.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

import numpy as np

DICE = ("infantry", "cavalry", "artillery")
ICONS = ("infantry", "tercios", "cavalry", "artillery")
BLANK = "blank"
MOST_DICE = 20


class Face(NamedTuple):
    """Icons on one face."""

    infantry: int = 0
    tercios: int = 0
    cavalry: int = 0
    artillery: int = 0


class Card(NamedTuple):
    """A kind of military card: how many there are, whether it shows a leader, and his dice."""

    cards: int
    leader: bool
    infantry: int
    cavalry: int
    artillery: int


class Pool(NamedTuple):
    """Dice rolled together, and what a tercios icon counts (2 with Tercios or Line Infantry)."""

    infantry: int
    cavalry: int
    artillery: int
    tercios_worth: int = 1

    @property
    def dice(self) -> int:
        """How many dice are rolled."""
        return self.infantry + self.cavalry + self.artillery


class Caps(NamedTuple):
    """The most of each kind of icon that can ever matter; more are not told apart."""

    infantry: int
    cavalry: int
    artillery: int
    tercios: int


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a data file."""
    text = (resources.files(__package__) / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def face(text: str) -> Face:
    """The icons of a face as written, e.g. "blank" or "infantry+cavalry". Raises ValueError for an unknown icon."""
    if text.strip() == BLANK:
        return Face()
    found = Counter(part.strip() for part in text.split("+"))
    for name in found:
        if name not in ICONS:
            raise ValueError(name)
    return Face(*(found[icon] for icon in ICONS))


@lru_cache(maxsize=1)
def printed_dice() -> Mapping[str, tuple[Face, ...]]:
    """The dice of the game."""
    faces: dict[str, list[Face]] = {}
    for row in rows_of("dice"):
        faces.setdefault(row["die"], []).append(face(row["icon"]))
    return {die: tuple(shown) for die, shown in faces.items()}


@lru_cache(maxsize=1)
def printed_deck() -> tuple[Card, ...]:
    """The military cards of the game: 36, of which 14 show leaders."""
    return tuple(
        Card(int(row["cards"]), row["leader"] == "yes", *(int(row[die]) for die in DICE))
        for row in rows_of("military_deck")
    )


def dice_of(override: Mapping[str, Sequence[str] | None]) -> Mapping[str, tuple[Face, ...]]:
    """The game's dice with those of `options.dice` in their place."""
    own = {die: tuple(face(text) for text in faces) for die, faces in override.items() if faces}
    return {**printed_dice(), **own}


def worth(shown: Face, pool: Pool) -> tuple[int, int, int]:
    """Icons of a face that count for infantry, cavalry and artillery: F + wT, H, A (section 3.2, step 2)."""
    return shown.infantry + pool.tercios_worth * shown.tercios, shown.cavalry, shown.artillery


def icons_shown(dice: Mapping[str, tuple[Face, ...]], pool: Pool, caps: Caps) -> np.ndarray:
    """Ways to roll each [F + wT, H, A, T] with a pool, each counted no further than its cap (float64).

    The array has caps + 1 places along each axis.
    """
    ways = np.zeros([cap + 1 for cap in caps])
    ways[0, 0, 0, 0] = 1.0
    for die, number in zip(DICE, pool[:3], strict=True):
        faces = Counter((*worth(shown, pool), shown.tercios) for shown in dice[die])
        for _ in range(number):
            rolled = np.zeros_like(ways)
            for icons, count in faces.items():
                rolled += count * shifted(ways, icons)
            ways = rolled
    return ways


def shifted(ways: np.ndarray, icons: Sequence[int]) -> np.ndarray:
    """The same ways after some more icons of each kind; what would leave the array stays at its border."""
    for axis, more in enumerate(icons):
        if more:
            size = ways.shape[axis]
            kept = max(size - more, 0)
            moved = np.zeros_like(ways)
            here, there = np.moveaxis(ways, axis, 0), np.moveaxis(moved, axis, 0)
            there[size - kept :] = here[:kept]
            there[-1] += here[kept:].sum(axis=0)
            ways = moved
    return ways


def most_icons(dice: Mapping[str, tuple[Face, ...]], pool: Pool) -> tuple[int, int, int, int]:
    """The most infantry (F + wT), cavalry, artillery and tercios icons that a pool can show."""
    most = np.zeros(4, int)
    for die, number in zip(DICE, pool[:3], strict=True):
        if number:
            most += number * np.array([(*worth(shown, pool), shown.tercios) for shown in dice[die]]).max(axis=0)
    return tuple(int(value) for value in most)


def cavalry_icons(dice: Mapping[str, tuple[Face, ...]], number: int) -> Counter[int]:
    """Ways to show each number of cavalry icons with some cavalry dice (a charge of Noble Knights)."""
    ways: Counter[int] = Counter({0: 1})
    for _ in range(number):
        rolled: Counter[int] = Counter()
        for so_far, count in ways.items():
            for shown in dice["cavalry"]:
                rolled[so_far + shown.cavalry] += count
        ways = rolled
    return ways
