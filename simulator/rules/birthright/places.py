"""Every place that a unit of either side can have, numbered before the first roll: at the front, or resting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import comb, prod
from typing import NamedTuple

import numpy as np

from simulator.rules.birthright.engagement import FALLEN_BACK
from simulator.rules.birthright.units import Entry, Unit
from simulator.rules.toolkit.retreat import Leave


@dataclass(frozen=True)
class Host:
    """A side in its order of battle; `falls` is what a destroyed unit of each entry adds to the fallen."""

    side: int
    entries: list[Entry]
    leave: Leave
    pursues: bool
    falls: Sequence[int]

    @cached_property
    def units(self) -> list[tuple[int, Unit]]:
        """The single units from the front, each with the number of its entry."""
        return [(i, entry.unit) for i, entry in enumerate(self.entries) for _ in range(entry.count)]

    def hunts(self, unit: Unit) -> bool:
        """Does it pursue?"""
        return self.pursues and unit.type == "cavalry"

    @property
    def hunters(self) -> int:
        """Units that could pursue at the start."""
        return sum(self.hunts(unit) for _, unit in self.units)

    @cached_property
    def resting_places(self) -> dict[tuple[int, int], int]:
        """Numbers, from 1, of the places (entry, hits) of resting units in the order in which they come up again."""
        places = ((i, hits) for i, entry in enumerate(self.entries) for hits in range(entry.unit.steps))
        return {place: number for number, place in enumerate(places, 1)}

    def halves(self) -> tuple[range, range]:
        """Entries of the first and the second half, cut so that neither half can rest in too many ways."""
        count = len(self.entries)

        def ways(part: range) -> int:
            entries = [self.entries[i] for i in part]
            return prod(comb(entry.count + entry.unit.steps, entry.count) for entry in entries)

        cut = min(range(count + 1), key=lambda at: max(ways(range(at)), ways(range(at, count))))
        return range(cut), range(cut, count)


class Front(NamedTuple):
    """A row of the params by front; row 0 is nobody."""

    who: tuple[int, int, int, bool] = (0, 0, 0, False)  # side, entry, hits, rested
    size: int = 0
    horse: int = 0
    wounds: int = 0
    unhurt: int = 0
    next_fresh: int = 0
    lying: int = 0
    falls: int = 0


def fronts_of(host: Host, first: int) -> tuple[list[Front], dict[tuple[int, int], int]]:
    """A side's fronts, numbered from `first` (the first is its front at the start), and those of its rested units."""
    rows: list[Front] = []
    steps = [unit.steps for _, unit in host.units]
    begin = [first + sum(steps[:at]) for at in range(len(steps) + 1)]
    for at, (entry, unit) in enumerate(host.units):
        behind = [other for _, other in host.units[at:]]
        row = Front(
            size=len(behind),
            horse=sum(map(host.hunts, behind)),
            unhurt=begin[at],
            next_fresh=begin[at + 1] if len(behind) > 1 else 0,
            lying=host.resting_places[entry, 0] - FALLEN_BACK,
            falls=host.falls[entry],
        )
        rows += [row._replace(who=(host.side, entry, hits, False), wounds=hits) for hits in range(unit.steps)]
    rested = {}
    for entry, hits in host.resting_places:
        rested[entry, hits] = first + len(rows)
        unit, who = host.entries[entry].unit, (host.side, entry, hits, True)
        horse, unhurt = int(host.hunts(unit)), rested[entry, 0]
        rows.append(Front(who, 1, horse, wounds=hits, unhurt=unhurt, falls=host.falls[entry]))
    return rows, rested


class Rest(NamedTuple):
    """Rows of the params by number of resting units; row 0 of all is that nobody rests."""

    with_one: np.ndarray
    without_first: np.ndarray
    first_up: np.ndarray
    resting: np.ndarray
    resting_horse: np.ndarray
    resting_wounds: np.ndarray


def nobody_rests(places: int) -> Rest:
    """The row of a side that has left the field."""
    return Rest(np.zeros((1, places), np.int64), *(np.zeros(1, np.int64) for _ in range(5)))


def resting_units(host: Host, part: range, up: dict[tuple[int, int], int], places: int, first: int) -> Rest:
    """All ways in which units of some entries may rest, numbered from `first` (none of them does).

    `up` are the fronts that rested units become, `places` the number of places of the side that has most.
    """
    ways = [list(_ways(host.entries[i])) for i in part]
    total = prod(len(way) for way in ways)
    own = np.arange(total)
    with_one, without_first = np.repeat(own[:, None], places, 1), own.copy()
    first_up, resting, horse, wounds = (np.zeros(total, np.int64) for _ in range(4))
    for n, i in reversed(list(enumerate(part))):
        unit, way, stride = host.entries[i].unit, ways[n], prod(len(other) for other in ways[:n])
        at = own // stride % len(way)
        index = {row: number for number, row in enumerate(way)}
        for hits in reversed(range(unit.steps)):
            more = np.array([index.get(_changed(row, hits, 1), index[row]) for row in way])[at]
            less = np.array([index.get(_changed(row, hits, -1), -1) for row in way])[at]
            with_one[:, host.resting_places[i, hits]] += (more - at) * stride
            # The last entries first, so that the first to come up is written last.
            without_first = np.where(less < 0, without_first, own + (less - at) * stride)
            first_up = np.where(less < 0, first_up, up[i, hits])
        counts = np.array(way)[at]
        resting += counts.sum(1)
        horse += counts.sum(1) * host.hunts(unit)
        wounds += counts @ np.arange(unit.steps)
    return Rest(with_one + first, without_first + first, first_up, resting, horse, wounds)


def _ways(entry: Entry) -> Iterator[tuple[int, ...]]:
    """How many units of an entry may rest with 0, 1, ... hits."""
    every = product(range(entry.count + 1), repeat=entry.unit.steps)
    return (way for way in every if sum(way) <= entry.count)


def _changed(row: tuple[int, ...], hits: int, by: int) -> tuple[int, ...]:
    return (*row[:hits], row[hits] + by, *row[hits + 1 :])
