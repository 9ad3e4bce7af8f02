"""Interception of a moving stack, and a corsair that attacks a stack carrying gold.

docs/rules/europa_naval_and_other.md sections 5 and 8.
"""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fields import NoPolicies, Procedure, Scenario, TableOptions
from simulator.rules.europa.shared.fleets import Fleet, fleet_of
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Following, Roll, built, why
from simulator.rules.europa.tables import book
from simulator.rules.toolkit.policies import refuse, refuse_if

SUCCESS, GAP = 8, 6
# Fields of an interceptor that bear on one place only, and conditions that bear on land only.
SEA_ONLY = ("technology", "blockading", "same_zone", "landing_nearby", "in_port")
LAND_ONLY = ("same_province", "river_or_pass", "from_swamp_or_flooded", "besieging")
LAND_CONDITIONS = (
    "friendly_force_or_city", "target_swamp", "other_enemy_force", "counter_friendly_force_or_city",
    "counter_other_enemy_force",
)  # fmt: skip
LEADERLESS_PIRATES = 2
DRIVES_OFF = 8
WITH_TRANSPORT, WITH_WARSHIP = 15, 5
NAVAL_FORCE = {"none": 0, "detachment": -1, "fleet_minus": -2, "fleet_plus": -4}
INTERCEPTION, ESCORT, RAID, OVER = range(4)


# --- interception (section 5) ---


class SeaInterceptor(Fields):
    """A fleet that may intercept."""

    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    technology_gap: Annotated[int, Field(ge=0, le=10)] = Field(0, description="levels ahead of the moving stack")
    blockading: bool = Field(False, description="blockades a port")
    same_zone: bool = Field(False, description="at sea in the same zone")
    landing_nearby: bool = Field(False, description="a landing is announced near it")
    in_port: bool = Field(False, description="in a port that is no arsenal")


class Interceptor(SeaInterceptor):
    """A stack that may intercept, at sea or on land."""

    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
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

    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    counter_interceptors: Annotated[list[Interceptor], Field(max_length=6)] = Field(
        default_factory=list, description="land: stacks that come to help"
    )


class InterceptionConditions(Fields):
    """The place and its conditions."""

    where: Literal["sea", "land"] = Field("sea", description="at sea or on land")
    bad_weather: bool = Field(False, description="bad weather")
    automatic: bool = Field(False, description="no roll: a forced battle, or an attack on a blockading fleet")
    friendly_force_or_city: bool = Field(False, description="land: a friendly force or city in the target")
    target_swamp: bool = Field(False, description="land: the target is a swamp")
    other_enemy_force: bool = Field(False, description="land: another unbesieged enemy force there")
    counter_friendly_force_or_city: bool = Field(False, description="the same for counter-interceptors")
    counter_other_enemy_force: bool = Field(False, description="the same for counter-interceptors")


class Interception(Procedure[Literal["interception"], Interceptors, Moving, InterceptionConditions]):
    """Interception of a moving stack."""


def check_interception(fields: Interception) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    sea, helpers = fields.conditions.where == "sea", fields.defender.counter_interceptors
    text = "not allowed at sea; only with conditions.where land"
    refuse(sea and helpers, "defender.counter_interceptors", text)
    tables: dict[str, Fields] = {"attacker": fields.attacker}
    tables |= {f"attacker.interceptors[{i}]": one for i, one in enumerate(fields.attacker.interceptors)}
    tables |= {f"defender.counter_interceptors[{i}]": one for i, one in enumerate(helpers)}
    of_other_place = dict.fromkeys(tables, LAND_ONLY if sea else SEA_ONLY)
    if sea:
        tables["conditions"], of_other_place["conditions"] = fields.conditions, LAND_CONDITIONS
    place, other = ("at sea", "on land") if sea else ("on land", "at sea")
    for path, names in of_other_place.items():
        table = tables[path]
        for name in names:
            value = getattr(table, name)
            text = f"{str(value).lower()} is not allowed {place}; only {other}"
            refuse(value != type(table).model_fields[name].default, f"{path}.{name}", text)


