"""What fields take by name: creatures and magic items (docs/rules/kings_and_things.md sections 2 and 5)."""

from __future__ import annotations

import csv
from importlib import resources
from typing import Any, get_args

from simulator.rules.kings_and_things.creatures import rows_named
from simulator.rules.kings_and_things.model import Item

SYMBOLS = ("magic", "ranged", "charge", "flying")


def _lines(name: str) -> list[dict[str, str]]:
    folder = resources.files("simulator.rules.kings_and_things") / "data"
    return list(csv.DictReader((folder / name).read_text(encoding="utf-8").splitlines()))


def _row(line: dict[str, str]) -> dict[str, Any]:
    symbols = " ".join(word for word in SYMBOLS if line[word] == "true")
    return {
        "name": line["name"] if len(rows_named(line["name"])) == 1 else line["id"],
        "value": int(line["combat_value"]),
        "fights": symbols or "melee",
        "home": line.get("terrain", "special character"),
        "copies": int(line.get("count", 1)),
    }


def creature_rows() -> list[dict[str, Any]]:
    """Every creature and special character as a scenario names it: value, how it fights, home, copies in the cup."""
    return [_row(line) for name in ("creatures.csv", "special_characters.csv") for line in _lines(name)]


def item_rows() -> list[dict[str, Any]]:
    """The magic items that tell in battle, as `items` takes them (the Elixir does not)."""
    names = {line["id"]: line["name"] for line in _lines("cup_others.csv")}
    return [{"item": item, "counter": names[item]} for item in get_args(Item)]


LISTS = {"creatures": creature_rows, "items": item_rows}
