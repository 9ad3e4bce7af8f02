"""The ends of a naval fight, spelled out by the rules of naval_rules.py (section 3, steps 4 to 9).

How rolls fall depends on few things (modifiers, stars, morale) only; losses add up. The chances of both sides' losses
are kept as one array for each state without losses, and handed on from roll to roll.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from simulator.rules.europa import naval_rules as rules
from simulator.rules.europa.naval_groups import Group
from simulator.rules.europa.naval_losses import Fight, Reckoning
from simulator.rules.europa.naval_rules import NavalParams, NavalState
from simulator.rules.europa.naval_tables import NavalSetup
from simulator.rules.europa.squadrons import ATTACKER, DEFENDER

Edge = tuple[NavalState, tuple[int, int], float]
Dice = tuple[tuple[int, float], ...]
NOTHING: Dice = ((0, 1.0),)


class Fork(NamedTuple):
    """What may follow a roll, by the stars of both sides' results (the own ones slowest), without losses.

    `own[stars, thirds]` is the chance that the own side suffers these; `enemy` the same of the enemy. The dice of both
    sides are thrown apart.
    """

    targets: list[NavalState]
    own: np.ndarray
    enemy: np.ndarray

    def handed_on(self, mass: np.ndarray) -> np.ndarray:
        """The chances of [target, own losses, enemy losses] from those of [own losses, enemy losses] before."""
        width, height = mass.shape
        tall = np.zeros((len(self.own), width, height))
        for thirds in np.flatnonzero(self.own.any(axis=0)).tolist():
            tall[:, thirds:] += self.own[:, thirds, None, None] * mass[: width - thirds]
        wide = np.zeros((len(self.own), len(self.enemy), width, height))
        for thirds in np.flatnonzero(self.enemy.any(axis=0)).tolist():
            part = tall[:, None, :, : height - thirds]
            wide[:, :, :, thirds:] += self.enemy[:, thirds, None, None] * part
        return wide.reshape(-1, width, height)


def _by_stars(codes: dict[int, float]) -> tuple[list[int], np.ndarray]:
    """One side's results: the numbers of stars, and the chances of [one of them, thirds]."""
    stars = sorted({code >> rules.LOSS_BITS for code in codes})
    chances = np.zeros((len(stars), max(code & rules.LOSS_MASK for code in codes) + 1))
    for code, chance in codes.items():
        chances[stars.index(code >> rules.LOSS_BITS), code & rules.LOSS_MASK] += chance
    return stars, chances


