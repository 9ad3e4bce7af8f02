"""Refusals that the types of the model do not cover (docs/rules/price_of_power.md section 9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from simulator.rules.idle import refuse_idle
from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.dice import MOST_DICE, printed_dice
from simulator.rules.price_of_power.forces import number_of_lineups
from simulator.rules.price_of_power.model import (
    AnyBattle,
    AnyRealm,
    AnySide,
    LandDefender,
    LandFaction,
    LandPolicy,
    SeaDefender,
    SeaFaction,
    SeaPolicy,
    SeaRealm,
)
from simulator.rules.price_of_power.procedures.npr_defence import LEAST_FOR_A_CARD, check_capacity
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse, refuse_if

MOST_CARDS = 4
MOST_LINEUPS = 10_000
NOT_TOGETHER = "may not stand together with units of the side itself"


def check(fields: AnyBattle, part: str = "", sides: Sequence[str] = SIDES, policies: str = "") -> None:
    """Refuse a land or naval battle that the rules do not allow. Raises Refusal.

    `part` is the path of the battle in a campaign (".fleet", ".army"), `policies` that of its policies where that is
    another; a stage that is not fought has one of `sides`.
    """
    if not part:  # the options of a campaign serve all its stages
        refuse_idle(fields, f"a {fields.battle} battle")
    deck, galley_waters = fields.options.npr_deck, getattr(fields.conditions, "galley_waters", True)
    empty = "the deck has no cards; give at least one, or leave it out for the printed one"
    refuse(deck is not None and not sum(card.cards for card in deck), "options.npr_deck", empty)
    for name in sides:
        where, side = f"{name}{part}", getattr(fields, name)
        if isinstance(side, LandDefender | SeaDefender):
            check_defender(where, side)
        for place, realm in model.listed(side).items():
            check_realm(f"{where}{place}", realm, galley_waters)
        for number, faction in enumerate(getattr(side, "factions", None) or ()):
            check_faction(f"{where}.factions[{number}]", faction)
        refuse(model.count(side) == 0, where, f"no {side.called}; give at least one")
        policy, path = getattr(fields.policy, name), f"policy.{name}{policies or part}"
        check_policy(path, side, policy)
        check_leaders(where, path, side, policy, part)
        check_side(where, side, fields.options)
    if len(sides) == len(SIDES):
        check_dice(fields, part)


def check_defender(name: str, side: LandDefender | SeaDefender) -> None:
    """Units are given in one place only: on the side itself, in factions, or as the provinces of an NPR."""
    own = next((unit for unit in (*side.units, "damaged") if getattr(side, unit, 0)), None)
    refuse(side.factions and own, f"{name}.factions", f"{NOT_TOGETHER} ({name}.{own})")
    for field in ("kind", "defends_capital", "last_area") if side.factions else ():
        given = getattr(side, field, None) not in {"player", False, None}
        refuse(given, f"{name}.{field}", "is given for each of the factions; leave it out here")
    refuse(side.npr and side.factions, f"{name}.npr", "give either npr or factions, not both")
    check_npr(name, side)


def check_npr(name: str, realm: model.NprRealm) -> None:
    """The provinces of an NPR stand in place of its units."""
    if not realm.npr:
        return
    own = next((unit for unit in (*realm.units, "damaged") if getattr(realm, unit, 0)), None)
    refuse(own, f"{name}.npr", f"{NOT_TOGETHER} ({name}.{own})")
    check_capacity(f"{name}.npr", realm.npr, f"{name}.npr", realm.npr)
    other = "kind" in realm.model_fields_set and realm.kind != "npr"
    refuse(other, f"{name}.kind", f"{realm.kind!r} is not allowed beside npr; leave it out, or give 'npr'")


def check_faction(path: str, faction: LandFaction | SeaFaction) -> None:
    """Only a player realm among the defenders decides to retreat by itself."""
    check_npr(path, faction)
    player = model.with_capacity(faction).kind == "player"
    for field in ("retreat", "retreat_at", "can_retreat"):
        given = getattr(faction, field) is not None
        refuse(given and not player, f"{path}.{field}", "only a player realm decides to retreat; leave it out")
    untimed = faction.retreat_at is not None and faction.retreat not in model.TIMED
    refuse(untimed, f"{path}.retreat_at", f"goes only with the faction's own retreat = {' or '.join(model.TIMED)}")


def check_realm(path: str, realm: AnyRealm, galley_waters: bool) -> None:
    """Refuse units that this kind of realm does not have, fields of NPRs, galleys and damaged ships."""
    for unit in (*realm.units, "damaged"):
        wrong, number = realm.kind != "player" and unit != realm.others_have, getattr(realm, unit, 0)
        refuse_if(wrong and number, f"{path}.{unit}", number, f"{realm.kind} has only {realm.others_have}")
    for field in ("defends_capital", "last_area"):
        wrong = realm.kind != "npr" and getattr(realm, field, False)
        refuse(wrong, f"{path}.{field}", f"is for an NPR; this side's kind is {realm.kind}")
    if isinstance(realm, SeaRealm):
        most, why = f"at most the number of heavy ships, {realm.heavy}", "where conditions.galley_waters is false"
        refuse_if(realm.damaged > realm.heavy, f"{path}.damaged", realm.damaged, most)
        refuse(realm.galleys and not galley_waters, f"{path}.galleys", f"{realm.galleys} is not allowed {why}")


def check_leaders(where: str, path: str, side: AnySide, policy: LandPolicy | SeaPolicy, part: str) -> None:
    """One of several leaders is appointed in a battle of its own."""
    refuse(side.leaders and part, f"{where}.leaders", "are for a battle of its own; give the leader who is appointed")
    refuse(side.leaders and side.leader is not None, f"{where}.leaders", f"may not stand beside {where}.leader")
    refuse(policy.leader and not side.leaders, f"{path}.leader", f"goes only with {where}.leaders")
    number = policy.leader if isinstance(policy.leader, int) else 0
    allowed = f"there are {len(side.leaders or ())} leaders"
    refuse_if(number > len(side.leaders or ()), f"{path}.leader", number, allowed)


def check_policy(path: str, side: AnySide, policy: LandPolicy | SeaPolicy) -> None:
    """Only a player realm decides to retreat; only a Muslim realm rolls cavalry base dice."""
    for field in ("retreat", "retreat_at"):
        wrong = field in policy.model_fields_set and "player" not in model.kinds(side)
        refuse(wrong, f"{path}.{field}", "only a player realm decides to retreat; leave it out")
    if policy.retreat == "best":
        check_best_retreat(path, side)
    check_losses(path, side, policy)
    untimed = "retreat_at" in policy.model_fields_set and policy.retreat not in model.TIMED
    refuse(untimed, f"{path}.retreat_at", f"goes only with retreat = {' or '.join(model.TIMED)}")
    if isinstance(policy, model.LandPolicy):
        wrong = policy.base_dice != "infantry" and not side.muslim
        why = f"{policy.base_dice!r} needs muslim = true on that side; others roll infantry"
        refuse(wrong, f"{path}.base_dice", why)


def check_best_retreat(path: str, side: AnySide) -> None:
    """The best retreat is one decision of player realms that all leave or stay."""
    others = sorted(model.kinds(side) - {"player"})
    refuse(others, f"{path}.retreat", f"best is not offered with {' and '.join(others)} on the side; name a policy")
    for place, faction in enumerate(getattr(side, "factions", None) or ()):
        for field in ("retreat", "can_retreat") if faction.count() else ():
            own = f"{path.removeprefix('policy.')}.factions[{place}].{field}"
            text = f"best is not offered beside {own}; leave one of them out"
            refuse(getattr(faction, field) is not None, f"{path}.retreat", text)


def check_losses(path: str, side: AnySide, policy: LandPolicy | SeaPolicy) -> None:
    """A custom order needs its list and the other way round; best losses need line-ups that can be listed."""
    custom = policy.losses == "custom"
    refuse(custom and policy.loss_order is None, f"{path}.loss_order", "is needed with losses = 'custom'")
    refuse(policy.loss_order and not custom, f"{path}.loss_order", "goes only with losses = 'custom'")
    most = max(number_of_lineups(realm) for realm in model.listed(side).values())
    many = f"best: the {side.called} can be lost in too many ways ({most:,} line-ups); name a policy"
    refuse(policy.losses == "best" and most > MOST_LINEUPS, f"{path}.losses", many)


def check_side(name: str, side: AnySide, options: model.Options) -> None:
    """Refuse ideas, leaders, battle actions and a main defender that the side may not have."""
    player, others = "player" in model.kinds(side), sorted(model.kinds(side) - {"npr", "rebels"})
    refuse(side.ideas and not player, f"{name}.ideas", "only a player realm has ideas; leave them out")
    if side.leader == "draw":
        refuse(others, f"{name}.leader", f"'draw' is not for a side with {' and '.join(others)}; give dice or 'none'")
        few = f"'draw' needs at least {LEAST_FOR_A_CARD} {side.called}"
        refuse(model.count(side) < LEAST_FOR_A_CARD, f"{name}.leader", few)
    lent = "are a player realm's; options.lend_a_helping_hand allows them for others"
    refuse(side.battle_actions and not player and not options.lend_a_helping_hand, f"{name}.battle_actions", lent)
    played = Counter((action.name, action.round) for action in side.battle_actions if action.name)
    for (action, at), times in played.items():
        refuse(times > 1, f"{name}.battle_actions", f"{action!r} is played twice in round {at}; once is allowed")
    kept = sum(action.when == "best" for action in side.battle_actions)
    refuse(kept > MOST_CARDS, f"{name}.battle_actions", f"{kept} with when = 'best'; at most {MOST_CARDS} are allowed")
    main = getattr(side, "main_defender", None)
    players = [realm for realm in model.listed(side).values() if realm.kind == "player"]
    most = max([1, *(realm.count() for realm in players)])
    largest = [realm.name for realm in players if realm.count() == most]
    allowed = ", ".join(map(repr, largest)) or "nobody: there is no player realm"
    text = f"{main!r} is not a player realm with most units; allowed: {allowed}"
    refuse(main is not None and main not in largest, f"{name}.main_defender", text)


def check_dice(fields: AnyBattle, part: str) -> None:
    """Refuse a roll of more than 20 dice, and dice with too many different results."""
    setup = Setup(fields)
    for place, side in enumerate(setup.sides):
        pools = setup.pools(place)
        in_hand = sum(getattr(card, die) for card in setup.cards[place] for die in model.TYPES)
        most = max(sum(pool[:3]) for pool in pools) + in_hand
        refuse(most > MOST_DICE, f"{side.where}{part}", f"{most} dice in one roll; at most {MOST_DICE} are allowed")
        for pool in {*pools} if setup.dice != printed_dice() else ():
            setup.caps(place, pool)  # raises Refusal for dice with too many different results
