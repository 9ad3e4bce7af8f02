"""Unit cards and the tables of `data/`, and what a player writes for an army (docs/rules/birthright.md section 2)."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from simulator.rules.battle import Refusal

if TYPE_CHECKING:
    from simulator.rules.birthright.model import Group

CLASSES = (
    "archers", "artillery", "cavalry", "elite-infantry", "infantry",
    "irregulars", "knights", "levies", "pikemen", "scouts",
)  # fmt: skip
TYPES = ("infantry", "artillery", "cavalry")
TERRAINS = ("plains", "hills", "woods", "mountain", "marsh", "underground")
ROLES = ("attack", "defend")
MOST_HITS = 3
LISTS = ("melee", "charge", "missile")
OF_STRENGTH = {*LISTS, "defence", "morale", "hits", "move"}
# How players speak of the units of a people; the plain names are the human ones.
PEOPLES = {"anuirean": "", "human": "", "elven": "sidhe-", "elf": "sidhe-", "dwarven": "dwarf-"}
_SPOKEN = re.compile(r"\s*(?:(\d+)\s*(?:[x×*]\s*|\s))?\s*(.*?)\s*")


@dataclass(frozen=True)
class Unit:
    """A company card: values by hits taken so far in `melee`, `charge` and `missile` (empty: cannot)."""

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
    """A line of an army list: so many equal units."""

    unit: Unit
    count: int

    def __str__(self) -> str:
        return f"{self.count} x {self.unit.name}"


Rows = tuple[tuple[int, ...], ...]


def strength(unit: Unit) -> int:
    """Strength by a unit's other values (section 2.2)."""

    def grade(value: int, some: int, more: int) -> int:
        return int(value >= some) + int(value >= more)

    points = 1 + grade(unit.melee[0], 3, 5) + grade(unit.defence, 3, 5) + int(unit.move >= 3)
    points += grade(unit.missile[0], 1, 4) if unit.missile else 0
    points += grade(unit.charge[0], 1, 6) if unit.charge else 0
    points += 1 if unit.morale >= 3 else -1 if unit.morale == 1 else 0
    points += unit.steps - 2
    return max(1, points)


