"""Conditions of one side and the rules between them (docs/rules/kings_and_things.md sections 3.3 and 5).

The *condition* of a side is its full state: the counters left, its items, the marks of the round. The rules here do not
depend on the enemy, so `catalogue` enumerates the conditions of each side before the first roll, and the state of a
battle holds the numbers of these conditions (`rules`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from simulator.engine.model.interpreted import quicken
from simulator.rules.kings_and_things.rules import MAGIC, MELEE, RANGED
from simulator.rules.kings_and_things.sides import UNROLLED, Band, Role, Slot, loss_order

STACK = 10
NO_SLOT = -1
BEST = "best"
OWN_SAVE, TALISMAN_SAVE, FIREWALL_DIE = 1, 2, 3
LOST, SAVED = 0, 1


class Held:
    """Bits for the items in play."""

    TALISMAN, BOW, SWORD, CHARM, DUST = (1 << bit for bit in range(5))


ITEM_BITS = {"talisman": Held.TALISMAN, "magic-bow": Held.BOW, "magic-sword": Held.SWORD, "lucky-charm": Held.CHARM}


class Condition(NamedTuple):
    """The state of one side.

    `left`: counters of each slot in the hex, or the level of a structure. `fled`: counters that retreated (empty while
    the side stays). `items`: bits of Held. Marks of the round: the slots that hold `sword` and `bow`; `used`: the Sword
    Master's own save; `aloft`: the Balloon was up when this step began; `shot`: it was up in the ranged step. Marks of
    the step: `struck` lists the slots of counters hit and saved; `die` is the die to be rolled for slot `victim`.
    """

    left: tuple[int, ...]
    items: int = 0
    fled: tuple[int, ...] = ()
    sword: int = NO_SLOT
    bow: int = NO_SLOT
    used: bool = False
    aloft: bool = False
    shot: bool = False
    struck: tuple[int, ...] = ()
    victim: int = NO_SLOT
    die: int = 0


quicken(Condition)


def less(left: tuple[int, ...], slot: int, number: int = 1) -> tuple[int, ...]:
    """The counts with `number` fewer in a slot."""
    return (*left[:slot], left[slot] - number, *left[slot + 1 :])


@dataclass(frozen=True)
class Army:
    """The slots of a side in loss order, and its rules of losses."""

    band: Band

    @cached_property
    def slots(self) -> tuple[Slot, ...]:
        """All slots, first lost first."""
        return tuple(loss_order(self.band))

    def start(self, dust: bool = False) -> Condition:
        """The condition before round 1, with all counters and items; `dust`: Dust of Defense is held."""
        items = sum(bit for item, bit in ITEM_BITS.items() if item in self.band.items) | (Held.DUST if dust else 0)
        start = Condition(tuple(slot.number for slot in self.slots), items)
        if self.band.unrolled:
            start = start._replace(victim=self.slots_of(Role.FIREWALL)[0], die=FIREWALL_DIE)
        return start

    @cached_property
    def ranks(self) -> list[tuple[Any, ...]]:
        """Sort keys of the weakest-first order."""
        return [slot.rank for slot in self.slots]

    @cached_property
    def balloon(self) -> list[int]:
        """The slot of the Balloon, if there is one."""
        return self.slots_of(Role.BALLOON)

    @property
    def chooses(self) -> bool:
        """The owner chooses what each hit falls on."""
        return self.band.policy.losses == BEST

    @cached_property
    def keeps(self) -> bool:
        """The order of losses depends on the counters that still roll in this round."""
        return self.band.policy.losses == "keep-next-step-fighters"

    def slots_of(self, role: int) -> list[int]:
        """Slots of a role."""
        return [n for n, slot in enumerate(self.slots) if slot.role & role]

    def place(self, slot: Slot) -> int:
        """The slot of this side that holds a counter."""
        return next(n for n, one in enumerate(self.slots) if one == slot and slot.labels[0] in one.labels)

    def unmarked(self, items: int) -> bool:
        """No marks are ever made."""
        marking = self.slots_of(Role.GOLEM | Role.BALLOON | Role.SWORD_MASTER)
        return not (marking or items & (Held.TALISMAN | Held.BOW | Held.SWORD))

    def steady(self, items: int) -> bool:
        """A hit has the same effect in every step, and no marks are ever made."""
        return self.unmarked(items) and not self.keeps

    def value(self, slot: int, bonus: int = 0) -> int:
        """Effective value of a counter: +1 with Sword or Bow, -1 under the Black Cloud, never below 0."""
        return max(0, self.slots[slot].value + bonus - self.band.cloud)

    # --- losses (section 3.3)

    def _group(self, c: Condition, slot: int, step: int) -> int:
        """With keep-next-step-fighters: the group in which a slot is lost; within a group the loss order holds."""
        role, fights, holds = self.slots[slot].role, self.slots[slot].home, slot in (c.sword, c.bow)
        if role & Role.STRUCTURE:
            return 3 if self.band.policy.structures == "last" else 0
        if holds:
            fights = MELEE if slot == c.sword else RANGED
        elif role & Role.PASSENGER and (c.aloft or c.shot):
            fights = RANGED if c.aloft else step
        return 2 if fights > step and self.value(slot, int(holds)) else 1

    def order(self, c: Condition, step: int) -> Sequence[int]:
        """The slots in the order in which hits of a step fall on them."""
        slots = range(len(self.slots))
        return sorted(slots, key=lambda slot: self._group(c, slot, step)) if self.keeps else slots

    def hit(self, c: Condition, step: int) -> Condition:
        """One hit: a screening Sword Master takes it, an item is given up, or the next in the loss order takes it."""
        if self.band.policy.sword_master == "screen" and not c.used:
            for master in self.slots_of(Role.SWORD_MASTER):
                if c.left[master] and master not in c.struck:
                    return self._strike(c, master)
        if (spent := self._spent(c)) is not None:
            return spent
        order = self.order(c, step)
        for slot in order:
            if c.left[slot] and self._can_take(c, slot, step):
                return self._taken(c, slot)
        # All were hit: each that was saved dies of one more hit, without a roll. Further hits are void.
        for slot in order:
            if slot in c.struck:
                at = c.struck.index(slot)
                return self._killed(c._replace(struck=c.struck[:at] + c.struck[at + 1 :]), slot)
        return c

    def chosen_hits(self, c: Condition, step: int) -> list[Condition]:
        """One hit, where the owner may let it fall on any counter or structure (section 3.3 a); `c` if none is left."""
        if (spent := self._spent(c)) is not None:
            return [spent]
        return [self._taken(c, slot) for slot in range(len(self.slots)) if self._can_take(c, slot, step)] or [c]

    def _spent(self, c: Condition) -> Condition | None:
        """The condition after Bow or Sword is given up to a hit; None if the policy keeps them, or none is left."""
        if self.band.policy.item_hits == "spend":
            for item, name in ((Held.BOW, "bow"), (Held.SWORD, "sword")):
                if c.items & item:
                    given_up: dict[str, Any] = {name: NO_SLOT}
                    return c._replace(items=c.items & ~item, **given_up)
        return None

    def _can_take(self, c: Condition, slot: int, step: int) -> bool:
        """A slot has a counter that was not hit in this step, or a level."""
        return c.left[slot] > c.struck.count(slot) and not (self.slots[slot].role & Role.GOLEM and step == RANGED)

    def _taken(self, c: Condition, slot: int) -> Condition:
        """One hit on a slot: a structure falls one level (a brittle Firewall is gone), a counter is struck."""
        left, role = c.left[slot], self.slots[slot].role
        if role & Role.STRUCTURE:
            return c._replace(left=less(c.left, slot, left if self.band.brittle and role & Role.FIREWALL else 1))
        return self._strike(c, slot)

    def aimed_hit(self, c: Condition) -> Condition:
        """A Marksman's hit on the last counter of the weakest-first order; unchanged if there is none.

        Of equals the holders of Bow and Sword come last, else names decide (section 4).
        """
        able = [n for n, slot in enumerate(self.slots) if c.left[n] and not slot.role & (Role.STRUCTURE | Role.GOLEM)]
        if not able:
            return c
        last = max(reversed(able), key=lambda n: (*self.ranks[n][:-1], n == c.sword, n == c.bow, self.ranks[n][-1]))
        return self._strike(c, last)

    def _strike(self, c: Condition, slot: int) -> Condition:
        """One hit on a counter: it dies, or one die is rolled for it, its own save before the Talisman's."""
        role = self.slots[slot].role
        if role & Role.SWORD_MASTER and not c.used:
            return c._replace(used=True, victim=slot, die=OWN_SAVE)
        if role & Role.PEOPLE and c.items & Held.TALISMAN:
            return c._replace(victim=slot, die=TALISMAN_SAVE)
        return self._killed(c, slot)

    @staticmethod
    def _killed(c: Condition, slot: int) -> Condition:
        """One counter less; the item of a dead holder lies idle until the next round."""
        sword, bow = (NO_SLOT if holder == slot else holder for holder in (c.sword, c.bow))
        return c._replace(left=less(c.left, slot), sword=sword, bow=bow)

    def fates(self, c: Condition) -> dict[int, Condition]:
        """The conditions after the die that this condition waits for, by result."""
        rolled = c._replace(victim=NO_SLOT, die=0)
        if c.die == FIREWALL_DIE:
            return {level: rolled._replace(left=less(c.left, c.victim, UNROLLED - level)) for level in range(1, 7)}
        dead = self._killed(rolled, c.victim)
        if c.die == TALISMAN_SAVE:
            dead = dead._replace(items=c.items & ~Held.TALISMAN)
        return {LOST: dead, SAVED: rolled._replace(struck=tuple(sorted((*c.struck, c.victim))))}

    # --- steps and rounds (sections 3.2 and 5)

    def armed(self, c: Condition) -> Condition:
        """A round begins: first the Sword, then the Bow is handed out; the magic step begins."""
        for item, name, dice in ((Held.SWORD, "sword", 2), (Held.BOW, "bow", 1)):
            if c.items & item:
                able = [n for n in self.slots_of(Role.HOLDER) if c.left[n] and n != c.sword]
                # Of equal gains the slot that is lost last.
                gains = {n: self._gain(n, dice) for n in reversed(able)}
                handed: dict[str, Any] = {name: max(gains, key=gains.__getitem__, default=NO_SLOT)}
                c = c._replace(**handed)
        return self.begun(c, MAGIC)

    def _gain(self, n: int, dice: int) -> tuple[int, int, int, bool]:
        """Sort key of holders: the gain in strength; ties: melee, ranged, magic; higher value; special character."""
        slot = self.slots[n]
        more = dice * min(6, self.value(n, 1)) - slot.dice * min(6, self.value(n))
        return more, slot.home, slot.printed, bool(slot.role & Role.SPECIAL)

    def begun(self, c: Condition, step: int) -> Condition:
        """A step begins: marks of the last step are cleared; while the Balloon is up its passengers shoot."""
        aloft = any(c.left[slot] for slot in self.balloon)
        return c._replace(aloft=aloft, shot=c.shot or (aloft and step == RANGED), struck=())

    def gone(self, c: Condition) -> Condition:
        """All people retreat; those beyond the hex's limit are removed, weakest first. Items go, structures stay."""
        fields, fled, left = self.band.fields, [0] * len(c.left), list(c.left)
        excess = max(0, self.people(c.left) + fields.retreat_hex_creatures - STACK) * (not fields.retreat_hex_citadel)
        for n in sorted(range(len(left)), key=self.ranks.__getitem__):
            role = self.slots[n].role
            if role & Role.PEOPLE:
                lost = min(excess, left[n])
                excess, fled[n] = excess - lost, left[n] - lost
            if not role & Role.STRUCTURE or role & Role.FIREWALL:
                left[n] = 0
        return Condition(tuple(left), 0, tuple(fled))

    def people(self, left: Sequence[int]) -> int:
        """Number of creatures and special characters left."""
        return sum(left[n] for n in self.slots_of(Role.PEOPLE))
