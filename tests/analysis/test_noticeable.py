"""The number of battles after which a difference of two chances is noticed."""

from math import comb, sqrt

import pytest

from simulator import compare
from simulator.analysis.studies.noticeable import battles_to_notice, exact_power, normal_number

Z = 1.959963984540054


def slow_power(n, p, q):
    """Every pair of results of n battles each, and the pooled test of each."""
    power = 0.0
    for x in range(n + 1):
        for y in range(n + 1):
            mean = (x + y) / (2 * n)
            error = sqrt(2 * mean * (1 - mean) / n)
            if abs(x - y) / n > Z * error + 1e-12 and error > 0:
                power += comb(n, x) * p**x * (1 - p) ** (n - x) * comb(n, y) * q**y * (1 - q) ** (n - y)
    return power


@pytest.mark.parametrize(("n", "p", "q"), [(1, 0.2, 0.9), (7, 0.2, 0.9), (15, 0.5, 0.7), (20, 0.0, 0.3), (6, 0.0, 1.0)])
def test_the_power_is_that_of_every_pair_of_results(n, p, q):
    assert exact_power(n, p, q, 0.05) == pytest.approx(slow_power(n, p, q), abs=1e-12)


@pytest.mark.parametrize(("p", "q"), [(0.3, 0.7), (0.5, 0.8), (0.05, 0.4)])
def test_it_is_the_least_number(p, q):
    n = battles_to_notice(p, q)
    assert slow_power(n, p, q) >= 0.8
    assert all(slow_power(fewer, p, q) < 0.8 for fewer in range(1, n))


def test_large_numbers_are_those_of_the_normal_formula():
    assert battles_to_notice(0.5, 0.501) == normal_number(0.5, 0.501, 0.05, 0.8) == 3_924_435
    assert battles_to_notice(0.5, 0.55) == pytest.approx(normal_number(0.5, 0.55, 0.05, 0.8), rel=0.01)
    assert battles_to_notice(0.5, 0.5) is None
    assert battles_to_notice(0.0, 1.0) == 2


def test_comparisons_say_it():
    one = {"game": "risk", "battle": "land", "attacker": {"regiments": 5}, "defender": {"regiments": 5}}
    found = compare([one, one | {"attacker": {"regiments": 9}}, one])
    rows = [row for row in found.rows() if row["value"] == "p_attacker"]
    p, q = rows[0]["estimate"], rows[1]["estimate"]
    assert [row["noticed_after"] for row in rows] == [None, battles_to_notice(q, p), None]
    assert f"noticed after about {rows[1]['noticed_after']} battles each" in found.headline
    assert all(row["noticed_after"] is None for row in found.rows() if row["value"].startswith("mean."))
