"""Units that the faces of a die hit, and the chances of one die (docs/rules/custom_games.md section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.game_file.format import Dice, Die, GameFile
from simulator.rules.custom.game_file.units import Rolled, die_named, faces_number, has_symbols, pieces_of, whole_of
from simulator.rules.custom.masks import bits, everyone, mask_of
from simulator.rules.custom.setup import Shot, SideSetup


class Hit(NamedTuple):
    """A hit class: the units that a face hits, as a mask, the damage of a hit, and whether it is split (section 5)."""

    units: int
    damage: int = 1
    split: bool = False


MISS = Hit(0)
# A shield makes a value worse by this at most.
MOST_SHIELD = 20


def hit_class(units: int, damage: int, split: bool) -> Hit:
    """The class of a hit on these units; damage of 1 is not split, whatever the roll says (section 2.4)."""
    return Hit(units, damage, split and damage > 1) if units else MISS


def faces_that_hit(file: GameFile, die: Dice | Die, value: int) -> frozenset[int]:
    """Faces of a die with numbers that hit at a value (steps 3 and 4)."""
    if die.clamp:
        value = min(max(value, die.clamp[0]), die.clamp[1])
    sides = die.sides or 0
    good = range(1, min(value, sides) + 1) if file.dice.hit == "at-most" else range(max(value, 1), sides + 1)
    return frozenset(good).union(die.always_hit) - frozenset(die.always_miss)


def hits_by_face(file: GameFile, enemy: str, roll: Rolled, targets: int) -> tuple[Hit, ...]:
    """The hit of each face, in order, of a die of this roll at these targets, units of the enemy (steps 7 to 9)."""
    return _hits_by_face(file, enemy, roll._replace(dice=1, reroll=frozenset()), targets)


@lru_cache(maxsize=4096)
def _hits_by_face(file: GameFile, enemy: str, roll: Rolled, targets: int) -> tuple[Hit, ...]:
    die, value, damage, split = die_named(file, roll.die), roll.value, roll.damage, roll.split
    if isinstance(die, Die) and die.faces is not None:
        selectors = [(die.hits or {}).get(face, []) for face in die.faces]
        named = [everyone(file) if isinstance(hit, str) else mask_of(file, hit) for hit in selectors]
        damages = [die.damage.get(face, 1) for face in die.faces]
        return tuple([hit_class(targets & mask, more, split) for mask, more in zip(named, damages, strict=True)])
    at_shield: dict[int, int] = {}
    for unit in bits(targets):
        shield = pieces_of(file, enemy)[unit].shield
        at_shield[shield] = at_shield.get(shield, 0) | 1 << unit
    masks = [0] * (die.sides or 0)
    for shield, units in at_shield.items():
        for face in faces_that_hit(file, die, value - shield if file.dice.hit == "at-most" else value + shield):
            masks[face - 1] |= units
    return tuple([hit_class(mask, damage, split) for mask in masks])


def face_names(file: GameFile, roll: Rolled) -> Sequence[int | str]:
    """The faces of the die of a roll, in order: numbers, or the names of symbols."""
    die = die_named(file, roll.die)
    return die.faces if isinstance(die, Die) and die.faces is not None else range(1, faces_number(die) + 1)


def rolled_again(file: GameFile, roll: Rolled, faces: tuple[Hit, ...]) -> list[bool]:
    """Is each face of a die rolled again (steps 5, 6 and 9)?"""
    if roll.reroll == "misses":
        return [hit == MISS for hit in faces]
    return [name in roll.reroll for name in face_names(file, roll)]


@lru_cache(maxsize=1 << 14)
def chances_of(file: GameFile, enemy: str, roll: Rolled, targets: int) -> tuple[tuple[Hit, int], ...]:
    """The chance of each hit class of one die, in parts of `whole_of` the file; what misses is left out."""
    return _thrown(file, roll, hits_by_face(file, enemy, roll, targets))


def _thrown(file: GameFile, roll: Rolled, faces: tuple[Hit, ...]) -> tuple[tuple[Hit, int], ...]:
    """The same by the hit of each face: some of these are rolled once more (steps 5 and 6)."""
    again = rolled_again(file, roll, faces)
    sides, once, twice = len(faces), Counter[Hit](), Counter(faces)
    for hit, back in zip(faces, again, strict=True):
        once[hit] += 0 if back else sides
        if back:
            for other, number in twice.items():
                once[other] += number
    part = whole_of(file) // sides**2
    return tuple([(hit, number * part) for hit, number in sorted(once.items()) if hit != MISS and number])


@lru_cache(maxsize=1 << 12)
def chance_at(file: GameFile, roll: Rolled) -> int:
    """The chance that one die of a roll hits, in parts of `whole_of` the file, without shields."""
    die = die_named(file, roll.die)
    if has_symbols(die):
        return sum(number for _, number in chances_of(file, SIDES[0], roll, everyone(file)))
    good = faces_that_hit(file, die, roll.value)
    faces = tuple([Hit(1) if face in good else MISS for face in range(1, faces_number(die) + 1)])
    return sum(number for _, number in _thrown(file, roll, faces))


def masks_aimed_at(side: SideSetup, shot: Shot) -> list[int]:
    """The units on which the dice of an aimed step take points off: one mask, and its hits are points in line order.

    Kinds of which pieces are kept to the end do not stand together: each is a mask of its own.
    """
    apart = shot.given.aim == "kind" and getattr(side.setup.fields.policy, side.enemy).keep
    return [1 << unit for unit in bits(shot.targets)] if apart else [shot.targets]


def classes_of(side: SideSetup, shot: Shot) -> set[Hit]:
    """The hit classes that the dice of a step may fall into, whatever supports and modifiers hold."""
    if shot.given.aim != "anyone":
        return {Hit(mask) for mask in masks_aimed_at(side, shot)}

    def make() -> set[Hit]:
        units = bits(shot.by & side.present)
        return {hit for unit in units for hit in _classes_of_roll(side, shot, unit)} - {MISS}

    return side.recall(shot, make)


def _classes_of_roll(side: SideSetup, shot: Shot, unit: int) -> Iterable[Hit]:
    file, pieces, roll = side.setup.file, side.setup.sides[side.enemy].pieces, side.roll(unit, shot)
    if shot.given.points:
        return []
    if roll.compared:
        return [Hit(shot.targets)]
    die = die_named(file, roll.die)
    if has_symbols(die):
        return hits_by_face(file, side.enemy, roll, shot.targets)
    if len({pieces[target].shield for target in bits(shot.targets)}) < 2:
        return [hit_class(shot.targets, roll.damage, roll.split)]
    values = _values(side, shot, unit, roll)
    sides = die.sides or 0
    within = {min(max(value, -MOST_SHIELD), sides + MOST_SHIELD + 1) for value in values}
    return {hit for v in within for hit in hits_by_face(file, side.enemy, roll._replace(value=v), shot.targets)}


def _values(side: SideSetup, shot: Shot, unit: int, roll: Rolled) -> Iterable[int]:
    """All values at which a unit may come to roll."""
    rules = [rule.given for rule in side.helps if rule.units >> unit & 1 and rule.applies(shot)]
    values = {roll.value, *(given.sets for given in rules if getattr(given, "sets", None) is not None)}
    adds = [given.adds or 0 for given in rules]
    less, more = sum(add for add in adds if add < 0), sum(add for add in adds if add > 0)
    if side.setup.file.dice.hit == "at-least":
        less, more = -more, -less
    return {value + add for value in values for add in range(less, more + 1)}
