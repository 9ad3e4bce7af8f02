"""Campaigns: sea battle and landing, or a march; land battle, siege, ships out of a port that is taken.

docs/rules/price_of_power.md section 8.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simulator.engine import api
from simulator.engine.model.chain import Chain, OutcomeDistribution, Share, Utilities
from simulator.rules.battle import ATTACKER, DEFENDER, Built, Columns, Course, Run, Worth, gathered, without_stage
from simulator.rules.price_of_power import model
from simulator.rules.price_of_power.dice import faces_of
from simulator.rules.price_of_power.forces import Side
from simulator.rules.price_of_power.outcome import Fight
from simulator.rules.price_of_power.procedures import campaign_text, crossing, siege
from simulator.rules.price_of_power.procedures.campaign_model import (
    FLEET_COLUMNS,
    PARTS,
    POLICIES,
    Campaign,
    Fleet,
    besieged,
    defending,
    fleet_at_start,
    is_fought,
    is_march,
    room_on_a_march,
    stage,
)
from simulator.rules.price_of_power.procedures.landing import (
    LANDING,
    Units,
    by_type,
    chain_of_choice,
    choices,
    icons_added,
    in_order,
    in_words,
    most_expected,
    numbers,
)
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.toolkit.naming import listed

# Columns that the battles of a campaign add up.
SUMMED = ("attacker_ducats_lost", "defender_ducats_lost")
# Columns of every outcome, of one by sea, of one with ships in a port and of a march, with their values where a stage
# is not reached.
COLUMNS: dict[str, int] = {"winner": ATTACKER, "land_won": False, "all_taken": False} | dict.fromkeys((
    "landed", "stage", "provinces_taken", "value_taken", "power_spent", "attacker_units_left", "defender_units_left",
    *SUMMED,
), 0)  # fmt: skip
SHIPS_LEFT = ("attacker_ships_left", "defender_ships_left")
BY_SEA: dict[str, int] = {"naval_won": False} | dict.fromkeys(SHIPS_LEFT, 0)
WITH_PORT: dict[str, int] = {"port_fought": False, "port_won": False}
ON_A_MARCH: dict[str, int] = {"march_power_spent": 0}
RESULTS = {
    "the area is won and everything taken": "all_taken",
    "the area is won and a part taken": "provinces_taken > 0 and not all_taken",
    "the area is won and nothing taken": "land_won and provinces_taken == 0 and not all_taken",
    "the defender holds": "winner == 'defender'",
    "nobody has the area": "winner == 'nobody'",
}


def fight_of(battle: model.AnyBattle, label: str, brief: bool = True) -> Fight:
    """The battle of a stage."""
    return Fight(Setup(battle, brief), label)


class Stages:
    """The stages of one campaign; courses that land the same units share chain and plan.

    With `worth` the decisions of all stages are made for it (Built.optimal); `paths` are those of policies `best`. A
    fleet matters after the battle at sea only where ships may be driven out of a port (`port`), and is else None.
    """

    def __init__(self, fields: Campaign, worth: Worth | None = None, paths: tuple[str, ...] = ()) -> None:
        self.fields, self.worth, self.paths = fields, worth, paths
        self.march, self.provinces, self.army = is_march(fields), besieged(fields), numbers(fields.attacker.army)
        self.port = next((at for at, one in enumerate(self.provinces) if getattr(one, "port_fleet", False)), None)
        by_sea = BY_SEA | ({} if self.port is None else WITH_PORT)
        self.columns = COLUMNS | (ON_A_MARCH if self.march else by_sea)
        self.whole, self.enemies = sum(self.army), model.count(defending(fields, "army"))
        self.in_port = model.count(fields.defender.port_fleet)
        self.chooses = worth is not None and fields.policy.attacker.landing == "best"
        self.at_sea, self.on_land, self.at_port = cache(self._at_sea), cache(self._on_land), cache(self._at_port)
        self.plan, self.goes, self.value_ashore = cache(self._plan), cache(self._goes), cache(self._value_ashore)
        self.choice, self.value_at_port = cache(self._choice), cache(self._value_at_port)
        self.last_ashore: dict[Units, tuple[Any, np.ndarray, dict[str, Any]]] = {}

    # Step 1: the battle at sea.

    def _at_sea(self) -> tuple[Fight, Chain]:
        """The battle at sea."""
        fight = fight_of(stage(self.fields, "fleet"), "at sea", self.port is None)
        return fight, self.decided(fight, self.worth_at_sea)

    def courses(self, run: Run) -> Iterator[Course]:
        """All courses of the campaign. Without a naval victory, or if nobody gets across, it is over."""
        if not is_fought(self.fields, "fleet"):
            fleet = fleet_at_start(self.fields)
            if room := self.room(fleet.ships):
                ships = {"attacker_ships_left": fleet.ships, "defender_ships_left": self.in_port}
                yield from self.invasion(run, room, {} if self.march else ships, fleet)
            else:
                left = {"attacker_units_left": self.whole, "defender_units_left": self.enemies}
                yield without_stage(None, {"winner": DEFENDER, **left})
            return
        ends = run(self.at_sea()[1])
        won, fleets, columns, lost = self.after_sea(ends.states)
        yield ends, ~won, lost
        for row in np.flatnonzero(won).tolist():
            own = {name: int(values[row]) for name, values in columns.items()}
            yield from self.invasion(run, self.room(fleets[row].ships), own, fleets[row], ends.share(row))

    def after_sea(self, ends: Any) -> tuple[np.ndarray, list[Fleet], Columns, Columns]:
        """For final states at sea: won or not, the attacker's fleets, columns of ships, columns where it is lost."""
        columns = self.at_sea()[0].outcome(ends)
        parts = (np.asarray(columns[f"attacker_{name}"]).tolist() for name in FLEET_COLUMNS)
        fleets = list(map(Fleet, *parts))
        ships = {name: columns[name] for name in ("attacker_ships_left", *SUMMED)}
        ships["defender_ships_left"] = columns["defender_ships_left"] + self.in_port
        lost = {"attacker_units_left": np.full(len(fleets), self.whole), "winner": columns["winner"]}
        lost["defender_units_left"] = np.full(len(fleets), self.enemies)
        return columns["winner"] == ATTACKER, fleets, ships, ships | lost

    # Step 2: the units that go.

    def room(self, ships: int) -> int:
        """Number of units that there is room for: 3 for each ship, or by the march."""
        if self.march:
            return room_on_a_march(self.fields).units_across
        return min(self.whole, crossing.UNITS_PER_SHIP * ships)

    @cached_property
    def icons_added(self) -> list[list[float]]:
        """The icons that each further unit of a type adds to the first roll (`landing.icons_added`)."""
        return icons_added(Side("attacker", stage(self.fields, "army")), faces_of(self.fields.options))

    def _goes(self, room: int) -> Units:
        """The units that go if nobody chooses."""
        policy, army = self.fields.policy.attacker, self.army
        if policy.landing in {"best-expected", "best", "custom"}:
            own = numbers(policy.landing_units) if policy.landing_units else army
            return most_expected(own, room, self.icons_added)
        return in_order(army, room, policy.landing)

    def _choice(self, room: int, fleet: Fleet | None) -> tuple[list[Units], Chain]:
        """All choices of units that may go, and the chain of the attacker's decision among them."""
        every = choices(self.army, room, self.goes(room))
        values = np.column_stack([self.value_ashore(units, fleet) for units in every])

        def describe(states: Any, options: np.ndarray) -> Columns:
            path, own = (LANDING,), listed([*in_words(self.army)])
            words = [listed([*in_words(every[option])]) for option in options]
            columns = {"decision": path, "attacker": (own,), "room": (room,), "choice": words}
            return {name: np.array(given, dtype=object) for name, given in columns.items()}

        return every, chain_of_choice(values, describe)

    def choice_of(self, room: int) -> Units:
        """The units that go into this much room, if no ship is lost before."""
        if not (self.chooses and room):
            return self.goes(room)
        every, chain = self.choice(room, None if self.port is None else fleet_at_start(self.fields))
        return every[api.best_policy(chain).option(chain.start)]

    def invasion(
        self, run: Run, room: int, ships: dict[str, int], fleet: Fleet, share: Share | None = None
    ) -> Iterator[Course]:
        """Steps 2 to 5: landing or march, land battle, siege, ships out of port; `ships` are the columns of these."""
        afloat = None if self.port is None else fleet
        units = self.goes(room)
        if self.chooses:
            every, decision = self.choice(room, afloat)
            chosen = run(decision, share)
            units, share = every[int(chosen.states.place[0]) - 1], chosen.share(0)
        if not is_fought(self.fields, "army"):
            columns, taken = self.unopposed(units)
            if taken:
                yield from self.out_of_port(run, share, fleet, columns | ships)
            else:
                yield without_stage(share, columns | ships)
            return
        fight, chain = self.on_land(units, afloat)
        ends = run(chain, share)
        if self.last_ashore.get(units, (None,))[0] is not ends.states:  # those of an exact answer come again
            self.last_ashore[units] = ends.states, *self.ashore(fight, units, ends.states)
        _, at_port, course = self.last_ashore[units]
        course = course | {name: course.get(name, 0) + number for name, number in ships.items()}
        yield ends, ~at_port, course
        for row in np.flatnonzero(at_port).tolist():
            own = {name: np.broadcast_to(values, at_port.shape)[row] for name, values in course.items()}
            yield from self.out_of_port(run, ends.share(row), fleet, own)

    # Steps 3 and 4: the land battle and the siege.

    def _on_land(self, units: Units, fleet: Fleet | None) -> tuple[Fight, Chain]:
        """The land battle of the units that are there."""
        fight = fight_of(stage(self.fields, "army", units), "on land")
        return fight, self.decided(fight, lambda ends: self.worth_ashore(fight, units, fleet, ends))

    def there(self, units: Units) -> dict[str, Any]:
        """Columns of step 2."""
        power = crossing.power_for(sum(units), self.fields.conditions.border == "mountain")
        return {"landed": sum(units)} | ({"march_power_spent": power} if self.march else {"naval_won": True})

    def unopposed(self, units: Units) -> tuple[dict[str, Any], bool]:
        """Columns of a landing without defenders; do ships have to leave a port?"""
        taken, at_port = self.besieged([by_type(units)])
        return self.there(units) | {"land_won": True, "attacker_units_left": self.whole} | taken, bool(at_port[0])

    def ashore(self, fight: Fight, units: Units, ends: Any) -> tuple[np.ndarray, dict[str, Any]]:
        """For final states on land: do ships have to leave a port; the columns, with the siege where it is won."""
        columns = fight.outcome(ends)
        won = columns["winner"] == ATTACKER
        left = np.column_stack([columns[f"attacker_{unit}_left"] for unit in model.TYPES])
        own = self.there(units) | {name: columns[name] for name in ("winner", "defender_units_left", *SUMMED)}
        own |= {"land_won": won, "attacker_units_left": columns["attacker_units_left"] + self.whole - sum(units)}
        own["stage"], at_port = np.ones(len(won), int), np.zeros(len(won), bool)
        taken, at_port[won] = self.besieged([*map(tuple, left[won].tolist())])
        for name, values in taken.items():
            own[name] = np.array(own.get(name, np.zeros(len(won), np.asarray(values).dtype)))
            own[name][won] = values
        return at_port, own

    def besieged(self, armies: list[Units]) -> tuple[dict[str, ArrayLike], list[bool]]:
        """Columns of the siege, one value for each army (infantry, cavalry, artillery); is the port taken?"""
        plans = [self.plan(army) for army in armies]
        taken = [len(plan.provinces) for plan in plans]
        everything = [number == len(self.provinces) for number in taken]
        return {
            "stage": [3 if every else 2 for every in everything],
            "all_taken": everything,
            "provinces_taken": taken,
            "value_taken": [plan.value for plan in plans],
            "power_spent": [plan.power for plan in plans],
        }, [self.port in plan.provinces for plan in plans]

    def _plan(self, army: Units) -> siege.Taken:
        """The best siege plan of (infantry, cavalry, artillery); by sea ships face every island."""
        fields, units = self.fields, dict(zip(model.TYPES, army, strict=True))
        power, facing = fields.conditions.siege_power, not self.march or fields.conditions.ships_facing
        side = siege.Besieger(military_power=power, ships_facing=facing).model_copy(update=units)
        actions, mentality = fields.conditions.siege_actions, fields.options.defensive_mentality
        return siege.best_plan(side, self.provinces, fields.policy.attacker.plan, actions, mentality)

    # Step 5: ships out of a port that is taken.

    def _at_port(self, fleet: Fleet) -> tuple[Fight, Chain]:
        """The battle with the ships that have to leave the port."""
        fight = fight_of(stage(self.fields, "port_fleet", fleet=fleet), "out of port")
        return fight, self.decided(fight, lambda ends: self.worth_at_port(fight, fleet, ends))

    def out_of_port(self, run: Run, share: Share | None, fleet: Fleet, columns: Mapping[str, Any]) -> Iterator[Course]:
        """The courses of a campaign with these columns, whose fleet meets the ships out of the port."""
        fight, chain = self.at_port(fleet)
        ends: OutcomeDistribution = run(chain, share)
        found = self.after_port(fight, fleet, ends.states)
        found |= {name: columns.get(name, 0) + found[name] for name in (*SHIPS_LEFT, *SUMMED)}
        yield ends, np.full(len(ends), True), {**columns, **found}

    def after_port(self, fight: Fight, fleet: Fleet, ends: Any) -> Columns:
        """The columns of the battle."""
        columns = fight.outcome(ends)
        return {
            "attacker_ships_left": columns["attacker_ships_left"] - fleet.own,
            "defender_ships_left": columns["defender_ships_left"] - self.in_port,
            **{name: columns[name] for name in SUMMED},
            "port_fought": np.ones(len(columns["winner"]), bool),
            "port_won": columns["winner"] == ATTACKER,
        }

    # Worth, for decisions: columns add up, so that the worth of stages does.

    def decided(self, fight: Fight, worth: Callable[[Any], np.ndarray]) -> Chain:
        """The chain of a stage; with an objective its decisions are made for the `worth` of its final states."""
        chain, part = fight.chain, PARTS[fight.chain.label]
        policies = POLICIES[part]
        if self.worth is None or not chain.decided:
            return chain

        def describe(states: Any, options: np.ndarray) -> Columns:
            found = fight.decisions(states, options)
            paths = [re.sub(r"^(attacker|defender)\.", rf"\1.{part}.", path) for path in found["decision"]]
            paths = [re.sub(r"^policy\.(\w+)\.", rf"policy.\1.{policies}.", path) for path in paths]
            return {"decision": np.array(paths)} | {name: found[name] for name in found if name != "decision"}

        return replace(chain, utilities=Utilities(worth, self.paths, describe))

    def worth_of(self, shape: tuple[int, ...], course: Mapping[str, ArrayLike]) -> np.ndarray:
        """Worth of the outcomes of a course to each side."""
        assert self.worth is not None
        return self.worth({name: np.broadcast_to(course.get(name, none), shape) for name, none in self.columns.items()})

    def more_worth(self, shape: tuple[int, ...], more: Mapping[str, ArrayLike]) -> np.ndarray:
        """The worth that these columns add to any outcome, for each side."""
        return self.worth_of(shape, more) - self.worth_of(shape, {})

    def value_of(self, chain: Chain, worth: Callable[[Any], np.ndarray]) -> np.ndarray:
        """The worth of a stage to each side."""
        if chain.utilities is not None:
            return np.array(api.best_policy(chain).values)
        ends = api.exact_outcomes(chain)
        return worth(ends.states) @ ends.p

    def worth_at_sea(self, ends: Any) -> np.ndarray:
        """Worth of final states at sea: that of the fleets, and of the army that lands."""
        won, fleets, ships, lost = self.after_sea(ends)
        worth, own = self.worth_of(won.shape, lost), self.more_worth(won.shape, ships)
        for row in np.flatnonzero(won).tolist():
            room, fleet = self.room(fleets[row].ships), None if self.port is None else fleets[row]
            if self.chooses:
                ashore = np.array(api.best_policy(self.choice(room, fleet)[1]).values)
            else:
                ashore = self.value_ashore(self.goes(room), fleet)
            worth[:, row] = own[:, row] + ashore
        return worth

    def _value_ashore(self, units: Units, fleet: Fleet | None) -> np.ndarray:
        """The worth to each side of landing these units."""
        if not is_fought(self.fields, "army"):
            columns, at_port = self.unopposed(units)
            value = self.worth_of((1,), columns)[:, 0]
            return value + self.value_at_port(fleet) if at_port else value
        fight, chain = self._on_land(units, fleet)
        return self.value_of(chain, lambda ends: self.worth_ashore(fight, units, fleet, ends))

    def worth_ashore(self, fight: Fight, units: Units, fleet: Fleet | None, ends: Any) -> np.ndarray:
        """Worth of final states on land, with what follows in a port."""
        at_port, course = self.ashore(fight, units, ends)
        worth = self.worth_of(at_port.shape, course)
        if at_port.any():
            worth[:, at_port] += self.value_at_port(fleet)[:, None]
        return worth

    def _value_at_port(self, fleet: Fleet) -> np.ndarray:
        """The worth that a battle with the ships out of the port adds, for each side."""
        fight, chain = self.at_port(fleet)
        return self.value_of(chain, lambda ends: self.worth_at_port(fight, fleet, ends))

    def worth_at_port(self, fight: Fight, fleet: Fleet, ends: Any) -> np.ndarray:
        """The worth that final states of that battle add."""
        found = self.after_port(fight, fleet, ends)
        return self.more_worth(found["port_won"].shape, found)


def build(fields: Campaign, worth: Worth | None = None, paths: tuple[str, ...] = ()) -> Built:
    """A campaign; with `worth` the policies `best` at `paths` are decided for it."""
    stages = Stages(fields, worth, paths)
    return Built(
        answer=lambda run: gathered(stages.courses(run), stages.columns),
        optimal=lambda worth, paths: build(fields, worth, paths),
        assumptions=lambda: [*campaign_text.assumptions(stages)],
        explain=lambda: [*campaign_text.explain(stages)],
    )
