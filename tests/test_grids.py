import numpy as np
import pytest

from simulator import ScenarioError, exact, load, simulate, sweep
from simulator.analysis.decisions.need import enough
from simulator.analysis.odds.measure import measure
from simulator.analysis.odds.run import Interrupted

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}


def test_every_cell_is_the_answer_of_its_scenario():
    swept = sweep(LAND, {"attacker.regiments": range(1, 5), "defender.regiments": [2, 3, 5]})
    assert swept.grid().shape == (4, 3)
    for row in swept.table.itertuples(index=False):
        scenario = load(LAND).replace("attacker.regiments", row[0]).replace("defender.regiments", row[1])
        assert row.value == pytest.approx(exact(scenario).winner("attacker"), abs=1e-12)
        assert row.method == "exact"
    assert swept.how() == "12 cells, all exact"


def test_simulated_cells_share_their_random_numbers_and_do_not_depend_on_threads():
    first = sweep(LAND, {"attacker.regiments": [4, 5, 6]}, battles=5000, seed=8, threads=1)
    second = sweep(LAND, {"attacker.regiments": [4, 5, 6]}, battles=5000, seed=8, threads=3)
    assert first.rows() == second.rows()
    assert first.cells[0].value == simulate(LAND, 5000, seed=8).winner("attacker")
    assert all(cell.low < cell.value < cell.high for cell in first.cells)
    assert "3 simulated with 5,000 battles each, seed 8" in first.how()


def test_common_random_numbers_make_differences_steadier():
    def spread(seeds_alike):
        differences = []
        for seed in range(60):
            a = simulate(load(LAND).replace("attacker.regiments", 12).replace("defender.regiments", 11), 400, seed)
            other = seed if seeds_alike else seed + 1000
            b = simulate(load(LAND).replace("attacker.regiments", 12).replace("defender.regiments", 10), 400, other)
            differences.append(b.winner("attacker") - a.winner("attacker"))
        return np.std(differences)

    assert spread(True) < 0.8 * spread(False)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("p_defender", lambda odds: odds.winner("defender")),
        ("mean.attacker_regiments_lost", lambda odds: odds.mean("attacker_regiments_lost")),
        ("std.rounds", lambda odds: odds.std("rounds")),
        ("q90.rounds", lambda odds: odds.quantile("rounds", 0.9)),
        ("attacker_regiments_lost >= 2", lambda odds: odds.p("attacker_regiments_lost >= 2")),
    ],
)
def test_values_that_can_be_asked(value, expected):
    odds = exact(LAND)
    assert measure(odds, value)[0] == expected(odds)
    assert sweep(LAND, {"attacker.regiments": [4]}, value).cells[0].value == expected(odds)


def test_refusals_name_the_field():
    with pytest.raises(ScenarioError, match=r"^attacker.regiments: 0 is not allowed"):
        sweep(LAND, {"attacker.regiments": [0, -1]})
    with pytest.raises(ValueError, match=r"^value: query"):
        sweep(LAND, {"attacker.regiments": [1]}, "no_such_column > 3")
    with pytest.raises(ValueError, match="nothing to vary"):
        sweep(LAND, {})
    with pytest.raises(ValueError, match="nothing to vary"):
        sweep(LAND, {"attacker.regiments": []})


def test_text_settings_can_be_varied():
    swept = sweep(LAND, {"options.ties": ["defender", "attacker", "both"]})
    assert [row["options.ties"] for row in swept.rows()] == ["defender", "attacker", "both"]
    assert swept.cells[1].value > swept.cells[0].value


def test_a_cell_that_the_rules_refuse_is_left_empty_and_counted():
    swept = sweep(LAND, {"attacker.regiments": [1, 0, 3]})
    assert np.isnan(swept.grid()).tolist() == [False, True, False]
    assert "1 not allowed and left empty (attacker.regiments: 0 is not allowed" in swept.how()
    rows = swept.rows()
    assert rows[1]["value"] is None
    assert rows[1]["refused"].startswith("attacker.regiments: 0")
    assert rows[0]["refused"] == ""
    assert repr(swept).count("\n") == 0


def test_only_the_cells_must_be_allowed_not_what_they_are_made_of():
    base = LAND | {"policy": {"attacker": {"retreat": "stop-below"}}}  # stop_below is needed, and varied
    swept = sweep(base, {"policy.attacker.stop_below": [1, 2, 3]}, "mean.attacker_regiments_lost")
    assert len(swept.cells) == 3
    assert swept.cells[0].value > swept.cells[2].value


def test_policies_are_compared_though_the_file_carries_the_number_of_one():
    base = LAND | {"policy": {"attacker": {"retreat": "stop-below", "stop_below": 2}}}
    swept = sweep(base, {"policy.attacker.retreat": ["to-the-end", "stop-below"]})
    assert not swept.refusals
    assert swept.cells[0].value == pytest.approx(exact(LAND).winner("attacker"))
    assert "policy.attacker.stop_below left out" in swept.how()


def test_several_values_in_one_sweep():
    vary = {"attacker.regiments": [3, 4]}
    swept = sweep(LAND, vary, ["p_attacker", "mean.rounds"])
    columns = ["attacker.regiments", "asked", "value", "low", "high", "method", "battles", "refused"]
    assert list(swept.table.columns) == list(sweep(LAND, vary).table.columns) == columns
    assert swept.table["attacker.regiments"].tolist() == [3, 3, 4, 4]
    assert swept.table["asked"].tolist() == ["p_attacker", "mean.rounds"] * 2
    assert swept.cells[1].measures[1].value == pytest.approx(exact(LAND).mean("rounds"))


def test_numpy_numbers_and_lists_can_be_varied():
    swept = sweep(LAND, {"attacker.regiments": np.arange(2, 4), "defender.regiments": [[1, 1], [2, 1]]})
    assert swept.grid().shape == (2, 2)


def test_an_interrupted_sweep_keeps_its_cells():
    """Those nearest to the scenario, which are answered first."""

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    here = LAND["attacker"]["regiments"]
    with pytest.raises(Interrupted) as cut:
        sweep(LAND, {"attacker.regiments": range(1, 200)}, "std.rounds", threads=1, progress=interrupt)
    swept = cut.value.gathered
    assert [cell.settings[0] for cell in swept.cells] == [here + more for more in (-2, -1, 0, 1, 2)]
    assert np.isnan(np.delete(swept.grid(), range(here - 3, here + 2))).all()


def test_how_much_is_enough():
    found = enough(LAND, "attacker.regiments", 0.8)
    assert found.setting is not None
    assert exact(load(LAND).replace("attacker.regiments", found.setting)).winner("attacker") >= 0.8
    assert exact(load(LAND).replace("attacker.regiments", found.setting - 1)).winner("attacker") < 0.8
    assert enough(LAND, "attacker.regiments", 0.999999, most=5).setting is None
    with pytest.raises(ScenarioError, match=r"^attacker.cannons"):
        enough(LAND, "attacker.cannons", 0.5, most=3)
