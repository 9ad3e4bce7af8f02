"""A scenario together with its game file: the units, dice and rules of each side, step by step.

Nothing here depends on the course of the battle; docs/rules/custom_games.md sections 2, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Any, NamedTuple, TypeVar

import numpy as np

from simulator.engine.model.chain import ENEMY, SIDES
from simulator.rules.custom.firings import Firing, firings_of, groups_of
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.game_file.format import (
    AtMost,
    ConditionValue,
    GameFile,
    IfCondition,
    Modifier,
    RoundScope,
    SideModifier,
    Step,
    Support,
)
from simulator.rules.custom.game_file.keys import Selector
from simulator.rules.custom.game_file.units import MAIN, Rolled, UnitPiece, pieces_of, roll_of, whole_of
from simulator.rules.custom.masks import everyone, mask_of, parts_of
from simulator.rules.custom.model import FileScenario, conditions_of, counts, damage_of
from simulator.rules.toolkit.policies import named

# The masks of a rule that name a side.
PRESENCE = ("if", "unless", "limit")
T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Rule:
    """A step, support or modifier with its selectors read: bit u of a mask stands for unit u (file order).

    `limit`: a step's most dice, or the pieces or misses that a modifier changes; by number, or by units standing.
    """

    given: Any
    if_own: int | None
    if_enemy: int | None
    unless_own: int
    unless_enemy: int
    limit: int | AtMost | None = None
    limit_own: int | None = None
    limit_enemy: int | None = None

    def limited(self, own: Any, enemy: Any) -> Any:
        """The count of its limit (2.1) where these units stand: int, or int64 of shape (places,)."""
        limit = self.limit
        if limit is None or isinstance(limit, int):
            return limit
        units = own.number(self.limit_own) if self.limit_enemy is None else enemy.number(self.limit_enemy)
        return units * limit.each if limit.most is None else np.minimum(units * limit.each, limit.most)

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
    """A step as one side fires it: its roll, who may fire, and its targets.

    `number` is its place among the firings of a battle kind (see `groups_of`).
    """

    number: int = 0
    roll: str = ""
    by: int = 0
    targets: int = 0


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
    checks: frozenset[str] = frozenset()

    @property
    def again(self) -> bool:
        """Does it roll a limited number of misses again (section 5)?"""
        return self.limit is not None and getattr(self.given, "reroll", "none") != "none"

    def applies(self, shot: Shot) -> bool:
        """Does it apply to this step's roll?"""
        return not self.checks and shot.roll in self.rolls and self.in_step(shot)

    def in_step(self, shot: Shot) -> bool:
        """Does it apply to this step?"""
        return self.steps is None or shot.given.name in self.steps

    @cached_property
    def turned(self) -> Help:
        """The same, its presence keys seen from the other side."""
        return replace(
            self,
            **{f"{name}_own": getattr(self, f"{name}_enemy") for name in PRESENCE},
            **{f"{name}_enemy": getattr(self, f"{name}_own") for name in PRESENCE},
        )


