"""The ends of a naval fight by the rules of rules.py (docs/rules/europa_naval_and_other.md section 3, steps 4 to 7).

Losses are counters that no rule reads: a state without them has one array with the chances of both sides' losses, which
every roll hands on to the states that follow.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.sea.tables import NavalSetup

START = NavalState(rules.DRAW, 0, 0, 0, 0, 0, 0, 0, rules.UNDECIDED, 0, 0)


class Thrown(NamedTuple):
    """A roll: the results that lead to different states, and the chances float64 [one of them, thirds inflicted]."""

    results: tuple[int, ...]
    chances: np.ndarray


class Moves(NamedTuple):
    """The rolls that the own side and the enemy suffer in a state, and the states that follow: [own][enemy] result."""

    own: Thrown
    enemy: Thrown
    targets: list[NavalState]


# States after each number of steps (without losses), and the chances float64 [state, own losses, enemy losses].
Level = tuple[list[NavalState], np.ndarray]


@dataclass
class FightSweep:
    """A fight, step by step."""

    setup: NavalSetup
    levels: list[Level] = field(default_factory=list)
    targets: dict[Hashable, list[NavalState]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.thrown, policies, self.numbers = cache(self._thrown), self.setup.policies, self.setup.plain
        self.by_wind = any(policy.leave_with_wind != "never" for policy in policies)
        self.by_men = any(policy.break_off == "if-sure" for policy in policies)
        level: Level = [START], np.ones((1, 1, 1))
        while level[0]:
            self.levels.append(level)
            level = self._next(level)

    @cached_property
    def ends(self) -> dict[NavalState, np.ndarray]:
        """The chances of both sides' losses, float64 [own losses, enemy losses], by the state that ends the fight."""
        found: dict[NavalState, np.ndarray] = {}
        for states, chances in self.levels:
            for n, state in enumerate(states):
                if not rules.running(self.numbers, state):
                    found[state] = _sum(found[state], chances[n]) if state in found else chances[n]
        return found

    @cached_property
    def room(self) -> tuple[int, int]:
        """Losses that both sides may suffer, 0 included."""
        own, enemy = (max(chances.shape[axis] for _, chances in self.levels) for axis in (1, 2))
        return own, enemy

    def _thrown(self, table: int, inflicts: bool) -> Thrown:
        """A roll by its table; one of both sides inflicts losses, and leads to different states by its stars only."""
        bits, mask = (rules.LOSS_BITS, rules.LOSS_MASK) if inflicts else (0, 0)
        dice = self.setup.dice(table)
        results = tuple(sorted({code >> bits for code, _ in dice}))
        chances = np.zeros((len(results), max(code & mask for code, _ in dice) + 1))
        for code, chance in dice:
            chances[results.index(code >> bits), code & mask] += chance
        return Thrown(results, chances)

    def moves(self, state: NavalState) -> Moves:
        """The states that may follow a state."""
        p, group, both = self.numbers, state.group, rules.rolls(state)
        enemy, own = (self.thrown(table, both) for table in (rules.table(p, state), rules.second(p, state)))
        if not both:
            return Moves(own, enemy, [rules.step(p, state, result, 0) for result in enemy.results])
        # Stars lead to the same states in all groups, but for the policies that ask for the wind or the manoeuvre.
        asked = p.wind[group] if self.by_wind else 0, self.setup.places[group].men if self.by_men else ()
        key = _in_group(state, 0), own.results, enemy.results, asked
        if key not in self.targets:
            bits = rules.LOSS_BITS
            self.targets[key] = [rules.step(p, state, d << bits, a << bits) for a in own.results for d in enemy.results]
        return Moves(own, enemy, [_in_group(target, group) for target in self.targets[key]])

    def _next(self, level: Level) -> Level:
        """The states that follow those of a level."""
        places: dict[NavalState, int] = {}
        together: dict[Hashable, tuple[Moves, list[int], list[list[int]]]] = {}
        for n, state in enumerate(level[0]):
            if rules.running(self.numbers, state):
                moves = self.moves(state)
                # Of such states no two lead to the same one by the same results.
                key = id(moves.own), id(moves.enemy), state.stage, state.failed
                _, rows, targets = together.setdefault(key, (moves, [], []))
                rows.append(n)
                targets.append([places.setdefault(after, len(places)) for after in moves.targets])
        rolls = [(moves.own.chances, moves.enemy.chances) for moves, _, _ in together.values()]
        room = [
            size + max((chances[side].shape[1] - 1 for chances in rolls), default=0)
            for side, size in enumerate(level[1].shape[1:])
        ]
        out = np.zeros((len(places), *room))
        for moves, rows, targets in together.values():
            before, columns = level[1][rows], iter(np.array(targets).T)
            own, enemy = _span(before, 1), _span(before, 2)
            before = before[:, own, enemy]
            for of_own in moves.own.chances:
                tall = _added(before, of_own, 1)
                for of_enemy in moves.enemy.chances:
                    wide = _added(tall, of_enemy, 2)
                    _, width, height = wide.shape
                    out[next(columns), own.start : own.start + width, enemy.start : enemy.start + height] += wide
        return list(places), out[:, : _span(out, 1).stop, : _span(out, 2).stop]

    def way(self, state: NavalState, cell: tuple[int, int], dice: random.Random) -> list[tuple[NavalState, int, int]]:
        """A way to an end of the fighting with these losses, drawn by its chance: states, and losses so far."""
        depths = {
            n: chance
            for n, (states, chances) in enumerate(self.levels)
            if state in states and (chance := _at(chances[states.index(state)], cell)) > 0
        }
        # Only after an attempt to break off may the same end come after more steps or fewer.
        depth = dice.choices(list(depths), list(depths.values()))[0] if len(depths) > 1 else next(iter(depths))
        way = [(state, *cell)]
        for level in reversed(self.levels[:depth]):
            found = list(self._before(level, *way[-1]))
            way.append(dice.choices([step for step, _ in found], [weight for _, weight in found])[0])
        return way[::-1]

    def _before(
        self, level: Level, after: NavalState, own: int, enemy: int
    ) -> Iterator[tuple[tuple[NavalState, int, int], float]]:
        """States of a level with their losses that may come before this one, and the chance of both."""
        for before, chances in zip(*level, strict=True):
            moves = self.moves(before) if rules.running(self.numbers, before) else None
            if moves is None or after not in moves.targets:
                continue
            a, d = divmod(moves.targets.index(after), len(moves.enemy.results))
            for inflicted in np.flatnonzero(moves.enemy.chances[d]).tolist():
                for suffered in np.flatnonzero(moves.own.chances[a]).tolist():
                    at = own - suffered, enemy - inflicted
                    if (chance := _at(chances, at)) > 0:
                        p = float(moves.own.chances[a, suffered] * moves.enemy.chances[d, inflicted])
                        yield (before, *at), p * chance


