"""Fields of interception, blockade runs, strait fire, corsair raids and logistics, and what they refuse.

docs/rules/europa_naval_and_other.md sections 5 to 8 and 13.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.fleets import fleet_of
from simulator.rules.europa.model import Period
from simulator.rules.europa.naval_model import (
    Counted,
    Laden,
    Level,
    LossOrder,
    NavalTechnology,
    NoPolicy,
    Ship,
    Some,
    TableOptions,
    Value,
    Zones,
    check_cargo,
    check_fleet,
)
from simulator.rules.europa.tables import book


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


NoPolicies = Both[NoPolicy, NoPolicy]


class Interception(FrameOf[Interceptors, Moving, InterceptionConditions, NoPolicies, TableOptions]):
    """An interception."""

    game: Literal["europa"]
    battle: Literal["interception"]


# Fields of an interceptor that bear on one place only, and conditions that bear on land only.
SEA_ONLY = ("technology", "blockading", "same_zone", "landing_nearby", "in_port")
LAND_ONLY = ("same_province", "river_or_pass", "from_swamp_or_flooded", "besieging")
LAND_CONDITIONS = (
    "friendly_force_or_city", "target_swamp", "other_enemy_force", "counter_friendly_force_or_city",
    "counter_other_enemy_force",
)  # fmt: skip


def check_interception(fields: Interception) -> None:
    """Refuse what types cannot; raises Refusal."""
    book(fields.options.tables)
    at_sea, helpers = fields.conditions.where == "sea", fields.defender.counter_interceptors
    if at_sea and helpers:
        raise Refusal("defender.counter_interceptors", "not allowed at sea; only with conditions.where land")
    stacks: dict[str, Interceptor] = {"attacker": fields.attacker}
    stacks |= {f"attacker.interceptors[{i}]": one for i, one in enumerate(fields.attacker.interceptors)}
    stacks |= {f"defender.counter_interceptors[{i}]": one for i, one in enumerate(helpers)}
    for path, stack in stacks.items():
        _refuse_of_other_place(stack, path, LAND_ONLY if at_sea else SEA_ONLY, at_sea)
    if at_sea:
        _refuse_of_other_place(fields.conditions, "conditions", LAND_CONDITIONS, at_sea)


def _refuse_of_other_place(table: Fields, path: str, names: tuple[str, ...], at_sea: bool) -> None:
    """Refuse fields of the other place that are not at their default; raises Refusal."""
    for name in names:
        value = getattr(table, name)
        if value != type(table).model_fields[name].default:
            place, other = ("at sea", "on land") if at_sea else ("on land", "at sea")
            raise Refusal(f"{path}.{name}", f"{str(value).lower()} is not allowed {place}; only {other}")


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


class BlockadeRun(FrameOf[RunningSide, Runner, RunConditions, Both[NoPolicy, BlockaderPolicy], TableOptions]):
    """A run past a blockade."""

    game: Literal["europa"]
    battle: Literal["blockade-run"]


def check_blockade_run(fields: BlockadeRun) -> None:
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


class StraitFire(FrameOf[Work, Passing, NoPolicy, Both[NoPolicy, LosingPolicy], TableOptions]):
    """A work fires at a passing fleet."""

    game: Literal["europa"]
    battle: Literal["strait-fire"]


def check_strait_fire(fields: StraitFire) -> None:
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


class CorsairRaid(FrameOf[Raider, TreasureFleet, RaidConditions, NoPolicies, RaidOptions]):
    """A corsair attacks a stack with gold."""

    game: Literal["europa"]
    battle: Literal["corsair-raid"]


def check_corsair_raid(fields: CorsairRaid) -> None:
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


class Logistics(FrameOf[Supplier, NoPolicy, LogisticsConditions, NoPolicies, TableOptions]):
    """What a fleet can carry, supply and blockade."""

    game: Literal["europa"]
    battle: Literal["logistics"]


def check_logistics(fields: Logistics) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.attacker
    check_fleet(side, "attacker", fields.conditions)
    check_cargo(side, "attacker", fields.conditions, book(fields.options.tables), fits=False)
    if side.convoy_transports > side.transports:
        raise Refusal(
            "attacker.convoy_transports",
            f"{side.convoy_transports} is not allowed with {side.transports} transports; at most as many",
        )
