"""From quick battles and sieges to their chains: armies, odds, ratings (docs/rules/birthright.md sections 4 and 5)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.engine.model.chain import SIDES, Chain
from simulator.engine.model.chance import NO_TABLE, TableBook, Weights
from simulator.rules.birthright import model
from simulator.rules.birthright.quick import rules
from simulator.rules.birthright.quick.rules import (
    Check,
    QuickParams,
    QuickState,
    SiegeParams,
    SiegeState,
)
from simulator.rules.birthright.units import Entry, Unit, army, gold_of, retreat_policy, terrain_values

MOST_UNITS = 60
PIKES_STOP_CAVALRY = {"plains", "hills", "mountain"}


@dataclass(frozen=True)
class Army:
    """An army of the quick check; `losses` is the order in which its units take hits.

    `leader_points` include those of its heroes; `turns_undead`: the enemy's undead units make it stronger.
    """

    entries: list[Entry]
    warcraft: int = 0
    leader_points: int = 0
    losses: str = "weakest-first"
    turns_undead: bool = False

    @cached_property
    def line(self) -> list[Entry]:
        """The entry of each single unit, in the order in which the units take hits."""
        line = [entry for entry in self.entries for _ in range(entry.count)]
        return line if self.losses == "as-listed" else sorted(line, key=lambda entry: entry.unit.strength)

    @cached_property
    def units(self) -> list[Unit]:
        """The single units in the order in which they take hits."""
        return [entry.unit for entry in self.line]

    @cached_property
    def left(self) -> np.ndarray:
        """Steps left of each unit, int64, shape (hits taken, units)."""
        steps = [unit.steps for unit in self.units]
        if self.losses == "spread":
            line = [i for taken in range(max(steps, default=0)) for i, own in enumerate(steps) if own > taken]
        else:
            line = [i for i, own in enumerate(steps) for _ in range(own)]
        taken = np.zeros((len(line) + 1, len(steps)), np.int64)
        taken[np.arange(1, len(line) + 1), line] = 1
        return np.array(steps, np.int64) - taken.cumsum(0)

    @property
    def steps(self) -> int:
        """Steps at full strength."""
        return len(self.left) - 1

    def alive(self, fits: Callable[[Unit], bool] = lambda unit: True) -> np.ndarray:
        """Units with a step left, of those that fit: int64, shape (hits taken,)."""
        return (self.left > 0) @ np.array([fits(unit) for unit in self.units], np.int64)

    @property
    def cavalry(self) -> np.ndarray:
        """Cavalry alive: int64, shape (hits taken,)."""
        return self.alive(lambda unit: unit.type == "cavalry")

    @property
    def undead(self) -> np.ndarray:
        """Undead units alive: int64, shape (hits taken,)."""
        return self.alive(lambda unit: unit.undead)

    @property
    def gold(self) -> int:
        """Price of all units at the start."""
        return gold_of(self.entries)

    @property
    def gold_lost(self) -> np.ndarray:
        """Price of the units without a step left: int64, shape (hits taken,)."""
        return (self.left == 0) @ np.array([unit.price for unit in self.units], np.int64)

    def unit_values(self, terrain: str, role: str) -> list[int]:
        """Half points of each unit at full steps."""
        modifiers = [terrain_values()[unit.kind, terrain, role] for unit in self.units]
        pairs = zip(self.units, modifiers, strict=True)
        return [0 if twice is None else max(0, 2 * unit.power + twice) for unit, twice in pairs]

    def half_points(self, terrain: str, role: str) -> np.ndarray:
        """Strength in half points with the leader, without pikes: int64, shape (hits taken,)."""
        return self.by_steps_left(self.unit_values(terrain, role)) + 2 * self.leader_points * (self.left.sum(1) > 0)

    def by_steps_left(self, values: Sequence[int]) -> np.ndarray:
        """Sum of the units' values, each reduced with its steps left: int64, shape (hits taken,).

        `values` are those of the units at full steps.
        """
        steps = np.array([unit.steps for unit in self.units], np.int64)
        total: np.ndarray = (np.array(values, np.int64) * self.left // steps).sum(1)
        return total


@dataclass(frozen=True)
class Matchup:
    """An attacking army against a defending one; `pursues`: does the cavalry of the side ahead pursue a rout?"""

    attacker: Army
    defender: Army
    terrain: str
    options: model.CheckOptions
    names: tuple[str, str] = ("attacker", "defender")
    pursues: bool = True

    @cached_property
    def strengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Half points of both, int64, shape (attacker's hits, defender's hits)."""
        own = self.attacker.half_points(self.terrain, "attack")[:, None]
        enemy = self.defender.half_points(self.terrain, "defend")[None, :]
        own, enemy = own + 0 * enemy, enemy + 0 * own
        if self.terrain in PIKES_STOP_CAVALRY:
            pikes = self.defender.alive(lambda unit: unit.kind == "pikemen")
            enemy += 2 * np.minimum(self.attacker.cavalry[:, None], pikes[None, :])
        turned, turned_back = self.turned
        return own + turned, enemy + turned_back

    @cached_property
    def turned(self) -> tuple[np.ndarray, np.ndarray]:
        """Half points of both for the enemy's undead (section 2.3): shapes as `strengths`."""
        sides = (self.attacker, self.defender), (self.defender, self.attacker)
        by_own = (
            2 * army.turns_undead * (army.left.sum(1) > 0)[:, None] * enemy.undead[None, :] for army, enemy in sides
        )
        return next(by_own), next(by_own).T

    def modifiers(self) -> np.ndarray:
        """Odds modifier of the attacker less the defender's (step 1): int64, shape (attacker's, defender's hits)."""
        own, enemy = self.strengths
        more, less = np.maximum(own, enemy), np.minimum(own, enemy)
        modifiers = np.zeros_like(own)
        for strong, weak, modifier in self.options.quick_ratio:
            modifiers = np.where(more * weak >= less * strong, modifier, modifiers)
        return modifiers * np.sign(own - enemy)

    def walls(self, level: int) -> int:
        """The defender's bonus for a fortification of this level."""
        return int(min(self.options.fort_bonus_max, self.options.fort_bonus_per_level * level))

    def check(self, book: TableBook) -> Check:
        """The numbers of the check."""
        net = self.attacker.warcraft - self.defender.warcraft + self.modifiers()
        zero = int(self.options.fort_bonus_max - net.min())
        tables = [book.add(self.chances(advantage - zero)) for advantage in range(int(net.max()) + zero + 1)]
        rows = np.array(self.options.quick_result, np.int64)
        _, winner_loss, loser_loss, rout, pursuit = np.ascontiguousarray(rows.T)
        return Check(
            net=net,
            tables=np.array(tables, np.int64),
            winner_loss=winner_loss,
            loser_loss=loser_loss,
            rout=rout,
            pursuit=pursuit * self.pursues,
            attacker_cavalry=self.attacker.cavalry,
            defender_cavalry=self.defender.cavalry,
            attacker_steps=self.attacker.steps,
            defender_steps=self.defender.steps,
            zero=zero,
        )

    def chances(self, advantage: int) -> Weights:
        """Results of a check, one d20 against the other, with this advantage of the attacker."""
        ways: Counter[int] = Counter()
        for ahead in range(-19, 20):
            ways[self.result(ahead + advantage)] += 20 - abs(ahead)
        return ways

    def result(self, margin: int) -> int:
        """4 x row of quick_result + side ahead, for a margin (step 3)."""
        row = sum(abs(margin) >= line[0] for line in self.options.quick_result) - 1
        ahead = rules.ATTACKER_AHEAD if margin > 0 else rules.DEFENDER_AHEAD if margin < 0 else rules.NEITHER
        return 4 * row + ahead


