"""Armies of the quick check: their strength, and the order of their losses (docs/rules/birthright.md section 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.rules.birthright import model
from simulator.rules.birthright.units import Entry, Unit, army, gold_of, terrain_values

MOST_UNITS = 60


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

    @cached_property
    def steps(self) -> int:
        """Steps at full strength."""
        return len(self.left) - 1

    def alive(self, fits: Callable[[Unit], bool] = lambda unit: True) -> np.ndarray:
        """Units with a step left, of those that fit: int64, shape (hits taken,)."""
        return (self.left > 0) @ np.array([fits(unit) for unit in self.units], np.int64)

    @cached_property
    def units_left(self) -> np.ndarray:
        """All units alive: int64, shape (hits taken,)."""
        return self.alive()

    @cached_property
    def cavalry(self) -> np.ndarray:
        """Cavalry alive: int64, shape (hits taken,)."""
        return self.alive(lambda unit: unit.type == "cavalry")

    @cached_property
    def undead(self) -> np.ndarray:
        """Undead units alive: int64, shape (hits taken,)."""
        return self.alive(lambda unit: unit.undead)

    @property
    def gold(self) -> int:
        """Price of all units at the start."""
        return gold_of(self.entries)

    @cached_property
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


def army_of(fields: model.QuickBattle | model.Siege, name: str, least: int = 1) -> Army:
    """One side of a scenario. Raises Refusal."""
    side = getattr(fields, name)
    entries = army(side.units, f"{name}.units", MOST_UNITS, least, fields.options.gold)
    units = sum(entry.count for entry in entries)
    points = side.leader_points + sum(hero_points(hero, units) for hero in side.heroes)
    return Army(entries, side.warcraft, points, getattr(fields.policy, name).losses, side.turn_undead)


def hero_points(hero: model.Hero, units: int) -> int:
    """Points of a hero of an army of this many units at the start (section 2.3)."""
    by_level = {"warrior": hero.level, "rogue": hero.level // 4, "mage": hero.level // 6, "priest": 0}[hero.kind]
    return by_level + 5 * hero.strategy + units * hero.battlewise
