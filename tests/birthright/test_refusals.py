"""Refusals of docs/rules/birthright.md: the line begins with the field."""

import pytest

from simulator import ScenarioError, exact, load
from simulator.scenarios import Scenario

SIDES = {"attacker": {"units": ["infantry"]}, "defender": {"units": ["infantry"]}}
TACTICAL = {"game": "birthright", "battle": "tactical"} | SIDES
STORM = TACTICAL | {"battle": "storm", "conditions": {"fortification": 2}}
QUICK = TACTICAL | {"battle": "quick-battle"}
SIEGE = STORM | {"battle": "siege"}
ADJUSTMENT = {"game": "birthright", "battle": "adjustment", "defender": {"regents": [{}]}}
VISIBILITY = {"game": "birthright", "battle": "visibility"}
MOVEMENT = {
    "game": "birthright",
    "battle": "movement",
    "attacker": {"units": ["infantry"]},
    "conditions": {"costs": [1, 2]},
}
PRICED = TACTICAL | {"options": {"gold": True}}
OWN = {"unit": "ogres", "melee": [5, 4], "defence": 3, "morale": 2}

CASES = [
    (TACTICAL, "attacker.units", [], "attacker.units"),
    (TACTICAL, "attacker.units", ["13 x infantry"], "attacker.units"),
    (TACTICAL, "attacker.units", ["4 x nights"], "attacker.units[0]"),
    (TACTICAL, "attacker.units", ["61 x knights"], "attacker.units[0]"),
    (TACTICAL, "attacker.units", ["0 x knights"], "attacker.units"),
    (TACTICAL, "attacker.units", [{"unit": "knights", "count": 61}], "attacker.units[0].count"),
    (TACTICAL, "attacker.units", [{"unit": "knights", "count": True}], "attacker.units[0].count"),
    (TACTICAL, "attacker.units", [{"unit": "knights", "moral": 3}], "attacker.units[0].moral"),
    (TACTICAL, "attacker.units", [{"unit": "knights", "melee": [4, 3]}], "attacker.units[0].melee"),
    (TACTICAL, "attacker.units", [{"unit": "knights", "melee": []}], "attacker.units[0].melee"),
    (TACTICAL, "attacker.units", [{"unit": "archers", "missile": [4]}], "attacker.units[0].missile"),
    (TACTICAL, "attacker.units", [{"unit": "cavalry", "charge": [4, 3, 2]}], "attacker.units[0].charge"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "melee": [13, 1]}], "attacker.units[0].melee[0]"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "hits": 2}], "attacker.units[0].melee"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "class": "dragons"}], "attacker.units[0].class"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "morale": 5}], "attacker.units[0].morale"),
    (TACTICAL, "attacker.units", [OWN, {"unit": "ogres", "melee": [5, 4]}], "attacker.units[1].unit"),
    (TACTICAL, "attacker.warcraft", 51, "attacker.warcraft"),
    (TACTICAL, "attacker.leader_points", 1, "attacker.leader_points"),
    (TACTICAL, "conditions.terrain", "desert", "conditions.terrain"),
    (TACTICAL, "conditions.defender_position", 4, "conditions.defender_position"),
    (TACTICAL, "policy.attacker.deploy", "random", "policy.attacker.deploy"),
    (TACTICAL, "policy.attacker.losses", "spread", "policy.attacker.losses"),
    (TACTICAL, "options.missile_rounds", 4, "options.missile_rounds"),
    (TACTICAL, "options.pursuit_number", 1, "options.pursuit_number"),
    (TACTICAL, "options.ten", "again", "options.ten"),
    (TACTICAL, "defender.units", [{"unit": "infantry", "special": 1}], "defender.units[0].special"),
    (TACTICAL, "defender.units", [{"unit": "infantry", "undead": True}], "defender.units[0].undead"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "hero": 4}], "attacker.units[0].hero"),
    (TACTICAL, "attacker.units", [{"unit": "infantry", "muster": 101}], "attacker.units[0].muster"),
    (TACTICAL, "attacker.inspire", 3, "attacker.inspire"),
    (TACTICAL, "attacker.heroes", [], "attacker.heroes"),
    (TACTICAL, "attacker.turn_undead", True, "attacker.turn_undead"),
    (TACTICAL, "options.terrain_effects", "none", "options.terrain_effects"),
    (TACTICAL, "options.walls", "full", "options.walls"),
    (PRICED, "attacker.units", ["infantry", OWN], "attacker.units[1].muster"),
    (PRICED, "objective", {"attacker": {"attacker_upkeep": 1}}, "objective.attacker.attacker_upkeep"),
    (TACTICAL, "objective", {"attacker": {"attacker_gold_lost": -1}}, "objective.attacker.attacker_gold_lost"),
    (STORM, "defender.units", [], "defender.units"),
    (STORM, "policy.defender.retreat", "best", "policy.defender.retreat"),
    (STORM, "options.terrain_effects", "full", "options.terrain_effects"),
    (STORM, "options.fort_defence", [[level, 13] for level in range(1, 21)], "options.fort_defence"),
    (STORM, "conditions.fortification", 0, "conditions.fortification"),
    (STORM, "conditions.defender_position", 1, "conditions.defender_position"),
    (STORM, "policy.defender.retreat", "outmatched", "policy.defender.retreat"),
    (STORM, "options.pursuit_number", 4, "options.pursuit_number"),
    (STORM, "options.fort_defence", [[1, 1]], "options.fort_defence"),
    (STORM, "options.fort_defence", [[2, 1]] * 20, "options.fort_defence"),
    (QUICK, "attacker.units", ["60 x infantry", "infantry"], "attacker.units"),
    (QUICK, "defender.leader_points", 101, "defender.leader_points"),
    (QUICK, "conditions.fortification", 21, "conditions.fortification"),
    (QUICK, "policy.attacker.retreat", "half", "policy.attacker.retreat"),
    (QUICK, "policy.defender.retreat", "best", "policy.defender.retreat"),
    (QUICK, "attacker.units", [{"unit": "infantry", "hero": 1}], "attacker.units[0].hero"),
    (QUICK, "attacker.units", [{"unit": "infantry", "spellcasting": 3}], "attacker.units[0].spellcasting"),
    (QUICK, "attacker.inspire", 1, "attacker.inspire"),
    (QUICK, "attacker.heroes", [{"class": "bard"}], "attacker.heroes[0].class"),
    (QUICK, "attacker.heroes", [{"level": 3}], "attacker.heroes[0].class"),
    (QUICK, "defender.heroes", [{"class": "mage", "level": 21}], "defender.heroes[0].level"),
    (QUICK, "defender.heroes", [{"class": "mage"}] * 11, "defender.heroes"),
    (QUICK, "policy.defender.losses", "best-first", "policy.defender.losses"),
    (QUICK, "options.max_turns", 51, "options.max_turns"),
    (QUICK, "options.quick_ratio", [[2, 1, 3]], "options.quick_ratio"),
    (QUICK, "options.quick_ratio", [[1, 1, 0], [3, 2, 2], [4, 3, 3]], "options.quick_ratio"),
    (QUICK, "options.quick_ratio", [[1, 1]], "options.quick_ratio"),
    (QUICK, "options.quick_result", [[1, 10, 10, 0, 0]], "options.quick_result"),
    (QUICK, "options.quick_result", [[0, 10, 101, 0, 0]], "options.quick_result"),
    (QUICK, "options.quick_result", [[0, 1, 1, 0, 0], [0, 1, 1, 1, 0]], "options.quick_result"),
    (QUICK, "options.ten", "shift", "options.ten"),
    (SIEGE, "conditions.allied_fortification", 19, "conditions.allied_fortification"),
    (SIEGE, "conditions.seasons", 13, "conditions.seasons"),
    (SIEGE, "conditions.relief_units", [{"unit": "infantry", "hero": 1}], "conditions.relief_units[0].hero"),
    (SIEGE | {"options": {"gold": True}}, "defender.units", [OWN], "defender.units[0].muster"),
    (SIEGE, "conditions.relief_on", 10, "conditions.relief_units"),
    (SIEGE, "conditions.relief_units", ["nights"], "conditions.relief_units[0]"),
    (SIEGE, "policy.attacker.siege", "storm-at-level", "options.storm_level"),
    (SIEGE, "policy.attacker.retreat", "half", "policy.attacker.retreat"),
    (SIEGE, "options.rating_per_strength", 0, "options.rating_per_strength"),
    (SIEGE, "options.siege_table", [[10, 1, 1], [10, 2, 2]], "options.siege_table"),
    (SIEGE, "options.siege_table", [[10, 2, 1], [20, 2, 2]], "options.siege_table"),
    (SIEGE, "options.siege_table", [[0]], "options.siege_table"),
    (SIEGE, "options.siege_table", [[]], "options.siege_table"),
    (SIEGE, "options.quick_ratio", [[0]], "options.quick_ratio"),
    (QUICK, "options.quick_ratio", [[0]], "options.quick_ratio"),
    (SIEGE, "attacker.rating", 1_000_001, "attacker.rating"),
    (ADJUSTMENT, "defender.regents", [{}] * 8, "defender.regents"),
    (ADJUSTMENT, "defender.regents", [{"in_target": 1}], "defender.regents[0].in_target"),
    (ADJUSTMENT, "conditions.cost", 0, "conditions.cost"),
    (ADJUSTMENT, "attacker.points_left", 51, "attacker.points_left"),
    (ADJUSTMENT, "policy.attacker.retreat", "half", "policy.attacker.retreat"),
    (VISIBILITY, "conditions.own_naval_unit", True, "conditions.own_naval_unit"),
    (VISIBILITY, "conditions.moved_out", True, "conditions.moved_out"),
    (VISIBILITY | {"conditions": {"kind": "naval"}}, "conditions.own_unit", True, "conditions.own_unit"),
    (VISIBILITY, "attacker.units", ["infantry"], "attacker.units"),
    (MOVEMENT, "attacker.units", [], "attacker.units"),
    (MOVEMENT, "attacker.movement", 51, "attacker.movement"),
    (MOVEMENT, "attacker.units", [{"unit": "infantry", "spells": 1}], "attacker.units[0].spells"),
    (MOVEMENT, "conditions.costs", [], "conditions.costs"),
    (MOVEMENT, "conditions.roads", [True], "conditions.roads"),
    (MOVEMENT, "options.carry", False, "conditions.costs[1]"),
    (MOVEMENT, "conditions.war_moves", 0, "conditions.war_moves"),
]


