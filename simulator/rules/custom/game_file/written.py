"""A game file as text for people: short tables, a line for each unit (docs/rules/custom_games.md section 2)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from simulator.rules.toolkit.naming import text_of

WIDEST = 120
BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)
# The comment above each part of the file.
ABOUT = {
    "unit": "What each unit rolls: the value it hits at, or a table of value and dice.",
    "battle": "Battle kinds, and who takes part.",
    "step": "Steps of a round, in this order; steps of one group are simultaneous.",
    "support": "Units that help others.",
    "modifier": "Dice made better or worse.",
    "condition": "What a scenario may say under conditions.",
    "losses": "The order of losses.",
}


def toml_text(game: Mapping[str, Any]) -> str:
    """The TOML of a game file's tables, in their order; the same tables give the same bytes."""
    plain = [f"{key} = {_value(value)}" for key, value in game.items() if not _is_table(value)]
    parts = ["\n".join(plain)]
    for key, value in game.items():
        if _is_table(value):
            comment = f"# {ABOUT[key]}\n" if key in ABOUT else ""
            parts.append(comment + "\n".join(_table(key, value)))
    return "\n\n".join(parts) + "\n"


def _is_table(value: Any) -> bool:
    """Is this a table, or a list of tables?"""
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(one, Mapping) for one in value))


def _table(key: str, value: Any) -> Iterator[str]:
    """The lines of a table: a line for each unit and die, a short table for everything else."""
    if isinstance(value, list):
        for number, one in enumerate(value):
            yield from ([""] if number else [])
            yield f"[[{key}]]"
            yield from (f"{name} = {_value(part)}" for name, part in one.items())
    elif key in ("battle", "condition"):
        for number, (name, one) in enumerate(value.items()):
            yield from ([""] if number else [])
            yield f"[{key}.{_key(name)}]"
            yield from (f"{name} = {_value(part)}" for name, part in one.items())
    else:
        yield f"[{key}]"
        yield from (f"{_key(name)} = {_value(part)}" for name, part in value.items())


def _value(value: Any) -> str:
    """A value on one line; a list that is too long for it has lines of its own."""
    if isinstance(value, bool):
        return text_of(value)
    if isinstance(value, str):
        # JSON escapes as TOML does, but for one control character.
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{_key(key)} = {_value(part)}' for key, part in value.items())} }}" if value else "{}"
    if isinstance(value, list):
        written = [_value(part) for part in value]
        line = f"[{', '.join(written)}]"
        return line if len(line) < WIDEST - 20 else "[\n" + "".join(f"{row}\n" for row in _rows(written)) + "]"
    return repr(value)


def _rows(written: list[str]) -> Iterator[str]:
    """Values in rows of the width of a file."""
    row = "   "
    for value in written:
        if len(row) + len(value) + 2 > WIDEST and row.strip():
            yield row
            row = "   "
        row += f" {value},"
    yield row


def _key(name: str) -> str:
    return name if BARE.fullmatch(name) else _value(name)
