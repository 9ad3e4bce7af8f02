"""The stages of a passage, and fleets of one zone that fight together.

docs/rules/europa_naval_and_other.md section 14.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import NamedTuple

from simulator.rules.europa.passages.model import HostileFleet, PassageFields, PassedWork, Patrol, zone_of
from simulator.rules.europa.sea.squadrons import Squadron
from simulator.rules.europa.shared.fields import Ship
from simulator.rules.europa.shared.fleets import fleet_of
from simulator.rules.europa.shared.voyage import SeaWay
from simulator.rules.toolkit.naming import listed

ADDED = (*Ship.model_fields, "army_plus", "army_minus", "land_detachments", "exploration_detachments", "gold")


class Stage(NamedTuple):
    """One stage: its kind, its name, and the work or the fleets that it is about, with the name of each."""

    kind: str
    name: str
    work: PassedWork | None = None
    fleets: tuple[HostileFleet, ...] = ()
    each: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """The beginning of a line of a replay."""
        return self.name.capitalize()

    @property
    def lands(self) -> bool:
        """Do these fleets fight at the landing, after the storm of the voyage?"""
        return any(fleet.stage == "landing" for fleet in self.fleets) and self.kind == "patrol"


def stages_of_passage(fields: PassageFields) -> list[Stage]:
    """The stages in order."""
    defender = fields.defender
    at_port = [work for work in defender.works if work.work in {"presidio", "siegeworks"}]
    straits = [work for work in defender.works if work not in at_port]
    found = [Stage("work", f"fire of {work.work}", work) for work in at_port]
    if defender.blockader:
        found.append(Stage("run", "blockade", fleets=(defender.blockader,), each=("blockade",)))
    found += [Stage("work", f"fire of {work.work}", work) for work in straits]
    found += _patrols(defender.interceptors, "en-route")
    if fields.conditions.sea_attrition:
        found.append(Stage("storm", "voyage"))
    return [*found, *_patrols(defender.interceptors, "landing"), Stage("landing", "landing")]


def _patrols(fleets: Sequence[Patrol], where: str) -> list[Stage]:
    """The zones of interceptors en route, or the zone of the landing, in the order of the first of each."""
    zones: dict[str, list[int]] = {}
    for n, fleet in enumerate(fleets):
        if fleet.stage == where:
            zones.setdefault(zone_of(fleet) or f"interceptor {n}", []).append(n)
    found = []
    for members in zones.values():
        numbers = [str(n + 1) for n in members]
        name = f"interceptor{'s' * (len(members) > 1)} {listed(numbers)} ({where})"
        each = tuple(f"interceptor {n} ({where})" for n in numbers)
        found.append(Stage("patrol", name, fleets=tuple(fleets[n] for n in members), each=each))
    return found


def merged(squadrons: Sequence[Squadron]) -> HostileFleet:
    """Fleets of one zone as one: ships, troops and gold together.

    The one with a given leader and the greatest manoeuvre commands (then Fire + Shock, then the first), without one the
    first with a replacement, else the first (ASSUMED). Technology and veterans are those of most of the ships.
    """
    commander = max(squadrons, key=_rank)
    sides = [squadron.side for squadron in squadrons]
    together = {name: sum(getattr(side, name) for side in sides) for name in ADDED}
    ruling = {name: _of_most(squadrons, name) for name in ("technology", "veteran")}
    found = commander.side.model_copy(update=together | ruling)
    assert isinstance(found, HostileFleet)
    return found


def _rank(squadron: Squadron) -> tuple[int, int, int]:
    leader = squadron.leader
    given = 2 if leader.given else int(leader.drawn)
    return (given, leader.manoeuvre, leader.fire + leader.shock) if leader.given else (given, 0, 0)


def _of_most(squadrons: Sequence[Squadron], name: str) -> Hashable:
    """The value of a field that most of the ships have, in thirds; of equals the first."""
    found = Counter[Hashable]()
    for squadron in squadrons:
        found[getattr(squadron.side, name)] += fleet_of(squadron.side).thirds
    return max(found, key=found.__getitem__)


# --- the way of a fleet that does not arrive ---


def way_until(stage: Stage, fields: PassageFields) -> SeaWay:
    """The way of a fleet that a stage stops or beats: the voyage and the retreat, at the landing the retreat alone."""
    conditions, back = fields.conditions, fields.conditions.retreat_zones
    if stage.lands:
        kept = {name: getattr(conditions, name) for name in ("sea_difficulty", "bad_weather", "works_crossed")}
        return SeaWay(**kept, zones_entered=back, zones_to_port=back - 1)
    entered = zones_until(stage, conditions.zones_entered)
    zones = entered + back * bool(stage.fleets)
    return conditions.model_copy(update={"zones_entered": zones, "malus": conditions.malus if entered else 0})


def zones_until(stage: Stage, voyage: int) -> int:
    """The zones, of those of the voyage, that a fleet has entered when it comes to a stage."""
    if stage.kind == "run":
        return 0
    if stage.work:
        at_port = stage.work.work in {"presidio", "siegeworks"}
        return (0 if at_port else voyage) if stage.work.zones_entered is None else stage.work.zones_entered
    entered = [fleet.zones_entered for fleet in stage.fleets if isinstance(fleet, Patrol)]
    return max((zones for zones in entered if zones is not None), default=voyage)
