"""A campaign: sea battle, landing, land battle, siege (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike
from pydantic import Field

from simulator.engine.chain import Chain, Ends, Share
from simulator.rules.battle import ATTACKER, Built, Fields, Outcomes, Refusal, Run
from simulator.rules.price_of_power import checks, model, siege, text
from simulator.rules.price_of_power.forces import LOSS_ORDER, TYPES
from simulator.rules.price_of_power.outcome import outcome
from simulator.rules.price_of_power.tables import FORCES, Setup, setup_of
from simulator.rules.toolkit.courses import Courses
from simulator.rules.toolkit.naming import SIDES

UNITS_PER_SHIP = 3
BOARDING = ("", "mercenary_", "allied_")
# Columns of an outcome, and what they are where a stage is not reached.
COLUMNS: dict[str, int] = {"winner": ATTACKER, "naval_won": False, "land_won": False} | dict.fromkeys(
    (
        "landed", "stage", "provinces_taken", "value_taken", "power_spent", "attacker_ships_left",
        "defender_ships_left", "attacker_units_left", "defender_units_left",
    ), 0,
)  # fmt: skip


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
    landing: Literal["infantry-first", "cavalry-first", "artillery-first"] = Field(
        "infantry-first", description="which type boards first"
    )
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """What the invaded decide."""

    fleet: model.SeaPolicy = Field(model.SeaPolicy(), description="decisions in the naval battle")
    army: model.LandPolicy = Field(model.LandPolicy(), description="decisions in the land battle")


class CampaignPolicies(Fields):
    """Policies of both sides."""

    attacker: InvaderPolicy = Field(InvaderPolicy(), description="the invader's decisions")
    defender: InvadedPolicy = Field(InvadedPolicy(), description="the decisions of the invaded")


class CampaignConditions(Fields):
    """Conditions of a campaign."""

    siege_power: siege.Power = Field(99, description="military power that may be spent on sieges")
    siege_actions: siege.Actions = Field(1, description="siege actions (turns) allowed")
    galley_waters: bool = Field(True, description="may galleys fight here")


class CampaignOptions(model.Options):
    """Options of all stages; rounds are not counted."""

    count_rounds: bool = Field(False, description="refused: rounds are not counted")
    defensive_mentality: siege.DefensiveMentality = Field(
        siege.DefensiveMentality(), description="what the idea does (ASSUMED)"
    )


class Campaign(Fields):
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


def stage(fields: Campaign, part: str, attacker: model.AnySide | None = None) -> model.AnyBattle:
    """The battle of the fleets or armies; `attacker` stands for the side entered (the units that landed)."""
    own, enemy, policy = getattr(fields.attacker, part), getattr(fields.defender, part), fields.policy
    decisions = {"attacker": getattr(policy.attacker, part), "defender": getattr(policy.defender, part)}
    sides = {"attacker": attacker or own, "defender": enemy, "options": fields.options}
    if part == "army":
        on_land = model.LandPolicies.model_construct(**decisions)
        return model.Land.model_construct(**sides, policy=on_land, conditions=model.LandConditions())
    conditions = model.SeaConditions(galley_waters=fields.conditions.galley_waters)
    at_sea = model.SeaPolicies.model_construct(**decisions)
    return model.Naval.model_construct(**sides, policy=at_sea, conditions=conditions)


def check(fields: Campaign) -> None:
    """Refuse what a campaign may not hold."""
    if "count_rounds" in fields.options.model_fields_set:
        raise Refusal("options.count_rounds", "is not for a campaign; leave it out")
    for side in SIDES:
        for part in ("fleet", "army"):
            if getattr(getattr(fields.policy, side), part).retreat == "best":
                raise Refusal(f"policy.{side}.{part}.retreat", "best is not offered in a campaign")
    for part in ("fleet", "army"):
        kind = getattr(fields.attacker, part).kind
        if kind != "player":
            raise Refusal(f"attacker.{part}.kind", f"{kind!r} is not allowed; only a player realm plans a campaign")
        checks.check(stage(fields, part), f".{part}", SIDES[: 1 + fought(fields, part)])


def landing(fields: Campaign, ships: int) -> model.LandSide:
    """Who lands: at most 3 units a ship, by type in landing order, in a type regular, mercenary, allied (step 2)."""
    army, room = fields.attacker.army, UNITS_PER_SHIP * ships
    units: dict[str, int] = {}
    for which in LOSS_ORDER[fields.policy.attacker.landing]:
        for name in (f"{prefix}{TYPES[which]}" for prefix in BOARDING):
            if hasattr(army, name):
                units[name] = min(getattr(army, name), room)
                room -= units[name]
    return army.model_copy(update=units)


def besiegers(army: model.LandSide) -> siege.Army:
    """Units of all categories."""
    return siege.Army(*(sum(getattr(army, f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in TYPES))


@dataclass(frozen=True)
class Stages:
    """The stages of one campaign; chains and plans that several courses share are made once."""

    fields: Campaign
    land: dict[int, tuple[Setup, Chain]] = field(default_factory=dict)
    plans: dict[siege.Army, siege.Taken] = field(default_factory=dict)

    def on_land(self, army: model.LandSide) -> tuple[Setup, Chain]:
        """The land battle of those landed."""
        landed = army.count()
        if landed not in self.land:
            setup = setup_of(stage(self.fields, "army", army), brief=True)
            self.land[landed] = setup, text.told(setup, "on land")
        return self.land[landed]

    def plan(self, army: siege.Army) -> siege.Taken:
        """The best siege of an army, with ships that face every island (step 4)."""
        if army not in self.plans:
            fields, spent = self.fields, self.fields.conditions
            mentality, plan = fields.options.defensive_mentality, fields.policy.attacker.plan
            terms = siege.Terms(spent.siege_power, spent.siege_actions, plan, True, mentality)
            self.plans[army] = siege.best_plan(army, fields.defender.provinces, terms)
        return self.plans[army]

    def answer(self, run: Run) -> Outcomes:
        """All courses of the campaign."""
        courses = Courses(COLUMNS)
        if fought(self.fields, "fleet"):
            self.sea_battle(run, courses)
        else:
            ships = model.count(self.fields.attacker.fleet)
            self.invasion(run, courses, landing(self.fields, ships), {"attacker_ships_left": ships})
        return courses.outcomes()

    def sea_battle(self, run: Run, courses: Courses) -> None:
        """Step 1: where the naval battle is not won the campaign is over."""
        setup = setup_of(stage(self.fields, "fleet"), brief=True)
        ends = run(text.told(setup, "at sea"))
        seen = outcome(setup, ends.states)
        won, army = seen["winner"] == ATTACKER, self.fields.attacker.army
        ships = {name: seen[name] for name in ("attacker_ships_left", "defender_ships_left")}
        left = {"attacker_units_left": army.count(), "defender_units_left": model.count(self.fields.defender.army)}
        courses.add(ends, ~won, {"winner": seen["winner"], **ships, **left})
        for row in np.flatnonzero(won):
            known = {name: int(values[row]) for name, values in ships.items()}
            landed = landing(self.fields, known["attacker_ships_left"] + int(seen["attacker_captured"][row]))
            self.invasion(run, courses, landed, known, ends_there(ends, int(row)))

    def invasion(
        self, run: Run, courses: Courses, army: model.LandSide, ships: Mapping[str, int], share: Share | None = None
    ) -> None:
        """Steps 3 and 4: land battle, siege."""
        known: dict[str, ArrayLike] = {**ships, "naval_won": True, "landed": army.count()}
        whole = self.fields.attacker.army.count()
        if not fought(self.fields, "army"):
            known |= {"land_won": True, "attacker_units_left": whole}
            courses.add_one(share, known | self.besieged([besiegers(army)]))
            return
        setup, chain = self.on_land(army)
        ends = run(chain, share)
        seen = outcome(setup, ends.states)
        won = seen["winner"] == ATTACKER
        known["attacker_units_left"] = seen["attacker_units_left"] + whole - army.count()
        known["defender_units_left"] = seen["defender_units_left"]
        left = zip(*(seen[f"attacker_{unit}_left"].tolist() for unit in TYPES), strict=True)
        taken = self.besieged([siege.Army(*army) for army in left])
        courses.add(ends, won, known | taken | {"land_won": True})
        courses.add(ends, ~won, known | {"winner": seen["winner"], "stage": 1})

    def besieged(self, armies: Sequence[siege.Army]) -> dict[str, ArrayLike]:
        """Step 4: what the units that are left take, told for each army."""
        provinces = len(self.fields.defender.provinces)
        if not provinces:
            return {"winner": ATTACKER, "stage": 3}
        plans = [self.plan(army) for army in armies]
        taken = np.array([len(plan.provinces) for plan in plans])
        return {
            "winner": np.array([siege.siege_winner(len(plan.provinces), provinces) for plan in plans]),
            "stage": np.where(taken == provinces, 3, 2),
            "provinces_taken": taken,
            "value_taken": np.array([plan.value for plan in plans]),
            "power_spent": np.array([plan.power for plan in plans]),
        }


def ends_there(ends: Ends, row: int) -> Share:
    """The share of battles that end so. Its path has kept its shape since the first version: so do a seed's battles."""
    share, end = ends.share(row), ends.states
    forces = [int(getattr(end, name)[row]) for name in FORCES]
    return replace(share, path=(*ends.path, 6, 0, *forces, *([0] * 7), int(end.haul[row]), 0))


