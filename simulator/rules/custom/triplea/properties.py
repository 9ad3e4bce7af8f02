"""Properties of a TripleA map: losses, and the lines of the report (docs/rules/triplea_import.md section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.units import HEAVY_BOMBERS, OPTIONS, MapUnit
from simulator.rules.custom.triplea.xml_map import TripleaMap

LAST_TRANSPORTS = "Transport Casualties Restricted"
LONE_TRANSPORTS = "Unescorted Transport Dies"
REPAIRS = ("Units Repair Hits End Turn", "Units Repair Hits Start Turn")
ROUNDS = ("Land Battle Rounds", "Sea Battle Rounds")
USED = {HEAVY_BOMBERS, LAST_TRANSPORTS, LONE_TRANSPORTS, *REPAIRS, *ROUNDS, *OPTIONS["property"]["used"]}
APPROXIMATED, LEFT_OUT = OPTIONS["property"]["approximated"], OPTIONS["property"]["left_out"]


def report_properties(found: TripleaMap, report: Report) -> None:
    """Report the properties that docs/rules/triplea_import.md names, and technologies, which are left out."""
    for kind in ("TechAttachment", "TechAbilityAttachment"):
        for attachment in found.kind(kind):
            report.left_out(attachment.line, attachment.name, "technologies are off")
    for name, given in found.properties.items():
        if name in ROUNDS and not given.is_off() and not 1 <= given.number(0) <= 1000:
            report.left_out(given.line, name, "not from 1 to 1000")
        elif name in USED or (given.is_off() and (name in APPROXIMATED or name in LEFT_OUT)):
            report.taken(given.line, name)
        elif name in APPROXIMATED:
            report.taken(given.line, name, "hits follow the owner's order of losses")
        elif name in LEFT_OUT:
            low_luck = name.startswith("Low Luck")
            note = 'a scenario says it: options.dice = "low-luck"' if low_luck else "not in a game file"
            report.left_out(given.line, name, note)


def losses_of(found: TripleaMap, units: Sequence[MapUnit], tables: dict[str, Any]) -> dict[str, Any]:
    """The table `losses` of the game file."""
    last = [unit.name for unit in units if unit.is_soft_transport] if found.is_on(LAST_TRANSPORTS) else []
    helpless = [
        unit.name
        for unit in units
        if not unit.supports_only
        and unit.element != "air"
        and not tables[unit.name].get("defence")
        and (unit.name not in last or found.is_on(LONE_TRANSPORTS))
    ]
    losses: dict[str, Any] = {"order": "weakest"}
    if last:
        losses["last"] = last
    if helpless:
        losses["removed_alone"] = {"defender": helpless}
    if any(found.is_on(name) for name in REPAIRS):
        losses["repaired"] = True
    return losses
