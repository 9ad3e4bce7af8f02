"""Fields of an expedition: a fleet carries an army past a blockade, it fights ashore and besieges a fortress.

Each stage has the fields of its own kind (docs/rules/europa_naval_and_other.md section 14, europa_land_siege.md
sections 3 and 5); any may be left out, but not all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from simulator.rules.battle import Fields, Refusal
from simulator.rules.europa.passages.passage_model import LandingFleet, PassageFields, check_passage
from simulator.rules.europa.shared import land_model as model
from simulator.rules.europa.shared.stacks import size_of

STAGES = ("passage", "land", "siege")
TROOPS = ("army_plus", "army_minus", "land_detachments", "exploration_detachments")


class LandStage(model.LandFields):
    """The battle ashore: fields of `land`; after a passage the attacker's troops and how they came are known."""


class SiegeStage(model.CampaignFields):
    """The siege: fields of `siege-campaign`; after another stage the attacker's troops are known."""


class Expedition(Fields):
    """A landing, a battle ashore and a siege."""

    game: Literal["europa"]
    battle: Literal["expedition"]
    passage: PassageFields | None = Field(None, description="the voyage, as the kind passage")
    land: LandStage | None = Field(None, description="the battle ashore, as the kind land")
    siege: SiegeStage | None = Field(None, description="the siege, as the kind siege-campaign")


def stages_of(fields: Expedition) -> list[str]:
    """The stages that are given, in order."""
    return [name for name in STAGES if getattr(fields, name) is not None]


def troops_of(fields: Expedition) -> LandingFleet | model.FieldArmy:
    """The side that brings the troops: the attacker of the first stage."""
    return getattr(fields, stages_of(fields)[0]).attacker


def with_troops(
    fields: Expedition, name: str, counters: tuple[int, int, int, int], **changes: Mapping[str, object]
) -> Any:
    """The fields of a stage with these troops, as its kind takes them."""
    kind: Any = {"land": model.Land, "siege": model.Campaign}[name]
    stage = getattr(fields, name)
    data = {key: getattr(stage, key) for key in ("defender", "policy", "options")}
    side: dict[str, object] = {**dict(zip(TROOPS, counters, strict=True)), **changes.get("attacker", {})}
    battle = {"land": "land", "siege": "siege-campaign"}[name]
    return kind.model_construct(
        game="europa",
        battle=battle,
        attacker=stage.attacker.model_copy(update=side),
        conditions=stage.conditions.model_copy(update=changes.get("conditions", {})),
        **data,
    )


def check_expedition(fields: Expedition) -> None:
    """Refuse what types cannot; raises Refusal."""
    given = stages_of(fields)
    if not given:
        raise Refusal("passage", "no stage is given; give at least one of passage, land, siege")
    for name in given[1:]:
        stage = getattr(fields, name)
        for counter in (*TROOPS, "pasha_detachments"):
            if getattr(stage.attacker, counter, 0):
                raise Refusal(f"{name}.attacker.{counter}", f"not allowed: the troops come from {given[0]}")
        if given[0] == "passage" and name == "land" and stage.conditions.crossing != "none":
            raise Refusal("land.conditions.crossing", "not allowed after a passage: the troops land")
    policies = fields.land.policy if fields.land is not None else None
    for where in ("attacker", "defender"):
        if policies is not None and getattr(policies, where).break_off == "best":
            raise Refusal(f"land.policy.{where}.break_off", "best is not offered in an expedition")
    side = troops_of(fields)
    plus, minus, loose, explorers = (getattr(side, counter) for counter in TROOPS)
    pashas = getattr(side, "pasha_detachments", 0)
    for name in given:
        try:
            if fields.passage and name == "passage":
                check_passage(fields.passage)
            elif name == "land":
                model.check_land(with_troops(fields, name, (plus, minus, loose, explorers)))  # type: ignore[arg-type]
            else:
                # Pashas of the battle ashore besiege as plain LD.
                model.check_siege(with_troops(fields, name, (plus, minus, loose + pashas, explorers)))  # type: ignore[arg-type]
        except Refusal as refusal:
            text = str(refusal).partition(": ")[2]
            raise Refusal(f"{name}.{refusal.field}", text) from None
    if not size_of(side):
        raise Refusal(f"{given[0]}.attacker.land_detachments", "no troops; give at least one detachment")
