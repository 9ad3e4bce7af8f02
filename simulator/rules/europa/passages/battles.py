"""Battles of a passage: one fight for fleets of many sizes (docs/rules/europa_naval_and_other.md section 14).

A passing fleet may come to a battle with some seventy remainders, and scenarios that differ in one field fight most of
these battles again. Whatever several of them have in common is computed once: the duels of a fight (sea/fight.py) by
their modifiers, its fates by the losses that wipe a side out, and what losses and storms leave of a fleet.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.europa.passages.fates import ENEMY, OWN, Bouts, Fate, bouts_of, fates_of, limits_of
from simulator.rules.europa.sea.fight import FightKey, fight_of
from simulator.rules.europa.sea.losses import NO_SHIP, Fight, Force, Losses, all_whole, captured, remaining, wiped
from simulator.rules.europa.sea.squadrons import Engagement
from simulator.rules.europa.shared.fleets import Afloat, Cargo, Fleet, Hold, after_attrition
from simulator.rules.europa.shared.leaders import UNHARMED, Leader, Trial, fates
from simulator.rules.europa.tables import Book

# Fleets that are numbered before the numbers begin anew.
MOST_FLEETS = 1 << 14
Sparse = tuple[np.ndarray, np.ndarray]


class BattleResult(NamedTuple):
    """The result of a battle for the passing fleet: its ships, prizes included, and whether its commander is lost."""

    won: bool
    fleet: Fleet
    cargo: Cargo
    lost_commander: bool = False


class Remains:
    """Fleets by number, and what is left of them after losses and storms."""

    def __init__(self, book: Book, order: tuple[str, ...], hold: Hold) -> None:
        self.book, self.order, self.hold = book, order, hold
        self.fleets: dict[int, Afloat] = {}
        self._numbers: dict[Afloat, int] = {}
        self._next = count()
        self.storm, self.after = (
            lru_cache(maxsize=MOST_FLEETS)(self._storm),
            lru_cache(maxsize=MOST_FLEETS)(self._after),
        )

    def number(self, afloat: Afloat) -> int:
        """The number of a fleet; threads that give it at the same time agree."""
        if afloat not in self._numbers:
            fresh = next(self._next)
            self.fleets[fresh] = afloat
            self._numbers.setdefault(afloat, fresh)
        return self._numbers[afloat]

    def _storm(self, fleet: int, modifier: int) -> Sparse:
        """The numbers of the fleets that a storm leaves, with chances."""
        left = after_attrition(self.book, self.fleets[fleet], modifier, self.order, self.hold)
        chances = np.array([*left.values()], float)
        return np.array([self.number(afloat) for afloat in left]), chances / chances.sum()

    def _after(self, force: Force, kinds: tuple[str, ...], enemies: int, fate: Fate, prizes: Fleet) -> Sparse:
        """The number of the fleet with its prizes, and is none of its own ships left? By the thirds rolled."""
        whole, caught = all_whole(self.book, force, enemies, fate.routed), 0 if fate.won else fate.caught
        left, gone = dict[int, int](), dict[int, bool]()
        for losses in set(whole.tolist()):
            record = remaining(force, kinds, Fight(fate.won, fate.routed, caught, losses))
            left[losses] = self.number(Afloat(record.fleet.plus(prizes), record.cargo))
            gone[losses] = record.gone
        by_losses = (np.array([of[losses] for losses in whole.tolist()]) for of in (left, gone))
        return next(by_losses), next(by_losses)

    def after_storm(self, fleets: list[int], chances: list[float], modifier: int | None) -> Sparse:
        """The numbers of the fleets that a storm leaves of these, with chances; without a modifier there is none."""
        if modifier is None:
            return np.array(fleets), np.array(chances)
        left = [self.storm(fleet, modifier) for fleet in fleets]
        sizes = [len(numbers) for numbers, _ in left]
        numbers, shares = (np.concatenate(columns) for columns in zip(*left, strict=True))
        return numbers, shares * np.repeat(chances, sizes)


@lru_cache(maxsize=16)
def _remains(book: Book, order: tuple[str, ...], hold: Hold) -> Remains:
    return Remains(book, order, hold)


def remains_of(book: Book, order: tuple[str, ...], hold: Hold) -> Remains:
    """The fleets of a side that loses its ships in this order; numbered anew once there are very many."""
    found = _remains(book, order, hold)
    if len(found.fleets) > MOST_FLEETS:
        _remains.cache_clear()
        found = _remains(book, order, hold)
    return found


# --- battles ---------------------------------------------------------------------------------------------------------


class Side(NamedTuple):
    """A side as far as its losses depend on it: its force, the order of its captures, and its size for the enemy's."""

    force: Force
    kinds: tuple[str, ...]
    size: int


class Settled(NamedTuple):
    """All that a battle depends on beside its fight: its sides, the readings, commanders that stay unharmed.

    `later`: a modifier of the retreat of those who are routed; `unharmed`: the chances with ships left, and without.
    """

    sides: tuple[Side, Side]
    routs: bool
    later: int
    unharmed: tuple[float, float]


