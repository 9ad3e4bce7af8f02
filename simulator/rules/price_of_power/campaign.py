"""A campaign: sea battle, landing, land battle, siege (rules/price_of_power.md section 8)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field

from simulator.engine.chain import Share
from simulator.rules.battle import ATTACKER, Columns, Fields, Outcomes, Refusal, Run
from simulator.rules.price_of_power import siege
from simulator.rules.price_of_power.chains import Setup, chain_from
from simulator.rules.price_of_power.checks import check_deck, check_dice, check_sides
from simulator.rules.price_of_power.columns import TYPES, columns_of
from simulator.rules.price_of_power.fields import (
    LandAttackPolicy,
    LandDefender,
    LandPolicy,
    LandSide,
    Options,
    SeaAttackPolicy,
    SeaDefender,
    SeaPolicy,
    SeaSide,
)
from simulator.rules.price_of_power.forces import LOSS_ORDER, count_units, side_of
from simulator.rules.price_of_power.rolls import icon_dice
from simulator.rules.price_of_power.words import assumed_by, explained

UNITS_PER_SHIP = 3
BOARDING = ("", "mercenary_", "allied_")


class Invader(Fields):
    """The invading player realm."""

    fleet: SeaSide = Field(description="ships, as a side of a naval battle")
    army: LandSide = Field(description="units, as a side of a land battle")


class Invaded(Fields):
    """Whoever is invaded; every part may be absent."""

    fleet: SeaDefender | None = Field(None, description="ships, as the defender of a naval battle")
    army: LandDefender | None = Field(None, description="units, as the defender of a land battle")
    provinces: Annotated[list[siege.Besieged], Field(max_length=8)] = Field([], description="provinces to besiege")


class InvaderPolicy(Fields):
    """What the invader decides."""

    fleet: SeaAttackPolicy = Field(SeaAttackPolicy(), description="decisions in the naval battle")
    army: LandAttackPolicy = Field(LandAttackPolicy(), description="decisions in the land battle")
    landing: Literal["infantry-first", "cavalry-first", "artillery-first"] = Field(
        "infantry-first", description="which type boards first"
    )
    plan: siege.Plan = Field("most-value", description="what the siege is after")


class InvadedPolicy(Fields):
    """What the invaded decide."""

    fleet: SeaPolicy = Field(SeaPolicy(), description="decisions in the naval battle")
    army: LandPolicy = Field(LandPolicy(), description="decisions in the land battle")


class CampaignPolicies(Fields):
    """Policies of both sides."""

    attacker: InvaderPolicy = Field(InvaderPolicy(), description="the invader's decisions")
    defender: InvadedPolicy = Field(InvadedPolicy(), description="the decisions of the invaded")


class CampaignConditions(Fields):
    """Conditions of a campaign."""

    siege_power: siege.Power = Field(99, description="military power that may be spent on sieges")
    siege_actions: siege.Actions = Field(1, description="siege actions (turns) allowed")
    galley_waters: bool = Field(True, description="may galleys fight here")


class CampaignOptions(Options):
    """Options of all stages; rounds are not counted."""

    count_rounds: bool = Field(False, description="refused: rounds are not counted")
    defensive_mentality: siege.DefensiveMentality = Field(
        siege.DefensiveMentality(), description="what the idea does (ASSUMED)"
    )


class Campaign(Fields):
    """A campaign."""

    game: Literal["price-of-power"]
    battle: Literal["campaign"]
    attacker: Invader = Field(description="the invading player realm")
    defender: Invaded = Field(description="whoever is invaded")
    conditions: CampaignConditions = Field(CampaignConditions(), description="conditions of the campaign")
    policy: CampaignPolicies = Field(CampaignPolicies(), description="what each side decides")
    options: CampaignOptions = Field(CampaignOptions(), description="dice, deck and readings")


class Landing(NamedTuple):
    """What lands, as fields of a land side, and how many units stay behind."""

    units: dict[str, int]
    landed: int
    behind: int


class Part(NamedTuple):
    """Some rows of the answer: columns, chances, counts."""

    columns: Columns
    p: np.ndarray
    count: np.ndarray | None


def has_fleet(fields: Any) -> bool:
    """Does the defender have a ship?"""
    return fields.defender.fleet is not None and count_units(fields.defender.fleet, True) > 0


def has_army(fields: Any) -> bool:
    """Does the defender have a unit?"""
    return fields.defender.army is not None and count_units(fields.defender.army, False) > 0


def stage_fields(fields: Any, part: str) -> Any:
    """The naval ("fleet") or land ("army") stage as fields of a battle of its own."""
    return SimpleNamespace(
        battle="naval" if part == "fleet" else "land",
        attacker=getattr(fields.attacker, part),
        defender=getattr(fields.defender, part),
        policy=SimpleNamespace(
            attacker=getattr(fields.policy.attacker, part), defender=getattr(fields.policy.defender, part)
        ),
        conditions=fields.conditions,
        options=fields.options,
    )


def check(fields: Any) -> None:
    """Refuse what a campaign may not hold."""
    if "count_rounds" in fields.options.model_fields_set:
        raise Refusal("options.count_rounds", "is not for a campaign; leave it out")
    check_deck(fields.options)
    for part, fought in (("fleet", has_fleet(fields)), ("army", has_army(fields))):
        kind = getattr(fields.attacker, part).kind
        if kind != "player":
            raise Refusal(f"attacker.{part}.kind", f"{kind!r} is not allowed; only a player realm plans a campaign")
        stage = stage_fields(fields, part)
        check_sides(stage, f".{part}", ("attacker", "defender") if fought else ("attacker",))
        if fought:
            check_dice(stage_setup(fields, part), f".{part}")


def stage_setup(fields: Any, part: str, attacker: Any = None) -> Setup:
    """The setup of a stage; `attacker` replaces the side entered (the units that landed)."""
    stage = stage_fields(fields, part)
    sea = part == "fleet"
    sides = (
        side_of("attacker", sea, attacker or stage.attacker, stage.policy.attacker, stage.options),
        side_of("defender", sea, stage.defender, stage.policy.defender, stage.options),
    )
    return Setup(sides, icon_dice(stage.options), stage.options, 0, brief=True)


def landing(fields: Any, ships: int) -> Landing:
    """At most 3 units a ship board, by type in landing order, within a type regular, mercenary, allied (step 2)."""
    army, room = fields.attacker.army, UNITS_PER_SHIP * ships
    units: dict[str, int] = {}
    for which in LOSS_ORDER[fields.policy.attacker.landing]:
        for prefix in BOARDING:
            name = f"{prefix}{TYPES[which]}"
            units[name] = min(getattr(army, name, 0), room)
            room -= units[name]
    units.pop("allied_artillery")
    landed = sum(units.values())
    return Landing(units, landed, count_units(army, False) - landed)


class Stages:
    """The stages of one campaign; chains that several courses share are built once."""

    def __init__(self, fields: Any, run: Run | None) -> None:
        self.fields, self.run = fields, run
        self.parts: list[Part] = []
        self._land: dict[int, tuple[Setup, Any]] = {}
        self._plans: dict[siege.Army, siege.Taken] = {}

    def fight(self) -> Outcomes:
        """All courses of the campaign."""
        fields = self.fields
        if has_fleet(fields):
            self.at_sea()
        else:
            ships = count_units(fields.attacker.fleet, True)
            self.on_land(ships, {"attacker_ships_left": ships, "defender_ships_left": 0}, None)
        names = self.parts[0].columns
        columns = {name: np.concatenate([part.columns[name] for part in self.parts]) for name in names}
        counts = [part.count for part in self.parts if part.count is not None]
        return Outcomes(
            columns,
            np.concatenate([part.p for part in self.parts]),
            np.concatenate(counts) if counts else None,
        )

    def at_sea(self) -> None:
        """Step 1: the naval battle; where it is not won the campaign is over."""
        setup = stage_setup(self.fields, "fleet")
        ends = self.run(chain_from(setup))
        seen = columns_of(setup, ends.states)
        won = seen["winner"] == ATTACKER
        lost = np.flatnonzero(~won)
        if len(lost):
            self.add(
                len(lost),
                ends.p[lost],
                None if ends.count is None else ends.count[lost],
                winner=seen["winner"][lost],
                attacker_ships_left=seen["attacker_ships_left"][lost],
                defender_ships_left=seen["defender_ships_left"][lost],
                attacker_units_left=count_units(self.fields.attacker.army, False),
                defender_units_left=self.defenders(),
            )
        for row in np.flatnonzero(won):
            own, captured = int(seen["attacker_ships_left"][row]), int(seen["attacker_captured"][row])
            left = {"attacker_ships_left": own, "defender_ships_left": int(seen["defender_ships_left"][row])}
            self.on_land(own + captured, left, ends.share(int(row)))

    def defenders(self) -> int:
        """Units of the defender at the start."""
        return count_units(self.fields.defender.army, False) if has_army(self.fields) else 0

    def on_land(self, ships: int, left: dict[str, int], share: Share | None) -> None:
        """Steps 2 to 4: landing, land battle, siege."""
        landed = landing(self.fields, ships)
        known = {**left, "naval_won": True, "landed": landed.landed}
        if has_army(self.fields):
            self.battle(landed, known, share)
            return
        army = siege.Army(*(sum(landed.units.get(f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in TYPES))
        p, count = (1.0, None) if share is None else (share.p, share.count)
        self.add(
            1, np.array([p]), None if count is None else np.array([count]),
            **known, **self.besieged([army]), land_won=True,
            attacker_units_left=landed.landed + landed.behind, defender_units_left=0,
        )  # fmt: skip

    def battle(self, landed: Landing, known: dict[str, Any], share: Share | None) -> None:
        """Step 3: the land battle of those landed."""
        if landed.landed not in self._land:
            attacker = self.fields.attacker.army.model_copy(update=landed.units)
            setup = stage_setup(self.fields, "army", attacker)
            self._land[landed.landed] = setup, chain_from(setup)
        setup, chain = self._land[landed.landed]
        ends = self.run(chain, share)
        seen = columns_of(setup, ends.states)
        for won in (True, False):
            rows = np.flatnonzero((seen["winner"] == ATTACKER) == won)
            if len(rows) == 0:
                continue
            armies = [siege.Army(*(int(seen[f"attacker_{unit}_left"][row]) for unit in TYPES)) for row in rows]
            then = self.besieged(armies) if won else {"winner": seen["winner"][rows], "stage": 1}
            self.add(
                len(rows), ends.p[rows], None if ends.count is None else ends.count[rows],
                **known, **then, land_won=won,
                attacker_units_left=seen["attacker_units_left"][rows] + landed.behind,
                defender_units_left=seen["defender_units_left"][rows],
            )  # fmt: skip

    def besieged(self, armies: list[siege.Army]) -> dict[str, Any]:
        """Step 4: what the units that are left take, told for each army."""
        provinces = self.fields.defender.provinces
        taken = [self.plan(army) for army in armies]
        if not provinces:
            return {"winner": ATTACKER, "stage": 3}
        return {
            "winner": np.array([siege.siege_winner(len(plan.provinces), len(provinces)) for plan in taken]),
            "stage": np.array([3 if len(plan.provinces) == len(provinces) else 2 for plan in taken]),
            "provinces_taken": np.array([len(plan.provinces) for plan in taken]),
            "value_taken": np.array([plan.value for plan in taken]),
            "power_spent": np.array([plan.power for plan in taken]),
        }

    def plan(self, army: siege.Army) -> siege.Taken:
        """The best siege of an army, with ships that face every island."""
        if army not in self._plans:
            fields = self.fields
            places = siege.places_of(fields.defender.provinces, fields.options.defensive_mentality, True)
            terms = siege.Terms(
                fields.conditions.siege_power, fields.conditions.siege_actions, fields.policy.attacker.plan
            )
            self._plans[army] = siege.best_plan(army, places, terms)
        return self._plans[army]

    def add(self, rows: int, p: np.ndarray, count: np.ndarray | None, **columns: Any) -> None:
        """Keep some rows; columns not given are 0 or false."""
        full = {name: np.full(rows, default) for name, default in DEFAULTS.items()}
        full |= {name: np.broadcast_to(value, rows) for name, value in columns.items()}
        self.parts.append(Part(full, p, count))


DEFAULTS: dict[str, Any] = {
    "winner": ATTACKER,
    "naval_won": False,
    "land_won": False,
    "landed": 0,
    "stage": 0,
    "provinces_taken": 0,
    "value_taken": 0,
    "power_spent": 0,
    "attacker_ships_left": 0,
    "defender_ships_left": 0,
    "attacker_units_left": 0,
    "defender_units_left": 0,
}


def answer(fields: Any, run: Run) -> Outcomes:
    """The whole campaign."""
    return Stages(fields, run).fight()


def assumptions(fields: Any) -> list[str]:
    """What the stages rest on."""
    lines = []
    for part, fought, name in (("fleet", has_fleet(fields), "at sea"), ("army", has_army(fields), "on land")):
        if fought:
            lines += [f"{name}: {line}" for line in assumed_by(stage_setup(fields, part))]
    lines.append(f"landing: {fields.policy.attacker.landing}")
    if fields.defender.provinces:
        lines.append(f"siege plan: {fields.policy.attacker.plan}")
    return lines + siege.mentality_lines(fields.options.defensive_mentality, fields.defender.provinces)


def explain(fields: Any) -> list[str]:
    """The stages, and the dice of each."""
    lines = []
    if has_fleet(fields):
        lines += [f"at sea: {line}" for line in explained(stage_setup(fields, "fleet"))]
    else:
        lines.append("at sea: no defender, the sea counts as won")
    most = landing(fields, count_units(fields.attacker.fleet, True))
    lines.append(f"landing: with every ship {most.landed} units land, {most.behind} stay behind")
    if has_army(fields):
        lines += [f"on land: {line}" for line in explained(stage_setup(fields, "army"))]
    else:
        lines.append("on land: no defender, the area counts as won")
    if fields.defender.provinces:
        army = fields.attacker.army.model_copy(update=most.units)
        units = siege.Army(*(sum(getattr(army, f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in TYPES))
        best = Stages(fields, None).plan(units)
        lines.append(
            f"siege: all that can land could take {len(best.provinces)} of {len(fields.defender.provinces)} provinces"
            f" (tax value {best.value}) for {best.power} power in {best.actions} actions"
        )
    return lines
