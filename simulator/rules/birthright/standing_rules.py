"""A battle unit against unit whose final states still hold the units on the field, for campaigns."""

from __future__ import annotations

from simulator.engine.model.chain import helper, rule
from simulator.rules.birthright.field_rules import (
    FIGHT,
    PURSUIT,
    FieldParams,
    end_if_over,
    engaged,
    pursued,
    running,
    table,
)


class KeptParams(FieldParams):
    """The same for a battle whose final states still hold the units on the field."""


for shared in (running, table):
    rule(KeptParams)(shared)


@rule(KeptParams)
def step(p, s, result):
    """As in field_rules; at the end a side that stands keeps its front and its resting units."""
    if s.stage == PURSUIT:
        return pursued(p, s, result)
    fought = engaged(p, s, result)
    after = end_if_over(p, fought)
    return after if after.stage == FIGHT else standing(p, fought, after)


@helper
def standing(p, before, after):
    """The end of the fighting with the fronts and the resting units of the sides that stand."""
    own, enemy = p.front.units[after.attacker] > 0, p.front.units[after.defender] > 0
    return after._replace(
        attacker=before.attacker if own else 0,
        attacker_rest1=before.attacker_rest1 if own else 0,
        attacker_rest2=before.attacker_rest2 if own else 0,
        defender=before.defender if enemy else 0,
        defender_rest1=before.defender_rest1 if enemy else 0,
        defender_rest2=before.defender_rest2 if enemy else 0,
    )