class Meeting:
    """The battles of all remainders of one fleet against the same enemy."""

    def __init__(self, engagement: Engagement) -> None:
        self.engagement = engagement
        self.results = lru_cache(maxsize=512)(self._results)
        self._bouts: dict[Any, Bouts] = {}

    def _results(self, afloat: Afloat) -> Results:
        """The results for these ships and their cargo."""
        own = replace(self.engagement.squadrons[OWN], fleet=afloat.fleet, cargo=afloat.cargo)
        engagement = replace(self.engagement, squadrons=(own, self.engagement.squadrons[ENEMY]))
        # Nothing else of the ships bears on the fight.
        ships = own.line, own.n, min(2, own.fleet.galleasses)
        if ships not in self._bouts:
            self._bouts[ships] = bouts_of(fight_of(engagement))
        losses, options = Losses(engagement), engagement.options
        first, second = (Side(*of) for of in zip(losses.forces, losses.kinds, losses.sizes, strict=True))
        unharmed = safe(own.leader, False), safe(own.leader, True)
        later = 2 * options.rout_attrition_plus_two
        return _fought(self._bouts[ships], Settled((first, second), options.destruction_is_rout, later, unharmed))


@lru_cache(maxsize=64)
def meeting_of(key: FightKey) -> Meeting:
    """The battles of an engagement, kept by the numbers that they depend on."""
    return Meeting(key.engagement)


def results(engagement: Engagement) -> dict[BattleResult, float]:
    """The results of the battle for the attacker, with chances; not to be changed."""
    own = engagement.squadrons[OWN]
    return Meeting(engagement).results(Afloat(own.fleet, own.cargo)).chances(own.retreat_drm)


class Results:
    """The results of a battle for the attacker, with chances."""

    def __init__(self, bouts: Bouts, battle: Settled) -> None:
        self.battle, (own, enemy), book = battle, battle.sides, bouts.book
        self.remains = remains_of(book, own.force.order, own.force.hold)
        lost, small = wiped(book, own.force.fleet.thirds, enemy.size)
        sunk, weak = wiped(book, enemy.force.fleet.thirds, own.size)
        limits = limits_of(book, enemy.force.fleet.thirds)
        self.fates = fates_of(bouts, lost, limits, sunk, (small, weak), battle.routs)

    def _left(self, fate: Fate, prizes: Fleet) -> Sparse:
        own, enemy = self.battle.sides
        return self.remains.after(own.force, own.kinds, enemy.size, fate._replace(manoeuvre=0), prizes)

    @cached_property
    def _victories(self) -> list[tuple[Afloat, int, float]]:
        """The remains of a victor with prizes; 1 if none of his own ships is left; the chance."""
        enemy, parts = self.battle.sides[ENEMY], list[Sparse]()
        for fate, chances in self.fates.won.items():
            numbers, gone = self._left(fate, captured(enemy.force, enemy.kinds, fate.caught)[2])
            parts.append((2 * numbers + gone, chances))
        return [(self.remains.fleets[code // 2], code % 2, p) for code, p in zip(*_summed(parts), strict=True)]

    @cached_property
    def troops(self) -> dict[int, float]:
        """The troops of a victor (thirds), with chances."""
        found = defaultdict[int, float](float)
        for (_, cargo), _, chance in self._victories:
            found[cargo.troops] += chance
        return found

    @cached_property
    def won(self) -> dict[BattleResult, float]:
        """The results of a victory."""
        found = dict[BattleResult, float]()
        for left, gone, chance in self._victories:
            safe = self.battle.unharmed[gone]
            for lost_commander, share in ((False, safe), (True, 1 - safe)):
                if share > 0:
                    found[BattleResult(True, *left, lost_commander)] = chance * share
        return found

    def chances(self, drm: int | None) -> dict[BattleResult, float]:
        """All results; `drm` is the modifier of the retreat's attrition but for MAN, None for no attrition."""
        beaten, found = defaultdict[int | None, list[Sparse]](list), dict(self.won)
        for fate, chances in self.fates.lost.items():
            more = self.battle.later if fate.routed else -fate.manoeuvre
            beaten[None if drm is None else drm + more].append((self._left(fate, NO_SHIP)[0], chances))
        parts = [self.remains.after_storm(*_summed(those), modifier) for modifier, those in beaten.items()]
        for number, chance in zip(*_summed(parts), strict=True):
            found[BattleResult(False, *self.remains.fleets[number])] = chance
        return found


# A passage fights some seventy battles; those with another number in one field fight most of them again.
@lru_cache(maxsize=1024)
def _fought(bouts: Bouts, battle: Settled) -> Results:
    return Results(bouts, battle)


def _summed(parts: list[Sparse]) -> tuple[list[int], list[float]]:
    """Numbers of several parts that have a chance, each once."""
    if not parts:
        return [], []
    numbers, chances = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    able = chances > 0
    each, place = np.unique(numbers[able], return_inverse=True)
    return each.tolist(), np.bincount(place, chances[able], len(each)).tolist()


def safe(leader: Leader, gone: bool) -> float:
    """The chance that a winner's commander, with no ship left or some, is neither killed nor wounded (section 12)."""
    ends = fates(leader, Trial(True, gone, leader.fragile))
    return float(ends[UNHARMED] / ends.total()) if leader.given else 1.0
