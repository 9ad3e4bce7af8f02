import numpy as np
import pytest

from simulator import ScenarioError, exact, load, simulate, sweep
from simulator.analysis.measure import measure
from simulator.analysis.need import enough
from simulator.analysis.sweep import Sweeping

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
        sweep(LAND, {"attacker.regiments": [1, 0]})
    with pytest.raises(ValueError, match="query"):
        sweep(LAND, {"attacker.regiments": [1]}, "no_such_column > 3")
    with pytest.raises(ValueError, match="nothing to vary"):
        sweep(LAND, {})
    with pytest.raises(ValueError, match="nothing to vary"):
        sweep(LAND, {"attacker.regiments": []})


def test_text_settings_can_be_varied():
    swept = sweep(LAND, {"options.ties": ["defender", "attacker", "both"]})
    assert [row["options.ties"] for row in swept.rows()] == ["defender", "attacker", "both"]
    assert swept.cells[1].value > swept.cells[0].value


def test_an_interrupted_sweep_keeps_its_cells():
    sweeping = Sweeping(LAND, {"attacker.regiments": range(1, 200)})

    def interrupt(done, total):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sweeping.run(1, interrupt)
    assert len(sweeping.sweep.cells) == 5
    assert np.isnan(sweeping.sweep.grid()[5:]).all()


def test_how_much_is_enough():
    found = enough(LAND, "attacker.regiments", 0.8)
    assert found.setting is not None
    assert exact(load(LAND).replace("attacker.regiments", found.setting)).winner("attacker") >= 0.8
    assert exact(load(LAND).replace("attacker.regiments", found.setting - 1)).winner("attacker") < 0.8
    assert enough(LAND, "attacker.regiments", 0.999999, most=5).setting is None
    with pytest.raises(ScenarioError, match=r"^attacker.cannons"):
        enough(LAND, "attacker.cannons", 0.5, most=3)
