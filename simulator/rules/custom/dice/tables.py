"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import pairwise
from math import prod
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chance import NO_TABLE, Row, Sum, TableBook
from simulator.rules.custom.dice.die import Hit, classes_of
from simulator.rules.custom.dice.hits import Counted, Dice, check_size, hits_of, joint_row, sizes_of
from simulator.rules.custom.dice.slots import Class, Slot, pool_of, slots_by_group, slots_in_use
from simulator.rules.custom.dice.volleys import Standing, Volley, fires, volleys
from simulator.rules.custom.line import Places
from simulator.rules.custom.masks import bits
from simulator.rules.custom.setup import Setup, Shot, SideSetup

# Hit classes of a group are rolled together up to so many results, else one after the other.
MOST_RESULTS = 20_000
# Throws of a side in a group, by what stands on both sides; numbers of hits by class in all throws of dice that may
# fall into several.
MOST_THROWS, MOST_COMBINATIONS = 5_000_000, 100_000_000
# Keys of rows stay below this squared.
MOST_KEYS = 1 << 31

# The slots that a die may fall into, with their chances.
Faces = tuple[tuple[int, int], ...]
# Numbers of equal dice: int64 of shape (places,).
DiceByFaces = dict[Faces, np.ndarray]


def table_of(classes: Sequence[Dice], whole: int, caps: Sequence[int], low_luck: bool) -> Row | Sum:
    """The hits of these dice, class by class, packed into one result (see `packing`)."""
    if len(classes) == 1:
        return hits_of(classes[0], whole, caps[0], low_luck)
    parts = zip(classes, caps, packing(caps), strict=True)
    return Sum(tuple([hits_of(dice, whole, cap, low_luck, stride) for dice, cap, stride in parts]))


def most_absorbed(side: SideSetup) -> int:
    """The hits that a side takes off the enemy's in each group while all its units stand."""
    return sum([n * piece.absorbs for n, piece in zip(side.counts, side.pieces, strict=True)])


def most_dice(side: SideSetup, group: Sequence[int], hit: Hit | None = None) -> int:
    """The side never rolls more dice than this in a group; with `hit`, in the steps whose dice may fall into it."""
    shots = [side.shots[i] for i in group if i in side.shots]
    return sum(_most_of_shot(side, shot) for shot in shots if hit is None or hit in classes_of(side, shot))


def _most_of_shot(side: SideSetup, shot: Shot) -> int:
    helps = [rule for rule in side.helps if rule.applies(shot)]
    found = 0
    for unit in bits(shot.by & side.present):
        roll, more = side.roll(unit, shot), sum(max(0, rule.given.dice) for rule in helps if rule.units >> unit & 1)
        assert roll is not None
        found += side.counts[unit] * (roll.dice + more)
    if shot.given.dice_at_most is None:
        return found
    limits = (shot.limit_own, side), (shot.limit_enemy, side.setup.sides[side.enemy])
    return min(found, int(shot.limited(sum([own.counts[u] for mask, own in limits for u in bits(mask or 0)]))))


class Throws(NamedTuple):
    """The rolls of a side in a salvo: `shown` by enemy place, then tables and means by own place and `shown`.

    Mean damage is in parts of the whole: Python's whole numbers or fractions.
    """

    shown: np.ndarray
    tables: np.ndarray
    means: np.ndarray


class Asked(NamedTuple):
    """The masks of units that the dice of some steps depend on, as columns: int64, shape (units, masks).

    Only whether units of `own` and `enemy` stand, but how many of `numbers`, which are the enemy's.
    """

    own: np.ndarray
    enemy: np.ndarray
    numbers: np.ndarray


