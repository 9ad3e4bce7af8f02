"""Battles at sea, passages and other procedures of Europa Universalis."""

from __future__ import annotations

from tests.field_changes.kinds import Changes

FRAGILE = {"manoeuvre": 2, "fire": 6, "shock": 2}
ALWAYS = {"attacker": {"break_off": "always"}, "defender": {"break_off": "always"}}
MIXED = {"warships": 1, "galleys": 1, "leader": "none"}
CONVOY = {"warships": 2, "transports": 1, "leader": "none"}
RETREAT = {"zones_entered": 4, "sea_difficulty": 4}
LANDING = {"warships": 2, "transports": 2, "land_detachments": 2}
MET = {"attacker": LANDING, "defender": {"interceptors": [{"warships": 1, "leader": "none"}]}}

EUROPA_SEA: Changes = {
    ("europa", "naval"): [
        (
            {"attacker": {"warships": 2, "leader": FRAGILE}, "defender": {"warships": 2, "leader": FRAGILE}},
            {"attacker.leader.robust": True, "defender.leader.robust": True, "attacker.technology": "battery"},
        ),
        (
            {"attacker": {"warships": 2, "leader": "Piotr I", "leader_type": "king"}, "defender": {"warships": 2}},
            {"attacker.leader_type": "admiral"},
        ),
        (
            {"attacker": {"warships": 2}, "defender": {"warships": 2, "leader": "Piotr I", "leader_type": "king"}},
            {"defender.leader_type": "admiral"},
        ),
        (
            {
                "attacker": CONVOY | {"retreat": RETREAT, "army_minus": 1},
                "defender": CONVOY | {"retreat": RETREAT, "army_minus": 1},
                "conditions": {"interception": True},
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
        ({"attacker": {"warships": 8}, "defender": {"warships": 1}}, {"options.destruction_is_rout": True}),
        (
            {"attacker": {"warships": 3}, "defender": {"warships": 2, "land_detachments": 1}},
            {"conditions.region": "rotw"},
        ),
        (
            {"attacker": {"warships": 1, "transports": 2}, "defender": {"warships": 3}},
            {"policy.defender.capture": "transports-first"},
        ),
        (
            {"attacker": {"galleys": 2}, "defender": {"warships": 2}, "conditions": {"sea": "baltic", "turn": 20}},
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
            MET | {"attacker": LANDING | {"technology": "three-decker", "leader": "none"}},
            {"attacker.veteran": False},
        ),
        (
            MET | {"defender": {"interceptors": [{"warships": 1, "technology": "three-decker"}]}},
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
