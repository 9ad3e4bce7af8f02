"""Naval battles and attrition held against a slow reference that shares no code with the rules."""

import pytest

from simulator import exact
from tests.europa import reference_naval as ref
from tests.europa.scenarios import leader, naval

NAVAL = {
    "a big fleet, nothing in doubt": naval(
        {"warships": 10, "leader": leader(3, 4, 2)}, {"warships": 8, "leader": leader(2, 2, 3)}
    ),
    "one against one, replacement against none": naval(
        {"warships": 1}, {"warships": 1, "leader": "none"}, conditions={"wind": "attacker"}
    ),
    "gold convoy": naval(
        {"warships": 3, "technology": "battery", "leader": leader(2, 3, 3)},
        {"transports": 4, "gold": 60, "leader": leader(1, 1, 1)},
    ),
    "galleys with galleasses, all sizes": naval(
        {"galleys": 9, "galleasses": 2, "transports": 2, "leader": leader(3, 2, 6)},
        {"galleys": 8, "warships": 2, "technology": "carrack", "leader": leader(2, 2, 2)},
        conditions={"sea": "mediterranean", "turn": 12},
        options={"size_counts": "all", "veteran_rule": "all", "leader_differential_cap": 9},
        policy={"attacker": {"break_off": "if-near-rout"}, "defender": {"break_off": "always"}},
    ),
    "troops and captures, both may leave": naval(
        {"warships": 5, "transports": 3, "army_plus": 1, "land_detachments": 2, "leader": leader(4, 2, 2)},
        {"warships": 6, "technology": "galleon-fluyt", "leader": leader(3, 3, 2, robust=True)},
        conditions={"interception": True, "region": "rotw"},
        policy={
            "attacker": {"leave_with_wind": "if-behind", "break_off": "if-sure"},
            "defender": {"leave_with_wind": "always", "capture": "warships-first"},
        },
    ),
    "retreat attrition": naval(
        {"warships": 2, "exploration_ships": 1, "transports": 1, "retreat_drm": 3, "leader": leader(2, 2, 2)},
        {"warships": 3, "leader": leader(2, 2, 2), "shock_modifier": 1, "fire_modifier": -1},
        options={"destruction_is_rout": True},
    ),
    # A routed fleet of a third or two is wiped out: it has lost more than it has.
    "explorers alone": naval(
        {"exploration_ships": 2, "leader": leader(2, 4, 3)}, {"exploration_ships": 1, "leader": leader(2, 3, 4)}
    ),
    "explorers against old galleys": naval(
        {"exploration_ships": 2, "transports": 1, "technology": "vessel", "leader": leader(1, 1, 1)},
        {"galleys": 3, "leader": leader(1, 2, 2)},
        conditions={"sea": "baltic", "turn": 40, "wind": "defender"},
        options={"veteran_rule": "vessel-and-three-decker", "break_off_at_sea": "automatic"},
        policy={"defender": {"break_off": "if-sure"}},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", NAVAL)
def test_naval_battle(name):
    odds, expected = exact(NAVAL[name]), ref.means(NAVAL[name])
    found = {key: odds.winner(key) if key in {"attacker", "defender", "nobody"} else odds.mean(key) for key in expected}
    assert found == pytest.approx(expected, abs=1e-9)


def march(attacker, policy="pillage", draft=False, **conditions):
    options = {"movement_causes": "draft"} if draft else {}
    return {
        "game": "europa", "battle": "attrition", "attacker": attacker, "conditions": conditions, "options": options,
        "policy": {"attacker": {"pillage": policy}},
    }  # fmt: skip


MARCHES = {
    "no reason": march({"land_detachments": 5}, mp=5),
    "all causes": march({"land_detachments": 7, "manoeuvre": 2}, mp=7, bad_weather=True, landing_without_port=True),
    "without logistics": march({"land_detachments": 3}, mp=6, no_logistics=True, cold=2, enemy_province=True),
    "draft causes": march({"land_detachments": 3}, draft=True, mp=3, no_logistics=True, revolts_plus=1),
    "no pillage possible": march({"army_plus": 2, "technology": "baroque"}, mp=6, pillage_possible=False),
    "a detachment instead": march({"army_plus": 1}, "lose-detachment", mp=6, pillages_plus=2),
    "early": march({"army_minus": 2, "technology": "arquebus"}, procedure="supply", causes=3, no_supply_line=True),
    "pashas": march({"land_detachments": 2, "pashas": 2, "pasha_detachments": 5}, procedure="supply", causes=1),
    "besieged": march({"land_detachments": 3}, procedure="siege", enemy_siege=2, siegeworks_plus=1),
    "open port": march({"land_detachments": 2, "siege": 1}, procedure="siege", unblockaded_port=True),
    "overseas": march({"land_detachments": 13, "exploration_detachments": 1}, region="rotw", mp=6, strait_drm=2),
    "lace war": march({"land_detachments": 6, "technology": "lace-war"}, mp=7, enemy_province=True),
}


@pytest.mark.parametrize("name", MARCHES)
def test_attrition_on_land(name):
    odds = exact(MARCHES[name])
    found = tuple(odds.mean(key) for key in ("attacker_left_thirds", "pillage_placed", "foraging", "modifier"))
    assert found == pytest.approx(ref.march(MARCHES[name]), abs=1e-12)


FLEETS = {
    "unloaded": (
        {"warships": 6, "transports": 2, "fleets_minus": 1}, {"sea_difficulty": 5, "zones_entered": 4}, -6 + 5 + 1),
    "with troops": ({"warships": 9, "transports": 4, "army_plus": 2, "land_detachments": 1}, {"sea_difficulty": 8}, 2),
    "with gold": ({"warships": 3, "transports": 2, "gold": 37}, {"bad_weather": True, "malus": 6}, 2),
    "galleys in thirds": ({"galleys": 7, "warships": 1, "exploration_ships": 1}, {"sea": "baltic", "malus": 8}, 2),
}  # fmt: skip


@pytest.mark.parametrize("name", FLEETS)
def test_attrition_at_sea(name):
    side, conditions, drm = FLEETS[name]
    scenario = {
        "game": "europa", "battle": "attrition", "attacker": side,
        "conditions": {"procedure": "movement-sea", **conditions},
    }  # fmt: skip
    own = ref.Ref(side, scenario, "attacker")
    row = {"fleet": own.fleet, "troops": own.troops, "gold": own.gold, "losses": 0, "destroyed": 0}
    expected = dict.fromkeys(("attacker_losses_thirds", "attacker_troops_left_thirds", "attacker_gold_left"), 0.0)
    for die in ref.D10:
        for p, after in ref.weather(own, row, ref.percent_of(die + drm)):
            for key, value in zip(expected, (after["losses"], after["troops"], after["gold"]), strict=True):
                expected[key] += 0.1 * p * value
    odds = exact(scenario)
    assert odds.mean("modifier") == pytest.approx(drm)
    assert {key: odds.mean(key) for key in expected} == pytest.approx(expected, abs=1e-9)
