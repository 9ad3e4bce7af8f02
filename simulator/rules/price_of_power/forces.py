"""The forces that meet: realms, what leaves them first, leaders (docs/rules/price_of_power.md sections 2, 3.1 and 4).

Both kinds of battle see a faction as three categories that lose one hit after the other; what is left of a category
after each hit is a fixed list, decided by the `losses` policy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.dice import DICE
from simulator.rules.price_of_power.model import AnyBattle, AnyRealm, AnySide, General, LandRealm, Options, SeaSide
from simulator.rules.price_of_power.npr_defence import LEAST_FOR_A_CARD
from simulator.rules.toolkit.losses import left_along
from simulator.rules.toolkit.sheets import lines_of

TYPES = ("infantry", "cavalry", "artillery")
SHIPS = ("galleys", "light", "heavy", "damaged")
CATEGORIES = ("mercenary", "regular", "allied")
PREFIXES = ("mercenary_", "", "allied_")
LOSS_ORDER = {
    "infantry-first": (0, 1, 2),
    "cavalry-first": (1, 0, 2),
    "artillery-first": (2, 0, 1),
    "most-numerous": (),
}
GALLEY, LIGHT, SOUND, DAMAGED = range(4)
SHIP_ORDER = {
    "spread-damage": (SOUND, GALLEY, LIGHT, DAMAGED),
    "light-first": (GALLEY, LIGHT, DAMAGED, SOUND),
    "heavy-first": (DAMAGED, SOUND, LIGHT, GALLEY),
}
# What a fleet pays that leaves: one ship (section 4, step 6).
PRICE_OF_RETREAT = (GALLEY, LIGHT, DAMAGED, SOUND)
# Galleys, light, sound, damaged ships seen as galleys, light, heavy (damaged included), damaged.
HEAVY_TOGETHER = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])
Policy = model.LandPolicy | model.SeaPolicy


@dataclass(frozen=True)
class Faction:
    """A realm's force: `left[c][n]` is what a category c that can still take n hits consists of.

    On land rows are infantry, cavalry, artillery; at sea galleys, light, heavy (damaged included), damaged; `paid` is
    then what a fleet is after the price of retreat. `number` is its place in the list of factions, from 1.
    """

    number: int
    realm: AnyRealm
    left: tuple[np.ndarray, ...]
    paid: np.ndarray

    @property
    def hits(self) -> tuple[int, ...]:
        """Hits that each category can take at the start."""
        return tuple(len(rows) - 1 for rows in self.left)


@dataclass(frozen=True)
class Side:
    """One side of a battle. `main` is the number of the main defender among `factions`, from 1; 0 without one.

    `leaders` are those who may lead it; `drawn` gives the weight of each (place in `leaders`, from 1; 0 for none).
    """

    where: str
    factions: tuple[Faction, ...]
    main: int
    leaders: tuple[General, ...]
    drawn: dict[int, int]
    draws: bool
    fields: AnySide
    policy: Policy

    @property
    def sea(self) -> bool:
        """Is it a fleet?"""
        return isinstance(self.fields, SeaSide)

    @cached_property
    def start(self) -> list[int]:
        """Units or ships of each type at the start."""
        return np.sum([rows[-1, :3] for faction in self.factions for rows in faction.left], axis=0).tolist()

    @cached_property
    def units(self) -> int:
        """Units or ships at the start."""
        return sum(self.start)

    @property
    def has_player(self) -> bool:
        """Does a player realm fight on this side?"""
        return "player" in model.kinds(self.fields)

    @property
    def last(self) -> int:
        """The last round in which anything depends on the round, for this side."""
        timed = [self.policy.retreat_at] if self.policy.retreat == "after-round" else []
        return max([1, *timed, *(action.round + action.this_round_only for action in self.fields.battle_actions)])

    @property
    def supply(self) -> int:
        """Captured ships that it can still man; none without a player realm."""
        return self.fields.ships_in_supply if self.has_player else 0

    def charge(self, enemy: Side) -> int:
        """Cavalry dice of a charge of Noble Knights (section 3.1, step 3)."""
        knights = "noble-knights" in self.fields.ideas
        return min(self.start[1], enemy.start[0], self.fields.knights_dice_limit) if knights else 0


def leaving(start: Sequence[int], order: tuple[int, ...]) -> np.ndarray:
    """What is left after each hit, fewest first, of types or ships hit in this order; without one, most units first."""

    def hit(now: list[int]) -> None:
        which = next(which for which in order if now[which]) if order else now.index(max(now))
        now[which] -= 1
        if which == SOUND and len(now) == len(SHIPS):
            now[DAMAGED] += 1

    return left_along(start, hit)[::-1]


def faction_of(number: int, realm: AnyRealm, losses: str) -> Faction:
    """A realm's force with its leaving lists; all of an NPR and all ships count as regular."""
    none = np.zeros((1, 3 if isinstance(realm, LandRealm) else len(SHIPS)), int)
    if isinstance(realm, LandRealm):
        units = [[getattr(realm, prefix + unit, 0) for unit in TYPES] for prefix in PREFIXES]
        left, price = tuple(leaving(own, LOSS_ORDER[losses]) for own in units), none
    else:
        rows = leaving(realm.ships, SHIP_ORDER[losses])
        lost = [next((ship for ship in PRICE_OF_RETREAT if row[ship]), GALLEY) for row in rows]
        price = np.maximum(rows - np.eye(len(SHIPS), dtype=int)[lost], 0) @ HEAVY_TOGETHER
        left = (none, rows @ HEAVY_TOGETHER, none)
    return Faction(number, realm, left, price)


