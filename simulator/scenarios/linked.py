"""Variants that a scenario declares: changes that belong together, `[variant.d10]`, under a name.

[variant.d10]
rules.dice.sides = 10
"rules.unit.*.attack" = "scale"
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from simulator.scenarios.uncertain import is_distribution
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
    for where, table in ((VARIANT, given), *((f"{VARIANT}.{name}", given[name]) for name in _names(given))):
        if not isinstance(table, Mapping):
            raise ScenarioError(f"{where}: {shown(table)} is not allowed; give a table of changes")
    return {name: dict(_flat(table)) for name, table in given.items()}


def _names(given: Any) -> list[str]:
    return [*given] if isinstance(given, Mapping) else []


def _flat(table: Mapping[str, Any], path: str = "") -> Iterator[tuple[str, Any]]:
    """The values of nested tables by path; a distribution is one value."""
    for name, value in table.items():
        here = f"{path}.{name}" if path else name
        if isinstance(value, Mapping) and value and not is_distribution(value):
            yield from _flat(value, here)
        else:
            yield here, value


def without(data: Mapping[str, Any]) -> Mapping[str, Any]:
    """A scenario's mapping without its variants. Raises ScenarioError for a variant that is no table."""
    if VARIANT not in data:
        return data
    declared(data)
    return {name: value for name, value in data.items() if name != VARIANT}
