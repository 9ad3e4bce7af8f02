"""A campaign: sea battle, landing, land battle, siege; and crossings by ships or mountains, without dice.

Rules: docs/rules/price_of_power.md, campaigns section 8, crossings section 7.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from simulator.engine.model.chain import Chain, Ends, Share
from simulator.rules.battle import ATTACKER, Both, Built, Fields, Frame, Outcomes, Run, certain
from simulator.rules.price_of_power import checks, model, siege, text
from simulator.rules.price_of_power.forces import TYPES, TYPES_HIT
from simulator.rules.price_of_power.outcome import outcome
from simulator.rules.price_of_power.tables import FORCES, Setup
from simulator.rules.toolkit.courses import Courses
from simulator.rules.toolkit.naming import SIDES
from simulator.rules.toolkit.policies import refuse

Landing = Literal["infantry-first", "cavalry-first", "artillery-first"]
UNITS_PER_SHIP = 3
UNITS_PER_POWER = 3
BOARDING = ("", "mercenary_", "allied_")
PARTS = {"at sea": "fleet", "on land": "army"}
# Columns of an outcome, and what they are where a stage is not reached.
COLUMNS: dict[str, int] = {"winner": ATTACKER, "naval_won": False, "land_won": False} | dict.fromkeys((
    "landed", "stage", "provinces_taken", "value_taken", "power_spent",
    "attacker_ships_left", "defender_ships_left", "attacker_units_left", "defender_units_left",
), 0)  # fmt: skip


class Invader(Fields):
    """The invading player realm."""

    fleet: model.SeaSide = Field(description="ships, as a side of a naval battle")
    army: model.LandSide = Field(description="units, as a side of a land battle")


class Invaded(Fields):
    """Whoever is invaded; every part may be absent."""

    fleet: model.SeaDefender | None = Field(None, description="ships, as the defender of a naval battle")
    army: model.LandDefender | None = Field(None, description="units, as the defender of a land battle")
    provinces: Annotated[list[siege.Besieged], Field(max_length=8)] = Field([], description="provinces to besiege")


class InvaderPolicy(Fields):
    """What the invader decides."""

    fleet: model.SeaAttackPolicy = Field(model.SeaAttackPolicy(), description="decisions in the naval battle")
    army: model.LandAttackPolicy = Field(model.LandAttackPolicy(), description="decisions in the land battle")
    landing: Landing = Field("infantry-first", description="which type boards first")
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """What the invaded decide."""

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
    defender: Invaded = Field(description="whoever is invaded")
    conditions: CampaignConditions = Field(CampaignConditions(), description="conditions of the campaign")
    policy: CampaignPolicies = Field(CampaignPolicies(), description="what each side decides")
    options: CampaignOptions = Field(CampaignOptions(), description="dice, deck and readings")


def fought(fields: Campaign, part: str) -> bool:
    """Has the defender a ship (a unit) there?"""
    return model.count(getattr(fields.defender, part)) > 0


def stage(fields: Campaign, part: str, army: model.LandSide | None = None) -> model.AnyBattle:
    """The battle of the fleets or armies; `army` stands for the one entered: the units that landed."""
    own, enemy = (getattr(side, part) for side in (fields.attacker, fields.defender))
    policy = Both.model_construct(**{side: getattr(getattr(fields.policy, side), part) for side in SIDES})
    told: dict[str, Any] = {"attacker": army or own, "defender": enemy, "policy": policy, "options": fields.options}
    if part == "army":
        return model.Land.model_construct(**told, conditions=model.LandConditions())
    conditions = model.SeaConditions(galley_waters=fields.conditions.galley_waters)
    return model.Naval.model_construct(**told, conditions=conditions)


def check(fields: Campaign) -> None:
    """Refuse what a campaign may not hold."""
    counted = "count_rounds" in fields.options.model_fields_set
    refuse(counted, "options.count_rounds", "is not for a campaign; leave it out")
    for part in PARTS.values():
        for side in SIDES:
            best = getattr(getattr(fields.policy, side), part).retreat == "best"
            refuse(best, f"policy.{side}.{part}.retreat", "best is not offered in a campaign")
        kind = getattr(fields.attacker, part).kind
        only = f"{kind!r} is not allowed; only a player realm plans a campaign"
        refuse(kind != "player", f"attacker.{part}.kind", only)
        checks.check(stage(fields, part), f".{part}", SIDES[: 1 + fought(fields, part)])


def landing(fields: Campaign, room: int) -> model.LandSide:
    """Who lands of so many: by type in landing order, in a type regular, mercenary, allied (step 2)."""
    army, units = fields.attacker.army, dict[str, int]()
    for which in TYPES_HIT[fields.policy.attacker.landing]:
        for name in (f"{prefix}{TYPES[which]}" for prefix in BOARDING):
            if name in army.units:
                units[name] = min(getattr(army, name), room)
                room -= units[name]
    return army.model_copy(update=units)


class Stages:
    """The stages of one campaign; chains and plans that several courses share are made once."""

    def __init__(self, fields: Campaign) -> None:
        self.fields, self.whole = fields, fields.attacker.army.count()
        self.on_land, self.plan = cache(self._on_land), cache(self._plan)

    def landed(self, ships: int) -> int:
        """Units that land: at most 3 for each ship that is there, the others stay behind (step 2)."""
        return min(self.whole, UNITS_PER_SHIP * ships)

    def _on_land(self, landed: int) -> tuple[Setup, Chain]:
        """The land battle of those landed."""
        setup = Setup(stage(self.fields, "army", landing(self.fields, landed)), brief=True)
        return setup, text.told(setup, "on land")

    def _plan(self, army: tuple[int, ...]) -> siege.Taken:
        """The best siege of infantry, cavalry and artillery, with ships that face every island (step 4)."""
        fields, units = self.fields, dict(zip(TYPES, army, strict=True))
        side = siege.Besieger(military_power=fields.conditions.siege_power, ships_facing=True).model_copy(update=units)
        actions, mentality = fields.conditions.siege_actions, fields.options.defensive_mentality
        return siege.best_plan(side, fields.defender.provinces, fields.policy.attacker.plan, actions, mentality)

    def besiegers(self, landed: int) -> tuple[int, ...]:
        """Units of all categories of those landed."""
        army = landing(self.fields, landed)
        return tuple(sum(getattr(army, f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in TYPES)

    def answer(self, run: Run) -> Outcomes:
        """All courses of the campaign; step 1: where the naval battle is not won it is over."""
        courses, fields = Courses(COLUMNS), self.fields
        if not fought(fields, "fleet"):
            ships = model.count(fields.attacker.fleet)
            self.invasion(run, courses, self.landed(ships), {"attacker_ships_left": ships})
            return courses.outcomes()
        setup = Setup(stage(fields, "fleet"), brief=True)
        ends = run(text.told(setup, "at sea"))
        seen = outcome(setup, ends.states)
        won = seen["winner"] == ATTACKER
        told = {name: seen[name] for name in ("attacker_ships_left", "defender_ships_left")}
        left = {"attacker_units_left": self.whole, "defender_units_left": model.count(fields.defender.army)}
        courses.add(ends, ~won, {"winner": seen["winner"], **told, **left})
        for row in np.flatnonzero(won):
            known = {name: int(values[row]) for name, values in told.items()}
            landed = self.landed(known["attacker_ships_left"] + int(seen["attacker_captured"][row]))
            self.invasion(run, courses, landed, known, ends_there(ends, int(row)))
        return courses.outcomes()

    def invasion(
        self, run: Run, courses: Courses, landed: int, ships: Mapping[str, int], share: Share | None = None
    ) -> None:
        """Steps 3 and 4: land battle, siege."""
        known: dict[str, ArrayLike] = {**ships, "naval_won": True, "landed": landed}
        if not fought(self.fields, "army"):
            known |= {"land_won": True, "attacker_units_left": self.whole}
            courses.add_one(share, known | self.besieged([self.besiegers(landed)]))
            return
        setup, chain = self.on_land(landed)
        ends = run(chain, share)
        seen = outcome(setup, ends.states)
        won = seen["winner"] == ATTACKER
        known["attacker_units_left"] = seen["attacker_units_left"] + self.whole - landed
        known["defender_units_left"] = seen["defender_units_left"]
        left = zip(*(seen[f"attacker_{unit}_left"].tolist() for unit in TYPES), strict=True)
        courses.add(ends, won, known | self.besieged([*left]) | {"land_won": True})
        courses.add(ends, ~won, known | {"winner": seen["winner"], "stage": 1})

    def besieged(self, armies: list[tuple[int, ...]]) -> dict[str, ArrayLike]:
        """Step 4: what the units that are left take, told for each army."""
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


def ends_there(ends: Ends, row: int) -> Share:
    """The share of battles that end so. Its path has kept its shape since the first version: so do a seed's battles."""
    share, end = ends.share(row), ends.states
    forces = [int(getattr(end, name)[row]) for name in FORCES]
    return replace(share, path=(*ends.path, 6, 0, *forces, *([0] * 7), int(end.haul[row]), 0))


