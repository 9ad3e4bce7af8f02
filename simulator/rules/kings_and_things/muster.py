"""Who fights: each side's counters after the events before round 1, in the order in which they are lost.

rules/kings_and_things.md sections 3.2 (0), 4 (strength and ties) and 5.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.rules.kings_and_things.creatures import Creature, counted, key_of, parse
from simulator.rules.kings_and_things.fields import FORTS, SETTLEMENTS
from simulator.rules.kings_and_things.items import dispelled
from simulator.rules.kings_and_things.state import (
    AIMED,
    BALLOON,
    FIREWALL,
    FORT,
    GOLEM,
    HOLDER,
    MAGIC,
    MELEE,
    PASSENGER,
    PEOPLE,
    RANGED,
    SETTLEMENT,
    SPECIAL,
    STRUCTURE,
    SWORD_MASTER,
)

SIDES = ("attacker", "defender", "second_attacker", "third_attacker")
HOME = {"": MELEE, "C": MELEE, "R": RANGED, "M": MAGIC}
FORT_HOME = {"tower": MELEE, "keep": MELEE, "castle": RANGED, "citadel": MAGIC}
BATTERERS = ("baron-munchausen", "grand-duke")
STRUCTURES = {"firewall": FIREWALL, "settlement": SETTLEMENT, "fort": FORT}
AIMED_VALUE = 2
UNROLLED = 6  # a Firewall whose die is yet to be rolled stands, whatever it will show


@dataclass(frozen=True)
class Slot:
    """A structure, or `number` counters that are equal in everything that matters in battle.

    `value` is what the dice are rolled against, `printed` what counts in the outputs.
    """

    label: str
    role: int
    value: int
    printed: int
    home: int
    dice: int = 1
    key: str = ""
    number: int = 1
    symbol: str = ""

    @property
    def strength(self) -> int:
        """Dice x min(6, printed value): fixed for the battle."""
        return self.dice * min(6, self.printed)

    @property
    def kind(self) -> int:
        """Balloon, creatures, Golem, special characters, the Sword Master: lost in this order among equals."""
        ranks = ((BALLOON, 0), (SWORD_MASTER, 4), (SPECIAL, 3), (GOLEM, 2))
        return next((rank for role, rank in ranks if self.role & role), 1)

    @property
    def ties(self) -> tuple[int, int, int, bool]:
        """What decides between equal strengths: melee, ranged, magic; lower value; kind; passengers later."""
        return -self.home, self.printed, self.kind, bool(self.role & PASSENGER)

    @property
    def creature(self) -> bool:
        """Is it people, but no special character?"""
        return bool(self.role & PEOPLE) and not self.role & SPECIAL


def weakest_first(slot: Slot) -> Any:
    """Sort key: ascending strength."""
    return slot.strength, slot.ties


def strongest_first(slot: Slot) -> Any:
    """Sort key: descending strength, same ties."""
    return -slot.strength, slot.ties


@dataclass
class Band:
    """One side: its policy, its single counters, levels of its structures and items in play."""

    name: str
    fields: Any
    policy: Any
    counters: list[Slot]
    items: set[str]
    levels: dict[str, int] = field(default_factory=dict)
    fort: str = "none"
    cloud: int = 0
    dispelled: str | None = None

    def has(self, special: str) -> int:
        """How many counters of a special character."""
        return sum(slot.key == f"row {special}" and bool(slot.role & SPECIAL) for slot in self.counters)


def special_role(creature: Creature, policy: Any) -> int:
    """Roles of a special character."""
    role = SPECIAL
    if creature.special == "sword-master":
        role |= SWORD_MASTER
    if creature.special == "marksman" and policy.marksman == "aimed":
        role |= AIMED
    return role


def fighter(creature: Creature, policy: Any, symbol: str | None = None) -> Slot:
    """A creature or special character as it fights."""
    symbol = creature.symbol if symbol is None else symbol
    role = PEOPLE | (special_role(creature, policy) if creature.special else 0)
    if creature.special != "marksman":
        role |= HOLDER
    return Slot(
        label=creature.label,
        role=role,
        value=AIMED_VALUE if role & AIMED else creature.value,
        printed=creature.value,
        home=HOME[symbol],
        dice=2 if symbol == "C" else 1,
        key=f"row {creature.special}" if creature.special else creature.key,
        symbol=symbol,
    )


def passengers(band: Band) -> None:
    """Put the balloon's passengers aboard."""
    aboard = parse(band.fields.balloon_passengers, f"{band.name}.balloon_passengers")
    for creature in aboard:
        place = next(
            n for n, slot in enumerate(band.counters) if slot.key == creature.key and not slot.role & PASSENGER
        )
        slot = band.counters[place]
        band.counters[place] = replace(slot, role=(slot.role | PASSENGER) & ~HOLDER)


