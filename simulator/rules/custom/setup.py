"""A scenario and its game file brought together: who may do what, with which dice, in which step.

Nothing here depends on the course of the battle; docs/rules/custom_games.md sections 2, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from simulator.rules.custom.checks import MAIN_ROLLS, part_of, selected
from simulator.rules.custom.files import Source
from simulator.rules.custom.format import (
    SIDES,
    Dice,
    IfCondition,
    Modifier,
    Reroll,
    Roll,
    Selector,
    SideModifier,
    Step,
    Support,
)
from simulator.rules.custom.model import Scenario, conditions_of, counts


@dataclass(frozen=True)
class Rolled:
    """A roll ready to be rolled: value, dice, and the faces rolled again ("misses", or a set of faces)."""

    value: int
    dice: int
    reroll: str | frozenset[int]


@dataclass(frozen=True, eq=False)
class Rule:
    """A step, support or modifier with its selectors read: bit u of a mask stands for unit u (file order)."""

    given: Any
    number: int
    if_own: int | None
    if_enemy: int | None
    unless_own: int
    unless_enemy: int

    def in_round(self, number: int) -> bool:
        """Do its round marks hold? Steps before the battle are round 0."""
        given = self.given
        return (given.from_round is None or number >= given.from_round) and (
            given.to_round is None or number <= given.to_round
        )

    def stands(self, own: int, enemy: int) -> bool:
        """Do its presence keys hold, given the masks of units that stand there?"""
        return (
            (self.if_own is None or own & self.if_own != 0)
            and (self.if_enemy is None or enemy & self.if_enemy != 0)
            and not own & self.unless_own
            and not enemy & self.unless_enemy
        )


@dataclass(frozen=True, eq=False)
class Shot(Rule):
    """A step as one side fires it: its roll, who may fire, its targets, and what limits its dice."""

    roll: str = ""
    by: int = 0
    targets: int = 0
    limit_own: int | None = None
    limit_enemy: int | None = None
    eligible: bool = False


@dataclass(frozen=True, eq=False)
class Help(Rule):
    """A support or modifier as one side has it."""

    units: int = 0
    by: int = 0
    rolls: frozenset[str] = frozenset()
    steps: frozenset[str] | None = None

    def applies(self, shot: Shot) -> bool:
        """Does it apply to this step's roll?"""
        return shot.roll in self.rolls and (self.steps is None or shot.given.name in self.steps)


def bits(mask: int) -> Iterable[int]:
    """The units of a mask, in file order."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class Setup:
    """Everything that a battle's numbers are made from. Units are numbered in file order."""

    def __init__(self, source: Source, kind: str, fields: Scenario) -> None:
        self.source, self.file, self.fields = source, source.file, fields
        self.kind_name, self.kind = kind, source.file.battle[kind]
        self.units = list(self.file.unit)
        self.place = {key: i for i, key in enumerate(self.units)}
        self.conditions = conditions_of(self.file, fields.conditions)
        self.sides = {side: SideSetup(self, side) for side in SIDES}
        self.low_luck = fields.options.dice == "low-luck"
        self.rounds = fields.options.rounds or self.kind.rounds

    def mask(self, selector: Iterable[str]) -> int:
        """The units that a selector names."""
        return sum(1 << self.place[key] for key in selected(self.file, list(selector)))

    def mask_of(self, keys: Iterable[str]) -> int:
        """Units given by name."""
        return sum(1 << self.place[key] for key in keys)

    @property
    def everyone(self) -> int:
        """All units of the game."""
        return (1 << len(self.units)) - 1

    def holds(self, wanted: IfCondition) -> bool:
        """Do the conditions named have those values in the scenario?"""
        return all(
            self.conditions[key] in (value if isinstance(value, list) else [value]) for key, value in wanted.items()
        )

    @cached_property
    def steps(self) -> list[tuple[int, Step]]:
        """Steps fought in this kind, with their numbers in the file."""
        return [
            (i, step) for i, step in enumerate(self.file.step) if step.battle is None or self.kind_name in step.battle
        ]

    @cached_property
    def groups(self) -> list[list[int]]:
        """Numbers of the steps of each group, in order; those before the battle first."""
        found: list[list[int]] = []
        names: list[str | None] = []
        for i, step in self.steps:
            if step.group is not None and names and names[-1] == step.group:
                found[-1].append(i)
            else:
                found.append([i])
                names.append(step.group)
        return sorted(found, key=lambda group: self.file.step[group[0]].when == "each-round")

    @cached_property
    def opening(self) -> int:
        """How many groups are fought before the battle."""
        return sum(self.file.step[group[0]].when == "before-battle" for group in self.groups)

    @cached_property
    def phases(self) -> int:
        """From this round on all rounds are alike (section 13)."""
        marks = [1]
        for side in self.sides.values():
            for rule in (*side.shots.values(), *side.supports, *side.modifiers):
                given = rule.given
                marks += [given.from_round or 1, (given.to_round or 0) + 1]
        return max(marks)

    def rule(self, given: Step | Support | SideModifier, number: int) -> dict[str, Any]:
        """What every rule has."""

        def optional(selector: Selector | None) -> int | None:
            return None if selector is None else self.mask(selector)

        return {
            "given": given,
            "number": number,
            "if_own": optional(given.if_own_has),
            "if_enemy": optional(given.if_enemy_has),
            "unless_own": self.mask(given.unless_own_has or ()),
            "unless_enemy": self.mask(given.unless_enemy_has or ()),
        }

    def roll_of(self, unit: int, name: str) -> Rolled | None:
        """A unit's roll of that name, or None."""
        given = self.file.unit[self.units[unit]]
        if name in MAIN_ROLLS.values():
            main = given.attack if name == "attack" else given.defence
            found = given.combat if main is None else main
        else:
            found = given.rolls.get(name)
        if not found:
            return None
        if isinstance(found, Roll):
            return Rolled(found.value, found.dice, reroll_of(found.reroll))
        return Rolled(found, 1, frozenset())

    def chance(self, value: int, reroll: str | frozenset[int]) -> int:
        """The chance of one die, as so many of `sides` squared (section 4)."""
        clamp = self.file.dice.clamp
        if clamp:
            value = min(max(value, clamp[0]), clamp[1])
        return chance(faces_that_hit(self.file.dice, value), self.file.dice.sides, reroll)

    @property
    def whole(self) -> int:
        """The denominator of all chances."""
        return self.file.dice.sides**2