def army_of(fields: model.QuickBattle | model.Siege, name: str, least: int = 1) -> Army:
    """One side of a scenario. Raises Refusal."""
    side = getattr(fields, name)
    entries = army(side.units, f"{name}.units", MOST_UNITS, least, fields.options.gold)
    units = sum(entry.count for entry in entries)
    points = side.leader_points + sum(hero_points(hero, units) for hero in side.heroes)
    return Army(entries, side.warcraft, points, getattr(fields.policy, name).losses, side.turn_undead)


def hero_points(hero: model.Hero, units: int) -> int:
    """Points of a hero of an army of so many units at the start (section 2.3)."""
    by_level = {"warrior": hero.level, "rogue": hero.level // 4, "mage": hero.level // 6, "priest": 0}[hero.kind]
    return by_level + 5 * hero.strategy + units * hero.battlewise


def matchup(fields: model.QuickBattle) -> Matchup:
    """Both sides of a quick battle."""
    return Matchup(army_of(fields, "attacker"), army_of(fields, "defender"), fields.conditions.terrain, fields.options)


def quick_chain(fields: model.QuickBattle, battle: Matchup, tell: Callable[..., str] | None = None) -> Chain:
    """The chain of checks."""
    book = TableBook()
    own, enemy = (retreat_policy(getattr(fields.policy, name).retreat, getattr(battle, name).steps) for name in SIDES)
    params = QuickParams(
        battle.check(book),
        *battle.strengths,
        attacker_leaves=own,
        defender_leaves=enemy,
        attacker_best=int(fields.policy.attacker.retreat == "best"),
        defender_best=int(fields.policy.defender.retreat == "best"),
        walls=battle.walls(fields.conditions.fortification),
        fight_on=int(fields.options.mode == "fight-on"),
        max_turns=fields.options.max_turns,
    )
    best = params.attacker_best + params.defender_best > 0
    asked = (rules.DEFENDER_ASKED, rules.DEFENDER_AHEAD) if best else (0, 0)
    lost = params.check.attacker_steps, params.check.defender_steps
    limits = QuickState(*lost, params.max_turns, rules.NOBODY_WON, 1, *asked)
    return Chain(params, QuickState(0, 0, 0, 0, 0, 0, 0), limits, book.close(), tell=tell)


@dataclass(frozen=True)
class Siege:
    """A siege scenario and its three armies."""

    fields: model.Siege
    besieger: Army
    garrison: Army
    relief: Army

    @property
    def level(self) -> int:
        """The level at the start."""
        return int(self.fields.conditions.fortification + self.fields.conditions.allied_fortification)

    @cached_property
    def ratings(self) -> np.ndarray:
        """The besieger's rating: int64, shape (steps lost,)."""
        # Without terrain and leader.
        base = self.besieger.by_steps_left([2 * unit.strength for unit in self.besieger.units])
        given = self.fields.attacker.rating
        return given * base // base[0] if given else self.fields.options.rating_per_strength * base // 2

    def row(self, rating: int) -> tuple[int, int]:
        """Level that can be invested with a rating, and levels removed a season; a rating of 0 invests nothing."""
        table = self.fields.options.siege_table
        if self.fields.options.rating_reading == "below":
            fitting = [line for line in table if rating < line[0]][:1] or table[-1:]
        else:
            fitting = [line for line in table if line[0] <= rating][-1:]
        if rating == 0 or not fitting:
            return 0, 0
        return fitting[0][1], fitting[0][2]

    @cached_property
    def relief_battle(self) -> Matchup:
        """The relief army against the besieger."""
        fields = self.fields
        return Matchup(self.relief, self.besieger, fields.conditions.terrain, fields.options, ("relief", "besieger"))

    @cached_property
    def storm(self) -> Matchup:
        """The besieger against the garrison; no cavalry pursues over walls."""
        names, fields = ("besieger", "garrison"), self.fields
        return Matchup(self.besieger, self.garrison, fields.conditions.terrain, fields.options, names, pursues=False)

    def chain(self, tell: Callable[..., str] | None = None) -> Chain:
        """The chain of seasons."""
        fields, book, conditions = self.fields, TableBook(), self.fields.conditions
        rows = np.array([self.row(int(rating)) for rating in self.ratings], np.int64)
        on = conditions.relief_on
        params = SiegeParams(
            self.relief_battle.check(book),
            self.storm.check(book),
            reach=rows[:, 0].copy(),
            removed=rows[:, 1].copy(),
            walls=np.array([self.storm.walls(level) for level in range(self.level + 1)], np.int64),
            arrival=book.add({0: on - 1, 1: 21 - on}) if on else NO_TABLE,
            plan=rules.PLANS.index(fields.policy.attacker.siege),
            storm_level=fields.options.storm_level,
            seasons=conditions.seasons,
        )
        start = rules.begin_season(params, SiegeState(0, self.level, 0, 0, 0, 0, rules.FALL, 0, 0))
        lost = self.besieger.steps, self.garrison.steps, self.relief.steps
        limits = SiegeState(
            conditions.seasons, self.level, *lost, rules.DRIVEN_OFF, rules.CHOICE, rules.NOBODY_WON, conditions.seasons
        )
        return Chain(params, start, limits, book.close(), counters=("storms",), tell=tell, may_be_over=True)


def siege_of(fields: model.Siege) -> Siege:
    """The armies of a siege."""
    conditions = fields.conditions
    coming = army(conditions.relief_units, "conditions.relief_units", MOST_UNITS, 1 if conditions.relief_on else 0)
    relief = Army(coming, conditions.relief_warcraft)
    return Siege(fields, army_of(fields, "attacker"), army_of(fields, "defender", 0), relief)
