"""Intervals, quantiles, standard deviations and weights, against numbers worked out by hand."""

import numpy as np
import pytest

from simulator import exact
from simulator.analysis.odds.distribution import Distribution, half_width_of_mean, wilson
from simulator.analysis.odds.measure import Weighing

BATTLE = {"game": "risk", "battle": "land", "attacker": {"regiments": 2}, "defender": {"regiments": 1}}


def test_wilson_of_a_half_and_of_none():
    # The upper end for none of n is z * z / (n + z * z): 0.278 for n = 10.
    low, high = wilson(0.0, 10)
    assert low == pytest.approx(0.0, abs=1e-12)
    assert high == pytest.approx(1.959964**2 / (10 + 1.959964**2), rel=1e-6)
    low, high = wilson(0.5, 100)
    assert (low + high) / 2 == pytest.approx(0.5)
    assert high - low == pytest.approx(2 * 1.959964 * 0.5 / (100 + 1.959964**2) ** 0.5, rel=1e-6)


def test_the_interval_of_a_mean_narrows_with_the_root_of_the_battles():
    assert half_width_of_mean(2.0, 400) == pytest.approx(1.959964 * 2 / 20, rel=1e-6)


def test_a_quantile_is_the_smallest_value_with_at_least_that_chance():
    distribution = Distribution.of_column(np.array([0, 1, 2, 3]), np.full(4, 0.25))
    assert [distribution.quantile(q) for q in (0.0, 0.25, 0.26, 0.5, 1.0)] == [0, 0, 1, 1, 3]


def test_the_standard_deviation_is_the_root_of_the_mean_square():
    assert Distribution.of_column(np.array([0, 4]), np.array([0.5, 0.5])).std == pytest.approx(2.0)


def test_weights_add_up_and_the_defender_holds_what_the_attacker_does_not_take():
    odds = exact(BATTLE)
    both = Weighing({"win": 1.0, "attacker_regiments_lost": -0.5}).worth(odds)
    expected = odds.winner("attacker") - 0.5 * odds.mean("attacker_regiments_lost")
    assert float((both * odds.chances).sum()) == pytest.approx(expected)
    held = Weighing({"take": 1.0}, "defender").worth(odds)
    assert float((held * odds.chances).sum()) == pytest.approx(odds.winner("defender"))


def test_the_defender_holds_land_that_aircraft_win_and_cannot_take():
    forces = {"attacker": {"infantry": 1, "fighter": 1}, "defender": {"infantry": 1}}
    odds = exact({"game": "axis-and-allies-1942", "battle": "land"} | forces)
    assert 0.1 < odds.p("taken") < odds.winner("attacker") - 0.1
    held = Weighing({"take": 1.0}, "defender").worth(odds)
    assert float((held * odds.chances).sum()) == pytest.approx(1 - odds.p("taken"))
