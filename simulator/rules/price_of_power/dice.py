"""Dice with icons: their faces, the pool of dice of a side, and the chances of its hits and tercios.

docs/rules/price_of_power.md sections 1, 3.2 and 4. Faces come from data/*.csv; data/README.md names their sources.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from operator import add, mul
from typing import NamedTuple

import numpy as np

from simulator.rules.price_of_power.forces import Side
from simulator.rules.price_of_power.model import ICONS, TYPES, BattleAction, General, LandPolicy, Options
from simulator.rules.toolkit.sheets import lines_of

MOST_DICE = 20
# The most different rolls of a pool, with their icons counted up to the units that they hit for.
MOST_ROLLS = 2_000_000


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
        return [dice[die] for die, number in zip(TYPES, self, strict=False) for _ in range(number)]

    def worth(self, face: Icons) -> Icons:
        """The icons of a face that hit (section 3.2, step 2)."""
        return face._replace(infantry=face.infantry + self.tercios_worth * face.tercios)

    def shown(self, thrown: Iterable[Icons]) -> Icons:
        """The icons of faces that hit, and their tercios."""
        return Icons(*map(sum, zip((0, 0, 0, 0), *map(self.worth, thrown), strict=True)))


def face(text: str) -> Icons:
    """The icons of a face as written, e.g. "blank" or "infantry+cavalry"."""
    icons = Counter(part.strip() for part in text.split("+"))
    return Icons(**{icon: icons[icon] for icon in ICONS})


@lru_cache(maxsize=1)
def printed_dice() -> Dice:
    """The dice of the game."""
    return {
        die: tuple(face(row["icon"]) for row in lines_of(__package__, "dice") if row["die"] == die) for die in TYPES
    }


def faces_of(options: Options) -> Dice:
    """The dice of a battle: the printed ones, and those that replace them."""
    return {**printed_dice(), **{die: tuple(map(face, faces)) for die, faces in options.dice if faces}}


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


@lru_cache(maxsize=64)
def most_of_a_die(faces: tuple[Icons, ...], tercios_worth: int) -> Icons:
    """The most icons of each kind that a face of a die shows, see `Pool.worth`."""
    return Icons(*map(max, zip(*map(Pool(0, 0, 0, tercios_worth).worth, faces), strict=True)))


def most_icons(dice: Dice, pool: Pool) -> Icons:
    """The most icons that a pool can show."""
    best = [most_of_a_die(dice[die], pool.tercios_worth) for die in TYPES]
    return Icons(*(sum(map(mul, pool, icons)) for icons in zip(*best, strict=True)))


def pool_of(
    side: Side, base: str, leader: General | None, round_: int, led: bool = True, played: Iterable[BattleAction] = ()
) -> Pool:
    """The dice of a side in a round (section 3.2, step 1); `played` are the cards of its hand that are in force."""
    options, drill = side.options, led and "military-drill" in side.fields.ideas
    dice = dict.fromkeys(TYPES, 0) | {base: max(0, options.base_dice - drill * options.military_drill.dice)}
    timed = [one for one in side.fields.battle_actions if one.when == "round"]
    in_force = [one for one in timed if one.round == round_ or (one.round < round_ and not one.this_round_only)]
    for more in [side.fields.extra_dice, *in_force, *played, *([leader] if leader else [])] if led else []:
        for die in TYPES:
            dice[die] += getattr(more, die)
    doubled = led and not {"tercios", "line-infantry"}.isdisjoint(side.fields.ideas)
    return Pool(**dice, tercios_worth=2 if doubled else 1)


def base_type(side: Side, dice: Dice, leader: General | None) -> str:
    """Type of the base dice; `best-expected` compares the hits of the first roll (section 2, `base_dice`)."""
    if not isinstance(side.policy, LandPolicy):
        return "artillery"
    if side.policy.base_dice != "best-expected":
        return side.policy.base_dice

    def expected_hits(base: str) -> Fraction:
        pool = pool_of(side, base, leader, 1)
        ways = icons_shown(dice, pool, Icons(*map(min, side.start, most_icons(dice, pool))))
        hits = np.minimum(np.indices(ways.shape).sum(axis=0) + side.automatic, side.units)
        return Fraction(sum(int(h) * int(way) for h, way in zip(hits.flat, ways.flat, strict=True)), int(ways.sum()))

    return max(("infantry", "cavalry"), key=expected_hits)


class Throw(NamedTuple):
    """A roll of a side: its dice, the units of each type for which icons hit, and hits without an icon.

    `most`: the largest number of hits. Units beyond the icons that the dice can show are left out, so that sides that
    roll alike have equal throws.
    """

    pool: Pool
    units: tuple[int, ...]
    sure: int
    most: int

    def hits(self, shown: Icons) -> int:
        """The hits of these icons (section 3.2 step 2; section 4 step 2)."""
        return min(sum(map(min, shown, self.units)) + self.sure, self.most)


@lru_cache(maxsize=256)
def ways_to_roll(dice: tuple[tuple[str, tuple[Icons, ...]], ...], pool: Pool, caps: Icons) -> np.ndarray:
    """As `icons_shown`. Cached, since most battles roll the same dice."""
    return icons_shown(dict(dice), pool, caps)


@lru_cache(maxsize=1 << 14)
def chances(
    dice: tuple[tuple[str, tuple[Icons, ...]], ...], throw: Throw, caps: Icons
) -> tuple[tuple[int, int, float], ...]:
    """Hits, tercios and the chance of both; icons and tercios are counted up to their caps."""
    ways = ways_to_roll(dice, throw.pool, caps)
    icons = np.ogrid[tuple(slice(number) for number in ways.shape)]
    hits = sum(np.minimum(shown, own) for shown, own in zip(icons, throw.units, strict=False)) + throw.sure
    many = ways.shape[-1]
    weight = np.bincount((np.minimum(hits, throw.most) * many + icons[-1]).ravel(), ways.ravel())
    codes, total = weight.nonzero()[0], weight.sum()
    return tuple((code // many, code % many, weight[code] / total) for code in codes.tolist())
