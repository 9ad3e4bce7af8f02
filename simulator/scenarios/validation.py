"""Error messages for players: one line with the field, the given value and the allowed values."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from simulator.rules.battle import Misfit, Refusal
from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import same_name, suggested
from simulator.scenarios.schema import Schema, allowed, branches, named_values, schema_of, whole_schema_of

# The message of pydantic for a field that a model does not have.
EXTRA = "Extra inputs are not permitted"
# The lines about one file, with one run.
MOST_COMPLAINTS = 10


class ScenarioError(ValueError):
    """An invalid scenario: one line with the field, the given value and the allowed values.

    `unused` marks the parameter of a policy that is not chosen. `others`: lines about other fields, at most nine.
    """

    def __init__(self, text: str, unused: bool = False, others: Sequence[str] = ()) -> None:
        # Given names may hold line breaks.
        super().__init__(_one_line(text))
        self.unused = unused
        self.others = tuple(map(_one_line, others[: MOST_COMPLAINTS - 1]))


def _one_line(text: str) -> str:
    return brief(" ".join(text.split()) if len(text.splitlines()) > 1 else text)


def brief(text: str) -> str:
    """A message with names of more than 80 characters cut to 60; the parts of a path count as names."""
    return _LONG.sub(r"\1...\2", text)


# Punctuation after a long name stays.
_LONG = re.compile(r"([^\s/\\]{60})[^\s/\\]{20,}?([^\w\s]{0,2})(?=[\s/\\]|$)")


def finite(value: Any) -> bool:
    """Is this a number (not a bool) that a finite float can hold?"""
    try:
        return isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def complaints(error: ValidationError, model: type[BaseModel]) -> list[str]:
    """A line for each wrong field that begins with the field, the most specific of a model's errors first."""
    found: dict[tuple[str | int, ...], tuple[tuple[int, bool], str]] = {}
    for detail in error.errors():
        schema = schema_of(model) if detail["type"] == "extra_forbidden" else whole_schema_of(model)
        path, node = _walk(schema, detail)
        # The deepest error is the most specific; a misspelt field explains a missing one.
        rank = -len(path), detail["type"] != "extra_forbidden"
        if tuple(path) not in found or rank < found[tuple(path)][0]:
            found[tuple(path)] = rank, f"{written(path)}: {_text(detail, node, schema)}"
    first = min(found, key=lambda path: found[path][0])
    # A table that holds a wrong field, or a field for which another name was written, is no mistake of its own.
    missing = {tuple(_walk(whole_schema_of(model), one)[0]) for one in error.errors() if one["type"] == "missing"}
    misspelt = defaultdict[tuple[str | int, ...], list[str]](list)
    for place, (rank, text) in found.items():
        if not rank[1]:
            misspelt[place[:-1]].append(text)
    above = {path[:depth] for path in found for depth in range(len(path))}
    rest = [
        path
        for path in found
        if path not in above
        and not (path in missing and any(f"did you mean {path[-1]}?" in text for text in misspelt[path[:-1]]))
    ]
    return [found[path][1] for path in dict.fromkeys([first, *rest])]


def refused(complaints: Sequence[str], prefix: str = "") -> ScenarioError:
    """The refusal of a scenario with these lines about its fields."""
    first, *others = [prefix + line for line in complaints]
    return ScenarioError(first, others=others)


def lines_of(misfit: Misfit) -> list[str]:
    """A line for each mistake of data that do not fit, without its prefix."""
    return [*complaints(misfit.error, misfit.model), *map(str, misfit.others)]


def from_misfit(misfit: Misfit) -> ScenarioError:
    """Data that do not fit as the refusal of a scenario."""
    return refused(lines_of(misfit), misfit.prefix)


def from_refusal(refusal: Refusal) -> ScenarioError:
    """The refusal of the rules as that of a scenario."""
    return ScenarioError(str(refusal), refusal.unused, [str(other) for other in refusal.others])


def wrong_in_all(kind: str, lines: Mapping[str, Sequence[str]]) -> list[str]:
    """Of the lines about a scenario as each kind, those about fields that all refuse, as the kind meant says it."""
    fields = [{line.partition(":")[0] for line in one} for one in lines.values()]
    meant = lines[suggested(kind, list(lines)) or next(iter(lines))]
    return [line for line in meant if all(line.partition(":")[0] in one for one in fields)]


