"""Fields of exploration, conquest, natives, the round track and leaders, and what they refuse.

docs/rules/europa_naval_and_other.md sections 9 to 12.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import Both, Fields, FrameOf, Refusal
from simulator.rules.europa.fleets import fleet_of
from simulator.rules.europa.model import Period, Region
from simulator.rules.europa.naval_model import (
    Laden,
    NavalTechnology,
    NoPolicy,
    Ships,
    Some,
    TableOptions,
    Troops,
    Value,
    check_cargo,
    check_class,
    check_fleet,
)
from simulator.rules.europa.stacks import size_of
from simulator.rules.europa.tables import book
from simulator.rules.europa.voyage_model import LosingPolicy, NoPolicies


class Explorers(Laden):
    """Who explores."""

    technology: NavalTechnology = Field("nao-galleon", description="naval technology")
    role: Literal["explorer", "conquistador", "governor", "admiral", "general", "none"] = Field(
        "explorer", description="who leads; only the first three use their manoeuvre"
    )
    manoeuvre: Value = Field(0, description="manoeuvre of the leader")
    missionary_manoeuvre: Value | None = Field(None, description="manoeuvre of a missionary, if there is one")


class ExplorationConditions(Fields):
    """Where, and how dangerous it is."""

    where: Literal["sea", "land"] = Field("sea", description="a sea zone or an area on land")
    malus: Some = Field(0, description="malus of the sea zone")
    bad_weather: bool = Field(False, description="bad weather")
    known_since_period_iv: bool = Field(
        False, description="period IV or later and the zone is known to another country"
    )
    period: Period = Field("III", description="period of the game")
    region: Region = Field("rotw", description="the rest of the world: troops are lost by thirds")


class Exploration(FrameOf[Explorers, NoPolicy, ExplorationConditions, Both[LosingPolicy, NoPolicy], TableOptions]):
    """A voyage or march of discovery."""

    game: Literal["europa"]
    battle: Literal["exploration"]


def check_exploration(fields: Exploration) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, sea = fields.attacker, fields.conditions.where == "sea"
    fleet, tables = fleet_of(side), book(fields.options.tables)
    if fleet.galleys or fleet.galleasses:
        raise Refusal("attacker.galleys", "galleys and galleasses do not explore; give other ships")
    if fleet.thirds and not sea:
        raise Refusal("attacker.warships", f"{fleet.told()} cannot explore on land; only with conditions.where sea")
    nobody = side.role == "none" and side.missionary_manoeuvre is None
    if nobody and not (fleet.thirds if sea else size_of(side)):
        field = "warships" if sea else "land_detachments"
        raise Refusal(f"attacker.{field}", "nobody explores; give units, a role or missionary_manoeuvre")
    check_class(side, "attacker")
    if fleet.thirds:
        check_fleet(side, "attacker", fields.conditions)
    if sea:
        check_cargo(side, "attacker", fields.conditions, tables)


class Conquerors(Troops):
    """The troops that go among the natives."""

    stats_sum: Annotated[int, Field(ge=0, le=24)] = Field(
        0, description="sum of the leader's values; an explorer's already halved"
    )
    missionary: bool = Field(False, description="a missionary is with them")


class Natives(Fields):
    """The natives of the area."""

    natives_detachments: Ships = Field(0, description="LD of natives")
    natives_exploration: Annotated[int, Field(ge=0, le=2)] = Field(0, description="thirds of a LD beside")


class ConquestConditions(Fields):
    """What has been done there."""

    previous_uses: Some = Field(0, description="earlier uses in the area")


class ConquestOptions(TableOptions):
    """Readings (section 15)."""

    large_stack: Literal["at-least-four", "more-than-four"] = Field(
        "at-least-four", description="stacks that have +1: 4 LD or more, or 5 or more"
    )


class Conquest(FrameOf[Conquerors, Natives, ConquestConditions, NoPolicies, ConquestOptions]):
    """A conquistador among natives."""

    game: Literal["europa"]
    battle: Literal["conquistador"]


def check_conquest(fields: Conquest) -> None:
    """Refuse what types cannot; raises Refusal."""
    book(fields.options.tables)
    check_class(fields.attacker, "attacker")
    if not size_of(fields.attacker):
        raise Refusal("attacker.land_detachments", "no troops; give at least one detachment or a third of one")
    if not fields.defender.natives_detachments and not fields.defender.natives_exploration:
        raise Refusal("defender.natives_detachments", "no natives; give more than 0 in all")


class NativesConditions(Fields):
    """What the natives put up with."""

    tolerance: Annotated[int, Field(ge=0, le=10)] = Field(5, description="tolerance of the area")
    treaty: bool = Field(False, description="there is a treaty")
    leader_alone: bool = Field(False, description="a lone leader enters")
    already_active: bool = Field(False, description="the natives are active already")


class NativesPolicy(Fields):
    """Choices of who enters."""

    natives: Literal["test", "attack"] = Field("test", description="wait for their test, or attack them")


class Activation(FrameOf[NoPolicy, NoPolicy, NativesConditions, Both[NativesPolicy, NoPolicy], TableOptions]):
    """Do natives attack?"""

    game: Literal["europa"]
    battle: Literal["native-activation"]


class TrackConditions(Fields):
    """Where the military phase is."""

    round: Literal["start", "W0", "S1", "W1", "S2", "W2", "S3", "W3", "S4", "W4", "S5", "W5"] = Field(
        "start", description="the current box of the round track"
    )
    poor_weather: bool = Field(False, description="event of this turn")
    period: Period = Field("III", description="period of the game")


class Continuation(FrameOf[NoPolicy, NoPolicy, TrackConditions, NoPolicies, TableOptions]):
    """The rounds of a military phase."""

    game: Literal["europa"]
    battle: Literal["continuation"]


class Commander(Fields):
    """The leader who is tested."""

    fire: Value = Field(2, description="fire")
    shock: Value = Field(2, description="shock")
    anonymous: bool = Field(False, description="killed instead of wounded")
    robust: bool = Field(False, description="Marlborough, Friedrich II: a value of 6 is no risk")
    monarch: bool = Field(False, description="captured instead, when the stack is destroyed")
    won: bool = Field(False, description="the side won the battle")
    destroyed: bool = Field(False, description="the stack was destroyed")


class SurvivalConditions(Fields):
    """The battle that was fought."""

    where: Literal["land", "sea"] = Field("land", description="on land or at sea")
    region: Region = Field("europe", description="europe or the rest of the world")
    enemy_detachments: Annotated[int, Field(ge=0, le=200)] = Field(8, description="LD the enemy began with")


class Survival(FrameOf[Commander, NoPolicy, SurvivalConditions, NoPolicies, TableOptions]):
    """A leader's test after a battle."""

    game: Literal["europa"]
    battle: Literal["leader-survival"]


def check_tables(fields: Activation | Continuation | Survival) -> None:
    """Refuse wrong tables; raises Refusal."""
    book(fields.options.tables)
