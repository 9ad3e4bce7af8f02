"""A scenario together with its game file: the units, dice and rules of each side, step by step.

Nothing here depends on the course of the battle; docs/rules/custom_games.md sections 2, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.firings import Firing, firings_of, groups_of
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.game_file.format import (
    AtMost,
    Compare,
    ConditionValue,
    GameFile,
    IfCondition,
    Modifier,
    Roll,
    RoundScope,
    Selector,
    SideModifier,
    Support,
)
from simulator.rules.custom.game_file.units import MAIN, Piece, pieces_of, whole_of
from simulator.rules.custom.masks import everyone, mask_of, parts_of
from simulator.rules.custom.model import Scenario, conditions_of, counts
from simulator.rules.toolkit.policies import named

# Faces rolled again: all that miss ("misses"), or these numbers or names.
Again = str | frozenset[int | str]
T = TypeVar("T")


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


@dataclass(frozen=True, eq=False)
class Rule:
    """A step, support or modifier with its selectors read: bit u of a mask stands for unit u (file order)."""

    given: Any
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
    """A step as one side fires it: its roll, who may fire, its targets, and what limits its dice.

    `number` is its place among the firings of a battle kind (see `groups_of`).
    """

    number: int = 0
    roll: str = ""
    by: int = 0
    targets: int = 0
    limit_own: int | None = None
    limit_enemy: int | None = None

    def limited(self, units: Any) -> Any:
        """The most dice (2.6) where so many `units` of the limit's mask stand: int, or int64 of shape (places,)."""
        limit = self.given.dice_at_most
        if isinstance(limit, int):
            return limit
        return units * limit.each if limit.most is None else np.minimum(units * limit.each, limit.most)


@dataclass(frozen=True, eq=False)
class Help(Rule):
    """A support or modifier of a side's dice; `own`: the side's own units give it, not the enemy's.

    The presence keys are seen from the side whose dice change.
    """

    units: int = 0
    own: bool = True
    by: int = 0
    rolls: frozenset[str] = frozenset()
    steps: frozenset[str] | None = None

    def applies(self, shot: Shot) -> bool:
        """Does it apply to this step's roll?"""
        return shot.roll in self.rolls and (self.steps is None or shot.given.name in self.steps)


class Setup:
    """Everything that a battle's numbers are made from. Units are numbered in file order.

    Unless it `obeys` its policies nobody ever retreats, and losses are taken in the fixed order.
    """

    def __init__(self, source: Source, kind: str, fields: Scenario, obeys: bool = True) -> None:
        self.obeys = obeys
        self.source, self.file, self.fields = source, source.file, fields
        self.kind_name, self.kind = kind, source.file.battle[kind]
        self.units = list(self.file.unit)
        self.conditions = conditions_of(self.file, fields.conditions)
        self.sides = {side: SideSetup(self, side) for side in SIDES}
        self.low_luck = fields.options.dice == "low-luck"
        self.rounds = fields.options.rounds or self.kind.rounds

        asked = getattr(fields.options, "points_at_most", None)
        self.most_points = self.kind.points_at_most if asked is None else asked

        self.firings = firings_of(self.file, kind)
        self.groups = groups_of(self.file, kind)
        self.opening = sum(self.step(group[0]).when == "before-battle" for group in self.groups)
        # The denominator of all chances of dice.
        self.whole = whole_of(self.file)

    def step(self, number: int) -> Any:
        """The step of a firing."""
        return self.file.step[self.firings[number].step]

    def compared(self, group: int) -> Compare | None:
        """The comparison of dice in a group; None where dice hit by themselves."""
        compare: Compare | None = self.step(self.groups[group][0]).compare
        return compare

    def scores(self, group: int) -> bool:
        """Do the dice of a group score points?"""
        return bool(self.step(self.groups[group][0]).points)

    @cached_property
    def names(self) -> list[str]:
        """The names of the units for people."""
        return [unit.name or key.replace("_", " ") for key, unit in self.file.unit.items()]

    @property
    def leaving(self) -> set[str]:
        """The policies by which a side may leave."""
        return {name for side in self.sides.values() for name in side.leaving}

    @cached_property
    def phases(self) -> int:
        """From this round on all rounds are alike (section 13)."""
        given = [rule.given for rule in self.rules]
        return max([1, *(max(one.from_round or 1, (one.to_round or 0) + 1) for one in given)])

    @cached_property
    def rules(self) -> list[Rule]:
        """Steps, supports and modifiers of both sides."""
        return [rule for side in self.sides.values() for rule in (*side.shots.values(), *side.helps)]

    def held(self, number: int) -> tuple[bool, ...]:
        """The rules that hold in a round of this number."""
        return tuple([rule.in_round(number) for rule in self.rules])

    @property
    def clock(self) -> int:
        """States differ by their round up to this number, the last one that any rule looks at."""
        if self.rounds:
            return self.rounds
        if not self.leaving:
            return self.phases - 1
        asked = [getattr(self.fields.policy, side).after_rounds or 0 for side in SIDES]
        return max(self.phases - 1, self.kind.retreat_after, *asked)


