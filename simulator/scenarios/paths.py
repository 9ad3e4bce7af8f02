"""Nested tables of a scenario: a deep copy, fields by their paths, and policies that carry their number.

A path: `attacker.regiments`, or `conditions.crossings[0].fleets`. A policy as `best` prints it: "stop-below-odds 0.1".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.rules.battle import Battle
from simulator.rules.toolkit.naming import same_name
from simulator.scenarios.schema import PLAIN, field_at
from simulator.scenarios.validation import ScenarioError, shown

_STEP = re.compile(r"([A-Za-z_][\w-]*)((?:\[\d{1,6}\])*)$")
_NUMBERED = re.compile(r"\s*([\w-]+)\s+(\d+(?:\.\d+)?)\s*$")
MOST_DEPTH = 60
# The keys of a table that is a distribution.
DISTRIBUTIONS = {"mix"}, {"from", "to"}


def steps_of(path: str) -> list[str | int]:
    """`a.b[0].c` as its steps: names and places. Raises ScenarioError for a bad path."""
    steps: list[str | int] = []
    for part in path.split("."):
        match = _STEP.match(part)
        if not match:
            raise ScenarioError(
                f"{path}: not a field; write it like attacker.regiments or conditions.crossings[0].fleets"
            )
        steps.append(match[1])
        steps += [int(place) for place in re.findall(r"\d+", match[2])]
    return steps


def rename(data: dict[str, Any], path: str | Sequence[str | int], meant: str) -> bool:
    """Correct the text at a path, or a name in the table there; returns whether there is one.

    A table with a name in two spellings stays as it is, and is refused.
    """
    node: Any = None
    there: Any = data
    try:
        steps = steps_of(path) if isinstance(path, str) else path
        for step in steps:
            node, there = there, there[step]
    except (ScenarioError, KeyError, IndexError, TypeError):  # a field that the data do not write in this place
        return False
    if isinstance(there, str):
        node[steps[-1]] = meant
    elif isinstance(there, dict) and (given := same_name(meant, there)) and given != meant:
        there[meant] = there.pop(given)
    else:
        return False
    return True


def set_path(data: dict[str, Any], path: str, value: Any) -> None:
    """Set `a.b[0].c` in nested tables and lists, with missing tables created. Raises ScenarioError for a bad path."""
    steps = steps_of(path)
    node: Any = data
    own = steps[0] == "force"  # the names of forces are the player's own
    for given, following in pairwise(steps):
        step = given if own else _given(node, given)
        _check_place(node, step, path)
        node = node[step] if isinstance(step, int) else node.setdefault(step, [] if isinstance(following, int) else {})
    last = steps[-1] if own else _given(node, steps[-1])
    _check_place(node, last, path)
    node[last] = value


def _given(node: Any, step: str | int) -> str | int:
    """The name of a field as it stands in a table already, perhaps in another case."""
    if isinstance(step, int) or not isinstance(node, dict) or step in node:
        return step
    return same_name(step, node) or step


def _check_place(node: Any, step: str | int, path: str) -> None:
    """Refuse a place that a list does not have, and a name in what is no table. Raises ScenarioError."""
    if isinstance(step, int) and (not isinstance(node, list) or step >= len(node)):
        raise ScenarioError(f"{path}: there is no place {step}")
    if isinstance(step, str) and not isinstance(node, dict):
        raise ScenarioError(f"{path}: no such field; {shown(node)} stands there, which is no table")


def is_distribution(value: Any) -> bool:
    """Is this table a distribution?"""
    return isinstance(value, Mapping) and value.keys() in DISTRIBUTIONS


def leaves(value: Any, path: str = "", lists: bool = False) -> Iterator[tuple[str, Any]]:
    """The values inside nested tables, and with `lists` inside lists, by path; a distribution is one value."""
    if isinstance(value, Mapping) and value and not (path and is_distribution(value)):
        for name, one in value.items():
            here = f"{path}.{name}" if path else str(name)
            if type(one) not in PLAIN:
                yield from leaves(one, here, lists)
            elif here:
                yield here, one
    elif lists and isinstance(value, list | tuple):
        for place, one in enumerate(value):
            yield from leaves(one, f"{path}[{place}]", lists)
    elif path:
        yield path, value


def setting_at(battle: Battle, data: Mapping[str, Any], path: str) -> Any:
    """The value of the field at a path: the one that `data` give, else its default; None without both."""
    given = dict(leaves(data, lists=True))
    return given[path] if path in given else (field_at(battle, path) or {}).get("default")


def plain_copy(value: Any, path: str = "", depth: int = 0) -> Any:
    """A deep copy of nested tables and lists; NumPy's numbers become plain ones.

    Raises ScenarioError for names that are not text, and for more than MOST_DEPTH levels.
    """
    if depth > MOST_DEPTH:
        raise ScenarioError(f"{path.partition('.')[0][:40] or 'scenario'}: nested more than {MOST_DEPTH} deep")
    if type(value) in PLAIN:
        return value
    if isinstance(value, (dict, Mapping)):
        for name in value:
            if not isinstance(name, str):
                raise ScenarioError(f"{path or 'scenario'}: {shown(name)} is no field name; names are text")
        return {
            name: one if type(one) in PLAIN else plain_copy(one, f"{path}.{name}" if path else name, depth + 1)
            for name, one in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain_copy(one, path, depth + 1) for one in value]
    return value.item() if isinstance(value, np.generic) else value


def parameter_path(path: str, parameter: str) -> str:
    """The path of the number of a policy: `policy.attacker.stop_below` for that at `policy.attacker.retreat`."""
    table, _, last = path.rpartition(".")
    return f"{table}.{last.removesuffix('retreat')}{parameter}"


def spelt_out(parameters: Mapping[str, str], table: Any) -> Iterator[tuple[str, Any]]:
    """The policies in a table that carry their number, without it, and the numbers: (path, value).

    `parameters` are those of the battle kind (Battle.parameters). The number in the text counts, also where the table
    has another.
    """
    for here, value in leaves(table, "policy"):
        given = value if isinstance(value, list) else [value]
        found = [_NUMBERED.match(one) if isinstance(one, str) else None for one in given]
        if not any(one and one[1] in parameters for one in found):
            continue
        names = [one[1] if one and one[1] in parameters else text for one, text in zip(found, given, strict=True)]
        yield here, names if isinstance(value, list) else names[0]
        for one in found:
            if one and one[1] in parameters:
                yield parameter_path(here, parameters[one[1]]), float(one[2]) if "." in one[2] else int(one[2])
