"""Battle kinds of an imported map, and the units that take part (docs/rules/triplea_import.md section 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from simulator.rules.custom.triplea.units import MapUnit
from simulator.rules.custom.triplea.xml_map import TripleaMap

TITLES = {"land": "a land battle", "amphibious": "a landing", "sea": "a sea battle"}


@dataclass(frozen=True)
class Taking:
    """Names of the units that fight and that support on each side of a kind."""

    fights: dict[str, list[str]]
    supports: dict[str, list[str]] = field(default_factory=dict)

    def has(self, side: str, roll: str, table: dict[str, Any], name: str) -> bool:
        """Does this unit, which has `table`, fire this roll on this side?"""
        rolls = table.get("rolls", {}) | table.get(side, {}).get("rolls", {})
        if roll in ("attack", "defence"):
            return bool(table.get(roll)) and name in self.fights[side]
        return roll in rolls and name in (*self.fights[side], *self.supports[side])


def kinds_of(units: Sequence[MapUnit], tables: dict[str, Any], supports: Sequence[dict[str, Any]]) -> dict[str, Taking]:
    """The units that take part in each battle kind that exists; `supports`: the supports of the game file."""
    found = {}
    for kind, element in (("land", "land"), ("amphibious", "land"), ("sea", "sea")):
        here = [unit for unit in units if not unit.supports_only and unit.element in (element, "air")]
        attackers = [unit for unit in here if unit.may_attack]
        taking = Taking(
            {"attacker": [unit.name for unit in attackers], "defender": [unit.name for unit in here]},
            {side: _helpers(units, tables, supports, side, element) for side in ("attacker", "defender")},
        )
        exists = any(unit.element == element for unit in here) and bool(attackers)
        if kind == "amphibious":
            ships = [unit.name for unit in units if unit.may_attack and "bombard" in tables[unit.name].get("rolls", {})]
            exists = bool(ships) and any(unit.element == "land" for unit in attackers)
            helpers = taking.supports["attacker"]
            taking.supports["attacker"] = [unit.name for unit in units if unit.name in (*helpers, *ships)]
        if exists:
            found[kind] = taking
    return found


def _helpers(
    units: Sequence[MapUnit], tables: dict[str, Any], supports: Sequence[dict[str, Any]], side: str, element: str
) -> list[str]:
    """Units that only support, on one side: those with a gun there, or that give a support there."""
    givers = {name for support in supports if support["side"] in (side, "both") for name in support["from"]}
    return [
        unit.name
        for unit in units
        if unit.supports_only
        and (unit.element == "sea") == (element == "sea")
        and (unit.may_attack or side == "defender")
        and (unit.name in givers or side in tables[unit.name])
    ]


def kind_table(kind: str, taking: Taking, units: Sequence[MapUnit], found: TripleaMap) -> dict[str, Any]:
    """A battle kind as a table of the game file."""
    table: dict[str, Any] = {"title": TITLES[kind]}
    for side in ("attacker", "defender"):
        table[side] = {"fights": taking.fights[side]}
        if taking.supports[side]:
            table[side]["supports"] = taking.supports[side]
    if kind != "sea":
        table["taken_by"] = [unit.name for unit in units if unit.element == "land" and not unit.supports_only]
    divers = [unit.name for unit in units if unit.submerges and unit.name in taking.fights["defender"]]
    if kind == "sea" and divers:
        table["yields"] = divers
    if kind != "amphibious":
        table["may_retreat"] = ["attacker"]
    limit = found.properties.get("Sea Battle Rounds" if kind == "sea" else "Land Battle Rounds")
    if limit is not None and 1 <= limit.number(0) <= 1000:
        table["rounds"] = limit.number(0)
    return table