class SideSetup:
    """One side of a Setup: its units, and the rules it fires by."""

    def __init__(self, setup: Setup, side: str) -> None:
        self.setup, self.side = setup, side
        self.enemy = SIDES[1 - SIDES.index(side)]
        file, kind, own = setup.file, setup.kind_name, getattr(setup.fields, side)
        self.fights, self.supporters = parts_of(file, kind, side)
        self.pieces: list[Piece] = pieces_of(file, side)
        retreat = named(getattr(setup.fields.policy, side).retreat)
        self.leaving = set(retreat) - {"never"} if setup.obeys else set()
        given = counts(own)
        self.counts = [given.get(key, 0) for key in setup.units]
        self.present = sum(1 << u for u, count in enumerate(self.counts) if count)
        conditions = tuple(setup.conditions.items())
        shots, self.supports, modifiers = rules_of(file, kind, side, conditions)
        # Steps that somebody of the scenario could fire.
        self.shots = {i: shot for i, shot in shots.items() if shot.targets}
        everywhere = [Modifier(name="modifier", adds=own.modifier)] if own.modifier else []
        own_modifiers: list[SideModifier] = [*own.modifiers, *everywhere]
        self.modifiers = [*modifiers, *(_modifier(file, modifier) for modifier in own_modifiers)]
        self.helps = [*self.supports, *self.modifiers]
        self._known = {} if own_modifiers else _known_of(file, kind, side, conditions, self.present)

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make()`, kept under `key` for all sides with the same units, whatever their numbers."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def shots_of(self, group: int, number: int) -> list[Shot]:
        """The steps of a group as the side fires them in a round of this number."""
        shots = [self.shots[i] for i in self.setup.groups[group] if i in self.shots]
        return [shot for shot in shots if shot.in_round(number)]

    def able(self, shot: Shot) -> bool:
        """May anybody whom the scenario brings fire this step?"""
        return bool(shot.by & self.present)

    def roll(self, unit: int, shot: Shot) -> Rolled | None:
        """The roll with which a unit fires a step, or None."""
        return roll_of(self.setup.file, self.side, unit, shot.roll)


@lru_cache(maxsize=256)
def _known_of(
    file: GameFile, kind: str, side: str, conditions: tuple[tuple[str, ConditionValue], ...], present: int
) -> dict[Hashable, Any]:
    """Known dice of sides that have these units and no modifiers of their own; see `recall`."""
    return {}


class SideRules(NamedTuple):
    """The rules of a side whatever units it has: steps by number, supports and modifiers of the game."""

    shots: dict[int, Shot]
    supports: list[Help]
    modifiers: list[Help]


@lru_cache(maxsize=256)
def rules_of(file: GameFile, kind: str, side: str, conditions: tuple[tuple[str, ConditionValue], ...]) -> SideRules:
    """The rules of a side in a kind of battle under these conditions."""
    known = dict(conditions)

    def holds(wanted: IfCondition) -> bool:
        return all(known[key] in (value if isinstance(value, list) else [value]) for key, value in wanted.items())

    def has(rule: Support | Modifier, side: str) -> bool:
        return rule.side in {"both", side} and holds(rule.if_condition)

    enemy = SIDES[1 - SIDES.index(side)]
    firings = firings_of(file, kind)
    fires = [
        i
        for i, firing in enumerate(firings)
        if getattr(file.step[firing.step].fire, side) and holds(file.step[firing.step].if_condition)
    ]
    return SideRules(
        {i: _shot(file, kind, side, i, firings[i]) for i in fires},
        [_support(file, support) for support in file.support if has(support, side if support.whom == "own" else enemy)],
        [_modifier(file, modifier) for modifier in file.modifier if has(modifier, side)],
    )


def _mask(file: GameFile, selector: Selector | None, default: int | None = None) -> Any:
    """The units that a selector names; the default where none is given."""
    return default if selector is None else mask_of(file, selector)


def _scope(file: GameFile, given: RoundScope) -> dict[str, Any]:
    """The fields that every rule has."""
    return {
        "given": given,
        "if_own": _mask(file, given.if_own_has),
        "if_enemy": _mask(file, given.if_enemy_has),
        "unless_own": _mask(file, given.unless_own_has, 0),
        "unless_enemy": _mask(file, given.unless_enemy_has, 0),
    }


def _support(file: GameFile, given: Support) -> Help:
    return _help(file, given, mask_of(file, given.to), mask_of(file, given.from_), given.whom == "own")


def _modifier(file: GameFile, given: SideModifier) -> Help:
    return _help(file, given, _mask(file, given.units, everyone(file)), 0)


def _help(file: GameFile, given: Support | SideModifier, units: int, by: int, own: bool = True) -> Help:
    steps = None if given.steps is None else frozenset(given.steps)
    scope = _scope(file, given)
    if not own:
        scope |= {"if_own": scope["if_enemy"], "if_enemy": scope["if_own"]}
        scope |= {"unless_own": scope["unless_enemy"], "unless_enemy": scope["unless_own"]}
    return Help(**scope, units=units, own=own, by=by, rolls=frozenset(given.rolls), steps=steps)


def _shot(file: GameFile, kind: str, side: str, number: int, firing: Firing) -> Shot:
    """A step as a side fires it: section 5, steps 2 and 5."""
    step = file.step[firing.step]
    roll, limit = getattr(step.fire, side), step.dice_at_most if isinstance(step.dice_at_most, AtMost) else None
    fights, supporters = parts_of(file, kind, side)
    enemy_fights, _ = parts_of(file, kind, SIDES[1 - SIDES.index(side)])
    by = _mask(file, step.by, everyone(file)) & (fights if roll in MAIN else fights | supporters)
    return Shot(
        **_scope(file, step),
        number=number,
        roll=roll,
        by=by
        & firing.by[SIDES.index(side)]
        & sum(1 << u for u in range(len(file.unit)) if roll_of(file, side, u, roll)),
        targets=enemy_fights & _mask(file, step.hits_only, enemy_fights) & ~mask_of(file, step.spares),
        limit_own=_mask(file, limit.own) & fights if limit and limit.own is not None else None,
        limit_enemy=_mask(file, limit.enemy) & enemy_fights if limit and limit.enemy is not None else None,
    )


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
