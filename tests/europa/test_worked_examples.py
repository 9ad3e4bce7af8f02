"""The rules document's section 9, every die written out in its order."""

import pytest

from tests.europa.scenarios import leader
from tests.europa.table_top import play

FRANCE = {"country": "france", "army_plus": 2, "leader": leader(2, 4, 2)}
SPAIN = {
    "country": "spain", "army_plus": 1, "land_detachments": 1, "tercios": True, "leader": leader(4, 2, 3),
}  # fmt: skip
MINOR = {"army_plus": 1, "technology": "arquebus", "leader": leader(2, 2, 2)}
BESIEGER = {"country": "france", "army_plus": 1, "army_minus": 1, "leader": leader(2, 4, 2)}
VIZIER = {"country": "turkey-vizier", "army_plus": 1}
BREAKS_OFF = {"defender": {"break_off": "always"}}


def land(attacker, defender, **more):
    return {"battle": "land", "attacker": attacker, "defender": defender, **more}


LAND = {
    "1 the book's battle, to a major victory": (
        land(FRANCE, SPAIN, policy=BREAKS_OFF),
        [8, 6, 4, 7, 7, 2, 9, 6, 5, 9, 2, 3, 6, 4],
        {
            "winner": "attacker", "ended_on_day": 2, "attacker_left_thirds": 18, "defender_destroyed": True,
            "major_victory": True, "defender_leader_wounded": True, "defender_leader_wound_rounds": 2,
            "attacker_leader_killed": False, "defender_routed": True, "attacker_morale_left": 2,
        },
    ),
    "2 rout on the first Fire, cornered": (
        land(
            {"country": "sweden", "army_plus": 1, "technology": "baroque", "leader": "Gustav-Adolf"},
            {
                "army_class": "IVM", "army_plus": 2, "veteran": False, "leader": leader(3, 3, 4),
                "artillery_value": 6, "retreat_room": 1,
            },
            conditions={"period": "IV"},
        ),
        [10, 5, 4, 3, 6, 6],
        {
            "winner": "attacker", "major_victory": True, "defender_left_thirds": 3, "ended_on_day": 1,
            "attacker_losses_thirds": 0, "defender_losses_thirds": 21,
        },
    ),
    "3 break-off succeeds": (
        land(
            FRANCE | {"leader": leader(2, 2, 2)},
            {"country": "spain", "army_plus": 1, "leader": leader(4, 2, 2)},
            policy=BREAKS_OFF,
        ),
        [7, 3, 5, 4, 6, 5, 7, 9, 6],
        {
            "winner": "attacker", "ended_on_day": 1, "defender_broke_off": True, "defender_left_thirds": 3,
            "defender_morale_left": 2,
        },
    ),
    "4 draw": (
        land(MINOR, MINOR | {"leader": leader(3, 2, 2)}, conditions={"terrain": "swamp"}),
        [5, 6, 8, 8, 6, 4, 3, 7, 4, 9, 9, 9],
        {
            "winner": "nobody", "attacker_left_thirds": 9, "defender_left_thirds": 9, "attacker_morale_left": 2,
            "defender_morale_left": 2,
        },
    ),
    "5 destroyed on day 1": (
        land({"army_plus": 2, "leader": leader(2, 2, 2)}, {"land_detachments": 1, "leader": leader(2, 2, 2)}),
        [8, 3, 6, 4, 4, 9, 6, 5],
        {
            "winner": "attacker", "ended_on_day": 1, "defender_losses_thirds": 3, "defender_leader_killed": True,
            "defender_routed": False, "major_victory": False, "attacker_leader_killed": False,
        },
    ),
    "6 overrun": (
        land(
            {"army_plus": 2, "leader": leader(2, 2, 2)},
            {"land_detachments": 1, "leader": leader(2, 2, 2)},
            policy={"attacker": {"overrun": "declare"}},
        ),
        [7, 6],
        {
            "winner": "attacker", "overrun": True, "ended_on_day": 0, "defender_leader_wound_rounds": 3,
            "defender_destroyed": True, "defender_morale_left": 4, "evaded": False,
        },
    ),
    "11 evasion": (
        land(FRANCE, SPAIN | {"leader": leader(5, 2, 3)}, policy={"defender": {"evasion": "evade"}}),
        [5],
        {
            "winner": "nobody", "evaded": True, "ended_on_day": 0, "attacker_losses_thirds": 0,
            "defender_losses_thirds": 0, "attacker_morale_left": 4, "overrun": False,
        },
    ),
    "12 natives with two dice, overseas": (
        land(
            {
                "country": "spain", "army_plus": 1, "technology": "arquebus", "tercios": True,
                "leader": leader(4, 3, 5, type="conquistador"),
            },
            {
                "country": "natives", "army_plus": 3, "land_detachments": 1, "technology": "medieval",
                "veteran": False, "leader": leader(1, 0, 4),
            },
            conditions={"region": "rotw", "terrain": "sparse-forest", "period": "I"},
        ),
        [2, 3, 6, 10, 5, 9, 4, 7, 6, 9, 6, 10],
        {
            "winner": "attacker", "attacker_left_thirds": 4, "defender_losses_thirds": 6, "defender_routed": True,
            "major_victory": False,
        },
    ),
    # 10 on column C: 2 stars rout Timar. Pursuit 4 + 3 on E: 2 thirds; the halved 2 + 2 at -2: 3; retreat 5: +2.
    "17 eleven detachments, of which eight Timar are routed": (
        land(
            {"country": "turkey", "army_plus": 2, "army_minus": 1, "land_detachments": 1, "leader": "none"},
            {"country": "habsburg", "army_plus": 2, "technology": "arquebus", "leader": "none"},
            conditions={"period": "II"},
        ),
        [3, 10, 4, 5],
        {
            "winner": "defender", "ended_on_day": 1, "attacker_idle_thirds": 9, "attacker_losses_thirds": 6,
            "attacker_left_thirds": 18, "attacker_routed": True, "defender_idle_thirds": 0, "major_victory": False,
        },
    ),
    # Fire 7 + 3 on B: 6 halved; pursuit 3 + 3 + 4 on E: 4. No small stack, one die; 7 at -2: 4 + 1.
    "converted natives fight in one stack": (
        land(
            {
                "country": "spain", "army_minus": 1, "technology": "arquebus", "converted_natives_thirds": 25,
                "leader": leader(4, 3, 4, type="conquistador"),
            },
            {"country": "natives", "army_plus": 1, "technology": "medieval", "veteran": False, "leader": "none"},
            conditions={"region": "rotw", "period": "I"},
        ),
        [7, 3, 2, 9],
        {
            "winner": "attacker", "attacker_left_thirds": 31, "defender_losses_thirds": 5, "defender_left_thirds": 7,
            "attacker_idle_thirds": 0, "defender_routed": True,
        },
    ),
    # The defender's 6 on the Vizier's row: manoeuvre 5, so 5 + 3 = 8.
    "the Vizier evades": (
        land(FRANCE, VIZIER, policy={"defender": {"evasion": "evade"}}), [5, 6], {"evaded": True, "winner": "nobody"}
    ),
}  # fmt: skip


