"""Error messages for players: one line with the field, the given value and the allowed values."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError

from simulator.scenarios.schema import Schema, allowed, branches, schema_of


class ScenarioError(ValueError):
    """An invalid scenario: one line with the field, the given value and the allowed values.

    `unused` marks the parameter of a policy that is not chosen.
    """

    def __init__(self, text: str, unused: bool = False) -> None:
        # Given names may hold line breaks.
        super().__init__(brief(" ".join(text.split()) if len(text.splitlines()) > 1 else text))
        self.unused = unused


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


def first_complaint(error: ValidationError, model: type[BaseModel]) -> str:
    """The most specific of a model's errors, as one line that begins with the field."""
    schema = schema_of(model)
    errors = []
    for detail in error.errors():
        path, node = _walk(schema, detail["loc"])
        # The deepest error is the most specific; a misspelt field explains a missing one.
        errors.append(((-len(path), detail["type"] != "extra_forbidden"), path, node, detail))
    _, path, node, detail = min(errors, key=lambda item: item[0])
    return f"{written(path)}: {_text(detail, node, schema)}"


def written(path: Sequence[str | int]) -> str:
    """`("conditions", "crossings", 1, "fleets")` as `conditions.crossings[1].fleets`."""
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "scenario"


def not_one_of(given: Any, allowed: Sequence[str]) -> str:
    """Message for a name that is not allowed, with a suggestion for a near miss."""
    if given is None:
        return f"is needed; must be one of {', '.join(allowed)}"
    near = difflib.get_close_matches(str(given), allowed, 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"{shown(given)} is not allowed; must be one of {', '.join(allowed)}{hint}"


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


def _walk(schema: Schema, loc: Sequence[str | int]) -> tuple[list[str | int], Schema]:
    """The path of real fields in a pydantic location (which also names union members), and its schema node."""
    path: list[str | int] = []
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
            if position == len(loc) - 1 and not _is_tag(part):
                path = [*path, part]
    return path, node


def _is_tag(part: str | int) -> bool:
    """Does pydantic name a union member here (a type, not a field)?"""
    return isinstance(part, str) and (
        part in {"int", "str", "bool", "float"} or part[:1].isupper() or "[" in part or "-" in part
    )


def _text(detail: Any, node: Schema, schema: Schema) -> str:
    kind = detail["type"]
    if kind == "missing":
        return f"is needed; give {allowed(node, schema)}"
    if kind == "extra_forbidden":
        names = [name for branch in branches(node, schema) for name in branch.get("properties", {})]
        name = str(detail["loc"][-1])
        near = difflib.get_close_matches(name, names, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        return f"unknown field; {hint}allowed here: {', '.join(names) or 'nothing'}"
    if kind in {"value_error", "assertion_error"}:
        return str(detail["msg"]).partition(", ")[2] or str(detail["msg"])
    return f"{shown(detail['input'])} is not allowed; give {allowed(node, schema)}"
