"""`best` where nothing is asked for: the table of default decisions (docs/rules/decisions.md section 2.3)."""

import json
import re

import pytest

from simulator import NoExactOdds, ScenarioError, best, exact, load
from simulator.analysis.decisions import default_play
from simulator.analysis.decisions.default_play import weights_of_measure
from simulator.cli import run
from simulator.rules.sides import SIDES
from simulator.scenarios import example_names
from simulator.scenarios.schema import choices
from tests.sentences import faults

LAND = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 5, "tank": 3, "fighter": 1},
    "defender": {"infantry": 6, "artillery": 1, "tank": 1},
}
SKIRMISH = {
    "game": "skirmish",
    "battle": "field",
    "attacker": {"pikes": 2, "knights": 2, "captain": 1},
    "defender": {"pikes": 4, "archers": 1},
}
# The kinds of the table, and what is decided there for each side: lists, then when to leave.
DECIDED = {
    ("risk", "land"): "retreat",
    ("risk", "amphibious"): "retreat",
    ("risk", "naval"): "retreat",
    ("risk", "blockade-run"): "retreat",
    ("risk", "invasion"): "losses retreat sea_retreat",
    ("price-of-power", "land"): "losses retreat",
    ("price-of-power", "naval"): "losses retreat",
    ("price-of-power", "campaign"): "landing army.losses fleet.losses army.retreat fleet.retreat",
    ("kings-and-things", "land"): "losses retreat",
    ("kings-and-things", "exploration"): "losses retreat",
    ("europa", "land"): "break_off",
    ("europa", "naval"): "leave_with_wind break_off",
    ("europa", "siege-campaign"): "plan",
    ("birthright", "tactical"): "retreat",
    ("birthright", "storm"): "retreat",
    ("birthright", "quick-battle"): "losses retreat",
    ("birthright", "siege"): "losses siege",
}
TOO_LONG = {"knt-into-the-unknown", "power-campaign-naples"}  # minutes of a busy machine; like their smaller siblings


def decisions(scenario, side):
    """The policies of the table that a kind decides for a side, without its name."""
    advice, fields = scenario.battle.advice, scenario.fields
    lists = [path for options in advice.lists(fields, side) for one in options for path in one]
    leaving = [path for path in advice.leaving(fields, side) if "best" in choices(scenario.battle, path)]
    paths = dict.fromkeys([*lists, *leaving])
    return " ".join(path.removeprefix(f"policy.{side}.") for path in paths)


@pytest.mark.parametrize("name", example_names())
def test_the_decisions_of_the_table(name):
    scenario = load(name)
    kind = scenario.battle.game, scenario.battle.kind
    if kind in DECIDED:
        assert decisions(scenario, "attacker") == DECIDED[kind]
    elif scenario.battle.rules is not None:
        assert set(decisions(scenario, "attacker").split()) <= {"loss_order", "keep", "retreat"}
    elif kind[0] != "campaign":
        assert scenario.battle.advice is None or not decisions(scenario, "attacker")


@pytest.mark.parametrize("name", [name for name in example_names() if name not in TOO_LONG])
@pytest.mark.parametrize("side", SIDES)
def test_every_example_has_an_advice_or_says_that_nothing_is_decided(name, side):
    scenario = load(name)
    if scenario.decided:
        return
    if scenario.battle.advice is None or not decisions(scenario, side):
        by = f" by the {side}" if side == "defender" and scenario.battle.advice else ""
        text = f"decide: nothing is decided{by} in {scenario.battle.game} {scenario.battle.kind}"
        with pytest.raises(ScenarioError, match=rf"^{re.escape(text)}$"):
            best(scenario, side=side)
        return
    found = best(scenario, side=side)
    line = found.headline
    assert faults(line) == []
    assert not re.search(r"already best|better\b(?! than)|Hold your nerve|\bi won\b", line), line
    assert found.tried <= 24
    assert found.kind == "best"
    if found.default is not None:
        assert found.value[side] >= found.default.before.value[side] - 1e-12
        assert bool(found.choice) <= (" instead of " in line or "a little more" in line)
        assert re.search(r"\b[Yy]ou\b|\b[Tt]he [a-z]+ (never |always )?[a-z]", line), line


def test_one_land_unit_is_kept_to_the_last(capsys):
    found = best(LAND)
    assert found.headline == (
        "Lose infantry, tanks, then the fighter, but keep one land unit to the last: "
        "you take the land in 71.40 % instead of 64.39 %. Never leave."
    )
    assert found.choice == {"policy.attacker.keep": {"land": 1}}
    assert found.tried == 6
    assert {one.policy for one in found.fixed} >= {"as the scenario says", "keep 1 land", "weakest, keep 1 land"}
    assert all(one.gain >= -1e-12 for one in found.fixed)
    again = load(LAND).replace("policy.attacker.keep.land", 1)
    assert exact(again).p("taken") == pytest.approx(found.odds.p("taken"), abs=1e-12)


