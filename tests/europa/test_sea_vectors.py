from pathlib import Path

import pytest

from simulator import ScenarioError, exact, load
from tests.vectors import Z_LIMIT, largest_z, mismatches, read_vectors

ANSWERED, REFUSED = read_vectors(Path(__file__).parent / "sea_vectors.json")
# Retreat attrition on both sides, half a million outcomes: a test of its own below.
LARGE = ("landing force caught with retreat attrition",)


@pytest.mark.parametrize("vector", ANSWERED, ids=lambda vector: vector["name"])
def test_exact_answer(vector):
    odds = exact(load(vector["scenario"]))
    assert mismatches(odds, vector["expect"], vector["tolerance"]) == {}
    assert odds.residual < 1e-12


@pytest.mark.parametrize("vector", [v for v in ANSWERED if v["name"] not in LARGE], ids=lambda vector: vector["name"])
def test_simulated_answer(vector):
    assert largest_z(vector["scenario"], battles=200_000) < Z_LIMIT


@pytest.mark.parametrize("vector", REFUSED, ids=lambda vector: vector["name"])
def test_refusal(vector):
    with pytest.raises(ScenarioError) as refusal:
        load(vector["scenario"])
    assert str(refusal.value).startswith(vector["error"] + ": ")
    assert "\n" not in str(refusal.value)
