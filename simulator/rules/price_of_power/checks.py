"""What types cannot refuse (rules/price_of_power.md section 9), with the field to blame."""

from __future__ import annotations

from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.price_of_power.chains import Setup, chain_from, setup_of
from simulator.rules.price_of_power.dice import MOST_DICE, printed_dice
from simulator.rules.price_of_power.forces import (
    LEAST_FOR_A_CARD,
    count_units,
    kinds_of,
    land_units,
    realms_of,
    sea_units,
)

LAND_UNITS = (
    "infantry", "cavalry", "artillery", "mercenary_infantry", "mercenary_cavalry", "mercenary_artillery",
    "allied_infantry", "allied_cavalry",
)  # fmt: skip
SEA_UNITS = ("galleys", "light", "heavy", "damaged")
TIMED = ("at-or-below", "after-round")


def check(fields: Any) -> None:
    """Refuse what a land or naval scenario may not hold."""
    check_deck(fields.options)
    check_sides(fields)
    check_dice(setup_of(fields))


def check_deck(options: Any) -> None:
    """A deck has cards."""
    if options.npr_deck is not None and not sum(card.cards for card in options.npr_deck):
        raise Refusal(
            "options.npr_deck", "the deck has no cards; give at least one, or leave it out for the printed one"
        )


def check_sides(fields: Any, part: str = "", sides: tuple[str, ...] = ("attacker", "defender")) -> None:
    """Refuse what a side may not hold; `part` is where a campaign keeps this battle (".fleet", ".army")."""
    sea = fields.battle == "naval"
    for name in sides:
        side, policy = getattr(fields, name), getattr(fields.policy, name)
        check_units(f"{name}{part}", side, sea)
        check_policy(f"policy.{name}{part}", side, policy)
        check_side(f"{name}{part}", side, sea, fields.options)
        if sea and not fields.conditions.galley_waters:
            check_no_galleys(f"{name}{part}", side)


def check_units(name: str, side: Any, sea: bool) -> None:
    """Units of one realm, of factions or of a capacity; only one of the three, and at least one unit."""
    names = SEA_UNITS if sea else LAND_UNITS
    if getattr(side, "factions", None):
        check_alone(name, "factions", side, names)
    if getattr(side, "npr", None):
        check_capacity(f"{name}.npr", side.npr)
        check_alone(name, "npr", side, names)
        if side.factions:
            raise Refusal(f"{name}.npr", "give either npr or factions, not both")
        if "kind" in side.model_fields_set and side.kind != "npr":
            raise Refusal(f"{name}.kind", f"{side.kind!r} is not allowed beside npr; leave it out, or give 'npr'")
    for place, realm in enumerate(realms_of(side)):
        path = name if realm is side else f"{name}.factions[{place}]"
        check_realm(path, realm, sea)
    if count_units(side, sea) == 0:
        raise Refusal(name, "no ships; give at least one" if sea else "no units; give at least one")


def check_alone(name: str, field: str, side: Any, units: tuple[str, ...]) -> None:
    """Units stand in one place only."""
    own = next((unit for unit in units if getattr(side, unit)), None)
    if own:
        raise Refusal(f"{name}.{field}", f"may not stand together with units of the side itself ({name}.{own})")


def check_realm(path: str, realm: Any, sea: bool) -> None:
    """Kinds that have one type of unit only; NPR fields; damaged ships."""
    kind = "npr" if getattr(realm, "npr", None) else realm.kind
    if kind != "player":
        only = "light" if sea else "infantry"
        for unit in SEA_UNITS if sea else LAND_UNITS:
            if unit != only and getattr(realm, unit):
                raise Refusal(f"{path}.{unit}", f"{getattr(realm, unit)} is not allowed; {kind} has only {only}")
    for field in ("defends_capital", "last_area"):
        if kind != "npr" and getattr(realm, field, False):
            raise Refusal(f"{path}.{field}", f"is for an NPR; this side's kind is {kind}")
    if sea and realm.damaged > realm.heavy:
        raise Refusal(
            f"{path}.damaged", f"{realm.damaged} is not allowed; at most the number of heavy ships, {realm.heavy}"
        )


def check_capacity(path: str, capacity: Any) -> None:
    """Provinces whose port is missing, and foreign areas without an Emperor (section 6)."""
    check_ports(f"{path}.provinces", capacity.provinces)
    if capacity.foreign_areas and capacity.imperial_authority is None:
        raise Refusal(f"{path}.foreign_areas", "needs imperial_authority; they count only when the Emperor is an NPR")


