"""Leaders: by name from `leaders.csv` and `leader_aliases.csv`, as values, drawn from the replacement tables, or none;
and the leader test.

docs/rules/europa_land_siege.md sections 2.3 and 3.6; sea leaders docs/rules/europa_naval_and_other.md section 2.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import Row, combine, row_of
from simulator.rules.battle import Refusal
from simulator.rules.europa.tables import Book
from simulator.rules.toolkit.by_key import by_key
from simulator.rules.toolkit.naming import plain, plural

if TYPE_CHECKING:
    from simulator.rules.europa.sea.model import HostileSide
    from simulator.rules.europa.shared.land_model import Side

LAND_TYPES = ("KING", "GENERAL", "CONQUISTADOR", "GOVERNOR", "EXPLORER", "PACHA", "ENGINEER")
EVERY_TYPE = (*LAND_TYPES, "ADMIRAL", "PRIVATEER")
ROBUST = ("Marlborough", "Friedrich II")
MOST_SHOWN = 6
OTHERWISE = (
    'give a name from leaders.csv, "replacement", "none" or a table like '
    "{ manoeuvre = 2, fire = 3, shock = 3, siege = 0 }"
)
# First and last turn of each period; a turn is five years, turn 43 begins in 1700 (BOOK, chapter The Powers).
PERIODS = {
    "I": (1, 6), "II": (7, 14), "III": (15, 25), "IV": (26, 34), "V": (35, 42), "VI": (43, 52), "VII": (53, 62),
}  # fmt: skip
FACES = range(1, 11)
# A fate is one of these, or 2 + the rounds that a wound lasts (1 to 5).
UNHARMED, KILLED, CAPTURED, WOUNDED = 0, 1, 2, 2
FATES = 8
# The fates of a leader who is gone, as columns name them.
GONE = ("killed", "wounded", "captured")
NO_CAP = 9  # no value is larger
# Manoeuvre, fire, shock, fragile.
Values = tuple[int, int, int, bool]


class Leader(NamedTuple):
    """The leader of a side. `origin` is "table", "name", "replacement" or "none"; `kind` as in section 2.3.

    A replacement's values are 0 until it is drawn. `turns`: the first and last turn of a named leader, if dated.
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
    turns: tuple[int, int] | None = None

    @property
    def drawn(self) -> bool:
        """Is this leader drawn from the replacement tables?"""
        return self.origin == "replacement"

    @property
    def given(self) -> bool:
        """Was this leader given by name or values?"""
        return self.origin in {"table", "name"}

    def text(self) -> str:
        """In a few words."""
        if not self.given:
            return "a replacement leader" if self.drawn else "no leader"
        return f"{self.name or self.kind} ({self.manoeuvre}/{self.fire}/{self.shock} siege {self.siege})"

    def out_of_period(self, period: str) -> str:
        """Why a named leader cannot serve in a period, "" if he can or is not dated."""
        first, last = PERIODS[period]
        if self.turns is None or (self.turns[0] <= last and first <= self.turns[1]):
            return ""
        own = [name for name, (begin, end) in PERIODS.items() if self.turns[0] <= end and begin <= self.turns[1]]
        return (
            f"{self.name} serves on turns {self.turns[0]} to {self.turns[1]}, in period {' and '.join(own)}; "
            f"period {period} is turns {first} to {last}"
        )


# Tables of leaders by name and by common name.
SHEETS = ("leaders", "leader_aliases")


