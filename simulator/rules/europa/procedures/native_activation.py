"""Do natives attack? (docs/rules/europa_naval_and_other.md section 10)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from simulator.rules.battle import ATTACKER, DEFENDER, Both, Built, Fields, FrameOf, offered
from simulator.rules.europa.shared import fields as common
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.procedure import Roll, built


class NativesConditions(Fields):
    """What the natives put up with."""

    tolerance: Annotated[int, Field(ge=0, le=10)] = Field(5, description="tolerance of the area")
    treaty: bool = Field(False, description="there is a treaty")
    leader_alone: bool = Field(False, description="a lone leader enters")
    already_active: bool = Field(False, description="the natives are active already")


class NativesPolicy(Fields):
    """Choices of who enters."""

    natives: Literal["test", "attack"] = Field("test", description="wait for their test, or attack them")


class Activation(
    FrameOf[
        common.NoPolicy, common.NoPolicy, NativesConditions, Both[NativesPolicy, common.NoPolicy], common.TableOptions
    ]
):
    """Do the natives attack?"""

    game: Literal["europa"]
    battle: Literal["native-activation"]


def build_activation(fields: Activation) -> Built:
    """Everything that answers whether natives attack."""
    conditions, attacks = fields.conditions, fields.policy.attacker.natives == "attack"
    tolerance = conditions.tolerance
    if attacks or conditions.already_active:
        start, reason = "active", "attacked on purpose" if attacks else "active already"
    elif conditions.treaty or conditions.leader_alone:
        start, reason = "quiet", "there is a treaty" if conditions.treaty else "a lone leader"
    else:
        start, reason = "", f"a d10 of {tolerance} or less activates them"
    roll = Roll(
        "natives",
        "10",
        None,
        lambda die, _: "active" if die <= tolerance else "quiet",
        lambda shown, after: (
            f"Natives: {shown} against a tolerance of {tolerance}: {'they attack' if after == 'active' else 'quiet'}."
        ),
    )

    def columns(state: str) -> dict[str, object]:
        return {"winner": DEFENDER if state == "active" else ATTACKER, "activated": state == "active"}

    return built(start, lambda state: None if state else roll, columns, [reason], [f"{reason} ({LAW} 10)"])


NATIVE_ACTIVATION = offered(
    Activation,
    check=common.check_tables,
    build=build_activation,
    results={"the natives attack": "activated", "the natives stay quiet": "not activated"},
    headline=("activated",),
)
