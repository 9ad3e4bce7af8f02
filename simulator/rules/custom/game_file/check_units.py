"""Checks of dice and units that types cannot make (docs/rules/custom_games.md sections 2.3 and 2.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Refusal
from simulator.rules.custom.game_file.format import (
    AnyRoll,
    Check,
    Dice,
    Die,
    GameFile,
    Roll,
    Unit,
    UnitValues,
)
from simulator.rules.custom.game_file.keys import HYPHENED, UNDERSCORED
from simulator.rules.custom.game_file.options import check_needs, groups_of_options
from simulator.rules.custom.game_file.units import die_named, in_one_piece, pieces_by_name
from simulator.rules.custom.game_file.words import (
    check_beside,
    check_face,
    check_known,
    check_name,
    check_selector,
    selected,
    words_of,
)
from simulator.rules.toolkit.policies import refuse

RESERVED_UNITS = ("units", "cost", "modifier", "modifiers", "all")
# Also reserved in format 3, in which they are fields of a side.
RESERVED_3 = ("options", "damaged")


def checks_of_dice_and_units(file: GameFile) -> Iterator[Callable[[], None]]:
    """The check of each die, unit and throw for what types allow, in order; each raises Refusal."""
    yield partial(_numbers, file.dice, "dice")
    for name, die in file.die.items():
        yield partial(_die, file, die, f"die.{name}", name)
    for key, unit in file.unit.items():
        yield partial(_unit, file, key, unit)
    for name, check in file.check.items():
        yield partial(_check, file, check, f"check.{name}", name)


def _numbers(dice: Dice | Die, field: str) -> None:
    """The faces of a die with numbers."""
    sides = dice.sides or 0
    for name in ("always_hit", "always_miss"):
        for i, face in enumerate(getattr(dice, name)):
            check_face(face, sides, f"{field}.{name}[{i}]")
    if both := set(dice.always_hit) & set(dice.always_miss):
        raise Refusal(f"{field}.always_miss", f"{min(both)} stands in always_hit too; a face may not be in both")
    if dice.clamp:
        for i, value in enumerate(dice.clamp):
            check_face(value, sides + 1, f"{field}.clamp[{i}]", 0)
        if dice.clamp[0] > dice.clamp[1]:
            raise Refusal(f"{field}.clamp", f"{dice.clamp} is not allowed; the lowest value comes first")


def _die(file: GameFile, die: Die, field: str, name: str) -> None:
    check_name(name, field, HYPHENED, "a die")
    refuse((die.sides is None) == (die.faces is None), field, "give exactly one of sides, faces")
    if die.faces is None:
        if wrong := {"hits", "damage"} & die.model_fields_set:
            raise Refusal(f"{field}.{min(wrong)}", "is for dice with faces; a die with sides hits by its numbers")
        _numbers(die, field)
        return
    if wrong := {"always_hit", "always_miss", "clamp"} & die.model_fields_set:
        raise Refusal(f"{field}.{min(wrong)}", "is for dice with sides; a die with faces hits by its hits")
    if die.hits is None:
        raise Refusal(f"{field}.hits", "is needed; without it no face would hit")
    for face, selector in die.hits.items():
        check_known(face, die.faces, f"{field}.hits.{face}", "no face")
        check_selector(file, None if isinstance(selector, str) else selector, f"{field}.hits.{face}")
    for face in die.damage:
        check_known(face, die.faces, f"{field}.damage.{face}", "no face")


def _unit(file: GameFile, key: str, unit: Unit) -> None:
    field = f"unit.{key}"
    reserved = (*RESERVED_UNITS, *RESERVED_3) if file.format > 2 else RESERVED_UNITS
    refuse(key in reserved, field, f"{key!r} is reserved; not allowed for a unit: {', '.join(reserved)}")
    check_name(key, field, UNDERSCORED, "a unit")
    _rolls(file, unit, field)
    for tag in unit.tags:
        if tag == "all" or tag in file.unit:
            raise Refusal(f"{field}.tags", f"{tag!r} is not allowed as a tag; it means a unit, or all units")
    check_selector(file, unit.instead_of, f"{field}.instead_of")
    if key in selected(file, unit.instead_of):
        raise Refusal(f"{field}.instead_of", f"{key!r} is not allowed; a unit cannot stand in its own place")
    check_needs(file, unit.needs, f"{field}.needs")
    for side in SIDES:
        _rolls(file, getattr(unit, side), f"{field}.{side}")


def check_option(file: GameFile, key: str) -> None:
    """Refuse the name, the needs and the units of an option (2.13)."""
    field, option = f"option.{key}", file.option[key]
    check_name(key, field, HYPHENED, "an option")
    if key in groups_of_options(file):
        raise Refusal(field, "is also the name of a group of options; the two need different names")
    check_needs(file, option.needs, f"{field}.needs")
    for unit, values in option.unit.items():
        check_known(unit, [*file.unit], f"{field}.unit.{unit}", "no unit")
        _rolls(file, values, f"{field}.unit.{unit}")


def _rolls(file: GameFile, given: Unit | UnitValues, field: str) -> None:
    """The rolls of a unit, or of its table for a side."""
    if given.combat is not None and (given.attack is not None or given.defence is not None):
        raise Refusal(f"{field}.combat", "stands beside attack or defence; give combat alone, or attack and defence")
    for name in ("attack", "defence", "combat"):
        _roll(file, getattr(given, name), f"{field}.{name}")
    for name, roll in given.rolls.items():
        if name in {"attack", "defence", "combat"}:
            raise Refusal(f"{field}.rolls.{name}", f"write it as {field}.{name}, not among rolls")
        check_name(name, f"{field}.rolls.{name}", HYPHENED, "a roll")
        _roll(file, roll, f"{field}.rolls.{name}")


def _roll(file: GameFile, roll: AnyRoll | None, field: str) -> None:
    if isinstance(roll, Roll):
        if roll.die is not None:
            check_known(roll.die, [*file.die], f"{field}.die", "no die")
        _value(file, roll, field)
    elif roll is not None:
        check_face(roll, file.dice.sides, field, 0)


def _value(file: GameFile, roll: Roll, field: str) -> None:
    """Check the keys that a roll needs, and those it may not have, beside its die or its bonus."""
    die = die_named(file, roll.die)
    faces = die.faces if isinstance(die, Die) else None
    beside, wrong = "", set[str]()
    if faces is not None:
        beside, wrong = f"a symbol die ({roll.die})", {"value", "bonus", "damage"}
    elif roll.bonus is not None:
        beside, wrong = "bonus", {"value", "reroll", "damage", "split"}
    check_beside(roll, wrong, field, beside)
    if roll.bonus is not None and abs(roll.bonus) > (most := 1000 if file.format > 2 else 20):
        raise Refusal(f"{field}.bonus", f"{roll.bonus} is not allowed; give a whole number from -{most} to {most}")
    if faces is None and roll.bonus is None:
        if roll.value is None:
            raise Refusal(f"{field}.value", "is needed; give a whole number of at least 1")
        check_face(roll.value, die.sides or 0, f"{field}.value")
    if isinstance(roll.reroll, list):
        for i, face in enumerate(roll.reroll):
            if faces is not None:
                check_known(str(face), faces, f"{field}.reroll[{i}]", "no face")
            elif isinstance(face, str):
                raise Refusal(f"{field}.reroll[{i}]", f"{face[:50]!r} is no number; this die has numbers")
            else:
                check_face(face, die.sides or 0, f"{field}.reroll[{i}]")


def _check(file: GameFile, check: Check, field: str, name: str) -> None:
    """One more throw, its numbers by who fires and who is hit (2.12)."""
    check_name(name, field, HYPHENED, "a check")
    if check.die is not None:
        check_known(
            check.die, [key for key, die in file.die.items() if die.faces is None], f"{field}.die", "no such die"
        )
    sides = die_named(file, check.die).sides or 0
    check_face(check.value, sides + 1, f"{field}.value", 0)
    words = [*words_of(file), "all"]
    for row, columns in check.chart.items():
        check_known(row, words, f"{field}.chart.{row}", "no unit or tag")
        for column, value in columns.items():
            check_known(column, words, f"{field}.chart.{row}.{column}", "no unit or tag")
            check_face(value, sides + 1, f"{field}.chart.{row}.{column}", 0)
    for i, face in enumerate(check.reroll if not isinstance(check.reroll, str) else ()):
        check_face(face, sides, f"{field}.reroll[{i}]")


def check_damage(file: GameFile) -> None:
    """Hits that go on in a piece need units whose points stand one behind the other (section 7, step 6; 2.6)."""
    why = in_one_piece(file)
    for side in SIDES if why else ():
        for key, piece in pieces_by_name(file, side).items():
            if piece.hits > 1 and piece.absorb == "first":
                own = getattr(file.unit[key], side)
                where = f".{side}" if own.hits is not None or own.absorb is not None else ""
                raise Refusal(f"unit.{key}{where}.absorb", f'{why}, which needs absorb = "last"')
