"""What a fleet can carry, supply and blockade (docs/rules/europa_naval_and_other.md section 13)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields, FrameOf, Outcomes, Refusal, Run, certain, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import LAW, fleet_of, half_points_needed, hold_of
from simulator.rules.europa.shared.land_model import Period
from simulator.rules.europa.shared.stacks import size_of
from simulator.rules.europa.tables import book

BLOCKADE_GRADES = (1, 2, 3, 3, 4, 4)
# Grade -> most LD, with an army, most pashas.
SUPPLIES = {4: (10**6, True, 10**6), 3: (5, True, 1), 2: (3, False, 0), 1: (1, False, 0), 0: (0, False, 0)}


class Supplier(common.Laden, common.Counted):
    """A fleet that supplies, blockades or carries."""

    convoy_transports: common.Zones = Field(0, description="transports of a convoy: they neither supply nor blockade")


class LogisticsConditions(Fields):
    """What is asked."""

    period: Period = Field("III", description="period of the game")
    fortress_level: common.Level = Field(0, description="fortress to blockade; 0 = fort")
    port: Literal["arsenal", "port", "fort"] = Field("arsenal", description="port that should hold the fleet")
    supplied_detachments: common.Zones = Field(0, description="LD to be supplied")
    supplied_army: bool = Field(False, description="the supplied stack has an ARMY counter")
    supplied_pashas: Annotated[int, Field(ge=0, le=3)] = Field(0, description="pashas to be supplied")


class Logistics(FrameOf[Supplier, common.NoPolicy, LogisticsConditions, common.NoPolicies, common.TableOptions]):
    """What a fleet can carry, supply and blockade."""

    game: Literal["europa"]
    battle: Literal["logistics"]


def check_logistics(fields: Logistics) -> None:
    """Refuse what types cannot; raises Refusal."""
    side = fields.attacker
    common.check_fleet(side, "attacker", fields.conditions)
    common.check_cargo(side, "attacker", fields.conditions, book(fields.options.tables), fits=False)
    if side.convoy_transports > side.transports:
        raise Refusal(
            "attacker.convoy_transports",
            f"{side.convoy_transports} is not allowed with {side.transports} transports; at most as many",
        )


def grade_of(side: Supplier) -> int:
    """Blockade and supply grade of a fleet; transports of a convoy apart."""
    fleet = fleet_of(side)
    fleet = fleet._replace(transports=fleet.transports - side.convoy_transports)
    nd = fleet.detachments
    if side.fleets_plus and nd >= 3:
        return 4
    if (side.fleets_plus or side.fleets_minus) and nd >= 2:
        return 3
    return 2 if nd else int(fleet.warships > 0)


def build_logistics(fields: Logistics) -> Built:
    """Everything that answers what a fleet can carry, supply and blockade."""
    side, conditions = fields.attacker, fields.conditions
    hold = hold_of(side, conditions, book(fields.options.tables))
    needed, provided, grade = half_points_needed(side, hold), fleet_of(side).half_points, grade_of(side)
    most, army, pashas = SUPPLIES[grade]
    counters = side.fleets_minus + side.fleets_plus
    supplies = (
        conditions.supplied_detachments <= most
        and (army or not conditions.supplied_army)
        and conditions.supplied_pashas <= pashas
    )
    fits = needed <= provided
    row = {
        "half_points_needed": needed,
        "half_points_provided": provided,
        "fits": fits,
        "supplies": supplies,
        "can_blockade": grade >= BLOCKADE_GRADES[conditions.fortress_level],
        "port_holds": counters <= {"arsenal": counters, "port": 1, "fort": 0}[conditions.port],
        "blockade_and_supply_grade": grade,
    }

    def answer(_: Run) -> Outcomes:
        return certain(winner=ATTACKER if fits else DEFENDER, **row)

    plus, minus, loose, explorers = hold.regrouped(size_of(side))
    levels = [level for level, needed in enumerate(BLOCKADE_GRADES) if needed <= grade]
    lines = [
        f"load: {plus} ARMY+ at {hold.points} points, {minus} ARMY- at half, {loose} LD at 2, {explorers} LDE at 1/2, "
        f"{side.gold} ducats at 5 a point: {needed / 2:g} points ({LAW} 2)",
        f"room: {fleet_of(side).text()}: {provided / 2:g} points ({LAW} 2)",
        f"grade {grade}: blockades up to level {max(levels, default='nothing')} ({LAW} 13)",
    ]
    assumptions = ["stacks are regrouped into the biggest counters first"]
    return Built(answer=answer, assumptions=lambda: assumptions, explain=lambda: lines)


LOGISTICS = offered(
    Logistics,
    check=check_logistics,
    build=build_logistics,
    results={
        "the load fits": "fits",
        "it supplies the stack": "supplies",
        "it can blockade the fortress": "can_blockade",
        "the port holds it": "port_holds",
    },
    headline=("half_points_needed", "half_points_provided", "blockade_and_supply_grade"),
)