@pytest.mark.parametrize(("base", "path", "value", "field"), CASES, ids=[f"{c[3]}-{i}" for i, c in enumerate(CASES)])
def test_refused(base, path, value, field):
    scenario = load(base)
    assert isinstance(scenario, Scenario)
    with pytest.raises(ScenarioError) as refusal:
        scenario.replace(path, value)
    assert str(refusal.value).startswith(f"{field}: ")
    assert "\n" not in str(refusal.value)


def test_misspelt_units_are_suggested():
    with pytest.raises(ScenarioError, match="did you mean knights"):
        load(TACTICAL | {"attacker": {"units": ["4 x anuirean nights"]}})
    with pytest.raises(ScenarioError, match="orog-guard"):
        load(TACTICAL | {"attacker": {"units": [{"unit": "orog-gard"}]}})


@pytest.mark.parametrize(
    ("spoken", "unit", "count"),
    [("4 x anuirean knights", "knights", 4), ("3 Elite Infantry", "elite-infantry", 3), ("knight", "knights", 1),
     ("2x elven archers", "sidhe-archers", 2), ("dwarven guard", "dwarf-guard", 1)],
)  # fmt: skip
def test_units_as_players_speak_of_them(spoken, unit, count):
    written = load(TACTICAL | {"attacker": {"units": [{"unit": unit, "count": count}]}})
    assert exact(load(TACTICAL | {"attacker": {"units": [spoken]}})).table.equals(exact(written).table)


