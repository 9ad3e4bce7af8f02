"""The sides as armies in their first conditions: as the scenario has them, or as drawn from the cup (section 7).

docs/rules/kings_and_things.md sections 3.2 (0), 4, 5 and 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from simulator.rules.kings_and_things.catalogue import Catalogue
from simulator.rules.kings_and_things.conditions import FIREWALL_DIE, STACK, Army, Condition, Held
from simulator.rules.kings_and_things.creatures import Creature
from simulator.rules.kings_and_things.cup import MOST_DRAWN, Draw, Kind, draws
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration, Known, Scenario
from simulator.rules.kings_and_things.sides import (
    Band,
    Role,
    Slot,
    bands,
    batterers,
    dust_at_start,
    fighter,
    loss_order,
    opened,
    takable,
    takes,
)

NO_LIMIT = 10**6
ITEM_BITS = {"talisman": Held.TALISMAN, "magic-bow": Held.BOW, "magic-sword": Held.SWORD, "lucky-charm": Held.CHARM}


class Note(NamedTuple):
    """What is remembered of the start until the end.

    Each side's people before round 1, the settlement's printed level; of a draw: was it fought over, how many counters
    defended, what would they have taken as a bribe.
    """

    people: tuple[int, ...]
    printed: int
    fought: bool = True
    drawn: int = 0
    bribe: int = 0


class Meeting(NamedTuple):
    """A way in which the battle can begin: its note, its chance, and each side's condition."""

    note: int
    chance: float
    sides: tuple[int, ...]


@dataclass(frozen=True)
class Forces:
    """All that a battle is made of.

    `catalogues` number the conditions of all sides through: those of `catalogues[n]` begin at `base[n]`; `whose[n]` is
    the side that it belongs to (with a Warlord about, an explorer has one for each creature that may join him).
    `driven_off`: Dust of Defense ends the battle at once.
    """

    scenario: Scenario
    bands: Sequence[Band]
    catalogues: Sequence[Catalogue]
    whose: Sequence[int]
    notes: Sequence[Note]
    meetings: Sequence[Meeting]
    driven_off: bool = False

    @property
    def base(self) -> np.ndarray:
        """Where each catalogue begins."""
        return np.cumsum([0, *(len(found) for found in self.catalogues)])

    def at(self, number: int) -> tuple[Catalogue, int]:
        """The catalogue of a condition, and its number there."""
        n = int(np.searchsorted(self.base, number, side="right")) - 1
        return self.catalogues[n], number - int(self.base[n])


def unexplored(scenario: Scenario) -> bool:
    """Does nobody own the hex?"""
    return bool(getattr(scenario.conditions, "unexplored", scenario.battle == "exploration"))


def may_leave(scenario: Scenario, band: Band) -> bool:
    """Has the side somewhere to go, and a policy that may ever take it there?"""
    inhabits = band.name == "defender" and unexplored(scenario)
    return band.fields.retreat_hex and not inhabits and band.policy.retreat != "never"


def army_of(scenario: Scenario, band: Band, slots: Sequence[Slot]) -> Army:
    """A side's slots with its owner's ways of taking losses."""
    policy, fields = band.policy, band.fields
    room = NO_LIMIT if fields.retreat_hex_citadel else STACK
    return Army(
        band.name,
        tuple(slots),
        cloud=band.cloud,
        keeps=policy.losses == "keep-next-step-fighters",
        walls_last=policy.structures == "last",
        screens=policy.sword_master == "screen",
        spends=policy.item_hits == "spend",
        brittle=scenario.options.firewall_hits == "one",
        hex_room=room - fields.retreat_hex_creatures,
    )


def start_of(army: Army, band: Band, dust: bool = False) -> Condition:
    """The condition in which a known side comes to round 1."""
    items = sum(bit for item, bit in ITEM_BITS.items() if item in band.items) | (Held.DUST if dust else 0)
    start = Condition(tuple(slot.number for slot in army.slots), items)
    if band.unrolled:
        wall = next(n for n, slot in enumerate(army.slots) if slot.role & Role.FIREWALL)
        start = start._replace(victim=wall, die=FIREWALL_DIE)
    return start


def aims(sides: Sequence[Band], target: Band) -> bool:
    """Has another side a Marksman who picks his victims?"""
    return any(slot.role & Role.AIMED for band in sides if band is not target for slot in band.counters)


def forces_of(scenario: Scenario) -> Forces:
    """The forces of any battle."""
    return _drawn(scenario) if isinstance(scenario, Exploration) else _known(scenario)


