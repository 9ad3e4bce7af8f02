"""Unit cards, the tables of `data/`, and the armies that a scenario lists (docs/rules/birthright.md section 2)."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal, get_args

from simulator.rules.battle import Refusal
from simulator.rules.toolkit import retreat
from simulator.rules.toolkit.retreat import Leave

if TYPE_CHECKING:
    from simulator.rules.birthright.model import Group

Class = Literal[
    "archers", "artillery", "cavalry", "elite-infantry", "infantry",
    "irregulars", "knights", "levies", "pikemen", "scouts",
]  # fmt: skip
Type = Literal["infantry", "artillery", "cavalry"]
Terrain = Literal["plains", "hills", "woods", "mountain", "marsh", "underground"]
Rows = tuple[tuple[int, ...], ...]
ROLES = ("attack", "defend")
MOST_HITS = 3
MOST_IN_ENTRY = 60
LISTS = ("melee", "charge", "missile")
NUMBERS = ("move", "defence", "morale", "hits")
# Names that players give to the units of a people; the plain names are the human ones.
PEOPLES = {"anuirean": "", "human": "", "elven": "sidhe-", "elf": "sidhe-", "dwarven": "dwarf-"}
ENTRY_TEXT = re.compile(r"\s*(?:(\d+)\s*(?:[x×*]\s*|\s))?\s*(.*?)\s*")


@dataclass(frozen=True)
class Unit:
    """A company card: `melee`, `charge` and `missile` are values by hits taken so far (empty: cannot)."""

    name: str
    kind: str
    type: str
    move: int
    defence: int
    morale: int
    melee: tuple[int, ...]
    charge: tuple[int, ...]
    missile: tuple[int, ...]
    hits: int
    strength: int = 0

    @property
    def steps(self) -> int:
        """Hits that destroy it."""
        return self.hits + 1


@dataclass(frozen=True)
class Entry:
    """An entry of an army list: `count` equal units."""

    unit: Unit
    count: int

    def __str__(self) -> str:
        return f"{self.count} x {self.unit.name}"


def strength(unit: Unit) -> int:
    """Strength derived from a unit's other values (section 2.2)."""

    def grade(value: int, low: int, high: int) -> int:
        return int(value >= low) + int(value >= high)

    points = 1 + grade(unit.melee[0], 3, 5) + grade(unit.defence, 3, 5) + int(unit.move >= 3)
    points += grade(unit.missile[0], 1, 4) if unit.missile else 0
    points += grade(unit.charge[0], 1, 6) if unit.charge else 0
    points += 1 if unit.morale >= 3 else -1 if unit.morale == 1 else 0
    return max(1, points + unit.steps - 2)