def leader_of(side: Side | HostileSide, book: Book, path: str, types: tuple[str, ...] = LAND_TYPES) -> Leader:
    """The leader of a side of a scenario. Raises Refusal at `path` for a name that is unknown or means several.

    An explorer on land halves every value; fragile: fire or shock is printed 6 (section 2.3).
    """
    given = side.leader
    _check_country(side.leader_country, book, path)
    if given in {"replacement", "none"}:
        return Leader(given)
    if isinstance(given, str):
        row = _row_of(side, book, path, types)
        name, kind, years = str(row["name"]), str(row["type"]).lower(), (str(row["begin"]), str(row["end"]))
        turns = (int(years[0]), int(years[1])) if all(map(str.isdecimal, years)) else None
        origin, anonymous, robust = "name", name.startswith("Anonymous-"), name in ROBUST
    else:
        row, origin, name, turns = given.model_dump(), "table", "", None
        kind, anonymous, robust = row.get("type", "general"), row["anonymous"], row["robust"]
    part = 2 if kind == "explorer" and types is LAND_TYPES else 1
    man, fire, shock, siege = (int(row[value]) // part for value in ("manoeuvre", "fire", "shock", "siege"))
    fragile = is_fragile(row["fire"], row["shock"]) and not robust
    return Leader(origin, name, kind, man, fire, shock, siege, anonymous, fragile, turns)


def is_fragile(fire: int, shock: int) -> bool:
    """Fragile: printed fire or shock is 6 (section 2.3); robust leaders apart."""
    return 6 in (fire, shock)


def replacements(leader: Leader, rows: Iterable[tuple[int, int, int]]) -> Counter[Values]:
    """(manoeuvre, fire, shock, fragile) of a leader, with weights when it is drawn from `rows`."""
    if leader.drawn:
        return Counter((man, fire, shock, is_fragile(fire, shock)) for man, fire, shock in rows)
    return Counter([(leader.manoeuvre, leader.fire, leader.shock, leader.fragile)])


def advantage(own: int, enemy: int, cap: int) -> int:
    """The modifier of the higher leader value: the difference, capped (9 = no cap); 0 for the lower (section 3.2)."""
    return min(max(0, own - enemy), cap)


class Pair(NamedTuple):
    """The advantages of two leaders, attacker first: in Fire, in Shock, in the pursuit (not capped); manoeuvre.

    `fragile`: 1 the attacker, + 2 the defender.
    """

    fire: tuple[int, int]
    shock: tuple[int, int]
    pursuit: tuple[int, int]
    manoeuvre: tuple[int, int]
    fragile: int


def pair_of(own: Values, enemy: Values, cap: int) -> Pair:
    """The advantages that follow from the values of two leaders (manoeuvre, fire, shock, fragile)."""
    fire, shock, pursuit = (
        (advantage(own[value], enemy[value], most), advantage(enemy[value], own[value], most))
        for value, most in ((1, cap), (2, cap), (2, NO_CAP))
    )
    return Pair(fire, shock, pursuit, (own[0], enemy[0]), own[3] + 2 * enemy[3])


def who(row: Mapping[str, Any]) -> tuple[str, str, str]:
    """Name, country and type of a leader's row."""
    return row["name"], row["country"], row["type"]


def by_alias(book: Book) -> dict[str, Mapping[str, Any]]:
    """The leader that each common name means: his row of `leaders.csv`, or that of the aliases, which has no dates."""
    listed = {who(row): row for row in book.sheets["leaders"]}
    return {row["alias"]: listed.get(who(row), {"begin": "", "end": ""} | row) for row in book.sheets["leader_aliases"]}


@lru_cache(maxsize=8)
def _by_name(book: Book, types: tuple[str, ...]) -> dict[str, list[Mapping[str, Any]]]:
    """The rows of all leaders of these types by their plain names; a common name only where nobody is called so."""
    rows = (row for row in book.sheets["leaders"] if row["type"] in types)
    found: dict[str, list[Mapping[str, Any]]] = by_key(rows, lambda row: plain(row["name"]))
    common = {plain(alias): [row] for alias, row in by_alias(book).items() if row["type"] in types}
    return common | found


def _row_of(side: Side | HostileSide, book: Book, path: str, types: tuple[str, ...]) -> Mapping[str, Any]:
    name, country, kind = str(side.leader), side.leader_country, getattr(side, "leader_type", "")
    by_name = _by_name(book, types)
    named = by_name.get(plain(name), [])
    if not named:
        near = [by_name[key][-1] for key in difflib.get_close_matches(plain(name), by_name, 3)]
        shown = [f'"{row["name"]}" ({" = ".join(_countries(row, book))}, {row["type"].lower()})' for row in near]
        meant = " or ".join(dict.fromkeys(shown))
        if other := _by_name(book, EVERY_TYPE).get(plain(name)):
            raise Refusal(
                path, f"{name!r} is of type {other[0]['type'].lower()}, which does not lead here; {OTHERWISE}"
            )
        raise Refusal(path, f"no leader {name!r}; " + (f"did you mean {meant}?" if near else OTHERWISE))
    found = [
        row
        for row in named
        if (not country or plain(country) in map(plain, _countries(row, book))) and kind in {"", row["type"].lower()}
    ]
    if not found:
        given = " ".join(filter(None, (country, kind)))
        raise Refusal(path, f"no leader {name!r} of {given}; there is {_listed(named, book)}")
    if len({tuple(row[c] for c in ("type", "manoeuvre", "fire", "shock", "siege")) for row in found}) > 1:
        ways = "give leader_country or leader_type, or the values as a table"
        raise Refusal(path, f"several leaders are called {name!r}: {_listed(found, book)}; {ways}")
    return found[0]


def _countries(row: Mapping[str, Any], book: Book) -> list[str]:
    """The names that `leader_country` accepts: the table's word, and its English name where that is another."""
    accepted = row["country"]
    english = book.column("leader_countries", "english").get(accepted, accepted)
    return [accepted] if plain(accepted) == plain(english) else [accepted, english]


def _check_country(country: str, book: Book, path: str) -> None:
    """Refuse a country that no leader has, also where no name is to be narrowed. Raises Refusal."""
    if not country:
        return
    rows = {row["country"]: _countries(row, book) for name in SHEETS for row in book.sheets[name]}
    known = {plain(name): name for names in rows.values() for name in names}
    if plain(country) not in known:
        near = [known[key] for key in difflib.get_close_matches(plain(country), known, 1)]
        meant = f"; did you mean {near[0]}?" if near else ""
        shown = ", ".join(dict.fromkeys(names[-1] for names in rows.values()))
        raise Refusal(f"{path}_country", f"{country!r} is not allowed; must be one of {shown}{meant}")


def _listed(rows: Iterable[Mapping[str, Any]], book: Book) -> str:
    shown = dict.fromkeys(
        f"{' = '.join(_countries(row, book))} {row['type'].lower()} "
        f"{row['manoeuvre']}/{row['fire']}/{row['shock']} siege {row['siege']}"
        for row in rows
    )
    more = f" and {len(shown) - MOST_SHOWN} more" if len(shown) > MOST_SHOWN else ""
    return ", ".join(list(shown)[:MOST_SHOWN]) + more


class Trial(NamedTuple):
    """The circumstances of a leader test."""

    won: bool
    destroyed: bool
    fragile: bool

    @property
    def bonus(self) -> int:
        """-1 if the side did not win, -5 if it was destroyed, -1 if fragile."""
        return -(not self.won) - 5 * self.destroyed - self.fragile


def fate(leader: Leader, trial: Trial, die: int, second: int) -> int:
    """The fate that a test die and, when it hits, a second die bring."""
    if die + trial.bonus >= 2:
        return UNHARMED
    if leader.kind == "king" and trial.destroyed:
        return CAPTURED
    if leader.anonymous or second % 2 == 1:
        return KILLED
    return WOUNDED + second // 2


@lru_cache(maxsize=1024)
def fates(leader: Leader, trial: Trial) -> Counter[int]:
    """Fates with their weights, out of 100 (nobody is not hit: section 8, ASSUMED); kept, and so not to be changed."""
    if leader.origin == "none":
        return Counter({UNHARMED: 1})
    return Counter(fate(leader, trial, die, second) for die in FACES for second in FACES)


@lru_cache(maxsize=1024)
def both_fates(leaders: tuple[Leader | None, ...], fragile: int, ends: tuple[int, ...]) -> Counter[int]:
    """Fates of both leaders in one result: attacker's + 8 * defender's; nothing befalls one that is not tested (None).

    `fragile`: 1 the attacker's, + 2 the defender's; `ends`: of each side 1 if it won, + 2 if it was destroyed.
    Kept, and so not to be changed.
    """
    attacker, defender = (
        fates(leader, Trial(end & 1 > 0, end & 2 > 0, fragile >> side & 1 > 0)) if leader else {UNHARMED: 1}
        for side, (leader, end) in enumerate(zip(leaders, ends, strict=True))
    )
    return combine(attacker, defender, lambda own, enemy: own + FATES * enemy)


@lru_cache(maxsize=1024)
def fate_table(leaders: tuple[Leader | None, ...], fragile: int, ends: tuple[int, ...]) -> Row:
    """`both_fates` as a chance table: a battle has 64 of them."""
    return row_of(both_fates(leaders, fragile, ends))


def fate_columns(side: str, codes: np.ndarray) -> dict[str, np.ndarray]:
    """Leader outputs of a side from its fates (`codes`, int64): bool, wound rounds int64; all of shape (states,)."""
    wounded = codes > WOUNDED
    return {
        f"{side}_leader_killed": codes == KILLED,
        f"{side}_leader_wounded": wounded,
        f"{side}_leader_captured": codes == CAPTURED,
        f"{side}_leader_wound_rounds": np.where(wounded, codes - WOUNDED, 0),
    }


def fate_text(code: int) -> str:
    """A fate in words."""
    if code > WOUNDED:
        return f"wounded for {plural(code - WOUNDED, 'round')}"
    return ("unharmed", "killed", "captured")[code]
