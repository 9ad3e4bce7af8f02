"""Battles on land and sieges of Europa Universalis."""

from __future__ import annotations

from typing import Any

from tests.field_changes.kinds import SIDES, Changes

LED = {"manoeuvre": 2, "fire": 2, "shock": 2}
FIERCE = {"manoeuvre": 2, "fire": 6, "shock": 6}
FRAGILE = {"manoeuvre": 2, "fire": 6, "shock": 2}
BESIEGING = {"attacker": {"army_plus": 1, "leader": "none"}, "defender": {"leader": "none", "fortress_level": 1}}
ROUND = {"conditions": {"rounds": 1}}


def relieved(army: dict[str, Any], place: dict[str, Any] | None = None) -> dict[str, Any]:
    """A siege of one round to which this relief army comes."""
    relief = {"round": 1, "leader": LED} | army
    return {
        "attacker": {"land_detachments": 3, "leader": FRAGILE},
        "defender": {"land_detachments": 1, "fortress_level": 2, "leader": "none", "relief": relief},
        "policy": {"attacker": {"plan": "assault-at-once"}},
        "conditions": {"rounds": 1} | (place or {}),
    }


# A fortress that may be stormed.
STORMED = {
    "attacker": {"army_plus": 2, "leader": FIERCE},
    "defender": {"land_detachments": 1, "fortress_level": 3, "leader": "none", "technology": "arquebus"},
}

