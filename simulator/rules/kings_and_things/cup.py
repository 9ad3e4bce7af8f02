"""The cup (docs/rules/kings_and_things.md section 7): what it holds, what may be drawn, what is kept of a draw."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from simulator.engine.model.chance import seen_as
from simulator.rules.kings_and_things.creatures import Row, counted, counters, from_text, parse
from simulator.rules.kings_and_things.model import SETTLEMENTS, Exploration
from simulator.rules.toolkit.naming import plain
from simulator.rules.toolkit.policies import refuse

ROLLS, MOST_DRAWN = (2, 3, 4, 5), 5
# What a counter is in the draw: a creature (value, symbol), or what it leaves in the hex: a place, is it loot? Special
# income counters (2 x value) and settlements (and 1) have a place: only the highest stays, of equals the settlement.
Kind = tuple[Any, ...]


def check_cup(scenario: Exploration) -> None:
    """Refuse a bad roll or cup."""
    conditions, roll = scenario.conditions, scenario.conditions.exploration_roll
    allowed = f"{roll} is not allowed; give 0 (it is rolled) or 2 to 5"
    refuse(roll not in (0, *ROLLS), "conditions.exploration_roll", allowed)
    both = conditions.cup is not None and conditions.cup_removed is not None
    refuse(both, "conditions.cup_removed", "goes with the full cup; leave it or conditions.cup out")
    size, most = sum(contents(scenario).values()), roll or MOST_DRAWN
    refuse(size < most, "conditions.cup", f"holds {size} counters, but up to {most} are drawn; add some")


def contents(scenario: Exploration) -> Counter[Kind]:
    """How many counters of each kind the cup holds: as given, or the full cup but for what the attacker has by name."""
    conditions, attacker, found = scenario.conditions, scenario.attacker, Counter[Kind]()
    for place, entry in enumerate(conditions.cup or ()):
        number, text = counted(entry, f"conditions.cup[{place}]")
        found[_kind(text, f"conditions.cup[{place}]")] += number
    if conditions.cup is not None:
        return found
    rows = [row for row in counters() if row.group != "special"]
    kinds, left = {row.copies: _kind_of(row, conditions.terrain) for row in rows}, Counter[str]()
    for row in rows:
        left[row.copies] += row.count
    for place, entry in enumerate(conditions.cup_removed or ()):
        where = f"conditions.cup_removed[{place}]"
        number, text = counted(entry, where)
        name = _copies(text, where)
        many = f"{entry!r} is more than the cup holds; there are {left[name]} left to remove"
        refuse(number > left[name], where, many)
        left[name] -= number
    held = [creature.copies for creature in parse(attacker.creatures, "attacker.creatures") if creature.copies]
    for name in (*held, *map(plain, attacker.items)):
        left[name] = max(0, left[name] - 1)
    for name, number in left.items():
        found[kinds[name]] += number
    return found


def _kind(text: str, where: str) -> Kind:
    word = text.strip().lower()
    if word in SETTLEMENTS[1:]:
        return 2 * SETTLEMENTS.index(word) + 1, 1
    if word in ("loot", "nothing"):
        return 0, int(word == "loot")
    if word.partition(":")[0].strip() == "income":
        value = word.partition(":")[2].strip()
        refuse(value not in set("123456789"), where, f"{text!r} is not allowed; write income:N with N from 1 to 9")
        return 2 * int(value), 1
    creature = from_text(text, where)
    refuse(creature.special, where, f"{creature.label} is a special character; the cup holds none")
    return creature.value, creature.symbol


def _copies(text: str, where: str) -> str:
    """The name under which a counter of the full cup is counted."""
    for row in counters():
        if not row.fights and plain(text) in (plain(row.name), plain(row.id)):
            return row.copies
    creature = from_text(text, where)
    refuse(not creature.copies, where, f"{text!r} is not a counter of the full cup; give a name of one")
    return creature.copies


def _kind_of(row: Row, terrain: str) -> Kind:
    if row.fights:
        return row.value, row.symbol
    if row.group == "settlement" or (row.group == "income" and row.terrain == terrain):
        return 2 * row.value + (row.group == "settlement"), 1
    return 0, int(row.group in ("magic-item", "treasure"))


def draws(scenario: Exploration) -> tuple[list[Kind], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Kinds of creatures (value, symbol); of all defenders that can be met, one row each: how many of each kind, the
    settlement's level, is there any loot, and the chance. Where there are none the hex is taken without a fight.
    """
    held, roll = contents(scenario), scenario.conditions.exploration_roll
    kinds = [kind for kind, number in held.items() if number and isinstance(kind[1], str)]
    others = {kind: number for kind, number in held.items() if isinstance(kind[1], int)}
    people = {(i,): held[kind] for i, kind in enumerate(kinds)}
    creatures = _by_size(people, tuple[int, ...](), lambda chosen, kind, number: chosen + kind * number)
    kept = _by_size(others, (0, 0), lambda kept, kind, number: (max(kept[0], kind[0]), max(kept[1], kind[1])))
    # What defends is the level of a settlement that stays.
    rest = [seen_as(one, lambda stays: (stays[0] // 2 * (stays[0] % 2), stays[1])) for one in kept]
    sizes = {roll: Fraction(1)} if roll else dict.fromkeys(ROLLS, Fraction(1, 6))
    # Draws of as many creatures with the same settlement and loot go together.
    found = {(0, 0, 0): np.array([0.0 if roll else 1 / 3])}
    for size, chance in sizes.items():
        each = float(chance / comb(held.total(), size))
        for number in range(size + 1):
            ways = np.array(list(creatures[number].values()), np.float64)
            for (level, loot), others_ways in rest[size - number].items():
                defended = number or (level and scenario.options.lone_settlement_defends)
                what = (number, level, loot) if defended else (0, 0, 0)
                found[what] = found.get(what, 0.0) + each * (ways * others_ways)
    met = {what: chance for what, chance in found.items() if chance.any()}
    one_each = np.eye(len(kinds), dtype=np.int8)
    counts = [one_each[np.array(list(chosen), np.int64)].sum(axis=1, dtype=np.int64) for chosen in creatures]
    _, level, loot = (np.repeat(column, list(map(len, met.values()))) for column in zip(*met, strict=True))
    creatures_met = np.concatenate([counts[number] for number, *_ in met])
    return kinds, creatures_met, level, loot, np.concatenate([*met.values()])


def _by_size(kinds: Mapping[Kind, int], nothing: Kind, grown: Callable[[Kind, Kind, int], Kind]) -> list[Counter[Kind]]:
    """What 0 to 5 counters come to, with the ways to draw them; `grown(kept, kind, number)` adds some of a kind."""
    found = [Counter({nothing: 1}), *(Counter[Kind]() for _ in range(MOST_DRAWN))]
    for kind, copies in kinds.items():
        for size in range(MOST_DRAWN, 0, -1):
            for number in range(1, min(copies, size) + 1):
                for kept, ways in found[size - number].items():
                    found[size][grown(kept, kind, number)] += ways * comb(copies, number)
    return found
