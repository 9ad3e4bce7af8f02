"""A scenario together with its game file: the units, dice and rules of each side, step by step.

Nothing here depends on the course of the battle; docs/rules/custom_games.md sections 2, 4 and 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

from simulator.rules.custom.game_file.checks import MAIN_ROLLS, part_of, selected
from simulator.rules.custom.game_file.files import Source
from simulator.rules.custom.game_file.format import (
    SIDES,
    ConditionValue,
    Dice,
    GameFile,
    IfCondition,
    Modifier,
    Reroll,
    Roll,
    RoundScope,
    Selector,
    SideModifier,
    Support,
)
from simulator.rules.custom.model import Scenario, conditions_of, counts
from simulator.rules.toolkit.policies import named


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

    number: int = 0
    roll: str = ""
    by: int = 0
    targets: int = 0
    limit_own: int | None = None
    limit_enemy: int | None = None


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

        self.groups = groups_of(self.file, kind)
        self.opening = sum(self.file.step[group[0]].when == "before-battle" for group in self.groups)
        # The denominator of all chances of dice.
        self.whole = self.file.dice.sides**2

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

    @property
    def course(self) -> dict[str, Any]:
        """The parameters of the course of a battle that `Params` and `HitsParams` share."""
        return {
            "phases": self.phases,
            "clock": self.clock,
            "round_limit": self.rounds or 0,
            "retreat_after": self.kind.retreat_after,
            "retreats": int(bool(self.leaving)),
            "compares": int("outpowered" in self.leaving),
        }


class SideSetup:
    """One side of a Setup: its units, and the rules it fires by."""

    def __init__(self, setup: Setup, side: str) -> None:
        self.setup, self.side = setup, side
        self.enemy = SIDES[1 - SIDES.index(side)]
        file, kind, own = setup.file, setup.kind_name, getattr(setup.fields, side)
        self.fights, self.supporters = parts_of(file, kind, side)
        retreat = named(getattr(setup.fields.policy, side).retreat)
        self.leaving = set(retreat) - {"never"} if setup.obeys else set()
        given = counts(own)
        self.counts = [given.get(key, 0) for key in setup.units]
        self.present = sum(1 << u for u, count in enumerate(self.counts) if count)
        shots, self.supports, modifiers = rules_of(file, kind, side, tuple(setup.conditions.items()))
        # Steps that somebody of the scenario could fire.
        self.shots = {i: shot for i, shot in shots.items() if shot.targets}
        everywhere = [Modifier(name="modifier", adds=own.modifier)] if own.modifier else []
        own_modifiers: list[SideModifier] = [*own.modifiers, *everywhere]
        self.modifiers = [*modifiers, *(_modifier(file, modifier) for modifier in own_modifiers)]
        self.helps = [*self.supports, *self.modifiers]

    def able(self, shot: Shot) -> bool:
        """May anybody whom the scenario brings fire this step?"""
        return bool(shot.by & self.present)


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

    def has(rule: Support | Modifier) -> bool:
        return rule.side in {"both", side} and holds(rule.if_condition)

    fought = [i for group in groups_of(file, kind) for i in group]
    fires = [i for i in sorted(fought) if getattr(file.step[i].fire, side) and holds(file.step[i].if_condition)]
    return SideRules(
        {i: _shot(file, kind, side, i) for i in fires},
        [_support(file, support) for support in file.support if has(support)],
        [_modifier(file, modifier) for modifier in file.modifier if has(modifier)],
    )


@lru_cache(maxsize=256)
def groups_of(file: GameFile, kind: str) -> list[list[int]]:
    """Numbers of the steps of each group of a battle kind, in order; those before the battle first."""
    found: list[list[int]] = []
    names: list[str | None] = []
    for i, step in enumerate(file.step):
        if step.battle is not None and kind not in step.battle:
            continue
        if step.group is not None and names and names[-1] == step.group:
            found[-1].append(i)
        else:
            found.append([i])
            names.append(step.group)
    return sorted(found, key=lambda group: file.step[group[0]].when == "each-round")


def mask_of(file: GameFile, selector: Iterable[str]) -> int:
    """The units that a selector names."""
    chosen = selected(file, selector)
    return sum(1 << i for i, key in enumerate(file.unit) if key in chosen)


def _mask(file: GameFile, selector: Selector | None, default: int | None = None) -> Any:
    """The units that a selector names; the default where none is given."""
    return default if selector is None else mask_of(file, selector)


@lru_cache(maxsize=256)
def parts_of(file: GameFile, kind: str, side: str) -> tuple[int, int]:
    """The units that may fight and those that may support on a side."""
    fights, supports = part_of(file, kind, side)
    return mask_of(file, fights), mask_of(file, supports)


def _scope(file: GameFile, given: RoundScope) -> dict[str, Any]:
    """The fields that every rule has."""
    return {
        "given": given,
        "if_own": _mask(file, given.if_own_has),
        "if_enemy": _mask(file, given.if_enemy_has),
        "unless_own": _mask(file, given.unless_own_has, 0),
        "unless_enemy": _mask(file, given.unless_enemy_has, 0),
    }


def _everyone(file: GameFile) -> int:
    return (1 << len(file.unit)) - 1


def _support(file: GameFile, given: Support) -> Help:
    return _help(file, given, mask_of(file, given.to), mask_of(file, given.from_))


def _modifier(file: GameFile, given: SideModifier) -> Help:
    return _help(file, given, _mask(file, given.units, _everyone(file)), 0)


def _help(file: GameFile, given: Support | SideModifier, units: int, by: int) -> Help:
    steps = None if given.steps is None else frozenset(given.steps)
    return Help(**_scope(file, given), units=units, by=by, rolls=frozenset(given.rolls), steps=steps)


def _shot(file: GameFile, kind: str, side: str, number: int) -> Shot:
    """A step as a side fires it: section 5, steps 2 and 5."""
    step = file.step[number]
    roll, limit = getattr(step.fire, side), step.dice_at_most
    fights, supporters = parts_of(file, kind, side)
    enemy_fights, _ = parts_of(file, kind, SIDES[1 - SIDES.index(side)])
    by = _mask(file, step.by, _everyone(file)) & (fights if roll in MAIN_ROLLS.values() else fights | supporters)
    return Shot(
        **_scope(file, step),
        number=number,
        roll=roll,
        by=by & sum(1 << u for u in range(len(file.unit)) if roll_of(file, u, roll)),
        targets=enemy_fights & _mask(file, step.hits_only, enemy_fights) & ~mask_of(file, step.spares),
        limit_own=_mask(file, limit.own) & fights if limit and limit.own is not None else None,
        limit_enemy=_mask(file, limit.enemy) & enemy_fights if limit and limit.enemy is not None else None,
    )


@lru_cache(maxsize=4096)
def roll_of(file: GameFile, unit: int, name: str) -> Rolled | None:
    """A unit's roll of that name, or None."""
    given = list(file.unit.values())[unit]
    if name in MAIN_ROLLS.values():
        main = getattr(given, name)
        found = given.combat if main is None else main
    else:
        found = given.rolls.get(name)
    if isinstance(found, Roll):
        return Rolled(found.value, found.dice, reroll_of(found.reroll))
    return Rolled(found, 1, frozenset()) if found else None


def reroll_of(given: Reroll) -> str | frozenset[int]:
    """`none` is the empty set of faces."""
    if isinstance(given, str):
        return "misses" if given == "misses" else frozenset()
    return frozenset(given)


def faces_that_hit(dice: Dice, value: int) -> frozenset[int]:
    """Faces that hit at a value (section 4, steps 3 and 4)."""
    if dice.clamp:
        value = min(max(value, dice.clamp[0]), dice.clamp[1])
    sides = dice.sides
    good = range(1, min(value, sides) + 1) if dice.hit == "at-most" else range(max(value, 1), sides + 1)
    return frozenset(good).union(dice.always_hit) - frozenset(dice.always_miss)


@lru_cache(maxsize=4096)
def chance_at(file: GameFile, value: int, reroll: str | frozenset[int]) -> int:
    """The chance of one die, as so many of `sides` squared (section 4)."""
    hits, sides = faces_that_hit(file.dice, value), file.dice.sides
    h = len(hits)
    if reroll == "misses":
        return h * sides + (sides - h) * h
    assert isinstance(reroll, frozenset)
    return len(hits - reroll) * sides + len(reroll) * h