def corrections(error: ValidationError, model: type[BaseModel]) -> list[tuple[list[str | int], str]]:
    """Names given in the wrong case: the path of the value, or of the table with the field, and the right name.

    Names of fields come before values.
    """
    schema = schema_of(model)
    found = []
    for detail in error.errors():
        path, node = _walk(schema, detail)
        field = detail["type"] == "extra_forbidden"
        nodes = list(branches(node, schema))
        known = [name for one in nodes for name in (one.get("properties", {}) if field else named_values(one))]
        if meant := same_name(path[-1] if field and path else detail["input"], known):
            found.append((not field, path[:-1] if field else path, meant))
    return [(path, meant) for _, path, meant in sorted(found, key=lambda one: one[0])]


def written(path: Sequence[str | int]) -> str:
    """`("conditions", "crossings", 1, "fleets")` as `conditions.crossings[1].fleets`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "scenario"


def not_one_of(given: Any, allowed: Sequence[str]) -> str:
    """Message for a name that is not allowed, with a suggestion for a near miss."""
    if given is None:
        return f"is needed; must be one of {_names(allowed)}"
    near = suggested(str(given), allowed)
    hint = f"; did you mean {near}?" if near else ""
    return f"{shown(given)} is not allowed; must be one of {_names(allowed)}{hint}"


def _names(allowed: Sequence[str]) -> str:
    """Names with commas between; the empty one as it is written."""
    return ", ".join(name or '""' for name in allowed)


def shown(value: Any, most: int = 60) -> str:
    """A given value, short enough for one line."""
    text = repr(value) if isinstance(value, str) else str(value)
    if isinstance(value, bool):
        text = text.lower()
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def given_number(value: Any) -> str:
    """A value given for a number, as `shown`; a float without trailing zeros."""
    return f"{value:g}" if isinstance(value, float) else shown(value)


def _walk(schema: Schema, detail: Any) -> tuple[list[str | int], Schema]:
    """The path of real fields in the location of an error (which also names union members), and its schema node."""
    path: list[str | int] = []
    loc, unknown = detail["loc"], detail["type"] == "extra_forbidden"
    node = schema
    for position, part in enumerate(loc):
        for branch in branches(node, schema):
            if isinstance(part, int) and "items" in branch:
                path, node = [*path, part], branch["items"]
                break
            if part in branch.get("properties", {}):
                path, node = [*path, part], branch["properties"][part]
                break
            if isinstance(branch.get("additionalProperties"), dict) and "[" not in str(part):
                path, node = [*path, part], branch["additionalProperties"]
                break
        else:
            if position == len(loc) - 1 and (unknown or not _is_tag(part)):
                path = [*path, part]
    return path, node


def _is_tag(part: str | int) -> bool:
    """Does pydantic name a union member here (a type, not a field)?"""
    return isinstance(part, str) and (
        part in {"int", "str", "bool", "float"} or part[:1].isupper() or "[" in part or "-" in part
    )


def _wanted(node: Schema, schema: Schema) -> str:
    """The values that are allowed, as the end of a sentence."""
    values = allowed(node, schema)
    return f"must be {values}" if values.startswith("one of ") else f"give {values}"


def _of_sides(name: str, node: Schema, schema: Schema) -> list[str]:
    """The fields of this name in the tables of the sides, for a field that was given beside these tables."""
    tables = [(key, one) for branch in branches(node, schema) for key, one in branch.get("properties", {}).items()]
    return [
        f"{key}.{name}"
        for key, table in tables
        if key in SIDES and any(name in one.get("properties", {}) for one in branches(table, schema))
    ]


def _text(detail: Any, node: Schema, schema: Schema) -> str:
    kind = detail["type"]
    if kind == "missing":
        return f"is needed; {_wanted(node, schema)}"
    if kind == "extra_forbidden":
        names = [name for branch in branches(node, schema) for name in branch.get("properties", {})]
        name = str(detail["loc"][-1])
        for branch in branches(node, schema):
            if name in branch.get("renamed", {}):
                return str(branch["renamed"][name])
        meant = suggested(name, names) or " or ".join(_of_sides(name, node, schema))
        hint = f"did you mean {meant}? " if meant else ""
        if detail["msg"] != EXTRA:  # a field that the model knows, and does not allow here
            hint = f"{detail['msg']}; "
        return f"unknown field; {hint}allowed here: {', '.join(names) or 'nothing'}"
    if kind in {"value_error", "assertion_error"}:
        return str(detail["msg"]).partition(", ")[2] or str(detail["msg"])
    text = f"{shown(detail['input'])} is not allowed; {_wanted(node, schema)}"
    names = [name for one in branches(node, schema) for name in named_values(one) if isinstance(name, str)]
    near = suggested(detail["input"], names) if isinstance(detail["input"], str) else None
    return f"{text}; did you mean {near}?" if near else text
