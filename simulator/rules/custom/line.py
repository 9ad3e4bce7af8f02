"""The loss line of a side, and the places it can come to (docs/rules/custom_games.md sections 7 and 13).

Units that are in exactly the same targets form a block; the hits taken by each block say who still stands. A side's
*place* numbers these combinations; 0 is the start.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod

import numpy as np

from simulator.rules.custom.checks import MAIN_ROLLS
from simulator.rules.custom.format import OrderBySide, SelectorBySide
from simulator.rules.custom.setup import Setup, bits
from simulator.rules.custom.volleys import Standing

NOWHERE = 1 << 40


def by_side(given: str | list[str] | OrderBySide | SelectorBySide, side: str) -> str | list[str]:
    """A list or text for both sides, or that of one."""
    return getattr(given, side) if isinstance(given, OrderBySide | SelectorBySide) else given


def loss_order(setup: Setup, side: str) -> list[int]:
    """Units that may fight on the side, first lost first (section 7, step 1)."""
    able = list(bits(setup.sides[side].fights))
    wanted = getattr(setup.fields.policy, side).loss_order
    if wanted is None or wanted == "best":
        wanted = by_side(setup.file.losses.order, side)

    def mean(unit: int) -> int:
        roll = setup.roll_of(unit, MAIN_ROLLS[side])
        return roll.dice * setup.chance(roll.value, roll.reroll) if roll else 0

    def cost(unit: int) -> float:
        return setup.file.unit[setup.units[unit]].cost

    cheapest = sorted(able, key=lambda unit: (cost(unit), mean(unit), unit))
    if wanted == "weakest":
        order = sorted(able, key=lambda unit: (mean(unit), cost(unit), unit))
    elif wanted == "cheapest":
        order = cheapest
    else:
        listed = [setup.place[key] for key in wanted if setup.place[key] in able]
        order = listed + [unit for unit in cheapest if unit not in listed]
    last = setup.mask(by_side(setup.file.losses.last, side))
    return [u for u in order if not last >> u & 1] + [u for u in order if last >> u & 1]


def absorbs_first(setup: Setup, side: str, unit: int) -> bool:
    """Are the extra points of this unit taken before any unit is lost?"""
    wish = getattr(setup.fields.policy, side).absorb or setup.file.unit[setup.units[unit]].absorb
    return wish == "first"


def loss_line(setup: Setup, side: str) -> list[int]:
    """The unit of each point, first taken first (section 7, steps 2 to 4)."""
    counts = setup.sides[side].counts
    front: list[int] = []
    pieces: list[tuple[int, int]] = []
    for unit in loss_order(setup, side):
        hits = setup.file.unit[setup.units[unit]].hits
        first = absorbs_first(setup, side, unit)
        if first:
            front += [unit] * (counts[unit] * (hits - 1))
        pieces += [(unit, 1 if first else hits)] * counts[unit]
    kept: set[int] = set()
    for entry, number in getattr(setup.fields.policy, side).keep.items():
        mask = setup.mask([entry])
        matching = [i for i, (unit, _) in enumerate(pieces) if mask >> unit & 1]
        kept |= set(matching[-number:])
    ordered = [p for i, p in enumerate(pieces) if i not in kept] + [p for i, p in enumerate(pieces) if i in kept]
    return front + [unit for unit, points in ordered for _ in range(points)]


def chooses(setup: Setup, side: str) -> bool:
    """Does the side choose what it loses, so that each unit is a block of its own?"""
    return bool(getattr(setup.fields.policy, side).loss_order == "best")


class Places:
    """The places of a side, and what stands in each; arrays by place.

    `taken` counts the hits on each unit, `lost` and `left` its pieces; `gone` is the place where everybody is lost.
    """

    def __init__(self, setup: Setup, side: str, line: Sequence[int]) -> None:
        self.setup, self.side, self.line = setup, side, line
        own, enemy = setup.sides[side], setup.sides[setup.sides[side].enemy]
        self.own = own
        points = np.array(line, np.int64)
        units = sorted(set(line))
        targets = sorted({shot.targets for shot in enemy.shots.values() if shot.eligible})
        alike: dict[tuple[bool, ...], list[int]] = {}
        chosen = chooses(setup, side)
        for unit in units:
            hit = tuple(bool(mask >> unit & 1) for mask in targets)
            alike.setdefault((*hit, *((chosen and unit == other) for other in units if any(hit))), []).append(unit)
        self.blocks = [sum(1 << u for u in block) for hit, block in alike.items() if any(hit)]
        self.at = [np.flatnonzero([block >> unit & 1 for unit in line]) for block in self.blocks]
        self.sizes = [len(at) + 1 for at in self.at]
        self.strides = [prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))]
        self._count(points, units)

    @staticmethod
    def number(setup: Setup, side: str, line: Sequence[int]) -> int:
        """How many places there would be."""
        enemy = setup.sides[setup.sides[side].enemy]
        targets = sorted({shot.targets for shot in enemy.shots.values() if shot.eligible})
        sizes: dict[tuple[tuple[bool, ...], int], int] = {}
        for unit in line:
            hit = tuple(bool(mask >> unit & 1) for mask in targets)
            key = (hit, unit if chooses(setup, side) else 0)
            sizes[key] = sizes.get(key, 1) + any(hit)
        found = 1
        for size in sizes.values():
            found *= size
        return found

    def _count(self, points: np.ndarray, units: Sequence[int]) -> None:
        setup, counts = self.setup, np.array(self.own.counts, np.int64)
        fighting = np.array([self.own.fights >> u & 1 for u in range(len(counts))], np.int64)
        hits = np.array([setup.file.unit[key].hits for key in setup.units], np.int64)
        first = np.array([absorbs_first(setup, self.side, u) for u in range(len(counts))])
        size = prod(self.sizes)
        self.digits = [np.arange(size) // stride % wide for stride, wide in zip(self.strides, self.sizes, strict=True)]
        taken = np.zeros((size, len(counts)), np.int64)
        for block, at, digit in zip(self.blocks, self.at, self.digits, strict=True):
            for unit in bits(block):
                taken[:, unit] = np.concatenate([[0], np.cumsum(points[at] == unit)])[digit]
        everything = counts * fighting * hits
        if not np.array_equal(taken[-1], everything):
            taken = np.vstack([taken, everything])
        self.gone = len(taken) - 1
        self.taken = taken
        lost = np.where(first, np.maximum(0, taken - counts * (hits - 1)), taken // hits)
        self.lost = lost
        self.left = counts * fighting - lost
        self.damage = taken - hits * lost
        self.units = self.left.sum(axis=1)
        alone = np.array([self._alone >> u & 1 for u in range(len(counts))])
        self.alone = (self.units > 0) & ((self.left * (1 - alone)).sum(axis=1) == 0)

    @property
    def _alone(self) -> int:
        return self.setup.mask(by_side(self.setup.file.losses.removed_alone, self.side))

    def __len__(self) -> int:
        return self.gone + 1

    def lost_after(self, unit: int, taken: int) -> int:
        """Pieces of a unit that are lost after so many hits on it (section 7)."""
        hits = self.setup.file.unit[self.setup.units[unit]].hits
        if absorbs_first(self.setup, self.side, unit):
            return max(0, taken - self.own.counts[unit] * (hits - 1))
        return taken // hits

    def after_hit(self, targets: int) -> np.ndarray:
        """The place after one hit on anybody in `targets`: the first point of the line that may take it."""
        size = prod(self.sizes)
        nearest, moved = np.full(size, NOWHERE), np.zeros(size, np.int64)
        for block, at, stride, digit in zip(self.blocks, self.at, self.strides, self.digits, strict=True):
            if block & targets:
                position = np.append(at, NOWHERE)[digit]
                moved = np.where(position < nearest, stride, moved)
                nearest = np.minimum(nearest, position)
        return np.append(np.arange(size) + moved, np.full(len(self) - size, self.gone))

    @cached_property
    def standings(self) -> list[Standing]:
        """What stands in each place, those who support included."""
        supports = [c if self.own.supporters >> u & 1 else 0 for u, c in enumerate(self.own.counts)]
        found = []
        for row in self.left.tolist():
            counts = [own + support for own, support in zip(row, supports, strict=True)]
            mask = sum(1 << u for u, count in enumerate(counts) if count)
            found.append(Standing(counts, mask, mask & self.own.fights))
        return found
