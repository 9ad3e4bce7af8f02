"""Worked examples 11 to 18 of docs/rules/custom_games.md section 17, every die written out."""

import re

import pytest

from simulator import exact, load
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.dice.opposed import hits_of_throw
from simulator.rules.custom.game_file.files import find
from simulator.rules.custom.game_file.format import Compare
from simulator.rules.custom.setup import Setup
from simulator.rules.custom.text import explain
from tests.custom.table_top import fight

SURE = {"hit": "at-least", "always_hit": [6], "always_miss": [1]}


def game(unit, step=({"name": "fire"},), **tables):
    rules = {"format": 2, "name": "Made up", "unit": unit, "battle": {"field": {"rounds": 1}}, "step": list(step)}
    return {"game": "custom", "battle": "field", "rules": rules | tables}


def test_11_a_cruiser_and_an_ancient():
    end = fight(
        {"game": "eclipse-second-dawn", "battle": "space", "attacker": {"cruiser": 1}, "defender": {"ancient": 1}},
        {"defender": [6, 3]},
        {"attacker": [5]},
        {"defender": [1, 4]},
        {"attacker": [6]},
    )
    assert (end["winner"], end["rounds"], end["attacker_cruiser_damage"]) == ("attacker", 2, 1)


@pytest.mark.parametrize(
    ("faces", "hulks", "frigates"), [([6, 5], 1, 1), ([6, 6], 0, 2), ([5, 5], 2, 0), ([1, 5], 2, 1)]
)
def test_12_shields(faces, hulks, frigates):
    unit = {
        "gun": {"attack": {"value": 5, "dice": 2}},
        "hulk": {"shield": 1, "cost": 1},
        "frigate": {"cost": 2},
    }
    scenario = game(unit, dice=SURE) | {"attacker": {"gun": 1}, "defender": {"hulk": 2, "frigate": 2}}
    end = fight(scenario, {"attacker": faces})
    assert (end["defender_hulk_left"], end["defender_frigate_left"]) == (hulks, frigates)


@pytest.mark.parametrize(("split", "left"), [(False, 3), (True, 1)])
def test_13_whole_and_split_damage_on_scouts(split, left):
    unit = {"gun": {"attack": {"value": 5, "damage": 3, "split": split}}, "scout": {}}
    end = fight(game(unit) | {"attacker": {"gun": 1}, "defender": {"scout": 4}}, {"attacker": [5]})
    assert end["defender_scout_left"] == left


def test_13_damage_left_over_is_lost():
    unit = {"gun": {"attack": {"value": 5, "damage": 3}}, "hulk": {"hits": 4, "absorb": "last"}}
    scenario = game(unit) | {"attacker": {"gun": 2}, "defender": {"hulk": 2}}
    end = fight(scenario, {"attacker": [5, 1]})
    assert (end["defender_hulk_left"], end["defender_hulk_damage"]) == (1, 0)
    unit["hulk"]["defender"] = {"hits": 5}
    end = fight(scenario, {"attacker": [5, 1]})
    assert (end["defender_hulk_left"], end["defender_hulk_damage"]) == (1, 0)


@pytest.mark.parametrize(
    ("guns", "foot", "lost"),
    # Hits on guns only, then hits on anybody: of these two are absorbed.
    [([1], [1, 1], (1, 0)), ([6], [1, 1], (0, 0)), ([6], [1, 6], (0, 0)), ([1], [6, 6], (0, 0)), ([1], [1, 6], (0, 0))],
)
def test_14_hits_that_are_absorbed(guns, foot, lost):
    unit = {
        "tank": {"attacker": {"absorbs": 1}, "cost": 9},
        "guns": {"defence": 1, "cost": 1},
        "foot": {"defence": 1, "cost": 2},
    }
    steps = [
        {"name": "at-guns", "group": "all", "by": ["guns"], "hits_only": ["guns"]},
        {"name": "at-all", "group": "all", "by": ["foot"]},
    ]
    scenario = game(unit, steps) | {"attacker": {"tank": 2, "guns": 2}, "defender": {"guns": 1, "foot": 2}}
    end = fight(scenario, {"defender": guns + foot})
    assert (end["attacker_guns_lost"], end["attacker_tank_lost"]) == lost


def explained(scenario):
    asked = load(scenario)
    return explain(lay_out(Setup(find(asked.data["game"], asked.data.get("rules")), asked.battle.kind, asked.fields)))


