"""Fields of a passage, and what they refuse (docs/rules/europa_naval_and_other.md section 14)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.procedures.attrition_model import TravelConditions
from simulator.rules.europa.procedures.interception import SeaInterceptor
from simulator.rules.europa.procedures.strait_fire import Work
from simulator.rules.europa.sea.model import (
    SEA_TYPES,
    HostileSide,
    NavalOptions,
    NavalPolicy,
    NavalSide,
    SeaConditions,
    check_evasion,
    only_transports,
)
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.land_model import Technology
from simulator.rules.europa.shared.leaders import leader_of
from simulator.rules.europa.shared.stacks import size_of
from simulator.rules.europa.tables import book


class LandingFleet(NavalSide, common.Counted):
    """The fleet that carries an army."""

    land_technology: Technology = Field("musket", description="land technology of the troops")
    land_manoeuvre: common.Value = Field(0, description="manoeuvre of the troops' leader; 0 = no leader")


class HostileFleet(HostileSide, SeaInterceptor):
    """A fleet in the way."""

    stage: Literal["en-route", "landing"] = Field("en-route", description="where it tries to intercept")


class Obstacles(Fields):
    """What stands in the way."""

    blockader: HostileFleet | None = Field(None, description="fleet that blockades the port")
    interceptors: Annotated[list[HostileFleet], Field(max_length=3)] = Field(
        default_factory=list, description="fleets that may intercept, in order"
    )
    works: Annotated[list[Work], Field(max_length=4)] = Field(
        default_factory=list, description="works that fire at the fleet"
    )


class PassageConditions(TravelConditions, SeaConditions):
    """The voyage and the landing."""

    sea_attrition: bool = Field(True, description="attrition of the voyage is rolled")
    landing_in_port: bool = Field(False, description="lands in a controlled port")
    landing_attrition: bool = Field(True, description="attrition of the landing is rolled")
    mp: common.Some = Field(3, description="movement points spent")
    enemy_province: bool = Field(True, description="lands in an enemy province")


class LandingPolicy(NavalPolicy):
    """Choices of the passing side."""

    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")


class WatchingPolicy(NavalPolicy):
    """Choices of the other side."""

    engage: Literal["always", "never"] = Field("always", description="the blockader forces battle")


class PassageOptions(NavalOptions):
    """Readings (section 15)."""

    end_of_turn_plus_two: bool = Field(False, description="+2 for staying at sea at the end of the turn")
    forced_battle_win: Literal["sails-on", "stays"] = Field(
        "sails-on", description="what a fleet does that has beaten the blockader"
    )


class PassageFields(
    FrameOf[LandingFleet, Obstacles, PassageConditions, Both[LandingPolicy, WatchingPolicy], PassageOptions]
):
    """All fields of a passage, whoever asks for it."""


class Passage(PassageFields):
    """A landing past blockade, works, patrols and storms."""

    game: Literal["europa"]
    battle: Literal["passage"]


def hostile_fleets(defender: Obstacles) -> list[tuple[str, HostileFleet]]:
    """The fleets in the way with their paths."""
    found = [("defender.blockader", defender.blockader)] if defender.blockader else []
    return found + [(f"defender.interceptors[{n}]", fleet) for n, fleet in enumerate(defender.interceptors)]


def check_passage(fields: PassageFields) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, tables = fields.attacker, book(fields.options.tables)
    if not size_of(side):
        raise Refusal("attacker.land_detachments", "no troops to land; give at least one detachment or a third of one")
    if side.gold:
        raise Refusal("attacker.gold", f"{side.gold} ducats are not allowed in a passage; only troops are landed")
    for path, fleet in [("attacker", side), *hostile_fleets(fields.defender)]:
        common.check_fleet(fleet, path, fields.conditions)
        common.check_cargo(fleet, path, fields.conditions, tables)
        leader_of(fleet, tables, f"{path}.leader", SEA_TYPES)
        if path != "attacker" and only_transports(fleet):
            raise Refusal(f"{path}.warships", "only transports; a fleet in the way needs other ships")
    check_evasion(fields.policy, True)
