"""What is refused (docs/rules/kings_and_things.md section 8)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things.creatures import Creature, counted, key_of, parse
from simulator.rules.kings_and_things.cup import check_cup
from simulator.rules.kings_and_things.model import FORTS, MOST_PASSENGERS, SETTLEMENTS
from simulator.rules.kings_and_things.sides import STRUCTURES, present_sides


def check_land(fields: Any) -> None:
    """Refuse what types cannot in a land battle."""
    _people(fields)
    _items(fields)
    _structures(fields.defender)
    _orders(fields)
    if fields.conditions.unexplored:
        _unexplored(fields)
    _something_to_fight(fields.defender)


def check_free_for_all(fields: Any) -> None:
    """Refuse what types cannot in a free-for-all."""
    for name in present_sides(fields):
        if getattr(fields, name).items:
            raise Refusal(f"{name}.items", "magic items cannot be used in a free-for-all; leave them out")
    if fields.third_attacker is None and fields.policy.third_attacker != type(fields.policy.third_attacker)():
        raise Refusal("policy.third_attacker", "there is no third_attacker; leave it out")
    _people(fields)
    _items(fields)
    _structures(fields.defender)
    _orders(fields)
    _something_to_fight(fields.defender)


def check_explorer(fields: Any) -> None:
    """Refuse what types cannot of the attacker of an exploration."""
    if fields.defender.creatures:
        raise Refusal("defender.creatures", "the defender of an exploration is drawn; leave it empty")
    _people(fields)
    _items(fields)
    _orders(fields)
    check_cup(fields)


def _people(fields: Any) -> None:
    """Counters of every side: known, not too many, no special character twice."""
    seen: dict[str, str] = {}
    for name in present_sides(fields):
        creatures = parse(getattr(fields, name).creatures, f"{name}.creatures")
        if name != "defender" and not creatures:
            raise Refusal(f"{name}.creatures", "is empty; an attacker needs at least one creature")
        _stack(fields, name, len(creatures))
        for creature in creatures:
            if creature.special in seen:
                raise Refusal(
                    f"{name}.creatures",
                    f"{creature.label} is a special character and exists once; {seen[creature.special]} has it already",
                )
            if creature.special:
                seen[creature.special] = name


def _stack(fields: Any, name: str, number: int) -> None:
    limit = fields.options.stack_limit
    # A citadel's owner may stack as many as he likes.
    free = name == "defender" and getattr(fields.defender, "fort", "none") == "citadel"
    if limit and number > limit and not free:
        raise Refusal(
            f"{name}.creatures",
            f"{number} people are more than options.stack_limit = {limit}; give at most {limit}, or raise it",
        )


def _items(fields: Any) -> None:
    """Each magic item exists once; Dust of Defense is the defender's; passengers need a balloon."""
    seen: dict[str, str] = {}
    for name in present_sides(fields):
        side = getattr(fields, name)
        for item in getattr(side, "items", ()):
            if item in seen:
                raise Refusal(f"{name}.items", f"{item} exists once in the game; {seen[item]} has it already")
            seen[item] = name
        if name != "defender" and "dust-of-defense" in side.items:
            raise Refusal(f"{name}.items", "dust-of-defense is of use to the defender alone; leave it out")
        if getattr(side, "balloon_passengers", ()):
            _aboard(side, name)


def _aboard(side: Any, name: str) -> None:
    where = f"{name}.balloon_passengers"
    aboard = parse(side.balloon_passengers, where)
    if "balloon" not in side.items:
        raise Refusal(where, f"there is no balloon; add it to {name}.items or leave the passengers out")
    if len(aboard) > MOST_PASSENGERS:
        raise Refusal(where, f"{len(aboard)} passengers are too many; give at most {MOST_PASSENGERS}")
    for creature in aboard:
        if creature.value >= 4:
            raise Refusal(where, f"{creature.label} has value {creature.value}; a passenger's value is below 4")
    standing = Counter(_key(creature) for creature in parse(side.creatures, f"{name}.creatures"))
    for key, number in Counter(_key(creature) for creature in aboard).items():
        if number > standing[key]:
            label = next(creature.label for creature in aboard if _key(creature) == key)
            raise Refusal(where, f"{label} must also stand in {name}.creatures, as often as here")


def _key(creature: Creature) -> str:
    return creature.key


def _structures(defender: Any) -> None:
    for what, names in (("fort", FORTS), ("settlement", SETTLEMENTS)):
        printed = names.index(getattr(defender, what))
        damage = getattr(defender, f"{what}_damage")
        if damage > printed:
            raise Refusal(
                f"defender.{what}_damage",
                f"{damage} is more than the level of {names[printed]}; give 0 to {printed}",
            )
    if defender.income_counter and defender.settlement != "none":
        raise Refusal("defender.income_counter", "a hex has one special income counter; leave it or the settlement out")


def _something_to_fight(defender: Any) -> None:
    fort = FORTS.index(defender.fort) - defender.fort_damage
    settlement = SETTLEMENTS.index(defender.settlement) - defender.settlement_damage
    if not (defender.creatures or fort or settlement or {"golem", "firewall"} & set(defender.items)):
        raise Refusal("defender.creatures", "the defender has nothing that can fight; give creatures, a fort ...")


def _orders(fields: Any) -> None:
    """`loss_order` goes with losses = custom, and names what is on the side."""
    for name in present_sides(fields):
        side, losses = getattr(fields, name), getattr(fields.policy, name).losses
        order = getattr(side, "loss_order", [])
        if losses == "custom" and not order:
            raise Refusal(f"{name}.loss_order", f"is needed with policy.{name}.losses = custom")
        if order and losses != "custom":
            raise Refusal(f"{name}.loss_order", f"is only used with policy.{name}.losses = custom; leave it out")
        _listed(side, name, order)


def _listed(side: Any, name: str, order: list[str]) -> None:
    where = f"{name}.loss_order"
    here = {creature.key for creature in parse(side.creatures, f"{name}.creatures")}
    words = {item for item in ("firewall", "golem", "balloon") if item in getattr(side, "items", ())}
    words |= {what for what in ("fort", "settlement") if getattr(side, what, "none") != "none"}
    for text in order:
        if text.lower() in {*STRUCTURES, "golem", "balloon"}:
            known = text.lower() in words
        else:
            known = key_of(counted(text, where)[1], where) in here
        if not known:
            raise Refusal(where, f"{text!r} is not on this side; list names and codes as written in {name}.creatures")


def _unexplored(fields: Any) -> None:
    """The known inhabitants of a hex nobody owns have neither fort nor items, and nowhere to go."""
    defender = fields.defender
    if fields.policy.defender.retreat != "never":
        raise Refusal("policy.defender.retreat", "inhabitants of an unexplored hex may not retreat; give never")
    if defender.fort != "none":
        raise Refusal("defender.fort", f"{defender.fort!r} is not allowed in an unexplored hex; give none")
    if defender.items:
        raise Refusal("defender.items", "inhabitants of an unexplored hex have no magic items; leave them out")
    if fields.conditions.black_cloud:
        raise Refusal("conditions.black_cloud", "nobody owns an unexplored hex; give false")
