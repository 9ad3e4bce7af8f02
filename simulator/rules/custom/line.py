"""The loss line of a side, and the places it can come to (docs/rules/custom_games.md sections 7 and 13).

Units that are in exactly the same targets form a block; the hits taken by each block say who still stands. A side's
*place* numbers these combinations; 0 is the start.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, lru_cache
from math import prod

import numpy as np

from simulator.rules.custom.checks import MAIN_ROLLS, part_of
from simulator.rules.custom.format import GameFile, OrderBySide, SelectorBySide
from simulator.rules.custom.setup import Setup, chance_at, mask_of, roll_of
from simulator.rules.custom.volleys import Standing

NOWHERE = 1 << 40


def by_side(given: str | list[str] | OrderBySide | SelectorBySide, side: str) -> str | list[str]:
    """A list or text for both sides, or that of one."""
    return getattr(given, side) if isinstance(given, OrderBySide | SelectorBySide) else given


def loss_order(setup: Setup, side: str) -> list[int]:
    """Units that may fight on the side, first lost first (section 7, step 1)."""
    wanted = getattr(setup.fields.policy, side).loss_order
    if wanted is None or wanted == "best":
        wanted = by_side(setup.file.losses.order, side)
    return _order(setup.file, setup.kind_name, side, wanted if isinstance(wanted, str) else tuple(wanted))


@lru_cache(maxsize=512)
def _order(file: GameFile, kind: str, side: str, wanted: str | tuple[str, ...]) -> list[int]:
    units = list(file.unit)
    able = [unit for unit, key in enumerate(units) if key in part_of(file, kind, side)[0]]

    def mean(unit: int) -> int:
        roll = roll_of(file, unit, MAIN_ROLLS[side])
        return roll.dice * chance_at(file, roll.value, roll.reroll) if roll else 0

    def cost(unit: int) -> float:
        return file.unit[units[unit]].cost

    cheapest = sorted(able, key=lambda unit: (cost(unit), mean(unit), unit))
    if wanted == "weakest":
        order = sorted(able, key=lambda unit: (mean(unit), cost(unit), unit))
    elif wanted == "cheapest":
        order = cheapest
    else:
        listed = [units.index(key) for key in wanted if units.index(key) in able]
        order = listed + [unit for unit in cheapest if unit not in listed]
    last = mask_of(file, tuple(by_side(file.losses.last, side)))
    return [u for u in order if not last >> u & 1] + [u for u in order if last >> u & 1]


def absorbs_first(setup: Setup, side: str, unit: int) -> bool:
    """Are the extra points of this unit taken before any unit is lost?"""
    wish = getattr(setup.fields.policy, side).absorb or setup.file.unit[setup.units[unit]].absorb
    return wish == "first"


def loss_line(setup: Setup, side: str, numbers: Sequence[int] | None = None) -> list[int]:
    """The unit of each point, first taken first (section 7, steps 2 to 4), for other `numbers` of units if given."""
    counts = setup.sides[side].counts if numbers is None else numbers
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


@lru_cache(maxsize=256)
def _hits_of(file: GameFile) -> np.ndarray:
    """The hits that a piece of each unit takes."""
    return np.array([unit.hits for unit in file.unit.values()], np.int64)


class Places:
    """The places of a side, and what stands in each; arrays by place.

    `taken` counts the hits on each unit, `lost` and `left` its pieces; `gone` is the place where everybody is lost.
    `several`: may the side begin in another place than 0?
    """

    several = False

    def __init__(self, setup: Setup, side: str, line: Sequence[int]) -> None:
        self.setup, self.side, self.line = setup, side, line
        self.own = setup.sides[side]
        points = np.array(line, np.int64)
        self.blocks = _blocks(setup, side, line)
        self.at = [np.flatnonzero([block >> unit & 1 for unit in line]) for block in self.blocks]
        self.sizes = [len(at) + 1 for at in self.at]
        self.strides = [prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))]
        self._count(points)

    @staticmethod
    def number(setup: Setup, side: str, line: Sequence[int]) -> int:
        """How many places there would be."""
        return prod(1 + sum(block >> unit & 1 for unit in line) for block in _blocks(setup, side, line))

    def _count(self, points: np.ndarray) -> None:
        setup, own, units = self.setup, self.own, len(self.own.counts)
        there = np.array([count if own.fights >> u & 1 else 0 for u, count in enumerate(own.counts)], np.int64)
        hits = _hits_of(setup.file)
        size = prod(self.sizes)
        self.digits = [np.arange(size) // stride % wide for stride, wide in zip(self.strides, self.sizes, strict=True)]
        taken = np.zeros((size, units), np.int64)
        for at, digit in zip(self.at, self.digits, strict=True):
            hit = np.zeros((len(at) + 1, units), np.int64)
            hit[np.arange(1, len(at) + 1), points[at]] = 1
            taken += hit.cumsum(axis=0)[digit]
        everything = there * hits
        if (taken[-1] != everything).any():
            taken = np.vstack([taken, everything])
        self.gone = len(taken) - 1
        self.taken = self.lost = taken
        if max(hits.tolist()) > 1:
            first = np.array([absorbs_first(setup, self.side, u) for u in range(units)])
            self.lost = np.where(first, np.maximum(0, taken - there * (hits - 1)), taken // hits)
        self.left = there - self.lost
        self.units = self.left.sum(axis=1)
        self.alone = np.zeros(len(taken), bool)
        if removed := setup.mask(by_side(setup.file.losses.removed_alone, self.side)) & own.present:
            stays = np.array([1 - (removed >> u & 1) for u in range(units)])
            self.alone = (self.units > 0) & (self.left @ stays == 0)

    @cached_property
    def damage(self) -> np.ndarray:
        """Hits on each unit that have not cost a piece."""
        return self.taken - _hits_of(self.setup.file) * self.lost

    def __len__(self) -> int:
        return self.gone + 1

    def lost_after(self, unit: int, taken: int) -> int:
        """Pieces of a unit that are lost after so many hits on it (section 7)."""
        hits = self.setup.file.unit[self.setup.units[unit]].hits
        if absorbs_first(self.setup, self.side, unit):
            return max(0, taken - self.own.counts[unit] * (hits - 1))
        return taken // hits

    @cached_property
    def _powers(self) -> dict[int, np.ndarray]:
        return {}

    def after_hits(self, targets: int) -> np.ndarray:
        """The places after 1, 2, 4, 8, ... hits on anybody in `targets`, row by row."""
        if targets not in self._powers:
            rows = [self.after_hit(targets)]
            while 2 ** len(rows) <= len(self.line):
                rows.append(rows[-1][rows[-1]])
            self._powers[targets] = np.array(rows)
        return self._powers[targets]

    def after_hit(self, targets: int) -> np.ndarray:
        """The place after one hit on anybody in `targets`: the first point of the line that may take it."""
        size = prod(self.sizes)
        hit = [k for k, block in enumerate(self.blocks) if block & targets]
        if len(hit) == 1:
            moved = self.strides[hit[0]] * (self.digits[hit[0]] < len(self.at[hit[0]]))
        else:
            nearest, moved = np.full(size, NOWHERE), np.zeros(size, np.int64)
            for k in hit:
                position = np.append(self.at[k], NOWHERE)[self.digits[k]]
                moved = np.where(position < nearest, self.strides[k], moved)
                nearest = np.minimum(nearest, position)
        after = np.full(len(self), self.gone)
        after[:size] = np.arange(size) + moved
        return after

    @cached_property
    def standings(self) -> list[Standing]:
        """What stands in each place, those who support included."""
        supports = [c if self.own.supporters >> u & 1 else 0 for u, c in enumerate(self.own.counts)]
        return self._standing(self.left + np.array(supports, np.int64))

    def _standing(self, there: np.ndarray) -> list[Standing]:
        """What stands in each place, from the numbers of each unit there."""
        masks = (there > 0) @ np.array([1 << u for u in range(there.shape[1])], np.uint64)
        fights = self.own.fights
        return [
            Standing(counts, mask, mask & fights) for counts, mask in zip(there.tolist(), masks.tolist(), strict=True)
        ]


def aimed_at(setup: Setup, side: str) -> list[int]:
    """At whom of a side the enemy fires, as masks of units."""
    enemy = setup.sides[setup.sides[side].enemy]
    return sorted({shot.targets for shot in enemy.shots.values() if enemy.able(shot)})


def _blocks(setup: Setup, side: str, line: Sequence[int]) -> list[int]:
    """The blocks of a line that can be hit, as masks of units; each unit is one where the side chooses its losses."""
    targets, chosen = aimed_at(setup, side), chooses(setup, side)
    found: dict[Hashable, int] = {}
    for unit in sorted(set(line)):
        hit = tuple([mask >> unit & 1 for mask in targets])
        if any(hit):
            key = (hit, chosen and unit)
            found[key] = found.get(key, 0) | 1 << unit
    return list(found.values())
