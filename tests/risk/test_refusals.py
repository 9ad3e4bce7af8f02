"""Every refusal of docs/rules/risk.md section 9: the line begins with the field."""

import copy

import pytest

from simulator import ScenarioError, exact, load

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 9}, "defender": {"regiments": [3, 2]}}
NAVAL = {"game": "risk", "battle": "naval", "attacker": {"fleets": 2}, "defender": {"fleets": 2}}
BLOCKADE = NAVAL | {"battle": "blockade-run"}
AMPHIBIOUS = LAND | {"battle": "amphibious"}
INVASION = {
    "game": "risk",
    "battle": "invasion",
    "attacker": {"fleets": 3, "regiments": 7},
    "defender": {"regiments": 2},
    "conditions": {"crossings": [{"fleets": 2}, {}, {"fleets": 1}]},
}

CASES = [
    (LAND, {"attacker.regiments": "20"}, "attacker.regiments"),
    (LAND, {"attacker.regiments": 2.0}, "attacker.regiments"),
    (LAND, {"attacker.regiments": True}, "attacker.regiments"),
    (LAND, {"attacker.regiments": 100_001}, "attacker.regiments"),
    (LAND, {"attacker.fleets": 1}, "attacker.fleets"),
    (LAND, {"attacker.cannons": 1}, "attacker.cannons"),
    (LAND, {"conditions.sea_zones_moved": 1}, "conditions.sea_zones_moved"),
    (LAND, {"conditions.link_fleets": 2}, "conditions.link_fleets"),
    (LAND, {"defender.regiments": [3, 0]}, "defender.regiments[1]"),
    (LAND, {"defender.regiments": [1] * 51}, "defender.regiments"),
    (LAND, {"attacker.modifier_all": [1, 2, 3]}, "attacker.modifier_all"),
    (LAND, {"attacker.modifier_all": [1, 9]}, "attacker.modifier_all[1]"),
    (LAND, {"attacker.dice": 5}, "attacker.dice"),
    (LAND, {"defender.die_sides": 13}, "defender.die_sides"),
    (LAND, {"attacker.commanders": 10}, "attacker.commanders"),
    (LAND, {"defender.commanders": [1, 3]}, "defender.commanders"),
    (LAND, {"attacker.bonus_dice": 3}, "attacker.bonus_dice"),
    (LAND, {"defender.dice": [4, 1], "defender.bonus_dice": [2, 2]}, "defender.bonus_dice"),
    (LAND, {"policy.attacker.retreat": "flee"}, "policy.attacker.retreat"),
    (LAND, {"policy.attacker.retreat": ["to-the-end", "stop-when-outnumbered"]}, "policy.attacker.retreat"),
    (LAND, {"policy.attacker.retreat": []}, "policy.attacker.retreat"),
    (LAND, {"policy.attacker.stop_below": 3}, "policy.attacker.stop_below"),
    (
        LAND,
        {"attacker.regiments": 9000, "policy.attacker.retreat": "stop-below-odds", "policy.attacker.min_odds": 0.5}
        | {"defender.regiments": [300, 2]},
        "policy.attacker.retreat",
    ),
    (LAND, {"policy.attacker.retreat": "max-rounds"}, "policy.attacker.max_rounds"),
    (LAND, {"policy.attacker.retreat": "wear-down"}, "policy.attacker.wear_down_to"),
    (LAND, {"policy.attacker.retreat": "stop-below-odds"}, "policy.attacker.min_odds"),
    (LAND, {"policy.attacker.retreat": "stop-below-odds", "policy.attacker.min_odds": 1.5}, "policy.attacker.min_odds"),
    (LAND, {"policy.defender.retreat": "always"}, "policy.defender.retreat"),
    (LAND, {"policy.attacker.sea_retreat": "to-the-end"}, "policy.attacker.sea_retreat"),
    (LAND, {"options.ties": "both sides"}, "options.ties"),
    (
        LAND,
        {"options.ties": "nobody", "options.clamp": True, "attacker.modifier_all": 5, "defender.modifier_all": 5},
        "options.ties",
    ),
    (LAND, {"options.left_behind": 101}, "options.left_behind"),
    (LAND, {"options.clamp": 1}, "options.clamp"),
    (LAND, {"weather": "rain"}, "weather"),
    (NAVAL, {"attacker.modifier_all": [1]}, "attacker.modifier_all"),
    (NAVAL, {"attacker.fleets": 5}, "attacker.fleets"),
    (NAVAL, {"defender.fleets": 0}, "defender.fleets"),
    (NAVAL, {"attacker.commanders": 1}, "attacker.commanders"),
    (NAVAL, {"conditions.sea_zones_moved": 4}, "conditions.sea_zones_moved"),
    (NAVAL, {"conditions.place": "port"}, "conditions.place"),
    (NAVAL, {"conditions.forced": True}, "conditions.forced"),
    (BLOCKADE, {"conditions.sea_zones_moved": 1}, "conditions.sea_zones_moved"),
    (
        BLOCKADE,
        {"conditions.forced": True, "policy.attacker.retreat": "max-rounds", "policy.attacker.max_rounds": 1},
        "policy.attacker.retreat",
    ),
    (
        AMPHIBIOUS,
        {"options.withdrawal": False, "policy.attacker.retreat": "stop-when-outnumbered"},
        "policy.attacker.retreat",
    ),
    (AMPHIBIOUS, {"conditions.sea_zones_moved": 4}, "conditions.sea_zones_moved"),
    (INVASION, {"attacker.fleets": 5}, "attacker.fleets"),
    (INVASION, {"attacker.transports": 4}, "attacker.transports"),
    (INVASION, {"options.fleet_capacity": 2}, "attacker.regiments"),
    (INVASION, {"defender.port_fleets": 5}, "defender.port_fleets"),
    (INVASION, {"conditions.crossings[2].fleets": 5}, "conditions.crossings[2].fleets"),
    (INVASION, {"conditions.crossings[0].convoy": "hides"}, "conditions.crossings[0].convoy"),
    (INVASION, {"conditions.crossings[0].speed": 2}, "conditions.crossings[0].speed"),
    (INVASION, {"conditions.crossings[2].blockaded": True}, "conditions.crossings[2].blockaded"),
    (
        INVASION,
        {"conditions.crossings[0].blockaded": True, "conditions.crossings[0].convoy": "defends"},
        "conditions.crossings[0].blockaded",
    ),
    (INVASION, {"conditions.crossings[0].turn": 1}, "conditions.crossings[1].turn"),
    (INVASION, {"conditions.crossings": [{"turn": 2}, {"turn": 1}]}, "conditions.crossings[1].turn"),
    (INVASION, {"conditions.crossings": [{"turn": 1, "fleets": 1}, {"turn": 1}]}, "conditions.crossings[1].turn"),
    (INVASION, {"conditions.crossings": [{"turn": 1}] * 4}, "conditions.crossings[3].turn"),
    (INVASION, {"conditions.crossings": [{}] * 21}, "conditions.crossings"),
    (INVASION, {"policy.attacker.sea_retreat": "wear-down"}, "policy.attacker.sea_retreat"),
    (INVASION, {"policy.attacker.sea_retreat": "stop-below"}, "policy.attacker.sea_stop_below"),
    (INVASION, {"policy.attacker.sea_max_rounds": 2}, "policy.attacker.sea_max_rounds"),
    (
        INVASION,
        {"options.withdrawal": False, "policy.attacker.retreat": "stop-when-outnumbered"},
        "policy.attacker.retreat",
    ),
    (INVASION, {"policy.attacker.losses": "none-first"}, "policy.attacker.losses"),
]


