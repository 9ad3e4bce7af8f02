"""A run past a blockade, the fire of a work at a passing fleet, and what a fleet can blockade, supply and carry.

docs/rules/europa_naval_and_other.md sections 6, 7 and 13.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.engine.model.plain import PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Both, Built, Fields, certain
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared import fleets
from simulator.rules.europa.shared.fields import LosingPolicy, Procedure, Scenario, TableOptions
from simulator.rules.europa.shared.fleets import LAW, ND, Fleet, fleet_of, ships_left
from simulator.rules.europa.shared.land_model import Period
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10, row_of
from simulator.rules.europa.shared.stacks import size_of
from simulator.rules.europa.tables import book
from simulator.rules.idle import KnowsIdle
from simulator.rules.toolkit.plain import built
from simulator.rules.toolkit.policies import refuse

FREE, STOPPED, CAUGHT = "escapes", "is stopped", "is caught"
RUNS = {8: FREE, 6: STOPPED}
# ND sunk by a modified die; a fleet that is fired at with less is not stopped.
FIRE: dict[int, int | None] = {9: 0, 11: 1, 13: 2}
BLOCKADE_GRADES = (1, 2, 3, 3, 4, 4)
# Grade -> most LD, with an army, most pashas.
SUPPLIES = {4: (10**6, True, 10**6), 3: (5, True, 1), 2: (3, False, 0), 1: (1, False, 0), 0: (0, False, 0)}


# --- a run past a blockade (section 6) ---


class Runner(common.Ship):
    """Ships that run or keep a blockade."""

    page = f"{common.SHIPS}, technology, manoeuvre"
    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader; 0 = no leader")


class RunningSide(Runner):
    """Ships, or a corsair, that run a blockade."""

    page = f"{common.SHIPS}, technology, manoeuvre, corsair"
    corsair: bool = Field(False, description="a corsair runs, not a fleet")


class RunConditions(Fields):
    """The direction of the passage."""

    direction: Literal["leave", "enter"] = Field("leave", description="information only")


class BlockaderPolicy(Fields):
    """Choices of the blockader."""

    engage: Literal["always", "never"] = Field("always", description="force battle on a fleet that is caught")


class BlockadeRun(
    KnowsIdle,
    Scenario[Literal["blockade-run"], RunningSide, Runner, RunConditions, Both[Fields, BlockaderPolicy], TableOptions],
):
    """A run past a blockade."""

    tolerated = ("attacker.technology",)


def check_blockade_run(fields: BlockadeRun) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    if not fields.attacker.corsair:
        common.check_fleet(fields.attacker, "attacker", fields.conditions)
    common.check_fleet(fields.defender, "defender", fields.conditions)


def run_modifiers(own: Fleet, ahead: int, blockader: Fleet, technology: str) -> list[Bonus]:
    """Modifiers of a blockade run; `ahead`: the manoeuvre of the runner less that of the blockader."""
    ships_only = blockader.warships and not blockader.galleys and not blockader.galleasses
    return [
        Bonus(max(0, ahead), "better manoeuvre"),
        Bonus(int(blockader.detachments < own.detachments), "the blockader has fewer ND"),
        Bonus(int(bool(ships_only) and technology != "seventy-four"), "the blockader has warships only"),
    ]


def run_result(modified: int) -> str:
    """The row of a modified die."""
    return row_of(RUNS, modified, CAUGHT)


def build_blockade_run(fields: BlockadeRun) -> Built:
    """Everything that answers a blockade run."""
    own, blockader, corsair = fields.attacker, fields.defender, fields.attacker.corsair
    engages, ahead = fields.policy.defender.engage == "always", own.manoeuvre - blockader.manoeuvre
    roll = D10(
        "blockade run",
        "6",
        run_modifiers(fleet_of(own), ahead, fleet_of(blockader), blockader.technology),
        lambda _, modified: run_result(modified),
        lambda shown, after: f"Blockade run: {shown}: {'the corsair' if corsair else 'the fleet'} {after}.",
    )

    def columns(state: str) -> dict[str, object]:
        battle, hit = state == CAUGHT and engages and not corsair, state == CAUGHT and corsair
        return {
            "winner": ATTACKER if state == FREE else DEFENDER if battle or hit else NOBODY,
            "escaped": state == FREE,
            "stopped": state != FREE,
            "caught": state == CAUGHT,
            "battle": battle,
            "corsair_sides_lost": int(hit),
            "modifier": roll.total,
        }

    assumptions = [
        f"caught: {'a corsair loses a side' if corsair else 'battle' if engages else 'no battle (engage never)'}",
        "the battle itself is a naval scenario with conditions.interception",
    ]
    return built(PlainBattle("", lambda state: None if state else roll), columns, assumptions, roll.why())


# --- a work fires at a passing fleet (section 7) ---


class Work(Fields):
    """A work that fires at passing fleets."""

    work: Literal["presidio", "strait-europe", "strait-rotw", "siegeworks"] = Field(
        "presidio", description="kind of work"
    )
    level: common.Level = Field(1, description="level of a presidio or of a strait fortress overseas")
    siegeworks_plus: Annotated[int, Field(ge=0, le=4)] = Field(0, description="large siegeworks")


class Passing(common.Ship, common.Counted):
    """The passing fleet or corsair."""

    page = f"{common.SHIPS}, corsair_sides, loaded"
    corsair_sides: Annotated[int, Field(ge=0, le=2)] = Field(0, description="a corsair in place of ships: its sides")
    loaded: bool = Field(False, description="troops or gold aboard")


class StraitFire(Scenario[Literal["strait-fire"], Work, Passing, Fields, Both[Fields, LosingPolicy], TableOptions]):
    """A work fires at a passing fleet."""


def check_strait_fire(fields: StraitFire) -> None:
    """Refuse what types cannot; raises Refusal."""
    common.check_tables(fields)
    ships, sides = fleet_of(fields.defender).thirds, fields.defender.corsair_sides
    refuse(not ships and not sides, "defender.warships", "nothing passes; give ships or corsair_sides")
    refuse(ships and sides, "defender.corsair_sides", f"{sides} is not allowed together with ships")


def fire_modifiers(work: Work, counters: int) -> list[Bonus]:
    """Modifiers of the fire of a work."""
    of_straits = {"strait-europe": 2, "strait-rotw": work.level // 2}
    value = {"presidio": work.level, "siegeworks": work.siegeworks_plus, **of_straits}[work.work]
    return [Bonus(value, work.work), Bonus(int(counters > 0), "FLEET counter")]


def hits(modified: int) -> int | None:
    """ND sunk, or None if the fleet is not stopped."""
    return row_of(FIRE, modified, None)


def under_fire(fleet: Fleet, nd: int, order: tuple[str, ...]) -> Fleet:
    """The fleet without this many ND: each is one ship of the first kind present, of warships up to 3 thirds."""
    for _ in range(nd):
        kind = next((kind for kind in order if getattr(fleet, kind)), None)
        if kind:
            one = ND if kind == "warships" else 1
            fleet = fleet._replace(**{kind: max(0, getattr(fleet, kind) - one)})
    return fleet


class Fired(NamedTuple):
    """The fleet or corsair after the fire."""

    stopped: bool
    fleet: Fleet
    corsair: int
    lost: int


def build_strait_fire(fields: StraitFire) -> Built:
    """Everything that answers a work's fire."""
    side, work = fields.defender, fields.attacker
    fleet, order = fleet_of(side), fleets.loss_order(fields.policy.defender.losses, side.loaded)

    def after(_: int, modified: int) -> Fired:
        sunk = hits(modified)
        fleets = [under_fire(fleet, nd, order) for nd in range((sunk or 0) + 1)]
        corsair = min(sunk or 0, side.corsair_sides)
        lost = corsair + sum(left != before for before, left in pairwise(fleets))
        return Fired(sunk is not None, fleets[-1], side.corsair_sides - corsair, lost)

    def line(shown: str, after: Fired) -> str:
        return f"{work.work} fires: {shown}: {f'stopped, {after.lost} ND sunk' if after.stopped else 'it passes'}."

    roll = D10("fire", "7", fire_modifiers(work, side.fleets_minus + side.fleets_plus), after, line)

    def columns(state: Fired) -> dict[str, object]:
        return {
            "winner": ATTACKER if state.stopped else DEFENDER,
            "stopped": state.stopped,
            "detachments_lost": state.lost,
            **ships_left("defender", state.fleet),
            "defender_losses_thirds": fleet.thirds - state.fleet.thirds,
            "defender_corsair_sides_left": state.corsair,
            "modifier": roll.total,
        }

    assumptions = [
        f"sunk first: {' then '.join(order)} (ASSUMED: one ND is the first in the loss order)",
        "a stopped fleet then rolls attrition: its own scenario",
    ]
    return built(PlainBattle(None, lambda state: None if state else roll), columns, assumptions, roll.why())


