"""A game file to begin with: a commented one, or the units of a spreadsheet (docs/your-own-game.md)."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Any

from simulator.rules.battle import Refusal
from simulator.rules.custom.game_file.files import LARGEST_FILE, read_game
from simulator.rules.custom.game_file.unit_names import unit_name
from simulator.rules.custom.game_file.written import toml_text
from simulator.rules.toolkit.naming import unaccented
from simulator.rules.toolkit.policies import refuse

COLUMNS = ("name", "cost", "attack", "defence", "hits")
NEEDED = ("name", "attack", "defence")
MOST_UNITS = 64
FACES = 6
RANGES = {"cost": (0, 1_000_000), "attack": (0, FACES), "defence": (0, FACES), "hits": (1, 20)}
MEANT = {"defense": "defence", "unit": "name", "price": "cost"}


def beginning(name: str) -> str:
    """The text of a commented game file with this name."""
    text = resources.files("simulator.rules.custom.game_file").joinpath("beginning.toml").read_text("utf-8")
    return text.replace('"NAME"', json.dumps(name, ensure_ascii=False), 1)


def game_from_csv(path: str | Path, name: str) -> str:
    """The text of a game file whose units are the rows of a CSV file: name, cost, attack, defence, hits.

    Six-sided dice that hit at the value or less, one battle kind, all units fire at the same time.

    Raises
    ------
    Refusal
        With the line of the file, for a column, a name or a number that a game file does not take; all mistakes of
        the rows, the first with the `others`.
    """
    units = _units(_text(path))
    game: dict[str, Any] = {
        "format": 3,
        "name": name,
        "dice": {"sides": FACES, "hit": "at-most"},
        "unit": units,
        "battle": {"field": {"title": "a battle in the field", "taken_by": list(units), "may_retreat": ["attacker"]}},
        "step": [{"name": "fight"}],
        "losses": {"order": "cheapest"},
    }
    read_game(game, "units: ")
    return toml_text(game)


def _text(path: str | Path) -> str:
    try:
        with Path(path).open("rb") as file:
            content = file.read(LARGEST_FILE + 1)
        refuse(len(content) > LARGEST_FILE, "units", f"{path}: too large; at most {LARGEST_FILE // 1024} kB")
        # Spreadsheets write a mark of the encoding in front.
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Refusal("units", f"{path}: not UTF-8; save the sheet as CSV UTF-8") from None
    except (OSError, ValueError) as error:
        raise Refusal("units", f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


def _units(text: str) -> dict[str, dict[str, Any]]:
    """The unit tables of the rows. Raises Refusal, for all mistakes of the rows at once."""
    head = text.partition("\n")[0]
    # Spreadsheets separate with semicolons where the comma stands in numbers, and copied cells with tabs.
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count))
    columns = _columns(next(rows, []))
    found: dict[str, dict[str, Any]] = {}
    lines: dict[str, int] = {}
    mistakes: list[Refusal] = []
    for row in rows:
        if not any(value.strip() for value in row):
            continue
        line = rows.line_num
        if len(row) > len(columns):
            mistakes.append(Refusal("units", f"line {line}: {len(row)} values for {len(columns)} columns"))
            continue
        given = dict(zip(columns, (value.strip() for value in row), strict=False))
        wrong = [Refusal("units", f"line {line}: {text}") for text in _mistakes(given, lines)]
        mistakes += wrong
        if not wrong:
            spelling = given["name"]
            lines[spelling.casefold()] = line
            key = unit_name(unaccented(spelling), set(found))
            found[key] = ({} if key == spelling else {"name": spelling}) | _unit(given)
    if mistakes:
        mistakes[0].others = mistakes[1:]
        raise mistakes[0]
    refuse(not found, "units", "no rows; give one for each unit")
    refuse(len(found) > MOST_UNITS, "units", f"{len(found)} rows; a game file holds at most {MOST_UNITS} units")
    if not any(unit["attack"] or unit["defence"] for unit in found.values()):
        raise Refusal("units", "nobody rolls: attack and defence are 0 in every row")
    return found


def _columns(head: Sequence[str]) -> list[str]:
    """The columns that the first line names. Raises Refusal."""
    columns = [MEANT.get(word.strip().lower(), word.strip().lower()) for word in head]
    for column in NEEDED:
        refuse(column not in columns, "units", f"line 1: no column {column!r}; the columns are {', '.join(COLUMNS)}")
    for column in columns:
        if column not in COLUMNS or columns.count(column) > 1:
            raise Refusal("units", f"line 1: column {column!r} is not one of {', '.join(COLUMNS)}, each once")
    return columns


def _mistakes(given: Mapping[str, str], lines: Mapping[str, int]) -> Iterator[str]:
    """Sentences for the mistakes of a row; `lines`: the lines of the names above it."""
    name = given.get("name", "")
    if not name:
        yield "no name"
    elif name.casefold() in lines:
        yield f"name: {name!r} stands in line {lines[name.casefold()]} already"
    for column, (least, most) in RANGES.items():
        text = given.get(column, "")
        number = _number(text, fraction=column == "cost")
        if (text or column in NEEDED) and (number is None or not least <= number <= most):
            kind = "a number" if column == "cost" else "a whole number"
            dice = ", as the dice have six sides" if most == FACES else ""
            yield f"{column}: {text[:40]!r} is not {kind} from {least} to {most:,}{dice}"


def _unit(given: Mapping[str, str]) -> dict[str, Any]:
    """A row without mistakes as a unit table."""
    return {column: _number(given[column], fraction=column == "cost") for column in RANGES if given.get(column)}


def _number(text: str, fraction: bool) -> float | None:
    try:
        number = float(text.replace(",", ".")) if fraction else int(text)
    except ValueError:
        return None
    # `==` of infinity and its whole part would raise.
    return int(number) if number in range(1_000_001) else number
