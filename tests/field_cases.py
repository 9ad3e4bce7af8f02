"""Battles of each kind in which its fields tell (tests/test_idle_fields.py): small, since every field is tried."""

SIDES = ("attacker", "defender")
HEX = {"attacker": {"creatures": ["3", "2"]}, "defender": {"creatures": ["3", "2"]}}
PARTISANS = HEX | {"second_attacker": {"creatures": ["4"]}}
RETREAT_POLICIES = [
    {"retreat": "after-rounds", "retreat_after": 1},
    {"retreat": "below-creatures", "retreat_below": 2},
    {"retreat": "when-outgunned", "retreat_ratio": 0.8},
]
RETREATS = [
    {side: {"creatures": ["2", "2", "1"], "retreat_hex_creatures": 8} for side in SIDES} | {"policy": {leaver: policy}}
    for policy in RETREAT_POLICIES
    for leaver in SIDES
]
LED_BY = {"manoeuvre": 2, "fire": 3, "shock": 3}
HEROES = ("Marksman", "Warlord", "Sword Master")
DRAWN = {"conditions": {"exploration_roll": 2, "cup": ["2", "3"]}}
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
    ("europa", "siege-campaign"): [
        {
            "attacker": {"army_plus": 1, "army_minus": 1, "leader": LED_BY | {"siege": 1}},
            "defender": {"land_detachments": 1, "fortress_level": 2},
            "conditions": {"rounds": 2, "supply_distance": 6},
        },
        {
            "attacker": {"army_plus": 1, "technology": "arquebus", "leader": LED_BY},
            "defender": {"land_detachments": 1, "fortress_level": 1, "leader": "none"},
            "conditions": {"start_round": "S5", "cold_area": True, "supply_distance": 8},
            "policy": {"attacker": {"plan": "breach-then-storm"}},
        },
    ],
    ("europa", "continuation"): [{}],
    ("europa", "land"): [
        {
            "attacker": {"land_detachments": 2, "country": "spain", "technology": "musket", "tercios": True},
            "defender": {"land_detachments": 2, "country": "france", "technology": "musket"},
            "conditions": {"terrain": "mountain", "period": "IV"},
        },
        {
            "attacker": {"land_detachments": 3, "leader": {"manoeuvre": 3, "fire": 2, "shock": 2}},
            "defender": {"army_minus": 1, "leader": {"manoeuvre": 2, "fire": 3, "shock": 3}},
            "conditions": {"terrain": "mountain", "interception": True},
        },
    ],
    ("europa", "interception"): [
        *(
            {"attacker": {"manoeuvre": 2} | more, "conditions": {"where": "sea"}}
            for more in ({}, {"technology": "vessel", "technology_gap": 1}, {"technology": "galley"})
        ),
        {"attacker": {"interceptors": [{"manoeuvre": 1}, {"manoeuvre": 2, "in_port": True}]}},
        {"attacker": {"manoeuvre": 2}, "conditions": {"where": "land"}},
        {
            "attacker": {"manoeuvre": 2},
            "defender": {"counter_interceptors": [{"manoeuvre": 2}]},
            "conditions": {"where": "land", "friendly_force_or_city": True},
        },
        {"attacker": {"interceptors": [{"technology": "vessel"}]}, "conditions": {"bad_weather": True}},
        {"attacker": {"interceptors": [{"technology": "galley"}]}},
    ],
    ("europa", "blockade-run"): [
        {"attacker": {"warships": 2, "transports": 2}, "defender": {"warships": 2, "manoeuvre": 3}},
        {"attacker": {"galleys": 2, "technology": "galley"}, "defender": {"warships": 2}},
        {"attacker": {"exploration_ships": 1}, "defender": {"exploration_ships": 2}},
    ],
    ("europa", "conquistador"): [
        {
            "attacker": {"country": "spain", "land_detachments": 4, "stats_sum": 9},
            "defender": {"natives_detachments": 5},
        },
        {"attacker": {"land_detachments": 1, "stats_sum": 9}, "defender": {"natives_exploration": 2}},
    ],
    ("europa", "strait-fire"): [
        *(
            {"attacker": {"work": work, "siegeworks_plus": 1}, "defender": {"warships": 2, "transports": 2}}
            for work in ("presidio", "siegeworks")
        ),
        {"attacker": {"work": "strait-rotw", "level": 3}, "defender": {"corsair_sides": 2}},
        {
            "attacker": {"work": "strait-europe"},
            "defender": {"warships": 2, "transports": 2, "exploration_ships": 1, "fleets_minus": 1, "loaded": True},
        },
    ],
    ("europa", "corsair-raid"): [
        {
            "attacker": {"manoeuvre": 2, "knights": True, "pirates": False},
            "defender": {"warships": 1, "gold": 5, "galleys": 1, "transports": 1},
            "conditions": {"knights_port": True},
        },
        {"attacker": {"technology": "galley", "in_port": True}, "defender": {"warships": 1, "gold": 5}},
        {"attacker": {"in_port": True}, "defender": {"transports": 2, "gold": 20}, "conditions": {"bad_weather": True}},
        {"attacker": {}, "defender": {"exploration_ships": 2, "transports": 1, "gold": 5}},
    ],
    ("europa", "pirate-hunt"): [
        {"attacker": {"warships": 2, "galleys": 1}, "defender": {"corsairs_plus": 1}, "conditions": {"sea": "baltic"}},
        {"attacker": {"exploration_ships": 1}, "defender": {"corsairs_minus": 1}},
        {"attacker": {"transports": 5}, "defender": {"corsairs_minus": 1}},
        {"attacker": {"galleys": 2}, "defender": {"corsairs_minus": 1}, "conditions": {"sea": "mediterranean"}},
    ],
    ("europa", "revolt"): [
        {"attacker": {"exploration_detachments": 1}, "defender": {"revolts_minus": 1}},
        {"attacker": {"country": "turkey", "land_detachments": 2}, "defender": {"revolts_minus": 1}},
    ],
    ("europa", "logistics"): [
        {
            "attacker": {"warships": 2, "transports": 2, "convoy_transports": 1, "country": "turkey"},
            "conditions": {"supplied_detachments": 4, "supplied_pashas": 1, "supplied_army": True},
        },
        {"attacker": {"transports": 2, "gold": 20}},
    ],
    ("europa", "exploration"): [
        {
            "attacker": {"exploration_ships": 1, "gold": 20, "warships": 1, "transports": 1},
            "conditions": {"malus": 1, "period": "IV", "known_since_period_iv": True},
        },
        {"attacker": {"land_detachments": 3, "manoeuvre": 2}, "conditions": {"where": "land", "malus": 3}},
        {"attacker": {"warships": 2, "transports": 2}, "conditions": {"malus": 1, "region": "europe"}},
    ],
    ("birthright", "siege"): [
        {
            "attacker": {"units": ["2 x knights"], "turn_undead": True},
            "defender": {"units": UNDEAD},
            "conditions": {"fortification": 1, "seasons": 2},
            "policy": {"attacker": {"siege": "storm-now"}},
        },
        {
            "attacker": {"units": [*UNDEAD, "knights", "irregulars"]},
            "defender": {"units": ["infantry", "levies", "archers"], "turn_undead": True},
            "conditions": {"fortification": 1, "seasons": 3},
            "policy": {"attacker": {"siege": "storm-now"}},
        },
    ],
    ("eclipse-second-dawn", "space"): [
        {"attacker": {"cruiser": 1, "interceptor": 1}, "defender": {"cruiser": 1}},
    ],
    ("space-empires-4x", "space"): [
        {"attacker": {"scout": 1}, "defender": {"scout": 1}},
    ],
    ("kings-and-things", "land"): [
        *(HEX | {side: {"creatures": ["2", "3"], "items": ["firewall"]}} for side in SIDES),
        *(HEX | {side: {"creatures": [hero, "2"]}} for hero in HEROES for side in SIDES),
        HEX
        | {"attacker": {"creatures": ["3"], "items": ["dispel-magic", "lucky-charm"]}}
        | {"defender": {"creatures": ["4"], "items": ["magic-sword", "talisman"]}},
        HEX
        | {"defender": {"creatures": ["3"], "items": ["dispel-magic", "lucky-charm"]}}
        | {"attacker": {"creatures": ["4"], "items": ["magic-bow", "talisman"]}},
        HEX | {"defender": {"creatures": ["3"], "items": ["dust-of-defense", "magic-bow"]}},
        *RETREATS,
    ],
    ("kings-and-things", "exploration"): [
        *(DRAWN | {"attacker": {"creatures": ["3", "2"]}, "policy": {"attacker": one}} for one in RETREAT_POLICIES),
        DRAWN
        | {"attacker": {"creatures": ["2", "2", "1"], "retreat_hex_creatures": 8}}
        | {"policy": {"attacker": RETREAT_POLICIES[0]}},
        *(DRAWN | {"attacker": {"creatures": [hero, "2"]}} for hero in HEROES),
        *(DRAWN | {"attacker": {"creatures": ["3", "2"], "items": [one]}} for one in ("firewall", "lucky-charm")),
        DRAWN | {"attacker": {"creatures": ["3"], "items": ["magic-sword"]}},
    ],
    ("kings-and-things", "free-for-all"): [
        PARTISANS | {"defender": {"creatures": ["3"], "fort": "tower", "settlement": "city"}},
        *(PARTISANS | {side: {"creatures": [hero, "2"]}} for hero in HEROES for side in ("second_attacker", *SIDES)),
        *(
            PARTISANS
            | {side: {"creatures": ["2", "2", "1"], "retreat_hex_creatures": 8} for side in ("second_attacker", *SIDES)}
            | {"policy": dict.fromkeys(("second_attacker", *SIDES), policy)}
            for policy in RETREAT_POLICIES
        ),
    ],
    ("price-of-power", "campaign"): [
        {
            "attacker": {
                "army": {"infantry": 1, "mercenary_infantry": 1, "ideas": ["military-drill"]},
                "fleet": {"light": 2, "leader": {"infantry": 1}},
            },
            "defender": {
                "army": {"infantry": 1, "mercenary_infantry": 1, "allied_infantry": 1},
                "fleet": {"galleys": 1, "heavy": 1},
                "provinces": [{"island": True, "defensive_mentality": True}, {}],
            },
        },
        {
            "attacker": {"army": {"infantry": 3, "ideas": ["military-drill"]}},
            "defender": {"army": {"infantry": 1}, "provinces": [{"island": True}]},
            "conditions": {"ships_facing": True},
        },
    ],
    ("price-of-power", "naval"): [
        {
            "attacker": {"light": 3},
            "defender": {"factions": [{"light": 1}, {"kind": "npr", "light": 1}]},
        },
        {
            "attacker": {"light": 2},
            "defender": {"light": 2},
            "policy": {"defender": {"retreat": "after-round"}},
        },
        {
            "attacker": {"kind": "npr", "light": 2, "battle_actions": [{"infantry": 1}]},
            "defender": {"light": 2},
            "options": {"lend_a_helping_hand": True},
        },
    ],
    ("price-of-power", "land"): [
        {
            "attacker": {"infantry": 2, "cavalry": 1, "muslim": True, "ideas": ["military-drill"]},
            "defender": {"infantry": 2, "cavalry": 1, "muslim": True},
            "policy": {
                "attacker": {"base_dice": "cavalry", "retreat": "after-round"},
                "defender": {"base_dice": "cavalry"},
            },
        },
        {"attacker": {"infantry": 2}, "defender": {"cavalry": 7, "ideas": ["noble-knights"]}},
        {
            "attacker": {"kind": "npr", "infantry": 2, "battle_actions": [{"infantry": 1}]},
            "defender": {"infantry": 2},
            "options": {"lend_a_helping_hand": True},
        },
    ],
    ("price-of-power", "npr-defence"): [
        {"defender": {"provinces": [{"distant": True, "plague": True}, {"location": "sea", "port": True}]}},
    ],
    ("price-of-power", "siege"): [
        {
            "attacker": {"infantry": 4, "artillery": 2, "ships_facing": True},
            "defender": {"provinces": [{"island": True}, {"defensive_mentality": True}]},
        },
    ],
    ("risk", "land"): [
        {
            "attacker": {"regiments": 3, "commanders": 1, "modifier_highest": -2},
            "defender": {"regiments": 2, "modifier_all": -1},
        },
    ],
    ("risk", "blockade-run"): [
        {"attacker": {"fleets": 2, "modifier_all": 1}, "defender": {"fleets": 2}},
        {
            "attacker": {"fleets": 2},
            "defender": {"fleets": 2},
            "policy": {"attacker": {"retreat": "max-rounds", "max_rounds": 1}},
        },
    ],
    ("risk", "invasion"): [
        {
            "attacker": {"fleets": 3, "regiments": 3, "commanders": 1, "modifier_all": 2},
            "defender": {"regiments": 2},
            "options": {"max_move": 3},
            "conditions": {"crossings": [{"fleets": 2, "turn": 1}, {"turn": 2}, {"turn": 2}, {"turn": 2}]},
            "policy": {"attacker": {"retreat": "stop-below", "stop_below": 2, "sea_retreat": "to-the-end"}},
        },
    ],
    ("risk", "amphibious"): [
        {
            "attacker": {"regiments": 3, "commanders": 1, "modifier_all": 2},
            "defender": {"regiments": 2},
            "conditions": {"sea_zones_moved": 3},
        },
    ],
    ("risk", "naval"): [
        {
            "attacker": {"fleets": 3, "modifier_highest": -2},
            "defender": {"fleets": 2, "modifier_all": -1},
            "conditions": {"sea_zones_moved": 3},
        },
    ],
}

