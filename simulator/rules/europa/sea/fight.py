"""The ends of a naval fight, spelled out by the rules of rules.py (section 3, steps 4 to 9).

How rolls fall depends on few things (modifiers, stars, morale) only; losses add up. The chances of both sides' losses
are kept as one array for each state without losses, and handed on from roll to roll.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.losses import Fight, Reckoning
from simulator.rules.europa.sea.rules import NavalState
from simulator.rules.europa.sea.tables import START, Dice, NavalSetup, packed

Edge = tuple[NavalState, tuple[int, int], float]
NOTHING: Dice = ((0, 1.0),)


class Thrown(NamedTuple):
    """One side's roll: the numbers of stars it may inflict, and the chances of [one of them, thirds]."""

    stars: tuple[int, ...]
    chances: np.ndarray


class Level(NamedTuple):
    """States after so many steps (without losses), and the chances of [state, own losses, enemy losses]."""

    states: list[NavalState]
    chances: np.ndarray


@dataclass
class Spread:
    """A fight, step by step; `ends` are the states in which it may end."""

    setup: NavalSetup
    levels: list[Level] = field(default_factory=list)
    rolls: dict[int, Thrown] = field(default_factory=dict)
    targets: dict[Hashable, list[NavalState]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.p = self.setup.params
        policies = self.setup.policies
        self.most = self.setup.most_losses
        self.leaves = any(policy.leave_with_wind != "never" for policy in policies)
        level = Level([START], np.ones((1, 1, 1)))
        while level.states:
            self.levels.append(level)
            level = self._next(level)

    @cached_property
    def ends(self) -> dict[NavalState, np.ndarray]:
        """The chances of both sides' losses by the state in which the fight ends."""
        found: dict[NavalState, np.ndarray] = {}
        for level in self.levels:
            for state, chances in zip(level.states, level.chances, strict=True):
                if not rules.running(self.p, state):
                    found[state] = _added(found[state], chances) if state in found else chances
        return found

    @cached_property
    def room(self) -> tuple[int, int]:
        """Losses that both sides may suffer, 0 included."""
        own, enemy = (max(level.chances.shape[axis] for level in self.levels) for axis in (1, 2))
        return own, enemy

    def thrown(self, table: int) -> Thrown:
        """A side's roll by its table."""
        if table not in self.rolls:
            dice = self.setup.dice(table)
            stars = tuple(sorted({code >> rules.LOSS_BITS for code, _ in dice}))
            chances = np.zeros((len(stars), max(code & rules.LOSS_MASK for code, _ in dice) + 1))
            for code, chance in dice:
                chances[stars.index(code >> rules.LOSS_BITS), code & rules.LOSS_MASK] += chance
            self.rolls[table] = Thrown(stars, chances)
        return self.rolls[table]

    def _next(self, level: Level) -> Level:
        """What follows the states of a level."""
        places: dict[NavalState, int] = {}
        alone: list[tuple[int, int, float]] = []
        together: dict[Hashable, tuple[list[int], list[list[int]]]] = {}
        for n, state in enumerate(level.states):
            if not rules.running(self.p, state):
                continue
            if not rules.rolls(state):
                for target, _, chance in self.edges(state):
                    alone.append((n, places.setdefault(target, len(places)), chance))
                continue
            tables = rules.thrown(self.p, state, 0), rules.thrown(self.p, state, 1)
            # Of such states no two lead to the same one by the same stars.
            rows, targets = together.setdefault((*tables, state.stage, state.failed), ([], []))
            rows.append(n)
            targets.append([places.setdefault(after, len(places)) for after in self._after(state, tables)])
        _, width, height = level.chances.shape
        more = [max((self.thrown(key[by]).chances.shape[1] for key in together), default=1) - 1 for by in (1, 0)]
        room = [min(most + 1, size + extra) for most, size, extra in zip(self.most, (width, height), more, strict=True)]
        out = np.zeros((len(places), *room))
        for n, place, chance in alone:
            out[place, :width, :height] += chance * level.chances[n]
        for (by_a, by_d, *_), (rows, targets) in together.items():
            self._hand_on(level.chances[rows], self.thrown(by_d), self.thrown(by_a), np.array(targets), out)
        return Level(list(places), out)

    def _hand_on(self, before: np.ndarray, own: Thrown, enemy: Thrown, targets: np.ndarray, out: np.ndarray) -> None:
        """Add to `out` what a roll of both sides makes of `before`, where each of its states leads to its targets.

        `own`: what the own side suffers.
        """
        low, width = _span(before.any(axis=(0, 2)))
        left, height = _span(before.any(axis=(0, 1)))
        before = before[:, low : low + width, left : left + height]
        columns = iter(targets.T)
        for of_own in own.chances:
            tall = _shifted(before, of_own, 1, out.shape[1] - low)
            for of_enemy in enemy.chances:
                wide = _shifted(tall, of_enemy, 2, out.shape[2] - left)
                out[next(columns), low : low + wide.shape[1], left : left + wide.shape[2]] += wide

    def _after(self, state: NavalState, tables: tuple[int, int]) -> list[NavalState]:
        """What follows a roll of both sides by the stars that they suffer, the own ones slowest."""
        p, group = self.p, state.group
        own, enemy = self.thrown(tables[1]).stars, self.thrown(tables[0]).stars
        asked = p.men[group] if self.setup.breaks else 0, p.man[group] if self.setup.breaks else ()
        key = _in_group(state, 0), own, enemy, p.wind[group] if self.leaves else 0, asked
        if key not in self.targets:
            self.targets[key] = [rules.rolled(p, state, packed(0, d), packed(0, a)) for a in own for d in enemy]
        return [_in_group(target, group) for target in self.targets[key]]

    def edges(self, state: NavalState) -> list[Edge]:
        """What may follow, what it costs both sides, and its chance, result by result."""
        p, dice, found = self.p, self.setup.dice, Counter[tuple[NavalState, tuple[int, int]]]()
        if rules.rolls(state):
            by_a, by_d = (dice(rules.thrown(p, state, side)) for side in (0, 1))
            afters = [(rules.rolled(p, state, a, d), pa * pd) for a, pa in by_a for d, pd in by_d]
        else:
            afters = [(rules.step(p, state, result), chance) for result, chance in dice(rules.table(p, state))]
        for after, chance in afters:
            found[after._replace(loss_a=0, loss_d=0), (after.loss_a, after.loss_d)] += chance  # type: ignore[assignment]
        return [(target, costs, chance) for (target, costs), chance in found.items()]

    def way(self, state: NavalState, cell: tuple[int, int], dice: random.Random) -> list[tuple[NavalState, int, int]]:
        """A way to an end of the fighting with these losses, as likely as it should be: states, and losses so far."""
        depths = {n: chance for n, level in enumerate(self.levels) if (chance := _chance(level, state, cell)) > 0}
        # Only where somebody tries to break off may the same end come after more steps or fewer.
        depth = dice.choices(list(depths), list(depths.values()))[0] if len(depths) > 1 else next(iter(depths))
        way = [(state, *cell)]
        for level in reversed(self.levels[:depth]):
            target, own, enemy = way[-1]
            found = []
            for before, chances in zip(level.states, level.chances, strict=True):
                if not rules.running(self.p, before):
                    continue
                for after, (a, d), chance in self.edges(before):
                    at = own - a, enemy - d
                    if after == target and _chance_of(chances, at) > 0:
                        found.append(((before, *at), chance * chances[at]))
            way.append(dice.choices([step for step, _ in found], [weight for _, weight in found])[0])
        return way[::-1]


def _chance(level: Level, state: NavalState, cell: tuple[int, int]) -> float:
    return _chance_of(level.chances[level.states.index(state)], cell) if state in level.states else 0.0


def _chance_of(chances: np.ndarray, cell: tuple[int, int]) -> float:
    """The chance of these losses; 0 where they are negative or too large."""
    inside = all(0 <= thirds < size for thirds, size in zip(cell, chances.shape, strict=True))
    return float(chances[cell]) if inside else 0.0


def _span(occurs: np.ndarray) -> tuple[int, int]:
    """Where something occurs for the first time, and on how many places from there on."""
    places = np.flatnonzero(occurs)
    return int(places[0]), int(places[-1] - places[0] + 1)


def _shifted(before: np.ndarray, chances: np.ndarray, axis: int, room: int) -> np.ndarray:
    """The chances of losses along an axis once `chances` of more are added to them; there are none beyond the room."""
    thirds = np.flatnonzero(chances).tolist()
    shape = list(before.shape)
    shape[axis] = min(room, shape[axis] + thirds[-1])
    after = np.zeros(shape)
    to, of = after.swapaxes(0, axis), before.swapaxes(0, axis)
    for more in thirds:
        to[more : more + len(of)] += chances[more] * of[: len(to) - more]
    return after


def _added(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """The sum of two arrays from their first places on, as large as both."""
    out = np.zeros(np.maximum(one.shape, other.shape))
    for part in (one, other):
        out[: part.shape[0], : part.shape[1]] += part
    return out


def _in_group(state: NavalState, group: int) -> NavalState:
    """The state in another group; a hundred thousand of these are made in a large battle."""
    return tuple.__new__(NavalState, (state[0], group, *state[2:]))


class Row(NamedTuple):
    """An end of the battle but for the losses; `men` are the manoeuvres that are known, `frail` as in end.py."""

    winner: int
    rolls: int
    left: int
    broke: int
    wind: int
    frail: int
    stars: tuple[int, int]
    men: tuple[int | None, int | None]


class Case(NamedTuple):
    """An end of the fighting but for the losses: as its row before any pursuit, and the pursuit's table (0: none).

    `routed`: which sides are, the pursuit apart.
    """

    row: Row
    routed: tuple[bool, bool]
    chase: int


# A side's circumstances, and the thirds that a pursuit adds to those of the fighting.
Suffered = tuple[Fight, int]


class Chased(NamedTuple):
    """A case after one result of its pursuit: its chance, and what both sides have suffered."""

    row: Row
    suffered: tuple[Suffered, Suffered]
    chance: float
    code: int


class Came(NamedTuple):
    """How a case may have come about: an end of the fighting, the group then, chances of [own losses, enemy losses]."""

    case: Case
    state: NavalState
    place: int
    chances: np.ndarray


class Part(NamedTuple):
    """A case, how it came about and how its pursuit went."""

    came: Came
    chased: Chased


@dataclass
class OutcomeDistribution:
    """The ends of one battle, pursuit included."""

    setup: NavalSetup
    reckoning: Reckoning
    pursuits: dict[Case, list[Chased]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.spread = Spread(self.setup)
        self.groups = list(self.setup.groups)

    @cached_property
    def masks(self) -> dict[tuple[bool, bool], list[tuple[bool, bool, np.ndarray]]]:
        """By who is routed: (own side wiped out?, enemy wiped out?, the [own losses, enemy losses] that make it so)."""
        return {routed: self._masks(routed) for routed in BOTH_WAYS}

    def _masks(self, routed: tuple[bool, bool]) -> list[tuple[bool, bool, np.ndarray]]:
        a, d = (
            np.array([self.reckoning.wiped(side, thirds, routed[side]) for thirds in range(self.spread.room[side])])
            for side in (0, 1)
        )
        found = [(own, enemy, np.outer(a == own, d == enemy)) for own, enemy in BOTH_WAYS]
        return [mask for mask in found if mask[2].any()]

    def came(self) -> Iterator[Came]:
        """All ends of the fighting, those apart in which a side is wiped out."""
        most = self.setup.engagement.morale
        for state, chances in self.spread.ends.items():
            masks = self.masks[state.stars_a >= most[0], state.stars_d >= most[1]]
            for place, share in known(self.setup, state.group):
                for own, enemy, mask in masks:
                    part = share * chances
                    if len(masks) > 1:
                        part *= mask[: part.shape[0], : part.shape[1]]
                    if len(masks) == 1 or part.any():
                        yield Came(self._case(state, place, (own, enemy)), state, place, part)

    def _case(self, state: NavalState, place: int, wiped: tuple[bool, bool]) -> Case:
        group, p = self.groups[place], self.spread.p
        morale = rules.morale_left(p, state, 0), rules.morale_left(p, state, 1)
        routs = self.setup.engagement.options.destruction_is_rout
        winner, pursues, routed = rules.settled(state.verdict, state.left > 0, morale, wiped, routs)
        frail = group.fragile[0] + 2 * group.fragile[1]
        men = group.men if any(self.setup.storm) else (None, None)
        stars = state.stars_a, state.stars_d
        return Case(
            Row(winner, state.rolls, state.left, state.broke, group.wind, frail, stars, men),
            routed,
            self.setup.chase_table(group, winner, state.rolls) if pursues else 0,
        )

    def pursued(self, case: Case) -> list[Chased]:
        """What becomes of a case in the pursuit."""
        if case not in self.pursuits:
            dice = self.setup.dice(case.chase) if case.chase else NOTHING
            self.pursuits[case] = [self._chased(case, *roll) for roll in dice]
        return self.pursuits[case]

    def _chased(self, case: Case, code: int, chance: float) -> Chased:
        thirds, caught = code & rules.LOSS_MASK, code >> rules.LOSS_BITS
        winner, stars, suffered = case.row.winner, list(case.row.stars), []
        for side in (0, 1):
            if not case.chase or winner == side:
                suffered.append((Fight(winner == side, case.routed[side], 0, 0), 0))
                continue
            stars[side] += caught
            routed = case.routed[side] or stars[side] >= self.setup.engagement.morale[side]
            suffered.append((Fight(False, routed, caught, 0), thirds))
        row = case.row if stars == list(case.row.stars) else case.row._replace(stars=(stars[0], stars[1]))
        return Chased(row, (suffered[0], suffered[1]), chance, code)

    def parts(self) -> Iterator[Part]:
        """All ends, part by part: for replays."""
        for came in self.came():
            for chased in self.pursued(came.case):
                yield Part(came, chased)


BOTH_WAYS = [(own, enemy) for own in (False, True) for enemy in (False, True)]


def known(setup: NavalSetup, place: int) -> list[tuple[int, float]]:
    """The group at this place, or those that know the manoeuvres that are asked for, with their chances."""
    if place not in setup.children:
        group = setup.known.placed[place]
        children = setup.known.children(group) if group.men == (None, None) else Counter({group: 1})
        whole = children.total()
        setup.children[place] = [(setup.known.order[child], weight / whole) for child, weight in children.items()]
    return setup.children[place]
