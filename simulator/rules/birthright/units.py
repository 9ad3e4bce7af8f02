"""Unit cards, the tables of `data/`, and the armies that a scenario lists (docs/rules/birthright.md section 2)."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from simulator.rules.battle import Refusal
from simulator.rules.toolkit.naming import ENTRY
from simulator.rules.toolkit.policies import refuse
from simulator.rules.toolkit.retreat import Leave, outnumbered
from simulator.rules.toolkit.sheets import lines_of

if TYPE_CHECKING:
    from simulator.rules.birthright.model import Group

Class = Literal[
    "archers", "artillery", "cavalry", "elite-infantry", "infantry",
    "irregulars", "knights", "levies", "pikemen", "scouts",
]  # fmt: skip
Type = Literal["infantry", "artillery", "cavalry"]
HeroClass = Literal["warrior", "rogue", "mage", "priest"]
Terrain = Literal["plains", "hills", "woods", "mountain", "marsh", "underground"]
Rows = tuple[tuple[int, ...], ...]
MOST_HITS, MOST_ICONS = 3, 4
MOST_IN_ENTRY = 60
ROLES = ("attack", "defend")
LISTS = ("melee", "charge", "missile")
NUMBERS = ("move", "defence", "morale", "hits")
# Columns of the battle tables: as printed, and those that high walls add below (section 3.2).
LAST_COLUMN, LOWEST, LOWEST_ON_WALLS = 3, -3, -7
# Names that players give to the units of a people; the plain names are the human ones.
PEOPLES = {"anuirean": "", "human": "", "elven": "sidhe-", "elf": "sidhe-", "dwarven": "dwarf-"}
COUNT_PATH = re.compile(r"(attacker|defender)\.units\[(\d+)\]\.count")


@dataclass(frozen=True)
class Unit:
    """A company card: `melee`, `charge` and `missile` are values by hits taken so far (empty: cannot).

    `muster` (None: no price) and `maintenance` are gold bars, `source` the origin of card and price. The rest is given
    by entry (section 2.3). `bonus` is added to every attack value of a unit on the field.
    """

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
    muster: int | None = None
    maintenance: int = 1
    source: str = ""
    hero: int = 0
    spells: int = 0
    spellcasting: int = 0
    special: int = 0
    undead: bool = False
    bonus: int = 0

    @property
    def steps(self) -> int:
        """Hits that destroy it."""
        return self.hits + 1

    @property
    def price(self) -> int:
        """Gold bars to raise it, 0 without a price."""
        return self.muster or 0

    @property
    def power(self) -> int:
        """Strength in the quick check, magic and abilities included."""
        return max(1, self.strength + self.spells + self.special + self.spellcasting)

    def attack(self, values: str, hits: int) -> int:
        """Its attack value of a kind (`melee`, `charge`, `missile`) after this many hits; 0 if it has none."""
        by_hits = getattr(self, values)
        return max(0, by_hits[hits] + self.bonus) if by_hits else 0

    def usable(self, terrain: str, role: str) -> bool:
        """Can it fight on this terrain as it should?"""
        return terrain_values()[self.kind, terrain, role] is not None

    def on_field(self, terrain: str, role: str, inspire: int) -> Unit:
        """The card as it fights unit against unit (section 3.2); on plains no terrain modifier is added."""
        twice = (0 if terrain == "plains" else terrain_values()[self.kind, terrain, role]) or 0
        morale = min(MOST_ICONS, self.morale + inspire)
        if not self.usable(terrain, role):
            idle = (0,) * self.steps
            return replace(self, morale=morale, defence=self.defence // 2, melee=idle, charge=(), missile=())
        return replace(self, morale=morale, bonus=self.spells + self.hero + int(twice / 2))


@dataclass(frozen=True)
class Entry:
    """An entry of an army list: `count` equal units, and its place in the list."""

    unit: Unit
    count: int
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"{self.count} x {self.unit.name}"


def gold_of(entries: Iterable[Entry]) -> int:
    """Price of all units of an army."""
    return sum(entry.count * entry.unit.price for entry in entries)


def strength(unit: Unit) -> int:
    """Strength derived from a unit's other values (section 2.2)."""

    def grade(value: int, low: int, high: int) -> int:
        return int(value >= low) + int(value >= high)

    points = 1 + grade(unit.melee[0], 3, 5) + grade(unit.defence, 3, 5) + int(unit.move >= 3)
    points += grade(unit.missile[0], 1, 4) if unit.missile else 0
    points += grade(unit.charge[0], 1, 6) if unit.charge else 0
    points += 1 if unit.morale >= 3 else -1 if unit.morale == 1 else 0
    return max(1, points + unit.steps - 2)


@cache
def unit_rows() -> list[dict[str, Any]]:
    """The unit cards as rows of plain values, in the columns of the override fields."""
    numbers = (*NUMBERS, "strength", "muster", "maintenance")
    lines = lines_of(__package__, "units")
    return [{name: int(text) if name in numbers else text for name, text in line.items()} for line in lines]


