"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from math import prod
from operator import itemgetter, or_
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import NO_TABLE, Row, Sum, TableBook
from simulator.rules.custom.dice.bounds import most_absorbed, most_dice
from simulator.rules.custom.dice.checked import throwing
from simulator.rules.custom.dice.die import classes_of
from simulator.rules.custom.dice.hits import (
    CountedHits,
    Dice,
    Faces,
    Kind,
    Thrown,
    Tossed,
    again_of,
    check_size,
    hits_of,
    joint_row,
    sizes_of,
)
from simulator.rules.custom.dice.slots import Class, Slot, pool_of, slots_by_group, slots_in_use
from simulator.rules.custom.dice.volleys import (
    FRONTS,
    Situation,
    Volley,
    best,
    covering,
    fires,
    rerolls,
    volleys,
)
from simulator.rules.custom.line import Places
from simulator.rules.custom.masks import bits
from simulator.rules.custom.setup import Setup, Shot
from simulator.rules.toolkit.merging import in_order

# Hit classes of a group are rolled together up to this many results, else one after the other.
MOST_RESULTS = 20_000
# Throws of a side in a group, by what stands on both sides; numbers of hits by class in all throws of dice that may
# fall into several.
MOST_THROWS, MOST_COMBINATIONS = 5_000_000, 100_000_000
# More dice than any side rolls.
NO_LIMIT = 1 << 40


class Toss(NamedTuple):
    """Dice of a side that are thrown together: how many of each `Kind`, int64 of shape (places,).

    `limits`: the misses that each modifier rolls again, the first kinds first: int64 of shape (places,).
    """

    dice: dict[Kind, np.ndarray]
    limits: tuple[np.ndarray, ...] = ()


