"""The numbers of a battle before its first roll: chance tables, and the arrays of `Params`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simulator.engine.chance import Tables, from_rows
from simulator.rules.battle import Refusal
from simulator.rules.custom.line import Places
from simulator.rules.custom.setup import Help, Setup, Shot, SideSetup, bits
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
        kept = np.bincount(np.minimum(hits, most), p)
        hits = np.flatnonzero(kept)
        p = kept[hits]
    return hits, p


class Book:
    """Chance tables by what they are made from; table 0 is certain."""

    def __init__(self) -> None:
        self._rows = [(np.zeros(1, np.int64), np.ones(1))]
        self._index: dict[Hashable, int] = {}

    def add(self, dice: Sequence[Dice], caps: Sequence[int], whole: int, low_luck: bool) -> int:
        """The table of the hits of these dice, class by class, packed into one result (see `packing`)."""
        key = (tuple(dice), tuple(caps))
        if key not in self._index:
            result, p = np.zeros(1, np.int64), np.ones(1)
            for rolled, cap, stride in zip(dice, caps, packing(caps), strict=True):
                hits, chances = hits_of(rolled, whole, cap, low_luck)
                if len(dice) == 1:
                    result, p = hits, chances
                    break
                result = np.add.outer(result, hits * stride).ravel()
                p = np.multiply.outer(p, chances).ravel()
            if not p.all():
                result, p = result[p > 0], p[p > 0]
            order = np.argsort(result, kind="stable") if len(dice) > 1 else slice(None)
            self._index[key] = len(self._rows)
            self._rows.append((result[order], p[order]))
        return self._index[key]

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
    used = {shot.targets for shot in shots if shot.eligible}
    ordered = sorted((shot.targets.bit_count(), shot.number, shot.targets) for shot in shots if shot.targets in used)
    slots: list[Slot] = []
    for _, number, targets in ordered:
        if not (slots and slots[-1].targets == targets):
            slots.append(Slot(targets, number))
    return slots


class Profile(NamedTuple):
    """The dice of a side in a group: for each slot, how many dice of each chance."""

    dice: tuple[Dice, ...]

    def mean(self, slot: int) -> int:
        """Mean hits of a slot, in parts of the whole."""
        return sum(hit * number for hit, number in self.dice[slot])


class Gunnery:
    """A side's dice: fills its tables row by row."""

    def __init__(self, setup: Setup, side: str, own: Places, enemy: Places, book: Book) -> None:
        self.setup, self.side, self.book = setup, setup.sides[side], book
        self.own, self.enemy = own, enemy
        self.own_stands, self.enemy_stands = own.standings, enemy.standings
        self.classes = sorted({slot.targets for group in setup.groups for slot in slots_of(self.side, group)})
        self.caps = {targets: sum(1 for unit in enemy.line if targets >> unit & 1) for targets in self.classes}
        self._asked = {number: self._relevant(shot) for number, shot in self.side.shots.items()}
        self._dice = self._known()

    def _known(self) -> dict[Hashable, Dice]:
        """The dice worked out so far for this side of any scenario that is alike in all but numbers of units."""
        setup, side = self.setup, self.side
        if getattr(setup.fields, side.side).model_fields_set & {"modifier", "modifiers"}:
            return {}
        kept = setup.source.known
        if len(kept) > MOST_KEPT:
            kept.clear()
        found: dict[Hashable, Dice] = kept.setdefault(
            (setup.kind_name, side.side, side.present, tuple(setup.conditions.items())), {}
        )
        if len(found) > MOST_PROFILES // 10:
            found.clear()
        return found

    def _relevant(self, shot: Shot) -> tuple[list[int], list[Help]]:
        """Own units whose number decides a step's dice, and the supports and modifiers that may change them."""
        helps = [rule for rule in (*self.side.supports, *self.side.modifiers) if rule.applies(shot)]
        mask = shot.by | (shot.limit_own or 0)
        for rule in helps:
            mask |= (rule.by | rule.units) if rule.by else 0
        return list(bits(mask & self.side.present)), helps

    def dice_of(self, shot: Shot, number: int, own: Standing, enemy: Standing) -> Dice:
        """How many dice of each chance a step rolls; each kind of them is worked out once."""
        units, helps = self._asked[shot.number]
        key = (
            shot.number,
            number,
            tuple([own.counts[unit] for unit in units]),
            tuple([rule.stands(own.mask, enemy.mask) for rule in helps]),
            -1 if shot.limit_enemy is None else enemy.number(shot.limit_enemy),
        )
        if key not in self._dice:
            found: Counter[int] = Counter()
            for volley in volleys(self.side, shot, number, own, enemy):
                if volley.chance:
                    found[volley.chance] += volley.dice
            self._dice[key] = tuple(sorted(found.items()))
        return self._dice[key]

    def profile(
        self, shots: Sequence[Shot], slots: Sequence[Slot], number: int, own: Standing, enemy: Standing
    ) -> Profile:
        """The dice that the side rolls in a group of round `number`."""
        firing = [shot for shot in shots if fires(shot, number, own, enemy)]
        first: dict[int, int] = {}
        for shot in firing:
            first.setdefault(shot.targets, shot.number)
        dice: list[Dice] = [()] * len(slots)
        for shot in firing:
            if shot.eligible and (rolled := self.dice_of(shot, number, own, enemy)):
                place = slot_of(slots, shot.targets, first[shot.targets])
                dice[place] = added(dice[place], rolled) if dice[place] else rolled
        return Profile(tuple(dice))

    def seen(self, shots: Sequence[Shot], number: int) -> tuple[np.ndarray, list[Standing]]:
        """What of the enemy's places these steps' dice depend on: a number by place, and one standing for each."""
        rules = [shot for shot in shots if shot.in_round(number)]
        helps = {help for shot in rules for help in self._asked[shot.number][1] if help.in_round(number)}
        asked = {mask for rule in (*rules, *helps) for mask in (rule.if_enemy, rule.unless_enemy) if mask}
        aims = {shot.targets for shot in rules}
        counted = {shot.limit_enemy for shot in rules if shot.limit_enemy is not None}
        index: dict[Hashable, int] = {}
        examples: list[Standing] = []
        shown = []
        for stand in self.enemy_stands:
            key = (
                tuple(bool(stand.mask & mask) for mask in asked),
                tuple(bool(stand.fighting & aim) for aim in aims),
                tuple(stand.number(mask) for mask in counted),
            )
            if key not in index:
                index[key] = len(examples)
                examples.append(stand)
            shown.append(index[key])
        return np.array(shown), examples

    def profiles(
        self, group: Sequence[int], slots: Sequence[Slot], number: int, first: bool
    ) -> tuple[np.ndarray, list[list[Profile]]]:
        """For a group in a round: what the enemy's places show, and the profiles by own place and by that.

        The `first` group of the battle finds both sides as they came. Raises Refusal for too many of them.
        """
        shots = [self.side.shots[i] for i in group if i in self.side.shots]
        nothing = Profile(tuple(() for _ in slots))
        if not any(shot.eligible for shot in shots):
            return np.zeros(len(self.enemy), np.int64), [[nothing]] * len(self.own)
        if first:
            begun = self.profile(shots, slots, number, self.own_stands[0], self.enemy_stands[0])
            return np.zeros(len(self.enemy), np.int64), [[begun]] + [[nothing]] * (len(self.own) - 1)
        shown, examples = self.seen(shots, number)
        if len(examples) * len(self.own) > MOST_PROFILES:
            raise Refusal(self.side.side, f"too many units: {len(examples) * len(self.own):,} different throws")
        return shown, [
            [self.profile(shots, slots, number, own, enemy) for enemy in examples] for own in self.own_stands
        ]

    def table(self, found: Profile, slots: Sequence[int], targets: Sequence[int]) -> int:
        """The table of these slots of a profile."""
        dice = [found.dice[k] for k in slots]
        if not any(dice):
            return 0
        caps = [self.caps[mask] for mask in targets]
        return self.book.add(dice, caps, self.setup.whole, self.setup.low_luck)


def slot_of(slots: Sequence[Slot], targets: int, first: int) -> int:
    """The slot of a class whose first step to fire is this one."""
    return max(k for k, slot in enumerate(slots) if slot.targets == targets and slot.first <= first)


def added(one: Dice, other: Dice) -> Dice:
    """All dice together."""
    return tuple(sorted((Counter(dict(one)) + Counter(dict(other))).items()))


def packing(caps: Sequence[int]) -> list[int]:
    """Strides that pack numbers of hits up to these caps into one result."""
    strides = [1]
    for cap in caps:
        strides.append(strides[-1] * (cap + 1))
    return strides[:-1]
