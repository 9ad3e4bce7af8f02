"""The hit classes of a group of steps, in the order in which their hits are allotted (docs/rules/custom_games.md
sections 5 and 10).

A *slot* is a class at its place in that order. With low luck classes are made of the units that stand there: classes
that are alike then share a slot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.custom.dice.die import Hit, classes_of, masks_aimed_at
from simulator.rules.custom.dice.volleys import Standing
from simulator.rules.custom.line import Places
from simulator.rules.custom.masks import bits
from simulator.rules.custom.setup import Shot, SideSetup

# A mask in which every unit counts, whether it stands or not.
EVERYBODY = -1
# A hit class and its pool.
Class = tuple[Hit, str | None]


class Slot(NamedTuple):
    """A hit class of a group, the first of the steps that can yield it before another class does, and its pool."""

    hit: Hit
    first: int
    pool: str | None

    @property
    def of(self) -> Class:
        """The class with its pool."""
        return self.hit, self.pool


def pool_of(side: SideSetup, shot: Shot) -> str | None:
    """The pool of a step's dice; without low luck there is one for all."""
    pool: str | None = shot.given.pool if side.setup.low_luck else None
    return pool


def slots_by_group(side: SideSetup, enemy: Places) -> list[list[Slot]]:
    """The slots of a side by group, against an enemy who may stand in these places."""
    masks: tuple[int, ...] = ()
    if side.setup.low_luck:
        different = np.unique(enemy.left > 0, axis=0).tolist()
        masks = tuple([sum([1 << unit for unit, stands in enumerate(row) if stands]) for row in different])
    key = "slots", side.setup.low_luck, masks, side.setup.sides[side.enemy].keeps_aimed
    return side.recall(key, lambda: [_slots_of(side, group, masks) for group in side.setup.groups])


def _slots_of(side: SideSetup, group: Sequence[int], masks: Sequence[int]) -> list[Slot]:
    """The slots of a group: its classes in their order; with low luck more where these masks of units need another."""
    shots = side.shots_in(group)
    if any(shot.given.aim != "anyone" for shot in shots):
        return _aimed(side, shots)
    classes = _in_order(side, shots, EVERYBODY)
    slots = list(classes)
    for mask in masks:
        for wanted, at in _placed(slots, _in_order(side, shots, mask), mask):
            if at == len(slots):
                slots.append(next(slot for slot in classes if _among(slot, mask) == wanted.of))
    return slots


def _aimed(side: SideSetup, shots: Sequence[Shot]) -> list[Slot]:
    """The slots of aimed steps, in their order: the points that each takes, whatever its dice."""
    found: list[Slot] = []
    for shot in filter(side.able, shots):
        masks = masks_aimed_at(side, shot)
        if [slot.hit.units for slot in found[-len(masks) :]] != masks:
            found += [Slot(Hit(mask), shot.number, None) for mask in masks]
    return found


def _in_order(side: SideSetup, shots: Sequence[Shot], standing: int) -> list[Slot]:
    """The hit classes of these steps, made of the units of a mask, in the order of allotting (section 5, step 7).

    Which of two equally restricted classes comes first depends on the steps that fire, so a class may stand here
    twice; only one of the two is used at a time.
    """
    used, found = set[Class](), set[Slot]()
    for shot in shots:
        given = [Slot(hit, shot.number, pool_of(side, shot)) for hit in yielded(side, shot)]
        found |= {slot._replace(hit=_among(slot, standing)[0]) for slot in given}
        if side.able(shot):
            used |= {_among(slot, standing) for slot in given if slot.hit in classes_of(side, shot)}
    slots: list[Slot] = []
    for slot in sorted(found, key=_allotted):
        if slot.of in used and not (slots and slots[-1].of == slot.of):
            slots.append(slot)
    return slots


def _among(slot: Slot, standing: int) -> Class:
    """The class of a slot, made of the units of a mask."""
    return slot.hit._replace(units=slot.hit.units & standing), slot.pool


def _placed(slots: Sequence[Slot], wanted: Sequence[Slot], standing: int) -> Iterator[tuple[Slot, int]]:
    """The place of each wanted class, made of the units of a mask, in the slots; past their end where none is left."""
    at = -1
    for one in wanted:
        at += 1
        while at < len(slots) and _among(slots[at], standing) != one.of:
            at += 1
        yield one, at


def slots_in_use(
    side: SideSetup, slots: Sequence[Slot], firing: Sequence[Shot], enemy: Standing
) -> Mapping[Class, int]:
    """The slot of each hit class where these steps are fired: the one of the first step that can yield it."""
    low_luck = side.setup.low_luck
    standing = enemy.fighting if low_luck else EVERYBODY

    def make() -> dict[Class, int]:
        given = [Slot(hit, shot.number, pool_of(side, shot)) for shot in firing for hit in yielded(side, shot)]
        first: dict[Class, int] = {}
        for slot in given:
            first.setdefault(_among(slot, standing), slot.first)
        group = next((group for group in side.setup.groups if firing[0].number in group), []) if firing else []
        at = {
            one.of: k
            for one, k in _placed(slots, _in_order(side, side.shots_in(group), standing), standing)
            if one.of in first and one.first <= first[one.of]
        }
        return {slot.of: at[_among(slot, standing)] for slot in given if _among(slot, standing) in at}

    return side.recall(("places", standing, tuple(slots) if low_luck else (), *firing), make)


def yielded(side: SideSetup, shot: Shot) -> set[Hit]:
    """The hit classes that a step can yield, whichever units fire; one is always a plain hit on its targets."""
    return classes_of(side, shot) | {Hit(shot.targets)}


def _allotted(slot: Slot) -> tuple[Any, ...]:
    """Fewest units first; then more damage, the earlier step, the units in file order, whole before split."""
    units, damage, split = slot.hit
    return units.bit_count(), -damage, slot.first, tuple(bits(units)), split
