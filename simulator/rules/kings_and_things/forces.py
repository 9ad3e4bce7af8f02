"""The conditions of all sides by number, and the starts of a battle: armies as given, or as drawn from the cup.

Rules: docs/rules/kings_and_things.md sections 3.2 (0), 4, 5 and 7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate
from operator import mul
from typing import NamedTuple

import numpy as np

from simulator.rules.kings_and_things import sides
from simulator.rules.kings_and_things.conditions import NO_SLOT, Army, Condition, Held, less
from simulator.rules.kings_and_things.creatures import MOST_DRAWN, Creature, draws
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration, Scenario
from simulator.rules.kings_and_things.rules import MELEE, RANGED, STEPS
from simulator.rules.kings_and_things.sides import Band, Role, fighter, takes
from simulator.rules.toolkit.merging import LARGEST_CODE
from simulator.rules.toolkit.policies import refuse
from simulator.rules.toolkit.weights import distinct

NOTHING_LEFT = Condition(())
BARE = NOTHING_LEFT[1:]
# Place of a condition in a round: a step while losses are taken, between rounds, or before a step (BEFORE + step).
REST, BEFORE = STEPS, STEPS + 1
# Most conditions for each start, and most starts (one for each creature that an explorer's Warlord may take over).
MOST_CONDITIONS, MOST_STEADY, MOST_STARTS = 100_000, 400_000, 20


class Catalogue:
    """All conditions reachable from the starts of a side, by number, with their transitions and dice.

    `starts` are conditions, or an int64 array of the counters left, shape (starts, slots). `aimed_at`: an enemy has a
    Marksman with an aimed die. `leaves`: the side may retreat. `kept`: bits of items that the outcome shows. `fates`
    maps a condition that waits for a die to the condition after each result; `chosen` by step a condition to those that
    its owner may choose after one hit. Raises Refusal for too many conditions.
    """

    def __init__(
        self, army: Army, starts: Sequence[Condition] | np.ndarray, aimed_at: bool, leaves: bool, kept: int = 0
    ) -> None:
        self.army, self.aimed_at, self.leaves, self.kept = army, aimed_at, leaves, kept
        given = [] if isinstance(starts, np.ndarray) else starts
        left = starts if isinstance(starts, np.ndarray) else np.array([c.left for c in starts], np.int64)
        self.steady = all(army.steady(items) for items in {0, *(c.items for c in given)})
        self._most = min(len(distinct(left)[0]), MOST_STARTS) * (MOST_STEADY if self.steady else MOST_CONDITIONS)
        self.fates: dict[int, dict[int, int]] = {}
        self.chosen: list[dict[int, list[int]]] = [{} for _ in range(1 if self.steady else STEPS)]
        self._transitions: defaultdict[tuple[str, int], dict[int, int]] = defaultdict(dict)
        self._number: dict[Condition, int] = {}
        self._visited: set[tuple[int, int]] = set()
        self._waiting: list[tuple[int, int]] = []
        others = aimed_at or leaves or army.chooses or (army.band.brittle and army.slots_of(Role.FIREWALL))
        self._bare = army.unmarked(0) and not others and all(c[1:] == BARE for c in given)
        if self._bare:
            self.left, self._hits, self.starts = self._wear_down(left)
            return
        self.conditions = []
        self.starts = [self._at(c, REST) for c in given or [Condition(tuple(row)) for row in left.tolist()]]
        while self._waiting:
            self._follow(*self._waiting.pop())

    def __len__(self) -> int:
        return len(self.left if self._bare else self.conditions)

    @cached_property
    def conditions(self) -> list[Condition]:
        """All conditions by number."""
        return [Condition(tuple(row)) for row in self.left.tolist()]

    def key(self) -> bytes | None:
        """A digest of everything that its numbers depend on; None where more than hits change the side."""
        if not self._bare:
            return None
        band = self.army.band
        words = repr(
            (self.army.slots, band.policy, sorted(band.items), band.leaves, band.cloud, band.brittle, band.fort)
        )
        return blake2b(words.encode() + self.left.tobytes()).digest()

    def _refuse_above(self, number: int) -> None:
        text = f"can come to more than {self._most:,} conditions; give fewer people, or fewer items"
        refuse(number > self._most, f"{self.army.band.name}.creatures", text)

    def _number_of(self, c: Condition) -> int:
        fresh = len(self.conditions)
        number = self._number.setdefault(c, fresh)
        if number == fresh:
            self._refuse_above(fresh + 1)
            self.conditions.append(c)
        return number

    def _at(self, c: Condition, place: int) -> int:
        """The number of a condition at a place of the round; it is followed later."""
        number = self._number_of(c)
        if (number, place) not in self._visited:
            self._visited.add((number, place))
            self._waiting.append((number, place))
        return number

    def _wear_down(self, starts: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """The counters left in each condition, those after a hit in each step, and the numbers of the starts.

        This is `_follow` with arrays, where only hits change the side: the first slot with counters left takes a hit. A
        condition is coded as a whole number whose digits are the counts of the slots, the first slot highest.
        Conditions are found by the number of counters left, so that each is found once.
        """
        most = starts.max(axis=0) + 1
        *units, codes = accumulate(most[::-1].tolist(), mul, initial=1)
        unit = np.array([*units[::-1], 0], np.int64 if codes < LARGEST_CODE else object)  # 0: nobody is left
        orders = [np.array(self.army.order(NOTHING_LEFT, step)) for step in range(len(self.chosen))]
        begun, number, size = starts @ unit[:-1], starts.sum(axis=1), 0
        counts = starts.astype(np.int16)
        code, left, found = unit[:0], counts[:0], []
        for total in range(int(number.max()), -1, -1):
            own = number == total
            code, first = np.unique(np.concatenate([code, begun[own]]), return_index=True)
            left = np.concatenate([left, counts[own]])[first]
            size += len(code)
            self._refuse_above(size)
            struck = np.stack([order[(left[:, order] > 0).argmax(axis=1)] for order in orders], axis=1)
            found.append((code, left, code[:, None] - unit[struck if total else -1 + 0 * struck]))
            code, left = found[-1][2].T.ravel(), np.concatenate([left] * len(orders))
            left[np.arange(len(left)), struck.T.ravel()] -= 1
        code, left, after = map(np.concatenate, zip(*found, strict=True))
        rank = np.argsort(code)
        code, hits = code[rank], np.searchsorted(code[rank], after[rank])
        return left[rank], np.repeat(hits, STEPS // len(orders), axis=1), np.searchsorted(code, begun).tolist()

    def _follow(self, number: int, place: int) -> None:
        c, army, transitions = self.conditions[number], self.army, self._transitions
        if c.die:
            self.fates[number] = {result: self._at(fate, place) for result, fate in army.fates(c).items()}
            return
        if place < BEFORE and (c.items or not self.steady):  # at the end of the battle items no longer count
            transitions["ended", 0][number] = self._number_of(Condition(c.left, c.items & self.kept, c.fled))
        if place == REST and self.leaves and not c.fled:
            transitions["gone", 0][number] = self._at(army.gone(c), REST)
        if self.steady:
            hit = self._at(army.hit(c, 0), place)
            for step in range(STEPS):
                transitions["hit", step][number] = hit
            self._choose(number, 0, place)
        elif place == REST:
            transitions["armed", 0][number] = self._at(army.armed(c), BEFORE)
        elif place < BEFORE:
            transitions["hit", place][number] = self._at(army.hit(c, place), place)
            self._choose(number, place, place)
            last = place == MELEE
            # The end of a round: all its marks are gone.
            following = Condition(c.left, c.items, c.fled) if last else army.begun(c, place + 1)
            transitions["after", place][number] = self._at(following, REST if last else BEFORE + place + 1)
        if self.steady or place >= BEFORE:  # the Lucky Charm and aimed hits come before losses
            losing = place - BEFORE if place >= BEFORE else REST
            if c.items & Held.CHARM:
                transitions["charmless", 0][number] = self._at(c._replace(items=c.items & ~Held.CHARM), place)
            if self.aimed_at:
                transitions["aimed", 0][number] = self._at(army.aimed_hit(c), losing)
            self._at(c, losing)

    def _choose(self, number: int, step: int, place: int) -> None:
        if self.army.chooses:
            hits = self.army.chosen_hits(self.conditions[number], step)
            self.chosen[step][number] = [self._at(c, place) for c in hits]

    def led(self, what: str) -> np.ndarray:
        """The condition after each condition, itself where nothing changes: int64, shape (conditions, 1 or steps).

        "armed" for a round; after an "aimed" hit; "charmless"; "gone" from the hex; "ended"; and by step: after a
        "hit", and "after" the losses of the step.
        """
        if what == "hit" and self._bare:
            return self._hits
        following = np.repeat(np.arange(len(self))[:, None], STEPS if what in {"hit", "after"} else 1, axis=1)
        for step in range(following.shape[1]):
            moves = self._transitions[what, step]
            following[list(moves), step] = list(moves.values())
        return following

    @property
    def only_hit(self) -> bool:
        """Only hits change this side, in a fixed order (which may depend on the step)."""
        others = self.aimed_at or self.leaves or self.army.chooses or self.army.slots_of(Role.GOLEM)
        return not others and (self._bare or all(c[1:] == BARE for c in self.conditions))

    def column(self, name: str) -> np.ndarray:
        """A field of all conditions: int64 (bool for `used`, `aloft` and `shot`), shape (conditions,)."""
        if self._bare:
            return np.full(len(self), Condition._field_defaults[name])
        at = Condition._fields.index(name)
        return np.array([c[at] for c in self.conditions])

    @cached_property
    def left(self) -> np.ndarray:
        """Counters left: int64 (int16 where only hits change the side), shape (conditions, slots)."""
        return np.array([c.left for c in self.conditions], np.int64).reshape(len(self), -1)

    @cached_property
    def survived(self) -> np.ndarray:
        """Counters left or retreated: int64, shape (conditions, slots)."""
        if self._bare:
            return self.left
        away = np.array([c.fled or (0,) * len(c.left) for c in self.conditions], np.int64)
        return self.left + away.reshape(len(self), -1)

    @cached_property
    def fled(self) -> np.ndarray:
        """The side has left the hex: bool, shape (conditions,)."""
        return np.zeros(len(self), bool) if self._bare else np.array([bool(c.fled) for c in self.conditions])

    def counted(self, role: int, survived: bool = False) -> np.ndarray:
        """Counters, or levels, of a role: int64, shape (conditions,)."""
        return (self.survived if survived else self.left)[:, self.army.slots_of(role)].sum(axis=1)

    @cached_property
    def dice(self) -> np.ndarray:
        """Dice of each value in each step, without aimed dice: int64, shape (conditions, steps, values 0 to 7)."""
        dice = np.zeros((len(self), STEPS, 8), np.int64)
        rows = np.arange(len(self))
        sword, bow, shot = (self.column(name) for name in ("sword", "bow", "shot"))
        aloft, held = self.left[:, self.army.balloon].any(axis=1), self.army.band.items & {"magic-sword", "magic-bow"}
        for n, slot in enumerate(self.army.slots):
            number = self.left[:, n]
            if slot.role & Role.STRUCTURE:
                dice[rows, slot.home, np.maximum(0, number - self.army.band.cloud)] += number > 0
                continue
            value, usual = self.army.value(n), np.where(slot.role & Role.AIMED, 0, number)
            if held:
                raised = self.army.value(n, 1)
                dice[:, MELEE, raised] += 2 * (sword == n)
                dice[:, RANGED, raised] += bow == n
                usual = np.where((sword == n) | (bow == n), 0, usual)
            if slot.role & Role.PASSENGER:
                dice[:, RANGED, value] += np.where(aloft, usual, 0)
                usual = np.where(aloft | shot, 0, usual)
            dice[:, slot.home, value] += usual * slot.dice
        dice[:, :, 0] = 0
        return dice

    @cached_property
    def aimed(self) -> np.ndarray:
        """Value of the aimed die in each step, 0 for none: int64, shape (conditions, steps)."""
        aimed = np.zeros((len(self), STEPS), np.int64)
        for n in self.army.slots_of(Role.AIMED):
            aimed[:, self.army.slots[n].home] += self.army.value(n) * self.left[:, n]
        return aimed

    @property
    def fire(self) -> np.ndarray:
        """Sum of dice x min(6, effective value) between two rounds: int64, shape (conditions,).

        Between two rounds nobody holds Bow or Sword (section 4).
        """
        return np.asarray(self.dice.sum(axis=1) @ np.minimum(6, np.arange(8)) + self.aimed.sum(axis=1))

    @cached_property
    def room(self) -> np.ndarray:
        """Hits above this number are always void: int64, shape (conditions,)."""
        number = self.left.copy()
        if self.army.band.brittle and (walls := self.army.slots_of(Role.FIREWALL)):
            number[:, walls] = np.minimum(1, number[:, walls])
        counters = number.sum(axis=1) - number[:, self.army.slots_of(Role.STRUCTURE)].sum(axis=1)
        return number.sum(axis=1) + (0 if self.steady else counters + 2)


class Note(NamedTuple):
    """Facts of the start that the outcome needs.

    `people` of each side before round 1, the `printed` level of the settlement; of a draw the number of defenders
    `drawn` (0: taken without a fight) and their `bribe`.
    """

    people: tuple[int, ...]
    printed: int
    drawn: int = 0
    bribe: int = 0


# Starts of a battle: notes; start conditions of each side; their numbers, shape (starts, 1 + sides); the chances.
Starts = tuple[list[Note], list[Sequence[Condition] | np.ndarray], np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Forces:
    """The conditions of all sides, and the starts of the battle with their chances.

    Conditions are numbered across all sides; those of side i begin at `base[i]`. `starts`: int64, shape (starts, 1 +
    sides), the number of a note and of each side's condition. `driven_off`: Dust of Defense ends the battle at once.
    """

    scenario: Scenario
    bands: Sequence[Band]
    catalogues: Sequence[Catalogue]
    base: Sequence[int]
    notes: Sequence[Note]
    starts: np.ndarray
    chances: np.ndarray
    driven_off: bool

    def at(self, i: int, condition: int) -> tuple[Catalogue, int]:
        """The catalogue of side `i`, and the number of a condition in it."""
        return self.catalogues[i], int(condition) - self.base[i]

    def each(self, read: Callable[[Catalogue], np.ndarray]) -> np.ndarray:
        """`read(catalogue)` of all sides, concatenated along the first axis.

        It keeps the dtype of `read`; shape (conditions, ...), or (conditions x steps,) for `throws`.
        """
        return np.concatenate([read(one) for one in self.catalogues])

    def led(self, what: str) -> np.ndarray:
        """`Catalogue.led` of all sides, conditions numbered across sides: int64, shape (conditions, 1 or steps)."""
        return np.concatenate([at + one.led(what) for at, one in zip(self.base, self.catalogues, strict=False)])


def forces_of(scenario: Scenario, kept: int = 0) -> Forces:
    """The forces of a battle of any kind; `kept`: bits of items that final states show."""
    present = sides.bands(scenario)
    driven_off, attacker, defender = sides.dust_at_start(present), present[0], present[1]
    dust = "dust-of-defense" in defender.items and attacker.fields.retreat_hex and not driven_off
    if isinstance(scenario, Exploration):
        armies, (notes, starts, which, chance) = _drawn(scenario, attacker, defender)
    else:
        sides.act_before_round_1(present)
        armies = [Army(band) for band in present]
        begun = [army.start(dust and army.band is defender) for army in armies]
        people = tuple(army.people(start.left) for army, start in zip(armies, begun, strict=True))
        if driven_off:
            begun[0] = armies[0].gone(begun[0])
        notes, starts = [Note(people, SETTLEMENTS.index(scenario.defender.settlement))], [[start] for start in begun]
        which, chance = np.zeros((1, 1 + len(starts)), np.int64), np.ones(1)
    catalogues = []
    for i, army in enumerate(armies):
        enemies = (slot for n, band in enumerate(present) if n != i for slot in band.counters)
        aimed_at, leaves = any(slot.role & Role.AIMED for slot in enemies), army.band.leaves or (dust and i == 0)
        catalogues.append(Catalogue(army, starts[i], aimed_at, leaves, kept))
    base = np.cumsum([0, *map(len, catalogues)]).tolist()
    numbered = [np.arange(len(notes)), *(np.add(one.starts, at) for one, at in zip(catalogues, base, strict=False))]
    merged, which = distinct(np.stack([of[at] for of, at in zip(numbered, which.T, strict=True)], axis=1))
    return Forces(scenario, present, catalogues, base, notes, merged, np.bincount(which, chance), driven_off)


def _drawn(scenario: Exploration, attacker: Band, defender: Band) -> tuple[list[Army], Starts]:
    """The explorer with all creatures that may join its Warlord, an army of all defenders; the start by draw."""
    kinds, counts, level, loot, chance = draws(scenario)
    slots = []
    for value, symbol in kinds:
        creature = Creature(f"{value}{symbol}", f"code {value}{symbol}", value, symbol)
        slots.append(fighter(creature, defender.policy, "dispel-magic" in attacker.items))
    here, mover = counts.copy(), np.full(len(counts), NO_SLOT)
    for kind in sorted(range(len(slots)), key=lambda kind: slots[kind].rank) if takes(attacker) else ():
        mover[here[:, kind] > 0] = kind
    moved = mover != NO_SLOT
    here[moved, mover[moved]] -= 1
    joining = [slots[kind] for kind in np.unique(mover[moved])]
    own = Army(replace(attacker, counters=attacker.counters + joining))
    several, levels = [replace(slot, number=MOST_DRAWN) for slot in slots], {"settlement": int(level.max())}
    enemy = Army(replace(defender, counters=several, levels=levels))
    alone = own.start()
    for slot in joining:
        alone = alone._replace(left=less(alone.left, own.place(slot)))
    left = np.zeros((len(here), len(enemy.slots)), np.int64)
    for slot, number in zip(slots, here.T, strict=True):
        left[:, enemy.place(slot)] += number
    left[:, enemy.slots_of(Role.SETTLEMENT)[0]] = np.maximum(0, level - sides.batterers([attacker]))
    # Section 7 step 4: values of all that defend, doubled if there is any loot.
    bribe = (level + counts @ np.array([value for value, _ in kinds], np.int64)) * (1 + loot)
    people = own.people(alone.left) + moved
    facts = np.stack([people, here.sum(axis=1), level, counts.sum(axis=1) + (level > 0), bribe], axis=1)
    (notes, note), (movers, begun), (defenders, side) = distinct(facts), distinct(mover[:, None]), distinct(left)
    joined = {kind: less(alone.left, own.place(slots[kind]), -1) for kind in set(mover[moved].tolist())}
    explorers = [alone._replace(left=joined.get(kind, alone.left)) for (kind,) in movers.tolist()]
    all_notes = [Note((own_people, enemies), *more) for own_people, enemies, *more in notes.tolist()]
    return [own, enemy], (all_notes, [explorers, defenders], np.stack([note, begun, side], axis=1), chance)
