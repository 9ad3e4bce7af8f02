"""Options of a side (docs/rules/custom_games.md 2.13, worked example 31)."""

import copy

import pytest

from simulator import ScenarioError, compare, exact, load, sweep
from simulator.rules.custom.game_file.describe_rules import option_rows, warnings
from simulator.rules.custom.game_file.files import read_game
from simulator.scenarios.schema import field_rows
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of

PLAIN = {
    "format": 3,
    "name": "Plain",
    "unit": {
        "foot": {"cost": 2, "tags": ["men"], "combat": 2},
        "guns": {"cost": 5, "tags": ["heavy"], "attack": 3, "defence": 4},
        "elite": {"cost": 3, "tags": ["men"], "combat": 3, "instead_of": ["foot"]},
        "hero": {"cost": 9, "hits": 3, "combat": 4, "needs": ["house"], "attacker": {"defence": 1}},
        "ship": {"rolls": {"bombard": 0}},
    },
    "battle": {"field": {"attacker": {"supports": ["ship"]}, "defender": {"supports": ["ship"]}}},
    "step": [
        {"name": "bombard", "fire": {"attacker": "bombard", "defender": "bombard"}, "to_round": 1},
        {"name": "combat"},
    ],
    "option": {
        "red": {"group": "house", "unit": {"foot": {"combat": 3}, "hero": {"attack": 5}}},
        "blue": {"name": "House Blue", "group": "house", "modifier": [{"units": ["heavy"], "adds": -1}]},
        "drill": {"needs": ["house"], "support": [{"from": ["guns"], "to": ["men"], "each": 2, "adds": 1}]},
        "veterans": {"unit": {"foot": {"attack": 4, "cost": 3}, "ship": {"rolls": {"bombard": 2}}}},
    },
}  # fmt: skip


def fight(attacker, defender, **changed):
    rules = copy.deepcopy(PLAIN)
    rules["option"] |= changed.pop("option", {})
    return {"game": "custom", "battle": "field", "rules": rules | changed, "attacker": attacker, "defender": defender}


def laid_over(scenario):
    """The same battle with the options of its sides written into the game, by the words of section 2.13."""
    scenario = copy.deepcopy(scenario)
    game = scenario["rules"]
    options = game.pop("option")
    for side in ("attacker", "defender"):
        chosen = scenario[side].pop("options", [])
        for name in [name for name in options if name in chosen]:
            for unit, values in options[name].get("unit", {}).items():
                own = game["unit"][unit].setdefault(side, {})
                for table in (own, values):
                    if "combat" in table:
                        combat = table.pop("combat")
                        table |= {"attack": combat, "defence": combat}
                rolls = own.get("rolls", {}) | values.get("rolls", {})
                own |= values | ({"rolls": rolls} if rolls else {})
            for rules in ("modifier", "support"):
                more = [rule | {"side": side} for rule in options[name].get(rules, [])]
                game[rules] = game.get(rules, []) + more
    for unit in game["unit"].values():
        unit.pop("needs", None)
    return scenario


BATTLES = {
    "a house and a drill": ({"foot": 3, "guns": 1, "options": ["drill", "red"]}, {"foot": 4, "options": ["blue"]}),
    "a house against itself": ({"foot": 3, "hero": 1, "options": ["red"]}, {"foot": 4, "hero": 1, "options": ["red"]}),
    "two over the same unit": ({"foot": 3, "options": ["veterans", "red"], "ship": 2}, {"foot": 3, "ship": 1}),
    "guns made worse": ({"foot": 3, "options": []}, {"guns": 2, "foot": 1, "options": ["blue", "drill"]}),
}


@pytest.mark.parametrize("sides", BATTLES.values(), ids=BATTLES)
def test_options_are_written_into_the_game(sides):
    scenario = fight(*sides)
    plain = laid_over(scenario)
    odds, written = exact(scenario), exact(plain)
    for winner in ("attacker", "defender", "nobody"):
        assert odds.winner(winner) == written.winner(winner)
    assert_alike(rows_of(odds), Reference2(plain["rules"], plain).table())


def test_worked_example_31():
    """Attackers' foot: red makes it 3, drill adds 1: 4 of 6; the defender's foot keeps 2. One round."""
    sides = {"foot": 1, "guns": 1, "options": ["drill", "red"]}, {"foot": 1}
    battle = {"field": {"rounds": 1}}
    odds = exact(fight(*sides, battle=battle))
    # Foot misses with 2/6, guns with 3/6; the defender hits with 2/6.
    assert odds.p("defender_units_left == 0") == pytest.approx(1 - 1 / 6, abs=1e-12)
    assert odds.p("attacker_units_lost == 1") == pytest.approx(1 / 3, abs=1e-12)
    other = exact(fight(sides[0] | {"options": ["red", "drill"]}, sides[1], battle=battle))
    assert other.winner("attacker") == odds.winner("attacker")
    assert any("the attacker has drill and red" in line for line in odds.assumptions)
    assert any(
        "the attacker has House Blue" in line
        for line in exact(fight({"foot": 1, "options": ["blue"]}, {"foot": 1})).assumptions
    )


