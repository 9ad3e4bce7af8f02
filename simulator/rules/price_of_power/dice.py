"""Dice with icons: their faces, and the icons that a pool of dice shows (docs/rules/price_of_power.md section 1).

Faces and cards come from data/*.csv; data/README.md names their sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from operator import add
from typing import NamedTuple

import numpy as np

from simulator.rules.toolkit.sheets import lines_of

DICE = ("infantry", "cavalry", "artillery")
ICONS = ("infantry", "tercios", "cavalry", "artillery")
BLANK = "blank"
MOST_DICE = 20


class Icons(NamedTuple):
    """Icons on a face; or icons that hit for infantry (F + wT), cavalry and artillery, and tercios."""

    infantry: int = 0
    cavalry: int = 0
    artillery: int = 0
    tercios: int = 0


Dice = Mapping[str, tuple[Icons, ...]]


class Pool(NamedTuple):
    """Dice rolled together; a tercios icon counts `tercios_worth` times (2 with Tercios or Line Infantry)."""

    infantry: int
    cavalry: int
    artillery: int
    tercios_worth: int = 1

    def faces(self, dice: Dice) -> list[tuple[Icons, ...]]:
        """The faces of each die of the pool."""
        return [dice[die] for die, number in zip(DICE, self, strict=False) for _ in range(number)]

    def worth(self, face: Icons) -> Icons:
        """The icons of a face that hit (section 3.2, step 2)."""
        return face._replace(infantry=face.infantry + self.tercios_worth * face.tercios)


def face(text: str) -> Icons:
    """The icons of a face as written, e.g. "blank" or "infantry+cavalry"."""
    icons = Counter(part.strip() for part in text.split("+"))
    return Icons(**{icon: icons[icon] for icon in ICONS})


@lru_cache(maxsize=1)
def printed_dice() -> Dice:
    """The dice of the game."""
    return {die: tuple(face(row["icon"]) for row in lines_of(__package__, "dice") if row["die"] == die) for die in DICE}


def dice_of(override: Mapping[str, Sequence[str] | None]) -> Dice:
    """The printed dice, replaced by those of `options.dice`."""
    return {**printed_dice(), **{die: tuple(map(face, faces)) for die, faces in override.items() if faces}}


def icons_shown(dice: Dice, pool: Pool, caps: Icons) -> np.ndarray:
    """Ways to roll each [F + wT, H, A, T] with a pool, each counted up to its cap (float64, shape caps + 1)."""
    shape = tuple(cap + 1 for cap in caps)
    before = np.indices(shape).reshape(len(shape), -1)

    @cache
    def after(icons: Icons) -> np.ndarray:
        return np.ravel_multi_index(tuple(map(add, before, icons)), shape, mode="clip")

    ways = np.eye(1, before.shape[1])[0]
    for faces in pool.faces(dice):
        counts = Counter(map(pool.worth, faces)).items()
        ways = np.sum([np.bincount(after(icons), count * ways, len(ways)) for icons, count in counts], axis=0)
    return ways.reshape(shape)


def most_icons(dice: Dice, pool: Pool) -> Icons:
    """The most icons that a pool can show."""
    best = (map(max, zip(*map(pool.worth, faces), strict=True)) for faces in pool.faces(dice))
    return Icons(*map(sum, zip((0, 0, 0, 0), *best, strict=True)))
