"""The counters of each side after the events before round 1, in their order of losses.

docs/rules/kings_and_things.md sections 3.2 (0), 4 (strength and ties) and 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.rules.kings_and_things.creatures import Creature, counted, key_of, parse
from simulator.rules.kings_and_things.model import PRINTED, Defender, Inhabitants, Policy, Scenario, Side
from simulator.rules.kings_and_things.rules import MAGIC, MELEE, RANGED
from simulator.rules.sides import SIDES

# In the order of their codes.
ROLES = (*SIDES, "second_attacker", "third_attacker")


class Role:
    """Bits for the role of a slot."""

    PEOPLE, GOLEM, BALLOON, PASSENGER, AIMED, SWORD_MASTER, HOLDER, SPECIAL = (1 << bit for bit in range(8))
    FIREWALL, SETTLEMENT, FORT = (1 << bit for bit in range(8, 11))
    STRUCTURE = FIREWALL | SETTLEMENT | FORT


HOME = {"": MELEE, "C": MELEE, "R": RANGED, "M": MAGIC}
FORT_HOME = {"none": MELEE, "tower": MELEE, "keep": MELEE, "castle": RANGED, "citadel": MAGIC}
# Names that a loss order may hold beside creatures.
NAMED = ("firewall", "settlement", "fort", "golem", "balloon")
# `dispel = "auto"` voids the first of these that the enemy has (section 4).
DISPELLED_FIRST = (
    "dust-of-defense", "golem", "firewall", "magic-sword", "talisman", "balloon", "magic-bow", "lucky-charm", "fan",
)  # fmt: skip
AIMED_VALUE = 2
UNROLLED = 6  # level of a Firewall before its die is rolled


@dataclass(frozen=True)
class Slot:
    """A structure, or `number` counters that are equal in battle; `labels` names each counter.

    `value` is the target number of the dice, `printed` the value in the outputs. Slots compare equal where they are
    equal in battle, whatever their names and numbers.
    """

    labels: tuple[str, ...] = field(compare=False)
    role: int
    value: int
    printed: int
    home: int
    dice: int = 1
    key: str = field(default="", compare=False)
    number: int = field(default=1, compare=False)

    @property
    def rank(self) -> tuple[Any, ...]:
        """Sort key of the weakest-first order: strength is dice x min(6, printed value), fixed for the battle.

        Ties: melee, ranged, magic; lower value; Balloon, creatures, Golem, special characters, Sword Master; passengers
        last; then by name.
        """
        kinds = ((Role.BALLOON, 0), (Role.SWORD_MASTER, 4), (Role.SPECIAL, 3), (Role.GOLEM, 2))
        kind, strength = next((place for role, place in kinds if self.role & role), 1), self.dice * min(6, self.printed)
        return strength, -self.home, self.printed, kind, bool(self.role & Role.PASSENGER), self.labels[0].lower()

    @property
    def worth(self) -> str:
        """Printed value and symbol, like 3R."""
        return f"{self.printed}{'C' if self.dice == 2 else {MAGIC: 'M', RANGED: 'R'}.get(self.home, '')}"


@dataclass
class Band:
    """One side: its policy, its single counters, levels of its structures and items in play.

    `leaves`: it has a hex to retreat to and a policy that may retreat. `target`: the side it fires at in a
    free-for-all. `brittle`: any hit removes the Firewall. `taken`: the counter that its Warlord took over. `battered`:
    the structures that Baron and Duke hit.
    """

    name: str
    fields: Side
    policy: Policy
    counters: list[Slot]
    items: set[str]
    leaves: bool
    target: str
    levels: dict[str, int] = field(default_factory=dict)
    fort: str = "none"
    cloud: int = 0
    brittle: bool = False
    dispelled: str | None = None
    taken: Slot | None = None
    battered: list[str] = field(default_factory=list)

    def has(self, special: str) -> bool:
        """The side has this special character."""
        return any(slot.key == f"row {special}" and slot.role & Role.SPECIAL for slot in self.counters)

    @property
    def unrolled(self) -> bool:
        """The die of its Firewall is not rolled yet."""
        return "firewall" in self.items and not self.fields.firewall_value


def fighter(creature: Creature, policy: Policy, dispelled: bool = False) -> Slot:
    """The slot of a creature or special character; Dispel Magic makes magic people fight in melee."""
    symbol = "" if dispelled and creature.symbol == "M" else creature.symbol
    marksman = creature.special == "marksman"
    aimed = marksman and policy.marksman == "aimed"
    role = Role.PEOPLE | Role.HOLDER * (not marksman) | Role.SPECIAL * bool(creature.special) | Role.AIMED * aimed
    role |= Role.SWORD_MASTER * (creature.special == "sword-master")
    value, dice = AIMED_VALUE if aimed else creature.value, 2 if symbol == "C" else 1
    return Slot((creature.label,), role, value, creature.value, HOME[symbol], dice, creature.key)


def unexplored(scenario: Scenario) -> bool:
    """Nobody owns the hex."""
    return bool(getattr(scenario.conditions, "unexplored", scenario.battle == "exploration"))


def _band(scenario: Scenario, name: str, dispels: bool, voided: str | None) -> Band:
    """A side at round 1, before the effects of other sides' characters."""
    fields, policy = getattr(scenario, name), getattr(scenario.policy, name)
    if isinstance(fields, Inhabitants):
        fields, policy = Defender(retreat_hex=False), Policy(losses=policy.losses, structures=policy.structures)
    leaves = fields.retreat_hex and policy.retreat != "never" and not (name == "defender" and unexplored(scenario))
    counters = [fighter(creature, policy, dispels) for creature in parse(fields.creatures, f"{name}.creatures")]
    target = getattr(policy, "target", None) or ("strongest" if name == "defender" else "defender")
    band = Band(name, fields, policy, counters, set(fields.items) - {voided}, leaves, target, dispelled=voided)
    band.brittle = scenario.options.firewall_hits == "one"
    if "balloon" in band.items:
        for creature in parse(fields.balloon_passengers, f"{name}.balloon_passengers"):
            ashore = (n for n, slot in enumerate(counters) if not slot.role & Role.PASSENGER)
            place = next(n for n in ashore if counters[n].key == creature.key)
            role = (counters[place].role | Role.PASSENGER) & ~Role.HOLDER
            counters[place] = replace(counters[place], role=role)
        counters.append(Slot(("Balloon",), Role.BALLOON, 3, 3, RANGED, key="balloon"))
    if "golem" in band.items:
        counters.append(Slot(("Golem",), Role.GOLEM, 6, 6, MELEE, key="golem"))
    if "firewall" in band.items:
        band.levels["firewall"] = fields.firewall_value or UNROLLED
    if isinstance(fields, Defender):
        band.fort = fields.fort
        for what, names in PRINTED.items():
            if getattr(fields, what) != "none":
                band.levels[what] = names.index(getattr(fields, what)) - getattr(fields, f"{what}_damage")
    return band