def values(scenario, who):
    """The values at which one or several units of a name roll."""
    found = re.findall(rf"\b(\d+) {who}s? at (\d+)\b", "\n".join(explained(scenario)))
    return [int(value) for number, value in found for _ in range(int(number))]


@pytest.mark.parametrize(("fighters", "bombers"), [(2, [4, 4]), (1, [4, 4]), (0, [4, 3])])
def test_15_a_stack_helps_each_unit_once(fighters, bombers):
    attacker = {"fighter": fighters, "tank": 1, "tactical_bomber": 2}
    scenario = {"game": "axis-and-allies-1940", "battle": "land", "attacker": attacker, "defender": {"infantry": 1}}
    assert values(scenario, "tactical bomber") == bombers


@pytest.mark.parametrize(("stack", "bombers"), [("s", [4, 4, 3]), (None, [5, 3, 3])])
def test_15_rules_without_a_stack_come_together(stack, bombers):
    more = {"to": ["bomber"], "adds": 1} | ({"stack": stack} if stack else {})
    rules = {"support": [{"from": [one]} | more for one in ("fighter", "tank")]}
    unit = {"fighter": {"combat": 1}, "tank": {"combat": 2}, "bomber": {"combat": 3}}
    scenario = game(unit, **rules) | {"attacker": {"fighter": 1, "tank": 1, "bomber": 3}, "defender": {"tank": 1}}
    assert values(scenario, "bomber") == bombers


def test_16_walls():
    unit = {"foot": {"combat": 2}, "wall": {}}
    support = [{"whom": "enemy", "side": "defender", "from": ["wall"], "to": ["foot"], "each": 2, "adds": -1}]
    scenario = game(unit, support=support) | {"attacker": {"foot": 5}, "defender": {"wall": 1}}
    assert values(scenario, "foot") == [1, 1, 2, 2, 2]
    scenario["rules"]["battle"]["field"]["rounds"] = 2
    end = fight(
        scenario | {"defender": {"wall": 1, "foot": 1}, "policy": {"defender": {"loss_order": ["wall", "foot"]}}},
        {"attacker": [2, 2, 3, 3, 1], "defender": [6]},
        {"attacker": [2, 3, 3, 3, 3], "defender": [6]},
    )
    assert (end["winner"], end["rounds"]) == ("attacker", 2)


def test_17_symbols():
    die = {"battle": {"faces": ["foot", "foot", "armour", "grenade", "flag", "star"]}}
    die["battle"]["hits"] = {"foot": ["rifles"], "armour": ["tank"], "grenade": "all"}
    unit = {"rifles": {"cost": 2, "attack": {"die": "battle"}}, "tank": {"cost": 1, "hits": 2, "absorb": "last"}}
    scenario = game(unit, die=die) | {"attacker": {"rifles": 2}, "defender": {"tank": 1, "rifles": 1}}
    end = fight(scenario, {"attacker": [4, 1]})  # grenade, foot
    assert (end["defender_rifles_lost"], end["defender_tank_damage"]) == (1, 1)


def test_18_opposed_dice():
    scenario = game({"army": {"combat": {"bonus": 0}}}, [{"name": "battle", "compare": {"pairs": 2}}])
    scenario |= {"attacker": {"army": 3}, "defender": {"army": 2}}
    assert hits_of_throw(([6, 3, 1], [6, 2]), Compare(pairs=2)) == (1, 1)
    odds = exact(scenario)
    for lost, ways in enumerate([2890, 2611, 2275]):
        assert odds.p(f"attacker_units_lost == {lost}") == pytest.approx(ways / 7776, abs=1e-12)


def test_nobody_can_be_hit_by_the_faces_that_are_left():
    """A symbol that only hits who is gone changes nothing: a stalemate (a reading of section 6, step 4d)."""
    die = {"shot": {"faces": ["foot", "none"], "hits": {"foot": ["foot"]}}}
    unit = {"guns": {"combat": {"die": "shot"}}, "foot": {}}
    scenario = game(unit, die=die, battle={"field": {}}) | {"attacker": {"guns": 1}, "defender": {"guns": 1, "foot": 1}}
    odds = exact(scenario)
    assert odds.p("stalemate") == 1
    assert odds.mean("defender_foot_lost") == pytest.approx(1)
