"""Names of a game file made from names that people write (docs/rules/triplea_import.md section 3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from simulator.rules.custom.game_file.keys import LONGEST_NAME

RESERVED = {"units", "cost", "modifier", "modifiers", "all", "land", "air", "sea", "attacker", "defender"}


def slug(text: str, joint: str) -> str:
    """A text in small letters and digits; each run of other characters becomes `joint`."""
    return re.sub("[^a-z0-9]+", joint, text.lower()).strip(joint)


def unit_name(spelling: str, used: set[str]) -> str:
    """The name of a unit in the game file, different from the `used` ones."""
    name = slug(spelling, "_")
    if not name[:1].isalpha():
        name = f"u_{name}"
    if name in RESERVED:
        name += "_unit"
    return unused(name[:LONGEST_NAME], used, "_")


def unused(name: str, used: Iterable[str], joint: str) -> str:
    """The name, or with a number behind it if it is used already."""
    number, found = 1, name
    while found in used:
        number += 1
        end = f"{joint}{number}"
        found = name[: LONGEST_NAME - len(end)] + end
    return found