# --- what a fleet can carry, supply and blockade (section 13) ---


class Supplier(common.Laden, common.Counted):
    """A fleet that supplies, blockades or carries."""

    page = f"{common.SHIPS}, {common.TROOPS}, convoy_transports, gold"
    convoy_transports: common.Zones = Field(0, description="transports of a convoy: they neither supply nor blockade")


class LogisticsConditions(Fields):
    """The question that the procedure answers."""

    period: Period = Field("III", description="period of the game")
    fortress_level: common.Level = Field(0, description="fortress to blockade; 0 = fort")
    port: Literal["arsenal", "port", "fort"] = Field("arsenal", description="port that should hold the fleet")
    supplied_detachments: common.Zones = Field(0, description="LD to be supplied")
    supplied_army: bool = Field(False, description="the supplied stack has an ARMY counter")
    supplied_pashas: common.Few = Field(0, description="pashas to be supplied")


class Logistics(Procedure[Literal["logistics"], Supplier, Fields, LogisticsConditions]):
    """The capacity of a fleet for transport, supply and blockade."""


def check_logistics(fields: Logistics) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.attacker
    common.check_fleet(side, "attacker", fields.conditions)
    common.check_cargo(side, "attacker", fields.conditions, book(fields.options.tables), fits=False)
    text = f"{side.convoy_transports} is not allowed with {side.transports} transports; at most as many"
    refuse(side.convoy_transports > side.transports, "attacker.convoy_transports", text)


