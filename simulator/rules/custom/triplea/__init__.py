"""Import of TripleA maps as game files (docs/rules/triplea_import.md)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from simulator.rules.battle import Misfit, Refusal
from simulator.rules.custom.game_file.files import read_game
from simulator.rules.custom.game_file.written import toml_text
from simulator.rules.custom.triplea.kinds import kind_table, kinds_of
from simulator.rules.custom.triplea.properties import losses_of, report_properties
from simulator.rules.custom.triplea.report import Record, Report, report_text
from simulator.rules.custom.triplea.steps import StepTables
from simulator.rules.custom.triplea.supports import MOST_MODIFIERS, Supports, artillery_supports, territory_effects
from simulator.rules.custom.triplea.taking_part import NO_BATTLE, Wanted, players_of, units_of
from simulator.rules.custom.triplea.units import TOO_GOOD, MapUnit, UnitTables
from simulator.rules.custom.triplea.variables import write_out
from simulator.rules.custom.triplea.xml_map import MapError, TripleaMap, parse_map, read_map

__all__ = ["Imported", "MapError", "import_triplea", "report_text"]

ASSUMED = [
    "ASSUMED: technologies off; nobody scrambles or intercepts; submarines submerge only in a stalemate; weakest first",
    "ASSUMED: nobody retreats from a landing, and defenders never retreat",
]


@dataclass(frozen=True)
class Imported:
    """An imported map: `game` (the tables of its game file), `toml` (the same as text) and `report`.

    `report`: records with `line`, `kind` (taken, approximated, left out), `about` and `note`.
    """

    game: dict[str, Any]
    records: list[Record] = field(repr=False)

    @property
    def toml(self) -> str:
        """The game file as text; the same map gives the same bytes."""
        return toml_text(self.game)

    @property
    def report(self) -> list[dict[str, object]]:
        """One record for each line of the report."""
        return [asdict(record) for record in self.records]


def import_triplea(
    path: str | Path | None = None,
    *,
    text: str | None = None,
    units: Sequence[str] | None = None,
    players: Sequence[str] | None = None,
) -> Imported:
    """The game file that a TripleA map describes. Source: docs/rules/triplea_import.md.

    Parameters
    ----------
    path : str or Path, optional
        The map's XML file.
    text : str, optional
        The XML itself, in place of a file.
    units : sequence of str, optional
        Names in the game file of the units to take; all by default, but for those that are lost when they fire.
    players : sequence of str, optional
        Players whose units to take, in upper or lower case; all by default.

    Returns
    -------
    Imported
        The game file, and a report of what it leaves out.

    Raises
    ------
    ValueError
        In one line that begins with `map: `, for a map that cannot be read or makes no game file.
    TypeError
        Unless exactly one of `path` and `text` is given.

    Examples
    --------
    >>> import_triplea(text="<game/>")
    Traceback (most recent call last):
        ...
    simulator.rules.custom.triplea.xml_map.MapError: map: no units
    """
    if (path is None) == (text is None):
        raise TypeError("import_triplea takes a path or a text")
    found = read_map(path) if path is not None else parse_map((text or "").encode("utf-8", "surrogatepass"), "utf-8")
    report = Report()
    write_out(found, report)
    game = _game(found, Wanted(units, players), report)
    try:
        read_game(game, "")
    except Refusal as refusal:
        raise MapError(f"{refusal.field}: {refusal.text}") from None
    except Misfit as misfit:
        raise MapError(str(misfit)) from None
    return Imported(game, sorted(report.records, key=lambda record: record.line))


def _game(found: TripleaMap, wanted: Wanted, report: Report) -> dict[str, Any]:
    """The tables of the game file, in the order of docs/rules/custom_games.md section 2."""
    sides = _sides(found, report)
    units = units_of(found, wanted, report)
    made = UnitTables(found, sides, report)
    tables = {unit.name: made.table(unit) for unit in units}
    supports = Supports(found, units, players_of(found, wanted.players), report).add_to(artillery_supports(units))
    kinds = kinds_of(units, tables, supports)
    steps = StepTables(found, units, tables, kinds).every()
    kinds = {kind: kinds[kind] for kind in kinds if any(_fights(step, kind) for step in steps)}
    steps = [step for step in steps if "battle" not in step or step["battle"][0] in kinds]
    if not kinds:
        raise MapError(NO_BATTLE)
    modifiers = _marines(units, steps)
    effects, territories = territory_effects(found, units, MOST_MODIFIERS - len(modifiers), report)
    report_properties(found, report)
    game = {
        "format": 3,
        "name": found.name or "imported map",
        "source": "imported from a TripleA map",
        "assumed": [*ASSUMED, *_used_up(report.used_up, units), *report.said_with_answers()],
        "dice": {"sides": sides, "hit": "at-most"},
        "die": made.dice,
        "unit": tables,
        "battle": {kind: kind_table(kind, taking, units, found) for kind, taking in kinds.items()},
        "step": steps,
        "support": supports,
        "modifier": modifiers + effects,
        "condition": {"territory": {"choices": ["none", *territories]}} if territories else {},
        "losses": losses_of(found, units, tables),
    }
    return {key: value for key, value in game.items() if value}


def _used_up(gone: Sequence[str], units: Sequence[MapUnit]) -> list[str]:
    """Lines for every answer on the units that are lost when they fire: those left out, and those that fight on."""
    staying = [unit.name for unit in units if unit.is_used_up]
    return [
        *([f"lost when they fire, and left out: {', '.join(gone)}"] if gone else []),
        *([f"lost when they fire, but fight on here ({TOO_GOOD}): {', '.join(staying)}"] if staying else []),
    ]


def _sides(found: TripleaMap, report: Report) -> int:
    if found.sides is None or not found.sides.value.strip():
        return 6
    sides = found.sides.number(0)
    if not 2 <= sides <= 1000:
        value = " ".join(found.sides.value.split())[:40]
        raise MapError(f"line {found.sides.line}: diceSides: {value} is not from 2 to 1000")
    report.taken(found.sides.line, "diceSides")
    return sides


def _fights(step: dict[str, Any], kind: str) -> bool:
    """Is this a step of the kind other than anti-aircraft fire and bombardment?"""
    return step.get("battle") == [kind] and step["name"] != "bombardment"


def _marines(units: Sequence[MapUnit], steps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A modifier for each unit that is better, or worse, at landings."""
    landing = [step["name"] for step in steps if _fights(step, "amphibious")]
    found = []
    for unit in units:
        given = unit.options["isMarine"].value.strip() if "isMarine" in unit.options else ""
        adds = 1 if unit.is_true("isMarine") else int(given) if re.fullmatch(r"-?\d{1,9}", given) else 0
        adds = min(max(adds, -20), 20)
        if adds and landing:
            found.append({
                "name": "marines", "side": "attacker", "units": [unit.name], "adds": adds, "rolls": ["attack"],
                "steps": landing,
            })  # fmt: skip
    return found