def build(fields: Campaign) -> Built:
    """Everything for a campaign."""
    stages = Stages(fields)
    return Built(answer=stages.answer, assumptions=lambda: [*assumptions(fields)], explain=lambda: [*explain(stages)])


def assumptions(fields: Campaign) -> Iterator[str]:
    """What the stages rest on."""
    for name, part in PARTS.items():
        lines = text.assumptions(Setup(stage(fields, part))) if fought(fields, part) else []
        yield from (f"{name}: {line}" for line in lines)
    yield f"landing: {fields.policy.attacker.landing}"
    if fields.defender.provinces:
        yield f"siege plan: {fields.policy.attacker.plan}"
    yield from siege.mentality_lines(fields.options.defensive_mentality, fields.defender.provinces)


def explain(stages: Stages) -> Iterator[str]:
    """The stages, and the dice of each."""
    fields, provinces = stages.fields, stages.fields.defender.provinces
    landed = stages.landed(model.count(fields.attacker.fleet))
    for name, part in PARTS.items():
        won = f"no defender, {'the sea' if part == 'fleet' else 'the area'} counts as won"
        lines = text.explain(Setup(stage(fields, part))) if fought(fields, part) else [won]
        yield from (f"{name}: {line}" for line in lines)
        if part == "fleet":
            yield f"landing: with every ship {landed} units land, {stages.whole - landed} stay behind"
    if provinces:
        best = stages.plan(stages.besiegers(landed))
        taken = f"{len(best.provinces)} of {len(provinces)} provinces (tax value {best.value})"
        yield f"siege: all that can land could take {taken} for {best.power} power in {best.actions} actions"


