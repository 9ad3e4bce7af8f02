"""A game file as it is typed: its mistakes at their lines, and what the linter finds in it."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from simulator.engine.model.chain import SIDES
from simulator.rules.battle import Misfit, Refusal
from simulator.rules.custom.game_file.describe import line_of, value_text
from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import parse, read_game
from simulator.rules.custom.game_file.format import GameFile, Roll
from simulator.rules.custom.game_file.units import MAIN_ROLLS, die_named, has_symbols, pieces_by_name, pieces_of, rolled
from simulator.scenarios.validation import lines_of

# The beginning of a complaint about a text that is not TOML.
NO_TOML = "game: your game: "
_MEANT = re.compile(r"did you mean ([\w-]+)\?")


class Remark(NamedTuple):
    """A mistake (`complaint`) or a note on a rule (`notice`): its line, and a word to change into another."""

    line: int
    kind: str
    said: str
    change: tuple[str, str] = ("", "")


@dataclass
class Checked:
    """A text: its name, tables and game; of a text with mistakes `file` is None."""

    text: str
    name: str = ""
    tables: dict[str, Any] = field(default_factory=dict)
    file: GameFile | None = None
    remarks: list[Remark] = field(default_factory=list)

    @property
    def digest(self) -> str:
        """The same for all texts with the same tables, whatever their comments."""
        return hashlib.sha256(json.dumps(self.tables, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def line(self, key: str) -> int:
        """The line of a key; 1 where the file has none."""
        return line_of(self.text, key) or 1


def checked(text: str) -> Checked:
    """Read a game file as it is typed; nothing is raised for mistakes."""
    result, kind = Checked(text), "complaint"
    try:
        result.tables = parse(text.encode(), "your game")
        result.name = str(result.tables.get("name", ""))[:60]
        result.file = read_game(result.tables, "")
        found, kind = warnings(result.file), "notice"
    except Misfit as misfit:
        found = lines_of(misfit)
    except Refusal as refusal:
        found = [str(refusal), *map(str, refusal.others)]
    for said in found:
        result.remarks.append(Remark(_line(text, said), kind, said.removeprefix(NO_TOML), _change(said)))
    return result


def _line(text: str, said: str) -> int:
    """The line of a game file that a complaint is about; the first for a key of the file that is missing."""
    if said.startswith(NO_TOML):
        at = re.search(r"\(at line (\d+), column \d+\)$", said)
        return int(at[1]) if at else text.count("\n") + 1
    return line_of(text, said.partition(": ")[0]) or 1


def _change(said: str) -> tuple[str, str]:
    """The word that was written and the one that was meant; two empty texts where nothing is suggested."""
    meant = _MEANT.search(said)
    key, _, text = said.partition(": ")
    given = re.search(r"'([\w-]+)'", text)
    word = key.rpartition(".")[2] if text.startswith("unknown field") else given[1] if given else ""
    return (word, meant[1]) if meant and word else ("", "")


# --- the table of units ---------------------------------------------------------------------------------------------


def unit_table(found: Checked) -> dict[str, Any]:
    """The heads of the further rolls, and the rows: name, tags, price, attack, defence, further rolls, hits, line."""
    file = found.file
    if file is None:
        return {}
    pieces = {side: pieces_by_name(file, side) for side in SIDES}
    main = set(MAIN_ROLLS.values())
    heads = list(dict.fromkeys(
        name for side in SIDES for piece in pieces[side].values() for name, roll in piece.rolls.items()
        if roll and name not in main
    ))  # fmt: skip
    rows: list[dict[str, Any]] = []
    for key, unit in file.unit.items():
        own = {MAIN_ROLLS[side]: pieces[side][key].rolls.get(MAIN_ROLLS[side]) for side in SIDES}
        either = {name: roll for side in SIDES for name, roll in pieces[side][key].rolls.items() if name not in main}
        rolls = [_roll(file, roll) for roll in (*own.values(), *(either.get(name) for name in heads))]
        about = {"name": key, "tags": ", ".join(unit.tags), "price": f"{unit.cost:g}", "hits": unit.hits}
        rows.append(about | {"rolls": rolls, "line": found.line(f"unit.{key}")})
    again = any(isinstance(one, str) and "↻" in one for row in rows for one in row["rolls"])
    return {"heads": [name.replace("_", " ") for name in heads], "rows": rows, "again": again}


def _roll(file: GameFile, given: Any) -> str:
    """A roll as its value: "8+", "2 dice 6+", ↻ where dice are rolled again; a dash where there is none."""
    if not given:
        return "–"
    again = " ↻" if isinstance(given, Roll) and given.reroll != "none" else ""
    return value_text(file, rolled(given)) + again


def dice_in_words(file: GameFile) -> str:
    """The dice that the table's values mean: "a die of 10: 8+ is 8 or more"."""
    symbols = any(
        isinstance(roll, Roll) and has_symbols(die_named(file, roll.die))
        for side in SIDES for piece in pieces_of(file, side) for roll in piece.rolls.values()
    )  # fmt: skip
    said = "8+ hits with 8 or more" if file.dice.hit == "at-least" else "2- hits with 2 or less"
    return f"dice of {file.dice.sides} sides; {said}" + (", further dice have symbols" if symbols else "")


# --- findings -------------------------------------------------------------------------------------------------------


def findings(found: Checked, data: Mapping[str, Any]) -> Iterator[tuple[str, str, int]]:
    """Kind, text and line: notes on rules (most never apply), and what the test battle leaves out."""
    for one in found.remarks:
        yield "note", one.said, one.line
    fielded = {unit for side in SIDES for unit, n in (data.get(side) or {}).items() if n}
    for unit in found.file.unit if found.file else ():
        if unit not in fielded:
            words = unit.replace("_", " ")
            yield (
                "not tried",
                f"the test battle has no {words}: nothing here says what they do",
                found.line(f"unit.{unit}"),
            )
    given = data.get("conditions") or {}
    for name in found.file.condition if found.file else ():
        if name not in given:
            text = f"the condition {name.replace('_', ' ')} has its default in the test battle: no other is tried"
            yield "not tried", text, found.line(f"condition.{name}")
