"""Battles of the other games."""

from __future__ import annotations

from tests.field_changes.kinds import SIDES, Changes

# The second attacker of a free-for-all fights no war with the first.
THIRD_KING = {side: {"creatures": ["3"]} for side in ("attacker", "second_attacker")}
# Creatures by raw numbers.
SOME = {"creatures": [{"value": 3}, {"value": 2}]}
TABLES = {"attacker": SOME, "defender": SOME}
UNDEAD = [{"unit": "infantry", "undead": True, "count": 2}]
SHIPS_OVER_LAND = ("carrier", "carrier_2", "cruiser", "cruiser_2", "destroyer", "destroyer_2")
OTHERS: Changes = {
    ("birthright", "siege"): [
        (
            {
                "attacker": {"units": ["2 x infantry"]},
                "defender": {"units": UNDEAD},
                "conditions": {"fortification": 1, "seasons": 1},
                "policy": {"attacker": {"siege": "storm-now"}},
            },
            {"attacker.turn_undead": True},
        ),
        (
            {
                "attacker": {"units": ["2 x knights", "2 x infantry"]},
                "defender": {"units": ["2 x pikemen", "2 x levies"]},
                "conditions": {"fortification": 1, "seasons": 1},
                "options": {"gold": True},
                "policy": {"attacker": {"siege": "storm-now"}},
            },
            {"policy.attacker.losses": "spread", "policy.defender.losses": "spread"},
        ),
    ],
    ("twilight-imperium-4", "space"): [
        (
            {side: {"cruiser": 1, "options": ["xxcha"]} for side in SIDES},
            {"attacker.mech": 1, "defender.mech": 1},
        ),
    ],
    ("twilight-imperium-4", "ground"): [
        (
            {"attacker": {"infantry": 1, "options": ["blitz"]}, "defender": {"infantry": 2}},
            {f"attacker.{unit}": 1 for unit in SHIPS_OVER_LAND},
        ),
    ],
    ("kings-and-things", "exploration"): [
        (
            {"attacker": SOME, "conditions": {"exploration_roll": 2, "cup": ["2", "3"]}},
            {"attacker.creatures[0].ranged": True},
        ),
        (
            {"attacker": {"creatures": ["3", "2"]}, "conditions": {"exploration_roll": 2}},
            {"conditions.terrain": "mountain"},
        ),
        (
            {
                "attacker": {"creatures": ["3", "2"]},
                "conditions": {"exploration_roll": 2, "cup": ["city", "2", "nothing"]},
            },
            {
                "options.lone_settlement_defends": False,
                "options.post_battle_rolls": "none",
                "policy.defender.structures": "last",
            },
        ),
    ],
    ("kings-and-things", "land"): [
        (TABLES, {f"{side}.creatures[0].value": 4 for side in ("attacker", "defender")}),
        (
            {
                "attacker": {"creatures": ["3", "2"]},
                "defender": {"creatures": ["3M", "2"], "items": ["magic-bow"]},
            },
            {"policy.defender.item_hits": "spend"},
        ),
    ],
    ("kings-and-things", "free-for-all"): [
        (TABLES | {"second_attacker": SOME}, {"second_attacker.creatures[0].magic": True}),
        (
            THIRD_KING
            | {
                "defender": {"creatures": ["2", "2"], "retreat_hex_creatures": 10},
                "policy": {"defender": {"retreat": "after-rounds"}},
            },
            {"defender.retreat_hex_citadel": True},
        ),
        (
            THIRD_KING | {"defender": {"creatures": ["2", "2"]}, "policy": {"defender": {"retreat": "after-rounds"}}},
            {"policy.defender.retreat_after": 2},
        ),
    ],
    ("price-of-power", "campaign"): [
        (
            {
                "attacker": {"army": {"infantry": 3}},
                "defender": {
                    "army": {"infantry": 1},
                    "provinces": [{"defensive_mentality": True}, {"island": True}],
                },
                "conditions": {"siege_power": 2},
            },
            {
                "defender.provinces[1].island": False,
                "options.defensive_mentality.power": 2,
                "options.defensive_mentality.strength": 3,
            },
        ),
        (
            {
                "attacker": {"army": {"infantry": 2, "ideas": ["military-drill"]}},
                "defender": {"army": {"infantry": 2}},
            },
            {"options.military_drill.dice": 3},
        ),
        (
            {
                "attacker": {"army": {"infantry": 2, "mercenary_infantry": 2}},
                "defender": {"army": {"infantry": 3}},
            },
            {"options.casualty_alternation": "whole-battle"},
        ),
        (
            {
                "attacker": {"army": {"infantry": 2}, "fleet": {"heavy": 3, "leader": {"infantry": 3}}},
                "defender": {"fleet": {"heavy": 3, "extra_dice": {"infantry": 4}}},
                "policy": {"attacker": {"fleet": {"retreat": "when-leader-wounded"}}},
            },
            {"options.damage_counts_as_casualty": True},
        ),
        (
            {
                "attacker": {"army": {"infantry": 2}},
                "defender": {"army": {"kind": "npr", "infantry": 2, "battle_actions": [{"infantry": 1}]}},
                "options": {"lend_a_helping_hand": True},
            },
            {"options.lend_a_helping_hand": False},
        ),
    ],
    ("risk", "amphibious"): [
        (
            {"attacker": {"regiments": 3, "modifier_all": 1}, "defender": {"regiments": 2}},
            {"options.clamp": True},
        ),
    ],
    ("risk", "invasion"): [
        (
            {"attacker": {"fleets": 2, "regiments": 3, "modifier_all": 1}, "defender": {"regiments": 2}},
            {"options.clamp": True},
        ),
        (
            {
                "attacker": {"fleets": 2, "regiments": 3},
                "defender": {"regiments": 2},
                "options": {"max_move": 1},
                "conditions": {"crossings": [{"turn": 1}, {"turn": 1, "place": "maritime-link"}]},
            },
            {"conditions.crossings[1].place": "sea-zone"},
        ),
    ],
}