def test_what_is_not_refused():
    load(SIEGE).replace("defender.units", [])
    load(SIEGE).replace("conditions.relief_units", ["infantry"])
    load(QUICK).replace_all({"policy.attacker.retreat": "half", "options.mode": "fight-on"})
    load(TACTICAL | {"attacker": {"units": [OWN | {"charge": [], "strength": 9}]}})
    load(PRICED).replace("attacker.units", ["infantry", OWN | {"count": 0}, OWN | {"muster": 0}])
    relief = {"conditions.relief_on": 9, "conditions.relief_units": [OWN], "options.gold": True}
    load(SIEGE).replace_all(relief | {"conditions.allied_fortification": 18})
    load(MOVEMENT).replace_all({"options.carry": False, "conditions.roads": [False, True]})


def test_a_policy_without_time_for_it_names_the_mode():
    with pytest.raises(ScenarioError) as refusal:
        load(QUICK).replace("policy.attacker.retreat", "half")
    text = "half is not allowed; one check leaves no time for it; only with options.mode fight-on"
    assert str(refusal.value) == f"policy.attacker.retreat: {text}"


def test_a_unit_without_a_price_is_named():
    militia = {"unit": "militia", "melee": [2, 1], "defence": 2, "morale": 2}
    with pytest.raises(ScenarioError) as refusal:
        load(PRICED).replace("attacker.units", [militia])
    assert str(refusal.value) == "attacker.units[0].muster: needed with options.gold, 'militia' has no price"
