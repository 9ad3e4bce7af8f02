"""The scenario of each kind without a fight (docs/rules/birthright.md sections 6 to 8)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Fields
from simulator.rules.birthright.model import Frame, NoPolicies, Points, Units, Warcraft


class Regent(Fields):
    """The regent of the question."""

    warcraft: Warcraft = Field(0, description="own Warcraft modifier")
    points_left: Points = Field(1, description="movement points unspent")


class OtherRegent(Fields):
    """Another regent of the opposed check."""

    warcraft: Warcraft = Field(0, description="Warcraft modifier")
    in_target: bool = Field(False, description="has hostile units in the province to enter")
    in_origin: bool = Field(False, description="has hostile units in the province to leave")


class OtherRegents(Fields):
    """The other regents of the check."""

    regents: Annotated[list[OtherRegent], Field(min_length=1, max_length=7)] = Field(description="the other regents")


class MoveConditions(Fields):
    """The move."""

    cost: Annotated[int, Field(ge=1, le=50)] = Field(1, description="movement points it costs")


class AdjustmentOptions(Fields):
    """Readings of the opposed check."""

    tie: Literal["free", "blocked"] = Field("free", description="may a regent with an equal total block")
    order: bool = Field(False, description="also report the whole order, with at most 4 regents in all")


class Adjustment(Frame[Regent, OtherRegents, MoveConditions, NoPolicies, AdjustmentOptions]):
    """Who moves last: the regents' opposed Warcraft check."""

    battle: Literal["adjustment"]


class Sight(Fields):
    """The sources of sight of the viewing regent, and the movement of the unit."""

    kind: Literal["army", "naval"] = Field("army", description="kind of the unit")
    claimed: bool = Field(False, description="the viewer has claimed the province (army)")
    own_unit: bool = Field(False, description="the viewer has a unit there (army)")
    adjacent_scouts: bool = Field(False, description="the viewer has scouts next to it (army)")
    own_naval_unit: bool = Field(False, description="the viewer has a naval unit there (naval)")
    previous: Literal["none", "seen", "unseen"] = Field(
        "none", description="it has not moved / came from where it was seen / unseen"
    )
    moved_out: bool = Field(False, description="it was seen and has left to an adjacent province")
    espionage: bool = Field(False, description="espionage or scrying has succeeded")


class Visibility(Frame[Fields, Fields, Sight, NoPolicies, Fields]):
    """What a regent sees (no dice)."""

    battle: Literal["visibility"]


class Marchers(Fields):
    """The marching army."""

    units: Units = Field([], description="the slowest sets the rate")
    movement: Points = Field(0, description="points a war move; 0 = the slowest unit's")


class March(Fields):
    """The boroughs on the way."""

    costs: Annotated[list[Annotated[int, Field(ge=1, le=50)]], Field(min_length=1, max_length=40)] = Field(
        description="points for each borough in turn"
    )
    roads: list[bool] = Field([], description="friendly paved road to each borough: half the cost, rounded up")
    war_moves: Annotated[int, Field(ge=1, le=100)] = Field(4, description="war moves there are")
    retreat_cost: Annotated[int, Field(ge=1, le=50)] = Field(1, description="points to go back whence one came")


class MarchOptions(Fields):
    """Readings of the movement rules."""

    carry: bool = Field(True, description="points unspent count in the next war move (ASSUMED)")


class Movement(Frame[Marchers, Fields, March, NoPolicies, MarchOptions]):
    """How many war moves a march takes (no dice)."""

    battle: Literal["movement"]