EUROPA_LAND: Changes = {
    ("europa", "land"): [
        (
            {
                "attacker": {"land_detachments": 3, "leader": FRAGILE},
                "defender": {"land_detachments": 3, "leader": FRAGILE},
                "conditions": {"terrain": "mountain"},
            },
            {"attacker.leader.robust": True, "defender.leader.robust": True, "conditions.interception": True},
        ),
        *(
            (
                {
                    "attacker": {"army_minus": 1},
                    "defender": {"army_minus": 1},
                    side: {"army_minus": 1, "leader": "Albuquerque", "leader_type": "conquistador"},
                },
                {f"{side}.leader_type": "explorer"},
            )
            for side in ("attacker", "defender")
        ),
        (
            {
                "attacker": {"army_minus": 1},
                "defender": {"army_minus": 1, "country": "turkey"},
                "options": {"timar_limits": False},
            },
            {"defender.turkish_reform": "m-2"},
        ),
        (
            {
                "attacker": {"army_minus": 1, "country": "sweden"},
                "defender": {"land_detachments": 2, "technology": "arquebus", "tercios": True},
                "conditions": {"period": "II", "terrain": "northern-forest"},
            },
            {"options.national_bonuses": "book", "options.tercios_require_army": False},
        ),
    ],
    ("europa", "siege"): [
        (
            BESIEGING | {"attacker": {"army_plus": 1, "leader": "Albuquerque", "leader_type": "conquistador"}},
            {"attacker.leader_type": "explorer", "options.leader_years": "in-period"},
        ),
        (
            BESIEGING | {"defender": {"leader": "Albuquerque", "leader_type": "conquistador"}},
            {"defender.leader_type": "explorer"},
        ),
        (
            BESIEGING
            | {
                "defender": {"land_detachments": 1, "fortress_level": 3, "technology": "arquebus"},
                "policy": {"attacker": {"action": "assault"}},
            },
            {"defender.country": "england"},
        ),
        (
            {
                **STORMED,
                "policy": {"attacker": {"action": "assault"}},
            },
            {"defender.tercios": True},
        ),
        (
            {
                "attacker": {"land_detachments": 3, "leader": "none"},
                "defender": {"leader": FIERCE, "fortress_level": 1},
                "policy": {"attacker": {"action": "assault"}},
            },
            {"options.assault_cap_factor": 1},
        ),
        (
            BESIEGING | {"defender": {"leader": LED, "fortress_level": 1}, "conditions": {"siegeworks_plus": 2}},
            {"defender.leader.type": "king"},
        ),
        (
            BESIEGING | {"conditions": {"breach_counter": True, "assault_counter": True}},
            {"options.assault_and_breach": "sum"},
        ),
        (
            {
                "attacker": {"army_plus": 1, "army_minus": 1, "country": "france", "leader": "none"},
                "defender": {"leader": "none", "fortress_level": 3},
                "conditions": {"supply_line": False, "period": "V"},
                "policy": {"attacker": {"action": "assault"}},
            },
            {
                "policy.attacker.losses": "keep-most-armies",
            },
        ),
        (
            BESIEGING | {"conditions": {"supply_line": False}},
            {"policy.attacker.pillage": "lose-detachment", "policy.attacker.too_small": "assault"},
        ),
        (
            {
                "attacker": {"army_plus": 1, "leader": FRAGILE | {"siege": 1}},
                "defender": {"land_detachments": 1, "leader": FRAGILE | {"siege": 1}, "fortress_level": 1},
                "policy": {"attacker": {"action": "assault"}},
            },
            {
                f"{side}.leader.{name}": to
                for side in SIDES
                for name, to in {"fire": 1, "shock": 4, "anonymous": True, "robust": True}.items()
            }
            | {"attacker.leader.type": "king"},
        ),
        (
            BESIEGING | {side: BESIEGING[side] | {"leader": LED} for side in SIDES},
            {"attacker.leader.siege": 2, "defender.leader.siege": 2},
        ),
    ],
    ("europa", "siege-campaign"): [
        (
            {
                **STORMED,
                "policy": {"attacker": {"plan": "assault-at-once"}},
                **ROUND,
            },
            {"defender.tercios": True},
        ),
        (
            {
                "attacker": {"army_plus": 1, "army_minus": 1, "country": "france", "leader": "none"},
                "defender": {"leader": "none", "fortress_level": 1},
                "conditions": {"supply_line": False, "period": "VI", "rounds": 1},
                "policy": {"attacker": {"plan": "assault-at-once"}},
            },
            {"policy.attacker.losses": "keep-most-armies"},
        ),
        (
            BESIEGING
            | {
                "attacker": {"army_minus": 1, "country": "turkey"},
                "defender": {"leader": "none", "fortress_level": 3},
                "policy": {"attacker": {"plan": "assault-at-once"}},
                **ROUND,
            },
            {"attacker.turkish_reform": "m-2"},
        ),
        (
            BESIEGING | {"attacker": {"army_plus": 1, "leader": "Albuquerque", "leader_type": "conquistador"}, **ROUND},
            {"attacker.leader_type": "explorer", "options.leader_years": "in-period"},
        ),
        (
            BESIEGING | {"defender": {"leader": "Albuquerque", "leader_type": "conquistador"}, **ROUND},
            {"defender.leader_type": "explorer"},
        ),
        (
            BESIEGING | {"attacker": {"army_minus": 1, "country": "turkey"}, "conditions": {"start_round": "W5"}},
            {"conditions.timar_distance": 0, "options.timar_limits": False},
        ),
        (
            BESIEGING
            | {
                "conditions": {"rounds": 2, "supply_line": False},
                "policy": {"attacker": {"too_small": "assault"}},
            },
            {"conditions.unsupplied_segments": 1, "policy.attacker.pillage": "lose-detachment"},
        ),
        (
            {
                "attacker": {"army_plus": 1, "leader": LED, "technology": "arquebus"},
                "defender": {"land_detachments": 1, "leader": LED, "fortress_level": 1},
                "policy": {"attacker": {"plan": "assault-at-once"}},
                **ROUND,
            },
            {
                "defender.leader.fire": 4,
                "defender.leader.shock": 4,
                "defender.leader.type": "explorer",
                "attacker.leader.type": "explorer",
            },
        ),
        (
            relieved({"land_detachments": 3}),
            {
                "defender.relief.army_minus": 1,
                "defender.relief.army_plus": 1,
                "defender.relief.land_detachments": 2,
                "defender.relief.army_class": "IV",
                "defender.relief.army_size": 6,
                "defender.relief.artillery_value": 9,
                "defender.relief.country": "france",
                "defender.relief.crossing": "river",
                "defender.relief.enter": False,
                "defender.relief.facing_the_ottomans": True,
                "defender.relief.foraging": True,
                "defender.relief.leader": "none",
                "defender.relief.leader.fire": 4,
                "defender.relief.leader.shock": 4,
                "defender.relief.leader.manoeuvre": 4,
                "defender.relief.leader.type": "explorer",
                "defender.relief.retreat_room": 0,
                "defender.relief.sortie": True,
                "defender.relief.structural_cavalry": "yes",
                "defender.relief.technology": "medieval",
                "defender.relief.veteran": False,
                "attacker.leader.robust": True,
                "options.destruction_test": "reaches",
            },
        ),
        (
            BESIEGING
            | {
                "defender": {"leader": LED, "fortress_level": 1, "land_detachments": 1},
                "conditions": {"rounds": 2, "supply_distance": 4},
            },
            {"defender.leader.siege": 2},
        ),
        (
            relieved({"land_detachments": 10, "technology": "medieval", "non_european": True}),
            {"defender.relief.non_european": False},
        ),
        (
            relieved({"land_detachments": 3, "technology": "arquebus", "tercios": True}),
            {"options.tercios_require_army": False},
        ),
        (
            relieved(
                {"army_minus": 1, "country": "sweden", "technology": "arquebus", "tercios": True},
                {"period": "II", "terrain": "northern-forest"},
            ),
            {"options.national_bonuses": "book", "defender.relief.tercios": False},
        ),
        (
            relieved({"army_minus": 1, "country": "turkey", "pasha_detachments": 1}),
            {"defender.relief.turkish_reform": "m-1b", "defender.relief.pasha_detachments": 2},
        ),
        (
            relieved({"land_detachments": 3, "leader": "Albuquerque", "leader_type": "conquistador"}),
            {"defender.relief.leader_type": "explorer"},
        ),
        (
            relieved(
                {
                    "exploration_detachments": 2,
                    "converted_natives_thirds": 3,
                    "leader": LED | {"type": "conquistador"},
                },
                {"region": "rotw"},
            ),
            {"defender.relief.converted_natives_thirds": 6, "defender.relief.exploration_detachments": 1},
        ),
    ],
}
