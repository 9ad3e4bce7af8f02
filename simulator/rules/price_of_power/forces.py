"""The forces that meet: realms, what leaves them first, leaders (rules/price_of_power.md sections 2, 3.1 and 4).

Both kinds of battle see a faction as three categories that lose one hit after the other; what is left of a category
after each hit is a fixed list, decided by the `losses` policy.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from simulator.rules.price_of_power import capacities
from simulator.rules.price_of_power.casualties import ranks
from simulator.rules.price_of_power.dice import DICE, printed_deck

CATEGORIES = ("mercenary", "regular", "allied")
LOSS_ORDER = {
    "infantry-first": (0, 1, 2),
    "cavalry-first": (1, 0, 2),
    "artillery-first": (2, 0, 1),
}
LEAST_FOR_A_CARD = 3
SHIPS = ("galleys", "light", "heavy", "damaged")


class Leader(NamedTuple):
    """A general or admiral: dice, wounds he came with, and whether he is the ruler."""

    infantry: int
    cavalry: int
    artillery: int
    wounds: int = 0
    ruler: bool = False


@dataclass(frozen=True)
class Faction:
    """A realm's force: `left[c][n]` is what a category c that can still take n hits consists of.

    On land rows are infantry, cavalry, artillery; at sea galleys, light, heavy (damaged included), damaged.
    """

    kind: str
    name: str
    stays: bool
    left: tuple[np.ndarray, ...]

    @cached_property
    def hits(self) -> tuple[int, ...]:
        """Hits that each category can take at the start."""
        return tuple(len(rows) - 1 for rows in self.left)

    @cached_property
    def start(self) -> int:
        """Ranks at the start."""
        return ranks(*self.hits)

    @cached_property
    def units(self) -> int:
        """Units or ships at the start."""
        return sum(int(rows[-1][:3].sum()) for rows in self.left)

    def of_type(self, which: int) -> int:
        """Units or ships of a type at the start."""
        return sum(int(rows[-1][which]) for rows in self.left)


@dataclass(frozen=True)
class Side:
    """One side of a battle. `main` is the place of the main defender among the factions, None without one.

    `leaders` are those who may lead it; `drawn` gives the weight of each (place in `leaders`, from 1; 0 for none).
    """

    where: str
    sea: bool
    factions: tuple[Faction, ...]
    main: int | None
    leaders: tuple[Leader, ...]
    drawn: dict[int, int]
    fields: Any
    policy: Any

    @property
    def units(self) -> int:
        """Units or ships at the start."""
        return sum(faction.units for faction in self.factions)

    def of_type(self, which: int) -> int:
        """Units or ships of a type at the start."""
        return sum(faction.of_type(which) for faction in self.factions)

    @property
    def has_player(self) -> bool:
        """Does a player realm fight on this side?"""
        return any(faction.kind == "player" for faction in self.factions)

    @property
    def draws(self) -> bool:
        """Is the leader a drawn card?"""
        return wants_draw(self.where, self.sea, self.fields)

    @property
    def ideas(self) -> frozenset[str]:
        """Ideas that tell in battle."""
        return frozenset() if self.sea else frozenset(self.fields.ideas)


def realms_of(side: Any) -> list[Any]:
    """The tables that hold the units of a side: its factions, or the side itself."""
    return list(getattr(side, "factions", None) or [side])


def kinds_of(side: Any) -> list[str]:
    """Kind of each realm of a side; what a capacity gives is an NPR."""
    return ["npr" if getattr(side, "npr", None) else realm.kind for realm in realms_of(side)]


def land_units(realm: Any) -> np.ndarray:
    """Units of a realm: rows mercenary, regular, allied; columns infantry, cavalry, artillery."""
    if getattr(realm, "npr", None):
        return np.array([[0, 0, 0], [capacities.land_units(realm.npr), 0, 0], [0, 0, 0]])
    return np.array(
        [
            [realm.mercenary_infantry, realm.mercenary_cavalry, realm.mercenary_artillery],
            [realm.infantry, realm.cavalry, realm.artillery],
            [realm.allied_infantry, realm.allied_cavalry, 0],
        ]
    )


def sea_units(realm: Any) -> dict[str, int]:
    """Galleys, light, sound heavy and damaged heavy ships of a realm."""
    if getattr(realm, "npr", None):
        return {"galleys": 0, "light": capacities.ships(realm.npr), "sound": 0, "damaged": 0}
    return {
        "galleys": realm.galleys,
        "light": realm.light,
        "sound": realm.heavy - realm.damaged,
        "damaged": realm.damaged,
    }


def count_units(side: Any, sea: bool) -> int:
    """Units or ships of a whole side as entered."""
    if sea:
        return sum(sum(sea_units(realm).values()) for realm in realms_of(side))
    return sum(int(land_units(realm).sum()) for realm in realms_of(side))


def land_leaving(units: np.ndarray, losses: str) -> np.ndarray:
    """What a category is after each casualty, fewest first: rows of infantry, cavalry, artillery."""
    rows = [units.copy()]
    while rows[-1].any():
        now = rows[-1].copy()
        if losses == "most-numerous":
            leaving = int(now.argmax())
        else:
            leaving = next(which for which in LOSS_ORDER[losses] if now[which])
        now[leaving] -= 1
        rows.append(now)
    return np.array(rows[::-1])


def sea_leaving(ships: dict[str, int], losses: str) -> np.ndarray:
    """What a fleet is after each hit, fewest first: rows of galleys, light, heavy (with damaged), damaged."""
    now = dict(ships)
    rows = []
    while True:
        rows.append([now["galleys"], now["light"], now["sound"] + now["damaged"], now["damaged"]])
        if not any(now.values()):
            return np.array(rows[::-1])
        hit = next_ship_hit(now, losses)
        now[hit] -= 1
        now["damaged"] += hit == "sound"


def next_ship_hit(now: dict[str, int], losses: str) -> str:
    """Which ship takes the next hit: `losses` at sea (section 2)."""
    order = {
        "spread-damage": ("sound", "galleys", "light", "damaged"),
        "light-first": ("galleys", "light", "damaged", "sound"),
        "heavy-first": ("damaged", "sound", "light", "galleys"),
    }[losses]
    return next(ship for ship in order if now[ship])


def price_of_retreat(row: np.ndarray) -> np.ndarray:
    """A fleet after the price of retreat: a galley, else a light ship, else a damaged, else a sound heavy ship."""
    galleys, light, heavy, damaged = (int(value) for value in row)
    if galleys:
        galleys -= 1
    elif light:
        light -= 1
    elif heavy:
        heavy, damaged = heavy - 1, max(damaged - 1, 0)
    return np.array([galleys, light, heavy, damaged])


def faction_of(realm: Any, kind: str, sea: bool, losses: str) -> Faction:
    """A realm's force with its leaving lists; all of an NPR and all ships count as regular."""
    if sea:
        none = np.zeros((1, 4), int)
        left = (none, sea_leaving(sea_units(realm), losses), none)
    else:
        left = tuple(land_leaving(units, losses) for units in land_units(realm))
    return Faction(kind, realm.name, realm.defends_capital or getattr(realm, "last_area", False), left)


