"""A campaign made ready to be fought: forces as slots, fights with their sides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simulator.rules.battle import Built
from simulator.rules.campaign.carry import Carry, Tables

OUT, STAY, UNNAMED = -1, -2, -1
HERE, AWAY, LOST = 0, 1, 2
# The winner of a fight that did not take place, beside the codes of rules/battle.py.
NONE = 3
# Columns that add up over the fights, under their own names.
TOTALS = ("rounds",)
FATES = ("attacker", "defender", "nobody", "none")

# Slots in the order in which their pieces stay or go, and how many; None: all.
Taking = tuple[list[int], int | None]


@dataclass(frozen=True)
class Ships:
    """`carried`: the force whose ships carry, how many each, the slots of ships, and those that board, in order."""

    by: int
    each: int
    ships: list[int]
    order: Sequence[list[int]]


@dataclass
class PlannedSide:
    """A side of a fight. `table`: of an unnamed side all its fields, of a force the traits of this fight.

    A fortress that is `besieged` has its number behind those of the forces.
    """

    role: str
    force: int = UNNAMED
    table: dict[str, Any] = field(default_factory=dict)
    join: np.ndarray | None = None
    stay: list[Taking] = field(default_factory=list)
    send: list[Taking] | None = None
    carried: Ships | None = None
    driven_off: int = OUT
    leave: list[Taking] = field(default_factory=list)
    leave_to: int = OUT
    best: bool = False
    min_odds: float | None = None
    min_units: float | None = None
    uses: np.ndarray = field(default_factory=lambda: np.zeros(0, bool))
    able: list[np.ndarray] = field(default_factory=list)
    besieged: bool = False

    @property
    def is_force(self) -> bool:
        """Is it a force, and neither unnamed nor a fortress?"""
        return self.force != UNNAMED and not self.besieged

    def taking_part(self, here: np.ndarray) -> np.ndarray:
        """The pieces that take part (section 3 step 3): int64, shape (rows, slots).

        `here` are those of all forces, shape (rows, forces, slots).
        """
        there = here[:, self.force] * self.uses
        if self.send is None:
            part = there - taken(there, self.stay)
        else:
            part = np.zeros_like(there)
            for slots, number in self.send:
                part += taken(there - part, [(slots, number)])
        if self.carried:
            room = here[:, self.carried.by][:, self.carried.ships].sum(axis=1) * self.carried.each
            aboard, limited = np.zeros_like(part), np.zeros(part.shape[1], bool)
            for slots in self.carried.order:
                limited[slots] = True
                for slot in slots:
                    aboard[:, slot] += (board := np.minimum(part[:, slot] - aboard[:, slot], room))
                    room = room - board
            part = np.where(limited, aboard, part)
        return part

    def can_fight(self, part: np.ndarray) -> np.ndarray:
        """Has the side a piece of each group that it needs? bool, shape (rows,)."""
        if not self.is_force:
            return np.ones(len(part), bool)
        return np.all([part[:, group].sum(axis=1) > 0 for group in self.able], axis=0)


def taken(there: np.ndarray, wanted: Sequence[Taking]) -> np.ndarray:
    """The pieces taken from those there, slot by slot: int64, shape (rows, slots)."""
    found = np.zeros_like(there)
    for slots, number in wanted:
        more = np.full(len(there), np.iinfo(np.int64).max if number is None else number)
        for slot in slots:
            one = np.minimum(there[:, slot] - found[:, slot], more)
            found[:, slot] += one
            more = more - one
    return found


@dataclass
class PlannedFight:
    """One fight: its name, kind, sides, question, and the other tables of its scenario.

    `kept`: the columns of the fight that the campaign keeps -> the name in the fight.
    """

    name: str
    kind: str
    sides: tuple[PlannedSide, PlannedSide]
    question: str | None
    data: Mapping[str, Any]
    kept: dict[str, str] = field(default_factory=dict)


@dataclass
class CampaignPlan:
    """A whole campaign. `start`: the pieces of each force, then of each fortress, int64, shape (forces and fortresses,
    slots); `traits` likewise; `us`: the forces of our side.

    `likeness`: for columns kept, a value of the type they have, for rows in which the fight does not take place.
    `simulated`: fights that are kept for more battles.
    """

    carry: Carry
    forces: list[str]
    fortresses: list[str]
    traits: list[dict[str, Any]]
    start: np.ndarray
    fights: list[PlannedFight]
    us: frozenset[int]
    derived: bool
    goal: str | None
    likeness: dict[str, Any] = field(default_factory=dict)
    simulated: dict[Any, Built] = field(default_factory=dict, repr=False)

    @property
    def names(self) -> list[str]:
        """The names of forces and fortresses."""
        return [*self.forces, *self.fortresses]

    @property
    def decides(self) -> bool:
        """Does a side decide whether to fight?"""
        return any(fight.sides[0].best for fight in self.fights)

    def words(self, number: int, pieces: np.ndarray) -> str:
        """The pieces of a force, or a fortress, in words; shape (slots,)."""
        return (self.carry if number < len(self.forces) else self.carry.fortresses).words(pieces)

    def coming(self, fight: PlannedFight, here: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """The pieces of each side that take part once reinforcements have come, and whether they can fight, by row.

        `here` are those of all forces before and, in place, after that: int64, shape (rows, forces, slots).
        """
        for side in fight.sides:
            own = here[:, side.force]
            if side.join is not None:  # marks, such as a fort's level, do not add up
                own[:] = np.where(self.carry.marks, np.maximum(own, side.join), own + side.join)
            if side.force != UNNAMED:
                self.carry.settle(own)
        part = [np.zeros_like(here[:, 0]) if side.force == UNNAMED else side.taking_part(here) for side in fight.sides]
        if fight.sides[1].besieged:
            self.carry.fortresses.begin(part[1], fight.sides[0].force)
        return part, [side.can_fight(one) for side, one in zip(fight.sides, part, strict=True)]

    def scenario(self, fight: PlannedFight, parts: Sequence[np.ndarray]) -> dict[str, Any]:
        """A fight as a scenario of its game; `parts` are the pieces of each side that take part, shape (slots,)."""
        data = dict(fight.data)
        for side, part in zip(fight.sides, parts, strict=True):
            data[side.role] = self.side_of(fight, side, part)
        if carried := self.conditions(fight, parts):
            data["conditions"] = dict(data.get("conditions", {})) | carried
        return data

    def conditions(self, fight: PlannedFight, parts: Sequence[np.ndarray]) -> dict[str, Any]:
        """The conditions that a fortress carries into a fight; `parts` as for `scenario`."""
        return self.carry.fortresses.conditions(fight.kind, parts[1]) if fight.sides[1].besieged else {}

    def side_of(self, fight: PlannedFight, side: PlannedSide, part: np.ndarray) -> Mapping[str, Any]:
        """A side of a fight with these pieces, shape (slots,), as its scenario has it."""
        if side.force == UNNAMED:
            return side.table
        return self.carry.side(fight.kind, side.role, self.tables(side), part)

    def tables(self, side: PlannedSide) -> Tables:
        """The traits of the force of a side, none for an unnamed one, and those given in the fight."""
        return ({} if side.force == UNNAMED else self.traits[side.force]), side.table

    def on_our_side(self, side: PlannedSide, other: PlannedSide) -> bool:
        """Is this side of a fight ours? One that is no force is with the enemies of the force that it fights."""
        return side.force in self.us if side.is_force else other.force not in self.us

    def camps(self, fight: PlannedFight) -> list[int]:
        """The camps of a fight's attacker and defender: 0 ours, 1 theirs; forces of one camp may fight each other."""
        return [int(not self.on_our_side(*pair)) for pair in (fight.sides, fight.sides[::-1])]
