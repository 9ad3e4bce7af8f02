"""Policies in one text with their number, as `best` prints them: "stop-below-odds 0.1"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.scenarios.paths import leaves

_NUMBERED = re.compile(r"\s*([\w-]+)\s+(\d+(?:\.\d+)?)\s*$")


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
