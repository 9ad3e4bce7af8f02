"""What each table of the game must look like (`data/tables.toml` says it), and rows checked against that."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from itertools import product
from typing import Any

from simulator.rules.battle import Refusal

DATA = resources.files("simulator.rules.europa") / "data"
ENDLESS = 999

Value = int | str
Row = dict[str, Value]


@dataclass(frozen=True)
class Column:
    """Whole numbers of `numbers` (an empty cell stands for `blank`), or a text of `choices` (none: any text)."""

    numbers: range | None = None
    choices: tuple[str, ...] = ()
    blank: int | None = None

    def allowed(self) -> str:
        """In words."""
        if self.numbers is None:
            return "one of " + ", ".join(self.choices) if self.choices else "text"
        steps = f" in steps of {self.numbers.step}" if self.numbers.step > 1 else ""
        return f"a whole number from {self.numbers[0]} to {self.numbers[-1]}{steps}"

    def read(self, given: Value) -> Value | None:
        """The value, or None when it is not allowed."""
        if self.numbers is None:
            return str(given) if not self.choices or str(given) in self.choices else None
        if given == "":
            return self.blank
        try:
            number = int(given)
        except (TypeError, ValueError):
            return None
        return number if number in self.numbers and not isinstance(given, bool) else None


@dataclass(frozen=True)
class Sheet:
    """One table: its name, key columns, all columns, and the keys that must be there."""

    name: str
    keys: tuple[str, ...]
    columns: Mapping[str, Column]
    needed: tuple[tuple[Value, ...], ...]
    repeats: bool

    def key(self, row: Mapping[str, Any]) -> tuple[Any, ...]:
        """A row's key."""
        return tuple(row[column] for column in self.keys)

    def read(self, column: str, given: Value, where: str) -> Value:
        """A cell. Raises Refusal at `where` for a column or a value that is not allowed."""
        if column not in self.columns:
            raise Refusal(f"{where}.{column}", f"unknown column; must be one of {', '.join(self.columns)}")
        value = self.columns[column].read(given)
        if value is None:
            raise Refusal(f"{where}.{column}", f"{given!r} is not allowed; give {self.columns[column].allowed()}")
        return value

    def checked(self, lines: Iterable[Mapping[str, Any]], path: str) -> tuple[Row, ...]:
        """Rows with their values read. Raises Refusal for what is wrong, doubled or missing."""
        found = []
        for number, row in enumerate(lines):
            where = f"{path}[{number}]"
            for column in [*row, *self.columns]:
                if column not in row:
                    raise Refusal(f"{where}.{column}", "is needed")
            found.append({column: self.read(column, value, where) for column, value in row.items()})
        keys = [self.key(row) for row in found]
        if not self.repeats and len(set(keys)) < len(keys):
            raise Refusal(path, f"two rows for {self._shown(next(key for key in keys if keys.count(key) > 1))}")
        if missing := [key for key in self.needed if key not in set(keys)]:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise Refusal(path, f"the row for {self._shown(missing[0])} is missing{more}")
        if self.name == "attrition_land_europe":
            _check_sizes(found, path)
        return tuple(found)

    def _shown(self, key: tuple[Value, ...]) -> str:
        return ", ".join(f"{column}={value}" for column, value in zip(self.keys, key, strict=True))


def _check_sizes(rows: list[Row], path: str) -> None:
    """Every modified die must give a loss to every size from 1 LD on."""
    for die in range(5, 16):
        spans = sorted((row["min_size"], row["max_size_exclusive"]) for row in rows if row["modified_die"] == die)
        edges = [1, *(edge for span in spans for edge in span), ENDLESS]
        if edges[::2] != edges[1::2]:
            raise Refusal(path, f"the sizes of modified_die {die} leave a gap or overlap")


def _range(text: str) -> range:
    low, high, step = re.fullmatch(r"(-?\d+)(?:\.\.(-?\d+))?(?:/(\d+))?", text).groups()  # type: ignore[union-attr]
    return range(int(low), int(high or low) + 1, int(step or 1))


def _column(text: str, names: Mapping[str, str]) -> Column:
    spec, _, blank = text.partition("?")
    if re.match(r"-?\d", spec):
        return Column(_range(spec), blank=int(blank) if blank else None)
    return Column(choices=_texts(spec, names) if spec else ())


def _texts(text: str, names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(part for name in text.split("|") for part in names.get(name, name).split("|"))


def _keys(text: str, names: Mapping[str, str]) -> list[Value]:
    parts = text.split(",")
    if re.match(r"-?\d", text):
        return [value for part in parts for value in _range(part)]
    return list(_texts(text, names))


def _sheets() -> dict[str, Sheet]:
    described = tomllib.loads((DATA / "tables.toml").read_text(encoding="utf-8"))
    names = described.pop("names")
    found = {}
    for name, told in described.items():
        columns = {column: _column(text, names) for column, text in (told["keys"] | told["values"]).items()}
        needed = [key for group in told.get("needed", []) for key in product(*(_keys(text, names) for text in group))]
        found[name] = Sheet(name, tuple(told["keys"]), columns, tuple(needed), told.get("repeats", False))
    return found


SHEETS = _sheets()