class Mover(Fields):
    """Units that are to cross."""

    units: int = Field(ge=1, le=60, description="units that are to cross")
    military_power: int = Field(1, ge=1, le=99, description="military power for it; 1 is the activation itself")


class Border(Fields):
    """What lies between."""

    border: Literal["open", "mountain"] = Field("open", description="the border crossed by land")
    destination: Literal["hostile", "neutral", "friendly"] = Field("hostile", description="the area entered")
    bridge: list[Annotated[int, Field(ge=0, le=60)]] = Field(
        [], description="friendly ships in each sea zone crossed; none: no sea between"
    )


class Crossing(Frame):
    """How many units get over a bridge of ships or a mountain border (no dice)."""

    game: Literal["price-of-power"]
    battle: Literal["crossing"]
    attacker: Mover = Field(description="units that are to cross")
    conditions: Border = Field(Border(), description="what lies between")


def build_crossing(fields: Crossing) -> Built:
    """The one row of a crossing, what carries the units and what it costs."""
    units, way = fields.attacker.units, fields.conditions
    mountains = way.border == "mountain" and way.destination != "friendly"
    capacity, each = UNITS_PER_SHIP * min(way.bridge, default=0), UNITS_PER_POWER if mountains else units
    over = min(units, capacity) if way.bridge else units
    across = min(over, each * fields.attacker.military_power)
    spent, for_all = -(-across // each), -(-over // each)
    lines = ["No mountain border in the way: one power, the activation itself, moves them all."]
    if mountains:
        lines = [f"A mountain border into a {way.destination} area: {UNITS_PER_POWER} units for each power."]
    if way.bridge:
        weakest = f"the weakest of {len(way.bridge)} sea zones ({min(way.bridge)} ships)"
        lines.insert(0, f"The bridge carries {capacity} units: {UNITS_PER_SHIP} for each ship in {weakest}.")
    lines.append(f"{across} of {units} units cross for {spent} power; everyone the way lets over would need {for_all}.")
    row = {"units_across": across, "power_spent": spent, "power_for_all": for_all, "bridge_capacity": capacity}
    return Built(answer=lambda run: certain(winner=siege.winner_by(across, units), **row), explain=lambda: lines)
