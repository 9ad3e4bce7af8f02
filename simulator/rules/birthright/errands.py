"""What a regent sees, and how long a march takes: no dice (docs/rules/birthright.md sections 7 and 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, Built, Refusal, certain
from simulator.rules.birthright.campaign_model import Movement, Visibility
from simulator.rules.birthright.units import army
from simulator.rules.toolkit.naming import listed, plural

MOVES_A_MONTH = 4
LAND_SIGHT = {
    "claimed": "the province is claimed",
    "own_unit": "a unit of one's own is there",
    "adjacent_scouts": "scouts are next to it",
}


def check_visibility(fields: Visibility) -> None:
    """Refuse what does not go together (section 7)."""
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
    """What is seen and known."""
    sight = fields.conditions
    if sight.kind == "naval":
        reasons = ["a naval unit of one's own is there"] if sight.own_naval_unit else []
    else:
        reasons = [text for name, text in LAND_SIGHT.items() if getattr(sight, name)]
    visible = bool(reasons)
    found = {
        "winner": ATTACKER if visible else DEFENDER,
        "visible": visible,
        "knows_type": visible,
        "knows_statistics": sight.espionage and sight.kind == "army",
        "knows_origin": visible and sight.previous != "none",
        "knows_destination": sight.moved_out and not visible,
    }
    seen = f"visible: {listed(reasons)}" if visible else "out of sight"
    known = [name.removeprefix("knows_") for name, known in found.items() if name.startswith("knows_") and known]
    return Built(
        answer=lambda run: certain(**found),
        assumptions=lambda: ["whether espionage or scrying succeeds is not part of the rules: it is given"],
        explain=lambda: [seen, f"known: {listed(known) or 'nothing'}"],
    )


def check_movement(fields: Movement) -> None:
    """Refuse a march that cannot be reckoned (section 8)."""
    own, way = fields.attacker, fields.conditions
    army(own.units, "attacker.units", 60, 0 if own.movement else 1)
    if way.roads and len(way.roads) != len(way.costs):
        raise Refusal("conditions.roads", f"a list of {len(way.roads)} is not allowed; give {len(way.costs)}")
    march = March(fields)
    if not fields.options.carry:
        for i, cost in enumerate(march.costs):
            if cost > march.rate:
                raise Refusal(
                    f"conditions.costs[{i}]",
                    f"{cost} is not allowed; without options.carry at most the {march.rate} points of a war move",
                )


class Entered(NamedTuple):
    """A borough entered: in which war move, at what cost, with how many points left."""

    move: int
    cost: int
    left: int


@dataclass(frozen=True)
class March:
    """A march borough by borough."""

    fields: Movement

    @property
    def rate(self) -> int:
        """Points a war move: as given, else the slowest unit's."""
        own = self.fields.attacker
        if own.movement:
            return int(own.movement)
        return min(entry.unit.move for entry in army(own.units, "attacker.units", 60))

    @property
    def costs(self) -> list[int]:
        """Points for each borough; a road halves them, rounded up."""
        way = self.fields.conditions
        roads = way.roads or [False] * len(way.costs)
        return [-(-cost // 2) if road else cost for cost, road in zip(way.costs, roads, strict=True)]

    def course(self) -> list[Entered]:
        """Every borough of the way."""
        move, left, found = 1, self.rate, []
        for cost in self.costs:
            while left < cost:
                move, left = move + 1, (left if self.fields.options.carry else 0) + self.rate
            left -= cost
            found.append(Entered(move, cost, left))
        return found


def movement(fields: Movement) -> Built:
    """The march and everything told about it."""
    march, way = March(fields), fields.conditions
    course = march.course()
    moves, left = course[-1].move, course[-1].left

    def explain() -> list[str]:
        lines = [f"{plural(march.rate, 'point')} a war move"]
        for i, borough in enumerate(course, 1):
            spent = f"{plural(borough.cost, 'point')}, {borough.left} left"
            lines.append(f"borough {i} in war move {borough.move}: {spent}")
        return lines

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
        explain=explain,
    )
