"""Battles at sea, passages and other procedures of Europa Universalis."""

from __future__ import annotations

from tests.field_changes.kinds import SIDES, Changes

LED = {"manoeuvre": 2, "fire": 2, "shock": 2}
FRAGILE = {"manoeuvre": 2, "fire": 6, "shock": 2}
FIERCE = {"manoeuvre": 2, "fire": 6, "shock": 6}
STORMED = {
    "defender": {"fortress_level": 1, "land_detachments": 1},
    "policy": {"attacker": {"plan": "assault-at-once"}},
    "conditions": {"rounds": 1},
}
ALWAYS = {"attacker": {"break_off": "always"}, "defender": {"break_off": "always"}}
CALM = {"conditions": {"wind": "none"}}
ALONE = {"warships": 2, "leader": "none"}
MIXED = {"warships": 1, "galleys": 1, "leader": "none"}
CONVOY = {"warships": 2, "transports": 1, "leader": "none"}
RETREAT = {"zones_entered": 4, "sea_difficulty": 4}
LANDING = {"warships": 2, "transports": 2, "land_detachments": 2, "leader": "none"}
MET = {"attacker": LANDING, "defender": {"interceptors": [{"warships": 1, "leader": "none"}]}}

EUROPA_SEA: Changes = {
    ("europa", "naval"): [
        *(
            (
                {
                    side: {"warships": 6, "fleets_minus": 2, "leader": "none", "retreat": {"bad_weather": True}},
                    enemy: {"warships": 9, "leader": "none"},
                },
                {f"{side}.retreat.zones_entered": 4, f"{side}.retreat.arsenal_to_arsenal": True},
            )
            for side, enemy in (SIDES, SIDES[::-1])
        ),
        (
            {"attacker": {"warships": 2, "leader": FRAGILE}, "defender": {"warships": 2, "leader": FRAGILE}} | CALM,
            {"attacker.leader.robust": True, "defender.leader.robust": True, "attacker.technology": "battery"},
        ),
        (
            {"attacker": {"warships": 2, "leader": "Piotr I", "leader_type": "king"}, "defender": ALONE} | CALM,
            {"attacker.leader_type": "admiral"},
        ),
        (
            {"attacker": ALONE, "defender": {"warships": 2, "leader": "Piotr I", "leader_type": "king"}} | CALM,
            {"defender.leader_type": "admiral"},
        ),
        (
            {
                "attacker": CONVOY | {"retreat": RETREAT, "army_minus": 1},
                "defender": CONVOY | {"retreat": RETREAT, "army_minus": 1},
                "conditions": {"interception": True, "wind": "none"},
                "policy": ALWAYS,
            },
            {
                "attacker.fleets_minus": 2,
                "attacker.fleets_plus": 2,
                "defender.fleets_minus": 2,
                "defender.fleets_plus": 2,
                "conditions.interception": False,
                "options.rout_attrition_plus_two": True,
                "policy.attacker.losses": "transports-first",
                "policy.defender.losses": "transports-first",
            },
        ),
        (
            {"attacker": CONVOY | {"warships": 6}, "defender": CONVOY | {"transports": 3, "army_plus": 1}},
            {
                "conditions.period": "VI",
                "options.size_counts": "all",
                "policy.attacker.capture": "warships-first",
                "policy.attacker.leave_with_wind": "always",
                "policy.defender.leave_with_wind": "always",
            },
        ),
        (
            {"attacker": ALONE | {"warships": 8}, "defender": ALONE | {"warships": 1}} | CALM,
            {"options.destruction_is_rout": True},
        ),
        (
            {"attacker": ALONE | {"warships": 3}, "defender": ALONE | {"land_detachments": 1}} | CALM,
            {"conditions.region": "rotw"},
        ),
        (
            {"attacker": ALONE | {"warships": 1, "transports": 2}, "defender": ALONE | {"warships": 3}} | CALM,
            {"policy.defender.capture": "transports-first"},
        ),
        (
            {
                "attacker": {"galleys": 2, "leader": "none"},
                "defender": ALONE,
                "conditions": {"sea": "baltic", "turn": 20},
            },
            {"conditions.turn": 40, "conditions.sea": "mediterranean"},
        ),
        (
            {"attacker": MIXED, "defender": MIXED, "conditions": {"sea": "mediterranean", "turn": 20}},
            {
                "policy.attacker.first_line": "galleys",
                "policy.defender.first_line": "galleys",
            },
        ),
    ],
    ("europa", "passage"): [
        (
            {
                "attacker": LANDING | {"leader": FRAGILE | {"siege": 3}, "fleets_minus": 2},
                "defender": {
                    "blockader": {"warships": 1, "leader": "none"},
                    "interceptors": [{"warships": 1, "leader": "none"}],
                    "works": [{"work": "siegeworks"}],
                },
                "conditions": {"blockading": True, "end_of_turn_at_sea": True},
                "options": {"end_of_turn_plus_two": True},
            },
            {
                "attacker.land_technology": "medieval",
                "attacker.leader.robust": True,
                "attacker.leader.siege": 1,
                "conditions.arsenal_to_arsenal": True,
                "conditions.blockading": False,
                "conditions.fortress_level": 3,
                "conditions.end_of_turn_at_sea": False,
                "conditions.pillage_possible": False,
                "defender.works[0].siegeworks_plus": 3,
                "options.end_of_turn_plus_two": False,
                "options.forced_battle_win": "stays",
                "policy.attacker.pillage": "lose-detachment",
                "policy.defender.engage": "never",
            },
        ),
        (
            MET | {"attacker": LANDING | {"leader": "Piotr I", "leader_type": "king"}},
            {"attacker.leader_type": "admiral"},
        ),
        (
            MET | {"defender": {"interceptors": [{"warships": 1, "leader": "Piotr I", "leader_type": "king"}]}},
            {"defender.interceptors[0].leader_type": "admiral"},
        ),
        (
            MET | {"attacker": LANDING | {"technology": "three-decker"}},
            {"attacker.veteran": False},
        ),
        (
            MET
            | {
                "attacker": LANDING,
                "defender": {"interceptors": [{"warships": 1, "technology": "three-decker"}]},
            },
            {
                "defender.interceptors[0].veteran": False,
                "defender.interceptors[0].in_port": True,
                "defender.interceptors[0].country": "england",
            },
        ),
        (
            MET
            | {
                "attacker": LANDING | {"warships": 4},
                "defender": {"interceptors": [{"warships": 2, "transports": 3, "leader": "none"}]},
            },
            {
                "defender.interceptors[0].army_minus": 1,
                "defender.interceptors[0].land_detachments": 1,
                "defender.interceptors[0].exploration_detachments": 1,
                "defender.interceptors[0].gold": 5,
                "options.size_counts": "all",
                "policy.attacker.capture": "transports-first",
            },
        ),
        (
            MET
            | {
                "attacker": LANDING | MIXED,
                "defender": {"interceptors": [MIXED]},
                "conditions": {"sea": "mediterranean"},
                "policy": {"attacker": {"first_line": "galleys", "break_off": "always"}},
            },
            {
                "conditions.sea": "baltic",
                "conditions.turn": 40,
                "options.break_off_at_sea": "automatic",
                "policy.attacker.first_line": "warships",
                "policy.defender.first_line": "galleys",
            },
        ),
        (
            {
                "attacker": LANDING | {"warships": 4},
                "defender": {
                    "blockader": {"warships": 2, "transports": 3, "leader": LED},
                    "interceptors": [ALONE],
                },
            },
            {
                f"defender.blockader.{name}": to
                for name, to in {
                    "army_minus": 1,
                    "army_plus": 1,
                    "exploration_detachments": 1,
                    "fire_modifier": 2,
                    "gold": 5,
                    "land_detachments": 1,
                    "leader.fire": 4,
                    "leader.shock": 4,
                    "shock_modifier": 2,
                    "technology": "battery",
                    "transports": 1,
                    "warships": 3,
                }.items()
            },
        ),
    ],
    ("europa", "expedition"): [
        (
            {
                "land": {
                    "attacker": {"army_plus": 1, "leader": FIERCE},
                    "defender": {"land_detachments": 3, "leader": "none"},
                },
                "siege": STORMED | {"attacker": {"leader": FIERCE}},
            },
            {"land.attacker.leader.robust": True},
        ),
        (
            {
                "siege": STORMED
                | {
                    "attacker": {"army_plus": 1},
                    "defender": {"fortress_level": 1, "leader": "Albuquerque", "leader_type": "conquistador"},
                }
            },
            {"siege.defender.leader_type": "explorer"},
        ),
        (
            {
                "passage": {
                    "attacker": LANDING | {"leader": {"siege": 3}},
                    "conditions": {"blockading": True, "sea_difficulty": 9, "fortress_level": 5},
                }
            },
            {"passage.attacker.leader.siege": 1},
        ),
        (
            {
                "passage": {
                    "attacker": LANDING,
                    "conditions": {"blockading": True, "sea_difficulty": 5, "fortress_level": 5},
                }
            },
            {"passage.conditions.blockading": False},
        ),
        (
            {
                "passage": {
                    "attacker": LANDING,
                    "defender": {"interceptors": [CONVOY, {"warships": 3, "leader": "none"}]},
                }
            },
            {
                "passage.defender.interceptors[0].army_minus": 1,
                "passage.defender.interceptors[0].land_detachments": 1,
                "passage.defender.interceptors[0].exploration_detachments": 1,
                "passage.defender.interceptors[0].gold": 5,
                "passage.policy.attacker.capture": "transports-first",
            },
        ),
    ],
    ("europa", "native-chain"): [
        (
            {
                "conversion": {"attacker": {"army_minus": 1}, "defender": {"natives_detachments": 3}},
                "land": {
                    "attacker": {"leader": FIERCE | {"type": "conquistador"}},
                    "defender": {"leader": FIERCE},
                },
            },
            {
                "conversion.attacker.army_plus": 1,
                "conversion.attacker.land_detachments": 1,
                "conversion.attacker.exploration_detachments": 1,
                "conversion.attacker.missionary": True,
                "conversion.attacker.stats_sum": 14,
                "conversion.conditions.previous_uses": 2,
                "conversion.defender.natives_exploration": 1,
                "land.attacker.army_class": "IV",
                "land.attacker.artillery_value": 9,
                "land.attacker.facing_the_ottomans": True,
                "land.attacker.foraging": True,
                "land.attacker.leader.anonymous": True,
                "land.attacker.leader.manoeuvre": 5,
                "land.attacker.leader.robust": True,
                "land.attacker.leader.shock": 1,
                "land.attacker.retreat_room": 0,
                "land.attacker.technology": "lace-war",
                "land.attacker.tercios": True,
                "land.conditions.terrain": "mountain",
                "land.defender.army_size": 0,
                "land.defender.country": "england",
                "land.defender.leader.fire": 1,
                "land.defender.leader.shock": 1,
                "land.defender.retreat_room": 0,
                "land.defender.technology": "lace-war",
                "land.defender.veteran": True,
                "land.options.destruction_test": "reaches",
                "land.policy.attacker.break_off": "always",
                "land.policy.defender.break_off": "always",
            },
        ),
    ],
    ("europa", "blockade-run"): [
        (
            {"attacker": {"exploration_ships": 1}, "defender": {"transports": 1}},
            {"attacker.exploration_ships": 0, "defender.exploration_ships": 1},
        ),
    ],
    ("europa", "interception"): [
        (
            {
                "attacker": {"manoeuvre": 2},
                "defender": {"counter_interceptors": [{"manoeuvre": 2}]},
                "conditions": {"where": "land"},
            },
            {"conditions.counter_friendly_force_or_city": True, "conditions.counter_other_enemy_force": True},
        ),
    ],
    ("europa", "conquistador"): [
        (
            {"attacker": {"exploration_detachments": 1}, "defender": {"natives_detachments": 2}},
            {"attacker.exploration_detachments": 0},
        ),
    ],
    ("europa", "exploration"): [
        (
            {"attacker": {"warships": 8, "army_plus": 1}, "conditions": {"malus": 3}},
            {"attacker.army_class": "IIM", "attacker.country": "poland", "conditions.period": "VI"},
        ),
        (
            {"attacker": {"warships": 4, "army_minus": 1}, "conditions": {"malus": 3}},
            {"conditions.region": "europe"},
        ),
    ],
    ("europa", "logistics"): [
        (
            {"attacker": {"warships": 1, "transports": 3, "army_plus": 1, "fleets_plus": 1}},
            {"attacker.army_class": "I", "attacker.convoy_transports": 2},
        ),
    ],
    ("europa", "revolt"): [
        (
            {"attacker": {"exploration_detachments": 1}, "defender": {"revolts_minus": 1}},
            {"attacker.exploration_detachments": 0},
        ),
    ],
    ("europa", "pirate-hunt"): [
        (
            {
                "attacker": {"transports": 1, "galleys": 1},
                "defender": {"corsairs_minus": 1},
                "conditions": {"sea": "mediterranean"},
            },
            {"attacker.galleys": 0},
        ),
        (
            {
                "attacker": {"transports": 1, "galleasses": 1},
                "defender": {"corsairs_minus": 1},
                "conditions": {"sea": "mediterranean"},
            },
            {"attacker.galleasses": 0},
        ),
        ({"attacker": {"transports": 1}, "defender": {"corsairs_minus": 1}}, {"attacker.transports": 0}),
    ],
}
