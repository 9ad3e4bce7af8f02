"""The tables of the game: read once from the files in `data/`, checked, and varied by `options.tables`.

    from simulator.rules.europa import tables
    tables.names()                        # all tables
    tables.rows("combat_result")          # one of them as a list of rows (dicts of plain values)
    tables.standard().combat[("A", 10)]   # as the rules look it up: (thirds lost, stars)
    tables.book(overrides)                # the same with rows replaced

`overrides` maps a table's name to a list of rows. A row replaces the one with the same key columns and may leave out
values that stay as they are; a row with a new key is added. `{"rows": [...]}` in place of a list replaces the whole
table. The result is checked as the files are: every row that the rules may look up must be there.
"""

from __future__ import annotations

import csv
import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import resources
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.europa.sheets import SHEETS, Sheet, Value, in_file

Row = dict[str, Value]
Overrides = Mapping[str, Any]
FIELD = "options.tables"


@dataclass(frozen=True)
class Book:
    """All tables, as the rules look them up. Losses are in thirds of a land detachment."""

    sheets: Mapping[str, tuple[Row, ...]]

    def _indexed(self, name: str) -> dict[tuple[Value, ...], Row]:
        keys = SHEETS[name].keys
        return {tuple(row[key] for key in keys): row for row in self.sheets[name]}

    @cached_property
    def combat(self) -> dict[tuple[str, int], tuple[int, int]]:
        """(column, modified die) -> (thirds, stars)."""
        return {key: _result(row) for key, row in self._indexed("combat_result").items()}

    @cached_property
    def assault(self) -> dict[tuple[int, int, int, int], tuple[int, int]]:
        """(besieger, fire, breach, modified die) -> (thirds, stars)."""
        return {key: _result(row) for key, row in self._indexed("assault_result").items()}

    @cached_property
    def _tech(self) -> dict[tuple[Value, ...], Row]:
        return self._indexed("battle_tech")

    def tech(self, own: str, enemy: str) -> Row:
        """Columns and morale of a land technology against another."""
        return self._tech[(1, in_file(own), in_file(enemy))]

    @cached_property
    def resistance(self) -> dict[tuple[int, int], int]:
        """(fortress level, breach) -> thirds."""
        rows = self._indexed("fortress_resistance").items()
        return {key: 3 * row["round"] + row["third"] for key, row in rows}

    def siege_bonus(self, level: int, artillery: int) -> int:
        """The best bonus of this fortress level whose artillery is reached, else 0 (section 4.4)."""
        rows = self.sheets["artillery_siege_bonus"]
        reached = [r for r in rows if r["fortress_level"] == level and r["artillery_at_least"] <= artillery]
        return max((row["bonus"] for row in reached), default=0)

    @cached_property
    def artillery(self) -> dict[tuple[str, str], int]:
        """(row, period) -> artillery of one ARMY+."""
        return {key: row["artillery"] for key, row in self._indexed("artillery_per_army").items()}

    @cached_property
    def army_size(self) -> dict[tuple[str, str], int]:
        """(class, period) -> structural size 0-7."""
        return {key: row["size"] for key, row in self._indexed("army_class_size").items()}

    def attrition_europe(self, die: int, detachments: int) -> tuple[int, int]:
        """(LD lost, P) for a modified die from 5 to 15 and a stack of whole LD (section 4.3)."""
        for row in self.sheets["attrition_land_europe"]:
            if row["modified_die"] == die and row["min_size"] <= detachments < row["max_size_exclusive"]:
                return row["loss"], row["pillage"]
        return 0, 0

    @cached_property
    def attrition_percent(self) -> dict[int, int]:
        """Modified die from 5 to 15 -> per cent lost overseas."""
        return {row["modified_die"]: row["loss_percent"] for row in self.sheets["attrition_other_percent"]}

    @cached_property
    def remainders(self) -> dict[tuple[int, int], tuple[int, int]]:
        """(thirds, per cent) -> (thirds left, 1 if one more is lost on a coin flip)."""
        rows = self._indexed("attrition_remainders").items()
        return {key: (row["left_thirds"], row["half_chance_one_more_third"]) for key, row in rows}

    @cached_property
    def replacements(self) -> dict[str, list[tuple[int, int, int]]]:
        """Row -> (manoeuvre, fire, shock) for each die from 1 to 10."""
        found: dict[str, list[tuple[int, int, int]]] = {}
        for (country, _), row in sorted(self._indexed("replacement_leaders").items()):
            found.setdefault(country, []).append((row["manoeuvre"], row["fire"], row["shock"]))
        return found

    @property
    def leaders(self) -> tuple[Row, ...]:
        """All leaders."""
        return self.sheets["leaders"]

    def small_stack(self, size: int) -> tuple[int, int]:
        """Thirds taken off what a stack of this size inflicts, for an odd and an even 7-LD die (section 3.4)."""
        rows = [row for row in self.sheets["land_small_stack"] if row["size_thirds_at_least"] <= size]
        best = max(rows, key=lambda row: row["size_thirds_at_least"])
        return best["odd_die"], best["even_die"]

    @cached_property
    def _size_loss(self) -> dict[tuple[int, int], int]:
        return {key: row["modified_thirds"] for key, row in self._indexed("land_size_loss").items()}

    def modified_loss(self, step: int, thirds: int) -> int:
        """Losses after the size step: whole ones and the left-over third apart, above 18 thirds together."""
        if step not in {-2, 1, 2} or thirds == 0:
            return thirds
        if thirds > 18:
            return max(0, thirds - 19 + self._size_loss[(step, 19)])
        whole, left = thirds - thirds % 3, thirds % 3
        return (self._size_loss[(step, whole)] if whole else 0) + (self._size_loss[(step, left)] if left else 0)


