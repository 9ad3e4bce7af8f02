"""The way of a fleet, and its attrition at sea (docs/rules/europa_naval_and_other.md section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NamedTuple

from pydantic import Field

from simulator.rules.battle import Fields
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.modifiers import Bonus

WEATHERED = {"battery": -1, "vessel": -2, "three-decker": -2, "seventy-four": -3}


class SeaWay(Fields):
    """The way of a fleet."""

    renamed: ClassVar[Mapping[str, str]] = {
        "supply_distance": "at sea give zones_to_port, the sea zones crossed from the own port to the fleet "
        "(adjacent = 0)"
    }
    sea_difficulty: common.Some = Field(0, description="greatest difficulty of the zones entered")
    malus: common.Some = Field(0, description="sum over the zones entered")
    zones_entered: common.Zones = Field(1, description="zones and ports entered")
    zones_to_port: common.Zones = Field(0, description="sea zones crossed from the own port to the fleet; adjacent = 0")
    arsenal_to_arsenal: bool = Field(False, description="the voyage goes from arsenal to arsenal")
    bad_weather: bool = Field(False, description="bad weather")
    strait_drm: common.Some = Field(0, description="sum for closed straits")
    works_crossed: common.Some = Field(0, description="works crossed in a retreat")
    corsairs_minus: common.Some = Field(0, description="unfriendly corsair- on the path")
    corsairs_plus: common.Some = Field(0, description="unfriendly corsair+ on the path")


class VoyageConditions(SeaWay):
    """The conditions of a voyage."""

    blockading: bool = Field(False, description="blockades a port at the start")
    fortress_level: common.Level = Field(0, description="level of the fortress that is blockaded")
    end_of_turn_at_sea: bool = Field(False, description="stays at sea at the end of the turn")


class Voyager(NamedTuple):
    """The fleet itself, as far as attrition at sea depends on it."""

    warships: bool
    technology: str
    counters: int
    manoeuvre: int = 0
    siege: int = 0


def weather_of(technology: str) -> Bonus:
    """The effect of storms on a technology."""
    return Bonus(WEATHERED.get(technology, 0), f"technology {technology}")


def of_the_way(fleet: Voyager, way: SeaWay) -> list[Bonus]:
    """Modifiers of attrition at sea on the way of a fleet that blockades nothing."""
    counters, zones, distance = fleet.counters, way.zones_entered, way.zones_to_port
    by_zones = zones // 4 if counters <= 1 else 2 * (zones // 2) if counters == 2 else 4 * (zones // 2)
    far = 9 if distance >= 5 else 6 if distance >= 2 else 3 if distance == 1 else 0
    return [
        Bonus(-6, "at sea"),
        Bonus(-fleet.manoeuvre, "manoeuvre"),
        Bonus(way.strait_drm, "closed straits"),
        Bonus(way.malus, "malus of the zones"),
        Bonus(way.sea_difficulty, "difficulty of the sea"),
        Bonus(int(fleet.technology == "carrack" and fleet.warships), "carracks"),
        weather_of(fleet.technology),
        Bonus(2 * way.bad_weather, "bad weather"),
        Bonus(by_zones, f"{zones} zones with {counters} FLEET counters"),
        Bonus(-int(counters >= 2 and way.arsenal_to_arsenal), "from arsenal to arsenal"),
        Bonus(far, f"{distance} zones from port"),
        Bonus(way.corsairs_minus, "corsair-"),
        Bonus(2 * way.corsairs_plus, "corsair+"),
        Bonus(2 * way.works_crossed, "works crossed"),
    ]


def of_the_voyage(fleet: Voyager, conditions: VoyageConditions, end_of_turn: bool) -> list[Bonus]:
    """Modifiers of attrition at sea."""
    return [
        *of_the_way(fleet, conditions),
        Bonus(-fleet.siege if conditions.blockading else 0, "siege value of the blockade"),
        Bonus(-(-conditions.fortress_level // 2) if conditions.blockading else 0, "blockaded fortress"),
        Bonus(2 * int(end_of_turn and conditions.end_of_turn_at_sea), "stays at sea at the end of the turn"),
    ]