def band_of(scenario: Any, name: str, dispels: bool, voided: str | None) -> Band:
    """A side as it comes to round 1, but for what other sides' characters do to it."""
    fields, policy = getattr(scenario, name), getattr(scenario.policy, name)
    items = set(getattr(fields, "items", ())) - {voided}
    band = Band(name, fields, policy, [], items, dispelled=voided)
    for creature in parse(fields.creatures, f"{name}.creatures"):
        # Dispel Magic: all people with the magic symbol fight in melee for the whole battle.
        band.counters.append(fighter(creature, policy, "" if dispels and creature.symbol == "M" else None))
    if "balloon" in items:
        passengers(band)
        band.counters.append(Slot("Balloon", BALLOON, 3, 3, RANGED, key="balloon"))
    if "golem" in items:
        band.counters.append(Slot("Golem", GOLEM, 6, 6, MELEE, key="golem"))
    if "firewall" in items:
        band.levels["firewall"] = fields.firewall_value or UNROLLED
    if name == "defender":
        _structures(band, fields)
    return band


def _structures(band: Band, fields: Any) -> None:
    band.fort = getattr(fields, "fort", "none")
    if band.fort != "none":
        band.levels["fort"] = FORTS.index(band.fort) - fields.fort_damage
    if getattr(fields, "settlement", "none") != "none":
        band.levels["settlement"] = SETTLEMENTS.index(fields.settlement) - fields.settlement_damage


def present_sides(scenario: Any) -> list[str]:
    """Names of the sides of a scenario, in the order of their numbers."""
    return [name for name in SIDES if getattr(scenario, name, None) is not None]


def bands(scenario: Any) -> list[Band]:
    """All sides after Dispel Magic and the Fan (section 3.2, 0)."""
    names = present_sides(scenario)
    held = {name: set(getattr(getattr(scenario, name), "items", ())) for name in names}
    voided: dict[str, str | None] = dict.fromkeys(names)
    dispels = dict.fromkeys(names, False)
    if len(names) == 2:
        for name, enemy in (names, names[::-1]):
            if "dispel-magic" in held[name]:
                dispels[enemy] = True
                voided[enemy] = dispelled(held[enemy], getattr(scenario.policy, name).dispel)
    found = [band_of(scenario, name, dispels[name], voided[name]) for name in names]
    attacker, defender = found[0], found[1]
    if "fan" in attacker.items:
        defender.items.discard("dust-of-defense")
    cloud = getattr(scenario.conditions, "black_cloud", False) and "fan" not in defender.items
    defender.cloud = int(cloud)
    return found


def warlord(band: Band, enemy: Band) -> Slot | None:
    """The Warlord of `band` takes the last creature of the enemy's weakest-first order over; returns it."""
    if not band.has("warlord") or band.policy.warlord == "unused":
        return None
    takable = [slot for slot in enemy.counters if slot.creature and not slot.role & PASSENGER]
    if not takable:
        return None
    taken = max(takable, key=lambda slot: (weakest_first(slot), slot.label.lower()))
    enemy.counters.remove(taken)
    band.counters.append(taken)
    return taken


