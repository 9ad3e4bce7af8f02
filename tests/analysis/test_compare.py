"""Comparisons (docs/rules/decisions.md section 3)."""

import json
import math

import numpy as np
import pytest

from simulator import compare, exact, load, risk, simulate
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import DEFAULT_PRECISION, FIRST_BATTLES
from simulator.analysis.studies.compare import ComparedValue, names_of
from simulator.analysis.studies.paired import Difference, PairedAnswer, battles_for, difference, fought
from simulator.cli import run
from simulator.engine.sample.per_battle import each_outcome, walk_by_rules, walk_plainly
from simulator.scenarios import draft
from tests.toys import urn

TEN = {"game": "risk", "battle": "land", "attacker": {"regiments": 10}, "defender": {"regiments": 10}}
THREE = TEN | {"options": {"defence_dice": 3}}
PAIRED = "power-italian-war"


def test_a_scenario_beside_itself_is_the_same():
    for battles in (None, 2000):
        found = compare([TEN, TEN], battles=battles)
        assert [row["difference"] for row in found.rows()] == [0.0] * len(found.rows())
        assert [row["distance"] for row in found.distances()] == [0.0] * len(found.distances())
        chances = [row for row in found.rows() if row["value"].startswith(("p_", "mean."))]
        assert all(row["confidence"] == 0.5 for row in chances)


@pytest.mark.parametrize("name", ["risk-20v15", PAIRED])
def test_every_battle_is_the_one_that_simulate_counts(name):
    scenario = load(name)
    found = fought(scenario, 3000, 7)
    answer = simulate(scenario, 3000, 7)
    assert found.odds.counts.tolist() == answer.counts.tolist()
    assert np.bincount(found.which).tolist() == answer.counts.tolist()


def test_the_graph_and_the_rules_tell_the_same_battles():
    chain = urn(8)
    ends, which = each_outcome(chain, 3, 2000)
    others, rows = walk_by_rules(chain, 3, 2000)
    assert all((one[which] == two[rows]).all() for one, two in zip(ends.states, others.states, strict=True))
    few, at = walk_plainly(chain, 3, np.array([0, 7, 1999]))
    assert all((one[which][[0, 7, 1999]] == two[at]).all() for one, two in zip(ends.states, few.states, strict=True))
    later, places = each_outcome(chain, 3, 500, first=1500)
    assert all((one[which][1500:] == two[places]).all() for one, two in zip(ends.states, later.states, strict=True))


def test_simulated_differences_hold_the_exact_one():
    sure = {(row["value"], row["scenario"]): row for row in compare([TEN, THREE]).rows()}
    missed = 0
    for seed in range(8):
        for row in compare([TEN, THREE], ["p_attacker", "mean.rounds"], battles=4000, seed=seed).rows():
            wanted = sure[row["value"], row["scenario"]]["difference"]
            half = (row["high"] - row["low"]) / 2
            assert abs(row["difference"] - wanted) <= 4.5 / 1.96 * half + 1e-12
            missed += not row["low"] <= wanted <= row["high"]
    assert missed <= 5


def test_common_dice_help():
    one, other = fought(load(TEN), 20_000, 1), fought(load(THREE), 20_000, 1)
    assert difference("mean.attacker_regiments_lost", one, other).gain > 1.2
    assert "less variance" in compare([TEN, THREE], battles=2000).how()


def test_the_formulas_by_hand():
    """Agresti and Min's interval and the sign test, written out for a small table."""
    one, other = fought(load(TEN), 500, 2), fought(load(THREE), 500, 2)
    a, b = one.each("p_attacker"), other.each("p_attacker")
    more, less, n = int(((a == 1) & (b == 0)).sum()), int(((a == 0) & (b == 1)).sum()), 500
    found = difference("p_attacker", one, other)
    assert found.value == pytest.approx((more - less) / n)
    centre = (more - less) / (n + 2)
    half = 1.959964 * math.sqrt(more + less + 1 - (more - less) ** 2 / (n + 2)) / (n + 2)
    assert (found.low, found.high) == pytest.approx((centre - half, centre + half), abs=1e-7)
    tries = more + less
    tail = sum(math.comb(tries, k) for k in range(more + 1, tries + 1)) + math.comb(tries, more) / 2
    assert found.confidence == pytest.approx(1 - tail / 2**tries)


def test_a_composed_battle_is_paired_with_any_other():
    found = compare(["campaign-two-fronts", TEN], "p_attacker", battles=3000)
    wanted = [exact("campaign-two-fronts").winner("attacker"), exact(TEN).winner("attacker")]
    assert [row["estimate"] for row in found.rows()] == pytest.approx(wanted, abs=0.05)


UNKNOWN = TEN | {"defender": {"regiments": {"mix": {"8": 0.3, "10": 0.5, "13": 0.2}}}}


