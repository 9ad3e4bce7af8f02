"""Throws that a hit must pass: wounds, saves (docs/rules/custom_games.md sections 2.12 and 4, format 3)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import NamedTuple

from simulator.rules.custom.dice.die import faces_that_hit
from simulator.rules.custom.game_file.format import Check, GameFile
from simulator.rules.custom.game_file.units import die_named, faces_number
from simulator.rules.custom.setup import Help, Shot, SideSetup

# The checks of a step, each with the modifiers of its throws that hold.
Checked = tuple[tuple[str, tuple[Help, ...]], ...]


def checks_of(side: SideSetup, shot: Shot, holds: Callable[[Help], bool]) -> Checked:
    """The checks of a step that the side fires."""
    return tuple([(name, tuple(filter(holds, throwing(side, shot, name)))) for name in shot.given.checks])


def throwing(side: SideSetup, shot: Shot, name: str) -> list[Help]:
    """The modifiers of a check of a step: those of the side that throws, seen from the side that fires."""
    own = not side.setup.file.check[name].save
    rules = side.own_throws if own else side.saves
    return [rule for rule in rules if name in rule.checks and rule.in_step(shot)]


def chance_to_pass(side: SideSetup, unit: int, target: int, checked: Checked) -> Fraction:
    """The chance that a hit of a unit on a target passes all checks; a save that passes stops it."""

    def make() -> Fraction:
        found = Fraction(1)
        for name, rules in checked:
            passed = throw_of(side, name, unit, target, rules).chance
            found *= 1 - passed if side.setup.file.check[name].save else passed
        return found

    return side.recall(("passes", unit, target, checked), make)


class Throw(NamedTuple):
    """One throw: the faces of its die, those that pass, those thrown once more (section 4, steps 2 to 6)."""

    sides: int
    good: frozenset[int]
    again: frozenset[int]

    @property
    def chance(self) -> Fraction:
        """The chance that it passes."""
        once, twice = len(self.good - self.again), len(self.again) * len(self.good)
        return Fraction(once * self.sides + twice, self.sides**2)


def throw_of(side: SideSetup, name: str, unit: int, target: int, rules: Iterable[Help]) -> Throw:
    """The throw of a check of a hit of a unit on a target."""
    file, check = side.setup.file, side.setup.file.check[name]
    thrower = target if check.save else unit
    given = [rule.given for rule in rules if rule.units >> thrower & 1]
    added = sum(one.adds for one in given)
    value = value_at(file, check, unit, target) + (added if file.dice.hit == "at-most" else -added)
    die = die_named(file, check.die)
    sides, good = faces_number(die), faces_that_hit(file, die, value)
    rerolls = [check.reroll, *(one.reroll for one in given)]
    again = frozenset(face for reroll in rerolls if not isinstance(reroll, str) for face in reroll if face <= sides)
    return Throw(sides, good, frozenset(range(1, sides + 1)) - good if "misses" in rerolls else again)


def value_at(file: GameFile, check: Check, unit: int, target: int) -> int:
    """The value of a check by who fires and who is hit (2.12)."""
    row = _named(file, unit, check.chart)
    column = None if row is None else _named(file, target, check.chart[row])
    return check.value if row is None or column is None else check.chart[row][column]


def _named(file: GameFile, unit: int, table: Mapping[str, object]) -> str | None:
    """The entry of a table for a unit: its name, else the first of its tags, else `all`."""
    key, about = list(file.unit.items())[unit]
    return next((word for word in (key, *about.tags, "all") if word in table), None)
