"""The conditions of a side, numbered, with where each leads and what each can do (see `conditions`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things.conditions import Army, Condition, Held
from simulator.rules.kings_and_things.sides import MELEE, RANGED, Role

STEPS = 3
# Where a condition stands: in a step while losses are taken, between two rounds, or before a step (BEFORE + step).
REST, BEFORE = STEPS, STEPS + 1
MOST_CONDITIONS, MOST_STEADY = 100_000, 400_000


class Catalogue:
    """Every condition that a side can come to from its starts, by number: where it leads, and what it can do.

    `fates` lists, for a condition that waits for a die, what follows each result. `aimed_at`: has an enemy a Marksman
    who picks his victims? `leaves`: may the side leave? Raises Refusal for too many conditions.
    """

    def __init__(self, army: Army, starts: Sequence[Condition], aimed_at: bool, leaves: bool) -> None:
        self.army, self.aimed_at, self.leaves = army, aimed_at, leaves
        self.steady = all(army.steady(items) for items in {start.items for start in starts})
        self.conditions: list[Condition] = []
        self.fates: dict[int, dict[int, int]] = {}
        self._leads: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        self._number: dict[Condition, int] = {}
        self._seen: set[tuple[int, int]] = set()
        self._waiting: list[tuple[int, int]] = []
        self.starts = [self._at(start, REST) for start in starts]
        while self._waiting:
            self._follow(*self._waiting.pop())

    def __len__(self) -> int:
        return len(self.conditions)

    def _known(self, c: Condition) -> int:
        number = self._number.setdefault(c, len(self))
        if number == len(self):
            if number == (MOST_STEADY if self.steady else MOST_CONDITIONS):
                what = f"can come to more than {number:,} conditions; give fewer people, or fewer items"
                raise Refusal(f"{self.army.name}.creatures", what)
            self.conditions.append(c)
        return number

    def _at(self, c: Condition, place: int) -> int:
        """The number of a condition that the side comes to in a step, or between rounds."""
        number = self._known(c)
        if (number, place) not in self._seen:
            self._seen.add((number, place))
            self._waiting.append((number, place))
        return number

    def _follow(self, number: int, place: int) -> None:
        c, army, leads = self.conditions[number], self.army, self._leads
        if c.die:
            self.fates[number] = {result: self._at(fate, place) for result, fate in army.fates(c).items()}
        elif self.steady:
            for step in range(STEPS):
                leads["hit", step][number] = self._at(army.hit(c, 0), place)
            self._before_losses(number, c, place)
            self._between_rounds(number, c)
        elif place == REST:
            leads["armed", 0][number] = self._at(army.armed(c), BEFORE)
            self._between_rounds(number, c)
        elif place >= BEFORE:
            self._before_losses(number, c, place)
            self._at(c, place - BEFORE)
        else:
            leads["hit", place][number] = self._at(army.hit(c, place), place)
            last = place == MELEE
            following = army.rested(c) if last else army.begun(c, place + 1)
            leads["after", place][number] = self._at(following, REST if last else BEFORE + place + 1)
            leads["ended", 0][number] = self._known(army.ended(c))

    def _before_losses(self, number: int, c: Condition, place: int) -> None:
        """The Lucky Charm is spent, an aimed hit falls."""
        if c.items & Held.CHARM:
            self._leads["charmless", 0][number] = self._at(c._replace(items=c.items & ~Held.CHARM), place)
        if self.aimed_at:
            hit = self._at(self.army.aimed_hit(c), REST if self.steady else place - BEFORE)
            self._leads["aimed", 0][number] = hit

    def _between_rounds(self, number: int, c: Condition) -> None:
        """The battle is over, or the side leaves."""
        self._leads["ended", 0][number] = self._known(self.army.ended(c))
        if self.leaves and not c.fled:
            self._leads["gone", 0][number] = self._at(self.army.gone(c), REST)

    def led(self, what: str, step: int = 0) -> np.ndarray:
        """Where each condition comes to: "armed" for a round, by an "aimed" hit, without its charm ("charmless"),
        "gone" from the hex, when the battle has "ended", by a "hit" in a step, "after" its losses; else itself.
        """
        found, moves = np.arange(len(self)), self._leads[what, step]
        found[list(moves)] = list(moves.values())
        return found

    def led_in_steps(self, what: str) -> np.ndarray:
        """The same for all steps: array (conditions, steps)."""
        return np.stack([self.led(what, step) for step in range(STEPS)], axis=1)

    def column(self, name: str) -> np.ndarray:
        """A field of all conditions."""
        at = Condition._fields.index(name)
        return np.array([c[at] for c in self.conditions])

    @cached_property
    def left(self) -> np.ndarray:
        """What is left by slot: array (conditions, slots)."""
        return np.array([c.left for c in self.conditions], np.int64).reshape(len(self), -1)

    @cached_property
    def survived(self) -> np.ndarray:
        """The same with those that got away."""
        away = np.array([c.fled or (0,) * len(c.left) for c in self.conditions], np.int64)
        return self.left + away.reshape(len(self), -1)

    @cached_property
    def fled(self) -> np.ndarray:
        """Has the side left the hex?"""
        return np.array([bool(c.fled) for c in self.conditions])

    def slots(self, role: int) -> list[int]:
        """Slots of a role."""
        return [n for n, slot in enumerate(self.army.slots) if slot.role & role]

    def counted(self, role: int, survived: bool = False) -> np.ndarray:
        """How many of a role are left: counters, or levels."""
        return (self.survived if survived else self.left)[:, self.slots(role)].sum(axis=1)

    @cached_property
    def value_left(self) -> np.ndarray:
        """Printed values of the people left."""
        people = self.slots(Role.PEOPLE)
        printed = np.array([self.army.slots[n].printed for n in people], np.int64)
        return self.survived[:, people] @ printed

    @cached_property
    def dice(self) -> np.ndarray:
        """Dice of each value in each step, but for an aimed one: array (conditions, steps, values 0-7)."""
        found = np.zeros((len(self), STEPS, 8), np.int64)
        rows = np.arange(len(self))
        sword, bow = (self.column(name) if self._holds else None for name in ("sword", "bow"))
        aloft, shot = (self.column(name).astype(bool) for name in ("aloft", "shot"))
        for n, slot in enumerate(self.army.slots):
            number = self.left[:, n]
            if slot.role & Role.STRUCTURE:
                found[rows, slot.home, np.maximum(0, number - self.army.cloud)] += number > 0
                continue
            value, usual = self.army.value(n), np.where(slot.role & Role.AIMED, 0, number)
            if sword is not None and bow is not None:
                raised = self.army.value(n, 1)
                found[:, MELEE, raised] += 2 * (sword == n)
                found[:, RANGED, raised] += bow == n
                usual = np.where((sword == n) | (bow == n), 0, usual)
            if slot.role & Role.PASSENGER:
                found[:, RANGED, value] += np.where(aloft, usual, 0)
                usual = np.where(aloft | shot, 0, usual)
            found[:, slot.home, value] += usual * slot.dice
        found[:, :, 0] = 0
        return found

    @property
    def _holds(self) -> bool:
        return any(c.items & (Held.BOW | Held.SWORD) for c in self.conditions)

    @cached_property
    def aimed(self) -> np.ndarray:
        """Value of the aimed die in each step, 0 = none: array (conditions, steps)."""
        found = np.zeros((len(self), STEPS), np.int64)
        for n in self.slots(Role.AIMED):
            found[:, self.army.slots[n].home] += self.army.value(n) * self.left[:, n]
        return found

    @cached_property
    def fire(self) -> np.ndarray:
        """Dice x min(6, effective value) of everything left, Bow and Sword ignored (section 4)."""
        total = np.zeros(len(self), np.int64)
        aloft = self.left[:, self.army.balloon] > 0 if self.army.balloon >= 0 else np.zeros(len(self), bool)
        for n, slot in enumerate(self.army.slots):
            if slot.role & Role.STRUCTURE:
                total += np.clip(self.left[:, n] - self.army.cloud, 0, 6)
            else:
                dice = np.where(aloft, 1, slot.dice) if slot.role & Role.PASSENGER else slot.dice
                total += self.left[:, n] * dice * min(6, self.army.value(n))
        return total

    @cached_property
    def able(self) -> np.ndarray:
        """Has it a counter or structure with an effective value of at least 1?"""
        return (self.dice.any(axis=(1, 2))) | self.aimed.any(axis=1)

    @cached_property
    def room(self) -> np.ndarray:
        """Hits beyond this number are void, whatever happens."""
        number = self.left.copy()
        if self.army.brittle and (walls := self.slots(Role.FIREWALL)):
            number[:, walls] = np.minimum(1, number[:, walls])
        counters = [n for n in range(len(self.army.slots)) if not self.army.slots[n].role & Role.STRUCTURE]
        return number.sum(axis=1) + (0 if self.steady else number[:, counters].sum(axis=1) + 2)

    @cached_property
    def waits(self) -> np.ndarray:
        """The die that a condition waits for (OWN_SAVE, TALISMAN_SAVE, FIREWALL_DIE), 0 = none."""
        return self.column("die")

    def most_hits(self) -> int:
        """The most hits that this side can score in a step."""
        return int((self.dice.sum(axis=2) + (self.aimed > 0)).max(initial=0)) + 1

    def falls(self, most: int) -> tuple[np.ndarray, np.ndarray]:
        """Where 0, 1, ... hits lead, and how many of them are spent before a die must be rolled.

        Two arrays (conditions, steps, hits); more than the last lead to where it does; `most` bounds them.
        """
        hit, waits, steps = self.led_in_steps("hit"), self.waits > 0, np.arange(STEPS)
        now = np.repeat(np.arange(len(self))[:, None], STEPS, axis=1)
        falls, spent = [now], [np.zeros_like(now)]
        while len(falls) <= most:
            following = np.where(waits[now], now, hit[now, steps])
            if (following == now).all():
                break
            spent.append(spent[-1] + ~waits[now])
            falls.append(following)
            now = following
        return np.stack(falls, axis=2), np.stack(spent, axis=2)
