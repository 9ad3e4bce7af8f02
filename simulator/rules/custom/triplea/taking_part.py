"""The units of a TripleA map that take part in battles (docs/rules/triplea_import.md section 3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from simulator.rules.custom.game_file.unit_names import unit_name
from simulator.rules.custom.triplea.report import Report
from simulator.rules.custom.triplea.units import TOO_GOOD, MapUnit
from simulator.rules.custom.triplea.xml_map import Attachment, MapError, TripleaMap

MOST_UNITS = 64
NO_BATTLE = "no battle is possible with these units"


@dataclass(frozen=True)
class Wanted:
    """The part of a map to import: names of `players` and `units`, None for all."""

    units: Sequence[str] | None = None
    players: Sequence[str] | None = None


def players_of(found: TripleaMap, wanted: Sequence[str] | None) -> list[str]:
    """The players whose units are taken, as the map spells them; all by default. Raises MapError."""
    if wanted is None:
        return found.players
    spelt = {player.lower(): player for player in found.players}
    for name in wanted:
        if name.lower() not in spelt:
            raise MapError(f"players: no player {name!r}; there are: {', '.join(found.players)}")
    if not wanted:
        raise MapError(f"players: name at least one; there are: {', '.join(found.players)}")
    asked = {name.lower() for name in wanted}
    return [player for player in found.players if player.lower() in asked]


def units_of(found: TripleaMap, wanted: Wanted, report: Report) -> list[MapUnit]:
    """The units that fight or support, of those `wanted`; the others are reported. Raises MapError."""
    players = players_of(found, wanted.players)
    every = _taking_part(found, players, report)
    if wanted.players is not None:
        theirs = _owned_by(found, players)
        every = _kept(every, [unit.spelling in theirs for unit in every], "none of these players has it", report)
    if wanted.units is not None:
        every = _chosen(every, wanted.units, report)
    else:
        # A unit that is lost when it fires is imported only if it is asked for by name.
        report.used_up = [unit.name for unit in every if unit.is_used_up]
        every = _kept(every, [not unit.is_used_up for unit in every], f"it is lost when it fires; {TOO_GOOD}", report)
    if not every:
        raise MapError(NO_BATTLE)
    if len(every) > MOST_UNITS:
        raise MapError(
            f"a game file holds at most {MOST_UNITS} units, the map has {len(every)}; choose with --players"
            f" ({', '.join(found.players)}) or --units: {', '.join(unit.name for unit in every)}"
        )
    return every


def gives(support: Attachment, players: Collection[str]) -> bool:
    """Has this support one of the players, and a bonus other than 0?"""
    given = support.latest()
    named, bonus = given.get("players"), given.get("bonus")
    return bool(named and set(named.names()) & {*players} and bonus and bonus.number(0))


def _taking_part(found: TripleaMap, players: list[str], report: Report) -> list[MapUnit]:
    first: dict[str, Attachment] = {}
    for attachment in found.kind("UnitAttachment"):
        first.setdefault(attachment.owner, attachment)
    if not first.keys() & found.units.keys():
        raise MapError("no units")
    givers = {one.owner for one in found.kind("UnitSupportAttachment") if gives(one, players)}
    every: list[MapUnit] = []
    used: set[str] = set()
    for spelling, line in found.units.items():
        if spelling not in first:
            report.left_out(line, spelling, "has no unit attachment")
            continue
        options, supports = first[spelling].latest(), spelling in givers
        unit = MapUnit(unit_name(spelling, used), spelling, options, first[spelling].line)
        if unit.supports_only and not (unit.has_guns or supports):
            report.left_out(line, spelling, "takes no part in battles")
        elif not (supports or unit.can_fight):
            report.left_out(line, spelling, "cannot fight")
        else:
            used.add(unit.name)
            every.append(unit)
    return every


def _owned_by(found: TripleaMap, players: Sequence[str]) -> set[str]:
    """The units that one of these players can buy or owns at the start."""
    frontiers = {frontier for player in players for frontier in found.buys_from.get(player, [])}
    rules = {rule for frontier in frontiers for rule in found.frontiers.get(frontier, [])}
    bought = {unit for rule in found.production if rule.name in rules for unit, _ in rule.results}
    return bought.union(*(found.owned.get(player, set()) for player in players))


def _kept(every: list[MapUnit], keep: list[bool], why: str, report: Report) -> list[MapUnit]:
    for unit, kept in zip(every, keep, strict=True):
        if not kept:
            report.left_out(unit.line, unit.name, why)
    return [unit for unit, kept in zip(every, keep, strict=True) if kept]


def _chosen(every: list[MapUnit], chosen: Sequence[str], report: Report) -> list[MapUnit]:
    names = {unit.name for unit in every}
    for name in chosen:
        if name not in names:
            raise MapError(f"units: no unit {name!r}; units: {', '.join(sorted(names))}")
    if not chosen:
        raise MapError("units: name at least one unit")
    return _kept(every, [unit.name in chosen for unit in every], "not chosen", report)
