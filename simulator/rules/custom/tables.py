"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from simulator.engine.model.binomial import chances_of_hits
from simulator.engine.model.chance import NO_TABLE, Row, TableBook
from simulator.rules.custom.line import Places
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup
from simulator.rules.custom.volleys import Standing, fires, volleys

# Hit classes of a group are rolled together up to so many results, else one after the other.
MOST_RESULTS = 20_000
# A side rolls at most so many different throws in a group, by what stands on both sides.
MOST_PROFILES = 1_000_000

Dice = tuple[tuple[int, int], ...]
# Numbers of dice by chance: int64 of shape (places,).
DiceByChance = dict[int, np.ndarray]


class TooLarge(Exception):
    """Line-ups with more places, rolls or tables than are worked out beforehand."""


@lru_cache(maxsize=1 << 13)
def hits_of(dice: Dice, whole: int, most: int, low_luck: bool) -> Row:
    """Numbers of hits and their chances, for dice given as (chance, number); more than `most` hits are as good as that.

    Low luck: the whole part of the mean for certain, and one more with the chance of the rest (section 10).
    """
    if low_luck:
        sure, rest = divmod(sum(hit * number for hit, number in dice), whole)
        low, p = sure, np.array([(whole - rest) / whole, rest / whole] if rest else [1.0])
    else:
        low, p = chances_of_hits(dice, whole)
    hits = np.arange(low, low + len(p))
    if hits[-1] > most:
        p = np.bincount(np.minimum(hits, most), p)
        hits = np.arange(len(p))
    able = p > 0
    return hits[able], p[able]


def table_of(classes: Sequence[Dice], whole: int, caps: Sequence[int], low_luck: bool) -> Row:
    """The hits of these dice, class by class, packed into one result (see `packing`)."""
    if len(classes) == 1:
        return hits_of(classes[0], whole, caps[0], low_luck)
    result, p = np.zeros(1, np.int64), np.ones(1)
    for rolled, cap, stride in zip(classes, caps, packing(caps), strict=True):
        hits, chances = hits_of(rolled, whole, cap, low_luck)
        result = np.add.outer(result, hits * stride).ravel()
        p = np.multiply.outer(p, chances).ravel()
    order = np.argsort(result, kind="stable")
    order = order[p[order] > 0]
    return result[order], p[order]


class Slot(NamedTuple):
    """A hit class of a group: its targets, and the first of the steps that fire at them before another class does."""

    targets: int
    first: int


def slots_of(side: SideSetup, group: Sequence[int]) -> list[Slot]:
    """The hit classes of a side in a group, in the order in which their hits are allotted (section 5, step 7).

    Which of two equally restricted classes comes first depends on the steps that fire, so a class may stand here
    twice; only one of the two is used at a time.
    """
    shots = [side.shots[i] for i in group if i in side.shots]
    used = {shot.targets for shot in shots if side.able(shot)}
    ordered = sorted((shot.targets.bit_count(), shot.number, shot.targets) for shot in shots if shot.targets in used)
    slots: list[Slot] = []
    for _, number, targets in ordered:
        if not (slots and slots[-1].targets == targets):
            slots.append(Slot(targets, number))
    return slots


class Throws(NamedTuple):
    """The rolls of a side in a salvo: `shown` by enemy place, then tables and means by own place and `shown`.

    Mean hits are in parts of the whole.
    """

    shown: np.ndarray
    tables: np.ndarray
    means: np.ndarray