def build(fields: Campaign) -> Built:
    """Everything for a campaign."""
    stages = Stages(fields)
    return Built(
        answer=stages.answer,
        assumptions=lambda: [*assumptions(fields)],
        explain=lambda: [*explain(stages)],
    )


def setups(fields: Campaign) -> dict[str, Setup]:
    """The battles that are fought, with the whole army."""
    parts = {"at sea": "fleet", "on land": "army"}
    return {name: setup_of(stage(fields, part)) for name, part in parts.items() if fought(fields, part)}


def assumptions(fields: Campaign) -> Iterator[str]:
    """What the stages rest on."""
    for name, setup in setups(fields).items():
        yield from (f"{name}: {line}" for line in text.assumptions(setup))
    yield f"landing: {fields.policy.attacker.landing}"
    if fields.defender.provinces:
        yield f"siege plan: {fields.policy.attacker.plan}"
    yield from siege.mentality_lines(fields.options.defensive_mentality, fields.defender.provinces)


def explain(stages: Stages) -> Iterator[str]:
    """The stages, and the dice of each."""
    fields, battles = stages.fields, setups(stages.fields)
    army, provinces = landing(fields, model.count(fields.attacker.fleet)), fields.defender.provinces
    for name, what in (("at sea", "the sea"), ("on land", "the area")):
        lines = text.explain(battles[name]) if name in battles else [f"no defender, {what} counts as won"]
        yield from (f"{name}: {line}" for line in lines)
        if name == "at sea":
            behind = fields.attacker.army.count() - army.count()
            yield f"landing: with every ship {army.count()} units land, {behind} stay behind"
    if provinces:
        best = stages.plan(besiegers(army))
        taken = f"{len(best.provinces)} of {len(provinces)} provinces (tax value {best.value})"
        yield f"siege: all that can land could take {taken} for {best.power} power in {best.actions} actions"
