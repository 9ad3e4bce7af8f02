"""Everything about a land battle that is known before the first roll (docs/rules/europa_land_siege.md section 3.2)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from simulator.rules.europa.land_modifiers import leader_modifier, side_modifiers
from simulator.rules.europa.leaders import advantage, is_fragile
from simulator.rules.europa.modifiers import Modifier, total
from simulator.rules.europa.stacks import EIGHT_LD, LD, SIDES, Stack, army_size, size_step, stack_of
from simulator.rules.europa.tables import Book, book

OVERRUN, OVERRUN_WITHOUT_BATTLE = 4, 8


class Pair(NamedTuple):
    """What the two leaders' values come to: advantages in Fire, difference in Shock, manoeuvre and fragility."""

    fire: tuple[int, int]
    shock: int
    manoeuvre: tuple[int, int]
    fragile: tuple[bool, bool]


@dataclass(frozen=True)
class Meeting:
    """Two stacks about to fight."""

    fields: Any
    book: Book
    stacks: tuple[Stack, Stack]

    @cached_property
    def modifiers(self) -> tuple[list[Modifier], list[Modifier]]:
        """Die roll modifiers of each side, the leaders' advantage apart."""
        a, d = self.stacks
        return side_modifiers(self.fields, a, d), side_modifiers(self.fields, d, a)

    @cached_property
    def steps(self) -> tuple[int, int]:
        """Size step of each side."""
        sizes = [army_size(getattr(self.fields, side), self.fields.conditions.period, self.book) for side in SIDES]
        return size_step(*sizes), -size_step(*sizes)

    @property
    def europe(self) -> bool:
        """In Europe, or in the rest of the world?"""
        return bool(self.fields.conditions.region == "europe")

    def dice(self, side: int) -> int:
        """Dice per roll: a non-European stack of more than 8 LD rolls one for each 8 LD begun."""
        size = self.stacks[side].size
        return -(-size // EIGHT_LD) if is_non_european(self.fields, side) and size > EIGHT_LD else 1

    def group(self, side: int) -> int:
        """Thirds that the last die stands for; of one die, the whole stack."""
        return self.stacks[side].size - EIGHT_LD * (self.dice(side) - 1)

    def columns(self, side: int) -> tuple[str, str]:
        """Fire ("" for none) and Shock columns: renaissance without ARMY does not fire in Europe."""
        stack = self.stacks[side]
        silent = stack.technology == "renaissance" and not stack.has_army and self.europe
        return "" if silent else stack.fire_column, stack.shock_column

    def leader_modifiers(self, pair: Pair) -> tuple[Modifier, Modifier]:
        """The advantage of each leader."""
        cap = self.fields.options.leader_differential_cap
        a, d = self.stacks
        return (
            leader_modifier(a, pair.fire[0], pair.shock, cap),
            leader_modifier(d, pair.fire[1], -pair.shock, cap),
        )

    def drm(self, side: int, day: int, pair: Pair) -> tuple[int, int]:
        """Fire and Shock modifiers of a day, failed attempts to break off apart."""
        return total([*self.modifiers[side], self.leader_modifiers(pair)[side]], day)

    def pursuit_drm(self, side: int, pair: Pair) -> int:
        """Pursuit modifiers, those for when the fighting ended apart."""
        leader = self.leader_modifiers(pair)[side]
        return sum(modifier.pursuit for modifier in [*self.modifiers[side], leader])

    def tested(self, side: int) -> bool:
        """Is this side's leader tested? In Europe not if the enemy began with under 3 LD (section 3.5 step 11)."""
        small = self.europe and self.stacks[1 - side].size < 3 * LD
        return self.stacks[side].leader.present and not small

    @cached_property
    def overrun(self) -> int:
        """The side that overruns the enemy without a battle, or -1."""
        for side, name in enumerate(SIDES):
            own, enemy = self.stacks[side].size, self.stacks[1 - side].size
            if getattr(self.fields.policy, name).overrun == "declare" and own >= OVERRUN_WITHOUT_BATTLE * enemy:
                return side
        return -1

    def values(self, side: int) -> Counter[tuple[int, int, int, bool]]:
        """(manoeuvre, fire, shock, fragile) of a side's leader, with weights when it is drawn."""
        stack = self.stacks[side]
        if stack.leader.drawn:
            return Counter((man, fire, shock, is_fragile(fire, shock)) for man, fire, shock in stack.replacements)
        leader = stack.leader
        return Counter([(leader.manoeuvre, leader.fire, leader.shock, leader.fragile)])

    @cached_property
    def pairs(self) -> Counter[Pair]:
        """All pairs of leaders that may meet, with weights; equal ones are one."""
        cap = self.fields.options.leader_differential_cap
        found: Counter[Pair] = Counter()
        for own, own_weight in self.values(0).items():
            for enemy, enemy_weight in self.values(1).items():
                fire = advantage(own[1], enemy[1], cap), advantage(enemy[1], own[1], cap)
                pair = Pair(fire, own[2] - enemy[2], (own[0], enemy[0]), (own[3], enemy[3]))
                found[pair] += own_weight * enemy_weight
        return found


def is_non_european(fields: Any, side: int) -> bool:
    """A ROTW country or natives (section 2.1)."""
    given = getattr(fields, SIDES[side])
    if given.non_european is not None:
        return bool(given.non_european)
    return bool(given.country == "natives")


def meeting(fields: Any) -> Meeting:
    """The two sides of a land battle. Raises Refusal for leaders and tables that are wrong."""
    tables = book(fields.options.tables)
    needs_army = fields.options.tercios_require_army
    attacker, defender = (stack_of(fields, side, tables, needs_army) for side in SIDES)
    return Meeting(fields, tables, (attacker, defender))