def changed(base, changes):
    data = copy.deepcopy(base)
    for path, value in changes.items():
        node = data
        *steps, last = path.replace("[", ".[").split(".")
        for step in steps:
            node = node[int(step[1:-1])] if step.startswith("[") else node.setdefault(step, {})
        node[int(last[1:-1]) if last.startswith("[") else last] = value
    return data


@pytest.mark.parametrize(("base", "changes", "field"), CASES, ids=[f"{c[2]}-{i}" for i, c in enumerate(CASES)])
def test_refused(base, changes, field):
    load(base)
    with pytest.raises(ScenarioError) as refusal:
        load(changed(base, changes))
    text = str(refusal.value)
    assert text.startswith(f"{field}: ")
    assert "\n" not in text


@pytest.mark.parametrize("battle", ["land", "amphibious", "naval", "blockade-run", "invasion"])
def test_missing_sides_are_asked_for(battle):
    with pytest.raises(ScenarioError, match=r"^(attacker|defender)[.a-z]*: is needed"):
        load({"game": "risk", "battle": battle})


def test_legal_edges_are_allowed():
    load(changed(INVASION, {"conditions.crossings": [{"turn": 1, "fleets": 1}, {"turn": 2}, {"turn": 2}, {"turn": 2}]}))
    load(changed(INVASION, {"conditions.crossings": [{"turn": 1, "place": "maritime-link"}] + [{"turn": 1}] * 3}))
    load(changed(INVASION, {"options.withdrawal": False, "policy.attacker.sea_retreat": "stop-when-outnumbered"}))
    load(changed(LAND, {"attacker.dice": 2, "attacker.bonus_dice": 3}))


@pytest.mark.parametrize("name", ["stop_below", "max_rounds", "wear_down_to"])
def test_absurdly_large_policy_numbers_work(name):
    policy = {"stop_below": "stop-below", "max_rounds": "max-rounds", "wear_down_to": "wear-down"}[name]
    scenario = load(changed(LAND, {"policy.attacker.retreat": policy, f"policy.attacker.{name}": 10**30}))
    winner = exact(scenario).winner("nobody")
    assert winner == pytest.approx(0 if name == "max_rounds" else 1)
