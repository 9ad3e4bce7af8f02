"""The battle of a relief army against a besieger (docs/rules/europa_land_siege.md section 5.7)."""

from __future__ import annotations

from typing import Any

from simulator.rules.europa.shared.land_model import Besieger, Campaign, Land
from simulator.rules.europa.shared.losses import COUNTER_FIELDS, Counters
from simulator.rules.europa.shared.stacks import LD

OF_THE_ARRIVAL = {"round", "chance", "sortie", "enter", "crossing"}
OF_THE_PLACE = {"region", "terrain", "period"}
# The side of the battle, and that of the siege whose policy it follows.
PAIRS = ("attacker", "defender"), ("defender", "attacker")
READINGS = {
    "leader_differential_cap", "leader_years", "timar_limits", "tables", "destruction_test", "tercios_require_army",
    "national_bonuses",
}  # fmt: skip


def with_counters(side: dict[str, Any], counters: Counters) -> dict[str, Any]:
    """A side with these counters."""
    plus, minus, loose, explorers = counters
    # Three LDE are at once a LD.
    return side | dict(zip(COUNTER_FIELDS, (plus, minus, loose + explorers // LD, explorers % LD), strict=True))


def battle_of(fields: Campaign, besieger: Counters, inside: Counters) -> Land:
    """The battle: the relief army, with the troops inside in a sortie, moves and so attacks; no interception."""
    relief, conditions, policy = fields.defender.relief, fields.conditions, fields.policy
    assert relief is not None
    own = Counters.of(relief)
    both = Counters(*(a + b for a, b in zip(own, inside, strict=True))) if relief.sortie else own
    camp = fields.attacker.model_dump(exclude=set(Besieger.__annotations__))
    return Land.model_validate(
        {
            "game": "europa",
            "battle": "land",
            "attacker": with_counters(relief.model_dump(exclude=OF_THE_ARRIVAL), both),
            "defender": with_counters(camp, besieger),
            "conditions": conditions.model_dump(include=OF_THE_PLACE) | {"crossing": relief.crossing},
            "policy": {side: {"break_off": getattr(policy, other).break_off} for side, other in PAIRS},
            "options": fields.options.model_dump(include=READINGS),
        }
    )