def siege(attacker, defender, battle="siege", **more):
    return {"battle": battle, "attacker": attacker, "defender": defender, **more}


LEVEL_3 = {"country": "spain", "fortress_level": 3}
GARRISON = {"attacker": {"garrison": "garrison"}}
ASSAULT = {"attacker": {"action": "assault"}}
SIEGES = {
    "7 the book's siege, round 1": (
        siege(BESIEGER, LEVEL_3), [10], {"winner": "nobody", "siegeworks_value": 3, "attrition": False}
    ),
    "7 round 2": (
        siege(BESIEGER, LEVEL_3, conditions={"first_round": False, "siegeworks_plus": 1}),
        [5],
        {"siegeworks_value": 4},
    ),
    "7 round 3": (
        siege(BESIEGER, LEVEL_3, conditions={"siegeworks_minus": 1, "siegeworks_plus": 1}),
        [7],
        {"siegeworks_value": 6},
    ),
    "7 round 4": (
        siege(BESIEGER, LEVEL_3, conditions={"siegeworks_plus": 2}, policy=GARRISON),
        [8],
        {
            "winner": "attacker", "fell_by_war_honours": True, "attacker_left_thirds": 15,
            "fortress_level_after": 2, "garrison_left_thirds": 3, "siegeworks_value": 0,
        },
    ),
    "8 assault on level 3": (
        siege(BESIEGER, LEVEL_3, policy=ASSAULT),
        [4, 8, 7, 4, 8, 9, 9],
        {"winner": "nobody", "attacker_left_thirds": 9, "assault_counter": True, "assaulted": True},
    ),
    "8 assault on level 2": (
        siege(BESIEGER, LEVEL_3 | {"fortress_level": 2}, policy=ASSAULT),
        [4, 8, 7, 4, 8, 9, 9],
        {"winner": "attacker", "fell_by_assault": True, "attacker_left_thirds": 9},
    ),
    "8 cap factor 1": (
        siege(BESIEGER, LEVEL_3 | {"fortress_level": 2}, policy=ASSAULT, options={"assault_cap_factor": 1}),
        [4, 8, 7, 4, 8, 9, 9],
        {"winner": "attacker", "attacker_left_thirds": 12},
    ),
    "8 after a breach": (
        siege(
            BESIEGER, LEVEL_3, conditions={"siegeworks_plus": 2}, policy={"attacker": {"war_honours": "refuse"}}
        ),
        [8, 4, 8, 7, 4, 8, 9, 9],
        {"winner": "attacker", "fell_by_assault": True, "attacker_left_thirds": 15},
    ),
    "8 the besieger routed": (
        siege(BESIEGER, LEVEL_3, policy=ASSAULT),
        [4, 8, 8, 4, 8, 9, 9],
        {"winner": "nobody", "attacker_left_thirds": 6},
    ),
    "9 too small": (
        siege(
            {"country": "france", "army_minus": 1, "technology": "arquebus"},
            {"fortress_level": 3},
            conditions={"bad_weather": True},
        ),
        [5],
        {"winner": "defender", "redeployed": True, "pillages": 1, "attacker_left_thirds": 3, "attrition": True},
    ),
    "10 undermining and hunger": (
        siege(
            {"country": "france", "army_plus": 2, "leader": "none"},
            {"fortress_level": 2, "land_detachments": 2},
            conditions={"first_round": False, "supply_distance": 6},
        ),
        [4, 7],
        {"winner": "nobody", "siegeworks_value": 1, "pillages": 1, "attrition": True, "attacker_left_thirds": 18},
    ),
    # Level 1, not 0, and 2 for rough ground, not 1: 6 - 1 - 2 is nothing.
    "a city overseas is never under level 1": (
        siege(
            {"land_detachments": 2, "leader": "none"},
            {"fortress_level": 0, "leader": "none"},
            conditions={"region": "rotw", "terrain": "mountain", "city": True},
        ),
        [6],
        {"winner": "nobody", "siegeworks_value": 0, "fortress_level_after": 1},
    ),
    "13 two rounds of the track": (
        siege(
            {"country": "france", "army_plus": 2, "leader": "none"},
            {"fortress_level": 2, "land_detachments": 1, "leader": "none"},
            "siege-campaign",
            conditions={"start_round": "S5"},
        ),
        [9, 3, 8, 5, 9, 6],
        {
            "winner": "nobody", "rounds": 1, "breach_counter": True, "assault_counter": True, "can_continue": True,
            "attacker_left_thirds": 18, "garrison_left_thirds": 0,
        },
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", [*LAND, *SIEGES])
def test_worked_example(name):
    scenario, dice, expected = (LAND | SIEGES)[name]
    outcome = play(scenario, dice)
    assert {key: outcome[key] for key in expected} == expected
