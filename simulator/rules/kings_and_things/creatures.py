"""Counters and their notations, the counter lists in `data/`, and draws from the cup with their chances.

Rules: docs/rules/kings_and_things.md sections 2 and 7.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, lru_cache
from math import comb
from typing import Any, get_args

import numpy as np

from simulator.engine.model.chance import seen_as
from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things.model import SETTLEMENTS, CreatureTable, Entry, Exploration, Item
from simulator.rules.toolkit.naming import plain
from simulator.rules.toolkit.policies import refuse
from simulator.rules.toolkit.sheets import lines_of

_CODE = re.compile(r"(\d+)([MRCF*]*)$", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)\s*(?:x\s+|[×*]\s*)(\S.*)$", re.IGNORECASE)
SYMBOLS = {"magic": "M", "ranged": "R", "charge": "C", "flying": "F"}
HIGHEST_VALUE = 6
ROLLS, MOST_DRAWN = (2, 3, 4, 5), 5
# In the cup a creature is (value, symbol). Other counters are (rank, loot): the one of highest rank stays in the hex.
# Special income has the rank 2 x value, a settlement one more; loot is 1 for treasures, items and counters that stay.
Kind = tuple[Any, ...]


@dataclass(frozen=True)
class Creature:
    """One counter: label, printed combat value and fighting symbol ("", "M", "R" or "C").

    `key` is equal for counters written alike; `special` is the id of a special character or ""; `copies` is its name
    in the cup where it was given by name (see `Row`).
    """

    label: str
    key: str
    value: int
    symbol: str = ""
    special: str = ""
    copies: str = ""


@dataclass(frozen=True)
class Row:
    """A line of `creatures.csv`, `special_characters.csv` or, with its own `group`, of `cup_others.csv`.

    `ways` are its symbols in words, `symbol` is the one that it fights by. The cup holds no special characters.
    """

    id: str
    name: str
    value: int
    ways: tuple[str, ...]
    symbol: str
    count: int
    group: str
    terrain: str

    @property
    def fights(self) -> bool:
        """It is a creature or a special character."""
        return self.group in {"creature", "special"}

    @property
    def full_name(self) -> str:
        """Name, value and symbol."""
        return f"{self.name} {self.value}{self.symbol}"

    @property
    def copies(self) -> str:
        """Counters of equal name, value and symbol are copies of one another."""
        return plain(self.full_name if self.fights else self.name)


@cache
def counters() -> tuple[Row, ...]:
    """All creatures, special characters and other counters of the cup."""
    rows = []
    for name, group in (("creatures", "creature"), ("special_characters", "special"), ("cup_others", "")):
        for line in lines_of("simulator.rules.kings_and_things", name):
            ways = tuple(word for word in SYMBOLS if line.get(word) == "true")
            symbol = "".join(SYMBOLS[word] for word in ways if word != "flying")
            value, count = int(line.get("combat_value") or line["value"]), int(line.get("count", 1))
            home = group or line["group"], line.get("terrain", "")
            rows.append(Row(line["id"], line["name"], value, ways, symbol, count, *home))
    return tuple(rows)


@cache
def fighters() -> Mapping[str, list[Row]]:
    """Creatures and special characters by each way of writing them: name, id, name + value, name + value + symbol."""
    rows = defaultdict(list)
    for row in counters():
        for way in {plain(text) for text in (row.name, row.id, f"{row.name}{row.value}", row.full_name) if row.fights}:
            rows[way].append(row)
    return rows


def rows_named(text: str) -> list[Row]:
    """All rows that a name may stand for; none for an unknown name."""
    return fighters().get(plain(text), [])


def alike(rows: Sequence[Row]) -> bool:
    """There are rows, and all are copies of one counter."""
    return len({row.copies for row in rows}) == 1


def counted(text: str, field: str) -> tuple[int, str]:
    """`"4 x Goblins"` as (4, "Goblins"); a bare entry counts once."""
    match = _NUMBER.match(text.strip())
    if not match:
        return 1, text.strip()
    refuse(int(match[1]) < 1, field, f"{text!r} is not allowed; the number in front is 1 or more")
    return int(match[1]), match[2].strip()


def by_numbers(value: int, marks: str, text: str, field: str) -> Creature:
    """One counter by raw numbers. Raises Refusal for a value too high or several fighting symbols."""
    refuse(value > HIGHEST_VALUE, field, f"{text!r} has value {value}; a combat value goes from 0 to {HIGHEST_VALUE}")
    symbol = "".join(mark for mark in "MRC" if mark in marks)
    several = len(symbol) > 1 or len(set(marks)) < len(marks)
    refuse(several, field, f"{text!r} has more than one of M, R, C; give at most one fighting symbol")
    spelled = f"{value}{symbol}{'F' if 'F' in marks else ''}"
    return Creature(spelled, f"code {spelled}", value, symbol)


@lru_cache(maxsize=4096)
def creature_named(text: str, field: str) -> Creature | None:
    """One counter from a name or code, without a number in front; None for an unknown or ambiguous name.

    Rows of equal name, value and symbol count as one.
    """
    if match := _CODE.match(text):
        return by_numbers(int(match[1]), match[2].upper().replace("*", "M"), text, field)
    rows = rows_named(text)
    if not alike(rows):
        return None
    row = rows[0]
    label = row.name if alike(rows_named(row.name)) else row.full_name
    names = {"special": row.id} if row.group == "special" else {"copies": row.copies}
    return Creature(label, f"row {row.id}", row.value, row.symbol, **names)


def key_of(text: str, field: str) -> str:
    """The `Creature.key` of counters written like `text`."""
    creature = creature_named(text, field)
    return creature.key if creature else f"label {plain(text)}"


def from_text(text: str, field: str) -> Creature:
    """As `creature_named`; raises Refusal for unknown and ambiguous names."""
    if creature := creature_named(text, field):
        return creature
    ways = ", ".join(dict.fromkeys(row.full_name for row in rows_named(text)))
    refuse(ways, field, f"{text!r} is ambiguous; give one of {ways}")
    names = {plain(row.name): row.name for row in counters() if row.fights}
    near = difflib.get_close_matches(plain(text), names, 1)
    hint = f"did you mean {names[near[0]]}? " if near else ""
    raise Refusal(field, f"no creature {text!r}; {hint}give a name or a code like 3, 3R, 2M, 4C")


def from_table(entry: CreatureTable, field: str) -> Creature:
    """One counter from a table: raw numbers, or a name to look up. Raises Refusal.

    Raw numbers under the name of a special character are that character with its printed numbers overridden.
    """
    marks = "".join(mark for word, mark in SYMBOLS.items() if getattr(entry, word))
    if entry.value is None:
        if entry.name is None:
            raise Refusal(field, "a table needs a value (0-6) or a name")
        needed = f"value is needed with symbols (for {entry.name!r}); give a number from 0 to 6"
        refuse(marks.strip("F"), field, needed)
        return from_text(entry.name, field)
    creature = by_numbers(entry.value, marks, f"{entry.value}{marks}", field)
    if entry.name is None:
        return creature
    special = (creature_named(entry.name, field) or creature).special
    return replace(creature, label=entry.name, key=key_of(entry.name, field), special=special)


def parse(entries: Sequence[Entry], field: str) -> list[Creature]:
    """All counters of a `creatures` list, in the order written. Raises Refusal (section 8)."""
    creatures: list[Creature] = []
    for place, entry in enumerate(entries):
        where = f"{field}[{place}]"
        if isinstance(entry, str):
            number, text = counted(entry, where)
            creatures += [from_text(text, where)] * number
        else:
            creatures += [from_table(entry, where)] * entry.count
    return creatures


def creature_rows() -> list[dict[str, Any]]:
    """Every creature and special character as a scenario names it: value, how it fights, home, copies in the cup."""
    return [
        {
            "name": row.name if len(rows_named(row.name)) == 1 else row.id,
            "value": row.value,
            "fights": " ".join(row.ways) or "melee",
            "home": "special character" if row.group == "special" else row.terrain,
            "copies": row.count,
        }
        for row in counters()
        if row.fights
    ]


def item_rows() -> list[dict[str, Any]]:
    """The magic items with an effect in battle, as `items` takes them."""
    names = {row.id: row.name for row in counters()}
    return [{"item": item, "counter": names[item]} for item in get_args(Item)]


# --- the cup


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
    lone = scenario.options.lone_settlement_defends
    return _draws(tuple(contents(scenario).items()), scenario.conditions.exploration_roll, lone)


# The full cup takes 0.17 s, and scenarios that are compared mostly have the same one: 9 to 10 MB are kept for each.
@lru_cache(maxsize=2)
def _draws(
    cup: tuple[tuple[Kind, int], ...], roll: int, lone_settlement_defends: bool
) -> tuple[list[Kind], np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    held = Counter(dict(cup))
    kinds = [kind for kind, number in held.items() if number and isinstance(kind[1], str)]
    others = {kind: number for kind, number in held.items() if isinstance(kind[1], int)}
    people = {(i,): held[kind] for i, kind in enumerate(kinds)}
    most = roll or MOST_DRAWN
    creatures = _by_size(people, most, tuple[int, ...](), lambda chosen, kind, number: chosen + kind * number)
    kept = _by_size(others, most, (0, 0), lambda kept, kind, number: (max(kept[0], kind[0]), max(kept[1], kind[1])))
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
                defended = number or (level and lone_settlement_defends)
                what = (number, level, loot) if defended else (0, 0, 0)
                chances[what] = chances.get(what, 0.0) + each * (ways * others_ways)
    possible = {what: chance for what, chance in chances.items() if chance.any()}
    one_each = np.eye(len(kinds), dtype=np.int8)
    counts = [one_each[np.array(list(chosen), np.int64)].sum(axis=1, dtype=np.int64) for chosen in creatures]
    _, level, loot = (np.repeat(column, list(map(len, possible.values()))) for column in zip(*possible, strict=True))
    drawn = np.concatenate([counts[number] for number, *_ in possible])
    return kinds, drawn, level, loot, np.concatenate([*possible.values()])


def _by_size(
    kinds: Mapping[Kind, int], most: int, nothing: Kind, grown: Callable[[Kind, Kind, int], Kind]
) -> list[Counter[Kind]]:
    """Ways to draw 0 to `most` counters, by result; `grown(kept, kind, number)` adds `number` counters of a kind."""
    ways_by_size = [Counter({nothing: 1}), *(Counter[Kind]() for _ in range(most))]
    for kind, copies in kinds.items():
        for size in range(most, 0, -1):
            for number in range(1, min(copies, size) + 1):
                for kept, ways in ways_by_size[size - number].items():
                    ways_by_size[size][grown(kept, kind, number)] += ways * comb(copies, number)
    return ways_by_size
