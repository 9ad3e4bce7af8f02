"""Counters and how a player writes them (docs/rules/kings_and_things.md section 2); the counter lists in `data/`."""

from __future__ import annotations

import csv
import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from simulator.rules.battle import Refusal
from simulator.rules.kings_and_things.model import CreatureTable, Entry

_CODE = re.compile(r"(\d+)([MRCF*]*)$", re.IGNORECASE)
_NUMBER = re.compile(r"(\d+)\s*(?:x\s+|[×*]\s*)(\S.*)$", re.IGNORECASE)
SYMBOLS = {"magic": "M", "ranged": "R", "charge": "C"}
HIGHEST_VALUE = 6


@dataclass(frozen=True)
class Creature:
    """One counter: printed combat value, fighting symbol ("", "M", "R" or "C"), and what it is called.

    `key` is equal for counters written alike; `special` is the id of a special character or ""; `row` is the id in
    `creatures.csv` when it was given by name.
    """

    label: str
    key: str
    value: int
    symbol: str = ""
    special: str = ""
    row: str = ""


@dataclass(frozen=True)
class Row:
    """A line of `creatures.csv`, `special_characters.csv` or, with its own `group`, of `cup_others.csv`."""

    id: str
    name: str
    value: int
    symbol: str
    count: int
    group: str
    terrain: str

    @property
    def special(self) -> bool:
        """Is it a special character? Of these the cup holds none."""
        return self.group == "special"

    @property
    def fights(self) -> bool:
        """Is it a creature or a special character?"""
        return self.group in {"creature", "special"}

    @property
    def copies(self) -> str:
        """Counters of equal name, value and symbol are copies of one another."""
        return plain(f"{self.name}{self.value}{self.symbol}" if self.fights else self.name)


def plain(text: str) -> str:
    """Letters and digits only, in lower case: how names are compared."""
    return "".join(char for char in text.lower() if char.isalnum())