def main_defender(factions: tuple[Faction, ...], named: str | None) -> int | None:
    """The player faction with most units; a tie is settled by name, else the first listed (section 3.1, step 1)."""
    players = [i for i, faction in enumerate(factions) if faction.kind == "player"]
    if not players:
        return None
    most = max(factions[i].units for i in players)
    largest = [i for i in players if factions[i].units == most]
    return next((i for i in largest if named and factions[i].name == named), largest[0])


def wants_draw(where: str, sea: bool, fields: Any) -> bool:
    """Does this side draw a leader: asked to, or by default (section 3.1, step 2; section 4, step 1)?"""
    if fields.leader is not None:
        return fields.leader == "draw"
    card_kinds = {"npr"} if sea else {"npr", "rebels"}
    return where == "defender" and set(kinds_of(fields)) <= card_kinds and count_units(fields, sea) >= LEAST_FOR_A_CARD


def leaders_of(where: str, sea: bool, fields: Any, options: Any) -> tuple[tuple[Leader, ...], dict[int, int]]:
    """Who may lead the side, and with which weights (0 stands for nobody)."""
    if not wants_draw(where, sea, fields):
        if fields.leader in {None, "none"}:
            return (), {0: 1}
        given = fields.leader
        dice = (getattr(given, die) for die in DICE)
        return (Leader(*dice, given.wounds, getattr(given, "ruler", False)),), {1: 1}
    weights: Counter[Leader | None] = Counter()
    for card in options.npr_deck if options.npr_deck is not None else printed_deck():
        weights[Leader(card.infantry, card.cavalry, card.artillery) if card.leader else None] += card.cards
    found = tuple(leader for leader in weights if leader is not None and weights[leader])
    drawn = {found.index(leader) + 1 if leader else 0: count for leader, count in weights.items() if count}
    return found, drawn


def side_of(where: str, sea: bool, fields: Any, policy: Any, options: Any) -> Side:
    """One side of a checked scenario, as the battle sees it."""
    factions = tuple(
        faction_of(realm, kind, sea, policy.losses)
        for realm, kind in zip(realms_of(fields), kinds_of(fields), strict=True)
    )
    leaders, drawn = leaders_of(where, sea, fields, options)
    named = getattr(fields, "main_defender", None)
    return Side(where, sea, factions, main_defender(factions, named), leaders, drawn, fields, policy)
