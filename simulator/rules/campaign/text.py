"""Campaigns in words: what an answer rests on, and the plan of the fights."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from simulator.rules.campaign.plan import OUT, STAY, UNNAMED, Plan, Side
from simulator.rules.toolkit.naming import listed


def assumptions(plan: Plan, fields: Sequence[Any]) -> list[str]:
    """The lines of every fight, then those of the campaign."""
    lines: dict[str, list[str]] = {}
    for fight, one in zip(plan.fights, fields, strict=True):
        for line in plan.carry.build(fight.kind, one).assumptions() if one is not None else ():
            lines.setdefault(line, []).append(fight.name)
    every = [fight.name for fight, one in zip(plan.fights, fields, strict=True) if one is not None]
    found = [line if names == every else f"{listed(names)}: {line}" for line, names in lines.items()]
    return [*dict.fromkeys([*found, *_of_campaign(plan)])]


def _of_campaign(plan: Plan) -> Iterator[str]:
    if plan.derived:
        yield f"us: {listed([plan.forces[force] for force in sorted(plan.us)])} (follows from the fights)"
    for fight in plan.fights:
        if fight.question is not None:
            yield f"{fight.name}: is not fought unless {fight.question}"
    yield "driven_off: those who are beaten or leave a battle are out of the campaign, unless the field says otherwise"
    for at, fight in enumerate(plan.fights):
        if fight.sides[0].best:
            side = "our side" if plan.on_our_side(*fight.sides) else "the other side"
            yield f"fight[{at}].attacker.go: best for {side} by the objectives, with all that may follow"
        for side in fight.sides:
            if side.force != UNNAMED and side.driven_off != OUT:
                to = "stay with their force" if side.driven_off == STAY else f"join {plan.forces[side.driven_off]}"
                yield f"fight[{at}].{side.role}.driven_off: those driven off {to}"
    yield from plan.carry.assumed


def explain(plan: Plan, fields: Sequence[Any]) -> list[str]:
    """The sides of each fight, and its explanation from the most that they may bring."""
    lines = []
    for fight, one in zip(plan.fights, fields, strict=True):
        names = [_name(plan, side) for side in fight.sides]
        asked = f", only if {fight.question}" if fight.question else ""
        lines.append(f"{fight.name}: {fight.kind}, {names[0]} against {names[1]}{asked}")
        more = plan.carry.build(fight.kind, one).explain() if one is not None else ()
        lines += [f"{fight.name}: {line}" for line in more]
    return lines


def _name(plan: Plan, side: Side) -> str:
    return "others" if side.force == UNNAMED else plan.forces[side.force]