class Setup:
    """Everything that a battle's numbers are made from. Units are numbered in file order.

    Unless it `obeys` its policies nobody ever retreats, and losses are taken in the fixed order.
    """

    def __init__(self, source: Source, kind: str, fields: FileScenario, obeys: bool = True) -> None:
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
        # Is any step aimed at a piece?
        self.aims = any(map(self.aimed, range(len(self.groups))))
        # The denominator of all chances of dice.
        self.whole = whole_of(self.file)

    def step(self, number: int) -> Any:
        """The step of a firing."""
        return self.file.step[self.firings[number].step]

    def opposed(self, group: int) -> Step | None:
        """The step of a group in which dice are compared or hits cancel; None where each side hits by itself."""
        step: Step = self.step(self.groups[group][0])
        return step if step.compare is not None or step.cancel else None

    def aimed(self, group: int) -> bool:
        """Are the dice of a group thrown at a piece that is known beforehand (2.6)?"""
        return bool(self.step(self.groups[group][0]).aim != "anyone")

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
        self.enemy = ENEMY[side]
        file, kind, own = setup.file, setup.kind_name, getattr(setup.fields, side)
        self.fights, self.supporters = parts_of(file, kind, side)
        self.pieces: list[UnitPiece] = pieces_of(file, side)
        retreat = named(getattr(setup.fields.policy, side).retreat)
        self.leaving = set(retreat) - {"never"} if setup.obeys else set()
        given = counts(own)
        self.counts = [given.get(key, 0) for key in setup.units]
        hurt = damage_of(own)
        self.damaged = [hurt.get(key, 0) for key in setup.units]
        self.present = sum(1 << u for u, count in enumerate(self.counts) if count)
        conditions = tuple(setup.conditions.items())
        shots, self.supports, modifiers = rules_of(file, kind, side, conditions)
        # Steps that somebody of the scenario could fire.
        self.shots = {i: shot for i, shot in shots.items() if shot.targets}
        added = {giver: _added(file, getattr(setup.fields, giver), giver == side) for giver in SIDES}
        self.modifiers = [rule for giver in SIDES for rule in (*modifiers[giver], *added[giver])]
        self.helps = [*self.supports, *self.modifiers]
        saved = any(getattr(one, "checks", None) for one in getattr(setup.fields, self.enemy).modifiers)
        own_rules = saved or any(added.values())
        self._known = {} if own_rules else _known_of(file, kind, side, conditions, self.present)

    def recall(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make()`, kept under `key` for all sides with the same units, whatever their numbers."""
        if key not in self._known:
            self._known[key] = make()
        return self._known[key]

    def shots_in(self, group: Sequence[int]) -> list[Shot]:
        """The steps of a group of firings that the side fires."""
        return [self.shots[i] for i in group if i in self.shots]

    def shots_of(self, group: int, number: int) -> list[Shot]:
        """The steps of a group as the side fires them in a round of this number."""
        return [shot for shot in self.shots_in(self.setup.groups[group]) if shot.in_round(number)]

    @property
    def keeps_aimed(self) -> bool:
        """Are pieces of this side kept to the end in a game with aimed steps, so that kinds do not stand together?"""
        return bool(self.setup.aims and getattr(self.setup.fields.policy, self.side).keep)

    def able(self, shot: Shot) -> bool:
        """May anybody whom the scenario brings fire this step?"""
        return bool(shot.by & self.present)

    @cached_property
    def own_throws(self) -> list[Help]:
        """Modifiers of the side's own throws of checks."""
        return [rule for rule in self.modifiers if rule.checks]

    @cached_property
    def saves(self) -> list[Help]:
        """Modifiers of the enemy's throws of checks, seen from this side."""
        return [rule.turned for rule in self.setup.sides[self.enemy].modifiers if rule.checks]

    def roll(self, unit: int, shot: Shot) -> Rolled:
        """The roll with which a unit of `shot.by` fires a step."""
        found = roll_of(self.setup.file, self.side, unit, shot.roll)
        assert found is not None
        return found


def _added(file: GameFile, giver: Any, own: bool) -> list[Help]:
    """The modifiers of the scenario by which a side changes its own dice, or the enemy's."""
    given: list[SideModifier] = list(giver.modifiers)
    if giver.modifier:
        given.append(Modifier(name="modifier", adds=giver.modifier))
    found = [_modifier(file, modifier) for modifier in given]
    return [rule for rule in found if rule.own == own]


@lru_cache(maxsize=256)
def _known_of(
    file: GameFile, kind: str, side: str, conditions: tuple[tuple[str, ConditionValue], ...], present: int
) -> dict[Hashable, Any]:
    """Known dice of sides that have these units and no modifiers of their own; see `recall`."""
    return {}


class SideRules(NamedTuple):
    """The rules of a side whatever units it has: steps by number, supports, and the game's modifiers by giver."""

    shots: dict[int, Shot]
    supports: list[Help]
    modifiers: dict[str, list[Help]]


@lru_cache(maxsize=256)
def rules_of(file: GameFile, kind: str, side: str, conditions: tuple[tuple[str, ConditionValue], ...]) -> SideRules:
    """The rules of a side in a kind of battle under these conditions."""
    known = dict(conditions)

    def holds(wanted: IfCondition) -> bool:
        return all(known[key] in (value if isinstance(value, list) else [value]) for key, value in wanted.items())

    def gives(giver: str, rule: Support | Modifier) -> bool:
        """Is it this giver's rule for the side's dice?"""
        whose = giver if rule.whom == "own" else ENEMY[giver]
        return whose == side and rule.side in {"both", giver} and holds(rule.if_condition)

    firings = firings_of(file, kind)
    fires = [
        i
        for i, firing in enumerate(firings)
        if getattr(file.step[firing.step].fire, side) and holds(file.step[firing.step].if_condition)
    ]
    return SideRules(
        {i: _shot(file, kind, side, i, firings[i]) for i in fires},
        [_support(file, one) for one in file.support if gives(side if one.whom == "own" else ENEMY[side], one)],
        {giver: [_modifier(file, one) for one in file.modifier if gives(giver, one)] for giver in SIDES},
    )


def _mask(file: GameFile, selector: Selector | None, default: int | None = None) -> Any:
    """The units that a selector names; the default where none is given."""
    return default if selector is None else mask_of(file, selector)


def _scope(file: GameFile, given: RoundScope, limit: int | AtMost | None) -> dict[str, Any]:
    """The fields that every rule has."""
    counted = limit if isinstance(limit, AtMost) else AtMost()
    return {
        "given": given,
        "if_own": _mask(file, given.if_own_has),
        "if_enemy": _mask(file, given.if_enemy_has),
        "unless_own": _mask(file, given.unless_own_has, 0),
        "unless_enemy": _mask(file, given.unless_enemy_has, 0),
        "limit": limit,
        "limit_own": _mask(file, counted.own),
        "limit_enemy": _mask(file, counted.enemy),
    }


def _support(file: GameFile, given: Support) -> Help:
    return _help(file, given, mask_of(file, given.to), mask_of(file, given.from_), given.whom == "own")


def _modifier(file: GameFile, given: SideModifier) -> Help:
    return _help(file, given, _mask(file, given.units, everyone(file)), 0, getattr(given, "whom", "own") == "own")


def _help(file: GameFile, given: Support | SideModifier, units: int, by: int, own: bool = True) -> Help:
    steps = None if given.steps is None else frozenset(given.steps)
    scope = _scope(file, given, getattr(given, "at_most", None))
    checks = frozenset(getattr(given, "checks", None) or ())
    found = Help(**scope, units=units, own=own, by=by, rolls=frozenset(given.rolls), steps=steps, checks=checks)
    return found if own else found.turned


def _shot(file: GameFile, kind: str, side: str, number: int, firing: Firing) -> Shot:
    """A step as a side fires it: section 5, steps 2 and 5."""
    step = file.step[firing.step]
    roll, scope = getattr(step.fire, side), _scope(file, step, step.dice_at_most)
    fights, supporters = parts_of(file, kind, side)
    enemy_fights, _ = parts_of(file, kind, ENEMY[side])
    by = _mask(file, step.by, everyone(file)) & (fights if roll in MAIN else fights | supporters)
    # Of units that limit dice only those that fight count.
    for name, fighting in (("limit_own", fights), ("limit_enemy", enemy_fights)):
        scope[name] = None if scope[name] is None else scope[name] & fighting
    return Shot(
        **scope,
        number=number,
        roll=roll,
        by=by
        & firing.by[SIDES.index(side)]
        & sum(1 << u for u in range(len(file.unit)) if roll_of(file, side, u, roll)),
        targets=enemy_fights & _mask(file, step.hits_only, enemy_fights) & ~mask_of(file, step.spares),
    )
