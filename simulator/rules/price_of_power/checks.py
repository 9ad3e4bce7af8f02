"""What types cannot refuse (docs/rules/price_of_power.md section 9), with the field to blame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simulator.rules.battle import Refusal
from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.dice import MOST_DICE, printed_dice
from simulator.rules.price_of_power.model import AnyBattle, AnyRealm, AnySide, LandSide, SeaRealm, kinds
from simulator.rules.price_of_power.npr_defence import LEAST_FOR_A_CARD, check_capacity, check_empire
from simulator.rules.price_of_power.tables import chain_of, setup_of

SIDES = ("attacker", "defender")
TIMED = ("at-or-below", "after-round")


def check(fields: AnyBattle, part: str = "", sides: Sequence[str] = SIDES) -> None:
    """Refuse what a land or naval battle may not hold; `part` is where a campaign keeps it (".fleet", ".army").

    A campaign's battle that is not fought has one side alone.
    """
    options = fields.options
    if options.npr_deck is not None and not sum(card.cards for card in options.npr_deck):
        raise Refusal(
            "options.npr_deck", "the deck has no cards; give at least one, or leave it out for the printed one"
        )
    for name in sides:
        side, policy = getattr(fields, name), getattr(fields.policy, name)
        check_units(f"{name}{part}", side, getattr(fields.conditions, "galley_waters", True))
        check_policy(f"policy.{name}{part}", side, policy)
        check_side(f"{name}{part}", side, options)
    if len(sides) == len(SIDES):
        check_dice(fields, part)


def check_units(name: str, side: AnySide, galley_waters: bool) -> None:
    """Units of one realm, of factions or of a capacity; only one of the three, and at least one unit."""
    if isinstance(side, model.LandDefender | model.SeaDefender):
        check_defender(name, side)
    for place, realm in enumerate(model.listed(side)):
        path = f"{name}.factions[{place}]" if getattr(side, "factions", None) else name
        check_realm(path, realm)
        if isinstance(realm, SeaRealm) and realm.galleys and not galley_waters:
            raise Refusal(f"{path}.galleys", f"{realm.galleys} is not allowed where conditions.galley_waters is false")
    if model.count(side) == 0:
        units = "units" if isinstance(side, LandSide) else "ships"
        raise Refusal(name, f"no {units}; give at least one")


def check_defender(name: str, side: model.LandDefender | model.SeaDefender) -> None:
    """Units stand in one place only: on the side itself, in factions, or behind an NPR's capacity."""
    for field in ("factions", "npr"):
        own = next((unit for unit in (*side.units, "damaged") if getattr(side, unit, 0)), None)
        if getattr(side, field) and own:
            raise Refusal(f"{name}.{field}", f"may not stand together with units of the side itself ({name}.{own})")
    for field in ("kind", "defends_capital", "last_area") if side.factions else ():
        if getattr(side, field, None) not in {"player", False, None}:
            raise Refusal(f"{name}.{field}", "is told of each of the factions; leave it out here")
    if side.npr:
        check_capacity(f"{name}.npr", side.npr)
        check_empire(f"{name}.npr", side.npr)
        if side.factions:
            raise Refusal(f"{name}.npr", "give either npr or factions, not both")
        if "kind" in side.model_fields_set and side.kind != "npr":
            raise Refusal(f"{name}.kind", f"{side.kind!r} is not allowed beside npr; leave it out, or give 'npr'")


def check_realm(path: str, realm: AnyRealm) -> None:
    """Kinds that have one type of unit only; NPR fields; damaged ships."""
    if realm.kind != "player":
        for unit in (*realm.units, "damaged"):
            if unit != realm.others_have and getattr(realm, unit, 0):
                text = f"{getattr(realm, unit)} is not allowed; {realm.kind} has only {realm.others_have}"
                raise Refusal(f"{path}.{unit}", text)
    for field in ("defends_capital", "last_area"):
        if realm.kind != "npr" and getattr(realm, field, False):
            raise Refusal(f"{path}.{field}", f"is for an NPR; this side's kind is {realm.kind}")
    if isinstance(realm, SeaRealm) and realm.damaged > realm.heavy:
        text = f"{realm.damaged} is not allowed; at most the number of heavy ships, {realm.heavy}"
        raise Refusal(f"{path}.damaged", text)