def table_of(classes: Sequence[Dice], whole: int, caps: Sequence[int], low_luck: bool) -> Row | Sum:
    """The hits of these dice, class by class, packed into one result (see `packing`)."""
    if len(classes) == 1:
        return hits_of(classes[0], whole, caps[0], low_luck)
    parts = zip(classes, caps, packing(caps), strict=True)
    return Sum(tuple([hits_of(dice, whole, cap, low_luck, stride) for dice, cap, stride in parts]))


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
        self.combinations = self.points_taken = self.dice_thrown = 0
        # The most points of a group that counts them.
        self.most_points: dict[int, int] = {}

    def nothing(self) -> Throws:
        """The throws of a side that never rolls a die."""
        return Throws(np.zeros(len(self.enemy), np.int64), *np.zeros((2, len(self.own), 1), np.int64))

    def situations(
        self, number: int, parts: Sequence[np.ndarray], examples: Sequence[int]
    ) -> Iterator[tuple[np.ndarray, int, Situation]]:
        """The situations of a round: each part of the own places (rows) with each example place of the enemy."""
        own = [(rows, self.own.standing(rows)) for rows in parts]
        for seen, at in enumerate(examples):
            enemy = self.enemy.standing([at])
            yield from ((rows, seen, Situation(number, standing, enemy)) for rows, standing in own)

    def linked(self, group: int) -> list[tuple[int, ...]]:
        """The slots of a group in runs that must be rolled together: a die falls into several, or hits are absorbed."""
        slots = self.slots[group]
        if self.absorbed or self.setup.aimed(group):
            return [tuple(range(len(slots)))]
        apart = set(range(len(slots) + 1))
        if self.setup.low_luck:
            return [(slot,) for slot in range(len(slots))]
        for shot in self.side.shots_in(self.setup.groups[group]):
            mine = [k for k, slot in enumerate(slots) if slot.hit in classes_of(self.side, shot)]
            if len({slots[k].hit for k in mine}) > 1:
                apart -= set(range(min(mine) + 1, max(mine) + 1))
        return [tuple(range(*run)) for run in pairwise(sorted(apart))]

    def throws(self, group: int, chosen: tuple[int, ...], number: int) -> Throws:
        """The rolls of the side for the chosen slots of a group in a round.

        The first group of all finds both sides as they came. Raises TooLarge for too many different throws.
        """
        shots = [shot for shot in self.side.shots_of(group, number) if self.side.able(shot)]
        if not shots:
            return self.nothing()
        shown = np.zeros(len(self.enemy), np.int64)
        if number == group == 0 and not (self.own.several or self.enemy.several):
            parts, examples = [np.zeros(1, np.int64)], [0]
        else:
            parts, (shown, examples) = self.distinguished(shots, number), self.shown(shots, number)
        check_size(self.side.side, len(examples) * len(self.own), "line-ups with their throws", MOST_THROWS)
        tables = np.zeros((len(self.own), len(examples)), np.int64)
        means = np.zeros(tables.shape if "outpowered" in self.setup.leaving else (1, 1), object)
        hits = [self.slots[group][k].hit for k in chosen]
        # Most places of the enemy are shown the same dice.
        known: dict[Hashable, tuple[Any, Any]] = {}
        for rows, seen, now in self.situations(number, parts, examples):
            if not now.enemy.fighting:  # nobody fires at nobody
                continue
            counted = CountedHits(
                tuple([self.caps[hit] for hit in hits]),
                tuple([self.caps[hit] if hit.units & now.enemy.fighting else 0 for hit in hits]),
                int(self.absorbs @ self.enemy.left[examples[seen]]) if self.absorbed else 0,
            )
            tosses = self._tosses(shots, self.slots[group], now)
            if len(chosen) < len(self.slots[group]):
                tosses = [_chosen(toss, chosen) for toss in tosses]
            key = counted, *map(_key, tosses)
            if key not in known:
                known[key] = self._rolled(tosses, counted, [hit.damage for hit in hits])
            tables[rows, seen], mean = known[key]
            if mean is not None:
                means[rows, seen] = mean
        return Throws(shown, tables, means)

    def _rolled(self, tosses: Sequence[Toss], counted: CountedHits, damage: Sequence[int]) -> tuple[Any, Any]:
        """The chance table of these dice at each place, and their mean damage, None where no side leaves by it."""
        # The same dice in another order are the same table; where misses are rolled again the order counts.
        tosses = [toss if toss.limits else Toss(dict(sorted(toss.dice.items(), key=itemgetter(0)))) for toss in tosses]
        columns = [column for toss in tosses for column in (*toss.dice.values(), *toss.limits)]
        if not columns:
            return NO_TABLE, None
        label, examples = distinct(columns, len(columns[0]))
        numbers = [*zip(*[column[examples].tolist() for column in columns], strict=True)]
        found = np.array(self._tables(tosses, numbers, counted))[label]
        if "outpowered" not in self.setup.leaving:
            return found, None
        return found, np.array([self._mean(_thrown(tosses, row), damage) for row in numbers], object)[label]

    def _mean(self, thrown: Thrown, damage: Sequence[int]) -> Fraction:
        """Mean damage of these dice, in parts of the whole."""
        found = Fraction(0)
        for toss in thrown:
            again = again_of(toss, self.setup.whole) if toss.limits else [Fraction(0)] * len(toss.dice)
            for (faces, _, number), more in zip(toss.dice, again, strict=True):
                found += (number + more) * sum([p * damage[slot] for slot, p in faces])
        return found

    def _tables(self, tosses: Sequence[Toss], numbers: Sequence[Sequence[int]], counted: CountedHits) -> list[int]:
        """The chance table of each row of numbers of dice; NO_TABLE, which is certain, where no hit counts."""
        kinds = [faces for toss in tosses for faces, _ in toss.dice]
        apart = counted.absorbed == 0 and not any(toss.limits for toss in tosses)
        apart = apart and all(
            len(faces) == 1 and 0 < counted.most[faces[0][0]] == counted.caps[faces[0][0]] for faces in kinds
        )
        if apart:
            dice = [faces[0] for faces in kinds]
            return [self._table_apart(dice, row, counted) if any(row) else NO_TABLE for row in numbers]
        thrown = [_thrown(tosses, row) for row in numbers]
        ways = sum(prod(n + 1 for n in toss.limits) for one in thrown for toss in one)
        self.combinations += ways * prod(sizes_of(counted))
        check_size(self.side.side, self.combinations, "numbers of hits that fall together", MOST_COMBINATIONS)
        return [self._table_linked(one, counted) if one else NO_TABLE for one in thrown]

    def _table_apart(self, dice: Sequence[tuple[int, int]], numbers: Sequence[int], counted: CountedHits) -> int:
        """The table of dice of one hit class each, given their slots and chances."""
        found: list[list[tuple[int, int]]] = [[] for _ in counted.caps]
        for (slot, chance), many in zip(dice, numbers, strict=True):
            if many:
                found[slot].append((chance, many))
        key = tuple(map(tuple, found))
        make = partial(table_of, key, self.setup.whole, counted.caps, self.setup.low_luck)
        return self.book.by((counted.caps, key), make)

    def _table_linked(self, thrown: Thrown, counted: CountedHits) -> int:
        """The table of dice that may fall into several hit classes, whose hits are absorbed, or that are rerolled."""
        make = partial(joint_row, thrown, self.setup.whole, counted, self.setup.low_luck)
        return self.unless_nothing(self.book.by((counted, thrown), make))

    def unless_nothing(self, table: int) -> int:
        """NO_TABLE for a table of hits that are all absorbed or wasted."""
        return NO_TABLE if list(self.book.weights(table)) == [0] else table

    def _asked(self, shots: Sequence[Shot], number: int) -> Asked:
        """The masks of units that the dice of these steps and their helps depend on."""
        apart = self._apart(shots)

        def make() -> Asked:
            helps = [rule for shot in shots for rule in self.side.helps if rule.applies(shot) and rule.in_round(number)]
            checks = [rule for shot in shots for name in shot.given.checks for rule in throwing(self.side, shot, name)]
            rules = (*shots, *helps, *checks)
            enemy = {mask for rule in rules for mask in (rule.if_enemy, rule.unless_enemy) if mask}
            # Units that some faces of a step hit while others of its targets are spared.
            restricted = {hit.units for shot in shots for hit in classes_of(self.side, shot)}
            restricted |= {1 << unit for unit in bits(apart)}
            limits = {rule.limit_enemy for rule in rules if rule.limit_enemy is not None}
            return Asked(
                self._columns({mask for rule in rules for mask in (rule.if_own, rule.unless_own) if mask}),
                self._columns(enemy | restricted | {shot.targets for shot in shots}),
                self._columns(limits | {rule.by for rule in helps if not rule.own}),
            )

        return self.side.recall(("asked", apart, *shots, number), make)

    def _apart(self, shots: Sequence[Shot]) -> int:
        """The enemy's units, as a mask, if the dice depend on which of them stand; else 0.

        With low luck they decide which hit classes of the whole group are alike, steps of other rounds included.
        """
        if not (self.setup.low_luck and shots):
            return 0
        group = next(n for n, firings in enumerate(self.setup.groups) if shots[0].number in firings)
        several = len({slot.hit.units for slot in self.slots[group]}) > 1
        return self.setup.sides[self.side.enemy].present if several else 0

    def _columns(self, masks: Iterable[int]) -> np.ndarray:
        """These masks as columns: int64, shape (units, masks)."""
        units = range(len(self.setup.units))
        return np.array([[mask >> unit & 1 for unit in units] for mask in masks], np.int64).reshape(-1, len(units)).T

    def distinguished(self, shots: Sequence[Shot], number: int) -> list[np.ndarray]:
        """The own places, in parts of which each is alike to all presence keys of these steps and their helps."""
        asked, fronts = self._asked(shots, number).own, any(shot.given.aim in FRONTS for shot in shots)
        if not asked.size and not fronts:
            return [np.arange(len(self.own))]
        seen = self.own.there @ asked > 0
        if fronts:
            seen = np.column_stack([seen, np.append(self.own.line, len(self.setup.units))[self.own.front]])
        label, examples = distinct(seen.T, len(seen))
        return [np.flatnonzero(label == part) for part in range(len(examples))]

    def shown(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[int]]:
        """The part of the enemy's places that these steps' dice depend on: a number by place, one place for each."""
        asked, there = self._asked(shots, number), self.enemy.there
        seen = [there @ asked.enemy > 0, there @ asked.numbers]
        aimed = [shot for shot in shots if shot.given.aim != "anyone"]
        if aimed and all(shot.given.aim in FRONTS for shot in shots):
            seen.append(self.enemy.front_left(any(shot.given.aim == "kind" for shot in shots)))
        elif aimed:
            everybody = any(shot.given.aim in FRONTS for shot in aimed)
            seen.append(self.enemy.progress(-1 if everybody else reduce(or_, [shot.targets for shot in aimed])))
        if self.absorbed:
            seen.append((self.enemy.left @ self.absorbs)[:, None])
        return distinct([column for part in seen for column in part.T], len(there))

    def _tosses(self, shots: Sequence[Shot], slots: Sequence[Slot], now: Situation) -> list[Toss]:
        """The dice that are rolled, those of a step with limited rerolls by themselves; none where no step is fired."""
        firing = [shot for shot in shots if fires(shot, now)]
        place = slots_in_use(self.side, slots, firing, now.enemy)
        plain: dict[Kind, np.ndarray] = {}
        found = []
        for shot in firing:
            rolled = volleys(self.side, shot, now)
            again = rerolls(self.side, shot, now)
            dice = {} if again else plain
            for volley in best(rolled, NO_LIMIT) if again else rolled:
                if faces := _faces(volley, place):
                    kind = faces, covering(volley, again)
                    dice[kind] = dice.get(kind, 0) + volley.dice
            if again and dice:
                found.append(Toss(dice, tuple([limit + 0 * now.own.counts[:, 0] for _, limit in again])))
        return [Toss(plain), *found] if plain else found


