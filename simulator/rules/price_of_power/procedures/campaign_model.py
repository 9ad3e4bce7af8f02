"""Scenario fields of campaigns, and their refusals (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import Both, Fields, Frame
from simulator.rules.idle import KnowsIdle, refuse_idle
from simulator.rules.price_of_power import checks, model
from simulator.rules.price_of_power.procedures import crossing, npr_defence, siege
from simulator.rules.price_of_power.procedures.landing import MOST_CHOICES, Units, number_of_choices, numbers
from simulator.rules.price_of_power.state import DEAD
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.policies import refuse, refuse_if

PARTS = {"at sea": "fleet", "on land": "army", "out of port": "port_fleet"}
# The table of policies of a part.
POLICIES = {"fleet": "fleet", "army": "army", "port_fleet": "fleet"}
DEFENDING = {"fleet": model.SeaDefender, "army": model.LandDefender}
ON_A_MARCH = ("border", "march_power", "bridge", "ships_facing")
MOST_PROVINCES = 8

Landing = Literal["best-expected", "best", "custom", model.LandOrder]


class Province(siege.Besieged):
    """A province to besiege, perhaps with ships in its port."""

    port_fleet: bool = Field(False, description="defender.port_fleet lies in its port")


class Invader(Fields):
    """The invading player realm."""

    fleet: model.SeaSide | None = Field(
        None, description="ships, as a side of a naval battle; without any the army marches over land"
    )
    army: model.LandSide = Field(description="units, as a side of a land battle")


class Invaded(Fields):
    """The invaded side; every part may be absent."""

    page = "fleet, army, npr, provinces"
    fleet: model.SeaDefender | None = Field(None, description="ships, as the defender of a naval battle")
    army: model.LandDefender | None = Field(None, description="units, as the defender of a land battle")
    npr: npr_defence.Capacity | None = Field(
        None, description="in place of ships and units: those that an NPR's provinces give, as in npr-defence"
    )
    port_fleet: model.SeaDefender | None = Field(
        None, description="by sea: ships in the port of a province; they put to sea when it is taken"
    )
    provinces: Annotated[list[Province], Field(max_length=MOST_PROVINCES)] | Literal["npr"] = Field(
        [], description="provinces to besiege; npr: those of the NPR in the area that are not occupied"
    )


class InvaderPolicy(Fields):
    """Decisions of the invader."""

    page = "landing, plan, fleet, army"
    fleet: model.SeaAttackPolicy = Field(model.SeaAttackPolicy(), description="decisions in the naval battle")
    army: model.LandAttackPolicy = Field(model.LandAttackPolicy(), description="decisions in the land battle")
    landing: Landing = Field("best-expected", description="who boards or marches where there is not room for all")
    landing_units: model.LandUnits | None = Field(None, description="those who may go, and nobody else (custom)")
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """Decisions of the invaded side."""

    fleet: model.SeaPolicy = Field(model.SeaPolicy(), description="decisions in the naval battle")
    army: model.LandPolicy = Field(model.LandPolicy(), description="decisions in the land battle")


CampaignPolicies = Both[InvaderPolicy, InvadedPolicy]


class CampaignConditions(Fields):
    """Conditions of a campaign."""

    page = "siege_power, siege_actions, border, march_power, bridge"
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
    """Options of all stages."""


class Campaign(KnowsIdle, Frame):
    """Sea battle and landing, or a march; land battle, siege."""

    idle = ("options.count_rounds",)
    # Only rebels ask for unrest, and they invade nobody.
    tolerated = ("defender.provinces[i].unrest",)
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
    side, npr = getattr(fields.defender, part), None if part == "port_fleet" else fields.defender.npr
    return (side or DEFENDING[part]()).model_copy(update={"npr": npr}) if npr else side


def is_fought(fields: Campaign, part: str) -> bool:
    """The defender has a ship (fleet, port_fleet), which nobody meets on a march, or a unit (army)."""
    return model.count(defending(fields, part)) > 0 and not (part != "army" and is_march(fields))


def besieged(fields: Campaign) -> list[Province]:
    """The provinces to besiege; of an NPR those in the area that are not occupied."""
    provinces, npr = fields.defender.provinces, fields.defender.npr
    if provinces != "npr":
        return provinces
    own = [one for one in npr.provinces if one.location == "area" and not one.occupied] if npr else []
    return [Province(name=province.name, size=province.size) for province in own]


class Fleet(NamedTuple):
    """The attacker's ships after the battle at sea, those captured, and the wounds of his admiral."""

    galleys: int
    light: int
    heavy: int
    damaged: int
    captured: int
    captured_heavy: int
    wounds: int

    @property
    def own(self) -> int:
        """Own ships."""
        return self.galleys + self.light + self.heavy

    @property
    def ships(self) -> int:
        """Own and captured ships."""
        return self.own + self.captured


FLEET_COLUMNS = ("galleys_left", "light_left", "heavy_left", "damaged_left", "captured", "captured_heavy",
                 "leader_wounds")  # fmt: skip


def fleet_at_start(fields: Campaign) -> Fleet:
    """The attacker's ships before any battle."""
    side = fields.attacker.fleet or model.SeaSide()
    wounds = side.leader.wounds if isinstance(side.leader, model.Admiral) else 0
    return Fleet(side.galleys, side.light, side.heavy, side.damaged, 0, 0, wounds)


