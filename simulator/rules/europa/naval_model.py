"""Fields of a naval battle, and what they refuse (docs/rules/europa_naval_and_other.md sections 2 and 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.fleets import cargo_of, fleet_of, half_points_needed, hold_of
from simulator.rules.europa.leaders import leader_of
from simulator.rules.europa.model import ArmyClass, Period, Region
from simulator.rules.europa.stacks import SIDES
from simulator.rules.europa.tables import Book, book

if TYPE_CHECKING:
    from simulator.rules.europa.fleets import Dated

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
SEA_TYPES = ("ADMIRAL", "EXPLORER", "PRIVATEER", "KING", "PACHA")


class SeaLeaderTable(Fields):
    """A sea leader by values."""

    manoeuvre: Value = Field(0, description="manoeuvre")
    fire: Value = Field(0, description="fire")
    shock: Value = Field(0, description="shock: boarding at sea")
    siege: Value = Field(0, description="siege value")
    anonymous: bool = Field(False, description="killed instead of wounded")
    robust: bool = Field(False, description="a value of 6 is no risk")


class NoPolicy(Fields):
    """This side has no choice."""


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


class HostileSide(Laden):
    """A fighting fleet."""

    technology: NavalTechnology = Field("nao-galleon", description="naval technology")
    leader: str | SeaLeaderTable = Field(
        "replacement", description='"replacement", "none", a sea leader of leaders.csv, or a table of values'
    )
    leader_country: str = Field("", description="narrows a name to one country of leaders.csv")
    leader_type: Literal["", "admiral", "explorer", "privateer", "king", "pacha"] = Field(
        "", description="narrows a name to one type of leaders.csv"
    )
    veteran: bool = Field(True, description="maintained from an earlier turn")
    fire_modifier: Bonus = Field(0, description="event or country rules, to Fire")
    shock_modifier: Bonus = Field(0, description="event or country rules, to Boarding")


class NavalSide(HostileSide):
    """One side of a naval battle."""

    retreat_drm: Annotated[int, Field(ge=-20, le=30)] | None = Field(
        None, description="sum of all movement-sea modifiers but MAN: a side that does not win rolls attrition"
    )


class SeaConditions(Fields):
    """Where and when."""

    sea: SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    turn: Annotated[int, Field(ge=1, le=62)] = Field(20, description="turn of the game")
    period: Period = Field("III", description="period of the game")
    region: Region = Field("europe", description="europe or the rest of the world")


class NavalConditions(SeaConditions):
    """How the fleets meet."""

    interception: bool = Field(False, description="the defender intercepted the attacker")
    wind: Literal["roll", "attacker", "defender", "none"] = Field("roll", description="who has the wind")


class NavalPolicy(Fields):
    """Choices of one side."""

    first_line: Literal["most-numerous", "warships", "galleys"] = Field(
        "most-numerous", description="what stands in front of a mixed fleet"
    )
    leave_with_wind: Literal["never", "always", "if-behind", "if-near-rout"] = Field(
        "never", description="leave after a Fire roll if it has the wind"
    )
    break_off: Literal["never", "always", "if-behind", "if-near-rout", "if-sure"] = Field(
        "never", description="try to break off after day one"
    )
    capture: Literal["auto", "warships-first", "transports-first"] = Field(
        "auto", description="what is captured first; auto: transports if the enemy carries anything"
    )
    losses: LossOrder = Field("auto", description="what is lost first; auto: transports last if anything is aboard")
    evasion: Literal["stand", "evade"] = Field("stand", description="try to evade the battle; defender only")


NavalPolicies = Both[NavalPolicy, NavalPolicy]


class TableOptions(Fields):
    """Varied tables."""

    tables: dict[str, Any] = Field(
        default_factory=dict, description="rows that replace those of the tables, by table name"
    )


class NavalOptions(TableOptions):
    """Readings (section 15)."""

    break_off_at_sea: Literal["roll", "automatic"] = Field("roll", description="breaking off takes a roll, or is free")
    leader_differential_cap: Value = Field(3, description="largest leader difference; 9 = no cap")
    veteran_rule: Literal["table", "all", "vessel-and-three-decker"] = Field(
        "table", description="whose morale veterans raise"
    )
    size_counts: Literal["first-line", "all"] = Field("first-line", description="ships that make the size of a side")
    destruction_is_rout: bool = Field(False, description="a fleet that loses more than it has is routed")
    rout_attrition_plus_two: bool = Field(False, description="+2 to the retreat attrition of a routed side")


class Naval(FrameOf[NavalSide, NavalSide, NavalConditions, NavalPolicies, NavalOptions]):
    """A naval battle."""

    game: Literal["europa"]
    battle: Literal["naval"]


def check_naval(fields: Naval) -> None:
    """Refuse what types cannot; raises Refusal."""
    tables = book(fields.options.tables)
    for name in SIDES:
        side = getattr(fields, name)
        check_fleet(side, name, fields.conditions)
        check_cargo(side, name, fields.conditions, tables)
        leader_of(side, tables, f"{name}.leader", SEA_TYPES)
    if all(only_transports(getattr(fields, name)) for name in SIDES):
        raise Refusal("attacker.warships", "both sides have only transports; give one of them other ships")
    check_evasion(fields.policy, fields.conditions.interception)


def only_transports(side: Ship) -> bool:
    """A convoy without escort."""
    fleet = fleet_of(side)
    return fleet.transports > 0 and fleet.thirds == 3 * fleet.transports


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


def check_evasion(policy: NavalPolicies, interception: bool) -> None:
    """Only a defender that has not intercepted may evade."""
    if policy.attacker.evasion == "evade":
        raise Refusal("policy.attacker.evasion", "'evade' is not allowed; only the defender may evade")
    if interception and policy.defender.evasion == "evade":
        raise Refusal("policy.defender.evasion", "'evade' is not allowed in an interception battle; must be stand")
