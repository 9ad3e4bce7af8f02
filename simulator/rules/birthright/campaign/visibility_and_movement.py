"""Units that a regent sees, and the war moves of a march: no dice (docs/rules/birthright.md sections 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, Built, Refusal, certain
from simulator.rules.birthright.campaign.model import Movement, Visibility
from simulator.rules.birthright.units import army
from simulator.rules.toolkit.naming import listed, plural

MOVES_A_MONTH = 4
MOST_UNITS = 60
LAND_SIGHT = {
    "claimed": "the province is claimed",
    "own_unit": "a unit of one's own is there",
    "adjacent_scouts": "scouts are next to it",
}


def check_visibility(fields: Visibility) -> None:
    """Refuse fields of the other kind of unit (section 7). Raises Refusal."""
    sight = fields.conditions
    if sight.kind == "naval":
        for name in LAND_SIGHT:
            if getattr(sight, name):
                raise Refusal(f"conditions.{name}", "true is not allowed with kind naval")
    elif sight.own_naval_unit:
        raise Refusal("conditions.own_naval_unit", "true is not allowed with kind army")
    if sight.moved_out and sight.previous != "seen":
        raise Refusal("conditions.moved_out", f"true is not allowed with previous {sight.previous}; it needs seen")


def visibility(fields: Visibility) -> Built:
    """Whether the unit is visible, and the known facts about it (section 7)."""
    sight = fields.conditions
    if sight.kind == "naval":
        reasons = ["a naval unit of one's own is there"] if sight.own_naval_unit else []
    else:
        reasons = [text for name, text in LAND_SIGHT.items() if getattr(sight, name)]
    visible = bool(reasons)
    facts = {
        "knows_type": visible,
        "knows_statistics": sight.espionage and sight.kind == "army",
        "knows_origin": visible and sight.previous != "none",
        "knows_destination": sight.moved_out and not visible,
    }
    known = [name.removeprefix("knows_") for name, yes in facts.items() if yes]
    return Built(
        answer=lambda run: certain(winner=ATTACKER if visible else DEFENDER, visible=visible, **facts),
        assumptions=lambda: ["whether espionage or scrying succeeds is not part of the rules: it is given"],
        explain=lambda: [
            f"visible: {listed(reasons)}" if visible else "out of sight",
            f"known: {listed(known) or 'nothing'}",
        ],
    )


def check_movement(fields: Movement) -> None:
    """Refuse an army without a rate, roads of another length, a borough too dear (section 8). Raises Refusal."""
    own, way = fields.attacker, fields.conditions
    army(own.units, "attacker.units", MOST_UNITS, 0 if own.movement else 1)
    if way.roads and len(way.roads) != len(way.costs):
        raise Refusal("conditions.roads", f"a list of {len(way.roads)} is not allowed; give {len(way.costs)}")
    march = March(fields)
    for i, cost in enumerate([] if fields.options.carry else march.costs):
        if cost > march.rate:
            allowed = f"without options.carry at most the {march.rate} points of a war move"
            raise Refusal(f"conditions.costs[{i}]", f"{cost} is not allowed; {allowed}")


class Entered(NamedTuple):
    """A borough entered: its war move, its cost, and the points left."""

    move: int
    cost: int
    left: int


@dataclass(frozen=True)
class March:
    """A march borough by borough."""

    fields: Movement

    @property
    def rate(self) -> int:
        """Points a war move: `attacker.movement`, else the slowest unit's."""
        own = self.fields.attacker
        return int(own.movement) or min(entry.unit.move for entry in army(own.units, "attacker.units", MOST_UNITS))

    @property
    def costs(self) -> list[int]:
        """Points for each borough; a road halves them, rounded up."""
        way = self.fields.conditions
        roads = way.roads or [False] * len(way.costs)
        return [-(-cost // 2) if road else cost for cost, road in zip(way.costs, roads, strict=True)]

    def course(self) -> list[Entered]:
        """The boroughs of the way in turn."""
        move, left, boroughs = 1, self.rate, []
        for cost in self.costs:
            while left < cost:
                move, left = move + 1, (left if self.fields.options.carry else 0) + self.rate
            left -= cost
            boroughs.append(Entered(move, cost, left))
        return boroughs


def movement(fields: Movement) -> Built:
    """The war moves of a march (section 8)."""
    march, way = March(fields), fields.conditions
    course = march.course()
    moves, left = course[-1].move, course[-1].left
    carried = "count in the next one" if fields.options.carry else "are lost"
    return Built(
        answer=lambda run: certain(
            winner=ATTACKER if moves <= way.war_moves else DEFENDER,
            war_moves_needed=moves,
            months=-(-moves // MOVES_A_MONTH),
            entered_in_time=sum(borough.move <= way.war_moves for borough in course),
            points_left=left,
            may_retreat=left >= way.retreat_cost,
        ),
        assumptions=lambda: [
            "costs of the boroughs as given: the map sheet is not public",
            f"points unspent in a war move {carried} (ASSUMED)",
            "a friendly paved road halves the cost, rounded up (ASSUMED)",
        ],
        explain=lambda: [
            f"{plural(march.rate, 'point')} a war move",
            *(
                f"borough {i} in war move {entered.move}: {plural(entered.cost, 'point')}, {entered.left} left"
                for i, entered in enumerate(course, 1)
            ),
        ],
    )
