"""Exploration of a sea zone or an area (docs/rules/europa_naval_and_other.md section 9)."""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Literal, NamedTuple

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Both, Built, Fields, FrameOf, Refusal, offered
from simulator.rules.europa.procedures.attrition import weather_of
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import (
    Afloat,
    Cargo,
    cargo_of,
    fleet_of,
    hold_of,
    loss_order,
    ships_left,
    stormed,
)
from simulator.rules.europa.shared.land_model import Period, Region
from simulator.rules.europa.shared.losses import clamped, remainders
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import Draw, Following, Roll, built
from simulator.rules.europa.shared.stacks import detachments, size_of
from simulator.rules.europa.tables import book

USES_MANOEUVRE = ("explorer", "conquistador", "governor")


class Explorers(common.Laden):
    """Who explores."""

    technology: common.NavalTechnology = Field("nao-galleon", description="naval technology")
    role: Literal["explorer", "conquistador", "governor", "admiral", "general", "none"] = Field(
        "explorer", description="who leads; only the first three use their manoeuvre"
    )
    manoeuvre: common.Value = Field(0, description="manoeuvre of the leader")
    missionary_manoeuvre: common.Value | None = Field(None, description="manoeuvre of a missionary, if there is one")


class ExplorationConditions(Fields):
    """Where, and how dangerous it is."""

    where: Literal["sea", "land"] = Field("sea", description="a sea zone or an area on land")
    malus: common.Some = Field(0, description="malus of the sea zone")
    bad_weather: bool = Field(False, description="bad weather")
    known_since_period_iv: bool = Field(
        False, description="period IV or later and the zone is known to another country"
    )
    period: Period = Field("III", description="period of the game")
    region: Region = Field("rotw", description="the rest of the world: troops are lost by thirds")


class Exploration(
    FrameOf[
        Explorers,
        common.NoPolicy,
        ExplorationConditions,
        Both[common.LosingPolicy, common.NoPolicy],
        common.TableOptions,
    ]
):
    """Exploration of a sea zone or an area."""

    game: Literal["europa"]
    battle: Literal["exploration"]


def check_exploration(fields: Exploration) -> None:
    """Refuse what types cannot; raises Refusal."""
    side, sea = fields.attacker, fields.conditions.where == "sea"
    fleet, tables = fleet_of(side), book(fields.options.tables)
    if fleet.galleys or fleet.galleasses:
        raise Refusal("attacker.galleys", "galleys and galleasses do not explore; give other ships")
    if fleet.thirds and not sea:
        raise Refusal("attacker.warships", f"{fleet.text()} cannot explore on land; only with conditions.where sea")
    nobody = side.role == "none" and side.missionary_manoeuvre is None
    if nobody and not (fleet.thirds if sea else size_of(side)):
        field = "warships" if sea else "land_detachments"
        raise Refusal(f"attacker.{field}", "nobody explores; give units, a role or missionary_manoeuvre")
    common.check_class(side, "attacker")
    if fleet.thirds:
        common.check_fleet(side, "attacker", fields.conditions)
    if sea:
        common.check_cargo(side, "attacker", fields.conditions, tables)


class Found(NamedTuple):
    """An exploration so far: the modified die, a discovery?, what is left, is the leader dead? None: not known yet."""

    modified: int | None = None
    success: bool | None = None
    tested: bool = False
    left: Afloat | None = None
    dead: bool | None = None


def leader_of(fields: Exploration) -> tuple[int, str]:
    """(manoeuvre that counts, who is tested; "" for nobody)."""
    side = fields.attacker
    man = side.manoeuvre if side.role in USES_MANOEUVRE else 0
    if side.role == "explorer" and fields.conditions.where == "land":
        man //= 2
    missionary = side.missionary_manoeuvre
    if missionary is not None and (missionary > man or side.role == "none"):
        return missionary, "missionary"
    return man, "" if side.role == "none" else side.role


def modifiers_of(fields: Exploration, man: int, who: str) -> list[Bonus]:
    """Modifiers of the exploration die (step 1)."""
    conditions, technology = fields.conditions, fields.attacker.technology
    found = [Bonus(4, "exploration"), Bonus(-man, f"manoeuvre of the {who}")]
    if conditions.where == "land":
        return found
    return [
        *found,
        Bonus(conditions.malus, "malus of the zone"),
        Bonus(int(technology == "carrack"), "carracks"),
        weather_of(technology),
        Bonus(2 * conditions.bad_weather, "bad weather"),
        Bonus(-2 * conditions.known_since_period_iv, "known to another country"),
    ]


