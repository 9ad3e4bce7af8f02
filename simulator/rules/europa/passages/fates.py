"""The fates of battles of a passage, by the losses of its fleet (docs/rules/europa_naval_and_other.md section 14).

Fleets with the same modifiers, columns and morale share one fight (sea/fight.py), and fights share the duels of their
groups.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.kept import Recent
from simulator.rules.battle import ATTACKER
from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.fight import TOGETHER, FightKey, chances_of_ends, ends_of, padded
from simulator.rules.europa.sea.losses import NEVER_LOST, NEVER_PURSUED, STEPS, wiped
from simulator.rules.europa.sea.tables import ROLLED, Duel, NavalSetup, Plan, Pursuit, chased
from simulator.rules.europa.tables import Book

OWN, ENEMY = 0, 1
# Bytes of the ends of duels that are kept.
MOST_BYTES = 20_000_000


class Bout(NamedTuple):
    """A group of a fight, for the passing fleet: its duel, its manoeuvre in a retreat, the pursuits of both sides."""

    duel: Duel
    manoeuvre: int
    pursuits: tuple[Pursuit, Pursuit]


@dataclass(frozen=True, eq=False)
class Bouts:
    """All groups of a fight, with weights."""

    book: Book
    weights: dict[Bout, int]


class Fate(NamedTuple):
    """An end of a battle but for the losses: who has won, stars of the pursuit; is the own side routed?"""

    won: bool
    routed: bool
    caught: int
    manoeuvre: int


@lru_cache(maxsize=1024)
def bouts_of(fight: FightKey) -> Bouts:
    """The groups of a fight; fights with the same numbers have the same object."""
    setup, found = NavalSetup(fight.engagement), defaultdict[Bout, int](int)
    for place, pairs in enumerate(setup.groups.values()):
        pursuits = setup.pursuit(place, OWN), setup.pursuit(place, ENEMY)
        found[Bout(setup.duel(place), setup.man(place, OWN), pursuits)] += pairs.total()
    return _same_bouts(fight.engagement.book, tuple(found.items()))


@lru_cache(maxsize=1024)
def _same_bouts(book: Book, found: tuple[tuple[Bout, int], ...]) -> Bouts:
    return Bouts(book, dict(found))


# The chances of a duel's ends by the limits of the enemy's losses that are reached, see `chances_of_ends`.
_duels: Recent[np.ndarray] = Recent(MOST_BYTES, lambda chances: int(chances.nbytes))


def _ends(duels: list[Duel], limits: tuple[int, ...], sunk: int) -> np.ndarray:
    """The chances of the ends of duels: float64 [duel, end, is the enemy wiped out by `sunk` thirds?, own losses]."""
    plans, found = defaultdict[Plan, list[Duel]](list), dict[Duel, np.ndarray]()
    for duel in duels:
        if (known := _duels.get((duel, limits))) is None:
            plans[duel.plan].append(duel)
        else:
            found[duel] = known
    for fresh in plans.values():
        for first in range(0, len(fresh), TOGETHER):
            part = fresh[first : first + TOGETHER]
            for duel, chances in zip(part, chances_of_ends(part, limits), strict=True):
                found[duel] = _duels.keep((duel, limits), chances.copy())
    reached = np.arange(len(limits) + 1) > bisect_left(limits, sunk)
    whole: np.ndarray = np.array([~reached, reached], float) @ padded([found[duel] for duel in duels])
    return whole


class Sorted(NamedTuple):
    """The case of each end, 1.0 in float64 [case, 2 * end + 1 if the enemy is wiped out], by own losses.

    The cases: won, won but routed, not won with each morale left; each by the rolls before a pursuit, 0 for none.
    """

    few: np.ndarray
    enough: np.ndarray


@lru_cache(maxsize=256)
def _sorted(plan: Plan, small: tuple[bool, bool], routs: bool) -> Sorted:
    """The cases of the ends of a plan; `small` sides are wiped out whenever they are routed."""
    ends = ends_of(plan)[0]
    found = np.zeros((2, (3 + plan.morale[OWN]) * ROLLED, len(ends), 2))
    for place, end in enumerate(ends):
        own, enemy = (small[side] and end.morale[side] == 0 for side in (OWN, ENEMY))
        for lost in (False, True):
            for sinks in (False, True):
                both = lost or own, sinks or enemy
                winner, pursues, (routed, _) = rules.settled(end.verdict, end.left, end.morale, both, routs)
                kind = int(routed) if winner == ATTACKER else 2 + (0 if routed else end.morale[OWN])
                found[int(lost), kind * ROLLED + end.rolls * pursues, place, int(sinks)] = 1
    return Sorted(*found.reshape(2, found.shape[1], -1))


@lru_cache(maxsize=1024)
def fates_of(
    bouts: Bouts, lost: int, limits: tuple[int, ...], sunk: int, small: tuple[bool, bool], routs: bool
) -> Fates:
    """The fates of a battle whose fleets are wiped out from these losses on, `small` ones whenever they are routed."""
    plans, found = defaultdict[Plan, dict[Bout, int]](dict), list[tuple[list[Any], np.ndarray]]()
    for bout, weight in bouts.weights.items():
        plans[bout.duel.plan][bout] = weight
    for plan, those in plans.items():
        duels = list(dict.fromkeys(bout.duel for bout in those))
        ends, groups = _ends(duels, limits, sunk), defaultdict[Any, dict[int, float]](lambda: defaultdict(float))
        for bout, weight in those.items():
            groups[bout.pursuits, bout.manoeuvre][duels.index(bout.duel)] += weight / sum(bouts.weights.values())
        weights = np.array([[group.get(place, 0.0) for place in range(len(duels))] for group in groups.values()])
        each = (weights @ ends.reshape(len(duels), -1)).reshape(len(groups), -1, ends.shape[3])
        by_case = _sorted(plan, small, routs)
        cases = np.concatenate([by_case.few @ each[..., :lost], by_case.enough @ each[..., lost:]], axis=2)
        found.append((list(groups), cases.reshape(len(groups), -1, ROLLED, ends.shape[3])))
    return Fates(bouts.book, found)


@dataclass(eq=False)
class Fates:
    """The chances of the own losses, pursuit included, float64 [thirds], by fate.

    `cases`: pursuits and manoeuvre of groups of a fight, and their cases, float64 [group, case, rolls, own losses].
    """

    book: Book
    cases: list[tuple[list[Any], np.ndarray]]

    @cached_property
    def won(self) -> dict[Fate, np.ndarray]:
        """Those of a victory."""
        found: dict[Fate, np.ndarray] = {}
        for groups, cases in self.cases:
            pursuits = self._pursuits(groups, OWN)
            for stars in range(pursuits.shape[2]):
                for routed in (0, 1):
                    chances = np.einsum("gr,grl->l", pursuits[:, :, stars].sum(axis=2), cases[:, routed])
                    _add(found, Fate(True, bool(routed), stars, 0), 0, chances)
        return found

    @cached_property
    def lost(self) -> dict[Fate, np.ndarray]:
        """All others; stars of the pursuit may still rout a fleet."""
        found: dict[Fate, np.ndarray] = {}
        for groups, cases in self.cases:
            pursuits, beaten = self._pursuits(groups, ENEMY), cases[:, 2:]
            for stars, more in np.ndindex(pursuits.shape[2:]):
                for routed, part in ((False, beaten[:, stars + 1 :]), (True, beaten[:, : stars + 1])):
                    each = np.einsum("gr,gmrl->gl", pursuits[:, :, stars, more], part)
                    for (_, manoeuvre), chances in zip(groups, each, strict=True):
                        _add(found, Fate(False, routed, stars, manoeuvre), more, chances)
        return found

    def _pursuits(self, groups: list[Any], side: int) -> np.ndarray:
        return padded([chased(self.book, pursuits[side]) for pursuits, _ in groups])


def _add(found: dict[Fate, np.ndarray], fate: Fate, more: int, chances: np.ndarray) -> None:
    """Add chances of losses, to which the pursuit adds these thirds."""
    if chances.any():
        found.setdefault(fate, np.zeros(NEVER_PURSUED))[more : more + len(chances)] += chances


@lru_cache(maxsize=256)
def limits_of(book: Book, thirds: int) -> tuple[int, ...]:
    """The losses that wipe out a fleet of this size, against all sizes of its enemy that differ in them."""
    return tuple(sorted({wiped(book, thirds, enemies)[0] for enemies in range(STEPS[0][0] + 1)} - {NEVER_LOST}))
