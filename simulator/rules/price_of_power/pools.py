"""What a side rolls: its pools of dice and their chance tables (docs/rules/price_of_power.md sections 3.2 and 4).

A result is the number of a *roll*: icons that count for infantry, cavalry and artillery, and tercios. Rolls that give
the units at hand the same hits are one result, which keeps exact odds quick: each pool has a table for every number
of infantry, cavalry and artillery that its icons can still tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import prod

import numpy as np

from simulator.engine.chance import LARGEST_RESULT, Row, Tables, from_rows, row_of
from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.dice import DICE, Dice, Face, Icons, Pool, icons_shown, most_icons
from simulator.rules.price_of_power.forces import Side
from simulator.rules.price_of_power.model import General, LandPolicy, Options

# Above this much work a pool gets one table for all numbers of units instead (a thousand dice results or more).
MOST_WORK = 60_000_000
MOST_TABLES = 20_000
# The tables of a pool with no more rolls are kept for the next battle.
MOST_KEPT = 10_000

Roll = tuple[int, int, int, int]


def pool_of(side: Side, options: Options, base: str, leader: General | None, round_: int, led: bool = True) -> Pool:
    """The dice of a side in a round (section 3.2, step 1)."""
    drill = led and "military-drill" in side.fields.ideas
    dice = dict.fromkeys(DICE, 0) | {base: max(0, options.base_dice - drill * options.military_drill.dice)}
    in_force = [
        action
        for action in side.fields.battle_actions
        if action.round == round_ or (action.round < round_ and not action.this_round_only)
    ]
    for more in [side.fields.extra_dice, *in_force, *([leader] if leader else [])] if led else []:
        for die in DICE:
            dice[die] += getattr(more, die)
    doubled = led and not {"tercios", "line-infantry"}.isdisjoint(side.fields.ideas)
    return Pool(**dice, tercios_worth=2 if doubled else 1)


def automatic_hits(side: Side, options: Options) -> int:
    """Hits in every roll while led, those of heavy ships not included."""
    return side.fields.automatic_hits + ("military-drill" in side.fields.ideas) * options.military_drill.hits


def base_type(side: Side, options: Options, dice: Dice, leader: General | None) -> str:
    """Type of the base dice; `best-expected` compares the first roll of the starting units (section 2, `base_dice`)."""
    if not isinstance(side.policy, LandPolicy):
        return "artillery"
    if side.policy.base_dice != "best-expected":
        return side.policy.base_dice
    pools = (pool_of(side, options, base, leader, 1) for base in ("infantry", "cavalry"))
    infantry, cavalry = (expected_hits(side, pool, dice, automatic_hits(side, options)) for pool in pools)
    return "cavalry" if cavalry > infantry else "infantry"


def icon_counts(caps: Icons) -> list[np.ndarray]:
    """All numbers of infantry, cavalry and artillery icons up to their caps, along three axes."""
    return np.ogrid[: caps.infantry + 1, : caps.cavalry + 1, : caps.artillery + 1]


def expected_hits(side: Side, pool: Pool, dice: Dice, automatic: int) -> Fraction:
    """Expected hits of the starting units on land with a pool."""
    caps = Icons(*map(min, side.start, most_icons(dice, pool)), 0)
    ways = icons_shown(dice, pool, caps)[..., 0]
    hits = np.minimum(sum(icon_counts(caps)) + automatic, side.units)
    return Fraction(sum(int(h) * int(way) for h, way in zip(hits.flat, ways.flat, strict=True)), int(ways.sum()))


def pools_of(side: Side, options: Options, dice: Dice, last: int) -> list[list[Pool]]:
    """Pools of a side in each round; three rows a card: its leader dead, alive, his side unled."""
    rows = []
    for leader in (None, *side.leaders):
        base = base_type(side, options, dice, leader)
        for own, led in ((None, True), (leader, True), (None, False)):
            rows.append([pool_of(side, options, base, own, at, led) for at in range(1, last + 1)])
    return rows


def caps_of(side: Side, enemy: Side, dice: Dice, pools: list[Pool]) -> Icons:
    """The most of each icon that can matter to this side: own units, wounds to deal, ships to capture."""
    shown = [max(values) for values in zip(*(most_icons(dice, pool) for pool in pools), strict=True)]
    tercios = max(4 if enemy.leaders else 0, min(enemy.units, side.supply))
    units = [0, 0, side.units] if side.sea else side.start
    return Icons(*map(min, shown, [*units, tercios]))


def worth_each(caps: Icons, pools: int) -> bool:
    """Is a table for each number of units affordable?"""
    tables = pools * (caps.infantry + 1) * (caps.cavalry + 1) * (caps.artillery + 1)
    return tables <= MOST_TABLES and tables * int(np.prod(np.array(caps) + 1)) <= MOST_WORK


@dataclass
class TableSet:
    """Chance tables and rolls of a battle under construction; table 0 is certain."""

    dice: Dice
    rolls: dict[Roll, int] = field(default_factory=lambda: {(0, 0, 0, 0): 0})
    rows: list[Row] = field(default_factory=lambda: [row_of({0: 1})])

    def number(self, roll: Roll) -> int:
        """The number of a roll: infantry, cavalry, artillery icons that count, and tercios."""
        return self.rolls.setdefault(roll, len(self.rolls))

    def add(self, weights: Mapping[int, int]) -> int:
        """A table whose results mean something else; its index."""
        self.rows.append(row_of(weights))
        return len(self.rows) - 1

    def add_pool(self, pool: Pool, caps: Icons, each: bool, pairs: bool) -> int:
        """Tables of a pool, as `rolls_of`; the first one's index."""
        first, numbers = len(self.rows), self.rolls
        shown = prod(cap + 1 for cap in caps) * (sum(caps[:3]) + 1 if each else 1)
        made = rolls_of if shown <= MOST_KEPT else rolls_of.__wrapped__
        for rolls, weight in made(tuple(self.dice.items()), pool, caps, each, pairs):
            results = np.array([numbers.setdefault(roll, len(numbers)) for roll in rolls])
            order = results.argsort()
            self.rows.append((results[order], weight[order]))
        return first

    def close(self) -> tuple[Tables, np.ndarray]:
        """All tables, and the rolls. Raises Refusal for too many."""
        if len(self.rolls) > LARGEST_RESULT + 1:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        return from_rows(self.rows), np.array(list(self.rolls))