def sailing(side: model.SeaSide, fleet: Fleet) -> model.SeaSide:
    """The side of a fleet that goes on (step 5): captured heavy ships are damaged, the others are light ships."""
    leader = side.leader
    if isinstance(leader, model.Admiral):
        alive = fleet.wounds < DEAD
        leader = leader.model_copy(update={"wounds": fleet.wounds}) if alive else "none"
    ships = {
        "galleys": fleet.galleys, "light": fleet.light + fleet.captured - fleet.captured_heavy,
        "heavy": fleet.heavy + fleet.captured_heavy, "damaged": fleet.damaged + fleet.captured_heavy,
    }  # fmt: skip
    supply = max(0, side.ships_in_supply - fleet.captured)
    return side.model_copy(update={**ships, "leader": leader, "ships_in_supply": supply, "battle_actions": []})


def stage(fields: Campaign, part: str, units: Units | None = None, fleet: Fleet | None = None) -> model.AnyBattle:
    """The battle of the fleets or armies; `units` are those that get there, `fleet` is left after the battle at sea.

    By default they are all of the attacker's.
    """
    policy = Both.model_construct(**{side: getattr(getattr(fields.policy, side), POLICIES[part]) for side in SIDES})
    attacker = getattr(fields.attacker, POLICIES[part])
    if units is not None:
        attacker = attacker.model_copy(update=dict(zip(attacker.units, units, strict=True)))
    if part == "port_fleet":
        attacker = sailing(attacker, fleet or fleet_at_start(fields))
    tables: dict[str, Any] = {
        "attacker": attacker, "defender": defending(fields, part),
        "policy": policy, "options": fields.options,
    }  # fmt: skip
    if part == "army":
        return model.Land.model_construct(**tables, conditions=model.LandConditions())
    conditions = model.SeaConditions(galley_waters=fields.conditions.galley_waters)
    return model.Naval.model_construct(**tables, conditions=conditions)


def check(fields: Campaign) -> None:
    """Refuse a campaign that the rules do not allow. Raises Refusal."""
    refuse_idle(fields, "a campaign")
    check_npr(fields)
    check_way(fields)
    for part in ("army",) if is_march(fields) else ("fleet", "army"):
        kind = getattr(fields.attacker, part).kind
        only = f"{kind!r} is not allowed; only a player realm plans a campaign"
        refuse(kind != "player", f"attacker.{part}.kind", only)
        checks.check(stage(fields, part), f".{part}", SIDES[: 1 + is_fought(fields, part)])
    check_landing(fields)
    check_port(fields)


def check_npr(fields: Campaign) -> None:
    """An NPR that gives the units stands alone; its provinces can be besieged if they are few enough."""
    npr = fields.defender.npr
    for part in DEFENDING:
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


def check_port(fields: Campaign) -> None:
    """A fleet lies in the port of one province, which a campaign by sea besieges."""
    fleet, path = fields.defender.port_fleet, "defender.port_fleet"
    marked = [place for place, one in enumerate(besieged(fields)) if one.port_fleet]
    refuse(fleet and is_march(fields), path, "is for a campaign by sea; leave it out, or give attacker.fleet")
    for place in marked if not fleet else ():
        refuse(True, f"defender.provinces[{place}].port_fleet", "needs defender.port_fleet, the ships in its port")
    several = f"{len(marked)} provinces have port_fleet = true; mark the one in whose port it lies"
    refuse(fleet and len(marked) != 1, path, several)
    if fleet:
        checks.check(stage(fields, "port_fleet"), ".port_fleet", SIDES[1:], ".fleet")


def room_on_a_march(fields: Campaign) -> crossing.Moved:
    """The units that a march moves, and its power (step 2)."""
    way = fields.conditions
    return crossing.moved(fields.attacker.army.count(), way.march_power, way.border == "mountain", way.bridge)


def most_room(fields: Campaign) -> int:
    """At least the number of units that there is room for; by sea with every ship that may be captured."""
    if is_march(fields):
        return room_on_a_march(fields).units_across
    fleet, enemies = fields.attacker.fleet, model.count(defending(fields, "fleet"))
    captured = min(fleet.ships_in_supply, enemies) if fleet else 0
    return crossing.UNITS_PER_SHIP * (model.count(fleet) + captured)


def check_landing(fields: Campaign) -> None:
    """Refuse units to go without `custom` and the other way round, and more of them than the army has."""
    policy, army, path = fields.policy.attacker, fields.attacker.army, "policy.attacker.landing_units"
    own, custom = policy.landing_units, policy.landing == "custom"
    refuse(custom and own is None, path, "is needed with landing = 'custom'")
    refuse(own is not None and not custom, path, "goes only with landing = 'custom'")
    for unit in army.units if own else ():
        number, there = getattr(own, unit), getattr(army, unit)
        refuse_if(number > there, f"{path}.{unit}", number, f"the army has {there}")
    refuse(own and not any(dict(own).values()), path, "no unit goes; give at least one")
    number = number_of_choices(numbers(army), most_room(fields))
    many = f"best has {number:,} choices; at most {MOST_CHOICES:,}; name an order"
    refuse(policy.landing == "best" and number > MOST_CHOICES, "policy.attacker.landing", many)
