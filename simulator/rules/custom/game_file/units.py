"""A unit as a side of a battle has it, and the dice of its rolls (docs/rules/custom_games.md sections 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from math import lcm
from typing import NamedTuple

from simulator.rules.custom.game_file.format import AnyRoll, Dice, Die, GameFile, Roll, Unit, UnitValues

MAIN_ROLLS = {"attacker": "attack", "defender": "defence"}
MAIN = ("attack", "defence")
# Faces rolled again: all that miss ("misses"), or these numbers or names.
Again = str | frozenset[int | str]
OWN_VALUES = ("cost", "hits", "absorb", "initiative", "shield", "absorbs")


class Rolled(NamedTuple):
    """A roll ready to be rolled: value (or bonus, for dice that are compared), dice, and the faces rolled again.

    `reroll`: "misses", or a set of faces; `die` is the name of a further die.
    """

    value: int
    dice: int = 1
    reroll: Again = frozenset()
    damage: int = 1
    split: bool = False
    die: str | None = None
    compared: bool = False


class UnitPiece(NamedTuple):
    """A unit with the values that it has on a side; `rolls` by name, also those of value 0."""

    cost: float
    hits: int
    absorb: str
    initiative: int
    shield: int
    absorbs: int
    rolls: Mapping[str, AnyRoll]


def own_rolls(given: Unit | UnitValues) -> dict[str, AnyRoll]:
    """The rolls that a unit, or its table for a side, names; `combat` stands for attack and defence."""
    combat = {} if given.combat is None else dict.fromkeys(MAIN, given.combat)
    main = {name: roll for name in MAIN if (roll := getattr(given, name)) is not None}
    return combat | main | given.rolls


@lru_cache(maxsize=512)
def pieces_of(file: GameFile, side: str) -> list[UnitPiece]:
    """Every unit as a side has it, in file order."""
    return [_piece(unit, getattr(unit, side)) for unit in file.unit.values()]


def pieces_by_name(file: GameFile, side: str) -> dict[str, UnitPiece]:
    """Every unit as a side has it, by its key."""
    return dict(zip(file.unit, pieces_of(file, side), strict=True))


def _piece(unit: Unit, own: UnitValues) -> UnitPiece:
    values = {name: getattr(unit if getattr(own, name) is None else own, name) for name in OWN_VALUES}
    return UnitPiece(**values, rolls=own_rolls(unit) | own_rolls(own))


def die_named(file: GameFile, name: str | None) -> Dice | Die:
    """A further die by name; that of `[dice]` for None. Raises KeyError for one that the file does not have."""
    return file.dice if name is None else file.die[name]


def has_symbols(die: Dice | Die) -> bool:
    """Has a die symbols in place of numbers?"""
    return isinstance(die, Die) and die.faces is not None


def faces_number(die: Dice | Die) -> int:
    """The number of faces of a die."""
    return len(die.faces) if isinstance(die, Die) and die.faces else die.sides or 0


@lru_cache(maxsize=256)
def whole_of(file: GameFile) -> int:
    """The common denominator of the chances of all dice of a file: a die may be rolled twice."""
    dice: list[Dice | Die] = [file.dice, *file.die.values()]
    return lcm(*(faces_number(die) ** 2 for die in dice))


def most_damage(file: GameFile, roll: AnyRoll) -> int:
    """The most damage of a hit of a roll."""
    if isinstance(roll, int):
        return 1
    die = die_named(file, roll.die)
    return max([roll.damage, *(die.damage.values() if isinstance(die, Die) else ())])


def in_one_piece(file: GameFile) -> str:
    """The reason why the points of each piece must stand one behind the other (section 7, step 6, and 2.6), or ""."""
    if heavy(file):
        return "a hit may do more than 1 damage"
    return "a step is aimed at pieces or kinds" if any(step.aim in {"piece", "kind"} for step in file.step) else ""


@lru_cache(maxsize=256)
def heavy(file: GameFile) -> bool:
    """May a hit that is not split do more than one damage (section 7, step 6)?"""
    written = [part for unit in file.unit.values() for part in (unit, unit.attacker, unit.defender)]
    written += [values for option in file.option.values() for values in option.unit.values()]
    tables = [roll for part in written for roll in own_rolls(part).values() if isinstance(roll, Roll)]
    if any(roll.damage > 1 and not roll.split for roll in tables):
        return True
    strong = [name for name, die in file.die.items() if max(die.damage.values(), default=1) > 1]
    by_die = {name: [roll.split for roll in tables if roll.die == name] for name in strong}
    return any(not (splits and all(splits)) for splits in by_die.values())


@lru_cache(maxsize=4096)
def roll_of(file: GameFile, side: str, unit: int, name: str) -> Rolled | None:
    """A unit's roll of that name on a side, or None."""
    found = pieces_of(file, side)[unit].rolls.get(name)
    return rolled(found) if found else None


def rolled(given: int | Roll) -> Rolled:
    """A roll of a game file, ready to be rolled."""
    if isinstance(given, int):
        return Rolled(given)
    value = given.value if given.bonus is None else given.bonus
    again: Again = given.reroll if given.reroll == "misses" else frozenset()
    if isinstance(given.reroll, list):
        again = frozenset(given.reroll)
    return Rolled(value or 0, given.dice, again, given.damage, given.split, given.die, given.bonus is not None)
