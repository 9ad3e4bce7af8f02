"""The value of a battle (docs/rules/decisions.md section 7)."""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, luck, simulate, worth
from simulator.analysis.odds.distribution import Distribution
from simulator.cli import run

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 6}, "defender": {"regiments": 5}}
ODDS = exact(LAND)
COINS = {"win": 15, "attacker_regiments_lost": -1}


@given(st.floats(0.001, 1), st.floats(-5, 5), st.floats(-5, 5))
@settings(max_examples=60, deadline=None)
def test_shortfall_is_at_most_the_quantile_and_the_mean(level, win, loss):
    found = worth(ODDS, {"win": win, "attacker_regiments_lost": loss}, level)
    assert found.shortfall <= found.quantile + 1e-9
    assert found.shortfall <= found.mean + 1e-9


@pytest.mark.parametrize("weight", [float("inf"), float("-inf"), float("nan"), 10**400, 1e308, -1e200, True, "1"])
def test_weights_that_no_worth_can_hold_are_refused(weight):
    for ask in (
        lambda: worth(ODDS, {"win": weight}),
        lambda: worth(LAND | {"objective": {"attacker": {"win": weight}}}),
        lambda: luck([{"scenario": LAND, "winner": "attacker"}], {"win": weight}),
    ):
        with pytest.raises(ValueError, match=r"^(weights|objective\.attacker)\.win: .{1,60} is not allowed; [^\n]*$"):
            ask()


def test_all_of_the_distribution_gives_the_mean():
    found = worth(ODDS, COINS, level=1)
    assert found.shortfall == pytest.approx(found.mean, abs=1e-12)


def test_shortfall_is_the_integral_of_the_quantile_function():
    spread = Distribution(np.array([-3.0, -1.0, 2.0]), np.array([0.1, 0.3, 0.6]))
    assert spread.shortfall(0.2) == pytest.approx((-3 * 0.1 - 1 * 0.1) / 0.2)
    steps = (np.arange(100_000) + 0.5) / 100_000
    for level in (0.05, 0.1, 0.35, 0.7):
        integral = np.mean([spread.quantile(level * u) for u in steps[::100]])
        assert spread.shortfall(level) == pytest.approx(integral, abs=5e-3)


def test_mean_and_chances_by_hand():
    found = worth(ODDS, COINS, lose=[5])
    table = ODDS.table
    x = 15.0 * (table["winner"] == "attacker") - table["attacker_regiments_lost"]
    assert found.mean == pytest.approx((x * table["p"]).sum())
    assert found.p_negative == pytest.approx(table["p"][x < 0].sum())
    assert found.p_lose[5] == pytest.approx(table["p"][x <= -5].sum())
    assert found.distribution["p"].sum() == pytest.approx(1)


def test_sides_mirror_each_other():
    attacker, defender = worth(ODDS, {"win": 1}), worth(ODDS, {"win": 1}, side="defender")
    assert attacker.mean + defender.mean == pytest.approx(1)
    assert worth(ODDS, {"take": 1}, side="defender").mean == pytest.approx(defender.mean)


def test_taking_is_the_games_own_column():
    odds = exact("axis-land-artillery")
    assert worth(odds, {"take": 1}).mean == pytest.approx(odds.p("taken"))
    assert worth(odds, {"take": 1}, side="defender").mean == pytest.approx(1 - odds.p("taken"))


def test_simulated_bounds():
    found = worth(simulate(LAND, 20_000, 3), COINS)
    sure = worth(ODDS, COINS)
    assert found.low < found.mean < found.high
    assert abs(found.mean - sure.mean) < 4.5 / 1.96 * (found.high - found.low) / 2
    assert found.p_negative_low < found.p_negative < found.p_negative_high
    assert sure.low == sure.mean == sure.high


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"weights": {"attacker_loses": -1}}, "weights.attacker_loses: no such column; did you mean "),
        ({"weights": None}, "weights: give some, like win=1, or an [objective.attacker]"),
        ({"weights": {"win": float("nan")}}, "weights.win: nan is not allowed"),
        ({"level": 0}, "level: 0 is not allowed; above 0 and at most 1"),
        ({"level": 1.5}, "level: 1.5 is not allowed"),
        ({"lose": [-3]}, "lose: -3 is not allowed; 0 or more"),
        ({"side": "both"}, "side: 'both' is not allowed"),
    ],
)
def test_refusals(changes, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}"):
        worth(LAND, **{"weights": {"win": 1}} | changes)


def test_command(capsys, tmp_path):
    asked = ["worth", "risk-20v15", "--weight", "win=15", "--weight", "attacker_regiments_lost=-1", "--lose", "5"]
    assert run([*asked, "--csv", str(tmp_path / "w.csv"), "--plot", str(tmp_path / "w.png")]) == 0
    out = capsys.readouterr().out
    assert "0.635641" in out
    assert "13.96 %" in out
    assert (tmp_path / "w.png").stat().st_size > 5000
    assert (tmp_path / "w.csv").read_text().startswith("value,p,at_least,at_most")
    assert run([*asked, "--json", "--battles", "1000", "--seed", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["battles"] == 1000
    assert run(["worth", "risk-20v15", "--weight", "win=1", "--level", "0"]) == 2
    assert capsys.readouterr().err.startswith("level: 0")
