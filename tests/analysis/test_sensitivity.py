"""Sensitivity and Sobol indices (docs/rules/decisions.md section 4)."""

import dataclasses
import json

import numpy as np
import pytest

from simulator import exact, load, sensitivity, sobol, sweep
from simulator.analysis.odds.measure import measure
from simulator.analysis.studies.paired import fought
from simulator.analysis.studies.sensitivity import steps_of
from simulator.cli import run

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
PATH = LAND | {"defender": {"regiments": [3, 2]}}


def test_every_change_is_the_odds_of_that_scenario():
    found = sensitivity(LAND)
    assert found.base == pytest.approx(exact(LAND).winner("attacker"))
    for row in found.rows():
        chance = exact(load(LAND).replace(row["path"], row["to"])).winner("attacker")
        assert row["value"] == pytest.approx(chance, abs=1e-12)
        assert row["change"] == pytest.approx(chance - found.base, abs=1e-12)
    largest = [max(abs(step.change.value) for step in steps) for _, steps in found.fields()]
    assert largest == sorted(largest, reverse=True)
    assert "options.resort" in found.without_effect()
    assert found.table.columns.tolist() == ["path", "setting", "to", "value", "change", "low", "high", "method"]
    assert found.skipped.columns.tolist() == ["path", "to", "reason"]


def test_an_incomplete_answer_names_the_largest_of_the_changes_tried_only():
    found = sensitivity(LAND)
    first = found.headline.split(" matters most")[0]
    assert not first.startswith("Of the changes tried")
    assert dataclasses.replace(found, complete=False).headline.startswith("Of the changes tried, ")
    nothing = dataclasses.replace(found, steps=(), refusals=(), complete=False)
    assert nothing.headline.startswith("No change was tried in time: ")
    assert dataclasses.replace(nothing, complete=True).headline.startswith("No change is allowed: ")


def test_lists_are_stepped_item_by_item():
    tried = list(steps_of(load(PATH)))
    assert ("defender.regiments[1]", 2, 3) in tried
    assert ("options.resort", False, True) in tried
    assert [to for path, _, to in tried if path == "options.ties"] == ["attacker", "both", "nobody"]
    assert not any(path.startswith(("policy", "attacker.dice")) for path, _, _ in tried)


def test_policies_on_request():
    found = sensitivity(LAND, fields=["policy"])
    assert {step.to for step in found.steps} == {"stop-when-outnumbered"}
    assert {one.to for one in found.refusals} >= {"stop-below", "max-rounds"}
    assert {step.path for step in sensitivity(LAND, fields="attacker.regiments").steps} == {"attacker.regiments"}


@pytest.mark.parametrize("name", ["knt-raid", "birthright-border-clash", "skirmish-hill", "power-italian-war"])
def test_every_game_has_fields_to_step(name):
    tried = list(steps_of(load(name)))
    assert len({path for path, _, _ in tried}) >= 3
    assert not any("creatures[" in path or to == "best" for path, _, to in tried)


def test_simulated_changes_are_paired():
    found = sensitivity(LAND, fields="attacker.regiments", battles=4000, seed=3)
    sure = sensitivity(LAND, fields="attacker.regiments")
    exactly = {row["to"]: row["change"] for row in sure.rows()}
    for row in found.rows():
        assert row["method"] == "simulated"
        assert abs(row["change"] - exactly[row["to"]]) < 4.5 / 1.96 * (row["high"] - row["low"]) / 2


def test_indices_by_brute_force():
    vary = {"attacker.regiments": [3, 4, 5], "defender.regiments": [2, 4], "options.defence_dice": [1, 2, 3]}
    found = sobol(LAND, vary)
    y = np.array(
        [
            [
                [
                    exact(
                        load(LAND).replace_all(
                            {"attacker.regiments": a, "defender.regiments": d, "options.defence_dice": n}
                        )
                    ).winner("attacker")
                    for n in vary["options.defence_dice"]
                ]
                for d in vary["defender.regiments"]
            ]
            for a in vary["attacker.regiments"]
        ]
    )
    for axis in range(3):
        means = [np.take(y, i, axis).mean() for i in range(y.shape[axis])]
        first = sum((m - y.mean()) ** 2 for m in means) / len(means) / y.var()
        inside = np.mean([np.var(line) for line in np.moveaxis(y, axis, -1).reshape(-1, y.shape[axis])])
        assert found["first"][axis] == pytest.approx(first, abs=1e-12)
        assert found["total"][axis] == pytest.approx(inside / y.var(), abs=1e-12)
    assert (found["first"] <= found["total"] + 1e-12).all()
    assert found["first"].sum() <= 1 + 1e-12
    assert sweep(LAND, vary).sobol().equals(found)


def test_nothing_varies():
    found = sobol(LAND, {"options.resort": [False, True]})
    assert found.to_dict("records") == [{"path": "options.resort", "first": 0.0, "total": 0.0}]


def test_refusals():
    with pytest.raises(
        ValueError, match=r"^fields: attacker\.regimens is no field of risk land; did you mean attacker"
    ):
        sensitivity(LAND, fields=["attacker.regimens"])
    with pytest.raises(ValueError, match=r"^vary: every combination must be allowed; attacker\.regiments = 0 is not"):
        sobol(LAND, {"attacker.regiments": [0, 1]})
    with pytest.raises(ValueError, match=r"^vary: nothing to vary"):
        sobol(LAND, {})


def test_command(capsys, tmp_path):
    files = ["--csv", str(tmp_path / "t.csv"), "--plot", str(tmp_path / "t.svg")]
    assert run(["sensitivity", "risk-20v15", "--set", "attacker.regiments=5", "--all", *files]) == 0
    out = capsys.readouterr().out
    assert "Without any effect: options.commander_die_sides" in out
    assert (tmp_path / "t.csv").read_text().startswith("path,setting,to,value")
    assert (tmp_path / "t.svg").stat().st_size > 1000
    grid = ["--vary", "attacker.regiments=4:6", "--vary", "options.defence_dice=2,3", "--json"]
    assert run(["sensitivity", "risk-20v15", *grid]) == 0
    assert [row["path"] for row in json.loads(capsys.readouterr().out)["table"]] == [
        "attacker.regiments",
        "options.defence_dice",
    ]
    assert run(["sensitivity", "risk-20v15", "--fields", "attackr"]) == 2
    assert capsys.readouterr().err.startswith("fields: attackr is no field of risk land; did you mean attacker?")


def test_simulated_changes_are_the_battles_of_each_scenario_alone():
    """Also those of a change without effect, which are not fought again."""
    found = sensitivity(LAND, fields=["attacker.regiments", "options.resort"], battles=400, seed=3)
    assert found.without_effect() == ["options.resort"]
    for step in found.steps:
        alone = fought(load(LAND).replace(step.path, step.to), 400, 3)
        assert step.value == measure(alone.odds, found.value).value
