"""Fields that several kinds share: ships, troops, policies without a choice, varied tables, and what they refuse.

docs/rules/europa_naval_and_other.md section 2.
"""

from __future__ import annotations

from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import Field

from simulator.rules.battle import Attacking_co, Both, Defending_co, Fields, FrameOf, Options_co, Policies_co, Where_co
from simulator.rules.europa.shared import fleets
from simulator.rules.europa.shared.fleets import cargo_of, fleet_of, half_points_needed, hold_of
from simulator.rules.europa.shared.land_model import ArmyClass
from simulator.rules.europa.shared.stacks import size_of
from simulator.rules.europa.tables import Book, book
from simulator.rules.toolkit.policies import refuse

Kind_co = TypeVar("Kind_co", covariant=True)

Value = Annotated[int, Field(ge=0, le=9)]
Ships = Annotated[int, Field(ge=0, le=60)]
Few = Annotated[int, Field(ge=0, le=3)]
Some = Annotated[int, Field(ge=0, le=20)]
Level = Annotated[int, Field(ge=0, le=5)]
Zones = Annotated[int, Field(ge=0, le=60)]
Bonus = Annotated[int, Field(ge=-5, le=5)]
SeaCountry = Literal[
    "minor", "england", "spain", "france", "habsburg", "austria", "holland", "poland", "prussia", "portugal", "russia",
    "sweden", "turkey", "venice", "usa",
]  # fmt: skip
NavalTechnology = fleets.NavalTechnology
SeaKind = Literal["other", "mediterranean", "baltic"]
LossOrder = Literal["auto", "transports-first", "transports-last"]
NoPolicies = Both[Fields, Fields]
# Fields in the order of the page.
SHIPS = "warships, galleys, galleasses, transports"
ARMIES = "army_plus: ARMY+, army_minus: ARMY−, land_detachments"
TROOPS = f"{ARMIES}, country"


class LosingPolicy(Fields):
    """Choices of a fleet that does not fight."""

    losses: LossOrder = Field("auto", description="what is lost first")


class Ship(Fields):
    """A fleet."""

    page = SHIPS
    warships: Ships = Field(0, description="warship detachments")
    galleys: Ships = Field(0, description="galley detachments; mediterranean and baltic only")
    galleasses: Annotated[int, Field(ge=0, le=10)] = Field(0, description="galleass detachments")
    transports: Ships = Field(0, description="transport detachments")
    exploration_ships: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a warship detachment")


class Troops(Fields):
    """Troops aboard or ashore."""

    page = TROOPS
    army_plus: Few = Field(0, description="ARMY+ counters (4 LD each)")
    army_minus: Few = Field(0, description="ARMY- counters (2 LD each)")
    land_detachments: Ships = Field(0, description="loose land detachments (LD)")
    exploration_detachments: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a LD")
    country: SeaCountry = Field("minor", description="army class and replacement leaders")
    army_class: ArmyClass = Field("", description='only with country minor; "" = III')


class Laden(Ship, Troops):
    """A fleet with troops or gold aboard."""

    page = f"{SHIPS}, {TROOPS}, gold"
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


class Scenario(
    FrameOf[Attacking_co, Defending_co, Where_co, Policies_co, Options_co],
    Generic[Kind_co, Attacking_co, Defending_co, Where_co, Policies_co, Options_co],
):
    """A scenario of this game: the name of its kind as a Literal, and the models of its tables."""

    game: Literal["europa"]
    battle: Kind_co


class Procedure(
    Scenario[Kind_co, Attacking_co, Defending_co, Where_co, NoPolicies, TableOptions],
    Generic[Kind_co, Attacking_co, Defending_co, Where_co],
):
    """A scenario without choices and readings: the name of its kind as a Literal, and the models of its tables."""


def check_tables(fields: FrameOf[Any, Any, Any, Any, TableOptions]) -> None:
    """Refuse wrong tables; raises Refusal."""
    book(fields.options.tables)


def check_fleet(side: Ship, path: str, conditions: Fields) -> None:
    """Refuse a fleet without ships, galleys at open sea, galley technology with warships. Raises Refusal."""
    fleet = fleet_of(side)
    refuse(not fleet.thirds, f"{path}.warships", "no ships; give warships, galleys, transports ...")
    at_open_sea = (fleet.galleys or fleet.galleasses) and getattr(conditions, "sea", "") == "other"
    name = "galleys" if fleet.galleys else "galleasses"
    text = f"{getattr(fleet, name)} is not allowed with conditions.sea other; only mediterranean or baltic"
    refuse(at_open_sea, f"{path}.{name}", text)
    text = "galley is not allowed with warships or exploration ships; carrack or better"
    refuse(fleet.warships and getattr(side, "technology", "") == "galley", f"{path}.technology", text)


def check_cargo(side: Laden, path: str, conditions: Fields, tables: Book, *, fits: bool = True) -> None:
    """Refuse gold together with troops, and (`fits`) more than the ships carry. Raises Refusal."""
    check_class(side, path)
    cargo = cargo_of(side)
    text = f"{cargo.gold} ducats are not allowed together with troops; give one or the other"
    refuse(cargo.gold and cargo.troops, f"{path}.gold", text)
    needed, room = half_points_needed(side, hold_of(side, conditions, tables)), fleet_of(side).half_points
    provided = f"the load needs {needed / 2:g} transport points and the ships provide {room / 2:g}"
    refuse(fits and needed > room, f"{path}.transports", f"{provided}; give more transports")


def check_class(side: Troops, path: str) -> None:
    """Refuse an army class beside a country that has its own. Raises Refusal."""
    text = f"{side.army_class!r} is not allowed with country {side.country}; only with country minor"
    refuse(side.army_class and side.country != "minor", f"{path}.army_class", text)


def check_troops(side: Troops, path: str, text: str) -> None:
    """Refuse an army class beside a country of its own and, with this text, an empty stack. Raises Refusal."""
    check_class(side, path)
    refuse(not size_of(side), f"{path}.land_detachments", text)
