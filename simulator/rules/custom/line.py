"""The loss line of a side, and the places it can come to (docs/rules/custom_games.md sections 7 and 13).

Units that are in exactly the same targets form a block; the hits taken by each block say who still stands. A side's
*place* numbers these combinations; 0 is the start.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property, lru_cache
from itertools import groupby
from math import prod
from typing import NamedTuple

import numpy as np

from simulator.rules.custom.dice.die import Hit, chance_at, classes_of
from simulator.rules.custom.dice.hits import check_size
from simulator.rules.custom.dice.volleys import Standing
from simulator.rules.custom.game_file.format import GameFile
from simulator.rules.custom.game_file.keys import MOST_PAIRS
from simulator.rules.custom.game_file.units import MAIN_ROLLS, pieces_of, roll_of
from simulator.rules.custom.game_file.words import by_side, part_of
from simulator.rules.custom.masks import mask_of
from simulator.rules.custom.setup import Setup

NOWHERE = 1 << 40
# 200 units of a shipped game come to 614,196 places at most (at sea).
MOST_PLACES = 1_000_000


def removed_alone(setup: Setup, side: str) -> int:
    """The units that are lost at once when nothing else is left to the side, as a mask."""
    return mask_of(setup.file, by_side(setup.file.losses.removed_alone, side))


def loss_order(setup: Setup, side: str) -> list[int]:
    """Units that may fight on the side, first lost first (section 7, steps 1 and 5)."""
    if by_side(setup.file.losses.chosen_by, side) == "enemy":
        wanted = getattr(setup.fields.policy, setup.sides[side].enemy).target_order
    else:
        wanted = getattr(setup.fields.policy, side).loss_order
    if wanted is None or wanted == "best":
        wanted = by_side(setup.file.losses.order, side)
    return _order(setup.file, setup.kind_name, side, wanted if isinstance(wanted, str) else tuple(wanted))


@lru_cache(maxsize=512)
def _order(file: GameFile, kind: str, side: str, wanted: str | tuple[str, ...]) -> list[int]:
    units = list(file.unit)
    able = [unit for unit, key in enumerate(units) if key in part_of(file, kind, side)[0]]

    def mean(unit: int) -> int:
        roll = roll_of(file, side, unit, MAIN_ROLLS[side])
        return roll.dice * chance_at(file, roll) if roll and not roll.compared else 0

    def cost(unit: int) -> float:
        return pieces_of(file, side)[unit].cost

    cheapest = sorted(able, key=lambda unit: (cost(unit), mean(unit), unit))
    if wanted == "weakest":
        order = sorted(able, key=lambda unit: (mean(unit), cost(unit), unit))
    elif wanted == "cheapest":
        order = cheapest
    else:
        listed = [units.index(key) for key in wanted if units.index(key) in able]
        order = listed + [unit for unit in cheapest if unit not in listed]
    last = mask_of(file, by_side(file.losses.last, side))
    return [u for u in order if not last >> u & 1] + [u for u in order if last >> u & 1]


def absorbs_first(setup: Setup, side: str, unit: int) -> bool:
    """Are the extra points of this unit taken before any unit is lost?"""
    wish = getattr(setup.fields.policy, side).absorb or setup.sides[side].pieces[unit].absorb
    return bool(wish == "first")


@lru_cache(maxsize=256)
def _absorbing(file: GameFile, side: str) -> np.ndarray:
    """The units whose extra points are taken first unless the policy says otherwise: bool, shape (units,)."""
    return np.array([piece.absorb == "first" for piece in pieces_of(file, side)])


class Stretch(NamedTuple):
    """Equal points of a loss line, one behind the other: `points` of a unit, of which `each` kill a piece (0: none)."""

    unit: int
    points: int
    each: int


def stretches(setup: Setup, side: str) -> Sequence[Stretch]:
    """The loss line, first taken first (section 7, steps 2 to 4 and 7)."""
    return stretches_of_each(setup, side, [setup.sides[side].counts])[0]


def stretches_of_each(setup: Setup, side: str, numbers: Sequence[Sequence[int]]) -> list[Sequence[Stretch]]:
    """As `stretches`, for each of these numbers of units."""
    policy, damaged = getattr(setup.fields.policy, side), setup.sides[side].damaged
    pattern = _pattern(setup.file, side, tuple(loss_order(setup, side)), policy.absorb)
    keep = tuple(policy.keep.items())
    lines: list[Sequence[Stretch]] = [_stretches(setup.file, pattern, counts, keep) for counts in numbers]
    return [_without(line, damaged) for line in lines] if any(damaged) else lines


def _without(line: Sequence[Stretch], damaged: Sequence[int]) -> list[Stretch]:
    """The line without the hits that units have taken before the battle, the first of their points (step 7)."""
    left, found = list(damaged), []
    for unit, points, each in line:
        found.append(Stretch(unit, points - left[unit], each))
        left[unit] = 0
    return [stretch for stretch in found if stretch.points > 0]


@lru_cache(maxsize=512)
def _pattern(
    file: GameFile, side: str, order: Sequence[int], absorb: str | None
) -> tuple[list[Stretch], list[Stretch]]:
    """The points of one piece of each unit that are taken before any piece is lost, and those of which pieces die."""
    units = pieces_of(file, side)
    first = {unit: (absorb or units[unit].absorb) == "first" for unit in order}
    front = [Stretch(unit, units[unit].hits - 1, 0) for unit in order if first[unit]]
    points = {unit: 1 if first[unit] else units[unit].hits for unit in order}
    return front, [Stretch(unit, points[unit], points[unit]) for unit in order]


def _stretches(
    file: GameFile,
    pattern: tuple[list[Stretch], list[Stretch]],
    counts: Sequence[int],
    keep: Sequence[tuple[str, int]],
) -> list[Stretch]:
    front, behind = pattern
    if not keep:
        return [Stretch(unit, n * counts[unit], each) for unit, n, each in (*front, *behind) if n * counts[unit]]
    kept = _keeping(file, [((unit, each), counts[unit]) for unit, _, each in behind], keep)
    line = [Stretch(unit, n * counts[unit], each) for unit, n, each in front]
    line += [Stretch(unit, number * points, points) for (unit, points), number in kept]
    return [stretch for stretch in line if stretch.points]


def _keeping(
    file: GameFile, behind: Sequence[tuple[tuple[int, int], int]], keep: Sequence[tuple[str, int]]
) -> list[tuple[tuple[int, int], int]]:
    """Pieces, each a unit and its points, and their numbers, in the order of loss with those that are kept last."""
    pieces = [piece for piece, number in behind for _ in range(number)]
    kept: set[int] = set()
    for entry, number in keep:
        mask = mask_of(file, (entry,))
        matching = [i for i, (unit, _) in enumerate(pieces) if mask >> unit & 1]
        kept |= set(matching[-number:])
    ordered = [p for i, p in enumerate(pieces) if i not in kept] + [p for i, p in enumerate(pieces) if i in kept]
    return [(piece, sum(1 for _ in same)) for piece, same in groupby(ordered)]


def loss_line(setup: Setup, side: str) -> list[int]:
    """The unit of each point, first taken first."""
    return [unit for unit, points, _ in stretches(setup, side) for _ in range(points)]


def chooses(setup: Setup, side: str) -> bool:
    """Does the side choose what it loses, so that each unit is a block of its own?"""
    return bool(getattr(setup.fields.policy, side).loss_order == "best")


@lru_cache(maxsize=256)
def hits_of(file: GameFile, side: str) -> np.ndarray:
    """The hits that a piece of each unit of a side takes: int64, shape (units,)."""
    return np.array([piece.hits for piece in pieces_of(file, side)], np.int64)


class Places:
    """The places of a side and the units in each: one row for each place, 0 the start; arrays by row.

    `lost` and `left` count the pieces of each unit, `taken` the hits on them, `units` all that are left; `gone` is the
    place where everybody is lost. `several`: may the side begin in another place than 0?
    """

    several = False

    def __init__(self, setup: Setup, side: str) -> None:
        """Raises TooLarge for too many places."""
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        own = stretches(setup, side)
        self.line = [unit for unit, points, _ in own for _ in range(points)]
        self.blocks = blocks_of(setup, side, self.line)
        self.at = [np.array([i for i, u in enumerate(self.line) if block >> u & 1], np.int64) for block in self.blocks]
        self.sizes = [len(at) + 1 for at in self.at]
        check_size(side, prod(self.sizes), "ways in which they may stand", MOST_PLACES)
        self.strides = [prod(self.sizes[i + 1 :]) for i in range(len(self.sizes))]
        size = np.arange(prod(self.sizes))
        self.digits = [size // stride % wide for stride, wide in zip(self.strides, self.sizes, strict=True)]
        # The points that the piece of each point has from there on.
        rest = [(point - 1) % max(each, 1) + 1 for _, points, each in own for point in range(points, 0, -1)]
        self.rest = np.array(rest, np.int64)
        self.taken = self._taken()
        there = np.array([count * (self.own.fights >> u & 1) for u, count in enumerate(self.own.counts)], np.int64)
        self.lost, hits = self.taken, hits_of(setup.file, side)
        if (there * (hits - 1)).any():
            wish = getattr(setup.fields.policy, side).absorb
            first = _absorbing(setup.file, side) if wish is None else np.array(wish == "first")
            self.lost = np.where(first, np.maximum(0, self.taken - there * (hits - 1)), self.taken // hits)
        self.left = there - self.lost
        self.units = self.left.sum(axis=1)
        self.gone, self.alone = len(self) - 1, self._alone()

    def _taken(self) -> np.ndarray:
        """The hits on each unit by place: int64, shape (places, units).

        Behind all places that hits lead to stands that where those are lost as well that nothing can hit.
        """
        size, points = prod(self.sizes), len(self.line)
        # The unit of each point behind a 0: the losses by each number of hits on a block add up.
        single = np.zeros((points + 1, len(self.own.counts)), np.int64)
        single[np.arange(1, points + 1), self.line] = 1
        taken = np.full((size + (sum(map(len, self.at)) < points), len(self.own.counts)), self.own.damaged)
        for at, digits in zip(self.at, self.digits, strict=True):
            taken[:size] += single[[0, *(at + 1)]].cumsum(axis=0)[digits]
        taken[size:] += single.sum(axis=0)
        return taken

    @cached_property
    def damage(self) -> np.ndarray:
        """Hits on each unit that have not cost a piece: int64, shape (places, units)."""
        return self.taken - hits_of(self.setup.file, self.side) * self.lost

    def __len__(self) -> int:
        return len(self.units)

    @cached_property
    def there(self) -> np.ndarray:
        """Number of each unit that stands in each place, supporting units included: int64, shape (places, units)."""
        supports = [n if self.own.supporters >> u & 1 else 0 for u, n in enumerate(self.own.counts)]
        return np.asarray(self.left + supports)

    def standing(self, places: Sequence[int] | np.ndarray) -> Standing:
        """The units that stand in these places (int64, shape (n,)), which have the same presence keys."""
        counts = self.there[places]
        mask = sum([1 << u for u, number in enumerate(counts[0].tolist()) if number])
        points = self.points_left(int(places[0])) if self.setup.aims else ()
        return Standing(counts, mask, mask & self.own.fights, points)

    def points_left(self, place: int) -> tuple[tuple[int, int], ...]:
        """The points left of the line: of which unit, and how many its piece has from there on."""
        if place == self.gone:
            return ()
        lost = {int(i) for at, digit in zip(self.at, self.digits, strict=True) for i in at[: digit[place]]}
        return tuple([(unit, int(self.rest[i])) for i, unit in enumerate(self.line) if i not in lost])

    @cached_property
    def front_points(self) -> np.ndarray:
        """The points that the front piece has left, by place: int64; 0 where all is lost."""
        return np.append(self.rest, 0)[self.front]

    def front_left(self, whole_kind: bool) -> np.ndarray:
        """All that dice at the front depend on: its unit, the points of its piece, and of its kind if its dice are
        thrown at the `whole_kind`; int64, by place.
        """
        unit = np.append(self.line, 0)[self.front]
        front = np.column_stack([unit, self.front_points])
        if not whole_kind:
            return front
        points = (self.left + self.lost) * hits_of(self.setup.file, self.side) - self.taken
        return np.column_stack([front, np.take_along_axis(points, unit[:, None], 1)])

    def progress(self, mask: int) -> np.ndarray:
        """The hits on each block with units of a mask, behind a 0; one more where all is lost: int64."""
        touched = [k for k, block in enumerate(self.blocks) if block & mask]
        more = len(self) - prod(self.sizes)
        found = [np.pad(self.digits[k], (0, more), constant_values=self.sizes[k]) for k in touched]
        return np.column_stack([np.zeros(len(self), np.int64), *found])

    @cached_property
    def front(self) -> np.ndarray:
        """The first point left of the whole line, by place: int64; past the line where all is lost."""
        safe = [i for i, u in enumerate(self.line) if not any(block >> u & 1 for block in self.blocks)]
        nearest = np.full(len(self), min([*safe, len(self.line)]))
        for points in self.next:
            nearest[: len(points)] = np.minimum(nearest[: len(points)], points)
        nearest[self.gone] = len(self.line)
        return nearest

    @cached_property
    def next(self) -> list[np.ndarray]:
        """The first point left of each block, by place that hits lead to: int64; NOWHERE past its end."""
        return [np.append(at, NOWHERE)[digits] for at, digits in zip(self.at, self.digits, strict=True)]

    def _alone(self) -> np.ndarray:
        """By place: are only units left that are removed then?"""
        return self.only(removed_alone(self.setup, self.side))

    def only(self, mask: int) -> np.ndarray:
        """By place: are fighting units left, all of them of this mask? Bool, shape (places,)."""
        if not mask & self.own.present:
            return np.zeros(len(self), bool)
        others = np.array([1 - (mask >> unit & 1) for unit in range(len(self.own.counts))])
        return np.asarray((self.units > 0) & (self.left @ others == 0))

    def after_hits(self, hit: Hit) -> np.ndarray:
        """The place after 1, 2, 4, 8, ... hits (rows) of a class: int64, shape (rows, places).

        Opposed dice may win more pairs than the side has points.
        """
        rows = [self.after_hit(hit)]
        while 2 ** len(rows) <= max(len(self.line), MOST_PAIRS):
            rows.append(rows[-1][rows[-1]])
        return np.array(rows)

    def after_hit(self, hit: Hit) -> np.ndarray:
        """The place after one hit of a class (section 7): int64, shape (places,)."""
        if hit.split and hit.damage > 1:
            once = self._after_one(hit.units, 1)
            after = once
            for _ in range(hit.damage - 1):
                after = once[after]
            return after
        return self._after_one(hit.units, hit.damage)

    def _after_one(self, targets: int, damage: int) -> np.ndarray:
        """The place after a hit on the first point whose unit is in `targets`, and on this many more of its piece."""
        size = prod(self.sizes)
        hit = [k for k, block in enumerate(self.blocks) if block & targets]
        if len(hit) == 1:
            moved = self.strides[hit[0]] * self._points_hit(hit[0], damage)
        else:
            nearest, moved = np.full(size, NOWHERE), np.zeros(size, np.int64)
            for k in hit:
                moved = np.where(self.next[k] < nearest, self.strides[k] * self._points_hit(k, damage), moved)
                nearest = np.minimum(nearest, self.next[k])
        after = np.full(len(self), self.gone)
        after[:size] = np.arange(size) + moved
        return after

    def _points_hit(self, block: int, damage: int) -> np.ndarray:
        """The points that a hit on a block takes off its first piece, by place that hits lead to: int64."""
        if damage == 1:
            return (self.digits[block] < len(self.at[block])).astype(np.int64)
        left = np.minimum(damage, self.rest[self.at[block]])
        return np.append(left, 0)[self.digits[block]]


def aimed_at(setup: Setup, side: str) -> list[Hit]:
    """The hit classes of the enemy's shots at a side."""
    enemy = setup.sides[setup.sides[side].enemy]
    shots = [shot for shot in enemy.shots.values() if enemy.able(shot)]
    key = "aims", setup.sides[side].keeps_aimed
    return enemy.recall(key, lambda: sorted({hit for shot in shots for hit in classes_of(enemy, shot)}))


def blocks_of(setup: Setup, side: str, line: Sequence[int]) -> list[int]:
    """The blocks of a line that can be hit, as masks of units; each unit is one where the side chooses its losses."""
    targets, chosen = sorted({hit.units for hit in aimed_at(setup, side)}), chooses(setup, side)
    found: dict[Hashable, int] = {}
    for unit in sorted(set(line)):
        hit = tuple([mask >> unit & 1 for mask in targets])
        if any(hit):
            key = (hit, chosen and unit)
            found[key] = found.get(key, 0) | 1 << unit
    return list(found.values())
