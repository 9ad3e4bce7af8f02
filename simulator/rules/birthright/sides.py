"""Both sides of a battle unit against unit in their order of battle, and the numbers that a scenario gives them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, prod
from typing import Any, NamedTuple

from simulator.engine.model.chain import SIDES
from simulator.rules.birthright.model import Fight
from simulator.rules.birthright.units import (
    LOWEST,
    LOWEST_ON_WALLS,
    ROLES,
    Entry,
    Unit,
    army,
    gold_of,
    number_rows,
    retreat_policy,
)
from simulator.rules.toolkit.retreat import Leave

MOST_UNITS = 12
CHARGING_GROUND = {"plains", "hills"}
DEPLOY: dict[str, Callable[[Entry], int]] = {
    "as-listed": lambda entry: 0,
    "strongest-first": lambda entry: -entry.unit.strength,
    "weakest-first": lambda entry: entry.unit.strength,
    "missile-first": lambda entry: -(entry.unit.missile[0] if entry.unit.missile else 0),
}


class Digit(NamedTuple):
    """A digit of `FieldState.destroyed`: its stride, the units of some entries that it counts, and their price."""

    stride: int
    units: int
    entries: frozenset[int]
    price: int

    def of(self, destroyed: Any) -> Any:
        """The digit of these numbers (int64)."""
        return destroyed // self.stride % (self.units + 1)


@dataclass(frozen=True)
class Side:
    """A side in its order of battle; `best`: it leaves as well as possible.

    `digits` count its units destroyed in the fight `by` entry, by price, or all together. `catch` is what a unit caught
    in the pursuit adds to `FieldState.destroyed`: all together it counts as destroyed.
    """

    number: int
    entries: list[Entry]
    leave: Leave
    best: bool
    pursues: bool
    by: str
    digits: Sequence[Digit]
    catch: int

    @property
    def weights(self) -> list[int]:
        """Amount that a destroyed unit of each entry adds to `FieldState.destroyed`."""
        return [sum(digit.stride for digit in self.digits if i in digit.entries) for i in range(len(self.entries))]

    def destroyed(self, number: Any) -> Any:
        """Units destroyed in the fight, by `FieldState.destroyed` (int64); all together also those caught."""
        return sum(digit.of(number) for digit in self.digits)

    def caught(self, number: Any) -> Any:
        """Units of the loser caught in the pursuit, of this side or the other; 0 if they count as destroyed."""
        return 0 * number if self.by == "all" else number // self.catch

    def gold_destroyed(self, number: Any) -> Any:
        """Price of the units destroyed in the fight; by price or by entry."""
        return sum(digit.price * digit.of(number) for digit in self.digits)

    @property
    def gold(self) -> int:
        """Price of all units at the start."""
        return gold_of(self.entries)

    @cached_property
    def units(self) -> list[tuple[int, Unit]]:
        """The single units from the front, each with the number of its entry."""
        return [(i, entry.unit) for i, entry in enumerate(self.entries) for _ in range(entry.count)]

    def hunts(self, unit: Unit) -> bool:
        """Does this unit pursue?"""
        return self.pursues and unit.type == "cavalry"

    @property
    def hunters(self) -> int:
        """Units that could pursue at the start."""
        return sum(self.hunts(unit) for _, unit in self.units)

    @cached_property
    def rest_positions(self) -> dict[tuple[int, int], int]:
        """Numbers, from 1, of (entry, hits) of resting units, in the order in which they come up again."""
        positions = ((i, hits) for i, entry in enumerate(self.entries) for hits in range(entry.unit.steps))
        return {position: number for number, position in enumerate(positions, 1)}

    def halves(self) -> tuple[range, range]:
        """Entries of the first and the second half, cut where the half with more ways to rest has the fewest."""
        ways = [comb(entry.count + entry.unit.steps, entry.count) for entry in self.entries]
        cut = min(range(len(ways) + 1), key=lambda at: max(prod(ways[:at]), prod(ways[at:])))
        return range(cut), range(cut, len(ways))


def edges(fields: Fight) -> tuple[int, int]:
    """Command edges of both sides (section 3.2, step 1)."""
    ahead = fields.attacker.warcraft - fields.defender.warcraft
    edge = min(fields.options.warcraft_max, abs(ahead) // fields.options.warcraft_step)
    return (edge, 0) if ahead > 0 else (0, edge)


def cover(fields: Fight) -> int:
    """Cover of defending units: the position, or the walls (section 3.2, step 2)."""
    if fields.battle == "tactical":
        return fields.conditions.defender_position
    column = 2 if fields.options.walls == "first-five" else 1
    level = fields.conditions.fortification
    given = fields.options.fort_defence
    return given[level - 1][1] if given else number_rows("fort_defence")[level - 1][column]


def lowest_column(fields: Fight) -> int:
    """The lowest column of attacks on defending units (section 3.2, step 2)."""
    if fields.battle == "tactical" or fields.options.walls == "first-five":
        return LOWEST
    return LOWEST_ON_WALLS


def terrain_felt(fields: Fight) -> str:
    """The terrain whose modifiers count in the fight; plains where none do."""
    if fields.battle == "storm" or fields.options.terrain_effects == "charges-only":
        return "plains"
    return fields.conditions.terrain


def on_field(fields: Fight, side: int, unit: Unit) -> Unit:
    """The card as it fights on this side: magic, terrain and inspiration included (sections 2.3 and 3.2, step 2)."""
    return unit.on_field(terrain_felt(fields), ROLES[side], getattr(fields, SIDES[side]).inspire)


def line_up(fields: Fight, side: int) -> list[Entry]:
    """The entries of a side in order of battle, as they fight. Raises Refusal."""
    name = SIDES[side]
    entries = army(getattr(fields, name).units, f"{name}.units", MOST_UNITS, priced=fields.options.gold)
    entries.sort(key=DEPLOY[getattr(fields.policy, name).deploy])
    return [replace(entry, unit=on_field(fields, side, entry.unit)) for entry in entries]


def sides_of(fields: Fight, by_entry: Sequence[int] = ()) -> tuple[Side, Side]:
    """Both sides in order of battle.

    Destroyed units are counted all together or by price, or by entry of the sides `by_entry` alone. Raises Refusal.
    """
    lines = [line_up(fields, side) for side in (0, 1)]
    by = "entry" if by_entry else "price" if fields.options.gold else "all"
    pursues = fields.battle == "tactical" and fields.options.pursuit == "cavalry"
    found, stride = [], 1
    for side, entries in enumerate(lines):
        digits = []
        for alike in _alike(entries, by) if not by_entry or side in by_entry else ():
            counted, price = sum(entries[i].count for i in alike), entries[min(alike)].unit.price
            digits.append(Digit(stride, counted, alike, price))
            stride *= counted + 1
        found.append(digits)
    sides = []
    for side, (entries, digits) in enumerate(zip(lines, found, strict=True)):
        policy = getattr(fields.policy, SIDES[side]).retreat
        leave = retreat_policy(policy, sum(entry.count for entry in entries))
        catch = 0 if not digits else digits[0].stride if by == "all" else stride
        sides.append(Side(side, entries, leave, policy == "best", pursues, by, digits, catch))
    return sides[0], sides[1]


def _alike(entries: Sequence[Entry], by: str) -> list[frozenset[int]]:
    """The entries whose units are counted together."""
    keys = {"all": [0] * len(entries), "price": [entry.unit.price for entry in entries]}.get(by, range(len(entries)))
    return [frozenset(i for i, own in enumerate(keys) if own == key) for key in dict.fromkeys(keys)]
