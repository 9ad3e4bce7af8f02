"""Armies and chances of the quick check, before the first roll (docs/rules/birthright.md section 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulator.engine.model.chain import Chain
from simulator.engine.model.chance import TableBook, Weights
from simulator.rules.birthright.checks.rules import (
    ATTACKER_AHEAD,
    DEFENDER_AHEAD,
    NEITHER,
    NOBODY_WON,
    Check,
    QuickParams,
    QuickState,
)
from simulator.rules.birthright.model import CheckOptions, QuickBattle, Siege
from simulator.rules.birthright.units import Entry, Unit, army, in_order, retreat_policy, terrain_values
from simulator.rules.toolkit.naming import SIDES

MOST_UNITS = 60
PIKES_STOP_CAVALRY = {"plains", "hills", "mountain"}


@dataclass(frozen=True)
class Army:
    """An army of the quick check; `losses` is the order in which its units take hits."""

    entries: list[Entry]
    warcraft: int = 0
    leader_points: int = 0
    losses: str = "weakest-first"

    @cached_property
    def units(self) -> list[Unit]:
        """The single units in the order in which they take hits."""
        as_listed = self.losses == "as-listed"
        entries = in_order(self.entries, lambda unit: 0 if as_listed else unit.strength)
        return [entry.unit for entry in entries for _ in range(entry.count)]

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

    @property
    def alive(self) -> np.ndarray:
        """Units with a step left, by hits taken."""
        return (self.left > 0).sum(1)

    def _alive_where(self, chosen: Sequence[bool]) -> np.ndarray:
        return (self.left > 0) @ np.array(chosen, np.int64)

    @property
    def cavalry(self) -> np.ndarray:
        """Cavalry alive, by hits taken."""
        return self._alive_where([unit.type == "cavalry" for unit in self.units])

    @property
    def pikes(self) -> np.ndarray:
        """Pikemen alive, by hits taken."""
        return self._alive_where([unit.kind == "pikemen" for unit in self.units])

    def unit_values(self, terrain: str, role: str) -> list[int]:
        """Half points of each unit at full steps."""
        modifiers = [terrain_values()[unit.kind, terrain, role] for unit in self.units]
        pairs = zip(self.units, modifiers, strict=True)
        return [0 if twice is None else max(0, 2 * unit.strength + twice) for unit, twice in pairs]

    def half_points(self, terrain: str, role: str) -> np.ndarray:
        """Strength in half points with the leader, without pikes, by hits taken."""
        return self._by_steps_left(self.unit_values(terrain, role)) + 2 * self.leader_points * (self.left.sum(1) > 0)

    def plain_half_points(self) -> np.ndarray:
        """Strength in half points without terrain and leader, by hits taken: the base of a siege's rating."""
        return self._by_steps_left([2 * unit.strength for unit in self.units])

    def _by_steps_left(self, values: Sequence[int]) -> np.ndarray:
        steps = np.array([unit.steps for unit in self.units], np.int64)
        total: np.ndarray = (np.array(values, np.int64) * self.left // steps).sum(1)
        return total


@dataclass(frozen=True)
class Matchup:
    """An attacking army against a defending one; `pursues`: does the cavalry of the side ahead pursue a rout?"""

    attacker: Army
    defender: Army
    terrain: str
    options: CheckOptions
    names: tuple[str, str] = ("attacker", "defender")
    pursues: bool = True

    @cached_property
    def strengths(self) -> tuple[np.ndarray, np.ndarray]:
        """Half points of both, int64, shape (attacker's hits, defender's hits)."""
        own = self.attacker.half_points(self.terrain, "attack")[:, None]
        enemy = self.defender.half_points(self.terrain, "defend")[None, :]
        own, enemy = own + 0 * enemy, enemy + 0 * own
        if self.terrain in PIKES_STOP_CAVALRY:
            enemy += 2 * np.minimum(self.attacker.cavalry[:, None], self.defender.pikes[None, :])
        return own, enemy

    def modifiers(self) -> np.ndarray:
        """Odds modifier of the attacker less the defender's, by hits of both (step 1)."""
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
        ahead = ATTACKER_AHEAD if margin > 0 else DEFENDER_AHEAD if margin < 0 else NEITHER
        return 4 * row + ahead


def army_of(fields: QuickBattle | Siege, name: str, least: int = 1) -> Army:
    """One side of a scenario."""
    side = getattr(fields, name)
    entries = army(side.units, f"{name}.units", MOST_UNITS, least)
    return Army(entries, side.warcraft, side.leader_points, getattr(fields.policy, name).losses)


def matchup(fields: QuickBattle) -> Matchup:
    """Both sides of a quick battle."""
    return Matchup(army_of(fields, "attacker"), army_of(fields, "defender"), fields.conditions.terrain, fields.options)


def quick_chain(fields: QuickBattle, battle: Matchup, tell: Callable[..., str] | None = None) -> Chain:
    """The chain of checks."""
    book = TableBook()
    own, enemy = (retreat_policy(getattr(fields.policy, name).retreat, getattr(battle, name).steps) for name in SIDES)
    params = QuickParams(
        battle.check(book),
        *battle.strengths,
        attacker_leaves=own,
        defender_leaves=enemy,
        walls=battle.walls(fields.conditions.fortification),
        fight_on=int(fields.options.mode == "fight-on"),
        max_turns=fields.options.max_turns,
    )
    limits = QuickState(params.check.attacker_steps, params.check.defender_steps, params.max_turns, NOBODY_WON, 1)
    return Chain(params, QuickState(0, 0, 0, 0, 0), limits, book.close(), tell=tell)