def _faces(volley: Volley, place: Mapping[Class, int]) -> Faces:
    """The slots that a die may fall into; with low luck several classes may be one."""
    found, pool = dict[int, int](), pool_of(volley.side, volley.shot)
    for hit, chance in volley.hits:
        slot = place[hit, pool]
        found[slot] = found.get(slot, 0) + chance
    return tuple(sorted(found.items()))


def _chosen(toss: Toss, chosen: tuple[int, ...]) -> Toss:
    """The dice as they fall into the chosen slots, numbered anew."""
    at = {slot: k for k, slot in enumerate(chosen)}
    found: dict[Kind, np.ndarray] = {}
    for (faces, covered), many in toss.dice.items():
        if mine := tuple([(at[slot], chance) for slot, chance in faces if slot in at]):
            found[mine, covered] = found.get((mine, covered), 0) + many
    return toss._replace(dice=found)


def _key(toss: Toss) -> Hashable:
    """A key that is the same for the same dice at all places; a digest, since there may be millions of numbers."""
    numbers = hashlib.sha256()
    for column in (*toss.dice.values(), *toss.limits):
        numbers.update(np.ascontiguousarray(column, np.int64).data)
    return tuple(toss.dice), len(toss.limits), numbers.digest()


def _thrown(tosses: Sequence[Toss], row: Iterable[int]) -> Thrown:
    """The tosses of a place, given its numbers of dice and its limits in their order; those without dice are left out.

    No more dice are rolled again than there are.
    """
    found, numbers = [], iter(row)
    for toss in tosses:
        dice = tuple([(*kind, many) for kind in toss.dice if (many := next(numbers))])
        most = sum([many for *_, many in dice])
        found.append(Tossed(dice, tuple([min(next(numbers), most) for _ in toss.limits])))
    return tuple([one for one in found if one.dice])


def distinct(columns: Iterable[np.ndarray], size: int) -> tuple[np.ndarray, list[int]]:
    """A number for each row of these columns, equal for equal rows, and the first row with each number.

    `columns`: int64 or bool, of shape (size,).
    """
    first, label = in_order(columns, size)
    return label, first.tolist()


def packing(caps: Sequence[int]) -> list[int]:
    """Strides that pack numbers of hits up to these caps into one result."""
    strides = [1]
    for cap in caps:
        strides.append(strides[-1] * (cap + 1))
    return strides[:-1]
