"""What can become of one side: its conditions, and the rules that lead from one to the next.

A side's *condition* says all there is to know of it: what is left, its items, the marks of the round. Nothing here asks
about the enemy: a hit is a hit, wherever it comes from. So `catalogue` lists what each side can come to before the
first roll, and a battle is a walk over pairs of numbers (`rules`). docs/rules/kings_and_things.md sections 3.3 and 5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from simulator.rules.kings_and_things.sides import MAGIC, MELEE, RANGED, UNROLLED, Role, Slot

STACK = 10
NOBODY = -1
OWN_SAVE, TALISMAN_SAVE, FIREWALL_DIE = 1, 2, 3
LOST, SAVED = 0, 1


class Held:
    """Items in play: bits."""

    TALISMAN, BOW, SWORD, CHARM, DUST = (1 << bit for bit in range(5))


class Condition(NamedTuple):
    """One side at one moment.

    `left` counts the counters of each slot in the hex, or tells a structure's level; `fled` those that got away (empty
    while the side stays); `items` are bits (Held). Marks of the round: who holds `sword` and `bow`, `used`: the
    Sword Master's own save, `aloft`: the Balloon was up when this step began, `shot`: it was in the ranged step. Marks
    of the step: `struck` lists slots of counters hit and saved; `die` is what is rolled now, for slot `victim`.
    """

    left: tuple[int, ...]
    items: int = 0
    fled: tuple[int, ...] = ()
    sword: int = NOBODY
    bow: int = NOBODY
    used: bool = False
    aloft: bool = False
    shot: bool = False
    struck: tuple[int, ...] = ()
    victim: int = NOBODY
    die: int = 0


def less(left: tuple[int, ...], slot: int, number: int = 1) -> tuple[int, ...]:
    """The same with so many fewer of a slot."""
    return (*left[:slot], left[slot] - number, *left[slot + 1 :])


@dataclass(frozen=True)
class Army:
    """A side's slots in loss order and how its owner decides about losses.

    `keeps` is the policy keep-next-step-fighters, with `walls_last` structures behind all others in it; `brittle`: any
    hit removes the Firewall; `hex_room`: how many people the retreat hex takes.
    """

    name: str
    slots: tuple[Slot, ...]
    cloud: int = 0
    keeps: bool = False
    walls_last: bool = False
    screens: bool = False
    spends: bool = False
    brittle: bool = False
    hex_room: int = STACK

    @cached_property
    def weakest(self) -> list[int]:
        """Slots from the weakest on."""
        return sorted(range(len(self.slots)), key=lambda n: (self.slots[n].strength, self.slots[n].ties))

    @cached_property
    def _walls(self) -> list[bool]:
        return [bool(slot.role & Role.STRUCTURE) for slot in self.slots]

    def _slot(self, role: int) -> int:
        return next((n for n, slot in enumerate(self.slots) if slot.role & role), NOBODY)

    @cached_property
    def _master(self) -> int:
        return self._slot(Role.SWORD_MASTER)

    @cached_property
    def golem(self) -> int:
        """The Golem's slot."""
        return self._slot(Role.GOLEM)

    @cached_property
    def balloon(self) -> int:
        """The Balloon's slot."""
        return self._slot(Role.BALLOON)

    def steady(self, items: int) -> bool:
        """Are a hit's effects the same in every step, and no marks ever made?"""
        marking = any(slot.role & (Role.GOLEM | Role.BALLOON | Role.SWORD_MASTER) for slot in self.slots)
        return not (marking or self.keeps or items & (Held.TALISMAN | Held.BOW | Held.SWORD))

    def value(self, slot: int, bonus: int = 0) -> int:
        """Effective value of a counter: +1 with Sword or Bow, -1 under the Black Cloud, never below 0."""
        return max(0, self.slots[slot].value + bonus - self.cloud)

    # --- losses (section 3.3)

    def _fights(self, c: Condition, slot: int) -> int:
        """The step in which the counters of a slot fight this round; 3 = none."""
        if slot in (c.sword, c.bow):
            return MELEE if slot == c.sword else RANGED
        if self.slots[slot].role & Role.PASSENGER and (c.aloft or c.shot):
            return RANGED if c.aloft else 3
        return self.slots[slot].home

    def _turn(self, c: Condition, slot: int, step: int) -> int:
        """With keep-next-step-fighters: when a slot is lost; within a turn the order of the slots holds."""
        if self._walls[slot]:
            return 3 if self.walls_last else 0
        rolls_later = step < self._fights(c, slot) < 3 and self.value(slot, int(slot in (c.sword, c.bow))) > 0
        return 2 if rolls_later else 1

    def order(self, c: Condition, step: int) -> Sequence[int]:
        """Slots in the order in which they are lost in this step."""
        slots = range(len(self.slots))
        return sorted(slots, key=lambda slot: self._turn(c, slot, step)) if self.keeps else slots

    def hit(self, c: Condition, step: int) -> Condition:
        """One hit: a screening Sword Master takes it, an item is given up, or it goes down the loss order."""
        master = self._master
        if self.screens and master != NOBODY and c.left[master] and not c.used and master not in c.struck:
            return self._strike(c, master)
        if self.spends and c.items & Held.BOW:
            return c._replace(items=c.items & ~Held.BOW, bow=NOBODY)
        if self.spends and c.items & Held.SWORD:
            return c._replace(items=c.items & ~Held.SWORD, sword=NOBODY)
        for slot in self.order(c, step):
            left = c.left[slot]
            if left and self._walls[slot]:
                return c._replace(left=less(c.left, slot, left if self._brittle(slot) else 1))
            if left > c.struck.count(slot) and not (slot == self.golem and step == RANGED):
                return self._strike(c, slot)
        return self._second_hit(c, step)

    def _brittle(self, slot: int) -> bool:
        return self.brittle and bool(self.slots[slot].role & Role.FIREWALL)

    def _second_hit(self, c: Condition, step: int) -> Condition:
        """Everybody was struck: those that were saved die of one more each, without a roll. Further hits are void."""
        for slot in self.order(c, step):
            if slot in c.struck:
                at = c.struck.index(slot)
                return self._killed(c._replace(struck=c.struck[:at] + c.struck[at + 1 :]), slot)
        return c

    def aimed_hit(self, c: Condition) -> Condition:
        """A Marksman's hit on the last counter of the weakest-first order; unchanged if there is none."""
        for slot in reversed(self.weakest):
            if c.left[slot] and not self._walls[slot] and slot != self.golem:
                return self._strike(c, slot)
        return c

    def _strike(self, c: Condition, slot: int) -> Condition:
        """One hit on a counter: it dies, or a die is rolled for it, its own before the Talisman's, never both."""
        if slot == self._master and not c.used:
            return c._replace(used=True, victim=slot, die=OWN_SAVE)
        if self.slots[slot].role & Role.PEOPLE and c.items & Held.TALISMAN:
            return c._replace(victim=slot, die=TALISMAN_SAVE)
        return self._killed(c, slot)

    def _killed(self, c: Condition, slot: int) -> Condition:
        """One counter less; an item whose holder dies lies idle until the next round."""
        sword, bow = (NOBODY if holder == slot else holder for holder in (c.sword, c.bow))
        return c._replace(left=less(c.left, slot), sword=sword, bow=bow)

    def fates(self, c: Condition) -> dict[int, Condition]:
        """What follows the die that this condition waits for, by its result."""
        calm = c._replace(victim=NOBODY, die=0)
        if c.die == FIREWALL_DIE:
            return {level: calm._replace(left=less(c.left, c.victim, UNROLLED - level)) for level in range(1, 7)}
        dead = self._killed(calm, c.victim)
        if c.die == TALISMAN_SAVE:
            dead = dead._replace(items=c.items & ~Held.TALISMAN)
        return {LOST: dead, SAVED: calm._replace(struck=tuple(sorted((*c.struck, c.victim))))}

    # --- steps and rounds (sections 3.2 and 5)

    def armed(self, c: Condition) -> Condition:
        """A round begins: first the Sword, then the Bow is handed out; the magic step begins."""
        for item, name in ((Held.SWORD, "sword"), (Held.BOW, "bow")):
            if c.items & item:
                c = c._replace(**{name: self._holder(c, sword=item == Held.SWORD)})
        return self.begun(c, MAGIC)

    def _holder(self, c: Condition, sword: bool) -> int:
        """Who gains most from the item; then melee before ranged ..., higher value, special; else who is lost last."""
        able = [n for n, slot in enumerate(self.slots) if slot.role & Role.HOLDER and c.left[n] and n != c.sword]
        return max(reversed(able), key=lambda n: self._gain(n, 1 + sword), default=NOBODY)

    def _gain(self, n: int, dice: int) -> tuple[int, int, int, bool]:
        slot = self.slots[n]
        more = dice * min(6, self.value(n, 1)) - slot.dice * min(6, self.value(n))
        return more, slot.home, slot.printed, bool(slot.role & Role.SPECIAL)

    def begun(self, c: Condition, step: int) -> Condition:
        """A step begins: marks of the last one are gone; while the Balloon is up its passengers shoot."""
        aloft = self.balloon != NOBODY and c.left[self.balloon] > 0
        return c._replace(aloft=aloft, shot=c.shot or (aloft and step == RANGED), struck=())

    @staticmethod
    def rested(c: Condition) -> Condition:
        """The end of a round: all its marks are gone."""
        return Condition(c.left, c.items, c.fled)

    @staticmethod
    def ended(c: Condition) -> Condition:
        """The end of the battle: items no longer matter."""
        return Condition(c.left, 0, c.fled)

    def gone(self, c: Condition) -> Condition:
        """All people leave together; those the hex cannot take are removed, weakest first. Items go, walls stay."""
        excess = max(0, self.people(c.left) - self.hex_room)
        fled, left = [0] * len(c.left), list(c.left)
        for n in self.weakest:
            role = self.slots[n].role
            if role & Role.PEOPLE:
                lost = min(excess, left[n])
                excess, fled[n] = excess - lost, left[n] - lost
            if not role & Role.STRUCTURE or role & Role.FIREWALL:
                left[n] = 0
        return Condition(tuple(left), 0, tuple(fled))

    def people(self, left: Sequence[int]) -> int:
        """Creatures and special characters among what is left."""
        return sum(number for number, slot in zip(left, self.slots, strict=True) if slot.role & Role.PEOPLE)
