"""The positions that a unit can have, numbered before the first roll: at the front, or resting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from math import comb, prod
from typing import NamedTuple

import numpy as np

from simulator.rules.birthright.tactical.engagement import FALLEN_BACK
from simulator.rules.birthright.units import Entry, Unit
from simulator.rules.toolkit.retreat import Leave


@dataclass(frozen=True)
class Side:
    """A side in its order of battle.

    `weights`: what a destroyed unit of each entry adds to `FieldState.destroyed`; the last, a unit caught.
    """

    number: int
    entries: list[Entry]
    leave: Leave
    pursues: bool
    weights: Sequence[int]

    @cached_property
    def units(self) -> list[tuple[int, Unit]]:
        """The single units from the front, each with the number of its entry."""
        return [(i, entry.unit) for i, entry in enumerate(self.entries) for _ in range(entry.count)]

    def hunts(self, unit: Unit) -> bool:
        """Does this unit pursue?"""
        return self.pursues and unit.type == "cavalry"

    @property
    def hunters(self) -> int:
        """Units that could pursue at the start."""
        return sum(self.hunts(unit) for _, unit in self.units)

    @cached_property
    def rest_positions(self) -> dict[tuple[int, int], int]:
        """Numbers, from 1, of (entry, hits) of resting units, in the order in which they come up again."""
        positions = ((i, hits) for i, entry in enumerate(self.entries) for hits in range(entry.unit.steps))
        return {position: number for number, position in enumerate(positions, 1)}

    def halves(self) -> tuple[range, range]:
        """Entries of the first and the second half, cut where the half with more ways to rest has the fewest."""
        ways = [comb(entry.count + entry.unit.steps, entry.count) for entry in self.entries]
        cut = min(range(len(ways) + 1), key=lambda at: max(prod(ways[:at]), prod(ways[at:])))
        return range(cut), range(cut, len(ways))


class Front(NamedTuple):
    """A row of `FieldParams` by front; row 0 stands for nobody. `card`: side, entry, hits, rested."""

    card: tuple[int, int, int, bool] = (0, 0, 0, False)
    units: int = 0
    cavalry: int = 0
    hits: int = 0
    unhurt: int = 0
    next_fresh: int = 0
    rests_at: int = 0
    weight: int = 0


def fronts_of(side: Side, first: int) -> tuple[list[Front], dict[tuple[int, int], int]]:
    """A side's fronts, numbered from `first` (its front at the start), and the numbers of its rested units."""
    rows: list[Front] = []
    begin = list(accumulate((unit.steps for _, unit in side.units), initial=first))
    for at, (entry, unit) in enumerate(side.units):
        behind = [other for _, other in side.units[at:]]
        row = Front(
            units=len(behind),
            cavalry=sum(map(side.hunts, behind)),
            unhurt=begin[at],
            next_fresh=begin[at + 1] if len(behind) > 1 else 0,
            rests_at=side.rest_positions[entry, 0] - FALLEN_BACK,
            weight=side.weights[entry],
        )
        rows += [row._replace(card=(side.number, entry, hits, False), hits=hits) for hits in range(unit.steps)]
    rested: dict[tuple[int, int], int] = {}
    for entry, hits in side.rest_positions:
        rested[entry, hits] = first + len(rows)
        row = Front(
            card=(side.number, entry, hits, True),
            units=1,
            cavalry=int(side.hunts(side.entries[entry].unit)),
            hits=hits,
            unhurt=rested[entry, 0],
            weight=side.weights[entry],
        )
        rows.append(row)
    return rows, rested


class Rest(NamedTuple):
    """Rows of `FieldParams` by number of resting units; row 0 of all stands for none."""

    with_one: np.ndarray
    without_first: np.ndarray
    first_up: np.ndarray
    resting: np.ndarray
    resting_cavalry: np.ndarray
    resting_hits: np.ndarray


def none_resting(positions: int) -> Rest:
    """The row of a side that has left the field."""
    return Rest(np.zeros((1, positions), np.int64), *(np.zeros(1, np.int64) for _ in range(5)))


def resting_units(side: Side, part: range, rested: dict[tuple[int, int], int], positions: int, first: int) -> Rest:
    """All ways in which units of some entries may rest, numbered from `first` (none of them rests).

    `rested` are the fronts of rested units, `positions` the columns of `with_one`.
    """
    ways = [list(_ways(side.entries[i])) for i in part]
    total = prod(map(len, ways))
    own = np.arange(total)
    with_one, without_first = np.repeat(own[:, None], positions, 1), own.copy()
    first_up, resting, cavalry, hits_resting = (np.zeros(total, np.int64) for _ in range(4))
    for n, i in reversed(list(enumerate(part))):
        unit, way, stride = side.entries[i].unit, ways[n], prod(map(len, ways[:n]))
        at = own // stride % len(way)
        index = {row: number for number, row in enumerate(way)}
        for hits in reversed(range(unit.steps)):
            more = np.array([index.get(_changed(row, hits, 1), index[row]) for row in way])[at]
            less = np.array([index.get(_changed(row, hits, -1), -1) for row in way])[at]
            with_one[:, side.rest_positions[i, hits]] += (more - at) * stride
            # The last positions first, so that the first unit to come up is written last.
            without_first = np.where(less < 0, without_first, own + (less - at) * stride)
            first_up = np.where(less < 0, first_up, rested[i, hits])
        counts = np.array(way)[at]
        resting += counts.sum(1)
        cavalry += counts.sum(1) * side.hunts(unit)
        hits_resting += counts @ np.arange(unit.steps)
    return Rest(with_one + first, without_first + first, first_up, resting, cavalry, hits_resting)


def _ways(entry: Entry) -> Iterator[tuple[int, ...]]:
    """Numbers of units of an entry that may rest with 0, 1, ... hits."""
    every = product(range(entry.count + 1), repeat=entry.unit.steps)
    return (way for way in every if sum(way) <= entry.count)


def _changed(row: tuple[int, ...], hits: int, by: int) -> tuple[int, ...]:
    return (*row[:hits], row[hits] + by, *row[hits + 1 :])
