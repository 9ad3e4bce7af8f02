"""Pieces that are inserted into the text of a game file, and the keys that each may have."""

from __future__ import annotations

import re
import tomllib
from functools import cache
from importlib import resources
from typing import Any

from simulator.rules.battle import Fields
from simulator.rules.custom.game_file.format import Condition, Modifier, Step, Unit
from simulator.rules.custom.game_file.units import MAIN_ROLLS
from simulator.web.links import inline

MODELS: dict[str, type[Fields]] = {"unit": Unit, "step": Step, "modifier": Modifier, "condition": Condition}
_HEADER = re.compile(r"^\s*\[{1,2}\s*([\w-]+)")


@cache
def inserts() -> dict[str, dict[str, Any]]:
    """The pieces by name: label, help, table, text, and `keys`: name and meaning of each key."""
    found = tomllib.loads(resources.files("simulator.web.editor").joinpath("inserts.toml").read_text("utf-8"))
    for name, one in found.items():
        fields = MODELS[name].model_fields.items()
        one["keys"] = [(key, field.description) for key, field in fields if field.description]
    return found


def inserted(text: str, what: str) -> str:
    """The text with a piece after the last table of its kind, at the end if there is none."""
    piece = inserts()[what]
    lines = text.rstrip("\n").split("\n") if text.strip() else []
    headers = [(number, found[1]) for number, line in enumerate(lines) if (found := _HEADER.match(line))]
    own = [place for place, (_, table) in enumerate(headers) if table == piece["table"]]
    end = headers[own[-1] + 1][0] if own and own[-1] + 1 < len(headers) else len(lines)
    while 0 < end < len(lines) and (not lines[end - 1].strip() or lines[end - 1].lstrip().startswith("#")):
        end -= 1  # a comment above the next table stays with it
    last = _last_step(text)
    fire = inline(last.get("fire", MAIN_ROLLS))
    filled = piece["text"].replace("NAME", _unused(text, piece["name"])).replace("FIRE", fire)
    # The dice of steps that compare have a bonus in place of a value.
    filled = filled.replace("VALUE", "{ bonus = 2 }" if "compare" in last else "2")
    alike = "".join(f"{key} = {inline(last[key])}\n" for key in ("aim", "compare") if key in last)
    filled = filled.replace("COMPARE\n", alike)
    new = filled.strip("\n").split("\n")
    return "\n".join([*lines[:end], *([""] if end else []), *new, *lines[end:]]) + "\n"


def _last_step(text: str) -> dict[str, Any]:
    """The last step of a text; empty where it has none."""
    try:
        steps = tomllib.loads(text).get("step")
    except ValueError:
        steps = None
    last = steps[-1] if isinstance(steps, list) and steps else {}
    return last if isinstance(last, dict) else {}


def _unused(text: str, name: str) -> str:
    """The name, with a number if the text has it already."""
    sign, number, found = name[3], 1, name
    while re.search(rf"(?<![\w-]){re.escape(found)}(?![\w-]| \d)", text):
        number += 1
        found = f"{name}{sign}{number}"
    return found
