"""Fields of attrition, and what they refuse (docs/rules/europa_naval_and_other.md section 4)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import TECHNOLOGIES
from simulator.rules.europa.shared.land_model import Period, Region
from simulator.rules.europa.shared.stacks import TECHNOLOGIES as LAND_TECHNOLOGIES
from simulator.rules.europa.shared.stacks import size_of
from simulator.rules.europa.tables import book

AnyTechnology = Literal[
    "medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war",
    "galley", "carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four",
]  # fmt: skip


class Attriter(common.Laden, common.Counted):
    """The stack or fleet that moves, waits or besieges."""

    pashas: Annotated[int, Field(ge=0, le=3)] = Field(0, description="pashas in the stack")
    pasha_detachments: Annotated[int, Field(ge=0, le=12)] = Field(0, description="LD brought by pashas")
    technology: AnyTechnology | None = Field(
        None, description="land technology (default musket), for movement-sea naval technology (nao-galleon)"
    )
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    siege: common.Value = Field(0, description="siege value of the leader")


class VoyageConditions(Fields):
    """What makes a voyage dangerous."""

    sea_difficulty: common.Some = Field(0, description="greatest difficulty of the zones entered")
    malus: common.Some = Field(0, description="sum over the zones entered")
    zones_entered: common.Zones = Field(1, description="zones and ports entered")
    supply_distance: common.Zones = Field(1, description="zones to the own port at the start; adjacent = 1")
    arsenal_to_arsenal: bool = Field(False, description="the voyage goes from arsenal to arsenal")
    bad_weather: bool = Field(False, description="bad weather")
    strait_drm: common.Some = Field(0, description="sum for closed straits")
    works_crossed: common.Some = Field(0, description="works crossed in a retreat")
    corsairs_minus: common.Some = Field(0, description="unfriendly corsair- on the path")
    corsairs_plus: common.Some = Field(0, description="unfriendly corsair+ on the path")
    blockading: bool = Field(False, description="blockades a port at the start")
    fortress_level: common.Level = Field(0, description="level of the fortress that is blockaded")
    end_of_turn_at_sea: bool = Field(False, description="stays at sea at the end of the turn")


class CountryConditions(Fields):
    """What wears troops out."""

    no_supply_line: bool = Field(False, description="no supply line")
    enemy_province: bool = Field(False, description="enters or stays in an enemy province")
    pillages_minus: common.Some = Field(0, description="PILLAGE- in the province")
    pillages_plus: common.Some = Field(0, description="PILLAGE+ in the province")
    cold: common.Some = Field(0, description="sum of cold-area maluses")
    pillage_possible: bool = Field(True, description="can a pillage be placed?")
    mp: common.Some = Field(0, description="movement points spent")
    no_logistics: bool = Field(False, description="without logistics")


class TravelConditions(VoyageConditions, CountryConditions):
    """A voyage, and what wears troops out where it ends."""


class AttritionConditions(TravelConditions):
    """Which attrition, and all that bears on it."""

    procedure: Literal["movement-land", "supply", "siege", "movement-sea"] = Field(
        "movement-land", description="kind of attrition"
    )
    region: Region = Field("europe", description="europe or the rest of the world")
    period: Period = Field("III", description="period of the game")
    sea: common.SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    revolts_minus: common.Some = Field(0, description="REVOLT- and rebellions")
    revolts_plus: common.Some = Field(0, description="REVOLT+")
    causes: Annotated[int, Field(ge=0, le=6)] = Field(0, description="supply: causes of weak supply")
    landing_without_port: bool = Field(False, description="embarks or lands outside a controlled port")
    between_interceptions: bool = Field(False, description="rolled between interceptions")
    enemy_siege: common.Value = Field(0, description="siege: siege value of the enemy")
    unblockaded_port: bool = Field(False, description="siege: the port is open")
    siegeworks_minus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks-")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks+")


class AttritionPolicy(Fields):
    """Choices of the actor."""

    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")
    losses: common.LossOrder = Field("auto", description="movement-sea: what is lost first")


class AttritionOptions(common.TableOptions):
    """Readings (section 15)."""

    movement_causes: Literal["finished", "draft"] = Field(
        "finished", description="third cause: mp >= 3 in bad weather (finished) or without logistics (draft)"
    )
    end_of_turn_plus_two: bool = Field(False, description="+2 for staying at sea at the end of the turn")


class Attrition(
    FrameOf[Attriter, common.NoPolicy, AttritionConditions, Both[AttritionPolicy, common.NoPolicy], AttritionOptions]
):
    """Attrition of a stack or fleet."""

    game: Literal["europa"]
    battle: Literal["attrition"]


def check_attrition(fields: Attrition) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, tables = fields.attacker, book(fields.options.tables)
    sea = fields.conditions.procedure == "movement-sea"
    offered = TECHNOLOGIES if sea else LAND_TECHNOLOGIES
    if side.technology is not None and side.technology not in offered:
        raise Refusal(
            "attacker.technology",
            f"{side.technology!r} is not allowed with {fields.conditions.procedure}; must be one of "
            f"{', '.join(offered)}",
        )
    if side.pasha_detachments and not side.pashas:
        raise Refusal("attacker.pasha_detachments", f"{side.pasha_detachments} is not allowed without pashas")
    if sea:
        common.check_fleet(side, "attacker", fields.conditions)
        common.check_cargo(side, "attacker", fields.conditions, tables)
        return
    common.check_class(side, "attacker")
    if not size_of(side):
        raise Refusal("attacker.land_detachments", "no troops; give at least one detachment")
    if side.exploration_detachments and fields.conditions.region == "europe":
        raise Refusal(
            "attacker.exploration_detachments",
            f"{side.exploration_detachments} is not allowed in Europe; only with conditions.region rotw",
        )
