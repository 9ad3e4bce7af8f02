"""Fields of a naval battle, and what they refuse (docs/rules/europa_naval_and_other.md sections 2 and 3)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Both, Fields, FrameOf
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import fleet_of
from simulator.rules.europa.shared.land_model import Period, Region
from simulator.rules.europa.shared.leaders import leader_of
from simulator.rules.europa.shared.voyage import SeaWay
from simulator.rules.europa.tables import book
from simulator.rules.idle import KnowsIdle
from simulator.rules.toolkit.policies import refuse

SEA_TYPES = ("ADMIRAL", "EXPLORER", "PRIVATEER", "KING", "PACHA")


class SeaLeaderTable(Fields):
    """A sea leader by values."""

    manoeuvre: common.Value = Field(0, description="manoeuvre")
    fire: common.Value = Field(0, description="fire")
    shock: common.Value = Field(0, description="shock (boarding)")
    siege: common.Value = Field(0, description="siege value")
    anonymous: bool = Field(False, description="killed instead of wounded")
    robust: bool = Field(False, description="a value of 6 is no risk")


class HostileSide(common.Laden):
    """A fighting fleet."""

    page = f"leader, technology, {common.SHIPS}, country"
    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    leader: str | SeaLeaderTable = Field(
        "replacement", description='"replacement", "none", a sea leader of leaders.csv, or a table of values'
    )
    leader_country: str = Field("", description="narrows a name to one country of leaders.csv")
    leader_type: Literal["", "admiral", "explorer", "privateer", "king", "pacha"] = Field(
        "", description="narrows a name to one type of leaders.csv"
    )
    veteran: bool = Field(True, description="maintained from an earlier turn")
    fire_modifier: common.Bonus = Field(0, description="event or country rules, to Fire")
    shock_modifier: common.Bonus = Field(0, description="event or country rules, to Shock (boarding)")


class MovingFleet(HostileSide, common.Counted):
    """A fighting fleet that has FLEET counters, and may retreat."""

    page = HostileSide.page
    retreat_drm: Annotated[int, Field(ge=-20, le=30)] | None = Field(
        None, description="sum of all movement-sea modifiers but MAN: a side that does not win rolls attrition"
    )


class NavalSide(MovingFleet):
    """One side of a naval battle."""

    retreat: SeaWay | None = Field(None, description="its voyage and retreat, in place of the sum of their modifiers")


class SeaConditions(Fields):
    """The place and the time."""

    page = "sea, period, region"
    sea: common.SeaKind = Field("other", description="galleys only in the mediterranean and the baltic")
    turn: Annotated[int, Field(ge=1, le=62)] = Field(20, description="turn of the game")
    period: Period = Field("III", description="period of the game")
    region: Region = Field("europe", description="europe or the rest of the world")


class NavalConditions(SeaConditions):
    """The meeting of the fleets."""

    page = "sea, wind, interception, period"
    interception: bool = Field(False, description="the defender intercepted the attacker")
    wind: Literal["roll", "attacker", "defender", "none"] = Field("roll", description="who has the wind")


class FleetPolicy(Fields):
    """Choices of one side that are fixed before the battle."""

    page = "break_off, leave_with_wind, losses"
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
    losses: common.LossOrder = Field(
        "auto", description="what is lost first; auto: transports last if anything is aboard"
    )
    evasion: Literal["stand", "evade"] = Field("stand", description="try to evade the battle; defender only")


class NavalPolicy(FleetPolicy):
    """Choices of one side; `best` is decided in every position."""

    page = FleetPolicy.page
    leave_with_wind: Literal["never", "always", "if-behind", "if-near-rout", "best"] = Field(  # type: ignore[assignment]
        "never", description="leave after a Fire roll if it has the wind; best = decided in every position"
    )
    break_off: Literal["never", "always", "if-behind", "if-near-rout", "if-sure", "best"] = Field(  # type: ignore[assignment]
        "never", description="try to break off after day one; best = decided in every position"
    )


NavalPolicies = Both[NavalPolicy, NavalPolicy]


class NavalOptions(common.TableOptions):
    """Readings (section 15)."""

    break_off_at_sea: Literal["roll", "automatic"] = Field("roll", description="breaking off takes a roll, or is free")
    leader_differential_cap: common.Value = Field(3, description="largest leader difference; 9 = no cap")
    veteran_rule: Literal["table", "all", "vessel-and-three-decker"] = Field(
        "table", description="whose morale veterans raise"
    )
    size_counts: Literal["first-line", "all"] = Field("first-line", description="ships that make the size of a side")
    destruction_is_rout: bool = Field(False, description="a fleet that loses more than it has is routed")
    rout_attrition_plus_two: bool = Field(False, description="+2 to the retreat attrition of a routed side")


class Naval(KnowsIdle, FrameOf[NavalSide, NavalSide, NavalConditions, NavalPolicies, NavalOptions]):
    """A naval battle of at most two days."""

    tolerated = ("attacker.leader.siege", "defender.leader.siege")
    game: Literal["europa"]
    battle: Literal["naval"]


def check_naval(fields: Naval) -> None:
    """Refuse what types cannot; raises Refusal."""
    tables = book(fields.options.tables)
    for name in SIDES:
        side = getattr(fields, name)
        common.check_fleet(side, name, fields.conditions)
        common.check_cargo(side, name, fields.conditions, tables)
        leader_of(side, tables, f"{name}.leader", SEA_TYPES)
        twice = side.retreat is not None and side.retreat_drm is not None
        refuse(twice, f"{name}.retreat", "not allowed together with retreat_drm; give one or the other")
    convoys = all(only_transports(getattr(fields, name)) for name in SIDES)
    refuse(convoys, "attacker.warships", "both sides have only transports; give one of them other ships")
    check_evasion(fields.policy, fields.conditions.interception)


def only_transports(side: common.Ship) -> bool:
    """A convoy without escort."""
    fleet = fleet_of(side)
    return fleet.transports > 0 and fleet.thirds == 3 * fleet.transports


def check_evasion(policy: Both[Any, Any], interception: bool) -> None:
    """Only a defender that has not intercepted may evade."""
    text = "'evade' is not allowed; only the defender may evade"
    refuse(policy.attacker.evasion == "evade", "policy.attacker.evasion", text)
    text = "'evade' is not allowed in an interception battle; must be stand"
    refuse(interception and policy.defender.evasion == "evade", "policy.defender.evasion", text)