def grade_of(side: Supplier) -> int:
    """Blockade and supply grade of a fleet; transports of a convoy apart."""
    fleet = fleet_of(side)
    nd = fleet.detachments - side.convoy_transports
    if side.fleets_plus and nd >= 3:
        return 4
    if (side.fleets_plus or side.fleets_minus) and nd >= 2:
        return 3
    return 2 if nd else int(fleet.warships > 0)


def build_logistics(fields: Logistics) -> Built:
    """Everything that answers what a fleet can carry, supply and blockade."""
    side, conditions = fields.attacker, fields.conditions
    hold = fleets.hold_of(side, conditions, book(fields.options.tables))
    needed, provided, grade = fleets.half_points_needed(side, hold), fleet_of(side).half_points, grade_of(side)
    most, army, pashas = SUPPLIES[grade]
    counters, fits = side.fleets_minus + side.fleets_plus, needed <= provided
    outcome = certain(
        winner=ATTACKER if fits else DEFENDER,
        half_points_needed=needed,
        half_points_provided=provided,
        fits=fits,
        supplies=conditions.supplied_detachments <= most
        and (army or not conditions.supplied_army)
        and conditions.supplied_pashas <= pashas,
        can_blockade=grade >= BLOCKADE_GRADES[conditions.fortress_level],
        port_holds=counters <= {"arsenal": counters, "port": 1, "fort": 0}[conditions.port],
        blockade_and_supply_grade=grade,
    )
    plus, minus, loose, explorers = hold.regrouped(size_of(side))
    levels = [level for level, needed in enumerate(BLOCKADE_GRADES) if needed <= grade]
    lines = [
        f"load: {plus} ARMY+ at {hold.points} points, {minus} ARMY- at half, {loose} LD at 2, {explorers} LDE at 1/2, "
        f"{side.gold} ducats at 5 a point: {needed / 2:g} points ({LAW} 2)",
        f"room: {fleet_of(side).text()}: {provided / 2:g} points ({LAW} 2)",
        f"grade {grade}: blockades up to level {max(levels, default='nothing')} ({LAW} 13)",
    ]
    assumptions = ["stacks are regrouped into the biggest counters first"]
    return Built(answer=lambda _: outcome, assumptions=lambda: assumptions, explain=lambda: lines)
