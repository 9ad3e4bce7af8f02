"""A log of battles that were fought: mappings, or a CSV or JSON file of them (docs/rules/decisions.md section 8)."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from simulator.rules.sides import SIDES
from simulator.rules.toolkit.naming import plain, plural, same_name
from simulator.scenarios import Draft, ScenarioError, Source, draft, example_names
from simulator.scenarios.files import decoded
from simulator.scenarios.reading import split_setting
from simulator.scenarios.validation import brief, not_one_of, shown

FRAME = ("scenario", "side", "set", "results")
SHORT_NAMES = {f"{side}{word}": side for side in SIDES for word in ("lost", "losses")}
SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs"}


@dataclass(frozen=True)
class LoggedBattle:
    """A battle of the log: its scenario, the side whose luck is asked, the outcome, and the losses of each round."""

    name: str
    scenario: Source
    side: str
    observed: Mapping[str, Any]
    settings: Mapping[str, Any]
    results: tuple[tuple[int, int], ...] = ()

    def draft(self) -> Draft:
        """Its scenario with its settings put in."""
        return draft(self.scenario).with_fields(self.settings)


def read_log(battles: str | Path | Sequence[Mapping[str, Any]]) -> list[LoggedBattle]:
    """The battles of a log. Raises ValueError for an empty log, ScenarioError for entries that are no battles."""
    folder = None
    if isinstance(battles, str | Path):
        path = Path(battles)
        battles, folder = _read(path), path.absolute().parent
    if isinstance(battles, Mapping) or not isinstance(battles, Sequence):
        raise ValueError("battles: give a list of battles, or a CSV or JSON file of them")
    if not battles:
        raise ValueError("battles: none")
    found, wrong = [], []
    for place, entry in enumerate(battles):
        try:
            found.append(_one(place, entry, folder))
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise ScenarioError(wrong[0], others=wrong[1:])
    return found


def _one(place: int, entry: Any, folder: Path | None) -> LoggedBattle:
    where = f"battles[{place}]"
    if not isinstance(entry, Mapping):
        raise ValueError(f"{where}: give a table with scenario and what was observed")
    source = entry.get("scenario")
    if source is None or source == "":
        raise ValueError(f"{where}.scenario: is needed")
    if isinstance(source, str) and folder is not None and (folder / source).is_file():
        source = folder / source
    side = entry.get("side") or "attacker"
    side = same_name(side, SIDES) or side
    if side not in SIDES:
        raise ValueError(f"{where}.side: {not_one_of(side, SIDES)}")
    given = {name: value for name, value in entry.items() if name not in FRAME and value is not None and value != ""}
    # A field has a dot in its name, a column of the outcome has none.
    fields = {name: value for name, value in given.items() if "." in name}
    observed = {name: value for name, value in given.items() if name not in fields}
    name = Path(source).stem if isinstance(source, str | Path) else f"battle {place + 1}"
    results = entry.get("results")
    if isinstance(results, str):
        results = plain_value(results) if results.strip() else None
    rounds = () if results is None else tuple(losses_of(results, f"{where}.results"))
    return LoggedBattle(name, source, side, observed, fields | _settings(where, entry.get("set")), rounds)


def template(source: str) -> str:
    """A log to fill in, as CSV: the set-up of a scenario, or of the first example of a game, on two lines.

    The columns: `scenario`, `side`, the numbers of both sides, `winner` (of a kind without one its number) and the
    losses. Raises ScenarioError.
    """
    name = source
    if not isfile(Path(source)) and source not in example_names():
        of_game = [one for one in example_names() if plain(str(draft(one).data.get("game"))) == plain(source)]
        name = min(of_game, key=lambda one: draft(one).data.get("battle") != "land", default=source)
    given = draft(name)
    numbers = {
        f"{side}.{field}": value
        for side in SIDES
        for field, value in given.data.get(side, {}).items()
        if isinstance(value, int) and not isinstance(value, bool)
    }
    summary, asked = given.battle().summary, given.battle().question.number or "winner"
    lost = [f"{side}_lost" for side in SIDES if any(one.startswith(side) and is_loss(one) for one in summary)]
    file = io.StringIO()
    lines = csv.writer(file, lineterminator="\n")
    lines.writerow(["scenario", "side", *numbers, asked, *lost])
    lines.writerows([[name, "attacker", *numbers.values(), "", *[""] * len(lost)]] * 2)
    return file.getvalue()


def is_loss(column: str) -> bool:
    """Does a column count losses?"""
    return "lost" in column or "losses" in column


def column_named(given: str, known: Sequence[str]) -> str:
    """The outcome column of this name in any case, or of a short one: `attacker_lost` counts units before their cost.

    The name itself where there is none.
    """
    if given in known:
        return given
    side = SHORT_NAMES.get(plain(given))
    losses = [name for name in known if side and name.startswith(side) and is_loss(name)]
    return same_name(given, known) or min(losses, key=lambda name: "cost" in name, default=given)


def losses_of(results: Any, where: str) -> list[tuple[int, int]]:
    """The losses of both sides, round by round. Raises ValueError for anything but pairs of whole numbers."""
    if not isinstance(results, list | tuple) or not results:
        raise ValueError(f"{where}: give the losses of both sides in each round, like [[1, 1], [0, 2]]")
    for number, pair in enumerate(results):
        whole = isinstance(pair, list | tuple) and all(
            isinstance(one, int) and not isinstance(one, bool) and one >= 0 for one in pair
        )
        if not whole or len(pair) != 2:
            text = "give what the attacker and what the defender lost, like [1, 1]"
            raise ValueError(f"{where}[{number}]: {shown(pair)} is not allowed; {text}")
    return [(own, enemy) for own, enemy in results]


def _settings(where: str, given: Any) -> dict[str, Any]:
    """`path=value; path=value`, or a table of them."""
    if isinstance(given, Mapping):
        return dict(given)
    parts = filter(None, map(str.strip, str(given or "").split(";")))
    pairs = (split_setting(part, f"{where}.set") for part in parts)
    return {path: plain_value(value) for path, value in pairs}


def plain_value(text: str) -> Any:
    """A value as TOML writes it, or else the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {"yes": True, "no": False}.get(text.lower(), text)


