"""The conditions of a side, numbered, with where each leads and what each can do (see `conditions`)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate
from operator import mul

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things.conditions import Army, Condition, Held
from simulator.rules.kings_and_things.sides import MELEE, RANGED, Role
from simulator.rules.toolkit.weights import LARGEST_CODE, distinct

STEPS = 3
BARE = Condition(())[1:]
# Where a condition stands: in a step while losses are taken, between two rounds, or before a step (BEFORE + step).
REST, BEFORE = STEPS, STEPS + 1
# The most conditions for each start, and of how many starts (one for each that an explorer's Warlord may take over).
MOST_CONDITIONS, MOST_STEADY, MOST_STARTS = 100_000, 400_000, 20


class Catalogue:
    """Every condition that a side can come to from its starts, by number: where it leads, and what it can do.

    Starts of which only what is left is to be told come as an array (starts, slots). `fates` lists, for a condition
    that waits for a die, what follows each result. `aimed_at`: has an enemy a Marksman who picks his victims? `leaves`:
    may the side leave? Raises Refusal for too many conditions.
    """

    def __init__(self, army: Army, starts: Sequence[Condition] | np.ndarray, aimed_at: bool, leaves: bool) -> None:
        self.army, self.aimed_at, self.leaves = army, aimed_at, leaves
        told = [] if isinstance(starts, np.ndarray) else starts
        left = starts if isinstance(starts, np.ndarray) else np.array([c.left for c in starts], np.int64)
        self.steady = all(army.steady(items) for items in {0, *(c.items for c in told)})
        self._most = min(len(distinct(left)[0]), MOST_STARTS) * (MOST_STEADY if self.steady else MOST_CONDITIONS)
        self.fates: dict[int, dict[int, int]] = {}
        self._leads: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        self._number: dict[Condition, int] = {}
        self._seen: set[tuple[int, int]] = set()
        self._waiting: list[tuple[int, int]] = []
        others = aimed_at or leaves or (army.brittle and army.slots_of(Role.FIREWALL))
        self._bare = self.steady and not others and all(c[1:] == BARE for c in told)
        if self._bare:
            self.left, self.starts = self._wear_down(left)
            return
        self.conditions = []
        self.starts = [self._at(c, REST) for c in told or [Condition(tuple(row)) for row in left.tolist()]]
        while self._waiting:
            self._follow(*self._waiting.pop())

    def __len__(self) -> int:
        return len(self.left if self._bare else self.conditions)

    @cached_property
    def conditions(self) -> list[Condition]:
        """All of them, by number."""
        return [Condition(tuple(row)) for row in self.left.tolist()]

    def _hold_to(self, number: int) -> None:
        if number > self._most:
            what = f"can come to more than {self._most:,} conditions; give fewer people, or fewer items"
            raise Refusal(f"{self.army.band.name}.creatures", what)

    def _known(self, c: Condition) -> int:
        fresh = len(self.conditions)
        number = self._number.setdefault(c, fresh)
        if number == fresh:
            self._hold_to(fresh + 1)
            self.conditions.append(c)
        return number

    def _at(self, c: Condition, place: int) -> int:
        """The number of a condition that the side comes to in a step, or between rounds."""
        number = self._known(c)
        if (number, place) not in self._seen:
            self._seen.add((number, place))
            self._waiting.append((number, place))
        return number

    def _wear_down(self, starts: np.ndarray) -> tuple[np.ndarray, list[int]]:
        """What can be left, and the numbers of the starts, where nothing but hits can befall the side.

        As `_follow`, for all at once: a hit is taken by the first slot with any left. What is left is one whole number,
        the counts of the slots its digits, that of the first slot the highest.
        """
        most = starts.max(axis=0) + 1
        *units, codes = accumulate(most[::-1].tolist(), mul, initial=1)
        unit = np.array(units[::-1], np.int64 if codes < LARGEST_CODE else object)
        begun = now = starts @ unit
        found, size = [np.zeros(1, unit.dtype)], 1
        for one in unit:
            # So many are left of this slot at most, where nothing is left of those before it: so many and fewer.
            rest, which = np.unique(now % one, return_inverse=True)
            number = np.zeros(len(rest), np.int64)
            np.maximum.at(number, which, (now // one).astype(np.int64))
            size += int(number.sum())
            self._hold_to(size)
            fewer = np.arange(1, 1 + number.sum()) - np.repeat(np.cumsum(number) - number, number)
            found.append(np.repeat(rest, number) + fewer.astype(unit.dtype) * one)
            now = rest
        code = np.sort(np.concatenate(found))
        first = np.searchsorted(unit[::-1], code, "right")
        hits = np.searchsorted(code, code - np.append(0, unit[::-1])[first])
        self._leads |= {("hit", step): dict(enumerate(hits.tolist())) for step in range(STEPS)}
        return (code[:, None] // unit % most).astype(np.int64), np.searchsorted(code, begun).tolist()

    def _follow(self, number: int, place: int) -> None:
        c, army, leads = self.conditions[number], self.army, self._leads
        if c.die:
            self.fates[number] = {result: self._at(fate, place) for result, fate in army.fates(c).items()}
            return
        if place < BEFORE and (c.items or not self.steady):  # the battle is over: items no longer matter
            leads["ended", 0][number] = self._known(Condition(c.left, 0, c.fled))
        if place == REST and self.leaves and not c.fled:
            leads["gone", 0][number] = self._at(army.gone(c), REST)
        if self.steady:
            hit = self._at(army.hit(c, 0), place)
            for step in range(STEPS):
                leads["hit", step][number] = hit
        elif place == REST:
            leads["armed", 0][number] = self._at(army.armed(c), BEFORE)
        elif place < BEFORE:
            leads["hit", place][number] = self._at(army.hit(c, place), place)
            last = place == MELEE
            # The end of a round: all its marks are gone.
            following = Condition(c.left, c.items, c.fled) if last else army.begun(c, place + 1)
            leads["after", place][number] = self._at(following, REST if last else BEFORE + place + 1)
        if self.steady or place >= BEFORE:  # before losses the Lucky Charm is spent, an aimed hit falls
            losing = place - BEFORE if place >= BEFORE else REST
            if c.items & Held.CHARM:
                leads["charmless", 0][number] = self._at(c._replace(items=c.items & ~Held.CHARM), place)
            if self.aimed_at:
                leads["aimed", 0][number] = self._at(army.aimed_hit(c), losing)
            self._at(c, losing)

    def led(self, what: str) -> np.ndarray:
        """Where each condition comes to: "armed" for a round, by an "aimed" hit, without its charm ("charmless"),
        "gone" from the hex, when the battle has "ended"; by a "hit" in each step, "after" the losses of each (array
        (conditions, steps)); else itself.
        """
        found = np.repeat(np.arange(len(self))[:, None], STEPS if what in {"hit", "after"} else 1, axis=1)
        for step in range(found.shape[1]):
            moves = self._leads[what, step]
            found[list(moves), step] = list(moves.values())
        return found

    def column(self, name: str) -> np.ndarray:
        """A field of all conditions (`die`: what they wait for, 0 = nothing)."""
        if self._bare:
            return np.full(len(self), Condition._field_defaults[name])
        at = Condition._fields.index(name)
        return np.array([c[at] for c in self.conditions])

    @cached_property
    def left(self) -> np.ndarray:
        """What is left by slot: array (conditions, slots)."""
        return np.array([c.left for c in self.conditions], np.int64).reshape(len(self), -1)

    @cached_property
    def survived(self) -> np.ndarray:
        """The same with those that got away."""
        if self._bare:
            return self.left
        away = np.array([c.fled or (0,) * len(c.left) for c in self.conditions], np.int64)
        return self.left + away.reshape(len(self), -1)

    @cached_property
    def fled(self) -> np.ndarray:
        """Has the side left the hex?"""
        return np.zeros(len(self), bool) if self._bare else np.array([bool(c.fled) for c in self.conditions])

    def counted(self, role: int, survived: bool = False) -> np.ndarray:
        """How many of a role are left: counters, or levels."""
        return (self.survived if survived else self.left)[:, self.army.slots_of(role)].sum(axis=1)

    @cached_property
    def dice(self) -> np.ndarray:
        """Dice of each value in each step, but for an aimed one: array (conditions, steps, values 0-7)."""
        found = np.zeros((len(self), STEPS, 8), np.int64)
        rows = np.arange(len(self))
        sword, bow, shot = (self.column(name) for name in ("sword", "bow", "shot"))
        aloft, held = self.left[:, self.army.balloon].any(axis=1), self.army.band.items & {"magic-sword", "magic-bow"}
        for n, slot in enumerate(self.army.slots):
            number = self.left[:, n]
            if slot.role & Role.STRUCTURE:
                found[rows, slot.home, np.maximum(0, number - self.army.band.cloud)] += number > 0
                continue
            value, usual = self.army.value(n), np.where(slot.role & Role.AIMED, 0, number)
            if held:
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

    @cached_property
    def aimed(self) -> np.ndarray:
        """Value of the aimed die in each step, 0 = none: array (conditions, steps)."""
        found = np.zeros((len(self), STEPS), np.int64)
        for n in self.army.slots_of(Role.AIMED):
            found[:, self.army.slots[n].home] += self.army.value(n) * self.left[:, n]
        return found

    @property
    def fire(self) -> np.ndarray:
        """Dice x min(6, effective value) of everything left between two rounds, when nobody holds Bow or Sword."""
        return np.asarray(self.dice.sum(axis=1) @ np.minimum(6, np.arange(8)) + self.aimed.sum(axis=1))

    @cached_property
    def room(self) -> np.ndarray:
        """Hits beyond this number are void, whatever happens."""
        number = self.left.copy()
        if self.army.brittle and (walls := self.army.slots_of(Role.FIREWALL)):
            number[:, walls] = np.minimum(1, number[:, walls])
        counters = number.sum(axis=1) - number[:, self.army.slots_of(Role.STRUCTURE)].sum(axis=1)
        return number.sum(axis=1) + (0 if self.steady else counters + 2)
