"""The tables of the game, as the rules look them up; `options.tables` varies them.

from simulator.rules.europa import tables
tables.names()                        # all tables
tables.rows("combat_result")          # one of them as a list of rows (dicts of plain values)
tables.standard().combat[("A", 10)]   # as the rules look it up: (thirds lost, stars)
tables.book(overrides)                # the same with rows replaced (toolkit/sheets.py says how)
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.toolkit.sheets import FIELD, Row, Sheets, Tables

SHEETS = Sheets("simulator.rules.europa")
ENDLESS = 999
LOWEST, HIGHEST = 3, 14
# Loss tables list whole losses up to 18 thirds; their last row stands for all losses above.
ABOVE_ALL = 19


class Book:
    """All tables, as the rules look them up. Losses are in thirds of a detachment. Each is equal to itself only.

    `combat`: (column, modified die) -> (thirds, stars); `assault`: (besieger, fire, breach, modified die) -> the same;
    `resistance`: (fortress level, breach) -> thirds; `attrition_percent`: modified die from 5 to 15 -> per cent lost
    overseas; `remainders`: (thirds, per cent) -> (thirds left, 1 if one more is lost on a coin flip); `replacements`:
    row -> (manoeuvre, fire, shock) for each die from 1 to 10.
    """

    def __init__(self, sheets: Tables) -> None:
        self.sheets = sheets
        self._rows: dict[str, dict[tuple[Any, ...], Row]] = {}
        self._columns: dict[tuple[str, str], dict[Any, Any]] = {}
        self.combat, self.assault = (
            {key: (3 * row["round_loss"] + row["third_loss"], row["morale_loss"]) for key, row in rows.items()}
            for rows in (self.indexed("combat_result"), self.indexed("assault_result"))
        )
        rows = self.indexed("fortress_resistance").items()
        self.resistance = {key: 3 * row["round"] + row["third"] for key, row in rows}
        self.attrition_percent = self.column("attrition_other_percent", "loss_percent")
        rows = self.indexed("attrition_remainders").items()
        self.remainders = {key: (row["left_thirds"], row["half_chance_one_more_third"]) for key, row in rows}
        self.replacements: dict[str, list[tuple[int, int, int]]] = {}
        for (country, _), row in sorted(self.indexed("replacement_leaders").items()):
            self.replacements.setdefault(country, []).append((row["manoeuvre"], row["fire"], row["shock"]))

    def indexed(self, name: str) -> dict[tuple[Any, ...], Row]:
        """Rows of a table by their keys."""
        if name not in self._rows:
            self._rows[name] = {SHEETS.sheets[name].key(row): row for row in self.sheets[name]}
        return self._rows[name]

    def column(self, name: str, value: str) -> dict[Any, Any]:
        """One value of each row by its key (of one column: without a tuple)."""
        if (name, value) not in self._columns:
            rows = self.indexed(name).items()
            self._columns[name, value] = {key if len(key) > 1 else key[0]: row[value] for key, row in rows}
        return self._columns[name, value]

    def combat_roll(self, column: str, modified: int) -> tuple[int, int]:
        """Thirds and stars of a modified die; ("" for no column: nothing)."""
        return self.combat[column, min(HIGHEST, max(LOWEST, modified))] if column else (0, 0)

    def technology(self, own: str, enemy: str, *, land: bool = True) -> Row:
        """Columns and morale of a technology against another."""
        return self.indexed("battle_tech")[int(land), *(name.upper().replace("-", "_") for name in (own, enemy))]

    def siege_bonus(self, level: int, artillery: int) -> int:
        """The best bonus of this fortress level whose artillery is reached, else 0 (section 4.4)."""
        rows = self.column("artillery_siege_bonus", "bonus").items()
        return max((bonus for (of, least), bonus in rows if of == level and least <= artillery), default=0)

    def attrition_europe(self, die: int, detachments: int) -> tuple[int, int]:
        """(detachments lost, P) for a modified die from 5 to 15 and a stack of whole detachments (section 4.3)."""
        for row in self.sheets["attrition_land_europe"]:
            if row["modified_die"] == die and row["min_size"] <= detachments < row["max_size_exclusive"]:
                return row["loss"], row["pillage"]
        return 0, 0

    def small_stack(self, size: int) -> tuple[int, int]:
        """Thirds taken off what a land stack of this size inflicts, for an odd and an even 7-LD die (section 3.4)."""
        rows = [row for row in self.sheets["land_small_stack"] if row["size_thirds_at_least"] <= size]
        best = max(rows, key=lambda row: row["size_thirds_at_least"])
        return best["odd_die"], best["even_die"]

    def modified_loss(self, step: int, thirds: int, table: str = "land_size_loss") -> int:
        """Losses after the size step: whole ones and the left-over third apart, above 18 thirds together."""
        modified = self.column(table, "modified_thirds")
        if thirds == 0 or (step, 1) not in modified:
            return thirds
        if thirds >= ABOVE_ALL:
            return max(0, thirds - ABOVE_ALL + modified[step, ABOVE_ALL])
        whole, left = thirds - thirds % 3, thirds % 3
        return (modified[step, whole] if whole else 0) + (modified[step, left] if left else 0)


def names() -> list[str]:
    """Names of all tables."""
    return sorted(SHEETS.sheets)


def rows(name: str) -> list[Row]:
    """A copy of one table as it ships. Raises KeyError for an unknown name."""
    return [dict(row) for row in standard().sheets[name]]


@lru_cache(maxsize=1)
def standard() -> Book:
    """The tables as they ship."""
    return Book(SHEETS.standard)


def book(overrides: Mapping[str, Any]) -> Book:
    """The tables with rows replaced. Raises Refusal (`options.tables...`) for rows that are wrong or missing."""
    if not overrides:
        return standard()
    varied = Book(SHEETS.varied(overrides))
    for die in range(5, 16):  # every modified die must give a loss to every size from 1 LD on
        rows = [row for row in varied.sheets["attrition_land_europe"] if row["modified_die"] == die]
        spans = sorted((row["min_size"], row["max_size_exclusive"]) for row in rows)
        edges = [1, *(edge for span in spans for edge in span), ENDLESS]
        if edges[::2] != edges[1::2]:
            raise Refusal(f"{FIELD}.attrition_land_europe", f"the sizes of modified_die {die} leave a gap or overlap")
    return varied