@dataclass
class Spread:
    """The ends of a fight: a State each (without losses), and the chance of [own losses, enemy losses] in thirds."""

    setup: NavalSetup
    ends: dict[NavalState, np.ndarray] = field(default_factory=dict)
    steps: dict[Hashable, list[Edge]] = field(default_factory=dict)
    forks: dict[Hashable, Fork] = field(default_factory=dict)
    levels: list[dict[NavalState, np.ndarray]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chain = self.setup.chain()
        rows = self.chain.tables.rows
        self.first, self.result, self.weight = (array.tolist() for array in rows)
        policies = self.setup.policies
        # Where nobody ever leaves, wind and leaders count in the tables only.
        self.plain = all(p.leave_with_wind == p.break_off == "never" for p in policies)
        shape = tuple(most + 1 for most in self.setup.most_losses)
        begun = np.zeros(shape)
        begun[0, 0] = 1.0
        level = {self.chain.start: begun}
        while level:
            self.levels.append(level)
            level = self._next(level)

    def dice(self, table: int) -> Dice:
        """Results of a chance table with their chances."""
        rows = slice(self.first[table], self.first[table + 1])
        return tuple(zip(self.result[rows], self.weight[rows], strict=True))

    def _next(self, level: dict[NavalState, np.ndarray]) -> dict[NavalState, np.ndarray]:
        p, following = self.chain.params, dict[NavalState, np.ndarray]()
        for state, mass in level.items():
            if not rules.running(p, state):
                self.ends[state] = self.ends.get(state, 0) + mass
                continue
            for target, chances in self._spread(state, mass):
                if target in following:
                    following[target] += chances
                else:
                    following[target] = chances
        return following

    def _spread(self, state: NavalState, mass: np.ndarray) -> Iterator[tuple[NavalState, np.ndarray]]:
        """What may follow, and the chances of the losses then."""
        if not rules.FIRE_1 <= state.stage <= rules.BOARD_2:
            for target, _, chance in self.edges(state):
                yield target, chance * mass
            return
        key, shared = self._key(state)
        if key not in self.forks:
            self.forks[key] = self._forked(state, key[1])
        fork = self.forks[key]
        for target, chances in zip(fork.targets, fork.handed_on(mass), strict=True):
            yield (_in_group(target, state.group) if shared else target), chances

    def _key(self, state: NavalState) -> tuple[tuple[NavalState, int], bool]:
        """What tells how a state goes on; True where rolls that differ in the group only share that."""
        table = int(rules.table(self.chain.params, state))
        shared = self.plain and rules.FIRE_1 <= state.stage <= rules.BOARD_2
        return (_in_group(state, 0) if shared else state, table), shared

    def _forked(self, state: NavalState, table: int) -> Fork:
        """A roll of both sides: one step for each number of stars, since no rule reads the losses."""
        inflicted: tuple[dict[int, float], dict[int, float]] = {}, {}
        for result, chance in self.dice(table):
            for found, code in zip(inflicted, (result >> rules.SIDE_BITS, result & rules.SIDE_MASK), strict=True):
                found[code] = found.get(code, 0.0) + chance
        (own, lost), (enemy, sunk) = (_by_stars(found) for found in inflicted)
        targets = []
        for a in own:
            for d in enemy:
                result = (a << rules.LOSS_BITS) << rules.SIDE_BITS | d << rules.LOSS_BITS
                after = rules.step(self.chain.params, state, result)
                targets.append(NavalState(*(int(value) for value in after)))
        return Fork(targets, lost, sunk)

    def edges(self, state: NavalState) -> Iterator[Edge]:
        """What may follow, what it costs both sides, and its chance, result by result."""
        key, shared = self._key(state)
        if key not in self.steps:
            self.steps[key] = self._spelled(self.chain.params, state, key[1])
        for target, costs, chance in self.steps[key]:
            yield (_in_group(target, state.group) if shared else target), costs, chance

    def _spelled(self, p: NavalParams, state: NavalState, table: int) -> list[Edge]:
        found: Counter[tuple[NavalState, tuple[int, int]]] = Counter()
        for row in range(self.first[table], self.first[table + 1]):
            after = rules.step(p, state, self.result[row])
            costs = int(after.loss_a), int(after.loss_d)
            target = NavalState(*(int(value) for value in after))._replace(loss_a=0, loss_d=0)
            found[target, costs] += self.weight[row]
        return [(target, costs, chance) for (target, costs), chance in found.items()]


def _in_group(state: NavalState, group: int) -> NavalState:
    """The state in another group; a hundred thousand of these are made in a passage."""
    return tuple.__new__(NavalState, (state[0], group, *state[2:]))


class Row(NamedTuple):
    """An end of the battle but for the losses; `men` are the manoeuvres that are known, `frail` as in naval_end.py."""

    winner: int
    rolls: int
    left: int
    broke: int
    wind: int
    frail: int
    stars: tuple[int, int]
    men: tuple[int | None, int | None]


class Part(NamedTuple):
    """Fights that end alike, and one result of the pursuit after them.

    `chances` of [own losses, enemy losses] without the pursuit, which adds `thirds` to the loser's; `fights` are both
    sides' circumstances, their thirds apart.
    """

    row: Row
    fights: tuple[Fight, Fight]
    thirds: tuple[int, int]
    chances: np.ndarray
    state: NavalState
    place: int
    code: int


@dataclass
class Ends:
    """The ends of one battle, pursuit included."""

    setup: NavalSetup
    reckoning: Reckoning

    def __post_init__(self) -> None:
        self.spread = Spread(self.setup)
        self.groups = list(self.setup.groups)
        most = self.setup.most_losses
        self.wiped = [
            np.array([self.reckoning.wiped(side, thirds) for thirds in range(most[side] + 1)]) for side in (0, 1)
        ]

    def parts(self) -> Iterator[Part]:
        """All ends, part by part."""
        for state, chances in self.spread.ends.items():
            for place, share in known(self.setup, self.groups[state.group], state.group):
                for own in (False, True):
                    for enemy in (False, True):
                        rows, columns = self.wiped[0] == own, self.wiped[1] == enemy
                        if not (rows.any() and columns.any()):
                            continue
                        part = share * np.where(np.outer(rows, columns), chances, 0.0)
                        if part.any():
                            yield from self._pursued(state, place, (own, enemy), part)

    def _pursued(self, state: NavalState, place: int, wiped: tuple[bool, bool], part: np.ndarray) -> Iterator[Part]:
        p, met = self.spread.chain.params, self.setup.met
        winner = state.verdict if state.left else rules.winner_of(state.verdict, *wiped)
        morale = [rules.morale_left(p, state, side) for side in (0, 1)]
        pursues = winner in {ATTACKER, DEFENDER} and not state.left and morale[winner] > 0
        dice = NOTHING
        if pursues:
            dice = self.spread.dice(self.setup.chase_table(place, winner, state.rolls))
        group = self.groups[place]
        for code, chance in dice:
            thirds, caught = code & rules.LOSS_MASK, code >> rules.LOSS_BITS
            more, stars, fights = [0, 0], [state.stars_a, state.stars_d], []
            for side in (0, 1):
                chased = caught if pursues and winner == 1 - side else 0
                more[side] = thirds if pursues and winner == 1 - side else 0
                stars[side] += chased
                routed = stars[side] >= met.morale[side] or (wiped[side] and met.options.destruction_is_rout)
                fights.append(Fight(winner == side, bool(routed), chased, 0))
            row = Row(
                winner, state.rolls, state.left, state.broke, group.wind, group.fragile[0] + 2 * group.fragile[1],
                (stars[0], stars[1]), group.men if any(self.setup.storm) else (None, None),
            )  # fmt: skip
            yield Part(row, (fights[0], fights[1]), (more[0], more[1]), chance * part, state, place, code)

    def path(self, state: NavalState, cell: tuple[int, int], dice: random.Random) -> list[tuple[NavalState, int, int]]:
        """A way to an end of the fighting with these losses, as likely as it should be: states, and losses so far."""
        depth = max(n for n, level in enumerate(self.spread.levels) if state in level and level[state][cell] > 0)
        way = [(state, *cell)]
        for level in reversed(self.spread.levels[:depth]):
            target, own, enemy = way[-1]
            found = []
            for before, chances in level.items():
                if not rules.running(self.spread.chain.params, before):
                    continue
                for after, (a, d), chance in self.spread.edges(before):
                    if after == target and own >= a and enemy >= d and chances[own - a, enemy - d] > 0:
                        found.append(((before, own - a, enemy - d), chance * chances[own - a, enemy - d]))
            way.append(dice.choices([step for step, _ in found], [weight for _, weight in found])[0])
        return way[::-1]


def known(setup: NavalSetup, group: Group, place: int) -> list[tuple[int, float]]:
    """The group, or those that know the manoeuvres that are asked for, with their chances."""
    if group.men != (None, None):
        return [(place, 1.0)]
    children = setup.known.children(group)
    return [(setup.known.order[child], weight / children.total()) for child, weight in children.items()]
