"""Campaigns: sea battle and landing, or a march; land battle, siege (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.engine import api
from simulator.engine.model.chain import Chain, Share, Utilities
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Columns, Course, Run, Worth, gathered, without_stage
from simulator.rules.price_of_power import model, text
from simulator.rules.price_of_power.outcome import decisions, outcome
from simulator.rules.price_of_power.procedures import crossing, siege
from simulator.rules.price_of_power.procedures.campaign_model import (
    BOARDING,
    PARTS,
    Campaign,
    besieged,
    defending,
    is_fought,
    is_march,
    landing,
    stage,
)
from simulator.rules.price_of_power.tables import Setup
from simulator.rules.toolkit.naming import listed, plural

# Columns that a sea battle and a land battle add up.
SUMMED = ("attacker_ducats_lost", "defender_ducats_lost")
# Columns of every outcome, of one by sea and of one of a march, with their values where a stage is not reached.
COLUMNS: dict[str, int] = {"winner": ATTACKER, "land_won": False, "all_taken": False} | dict.fromkeys((
    "landed", "stage", "provinces_taken", "value_taken", "power_spent", "attacker_units_left", "defender_units_left",
    *SUMMED,
), 0)  # fmt: skip
BY_SEA: dict[str, int] = {"naval_won": False, "attacker_ships_left": 0, "defender_ships_left": 0}
ON_A_MARCH: dict[str, int] = {"march_power_spent": 0}

RESULTS = {
    "the area is won and everything taken": "all_taken",
    "the area is won and a part taken": "provinces_taken > 0 and not all_taken",
    "the area is won and nothing taken": "land_won and provinces_taken == 0 and not all_taken",
    "the defender holds": "winner == 'defender'",
    "nobody has the area": "winner == 'nobody'",
}


class Stages:
    """The stages of one campaign; courses that land the same units share chain and plan.

    With `worth` the decisions of all stages are made for it (Built.optimal); `paths` are those of policies `best`.
    """

    def __init__(self, fields: Campaign, worth: Worth | None = None, paths: tuple[str, ...] = ()) -> None:
        self.fields, self.worth, self.paths = fields, worth, paths
        self.march, self.provinces = is_march(fields), besieged(fields)
        self.columns = COLUMNS | (ON_A_MARCH if self.march else BY_SEA)
        self.whole, self.enemies = fields.attacker.army.count(), model.count(defending(fields, "army"))
        self.at_sea, self.on_land = cache(self._at_sea), cache(self._on_land)
        self.plan, self.value_ashore = cache(self._plan), cache(self._value_ashore)
        self.last_ashore: dict[int, tuple[Any, np.ndarray, dict[str, Any]]] = {}

    def moved(self) -> crossing.Moved:
        """The units that march, and the power that they need (step 2)."""
        way = self.fields.conditions
        return crossing.moved(self.whole, way.march_power, way.border == "mountain", way.bridge)

    def landed(self, ships: int) -> int:
        """Number of units that get there: at most 3 for each ship, or by the march; the others stay behind (step 2)."""
        return self.moved().units_across if self.march else min(self.whole, crossing.UNITS_PER_SHIP * ships)

    def _at_sea(self) -> tuple[Setup, Chain]:
        """The battle at sea."""
        setup = Setup(stage(self.fields, "fleet"), brief=True)
        return setup, self.decided(setup, "at sea", self.worth_at_sea)

    def _on_land(self, landed: int) -> tuple[Setup, Chain]:
        """The land battle of the units landed."""
        setup = Setup(stage(self.fields, "army", landing(self.fields, landed)), brief=True)
        return setup, self.decided(setup, "on land", lambda ends: self.worth_of(*self.ashore(landed, ends)))

    def decided(self, setup: Setup, label: str, worth: Callable[[Any], np.ndarray]) -> Chain:
        """The chain of a stage; with an objective its decisions are made for the `worth` of its final states."""
        chain, part = text.chain_with_replay(setup, label), PARTS[label]
        if self.worth is None:
            return chain

        def describe(states: Any, options: np.ndarray) -> Columns:
            found = decisions(setup, chain.params, states, options)
            paths = [re.sub(r"(attacker|defender)\.", rf"\1.{part}.", path) for path in found["decision"]]
            return {"decision": np.array(paths)} | {name: found[name] for name in found if name != "decision"}

        return replace(chain, utilities=Utilities(worth, self.paths, describe))

    def worth_of(self, won: np.ndarray, course: Mapping[str, ArrayLike]) -> np.ndarray:
        """Worth of the outcomes of a course, with a row for each of `won`, to each side."""
        assert self.worth is not None
        return self.worth(
            {name: np.broadcast_to(course.get(name, none), won.shape) for name, none in self.columns.items()}
        )

    def worth_at_sea(self, ends: Any) -> np.ndarray:
        """Worth of final states at sea: columns add up, so it is that of the fleets and of the army that lands."""
        won, landed, fleets, lost = self.after_sea(ends)
        worth, own = self.worth_of(won, lost), self.worth_of(won, fleets) - self.worth_of(won, {})
        for units in np.unique(landed[won]).tolist():
            rows = won & (landed == units)
            worth[:, rows] = own[:, rows] + self.value_ashore(units)[:, None]
        return worth

    def _value_ashore(self, landed: int) -> np.ndarray:
        """The worth to each side of landing so many units."""
        if is_fought(self.fields, "army"):
            return np.array(api.best_policy(self.on_land(landed)[1]).values)
        return self.worth_of(np.array([True]), self.unopposed(landed))[:, 0]

    def courses(self, run: Run) -> Iterator[Course]:
        """All courses of the campaign. Step 1: without a naval victory, or if nobody gets across, it is over."""
        if not is_fought(self.fields, "fleet"):
            ships = model.count(self.fields.attacker.fleet)
            if there := self.landed(ships):
                yield from self.invasion(run, there, {} if self.march else {"attacker_ships_left": ships})
            else:
                left = {"attacker_units_left": self.whole, "defender_units_left": self.enemies}
                yield without_stage(None, {"winner": DEFENDER, **left})
            return
        ends = run(self.at_sea()[1])
        won, landed, fleets, lost = self.after_sea(ends.states)
        yield ends, ~won, lost
        for row in np.flatnonzero(won).tolist():
            own = {name: int(values[row]) for name, values in fleets.items()}
            yield from self.invasion(run, int(landed[row]), own, ends.share(row))

    def after_sea(self, ends: Any) -> tuple[np.ndarray, np.ndarray, Columns, Columns]:
        """For final states at sea: won or not, the units that land, columns of the fleets, columns where it is lost."""
        columns = outcome(self.at_sea()[0], ends)
        fleets = {name: columns[name] for name in ("attacker_ships_left", "defender_ships_left", *SUMMED)}
        own = fleets["attacker_ships_left"] + columns["attacker_captured"]
        landed, left = np.minimum(self.whole, crossing.UNITS_PER_SHIP * own), np.ones_like(own)
        lost = {"attacker_units_left": self.whole * left, "defender_units_left": self.enemies * left}
        return columns["winner"] == ATTACKER, landed, fleets, fleets | lost | {"winner": columns["winner"]}

    def invasion(self, run: Run, landed: int, fleets: dict[str, int], share: Share | None = None) -> Iterator[Course]:
        """Steps 3 and 4: land battle, siege; `fleets` are the columns of the fleets."""
        if not is_fought(self.fields, "army"):
            yield without_stage(share, self.unopposed(landed) | fleets)
            return
        ends = run(self.on_land(landed)[1], share)
        if self.last_ashore.get(landed, (None,))[0] is not ends.states:  # those of an exact answer come again
            self.last_ashore[landed] = ends.states, *self.ashore(landed, ends.states)
        _, won, course = self.last_ashore[landed]
        yield ends, np.full(len(won), True), course | {n: course.get(n, 0) + number for n, number in fleets.items()}

    def unopposed(self, landed: int) -> dict[str, Any]:
        """Columns of a landing without defenders."""
        taken = self.besieged([self.besiegers(landed)])
        return self.there(landed) | {"land_won": True, "attacker_units_left": self.whole} | taken

    def there(self, landed: int) -> dict[str, Any]:
        """Columns of step 2."""
        return {"landed": landed} | (
            {"march_power_spent": self.moved().power_spent} if self.march else {"naval_won": True}
        )

    def ashore(self, landed: int, ends: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """For final states on land: won or not, and the columns, with those of the siege where it is won."""
        columns = outcome(self.on_land(landed)[0], ends)
        won = columns["winner"] == ATTACKER
        left = np.column_stack([columns[f"attacker_{unit}_left"] for unit in model.TYPES])
        own = self.there(landed) | {name: columns[name] for name in ("winner", "defender_units_left", *SUMMED)}
        own |= {"land_won": won, "attacker_units_left": columns["attacker_units_left"] + self.whole - landed}
        own["stage"] = np.ones(len(won), int)
        for name, values in self.besieged([*map(tuple, left[won].tolist())]).items():
            own[name] = np.array(own.get(name, np.zeros(len(won), np.asarray(values).dtype)))
            own[name][won] = values
        return won, own

    def besieged(self, armies: list[tuple[int, ...]]) -> dict[str, ArrayLike]:
        """Step 4: columns of the siege, one value for each army (infantry, cavalry, artillery)."""
        plans = [self.plan(army) for army in armies]
        taken = [len(plan.provinces) for plan in plans]
        everything = [number == len(self.provinces) for number in taken]
        return {
            "stage": [3 if every else 2 for every in everything],
            "all_taken": everything,
            "provinces_taken": taken,
            "value_taken": [plan.value for plan in plans],
            "power_spent": [plan.power for plan in plans],
        }

    def besiegers(self, landed: int) -> tuple[int, ...]:
        """Infantry, cavalry and artillery of all categories that landed."""
        army = landing(self.fields, landed)
        return tuple(sum(getattr(army, f"{prefix}{unit}", 0) for prefix in BOARDING) for unit in model.TYPES)

    def _plan(self, army: tuple[int, ...]) -> siege.Taken:
        """The best siege plan of (infantry, cavalry, artillery); by sea ships face every island (step 4)."""
        fields, units = self.fields, dict(zip(model.TYPES, army, strict=True))
        power, facing = fields.conditions.siege_power, not self.march or fields.conditions.ships_facing
        side = siege.Besieger(military_power=power, ships_facing=facing).model_copy(update=units)
        actions, mentality = fields.conditions.siege_actions, fields.options.defensive_mentality
        return siege.best_plan(side, self.provinces, fields.policy.attacker.plan, actions, mentality)


def build(fields: Campaign, worth: Worth | None = None, paths: tuple[str, ...] = ()) -> Built:
    """A campaign; with `worth` the policies `best` at `paths` are decided for it."""
    stages = Stages(fields, worth, paths)
    return Built(
        answer=lambda run: gathered(stages.courses(run), stages.columns),
        optimal=lambda worth, paths: build(fields, worth, paths),
        assumptions=lambda: [*assumptions(stages)],
        explain=lambda: [*explain(stages)],
    )


def assumptions(stages: Stages) -> Iterator[str]:
    """Lines for the readings and policies of each stage."""
    fields = stages.fields
    for name, part in PARTS.items():
        lines = text.assumptions(Setup(stage(fields, part))) if is_fought(fields, part) else []
        yield from (f"{name}: {line}" for line in lines)
    yield f"{'marching' if stages.march else 'landing'}: {fields.policy.attacker.landing}"
    if stages.provinces:
        yield f"siege plan: {fields.policy.attacker.plan}"
    yield from siege.mentality_lines(fields.options.defensive_mentality, stages.provinces)


def explain(stages: Stages) -> Iterator[str]:
    """Lines for the stages and the dice of each."""
    fields, provinces = stages.fields, stages.provinces
    landed = stages.landed(model.count(fields.attacker.fleet))
    if is_fought(fields, "fleet"):
        yield from (f"at sea: {line}" for line in text.explain(Setup(stage(fields, "fleet"))))
    yield who_goes(stages, landed)
    if landed and is_fought(fields, "army"):
        there = stage(fields, "army", landing(fields, landed))
        yield from (f"on land: {line}" for line in text.explain(Setup(there)))
    if provinces and landed:
        best = stages.plan(stages.besiegers(landed))
        taken = f"{len(best.provinces)} of {plural(len(provinces), 'province')} (tax value {best.value})"
        cost = f"{best.power} power in {plural(best.actions, 'action')}"
        yield f"siege: without losses they take {taken} for {cost}"


def who_goes(stages: Stages, landed: int) -> str:
    """The line on those who go and those who stay behind (step 2); by sea those for whom all ships have room."""
    going = stages.besiegers(landed)
    staying = [whole - own for whole, own in zip(stages.besiegers(stages.whole), going, strict=True)]
    where = "march" if stages.march else "landing, with every ship left"
    verb = "go" if sum(going) != 1 else "goes"
    text = f"{where}: {enumerated(going)} {verb}" if landed else f"{where}: nobody gets there"
    if landed and stages.march:
        text += f" for {stages.moved().power_spent} power"
    return f"{text}, {enumerated(staying)} {'stay' if sum(staying) != 1 else 'stays'} behind" if any(staying) else text


def enumerated(units: Sequence[int]) -> str:
    """Infantry, cavalry and artillery in words: "3 infantry and 1 cavalry"."""
    return listed([f"{number} {unit}" for number, unit in zip(units, model.TYPES, strict=True) if number])
