"""Fields of a scenario as sentences name them: "4 tanks", "7 infantry of the defender", "the modifier of the attacker".

No sentence for players names a field by its path.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from simulator.rules import CAMPAIGN
from simulator.rules.battle import Battle
from simulator.rules.sides import ALL_SIDES
from simulator.rules.toolkit.words import UNCOUNTED, noun_for, several, words
from simulator.scenarios.schema import branches_at

# Tables that hold the units of a side: a number in them counts something.
_SIDE = rf"(?:(?!policy|objective)\w+\.)?(?:{'|'.join(ALL_SIDES)})(?:\.army|\.fleet)?(?:\.factions\[\d+\])?"
_FORCE = re.compile(
    rf"{_SIDE}|(?:force|fortress)\.[^.]+|.*\.join|place\.[^.]+|(target|hold)\.[^.]+\.(counter\.)?(attacker|defender)"
)
_JOINING = re.compile(r"fight\[(\d+)\]\.(attacker|defender)\.join\..+")
_UNIT_LIST = re.compile(r"(.*)\.units\[(\d+)\]\.count")
# Words that are part of a path, and say nothing.
_SILENT = {"conditions", "every", "options", "policy", "rules", "unit", "npr", "carried"}
# Tables of tables by name: red's field stands in `force.red`.
_NAMED = {"force", "fortress", "place", "target", "hold"}
SIGNS = {"plus": "+", "minus": "−"}
_PLURAL = re.compile(r".*([a-z]s|ry|[+−])$")


def counts_units(battle: Battle, path: str) -> bool:
    """Is the number in this field a number of units, ships or other things that a side has?"""
    table, _, name = path.rpartition(".")
    if _UNIT_LIST.fullmatch(path):
        return True
    if not _FORCE.fullmatch(table):
        return False
    if name in battle.notes or _PLURAL.match(_label(battle, path)):
        return True
    # Of a campaign's pieces those that have a price are units.
    return battle.game == CAMPAIGN and battle.price is not None and battle.price({}, path) is not None


def units_in_words(battle: Battle, data: Mapping[str, Any], path: str, number: int) -> str:
    """A number of units: "1 tank", "4 tanks", "no tanks"; `data` are the tables of the scenario."""
    noun = _listed(data, path) or _label(battle, path)
    return f"{number or 'no'} {noun_for(1, noun) if number == 1 or noun in UNCOUNTED else several(noun)}"


def number_of_units(battle: Battle, data: Mapping[str, Any], path: str) -> str:
    """A field that counts units: "the number of tanks of the attacker"; "" for other fields."""
    many = units_in_words(battle, data, path, 2).removeprefix("2 ")
    own = whose(battle, data, path) or f" of {owner_in_words(battle, data, path)}"
    return f"the number of {many}{own}" if counts_units(battle, path) else ""


def owner_in_words(battle: Battle, data: Mapping[str, Any], path: str) -> str:
    """The owner of a field: "the defender", "Venice", "red" (a force); "" for nobody's."""
    parts = re.split(r"[.\[\]]+", path)
    if parts[0] in _NAMED:
        return parts[1]
    if joining := _JOINING.fullmatch(path):
        from simulator.rules.campaign.text import force_of

        fights, number, role = data.get("fight") or [], int(joining[1]), joining[2]
        force = force_of(fights[number].get(role)) if number < len(fights) else ""
        if force:
            return f"the {force}" if force in ALL_SIDES else force
    side = next((part for part in parts if part in ALL_SIDES), "")
    called = battle.called(data, side) if side and battle.called else ""
    return called or (f"the {side.replace('_', ' ')}" if side else "")


def whose(battle: Battle, data: Mapping[str, Any], path: str, number: int = 2) -> str:
    """After a number of units, their owner: " of the defender", " that join blue"; "" for the attacker's own."""
    if path.startswith("attacker."):
        return ""
    owner = owner_in_words(battle, data, path)
    return f" that join{'s' * (number == 1)} {owner}" if ".join." in path else f" of {owner}"


def field_in_words(battle: Battle, data: Mapping[str, Any], path: str, setting: Any) -> str:
    """A field with such a setting: "the modifier of the attacker", "the turn"; yes or no: "“can retreat” of Venice"."""
    parts = [part for part in re.findall(r"[^.\[\]]+|\[\d+\]", path) if part not in _SILENT]
    own = [part for part in parts if part not in {*ALL_SIDES, *_NAMED}]
    owner = owner_in_words(battle, data, path)
    label, number = _label(battle, path), ""
    words = [f"“{label}”" if isinstance(setting, bool) else f"the {label}"]
    for noun in ("number", "row"):
        if own and own[-1].startswith("["):
            words.insert(-1, f"{noun} {int(own.pop()[1:-1]) + 1}")
    for part in own[-2::-1]:
        if part.startswith("["):
            number = f" {int(part[1:-1]) + 1}"
        elif part != owner:
            name = _unit_name(battle, part)
            words.append(f"{noun_for(1, name)}{number}" if number else f"the {name}")
            number = ""
    return " of ".join([*words, *([owner] if owner else [])])


def _label(battle: Battle, path: str) -> str:
    """The name of a field: that of the unit, that on the page, or its own."""
    table, _, name = path.rpartition(".")
    name = name.partition("[")[0]
    shown = next((str(node["page"]) for node in branches_at(battle, table) if "page" in node), "") if table else ""
    named = dict(entry.split(": ") for entry in shown.split(", ") if ": " in entry)
    return named.get(name) or _unit_name(battle, name)


def _unit_name(battle: Battle, name: str) -> str:
    """The name of a unit of a game file, a counter by its sign (FLEET+), else a name without underscores."""
    unit = getattr(battle.rules, "unit", {}).get(name)
    if sign := SIGNS.get(name.rpartition("_")[2]):
        return noun_for(1, name.rpartition("_")[0]).upper().replace("_", " ") + sign
    return (unit and unit.name) or words(name)


def _listed(data: Mapping[str, Any], path: str) -> str:
    """The name of the unit of an entry of a list of units; "" for other fields."""
    found = _UNIT_LIST.fullmatch(path)
    try:
        entry = data[found[1]]["units"][int(found[2])] if found else {}
        return str(entry.get("unit") or entry.get("name") or "").replace("-", " ")
    except (KeyError, IndexError, TypeError, AttributeError):
        return ""
