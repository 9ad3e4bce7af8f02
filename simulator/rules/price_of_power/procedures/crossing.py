"""Crossings by a bridge of ships or over mountains, without dice (docs/rules/price_of_power.md section 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Built, Fields, Frame, certain

UNITS_PER_SHIP = 3
UNITS_PER_POWER = 3


class Mover(Fields):
    """Units that are to cross."""

    units: int = Field(ge=1, le=60, description="units that are to cross")
    military_power: int = Field(1, ge=1, le=99, description="military power for it; 1 is the activation itself")


BorderKind = Literal["open", "mountain"]
Bridge = list[Annotated[int, Field(ge=0, le=60)]]


class Border(Fields):
    """The way of the units."""

    border: BorderKind = Field("open", description="the border crossed by land")
    destination: Literal["hostile", "neutral", "friendly"] = Field("hostile", description="the area entered")
    bridge: Bridge = Field([], description="friendly ships in each sea zone crossed; none: no sea between")


class Crossing(Frame):
    """The units that get over a bridge of ships or a mountain border (no dice)."""

    game: Literal["price-of-power"]
    battle: Literal["crossing"]
    attacker: Mover = Field(description="units that are to cross")
    conditions: Border = Field(Border(), description="what lies between")


class Moved(NamedTuple):
    """Units that cross and the power spent, the power that all whom the bridge lets over need, and its capacity."""

    units_across: int
    power_spent: int
    power_for_all: int
    bridge_capacity: int


def moved(units: int, power: int, mountains: bool, bridge: Sequence[int]) -> Moved:
    """The units that `power` moves: 3 for each ship of the weakest zone of a bridge, over mountains 3 for each power.

    Without mountains one power, the activation itself, moves all.
    """
    capacity = UNITS_PER_SHIP * min(bridge, default=0)
    over = min(units, capacity) if bridge else units
    across = min(over, UNITS_PER_POWER * power) if mountains else over
    return Moved(across, power_for(across, mountains), power_for(over, mountains), capacity)


def power_for(units: int, mountains: bool) -> int:
    """The military power that moves this many units."""
    return -(-units // UNITS_PER_POWER) if mountains else min(units, 1)


def build(fields: Crossing) -> Built:
    """The row of a crossing, and lines for its capacity and cost."""
    units, way = fields.attacker.units, fields.conditions
    mountains = way.border == "mountain" and way.destination != "friendly"
    row = moved(units, fields.attacker.military_power, mountains, way.bridge)
    lines = ["No mountain border in the way: one power, the activation itself, moves them all."]
    if mountains:
        lines = [f"A mountain border into a {way.destination} area: {UNITS_PER_POWER} units for each power."]
    if way.bridge:
        weakest = f"the weakest of {len(way.bridge)} sea zones ({min(way.bridge)} ships)"
        lines.insert(0, f"The bridge carries {row.bridge_capacity} units: {UNITS_PER_SHIP} for each ship in {weakest}.")
    cost = f"{row.power_spent} power; everyone the way lets over would need {row.power_for_all}"
    lines.append(f"{row.units_across} of {units} units cross for {cost}.")
    winner = ATTACKER if row.units_across == units else NOBODY if row.units_across else DEFENDER
    return Built(answer=lambda run: certain(winner=winner, **row._asdict()), explain=lambda: lines)
