import json

import pytest

from simulator import exact, simulate
from simulator.analysis import rounds as campaigns
from simulator.cli import run
from simulator.report.plots import plot_fallen
from tests.europa.scenarios import CAMPAIGNS, LAND

FIXED = CAMPAIGNS["fixed rounds"]


def test_the_curve_rises_to_the_chance_to_fall_at_all():
    odds = exact(FIXED)
    curve = campaigns.fallen_by_round(odds)
    assert list(curve["round"]) == [1, 2, 3]
    assert curve["p"].is_monotonic_increasing
    assert curve["p"].iloc[-1] == pytest.approx(odds.p("fallen"))
    one_round = exact(FIXED | {"conditions": {"rounds": 1, "supply_distance": 7}})
    assert curve["p"].iloc[0] == pytest.approx(one_round.p("fallen"))


def test_simulated_curves_have_bounds():
    curve, true = campaigns.fallen_by_round(simulate(FIXED, 100_000, 1)), campaigns.fallen_by_round(exact(FIXED))
    assert ((curve["low"] <= curve["p"]) & (curve["p"] <= curve["high"])).all()
    assert (abs(curve["p"] - true["p"]) < 0.01).all()


def test_all_plans_side_by_side(tmp_path):
    plans = campaigns.compare_plans(FIXED)
    assert len(plans.columns) == 4
    for plan in plans.columns:
        alone = exact(FIXED | {"policy": {"attacker": {"plan": plan, "pillage": "lose-detachment"}}})
        assert plans[plan].iloc[-1] == pytest.approx(alone.p("fallen"))
    plot_fallen(campaigns.plan_odds(FIXED), tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 1000


def test_other_kinds_have_no_rounds():
    with pytest.raises(ValueError, match="siege-campaign"):
        campaigns.compare_plans(LAND["smallest"])
    with pytest.raises(ValueError, match="rounds"):
        campaigns.fallen_by_round(exact(LAND["smallest"]))


def test_command(capsys, tmp_path):
    csv = tmp_path / "plans.csv"
    assert run(["campaign", "europa-yorktown-1781", "--all-plans", "--json", "--csv", str(csv)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert len(told["how"]) == 4
    assert csv.read_text().startswith("round,undermine-until-breach,")
    assert run(["campaign", "europa-yorktown-1781"]) == 0
    assert "%" in capsys.readouterr().out
    assert run(["campaign", "europa-blenheim-1704"]) == 2
    assert capsys.readouterr().err.startswith("battle: ")