def intercepts(die: int, modified: int) -> bool:
    """Modified 8 or more, or a natural 10."""
    return die == 10 or modified >= SUCCESS


def at_sea(own: SeaInterceptor, manoeuvre: int, enemy: int, bad_weather: bool) -> list[Bonus]:
    """Modifiers of an interception at sea: of the last ones only the highest that applies."""
    large = not own.in_port and own.technology in {"three-decker", "seventy-four"}
    places = (
        (large, 1, f"{own.technology} at sea"),
        (own.same_zone, 1, "same zone"),
        (own.landing_nearby, 2, "landing announced nearby"),
        (own.in_port, -3, "in a port that is no arsenal"),
    )
    applying = sorted(Bonus(value, reason) for applies, value, reason in places if applies)
    return [
        Bonus(manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(-2 * bad_weather, "bad weather"),
        Bonus(-int(own.blockading), "blockading"),
        *applying[-1:],
    ]


def on_land(own: Interceptor, enemy: int, conditions: InterceptionConditions, counter: bool = False) -> list[Bonus]:
    """Modifiers of an interception on land."""
    prefix = "counter_" if counter else ""
    friend = getattr(conditions, f"{prefix}friendly_force_or_city")
    foe = getattr(conditions, f"{prefix}other_enemy_force")
    return [
        Bonus(own.manoeuvre - enemy, "difference of manoeuvre"),
        Bonus(int(own.technology_gap >= GAP), f"technology {GAP} or more ahead"),
        Bonus(int(own.same_province), "same province"),
        Bonus(int(friend), "friendly force or city"),
        Bonus(-int(conditions.target_swamp), "the target is a swamp"),
        Bonus(-int(own.from_swamp_or_flooded), "from a swamp or flooded province"),
        Bonus(-2 * conditions.bad_weather, "bad weather"),
        Bonus(-2 * own.river_or_pass, "across a river or pass"),
        Bonus(-2 * foe, "another enemy force"),
        Bonus(-int(own.besieging), "besieging"),
    ]


class Attempts(NamedTuple):
    """The numbers that have tried and arrived so far, on both sides, and the best manoeuvre among the interceptors."""

    tried: int = 0
    arrived: int = 0
    best: int = 0
    joined: int = 0


def columns(state: Attempts) -> dict[str, object]:
    """A row of the outcome."""
    return {
        "winner": ATTACKER if state.arrived else DEFENDER,
        "intercepted": state.arrived > 0,
        "interceptors_arrived": state.arrived,
        "counter_interceptors_arrived": state.joined,
    }


def build_interception(fields: Interception) -> Built:
    """Everything that answers an interception: the interceptors one by one, then those who come to help."""
    conditions, enemy = fields.conditions, fields.defender.manoeuvre
    interceptors, helpers = fields.attacker.interceptors or [fields.attacker], fields.defender.counter_interceptors
    stacks: list[Interceptor] = [*interceptors, *helpers]
    counted = [("Interceptor", interceptors), ("Counter-interceptor", helpers)]
    names = [f"{name} {number}" for name, those in counted for number in range(1, len(those) + 1)]

    def modifiers(number: int, best: int) -> list[Bonus]:
        if conditions.where == "sea":
            return at_sea(stacks[number], stacks[number].manoeuvre, enemy, conditions.bad_weather)
        helps = number >= len(interceptors)
        return on_land(stacks[number], best if helps else enemy, conditions, helps)

    def follow(state: Attempts) -> Following:
        number, helps = state.tried, state.tried >= len(interceptors)
        if number == len(stacks) or (helps and not state.arrived):
            return None
        own = stacks[number]
        sure = own.automatic or (conditions.automatic and not helps)

        def after(die: int, modified: int) -> Attempts:
            comes, tried = sure or intercepts(die, modified), state._replace(tried=number + 1)
            if helps or not comes:
                return tried._replace(joined=state.joined + comes)
            return tried._replace(arrived=state.arrived + 1, best=max(state.best, own.manoeuvre))

        def line(shown: str, then: Attempts) -> str:
            comes = then.arrived + then.joined > state.arrived + state.joined
            ends = ("comes to help" if helps else "intercepts") if comes else "does not come"
            return f"{names[number]} needs no roll." if sure else f"{names[number]}: {shown}: {ends}."

        return Roll(names[number], "5", modifiers(number, state.best), after, line)

    # The manoeuvre that a helper is compared with is not known yet.
    known = [modifiers(number, 0)[int(number >= len(interceptors)) :] for number in range(len(stacks))]
    lines = [line for name, listed in zip(names, known, strict=True) for line in why(name.lower(), "5", listed)]
    assumption = f"interception at {conditions.where}: modified {SUCCESS} or a natural 10"
    return built(Attempts(), follow, columns, [assumption], lines)


# --- a corsair raid (section 8) ---


class Raider(SeaInterceptor):
    """A corsair+ that lies in wait."""

    manoeuvre: common.Value | None = Field(None, description="manoeuvre of its leader; none given = no leader")
    pirates: bool = Field(True, description="pirates, who keep nothing")
    knights: bool = Field(False, description="knights")


class TreasureFleet(common.Ship, common.Counted):
    """The stack with gold."""

    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")
    gold: Annotated[int, Field(ge=0, le=500)] = Field(0, description="ducats aboard; needed")


class RaidConditions(Fields):
    """The conditions of a raid."""

    bad_weather: bool = Field(False, description="bad weather")
    naval_battle_this_turn: bool = Field(False, description="there was a naval battle here this turn")
    corsair_port: bool = Field(False, description="an open port or haven friendly to the corsair")
    other_corsairs_plus: common.Some = Field(0, description="other corsair+ in the zone")
    enemy_naval: Literal["none", "detachment", "fleet_minus", "fleet_plus"] = Field(
        "none", description="largest naval force of the escort's enemies in the zone"
    )
    knights_port: bool = Field(False, description="the knights have a Christian port")


class RaidOptions(TableOptions):
    """Readings (section 15)."""

    lone_minus_bonus: bool = Field(True, description="+3 for a lone small corsair also after it was reduced")


class CorsairRaid(Scenario[Literal["corsair-raid"], Raider, TreasureFleet, RaidConditions, NoPolicies, RaidOptions]):
    """A corsair attacks a stack carrying gold."""


def check_corsair_raid(fields: CorsairRaid) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.defender
    common.check_tables(fields)
    common.check_fleet(side, "defender", fields.conditions)
    refuse_if(not side.gold, "defender.gold", 0, "give the ducats aboard")
    points, room = -(-side.gold // 5), fleet_of(side).half_points
    text = f"{side.gold} ducats need {points} transport points and the ships provide {room / 2:g}; give more transports"
    refuse(2 * points > room, "defender.transports", text)


class Raid(NamedTuple):
    """The next roll of a raid, and what it has brought so far."""

    stage: int = INTERCEPTION
    intercepted: bool = False
    driven_off: bool = False
    transports: int = 0
    warships: int = 0


def escorted(fields: CorsairRaid) -> list[Bonus]:
    """Modifiers by the escort in both of its rolls."""
    side, fleet = fields.defender, fleet_of(fields.defender)
    some = fleet.warships or fleet.galleys or fleet.galleasses
    counters = side.fleets_minus + side.fleets_plus
    return [
        Bonus(2 * side.fleets_minus, "FLEET- of the escort"),
        Bonus(4 * side.fleets_plus, "FLEET+ of the escort"),
        Bonus(int(bool(some) and not counters), "an escort without FLEET"),
        Bonus(side.manoeuvre - (fields.attacker.manoeuvre or 0), "difference of manoeuvre"),
    ]


def interception_of(fields: CorsairRaid) -> Roll:
    """The interception (step 1); pirates without a leader count a manoeuvre of 2 in it only."""
    own, side = fields.attacker, fields.defender
    man = own.manoeuvre if own.manoeuvre is not None else LEADERLESS_PIRATES * own.pirates

    def after(die: int, modified: int) -> Raid:
        return Raid(ESCORT, True) if intercepts(die, modified) else Raid(OVER)

    def line(shown: str, state: Raid) -> str:
        ends = "intercepts and turns to its small side" if state.intercepted else "misses the convoy"
        return f"Interception: {shown}: the corsair {ends}."

    modifiers = at_sea(own, man, side.manoeuvre, fields.conditions.bad_weather)
    return Roll("interception", "8 step 1", modifiers, after, line)


def escort_of(fields: CorsairRaid) -> Roll:
    """The roll of the escort (step 3)."""
    conditions = fields.conditions
    modifiers = [
        Bonus(int(fields.defender.technology == "seventy-four"), "seventy-four"),
        *escorted(fields),
        Bonus(-2 * conditions.other_corsairs_plus, "other corsairs+"),
        Bonus(-2 * conditions.corsair_port, "port of the corsair"),
        Bonus(-int(conditions.naval_battle_this_turn), "naval battle this turn"),
        Bonus(NAVAL_FORCE[conditions.enemy_naval], f"enemy naval force: {conditions.enemy_naval}"),
    ]

    def after(die: int, modified: int) -> Raid:
        success = die == 10 or modified >= DRIVES_OFF
        return Raid(OVER if success else RAID, True, success)

    def line(shown: str, state: Raid) -> str:
        return f"Escort: {shown}: {'drives the corsair off' if state.driven_off else 'cannot stop it'}."

    return Roll("escort", "8 step 3", modifiers, after, line)


def raid_of(fields: CorsairRaid) -> Roll:
    """The raid itself (step 4)."""
    own, conditions, fleet = fields.attacker, fields.conditions, fleet_of(fields.defender)
    levels = book(fields.options.tables).column("raids", "large_fleet_levels").items()
    modifiers = [
        Bonus(3 * fields.options.lone_minus_bonus, "a lone small corsair"),
        *escorted(fields),
        Bonus(int(conditions.naval_battle_this_turn), "naval battle this turn"),
        Bonus(-2 * int(own.knights and conditions.knights_port), "knights with a Christian port"),
    ]

    def after(_: int, modified: int) -> Raid:
        taken = min((most, ships) for most, ships in levels if modified <= most)[1]
        transports = min(taken, fleet.transports)
        return Raid(OVER, True, False, transports, min(taken - transports, fleet.warships // 3))

    def line(shown: str, state: Raid) -> str:
        taken = f"{state.transports} transports and {state.warships} warships taken"
        return f"Raid: {shown}: {taken}, {raid_columns(fields, state)['gold_lost']} ducats lost."

    return Roll("raid", "8 step 4", modifiers, after, line)


def raid_columns(fields: CorsairRaid, state: Raid) -> dict[str, int | bool]:
    """Columns: gold seized, and gold that the ships left cannot carry."""
    gold = fields.defender.gold
    seized = min(gold, WITH_TRANSPORT * state.transports + WITH_WARSHIP * state.warships)
    taken = Fleet(warships=3 * state.warships, transports=state.transports)
    fleet = fleet_of(fields.defender).less(taken)
    left = min(gold - seized, 5 * fleet.half_points // 2)
    return {
        "winner": ATTACKER if taken.thirds else DEFENDER,
        "intercepted": state.intercepted,
        "driven_off": state.driven_off,
        "corsair_reduced": state.intercepted,
        "transports_captured": state.transports,
        "warships_captured": state.warships,
        "gold_lost": gold - left,
        "gold_gained": 0 if fields.attacker.pirates else seized,
        "defender_transports_left": fleet.transports,
        "defender_warships_left": fleet.warships // 3,
        "defender_gold_left": left,
    }


def build_corsair_raid(fields: CorsairRaid) -> Built:
    """Everything that answers a corsair raid."""
    rolls = interception_of(fields), escort_of(fields), raid_of(fields)
    bonus = "applies" if fields.options.lone_minus_bonus else "does not apply"
    return built(
        Raid(),
        lambda state: None if state.stage == OVER else rolls[state.stage],
        lambda state: raid_columns(fields, state),
        [
            f"+3 for a lone small corsair {bonus} after it was reduced (lone_minus_bonus)",
            "gold that the ships left cannot carry is lost too",
        ],
        [line for roll in rolls for line in roll.why()],
    )
