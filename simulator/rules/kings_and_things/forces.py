"""Armies and their start conditions, as given or as drawn from the cup.

Rules: docs/rules/kings_and_things.md sections 3.2 (0), 4, 5 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simulator.rules.kings_and_things import sides
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.conditions import FIREWALL_DIE, NOBODY, Army, Condition, Held, less
from simulator.rules.kings_and_things.creatures import Creature
from simulator.rules.kings_and_things.cup import MOST_DRAWN, draws
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration, Scenario
from simulator.rules.kings_and_things.sides import Band, Role, fighter, takes
from simulator.rules.toolkit.weights import distinct

ITEM_BITS = {"talisman": Held.TALISMAN, "magic-bow": Held.BOW, "magic-sword": Held.SWORD, "lucky-charm": Held.CHARM}


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
        """`read(catalogue)` of all sides, concatenated: one value or row for each condition."""
        return np.concatenate([read(one) for one in self.catalogues])


def forces_of(scenario: Scenario) -> Forces:
    """The forces of a battle of any kind."""
    present = sides.bands(scenario)
    driven_off, attacker, defender = sides.dust_at_start(present), present[0], present[1]
    dust = "dust-of-defense" in defender.items and attacker.fields.retreat_hex and not driven_off
    if isinstance(scenario, Exploration):
        armies, (notes, starts, which, chance) = _drawn(scenario, attacker, defender)
    else:
        sides.act_before_round_1(present)
        armies = [army_of(scenario, band) for band in present]
        begun = [start_of(army, dust and army.band is defender) for army in armies]
        people = tuple(army.people(start.left) for army, start in zip(armies, begun, strict=True))
        if driven_off:
            begun[0] = armies[0].gone(begun[0])
        notes, starts = [Note(people, SETTLEMENTS.index(scenario.defender.settlement))], [[start] for start in begun]
        which, chance = np.zeros((1, 1 + len(starts)), np.int64), np.ones(1)
    catalogues = []
    for i, army in enumerate(armies):
        enemies = (slot for n, band in enumerate(present) if n != i for slot in band.counters)
        aimed_at, leaves = any(slot.role & Role.AIMED for slot in enemies), army.band.leaves or (dust and i == 0)
        catalogues.append(Catalogue(army, starts[i], aimed_at, leaves))
    base = np.cumsum([0, *map(len, catalogues)]).tolist()
    numbered = [np.arange(len(notes)), *(np.add(one.starts, at) for one, at in zip(catalogues, base, strict=False))]
    merged, which = distinct(np.stack([of[at] for of, at in zip(numbered, which.T, strict=True)], axis=1))
    return Forces(scenario, present, catalogues, base, notes, merged, np.bincount(which, chance), driven_off)


def army_of(scenario: Scenario, band: Band) -> Army:
    """A side's slots in loss order."""
    return Army(band, tuple(sides.loss_order(band)), brittle=scenario.options.firewall_hits == "one")


def start_of(army: Army, dust: bool = False) -> Condition:
    """The condition of a side before round 1, with all its counters and items."""
    items = sum(bit for item, bit in ITEM_BITS.items() if item in army.band.items) | (Held.DUST if dust else 0)
    start = Condition(tuple(slot.number for slot in army.slots), items)
    if army.band.unrolled:
        start = start._replace(victim=army.slots_of(Role.FIREWALL)[0], die=FIREWALL_DIE)
    return start


def _drawn(scenario: Exploration, attacker: Band, defender: Band) -> tuple[list[Army], Starts]:
    """The explorer with all creatures that may join its Warlord, an army of all defenders; the start by draw."""
    kinds, counts, level, loot, chance = draws(scenario)
    slots = []
    for value, symbol in kinds:
        creature = Creature(f"{value}{symbol}", f"code {value}{symbol}", value, symbol)
        slots.append(fighter(creature, defender.policy, "dispel-magic" in attacker.items))
    here, mover = counts.copy(), np.full(len(counts), NOBODY)
    for kind in sorted(range(len(slots)), key=lambda kind: slots[kind].rank) if takes(attacker) else ():
        mover[here[:, kind] > 0] = kind
    moved = mover != NOBODY
    here[moved, mover[moved]] -= 1
    joining = [slots[kind] for kind in np.unique(mover[moved])]
    own = army_of(scenario, replace(attacker, counters=attacker.counters + joining))
    several, levels = [replace(slot, number=MOST_DRAWN) for slot in slots], {"settlement": int(level.max())}
    enemy = army_of(scenario, replace(defender, counters=several, levels=levels))
    alone = start_of(own)
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