class DiceTables:
    """A side's dice: fills its tables row by row."""

    def __init__(self, setup: Setup, side: str, own: Places, enemy: Places, book: TableBook) -> None:
        self.setup, self.side, self.book = setup, setup.sides[side], book
        self.own, self.enemy = own, enemy
        self.slots = slots_by_group(self.side, enemy)
        self.classes = sorted({slot.hit for slots in self.slots for slot in slots})
        # The points of the enemy that each class may take; no more hits count, nor are there more than dice.
        self.points = {hit: sum([hit.units >> unit & 1 for unit in enemy.line]) for hit in self.classes}
        # With low luck dice of several classes may add up.
        alone = {hit: None if setup.low_luck else hit for hit in self.classes}
        dice = {hit: max(most_dice(self.side, group, alone[hit]) for group in setup.groups) for hit in self.classes}
        self.caps = {hit: min(self.points[hit], dice[hit]) for hit in self.classes}
        # The hits that each unit of the enemy takes off.
        self.absorbs = np.array([piece.absorbs for piece in setup.sides[self.side.enemy].pieces])
        self.absorbed = most_absorbed(setup.sides[self.side.enemy]) > 0
        self.combinations = 0
        # The most points of a group that counts them.
        self.most_points: dict[int, int] = {}

    def linked(self, group: int) -> list[tuple[int, ...]]:
        """The slots of a group in runs that must be rolled together: a die falls into several, or hits are absorbed."""
        slots = self.slots[group]
        if self.absorbed:
            return [tuple(range(len(slots)))]
        apart = set(range(len(slots) + 1))
        if self.setup.low_luck:
            return [(slot,) for slot in range(len(slots))]
        for shot in (self.side.shots[i] for i in self.setup.groups[group] if i in self.side.shots):
            mine = [k for k, slot in enumerate(slots) if slot.hit in classes_of(self.side, shot)]
            if len({slots[k].hit for k in mine}) > 1:
                apart -= set(range(min(mine) + 1, max(mine) + 1))
        return [tuple(range(*run)) for run in pairwise(sorted(apart))]

    def throws(self, group: int, chosen: tuple[int, ...], number: int) -> Throws:
        """The rolls of the side for the chosen slots of a group in a round.

        The first group of all finds both sides as they came. Raises TooLarge for too many different throws.
        """
        shots = self.side.shots_of(group, number)
        shown = np.zeros(len(self.enemy), np.int64)
        if not any(self.side.able(shot) for shot in shots):
            return Throws(shown, *np.zeros((2, len(self.own), 1), np.int64))
        if number == group == 0 and not (self.own.several or self.enemy.several):
            parts, examples = [np.zeros(1, np.int64)], [0]
        else:
            parts, (shown, examples) = self.distinguished(shots, number), self.shown(shots, number)
        check_size(self.side.side, len(examples) * len(self.own), "line-ups with their throws", MOST_THROWS)
        tables = np.zeros((len(self.own), len(examples)), np.int64)
        means = np.zeros(tables.shape if "outpowered" in self.setup.leaving else (1, 1), object)
        hits = [self.slots[group][k].hit for k in chosen]
        own = [self.own.standing(rows) for rows in parts]
        for seen, at in enumerate(examples):
            enemy = self.enemy.standing([at])
            counted = Counted(
                tuple([self.caps[hit] for hit in hits]),
                tuple([self.caps[hit] if hit.units & enemy.fighting else 0 for hit in hits]),
                int(self.absorbs @ self.enemy.left[at]) if self.absorbed else 0,
            )
            for rows, standing in zip(parts, own, strict=True):
                dice = self._dice(shots, self.slots[group], number, standing, enemy)
                if len(chosen) < len(self.slots[group]):
                    dice = _chosen(dice, chosen)
                tables[rows, seen] = self._tables(dice, counted)
                if "outpowered" in self.setup.leaving:
                    means[rows, seen] = sum(
                        [sum([p * hits[k].damage for k, p in f]) * many.astype(object) for f, many in dice.items()]
                    )
        return Throws(shown, tables, means)

    def _tables(self, dice: DiceByFaces, counted: Counted) -> np.ndarray | int:
        """The chance table of these dice in each place; NO_TABLE, which is certain, where no hit counts."""
        if not dice:
            return NO_TABLE
        heads = sorted(dice)
        label, examples = distinct(np.column_stack([dice[faces] for faces in heads]))
        rows = [tuple([int(dice[faces][at]) for faces in heads]) for at in examples]
        apart = counted.absorbed == 0 and all(
            len(faces) == 1 and 0 < counted.most[faces[0][0]] == counted.caps[faces[0][0]] for faces in heads
        )
        if not apart:
            self.combinations += len(rows) * prod(sizes_of(counted))
            check_size(self.side.side, self.combinations, "numbers of hits that fall together", MOST_COMBINATIONS)
        table = self._table_apart if apart else self._table_linked
        return np.array([table(heads, row, counted) if any(row) else NO_TABLE for row in rows])[label]

    def _table_apart(self, heads: Sequence[Faces], numbers: Sequence[int], counted: Counted) -> int:
        """The table of dice of one hit class each."""
        dice: list[list[tuple[int, int]]] = [[] for _ in counted.caps]
        for ((slot, chance),), many in zip(heads, numbers, strict=True):
            if many:
                dice[slot].append((chance, many))
        key = tuple(map(tuple, dice))
        make = partial(table_of, key, self.setup.whole, counted.caps, self.setup.low_luck)
        return self.book.by((counted.caps, key), make)

    def _table_linked(self, heads: Sequence[Faces], numbers: Sequence[int], counted: Counted) -> int:
        """The table of dice that may fall into several hit classes, or whose hits are absorbed."""
        key = tuple([(faces, many) for faces, many in zip(heads, numbers, strict=True) if many])
        make = partial(joint_row, key, self.setup.whole, counted, self.setup.low_luck)
        return self._unless_nothing(self.book.by((counted, key), make))

    def _unless_nothing(self, table: int) -> int:
        """NO_TABLE for a table of hits that are all absorbed or wasted."""
        return NO_TABLE if list(self.book.weights(table)) == [0] else table

    def _asked(self, shots: Sequence[Shot], number: int) -> Asked:
        """The masks of units that the dice of these steps and their helps depend on."""

        def make() -> Asked:
            helps = [rule for shot in shots for rule in self.side.helps if rule.applies(shot) and rule.in_round(number)]
            rules = (*shots, *helps)
            enemy = {mask for rule in rules for mask in (rule.if_enemy, rule.unless_enemy) if mask}
            # Units that some faces of a step hit while others of its targets are spared.
            restricted = {hit.units for shot in shots for hit in classes_of(self.side, shot)}
            if self.setup.low_luck and len(restricted) > 1:  # who stands decides which classes are alike
                restricted |= {1 << unit for unit in bits(self.setup.sides[self.side.enemy].present)}
            limits = {shot.limit_enemy for shot in shots if shot.limit_enemy is not None}
            return Asked(
                self._columns({mask for rule in rules for mask in (rule.if_own, rule.unless_own) if mask}),
                self._columns(enemy | restricted | {shot.targets for shot in shots}),
                self._columns(limits | {rule.by for rule in helps if not rule.own}),
            )

        return self.side.recall(("asked", *shots, number), make)

    def _columns(self, masks: Iterable[int]) -> np.ndarray:
        """These masks as columns: int64, shape (units, masks)."""
        units = range(len(self.setup.units))
        return np.array([[mask >> unit & 1 for unit in units] for mask in masks], np.int64).reshape(-1, len(units)).T

    def distinguished(self, shots: Sequence[Shot], number: int) -> list[np.ndarray]:
        """The own places, in parts of which each is alike to all presence keys of these steps and their helps."""
        asked = self._asked(shots, number).own
        if not asked.size:
            return [np.arange(len(self.own))]
        label, examples = distinct(self.own.there @ asked > 0)
        return [np.flatnonzero(label == part) for part in range(len(examples))]

    def shown(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[int]]:
        """The part of the enemy's places that these steps' dice depend on: a number by place, one place for each."""
        asked, there = self._asked(shots, number), self.enemy.there
        seen = [there @ asked.enemy > 0, there @ asked.numbers]
        if self.absorbed:
            seen.append((self.enemy.left @ self.absorbs)[:, None])
        return distinct(np.hstack(seen))

    def _dice(
        self, shots: Sequence[Shot], slots: Sequence[Slot], number: int, own: Standing, enemy: Standing
    ) -> DiceByFaces:
        """The dice that are rolled; none where no step is fired."""
        firing = [shot for shot in shots if fires(shot, number, own, enemy)]
        place = slots_in_use(self.side, slots, firing, enemy)
        found: DiceByFaces = {}
        for shot in firing:
            if self.side.able(shot):
                for volley in volleys(self.side, shot, number, own, enemy):
                    if faces := _faces(volley, place):
                        found[faces] = found.get(faces, 0) + volley.dice
        return found


