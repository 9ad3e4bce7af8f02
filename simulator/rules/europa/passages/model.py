"""Fields of a passage and of an expedition (docs/rules/europa_naval_and_other.md sections 14 and 19).

An expedition carries an army past a blockade, fights ashore and besieges a fortress: any stage may be left out, but not
all. Each has the fields of its own kind (also europa_land_siege.md sections 3 and 5).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf
from simulator.rules.europa.passages.stages import in_stage, refuse_best
from simulator.rules.europa.procedures.attrition import TravelConditions
from simulator.rules.europa.procedures.blockades import Work
from simulator.rules.europa.procedures.interception import SeaInterceptor
from simulator.rules.europa.sea.model import (
    SEA_TYPES,
    FleetPolicy,
    HostileSide,
    MovingFleet,
    NavalOptions,
    SeaConditions,
    check_evasion,
    only_transports,
)
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared import land_model
from simulator.rules.europa.shared.fleets import ARMY_MINUS, ARMY_PLUS
from simulator.rules.europa.shared.land_checks import check_land, check_siege
from simulator.rules.europa.shared.leaders import leader_of
from simulator.rules.europa.shared.losses import COUNTER_FIELDS, Counters
from simulator.rules.europa.shared.stacks import LD, size_of
from simulator.rules.europa.tables import book
from simulator.rules.idle import KnowsIdle, of_table, refuse_idle, within
from simulator.rules.toolkit.policies import refuse

STAGES = ("passage", "land", "siege")
ZoneName = Annotated[str, Field(max_length=40, json_schema_extra={"takes": "a text of at most 40 characters"})]


class LandingFleet(MovingFleet):
    """The fleet that carries an army."""

    page = f"leader, technology, {common.SHIPS}, {common.TROOPS}"
    land_technology: land_model.Technology = Field("musket", description="land technology of the troops")
    land_manoeuvre: common.Value = Field(0, description="manoeuvre of the troops' leader; 0 = no leader")


class HostileFleet(HostileSide, SeaInterceptor):
    """A fleet in the way."""

    stage: Literal["en-route", "landing"] = Field("en-route", description="where it tries to intercept")


class Patrol(HostileFleet):
    """A fleet that may intercept."""

    zone: ZoneName = Field("", description="fleets of one zone fight together; a name")
    zones_entered: common.Zones | None = Field(
        None, description="zones that the moving fleet has entered when it meets him; default: all"
    )


class PassedWork(Work):
    """A work that fires at the fleet on its way."""

    zones_entered: common.Zones | None = Field(
        None, description="zones entered before it fires; default: all for straits, 0 at the port"
    )


class Obstacles(Fields):
    """The obstacles of a passage."""

    blockader: HostileFleet | None = Field(None, description="fleet that blockades the port")
    interceptors: Annotated[list[Patrol], Field(max_length=3)] = Field(
        default_factory=list, description="fleets that may intercept, in order"
    )
    works: Annotated[list[PassedWork], Field(max_length=4)] = Field(
        default_factory=list, description="works that fire at the fleet"
    )


class PassageConditions(TravelConditions, SeaConditions):
    """The voyage and the landing."""

    page = "sea, zones_entered, bad_weather, landing_in_port, period"
    sea_attrition: bool = Field(True, description="attrition of the voyage is rolled")
    retreat_zones: Annotated[int, Field(ge=1, le=60)] = Field(
        1, description="zones entered in a retreat, the port included"
    )
    landing_in_port: bool = Field(False, description="lands in a controlled port")
    landing_attrition: bool = Field(True, description="attrition of the landing is rolled")
    mp: common.Some = Field(3, description="movement points spent")
    enemy_province: bool = Field(True, description="lands in an enemy province")


class LandingPolicy(FleetPolicy):
    """Choices of the passing side."""

    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")


class WatchingPolicy(FleetPolicy):
    """Choices of the other side."""

    engage: Literal["always", "never"] = Field("always", description="the blockader forces battle")


class PassageOptions(NavalOptions):
    """Readings (section 15)."""

    end_of_turn_plus_two: bool = Field(False, description="+2 for staying at sea at the end of the turn")
    forced_battle_win: Literal["sails-on", "stays"] = Field(
        "sails-on", description="what a fleet does that has beaten the blockader"
    )
    retreat_attrition: bool = Field(True, description="a fleet that is beaten or stopped rolls attrition")


# The fate of a fleet that was met, and of its leader, matters to no later stage. A commander who is killed or wounded
# is gone.
WITHOUT_EFFECT = ("siege", "anonymous", "robust")
# A blockader is met by a blockade run, not by an interception.
NOT_RUN = ("technology_gap", "blockading", "same_zone", "landing_nearby", "in_port", "stage")
# Of a battle ashore: only the attacker's troops go on, and a general who is killed or wounded is gone.
OF_THE_BEATEN = (
    "attacker.leader.anonymous",
    *of_table("defender", "retreat_room", "leader.anonymous", "leader.robust"),
)
# Of a siege: an expedition knows no relief army.
OF_RELIEF = (
    *("defender.relief", "policy.attacker.relief", "policy.attacker.break_off", "policy.defender.break_off"),
    *of_table("options", "destruction_test", "tercios_require_army", "national_bonuses"),
    "attacker.leader.robust",
)


class PassageFields(
    KnowsIdle, FrameOf[LandingFleet, Obstacles, PassageConditions, Both[LandingPolicy, WatchingPolicy], PassageOptions]
):
    """All fields of a passage, for its own kind and for kinds with a stage of it."""

    idle = ("policy.defender.losses",)
    tolerated = (
        "attacker.leader.anonymous",
        *of_table("defender.blockader", *NOT_RUN),
        *of_table("defender.blockader.leader", *WITHOUT_EFFECT),
        *of_table("defender.interceptors[i].leader", *WITHOUT_EFFECT),
        "options.destruction_is_rout",
    )


class Passage(PassageFields):
    """A landing past blockade, works, patrols and storms."""

    game: Literal["europa"]
    battle: Literal["passage"]


def check_passage(fields: PassageFields) -> None:
    """Refuse what types cannot; raises Refusal."""
    refuse_idle(fields, "a passage")
    side, tables = fields.attacker, book(fields.options.tables)
    none = "no troops to land; give at least one detachment or a third of one"
    refuse(not size_of(side), "attacker.land_detachments", none)
    refuse(side.gold, "attacker.gold", f"{side.gold} ducats are not allowed in a passage; only troops are landed")
    fleets: dict[str, HostileSide | None] = {"attacker": side, "defender.blockader": fields.defender.blockader}
    fleets |= {f"defender.interceptors[{n}]": fleet for n, fleet in enumerate(fields.defender.interceptors)}
    for path, fleet in fleets.items():
        if fleet is None:
            continue
        common.check_fleet(fleet, path, fields.conditions)
        common.check_cargo(fleet, path, fields.conditions, tables)
        leader_of(fleet, tables, f"{path}.leader", SEA_TYPES)
        harmless = path != "attacker" and only_transports(fleet)
        refuse(harmless, f"{path}.warships", "only transports; a fleet in the way needs other ships")
    check_evasion(fields.policy, True)
    check_zones(fields.defender.interceptors)


def check_zones(patrols: Sequence[Patrol]) -> None:
    """Refuse zones at the landing, which is one, and gold and troops in one zone. Raises Refusal."""
    for n, patrol in enumerate(patrols):
        path = f"defender.interceptors[{n}]"
        for name in ("zone", "zones_entered") if patrol.stage == "landing" else ():
            given = getattr(patrol, name)
            text = f"only en route; {given!r} is not allowed with stage landing, where all fight in one zone"
            refuse(given not in ("", None), f"{path}.{name}", text)
        with_troops = any(size_of(other) for other in patrols if zone_of(other) and zone_of(other) == zone_of(patrol))
        refuse(patrol.gold and with_troops, f"{path}.gold", "not allowed in a zone with troops; give one or the other")


def zone_of(patrol: Patrol) -> str:
    """The zone that a patrol shares with others; "": a zone of its own."""
    return "landing" if patrol.stage == "landing" else f"zone {patrol.zone}" if patrol.zone else ""


class Expedition(KnowsIdle):
    """A landing, a battle ashore and a siege."""

    tolerated = (
        *within("passage", (*PassageFields.idle, *PassageFields.tolerated)),
        *within("land", (*land_model.LandFields.tolerated, *OF_THE_BEATEN)),
        *within("siege", (path for path in land_model.CampaignFields.tolerated if ".relief." not in path)),
        *within("siege", OF_RELIEF),
    )
    game: Literal["europa"]
    battle: Literal["expedition"]
    passage: PassageFields | None = Field(None, description="the voyage, as the kind passage")
    land: land_model.LandFields | None = Field(None, description="the battle ashore, as the kind land")
    siege: land_model.CampaignFields | None = Field(None, description="the siege, as the kind siege-campaign")


def stages_of(fields: Expedition) -> list[str]:
    """The stages that are given, in order."""
    return [name for name in STAGES if getattr(fields, name) is not None]


def troops_of(fields: Expedition) -> LandingFleet | land_model.FieldArmy:
    """The side that brings the troops: the attacker of the first stage."""
    return getattr(fields, stages_of(fields)[0]).attacker


def with_troops(fields: Expedition, name: str, counters: Sequence[int], **changes: Mapping[str, object]) -> Any:
    """The fields of a stage with these troops, as its kind takes them."""
    kind: Any = land_model.Land if name == "land" else land_model.Campaign
    stage = getattr(fields, name)
    data = {key: getattr(stage, key) for key in ("defender", "policy", "options")}
    side: dict[str, object] = {**dict(zip(COUNTER_FIELDS, counters, strict=True)), **changes.get("attacker", {})}
    return kind.model_construct(
        game="europa",
        battle="land" if name == "land" else "siege-campaign",
        attacker=stage.attacker.model_copy(update=side),
        conditions=stage.conditions.model_copy(update=changes.get("conditions", {})),
        **data,
    )


def check_stages(fields: Expedition) -> None:
    """Refuse what types cannot, each stage at full strength; raises Refusal."""
    given = stages_of(fields)
    refuse(not given, "passage", "no stage is given; give at least one of passage, land, siege")
    for name in given:
        stage = getattr(fields, name)
        for counter in (*COUNTER_FIELDS, "pasha_detachments", "converted_natives_thirds") if name != given[0] else ():
            given_twice = getattr(stage.attacker, counter, 0)
            refuse(given_twice, f"{name}.attacker.{counter}", f"not allowed: the troops come from {given[0]}")
        crosses = given[0] == "passage" and name == "land" and stage.conditions.crossing != "none"
        refuse(crosses, "land.conditions.crossing", "not allowed after a passage: the troops land")
        refuse_best(name, stage.policy, "an expedition")
        relieved = name == "siege" and stage.defender.relief is not None
        refuse(relieved, "siege.defender.relief", "not in an expedition")
    side = troops_of(fields)
    refuse(not size_of(side), f"{given[0]}.attacker.land_detachments", "no troops; give at least one detachment")
    counters = Counters.of(side)
    plus, minus = counters[:2]
    # Pashas and recruits of the battle ashore besiege as plain troops.
    besiegers = [plus, minus, *divmod(size_of(side) - ARMY_PLUS * plus - ARMY_MINUS * minus, LD)]
    for name in given:
        with in_stage(name):
            if fields.passage and name == "passage":
                check_passage(fields.passage)
            elif name == "land":
                check_land(with_troops(fields, name, counters))
            else:
                check_siege(with_troops(fields, name, besiegers))