def _read(path: Path) -> list[Any]:
    if path.suffix.lower() == ".toml":
        more = f"`battle-odds luck --template {path}` prints a log of it to fill in"
        raise ValueError(brief(f"battles: {str(path)!r} is a scenario, no log in CSV or JSON; {more}"))
    try:
        text = decoded(path.read_bytes(), repr(str(path)), "battles")
    except FileNotFoundError:
        more = "`battle-odds luck --template risk` prints a log to fill in"
        raise ValueError(brief(f"battles: no file {str(path)!r}; {more}")) from None
    except OSError as error:
        raise ValueError(brief(f"battles: {str(path)!r} cannot be read ({error.strerror})")) from None
    if path.suffix.lower() == ".json":
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            raise ValueError(f"battles: {str(path)!r} is no JSON") from None
        return found if isinstance(found, list) else [found]
    return read_rows(text)


def read_rows(text: str) -> list[dict[str, Any]]:
    """The battles of a CSV with a heading; empty cells are left out. Raises ValueError for a line that does not fit.

    Cells stand between commas, semicolons or tabs: whichever the heading has most of.
    """
    first = next((line for line in text.splitlines() if line.strip()), "")
    between = max(",;\t", key=first.count)
    lines = csv.reader(text.splitlines(), delimiter=between, skipinitialspace=True)
    heading = [name.strip() for name in next((line for line in lines if line), [])]
    heading = [same_name(name, FRAME) or name for name in heading]
    twice = next((name for place, name in enumerate(heading) if not name or name in heading[:place]), None)
    if twice is not None:
        raise ValueError(f"battles: line {lines.line_num}: {shown(twice)} is not allowed; give each column one name")
    found = []
    for cells in lines:
        if cells and len(cells) != len(heading):
            many, wanted = plural(len(cells), "cell"), f"the heading has {len(heading)}"
            raise ValueError(
                f"battles: line {lines.line_num} has {many}; {wanted} (a cell with {SEPARATORS[between]} needs quotes)"
            )
        given = {name: cell.strip() for name, cell in zip(heading, cells, strict=False) if cell.strip()}
        if given:
            found.append({name: cell if name in FRAME else plain_value(cell) for name, cell in given.items()})
    return found