@cache
def unit_cards() -> dict[str, Unit]:
    """The unit cards by name."""
    cards = {}
    for row in unit_rows():
        values = row | {name: tuple(int(value) for value in row[name].split("/") if value) for name in LISTS}
        cards[row["unit"]] = Unit(name=values.pop("unit"), kind=values.pop("class"), **values)
    return cards


@cache
def terrain_values() -> dict[tuple[str, str, str], int | None]:
    """Twice the modifier (there are halves) by (class, terrain, role); None where the class is not usable."""
    values = {}
    for line in lines_of(__package__, "terrain"):
        twice = int(2 * float(line["modifier"]))
        values[line["class"], line["terrain"], line["role"]] = twice if line["usable"] == "1" else None
    return values


@cache
def battle_table() -> tuple[str, ...]:
    """Results of a d10 from 1 to 9 in the columns -7 to +3: a text of nine letters for each column."""
    files = lines_of(__package__, "battle_table_walls"), lines_of(__package__, "battle_table")
    lines = [walls | printed for walls, printed in zip(*files, strict=True)]
    return tuple("".join(line[str(column)] for line in lines) for column in range(LOWEST_ON_WALLS, LAST_COLUMN + 1))


@cache
def number_rows(name: str) -> Rows:
    """The rows of a file that holds only numbers."""
    return tuple(tuple(int(value) for value in line.values()) for line in lines_of(__package__, name))


def army(entries: Sequence[Group | str], field: str, most: int, least: int = 1, priced: bool = False) -> list[Entry]:
    """The entries of the army list at path `field` that have units, `least` to `most` in all.

    `priced`: each needs a price. Raises Refusal.
    """
    read = [
        _entry_of_text(entry, f"{field}[{i}]") if isinstance(entry, str) else _entry_of_group(entry, f"{field}[{i}]")
        for i, entry in enumerate(entries)
    ]
    total = sum(entry.count for entry in read)
    refuse(total < least, field, 'needs at least one unit, such as {unit = "infantry", count = 3} or "3 x infantry"')
    refuse(total > most, field, f"{total} units are not allowed; at most {most}")
    for i, entry in enumerate(read):
        if priced and entry.count and entry.unit.muster is None:
            raise Refusal(f"{field}[{i}].muster", f"needed with options.gold, {entry.unit.name!r} has no price")
    return [replace(entry, place=place) for place, entry in enumerate(read) if entry.count]


def _entry_of_group(given: Group, field: str) -> Entry:
    """A table of an army list: a card with its overrides, or a unit of one's own (section 2.1)."""
    changes: dict[str, Any] = given.changes()
    card = unit_cards().get(given.unit)
    if card is None:
        if not {"melee", "defence", "morale"} <= set(changes):
            raise Refusal(f"{field}.unit", _no_such_unit(given.unit))
        card = Unit(given.unit, "infantry", "infantry", 1, 0, 1, (), (), (), 1)
    unit = replace(card, **changes)
    if "muster" in changes:
        unit = replace(unit, source=card.source.partition(";")[0])
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
    count, words = ENTRY.fullmatch(text).groups()  # type: ignore[union-attr]
    number = 1 if count is None else int(count)
    refuse(number > MOST_IN_ENTRY, field, f"{number} units are not allowed; give a count from 0 to {MOST_IN_ENTRY}")
    name = re.sub(r"[\s_-]+", "-", words.lower())
    people, _, rest = name.partition("-")
    name = PEOPLES[people] + rest if people in PEOPLES and rest else name
    cards = unit_cards()
    card = cards.get(name) or cards.get(f"{name}s")
    if card is None:
        raise Refusal(field, _no_such_unit(name))
    return Entry(card, number)


def assumed_sources(units: Iterable[Unit], priced: Iterable[Unit]) -> list[str]:
    """A line for the units whose card has no source, and for those of `priced` whose price has none (section 2.1)."""
    lines = []
    for place, (what, used) in enumerate({"card": units, "price": priced}.items()):
        names = dict.fromkeys(u.name for u in used if "ASSUMED" in [*u.source.split(";"), ""][place])
        lines += [f"{what} of {', '.join(names)}: ASSUMED"] if names else []
    return lines


def muster_price(data: Mapping[str, Any], path: str) -> int | None:
    """The price of one more unit in the `count` at this path of a scenario's tables; None where there is none."""
    counted = COUNT_PATH.fullmatch(path)
    try:
        entry = data[counted[1]]["units"][int(counted[2])] if counted else {}
        return entry["muster"] if "muster" in entry else unit_cards()[entry["unit"]].muster  # type: ignore[no-any-return]
    except (KeyError, IndexError, TypeError):
        return None


def _no_such_unit(name: str) -> str:
    names = list(unit_cards())
    near = difflib.get_close_matches(name, names, 3, 0.5)
    hint = f"did you mean {' or '.join(near)}?" if near else f"known are {', '.join(names)}"
    return f"no unit {name!r}; {hint} (a unit of your own needs melee, defence and morale)"


def retreat_policy(name: str, start: int) -> Leave:
    """A side's policy `retreat`, with `start` units or steps at the start (section 3.4, step 3)."""
    if name == "half":
        return Leave(below=start // 2 + 1)
    return outnumbered(Fraction(1, 2)) if name == "outmatched" else Leave()
