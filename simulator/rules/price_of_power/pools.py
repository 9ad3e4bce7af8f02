"""The pools of dice of a side and their chance tables (docs/rules/price_of_power.md sections 3.2 and 4).

A result is the number of a *roll*: icons that hit for infantry, cavalry and artillery, packed as a strength
(casualties.py), and above them tercios. Each pool has a table for every number of infantry, cavalry and artillery up to
the icons it can show. In each table rolls with equal hits are one result, so that exact odds have few transitions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import chain, product
from math import prod

import numpy as np

from simulator.engine.model.chance import LARGEST_RESULT, Row, Tables, from_rows, row_of
from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.casualties import TERCIOS, packed
from simulator.rules.price_of_power.dice import DICE, Dice, Icons, Pool, icons_shown, most_icons
from simulator.rules.price_of_power.forces import Side
from simulator.rules.price_of_power.model import General, LandPolicy

# Above these a pool gets one table for all numbers of units (a thousand different rolls or more).
MOST_WORK = 60_000_000
MOST_TABLES = 20_000
# Tables of pools with at most this many rolls are cached for the next battle.
MOST_KEPT = 10_000
# Rolls with one icon: for infantry, cavalry, artillery.
ONE_ICON = packed(1, 0, 0), packed(0, 1, 0), packed(0, 0, 1)


def pool_of(side: Side, base: str, leader: General | None, round_: int, led: bool = True) -> Pool:
    """The dice of a side in a round (section 3.2, step 1)."""
    options, drill = side.options, led and "military-drill" in side.fields.ideas
    dice = dict.fromkeys(DICE, 0) | {base: max(0, options.base_dice - drill * options.military_drill.dice)}
    played = side.fields.battle_actions
    in_force = [one for one in played if one.round == round_ or (one.round < round_ and not one.this_round_only)]
    for more in [side.fields.extra_dice, *in_force, *([leader] if leader else [])] if led else []:
        for die in DICE:
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
        ways = icons_shown(dice, pool, Icons(*map(min, side.start, most_icons(dice, pool)), 0))
        hits = np.minimum(np.indices(ways.shape).sum(axis=0) + side.automatic, side.units)
        return Fraction(sum(int(h) * int(way) for h, way in zip(hits.flat, ways.flat, strict=True)), int(ways.sum()))

    return max(("infantry", "cavalry"), key=expected_hits)


def pools_of(side: Side, dice: Dice, last: int) -> list[list[Pool]]:
    """Pools of a side in each round (columns); three rows a card: leader dead, leader alive, side not led."""
    rows = []
    for leader in (None, *side.leaders):
        base = base_type(side, dice, leader)
        for own, led in ((None, True), (leader, True), (None, False)):
            rows.append([pool_of(side, base, own, at, led) for at in range(1, last + 1)])
    return rows


def caps_of(side: Side, enemy: Side, dice: Dice, pools: list[list[Pool]]) -> Icons:
    """Caps on the icons of a side: more than its units, the wounds to deal or the ships to capture have no effect."""
    shown = map(max, zip(*(most_icons(dice, pool) for pool in {*chain(*pools)}), strict=True))
    tercios = max(4 if enemy.leaders else 0, min(enemy.units, side.supply))
    units = [0, 0, side.units] if side.sea else side.start
    return Icons(*map(min, shown, [*units, tercios]))


@dataclass
class TableSet:
    """Collects the chance tables and rolls of a battle."""

    dice: Dice
    rolls: dict[int, int] = field(default_factory=lambda: {0: 0})
    rows: list[Row] = field(default_factory=lambda: [row_of({0: 1})])

    def add(self, weights: Mapping[int, int]) -> int:
        """Index of a new table of cards or charges, whose results are not rolls."""
        self.rows.append(row_of(weights))
        return len(self.rows) - 1

    def add_pools(self, rows: list[list[Pool]], caps: Icons, pairs: bool) -> tuple[list[list[tuple[int, int]]], int]:
        """Tables of a side's pools, as `add_pool`; and the cap on its units, 0 where one table serves all numbers."""
        distinct = dict.fromkeys(chain(*rows))
        tables = len(distinct) * prod(cap + 1 for cap in caps[:3])
        each = tables <= MOST_TABLES and tables * prod(cap + 1 for cap in caps) <= MOST_WORK
        added = {pool: self.add_pool(pool, caps, each, pairs) for pool in distinct}
        return [[added[pool] for pool in row] for row in rows], packed(*caps[:3]) if each else 0

    def add_pool(self, pool: Pool, caps: Icons, each: bool, pairs: bool) -> tuple[int, int]:
        """Add the tables of a pool (see `rolls_of`); the index of the first, and the most icons it shows, packed."""
        first, numbers = len(self.rows), self.rolls
        shown = prod(cap + 1 for cap in caps) * (sum(caps[:3]) + 1 if each else 1)
        rolls_by_units = rolls_of if shown <= MOST_KEPT else rolls_of.__wrapped__
        for rolls, weight in rolls_by_units(tuple(self.dice.items()), pool, caps, each, pairs):
            results = np.array([numbers.setdefault(roll, len(numbers)) for roll in rolls])
            order = results.argsort()
            self.rows.append((results[order], weight[order]))
        return first, packed(*map(min, most_icons(self.dice, pool)[:3], caps))

    def close(self) -> tuple[Tables, np.ndarray]:
        """All tables, and the rolls by result (int64). Raises Refusal for too many rolls."""
        if len(self.rolls) > LARGEST_RESULT + 1:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        return from_rows(self.rows), np.array(list(self.rolls))


@lru_cache(maxsize=64)
def rolls_of(
    dice: tuple[tuple[str, tuple[Icons, ...]], ...], pool: Pool, caps: Icons, each: bool, pairs: bool
) -> list[tuple[list[int], np.ndarray]]:
    """Rolls of a pool and their chances: one table for all units, or (`each`) one for each number of units.

    `pairs`: only pairs of tercios count. Cached, since most battles roll the same dice.
    """
    ways = icons_shown(dict(dice), pool, caps)
    if pairs:
        odd = ways[..., 1::2]
        ways = ways[..., ::2].copy()
        ways[..., : odd.shape[-1]] += odd
    pair, many, flat = 2 if pairs else 1, ways.shape[-1], ways.ravel()
    if not each:
        *icons, tercios = ways.nonzero()
        return [((packed(*icons) | pair * tercios << TERCIOS).tolist(), flat[flat > 0] / flat.sum())]
    rolls_by_units, all_icons = [], np.ogrid[tuple(slice(number) for number in ways.shape)]
    for units in product(*(range(cap + 1) for cap in caps[:3])):
        # Rolls with equal hits are one: the roll with the first icons, of infantry, then of cavalry, that give them.
        roll_with_hits = [0, *np.repeat(ONE_ICON, units).cumsum().tolist()]
        shown = sum(np.minimum(number, own) for number, own in zip(all_icons, units, strict=False))
        weight = np.bincount((shown * many + all_icons[-1]).ravel(), flat)
        codes = weight.nonzero()[0]
        rolls = [roll_with_hits[code // many] | pair * (code % many) << TERCIOS for code in codes.tolist()]
        rolls_by_units.append((rolls, weight[codes] / weight[codes].sum()))
    return rolls_by_units