# Examples of so many states that trying every field of them takes seconds.
LARGE = {
    "europa-vienna-1529",
    "knt-heroes-and-magic",
    "knt-three-kings",
    "titan-lions",
    "freeciv-city",
    "campaign-naples",
    "europa-armada-1588",
    "europa-beachy-head-1690",
    "europa-cadiz-1596",
    "europa-flores-1591",
    "europa-la-hougue-1692",
    "europa-quiberon-bay-1759",
    "europa-tlaxcala-1519",
    "europa-vienna-1683",
    "knt-four-meet-two",
    "knt-into-the-unknown",
    "power-campaign-naples",
    "power-novgorod",
}
# The tables of the kinds that a kind consists of: their fields are tried in these kinds.
PARTS = {
    ("europa", "expedition"): "(passage|land|siege)[.]",
    ("europa", "native-chain"): "(conversion|land)[.]",
    ("price-of-power", "campaign"): r"(policy[.])?(attacker|defender)[.](army|fleet|port_fleet|npr)[.]",
}
# Fields that the rules document calls labels, or that only say whether a battle may be fought: zones moved are at most
# options.max_move.
LABELS = {
    ("risk", "naval"): {"conditions.place", "conditions.sea_zones_moved"},
    ("risk", "amphibious"): {"conditions.sea_zones_moved"},
    ("europa", "blockade-run"): {"conditions.direction"},
}
