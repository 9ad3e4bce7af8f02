"""The ends of a naval fight by the rules of rules.py (docs/rules/europa_naval_and_other.md section 3, steps 4 to 7).

Losses are counters that no rule reads, and no rule reads the chances of a roll: fights of the same morale and policies
take the same *course* of states, which is found once. Along it one array holds the chances of both sides' losses in
each state, for several fights at once; a roll multiplies it by the matrices that add its losses.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.sea.tables import Duel, NavalSetup, Plan

START = NavalState(rules.DRAW, 0, 0, 0, 0, 0, 0, 0, rules.UNDECIDED, 0, 0)
# Duels solved together: few calls of NumPy, and arrays that stay in the cache of a processor.
TOGETHER = 8


class Step(NamedTuple):
    """States of a level with the same roll, or the same attempt to break off.

    `first`: one of them; `rows`: their places; `targets`: places in the next level, int64 [row, own stars, enemy
    stars], after an attempt [row, 0, success].
    """

    first: NavalState
    rows: np.ndarray
    targets: np.ndarray


class Level(NamedTuple):
    """The states after a number of steps, without losses and group; `ends`: the places of those that end the fight."""

    states: list[NavalState]
    steps: list[Step]
    ends: list[int]


@lru_cache(maxsize=64)
def course_of(plan: Plan) -> list[Level]:
    """The states of all fights of a plan, level by level."""
    p, states, found = plan.params, [START._replace(stage=rules.FIRE_1)], list[Level]()
    while states:
        places: dict[NavalState, int] = {}
        alike: dict[tuple[int, ...], dict[int, list[list[int]]]] = {}
        for place, state in enumerate(states):
            if rules.running(p, state):
                rolls = rules.rolls(state)
                last = rules.more_stars(state) if rolls else rules.morale_left(p, state, rules.asked(p, state))
                after = ([rules.step(p, state, *roll) for roll in those] for those in plan.results(state))
                targets = [[places.setdefault(one, len(places)) for one in those] for those in after]
                alike.setdefault((state.stage, state.failed, last), {})[place] = targets
        steps = [
            Step(states[next(iter(rows))], np.array([*rows]), np.array([*rows.values()])) for rows in alike.values()
        ]
        ends = [place for place, state in enumerate(states) if not rules.running(p, state)]
        found.append(Level(states, steps, ends))
        states = list(places)
    return found


def levels_of(duels: Sequence[Duel]) -> list[np.ndarray]:
    """The chances of losses at each level of duels with one plan, float64 [duel, state, own losses, enemy losses]."""
    levels = [np.ones((len(duels), 1, 1, 1))]
    for level, after in pairwise(course_of(duels[0].plan)):
        levels.append(_rolled(levels[-1], level, len(after.states), duels))
    return levels


class End(NamedTuple):
    """An end of a fight as far as its result depends on it: who has won, and as in `NavalState` who got away."""

    verdict: int
    left: int
    broke: int
    rolls: int
    morale: tuple[int, int]


@lru_cache(maxsize=64)
def ends_of(plan: Plan) -> tuple[list[End], list[np.ndarray]]:
    """The ends of a plan; and for each level the end of each state that ends it, 1.0 in float64 [end, state]."""
    p, ends, found = plan.params, dict[End, int](), list[list[int]]()
    for level in course_of(plan):
        states = [level.states[place] for place in level.ends]
        each = [
            End(s.verdict, s.left, s.broke, s.rolls, (rules.morale_left(p, s, 0), rules.morale_left(p, s, 1)))
            for s in states
        ]
        found.append([ends.setdefault(end, len(ends)) for end in each])
    return list(ends), [np.eye(len(ends))[:, places] for places in found]


def chances_of_ends(duels: Sequence[Duel], limits: tuple[int, ...]) -> np.ndarray:
    """The chances of the ends of duels with one plan.

    float64 [duel, end, number of the enemy losses `limits` that are reached, own losses].
    """
    course, (ends, kinds) = course_of(duels[0].plan), ends_of(duels[0].plan)
    most = limits[-1] if limits else 0
    losses = np.arange(most + 1 + rules.LOSS_MASK)
    reached = np.eye(len(limits) + 1)[np.searchsorted(limits, losses, "right")]
    # Losses beyond the last limit are alike; of the last level nothing but the ends is asked for.
    capped = np.eye(most + 1)[np.minimum(losses, most)]
    held, found = np.ones((len(duels), 1, 1, 1)), list[np.ndarray]()
    for (level, after), kind in zip(pairwise(course), kinds[1:], strict=True):
        held = _rolled(held, level, len(after.states), duels, capped if after.steps else reached)
        if after.ends:
            part = held[:, after.ends]
            part = part @ reached[: part.shape[3]] if after.steps else part
            found.append((kind @ part.reshape(*part.shape[:2], -1)).reshape(len(duels), len(ends), *part.shape[2:]))
    out = np.zeros((len(duels), len(ends), len(limits) + 1, held.shape[2]))
    for part in found:
        out[..., : part.shape[3], : part.shape[2]] += part.swapaxes(2, 3)
    return out


def _rolled(
    before: np.ndarray, level: Level, many: int, duels: Sequence[Duel], fold: np.ndarray | None = None
) -> np.ndarray:
    """The chances at the next level, of `many` states; `fold`, float64 [enemy losses, class], tells losses apart."""
    throws = [[padded([duel.throw(step.first, side) for duel in duels]) for side in (0, 1)] for step in level.steps]
    width, height = (before.shape[2 + side] + max(throw[side].shape[2] for throw in throws) - 1 for side in (0, 1))
    classes = np.eye(height) if fold is None else fold[:height, :height]
    last = classes.shape[1]
    out = np.zeros((len(duels), many, width, last))
    for step, (own, enemy) in zip(level.steps, throws, strict=True):
        held = before[:, step.rows]
        adds = _adding(enemy, held.shape[3], height)
        adds = adds if fold is None else adds @ classes
        wide = held @ adds.transpose(0, 2, 1, 3).reshape(len(duels), 1, held.shape[3], -1)
        for stars, more in enumerate(_adding(own, held.shape[2], width).transpose(1, 0, 3, 2)):
            tall = (more[:, None] @ wide).reshape(*wide.shape[:2], width, -1, last)
            for n in range(enemy.shape[1]):
                out[:, step.targets[:, stars, n]] += tall[:, :, :, n]
    return out


def padded(parts: Sequence[np.ndarray]) -> np.ndarray:
    """Arrays as one, float64 [part, ...], each filled up with zeros."""
    sizes = [max(size) for size in zip(*(part.shape for part in parts), strict=True)]
    out = np.zeros((len(parts), *sizes))
    for place, part in enumerate(parts):
        out[place][tuple(map(slice, part.shape))] = part
    return out


def _adding(throws: np.ndarray, size: int, room: int) -> np.ndarray:
    """The matrices that add the losses of throws to `size` losses: float64 [throw, stars, before, after]."""
    count, stars, thirds = throws.shape
    flat = np.zeros((count, stars, size * (room + 1)))
    flat.reshape(count, stars, size, room + 1)[..., :thirds] = throws[:, :, None]
    return flat[..., : size * room].reshape(count, stars, size, room)


class Thrown(NamedTuple):
    """A roll: the results that lead to different states, and the chances float64 [one of them, thirds inflicted]."""

    results: tuple[int, ...]
    chances: np.ndarray


class Moves(NamedTuple):
    """The rolls that the own side and the enemy suffer in a state, and the states that follow: [own][enemy] result."""

    own: Thrown
    enemy: Thrown
    targets: list[NavalState]


@dataclass
class FightSweep:
    """A fight with all its groups."""

    setup: NavalSetup

    def __post_init__(self) -> None:
        self.thrown, self.numbers = cache(self._thrown), self.setup.plain
        self.duels = [self.setup.duel(place) for place in range(len(self.setup.places))]

    @cached_property
    def levels(self) -> dict[Duel, list[np.ndarray]]:
        """The chances of losses in each duel, level by level: float64 [state, own losses, enemy losses]."""
        plans: dict[Plan, list[Duel]] = {}
        for duel in dict.fromkeys(self.duels):
            plans.setdefault(duel.plan, []).append(duel)
        parts = [those[n : n + TOGETHER] for those in plans.values() for n in range(0, len(those), TOGETHER)]
        return {
            duel: [level[n] for level in levels]
            for part in parts
            for levels in (levels_of(part),)
            for n, duel in enumerate(part)
        }

    @cached_property
    def ends(self) -> dict[NavalState, np.ndarray]:
        """The chances of both sides' losses, float64 [own losses, enemy losses], by the state that ends the fight."""
        found: dict[NavalState, np.ndarray] = {}
        drawn = dict(self.setup.dice(self.setup.draw))
        for group, duel in enumerate(self.duels):
            for level, chances in zip(course_of(duel.plan), self.levels[duel], strict=True):
                for place in level.ends:
                    if chances[place].any():
                        state, more = level.states[place]._replace(group=group), drawn[group] * chances[place]
                        found[state] = _sum(found[state], more) if state in found else more
        return found

    def by_end(self, duel: Duel) -> np.ndarray:
        """The chances of the ends of a duel: float64 [end, own losses, enemy losses]."""
        ends, kinds = ends_of(duel.plan)
        found = np.zeros((len(ends), *self.room))
        for level, kind, chances in zip(course_of(duel.plan), kinds, self.levels[duel], strict=True):
            found[:, : chances.shape[1], : chances.shape[2]] += np.tensordot(kind, chances[level.ends], 1)
        return found

    @cached_property
    def room(self) -> tuple[int, int]:
        """Losses that both sides may suffer, 0 included."""
        own, enemy = (max(level[-1].shape[axis] for level in self.levels.values()) for axis in (1, 2))
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
        p, both = self.numbers, rules.rolls(state)
        enemy, own = (self.thrown(table, both) for table in (rules.table(p, state), rules.second(p, state)))
        bits = rules.LOSS_BITS * both
        after = [rules.step(p, state, d << bits, a << bits) for a in own.results for d in enemy.results]
        return Moves(own, enemy, after)

    def way(self, state: NavalState, cell: tuple[int, int], dice: random.Random) -> list[tuple[NavalState, int, int]]:
        """A way to an end of the fighting with these losses, drawn by its chance: states, and losses so far."""
        levels = self._levels_of(state.group)
        depths = {
            n: chance
            for n, (states, chances) in enumerate(levels)
            if state in states and (chance := _at(chances[states.index(state)], cell)) > 0
        }
        # Only after an attempt to break off may the same end come after more steps or fewer.
        depth = dice.choices(list(depths), list(depths.values()))[0] if len(depths) > 1 else next(iter(depths))
        way = [(state, *cell)]
        for level in reversed(levels[:depth]):
            found = list(self._before(level, *way[-1]))
            way.append(dice.choices([step for step, _ in found], [weight for _, weight in found])[0])
        return way[::-1]

    def _levels_of(self, group: int) -> list[tuple[list[NavalState], np.ndarray]]:
        """The states in a group, level by level from the draw of the groups on, and the chances of losses in them."""
        duel = self.duels[group]
        levels = zip(course_of(duel.plan), self.levels[duel], strict=True)
        states = [([state._replace(group=group) for state in level.states], chances) for level, chances in levels]
        return [([START], np.ones((1, 1, 1))), *states]

    def _before(
        self, level: tuple[list[NavalState], np.ndarray], after: NavalState, own: int, enemy: int
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
    sides = tuple(
        (
            s.replacements if s.leader.drawn else (s.leader.manoeuvre, s.leader.fire, s.leader.shock, s.leader.fragile),
            (s.policy.leave_with_wind, s.policy.break_off, s.retreat_drm is None),
            (engagement.columns(side), engagement.halves(side), engagement.pursuit_column(side)),
            tuple((m.days, m.fire, m.shock, m.pursuit) for m in engagement.modifiers[side]),
            engagement.wind_advantage(side),
        )
        for side, s in enumerate(engagement.squadrons)
    )
    readings = engagement.book, engagement.options.leader_differential_cap, engagement.options.break_off_at_sea
    once = engagement.settled_wind(), engagement.morale, engagement.conditions.interception
    return FightKey((sides, readings, once), engagement)


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


def _sum(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of two arrays from their first places on, as large as both."""
    out = np.zeros(np.maximum(one.shape, other.shape))
    for part in (one, other):
        out[: part.shape[0], : part.shape[1]] += part
    return out