@lru_cache(maxsize=64)
def rolls_of(
    dice: tuple[tuple[str, tuple[Face, ...]], ...], pool: Pool, caps: Icons, each: bool, pairs: bool
) -> list[tuple[list[Roll], np.ndarray]]:
    """Rolls of a pool and their chances: one table for all units, or (`each`) one for each number of them.

    `pairs`: only pairs of tercios matter. Kept, since most battles of an evening roll the same dice.
    """
    ways = icons_shown(dict(dice), pool, caps)
    if pairs:
        odd = ways[..., 1::2]
        ways = ways[..., ::2].copy()
        ways[..., : odd.shape[-1]] += odd
    tercios, many = 2 if pairs else 1, ways.shape[-1]
    icons, each_tercios, flat = icon_counts(caps), np.arange(many), ways.ravel()
    if not each:
        seen = np.argwhere(ways)
        return [([(f, h, a, tercios * t) for f, h, a, t in seen.tolist()], ways[tuple(seen.T)] / ways.sum())]
    found = []
    for units in product(*(range(cap + 1) for cap in caps[:3])):
        # Rolls that give these units the same hits are one.
        hits = sum(np.minimum(number, own) for number, own in zip(icons, units, strict=True))
        weight = np.bincount((hits[..., None] * many + each_tercios).ravel(), flat)
        codes = weight.nonzero()[0]
        rolls = [(*filled(c // many, units), tercios * (c % many)) for c in codes.tolist()]
        found.append((rolls, weight[codes] / weight[codes].sum()))
    return found


def filled(hits: int, units: tuple[int, ...]) -> tuple[int, int, int]:
    """Icons that give these units so many hits."""
    infantry = min(hits, units[0])
    cavalry = min(hits - infantry, units[1])
    return infantry, cavalry, hits - infantry - cavalry