def _lines(name: str) -> list[dict[str, str]]:
    text = (resources.files(__package__) / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _require(valid: bool, name: str, problem: object) -> None:
    if not valid:
        raise ValueError(f"data/{name}.csv: {problem}")


@cache
def unit_cards() -> dict[str, Unit]:
    """The units of `units.csv` by name. Raises ValueError for an invalid file."""
    cards: dict[str, Unit] = {}
    for line in _lines("units"):
        lists = {name: tuple(int(value) for value in line[name].split("/") if value) for name in LISTS}
        values: dict[str, Any] = lists | {name: int(line[name]) for name in (*NUMBERS, "strength")}
        unit = Unit(name=line["unit"], kind=line["class"], type=line["type"], **values)
        known = unit.kind in get_args(Class) and unit.type in get_args(Type) and unit.name not in cards
        fitting = unit.melee != () and all(len(card) in {0, unit.steps} for card in lists.values())
        _require(known and fitting and unit.hits <= MOST_HITS and unit.strength == strength(unit), "units", line)
        cards[unit.name] = unit
    return cards


def unit_rows() -> list[dict[str, object]]:
    """The cards as rows of plain values, in the columns of the override fields."""
    rows = []
    for card in unit_cards().values():
        row: dict[str, object] = {"unit": card.name, "class": card.kind, "type": card.type}
        row |= {name: getattr(card, name) for name in NUMBERS[:3]}
        row |= {name: "/".join(map(str, getattr(card, name))) for name in LISTS}
        rows.append(row | {"hits": card.hits, "strength": card.strength})
    return rows


@cache
def terrain_values() -> dict[tuple[str, str, str], int | None]:
    """Twice the modifier (there are halves) by (class, terrain, role); None where the class is not usable."""
    values = {}
    for line in _lines("terrain"):
        twice = 2 * float(line["modifier"])
        _require(twice == int(twice) and line["usable"] in {"0", "1"}, "terrain", line)
        values[line["class"], line["terrain"], line["role"]] = int(twice) if line["usable"] == "1" else None
    keys = {(c, t, r) for c in get_args(Class) for t in get_args(Terrain) for r in ROLES}
    _require(set(values) == keys, "terrain", "a row is missing")
    return values


@cache
def battle_table() -> tuple[str, ...]:
    """Results of a d10 from 1 to 9 in the columns -3 to +3: a text of nine letters for each column."""
    lines = _lines("battle_table")
    _require([line["roll"] for line in lines] == list("123456789"), "battle_table", "rolls go from 1 to 9")
    columns = tuple("".join(line[str(column)] for line in lines) for column in range(-3, 4))
    _require(set("".join(columns)) <= set("-FHRD"), "battle_table", "results are - F H R D")
    return columns


@cache
def number_rows(name: str) -> Rows:
    """The rows of a file that holds only numbers."""
    return tuple(tuple(int(value) for value in line.values()) for line in _lines(name))


def army(entries: Sequence[Group | str], field: str, most: int, least: int = 1) -> list[Entry]:
    """The entries of the army list at path `field`, of `least` to `most` units. Raises Refusal."""
    read = [
        _entry_of_text(entry, f"{field}[{i}]") if isinstance(entry, str) else _entry_of_group(entry, f"{field}[{i}]")
        for i, entry in enumerate(entries)
    ]
    total = sum(entry.count for entry in read)
    if total < least:
        raise Refusal(field, 'needs at least one unit, such as {unit = "infantry", count = 3} or "3 x infantry"')
    if total > most:
        raise Refusal(field, f"{total} units are not allowed; at most {most}")
    return read


def _entry_of_group(given: Group, field: str) -> Entry:
    """A table of an army list: a card with its overrides, or a unit of one's own (section 2.1)."""
    changes = given.changes()
    card = unit_cards().get(given.unit)
    if card is None:
        if not {"melee", "defence", "morale"} <= set(changes):
            raise Refusal(f"{field}.unit", _no_such_unit(given.unit))
        card = Unit(given.unit, "infantry", "infantry", 1, 0, 1, (), (), (), 1)
    unit = replace(card, **changes)
    for name in LISTS:
        values = getattr(unit, name)
        if len(values) != unit.steps and (values or name == "melee"):
            written = "/".join(map(str, values)) or "nothing"
            raise Refusal(
                f"{field}.{name}",
                f"{written} is not allowed; {unit.name} with hits = {unit.hits} has {unit.steps} values, by hits taken",
            )
    derived = "strength" not in changes and not {*LISTS, *NUMBERS}.isdisjoint(changes)
    return Entry(replace(unit, strength=strength(unit)) if derived else unit, given.count)


def _entry_of_text(text: str, field: str) -> Entry:
    """A text of an army list, such as `4 x anuirean knights`."""
    count, words = ENTRY_TEXT.fullmatch(text).groups()  # type: ignore[union-attr]
    number = int(count or 1)
    if not 1 <= number <= MOST_IN_ENTRY:
        raise Refusal(field, f"{number} units are not allowed; give a count from 1 to {MOST_IN_ENTRY}")
    name = re.sub(r"[\s_-]+", "-", words.lower())
    people, _, rest = name.partition("-")
    name = PEOPLES[people] + rest if people in PEOPLES and rest else name
    cards = unit_cards()
    card = cards.get(name) or cards.get(f"{name}s")
    if card is None:
        raise Refusal(field, _no_such_unit(name))
    return Entry(card, number)


def _no_such_unit(name: str) -> str:
    names = list(unit_cards())
    near = difflib.get_close_matches(name, names, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(names)}"
    return f"no unit {name!r}; {hint} (a unit of your own needs melee, defence and morale)"


def in_order(entries: Sequence[Entry], key: Callable[[Unit], int]) -> list[Entry]:
    """Entries by a key of their units, lowest first, equal ones as listed."""
    return sorted(entries, key=lambda entry: key(entry.unit))


def retreat_policy(name: str, start: int) -> Leave:
    """A side's policy `retreat`, with `start` units or steps at the start (section 3.4, step 3; section 4)."""
    if name == "half":
        return retreat.half_of(start)
    return retreat.outnumbered(Fraction(1, 2)) if name == "outmatched" else retreat.never()