def batterers(found: Iterable[Band]) -> int:
    """How many of Baron Munchausen and Grand Duke these attackers have."""
    return sum(band.has(special) for band in found for special in BATTERERS)


def batter(attackers: Iterable[Band], defender: Band) -> None:
    """Baron Munchausen and Grand Duke: one hit each on the fort, if none on the settlement."""
    for _ in range(batterers(attackers)):
        target = next((name for name in ("fort", "settlement") if defender.levels.get(name)), None)
        if target:
            defender.levels[target] -= 1


def dust_at_start(found: list[Band]) -> bool:
    """Does Dust of Defense drive the attacker off before round 1?"""
    defender = found[1]
    return "dust-of-defense" in defender.items and defender.policy.dust == "at-start" and found[0].fields.retreat_hex


def opened(found: list[Band]) -> list[Band]:
    """The sides after Warlord, Baron and Duke (the Warlord has no power in a free-for-all)."""
    if dust_at_start(found):
        return found
    if len(found) == 2:
        warlord(found[0], found[1])
        warlord(found[1], found[0])
    batter([band for band in found if band is not found[1]], found[1])
    return found


def structure_slot(band: Band, name: str) -> Slot:
    """A structure of a side as a slot."""
    home = {"firewall": MAGIC, "settlement": MELEE}.get(name)
    return Slot(name, STRUCTURES[name], 0, 0, FORT_HOME[band.fort] if home is None else home, key=name, number=0)


def listed_keys(band: Band) -> list[str]:
    """Keys of the custom loss order, in order."""
    where = f"{band.name}.loss_order"
    words = [*STRUCTURES, "golem", "balloon"]
    return [
        text.lower() if text.lower() in words else key_of(counted(text, where)[1], where)
        for text in band.fields.loss_order
    ]


def loss_order(band: Band) -> list[Slot]:
    """All slots of a side, first lost first, equal neighbours as one (sections 3.3 and 4)."""
    policy, walls = band.policy, [structure_slot(band, name) for name in STRUCTURES if name in band.levels]
    first = getattr(policy, "structures", "first") == "first"
    if policy.losses == "custom":
        keys = listed_keys(band)
        place = {key: n for n, key in reversed(list(enumerate(keys)))}
        default = -1 if first else len(keys) + 1

        def turn(slot: Slot) -> Any:
            unlisted = default if slot.role & STRUCTURE else len(keys)
            if slot.role & STRUCTURE:
                return place.get(slot.key, unlisted), ()
            return place.get(slot.key, unlisted), (weakest_first(slot), slot.label.lower())

        return merged(band, sorted(walls + band.counters, key=turn))
    order = strongest_first if policy.losses == "strongest-first" else weakest_first
    counters = sorted(band.counters, key=lambda slot: (order(slot), slot.label.lower()))
    return merged(band, walls + counters if first else counters + walls)


def merged(band: Band, listed: list[Slot]) -> list[Slot]:
    """Neighbours that are equal in everything that matters as one slot; who may hold an item stays alone."""
    found: list[Slot] = []
    for slot in listed:
        previous = found[-1] if found else None
        if previous and slot.number and _same(previous, slot) and not _may_hold(band, slot):
            found[-1] = replace(previous, number=previous.number + slot.number, label=f"{previous.label}\n{slot.label}")
        else:
            found.append(slot)
    return found


def _same(one: Slot, two: Slot) -> bool:
    return (one.role, one.value, one.printed, one.home, one.dice) == (
        two.role,
        two.value,
        two.printed,
        two.home,
        two.dice,
    )


def _may_hold(band: Band, slot: Slot) -> bool:
    return bool(slot.role & HOLDER) and bool(band.items & {"magic-sword", "magic-bow"})