def test_mixtures_are_paired_too():
    same = compare([UNKNOWN, UNKNOWN], ["p_attacker", "mean.rounds"], battles=3000)
    assert [row["difference"] for row in same.rows()] == [0.0] * 4
    three = UNKNOWN | {"options": {"defence_dice": 3}}
    sure = compare({"two": UNKNOWN, "three": three, "plain": TEN}, ["p_attacker", "mean.rounds"])
    assert {row["method"] for row in sure.rows()} == {"exact"}
    answer = compare(
        {"two": UNKNOWN, "three": three, "plain": TEN}, ["p_attacker", "mean.rounds"], battles=6000, seed=3
    )
    assert {row["method"] for row in answer.rows()} == {"simulated"}
    for wanted, row in zip(sure.rows(), answer.rows(), strict=True):
        assert row["difference"] == pytest.approx(wanted["difference"], abs=(row["high"] - row["low"]) * 4.5 / 3.92)
    assert "defender.regiments is drawn" in answer.odds["two"].assumptions[0]
    fewer = fought(draft(UNKNOWN), 6000, 3)
    alone = np.concatenate([np.full(1800, 8), np.full(3000, 10), np.full(1200, 13)])
    lost = fewer.each("mean.defender_regiments_lost")
    assert np.all(lost <= alone)
    assert lost[:1800].max() == 8
    assert lost[-1200:].max() == 13
    with pytest.raises(ValueError, match=r"^battles: 2 is not allowed; the mixture has 3 combinations"):
        compare([UNKNOWN, TEN], battles=2)


def test_distance_by_hand():
    found = compare({"two": TEN, "three": THREE})
    p, q = (exact(one).distribution("rounds").set_index("value")["p"] for one in (TEN, THREE))
    wanted = p.subtract(q, fill_value=0).abs().sum() / 2
    row = next(row for row in found.distances() if row["column"] == "rounds" and row["scenario"] == "three")
    assert row["distance"] == pytest.approx(wanted, abs=1e-12)
    assert found.distance.columns.tolist() == ["column", "scenario", "distance"]


def test_names():
    assert names_of(["risk-20v15", TEN, "a/risk-20v15.toml"]) == ["risk-20v15", "B", "risk-20v15 2"]
    assert names_of(["x 2.toml", "x.toml", "y/x.toml"]) == ["x 2", "x", "x 3"]


def test_refusals():
    with pytest.raises(ValueError, match=r"^scenarios: give two or more"):
        compare([TEN] * 11)
    with pytest.raises(ValueError, match=r"^value: mean\.fleets: no such column in A"):
        compare([TEN, TEN], "mean.fleets")


def test_command(capsys, tmp_path):
    files = ["--csv", str(tmp_path / "c.csv"), "--plot", str(tmp_path / "c.svg")]
    assert run(["compare", "risk-20v15", "risk-20v15", "--set", "2:options.defence_dice=3", *files]) == 0
    assert "31.42 % in risk-20v15 2, 54.62 points less" in capsys.readouterr().out
    assert (tmp_path / "c.csv").read_text().startswith("value,scenario,estimate,difference,low,high,confidence,method")
    assert (tmp_path / "c.svg").stat().st_size > 1000
    assert run(["compare", "risk-20v15", "risk-path", "--battles", "1000", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reference"] == "risk-20v15"
    assert run(["compare", "risk-20v15"]) == 2
    assert capsys.readouterr().err.startswith("scenarios: give two or more")
    assert run(["compare", "risk-20v15", "risk-path", "--set", "3:attacker.regiments=2"]) == 2


def test_battles_that_are_simulated_are_as_sure_as_those_of_odds():
    even, sure = (load(risk.land(attacker=own, defender=enemy)) for own, enemy in ((20, 15), (12, 1)))
    assert battles_for(sure, Method()) == FIRST_BATTLES
    half = difference("p_attacker", fought(even, battles_for(even, Method()), 0), PairedAnswer(exact(even)))
    assert (half.high - half.low) / 2 == pytest.approx(DEFAULT_PRECISION, rel=0.05)


def test_the_headlines_of_different_kinds_are_compared():
    """`--value headline` was refused where kinds ask different questions: "query 'taken' cannot be read"."""
    names = ["axis-land-eastern-front", "europa-vienna-1529"]
    chances = [exact(name).p(one) for name, one in zip(names, ("taken", "fallen"), strict=True)]
    found = compare(names, "headline")
    assert [row["estimate"] for row in found.rows()] == pytest.approx(chances)
    assert found.rows()[1]["difference"] == pytest.approx(chances[1] - chances[0])
    first, second = (f"{100 * p:.2f} %" for p in chances)
    assert found.headline.startswith(f"In {names[0]} the attacker takes the land in {first}; in {names[1]} the ")
    assert f"fortress falls in {second}" in found.headline
    defending = compare(names, "headline.defender")
    assert [row["estimate"] for row in defending.rows()] == pytest.approx([1 - p for p in chances])
    simulated = compare(names, "headline", battles=2000)
    row = simulated.rows()[1]
    assert row["low"] < chances[1] - chances[0] < row["high"]
    with pytest.raises(ValueError, match="value: headline of axis-raid is no chance"):
        compare([*names, "axis-raid"], "headline")


def test_campaigns_of_two_games_are_two_games():
    found = compare(["campaign-two-fronts", "campaign-counter-attack"])
    assert found.headline.endswith(" (2 games: only the chances are compared).")
    assert "games" not in compare(["campaign-two-fronts", "risk-20v15"], "p_attacker").headline


def test_a_chance_that_rounding_has_put_above_1_is_noticed_as_1():
    """The number of battles that show the difference ended with StopIteration."""
    more = Difference(0.5, 0.5, 0.5, 1.0)
    row = ComparedValue("p_attacker", "sure", 1.0000000000000002, more, "exact")
    assert row.noticed_after == ComparedValue("p_attacker", "sure", 1.0, more, "exact").noticed_after
