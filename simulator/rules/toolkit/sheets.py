"""Tables of a game in CSV files that a TOML file describes: read once, checked, with rows overridden by scenarios.

`tables.toml` beside the files gives for each table its `keys` and `values` (column = allowed values), and optionally
`needed` keys and whether keys may occur several times (`repeats`). "3..14" are whole numbers ("10..90/10" in steps of
ten, "0..8?0" an empty cell stands for 0), "A|B" texts, "" is any text; `names` are lists to be used in these. `needed`
lists for each key column the keys (parts apart by commas) of which every combination must be there.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from itertools import product
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.toolkit.naming import suggested
from simulator.rules.toolkit.policies import refuse

FIELD = "options.tables"

Value = int | str
Row = dict[str, Any]
Tables = Mapping[str, tuple[Row, ...]]


@dataclass(frozen=True)
class Column:
    """Whole numbers of `numbers` (an empty cell stands for `blank`), or a text of `choices` (no choices: any text)."""

    numbers: range | None = None
    choices: tuple[str, ...] = ()
    blank: int | None = None

    def allowed(self) -> str:
        """The allowed values in words."""
        if self.numbers is None:
            return "one of " + ", ".join(self.choices) if self.choices else "text"
        steps = f" in steps of {self.numbers.step}" if self.numbers.step > 1 else ""
        return f"a whole number from {self.numbers[0]} to {self.numbers[-1]}{steps}"

    def read(self, given: object) -> Value | None:
        """The value, or None when it is not allowed."""
        if self.numbers is None:
            return str(given) if not self.choices or str(given) in self.choices else None
        if given == "":
            return self.blank
        if isinstance(given, str) and re.fullmatch(r"-?\d+", given):
            given = int(given)
        return given if type(given) is int and given in self.numbers else None


@dataclass(frozen=True)
class Sheet:
    """One table: key columns, all columns, and the required keys."""

    keys: tuple[str, ...]
    columns: Mapping[str, Column]
    needed: tuple[tuple[Value, ...], ...]
    repeats: bool

    def key(self, row: Row) -> tuple[Value, ...]:
        """A row's key."""
        return tuple(row[column] for column in self.keys)

    def read(self, row: Mapping[str, object], where: str) -> Row:
        """A row with its values read. Raises Refusal at `where` for a column or a value that is not allowed."""
        found = {}
        for name, given in row.items():
            if name not in self.columns:
                raise Refusal(f"{where}.{name}", f"unknown column; must be one of {', '.join(self.columns)}")
            value = self.columns[name].read(given)
            if value is None:
                raise Refusal(f"{where}.{name}", f"{given!r} is not allowed; give {self.columns[name].allowed()}")
            found[name] = value
        return found

    def checked(self, lines: Iterable[Mapping[str, object]], path: str) -> tuple[Row, ...]:
        """Rows with their values read. Raises Refusal for a wrong, duplicate or missing row."""
        found = [self.read(row, f"{path}[{number}]") for number, row in enumerate(lines)]
        for number, row in enumerate(found):
            for column in self.columns:
                if column not in row:
                    raise Refusal(f"{path}[{number}].{column}", "is needed")
        keys = [self.key(row) for row in found]
        if not self.repeats and len(set(keys)) < len(keys):
            raise Refusal(path, f"two rows for {self._shown(next(key for key in keys if keys.count(key) > 1))}")
        if missing := [key for key in self.needed if key not in set(keys)]:
            more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
            raise Refusal(path, f"the row for {self._shown(missing[0])} is missing{more}")
        return tuple(found)

    def replaced(self, old: Sequence[Row], new: list[dict[str, Any]], path: str) -> tuple[Row, ...]:
        """Old rows, those with the key of a new one replaced; new keys go to the end."""
        kept = {(*self.key(row), number) if self.repeats else self.key(row): row for number, row in enumerate(old)}
        for number, row in enumerate(new):
            where = f"{path}[{number}]"
            read = self.read(row, where)
            for column in self.keys:
                refuse(column not in read, f"{where}.{column}", "is needed; it names the row to replace")
            key = self.key(read)
            same = [held for held in kept if held[: len(key)] == key]
            if not same and (lacking := [column for column in self.columns if column not in read]):
                raise Refusal(f"{where}.{lacking[0]}", "is needed in a new row")
            before = kept[same[0]] if same else {}
            for held in same[1:]:
                del kept[held]
            kept[same[0] if same else key] = {**before, **read}
        return self.checked(list(kept.values()), path)

    def _shown(self, key: tuple[Value, ...]) -> str:
        return ", ".join(f"{column}={value}" for column, value in zip(self.keys, key, strict=True))