def present_sides(scenario: Scenario) -> list[str]:
    """Names of the sides of a scenario, in the order of their numbers."""
    return [name for name in ROLES if getattr(scenario, name, None) is not None]


def bands(scenario: Scenario) -> list[Band]:
    """All sides after Dispel Magic and the Fan (section 3.2, 0)."""
    names = present_sides(scenario)
    held = {name: getattr(getattr(scenario, name), "items", ()) for name in names}
    sides = []
    for name, enemy in zip(names, names[::-1], strict=True):
        dispels = "dispel-magic" in held[enemy]
        choice = getattr(scenario.policy, enemy).dispel if dispels else ""
        wanted = DISPELLED_FIRST if choice == "auto" else (choice,)
        voided = next((item for item in wanted if item in held[name]), None)
        sides.append(_band(scenario, name, dispels, voided))
    attacker, defender = sides[:2]
    if "fan" in attacker.items:
        defender.items.discard("dust-of-defense")
    defender.cloud = int(getattr(scenario.conditions, "black_cloud", False) and "fan" not in defender.items)
    return sides


def takes(band: Band) -> bool:
    """The side's Warlord takes a creature over."""
    return band.has("warlord") and band.policy.warlord != "unused"


def batterers(attackers: Iterable[Band]) -> int:
    """Number of Baron Munchausen and Grand Duke that these attackers have."""
    return sum(band.has(special) for band in attackers for special in ("baron-munchausen", "grand-duke"))


