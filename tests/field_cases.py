"""Battles of each kind in which its fields tell (tests/test_idle_fields.py); small, since every field is tried in each."""

UNDEAD = [{"unit": "infantry", "undead": True, "count": 2}]
KINDS = {
    ("birthright", "tactical"): [
        {
            "attacker": {"units": ["knights", "infantry"], "warcraft": 20},
            "defender": {"units": ["infantry", "archers"]},
            "conditions": {"terrain": "woods"},
        },
        {
            "attacker": {"units": ["knights", "infantry"], "warcraft": 8},
            "defender": {"units": ["pikemen"]},
            "options": {"gold": True},
        },
    ],
    ("birthright", "storm"): [
        {
            "attacker": {"units": ["3 x infantry", "knights"], "warcraft": 5},
            "defender": {"units": ["archers", "levies", "infantry"], "warcraft": 9},
            "conditions": {"fortification": 5},
        },
        {
            "attacker": {"units": ["2 x infantry", "knights"], "warcraft": 20},
            "defender": {"units": ["archers"]},
            "conditions": {"fortification": 9},
        },
    ],
    ("birthright", "quick-battle"): [
        {
            "attacker": {"units": ["2 x knights"], "turn_undead": True, "leader_points": 2},
            "defender": {"units": UNDEAD},
            "conditions": {"fortification": 9},
            "options": {"mode": "fight-on"},
            "policy": {"attacker": {"retreat": "half"}},
        },
        {
            "attacker": {"units": UNDEAD},
            "defender": {"units": ["infantry"], "turn_undead": True},
            "conditions": {"fortification": 2},
            "options": {"mode": "fight-on", "max_turns": 2},
        },
    ],
    ("birthright", "adjustment"): [
        {
            "attacker": {"warcraft": 5, "points_left": 2},
            "defender": {"regents": [{"warcraft": 3, "in_target": True}, {"warcraft": 7, "in_origin": True}]},
            "options": {"order": True},
            "conditions": {"cost": 2},
        }
    ],
    ("birthright", "movement"): [
        {
            "attacker": {"units": ["knights", "irregulars"]},
            "conditions": {"costs": [2, 3, 2], "roads": [True, True, False], "war_moves": 2},
        },
        {"attacker": {"units": ["knights"]}, "conditions": {"costs": [4], "war_moves": 1}},
    ],
    ("birthright", "visibility"): [
        {},
        {"conditions": {"adjacent_scouts": True}},
        {"conditions": {"previous": "seen"}},
        {"conditions": {"espionage": True}},
        {"conditions": {"previous": "seen", "adjacent_scouts": True, "espionage": True}},
    ],
    ("europa", "leader-survival"): [
        {"attacker": {"fire": 6, "shock": 5}},
        {"attacker": {"fire": 5, "shock": 5, "destroyed": True}},
        {"attacker": {"fire": 6, "robust": True}},
        {"attacker": {"monarch": True, "destroyed": True}},
        {"conditions": {"enemy_detachments": 2}},
        {"conditions": {"enemy_detachments": 2, "region": "rotw"}},
    ],
    ("europa", "continuation"): [{}],
}

# Examples of so many states that trying every field of them takes seconds.
LARGE = {
    "campaign-naples",
    "europa-armada-1588",
    "europa-beachy-head-1690",
    "europa-cadiz-1596",
    "europa-tlaxcala-1519",
    "europa-vienna-1683",
    "knt-four-meet-two",
    "knt-into-the-unknown",
    "power-campaign-naples",
    "power-novgorod",
}
# The tables of the kinds that a kind consists of.
PARTS = {
    ("europa", "expedition"): "(passage|land|siege)[.]",
    ("europa", "native-chain"): "(conversion|land)[.]",
    ("price-of-power", "campaign"): r"(policy[.])?(attacker|defender)[.](army|fleet|port_fleet|npr)[.]",
}
# What the rules document calls a label.
LABELS = {}
