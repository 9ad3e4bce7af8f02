"""Fleets: ships in thirds, what they carry, and how both are lost (docs/rules/europa_naval_and_other.md section 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from simulator.engine.model.chance import combine
from simulator.rules.europa.shared.losses import clamped, remainders
from simulator.rules.europa.shared.stacks import class_of, size_of
from simulator.rules.europa.tables import Book

if TYPE_CHECKING:
    from simulator.rules.europa.shared.fields import Laden, Ship, Troops

ND = 3
NavalTechnology = Literal[
    "galley", "carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four"
]
TECHNOLOGIES = get_args(NavalTechnology)
IN_FILE = {"nao-galleon": "nae-galeon"}
LAW = "docs/rules/europa_naval_and_other.md section"
ORDERS = {
    "transports-first": ("transports", "galleys", "galleasses", "warships"),
    "transports-last": ("galleys", "warships", "galleasses", "transports"),
}
ARMY_PLUS, ARMY_MINUS = 12, 6


class Fleet(NamedTuple):
    """Ships: warships and exploration ships together in thirds, the others whole."""

    warships: int = 0
    galleys: int = 0
    galleasses: int = 0
    transports: int = 0

    @property
    def thirds(self) -> int:
        """Total size."""
        return self.warships + ND * (self.galleys + self.galleasses + self.transports)

    @property
    def detachments(self) -> int:
        """Number of ND; exploration ships are none."""
        return self.warships // ND + self.galleys + self.galleasses + self.transports

    @property
    def half_points(self) -> int:
        """Transport points provided, doubled."""
        whole, loose = divmod(self.warships, ND)
        return 2 * (whole + self.galleys + self.galleasses) + loose + 6 * self.transports

    def less(self, other: Fleet) -> Fleet:
        """Without these ships."""
        return Fleet(self[0] - other[0], self[1] - other[1], self[2] - other[2], self[3] - other[3])

    def plus(self, other: Fleet) -> Fleet:
        """With these ships."""
        return Fleet(self[0] + other[0], self[1] + other[1], self[2] + other[2], self[3] + other[3])

    def text(self) -> str:
        """In words."""
        names = ("warship", "galley", "galleass", "transport")
        counts = [self.warships // ND, *self[1:]]
        parts = [f"{n} {name}{'es' * (name == 'galleass') or 's'}" for n, name in zip(counts, names, strict=True) if n]
        loose = self.warships % ND
        return ", ".join(parts + [f"{loose} exploration ship{'s' * (loose > 1)}"] * bool(loose)) or "no ship"


KINDS = Fleet._fields


def fleet_of(side: Ship) -> Fleet:
    """The ships of a side of a scenario."""
    return Fleet(ND * side.warships + side.exploration_ships, side.galleys, side.galleasses, side.transports)


def ships_left(side: str, fleet: Fleet) -> dict[str, int]:
    """Outputs: ships left by kind."""
    return {
        f"{side}_warships_left": fleet.warships // ND,
        f"{side}_exploration_ships_left": fleet.warships % ND,
        f"{side}_galleys_left": fleet.galleys,
        f"{side}_galleasses_left": fleet.galleasses,
        f"{side}_transports_left": fleet.transports,
    }


def loss_order(policy: str, loaded: bool) -> tuple[str, ...]:
    """The kinds in the order in which they are lost; `auto`: transports last if anything is aboard."""
    if policy == "auto":
        policy = "transports-last" if loaded else "transports-first"
    return ORDERS[policy]


def sink(fleet: Fleet, thirds: int, order: Iterable[str], *, storm: bool) -> Fleet:
    """The fleet after a loss: thirds of warships exactly, of other kinds whole ships only.

    An odd rest on such a kind is one ship in battle; in a storm 1 third is nothing, 2 thirds are one ship.
    """
    ships = list(fleet)
    for kind in order:
        place = KINDS.index(kind)
        held = ships[place]
        if kind == "warships":
            gone = min(held, thirds)
            thirds -= gone
        else:
            gone, rest = divmod(thirds, ND)
            if gone >= held:
                gone, thirds = held, thirds - ND * held
            else:
                gone, thirds = gone + int(rest == 2 if storm else rest > 0), 0
        ships[place] = held - gone
        if thirds <= 0:
            break
    return Fleet(*ships)


class Cargo(NamedTuple):
    """Troops (thirds) and gold (ducats) aboard."""

    troops: int = 0
    gold: int = 0

    def __bool__(self) -> bool:
        return bool(self.troops or self.gold)


class Hold(NamedTuple):
    """The capacity for carrying troops: points of an ARMY+, most big counters, and whether single thirds may remain."""

    points: int
    counters: int
    by_thirds: bool

    def regrouped(self, thirds: int) -> tuple[int, int, int, int]:
        """(ARMY+, ARMY-, LD, LDE): as many big counters as the thirds allow."""
        plus = minus = 0
        for _ in range(self.counters):
            if thirds >= ARMY_PLUS:
                plus, thirds = plus + 1, thirds - ARMY_PLUS
            elif thirds >= ARMY_MINUS:
                minus, thirds = minus + 1, thirds - ARMY_MINUS
        return plus, minus, thirds // 3, thirds % 3

    def half_points(self, thirds: int) -> int:
        """Transport points that troops need, doubled."""
        plus, minus, detachments, explorers = self.regrouped(thirds)
        return 2 * self.points * plus + self.points * minus + 4 * detachments + explorers

    def fitting(self, thirds: int, room: int) -> int:
        """Troops left when at most `room` half points are to be had: the fewest are removed."""
        while thirds and self.half_points(thirds) > room:
            thirds -= 1 if self.by_thirds else thirds % 3 or 3
        return thirds

    def fitted(self, cargo: Cargo, room: int) -> Cargo:
        """Troops and gold that fit."""
        return Cargo(self.fitting(cargo.troops, room), min(cargo.gold, 5 * max(0, room) // 2))


def hold_of(side: Troops, conditions: Any, book: Book) -> Hold:
    """The transport of a side's troops; `conditions` have a period, and perhaps a region."""
    points = book.column("army_transport_points", "points_per_army_plus")[class_of(side), conditions.period]
    region = getattr(conditions, "region", "europe")
    return Hold(points, side.army_plus + side.army_minus, region == "rotw")


