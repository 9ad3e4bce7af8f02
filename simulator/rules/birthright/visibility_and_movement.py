"""Units that a regent sees, and the war moves of a march: no dice (docs/rules/birthright.md sections 7 and 8)."""

from __future__ import annotations

from typing import NamedTuple

from simulator.rules.battle import ATTACKER, DEFENDER, Built, certain
from simulator.rules.birthright.model import Movement, Visibility
from simulator.rules.birthright.units import Unit, army, assumed_sources
from simulator.rules.question import Answered, given
from simulator.rules.toolkit.naming import listed, plural
from simulator.rules.toolkit.policies import refuse, refuse_if

MOVES_A_MONTH = 4
MOST_UNITS = 60
SIGHT = {
    "claimed": "the province is claimed",
    "own_unit": "a unit of one's own is there",
    "adjacent_scouts": "scouts are next to it",
    "own_naval_unit": "a naval unit of one's own is there",
}


def check_visibility(fields: Visibility) -> None:
    """Refuse fields of the other kind of unit (section 7). Raises Refusal."""
    sight = fields.conditions
    for name in SIGHT:
        other = (name == "own_naval_unit") != (sight.kind == "naval")
        refuse(other and getattr(sight, name), f"conditions.{name}", f"true is not allowed with kind {sight.kind}")
    text = f"true is not allowed with previous {sight.previous}; it needs seen"
    refuse(sight.moved_out and sight.previous != "seen", "conditions.moved_out", text)


def visibility(fields: Visibility) -> Built:
    """Is the unit visible, and which facts about it are known (section 7)?"""
    sight = fields.conditions
    reasons = [text for name, text in SIGHT.items() if getattr(sight, name)]
    visible, spied = bool(reasons), sight.espionage and sight.kind == "army"
    facts = {
        "knows_type": visible or spied,
        "knows_statistics": spied,
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


def seen_sentence(answer: Answered) -> str:
    """The headline: is the unit seen, and what is known of it."""
    facts = [name for name in answer.names if name.startswith("knows_") and answer.p(name)]
    known = ", ".join(f"{{{name} ? {name.removeprefix('knows_')} : }}" for name in facts) or "nothing"
    unit = "fleet" if given(answer, "conditions.kind") == "naval" else "army"
    return f"The {unit} is {{visible ? seen : not seen}}; known: {known}."


def march_sentence(answer: Answered) -> str:
    """The headline: the war moves of a march."""
    costs = given(answer, "conditions.costs")
    of = f"of {plural(len(costs), 'province')} " if isinstance(costs, list) else ""
    entered = f"{{mean.entered_in_time|{of}is|{of}are}} entered in time"
    return f"The march takes {{mean.war_moves_needed|war move}}, and {entered}."


def check_movement(fields: Movement) -> None:
    """Refuse an army without a rate, roads of another length, a borough too dear (section 8). Raises Refusal."""
    way, rate = fields.conditions, _rate(fields)
    other = way.roads and len(way.roads) != len(way.costs)
    refuse_if(other, "conditions.roads", f"a list of {len(way.roads)}", f"give {len(way.costs)}")
    for i, cost in enumerate(_costs(fields)):
        allowed = f"without options.carry at most the {rate} points of a war move"
        refuse_if(cost > rate and not fields.options.carry, f"conditions.costs[{i}]", cost, allowed)


def _units(fields: Movement) -> list[Unit]:
    """The units of the army. Raises Refusal for an army without a rate."""
    entries = army(fields.attacker.units, "attacker.units", MOST_UNITS, 0 if fields.attacker.movement else 1)
    return [entry.unit for entry in entries]


def _rate(fields: Movement) -> int:
    """Points a war move: `attacker.movement`, else the slowest unit's. Raises Refusal for an army without a rate."""
    units = _units(fields)
    return int(fields.attacker.movement) or min(unit.move for unit in units)


def _costs(fields: Movement) -> list[int]:
    """Points for each borough; a road halves them, rounded up."""
    way = fields.conditions
    roads = way.roads or [False] * len(way.costs)
    return [-(-cost // 2) if road else cost for cost, road in zip(way.costs, roads, strict=True)]


class Entered(NamedTuple):
    """A borough entered: its war move, its cost, and the points left."""

    move: int
    cost: int
    left: int


def _course(fields: Movement) -> list[Entered]:
    """The boroughs of the way in turn."""
    rate = _rate(fields)
    move, left, boroughs = 1, rate, []
    for cost in _costs(fields):
        while left < cost:
            move, left = move + 1, (left if fields.options.carry else 0) + rate
        left -= cost
        boroughs.append(Entered(move, cost, left))
    return boroughs


def movement(fields: Movement) -> Built:
    """The war moves of a march (section 8)."""
    course, way = _course(fields), fields.conditions
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
            *assumed_sources(_units(fields), ()),
        ],
        explain=lambda: [
            f"{plural(_rate(fields), 'point')} a war move",
            *(
                f"borough {i} in war move {entered.move}: {plural(entered.cost, 'point')}, {entered.left} left"
                for i, entered in enumerate(course, 1)
            ),
        ],
    )
