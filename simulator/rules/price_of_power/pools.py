"""What a side rolls: its pools of dice and their chance tables (docs/rules/price_of_power.md sections 3.2 and 4).

A result is the number of a *roll*: icons that count for infantry, cavalry and artillery, and tercios. Rolls that give
the units at hand the same hits are one result, which keeps exact odds quick: each pool has a table for every number
of infantry, cavalry and artillery that its icons can still tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

import numpy as np

from simulator.engine.chance import LARGEST_RESULT, Row, Tables, from_rows
from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.dice import DICE, Caps, Dice, Pool, icons_shown, most_icons
from simulator.rules.price_of_power.forces import Leader, Side
from simulator.rules.price_of_power.model import LandPolicy, Options, SeaSide

# Above this much work a pool gets one table for all numbers of units instead (a thousand dice results or more).
MOST_WORK = 60_000_000
MOST_TABLES = 20_000

Roll = tuple[int, int, int, int]


def pool_of(side: Side, options: Options, base: str, leader: Leader | None, round_: int, led: bool = True) -> Pool:
    """The dice of a side in a round (section 3.2, step 1)."""
    dice = dict.fromkeys(DICE, 0)
    drill = led and "military-drill" in side.ideas
    dice[base] = max(0, options.base_dice - (options.military_drill.dice if drill else 0))
    if led:
        in_force = [
            action
            for action in side.fields.battle_actions
            if action.round == round_ or (action.round < round_ and not action.this_round_only)
        ]
        for more in [side.fields.extra_dice, *in_force, *([leader] if leader else [])]:
            for die in DICE:
                dice[die] += getattr(more, die)
    doubled = led and bool(side.ideas & {"tercios", "line-infantry"})
    return Pool(dice["infantry"], dice["cavalry"], dice["artillery"], 2 if doubled else 1)


def automatic_hits(side: Side, options: Options) -> int:
    """Hits in every roll while led, those of heavy ships not included."""
    drill = options.military_drill.hits if "military-drill" in side.ideas else 0
    return side.fields.automatic_hits + drill


def base_type(side: Side, options: Options, dice: Dice, leader: Leader | None) -> str:
    """Type of the base dice; `best-expected` compares the first roll of the starting units (section 2, `base_dice`)."""
    if not isinstance(side.policy, LandPolicy):
        return "artillery"
    if side.policy.base_dice != "best-expected":
        return side.policy.base_dice
    infantry, cavalry = (
        expected_hits(side, pool_of(side, options, base, leader, 1), dice, automatic_hits(side, options))
        for base in ("infantry", "cavalry")
    )
    return "cavalry" if cavalry > infantry else "infantry"


def expected_hits(side: Side, pool: Pool, dice: Dice, automatic: int) -> Fraction:
    """Expected hits of the starting units on land with a pool."""
    units = [min(side.of_type(which), most) for which, most in enumerate(most_icons(dice, pool)[:3])]
    ways = icons_shown(dice, pool, Caps(*units, 0))[..., 0]
    icons = np.add.outer(np.add.outer(np.arange(units[0] + 1), np.arange(units[1] + 1)), np.arange(units[2] + 1))
    hits = np.minimum(icons + automatic, side.units)
    total = sum(int(hit) * int(way) for hit, way in zip(hits.flat, ways.flat, strict=True) if way)
    return Fraction(total, int(ways.sum()))


def pools_of(side: Side, options: Options, dice: Dice, last: int) -> list[list[Pool]]:
    """Pools of a side in each round; three rows a card: its leader dead, alive, his side unled."""
    rows = []
    for leader in (None, *side.leaders):
        base = base_type(side, options, dice, leader)
        for own, led in ((None, True), (leader, True), (None, False)):
            rows.append([pool_of(side, options, base, own, at, led) for at in range(1, last + 1)])
    return rows


def caps_of(side: Side, enemy: Side, dice: Dice, pools: list[Pool]) -> Caps:
    """The most of each icon that can matter to this side: own units, wounds to deal, ships to capture."""
    shown = [max(values) for values in zip(*(most_icons(dice, pool) for pool in pools), strict=True)]
    tercios = 4 if enemy.leaders else 0
    if isinstance(side.fields, SeaSide) and side.has_player:
        tercios = max(tercios, min(enemy.units, side.fields.ships_in_supply))
    units = [0, 0, side.units] if side.sea else [side.of_type(which) for which in range(3)]
    return Caps(*(min(pair) for pair in zip(shown, [*units, tercios], strict=True)))


def worth_each(caps: Caps, pools: int) -> bool:
    """Is a table for each number of units affordable?"""
    tables = pools * (caps.infantry + 1) * (caps.cavalry + 1) * (caps.artillery + 1)
    return tables <= MOST_TABLES and tables * int(np.prod(np.array(caps) + 1)) <= MOST_WORK


@dataclass
class TableSet:
    """Chance tables and rolls of a battle under construction; table 0 is certain."""

    dice: Dice
    rolls: dict[Roll, int] = field(default_factory=lambda: {(0, 0, 0, 0): 0})
    rows: list[Row] = field(default_factory=lambda: [(np.zeros(1), np.ones(1))])

    def number(self, roll: Roll) -> int:
        """The number of a roll: infantry, cavalry, artillery icons that count, and tercios."""
        return self.rolls.setdefault(roll, len(self.rolls))

    def add(self, weights: Mapping[int, int]) -> int:
        """A table whose results mean something else; its index."""
        values = sorted(weights)
        ways = np.array([weights[value] for value in values], float)
        self.rows.append((np.array(values), ways / ways.sum()))
        return len(self.rows) - 1

    def add_pool(self, pool: Pool, caps: Caps, each: bool, pairs: bool) -> int:
        """Tables of a pool: one for all units, or (`each`) one for each number of them; the first one's index.

        `pairs`: only pairs of tercios matter.
        """
        ways, first = icons_shown(self.dice, pool, caps), len(self.rows)
        if pairs:
            odd = ways[..., 1::2]
            ways = ways[..., ::2].copy()
            ways[..., : odd.shape[-1]] += odd
        tercios = 2 if pairs else 1
        if not each:
            seen = np.argwhere(ways)
            rolls = [(f, h, a, tercios * t) for f, h, a, t in seen.tolist()]
            self._append(rolls, ways[tuple(seen.T)])
        for units in product(*(range(cap + 1) for cap in caps[:3])) if each else ():
            # Rolls that give these units the same hits are one.
            capped = [np.minimum(np.arange(cap + 1), own) for cap, own in zip(caps, units, strict=False)]
            hits = np.add.outer(np.add.outer(capped[0], capped[1]), capped[2])
            code = hits[..., None] * ways.shape[-1] + np.arange(ways.shape[-1])
            weight = np.bincount(code.ravel(), ways.ravel())
            codes = np.flatnonzero(weight)
            rolls = [(*filled(c // ways.shape[-1], units), tercios * (c % ways.shape[-1])) for c in codes.tolist()]
            self._append(rolls, weight[codes])
        return first

    def _append(self, rolls: list[Roll], weight: np.ndarray) -> None:
        """A table of rolls."""
        results = np.array([self.number(roll) for roll in rolls])
        order = np.argsort(results)
        self.rows.append((results[order], weight[order] / weight.sum()))

    def close(self) -> tuple[Tables, np.ndarray]:
        """All tables, and the rolls."""
        if len(self.rolls) > LARGEST_RESULT + 1:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        return from_rows(self.rows), np.array(list(self.rolls))


def filled(hits: int, units: tuple[int, ...]) -> tuple[int, int, int]:
    """Icons that give these units so many hits."""
    infantry = min(hits, units[0])
    cavalry = min(hits - infantry, units[1])
    return infantry, cavalry, hits - infantry - cavalry
