"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import NO_TABLE, Tables, from_rows
from simulator.rules.custom.line import Places
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup, bits
from simulator.rules.custom.size import TooLarge
from simulator.rules.custom.volleys import Standing, fires, volleys

# Hit classes of a group are rolled together up to so many results, else one after the other.
MOST_RESULTS = 20_000
# A side rolls at most so many different throws in a group, by what stands on both sides.
MOST_PROFILES = 1_000_000
# What a game file keeps worked out: for so many line-ups.
MOST_KEPT = 32
# What both tails of a number of hits may have less than together is never rolled: far below rounding.
TAIL = 1e-18

Dice = tuple[tuple[int, int], ...]


@lru_cache(maxsize=1 << 14)
def binomial(dice: int, hit: int, whole: int) -> tuple[int, np.ndarray]:
    """Chances of hits of equal dice: the least number of hits that is not negligible, and the chances from there."""
    if dice == 1:
        return 0, np.array([(whole - hit) / whole, hit / whole])
    half = binomial(dice // 2, hit, whole)
    found = _sum(half, half)
    return _sum(found, binomial(1, hit, whole)) if dice % 2 else found


def _sum(one: tuple[int, np.ndarray], other: tuple[int, np.ndarray]) -> tuple[int, np.ndarray]:
    """The sum of two independent numbers of hits, without tails that are negligible."""
    p = np.convolve(one[1], other[1])
    low = int(np.searchsorted(np.cumsum(p), TAIL))
    high = len(p) - int(np.searchsorted(np.cumsum(p[::-1]), TAIL))
    return one[0] + other[0] + low, p[low:high]


@lru_cache(maxsize=1 << 13)
def hits_of(dice: Dice, whole: int, most: int, low_luck: bool) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of hits and their chances, for dice given as (chance, number); more than `most` hits are as good as that.

    Low luck: the whole part of the mean for certain, and one more with the chance of the rest (section 10).
    """
    if low_luck:
        sure, rest = divmod(sum(hit * number for hit, number in dice), whole)
        low, p = sure, np.array([(whole - rest) / whole, rest / whole] if rest else [1.0])
    else:
        low, p = 0, np.ones(1)
        for hit, number in dice:
            low, p = _sum((low, p), binomial(number, hit, whole))
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
    """What a side rolls in a salvo: what the enemy's places show, then by own place and by that its tables and means.

    Mean hits are in parts of the whole.
    """

    shown: np.ndarray
    tables: np.ndarray
    means: np.ndarray


class Aimed(NamedTuple):
    """A step that is fired: its slot, what of the own numbers of units decides its dice, and its dice by these."""

    slot: int
    shot: Shot
    asked: Callable[[Sequence[int]], Hashable]
    dice: dict[Hashable, Dice]


class Known(NamedTuple):
    """What is worked out of a side once: the slots of each group, its hit classes, what decides a step's dice.

    Then, by what they depend on: the dice of steps, the steps that are fired, and of line-ups, place by place, their
    dice and what they show of themselves.
    """

    slots: list[list[Slot]]
    classes: list[int]
    asked: dict[int, tuple[list[int], list[Help]]]
    dice: dict[Hashable, dict[Hashable, Dice]]
    aimed: dict[Hashable, list[Aimed]]
    rolled: dict[Hashable, list[tuple[Dice, ...]]]
    seen: dict[Hashable, tuple[np.ndarray, list[Standing]]]


def _keep(kept: dict[Hashable, Any], key: Hashable, value: Any, places: int) -> None:
    """Keep what was worked out for a line-up, if it has few places."""
    if len(kept) >= MOST_KEPT:
        kept.clear()
    if places <= MOST_KEPT**2:
        kept[key] = value


def _nothing(counts: Sequence[int]) -> Hashable:
    return None


class Gunnery:
    """A side's dice: fills its tables row by row."""

    def __init__(self, setup: Setup, side: str, own: Places, enemy: Places, book: Book) -> None:
        self.setup, self.side, self.book = setup, setup.sides[side], book
        self.own, self.enemy = own, enemy
        self.own_stands, self.enemy_stands = own.standings, enemy.standings
        self._known = self._worked_out_before()
        self.slots, self.classes = self._known.slots, self._known.classes
        self.caps = {targets: sum([targets >> unit & 1 for unit in enemy.line]) for targets in self.classes}

    def _worked_out_before(self) -> Known:
        """What is known of this side in any scenario that is alike in all but numbers of units."""
        setup, side = self.setup, self.side
        kept = setup.source.known
        key = (setup.kind_name, side.side, side.present, tuple(setup.conditions.items()))
        if getattr(setup.fields, side.side).model_fields_set & {"modifier", "modifiers"}:
            return self._afresh()
        known: Known | None = kept.get(key)
        if known is None or len(known.dice) + len(known.aimed) > MOST_KEPT**2:
            if len(kept) > MOST_KEPT:
                kept.clear()
            known = kept[key] = self._afresh()
        return known

    def _afresh(self) -> Known:
        slots = [slots_of(self.side, group) for group in self.setup.groups]
        classes = sorted({slot.targets for some in slots for slot in some})
        asked = {number: self._relevant(shot) for number, shot in self.side.shots.items()}
        return Known(slots, classes, asked, {}, {}, {}, {})

    def _relevant(self, shot: Shot) -> tuple[list[int], list[Help]]:
        """Own units whose number decides a step's dice, and the supports and modifiers that may change them."""
        helps = [rule for rule in (*self.side.supports, *self.side.modifiers) if rule.applies(shot)]
        mask = shot.by | (shot.limit_own or 0)
        for rule in helps:
            mask |= (rule.by | rule.units) if rule.by else 0
        return list(bits(mask & self.side.present)), helps

    def _aimed(
        self, shots: Sequence[Shot], slots: Sequence[Slot], number: int, own: Standing, enemy: Standing
    ) -> list[Aimed]:
        """Those of a group's steps that are fired in round `number`, by whatever numbers of these units."""
        limits = [enemy.number(shot.limit_enemy) for shot in shots if shot.limit_enemy is not None]
        key = (shots[0].number, number, own.mask, enemy.mask, *limits)
        if key not in self._known.aimed:
            firing = [shot for shot in shots if fires(shot, number, own, enemy)]
            first: dict[int, int] = {}
            for shot in firing:
                first.setdefault(shot.targets, shot.number)
            able = [shot for shot in firing if self.side.able(shot)]
            self._known.aimed[key] = [
                self._aim(shot, slot_of(slots, shot.targets, first[shot.targets]), number, own, enemy) for shot in able
            ]
        return self._known.aimed[key]

    def _aim(self, shot: Shot, slot: int, number: int, own: Standing, enemy: Standing) -> Aimed:
        units, helps = self._known.asked[shot.number]
        limit = -1 if shot.limit_enemy is None else enemy.number(shot.limit_enemy)
        key = (shot.number, number, limit, *(rule.stands(own.mask, enemy.mask) for rule in helps))
        return Aimed(slot, shot, itemgetter(*units) if units else _nothing, self._known.dice.setdefault(key, {}))

    def _thrown(self, aimed: Sequence[Aimed], slots: int, number: int, own: Standing, enemy: Standing) -> list[Dice]:
        """The dice of each slot; each kind of them is worked out once."""
        dice: list[Dice] = [()] * slots
        counts = own.counts
        for slot, shot, asked, known in aimed:
            key = asked(counts)
            found = known.get(key)
            if found is None:
                found = known[key] = self._worked_out(shot, number, own, enemy)
            dice[slot] = added(dice[slot], found) if dice[slot] and found else dice[slot] or found
        return dice

    def _worked_out(self, shot: Shot, number: int, own: Standing, enemy: Standing) -> Dice:
        found: Counter[int] = Counter()
        for volley in volleys(self.side, shot, number, own, enemy):
            if volley.chance:
                found[volley.chance] += volley.dice
        return tuple(sorted(found.items()))

    def _seen(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[Standing]]:
        """What of the enemy's places these steps' dice depend on: a number by place, and one standing for each."""
        rules = [shot for shot in shots if shot.in_round(number)]
        helps = {help for shot in rules for help in self._known.asked[shot.number][1] if help.in_round(number)}
        asked = {mask for rule in (*rules, *helps) for mask in (rule.if_enemy, rule.unless_enemy) if mask}
        aims = {shot.targets for shot in rules}
        counted = {shot.limit_enemy for shot in rules if shot.limit_enemy is not None}
        index: dict[Hashable, int] = {}
        examples: list[Standing] = []
        shown, by_key = [], {}
        for stand in self.enemy_stands:
            key = (stand.mask, *map(stand.number, counted)) if counted else (stand.mask,)
            if key not in by_key:
                holds = tuple([bool(stand.mask & mask) for mask in asked])
                stands = tuple([bool(stand.fighting & aim) for aim in aims])
                by_key[key] = index.setdefault((holds, stands, key[1:]), len(examples))
                if by_key[key] == len(examples):
                    examples.append(stand)
            shown.append(by_key[key])
        return np.array(shown), examples

    def _shown(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[Standing]]:
        """As `_seen`, known where the same line-up was met before."""
        key = (self.enemy, shots[0].number, number)
        found = self._known.seen.get(key)
        if found is None:
            found = self._seen(shots, number)
            _keep(self._known.seen, key, found, len(self.enemy))
        return found

    def throws(self, group: Sequence[int], slots: Sequence[Slot], chosen: Sequence[int], number: int) -> Throws:
        """What the side rolls of the chosen slots of a group in a round.

        The first group of all finds both sides as they came. Raises TooLarge for too many different throws.
        """
        shots = [self.side.shots[i] for i in group if i in self.side.shots]
        own, shown = self.own_stands, np.zeros(len(self.enemy), np.int64)
        if not any(self.side.able(shot) for shot in shots):
            return Throws(shown, *np.zeros((2, len(own), 1), np.int64))
        if number == 0 and group == self.setup.groups[0] and not (self.own.several or self.enemy.several):
            own, examples = own[:1], self.enemy_stands[:1]
        else:
            shown, examples = self._shown(shots, number)
        if len(examples) * len(own) > MOST_PROFILES:
            raise TooLarge(self.side.side, f"too many units: {len(examples) * len(own):,} different throws")
        tables, means = np.zeros((2, len(self.own_stands), len(examples)), np.int64)
        caps, compares = tuple([self.caps[slots[k].targets] for k in chosen]), self.setup.compares
        for seen, enemy in enumerate(examples):
            if not any(enemy.fighting & shot.targets for shot in shots):
                continue
            rolled = self._rolled(shots, slots, tuple(chosen), number, enemy, len(own))
            tables[: len(rolled), seen] = self.book.tables(rolled, caps)
            if compares:
                means[: len(rolled), seen] = [sum(hit * n for one in dice for hit, n in one) for dice in rolled]
        return Throws(shown, tables, means)

    def _rolled(
        self,
        shots: Sequence[Shot],
        slots: Sequence[Slot],
        chosen: tuple[int, ...],
        number: int,
        enemy: Standing,
        own: int,
    ) -> list[tuple[Dice, ...]]:
        """The dice of the chosen slots, by own place, of the first `own` places; nothing where no step is fired."""
        limits = [enemy.number(shot.limit_enemy) for shot in shots if shot.limit_enemy is not None]
        key = (self.own, own, shots[0].number, number, chosen, enemy.mask, *limits)
        rolled = self._known.rolled.get(key)
        if rolled is None:
            rolled = []
            for stand in self.own_stands[:own]:
                aimed = self._aimed(shots, slots, number, stand, enemy)
                thrown = self._thrown(aimed, len(slots), number, stand, enemy) if aimed else ()
                rolled.append(tuple([thrown[k] for k in chosen]) if aimed else ())
            _keep(self._known.rolled, key, rolled, own)
        return rolled


def slot_of(slots: Sequence[Slot], targets: int, first: int) -> int:
    """The slot of a class whose first step to fire is this one."""
    return max(k for k, slot in enumerate(slots) if slot.targets == targets and slot.first <= first)


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
