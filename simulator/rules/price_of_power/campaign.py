"""Campaigns: sea battle, landing, land battle, siege (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from simulator.engine.model.chain import Chain, OutcomeDistribution, Share
from simulator.rules.battle import ATTACKER, Both, Built, Course, Fields, Frame, Run, gathered, without_stage
from simulator.rules.price_of_power import checks, model, siege, text
from simulator.rules.price_of_power.crossing import UNITS_PER_SHIP
from simulator.rules.price_of_power.forces import TYPES_HIT
from simulator.rules.price_of_power.outcome import outcome
from simulator.rules.price_of_power.tables import FORCES, Setup
from simulator.rules.toolkit.naming import SIDES
from simulator.rules.toolkit.policies import refuse

Landing = Literal["infantry-first", "cavalry-first", "artillery-first"]
BOARDING = ("", "mercenary_", "allied_")
PARTS = {"at sea": "fleet", "on land": "army"}
# Columns of an outcome with their values where a stage is not reached.
COLUMNS: dict[str, int] = {"winner": ATTACKER, "naval_won": False, "land_won": False} | dict.fromkeys((
    "landed", "stage", "provinces_taken", "value_taken", "power_spent",
    "attacker_ships_left", "defender_ships_left", "attacker_units_left", "defender_units_left",
), 0)  # fmt: skip


class Invader(Fields):
    """The invading player realm."""

    fleet: model.SeaSide = Field(description="ships, as a side of a naval battle")
    army: model.LandSide = Field(description="units, as a side of a land battle")


class Invaded(Fields):
    """The invaded side; every part may be absent."""

    fleet: model.SeaDefender | None = Field(None, description="ships, as the defender of a naval battle")
    army: model.LandDefender | None = Field(None, description="units, as the defender of a land battle")
    provinces: Annotated[list[siege.Besieged], Field(max_length=8)] = Field([], description="provinces to besiege")


class InvaderPolicy(Fields):
    """Decisions of the invader."""

    fleet: model.SeaAttackPolicy = Field(model.SeaAttackPolicy(), description="decisions in the naval battle")
    army: model.LandAttackPolicy = Field(model.LandAttackPolicy(), description="decisions in the land battle")
    landing: Landing = Field("infantry-first", description="which type boards first")
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """Decisions of the invaded side."""

    fleet: model.SeaPolicy = Field(model.SeaPolicy(), description="decisions in the naval battle")
    army: model.LandPolicy = Field(model.LandPolicy(), description="decisions in the land battle")


CampaignPolicies = Both[InvaderPolicy, InvadedPolicy]


class CampaignConditions(Fields):
    """Conditions of a campaign."""

    siege_power: siege.Power = Field(99, description="military power that may be spent on sieges")
    siege_actions: siege.Actions = Field(1, description="siege actions (turns) allowed")
    galley_waters: bool = Field(True, description="may galleys fight here")


class CampaignOptions(siege.SiegeOptions, model.Options):
    """Options of all stages; rounds are not counted."""

    count_rounds: bool = Field(False, description="refused: rounds are not counted")


class Campaign(Frame):
    """Sea battle, landing, land battle, siege."""

    game: Literal["price-of-power"]
    battle: Literal["campaign"]
    attacker: Invader = Field(description="the invading player realm")
    defender: Invaded = Field(description="the invaded side")
    conditions: CampaignConditions = Field(CampaignConditions(), description="conditions of the campaign")
    policy: CampaignPolicies = Field(CampaignPolicies(), description="what each side decides")
    options: CampaignOptions = Field(CampaignOptions(), description="dice, deck and readings")


def is_fought(fields: Campaign, part: str) -> bool:
    """The defender has a ship (fleet) or a unit (army)."""
    return model.count(getattr(fields.defender, part)) > 0


def stage(fields: Campaign, part: str, army: model.LandSide | None = None) -> model.AnyBattle:
    """The battle of the fleets or armies; `army` holds the units that landed, by default all."""
    own, enemy = (getattr(side, part) for side in (fields.attacker, fields.defender))
    policy = Both.model_construct(**{side: getattr(getattr(fields.policy, side), part) for side in SIDES})
    tables: dict[str, Any] = {"attacker": army or own, "defender": enemy, "policy": policy, "options": fields.options}
    if part == "army":
        return model.Land.model_construct(**tables, conditions=model.LandConditions())
    conditions = model.SeaConditions(galley_waters=fields.conditions.galley_waters)
    return model.Naval.model_construct(**tables, conditions=conditions)


def check(fields: Campaign) -> None:
    """Refuse a campaign that the rules do not allow. Raises Refusal."""
    counted = "count_rounds" in fields.options.model_fields_set
    refuse(counted, "options.count_rounds", "is not for a campaign; leave it out")
    for part in PARTS.values():
        for side in SIDES:
            best = getattr(getattr(fields.policy, side), part).retreat == "best"
            refuse(best, f"policy.{side}.{part}.retreat", "best is not offered in a campaign")
        kind = getattr(fields.attacker, part).kind
        only = f"{kind!r} is not allowed; only a player realm plans a campaign"
        refuse(kind != "player", f"attacker.{part}.kind", only)
        checks.check(stage(fields, part), f".{part}", SIDES[: 1 + is_fought(fields, part)])


def landing(fields: Campaign, room: int) -> model.LandSide:
    """The units that land in `room` places: types in landing order, each regular, mercenary, allied (step 2)."""
    army, units = fields.attacker.army, dict[str, int]()
    for which in TYPES_HIT[fields.policy.attacker.landing]:
        for name in (f"{prefix}{model.TYPES[which]}" for prefix in BOARDING):
            if name in army.units:
                units[name] = min(getattr(army, name), room)
                room -= units[name]
    return army.model_copy(update=units)


class Stages:
    """The stages of one campaign; courses that land the same units share chain and plan."""

    def __init__(self, fields: Campaign) -> None:
        self.fields, self.whole = fields, fields.attacker.army.count()
        self.on_land, self.plan = cache(self._on_land), cache(self._plan)

    def landed(self, ships: int) -> int:
        """Number of units that land: at most 3 for each ship; the others stay behind (step 2)."""
        return min(self.whole, UNITS_PER_SHIP * ships)

    def _on_land(self, landed: int) -> tuple[Setup, Chain]:
        """The land battle of the units landed."""
        setup = Setup(stage(self.fields, "army", landing(self.fields, landed)), brief=True)
        return setup, text.chain_with_replay(setup, "on land")

    def _plan(self, army: tuple[int, ...]) -> siege.Taken:
        """The best siege plan of (infantry, cavalry, artillery), with ships that face every island (step 4)."""
        fields, units = self.fields, dict(zip(model.TYPES, army, strict=True))
        side = siege.Besieger(military_power=fields.conditions.siege_power, ships_facing=True).model_copy(update=units)
        actions, mentality = fields.conditions.siege_actions, fields.options.defensive_mentality
        return siege.best_plan(side, fields.defender.provinces, fields.policy.attacker.plan, actions, mentality)

    def besiegers(self, landed: int) -> tuple[int, ...]:
        """Infantry, cavalry and artillery of all categories that landed."""
        army = landing(self.fields, landed)
        return tuple(sum(getattr(army, f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in model.TYPES)

    def courses(self, run: Run) -> Iterator[Course]:
        """All courses of the campaign. Step 1: without a naval victory the campaign is over."""
        fields = self.fields
        if not is_fought(fields, "fleet"):
            ships = model.count(fields.attacker.fleet)
            yield from self.invasion(run, self.landed(ships), {"attacker_ships_left": ships})
            return
        setup = Setup(stage(fields, "fleet"), brief=True)
        ends = run(text.chain_with_replay(setup, "at sea"))
        columns = outcome(setup, ends.states)
        won = columns["winner"] == ATTACKER
        ships_left = {name: columns[name] for name in ("attacker_ships_left", "defender_ships_left")}
        left = {"attacker_units_left": self.whole, "defender_units_left": model.count(fields.defender.army)}
        yield ends, ~won, {"winner": columns["winner"], **ships_left, **left}
        for row in np.flatnonzero(won):
            survivors = {name: int(values[row]) for name, values in ships_left.items()}
            landed = self.landed(survivors["attacker_ships_left"] + int(columns["attacker_captured"][row]))
            yield from self.invasion(run, landed, survivors, ends_there(ends, int(row)))

    def invasion(self, run: Run, landed: int, ships: Mapping[str, int], share: Share | None = None) -> Iterator[Course]:
        """Steps 3 and 4: land battle, siege."""
        course: dict[str, ArrayLike] = {**ships, "naval_won": True, "landed": landed}
        if not is_fought(self.fields, "army"):
            course |= {"land_won": True, "attacker_units_left": self.whole}
            yield without_stage(share, course | self.besieged([self.besiegers(landed)]))
            return
        setup, chain = self.on_land(landed)
        ends = run(chain, share)
        columns = outcome(setup, ends.states)
        won = columns["winner"] == ATTACKER
        course["attacker_units_left"] = columns["attacker_units_left"] + self.whole - landed
        course["defender_units_left"] = columns["defender_units_left"]
        left = zip(*(columns[f"attacker_{unit}_left"].tolist() for unit in model.TYPES), strict=True)
        yield ends, won, course | self.besieged([*left]) | {"land_won": True}
        yield ends, ~won, course | {"winner": columns["winner"], "stage": 1}

    def besieged(self, armies: list[tuple[int, ...]]) -> dict[str, ArrayLike]:
        """Step 4: columns of the siege, one value for each army (infantry, cavalry, artillery)."""
        provinces = len(self.fields.defender.provinces)
        if not provinces:
            return {"winner": ATTACKER, "stage": 3}
        plans = [self.plan(army) for army in armies]
        taken = [len(plan.provinces) for plan in plans]
        return {
            "winner": [siege.winner_by(number, provinces) for number in taken],
            "stage": [3 if number == provinces else 2 for number in taken],
            "provinces_taken": taken,
            "value_taken": [plan.value for plan in plans],
            "power_spent": [plan.power for plan in plans],
        }


def ends_there(ends: OutcomeDistribution, row: int) -> Share:
    """The share of battles that end in this row. The path is that of version 1, so that seeds keep their battles."""
    share, end = ends.share(row), ends.states
    forces = [int(getattr(end, name)[row]) for name in FORCES]
    return replace(share, path=(*ends.path, 6, 0, *forces, *([0] * 7), int(end.captured[row]), 0))


def build(fields: Campaign) -> Built:
    """A campaign."""
    stages = Stages(fields)
    return Built(
        answer=lambda run: gathered(stages.courses(run), COLUMNS),
        assumptions=lambda: [*assumptions(fields)],
        explain=lambda: [*explain(stages)],
    )


def assumptions(fields: Campaign) -> Iterator[str]:
    """Lines for the readings and policies of each stage."""
    for name, part in PARTS.items():
        lines = text.assumptions(Setup(stage(fields, part))) if is_fought(fields, part) else []
        yield from (f"{name}: {line}" for line in lines)
    yield f"landing: {fields.policy.attacker.landing}"
    if fields.defender.provinces:
        yield f"siege plan: {fields.policy.attacker.plan}"
    yield from siege.mentality_lines(fields.options.defensive_mentality, fields.defender.provinces)


def explain(stages: Stages) -> Iterator[str]:
    """Lines for the stages and the dice of each."""
    fields, provinces = stages.fields, stages.fields.defender.provinces
    landed = stages.landed(model.count(fields.attacker.fleet))
    for name, part in PARTS.items():
        won = f"no defender, {'the sea' if part == 'fleet' else 'the area'} counts as won"
        lines = text.explain(Setup(stage(fields, part))) if is_fought(fields, part) else [won]
        yield from (f"{name}: {line}" for line in lines)
        if part == "fleet":
            yield f"landing: with every ship {landed} units land, {stages.whole - landed} stay behind"
    if provinces:
        best = stages.plan(stages.besiegers(landed))
        taken = f"{len(best.provinces)} of {len(provinces)} provinces (tax value {best.value})"
        yield f"siege: all that can land could take {taken} for {best.power} power in {best.actions} actions"