class Voyage:
    """One exploration; `alone`: the leader starts without ships (at sea) or troops (on land)."""

    def __init__(self, fields: Exploration) -> None:
        self.fields, self.book = fields, book(fields.options.tables)
        self.sea = fields.conditions.where == "sea"
        self.start = Afloat(fleet_of(fields.attacker), cargo_of(fields.attacker))
        self.alone = not (self.start.fleet.thirds if self.sea else self.start.cargo.troops)
        self.man, self.who = leader_of(fields)

    def read(self, modified: int) -> tuple[str, bool]:
        """The result of a modified die, and whether the leader is tested (step 2)."""
        row = self.book.indexed("discovery")[modified, int(not self.sea)]
        return str(row["result"]), bool(row["check_leader"] or (row["check_leader_no_troops"] and self.alone))

    @cached_property
    def first(self) -> Roll:
        """The exploration die (steps 1 and 2)."""

        def after(_: int, modified: int) -> Found:
            result, tested = self.read(clamped(modified))
            success = None if result == "AVERAGE" else result == "SUCCESS"
            return Found(clamped(modified), success, success is not None and tested)

        return Roll(
            "exploration",
            "9",
            modifiers_of(self.fields, self.man, self.who),
            after,
            lambda shown, after: f"Exploration: {shown}: {self.read(after.modified)[0].lower()}.",
        )

    def losses(self, percent: int) -> Mapping[Afloat, int]:
        """What is left after a loss of `percent`, with weights (step 3)."""
        fleet, cargo = self.start
        if self.sea:
            order = loss_order(self.fields.policy.attacker.losses, bool(cargo))
            hold = hold_of(self.fields.attacker, self.fields.conditions, self.book)
            return stormed(self.book, self.start, percent, order, hold)
        left = remainders(self.book, cargo.troops, percent)
        return {Afloat(fleet, Cargo(troops)): weight for troops, weight in left.items()}

    def follow(self, state: Found) -> Following:
        """The die, a second one for an average result, losses by the first one, the leader test (steps 1 to 4)."""
        if state.modified is None:
            return self.first
        if state.success is None:
            return Roll(
                "average",
                "9",
                None,
                lambda die, _: state._replace(success=die >= 6, tested=die in {1, 2, 3, 6, 7, 8} or self.alone),
                lambda shown, after: f"Average: {shown}: {'a discovery' if after.success else 'nothing found'}.",
            )
        if state.left is None:
            left = self.losses(self.book.attrition_percent[state.modified])
            return Draw({state._replace(left=rest): weight for rest, weight in left.items()}, self.line)
        if state.dead is not None or not state.tested or not self.who:
            return None
        return Roll(
            "leader",
            "9",
            None,
            lambda die, _: state._replace(dead=die > self.man),
            lambda shown, after: (
                f"The {self.who} (manoeuvre {self.man}) rolls {shown} and {'dies' if after.dead else 'lives'}."
            ),
        )

    def line(self, state: Found, _: random.Random) -> str:
        """A line on the losses."""
        fleet, cargo = state.left or self.start
        return f"Losses: {fleet.text() if self.sea else detachments(cargo.troops)} left."

    def columns(self, state: Found) -> dict[str, Any]:
        """A row of the outcome."""
        fleet, cargo = state.left or self.start
        alive = bool(self.who) and not state.dead
        wiped_out = not fleet.thirds and not cargo.troops and not alive
        discovered = bool(state.success) and not wiped_out
        return {
            "winner": ATTACKER if discovered else DEFENDER,
            "discovered": discovered,
            "leader_dead": bool(state.dead),
            "wiped_out": wiped_out,
            **ships_left("attacker", fleet),
            "attacker_troops_left_thirds": cargo.troops,
            "modifier": self.first.total,
        }


def build_exploration(fields: Exploration) -> Built:
    """Everything that answers an exploration."""
    voyage = Voyage(fields)
    led = f"led by the {voyage.who}, manoeuvre {voyage.man}" if voyage.who else "without a leader"
    assumption = f"exploration at {fields.conditions.where}, {led}{', alone' if voyage.alone else ''}"
    return built(Found(), voyage.follow, voyage.columns, [assumption], voyage.first.why())


EXPLORATION = offered(
    Exploration,
    check=check_exploration,
    build=build_exploration,
    results={
        "a discovery": "discovered",
        "nothing is found": "not discovered and not wiped_out",
        "nobody comes back": "wiped_out",
        "the leader dies": "leader_dead",
    },
    headline=("attacker_warships_left", "attacker_exploration_ships_left", "attacker_troops_left_thirds"),
)
