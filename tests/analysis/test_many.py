"""Many scenarios in one table: the numbers of single answers, whatever can be solved together."""

import numpy as np
import pandas as pd
import pytest

from simulator import Interrupted, ScenarioError, exact, odds_many, risk, simulate, sweep
from simulator.analysis.studies import grid

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 5}, "defender": {"regiments": 3}}
SKIRMISH = {"game": "skirmish", "battle": "field", "defender": {"pikes": 3, "archers": 1}}
COLUMNS = ["scenario", "game", "battle", "asked", "value", "low", "high", "method", "battles", "refused"]


def line_ups(count, seed=1):
    """Battles of a game file with units left out where there are none."""
    pick = np.random.default_rng(seed)
    for _ in range(count):
        units = {name: int(n) for name, n in zip(("pikes", "archers", "knights"), pick.integers(0, 4, 3), strict=True)}
        yield SKIRMISH | {"attacker": {name: n for name, n in units.items() if n} or {"pikes": 1}}


def test_each_row_is_the_answer_of_its_scenario(monkeypatch):
    real, solved = grid.solve_rows, []
    monkeypatch.setattr(grid, "solve_rows", lambda *given: solved.append(found := real(*given)) or found)
    asked = [*line_ups(40), *(risk.land(attacker=n, defender=d) for n in range(1, 7) for d in (1, 2, 5))]
    table = odds_many(asked)
    assert list(table.columns) == COLUMNS
    assert table.scenario.tolist() == list(range(len(asked)))
    assert set(table.method) == {"exact"}
    assert [one.shape[1] for one in solved if one is not None] == [40, 18]
    for place in (0, 7, 23, 39, 41, 57):
        assert table.value[place] == pytest.approx(exact(asked[place]).winner("attacker"), abs=1e-12)


def test_options_that_change_more_than_the_start_are_solved_apart():
    asked = [LAND | {"attacker": {"regiments": n}, "options": {"attack_dice": 2 + n % 2}} for n in range(1, 21)]
    table = odds_many(asked, ["p_attacker", "mean.rounds"])
    assert len(table) == 40
    expected = [exact(one) for one in asked[:4]]
    assert table.value[:8:2].tolist() == pytest.approx([one.winner("attacker") for one in expected])
    assert table.value[1:8:2].tolist() == pytest.approx([one.mean("rounds") for one in expected])


def test_mixed_games_names_refusals_and_mixtures():
    unknown = LAND | {"defender": {"regiments": {"from": 2, "to": 4}}}
    given = {"five": LAND, "none": LAND | {"attacker": {"regiments": 0}}, "unknown": unknown, "siege": "risk-landing"}
    table = odds_many(given).set_index("scenario")
    assert list(table.index) == list(given)
    assert table.refused["none"].startswith("attacker.regiments: 0 is not allowed")
    assert np.isnan(table.value["none"])
    assert table.value["unknown"] == pytest.approx(exact(unknown).winner("attacker"))
    assert table.value["five"] == pytest.approx(exact(LAND).winner("attacker"))


def test_an_interrupt_stops_the_battles_in_progress():
    """The second scenario would take some minutes."""

    def interrupted(done, total):
        raise KeyboardInterrupt

    refused = LAND | {"attacker": {"regiments": 0}}
    with pytest.raises(Interrupted) as cut:
        odds_many([refused, LAND], battles=10**11, threads=1, progress=interrupted)
    assert cut.value.gathered.scenario.tolist() == [0]


def test_simulated_with_the_same_seed_as_alone():
    table = odds_many([LAND] * 9, battles=1000, seed=3)
    assert set(table.method) == {"simulated"}
    assert set(table.battles) == {1000}
    assert set(table.value) == {simulate(LAND, 1000, 3).winner("attacker")}


def test_the_columns_are_those_of_a_sweep():
    swept = sweep(LAND, {"attacker.regiments": [3, 4]}).table
    assert list(swept.columns[1:]) == COLUMNS[3:]
    assert list(odds_many([]).columns) == COLUMNS


def test_a_data_frame_holds_a_battle_in_each_row():
    rows = {
        "game": ["risk", "skirmish"], "battle": ["land", "field"], "attacker.regiments": [5, None],
        "defender.regiments": [3, None], "attacker.pikes": [np.nan, 2], "defender.archers": [np.nan, 1],
    }  # fmt: skip
    table = odds_many(pd.DataFrame(rows, index=["first", "second"]))
    skirmish = SKIRMISH | {"attacker": {"pikes": 2}, "defender": {"archers": 1}}
    assert table.scenario.tolist() == ["first", "second"]
    assert table.value.tolist() == [exact(LAND).winner("attacker"), exact(skirmish).winner("attacker")]


def test_cells_of_a_data_frame_may_be_tables_and_lists():
    one = pd.DataFrame([LAND])
    assert odds_many(one).value.tolist() == [exact(LAND).winner("attacker")]


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        (pd.DataFrame([["risk"]], columns=[3]), "scenarios: column 3 must be a field"),
        (pd.DataFrame([["risk", "risk"]], columns=["game", "game"]), "scenarios: column 'game' must be a field, and"),
        (pd.DataFrame([LAND, LAND], index=[1, 1]), "scenarios: the index names several rows alike"),
        (pd.DataFrame([{"attacker regiments": 3}]), "attacker regiments: not a field"),
    ],
)
def test_data_frames_that_are_no_scenarios_are_refused(frame, complaint):
    with pytest.raises(ValueError, match=f"^{complaint}"):
        odds_many(frame)


def test_a_row_that_the_rules_refuse_says_why():
    table = odds_many(pd.DataFrame([LAND, LAND | {"attacker": {"regiments": 2.5}}]))
    assert table.refused.tolist()[0] in (None, "")
    assert "attacker.regiments" in table.refused.tolist()[1]


def test_numbers_are_numbers_where_everything_is_refused():
    for scenarios in ([LAND | {"attacker": {"regiments": 0}}], []):
        table = odds_many(scenarios)
        assert [str(table[column].dtype) for column in ("value", "low", "high")] == ["float64"] * 3
        assert table.value.isna().all()


def test_wrong_arguments_are_refused_in_one_sentence():
    with pytest.raises(ValueError, match=r"^battles: '9' is not allowed; give a whole number"):
        odds_many([LAND], battles="9")
    with pytest.raises(ScenarioError, match=r"^scenario: 5 is not allowed"):
        odds_many([5])
