"""Variants that a scenario declares: changes that belong together, `[variant.d10]`, under a name.

[variant.d10]
rules.dice.sides = 10
"rules.unit.*.attack" = "scale"
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simulator.scenarios.paths import leaves
from simulator.scenarios.validation import ScenarioError, shown

VARIANT = "variant"


class Variant(str):
    """The name of a variant, with the values of the fields that it sets, and a line for each that a pattern changes."""

    fields: Mapping[str, Any]
    lines: tuple[str, ...]

    @classmethod
    def of(cls, name: str, fields: Mapping[str, Any], lines: tuple[str, ...] = ()) -> Variant:
        """A variant of this name."""
        found = cls(name)
        found.fields, found.lines = fields, lines
        return found


def declared(data: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The changes (path -> value) of each variant that a scenario's mapping declares. Raises ScenarioError."""
    given = data.get(VARIANT, {})
    tables = given.items() if isinstance(given, Mapping) else ()
    for where, table in ((VARIANT, given), *((f"{VARIANT}.{name}", table) for name, table in tables)):
        if not isinstance(table, Mapping):
            raise ScenarioError(f"{where}: {shown(table)} is not allowed; give a table of changes")
    return {name: dict(leaves(table)) for name, table in given.items()}


def without(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A scenario's mapping without its variants. Raises ScenarioError for a variant that is no table."""
    if VARIANT not in data:
        return data
    declared(data)
    return {name: value for name, value in data.items() if name != VARIANT}
