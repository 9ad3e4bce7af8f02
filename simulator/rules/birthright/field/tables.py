"""From a battle unit against unit to its chain: numbered positions of both sides, a chance table for each engagement.

A unit is at the front or rests; the numbers of all positions are known before the first roll.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, Row, TableBook
from simulator.engine.model.kept import Recent
from simulator.rules.birthright.engagement import ENDS, FALLEN_BACK, ROUTED, Attacks, Engagement
from simulator.rules.birthright.field.rules import (
    DEFENDER_ASKED,
    OVER,
    FieldParams,
    FieldState,
    Fronts,
    Rest,
    before_engagement,
)
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.sides import CHARGING_GROUND, Side, cover, edges, lowest_column, sides_of
from simulator.rules.birthright.units import Entry, Unit
from simulator.rules.toolkit import weights
from simulator.rules.toolkit.retreat import Leave


class FieldCard(NamedTuple):
    """A unit at the front: its side (0 or 1), its entry and card, its hits, and whether it has rested."""

    side: int
    entry: int
    unit: Unit
    hits: int
    rested: bool

    def fate(self, end: int) -> int:
        """The end of an engagement for this unit: a rested unit that falls back routs (section 3.4, step 4)."""
        return ROUTED if self.rested and FALLEN_BACK <= end < ROUTED else end


class FrontRow(NamedTuple):
    """A row of `Fronts`; row 0 and those that stand for a side after the battle have no card."""

    card: FieldCard | None = None
    units: int = 0
    cavalry: int = 0
    hits: int = 0
    unhurt: int = 0
    next_fresh: int = 0
    rests_at: int = 0
    weight: int = 0


def fronts_of(side: Side, first: int) -> tuple[list[FrontRow], dict[tuple[int, int], int]]:
    """A side's fronts, numbered from `first` (its front at the start), and the numbers of its rested units."""
    rows: list[FrontRow] = []
    weights_of = side.weights
    begin = list(accumulate((unit.steps for _, unit in side.units), initial=first))
    for at, (entry, unit) in enumerate(side.units):
        behind = [other for _, other in side.units[at:]]
        row = FrontRow(
            units=len(behind),
            cavalry=sum(map(side.hunts, behind)),
            unhurt=begin[at],
            next_fresh=begin[at + 1] if len(behind) > 1 else 0,
            rests_at=side.rest_positions[entry, 0] - FALLEN_BACK,
            weight=weights_of[entry],
        )
        rows += [
            row._replace(card=FieldCard(side.number, entry, unit, hits, False), hits=hits) for hits in range(unit.steps)
        ]
    rested: dict[tuple[int, int], int] = {}
    for entry, hits in side.rest_positions:
        rested[entry, hits], unit = first + len(rows), side.entries[entry].unit
        row = FrontRow(
            card=FieldCard(side.number, entry, unit, hits, True),
            units=1,
            cavalry=int(side.hunts(unit)),
            hits=hits,
            unhurt=rested[entry, 0],
            weight=weights_of[entry],
        )
        rows.append(row)
    return rows, rested


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


def _fighting_values(unit: Unit) -> tuple[Hashable, ...]:
    """The values of a card that an engagement reads: cards that agree in them share their tables."""
    pikes = unit.kind == "pikemen"
    return unit.defence, unit.morale, unit.hits, unit.melee, unit.charge, unit.missile, unit.bonus, pikes


def rout_if_back(chances: np.ndarray) -> np.ndarray:
    """The chances of both ends if the first unit (rows) has rested, so that it routs instead of falling back.

    Argument and result: float64, shape (ENDS, ENDS).
    """
    changed = chances.copy()
    changed[ROUTED] += changed[FALLEN_BACK:ROUTED].sum(0)
    changed[FALLEN_BACK:ROUTED] = 0.0
    return changed


# Engagements are kept for other battles with the same cards, such as the next fights of a campaign: the 61 fights of
# `campaign birthright-border-clash birthright-border-clash` have 23 together.
_engagements: Recent[Engagement] = Recent(1 << 26, lambda one: 8 * ENDS**2 * len(one.known))


