"""The sides as armies in their first conditions: as the scenario has them, or as drawn from the cup (section 7).

docs/rules/kings_and_things.md sections 3.2 (0), 4, 5 and 7.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simulator.rules.kings_and_things import sides
from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.conditions import FIREWALL_DIE, Army, Condition, Held, less
from simulator.rules.kings_and_things.creatures import Creature
from simulator.rules.kings_and_things.cup import MOST_DRAWN, draws
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration, Scenario
from simulator.rules.kings_and_things.sides import Band, Role, fighter, taken_by

ITEM_BITS = {"talisman": Held.TALISMAN, "magic-bow": Held.BOW, "magic-sword": Held.SWORD, "lucky-charm": Held.CHARM}


class Note(NamedTuple):
    """What is remembered of the start until the end.

    Each side's people before round 1, the settlement's printed level; of a draw: how many counters defended (0: taken
    without a fight), what would they have taken as a bribe.
    """

    people: tuple[int, ...]
    printed: int
    drawn: int = 0
    bribe: int = 0


class Way(NamedTuple):
    """A way in which the battle can begin, and its chance."""

    note: Note
    sides: tuple[Condition, ...]
    chance: float = 1.0


@dataclass(frozen=True)
class Forces:
    """All that a battle is made of: all that can become of each side, and how the battle can begin.

    Conditions are numbered through all sides: those of side i begin at `base[i]`. `meetings`: the numbers of a note and
    of each side's condition, with their chance. `driven_off`: Dust of Defense ends the battle at once.
    """

    scenario: Scenario
    bands: Sequence[Band]
    catalogues: Sequence[Catalogue]
    base: Sequence[int]
    notes: Sequence[Note]
    meetings: Mapping[tuple[int, ...], float]
    driven_off: bool

    def at(self, i: int, condition: int) -> tuple[Catalogue, int]:
        """The catalogue of side `i`, and the number of a condition there."""
        return self.catalogues[i], int(condition) - self.base[i]

    def each(self, read: Callable[[Catalogue], np.ndarray]) -> np.ndarray:
        """What is read of the conditions of all sides."""
        return np.concatenate([read(one) for one in self.catalogues])


def forces_of(scenario: Scenario) -> Forces:
    """The forces of any battle."""
    present = sides.bands(scenario)
    driven_off, attacker, defender = sides.dust_at_start(present), present[0], present[1]
    dust = "dust-of-defense" in defender.items and attacker.fields.retreat_hex and not driven_off
    if isinstance(scenario, Exploration):
        armies, ways = _drawn(scenario, attacker, defender)
    else:
        sides.opened(present)
        armies = [army_of(scenario, band) for band in present]
        starts = [start_of(army, dust and army.band is defender) for army in armies]
        people = tuple(army.people(start.left) for army, start in zip(armies, starts, strict=True))
        if driven_off:
            starts[0] = armies[0].gone(starts[0])
        ways = [Way(Note(people, SETTLEMENTS.index(scenario.defender.settlement)), tuple(starts))]
    found = []
    for i, army in enumerate(armies):
        enemies = (slot for n, band in enumerate(present) if n != i for slot in band.counters)
        aimed_at, leaves = any(slot.role & Role.AIMED for slot in enemies), army.band.leaves or (dust and i == 0)
        found.append(Catalogue(army, [way.sides[i] for way in ways], aimed_at, leaves))
    base = np.cumsum([0, *map(len, found)]).tolist()
    notes: dict[Note, int] = {}
    meetings: defaultdict[tuple[int, ...], float] = defaultdict(float)
    numbered = (np.add(one.starts, first).tolist() for first, one in zip(base, found, strict=False))
    for way, begun in zip(ways, zip(*numbered, strict=True), strict=True):
        meetings[notes.setdefault(way.note, len(notes)), *begun] += way.chance
    return Forces(scenario, present, found, base, list(notes), meetings, driven_off)


def army_of(scenario: Scenario, band: Band) -> Army:
    """A side's slots in loss order."""
    return Army(band, tuple(sides.loss_order(band)), brittle=scenario.options.firewall_hits == "one")


def start_of(army: Army, dust: bool = False) -> Condition:
    """The condition in which a side comes to round 1 with everything that it has."""
    items = sum(bit for item, bit in ITEM_BITS.items() if item in army.band.items) | (Held.DUST if dust else 0)
    start = Condition(tuple(slot.number for slot in army.slots), items)
    if army.band.unrolled:
        start = start._replace(victim=army.slots_of(Role.FIREWALL)[0], die=FIREWALL_DIE)
    return start


def _drawn(scenario: Exploration, attacker: Band, defender: Band) -> tuple[list[Army], list[Way]]:
    """An army of all that may be met, and one of all that may join the explorer's Warlord; what each draw leaves."""
    chances, slots = draws(scenario), {}
    for value, symbol in dict.fromkeys(kind for draw in chances for kind in draw.creatures):
        creature = Creature(f"{value}{symbol}", f"code {value}{symbol}", value, symbol)
        slots[value, symbol] = fighter(creature, defender.policy, "dispel-magic" in attacker.items)
    met = [[slots[kind] for kind in draw.creatures] for draw in chances]
    taken = [taken_by(attacker, here) for here in met]
    joining = [slot for slot in dict.fromkeys(taken) if slot]
    levels = {"settlement": max(draw.settlement for draw in chances)}
    wild = replace(defender, counters=[replace(slot, number=MOST_DRAWN) for slot in slots.values()], levels=levels)
    own, enemy = (army_of(scenario, band) for band in (replace(attacker, counters=attacker.counters + joining), wild))
    alone = start_of(own)
    for slot in joining:
        alone = alone._replace(left=less(alone.left, own.place(slot)))
    joined = {slot: alone._replace(left=less(alone.left, own.place(slot), -1)) for slot in joining}
    place, [wall] = {slot.key: enemy.place(slot) for slot in slots.values()}, enemy.slots_of(Role.SETTLEMENT)
    people, battered = own.people(alone.left), sides.batterers([attacker])
    ways = []
    for (draw, chance), here, mover in zip(chances.items(), met, taken, strict=True):
        if mover:
            here.remove(mover)
        left = [0] * len(enemy.slots)
        for slot in here:
            left[place[slot.key]] += 1
        left[wall] = max(0, draw.settlement - battered)
        # Section 7 step 4: values of all that defend, doubled if there is any loot.
        drawn, bribe = len(draw.creatures) + (draw.settlement > 0), draw.settlement + sum(v for v, _ in draw.creatures)
        note = Note((people + bool(mover), len(here)), draw.settlement, drawn, bribe * (1 + draw.loot))
        ways.append(Way(note, (joined[mover] if mover else alone, Condition(tuple(left))), chance))
    return [own, enemy], ways
