"""Factions, their order of losses, and leaders (docs/rules/price_of_power.md sections 2, 3.1 and 4).

A faction on land or at sea has three categories. The `losses` policy gives each category a fixed list of the units left
after each hit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.model import TYPES, AnyBattle, AnyRealm, General, LandRealm, SeaSide
from simulator.rules.price_of_power.npr_defence import LEAST_FOR_A_CARD
from simulator.rules.toolkit.losses import left_along
from simulator.rules.toolkit.sheets import lines_of

SHIPS = ("galleys", "light", "heavy", "damaged")
CATEGORIES = ("mercenary", "regular", "allied")
PREFIXES = ("mercenary_", "", "allied_")
TYPES_HIT = {"infantry-first": (0, 1, 2), "cavalry-first": (1, 0, 2), "artillery-first": (2, 0, 1), "most-numerous": ()}
GALLEY, LIGHT, SOUND, DAMAGED = range(4)
SHIPS_HIT = {
    "spread-damage": (SOUND, GALLEY, LIGHT, DAMAGED),
    "light-first": (GALLEY, LIGHT, DAMAGED, SOUND),
    "heavy-first": (DAMAGED, SOUND, LIGHT, GALLEY),
}
# A fleet that retreats pays one ship, the first of these that it has (section 4, step 6).
PRICE_OF_RETREAT = (GALLEY, LIGHT, DAMAGED, SOUND)
# Turns galleys, light, sound, damaged ships into galleys, light, heavy (damaged included), damaged.
HEAVY_TOGETHER = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1]])


class Faction:
    """The units of a realm: `left[c][n]` are those of category c while it can take n hits, at most `hits[c]`.

    Columns on land: infantry, cavalry, artillery; all units of an NPR are regular. Columns at sea: galleys, light,
    heavy (damaged included), damaged; all ships are regular, and `paid` is the fleet after the price of retreat.
    `number` is the place in the list of factions, from 1.
    """

    def __init__(self, number: int, realm: AnyRealm, losses: str) -> None:
        self.number, self.realm = number, realm
        if isinstance(realm, LandRealm):
            units = [[getattr(realm, prefix + unit, 0) for unit in TYPES] for prefix in PREFIXES]
            self.left, self.paid = [leaving(own, TYPES_HIT[losses]) for own in units], np.zeros((1, 3), int)
        else:
            rows, none = leaving(realm.ships, SHIPS_HIT[losses]), np.zeros((1, len(SHIPS)), int)
            lost = [next((ship for ship in PRICE_OF_RETREAT if row[ship]), GALLEY) for row in rows]
            self.left = [none, rows @ HEAVY_TOGETHER, none]
            self.paid = np.maximum(rows - np.eye(len(SHIPS), dtype=int)[lost], 0) @ HEAVY_TOGETHER
        self.hits = [len(rows) - 1 for rows in self.left]


def leaving(start: Sequence[int], order: tuple[int, ...]) -> np.ndarray:
    """Units left by type while 0, 1, 2, ... hits can still be taken: int64, shape (hits + 1, types).

    Types are hit in `order`; if it is empty, the type with most units is hit.
    """

    def hit(now: list[int]) -> None:
        which = next(which for which in order if now[which]) if order else now.index(max(now))
        now[which] -= 1
        if which == SOUND and len(now) == len(SHIPS):
            now[DAMAGED] += 1

    return left_along(start, hit)[::-1]


class Side:
    """One side of a checked battle, without factions that have no unit (section 3.1, step 0).

    `start`: units or ships of each type. `main`: number of the main defender among `factions`, from 1; 0 for none.
    `leaders`: the leaders it may have; `drawn`: the weight of each (place in `leaders`, from 1; 0 for no leader). A
    leader is drawn where the scenario says so, and by default for a defender without players (section 3.1, step 2).
    `automatic`: hits in every roll while led, without those of heavy ships. `last`: the last round in which anything
    depends on the round. `supply`: captured ships that it can still man.
    """

    def __init__(self, where: str, battle: AnyBattle) -> None:
        self.where, self.options = where, battle.options
        self.fields, self.policy = fields, policy = getattr(battle, where), getattr(battle.policy, where)
        self.sea, kinds = isinstance(fields, SeaSide), model.kinds(fields)
        self.has_player, self.units = "player" in kinds, model.count(fields)
        realms = enumerate(model.listed(fields).values(), 1)
        self.factions = [Faction(number, realm, policy.losses) for number, realm in realms if realm.count()]
        self.start = np.sum([rows[-1, :3] for one in self.factions for rows in one.left], axis=0).tolist()
        # The player faction with most units; a tie is settled by name, else the first listed (section 3.1, step 1).
        players = {at: one.realm for at, one in enumerate(self.factions, 1) if one.realm.kind == "player"}
        named = getattr(fields, "main_defender", None) or None
        self.main = max(players, key=lambda at: (players[at].count(), players[at].name == named), default=0)
        cards = where == "defender" and kinds <= {"npr", "rebels"} and self.units >= LEAST_FOR_A_CARD
        leader = fields.leader or ("draw" if cards else "none")
        self.draws, self.leaders = leader == "draw", () if isinstance(leader, str) else (General(**dict(leader)),)
        self.drawn = {len(self.leaders): 1}
        if self.draws:
            deck = self.options.npr_deck
            self.leaders, self.drawn = leaders_drawn(deck if deck is None else tuple(deck))
        self.automatic = fields.automatic_hits + ("military-drill" in fields.ideas) * self.options.military_drill.hits
        timed = [policy.retreat_at] if policy.retreat == "after-round" else []
        self.last = max([1, *timed, *(action.round + action.this_round_only for action in fields.battle_actions)])
        self.supply = fields.ships_in_supply if self.has_player else 0

    def charge(self, enemy: Side) -> int:
        """Cavalry dice of a charge of Noble Knights (section 3.1, step 3)."""
        knights = "noble-knights" in self.fields.ideas
        return min(self.start[1], enemy.start[0], self.fields.knights_dice_limit) if knights else 0


def first_lost(faction: Faction, losses: str) -> list[str]:
    """Fields whose number decides only how late the faction loses its other units.

    On land: the type lost first, in the last category with units. At sea: the ships of one hit lost first.
    """
    if isinstance(faction.realm, LandRealm):
        last = max(category for category, hits in enumerate(faction.hits) if hits)
        return [f"{PREFIXES[last]}{TYPES[which]}" for which in TYPES_HIT[losses][:1]]
    order, ships = SHIPS_HIT[losses], faction.realm.ships
    first = next(place for place, which in enumerate(order) if ships[which])
    return [SHIPS[which] for which in order[: first + 1] if which in {GALLEY, LIGHT}]


@lru_cache(maxsize=8)
def leaders_drawn(deck: tuple[model.Card, ...] | None) -> tuple[tuple[General, ...], dict[int, int]]:
    """The leaders of a deck (None: the printed deck), and the number of cards of each (0: advisors)."""
    printed = (model.Card.model_validate_strings(row, strict=False) for row in lines_of(__package__, "military_deck"))
    weights: Counter[General | None] = Counter()
    for card in printed if deck is None else deck:
        weights[General(**{die: getattr(card, die) for die in TYPES}) if card.leader else None] += card.cards
    leaders = tuple(leader for leader in weights if leader is not None and weights[leader])
    return leaders, {leaders.index(leader) + 1 if leader else 0: cards for leader, cards in weights.items() if cards}
