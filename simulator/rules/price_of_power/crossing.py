"""How many units get over a bridge of ships and a mountain border (rules/price_of_power.md section 7)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, NOBODY, Fields, Outcomes, Run, certain

UNITS_PER_SHIP = 3
UNITS_PER_POWER = 3


class Empty(Fields):
    """A side or table with nothing to enter."""


class Mover(Fields):
    """Units that are to cross."""

    units: int = Field(ge=1, le=60, description="units that are to cross")
    military_power: int = Field(1, ge=1, le=99, description="military power for it; 1 is the activation itself")


class Border(Fields):
    """What lies between."""

    border: Literal["open", "mountain"] = Field("open", description="the border crossed by land")
    destination: Literal["hostile", "neutral", "friendly"] = Field("hostile", description="the area entered")
    bridge: list[Annotated[int, Field(ge=0, le=60)]] = Field(
        [], description="friendly ships in each sea zone crossed; none: no sea between"
    )


class Crossing(Fields):
    """A crossing."""

    game: Literal["price-of-power"]
    battle: Literal["crossing"]
    attacker: Mover = Field(description="units that are to cross")
    defender: Empty = Field(Empty(), description="nothing")
    conditions: Border = Field(Border(), description="what lies between")
    policy: Empty = Field(Empty(), description="nothing")
    options: Empty = Field(Empty(), description="nothing")


def answer(fields: Any, _: Run | None) -> Outcomes:
    """The one row of a crossing."""
    units, power = fields.attacker.units, fields.attacker.military_power
    bridge = fields.conditions.bridge
    capacity = UNITS_PER_SHIP * min(bridge) if bridge else 0
    over = min(units, capacity) if bridge else units
    mountains = fields.conditions.border == "mountain" and fields.conditions.destination != "friendly"
    across = min(over, UNITS_PER_POWER * power) if mountains else over
    return certain(
        winner=ATTACKER if across == units else NOBODY if across else DEFENDER,
        units_across=across,
        power_spent=power_for(across, mountains),
        power_for_all=power_for(over, mountains),
        bridge_capacity=capacity,
    )


def power_for(units: int, mountains: bool) -> int:
    """Military power for so many units: one for each three over mountains, else the activation alone."""
    return -(-units // UNITS_PER_POWER) if mountains else int(units > 0)


def explain(fields: Any) -> list[str]:
    """What carries the units, and what it costs."""
    units, conditions, lines = fields.attacker.units, fields.conditions, []
    if conditions.bridge:
        capacity = UNITS_PER_SHIP * min(conditions.bridge)
        lines.append(
            f"The bridge carries {capacity} units: {UNITS_PER_SHIP} for each ship in the weakest of "
            f"{len(conditions.bridge)} sea zones ({min(conditions.bridge)} ships)."
        )
    if conditions.border == "mountain" and conditions.destination != "friendly":
        lines.append(f"A mountain border into a {conditions.destination} area: {UNITS_PER_POWER} units for each power.")
    else:
        lines.append("No mountain border in the way: one power, the activation itself, moves them all.")
    row = {name: int(values[0]) for name, values in answer(fields, None).columns.items()}
    lines.append(
        f"{row['units_across']} of {units} units cross for {row['power_spent']} power; everyone the way lets over"
        f" would need {row['power_for_all']}."
    )
    return lines