@dataclass(frozen=True)
class FightKey:
    """The numbers that the rolls of a fight depend on, and an engagement that has them."""

    numbers: Any
    engagement: Engagement = field(compare=False)


def fight_of(engagement: Engagement) -> FightKey:
    """The fight of an engagement."""
    leaders = tuple((s.leader, s.replacements) for s in engagement.squadrons)
    fixed = tuple(
        (engagement.columns(side), engagement.halves(side), engagement.pursuit_column(side)) for side in (0, 1)
    )
    modifiers = tuple(tuple((m.days, m.fire, m.shock, m.pursuit) for m in own) for own in engagement.modifiers)
    winds = engagement.settled_wind(), engagement.wind_advantage(0), engagement.wind_advantage(1)
    readings = engagement.book, engagement.options.leader_differential_cap, engagement.options.break_off_at_sea
    sides = tuple((s.policy, s.retreat_drm is None) for s in engagement.squadrons)
    first = engagement.conditions.interception
    return FightKey((leaders, fixed, modifiers, winds, engagement.morale, sides, first, readings), engagement)


# Cells of a map, and scenarios that differ in one field, have few fights: 11 x 11 numbers of ships have 8, of 0.2 to
# 8 MB.
@lru_cache(maxsize=12)
def sweep_of(fight: FightKey) -> FightSweep:
    """A fight, step by step; not to be changed."""
    return FightSweep(NavalSetup(fight.engagement))


def _at(chances: np.ndarray, cell: tuple[int, int]) -> float:
    """The chance of these losses; 0 where they are negative or too large."""
    inside = all(0 <= thirds < size for thirds, size in zip(cell, chances.shape, strict=True))
    return float(chances[cell]) if inside else 0.0


def _span(chances: np.ndarray, axis: int) -> slice:
    """The part of an axis of three on which some chance is not 0."""
    places = np.flatnonzero(chances.any(axis=(0, 3 - axis)))
    return slice(int(places[0]), int(places[-1]) + 1) if places.size else slice(0, 1)


def _added(before: np.ndarray, chances: np.ndarray, axis: int) -> np.ndarray:
    """The chances of losses along an axis once `chances` float64 [thirds] of more are added to them."""
    thirds = np.flatnonzero(chances).tolist()
    shape = list(before.shape)
    shape[axis] += thirds[-1]
    after = np.zeros(shape)
    to, of = after.swapaxes(0, axis), before.swapaxes(0, axis)
    for more in thirds:
        to[more : more + len(of)] += chances[more] * of
    return after


def _sum(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of two arrays from their first places on, as large as both."""
    out = np.zeros(np.maximum(one.shape, other.shape))
    for part in (one, other):
        out[: part.shape[0], : part.shape[1]] += part
    return out


def _in_group(state: NavalState, group: int) -> NavalState:
    """The state in another group; a hundred thousand of these are made in a large battle."""
    return tuple.__new__(NavalState, (state[0], group, *state[2:]))