def check_ports(path: str, provinces: Any) -> None:
    """A sea zone is faced by ports only."""
    for place, province in enumerate(provinces):
        if not province.port and province.faces_zone:
            raise Refusal(f"{path}[{place}].faces_zone", "needs port = true")
        if not province.port and province.location == "sea":
            raise Refusal(f"{path}[{place}].location", "'sea' needs port = true; one of area, land without")


def check_policy(path: str, side: Any, policy: Any) -> None:
    """Retreat is decided by player realms; cavalry base dice are for Muslim ones."""
    if "player" not in kinds_of(side):
        if policy.retreat != "never":
            raise Refusal(
                f"{path}.retreat", f"{policy.retreat!r} is not allowed; only a player realm decides to retreat"
            )
        if "retreat_at" in policy.model_fields_set:
            raise Refusal(f"{path}.retreat_at", "only a player realm decides to retreat; leave it out")
    if "retreat_at" in policy.model_fields_set and policy.retreat not in TIMED:
        raise Refusal(f"{path}.retreat_at", f"goes only with retreat = {' or '.join(TIMED)}")
    base = getattr(policy, "base_dice", "infantry")
    if base != "infantry" and not side.muslim:
        raise Refusal(f"{path}.base_dice", f"{base!r} needs muslim = true on that side; others roll infantry")


def check_side(name: str, side: Any, sea: bool, options: Any) -> None:
    """Ideas, leaders, battle actions and the main defender."""
    player = "player" in kinds_of(side)
    if not sea and side.ideas and not player:
        raise Refusal(f"{name}.ideas", "only a player realm has ideas; leave them out")
    if side.leader == "draw":
        check_draw(name, side, sea)
    if side.battle_actions and not player and not options.lend_a_helping_hand:
        raise Refusal(
            f"{name}.battle_actions", "are a player realm's; options.lend_a_helping_hand allows them for others"
        )
    played = [(action.name, action.round) for action in side.battle_actions if action.name]
    twice = next((action for action in played if played.count(action) > 1), None)
    if twice:
        raise Refusal(f"{name}.battle_actions", f"{twice[0]!r} is played twice in round {twice[1]}; once is allowed")
    if getattr(side, "main_defender", None) is not None:
        check_main(name, side, sea)


def check_draw(name: str, side: Any, sea: bool) -> None:
    """A card is drawn by NPR (on land also rebel) sides of three or more."""
    others = sorted(set(kinds_of(side)) - {"npr", "rebels"})
    if others:
        raise Refusal(f"{name}.leader", f"'draw' is not for a side with {' and '.join(others)}; give dice or 'none'")
    if count_units(side, sea) < LEAST_FOR_A_CARD:
        raise Refusal(f"{name}.leader", f"'draw' needs at least {LEAST_FOR_A_CARD} {'ships' if sea else 'units'}")


def check_main(name: str, side: Any, sea: bool) -> None:
    """The main defender named must be a player realm with most units."""
    sizes = {}
    for realm, kind in zip(realms_of(side), kinds_of(side), strict=True):
        if kind == "player":
            units = sum(sea_units(realm).values()) if sea else int(land_units(realm).sum())
            sizes[realm.name] = max(units, sizes.get(realm.name, 0))
    largest = [realm for realm, units in sizes.items() if units == max(sizes.values())]
    if side.main_defender not in largest:
        allowed = ", ".join(repr(realm) for realm in largest) or "nobody: there is no player realm"
        raise Refusal(
            f"{name}.main_defender",
            f"{side.main_defender!r} is not a player realm with most units; allowed: {allowed}",
        )


def check_no_galleys(name: str, side: Any) -> None:
    """Galleys keep to inland seas."""
    for place, realm in enumerate(realms_of(side)):
        if realm.galleys:
            path = name if realm is side else f"{name}.factions[{place}]"
            raise Refusal(f"{path}.galleys", f"{realm.galleys} is not allowed where conditions.galley_waters is false")


def check_dice(setup: Setup, part: str = "") -> None:
    """No roll has more than 20 dice."""
    for place, side in enumerate(setup.sides):
        most = max(pool.dice for row in setup.pools(place) for pool in row)
        if most > MOST_DICE:
            raise Refusal(f"{side.where}{part}", f"{most} dice in one roll; at most {MOST_DICE} are allowed")
    if setup.dice != printed_dice():
        chain_from(setup)  # refuses dice whose results are too many to be told apart