class SideSetup:
    """One side of a Setup: its units, and the rules it fires by."""

    def __init__(self, setup: Setup, side: str) -> None:
        self.setup, self.side = setup, side
        self.enemy = SIDES[1 - SIDES.index(side)]
        file, kind = setup.file, setup.kind_name
        fights, supports = part_of(file, kind, side)
        enemy_fights, _ = part_of(file, kind, self.enemy)
        self.fights, self.supporters = setup.mask_of(fights), setup.mask_of(supports)
        self.enemy_fights = setup.mask_of(enemy_fights)
        given = counts(getattr(setup.fields, side))
        self.counts = [given.get(key, 0) for key in setup.units]
        self.present = sum(1 << u for u, count in enumerate(self.counts) if count)
        self.shots = {i: self._shot(i, step) for i, step in setup.steps if self._fires(step)}
        self.supports = [
            Help(
                **setup.rule(support, i),
                units=setup.mask(support.to),
                by=setup.mask(support.from_),
                rolls=frozenset(support.rolls),
                steps=None if support.steps is None else frozenset(support.steps),
            )
            for i, support in enumerate(file.support)
            if self._has(support)
        ]
        self.modifiers = [self._modifier(m, i) for i, m in enumerate(file.modifier) if self._has(m)]
        own = getattr(setup.fields, side)
        self.modifiers += [self._modifier(m, -1 - i) for i, m in enumerate(own.modifiers)]
        if own.modifier:
            everywhere = Modifier(name="modifier", adds=own.modifier)
            self.modifiers.append(self._modifier(everywhere, -1 - len(own.modifiers)))

    def _has(self, rule: Support | Modifier) -> bool:
        return rule.side in {"both", self.side} and self.setup.holds(rule.if_condition)

    def _fires(self, step: Step) -> bool:
        return getattr(step.fire, self.side) is not None and self.setup.holds(step.if_condition)

    def _modifier(self, given: SideModifier, number: int) -> Help:
        setup = self.setup
        return Help(
            **setup.rule(given, number),
            units=setup.everyone if given.units is None else setup.mask(given.units),
            rolls=frozenset(given.rolls),
            steps=None if given.steps is None else frozenset(given.steps),
        )

    def _shot(self, number: int, step: Step) -> Shot:
        setup, roll = self.setup, getattr(step.fire, self.side)
        by = setup.everyone if step.by is None else setup.mask(step.by)
        by &= self.fights if roll in MAIN_ROLLS.values() else self.fights | self.supporters
        by &= sum(1 << u for u in range(len(setup.units)) if setup.roll_of(u, roll))
        targets = self.enemy_fights & ~setup.mask(step.spares)
        if step.hits_only is not None:
            targets &= setup.mask(step.hits_only)
        limit = step.dice_at_most
        return Shot(
            **setup.rule(step, number),
            roll=roll,
            by=by,
            targets=targets,
            limit_own=setup.mask(limit.own) & self.fights if limit and limit.own is not None else None,
            limit_enemy=setup.mask(limit.enemy) & self.enemy_fights if limit and limit.enemy is not None else None,
            eligible=bool(by & self.present and targets),
        )


def reroll_of(given: Reroll) -> str | frozenset[int]:
    """`none` is the empty set of faces."""
    if isinstance(given, str):
        return "misses" if given == "misses" else frozenset()
    return frozenset(given)


@lru_cache(maxsize=4096)
def _hits(sides: int, hit: str, sure: tuple[int, ...], never: tuple[int, ...], value: int) -> frozenset[int]:
    good = range(1, min(value, sides) + 1) if hit == "at-most" else range(max(value, 1), sides + 1)
    return (frozenset(good) | frozenset(sure)) - frozenset(never)


def faces_that_hit(dice: Dice, value: int) -> frozenset[int]:
    """Faces that hit at a value (section 4, step 4)."""
    return _hits(dice.sides, dice.hit, tuple(dice.always_hit), tuple(dice.always_miss), value)


@lru_cache(maxsize=4096)
def chance(hits: frozenset[int], sides: int, reroll: str | frozenset[int]) -> int:
    """The chance of a die with these hits, as so many of `sides` squared (section 4, step 5)."""
    h = len(hits)
    if reroll == "misses":
        return h * sides + (sides - h) * h
    assert isinstance(reroll, frozenset)
    return len(hits - reroll) * sides + len(reroll) * h