def first_lost(faction: Faction, losses: str) -> list[str]:
    """Whose numbers decide no more than how late a force begins to lose what else it has.

    On land units that go first, in the last category that the realm has any in; at sea ships of one hit that go first.
    """
    if isinstance(faction.realm, LandRealm):
        last = max(category for category, hits in enumerate(faction.hits) if hits)
        return [f"{PREFIXES[last]}{TYPES[which]}" for which in LOSS_ORDER[losses][:1]]
    order, ships = SHIP_ORDER[losses], faction.realm.ships
    first = next(place for place, which in enumerate(order) if ships[which])
    return [SHIPS[which] for which in order[: first + 1] if which in {GALLEY, LIGHT}]


def main_defender(factions: tuple[Faction, ...], named: str | None) -> int:
    """The player faction with most units; a tie is settled by name, else the first listed (section 3.1, step 1)."""
    players = {at: faction.realm for at, faction in enumerate(factions, 1) if faction.realm.kind == "player"}
    return max(players, key=lambda at: (players[at].count(), players[at].name == (named or None)), default=0)


@lru_cache(maxsize=1)
def printed_deck() -> tuple[model.Card, ...]:
    """The military cards of the game: 36, of which 14 show leaders."""
    return tuple(model.Card.model_validate_strings(row, strict=False) for row in lines_of(__package__, "military_deck"))


def leaders_drawn(options: Options) -> tuple[tuple[General, ...], dict[int, int]]:
    """The leaders in the deck, and how many cards show each (0 stands for an advisor, who is none)."""
    weights: Counter[General | None] = Counter()
    for card in printed_deck() if options.npr_deck is None else options.npr_deck:
        weights[General(**{die: getattr(card, die) for die in DICE}) if card.leader else None] += card.cards
    found = tuple(leader for leader in weights if leader is not None and weights[leader])
    return found, {found.index(leader) + 1 if leader else 0: cards for leader, cards in weights.items() if cards}


def side_of(where: str, fields: AnyBattle) -> Side:
    """One side of a checked scenario, as the battle sees it; a faction without units is none of it (3.1, step 0).

    A leader is drawn where that is asked for, and by default by a defender without players (step 2; section 4, step 1).
    """
    side, policy = getattr(fields, where), getattr(fields.policy, where)
    realms = enumerate(model.listed(side).values(), 1)
    factions = tuple(faction_of(number, realm, policy.losses) for number, realm in realms if realm.count())
    cards = where == "defender" and model.kinds(side) <= {"npr", "rebels"} and model.count(side) >= LEAST_FOR_A_CARD
    leader = side.leader or ("draw" if cards else "none")
    if leader == "draw":
        leaders, drawn = leaders_drawn(fields.options)
    else:
        leaders = () if isinstance(leader, str) else (General(**dict(leader)),)
        drawn = {len(leaders): 1}
    main = main_defender(factions, getattr(side, "main_defender", None))
    return Side(where, factions, main, leaders, drawn, leader == "draw", side, policy)
