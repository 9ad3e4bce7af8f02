"""Fields that are not known (docs/rules/decisions.md section 6)."""

import json
import re

import numpy as np
import pytest

from simulator import ScenarioError, compare, exact, load, luck, mix, need, odds, sweep, worth
from simulator.analysis.odds.mix import allotted
from simulator.cli import run


def land(attacker=4, defender=3, **more):
    sides = {"attacker": {"regiments": attacker}, "defender": {"regiments": defender}}
    return {"game": "risk", "battle": "land", **sides, **more}


UNSURE = land(defender={"mix": {"2": 0.25, "3": 0.5, "5": 0.25}})


def test_one_value_is_that_value():
    found, plain = mix(land(defender={"mix": {"3": 1}})).odds, exact(land())
    assert found.winner("attacker") == plain.winner("attacker")
    assert found.mean("rounds") == pytest.approx(plain.mean("rounds"))
    assert found.interval("attacker_regiments_lost") == pytest.approx((plain.mean("attacker_regiments_lost"),) * 2)


def test_the_weighted_sum():
    found = odds(UNSURE)
    wanted = sum(p * exact(land(defender=n)).winner("attacker") for n, p in ((2, 0.25), (3, 0.5), (5, 0.25)))
    assert found.winner("attacker") == pytest.approx(wanted, abs=1e-12)
    assert found.chances.sum() == pytest.approx(1)
    assert "defender.regiments is drawn: 2 (25 %), 3 (50 %), 5 (25 %)" in found.assumptions


def test_several_fields_are_independent():
    resort = {
        "options": {"resort": {"mix": {"true": 0.5, "false": 0.5}}, "ties": {"mix": {"both": 0.5, "defender": 0.5}}}
    }
    found = mix(land(attacker={"from": 3, "to": 5}, **resort))
    assert len(found.parts) == 12
    assert sum(found.weights) == pytest.approx(1)
    assert found.paths == ("attacker.regiments", "options.resort", "options.ties")


def test_all_tools_take_them():
    chance = mix(UNSURE).odds.winner("attacker")
    assert worth(UNSURE, {"win": 1}).mean == pytest.approx(chance)
    assert luck([{"scenario": UNSURE, "winner": "attacker"}]).expected == pytest.approx(chance)
    assert sweep(UNSURE, {"attacker.regiments": [4, 5]}).cells[0].value == pytest.approx(chance)
    assert need(UNSURE, "attacker.regiments", chance).setting == 4
    assert compare([UNSURE, land()], "p_attacker").rows()[0]["estimate"] == pytest.approx(chance)


def test_strata_hold_the_exact_answer():
    sure, found = mix(UNSURE).odds, mix(UNSURE, 20_000, 3, method="simulate").odds
    for side in ("attacker", "defender"):
        low, high = found.winner_interval(side)
        assert low < found.winner(side) < high
        assert abs(found.winner(side) - sure.winner(side)) < 4.5 / 1.96 * (high - low) / 2
    low, high = found.interval("attacker_regiments_lost")
    assert (
        abs(found.mean("attacker_regiments_lost") - sure.mean("attacker_regiments_lost"))
        < 4.5 / 1.96 * (high - low) / 2
    )
    assert "3 simulated with 20,000 battles in all" in found.how()


def test_battles_by_largest_remainders():
    assert allotted(np.array([0.5, 0.3, 0.2]), 10_001) == [5001, 3000, 2000]
    assert allotted(np.array([0.999, 0.001]), 10_000) == [9990, 1000]


def test_knowing_is_never_worth_less_than_nothing():
    found = mix(land(attacker={"from": 2, "to": 6}, defender={"from": 1, "to": 5}))
    for price in (-0.4, -0.2, -0.05, 0.0):
        rows = found.information_rows({"win": 1, "attacker_regiments_lost": price}, 0.1)
        assert all(0 <= row["worth"] <= rows[0]["worth"] + 1e-12 for row in rows)
    assert found.information({"win": 1})["worth"].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("scenario", "text"),
    [
        (
            land(defender={"mix": {"8": 0.25, "10": 0.5}}),
            "defender.regiments: chances add up to 0.75; they must add up to 1",
        ),
        (land(defender={"from": 9, "to": 8}), "defender.regiments: from 9 to 8 is not allowed; a range goes up"),
        (land(defender={"from": 0, "to": 2}), "defender.regiments: 0 is not allowed"),
        (
            land(policy={"attacker": {"retreat": {"mix": {"to-the-end": 0.5, "stop-when-outnumbered": 0.5}}}}),
            "policy.attacker.retreat: a decision is not drawn; name a policy",
        ),
        (
            land({"from": 1, "to": 300}, {"from": 1, "to": 300}),
            "attacker.regiments: 90,000 combinations; at most 10,000",
        ),
    ],
)
def test_refusals(scenario, text):
    with pytest.raises(ScenarioError, match=f"^{re.escape(text)}"):
        mix(scenario)


def test_one_value_where_one_is_needed():
    with pytest.raises(
        ScenarioError, match=r"^defender\.regiments: a distribution is not allowed here; give one value"
    ):
        load(UNSURE)


def test_command(capsys, tmp_path):
    files = ["--csv", str(tmp_path / "m.csv"), "--plot", str(tmp_path / "m.svg")]
    asked = ["odds", "risk-20v15", "--set", "defender.regiments={mix = {8 = 0.25, 10 = 0.5, 12 = 0.25}}"]
    asked += ["--set", "attacker.regiments=10"]
    assert run([*asked, "--weight", "win=1", "--weight", "attacker_regiments_lost=-0.08", *files]) == 0
    out = capsys.readouterr().out
    assert "knowing defender.regiments before deciding is worth 0.0579" in out
    assert "56.92 %" in out
    assert (
        (tmp_path / "m.csv").read_text().startswith("defender.regiments,weight,p_attacker,p_defender,p_nobody,method")
    )
    assert (tmp_path / "m.svg").stat().st_size > 1000
    assert run([*asked, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["mixture"]) == 3
    assert run(["replay", "risk-20v15", "--set", "defender.regiments={from = 8, to = 9}"]) == 2
    assert capsys.readouterr().err.startswith("defender.regiments: a distribution is not allowed here")
