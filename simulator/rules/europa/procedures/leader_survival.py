"""The fate of a leader after a battle (docs/rules/europa_naval_and_other.md section 12)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.engine.model.plain import PlainBattle
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Fields
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared import leaders
from simulator.rules.europa.shared.fields import Procedure
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.land_model import Region
from simulator.rules.europa.shared.leaders import CAPTURED, KILLED, UNHARMED, WOUNDED, Leader, Trial, fate
from simulator.rules.europa.shared.modifiers import Bonus
from simulator.rules.europa.shared.procedure import D10
from simulator.rules.toolkit.plain import built

HIT = -1
UNTESTED, UNTESTED_BELOW = -2, 3


class Commander(Fields):
    """The leader who is tested."""

    fire: common.Value = Field(2, description="fire")
    shock: common.Value = Field(2, description="shock")
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


class Survival(Procedure[Literal["leader-survival"], Commander, Fields, SurvivalConditions]):
    """The fate of a leader after a battle."""


def columns(state: int) -> dict[str, object]:
    """A row of the outcome."""
    return {
        "winner": DEFENDER if state not in {UNHARMED, UNTESTED} else ATTACKER,
        "killed": state == KILLED,
        "wounded": state > WOUNDED,
        "wound_rounds": max(0, state - WOUNDED),
        "captured": state == CAPTURED,
    }


def build_survival(fields: Survival) -> Built:
    """Everything that answers the fate of a leader."""
    side, conditions = fields.attacker, fields.conditions
    fragile = leaders.is_fragile(side.fire, side.shock) and not side.robust
    trial = Trial(side.won, side.destroyed, fragile)
    leader = Leader("table", kind="king" if side.monarch else "general", anonymous=side.anonymous)
    modifiers = [
        Bonus(-(not side.won), "did not win"),
        Bonus(-5 * side.destroyed, "destroyed"),
        Bonus(-int(fragile), "Fire or Shock of 6"),
    ]
    test = D10(
        "leader test",
        "12",
        modifiers,
        lambda die, _: UNHARMED if fate(leader, trial, die, 1) == UNHARMED else HIT,
        lambda shown, after: f"Leader test: {shown}: {'hit' if after == HIT else 'unharmed'}.",
    )
    second = D10(
        "fate",
        "12",
        None,
        lambda die, _: fate(leader, trial, 1, die),
        lambda shown, after: f"Fate: {shown}: {leaders.fate_text(after)}.",
    )
    follow = {UNTESTED: test, HIT: second}.get
    assumptions = ["hit on a modified 1 or less"]
    small = conditions.enemy_detachments < UNTESTED_BELOW
    if conditions.where == "land" and conditions.region == "europe" and small:
        lines = [f"no test on land in Europe: the enemy began with under {UNTESTED_BELOW} LD ({LAW} 12)"]
        return built(PlainBattle(UNHARMED, follow), columns, assumptions, lines)
    return built(PlainBattle(UNTESTED, follow), columns, assumptions, test.why())