def check_policy(path: str, side: AnySide, policy: model.Leaving) -> None:
    """Retreat is decided by player realms; cavalry base dice are for Muslim ones."""
    for field in ("retreat", "retreat_at"):
        if field in policy.model_fields_set and "player" not in kinds(side):
            raise Refusal(f"{path}.{field}", "only a player realm decides to retreat; leave it out")
    if "retreat_at" in policy.model_fields_set and policy.retreat not in TIMED:
        raise Refusal(f"{path}.retreat_at", f"goes only with retreat = {' or '.join(TIMED)}")
    if isinstance(policy, model.LandPolicy) and policy.base_dice != "infantry" and not getattr(side, "muslim", False):
        raise Refusal(
            f"{path}.base_dice", f"{policy.base_dice!r} needs muslim = true on that side; others roll infantry"
        )


def check_side(name: str, side: AnySide, options: model.Options) -> None:
    """Ideas, leaders, battle actions and the main defender."""
    player = "player" in kinds(side)
    if isinstance(side, LandSide) and side.ideas and not player:
        raise Refusal(f"{name}.ideas", "only a player realm has ideas; leave them out")
    if side.leader == "draw":
        check_draw(name, side)
    if side.battle_actions and not player and not options.lend_a_helping_hand:
        text = "are a player realm's; options.lend_a_helping_hand allows them for others"
        raise Refusal(f"{name}.battle_actions", text)
    played = Counter((action.name, action.round) for action in side.battle_actions if action.name)
    for (action, at), times in played.items():
        if times > 1:
            raise Refusal(f"{name}.battle_actions", f"{action!r} is played twice in round {at}; once is allowed")
    if getattr(side, "main_defender", None) is not None:
        check_main(f"{name}.main_defender", side)


def check_draw(name: str, side: AnySide) -> None:
    """A card is drawn by NPR (on land also rebel) sides of three or more."""
    others = sorted(kinds(side) - {"npr", "rebels"})
    if others:
        raise Refusal(f"{name}.leader", f"'draw' is not for a side with {' and '.join(others)}; give dice or 'none'")
    if model.count(side) < LEAST_FOR_A_CARD:
        units = "units" if isinstance(side, LandSide) else "ships"
        raise Refusal(f"{name}.leader", f"'draw' needs at least {LEAST_FOR_A_CARD} {units}")


def check_main(path: str, side: AnySide) -> None:
    """The main defender named must be a player realm with most units."""
    players = [realm for realm in model.realms(side) if realm.kind == "player"]
    most = max((realm.count() for realm in players), default=0)
    largest = [realm.name for realm in players if realm.count() == most]
    named = getattr(side, "main_defender", None)
    if named not in largest:
        allowed = ", ".join(map(repr, largest)) or "nobody: there is no player realm"
        raise Refusal(path, f"{named!r} is not a player realm with most units; allowed: {allowed}")


def check_dice(fields: AnyBattle, part: str) -> None:
    """No roll has more than 20 dice, and dice that replace the printed ones can be told apart."""
    setup = setup_of(fields)
    for side, rows in zip(setup.sides, setup.pools, strict=True):
        most = max(sum(pool[:3]) for row in rows for pool in row)
        if most > MOST_DICE:
            raise Refusal(f"{side.where}{part}", f"{most} dice in one roll; at most {MOST_DICE} are allowed")
    if setup.dice != printed_dice():
        chain_of(setup)  # refuses dice whose results are too many to be told apart
