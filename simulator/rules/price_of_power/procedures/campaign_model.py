"""Scenario fields of campaigns, and their refusals (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, Frame
from simulator.rules.price_of_power import checks, model
from simulator.rules.price_of_power.forces import TYPES_HIT
from simulator.rules.price_of_power.procedures import crossing, npr_defence, siege
from simulator.rules.toolkit.naming import SIDES
from simulator.rules.toolkit.policies import refuse, refuse_if

BOARDING = ("", "mercenary_", "allied_")
PARTS = {"at sea": "fleet", "on land": "army"}
DEFENDING = {"fleet": model.SeaDefender, "army": model.LandDefender}
ON_A_MARCH = ("border", "march_power", "bridge", "ships_facing")
MOST_PROVINCES = 8


class Invader(Fields):
    """The invading player realm."""

    fleet: model.SeaSide | None = Field(
        None, description="ships, as a side of a naval battle; without any the army marches over land"
    )
    army: model.LandSide = Field(description="units, as a side of a land battle")


class Invaded(Fields):
    """The invaded side; every part may be absent."""

    fleet: model.SeaDefender | None = Field(None, description="ships, as the defender of a naval battle")
    army: model.LandDefender | None = Field(None, description="units, as the defender of a land battle")
    npr: npr_defence.Capacity | None = Field(
        None, description="in place of ships and units: those that an NPR's provinces give, as in npr-defence"
    )
    provinces: Annotated[list[siege.Besieged], Field(max_length=MOST_PROVINCES)] | Literal["npr"] = Field(
        [], description="provinces to besiege; npr: those of the NPR in the area that are not occupied"
    )


class InvaderPolicy(Fields):
    """Decisions of the invader."""

    fleet: model.SeaAttackPolicy = Field(model.SeaAttackPolicy(), description="decisions in the naval battle")
    army: model.LandAttackPolicy = Field(model.LandAttackPolicy(), description="decisions in the land battle")
    landing: model.LandOrder = Field("infantry-first", description="the order in which types board or march")
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """Decisions of the invaded side."""

    fleet: model.SeaPolicy = Field(model.SeaPolicy(), description="decisions in the naval battle")
    army: model.LandPolicy = Field(model.LandPolicy(), description="decisions in the land battle")


CampaignPolicies = Both[InvaderPolicy, InvadedPolicy]


class CampaignConditions(Fields):
    """Conditions of a campaign."""

    siege_power: siege.Power = Field(99, description="military power that may be spent on sieges")
    siege_actions: siege.Actions = Field(1, description="siege actions (turns) allowed")
    galley_waters: bool = Field(True, description="may galleys fight here")
    border: crossing.BorderKind = Field("open", description="march: the border into the area")
    march_power: int = Field(99, ge=1, le=99, description="march: military power for it; 1 is the activation itself")
    bridge: crossing.Bridge = Field(
        [], description="march: friendly ships in each sea zone crossed; none: no sea between"
    )
    ships_facing: bool = Field(False, description="march: an own ship lies in a sea zone that an island's port faces")


class CampaignOptions(siege.SiegeOptions, model.Options):
    """Options of all stages; rounds are not counted."""

    count_rounds: bool = Field(False, description="refused: rounds are not counted")


class Campaign(Frame):
    """Sea battle and landing, or a march; land battle, siege."""

    game: Literal["price-of-power"]
    battle: Literal["campaign"]
    attacker: Invader = Field(description="the invading player realm")
    defender: Invaded = Field(description="the invaded side")
    conditions: CampaignConditions = Field(CampaignConditions(), description="conditions of the campaign")
    policy: CampaignPolicies = Field(CampaignPolicies(), description="what each side decides")
    options: CampaignOptions = Field(CampaignOptions(), description="dice, deck and readings")


def is_march(fields: Campaign) -> bool:
    """The attacker has no ship: his army marches over land."""
    return model.count(fields.attacker.fleet) == 0


def defending(fields: Campaign, part: str) -> model.LandDefender | model.SeaDefender | None:
    """The defending fleet or army; its units are those of `defender.npr` if that is given."""
    side, npr = getattr(fields.defender, part), fields.defender.npr
    return (side or DEFENDING[part]()).model_copy(update={"npr": npr}) if npr else side


def is_fought(fields: Campaign, part: str) -> bool:
    """The defender has a ship (fleet), which nobody meets on a march, or a unit (army)."""
    return model.count(defending(fields, part)) > 0 and not (part == "fleet" and is_march(fields))


def besieged(fields: Campaign) -> list[siege.Besieged]:
    """The provinces to besiege; of an NPR those in the area that are not occupied."""
    provinces, npr = fields.defender.provinces, fields.defender.npr
    if provinces != "npr":
        return provinces
    own = [one for one in npr.provinces if one.location == "area" and not one.occupied] if npr else []
    return [siege.Besieged(name=province.name, size=province.size) for province in own]


def stage(fields: Campaign, part: str, army: model.LandSide | None = None) -> model.AnyBattle:
    """The battle of the fleets or armies; `army` holds the units that get there, by default all."""
    policy = Both.model_construct(**{side: getattr(getattr(fields.policy, side), part) for side in SIDES})
    tables: dict[str, Any] = {
        "attacker": army or getattr(fields.attacker, part), "defender": defending(fields, part),
        "policy": policy, "options": fields.options,
    }  # fmt: skip
    if part == "army":
        return model.Land.model_construct(**tables, conditions=model.LandConditions())
    conditions = model.SeaConditions(galley_waters=fields.conditions.galley_waters)
    return model.Naval.model_construct(**tables, conditions=conditions)


def check(fields: Campaign) -> None:
    """Refuse a campaign that the rules do not allow. Raises Refusal."""
    counted = "count_rounds" in fields.options.model_fields_set
    refuse(counted, "options.count_rounds", "is not for a campaign; leave it out")
    check_npr(fields)
    check_way(fields)
    for part in ("army",) if is_march(fields) else PARTS.values():
        kind = getattr(fields.attacker, part).kind
        only = f"{kind!r} is not allowed; only a player realm plans a campaign"
        refuse(kind != "player", f"attacker.{part}.kind", only)
        checks.check(stage(fields, part), f".{part}", SIDES[: 1 + is_fought(fields, part)])


def check_npr(fields: Campaign) -> None:
    """An NPR that gives the units stands alone; its provinces can be besieged if they are few enough."""
    npr = fields.defender.npr
    for part in PARTS.values():
        side = getattr(fields.defender, part)
        if not (npr and side):
            continue
        own = next((name for name in (*side.units, "damaged", "factions", "npr") if getattr(side, name, None)), "")
        refuse(own, f"defender.{part}.{own}", "may not stand beside defender.npr, which gives the units")
        other = "kind" in side.model_fields_set and side.kind != "npr"
        refuse_if(other, f"defender.{part}.kind", repr(side.kind), "leave it out beside defender.npr, or give 'npr'")
    if npr:
        npr_defence.check_capacity("defender.npr", npr, "defender.npr", npr)
    wanted, number = fields.defender.provinces == "npr", len(besieged(fields))
    refuse(wanted and not npr, "defender.provinces", "'npr' needs defender.npr")
    many = f"{number} provinces in the area of the NPR; at most {MOST_PROVINCES} are allowed"
    refuse(number > MOST_PROVINCES, "defender.provinces", many)


def check_way(fields: Campaign) -> None:
    """Refuse ships and their policies on a march, and fields of a march by sea."""
    if not is_march(fields):
        for name in ON_A_MARCH:
            given = name in fields.conditions.model_fields_set
            refuse(given, f"conditions.{name}", "is for a march; leave it out, or leave out attacker.fleet")
        return
    none = "there is no battle at sea without attacker.fleet; leave it out"
    refuse(model.count(fields.defender.fleet), "defender.fleet", none)
    for side in SIDES:
        given = getattr(fields.policy, side).fleet.model_fields_set
        refuse(given, f"policy.{side}.fleet", none)


def landing(fields: Campaign, room: int) -> model.LandSide:
    """The units that land in `room` places: types in landing order, each regular, mercenary, allied (step 2)."""
    army, units = fields.attacker.army, dict[str, int]()
    for which in TYPES_HIT[fields.policy.attacker.landing]:
        for name in (f"{prefix}{model.TYPES[which]}" for prefix in BOARDING):
            if name in army.units:
                units[name] = min(getattr(army, name), room)
                room -= units[name]
    return army.model_copy(update=units)
