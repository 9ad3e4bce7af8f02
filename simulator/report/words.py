"""Numbers and names as people read them."""

from __future__ import annotations

import math
import re
import textwrap

from simulator.rules.battle import Battle
from simulator.rules.toolkit.words import words

# Tables that say nothing beside the names of their fields.
SILENT = {"policy", "conditions", "options"}


def bound(battles: int) -> str:
    """The upper 95 % bound of the chance of an event that never happened in `battles` battles (rule of three)."""
    highest = 100 * min(1.0, 3 / battles)
    return f"below {highest:.{max(0, 1 - math.floor(math.log10(highest)))}f} %"


def label_of(battle: Battle, column: str) -> str:
    """A column in the words of its game."""
    shown = battle.shown.get(column)
    return (shown and shown.label) or column.replace("_", " ")


def value_of(battle: Battle, column: str, value: float | str | bool) -> str:
    """A value of a column in the notation of its game."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    shown = battle.shown.get(column)
    if shown and shown.value:
        return shown.value(value)
    return str(value) if isinstance(value, int) else f"{value:g}"


def path_in_words(path: str) -> str:
    """A scenario path as words: `attacker.regiments` as "attacker: regiments", `policy.red.keep` as "red: keep"."""
    *every, name = path.split(".")
    tables = [one for one in every if one not in SILENT]
    text = ": ".join([" ".join(map(words, tables)), words(name)] if tables else [words(name)])
    return re.sub(r"s?\[(\d+)\]", lambda found: f" {int(found[1]) + 1}", text)


def broken(line: str, width: int) -> list[str]:
    """A line of text in pieces of at most this width; all but the first begin two spaces further right."""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(line, width, subsequent_indent=indent, break_on_hyphens=False, drop_whitespace=True) or [line]
