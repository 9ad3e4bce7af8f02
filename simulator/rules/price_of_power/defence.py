"""The npr-defence calculator: which units an NPR defends with (rules/price_of_power.md section 6)."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from simulator.rules.battle import NOBODY, Fields, Outcomes, Refusal, Run, certain
from simulator.rules.price_of_power import capacities
from simulator.rules.price_of_power.checks import check_ports
from simulator.rules.price_of_power.crossing import Empty
from simulator.rules.price_of_power.fields import Capacity, Provinces
from simulator.rules.price_of_power.forces import LEAST_FOR_A_CARD


class Npr(Fields):
    """The NPR, or all NPRs that defend together, with their vassals."""

    provinces: Provinces = Field(description="own and neighbouring provinces")
    active_ally: bool = Field(False, description="an active ally of a player: half its land units defend")


class Empire(Fields):
    """The Emperor's part."""

    imperial_authority: int | None = Field(
        None, ge=-5, le=15, description="imperial authority, when the Emperor is an NPR and the area is in the Empire"
    )
    foreign_areas: int = Field(0, ge=0, le=60, description="foreign areas in the Empire")


class NprDefence(Fields):
    """An NPR's defence."""

    game: Literal["price-of-power"]
    battle: Literal["npr-defence"]
    attacker: Empty = Field(Empty(), description="nothing")
    defender: Npr = Field(description="the NPR's provinces")
    conditions: Empire = Field(Empire(), description="the Emperor's part")
    policy: Empty = Field(Empty(), description="nothing")
    options: Empty = Field(Empty(), description="nothing")


def check(fields: Any) -> None:
    """Refuse sea zones without ports, and foreign areas without an Emperor."""
    check_ports("defender.provinces", fields.defender.provinces)
    if fields.conditions.foreign_areas and fields.conditions.imperial_authority is None:
        raise Refusal("conditions.foreign_areas", "needs conditions.imperial_authority")


def capacity_of(fields: Any) -> Capacity:
    """The same provinces as a battle's `defender.npr` would hold them."""
    return Capacity(
        provinces=fields.defender.provinces,
        active_ally=fields.defender.active_ally,
        imperial_authority=fields.conditions.imperial_authority,
        foreign_areas=fields.conditions.foreign_areas,
    )


def answer(fields: Any, _: Run) -> Outcomes:
    """The one row of an NPR's defence."""
    capacity = capacity_of(fields)
    land, ships = capacities.land_units(capacity), capacities.ships(capacity)
    return certain(
        winner=NOBODY,
        land_units=land,
        ships=ships,
        leader_drawn_land=land >= LEAST_FOR_A_CARD,
        leader_drawn_sea=ships >= LEAST_FOR_A_CARD,
    )


def assumptions(fields: Any) -> list[str]:
    """A drawn leader is assumed to come from the whole deck."""
    capacity = capacity_of(fields)
    drawn = max(capacities.land_units(capacity), capacities.ships(capacity)) >= LEAST_FOR_A_CARD
    return ["a leader is drawn from all 36 military cards, shuffled (ASSUMED)"] if drawn else []


def explain(fields: Any) -> list[str]:
    """What each province gives."""
    capacity, lines = capacity_of(fields), []
    for place, province in enumerate(capacity.provinces, 1):
        name = province.name or f"province {place}"
        lines.append(f"{name}: {capacities.land_part(province)} land units, {capacities.sea_part(province)} ships")
    if capacity.active_ally:
        lines.append("an active ally defends with half its land units, rounded up")
    if capacity.imperial_authority is not None:
        lines.append(
            f"the Emperor: 3 x {capacity.imperial_authority} - 2 x {capacity.foreign_areas} land units more,"
            " at least 0 in all"
        )
    lines.append(f"in all {capacities.land_units(capacity)} infantry and {capacities.ships(capacity)} light ships")
    return lines
