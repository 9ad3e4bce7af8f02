"""A corsair that attacks a stack carrying gold (docs/rules/europa_naval_and_other.md section 8)."""

from __future__ import annotations

from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.plain import PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields
from simulator.rules.europa.procedures.interception import SeaInterceptor, at_sea, succeeds
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fields import NoPolicies, Scenario, TableOptions
from simulator.rules.europa.shared.fleets import Fleet, fleet_of
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10
from simulator.rules.europa.tables import book
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse, refuse_if

LEADERLESS_PIRATES = 2
WITH_TRANSPORT, WITH_WARSHIP = 15, 5
NAVAL_FORCE = {"none": 0, "detachment": -1, "fleet_minus": -2, "fleet_plus": -4}
INTERCEPTION, ESCORT, RAID, OVER = range(4)


class Raider(SeaInterceptor):
    """A corsair+ that lies in wait."""

    page = "manoeuvre, technology, pirates, knights"
    manoeuvre: common.Value | None = Field(None, description="manoeuvre of its leader; none given = no leader")
    pirates: bool = Field(True, description="pirates, who keep nothing")
    knights: bool = Field(False, description="knights")


class Escort(common.Ship, common.Counted):
    """Ships that fight corsairs."""

    page = f"{common.SHIPS}, technology, manoeuvre"
    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")


class TreasureFleet(Escort):
    """The stack with gold."""

    page = f"{common.SHIPS}, gold, technology, manoeuvre"
    gold: Annotated[int, Field(ge=0, le=500)] = Field(0, description="ducats aboard; needed")


class CorsairConditions(Fields):
    """The sea zone of corsairs."""

    naval_battle_this_turn: bool = Field(False, description="there was a naval battle here this turn")
    corsair_port: bool = Field(False, description="an open port or haven friendly to the corsair")
    enemy_naval: Literal["none", "detachment", "fleet_minus", "fleet_plus"] = Field(
        "none", description="largest naval force of the escort's enemies in the zone"
    )


class RaidConditions(CorsairConditions):
    """The conditions of a raid."""

    bad_weather: bool = Field(False, description="bad weather")
    other_corsairs_plus: common.Some = Field(0, description="other corsair+ in the zone")
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


def of_the_escort(side: Escort, corsair: int) -> list[Bonus]:
    """Modifiers of ships against corsairs with a leader of this manoeuvre: counters, or any other fighting ship."""
    fleet, counters = fleet_of(side), side.fleets_minus + side.fleets_plus
    some = fleet.warships or fleet.galleys or fleet.galleasses
    return [
        Bonus(2 * side.fleets_minus, "FLEET-"),
        Bonus(4 * side.fleets_plus, "FLEET+"),
        Bonus(int(bool(some) and not counters), "fighting ships without FLEET"),
        Bonus(side.manoeuvre - corsair, "difference of manoeuvre"),
    ]


def of_the_zone(side: Escort, corsairs: CorsairConditions, large: int) -> list[Bonus]:
    """Further modifiers of the roll that drives corsairs off, with this many large corsairs still there."""
    return [
        Bonus(int(side.technology == "seventy-four"), "seventy-four"),
        Bonus(-2 * large, "large corsairs"),
        Bonus(-2 * corsairs.corsair_port, "port of the corsairs"),
        Bonus(-int(corsairs.naval_battle_this_turn), "naval battle this turn"),
        Bonus(NAVAL_FORCE[corsairs.enemy_naval], f"enemy naval force: {corsairs.enemy_naval}"),
    ]


def interception_of(fields: CorsairRaid) -> D10:
    """The interception (step 1); pirates without a leader count a manoeuvre of 2 in it only."""
    own, side = fields.attacker, fields.defender
    man = own.manoeuvre if own.manoeuvre is not None else LEADERLESS_PIRATES * own.pirates

    def after(die: int, modified: int) -> Raid:
        return Raid(ESCORT, True) if succeeds(die, modified) else Raid(OVER)

    def line(shown: str, state: Raid) -> str:
        ends = "intercepts and turns to its small side" if state.intercepted else "misses the convoy"
        return f"Interception: {shown}: the corsair {ends}."

    modifiers = at_sea(own, man, side.manoeuvre, fields.conditions.bad_weather)
    return D10("interception", "8 step 1", modifiers, after, line)


def escort_of(fields: CorsairRaid) -> D10:
    """The roll of the escort (step 3)."""
    side, conditions = fields.defender, fields.conditions
    modifiers = of_the_escort(side, fields.attacker.manoeuvre or 0)
    modifiers += of_the_zone(side, conditions, conditions.other_corsairs_plus)

    def after(die: int, modified: int) -> Raid:
        success = succeeds(die, modified)
        return Raid(OVER if success else RAID, True, success)

    def line(shown: str, state: Raid) -> str:
        return f"Escort: {shown}: {'drives the corsair off' if state.driven_off else 'cannot stop it'}."

    return D10("escort", "8 step 3", modifiers, after, line)


def raid_of(fields: CorsairRaid) -> D10:
    """The raid itself (step 4)."""
    own, conditions, fleet = fields.attacker, fields.conditions, fleet_of(fields.defender)
    levels = book(fields.options.tables).column("raids", "large_fleet_levels").items()
    modifiers = [
        Bonus(3 * fields.options.lone_minus_bonus, "a lone small corsair"),
        *of_the_escort(fields.defender, own.manoeuvre or 0),
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

    return D10("raid", "8 step 4", modifiers, after, line)


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
        PlainBattle(Raid(), lambda state: None if state.stage == OVER else rolls[state.stage]),
        lambda state: raid_columns(fields, state),
        [
            f"+3 for a lone small corsair {bonus} after it was reduced (lone_minus_bonus)",
            "gold that the ships left cannot carry is lost too",
        ],
        [line for roll in rolls for line in roll.why()],
    )
