"""What a side rolls: its pools of dice and their chance tables (rules/price_of_power.md sections 3.2 and 4).

A result is the number of a *roll*: icons that count for infantry, cavalry and artillery, and tercios. Rolls that give
the units at hand the same hits are one result, which keeps exact odds quick: each pool has a table for every number
of infantry, cavalry and artillery that its icons can still tell apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from simulator.engine.chance import LARGEST_RESULT, Tables, from_rows
from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.casualties import BITS
from simulator.rules.price_of_power.dice import DICE, Caps, Face, Pool, dice_of, icons_shown, most_icons
from simulator.rules.price_of_power.forces import Leader, Side

# Above this much work a pool gets one table for all numbers of units instead (a thousand dice results or more).
MOST_WORK = 60_000_000
MOST_TABLES = 20_000
ALIVE, NO_LEADER, UNLED = 1, 0, 2


def icon_dice(options: Any) -> Mapping[str, tuple[Face, ...]]:
    """The dice of this scenario."""
    return dice_of(options.dice.model_dump())


def in_force(side: Side, round_: int) -> list[Any]:
    """Battle actions whose dice are rolled in a round (section 3.2, step 1)."""
    return [
        action
        for action in side.fields.battle_actions
        if (action.round == round_ if action.this_round_only else action.round <= round_)
    ]


def pool_of(side: Side, options: Any, base: str, leader: Leader | None, round_: int, led: bool = True) -> Pool:
    """The dice of a side in a round (section 3.2, step 1)."""
    dice = dict.fromkeys(DICE, 0)
    drill = led and "military-drill" in side.ideas
    dice[base] = max(0, options.base_dice - (options.military_drill.dice if drill else 0))
    if led:
        for more in [side.fields.extra_dice, *in_force(side, round_), *([leader] if leader else [])]:
            for die in DICE:
                dice[die] += getattr(more, die)
    doubled = led and bool(side.ideas & {"tercios", "line-infantry"})
    return Pool(dice["infantry"], dice["cavalry"], dice["artillery"], 2 if doubled else 1)


def automatic_hits(side: Side, options: Any) -> int:
    """Hits in every roll while led, those of heavy ships not included."""
    drill = options.military_drill.hits if "military-drill" in side.ideas else 0
    return side.fields.automatic_hits + drill


def base_type(side: Side, options: Any, leader: Leader | None) -> str:
    """Type of the base dice; `best-expected` compares the first roll of the starting units (section 2, `base_dice`)."""
    if side.sea:
        return "artillery"
    if side.policy.base_dice != "best-expected":
        return side.policy.base_dice
    infantry, cavalry = (expected_hits(side, options, base, leader) for base in ("infantry", "cavalry"))
    return "cavalry" if cavalry > infantry else "infantry"


def expected_hits(side: Side, options: Any, base: str, leader: Leader | None) -> Fraction:
    """Expected hits of the first roll of the starting units."""
    pool = pool_of(side, options, base, leader, 1)
    dice = icon_dice(options)
    units = [min(side.of_type(which), most) for which, most in enumerate(most_icons(dice, pool)[:3])]
    ways = icons_shown(dice, pool, Caps(*units, 0))[..., 0]
    icons = np.add.outer(np.add.outer(np.arange(units[0] + 1), np.arange(units[1] + 1)), np.arange(units[2] + 1))
    hits = np.minimum(icons + automatic_hits(side, options), side.units)
    total = sum(int(hit) * int(way) for hit, way in zip(hits.flat, ways.flat, strict=True) if way)
    return Fraction(total, int(ways.sum()))


def last_round(sides: tuple[Side, Side], max_rounds: int) -> int:
    """The last round in which anything depends on the round (section 3.4)."""
    rounds = [1, max_rounds]
    for side in sides:
        if side.policy.retreat == "after-round":
            rounds.append(side.policy.retreat_at)
        rounds += [action.round + action.this_round_only for action in side.fields.battle_actions]
    return max(rounds)


def pools_of(side: Side, options: Any, last: int) -> list[list[Pool]]:
    """Pools of a side for each condition and round: row 3 * card + condition, column round - 1.

    Conditions are NO_LEADER (none, or dead), ALIVE and UNLED.
    """
    rows = []
    for leader in (None, *side.leaders):
        base = base_type(side, options, leader)
        for condition in (NO_LEADER, ALIVE, UNLED):
            rows.append(
                [
                    pool_of(side, options, base, leader if condition == ALIVE else None, at, condition != UNLED)
                    for at in range(1, last + 1)
                ]
            )
    return rows


@dataclass
class TableSet:
    """Chance tables and rolls of a battle under construction; table 0 is certain."""

    dice: Mapping[str, tuple[Face, ...]]
    rolls: dict[tuple[int, int, int, int], int] = field(default_factory=lambda: {(0, 0, 0, 0): 0})
    rows: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=lambda: [(np.zeros(1), np.ones(1))])

    def number(self, roll: tuple[int, int, int, int]) -> int:
        """The number of a roll: infantry, cavalry, artillery icons that count, and tercios."""
        return self.rolls.setdefault(roll, len(self.rolls))

    def add(self, weights: Mapping[int, int]) -> int:
        """A table whose results mean something else; its index."""
        total = sum(weights.values())
        values = sorted(weights)
        self.rows.append((np.array(values), np.array([weights[value] / total for value in values])))
        return len(self.rows) - 1

    def add_pool(self, pool: Pool, caps: Caps, each: bool, pairs: bool) -> int:
        """Tables of a pool: one for all units, or (`each`) one for each number of them; the first one's index.

        `pairs`: only pairs of tercios matter.
        """
        ways = icons_shown(self.dice, pool, caps)
        first = len(self.rows)
        tercios = np.arange(caps.tercios + 1)
        if pairs:
            tercios -= tercios % 2
        if each:
            for units in product(*(range(cap + 1) for cap in caps[:3])):
                self._add_for(ways, units, tercios)
        else:
            self._add_whole(ways, tercios)
        return first

    def _add_for(self, ways: np.ndarray, units: tuple[int, ...], tercios: np.ndarray) -> None:
        """The table for a number of units: rolls that give the same hits are one."""
        capped = [np.minimum(np.arange(size), own) for size, own in zip(ways.shape, units, strict=False)]
        hits = np.add.outer(np.add.outer(capped[0], capped[1]), capped[2])
        code = hits[..., None] * len(tercios) + tercios
        weight = np.bincount(code.ravel(), ways.ravel())
        seen = np.flatnonzero(weight)
        results = [
            self.number((*filled(int(value) // len(tercios), units), int(value) % len(tercios))) for value in seen
        ]
        self._append(np.array(results), weight[seen])

    def _add_whole(self, ways: np.ndarray, tercios: np.ndarray) -> None:
        """The one table for all numbers of units."""
        merged = np.zeros_like(ways)
        for place, value in enumerate(tercios):
            merged[..., value] += ways[..., place]
        seen = np.argwhere(merged)
        results = [self.number(tuple(int(icons) for icons in roll)) for roll in seen]
        self._append(np.array(results), merged[tuple(seen.T)])

    def _append(self, results: np.ndarray, weight: np.ndarray) -> None:
        order = np.argsort(results)
        self.rows.append((results[order], weight[order] / weight.sum()))

    def close(self) -> tuple[Tables, np.ndarray, np.ndarray]:
        """All tables, and for each roll its icons (ten bits for each type) and its tercios."""
        if len(self.rolls) > LARGEST_RESULT + 1:
            raise Refusal("options.dice", "these dice have too many different results; give fewer dice or icons")
        rolls = np.array(list(self.rolls))
        icons = rolls[:, 0] | rolls[:, 1] << BITS | rolls[:, 2] << 2 * BITS
        return from_rows(self.rows), icons.astype(np.int32), rolls[:, 3].astype(np.int32)


def filled(hits: int, units: tuple[int, ...]) -> tuple[int, int, int]:
    """Icons that give these units so many hits."""
    infantry = min(hits, units[0])
    cavalry = min(hits - infantry, units[1])
    return infantry, cavalry, hits - infantry - cavalry


def caps_of(side: Side, enemy: Side, dice: Mapping[str, tuple[Face, ...]], pools: set[Pool]) -> Caps:
    """The most of each icon that can matter to this side: own units, wounds to deal, ships to capture."""
    most = [max(values) for values in zip(*(most_icons(dice, pool) for pool in pools), strict=True)]
    units = [0, 0, side.units] if side.sea else [side.of_type(which) for which in range(3)]
    tercios = 4 if enemy.leaders else 0
    if side.sea and side.has_player:
        tercios = max(tercios, min(enemy.units, side.fields.ships_in_supply))
    return Caps(*(min(pair) for pair in zip(most, [*units, tercios], strict=True)))


def worth_each(caps: Caps, pools: int) -> bool:
    """Is a table for each number of units affordable?"""
    tables = pools * (caps.infantry + 1) * (caps.cavalry + 1) * (caps.artillery + 1)
    return tables <= MOST_TABLES and tables * int(np.prod(np.array(caps) + 1)) <= MOST_WORK