class Sheets:
    """All tables in the folder `data` of a package."""

    def __init__(self, package: str) -> None:
        self._package = package

    @cached_property
    def sheets(self) -> dict[str, Sheet]:
        """The description of each table."""
        described = tomllib.loads(_text(self._package, "tables.toml"))
        names = described.pop("names", {})
        sheets = {}
        for name, sheet in described.items():
            columns = {column: _column(text, names) for column, text in (sheet["keys"] | sheet["values"]).items()}
            groups = [[_keys(text, names) for text in group] for group in sheet.get("needed", [])]
            needed = tuple(key for group in groups for key in product(*group))
            sheets[name] = Sheet(tuple(sheet["keys"]), columns, needed, sheet.get("repeats", False))
        return sheets

    @cached_property
    def standard(self) -> Tables:
        """The tables as shipped."""
        return {
            name: sheet.checked(lines_of(self._package, name), f"{name}.csv") for name, sheet in self.sheets.items()
        }

    def varied(self, overrides: Mapping[str, object]) -> Tables:
        """The tables with rows replaced. Raises Refusal (`options.tables...`) for rows that are wrong or missing.

        `overrides` maps a table's name to a list of rows. A row replaces the one with the same key columns and may
        leave out values that stay as they are; a row with a new key is added. `{"rows": [...]}` in place of a list
        replaces the whole table.
        """
        found = dict(self.standard)
        for name, given in overrides.items():
            path = f"{FIELD}.{name}"
            if name not in self.sheets:
                near = suggested(name, self.sheets)
                hint = f"; did you mean {near}?" if near else ""
                raise Refusal(path, f"no such table; must be one of {', '.join(sorted(self.sheets))}{hint}")
            lines = given["rows"] if isinstance(given, dict) and set(given) == {"rows"} else given
            if not isinstance(lines, list) or not all(isinstance(row, dict) for row in lines):
                raise Refusal(path, "give a list of rows, or { rows = [...] } to replace the whole table")
            found[name] = self.sheets[name].replaced(found[name] if lines is given else (), lines, path)
        return found


def lines_of(package: str, name: str) -> list[dict[str, str]]:
    """The lines of data/NAME.csv of a package, column -> text."""
    return list(csv.DictReader(_text(package, f"{name}.csv").splitlines()))


def _text(package: str, name: str) -> str:
    return (resources.files(package) / "data" / name).read_text(encoding="utf-8")


def _range(text: str) -> range:
    low, high, step = re.fullmatch(r"(-?\d+)(?:\.\.(-?\d+))?(?:/(\d+))?", text).groups()  # type: ignore[union-attr]
    return range(int(low), int(high or low) + 1, int(step or 1))


def _column(text: str, names: Mapping[str, str]) -> Column:
    spec, _, blank = text.partition("?")
    if re.match(r"-?\d", spec):
        return Column(_range(spec), blank=int(blank) if blank else None)
    texts = (part for name in spec.split("|") for part in names.get(name, name).split("|"))
    return Column(choices=tuple(texts) if spec else ())


def _keys(text: str, names: Mapping[str, str]) -> list[Value]:
    columns = (_column(part, names) for part in text.split(","))
    return [value for column in columns for value in column.numbers or column.choices]
