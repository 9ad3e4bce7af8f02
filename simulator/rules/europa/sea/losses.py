"""The losses of a side in a naval battle (docs/rules/europa_naval_and_other.md section 3, steps 9 to 12)."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from simulator.rules.europa.sea import rules
from simulator.rules.europa.sea.squadrons import GALLEYS, WARSHIPS, Engagement, Squadron
from simulator.rules.europa.shared.fleets import ND, Afloat, Cargo, Fleet, Hold, after_attrition, sink
from simulator.rules.europa.tables import Book

SMALL = 6
STEPS = ((19, 3), (13, 2), (7, 1))
SEIZED, SUNK, SEIZED_WITH_WARSHIP = 10, 5, 5
# Portions of a detachment after losses: of the winner, and of any other side.
DAMAGED, DESTROYED, REFITTED = range(3)
PORTIONS = {True: (DAMAGED, DESTROYED, REFITTED), False: (DAMAGED, DESTROYED, DAMAGED)}
NO_SHIP = Fleet()
# No fight inflicts as many thirds, and none does with its pursuit.
NEVER_LOST, NEVER_PURSUED = 4 * rules.LOSS_MASK + 1, 5 * rules.LOSS_MASK + 1
CAPTURES: dict[str, tuple[str, ...]] = {
    "warships-first": (WARSHIPS, GALLEYS, "transports"),
    "transports-first": ("transports", WARSHIPS, GALLEYS),
}


class Fight(NamedTuple):
    """The state of a side when the fight and the pursuit are over.

    `caught`: stars of the pursuit it suffered; `thirds`: losses inflicted on it, as the dice gave them.
    """

    won: bool
    routed: bool
    caught: int
    thirds: int


class Record(NamedTuple):
    """The remaining force of a side, and its losses by category (thirds)."""

    fleet: Fleet
    cargo: Cargo
    captured: Fleet
    seized: int
    losses: int
    damaged: int
    destroyed: int
    refitted: int
    routed: bool

    @property
    def gone(self) -> bool:
        """No ship of its own left."""
        return self.fleet.thirds == 0


@lru_cache(maxsize=1 << 14)
def modified(book: Book, thirds: int, nd: int, routed: bool) -> int:
    """Losses inflicted by a side of `nd` detachments (step 10)."""
    if nd < SMALL:
        thirds = max(0, thirds + book.column("naval_small_stack", "modifier_thirds")[nd])
    thirds = min(thirds, 2 * ND * nd or ND)
    if routed:
        thirds = max(thirds, ND)
    step = next((step for least, step in STEPS if nd >= least), 0)
    return book.modified_loss(step, thirds, "naval_size_loss")


@lru_cache(maxsize=1024)
def wiped(book: Book, thirds: int, enemies: int) -> tuple[int, bool]:
    """The thirds that wipe out a fleet of this size against so many detachments; is it whenever it is routed?"""
    lost = next((lost for lost in range(NEVER_LOST) if modified(book, lost, enemies, False) > thirds), NEVER_LOST)
    return lost, modified(book, 0, enemies, True) > thirds


class Force(NamedTuple):
    """A side as far as its losses depend on it: what is there, the first line, the order in which ships are lost."""

    fleet: Fleet
    cargo: Cargo
    line: str
    order: tuple[str, ...]
    hold: Hold


def force_of(own: Squadron) -> Force:
    """The force of a fleet about to fight."""
    return Force(own.fleet, own.cargo, own.line, own.order, own.hold)


def whole(thirds: int) -> int:
    """Rounded up to whole ships."""
    return -(-thirds // ND) * ND


def rounded(losses: int, own: Force) -> int:
    """Losses suffered: whole ships, but for those that a first line of warships bears (step 11)."""
    if own.line != WARSHIPS:
        return whole(losses)
    line = own.fleet.warships
    return line + whole(losses - line) if losses > line and own.fleet.thirds > line else losses


@lru_cache(maxsize=1 << 10)
def categories(losses: int, won: bool) -> tuple[int, int, int]:
    """(Damaged, Destroyed, Refitted) in thirds, dealt by portions of one detachment (step 11)."""
    rounds, rest = divmod(losses, 3 * ND)
    found = [ND * rounds * PORTIONS[won].count(category) for category in (DAMAGED, DESTROYED, REFITTED)]
    for turn, begun in enumerate(range(0, rest, ND)):
        found[PORTIONS[won][turn]] += min(ND, rest - begun)
    return found[DAMAGED], found[DESTROYED], found[REFITTED]


def _taken(fleet: Fleet, kind: str) -> Fleet:
    if kind == WARSHIPS:
        return Fleet(warships=min(ND, fleet.warships // ND * ND))
    if kind == GALLEYS:
        galleys = min(2, fleet.galleys)
        return Fleet(galleys=galleys, galleasses=min(2 - galleys, fleet.galleasses))
    return Fleet(transports=min(2, fleet.transports))


def plundered(cargo: Cargo, taken: Fleet, left: Fleet) -> tuple[Cargo, int]:
    """(cargo left, ducats seized) once ships are taken, transport after transport (step 9)."""
    lost = min(cargo.gold, (SEIZED + SUNK) * taken.transports)
    transports, rest = divmod(lost, SEIZED + SUNK)
    seized, gold = SEIZED * transports + min(rest, SEIZED), cargo.gold - lost
    if not left.transports:
        others = taken.detachments - taken.transports
        more = min(gold, SEIZED_WITH_WARSHIP * others)
        seized, gold = seized + more, gold - more
    return cargo._replace(gold=gold), seized


def withdrawn(fleet: Fleet, thirds: int, own: Force, routed: bool) -> Fleet:
    """The fleet without Damaged and Destroyed ships: front line first, then by the loss order (step 11)."""
    line = ("galleys", "galleasses") if own.line == GALLEYS else (own.line,)
    if own.line == GALLEYS and routed and fleet.galleasses and thirds >= ND:
        fleet, thirds = fleet._replace(galleasses=fleet.galleasses - 1), thirds - ND
    return sink(fleet, thirds, (*line, *(kind for kind in own.order if kind not in line)), storm=False)


# The battles of passages leave the same few fleets in many ways, and so do scenarios that differ in one number.
@lru_cache(maxsize=1 << 15)
def remaining(own: Force, kinds: tuple[str, ...], fight: Fight) -> Record:
    """The record of a side whose losses are modified and rounded already: `fight.thirds`.

    `kinds`: the order in which the enemy captures ships.
    """
    losses = fight.thirds
    damaged, destroyed, refitted = categories(losses, fight.won)
    fleet, cargo, taken, seized = captured(own, kinds, fight.caught)
    spared = ND * taken.detachments
    destroyed -= min(destroyed, max(0, spared - damaged))
    damaged -= min(damaged, spared)
    destroyed = min(destroyed, fleet.thirds)
    damaged = min(damaged, fleet.thirds - destroyed)
    refitted = min(refitted, fleet.thirds - destroyed - damaged)
    left = withdrawn(fleet, damaged + destroyed, own, fight.routed)
    cargo = own.hold.fitted(cargo, left.half_points) if cargo else cargo
    return Record(left, cargo, taken, seized, losses, damaged, destroyed, refitted, fight.routed)


@lru_cache(maxsize=1 << 12)
def captured(own: Force, kinds: tuple[str, ...], stars: int) -> tuple[Fleet, Cargo, Fleet, int]:
    """The fleet and cargo that stars of a pursuit leave of a side, the ships taken, ducats seized (step 9)."""
    left = own.fleet
    for _ in range(stars):
        left = left.less(next((taken for kind in kinds if (taken := _taken(left, kind)).thirds), NO_SHIP))
    taken = own.fleet.less(left)
    if not taken.thirds:
        return left, own.cargo, taken, 0
    troops = own.hold.fitting(own.cargo.troops, own.hold.half_points(own.cargo.troops) - taken.half_points)
    cargo, seized = plundered(own.cargo._replace(troops=troops), taken, left)
    return left, cargo, taken, seized


@lru_cache(maxsize=1 << 12)
def all_whole(book: Book, own: Force, nd: int, routed: bool) -> np.ndarray:
    """Losses in whole ships that a side of `nd` detachments inflicts, int64 [thirds that are rolled]."""
    found = [rounded(modified(book, thirds, nd, routed), own) for thirds in range(NEVER_PURSUED)]
    return np.array(found, np.int64)


class Losses:
    """The losses of both sides of an engagement, and what they leave."""

    def __init__(self, engagement: Engagement) -> None:
        self.engagement = engagement
        self.sizes = [self.size(side) for side in (0, 1)]
        self.forces = [force_of(squadron) for squadron in engagement.squadrons]
        self.kinds = [self._kinds(side) for side in (0, 1)]
        self.after_storm = lru_cache(maxsize=None)(self._after_storm)

    def _kinds(self, side: int) -> tuple[str, ...]:
        """The order in which a side's ships are captured."""
        policy = self.engagement.squadrons[1 - side].policy
        auto = "transports-first" if self.engagement.squadrons[side].cargo else "warships-first"
        return CAPTURES[auto if policy.capture == "auto" else policy.capture]

    def size(self, side: int) -> int:
        """ND that make a side's size in the loss modification."""
        own = self.engagement.squadrons[side]
        return own.fleet.detachments if self.engagement.options.size_counts == "all" else own.n

    def modified(self, side: int, thirds: int, routed: bool) -> int:
        """Losses that a side suffers, by the thirds rolled."""
        return modified(self.engagement.book, thirds, self.sizes[1 - side], routed)

    def wiped(self, side: int, thirds: int, routed: bool) -> bool:
        """Do the modified losses of a side exceed its size? (step 8; 1 or 2 thirds are too few for a routed one)"""
        return self.modified(side, thirds, routed) > self.engagement.squadrons[side].fleet.thirds

    def whole(self, side: int, thirds: int, routed: bool) -> int:
        """Losses that a side suffers in whole ships (steps 10 and 11), by the thirds rolled."""
        return rounded(self.modified(side, thirds, routed), self.forces[side])

    def all_whole(self, side: int, routed: bool) -> np.ndarray:
        """Losses that a side suffers in whole ships, int64 [thirds that are rolled]."""
        return all_whole(self.engagement.book, self.forces[side], self.sizes[1 - side], routed)

    def record(self, side: int, fight: Fight) -> Record:
        """The force of a side after a fight."""
        return self.left_with(side, fight._replace(thirds=self.whole(side, fight.thirds, fight.routed)))

    def left_with(self, side: int, fight: Fight) -> Record:
        """The record of a side whose losses are modified and rounded already: `fight.thirds`."""
        return remaining(self.forces[side], self.kinds[side], fight)

    def caught(self, side: int, stars: int) -> tuple[Fleet, Cargo, Fleet, int]:
        """The fleet and cargo that stars of a pursuit leave of a side, the ships taken, ducats seized."""
        return captured(self.forces[side], self.kinds[side], stars)

    def storm_modifier(self, side: int, routed: bool, manoeuvre: int) -> int:
        """Modifier of a side's retreat attrition."""
        drm = self.engagement.squadrons[side].retreat_drm or 0
        return drm + 2 * self.engagement.options.rout_attrition_plus_two if routed else drm - manoeuvre

    def _after_storm(self, side: int, record: Record, modifier: int) -> Counter[Record]:
        """A side's records after its retreat attrition, with weights."""
        own, found = self.engagement.squadrons[side], Counter[Record]()
        if record.gone:
            return Counter({record: 1})
        left = after_attrition(self.engagement.book, Afloat(record.fleet, record.cargo), modifier, own.order, own.hold)
        for (fleet, cargo), weight in left.items():
            sunk = record.fleet.thirds - fleet.thirds
            losses, destroyed = record.losses + sunk, record.destroyed + sunk
            found[record._replace(fleet=fleet, cargo=cargo, losses=losses, destroyed=destroyed)] += weight
        return found