REFUSED = {
    "unknown": ({"foot": 1, "options": ["green"]}, {}, r"'green' is not allowed; must be one of"),
    "misspelt": ({"foot": 1, "options": ["dril"]}, {}, r"attacker\.options\[0\]: .*; did you mean drill\?$"),
    "twice": ({"foot": 1, "options": ["red", "red"]}, {}, r"attacker\.options\[1\]: 'red' stands there twice"),
    "two houses": ({"foot": 1, "options": ["red", "blue"]}, {}, r"attacker\.options\[1\]: blue is a second house"),
    "needs": ({"foot": 1, "options": ["drill"]}, {}, r"attacker\.options\[0\]: drill needs one of these"),
    "a hero without a house": ({"hero": 1}, {}, r"attacker\.hero: needs one of these options: house"),
    "in its place": ({"foot": 1, "elite": 1}, {}, r"attacker\.elite: stands in the place of foot"),
    "a unit": ({}, {"unit": {"orc": {"combat": 2}}}, r"rules\.option\.new\.unit\.orc: no unit 'orc'"),
    "a value": ({}, {"unit": {"foot": {"combat": 7}}}, r"rules\.option\.new\.unit\.foot\.combat: 7 is not allowed"),
    "tags": ({}, {"unit": {"foot": {"tags": ["x"]}}}, r"rules\.option\.new\.unit\.foot\.tags"),
    "its needs": ({}, {"needs": ["gold"]}, r"rules\.option\.new\.needs\[0\]: no option or group 'gold'"),
    "a side": ({}, {"modifier": [{"adds": 1, "side": "attacker"}]}, r"rules\.option\.new\.modifier\[0\]\.side: is not"),
    "a side of a support": (
        {}, {"support": [{"from": ["guns"], "to": ["men"], "adds": 1, "side": "both"}]}, r"\.new\.support\[0\]\.side",
    ),
    "named as a group": ({}, {"group": "new"}, r"rules\.option\.new: is also the name of a group"),
    "nothing given": ({}, {"modifier": [{"name": "x"}]}, r"rules\.option\.new\.modifier\[0\]: gives nothing"),
    "a bonus": ({}, {"unit": {"foot": {"attack": {"bonus": 1}}}}, r"rules\.option\.new\.unit: attack of foot: a bonus"),
    "whole damage": (
        {}, {"unit": {"guns": {"attack": {"value": 3, "damage": 2}}}}, r"unit\.hero\.absorb: a hit may do more than 1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("side", "option", "complaint"), REFUSED.values(), ids=REFUSED)
def test_refused(side, option, complaint):
    with pytest.raises(ScenarioError, match=complaint):
        load(fight(side or {"foot": 1}, {"foot": 1}, option={"new": option} if option else {}))


def test_refused_elsewhere():
    with pytest.raises(ScenarioError, match=r"rules\.unit\.hero\.needs\[0\]: no option or group 'house'"):
        load(fight({"foot": 1}, {"foot": 1}) | {"rules": {k: v for k, v in PLAIN.items() if k != "option"}})
    with pytest.raises(ScenarioError, match=r"rules\.option: .*needs format = 3"):
        load(fight({"foot": 1}, {"foot": 1}, format=2, unit={"foot": {"combat": 1}, "guns": {}, "hero": {}}))
    for name in ("options", "damaged"):
        with pytest.raises(ScenarioError, match=f"rules.unit.{name}: '{name}' is reserved"):
            load(fight({"foot": 1}, {"foot": 1}, unit=PLAIN["unit"] | {name: {}}))
    many = {f"o{i}": {} for i in range(197)}
    with pytest.raises(ScenarioError, match=r"rules\.option: .*a table of 0 to 200"):
        load(fight({"foot": 1}, {"foot": 1}, option=many))


def test_sweeps_and_comparisons():
    scenario = fight({"foot": 3, "guns": 1}, {"foot": 4})
    houses = [["red"], ["blue"], ["red", "drill"]]
    swept = sweep(scenario, {"attacker.options": houses}).rows()
    chances = [exact(fight(scenario["attacker"] | {"options": one}, {"foot": 4})).winner("attacker") for one in houses]
    assert [row["value"] for row in swept] == pytest.approx(chances, abs=1e-12)
    others = [fight(scenario["attacker"] | {"options": one}, {"foot": 4}) for one in houses[:2]]
    assert [odds.winner("attacker") for odds in compare(others).odds.values()] == pytest.approx(chances[:2], abs=1e-12)


def test_the_fields_and_the_listing():
    battle = load(fight({"foot": 1}, {"foot": 1})).battle
    rows = {row.path: row for row in field_rows(battle)}
    assert "red" in rows["attacker.options"].takes
    file = read_game(copy.deepcopy(PLAIN), "")
    assert [row[:3] for row in option_rows(file)][2] == ("drill", "", "house")
    assert not [line for line in warnings(file) if "bombard" in line]
    idle = copy.deepcopy(PLAIN)
    idle["option"]["blue"]["modifier"][0]["rolls"] = ["scout"]
    idle["unit"]["guns"]["rolls"] = {"scout": 2}
    assert any(line.startswith("option.blue.modifier[0].rolls") for line in warnings(read_game(idle, "")))
