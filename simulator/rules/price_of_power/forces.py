"""Factions, their order of losses, and leaders (docs/rules/price_of_power.md sections 2, 3.1 and 4).

The units of a faction on land are mercenary, regular or allied. The `losses` policy gives each of these categories a
fixed list of the units left after each hit.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from math import prod
from typing import Any

import numpy as np

from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.model import (
    TYPES,
    AnyBattle,
    AnyRealm,
    General,
    LandPolicy,
    LandRealm,
    SeaPolicy,
    SeaRealm,
    SeaSide,
)
from simulator.rules.price_of_power.procedures.npr_defence import LEAST_FOR_A_CARD
from simulator.rules.toolkit.sheets import lines_of

SHIPS = ("galleys", "light", "heavy", "damaged")
WITH_SIDE = "with-side"
DICE = (*TYPES, "wounds", "ruler")
CATEGORIES = ("mercenary", "regular", "allied")
PREFIXES = ("mercenary_", "", "allied_")
REGULAR = CATEGORIES.index("regular")
TYPES_HIT: dict[str, tuple[int, ...]] = {
    "most-numerous": (), "infantry-first": (0, 1, 2), "cavalry-first": (1, 0, 2), "artillery-first": (2, 0, 1),
    "infantry-artillery-cavalry": (0, 2, 1), "cavalry-artillery-infantry": (1, 2, 0),
    "artillery-cavalry-infantry": (2, 1, 0),
}  # fmt: skip
Lineup = tuple[int, ...]
GALLEY, LIGHT, SOUND, DAMAGED = range(4)
SHIPS_HIT = {
    "spread-damage": (SOUND, GALLEY, LIGHT, DAMAGED),
    "light-first": (GALLEY, LIGHT, DAMAGED, SOUND),
    "heavy-first": (DAMAGED, SOUND, LIGHT, GALLEY),
}
# The number of a realm's units: side, fleet or army of a campaign, place in a list of factions, unit.
UNITS = "|".join((*LandRealm.units, *SeaRealm.units))
PRICED = re.compile(rf"(attacker|defender)(?:\.(army|fleet))?(?:\.factions\[(\d+)\])?\.({UNITS})")
# A fleet that retreats pays one ship, the first of these that it has (section 4, step 6).
PRICE_OF_RETREAT = (GALLEY, LIGHT, DAMAGED, SOUND)
# In place of a number of hits: any ship, which a fleet pays for its retreat.
PRICE = -1


class Faction:
    """The units of a realm: `rows[c][n]` are those of category c with number n, on land by TYPES, at sea by SHIPS.

    Along a list of losses the number is that of the hits that the category can still take; with losses at best
    (`picks`) it numbers all line-ups, in ascending order. On land there are all CATEGORIES, at sea one (`ranks`); all
    units of an NPR and all ships are regular. `numbers` are those at the start; `mixed`: several categories have units.
    `number` is the place in the list of factions, from 1.
    """

    def __init__(self, number: int, realm: AnyRealm, policy: LandPolicy | SeaPolicy) -> None:
        self.number, self.realm, self.picks = number, realm, policy.losses == "best"
        self.sea = isinstance(realm, SeaRealm)
        if isinstance(realm, LandRealm):
            starts = [tuple(getattr(realm, prefix + unit, 0) for unit in TYPES) for prefix in PREFIXES]
        else:
            starts = [realm.ships]
        self.ranks = [REGULAR] if self.sea else [*range(len(CATEGORIES))]
        self.rows = [self._rows(own, policy) for own in starts]
        self.numbers = tuple(len(rows) - 1 for rows in self.rows)
        self.mixed = sum(map(bool, self.numbers)) > 1
        self._number = [{row: n for n, row in enumerate(rows)} for rows in self.rows]
        self.ways = cache(self._ways)

    def _rows(self, own: Lineup, policy: LandPolicy | SeaPolicy) -> list[Lineup]:
        """The units of a category by number."""
        if self.picks:
            return lineups(own)
        return leaving(own, SHIPS_HIT[policy.losses] if self.sea else land_order(own, policy))

    @property
    def called(self) -> str:
        """Its name, else its number."""
        return self.realm.name or f"faction {self.number}"

    def room(self, category: int, number: int) -> int:
        """Hits that a category with this number can take: a sound heavy ship takes two."""
        row = self.rows[category][number]
        return sum(row) + (row[SOUND] if self.sea else 0)

    def by_category(self, left: Sequence[int]) -> list[Lineup]:
        """The units of each category."""
        return [rows[n] for rows, n in zip(self.rows, left, strict=True)]

    def units(self, left: Sequence[int]) -> Lineup:
        """The units of all categories together."""
        return tuple(map(sum, zip(*self.by_category(left), strict=True)))

    def fewest(self, left: Sequence[int]) -> tuple[int, ...]:
        """The numbers of the same units without regard to damage."""
        return tuple([*map(types, rows)].index(types(rows[n])) for rows, n in zip(self.rows, left, strict=True))

    def after_leaving(self, left: Sequence[int]) -> list[Lineup]:
        """The units of each category of a realm that has left: along a list a fleet still pays a ship."""
        own = self.by_category(left)
        return [sunk(row, first_paid(row)) for row in own] if self.sea and not self.picks else own

    def _ways(self, category: int, number: int, hits: int) -> list[int]:
        """The numbers after this many hits (PRICE: a ship for a retreat) on a category whose owner picks his losses.

        That of the default policy first, the others in descending order.
        """
        number_of, own = self._number[category], self.rows[category][number]
        usual, found = own, {own}
        if hits == PRICE:
            usual, found = sunk(own, first_paid(own)), {sunk(own, ship) for ship, ships in enumerate(own) if ships}
        for _ in range(hits):
            usual, found = hit_usually(usual), {after for row in found for after in hit_once(row)} or found
        first = number_of[usual]
        return [first, *sorted({number_of[row] for row in found} - {first}, reverse=True)]


def hit_once(row: Lineup) -> Iterator[Lineup]:
    """The units left after a hit on each type: on land of three types, at sea of four kinds of ships."""
    for which, units in enumerate(row):
        if units:
            sound = which == SOUND and len(row) == len(SHIPS)
            yield tuple(n - (at == which) + (sound and at == DAMAGED) for at, n in enumerate(row))


def hit_usually(row: Lineup) -> Lineup:
    """The units left after a hit by the default policy."""
    order = SHIPS_HIT["spread-damage"] if len(row) == len(SHIPS) else ()
    return hit_by(row, order) if any(row) else row


def hit_by(row: Lineup, order: Iterable[int]) -> Lineup:
    """The units left after a hit on the first type in `order` that is left; without an order on the most numerous."""
    which = next((which for which in order if row[which]), row.index(max(row)))
    return next(after for after in hit_once(row) if after[which] < row[which])


def types(row: Lineup) -> Lineup:
    """Units by type; of ships galleys, light and heavy ones, damaged included."""
    return row if len(row) == len(TYPES) else (row[GALLEY], row[LIGHT], row[SOUND] + row[DAMAGED])


def sunk(row: Lineup, ship: int) -> Lineup:
    """The fleet without one ship, if it has one."""
    return tuple(max(0, n - (at == ship)) for at, n in enumerate(row))


def first_paid(row: Lineup) -> int:
    """The ship that a fleet pays for its retreat."""
    return next((ship for ship in PRICE_OF_RETREAT if row[ship]), GALLEY)


def lineups(start: Lineup) -> list[Lineup]:
    """All line-ups that hits lead to, in ascending order."""
    found = {start}
    new = found
    while new:
        new = {after for row in new for after in hit_once(row)} - found
        found = found | new
    return sorted(found)


def number_of_lineups(realm: AnyRealm) -> int:
    """The most line-ups that a category of a realm may come to."""
    if isinstance(realm, LandRealm):
        return max(prod(getattr(realm, prefix + unit, 0) + 1 for unit in TYPES) for prefix in PREFIXES)
    galleys, light, sound, damaged = realm.ships
    return (galleys + 1) * (light + 1) * (sound + 1) * (sound + damaged + 1)


def land_order(start: Lineup, policy: LandPolicy | SeaPolicy) -> Iterable[int]:
    """The types of a category in the order in which they are lost; none for the most numerous.

    A custom list is gone through once: it is an iterator.
    """
    if policy.loss_order is None:
        return TYPES_HIT[policy.losses]
    rest = [which for which, units in enumerate(start) for _ in range(units)]
    return iter([TYPES.index(entry) for entry in policy.loss_order] + rest)


def leaving(start: Lineup, order: Iterable[int]) -> list[Lineup]:
    """Units left by type while 0, 1, 2, ... hits can still be taken, hit in `order` (see `hit_by`)."""
    rows = [start]
    while any(rows[-1]):
        rows.append(hit_by(rows[-1], order))
    return rows[::-1]


@lru_cache(maxsize=1)
def prices() -> dict[str, np.ndarray]:
    """Ducats for a mercenary, regular and allied unit of each type on land (`land`), and for ships (`sea`; 3.6).

    int64, shape (3 categories, columns of `Faction.left`).
    """
    rows = {row["unit"]: row for row in lines_of(__package__, "units")}
    ranks = ("mercenary_cost", "regular_cost", "allied_cost")
    land = [[int(rows[unit][rank] or 0) for unit in TYPES] for rank in ranks]
    sea = [[int(rows[ship]["regular_cost"]) for ship in ("galley", "light", "heavy")] + [0]] * len(ranks)
    return {"land": np.array(land), "sea": np.array(sea)}


def price(data: Mapping[str, Any], path: str) -> float | None:
    """The ducats that one more unit or ship of a player realm costs (section 3.6); None for other fields and realms."""
    found = PRICED.fullmatch(path)
    if found is None:
        return None
    side, part, place, unit = found.groups()
    try:
        realm = data[side][part] if part else data[side]
        realm = realm["factions"][int(place)] if place else realm
        kind = realm.get("kind", "player")
    except (KeyError, IndexError, TypeError, AttributeError):
        kind = "player"
    if kind != "player":
        return None
    if unit in SeaRealm.units:
        return float(prices()["sea"][0, SeaRealm.units.index(unit)])
    return float(prices()["land"][category_of(unit), TYPES.index(unit.rpartition("_")[2])])


def category_of(unit: str) -> int:
    """The place in `Faction.rows` of the units of this field."""
    rank, _, name = unit.rpartition("_")
    return PREFIXES.index(f"{rank}_" if rank else "") if name in TYPES else 0


class Side:
    """One side of a checked battle, without factions that have no unit (section 3.1, step 0).

    `start`: units or ships of each type. `main`: number of the main defender among `factions`, from 1; 0 for none.
    `leaders`: the leaders it may have; `drawn`: the weight of each (place in `leaders`, from 1; 0 for no leader). A
    leader is drawn where the scenario says so, and by default for a defender without players (section 3.1, step 2).
    `candidates`: those of whom one is appointed (section 3.7), when that is best where it `appoints`, and their
    `cards` (places in `leaders`, from 1; 0 for nobody).
    `automatic`: hits in every roll while led, without those of heavy ships. `last`: the last round in which anything
    depends on the round. `supply`: captured ships that it can still man.
    """

    def __init__(self, where: str, battle: AnyBattle) -> None:
        self.where, self.options = where, battle.options
        self.fields, self.policy = fields, policy = getattr(battle, where), getattr(battle.policy, where)
        self.sea, kinds = isinstance(fields, SeaSide), model.kinds(fields)
        self.has_player, self.units = "player" in kinds, model.count(fields)
        realms = enumerate(model.listed(fields).values(), 1)
        self.factions = [Faction(number, realm, policy) for number, realm in realms if realm.count()]
        each = (types(one.units(one.numbers)) for one in self.factions)
        self.start = tuple(map(sum, zip((0, 0, 0), *each, strict=True)))
        # The player faction with most units; a tie is settled by name, else the first listed (section 3.1, step 1).
        players = {at: one.realm for at, one in enumerate(self.factions, 1) if one.realm.kind == "player"}
        named = getattr(fields, "main_defender", None) or None
        self.main = max(players, key=lambda at: (players[at].count(), players[at].name == named), default=0)
        cards = where == "defender" and kinds <= {"npr", "rebels"} and self.units >= LEAST_FOR_A_CARD
        leader = fields.leader or ("draw" if cards else "none")
        self.draws = leader == "draw"
        self.leaders: tuple[General, ...] = () if isinstance(leader, str) else (General(**dict(leader)),)
        self.drawn = {len(self.leaders): 1}
        self.candidates, self.appoints = list(fields.leaders or ()), policy.leader == "best"
        known = [one for one in self.candidates if not isinstance(one, str)]
        self.cards = [0 if isinstance(one, str) else known.index(one) + 1 for one in self.candidates]
        if self.candidates:
            self.leaders = tuple(General(**{name: getattr(one, name, False) for name in DICE}) for one in known)
            self.drawn = {0 if self.appoints else self.cards[(policy.leader or 1) - 1]: 1}
        if self.draws:
            deck = self.options.npr_deck
            self.leaders, self.drawn = leaders_drawn(deck if deck is None else tuple(deck))
        self.automatic = fields.automatic_hits + ("military-drill" in fields.ideas) * self.options.military_drill.hits
        self.leaving = [self._leaving(one) for one in self.factions]
        timed = [at for retreat, at in (self.together, *self.leaving) if retreat == "after-round"]
        played = [a.round + (a.when == "round" and a.this_round_only) for a in fields.battle_actions]
        self.last = max([1, *timed, *played])
        self.supply = fields.ships_in_supply if self.has_player else 0

    def called(self, candidate: int) -> str:
        """A candidate (from 0) in words."""
        one = self.candidates[candidate]
        return "nobody" if isinstance(one, str) else f"{one.name or f'leader {candidate + 1}'} ({one.power} power)"

    @property
    def together(self) -> tuple[str, int]:
        """When the player realms without a decision of their own leave: the policy and its number."""
        return self.policy.retreat if self.has_player else "never", self.policy.retreat_at

    def _leaving(self, faction: Faction) -> tuple[str, int]:
        """When a faction leaves, by itself or (`with-side`) with the others (section 3.2, step 6)."""
        realm = faction.realm
        stays = getattr(realm, "can_retreat", None) is False or not (
            self.fields.can_retreat or getattr(realm, "can_retreat", None)
        )
        if realm.kind != "player" or stays:
            return "never", 1
        own = getattr(realm, "retreat", None)
        return (own, getattr(realm, "retreat_at", None) or 1) if own else (WITH_SIDE, 1)

    def charge(self, enemy: Side) -> int:
        """Cavalry dice of a charge of Noble Knights (section 3.1, step 3)."""
        knights = "noble-knights" in self.fields.ideas
        return min(self.start[1], enemy.start[0], self.fields.knights_dice_limit) if knights else 0


def first_lost(faction: Faction, losses: str) -> list[str]:
    """Fields whose number decides only how late the faction loses its other units.

    On land: the type lost first, in the last category with units. At sea: the ships of one hit lost first.
    """
    if isinstance(faction.realm, LandRealm):
        last = max(rank for rank, number in enumerate(faction.numbers) if number)
        alone = [which for which, units in enumerate(faction.rows[last][-1]) if units]
        first = alone if losses == "most-numerous" and len(alone) == 1 else TYPES_HIT.get(losses, ())[:1]
        return [f"{PREFIXES[last]}{TYPES[which]}" for which in first]
    order, ships = SHIPS_HIT[losses], faction.realm.ships
    until = next(place for place, which in enumerate(order) if ships[which])
    return [SHIPS[which] for which in order[: until + 1] if which in {GALLEY, LIGHT}]


@lru_cache(maxsize=8)
def leaders_drawn(deck: tuple[model.Card, ...] | None) -> tuple[tuple[General, ...], dict[int, int]]:
    """The leaders of a deck (None: the printed deck), and the number of cards of each (0: advisors)."""
    printed = (model.Card.model_validate_strings(row, strict=False) for row in lines_of(__package__, "military_deck"))
    weights: Counter[General | None] = Counter()
    for card in printed if deck is None else deck:
        weights[General(**{die: getattr(card, die) for die in TYPES}) if card.leader else None] += card.cards
    leaders = tuple(leader for leader in weights if leader is not None and weights[leader])
    return leaders, {leaders.index(leader) + 1 if leader else 0: cards for leader, cards in weights.items() if cards}