@dataclass(frozen=True)
class Setup:
    """A scenario with both armies in order of battle; `by_entry` as in `sides_of`, `kept` as in `FieldParams`."""

    fields: Fight
    by_entry: Sequence[int] = ()
    kept: bool = False

    @cached_property
    def sides(self) -> tuple[Side, Side]:
        """Both sides."""
        return sides_of(self.fields, self.by_entry)

    @property
    def decided(self) -> bool:
        """Does a side decide when to leave (a `best` retreat)?"""
        return any(side.best for side in self.sides)

    def engagement(self, own: Unit, enemy: Unit) -> Engagement:
        """The engagement of two cards, the same object for all cards with the same fighting values."""
        key = _fighting_values(own), _fighting_values(enemy), self._about_engagements
        return _engagements.get(key) or _engagements.keep(key, Engagement((own, enemy), *self._about_engagements))

    @cached_property
    def _about_engagements(self) -> tuple[Any, ...]:
        """The fields of all engagements beside the cards."""
        options, tactical = self.fields.options, self.fields.battle == "tactical"
        attacks = Attacks(options.ten, options.morale_die, options.rally)
        charges = tactical and self.fields.conditions.terrain in CHARGING_GROUND
        sides = edges(self.fields), cover(self.fields), lowest_column(self.fields)
        return attacks, options.missile_rounds, charges, *sides

    @cached_property
    def numbered(self) -> tuple[list[FrontRow], list[int], list[dict[tuple[int, int], int]]]:
        """All fronts (row 0 is nobody), the first front of each side, and the fronts of its rested units."""
        fronts, firsts, rested = [FrontRow()], [], []
        for side in self.sides:
            firsts.append(len(fronts))
            rows, rested_fronts = fronts_of(side, len(fronts))
            fronts += rows
            rested.append(rested_fronts)
        return fronts, firsts, rested

    def card_at(self, front: int) -> FieldCard:
        """The unit at a front."""
        return self.cards_at(front)[0]

    def cards_at(self, front: int) -> list[FieldCard]:
        """The unit at a front and the fresh units behind it; nobody for row 0."""
        rows, cards = self.numbered[0], []
        while card := rows[front].card:
            cards.append(card)
            front = rows[front].next_fresh
        return cards

    def cards_resting(self, rest: Rest, number: int) -> list[FieldCard]:
        """The units that rest, by the number of resting units, in the order in which they come up again."""
        cards = []
        while rest.units[number]:
            cards.append(self.card_at(int(rest.first_up[number])))
            number = int(rest.without_first[number])
        return cards

    def table(self, own: FieldCard, enemy: FieldCard) -> Row:
        """The chance table of an engagement; a result is 16 x the attacker's end + the defender's."""
        engagement = self.engagement(own.unit, enemy.unit)
        chances = engagement.chances(engagement.opening((own.hits, enemy.hits)))
        if own.rested:
            chances = rout_if_back(chances)
        if enemy.rested:
            chances = rout_if_back(chances.T).T
        flat = chances.reshape(-1)
        results = np.flatnonzero(flat)
        return results, flat[results] / flat.sum()

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of engagements."""
        book, (own, enemy) = TableBook(), self.sides
        fronts, firsts, rested = self.numbered
        most_units = max(len(side.units) for side in self.sides)
        most_hits = max(sum(unit.hits for _, unit in side.units) for side in self.sides)
        # After the battle only the number of units on the field and their hits matter.
        ended = [FrontRow(units=n, hits=hits) for n in range(most_units + 1) for hits in range(most_hits + 1)]
        rest, (own1, own2, enemy1, enemy2) = self._resting(rested)
        rows = [*fronts, *ended]
        card, engagements = self._tables(book, len(rows))
        params = FieldParams(
            front=Fronts(
                card, *(np.array([getattr(row, name) for row in rows], np.int64) for name in Fronts._fields[1:])
            ),
            rest=rest,
            engagements=engagements,
            ended=np.arange(len(fronts), len(rows)).reshape(most_units + 1, most_hits + 1),
            chase=self._chase(book),
            attacker_caught=own.catch,
            defender_caught=enemy.catch,
            policies=int(self.decided or any(side.leave != Leave() for side in self.sides)),
            kept=int(self.kept),
            attacker_best=int(own.best),
            defender_best=int(enemy.best),
            attacker_leaves=own.leave,
            defender_leaves=enemy.leave,
            attacker_most_prey=enemy.hunters,
            defender_most_prey=own.hunters,
        )
        start = FieldState(firsts[0], own1, own2, 0, firsts[1], enemy1, enemy2, 0, 0, 0)
        start = FieldState(*map(int, before_engagement(params, start)))
        limits = self._limits(len(rows) - 1, len(rest.units) - 1, DEFENDER_ASKED if self.decided else OVER)
        # Destroyed units may count in an objective; then they are part of the state.
        counters = () if self.decided else ("destroyed",)
        return Chain(params, start, limits, book.close(), counters=counters, tell=tell, may_be_over=True)

    def _limits(self, front: int, resting: int, phase: int) -> FieldState:
        """The largest value of each field of a state."""
        own, enemy = self.sides
        destroyed = sum(digit.stride * digit.units for side in self.sides for digit in side.digits)
        if own.by != "all":
            destroyed += max(own.catch, enemy.catch) * max(own.hunters, enemy.hunters)
        sides = (front, resting, resting, enemy.hunters), (front, resting, resting, own.hunters)
        return FieldState(*sides[0], *sides[1], destroyed, phase)

    def _resting(self, rested: list[dict[tuple[int, int], int]]) -> tuple[Rest, list[int]]:
        """The resting units of both halves of both sides, and the number of each half when none rests."""
        positions = 1 + max(len(side.rest_positions) for side in self.sides)
        # Row 0: a side that has left the field.
        none = Rest(np.zeros((1, positions), np.int64), *(np.zeros(1, np.int64) for _ in range(5)))
        parts, firsts = [none], []
        for side, fronts in zip(self.sides, rested, strict=True):
            for half in side.halves():
                firsts.append(sum(len(part.units) for part in parts))
                parts.append(resting_units(side, half, fronts, positions, firsts[-1]))
        return Rest(*(np.concatenate(rows) for rows in zip(*parts, strict=True))), firsts

    def _tables(self, book: TableBook, rows: int) -> tuple[np.ndarray, np.ndarray]:
        """The card of each front, and the chance table by card of the attacker and card of the defender."""
        numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        cards: tuple[list[FieldCard], list[FieldCard]] = ([], [])
        card_of_front = np.zeros(rows, np.int64)
        for front in range(1, len(self.numbered[0])):
            card = self.card_at(front)
            key, known = (_fighting_values(card.unit), card.hits, card.rested), numbers[card.side]
            if key not in known:
                known[key] = len(known)
                cards[card.side].append(card)
            card_of_front[front] = known[key]
        pairs = [[book.add(self.table(own, enemy)) for enemy in cards[1]] for own in cards[0]]
        return card_of_front, np.array(pairs, np.int64)

    def _chase(self, book: TableBook) -> np.ndarray:
        """The table of the pursuit by number of d6 (section 3.4, step 5)."""
        catching = 7 - self.fields.options.pursuit_number if self.fields.battle == "tactical" else 0
        most = max(side.hunters for side in self.sides)
        return np.array([NO_TABLE] + [book.add(weights.hits(dice, catching, 6)) for dice in range(1, most + 1)])