@cache
def counters() -> tuple[Row, ...]:
    """All creatures, special characters and other counters of the cup."""
    folder, rows = resources.files("simulator.rules.kings_and_things") / "data", []
    for name, group in (("creatures", "creature"), ("special_characters", "special"), ("cup_others", "")):
        for line in csv.DictReader((folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()):
            symbol = "".join(mark for word, mark in SYMBOLS.items() if line.get(word) == "true")
            value, count = int(line.get("combat_value") or line["value"]), int(line.get("count", 1))
            rows.append(
                Row(line["id"], line["name"], value, symbol, count, group or line["group"], line.get("terrain", ""))
            )
    return tuple(rows)


def catalogue() -> list[Row]:
    """All creatures and special characters."""
    return [row for row in counters() if row.fights]


@cache
def _by_name() -> dict[str, tuple[Row, ...]]:
    """Rows by each way of writing them: name, id, name + value, name + value + symbol."""
    found: dict[str, dict[str, Row]] = {}
    for row in catalogue():
        ways = (row.name, row.id, f"{row.name}{row.value}", f"{row.name}{row.value}{row.symbol}")
        for way in ways:
            found.setdefault(plain(way), {})[row.id] = row
    return {way: tuple(rows.values()) for way, rows in found.items()}


def rows_named(text: str) -> tuple[Row, ...]:
    """All rows that a name may mean; none for an unknown one."""
    return _by_name().get(plain(text), ())


def _way(row: Row) -> str:
    return f"{row.name} {row.value}{row.symbol}"


def look_up(text: str, field: str) -> Row:
    """The row of a name; several rows of equal value and symbol are as one. Refuses unknown and ambiguous names."""
    rows = rows_named(text)
    if not rows:
        names = {plain(row.name): row.name for row in catalogue()}
        near = difflib.get_close_matches(plain(text), names, 1)
        hint = f"did you mean {names[near[0]]}? " if near else ""
        raise Refusal(field, f"no creature {text!r}; {hint}give a name or a code like 3, 3R, 2M, 4C")
    if len({(row.value, row.symbol) for row in rows}) > 1:
        ways = ", ".join(dict.fromkeys(_way(row) for row in rows))
        raise Refusal(field, f"{text!r} is ambiguous; give one of {ways}")
    return rows[0]


def counted(text: str, field: str) -> tuple[int, str]:
    """`"4 x Goblins"` as (4, "Goblins"); a bare entry counts once."""
    match = _NUMBER.match(text.strip())
    if not match:
        return 1, text.strip()
    if int(match[1]) < 1:
        raise Refusal(field, f"{text!r} is not allowed; the number in front is 1 or more")
    return int(match[1]), match[2].strip()


def code(text: str, field: str) -> tuple[int, str, str] | None:
    """Value, fighting symbol and tidy spelling of a code like 3R; None if it is no code."""
    match = _CODE.match(text)
    if not match:
        return None
    marks = match[2].upper().replace("*", "M")
    return _checked_code(int(match[1]), marks, text, field)


def _checked_code(value: int, marks: str, text: str, field: str) -> tuple[int, str, str]:
    if value > HIGHEST_VALUE:
        raise Refusal(field, f"{text!r} has value {value}; a combat value goes from 0 to {HIGHEST_VALUE}")
    symbol = "".join(mark for mark in "MRC" if mark in marks)
    if len(symbol) > 1 or len(set(marks)) < len(marks):
        raise Refusal(field, f"{text!r} has more than one of M, R, C; give at most one fighting symbol")
    return value, symbol, f"{value}{symbol}" + ("F" if "F" in marks else "")


def key_of(text: str, field: str) -> str:
    """What counters written like `text` have in common, as `Creature.key`."""
    found = code(text, field)
    if found:
        return f"code {found[2]}"
    rows = rows_named(text)
    return f"row {rows[0].id}" if len({(row.value, row.symbol) for row in rows}) == 1 else f"label {plain(text)}"


def from_text(text: str, field: str) -> Creature:
    """One counter from a name or code, without a number in front."""
    found = code(text, field)
    if found:
        return Creature(found[2], f"code {found[2]}", found[0], found[1])
    row = look_up(text, field)
    if row.special:
        return Creature(row.name, f"row {row.id}", row.value, row.symbol, special=row.id)
    label = row.name if len({(r.value, r.symbol) for r in rows_named(row.name)}) == 1 else _way(row)
    return Creature(label, f"row {row.id}", row.value, row.symbol, row=row.id)


def from_table(entry: CreatureTable, field: str) -> Creature:
    """One counter from a table: raw numbers, or a name to look up.

    Raw numbers under the name of a special character are that character with its printed numbers overridden.
    """
    if entry.value is None:
        if entry.name is None:
            raise Refusal(field, "a table needs a value (0-6) or a name")
        if entry.magic or entry.ranged or entry.charge:
            raise Refusal(field, f"value is needed with symbols (for {entry.name!r}); give a number from 0 to 6")
        return from_text(entry.name, field)
    marks = "".join(mark for word, mark in SYMBOLS.items() if getattr(entry, word)) + "F" * entry.flying
    value, symbol, spelled = _checked_code(entry.value, marks, f"{entry.value}{marks}", field)
    if entry.name is None:
        return Creature(spelled, f"code {spelled}", value, symbol)
    rows = rows_named(entry.name)
    special = rows[0].id if rows and rows[0].special else ""
    return Creature(entry.name, key_of(entry.name, field), value, symbol, special=special)


def parse(entries: Sequence[Entry], field: str) -> list[Creature]:
    """All counters of a `creatures` list, in the order written. Refuses what section 8 lists."""
    found = []
    for place, entry in enumerate(entries):
        where = f"{field}[{place}]"
        if isinstance(entry, str):
            number, text = counted(entry, where)
            found += [from_text(text, where)] * number
        else:
            found += [from_table(entry, where)] * entry.count
    return found
