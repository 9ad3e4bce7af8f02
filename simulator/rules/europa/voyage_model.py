"""Fields of attrition, interception, blockade runs, strait fire, corsair raids and logistics, and what they refuse.

docs/rules/europa_naval_and_other.md sections 4 to 8 and 13.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Fields, Refusal
from simulator.rules.europa.fleets import TECHNOLOGIES, fleet_of
from simulator.rules.europa.naval_model import (
    Counted,
    Laden,
    LossOrder,
    NavalTechnology,
    Period,
    Region,
    SeaKind,
    Ship,
    TableOptions,
    Value,
    check_cargo,
    check_class,
    check_fleet,
)
from simulator.rules.europa.stacks import TECHNOLOGIES as LAND_TECHNOLOGIES
from simulator.rules.europa.stacks import size_of
from simulator.rules.europa.tables import book

Some = Annotated[int, Field(ge=0, le=20)]
Level = Annotated[int, Field(ge=0, le=5)]
Zones = Annotated[int, Field(ge=0, le=60)]
AnyTechnology = Literal[
    "medieval", "renaissance", "arquebus", "musket", "baroque", "manoeuvre", "lace-war",
    "galley", "carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four",
]  # fmt: skip
LAND, SEA = ("movement-land", "supply", "siege"), ("movement-sea",)


class NoPolicy(Fields):
    """This side has no choice."""


class Attriter(Laden, Counted):
    """The stack or fleet that moves, waits or besieges."""

    pashas: Annotated[int, Field(ge=0, le=3)] = Field(0, description="pashas in the stack")
    pasha_detachments: Annotated[int, Field(ge=0, le=12)] = Field(0, description="LD brought by pashas")
    technology: AnyTechnology | None = Field(
        None, description="land technology (default musket), for movement-sea naval technology (nao-galleon)"
    )
    manoeuvre: Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    siege: Value = Field(0, description="siege value of the leader")


class VoyageConditions(Fields):
    """What makes a voyage dangerous."""

    sea_difficulty: Some = Field(0, description="greatest difficulty of the zones entered")
    malus: Some = Field(0, description="sum over the zones entered")
    zones_entered: Zones = Field(1, description="zones and ports entered")
    supply_distance: Zones = Field(1, description="zones to the own port at the start; adjacent = 1")
    arsenal_to_arsenal: bool = Field(False, description="the voyage goes from arsenal to arsenal")
    bad_weather: bool = Field(False, description="bad weather")
    strait_drm: Some = Field(0, description="sum for closed straits")
    works_crossed: Some = Field(0, description="works crossed in a retreat")
    corsairs_minus: Some = Field(0, description="unfriendly corsair- on the path")
    corsairs_plus: Some = Field(0, description="unfriendly corsair+ on the path")
    blockading: bool = Field(False, description="blockades a port at the start")
    fortress_level: Level = Field(0, description="level of the fortress that is blockaded")
    end_of_turn_at_sea: bool = Field(False, description="stays at sea at the end of the turn")


class CountryConditions(Fields):
    """What wears troops out."""

    no_supply_line: bool = Field(False, description="no supply line")
    enemy_province: bool = Field(False, description="enters or stays in an enemy province")
    pillages_minus: Some = Field(0, description="PILLAGE- in the province")
    pillages_plus: Some = Field(0, description="PILLAGE+ in the province")
    cold: Some = Field(0, description="sum of cold-area maluses")
    pillage_possible: bool = Field(True, description="can a pillage be placed?")
    mp: Some = Field(0, description="movement points spent")
    no_logistics: bool = Field(False, description="without logistics")


class AttritionConditions(VoyageConditions, CountryConditions):
    """Which attrition, and all that bears on it."""

    procedure: Literal["movement-land", "supply", "siege", "movement-sea"] = Field(
        "movement-land", description="kind of attrition"
    )
    region: Region = Field("europe", description="europe or the rest of the world")
    period: Period = Field("III", description="period of the game")
    sea: SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    revolts_minus: Some = Field(0, description="REVOLT- and rebellions")
    revolts_plus: Some = Field(0, description="REVOLT+")
    causes: Annotated[int, Field(ge=0, le=6)] = Field(0, description="supply: causes of weak supply")
    landing_without_port: bool = Field(False, description="embarks or lands outside a controlled port")
    between_interceptions: bool = Field(False, description="rolled between interceptions")
    enemy_siege: Value = Field(0, description="siege: siege value of the enemy")
    unblockaded_port: bool = Field(False, description="siege: the port is open")
    siegeworks_minus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks-")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="siege: siegeworks+")


class AttritionPolicy(Fields):
    """Choices of the actor."""

    pillage: Literal["pillage", "lose-detachment"] = Field("pillage", description="result P with musket or better")
    losses: LossOrder = Field("auto", description="movement-sea: what is lost first")


class AttritionPolicies(Fields):
    """Choices."""

    attacker: AttritionPolicy = Field(default_factory=AttritionPolicy)
    defender: NoPolicy = Field(default_factory=NoPolicy)


class AttritionOptions(TableOptions):
    """Readings (section 15)."""

    movement_causes: Literal["finished", "draft"] = Field(
        "finished", description="third cause: mp >= 3 in bad weather (finished) or without logistics (draft)"
    )
    end_of_turn_plus_two: bool = Field(False, description="+2 for staying at sea at the end of the turn")


class Attrition(Fields):
    """An attrition roll."""

    game: Literal["europa"]
    battle: Literal["attrition"]
    attacker: Attriter = Field(default_factory=Attriter)
    defender: NoPolicy = Field(default_factory=NoPolicy)
    conditions: AttritionConditions = Field(default_factory=AttritionConditions)
    policy: AttritionPolicies = Field(default_factory=AttritionPolicies)
    options: AttritionOptions = Field(default_factory=AttritionOptions)


def check_attrition(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, tables = fields.attacker, book(fields.options.tables)
    sea = fields.conditions.procedure in SEA
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
        check_fleet(side, "attacker", fields.conditions)
        check_cargo(side, "attacker", fields.conditions, tables)
        return
    check_class(side, "attacker")
    if not size_of(side):
        raise Refusal("attacker.land_detachments", "no troops; give at least one detachment")
    if side.exploration_detachments and fields.conditions.region == "europe":
        raise Refusal(
            "attacker.exploration_detachments",
            f"{side.exploration_detachments} is not allowed in Europe; only with conditions.region rotw",
        )


class SeaInterceptor(Fields):
    """A fleet that may intercept."""

    technology: NavalTechnology = Field("nao-galleon", description="naval technology")
    technology_gap: Annotated[int, Field(ge=0, le=10)] = Field(0, description="levels ahead of the moving stack")
    blockading: bool = Field(False, description="blockades a port")
    same_zone: bool = Field(False, description="at sea in the same zone")
    landing_nearby: bool = Field(False, description="a landing is announced near it")
    in_port: bool = Field(False, description="in a port that is no arsenal")


class Interceptor(SeaInterceptor):
    """A stack that may intercept, at sea or on land."""

    manoeuvre: Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    same_province: bool = Field(False, description="land: in the same province")
    river_or_pass: bool = Field(False, description="land: across a river or a pass")
    from_swamp_or_flooded: bool = Field(False, description="land: comes from a swamp or flooded province")
    besieging: bool = Field(False, description="land: besieges a fortress")
    automatic: bool = Field(False, description="needs no roll")


class Interceptors(Interceptor):
    """One interceptor, or several."""

    interceptors: Annotated[list[Interceptor], Field(max_length=6)] = Field(
        default_factory=list, description="several interceptors in place of the fields here"
    )


class Moving(Fields):
    """The stack that moves."""

    manoeuvre: Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    counter_interceptors: Annotated[list[Interceptor], Field(max_length=6)] = Field(
        default_factory=list, description="land: stacks that come to help"
    )


class InterceptionConditions(Fields):
    """Where, and what bears on it."""

    where: Literal["sea", "land"] = Field("sea", description="at sea or on land")
    bad_weather: bool = Field(False, description="bad weather")
    automatic: bool = Field(False, description="no roll: a forced battle, or an attack on a blockading fleet")
    friendly_force_or_city: bool = Field(False, description="land: a friendly force or city in the target")
    target_swamp: bool = Field(False, description="land: the target is a swamp")
    other_enemy_force: bool = Field(False, description="land: another unbesieged enemy force there")
    counter_friendly_force_or_city: bool = Field(False, description="the same for counter-interceptors")
    counter_other_enemy_force: bool = Field(False, description="the same for counter-interceptors")


class NoPolicies(Fields):
    """No choices."""

    attacker: NoPolicy = Field(default_factory=NoPolicy)
    defender: NoPolicy = Field(default_factory=NoPolicy)


class Interception(Fields):
    """An interception."""

    game: Literal["europa"]
    battle: Literal["interception"]
    attacker: Interceptors = Field(default_factory=Interceptors)
    defender: Moving = Field(default_factory=Moving)
    conditions: InterceptionConditions = Field(default_factory=InterceptionConditions)
    policy: NoPolicies = Field(default_factory=NoPolicies)
    options: TableOptions = Field(default_factory=TableOptions)


def check_interception(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    book(fields.options.tables)
    if fields.conditions.where == "sea" and fields.defender.counter_interceptors:
        raise Refusal("defender.counter_interceptors", "not allowed at sea; only with conditions.where land")


class Runner(Ship):
    """Ships that run or keep a blockade."""

    technology: NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: Value = Field(0, description="manoeuvre of the leader; 0 = no leader")


class RunningSide(Runner):
    """Ships, or a corsair, that run a blockade."""

    corsair: bool = Field(False, description="a corsair runs, not a fleet")


class RunConditions(Fields):
    """Which way."""

    direction: Literal["leave", "enter"] = Field("leave", description="information only")


class BlockaderPolicy(Fields):
    """Choices of the blockader."""

    engage: Literal["always", "never"] = Field("always", description="force battle on a fleet that is caught")


class BlockadePolicies(Fields):
    """Choices."""

    attacker: NoPolicy = Field(default_factory=NoPolicy)
    defender: BlockaderPolicy = Field(default_factory=BlockaderPolicy)


class BlockadeRun(Fields):
    """A run past a blockade."""

    game: Literal["europa"]
    battle: Literal["blockade-run"]
    attacker: RunningSide = Field(default_factory=RunningSide)
    defender: Runner = Field(default_factory=Runner)
    conditions: RunConditions = Field(default_factory=RunConditions)
    policy: BlockadePolicies = Field(default_factory=BlockadePolicies)
    options: TableOptions = Field(default_factory=TableOptions)


def check_blockade_run(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    book(fields.options.tables)
    if not fields.attacker.corsair:
        check_fleet(fields.attacker, "attacker", fields.conditions)
    check_fleet(fields.defender, "defender", fields.conditions)


class Work(Fields):
    """A work that fires at passing fleets."""

    work: Literal["presidio", "strait-europe", "strait-rotw", "siegeworks"] = Field(
        "presidio", description="kind of work"
    )
    level: Level = Field(1, description="level of a presidio or of a strait fortress overseas")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="large siegeworks")


class Passing(Ship, Counted):
    """The passing fleet or corsair."""

    corsair_sides: Annotated[int, Field(ge=0, le=2)] = Field(0, description="a corsair in place of ships: its sides")
    loaded: bool = Field(False, description="troops or gold aboard")


class LosingPolicy(Fields):
    """Choices of the passing fleet."""

    losses: LossOrder = Field("auto", description="what is lost first")


class PassingPolicies(Fields):
    """Choices."""

    attacker: NoPolicy = Field(default_factory=NoPolicy)
    defender: LosingPolicy = Field(default_factory=LosingPolicy)


class StraitFire(Fields):
    """A work fires at a passing fleet."""

    game: Literal["europa"]
    battle: Literal["strait-fire"]
    attacker: Work = Field(default_factory=Work)
    defender: Passing = Field(default_factory=Passing)
    conditions: NoPolicy = Field(default_factory=NoPolicy)
    policy: PassingPolicies = Field(default_factory=PassingPolicies)
    options: TableOptions = Field(default_factory=TableOptions)


def check_strait_fire(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, ships = fields.defender, fleet_of(fields.defender).thirds
    book(fields.options.tables)
    if not ships and not side.corsair_sides:
        raise Refusal("defender.warships", "nothing passes; give ships or corsair_sides")
    if ships and side.corsair_sides:
        raise Refusal("defender.corsair_sides", f"{side.corsair_sides} is not allowed together with ships")


class Raider(SeaInterceptor):
    """A corsair+ that lies in wait."""

    manoeuvre: Value | None = Field(None, description="manoeuvre of its leader; none given = no leader")
    pirates: bool = Field(True, description="pirates, who keep nothing")
    knights: bool = Field(False, description="knights")


class TreasureFleet(Ship, Counted):
    """The stack with gold."""

    technology: NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    gold: Annotated[int, Field(ge=0, le=500)] = Field(0, description="ducats aboard; needed")


class RaidConditions(Fields):
    """What is about."""

    bad_weather: bool = Field(False, description="bad weather")
    naval_battle_this_turn: bool = Field(False, description="there was a naval battle here this turn")
    corsair_port: bool = Field(False, description="an open port or haven friendly to the corsair")
    other_corsairs_plus: Some = Field(0, description="other corsair+ in the zone")
    enemy_naval: Literal["none", "detachment", "fleet_minus", "fleet_plus"] = Field(
        "none", description="largest naval force of the escort's enemies in the zone"
    )
    knights_port: bool = Field(False, description="the knights have a Christian port")


class RaidOptions(TableOptions):
    """Readings (section 15)."""

    lone_minus_bonus: bool = Field(True, description="+3 for a lone small corsair also after it was reduced")


class CorsairRaid(Fields):
    """A corsair attacks a stack with gold."""

    game: Literal["europa"]
    battle: Literal["corsair-raid"]
    attacker: Raider = Field(default_factory=Raider)
    defender: TreasureFleet = Field(default_factory=TreasureFleet)
    conditions: RaidConditions = Field(default_factory=RaidConditions)
    policy: NoPolicies = Field(default_factory=NoPolicies)
    options: RaidOptions = Field(default_factory=RaidOptions)


def check_corsair_raid(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.defender
    book(fields.options.tables)
    check_fleet(side, "defender", fields.conditions)
    if not side.gold:
        raise Refusal("defender.gold", "0 is not allowed; give the ducats aboard")
    room = fleet_of(side).half_points
    if 2 * -(-side.gold // 5) > room:
        raise Refusal(
            "defender.transports",
            f"{side.gold} ducats need {-(-side.gold // 5)} transport points and the ships provide {room / 2:g}; give "
            "more transports",
        )


class Supplier(Laden, Counted):
    """A fleet that supplies, blockades or carries."""

    convoy_transports: Zones = Field(0, description="transports of a convoy: they neither supply nor blockade")


class LogisticsConditions(Fields):
    """What is asked."""

    period: Period = Field("III", description="period of the game")
    fortress_level: Level = Field(0, description="fortress to blockade; 0 = fort")
    port: Literal["arsenal", "port", "fort"] = Field("arsenal", description="port that should hold the fleet")
    supplied_detachments: Zones = Field(0, description="LD to be supplied")
    supplied_army: bool = Field(False, description="the supplied stack has an ARMY counter")
    supplied_pashas: Annotated[int, Field(ge=0, le=3)] = Field(0, description="pashas to be supplied")


class Logistics(Fields):
    """What a fleet can carry, supply and blockade."""

    game: Literal["europa"]
    battle: Literal["logistics"]
    attacker: Supplier = Field(default_factory=Supplier)
    defender: NoPolicy = Field(default_factory=NoPolicy)
    conditions: LogisticsConditions = Field(default_factory=LogisticsConditions)
    policy: NoPolicies = Field(default_factory=NoPolicies)
    options: TableOptions = Field(default_factory=TableOptions)


def check_logistics(fields: Any) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.attacker
    check_fleet_without_technology(side)
    check_cargo(side, "attacker", fields.conditions, book(fields.options.tables), fits=False)
    if side.convoy_transports > side.transports:
        raise Refusal(
            "attacker.convoy_transports",
            f"{side.convoy_transports} is not allowed with {side.transports} transports; at most as many",
        )


def check_fleet_without_technology(side: Any) -> None:
    """Refuse a fleet without ships."""
    if not fleet_of(side).thirds:
        raise Refusal(
            "attacker.warships", "no ships; give warships, galleys, transports ..."
        )