def test_the_command_says_first_what_to_do_then_what_is_wanted(tmp_path, capsys):
    file = tmp_path / "land.json"
    file.write_text(json.dumps(LAND))
    assert run(["best", str(file)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == best(LAND).headline
    assert lines[1].startswith("attacker wants: holding the ground 1")
    assert "--set policy.attacker.keep.land=1" in lines
    assert run(["best", str(file), "--quiet"]) == 0
    assert capsys.readouterr().out == best(LAND).headline + "\n"
    assert run(["best", str(file), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["headline"] == best(LAND).headline


def test_the_defender_is_asked_with_side(tmp_path, capsys):
    file = tmp_path / "land.json"
    file.write_text(json.dumps(LAND))
    assert run(["best", str(file), "--side", "defender", "--quiet"]) == 0
    line = capsys.readouterr().out
    assert line.startswith("Lose infantry, the artillery, then the tank: you hold it in 35.61 %")
    with pytest.raises(ValueError, match=r"^side: 'me' is not allowed; must be one of attacker, defender"):
        best(LAND, side="me")


def test_units_are_kept_by_name_where_no_tag_means_them():
    found = best(SKIRMISH)
    lists = load(SKIRMISH).battle.advice.lists(load(SKIRMISH).fields, "attacker")
    kept = [one["policy.attacker.keep"] for one in lists[0] if "policy.attacker.keep" in one]
    assert kept
    assert all(one == {"pikes": 1, "knights": 1} for one in kept)
    assert found.value["attacker"] >= exact(SKIRMISH).p("taken") - 1e-12


def test_what_the_scenario_keeps_or_orders_comes_first():
    own = LAND | {"policy": {"attacker": {"keep": {"land": 1}, "loss_order": ["fighter", "infantry", "tank"]}}}
    advice = load(own).battle.advice
    (options,) = advice.lists(load(own).fields, "attacker")
    assert options[0] == {}
    assert all("policy.attacker.keep" not in one for one in options)
    found = best(own)
    assert found.value["attacker"] >= exact(own).p("taken") - 1e-12


@pytest.mark.parametrize(
    ("weights", "words", "decided"),
    [
        (None, "Never stop: you take the territory in ", False),
        ({"win": 2}, "Never stop: it is worth ", False),
        ({"win": 1, "attacker_regiments_lost": -0.1}, "Stop ", True),
    ],
)
def test_leaving_is_decided_only_where_it_may_bring_something(weights, words, decided):
    scenario = {"game": "risk", "battle": "land", "attacker": {"regiments": 6}, "defender": {"regiments": 6}}
    found = best(scenario | ({"objective": {"attacker": weights}} if weights else {}))
    assert found.headline.startswith(words)
    assert bool(found.rows()) == decided
    assert bool(found.scenario.decided) == decided


def test_a_retreat_that_the_scenario_sets_is_left_as_it_is():
    found = best("risk-path")
    assert found.headline == "Stop as the scenario says: you take all 3 territories in 92.31 %."
    assert found.odds.p("winner == 'attacker'") == pytest.approx(exact("risk-path").winner("attacker"), abs=1e-12)


def test_too_many_positions_are_not_decided(monkeypatch, capsys):
    monkeypatch.setattr(default_play, "MOST_TRANSITIONS", 10)
    scenario = {"game": "risk", "battle": "land", "attacker": {"regiments": 7}, "defender": {"regiments": 6}}
    found = best(scenario | {"objective": {"attacker": {"win": 1, "attacker_regiments_lost": -0.1}}})
    assert not found.scenario.decided
    text = "when to stop was not decided: too many positions; --decide policy.attacker.retreat"
    assert text in found.advice()
    assert found.to_dict()["undecided"] == ["policy.attacker.retreat"]


def test_short_names_stand_for_the_path_of_the_side():
    scenario = {
        "game": "price-of-power",
        "battle": "land",
        "attacker": {"infantry": 3, "cavalry": 1},
        "defender": {"infantry": 2, "cavalry": 2},
    }
    for side in SIDES:
        short = best(scenario, ["losses=named"], side=side)
        assert short.value == best(scenario, [f"policy.{side}.losses=named"]).value
        assert set(short.choice) == {f"policy.{side}.losses"}
    assert best(LAND, ["loss_order"]).scenario.decided == ("policy.attacker.loss_order",)
    with pytest.raises(ScenarioError, match=r"^decide: losses is no policy of price-of-power campaign; policies: "):
        best("power-march-milan", ["losses"])


def test_the_aim_is_the_headline_of_the_side():
    assert weights_of_measure(load(LAND).battle, "defender") == {"take": 1.0}
    assert weights_of_measure(load("risk-20v15").battle, "attacker") == {"win": 1.0}
    assert weights_of_measure(load("europa-vienna-1529").battle, "defender") == {"fallen": -1.0}
    assert weights_of_measure(load("power-march-milan").battle, "attacker") == {"all_taken": 1.0}


def test_a_battle_too_large_is_refused_as_by_exact():
    large = {"game": "risk", "battle": "land", "attacker": {"regiments": 50_000}, "defender": {"regiments": 50_000}}
    with pytest.raises(NoExactOdds):
        best(large)


def test_a_battle_that_odds_simulates_has_the_winners_alone():
    found = best("knt-into-the-unknown")
    assert list(found.odds.columns) == ["winner"]
    assert found.odds.method == "exact"
    assert found.value["attacker"] == pytest.approx(found.odds.winner("attacker"), abs=1e-12)
    assert len(found.named) == 3
