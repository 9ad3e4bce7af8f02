"""Leaders: by name from `leaders.csv`, as values, drawn from the replacement tables, or none (section 2.3)."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from simulator.rules.battle import Refusal
from simulator.rules.europa.tables import Book

LAND_TYPES = ("KING", "GENERAL", "CONQUISTADOR", "GOVERNOR", "EXPLORER", "PACHA", "ENGINEER")
ROBUST = ("Marlborough", "Friedrich II")
MOST_SHOWN = 6


class Leader(NamedTuple):
    """Who leads a side. `origin` is "table", "name", "replacement" or "none"; `kind` as in section 2.3.

    A replacement's values are 0 until it is drawn.
    """

    origin: str
    name: str = ""
    kind: str = "general"
    manoeuvre: int = 0
    fire: int = 0
    shock: int = 0
    siege: int = 0
    anonymous: bool = False
    fragile: bool = False

    @property
    def drawn(self) -> bool:
        """Is this leader drawn from the replacement tables?"""
        return self.origin == "replacement"

    @property
    def present(self) -> bool:
        """Is there anybody to be hit? (`leader = "none"` is a convenience: section 8, ASSUMED.)"""
        return self.origin != "none"

    @property
    def given(self) -> bool:
        """Was this leader given by name or values?"""
        return self.origin in {"table", "name"}

    def told(self) -> str:
        """In a few words."""
        if self.drawn:
            return "a replacement leader"
        values = f"{self.manoeuvre}/{self.fire}/{self.shock} siege {self.siege}"
        return f"{self.name or self.kind} ({values})" if self.present else "no leader"


def leader_of(side: Any, book: Book, path: str) -> Leader:
    """The leader of a side of a scenario. Raises Refusal at `path` for a name that is unknown or means several."""
    given = side.leader
    if not isinstance(given, str):
        return _valued("table", "", given.type, given.anonymous, given.robust, given)
    if given in {"replacement", "none"}:
        return Leader(given)
    row = _row_of(given, side.leader_country, side.leader_type, book, path)
    name = str(row["name"])
    return _valued(
        "name", name, str(row["type"]).lower(), name.startswith("Anonymous-"), name in ROBUST, _Printed(**row)
    )


class _Printed(NamedTuple):
    """A row of leaders.csv."""

    name: str
    country: str
    type: str
    begin: str
    end: str
    rank: str
    manoeuvre: int
    fire: int
    shock: int
    siege: int


def _valued(origin: str, name: str, kind: str, anonymous: bool, robust: bool, printed: Any) -> Leader:
    """An explorer on land halves every value; fragile: fire or shock is printed 6 (section 2.3)."""
    part = 2 if kind == "explorer" else 1
    values = [value // part for value in (printed.manoeuvre, printed.fire, printed.shock, printed.siege)]
    return Leader(origin, name, kind, *values, anonymous, is_fragile(printed.fire, printed.shock) and not robust)


def is_fragile(fire: int, shock: int) -> bool:
    """Fragile: printed fire or shock is 6 (section 2.3); robust leaders apart."""
    return 6 in (fire, shock)


@lru_cache(maxsize=4096)
def plain(name: str) -> str:
    """Letters and digits only, without accents and case: "Gustav Adolf" finds Gustav-Adolf."""
    apart = unicodedata.normalize("NFKD", name.casefold())
    return "".join(letter for letter in apart if letter.isalnum())


def _row_of(name: str, country: str, kind: str, book: Book, path: str) -> Mapping[str, Any]:
    on_land = [row for row in book.leaders if row["type"] in LAND_TYPES]
    named = [row for row in on_land if plain(str(row["name"])) == plain(name)]
    if not named:
        raise Refusal(path, _unknown(name, on_land))
    found = [
        row
        for row in named
        if (not country or plain(str(row["country"])) == plain(country))
        and (not kind or str(row["type"]).lower() == kind)
    ]
    if not found:
        given = " ".join(part for part in (country, kind) if part)
        raise Refusal(path, f"no leader {name!r} of {given}; there is {_list(named)}")
    different = {tuple(row[c] for c in ("type", "manoeuvre", "fire", "shock", "siege")) for row in found}
    if len(different) > 1:
        raise Refusal(
            path,
            f"several leaders are called {name!r}: {_list(found)}; give leader_country or leader_type, or the "
            "values as a table",
        )
    return found[0]


def _unknown(name: str, on_land: Iterable[Mapping[str, Any]]) -> str:
    """Names near to the one given, or how to give a leader otherwise."""
    by_plain = {plain(str(row["name"])): row for row in on_land}
    near = difflib.get_close_matches(plain(name), by_plain, 3)
    if not near:
        return (
            f'no leader {name!r}; give a name from leaders.csv, "replacement", "none" or a table like '
            "{ manoeuvre = 2, fire = 3, shock = 3, siege = 0 }"
        )
    told = " or ".join(
        f'"{by_plain[key]["name"]}" ({by_plain[key]["country"]}, {str(by_plain[key]["type"]).lower()})' for key in near
    )
    return f"no leader {name!r}; did you mean {told}?"


def _list(rows: Iterable[Mapping[str, Any]]) -> str:
    told = list(
        dict.fromkeys(
            f"{row['country']} {str(row['type']).lower()} {row['manoeuvre']}/{row['fire']}/{row['shock']} siege "
            f"{row['siege']}"
            for row in rows
        )
    )
    more = f" and {len(told) - MOST_SHOWN} more" if len(told) > MOST_SHOWN else ""
    return ", ".join(told[:MOST_SHOWN]) + more
