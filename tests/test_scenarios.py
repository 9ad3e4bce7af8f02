import json
import pickle

import pytest

from simulator import ScenarioError, best, compare, exact, load, luck, need, sensitivity, worth
from simulator.scenarios import example_names, set_path

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 3}, "defender": {"regiments": 2}}


def test_mappings_files_and_examples_load_alike(tmp_path):
    toml, other = tmp_path / "a.toml", tmp_path / "b.json"
    toml.write_text('game = "risk"\nbattle = "land"\nattacker.regiments = 3\ndefender.regiments = 2\n')
    other.write_text(json.dumps(LAND))
    assert load(LAND) == load(toml) == load(str(other))
    assert load("risk-20v15").fields.attacker.regiments == 20


def test_replace_changes_one_field_and_checks_it():
    scenario = load(LAND)
    changed = scenario.replace("attacker.regiments", 25)
    assert (changed.fields.attacker.regiments, scenario.fields.attacker.regiments) == (25, 3)
    assert scenario.replace("policy.attacker.retreat", "stop-when-outnumbered").fields.policy.attacker.retreat
    assert changed != scenario
    assert hash(load(LAND)) == hash(scenario)
    with pytest.raises(
        ScenarioError, match=r"^attacker.regiments: -1 is not allowed; give a whole number from 1 to 100000$"
    ):
        scenario.replace("attacker.regiments", -1)


def test_replace_all_checks_the_fields_together():
    scenario = load(LAND)
    changes = {"policy.attacker.retreat": "max-rounds", "policy.attacker.max_rounds": 2}
    assert scenario.replace_all(changes).fields.policy.attacker.max_rounds == 2


def test_list_places_are_set():
    data = {"conditions": {"crossings": [{"fleets": 1}, {"fleets": 2}]}}
    set_path(data, "conditions.crossings[1].fleets", 3)
    assert data["conditions"]["crossings"] == [{"fleets": 1}, {"fleets": 3}]


@pytest.mark.parametrize(
    "path", ["", "a..b", "a.[0]", "attacker.regiments.more", "attacker[0]", "conditions.crossings[3].fleets"]
)
def test_bad_paths_are_refused(path):
    with pytest.raises(ScenarioError):
        load(LAND).replace(path, 1)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({}, "game: is needed; must be one of risk"),
        ({"game": "rik"}, "did you mean risk?"),
        ({"game": "risk"}, "battle: is needed; must be one of land"),
        ({"game": "risk", "battle": "navel"}, "did you mean naval?"),
        (LAND | {"atacker": {}}, "atacker: unknown field; did you mean attacker? allowed here: "),
        (LAND | {"attacker": {"regiment": 3}}, "attacker.regiment: unknown field; did you mean regiments?"),
        (LAND | {"attacker": 3}, "attacker: 3 is not allowed; give a table"),
        (LAND | {"attacker": {"regiments": None}}, "attacker.regiments: None is not allowed; give a whole number"),
    ],
)
def test_complaints_name_the_field_and_what_is_allowed(data, text):
    with pytest.raises(ScenarioError) as refusal:
        load(data)
    assert text in str(refusal.value)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("text", ["game = ", "{", "[1, 2]", '{"game": "risk",}', "\x00"])
def test_files_that_cannot_be_read_are_refused(tmp_path, text):
    path = tmp_path / "bad.toml"
    path.write_text(text)
    with pytest.raises(ScenarioError):
        load(path)


def test_missing_files_suggest_an_example():
    with pytest.raises(ScenarioError, match="did you mean the example risk-20v15"):
        load("risk-20v14")
    with pytest.raises(ScenarioError, match="no file or example"):
        load("/nowhere/at/all.toml")


def test_a_folder_or_binary_is_no_scenario(tmp_path):
    with pytest.raises(ScenarioError):
        load(tmp_path)
    path = tmp_path / "x.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ScenarioError, match="cannot read"):
        load(path)


def test_the_examples_begin_with_what_they_are():
    from simulator.scenarios import example_text

    assert "risk-20v15" in example_names()
    for name in example_names():
        assert example_text(name).startswith("# "), name
        assert load(name).battle.title


def test_a_mapping_is_not_kept_by_reference():
    data = json.loads(json.dumps(LAND))
    scenario = load(data)
    scenario.replace("attacker.regiments", 9)
    assert data == LAND


@pytest.mark.parametrize("name", ["risk-20v15", "power-italian-war", "knt-raid", "europa-blenheim-1704"])
def test_a_scenario_goes_to_another_process_and_back(name):
    assert pickle.loads(pickle.dumps(load(name))) == load(name)


LONG = "x" * 5000


@pytest.mark.parametrize(
    "ask",
    [
        lambda: load(LAND | {LONG: 1}),
        lambda: load(LAND).replace(f"attacker.{LONG}", 1),
        lambda: load(LONG),
        lambda: best(LAND, [LONG]),
        lambda: exact(LAND).mean(LONG),
        lambda: exact(LAND).winner(LONG),
        lambda: worth(LAND, {LONG: 1}),
        lambda: worth(LAND, {"win": 1}, side=LONG),
        lambda: need(LAND, "attacker.regiments", cost={LONG: 1}),
        lambda: luck([{"scenario": LAND, "winner": "attacker", LONG: 1}]),
        lambda: luck(LONG),
        lambda: sensitivity(LAND, fields=[LONG]),
        lambda: compare([LAND, LAND], value=[LONG[:1500]]),
    ],
)
def test_long_unknown_names_are_shortened(ask):
    with pytest.raises(ValueError, match=r"x{10}[^ ]*\.\.\.") as refusal:
        ask()
    assert len(str(refusal.value)) < 500


def test_paths_of_files_are_not_shortened():
    path = "/".join(["folder-with-a-name"] * 20)
    with pytest.raises(ScenarioError, match=path):
        load(path)
