"""Both armies in a line of text: "6 inf 3 tank v 7 inf 1 tank", "20 v 15"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from simulator.analysis.field_words import counts_units
from simulator.report.survivor_bar import abbreviations
from simulator.rules.battle import Battle, Fields
from simulator.rules.sides import SIDES
from simulator.scenarios import ScenarioError
from simulator.scenarios.schema import Schema, as_battle, branches, page_names, schema_of, whole_numbers
from simulator.scenarios.validation import not_one_of

EXAMPLE = "6 infantry 3 tank v 7 infantry 1 tank"
_AGAINST = re.compile(r"\b(?:v|vs|versus|against)\b\.?", re.IGNORECASE)
_PIECES = re.compile(r"(?<!\w)(\d{1,9})(?:\s*x(?=\s))?\s*((?:[^\W\d][\w-]*\s*)*)")


def applied(data: Mapping[str, Any], battle: Battle, text: str) -> dict[str, Any]:
    """The scenario with the armies of a line of text in place of its units. Raises ScenarioError."""
    texts = _AGAINST.split(text)
    if len(texts) != 2 or not all(side in battle.model.model_fields for side in SIDES):
        raise ScenarioError(
            f"text: {text[:60]!r} is not allowed; write two armies with a v between them, like {EXAMPLE}"
        )
    result = dict(data)
    for side, army in zip(SIDES, texts, strict=True):
        given, units = data.get(side), units_of(battle, side)
        if not units:
            raise ScenarioError(f"text: the {side} of {battle.label} has no units to write in a line")
        kept = {name: value for name, value in given.items() if name not in units} if isinstance(given, Mapping) else {}
        result[side] = kept | _army(army, side, units, _only(battle, side))
    return result


def written(data: Mapping[str, Any], battle: Battle) -> str:
    """The armies of a scenario as a line of text that `applied` reads; an empty text if there are none."""
    texts = []
    for side in SIDES:
        given, units = data.get(side), units_of(battle, side)
        counts = {name: given.get(name) for name in units} if isinstance(given, Mapping) else {}
        there = {name: n for name, n in counts.items() if n}
        if not all(isinstance(n, int) for n in there.values()):
            return ""
        short = abbreviations(tuple(units))
        alone = list(there) == [_only(battle, side)]
        texts.append(" ".join(f"{n}" if alone else f"{n} {short[name]}" for name, n in there.items()))
    return " v ".join(texts) if all(texts) else ""


def units_of(battle: Battle, side: str) -> list[str]:
    """The fields of a side that count its units: numbers of pieces that its page shows first, no level or manoeuvre."""
    return _units_of(battle.model, side, tuple(battle.notes))


@lru_cache(maxsize=128)
def _units_of(model: type[Fields], side: str, noted: tuple[str, ...]) -> list[str]:
    battle, schema = as_battle(model), schema_of(model)
    tables: list[Schema] = [one for one in branches(schema["properties"].get(side, {}), schema) if "properties" in one]
    if not tables:
        return []
    names = page_names(tables[0]) if "page" in tables[0] else tables[0]["properties"]
    bounds = {name: whole_numbers(battle, f"{side}.{name}") for name in names if name in tables[0]["properties"]}
    counted = [name for name, one in bounds.items() if one is not None and one[0] in {0, 1}]
    return [name for name in counted if name in noted or counts_units(battle, f"{side}.{name}")]


def only_numbers(battle: Battle, side: str) -> bool:
    """Are all fields of a side that its page shows first numbers of units?"""
    return _only_numbers(battle.model, side, tuple(battle.notes))


@lru_cache(maxsize=128)
def _only_numbers(model: type[Fields], side: str, noted: tuple[str, ...]) -> bool:
    schema = schema_of(model)
    tables = [one for one in branches(schema["properties"].get(side, {}), schema) if "properties" in one]
    first = page_names(tables[0]) if tables and "page" in tables[0] else tables[0]["properties"] if tables else {}
    return bool(first) and set(first) & {*tables[0]["properties"]} == {*_units_of(model, side, noted)}


def _only(battle: Battle, side: str) -> str:
    """The unit that a number alone means: the only one, or the one that a side must have; an empty text without any."""
    units, schema = units_of(battle, side), schema_of(battle.model)
    tables = branches(schema["properties"].get(side, {}), schema)
    needed = [name for one in tables for name in one.get("required", ()) if name in units]
    return units[0] if len(units) == 1 else needed[0] if len(needed) == 1 else ""


def _army(text: str, side: str, units: list[str], only: str) -> dict[str, int]:
    """The units in a text. Raises ScenarioError."""
    counts: dict[str, int] = {}
    rest = re.sub(r"[,+;&]|\band\b", " ", text).strip()
    pieces = _PIECES.findall(rest)
    if not pieces or not rest[:1].isdigit():
        raise ScenarioError(f"text: {text.strip()[:40]!r} is no army; write numbers and units, like {EXAMPLE}")
    for number, name in pieces:
        unit = _unit(name.strip(), side, units) if name.strip() or not only else only
        counts[unit] = counts.get(unit, 0) + int(number)
    return counts


def _unit(name: str, side: str, units: list[str]) -> str:
    """The unit that is meant by a name, a beginning of it, or some of its letters in their order."""
    if not name:
        raise ScenarioError(f"text: the {side}'s units need names, like {EXAMPLE}")
    asked = re.sub(r"[\s_-]+", "_", name.casefold())
    letters = re.compile(".*".join(map(re.escape, asked.removesuffix("s") or asked)))
    for fits in (
        lambda unit: asked in {unit, f"{unit}s", unit.removesuffix("s")},
        lambda unit: unit.startswith(asked) or unit.startswith(asked.removesuffix("s")),
        lambda unit: unit[0] == asked[0] and letters.match(unit),
    ):
        found = [unit for unit in units if fits(unit)]
        # "dread" is the dreadnought, of which there is a second version.
        if found and all(unit.startswith(found[0]) for unit in found):
            return found[0]
    raise ScenarioError(f"text: {not_one_of(name, [unit.replace('_', ' ') for unit in units])} for the {side}")
