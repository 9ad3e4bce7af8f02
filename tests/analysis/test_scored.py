"""One number of a battle that is too large for exact odds."""

import json

import pytest

from simulator import exact
from simulator.analysis import scored as scoring
from simulator.analysis.measure import measure
from simulator.analysis.scored import scored
from simulator.cli import run
from simulator.engine import cut, meeting
from simulator.engine.limits import NoExactOdds

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 12}, "defender": {"regiments": 10}}


@pytest.fixture
def nothing_is_small(monkeypatch):
    monkeypatch.setattr(scoring, "QUICK_BYTES", 0)
    monkeypatch.setattr(cut, "REGION_BYTES", 3000)


@pytest.mark.parametrize("value", ["p_attacker", "attacker_regiments_lost >= 5", "mean.attacker_regiments_lost"])
@pytest.mark.usefixtures("nothing_is_small")
def test_it_agrees_with_exact_odds_and_is_worth_more_battles(value):
    found, odds = scored(LAND, value, 20_000, 1), exact(LAND)
    half = (found.high - found.low) / 2
    assert abs(found.value - measure(odds, value).value) < 4.5 / 1.96 * half
    assert found.gain > 0.999
    assert 0 < found.entered <= 1
    assert found.states > 0
    assert 100 < found.effective <= 20_000


@pytest.mark.usefixtures("nothing_is_small")
@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("q90.attacker_regiments_lost", "cannot be scored; give a chance"),
        ("mean.rounds", "depends on a count of rounds"),
        ("rounds >= 900", "depends on a count of rounds"),
    ],
)
def test_values_that_cannot_be_scored_are_refused(value, why):
    with pytest.raises(ValueError, match=why):
        scored(LAND, value, 1000)


def test_what_exact_odds_answer_is_not_scored():
    with pytest.raises(ValueError, match="battle: this battle is small enough for exact odds"):
        scored("risk-20v15")


def test_a_battle_in_stages_is_not_scored():
    with pytest.raises(ValueError, match="cannot be scored; use simulate"):
        scored("power-campaign-naples")


@pytest.mark.usefixtures("nothing_is_small")
def test_a_battle_that_is_too_large_wherever_it_is_cut_is_refused(monkeypatch):
    monkeypatch.setattr(cut, "QUICK_BYTES", 0)
    monkeypatch.setattr(meeting, "FIRST_NODES", 520)
    with pytest.raises(NoExactOdds, match="fight fewer"):
        scored(LAND, "p_attacker", 1000)


@pytest.mark.usefixtures("nothing_is_small")
def test_on_the_command_line(tmp_path, capsys):
    file = tmp_path / "land.json"
    file.write_text(json.dumps(LAND))
    assert run(["odds", str(file), "--scored", "p_attacker", "--battles", "5000", "--seed", "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("chance that attacker wins: 0.")
    assert "Method: scored: 5,000 battles, seed 1" in out
    assert run(["odds", str(file), "--scored", "p_attacker", "--precision", "1%"]) == 2
    assert capsys.readouterr().err == "--scored: does not go with --precision\n"
