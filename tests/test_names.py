"""Names in any case, short forms, several mistakes in one run, and files of the other sort."""

import json

import pytest

from simulator import ScenarioError, best, load, sensitivity
from simulator.cli import run
from simulator.rules.toolkit.naming import suggested
from simulator.scenarios import draft

RISK = {"game": "risk", "battle": "land", "attacker": {"regiments": 3}, "defender": {"regiments": 2}}
EUROPA = {"game": "europa", "battle": "land", "attacker": {"army_plus": 2}, "defender": {"army_plus": 2}}
AXIS = {"game": "axis-and-allies-1942", "battle": "land", "attacker": {"infantry": 3}, "defender": {"tank": 2}}
CASES = [
    (RISK, {"game": "Risk", "battle": "LAND"}, {}),
    (RISK, {"Options": {"Ties": "Attacker"}}, {"options": {"ties": "attacker"}}),
    (RISK, {"policy": {"attacker": {"retreat": "To-The-End"}}}, {"policy": {"attacker": {"retreat": "to-the-end"}}}),
    (EUROPA, {"attacker": {"army_plus": 2, "country": "France"}}, {"attacker": {"army_plus": 2, "country": "france"}}),
    (AXIS, {"attacker": {"Infantry": 3}}, {}),
    (
        AXIS,
        {"policy": {"attacker": {"loss_order": ["INFANTRY"]}}},
        {"policy": {"attacker": {"loss_order": ["infantry"]}}},
    ),
    (AXIS, {"policy": {"attacker": {"keep": {"Infantry": 1}}}}, {"policy": {"attacker": {"keep": {"infantry": 1}}}}),
]


@pytest.mark.parametrize(("base", "changes", "plain"), CASES)
def test_case_does_not_matter(base, changes, plain):
    assert load(base | changes).fields == load(base | plain).fields


def test_settings_find_fields_in_any_case():
    changed = draft(RISK).with_fields({"Attacker.Regiments": 9, "Options.ties": "BOTH"}).checked()
    assert changed.fields == load(RISK | {"attacker": {"regiments": 9}, "options": {"ties": "both"}}).fields


def test_varied_fields_are_found_in_any_case(capsys):
    answer = []
    for path in ("attacker.regiments", "Attacker.Regiments"):
        assert run(["sweep", "risk-20v15", "--vary", f"{path}=2:4", "--vary", "defender.regiments=2", "--json"]) == 0
        answer.append([cell["value"] for cell in json.loads(capsys.readouterr().out)["cells"]])
    assert answer[0] == answer[1]


def test_fields_and_policies_that_are_asked_for_are_found_in_any_case():
    plain = sensitivity("risk-20v15", fields=["defender.bonus_dice"])
    assert sensitivity("risk-20v15", fields=["Defender.Bonus_Dice"]).steps == plain.steps != ()
    found = best("risk-20v15", ["Policy.Attacker.Retreat"])
    assert {one.decision for one in found.fixed} == {"policy.attacker.retreat"}


def test_mistakes_of_a_log_in_one_run(tmp_path, capsys):
    log = tmp_path / "log.csv"
    log.write_text("scenario,side,winner\nrisk-20v15,red,attacker\nrisk-20v15,,attacker\n,,attacker\n")
    assert run(["luck", str(log)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == ["battles[0].side", "battles[2].scenario"]


@pytest.mark.parametrize(
    ("given", "known", "meant"),
    [
        ("inf", ["artillery", "infantry"], "infantry"),
        ("aa", ["tank", "aa_gun"], "aa_gun"),
        ("aa", ["tank", "anti-aircraft"], "anti-aircraft"),
        ("general", ["army_plus", "leader"], "leader"),
        ("artilery", ["artillery", "infantry"], "artillery"),
        ("x", ["artillery", "infantry"], None),
    ],
)
def test_short_forms_are_suggested(given, known, meant):
    assert suggested(given, known) == meant


BAD = """game = "risk"
battle = "land"
optons = 1
[attacker]
regiments = -3
regimnts = 4
[defender]
regiments = "x"
modifier_all = 77
"""


def test_mistakes_of_a_file_in_one_run(tmp_path, capsys):
    file = tmp_path / "bad.toml"
    file.write_text(BAD)
    assert run(["odds", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [line.partition(":")[0] for line in lines] == [
        "attacker.regimnts",
        "attacker.regiments",
        "defender.modifier_all",
        "defender.regiments",
        "optons",
    ]
    with pytest.raises(ScenarioError) as refused:
        load(file)
    assert [str(refused.value), *refused.value.others] == lines


def test_at_most_ten_mistakes_are_named():
    with pytest.raises(ScenarioError) as refused:
        load(RISK | {f"field{n}": n for n in range(20)})
    assert len(refused.value.others) == 9


def test_a_misspelt_field_explains_the_missing_one():
    with pytest.raises(ScenarioError, match="did you mean regiments") as refused:
        load(RISK | {"attacker": {"regimnts": 3}})
    assert refused.value.others == ()


def test_mistakes_of_a_game_file_in_one_run(tmp_path, capsys):
    file = tmp_path / "game.toml"
    run(["games", "show", "skirmish"])
    text = capsys.readouterr().out
    file.write_text(text.replace("hits = 2", 'hits = "x"').replace("adds = -1", 'adds = "a"'))
    assert run(["games", "check", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [": unit.knights.hits: " in lines[0], ": modifier[0].adds: " in lines[1], len(lines)] == [True, True, 2]
    file.write_text(
        text.replace('terrain = "hill"', 'terrain = "hil"').replace('spares = ["leader', 'spares = ["leadr')
    )
    assert run(["games", "check", str(file)]) == 2
    lines = capsys.readouterr().err.splitlines()
    assert [": step[0].spares[0]: " in lines[0], ": modifier[0].if_condition.terrain: " in lines[1]] == [True, True]


def test_files_of_the_other_sort(tmp_path, capsys):
    game, scenario = tmp_path / "game.toml", tmp_path / "battle.toml"
    for file, command in ((game, ["games", "show", "skirmish"]), (scenario, ["examples", "show", "risk-20v15"])):
        run(command)
        file.write_text(capsys.readouterr().out)
    for command in (["odds", str(game)], ["games", "check", str(scenario)], ["schema", str(scenario)]):
        assert run(command) == 2
        answer = capsys.readouterr().err
        assert len(answer.splitlines()) == 1
        assert "is a game file, not a scenario" in answer or "is a scenario of risk, not a game file" in answer
    assert run(["list", str(game)]) == 0
    assert "knights" in capsys.readouterr().out
