"""Line-ups of a side that differ in numbers, as starts of one chain.

The course of a battle depends on the points that each side still has, in the order in which they will be taken, and on
the units that support it; nothing else of its past matters (docs/rules/custom_games.md sections 5 to 8). So places that
are equal in these are one, whichever line-up they come from, and each line-up begins in a place of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import replace

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.engine.model.chance import NO_TABLE
from simulator.engine.model.interpreted import plain_params
from simulator.rules.battle import Columns, Joined
from simulator.rules.custom.build import Field, lay_out
from simulator.rules.custom.decisions.best import sought
from simulator.rules.custom.dice.die import Hit
from simulator.rules.custom.dice.hits import TooLarge, check_size
from simulator.rules.custom.line import Places, absorbs_first, aimed_at, hits_of, loss_line, stretches_of_each
from simulator.rules.custom.model import units_of
from simulator.rules.custom.outcome import outcome
from simulator.rules.custom.rules.rules import opened
from simulator.rules.custom.rules.state import FIGHTING, Army, Params, State
from simulator.rules.custom.setup import Setup

# Line-ups of a side, and places that they come to: with more of them one chain takes longer to lay out than it saves.
MOST_PLACES = 20_000
# Points that follow each other in a line: of which unit, whether one dies of each (else it is only damaged), how many.
Points = tuple[tuple[int, bool, int], ...]
# The points that are left, and how many of each unit support the side.
Left = tuple[Points, tuple[int, ...]]


def starts_of(setup: Setup) -> list[str]:
    """The numbers that only move the start: those of all units, where nothing is chosen by the odds from there."""
    if "odds-below" in setup.leaving or sought(setup) or setup.aims:
        return []
    return [f"{side}.{key}" for side in SIDES for key, _ in units_of(type(getattr(setup.fields, side)))]


def joined(field: Field, paths: Sequence[str], settings: np.ndarray) -> Joined | None:
    """One chain for battles that differ from this one, the largest, in numbers of units; None for too many places.

    `settings`: the numbers at `paths`, int64, shape (scenarios, paths).
    """
    setup = field.setup
    numbers = {side: _numbers(setup, side, paths, settings) for side in SIDES}
    try:
        places = {side: Lineups(setup, side, numbers[side]) for side in SIDES}
        field = lay_out(setup, places=places)
    except TooLarge:
        return None
    starts = _opened(field.chain.params, np.array([places[side].begun for side in SIDES], np.int64).T)

    def columns(states: State, at: Sequence[int]) -> Columns:
        numbers = {side: _numbers(setup, side, paths, np.array([at]))[0].tolist() for side in SIDES}
        come = {side: places[side].come_from(numbers[side]) for side in SIDES}
        return outcome(replace(field, places=come), states)

    return Joined(field.chain, starts, columns)


def _opened(params: Params, pairs: np.ndarray) -> np.ndarray:
    """The states of battles that begin at these places of both sides, int64, shape (battles, 2): int64, shape (battles,
    fields).

    Nothing is hit before the first dice. So what is opened depends only on what the rules read of the places (`_seen`),
    and one battle of those that are alike in it answers for all, where it keeps its places and is in no group of salvos
    (which holds places, too).
    """
    plain = plain_params(params)
    found = np.zeros((len(pairs), len(State._fields)), np.int64)
    found[:, :2] = pairs
    if params.chosen:
        alike = np.arange(len(pairs))
    else:
        seen = np.column_stack(
            [_seen(params, params.attacker)[pairs[:, 0]], _seen(params, params.defender)[pairs[:, 1]]]
        )
        alike = np.unique(seen, axis=0, return_inverse=True)[1].ravel()
    for same in np.split(np.argsort(alike, kind="stable"), np.cumsum(np.bincount(alike))[:-1]):
        first = opened(plain, State(*pairs[same[0]].tolist()))
        whole = first.ending != FIGHTING or params.begins[first.salvo]
        if whole and first[:2] == tuple(pairs[same[0]]):
            found[same, 2:] = first[2:]
        else:
            found[same] = [opened(plain, State(*pair)) for pair in pairs[same].tolist()]
    return found


def _seen(params: Params, own: Army) -> np.ndarray:
    """All that the rules read of a place of this side before the first dice, but for what is hit: whether it rolls, by
    row and what the enemy shows, what it shows, its units and its mean hits: int64, shape (places, numbers).
    """
    size = len(own.units)
    counts = own.units if params.retreats else own.units > 0
    parts = [own.alone > 0, counts, own.shows.T, np.moveaxis(own.rolls != NO_TABLE, 1, 0)]
    if params.compares:
        parts.append(np.moveaxis(own.means, 1, 0))
    numbers = np.column_stack([np.asarray(one).reshape(size, -1) for one in parts])
    return np.asarray(np.unique(numbers, axis=0, return_inverse=True)[1].reshape(size, 1), np.int64)


def _numbers(setup: Setup, side: str, paths: Sequence[str], settings: np.ndarray) -> np.ndarray:
    """The number of each unit at the start, one row for each row of settings."""
    found = np.tile(np.array(setup.sides[side].counts), (len(settings), 1))
    for path, numbers in zip(paths, settings.T, strict=True):
        where, _, key = path.partition(".")
        if where == side:
            found[:, setup.units.index(key)] = numbers
    return found


class Lineups(Places):
    """The places of a side that may come with any of several line-ups; `begun` is where each of them begins."""

    several = True

    def __init__(self, setup: Setup, side: str, numbers: np.ndarray) -> None:
        """`numbers` of units: int64, shape (line-ups, units). Raises TooLarge for too many places."""
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        self.line = loss_line(setup, side)
        different, which = np.unique(numbers, axis=0, return_inverse=True)
        check_size(side, len(different), "line-ups", MOST_PLACES)
        lines = self._complete(different.tolist())
        number = {left: i for i, left in enumerate(dict.fromkeys(lines))}
        self.begun = [number[lines[i]] for i in which.ravel().tolist()]
        self._hits = hits_of(setup.file, side).tolist()
        self._after: dict[Hit, list[int]] = {aim: [] for aim in aimed_at(setup, side)}
        self._follow(number)
        self._take_stock(list(number))

    def _complete(self, numbers: list[list[int]]) -> list[Left]:
        """Line-ups that nothing has hit."""
        supports = [self.own.supporters >> unit & 1 for unit in range(len(self.own.counts))]
        return [
            (
                tuple([(unit, each > 0, n) for unit, n, each in line]),
                tuple([n * one for n, one in zip(counts, supports, strict=True)]),
            )
            for line, counts in zip(stretches_of_each(self.setup, self.side, numbers), numbers, strict=True)
        ]

    def _follow(self, number: dict[Left, int]) -> None:
        """Number all places that hits lead to, and the one without units."""
        self.gone = number.setdefault(((), (0,) * len(self.own.counts)), len(number))
        due = list(number)
        for left in due:
            for aim, after in self._after.items():
                hit = self._hit(left, aim)
                if hit not in number:
                    check_size(self.side, len(number) + 1, "ways in which they may stand", MOST_PLACES)
                    number[hit] = len(number)
                    due.append(hit)
                after.append(number[hit])

    def _take_stock(self, places: list[Left]) -> None:
        units = range(len(self.own.counts))
        points, dying = np.zeros((2, len(places), len(units)), np.int64)
        for i, (line, _) in enumerate(places):
            for unit, dies, number in line:
                points[i, unit] += number
                dying[i, unit] += number * dies
        hits = np.array(self._hits, np.int64)
        first = np.array([absorbs_first(self.setup, self.side, unit) for unit in units])
        self.left = np.where(first, dying, -(-points // hits))
        self.damage = self.left * hits - points
        self.units = self.left.sum(axis=1)
        self.there = self.left + np.array([supports for _, supports in places], np.int64)
        self.alone = self._alone()

    def __len__(self) -> int:
        return len(self.units)

    def _hit(self, left: Left, aim: Hit) -> Left:
        """The points left after one hit of a class."""
        if not aim.split:
            return _struck(left, aim.units, aim.damage, self._hits)
        for _ in range(aim.damage):
            left = _struck(left, aim.units, 1, self._hits)
        return left

    def after_hit(self, hit: Hit) -> np.ndarray:
        """The place after one hit of a class: int64, shape (places,)."""
        return np.array(self._after[hit], np.int64)

    def come_from(self, numbers: list[int]) -> Lineups:
        """The same places as the rest of a line-up."""
        found = copy(self)
        found.lost = np.array([n * (self.own.fights >> u & 1) for u, n in enumerate(numbers)], np.int64) - self.left
        return found


def _struck(left: Left, targets: int, damage: int, hits: Sequence[int]) -> Left:
    """The points left after a hit on the first unit of `targets`, and this many more on the same piece."""
    line, supports = left
    for i, (unit, dies, number) in enumerate(line):
        if targets >> unit & 1:
            taken = min(damage, (number - 1) % hits[unit] + 1) if damage > 1 else 1
            if number > taken:
                return (*line[:i], (unit, dies, number - taken), *line[i + 1 :]), supports
            before, after = line[:i], line[i + 1 :]
            if before and after and before[-1][:2] == after[0][:2]:
                before, after = (*before[:-1], (*after[0][:2], before[-1][2] + after[0][2])), after[1:]
            return (*before, *after), supports
    return left