def _faces(volley: Volley, place: Mapping[Class, int]) -> Faces:
    """The slots that a die may fall into; with low luck several classes may be one."""
    found, pool = dict[int, int](), pool_of(volley.side, volley.shot)
    for hit, chance in volley.hits:
        slot = place[hit, pool]
        found[slot] = found.get(slot, 0) + chance
    return tuple(sorted(found.items()))


def _chosen(dice: DiceByFaces, chosen: tuple[int, ...]) -> DiceByFaces:
    """The dice as they fall into the chosen slots, numbered anew."""
    at = {slot: k for k, slot in enumerate(chosen)}
    found: DiceByFaces = {}
    for faces, many in dice.items():
        if mine := tuple([(at[slot], chance) for slot, chance in faces if slot in at]):
            found[mine] = found.get(mine, 0) + many
    return found


def distinct(rows: np.ndarray) -> tuple[np.ndarray, list[int]]:
    """A number for each of these rows, equal for equal rows, and the first row with each number.

    `rows`: int64 or bool of shape (places, columns), from 0 to less than MOST_KEYS.
    """
    key, keys = np.zeros(len(rows), np.int64), 1
    for column in rows.T:
        if keys > MOST_KEYS:
            key, keys = np.unique(key, return_inverse=True)[1], len(rows)
        wide = int(column.max(initial=0)) + 1
        key, keys = key * wide + column, keys * wide
    _, first, label = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    return number[label], first[order].tolist()


def packing(caps: Sequence[int]) -> list[int]:
    """Strides that pack numbers of hits up to these caps into one result."""
    strides = [1]
    for cap in caps:
        strides.append(strides[-1] * (cap + 1))
    return strides[:-1]
