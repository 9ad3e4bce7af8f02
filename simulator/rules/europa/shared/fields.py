"""Fields that several kinds share: ships, troops, policies without a choice, varied tables, and what they refuse.

docs/rules/europa_naval_and_other.md section 2.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.shared.fleets import Dated, cargo_of, fleet_of, half_points_needed, hold_of
from simulator.rules.europa.shared.land_model import ArmyClass
from simulator.rules.europa.tables import Book, book

Value = Annotated[int, Field(ge=0, le=9)]
Ships = Annotated[int, Field(ge=0, le=60)]
Few = Annotated[int, Field(ge=0, le=3)]
Some = Annotated[int, Field(ge=0, le=20)]
Level = Annotated[int, Field(ge=0, le=5)]
Zones = Annotated[int, Field(ge=0, le=60)]
Bonus = Annotated[int, Field(ge=-5, le=5)]
NavalTechnology = Literal[
    "galley", "carrack", "nao-galleon", "galleon-fluyt", "battery", "vessel", "three-decker", "seventy-four"
]
SeaCountry = Literal[
    "minor", "england", "spain", "france", "habsburg", "austria", "holland", "poland", "prussia", "portugal", "russia",
    "sweden", "turkey", "venice", "usa",
]  # fmt: skip
SeaKind = Literal["other", "mediterranean", "baltic"]
LossOrder = Literal["auto", "transports-first", "transports-last"]


class NoPolicy(Fields):
    """This side has no choice."""


NoPolicies = Both[NoPolicy, NoPolicy]


class LosingPolicy(Fields):
    """Choices of a fleet that does not fight."""

    losses: LossOrder = Field("auto", description="what is lost first")


class Ship(Fields):
    """A fleet."""

    warships: Ships = Field(0, description="warship detachments")
    galleys: Ships = Field(0, description="galley detachments; mediterranean and baltic only")
    galleasses: Annotated[int, Field(ge=0, le=10)] = Field(0, description="galleass detachments")
    transports: Ships = Field(0, description="transport detachments")
    exploration_ships: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a warship detachment")


class Troops(Fields):
    """Troops aboard or ashore."""

    army_plus: Few = Field(0, description="ARMY+ counters (4 LD each)")
    army_minus: Few = Field(0, description="ARMY- counters (2 LD each)")
    land_detachments: Ships = Field(0, description="loose land detachments (LD)")
    exploration_detachments: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a LD")
    country: SeaCountry = Field("minor", description="army class and replacement leaders")
    army_class: ArmyClass = Field("", description='only with country minor; "" = III')


class Laden(Ship, Troops):
    """A fleet with troops or gold aboard."""

    gold: Annotated[int, Field(ge=0, le=500)] = Field(0, description="ducats aboard; not together with troops")


class Counted(Fields):
    """FLEET counters."""

    fleets_minus: Few = Field(0, description="FLEET- counters that hold these ships")
    fleets_plus: Few = Field(0, description="FLEET+ counters that hold these ships")


class TableOptions(Fields):
    """Varied tables."""

    tables: dict[str, Any] = Field(
        default_factory=dict, description="rows that replace those of the tables, by table name"
    )


def check_tables(fields: FrameOf[Any, Any, Any, Any, TableOptions]) -> None:
    """Refuse wrong tables; raises Refusal."""
    book(fields.options.tables)


def check_fleet(side: Ship, path: str, conditions: Fields) -> None:
    """Refuse a fleet without ships, galleys at open sea, galley technology with warships."""
    fleet = fleet_of(side)
    if not fleet.thirds:
        raise Refusal(f"{path}.warships", "no ships; give warships, galleys, transports ...")
    if (fleet.galleys or fleet.galleasses) and getattr(conditions, "sea", "") == "other":
        raise Refusal(
            f"{path}.galleys",
            f"{fleet.galleys} galleys and {fleet.galleasses} galleasses are not allowed with conditions.sea other; "
            "only mediterranean or baltic",
        )
    if fleet.warships and getattr(side, "technology", "") == "galley":
        raise Refusal(
            f"{path}.technology", "galley is not allowed with warships or exploration ships; carrack or better"
        )


def check_cargo(side: Laden, path: str, conditions: Dated, tables: Book, *, fits: bool = True) -> None:
    """Refuse gold together with troops, and (`fits`) more than the ships carry."""
    check_class(side, path)
    cargo = cargo_of(side)
    if cargo.gold and cargo.troops:
        raise Refusal(
            f"{path}.gold", f"{cargo.gold} ducats are not allowed together with troops; give one or the other"
        )
    needed, room = half_points_needed(side, hold_of(side, conditions, tables)), fleet_of(side).half_points
    if fits and needed > room:
        raise Refusal(
            f"{path}.transports",
            f"the load needs {needed / 2:g} transport points and the ships provide {room / 2:g}; give more transports",
        )


def check_class(side: Troops, path: str) -> None:
    """Refuse an army class beside a country that has its own."""
    if side.army_class and side.country != "minor":
        raise Refusal(
            f"{path}.army_class",
            f"{side.army_class!r} is not allowed with country {side.country}; only with country minor",
        )
