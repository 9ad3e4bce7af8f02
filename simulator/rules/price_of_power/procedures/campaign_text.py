"""Campaigns in words: assumptions and explanation (docs/rules/price_of_power.md section 8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from simulator.rules.price_of_power import text
from simulator.rules.price_of_power.procedures import siege
from simulator.rules.price_of_power.procedures.campaign_model import (
    PARTS,
    fleet_at_start,
    is_fought,
    stage,
)
from simulator.rules.price_of_power.procedures.landing import Units, by_type, in_words
from simulator.rules.price_of_power.setup import Setup
from simulator.rules.toolkit.naming import listed, plural

if TYPE_CHECKING:
    from simulator.rules.price_of_power.procedures.campaign import Stages


def assumptions(stages: Stages) -> Iterator[str]:
    """Lines for the readings and policies of each stage."""
    fields = stages.fields
    for name, part in PARTS.items():
        lines = text.assumptions(Setup(stage(fields, part))) if is_fought(fields, part) else []
        yield from (f"{name}: {line}" for line in lines)
    yield f"{'marching' if stages.march else 'landing'}: {fields.policy.attacker.landing}"
    if stages.provinces:
        yield f"siege plan: {fields.policy.attacker.plan}"
    yield from siege.mentality_lines(fields.options.defensive_mentality, stages.provinces)


def explain(stages: Stages) -> Iterator[str]:
    """Lines for those who go and those who stay, and for the stages that are fought."""
    fields = stages.fields
    if is_fought(fields, "fleet"):
        yield from (f"at sea: {line}" for line in text.explain(Setup(stage(fields, "fleet"))))
    room = stages.room(fleet_at_start(fields).ships)
    units = stages.choice_of(room)
    yield who_goes(stages, units)
    if units and is_fought(fields, "army"):
        yield from (f"on land: {line}" for line in text.explain(Setup(stage(fields, "army", units))))
    if units and stages.provinces:
        best = stages.plan(by_type(units))
        taken = f"{len(best.provinces)} of {plural(len(stages.provinces), 'province')} (tax value {best.value})"
        cost = f"{best.power} power in {plural(best.actions, 'action')}"
        yield f"siege: without losses they take {taken} for {cost}"
    if is_fought(fields, "port_fleet"):
        lines = [*text.explain(Setup(stage(fields, "port_fleet")))]
        yield from (f"out of port: {line}" for line in lines)


def who_goes(stages: Stages, units: Units) -> str:
    """The line on those who go and those who stay behind; by sea if no ship is lost before."""
    where = "march" if stages.march else "landing, if no ship is lost"
    if not any(units):
        return f"{where}: nobody gets there"
    staying = tuple(own - there for own, there in zip(stages.army, units, strict=True))
    verb = "cross" if stages.march else "land"
    line = f"{where}: {listed([*in_words(units)])} {verb if sum(units) > 1 else verb + ('es' if stages.march else 's')}"
    if stages.march:
        line += f" for {stages.there(units)['march_power_spent']} power"
    behind = "stays behind" if sum(staying) == 1 else "stay behind"
    return f"{line}, {listed([*in_words(staying)])} {behind}" if any(staying) else line