def dust_at_start(sides: Sequence[Band]) -> bool:
    """Dust of Defense drives the attacker off before round 1."""
    attacker, defender = sides[:2]
    return "dust-of-defense" in defender.items and defender.policy.dust == "at-start" and attacker.fields.retreat_hex


def act_before_round_1(sides: Sequence[Band]) -> None:
    """Warlord, Baron and Duke act on the bands in place (the Warlord has no power in a free-for-all).

    The Warlord takes the last creature of the weakest-first order, no special character, no passenger.
    """
    if dust_at_start(sides):
        return
    defender = sides[1]
    for band, enemy in zip(sides, sides[::-1], strict=True) if len(sides) == 2 else ():
        aside = Role.SPECIAL | Role.PASSENGER
        able = [slot for slot in enemy.counters if slot.role & Role.PEOPLE and not slot.role & aside]
        if able and takes(band):
            band.taken = max(able, key=lambda slot: slot.rank)
            enemy.counters = [slot for slot in enemy.counters if slot is not band.taken]
            band.counters.append(band.taken)
    for _ in range(batterers(band for band in sides if band is not defender)):
        if target := next((name for name in ("fort", "settlement") if defender.levels.get(name)), None):
            defender.levels[target] -= 1
            defender.battered.append(target)


def order_key(text: str, where: str) -> str:
    """The key of the counter or structure that an entry of `loss_order` names."""
    return text.lower() if text.lower() in NAMED else key_of(counted(text, where)[1], where)


def _walls(band: Band) -> list[Slot]:
    """Structures in the order in which they are lost; `number` is the level."""
    structures = (
        ("firewall", "Firewall", Role.FIREWALL, MAGIC),
        ("settlement", "settlement", Role.SETTLEMENT, MELEE),
        ("fort", band.fort, Role.FORT, FORT_HOME[band.fort]),
    )
    levels = band.levels
    present = (row for row in structures if row[0] in levels)
    return [Slot((label,), role, 0, 0, home, 1, key, levels[key]) for key, label, role, home in present]


def loss_order(band: Band) -> list[Slot]:
    """All slots of a side, first lost first (sections 3.3 and 4). Equal neighbours merge, except item holders."""
    keys = [order_key(text, f"{band.name}.loss_order") for text in band.fields.loss_order]
    first, sign = band.policy.structures == "first", -1 if band.policy.losses == "strongest-first" else 1
    single = Role.STRUCTURE | Role.HOLDER * bool(band.items & {"magic-sword", "magic-bow"})

    def turn(slot: Slot) -> tuple[int, tuple[Any, ...]]:
        wall, (strength, *ties) = bool(slot.role & Role.STRUCTURE), slot.rank
        unlisted = -1 if wall and first else len(keys) + wall
        return keys.index(slot.key) if slot.key in keys else unlisted, () if wall else (sign * strength, *ties)

    order: list[Slot] = []
    for slot in sorted(_walls(band) + band.counters, key=turn):
        if order and order[-1] == slot and not slot.role & single:
            order[-1] = replace(order[-1], number=order[-1].number + slot.number, labels=order[-1].labels + slot.labels)
        else:
            order.append(slot)
    return order
