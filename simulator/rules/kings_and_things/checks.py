"""Refusals (docs/rules/kings_and_things.md section 8)."""

from __future__ import annotations

from collections import Counter

from simulator.rules.idle import refuse_idle
from simulator.rules.kings_and_things import model
from simulator.rules.kings_and_things.creatures import check_cup, parse
from simulator.rules.kings_and_things.sides import NAMED, order_key, present_sides
from simulator.rules.toolkit.policies import refuse

# The kinds of battle in refusals.
WHERE = {"land": "a land battle", "free-for-all": "a free-for-all", "exploration": "an exploration"}


def check(fields: model.Scenario) -> None:
    """Refuse a scenario that the rules do not allow. Raises Refusal."""
    if isinstance(fields, model.FreeForAll):
        _partisans(fields)
    refuse_idle(fields, WHERE[fields.battle])
    heroes, items = dict[str, str](), dict[str, str]()
    for name in present_sides(fields):
        side = getattr(fields, name)
        _people(fields, name, heroes)
        if not isinstance(side, model.Inhabitants):
            _items(side, name, items)
        _order(side, name, getattr(fields.policy, name).losses)
        _best_losses(fields, name)
    if isinstance(fields, model.Exploration):
        check_cup(fields)
    else:
        _structures(fields.defender)
    if isinstance(fields, model.Land) and fields.conditions.unexplored:
        # Inhabitants of a hex that nobody owns have no fort and no items, and may not retreat.
        side, stay = fields.defender, "inhabitants of an unexplored hex may not retreat; give never"
        refuse(fields.policy.defender.retreat != "never", "policy.defender.retreat", stay)
        refuse(side.fort != "none", "defender.fort", f"{side.fort!r} is not allowed in an unexplored hex; give none")
        refuse(side.items, "defender.items", "inhabitants of an unexplored hex have no magic items; leave them out")
        refuse(fields.conditions.black_cloud, "conditions.black_cloud", "nobody owns an unexplored hex; give false")


def _partisans(fields: model.FreeForAll) -> None:
    """Free-for-all: no magic items, no best policies, no policy without its side."""
    for name in present_sides(fields):
        items = getattr(fields, name).items
        refuse(items, f"{name}.items", "magic items cannot be used in a free-for-all; leave them out")
        for what in ("retreat", "losses"):
            best = getattr(getattr(fields.policy, name), what) == "best"
            refuse(best, f"policy.{name}.{what}", "best is not offered in a free-for-all")
    third = fields.policy.third_attacker
    absent = fields.third_attacker is None and third != type(third)()
    refuse(absent, "policy.third_attacker", "there is no third_attacker; leave it out")


def _people(fields: model.Scenario, name: str, owners: dict[str, str]) -> None:
    """Known counters, not too many, no special character twice."""
    where = f"{name}.creatures"
    creatures = parse(getattr(fields, name).creatures, where)
    refuse(name != "defender" and not creatures, where, "is empty; an attacker needs at least one creature")
    limit, number = fields.options.stack_limit, len(creatures)
    # A citadel has no stack limit.
    free = name == "defender" and getattr(fields.defender, "fort", "none") == "citadel"
    what = f"{number} people are more than options.stack_limit = {limit}; give at most {limit}, or raise it"
    refuse(limit and number > limit and not free, where, what)
    for hero in (creature for creature in creatures if creature.special):
        has = f"{hero.label} is a special character and exists once; {owners.get(hero.special)} has it already"
        refuse(hero.special in owners, where, has)
        owners[hero.special] = name


def _items(side: model.Side, name: str, owners: dict[str, str]) -> None:
    """Each magic item exists once; Dust of Defense is the defender's; passengers need a balloon."""
    where = f"{name}.items"
    for item in side.items:
        refuse(item in owners, where, f"{item} exists once in the game; {owners.get(item)} has it already")
        owners[item] = name
    dust = name != "defender" and "dust-of-defense" in side.items
    refuse(dust, where, "dust-of-defense is of use to the defender alone; leave it out")
    where = f"{name}.balloon_passengers"
    aboard = parse(side.balloon_passengers, where)
    absent = f"there is no balloon; add it to {name}.items or leave the passengers out"
    refuse(aboard and "balloon" not in side.items, where, absent)
    many = f"{len(aboard)} passengers are too many; give at most {model.MOST_PASSENGERS}"
    refuse(len(aboard) > model.MOST_PASSENGERS, where, many)
    standing = Counter(creature.key for creature in parse(side.creatures, f"{name}.creatures"))
    standing.subtract(creature.key for creature in aboard)
    for creature in aboard:
        heavy = f"{creature.label} has value {creature.value}; a passenger's value is below 4"
        refuse(creature.value >= 4, where, heavy)
        missing = f"{creature.label} must also stand in {name}.creatures, as often as here"
        refuse(standing[creature.key] < 0, where, missing)


def _best_losses(fields: model.Scenario, name: str) -> None:
    """`losses = best` decides on structures too, and goes with no counter of its own side that may be saved."""
    side, policy = getattr(fields, name), getattr(fields.policy, name)
    if policy.losses != "best":
        return
    heroes = {creature.special for creature in parse(side.creatures, f"{name}.creatures")}
    saves = {"the Sword Master": "sword-master" in heroes, "a talisman": "talisman" in getattr(side, "items", ())}
    for what, has in saves.items():
        undone = f"best is not offered with {what}: a saved counter may undo the choice; name a policy"
        refuse(has, f"policy.{name}.losses", undone)
    both = 'not together with losses = "best", which decides on structures too; leave it out'
    refuse("structures" in policy.model_fields_set, f"policy.{name}.structures", both)


def _structures(defender: model.Defender) -> None:
    """No damage above a level, one special income counter, something that can fight."""
    able = bool(defender.creatures or {"golem", "firewall"} & set(defender.items))
    for what, names in model.PRINTED.items():
        level, damage = names.index(getattr(defender, what)), getattr(defender, f"{what}_damage")
        text = f"{damage} is more than the level of {names[level]}; give 0 to {level}"
        refuse(damage > level, f"defender.{what}_damage", text)
        able |= damage < level
    both = defender.income_counter and defender.settlement != "none"
    refuse(both, "defender.income_counter", "a hex has one special income counter; leave it or the settlement out")
    refuse(not able, "defender.creatures", "the defender has nothing that can fight; give creatures, a fort ...")


def _order(side: model.Side | model.Inhabitants, name: str, losses: str) -> None:
    """`loss_order` goes with losses = custom, and names what is on the side."""
    where, order = f"{name}.loss_order", getattr(side, "loss_order", [])
    refuse(losses == "custom" and not order, where, f"is needed with policy.{name}.losses = custom")
    refuse(order and losses != "custom", where, f"is only used with policy.{name}.losses = custom; leave it out")
    here = {creature.key for creature in parse(side.creatures, f"{name}.creatures")}
    here |= set(NAMED) & {*getattr(side, "items", ())}
    here |= {what for what in model.PRINTED if getattr(side, what, "none") != "none"}
    for text in order:
        absent = f"{text!r} is not on this side; list names and codes as written in {name}.creatures"
        refuse(order_key(text, where) not in here, where, absent)