def _lines(name: str) -> list[dict[str, str]]:
    text = (resources.files(__package__) / "data" / f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _sound(name: str, fine: bool, what: object) -> None:
    if not fine:
        raise ValueError(f"data/{name}.csv: {what}")


@cache
def unit_cards() -> dict[str, Unit]:
    """The units of `units.csv` by name. Raises ValueError for a file that is not sound."""

    def values(text: str) -> tuple[int, ...]:
        return tuple(int(value) for value in text.split("/")) if text else ()

    cards = {}
    for line in _lines("units"):
        lists = {name: values(line[name]) for name in LISTS}
        numbers = {name: int(line[name]) for name in ("move", "defence", "morale", "hits", "strength")}
        unit = Unit(name=line["unit"], kind=line["class"], type=line["type"], **numbers, **lists)  # type: ignore[arg-type]
        _sound("units", unit.kind in CLASSES and unit.type in TYPES and unit.name not in cards, line)
        _sound("units", all(len(card) in {0, unit.steps} for card in lists.values()) and unit.melee != (), line)
        _sound("units", unit.strength == strength(unit) and unit.hits <= MOST_HITS, line)
        cards[unit.name] = unit
    return cards


def unit_rows() -> list[dict[str, object]]:
    """The cards as plain values, for lists of names."""
    rows = []
    for card in unit_cards().values():
        lists = {name: "/".join(map(str, getattr(card, name))) for name in LISTS}
        row = {"unit": card.name, "class": card.kind, "type": card.type, "move": card.move, "defence": card.defence}
        rows.append(row | {"morale": card.morale} | lists | {"hits": card.hits, "strength": card.strength})
    return rows


@cache
def terrain_values() -> dict[tuple[str, str, str], int | None]:
    """Twice the modifier by (class, terrain, role), since there are halves; None where the class is of no use."""
    found = {}
    for line in _lines("terrain"):
        twice = 2 * float(line["modifier"])
        _sound("terrain", twice == int(twice) and line["usable"] in {"0", "1"}, line)
        found[line["class"], line["terrain"], line["role"]] = int(twice) if line["usable"] == "1" else None
    _sound("terrain", set(found) == {(c, t, r) for c in CLASSES for t in TERRAINS for r in ROLES}, "a row is missing")
    return found


@cache
def battle_table() -> tuple[str, ...]:
    """Results of a d10 from 1 to 9 in the columns -3 to +3, one text of nine letters a column."""
    lines = _lines("battle_table")
    _sound("battle_table", [line["roll"] for line in lines] == list("123456789"), "rolls go from 1 to 9")
    columns = tuple("".join(line[str(column)] for line in lines) for column in range(-3, 4))
    _sound("battle_table", set("".join(columns)) <= set("-FHRD"), "results are - F H R D")
    return columns


@cache
def number_rows(name: str) -> Rows:
    """The rows of a file that holds only numbers."""
    return tuple(tuple(int(value) for value in line.values()) for line in _lines(name))


def army(entries: Sequence[Group | str], field: str, most: int, least: int = 1) -> list[Entry]:
    """The entries of an army list at path `field`. Raises Refusal."""
    found = [_entry(entry, f"{field}[{i}]") for i, entry in enumerate(entries)]
    total = sum(entry.count for entry in found)
    if total < least:
        raise Refusal(field, 'needs at least one unit, such as {unit = "infantry", count = 3} or "3 x infantry"')
    if total > most:
        raise Refusal(field, f"{total} units are not allowed; at most {most}")
    return found


def _entry(given: Group | str, field: str) -> Entry:
    if isinstance(given, str):
        return _spoken(given, field)
    changes = given.changes()
    card = unit_cards().get(given.unit)
    if card is None:
        if not {"melee", "defence", "morale"} <= set(changes):
            raise Refusal(f"{field}.unit", _unknown(given.unit))
        card = Unit(given.unit, "infantry", "infantry", 1, 0, 1, (), (), (), 1)
        changes = {"strength": 0} | changes
    unit = replace(card, **changes)
    for name in LISTS:
        values = getattr(unit, name)
        if len(values) != unit.steps and (values or name == "melee"):
            written = "/".join(map(str, values)) or "nothing"
            raise Refusal(
                f"{field}.{name}",
                f"{written} is not allowed; {unit.name} with hits = {unit.hits} has {unit.steps} values, by hits taken",
            )
    derived = unit.strength == 0 or ("strength" not in changes and OF_STRENGTH & set(changes))
    return Entry(replace(unit, strength=strength(unit)) if derived else unit, given.count)


def _spoken(text: str, field: str) -> Entry:
    """`4 x anuirean knights`."""
    count, words = _SPOKEN.fullmatch(text).groups()  # type: ignore[union-attr]
    number = int(count or 1)
    if not 1 <= number <= 60:
        raise Refusal(field, f"{number} units are not allowed; give a count from 1 to 60")
    name = re.sub(r"[\s_-]+", "-", words.lower())
    people, _, rest = name.partition("-")
    name = PEOPLES[people] + rest if people in PEOPLES and rest else name
    card = next((unit_cards()[known] for known in (name, f"{name}s") if known in unit_cards()), None)
    if card is None:
        raise Refusal(field, _unknown(name))
    return Entry(card, number)


def _unknown(name: str) -> str:
    names = list(unit_cards())
    near = difflib.get_close_matches(name, names, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(names)}"
    return f"no unit {name!r}; {hint} (a unit of your own needs melee, defence and morale)"


def in_order(entries: Sequence[Entry], key: Callable[[Unit], int] | None) -> list[Entry]:
    """Entries by a key of their units, lowest first and else as listed."""
    return list(entries) if key is None else sorted(entries, key=lambda entry: key(entry.unit))
