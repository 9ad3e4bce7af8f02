"""From a battle unit against unit to its chain: both armies numbered, and a chance table for each engagement."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import NO_TABLE, Row, TableBook
from simulator.rules.birthright.engagement import FALLEN_BACK, ROUTED, Attacks, Engagement
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.places import Front, Host, Rest, fronts_of, nobody_rests, resting_units
from simulator.rules.birthright.rules import OVER, FieldParams, FieldState, settle
from simulator.rules.birthright.units import Unit, army, in_order
from simulator.rules.toolkit import retreat, weights
from simulator.rules.toolkit.naming import SIDES

MOST_UNITS = 12
CHARGING_GROUND = {"plains", "hills"}
DEPLOY: dict[str, Callable[[Unit], int] | None] = {
    "as-listed": None,
    "strongest-first": lambda unit: -unit.strength,
    "weakest-first": lambda unit: unit.strength,
    "missile-first": lambda unit: -(unit.missile[0] if unit.missile else 0),
}
BY_FRONT = ("size", "horse", "wounds", "unhurt", "next_fresh", "lying", "falls")
NOBODY_YET = FieldState(*[0] * len(FieldState._fields))


def edges(fields: Fight) -> tuple[int, int]:
    """Command edges of both sides (section 3.2, step 1)."""
    ahead = fields.attacker.warcraft - fields.defender.warcraft
    edge = min(fields.options.warcraft_max, abs(ahead) // fields.options.warcraft_step)
    return (edge, 0) if ahead > 0 else (0, edge)


def cover(fields: Fight) -> int:
    """What the position or the walls add to the defence of defending units."""
    if fields.battle == "tactical":
        return fields.conditions.defender_position
    return next(row[1] for row in fields.options.fort_defence if row[0] == fields.conditions.fortification)


def hosts(fields: Fight, apart: int | None = None) -> tuple[Host, Host]:
    """Both sides in order of battle. The fallen are told apart by side, or by entries of the one side `apart`."""
    found, falls = [], 1
    for side, name in enumerate(SIDES):
        policy = getattr(fields.policy, name)
        entries = in_order(army(getattr(fields, name).units, f"{name}.units", MOST_UNITS), DEPLOY[policy.deploy])
        units = sum(entry.count for entry in entries)
        leave = {
            "never": retreat.never(),
            "half": retreat.half_of(units),
            "outmatched": retreat.outnumbered(Fraction(1, 2)),
        }[policy.retreat]
        pursues = fields.battle == "tactical" and fields.options.pursuit == "cavalry"
        if apart is None:
            share, falls = [falls] * (len(entries) + 1), falls * (units + 1)
        elif apart == side:
            share = list(accumulate((entry.count + 1 for entry in entries), operator.mul, initial=1))
        else:
            share = [0] * (len(entries) + 1)
        found.append(Host(side, entries, leave, pursues, share))
    return found[0], found[1]


def _fights_as(unit: Unit) -> tuple[Hashable, ...]:
    """What engagements read of a card: units alike in this fight alike."""
    return unit.defence, unit.morale, unit.hits, unit.melee, unit.charge, unit.missile, unit.kind == "pikemen"


class Card(NamedTuple):
    """A unit at the front: its hits, and whether it has rested."""

    unit: Unit
    hits: int
    rested: bool

    def fate(self, end: int) -> int:
        """What an end of an engagement means for it: who has rested and falls back again, routs."""
        return ROUTED if self.rested and FALLEN_BACK <= end < ROUTED else end


def routs_again(chances: np.ndarray) -> np.ndarray:
    """Chances of ends (of the first unit by row) where that unit has rested: falling back again is a rout."""
    changed = chances.copy()
    changed[ROUTED] += changed[FALLEN_BACK:ROUTED].sum(0)
    changed[FALLEN_BACK:ROUTED] = 0.0
    return changed


@dataclass(frozen=True)
class Setup:
    """A scenario with both armies in order of battle."""

    fields: Fight
    hosts: tuple[Host, Host]

    @cached_property
    def _engagements(self) -> dict[Hashable, Engagement]:
        return {}

    def engagement(self, own: Unit, enemy: Unit) -> Engagement:
        """The engagement of these two cards, one and the same for all that fight alike."""
        key = _fights_as(own), _fights_as(enemy)
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
    def _numbered(self) -> tuple[list[Front], tuple[int, int], list[dict[tuple[int, int], int]]]:
        """All fronts (row 0 is nobody), the first of each side, and those of rested units."""
        fronts, firsts, rested = [Front()], [], []
        for side in self.hosts:
            firsts.append(len(fronts))
            rows, up = fronts_of(side, len(fronts))
            fronts += rows
            rested.append(up)
        return fronts, (firsts[0], firsts[1]), rested

    def card_at(self, front: int) -> Card:
        """Who stands at a front."""
        side, entry, hits, rested = self._numbered[0][front].who
        return Card(self.hosts[side].entries[entry].unit, hits, rested)

    def table(self, own: Card, enemy: Card) -> Row:
        """The chance table of an engagement: 16 x the attacker's end + the defender's."""
        chances = self.engagement(own.unit, enemy.unit).table((own.hits, enemy.hits))
        if own.rested:
            chances = routs_again(chances)
        if enemy.rested:
            chances = routs_again(chances.T).T
        flat = chances.reshape(-1)
        results = np.flatnonzero(flat)
        return results, flat[results] / flat.sum()

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of engagements."""
        book = TableBook()
        fronts, firsts, rested = self._numbered
        most_units = max(len(side.units) for side in self.hosts)
        most_hits = max(sum(unit.hits for _, unit in side.units) for side in self.hosts)
        # After the battle only how many units stand, and their hits, is of interest.
        ended = [Front(size=n, wounds=hits) for n in range(most_units + 1) for hits in range(most_hits + 1)]
        rest, first_rest = self._resting(rested)
        card, engagements = self._tables(book)
        rows = [*fronts, *ended]
        catching = 7 - self.fields.options.pursuit_number if self.fields.battle == "tactical" else 0
        most_hunters = max(side.hunters for side in self.hosts)
        hunting = [NO_TABLE] + [book.add(weights.hits(dice, catching, 6)) for dice in range(1, most_hunters + 1)]
        params = FieldParams(
            **{name: np.array([getattr(row, name) for row in rows], np.int64) for name in BY_FRONT},
            **rest._asdict(),
            card=np.append(card, np.zeros(len(ended), np.int64)),
            engagements=engagements,
            ended=np.arange(len(fronts), len(rows)).reshape(most_units + 1, most_hits + 1),
            chase=np.array(hunting),
            attacker_caught=self.hosts[0].falls[-1],
            defender_caught=self.hosts[1].falls[-1],
            policies=int(any(side.leave != retreat.never() for side in self.hosts)),
            attacker_leaves=self.hosts[0].leave,
            defender_leaves=self.hosts[1].leave,
            attacker_most_prey=self.hosts[1].hunters,
            defender_most_prey=self.hosts[0].hunters,
        )
        start = NOBODY_YET._replace(
            attacker=firsts[0],
            attacker_near=first_rest[0],
            attacker_far=first_rest[1],
            defender=firsts[1],
            defender_near=first_rest[2],
            defender_far=first_rest[3],
        )
        start = FieldState(*(int(value) for value in settle(params, start)))
        limits = self._limits(len(rows), len(rest.resting))
        return Chain(params, start, limits, book.close(), counters=("fallen",), tell=tell, may_be_over=True)

    def _resting(self, rested: list[dict[tuple[int, int], int]]) -> tuple[Rest, list[int]]:
        """Both halves of both sides numbered through, and the number of each where nobody rests."""
        places = 1 + max(len(side.resting_places) for side in self.hosts)
        parts, firsts = [nobody_rests(places)], []
        for side, up in zip(self.hosts, rested, strict=True):
            for half in side.halves():
                firsts.append(sum(len(part.resting) for part in parts))
                parts.append(resting_units(side, half, up, places, firsts[-1]))
        return Rest(*(np.concatenate(rows) for rows in zip(*parts, strict=True))), firsts

    def _tables(self, book: TableBook) -> tuple[np.ndarray, np.ndarray]:
        """The card of each front, and the table of each card of the attacker against each of the defender."""
        fronts = self._numbered[0]
        numbers: tuple[dict[Hashable, int], dict[Hashable, int]] = ({}, {})
        cards: tuple[list[Card], list[Card]] = ([], [])
        card = [0]
        for front in range(1, len(fronts)):
            side, held = fronts[front].who[0], self.card_at(front)
            key = (_fights_as(held.unit), held.hits, held.rested)
            if key not in numbers[side]:
                numbers[side][key] = len(cards[side])
                cards[side].append(held)
            card.append(numbers[side][key])
        pairs = [[book.add(self.table(own, enemy)) for enemy in cards[1]] for own in cards[0]]
        return np.array(card, np.int64), np.array(pairs, np.int64)

    def _limits(self, fronts: int, rests: int) -> FieldState:
        own, enemy = self.hosts
        return NOBODY_YET._replace(
            attacker=fronts - 1,
            attacker_near=rests - 1,
            attacker_far=rests - 1,
            attacker_prey=enemy.hunters,
            defender=fronts - 1,
            defender_near=rests - 1,
            defender_far=rests - 1,
            defender_prey=own.hunters,
            fallen=sum(side.falls[-1] * len(side.units) for side in self.hosts),
            stage=OVER,
        )


def set_up(fields: Fight, apart: int | None = None) -> Setup:
    """Everything about a scenario before its chain; `apart` as in `hosts`."""
    return Setup(fields, hosts(fields, apart))
