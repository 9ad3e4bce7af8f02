"""The cup: its contents, and all draws with their chances (docs/rules/kings_and_things.md section 7)."""

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
# A creature is (value, symbol). Other counters are (rank, loot): the one of highest rank stays in the hex. Special
# income has the rank 2 x value, a settlement one more; loot is 1 for treasures, items and counters that stay.
Kind = tuple[Any, ...]


def check_cup(scenario: Exploration) -> None:
    """Refuse a roll or a cup that the rules do not allow. Raises Refusal."""
    conditions, roll = scenario.conditions, scenario.conditions.exploration_roll
    allowed = f"{roll} is not allowed; give 0 (it is rolled) or 2 to 5"
    refuse(roll not in (0, *ROLLS), "conditions.exploration_roll", allowed)
    both = conditions.cup is not None and conditions.cup_removed is not None
    refuse(both, "conditions.cup_removed", "goes with the full cup; leave it or conditions.cup out")
    size, most = sum(contents(scenario).values()), roll or MOST_DRAWN
    refuse(size < most, "conditions.cup", f"holds {size} counters, but up to {most} are drawn; add some")


def contents(scenario: Exploration) -> Counter[Kind]:
    """Counters of each kind in the cup: as given, or the full cup without the attacker's named counters."""
    conditions, attacker, cup = scenario.conditions, scenario.attacker, Counter[Kind]()
    for place, entry in enumerate(conditions.cup or ()):
        number, text = counted(entry, f"conditions.cup[{place}]")
        cup[_kind(text, f"conditions.cup[{place}]")] += number
    if conditions.cup is not None:
        return cup
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
        cup[kinds[name]] += number
    return cup


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
    """The `Row.copies` of a counter of the full cup. Raises Refusal for other counters."""
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
    """All defenders that can be drawn.

    Kinds of creatures (value, symbol); then, one row for each defender: creatures of each kind (int64, shape (draws,
    kinds)), level of the settlement, 1 if there is loot, and the chance. A row without defenders is a hex taken without
    a fight.
    """
    held, roll = contents(scenario), scenario.conditions.exploration_roll
    kinds = [kind for kind, number in held.items() if number and isinstance(kind[1], str)]
    others = {kind: number for kind, number in held.items() if isinstance(kind[1], int)}
    people = {(i,): held[kind] for i, kind in enumerate(kinds)}
    creatures = _by_size(people, tuple[int, ...](), lambda chosen, kind, number: chosen + kind * number)
    kept = _by_size(others, (0, 0), lambda kept, kind, number: (max(kept[0], kind[0]), max(kept[1], kind[1])))
    # A settlement that stays defends with its level.
    rest = [seen_as(one, lambda stays: (stays[0] // 2 * (stays[0] % 2), stays[1])) for one in kept]
    sizes = {roll: Fraction(1)} if roll else dict.fromkeys(ROLLS, Fraction(1, 6))
    # Chances of draws with as many creatures and the same settlement and loot, one for each choice of creatures.
    chances = {(0, 0, 0): np.array([0.0 if roll else 1 / 3])}
    for size, chance in sizes.items():
        each = float(chance / comb(held.total(), size))
        for number in range(size + 1):
            ways = np.array(list(creatures[number].values()), np.float64)
            for (level, loot), others_ways in rest[size - number].items():
                defended = number or (level and scenario.options.lone_settlement_defends)
                what = (number, level, loot) if defended else (0, 0, 0)
                chances[what] = chances.get(what, 0.0) + each * (ways * others_ways)
    possible = {what: chance for what, chance in chances.items() if chance.any()}
    one_each = np.eye(len(kinds), dtype=np.int8)
    counts = [one_each[np.array(list(chosen), np.int64)].sum(axis=1, dtype=np.int64) for chosen in creatures]
    _, level, loot = (np.repeat(column, list(map(len, possible.values()))) for column in zip(*possible, strict=True))
    drawn = np.concatenate([counts[number] for number, *_ in possible])
    return kinds, drawn, level, loot, np.concatenate([*possible.values()])


def _by_size(kinds: Mapping[Kind, int], nothing: Kind, grown: Callable[[Kind, Kind, int], Kind]) -> list[Counter[Kind]]:
    """Ways to draw 0 to 5 counters, by result; `grown(kept, kind, number)` adds `number` counters of a kind."""
    ways_by_size = [Counter({nothing: 1}), *(Counter[Kind]() for _ in range(MOST_DRAWN))]
    for kind, copies in kinds.items():
        for size in range(MOST_DRAWN, 0, -1):
            for number in range(1, min(copies, size) + 1):
                for kept, ways in ways_by_size[size - number].items():
                    ways_by_size[size][grown(kept, kind, number)] += ways * comb(copies, number)
    return ways_by_size
