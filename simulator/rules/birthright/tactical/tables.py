"""From a battle unit against unit to its chain: the positions of both sides, and a chance table for each engagement."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, Row, TableBook
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.tactical.engagement import FALLEN_BACK, ROUTED, Attacks, Engagement
from simulator.rules.birthright.tactical.positions import Front, Rest, Side, fronts_of, none_resting, resting_units
from simulator.rules.birthright.tactical.rules import OVER, FieldParams, FieldState, end_if_over
from simulator.rules.birthright.units import Unit, army, in_order, retreat_policy
from simulator.rules.toolkit import retreat, weights
from simulator.rules.toolkit.naming import SIDES

MOST_UNITS = 12
CHARGING_GROUND = {"plains", "hills"}
DEPLOY: dict[str, Callable[[Unit], int]] = {
    "as-listed": lambda unit: 0,
    "strongest-first": lambda unit: -unit.strength,
    "weakest-first": lambda unit: unit.strength,
    "missile-first": lambda unit: -(unit.missile[0] if unit.missile else 0),
}


def edges(fields: Fight) -> tuple[int, int]:
    """Command edges of both sides (section 3.2, step 1)."""
    ahead = fields.attacker.warcraft - fields.defender.warcraft
    edge = min(fields.options.warcraft_max, abs(ahead) // fields.options.warcraft_step)
    return (edge, 0) if ahead > 0 else (0, edge)


def cover(fields: Fight) -> int:
    """Cover of defending units: the position, or the walls (section 3.2, step 2)."""
    if fields.battle == "tactical":
        return fields.conditions.defender_position
    return next(row[1] for row in fields.options.fort_defence if row[0] == fields.conditions.fortification)


def sides_of(fields: Fight, by_entry: int | None = None) -> tuple[Side, Side]:
    """Both sides in order of battle. Destroyed units are counted by side, or by entry of the one side `by_entry`."""
    sides, radix = [], 1
    for number, name in enumerate(SIDES):
        policy = getattr(fields.policy, name)
        entries = in_order(army(getattr(fields, name).units, f"{name}.units", MOST_UNITS), DEPLOY[policy.deploy])
        units = sum(entry.count for entry in entries)
        pursues = fields.battle == "tactical" and fields.options.pursuit == "cavalry"
        if by_entry is None:
            share, radix = [radix] * (len(entries) + 1), radix * (units + 1)
        elif by_entry == number:
            share = list(accumulate((entry.count + 1 for entry in entries), operator.mul, initial=1))
        else:
            share = [0] * (len(entries) + 1)
        sides.append(Side(number, entries, retreat_policy(policy.retreat, units), pursues, share))
    return sides[0], sides[1]


def _fighting_values(unit: Unit) -> tuple[Hashable, ...]:
    """The values of a card that an engagement reads: cards that agree in them share their tables."""
    return unit.defence, unit.morale, unit.hits, unit.melee, unit.charge, unit.missile, unit.kind == "pikemen"


class Card(NamedTuple):
    """A unit at the front, its hits, and whether it has rested."""

    unit: Unit
    hits: int
    rested: bool

    def fate(self, end: int) -> int:
        """The end of an engagement for this unit: a rested unit that falls back routs (section 3.4, step 4)."""
        return ROUTED if self.rested and FALLEN_BACK <= end < ROUTED else end


def rout_if_back(chances: np.ndarray) -> np.ndarray:
    """Chances of ends (rows: the first unit's) where the first unit has rested: falling back is a rout."""
    changed = chances.copy()
    changed[ROUTED] += changed[FALLEN_BACK:ROUTED].sum(0)
    changed[FALLEN_BACK:ROUTED] = 0.0
    return changed


@dataclass(frozen=True)
class Setup:
    """A scenario with both armies in order of battle."""

    fields: Fight
    sides: tuple[Side, Side]

    @cached_property
    def _engagements(self) -> dict[Hashable, Engagement]:
        return {}

    def engagement(self, own: Unit, enemy: Unit) -> Engagement:
        """The engagement of two cards, the same object for all cards with the same fighting values."""
        key = _fighting_values(own), _fighting_values(enemy)
        if key not in self._engagements:
            options, tactical = self.fields.options, self.fields.battle == "tactical"
            self._engagements[key] = Engagement(
                (own, enemy),
                Attacks(options.ten, options.morale_die, options.rally),
                options.missile_rounds,
                tactical and self.fields.conditions.terrain in CHARGING_GROUND,
                edges(self.fields),
                cover(self.fields),
            )
        return self._engagements[key]

    @cached_property
    def _numbered(self) -> tuple[list[Front], list[int], list[dict[tuple[int, int], int]]]:
        """All fronts (row 0 is nobody), the first front of each side, and the fronts of its rested units."""
        fronts, firsts, rested = [Front()], [], []
        for side in self.sides:
            firsts.append(len(fronts))
            rows, rested_fronts = fronts_of(side, len(fronts))
            fronts += rows
            rested.append(rested_fronts)
        return fronts, firsts, rested

    def card_at(self, front: int) -> Card:
        """The unit at a front."""
        side, entry, hits, rested = self._numbered[0][front].card
        return Card(self.sides[side].entries[entry].unit, hits, rested)

    def table(self, own: Card, enemy: Card) -> Row:
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
        fronts, firsts, rested = self._numbered
        most_units = max(len(side.units) for side in self.sides)
        most_hits = max(sum(unit.hits for _, unit in side.units) for side in self.sides)
        # After the battle only the number of units on the field and their hits matter.
        ended = [Front(units=n, hits=hits) for n in range(most_units + 1) for hits in range(most_hits + 1)]
        rest, (own1, own2, enemy1, enemy2) = self._resting(rested)
        card, engagements = self._tables(book)
        rows = [*fronts, *ended]
        params = FieldParams(
            **{name: np.array([getattr(row, name) for row in rows], np.int64) for name in Front._fields[1:]},
            **rest._asdict(),
            card=np.append(card, np.zeros(len(ended), np.int64)),
            engagements=engagements,
            ended=np.arange(len(fronts), len(rows)).reshape(most_units + 1, most_hits + 1),
            chase=self._chase(book),
            attacker_caught=own.weights[-1],
            defender_caught=enemy.weights[-1],
            policies=int(any(side.leave != retreat.never() for side in self.sides)),
            attacker_leaves=own.leave,
            defender_leaves=enemy.leave,
            attacker_most_prey=enemy.hunters,
            defender_most_prey=own.hunters,
        )
        start = FieldState(firsts[0], own1, own2, 0, firsts[1], enemy1, enemy2, 0, 0, 0)
        start = FieldState(*map(int, end_if_over(params, start)))
        front, resting = len(rows) - 1, len(rest.resting) - 1
        destroyed = sum(side.weights[-1] * len(side.units) for side in self.sides)
        sides = (front, resting, resting, enemy.hunters), (front, resting, resting, own.hunters)
        limits = FieldState(*sides[0], *sides[1], destroyed, OVER)
        return Chain(params, start, limits, book.close(), counters=("destroyed",), tell=tell, may_be_over=True)

    def _resting(self, rested: list[dict[tuple[int, int], int]]) -> tuple[Rest, list[int]]:
        """The resting units of both halves of both sides, and the number of each half when none rests."""
        positions = 1 + max(len(side.rest_positions) for side in self.sides)
        parts, firsts = [none_resting(positions)], []
        for side, fronts in zip(self.sides, rested, strict=True):
            for half in side.halves():
                firsts.append(sum(len(part.resting) for part in parts))
                parts.append(resting_units(side, half, fronts, positions, firsts[-1]))
        return Rest(*(np.concatenate(rows) for rows in zip(*parts, strict=True))), firsts

    def _tables(self, book: TableBook) -> tuple[np.ndarray, np.ndarray]:
        """The card of each front, and the chance table by card of the attacker and card of the defender."""
        numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        cards: tuple[list[Card], list[Card]] = ([], [])
        card_of_front = [0]
        for front, row in enumerate(self._numbered[0][1:], 1):
            side, card = row.card[0], self.card_at(front)
            key = _fighting_values(card.unit), card.hits, card.rested
            if key not in numbers[side]:
                numbers[side][key] = len(cards[side])
                cards[side].append(card)
            card_of_front.append(numbers[side][key])
        pairs = [[book.add(self.table(own, enemy)) for enemy in cards[1]] for own in cards[0]]
        return np.array(card_of_front, np.int64), np.array(pairs, np.int64)

    def _chase(self, book: TableBook) -> np.ndarray:
        """The table of the pursuit by number of d6 (section 3.4, step 5)."""
        catching = 7 - self.fields.options.pursuit_number if self.fields.battle == "tactical" else 0
        most = max(side.hunters for side in self.sides)
        return np.array([NO_TABLE] + [book.add(weights.hits(dice, catching, 6)) for dice in range(1, most + 1)])


def set_up(fields: Fight, by_entry: int | None = None) -> Setup:
    """A scenario before its chain; `by_entry` as in `sides_of`."""
    return Setup(fields, sides_of(fields, by_entry))