class DiceTables:
    """A side's dice: fills its tables row by row."""

    def __init__(self, setup: Setup, side: str, own: Places, enemy: Places, book: TableBook) -> None:
        self.setup, self.side, self.book = setup, setup.sides[side], book
        self.own, self.enemy = own, enemy
        self.slots = [slots_of(self.side, group) for group in setup.groups]
        self.classes = sorted({slot.targets for slots in self.slots for slot in slots})
        self.caps = {targets: sum([targets >> unit & 1 for unit in enemy.line]) for targets in self.classes}

    def throws(self, group: int, chosen: tuple[int, ...], number: int) -> Throws:
        """The rolls of the side for the chosen slots of a group in a round.

        The first group of all finds both sides as they came. Raises TooLarge for too many different throws.
        """
        shots = [self.side.shots[i] for i in self.setup.groups[group] if i in self.side.shots]
        shots = [shot for shot in shots if shot.in_round(number)]
        shown = np.zeros(len(self.enemy), np.int64)
        if not any(self.side.able(shot) for shot in shots):
            return Throws(shown, *np.zeros((2, len(self.own), 1), np.int64))
        if number == group == 0 and not (self.own.several or self.enemy.several):
            parts, examples = [np.zeros(1, np.int64)], [0]
        else:
            parts, (shown, examples) = self._distinguished(shots, number), self._shown(shots, number)
        if len(examples) * len(self.own) > MOST_PROFILES:
            raise TooLarge
        tables, means = np.zeros((2, len(self.own), len(examples)), np.int64)
        caps = tuple([self.caps[self.slots[group][k].targets] for k in chosen])
        own = [self.own.standing(rows) for rows in parts]
        for seen, at in enumerate(examples):
            enemy = self.enemy.standing([at])
            for rows, standing in zip(parts, own, strict=True):
                dice = self._dice(shots, self.slots[group], number, standing, enemy)
                classes = [dice[k] for k in chosen]
                tables[rows, seen] = self._tables(classes, caps)
                if "outpowered" in self.setup.leaving:
                    means[rows, seen] = sum(chance * many for one in classes for chance, many in one.items())
        return Throws(shown, tables, means)

    def _tables(self, classes: Sequence[DiceByChance], caps: tuple[int, ...]) -> list[int] | int:
        """The chance table of these dice in each place; NO_TABLE, which is certain, for none."""
        heads = [(k, chance) for k, dice in enumerate(classes) for chance in sorted(dice)]
        if not heads:
            return NO_TABLE
        whole, low_luck = self.setup.whole, self.setup.low_luck
        known: dict[tuple[int, ...], int] = {}
        rows = list(zip(*[classes[k][chance].tolist() for k, chance in heads], strict=True))
        for row in dict.fromkeys(rows):
            dice: list[list[tuple[int, int]]] = [[] for _ in classes]
            for (k, chance), many in zip(heads, row, strict=True):
                if many:
                    dice[k].append((chance, many))
            key = tuple(map(tuple, dice))
            make = partial(table_of, key, whole, caps, low_luck)
            known[row] = self.book.by((caps, key), make) if any(key) else NO_TABLE
        return [known[row] for row in rows]

    def _helps(self, shots: Sequence[Shot], number: int) -> list[Help]:
        return [rule for shot in shots for rule in self.side.helps if rule.applies(shot) and rule.in_round(number)]

    def _distinguished(self, shots: Sequence[Shot], number: int) -> list[np.ndarray]:
        """The own places, in parts of which each is alike to all presence keys of these steps and their helps."""
        rules = (*shots, *self._helps(shots, number))
        asked = {mask for rule in rules for mask in (rule.if_own, rule.unless_own) if mask}
        if not asked:
            return [np.arange(len(self.own))]
        label, examples = _distinct([self.own.number(mask) > 0 for mask in asked])
        return [np.flatnonzero(label == part) for part in range(len(examples))]

    def _shown(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[int]]:
        """The part of the enemy's places that these steps' dice depend on: a number by place, one place for each."""
        rules = (*shots, *self._helps(shots, number))
        asked = {mask for rule in rules for mask in (rule.if_enemy, rule.unless_enemy) if mask}
        asked |= {shot.targets for shot in shots}
        limits = {shot.limit_enemy for shot in shots if shot.limit_enemy is not None}
        enemy = self.enemy.number
        return _distinct([*[enemy(mask) > 0 for mask in asked], *map(enemy, limits)])

    def _dice(
        self, shots: Sequence[Shot], slots: Sequence[Slot], number: int, own: Standing, enemy: Standing
    ) -> list[DiceByChance]:
        """The dice of each slot; none where no step is fired."""
        firing = [shot for shot in shots if fires(shot, number, own, enemy)]
        first: dict[int, int] = {}
        for shot in firing:
            first.setdefault(shot.targets, shot.number)
        found: list[DiceByChance] = [{} for _ in slots]
        for shot in firing:
            if self.side.able(shot):
                same = [k for k, slot in enumerate(slots) if slot.targets == shot.targets]
                dice = found[max(k for k in same if slots[k].first <= first[shot.targets])]
                for volley in volleys(self.side, shot, number, own, enemy):
                    if volley.chance:
                        dice[volley.chance] = dice.get(volley.chance, 0) + volley.dice
        return found


def _distinct(columns: Sequence[np.ndarray]) -> tuple[np.ndarray, list[int]]:
    """A number for each row of these columns, equal for equal rows, and the first row with each number."""
    index: dict[tuple[int, ...], int] = {}
    examples: list[int] = []
    found = []
    for i, row in enumerate(zip(*[column.tolist() for column in columns], strict=True)):
        number = index.setdefault(row, len(examples))
        if number == len(examples):
            examples.append(i)
        found.append(number)
    return np.array(found, np.int64), examples


def packing(caps: Sequence[int]) -> list[int]:
    """Strides that pack numbers of hits up to these caps into one result."""
    strides = [1]
    for cap in caps:
        strides.append(strides[-1] * (cap + 1))
    return strides[:-1]
