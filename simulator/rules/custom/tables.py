"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.binomial import chances_of_hits
from simulator.engine.model.chance import NO_TABLE, Tables, from_rows
from simulator.rules.custom.line import Places
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup, bits
from simulator.rules.custom.size import TooLarge
from simulator.rules.custom.volleys import Standing, fires, volleys

# Hit classes of a group are rolled together up to so many results, else one after the other.
MOST_RESULTS = 20_000
# A side rolls at most so many different throws in a group, by what stands on both sides.
MOST_PROFILES = 1_000_000
# A game file keeps what is worked out for so many kinds of line-ups and so many line-ups of each kind.
MOST_KEPT = 32

Dice = tuple[tuple[int, int], ...]
# A round, and what stands on the own side and on the enemy's.
Moment = tuple[int, Standing, Standing]


@lru_cache(maxsize=1 << 13)
def hits_of(dice: Dice, whole: int, most: int, low_luck: bool) -> tuple[np.ndarray, np.ndarray]:
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


class Book:
    """Chance tables by what they are made from; table NO_TABLE is certain."""

    def __init__(self, whole: int, low_luck: bool) -> None:
        self.whole, self.low_luck = whole, low_luck
        self._rows = [(np.zeros(1, np.int64), np.ones(1))]
        self._index: dict[tuple[int, ...], dict[tuple[Dice, ...], int]] = {}

    def tables(self, rolled: Iterable[tuple[Dice, ...]], caps: tuple[int, ...]) -> list[int]:
        """The tables of the hits of these dice, class by class, packed into one result (see `packing`)."""
        known, found = self._index.setdefault(caps, {}), []
        for dice in rolled:
            number = known.get(dice)
            if number is None:
                number = known[dice] = len(self._rows) if any(dice) else NO_TABLE
                if number != NO_TABLE:
                    self._rows.append(self._row(dice, caps))
            found.append(number)
        return found

    def _row(self, dice: Sequence[Dice], caps: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        if len(dice) == 1:
            return hits_of(dice[0], self.whole, caps[0], self.low_luck)
        result, p = np.zeros(1, np.int64), np.ones(1)
        for rolled, cap, stride in zip(dice, caps, packing(caps), strict=True):
            hits, chances = hits_of(rolled, self.whole, cap, self.low_luck)
            result = np.add.outer(result, hits * stride).ravel()
            p = np.multiply.outer(p, chances).ravel()
        order = np.argsort(result, kind="stable")
        order = order[p[order] > 0]
        return result[order], p[order]

    def close(self) -> Tables:
        """All tables, flattened."""
        return from_rows(self._rows)


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


class Aimed(NamedTuple):
    """A step that is fired: its slot, the own numbers of units that its dice depend on, and the dice for these."""

    slot: int
    shot: Shot
    asked: Callable[[Sequence[int]], Hashable]
    dice: dict[Hashable, Dice]


class DiceTables:
    """A side's dice: fills its tables row by row.

    Results are kept for all scenarios of the game file that differ in numbers of units alone.
    """

    def __init__(self, setup: Setup, side: str, own: Places, enemy: Places, book: Book) -> None:
        self.setup, self.side, self.book = setup, setup.sides[side], book
        self.own, self.enemy = own, enemy
        self._kept = self._kept_before()
        self._line_ups: dict[Hashable, Any] = self._once("line-ups", dict)
        if len(self._line_ups) >= MOST_KEPT:
            self._line_ups.clear()
        self.slots = self._once("slots", lambda: [slots_of(self.side, group) for group in setup.groups])
        self.classes = self._once("classes", lambda: sorted({slot.targets for slots in self.slots for slot in slots}))
        self.caps = {targets: sum([targets >> unit & 1 for unit in enemy.line]) for targets in self.classes}

    def _kept_before(self) -> dict[Hashable, Any]:
        """The results kept for scenarios that are alike in all but numbers of units."""
        setup, side = self.setup, self.side
        if getattr(setup.fields, side.side).model_fields_set & {"modifier", "modifiers"}:
            return {}
        kinds = setup.source.dice
        if len(kinds) > MOST_KEPT:
            kinds.clear()
        kept: dict[Hashable, Any] = kinds.setdefault(
            (setup.kind_name, side.side, side.present, tuple(setup.conditions.items())), {}
        )
        if len(kept) > MOST_KEPT**2:
            kept.clear()
        return kept

    def _once(self, key: Hashable, make: Callable[[], Any], line_up: Places | None = None) -> Any:
        """The result of `make`, kept under this key; those of a `line_up` are kept apart, if it has few places."""
        kept = self._kept if line_up is None else self._line_ups
        found = kept.get(key)
        if found is None:
            found = make()
            if line_up is None or len(line_up) <= MOST_KEPT**2:
                kept[key] = found
        return found

    def _relevant(self, shot: Shot) -> tuple[list[int], list[Help]]:
        """Own units whose number decides a step's dice, and the supports and modifiers that may change them."""
        helps = [rule for rule in self.side.helps if rule.applies(shot)]
        mask = shot.by | (shot.limit_own or 0)
        for rule in helps:
            mask |= (rule.by | rule.units) if rule.by else 0
        return list(bits(mask & self.side.present)), helps

    def _aimed(self, shots: Sequence[Shot], slots: Sequence[Slot], at: Moment) -> list[Aimed]:
        """Those of a group's steps that are fired, by whatever numbers of these units."""
        firing = [shot for shot in shots if fires(shot, *at)]
        first: dict[int, int] = {}
        for shot in firing:
            first.setdefault(shot.targets, shot.number)
        return [self._aim(shot, slots, first[shot.targets], at) for shot in firing if self.side.able(shot)]

    def _aim(self, shot: Shot, slots: Sequence[Slot], first: int, at: Moment) -> Aimed:
        number, own, enemy = at
        units, helps = self._once(shot.number, lambda: self._relevant(shot))
        limit = -1 if shot.limit_enemy is None else enemy.number(shot.limit_enemy)
        key = ("dice", shot.number, number, limit, *(rule.stands(own.mask, enemy.mask) for rule in helps))
        slot = max(k for k, slot in enumerate(slots) if slot.targets == shot.targets and slot.first <= first)
        return Aimed(slot, shot, itemgetter(*units) if units else _nothing, self._once(key, dict))

    def _thrown(self, aimed: Sequence[Aimed], slots: int, at: Moment) -> list[Dice]:
        """The dice of each slot; each kind of them is worked out once."""
        dice: list[Dice] = [()] * slots
        counts = at[1].counts
        for slot, shot, asked, known in aimed:
            key = asked(counts)
            found = known.get(key)
            if found is None:
                found = known[key] = self._worked_out(shot, at)
            dice[slot] = added(dice[slot], found) if dice[slot] and found else dice[slot] or found
        return dice

    def _worked_out(self, shot: Shot, at: Moment) -> Dice:
        found: Counter[int] = Counter()
        for volley in volleys(self.side, shot, *at):
            if volley.chance:
                found[volley.chance] += volley.dice
        return tuple(sorted(found.items()))

    def _shown(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[Standing]]:
        """The part of the enemy's places that these steps' dice depend on: a number by place, one standing for each."""
        rules = [shot for shot in shots if shot.in_round(number)]
        helps = [help for shot in rules for help in self.side.helps if help.applies(shot) and help.in_round(number)]
        asked = {mask for rule in (*rules, *helps) for mask in (rule.if_enemy, rule.unless_enemy) if mask}
        aims = {shot.targets for shot in rules}
        counted = {shot.limit_enemy for shot in rules if shot.limit_enemy is not None}
        index: dict[Hashable, int] = {}
        examples: list[Standing] = []
        shown, by_key = [], {}
        for stand in self.enemy.standings:
            key = (stand.mask, *map(stand.number, counted)) if counted else (stand.mask,)
            if key not in by_key:
                holds = tuple([bool(stand.mask & mask) for mask in asked])
                stands = tuple([bool(stand.fighting & aim) for aim in aims])
                by_key[key] = index.setdefault((holds, stands, key[1:]), len(examples))
                if by_key[key] == len(examples):
                    examples.append(stand)
            shown.append(by_key[key])
        return np.array(shown), examples

    def throws(self, group: int, chosen: tuple[int, ...], number: int) -> Throws:
        """The rolls of the side for the chosen slots of a group in a round.

        The first group of all finds both sides as they came. Raises TooLarge for too many different throws.
        """
        shots = [self.side.shots[i] for i in self.setup.groups[group] if i in self.side.shots]
        own, shown = self.own.standings, np.zeros(len(self.enemy), np.int64)
        tables, means = np.zeros((2, len(own), 1), np.int64)
        if not any(self.side.able(shot) for shot in shots):
            return Throws(shown, tables, means)
        if number == group == 0 and not (self.own.several or self.enemy.several):
            own, examples = own[:1], self.enemy.standings[:1]
        else:
            key = ("shown", self.enemy, group, number)
            shown, examples = self._once(key, lambda: self._shown(shots, number), self.enemy)
        if len(examples) * len(own) > MOST_PROFILES:
            raise TooLarge
        tables, means = np.zeros((2, len(self.own), len(examples)), np.int64)
        caps = tuple([self.caps[self.slots[group][k].targets] for k in chosen])
        for seen, enemy in enumerate(examples):
            if not any(enemy.fighting & shot.targets for shot in shots):
                continue
            limits = [enemy.number(shot.limit_enemy) for shot in shots if shot.limit_enemy is not None]
            rolled = self._rolled(shots, self.slots[group], chosen, (number, own, enemy), limits)
            tables[: len(rolled), seen] = self.book.tables(rolled, caps)
            if self.setup.compares:
                means[: len(rolled), seen] = [sum(hit * n for one in dice for hit, n in one) for dice in rolled]
        return Throws(shown, tables, means)

    def _rolled(
        self,
        shots: Sequence[Shot],
        slots: Sequence[Slot],
        chosen: tuple[int, ...],
        at: tuple[int, list[Standing], Standing],
        limits: list[int],
    ) -> list[tuple[Dice, ...]]:
        """The dice of the chosen slots, by own place; nothing where no step is fired."""
        number, own, enemy = at
        seen = (shots[0].number, number, enemy.mask, *limits)

        def roll(stand: Standing) -> tuple[Dice, ...]:
            now = (number, stand, enemy)
            aimed = self._kept.get(key := ("aimed", stand.mask, *seen))
            if aimed is None:
                aimed = self._kept[key] = self._aimed(shots, slots, now)
            thrown = self._thrown(aimed, len(slots), now) if aimed else ()
            return tuple([thrown[k] for k in chosen]) if aimed else ()

        key = ("rolled", self.own, len(own), chosen, *seen)
        found: list[tuple[Dice, ...]] = self._once(key, lambda: list(map(roll, own)), self.own)
        return found


def _nothing(counts: Sequence[int]) -> Hashable:
    return None


@lru_cache(maxsize=1 << 14)
def added(one: Dice, other: Dice) -> Dice:
    """All dice together."""
    return tuple(sorted((Counter(dict(one)) + Counter(dict(other))).items()))


def packing(caps: Sequence[int]) -> list[int]:
    """Strides that pack numbers of hits up to these caps into one result."""
    strides = [1]
    for cap in caps:
        strides.append(strides[-1] * (cap + 1))
    return strides[:-1]