def _known(scenario: Known) -> Forces:
    sides = bands(scenario)
    driven_off = dust_at_start(sides)
    opened(sides)
    attacker, defender = sides[:2]
    dust = "dust-of-defense" in defender.items and attacker.fields.retreat_hex and not driven_off
    found, people, starts, base = [], [], [], 0
    for band in sides:
        army = army_of(scenario, band, loss_order(band))
        start = start_of(army, band, dust and band is defender)
        people.append(army.people(start.left))
        if driven_off and band is attacker:
            start = army.gone(start)
        leaves = may_leave(scenario, band) or (dust and band is attacker)
        found.append(Catalogue(army, [start], aims(sides, band), leaves))
        starts.append(base + found[-1].starts[0])
        base += len(found[-1])
    note = Note(tuple(people), SETTLEMENTS.index(scenario.defender.settlement))
    return Forces(
        scenario, sides, found, range(len(sides)), [note], [Meeting(0, 1.0, tuple(starts))], driven_off=driven_off
    )


def _drawn(scenario: Exploration) -> Forces:
    """All defenders that can be drawn; the attacker's army differs if his Warlord takes one of them over."""
    attacker, defender = bands(scenario)
    chances = draws(scenario)
    dispelled = "dispel-magic" in attacker.items
    kinds = dict.fromkeys(kind for draw in chances for kind in draw.creatures)
    slots = {kind: _slot(kind, defender, dispelled) for kind in kinds}
    taken: list[Slot | None] = [None] * len(chances)
    if takes(attacker):
        taken = [takable([slots[kind] for kind in draw.creatures]) for draw in chances]
    joining = list(dict.fromkeys(taken))
    found = [_attacking(scenario, attacker, defender, slot) for slot in joining]
    base = np.cumsum([0, *(len(one) for one in found)]).tolist()
    own = [base[n] + one.starts[0] for n, one in enumerate(found)]
    defending, starts = _defending(scenario, (attacker, defender), chances, slots, taken)
    notes: dict[Note, int] = {}
    meetings: Counter[tuple[int, tuple[int, int]]] = Counter()
    size = sum(bool(slot.role & Role.PEOPLE) for slot in attacker.counters)
    for draw, joined, start in zip(chances, taken, starts, strict=True):
        moved = joined is not None
        fought = draw.drawn if draw.fought else 0
        note = Note((size + moved, len(draw.creatures) - moved if draw.fought else 0), draw.settlement * draw.fought)
        note = note._replace(fought=draw.fought, drawn=fought, bribe=draw.bribe * draw.fought)
        number = notes.setdefault(note, len(notes))
        meetings[number, (own[joining.index(joined)], base[-1] + start)] += chances[draw]  # type: ignore[assignment]
    met = [Meeting(note, chance, sides) for (note, sides), chance in meetings.items()]
    whose = [0] * len(found) + [1]
    return Forces(scenario, (attacker, defender), [*found, defending], whose, list(notes), met)


def _slot(kind: Kind, defender: Band, dispelled: bool) -> Slot:
    value, symbol = kind
    name = f"{value}{symbol}"
    return fighter(Creature(name, f"code {name}", value, symbol), defender.policy, dispelled)


def _attacking(scenario: Exploration, attacker: Band, defender: Band, joined: Slot | None) -> Catalogue:
    band = replace(attacker, counters=[*attacker.counters, *([joined] if joined else [])])
    army = army_of(scenario, band, loss_order(band))
    return Catalogue(army, [start_of(army, band)], False, may_leave(scenario, attacker))


def _defending(
    scenario: Exploration,
    sides: tuple[Band, Band],
    chances: dict[Draw, float],
    slots: dict[Kind, Slot],
    taken: Sequence[Slot | None],
) -> tuple[Catalogue, list[int]]:
    """One army of all that may be met, and the condition in which each draw leaves it."""
    attacker, defender = sides
    band = replace(defender, counters=[replace(slot, number=MOST_DRAWN) for slot in slots.values()])
    band.levels = {"settlement": max(draw.settlement for draw in chances)}
    army = army_of(scenario, band, loss_order(band))
    wall = next(n for n, slot in enumerate(army.slots) if slot.key == "settlement")
    place = {kind: next(n for n, one in enumerate(army.slots) if one.equals(slot)) for kind, slot in slots.items()}
    of_slot = {slot: place[kind] for kind, slot in slots.items()}
    battered, starts = batterers([attacker]), []
    for draw, joined in zip(chances, taken, strict=True):
        left = [0] * len(army.slots)
        for kind in draw.creatures if draw.fought else ():
            left[place[kind]] += 1
        if joined:
            left[of_slot[joined]] -= 1
        left[wall] = max(0, draw.settlement - battered) if draw.fought else 0
        starts.append(Condition(tuple(left)))
    found = Catalogue(army, starts, aims(sides, band), leaves=False)
    return found, found.starts