def _result(row: Row) -> tuple[int, int]:
    return 3 * row["round_loss"] + row["third_loss"], row["morale_loss"]


def names() -> list[str]:
    """Names of all tables."""
    return sorted(SHEETS)


def rows(name: str) -> list[Row]:
    """A copy of one table as it ships. Raises KeyError for an unknown name."""
    return [dict(row) for row in standard().sheets[name]]


@lru_cache(maxsize=1)
def standard() -> Book:
    """The tables as they ship."""
    folder = resources.files("simulator.rules.europa") / "data"
    sheets = {}
    for name, sheet in SHEETS.items():
        lines = (folder / f"{name}.csv").read_text(encoding="utf-8").splitlines()
        sheets[name] = _checked(name, sheet, list(csv.DictReader(lines)), f"{name}.csv")
    return Book(sheets)


def book(overrides: Overrides) -> Book:
    """The tables with rows replaced. Raises Refusal (`options.tables...`) for rows that are wrong or missing."""
    if not overrides:
        return standard()
    return _varied(json.dumps(overrides, sort_keys=True, default=str))


@lru_cache(maxsize=32)
def _varied(text: str) -> Book:
    sheets = dict(standard().sheets)
    for name, given in json.loads(text).items():
        path = f"{FIELD}.{name}"
        if name not in SHEETS:
            near = difflib.get_close_matches(name, names(), 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise Refusal(path, f"no such table; must be one of {', '.join(names())}{hint}")
        whole = isinstance(given, dict) and set(given) == {"rows"}
        lines = given["rows"] if whole else given
        if not isinstance(lines, list) or not all(isinstance(row, dict) for row in lines):
            raise Refusal(path, "give a list of rows, or { rows = [...] } to replace the whole table")
        sheets[name] = _replaced(name, () if whole else sheets[name], lines, path)
    return Book(sheets)


def _replaced(name: str, old: Sequence[Row], new: list[Row], path: str) -> tuple[Row, ...]:
    """Old rows, those with the key of a new one replaced; new keys go to the end."""
    sheet = SHEETS[name]
    kept: dict[Any, Row] = {}
    for number, row in enumerate(old):
        key = _key(sheet, row)
        kept[(*key, number) if sheet.repeats else key] = row
    for number, row in enumerate(new):
        where = f"{path}[{number}]"
        read = {column: _read(sheet, column, value, where) for column, value in row.items()}
        for column in sheet.keys:
            if column not in read:
                raise Refusal(f"{where}.{column}", "is needed; it tells which row to replace")
        key = _key(sheet, read)
        same = [held for held in kept if held[: len(key)] == key]
        if not same and (lacking := [column for column in sheet.columns if column not in read]):
            raise Refusal(f"{where}.{lacking[0]}", "is needed in a new row")
        before = kept[same[0]] if same else {}
        for held in same[1:]:
            del kept[held]
        kept[same[0] if same else key] = {**before, **read}
    return _checked(name, sheet, list(kept.values()), path)


def _key(sheet: Sheet, row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[column] for column in sheet.keys)


def _read(sheet: Sheet, column: str, given: Value, where: str) -> Value:
    if column not in sheet.columns:
        raise Refusal(f"{where}.{column}", f"unknown column; must be one of {', '.join(sheet.columns)}")
    value = sheet.columns[column].read(given)
    if value is None:
        raise Refusal(f"{where}.{column}", f"{given!r} is not allowed; give {sheet.columns[column].allowed()}")
    return value


def _checked(name: str, sheet: Sheet, lines: Iterable[Mapping[str, Any]], path: str) -> tuple[Row, ...]:
    """Rows with their values read; refuses what is wrong, doubled or missing."""
    found = []
    for number, row in enumerate(lines):
        where = f"{path}[{number}]"
        for column in [*row, *sheet.columns]:
            if column not in row:
                raise Refusal(f"{where}.{column}", "is needed")
        found.append({column: _read(sheet, column, value, where) for column, value in row.items()})
    keys = [_key(sheet, row) for row in found]
    if not sheet.repeats and len(set(keys)) < len(keys):
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise Refusal(path, f"two rows for {_shown(sheet, doubled)}")
    missing = [key for key in sheet.needed if key not in set(keys)]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        raise Refusal(path, f"the row for {_shown(sheet, missing[0])} is missing{more}")
    for complaint in sheet.rest(found):
        raise Refusal(path, complaint)
    return tuple(found)


def _shown(sheet: Sheet, key: Sequence[Value]) -> str:
    return ", ".join(f"{column}={value}" for column, value in zip(sheet.keys, key, strict=True))
