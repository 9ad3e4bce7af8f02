"""Crossings by a bridge of ships or over mountains, without dice (docs/rules/price_of_power.md section 7)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Built, Fields, Frame, certain
from simulator.rules.price_of_power.siege import winner_by

UNITS_PER_SHIP = 3
UNITS_PER_POWER = 3


class Mover(Fields):
    """Units that are to cross."""

    units: int = Field(ge=1, le=60, description="units that are to cross")
    military_power: int = Field(1, ge=1, le=99, description="military power for it; 1 is the activation itself")


class Border(Fields):
    """The way of the units."""

    border: Literal["open", "mountain"] = Field("open", description="the border crossed by land")
    destination: Literal["hostile", "neutral", "friendly"] = Field("hostile", description="the area entered")
    bridge: list[Annotated[int, Field(ge=0, le=60)]] = Field(
        [], description="friendly ships in each sea zone crossed; none: no sea between"
    )


class Crossing(Frame):
    """The units that get over a bridge of ships or a mountain border (no dice)."""

    game: Literal["price-of-power"]
    battle: Literal["crossing"]
    attacker: Mover = Field(description="units that are to cross")
    conditions: Border = Field(Border(), description="what lies between")


def build(fields: Crossing) -> Built:
    """The row of a crossing, and lines for its capacity and cost."""
    units, way = fields.attacker.units, fields.conditions
    mountains = way.border == "mountain" and way.destination != "friendly"
    capacity, each = UNITS_PER_SHIP * min(way.bridge, default=0), UNITS_PER_POWER if mountains else units
    over = min(units, capacity) if way.bridge else units
    across = min(over, each * fields.attacker.military_power)
    spent, for_all = -(-across // each), -(-over // each)
    lines = ["No mountain border in the way: one power, the activation itself, moves them all."]
    if mountains:
        lines = [f"A mountain border into a {way.destination} area: {UNITS_PER_POWER} units for each power."]
    if way.bridge:
        weakest = f"the weakest of {len(way.bridge)} sea zones ({min(way.bridge)} ships)"
        lines.insert(0, f"The bridge carries {capacity} units: {UNITS_PER_SHIP} for each ship in {weakest}.")
    lines.append(f"{across} of {units} units cross for {spent} power; everyone the way lets over would need {for_all}.")
    row = {"units_across": across, "power_spent": spent, "power_for_all": for_all, "bridge_capacity": capacity}
    return Built(answer=lambda run: certain(winner=winner_by(across, units), **row), explain=lambda: lines)
