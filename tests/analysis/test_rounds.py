"""The state after each round (docs/rules/decisions.md section 9)."""

import json
import re
from itertools import pairwise

import pytest

from simulator import ScenarioError, exact, load, rounds
from simulator.cli import run
from simulator.engine.sample.simulation import replay_steps

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
# With what precedes round 1, rounds counted when they begin, phases, a round track, several fleets.
BATTLES = [
    "risk-invasion",
    "knt-raid",
    "skirmish-hill",
    "twilight-space-cannon",
    "power-italian-war",
    "europa-vienna-1529",
    # A counter that holds something else; one that holds the rounds, which do not follow from the start.
    "axis-raid",
    "europa-yorktown-1781",
    "power-novgorod",
]


@pytest.mark.parametrize("name", ["risk-sea-battle", *BATTLES])
def test_the_last_row_is_the_battle_and_none_before_goes_back(name):
    found = rounds(name)
    assert found.battles is None
    odds = exact(found.scenario)
    over = [row["over"] for row in found.rows()]
    assert all(before <= after + 1e-12 for before, after in pairwise(over))
    for row in found.rows():
        assert row["over"] == pytest.approx(odds.p(f"rounds <= {row['round']}"), abs=1e-12)
        assert row["attacker"] + row["defender"] + row["nobody"] == pytest.approx(row["over"], abs=1e-12)
    last = found.after(len(over) - 1)
    for column in odds.summary_columns:
        if odds.kind_of(column) != "text":
            assert last.mean(column) == pytest.approx(odds.mean(column), abs=1e-4)
    assert last.winner("attacker") == pytest.approx(odds.winner("attacker"), abs=2e-6)


def test_two_rounds_by_hand():
    """4 against 3: all courses of two rounds, each with the chances of three and two dice, written out."""
    first = {(0, 2): 2890 / 7776, (1, 1): 2611 / 7776, (2, 0): 2275 / 7776}
    found = rounds(LAND, 1).after(1)
    for (own, enemy), p in first.items():
        assert found.p(f"attacker_regiments_lost == {own} and defender_regiments_lost == {enemy}") == pytest.approx(p)
    assert found.p("over") == 0
    assert found.winner("nobody") == pytest.approx(1)


def test_a_round_limit_is_another_battle():
    """Losses after two rounds are those of a battle called off then; the policies of the scenario stay as they are."""
    scenario = load("risk-path")
    found = rounds(scenario, 2).after(2)
    both = ["stop-below", "max-rounds"]
    called_off = exact(scenario.replace_all({"policy.attacker.retreat": both, "policy.attacker.max_rounds": 2}))
    for column in ("attacker_regiments_lost", "defender_regiments_lost", "territories_captured"):
        assert found.mean(column) == pytest.approx(called_off.mean(column), abs=1e-12)


@pytest.mark.parametrize("name", ["skirmish-hill", "europa-vienna-1683"])
def test_simulated_rounds_hold_the_exact_ones(name):
    """In Vienna a relief army comes between two rounds, and its losses are counted."""
    sure = rounds(name, 4)
    assert sure.battles is None
    for row, exactly in zip(rounds(name, 4, battles=1000, seed=5).rows(), sure.rows(), strict=True):
        half = (row["high_over"] - row["low_over"]) / 2
        assert abs(row["over"] - exactly["over"]) < 4.5 / 1.96 * half
        assert row["low_attacker"] - 1e-12 <= row["attacker"] <= row["high_attacker"]


def test_simulated_rounds_are_those_of_the_battles():
    chain = load(LAND).chain
    found = rounds(LAND, 2, battles=40, seed=3).after(2)
    lost = []
    for battle in range(40):
        states = [chain.start, *(after for _, _, after in replay_steps(chain, 3, battle))]
        lost.append(4 - states[min(2, len(states) - 1)].regiments)
    assert found.mean("attacker_regiments_lost") == pytest.approx(sum(lost) / 40)


@pytest.mark.parametrize("battles", [None, 2_000])
@pytest.mark.parametrize(("limit", "over"), [(100, [0, 0, 0, 1]), (2, [0, 0, 1, 1])])
def test_rounds_without_dice_are_rounds(limit, over, battles):
    rules = {
        "format": 1,
        "name": "Late",
        "unit": {"foot": {"attack": 6}},
        "battle": {"field": {}},
        "step": [{"name": "fire", "from_round": 3}],
    }
    sides = {"attacker": {"foot": 1}, "defender": {"foot": 1}, "options": {"rounds": limit}}
    found = rounds({"game": "custom", "battle": "field", "rules": rules} | sides, most=3, battles=battles)
    assert [row["over"] for row in found.rows()] == over
    assert [row["attacker"] for row in found.rows()] == [0, 0, 0, int(limit > 2)]
    assert [row["mean.rounds"] for row in found.rows()] == [0, 1, 2, min(limit, 3)]


def test_over_before_it_began():
    scenario = LAND | {"policy": {"attacker": {"retreat": "stop-below", "stop_below": 5}}}
    found = rounds(scenario, 2)
    assert [row["over"] for row in found.rows()] == [1.0, 1.0, 1.0]
    assert [row["nobody"] for row in found.rows()] == [1.0, 1.0, 1.0]


def test_refusals():
    with pytest.raises(ValueError, match=r"^most: -1 is not allowed; 0 or more"):
        rounds(LAND, -1)
    with pytest.raises(ValueError, match=r"^after: 3 is not allowed"):
        rounds(LAND, 2).after(3)
    with pytest.raises(ScenarioError, match=re.escape("battle: europa land is not fought in rounds; ")):
        rounds("europa-blenheim-1704")


def test_command(capsys, tmp_path):
    files = ["--csv", str(tmp_path / "r.csv"), "--plot", str(tmp_path / "r.svg")]
    assert run(["rounds", "risk-sea-battle", "--most", "3", *files]) == 0
    assert "exact" in capsys.readouterr().out
    assert (tmp_path / "r.csv").read_text().startswith("round,over,attacker,defender,nobody,mean.")
    assert (tmp_path / "r.svg").stat().st_size > 1000
    assert run(["rounds", "risk-sea-battle", "--after", "2"]) == 0
    assert "Over by then" in capsys.readouterr().out
    assert run(["rounds", "risk-sea-battle", "--most", "2", "--json", "--battles", "200"]) == 0
    assert len(json.loads(capsys.readouterr().out)["table"]) == 3
    assert run(["rounds", "risk-sea-battle", "--most", "-1"]) == 2
    assert capsys.readouterr().err.startswith("most: -1")


@pytest.mark.parametrize("after", [0, 2, 5, 30])
def test_the_first_line_is_about_the_round_that_was_asked_for(battle_odds, after):
    """It was about the round by which half of the battles are over, beside the tables of the one that was asked for."""
    line = battle_odds("rounds", "risk-20v15", "--after", after)[1].splitlines()[0]
    found = json.loads(battle_odds("rounds", "risk-20v15", "--after", after, "--json")[1])
    assert line == found["headline"]["text"] == rounds("risk-20v15", after).after(after).headline.text
    assert f" after {after} rounds" in line