def cargo_of(side: Laden) -> Cargo:
    """The troops that a side of a scenario has aboard."""
    return Cargo(size_of(side), side.gold)


def half_points_needed(side: Laden, hold: Hold) -> int:
    """Transport points that a side needs, doubled: for gold 1 for 5 ducats begun."""
    return hold.half_points(size_of(side)) + 2 * -(-side.gold // 5)


class Afloat(NamedTuple):
    """Ships and what they carry."""

    fleet: Fleet
    cargo: Cargo


# Attrition flips a coin for each piece of a force that is marked: a power of two as common denominator.
COMMON = 1 << 40


# The battles of a passage leave the same few fleets in many ways.
@lru_cache(maxsize=1 << 14)
def after_attrition(book: Book, afloat: Afloat, modifier: int, order: tuple[str, ...], hold: Hold) -> Counter[Afloat]:
    """The stacks after a roll of attrition at sea, with weights; kept, and so not to be changed."""
    found: Counter[Afloat] = Counter()
    for percent, faces in Counter(book.attrition_percent[clamped(die + modifier)] for die in range(1, 11)).items():
        left = stormed(book, afloat, percent, order, hold)
        for rest, weight in left.items():
            found[rest] += faces * weight * (COMMON // left.total())
    return found


# Storms of several modifiers take the same few shares: a campaign of passages asks for 6,212 of them 21,436 times.
@lru_cache(maxsize=1 << 13)
def stormed(book: Book, afloat: Afloat, percent: int, order: tuple[str, ...], hold: Hold) -> Counter[Afloat]:
    """The stacks after a storm takes `percent` of all, with weights; kept, and so not to be changed."""
    fleet, cargo = afloat
    ships: Counter[Fleet] = Counter()
    for left, weight in remainders(book, fleet.thirds, percent).items():
        ships[sink(fleet, fleet.thirds - left, order, storm=True)] += weight
    gold = cargo.gold * (100 - percent) // 100
    troops = remainders(book, cargo.troops, percent) if cargo.troops else Counter({0: 1})
    return combine(ships, troops, lambda f, t: Afloat(f, hold.fitted(Cargo(t, gold), f.half_points)))
