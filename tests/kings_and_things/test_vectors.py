from pathlib import Path

import pytest

from simulator import ScenarioError, exact, load
from tests.vectors import largest_z, mismatches, read_vectors

ANSWERED, REFUSED = read_vectors(Path(__file__).parent / "vectors.json")
# The full cup has hundreds of thousands of outcomes: one simulation of it is enough, see test_odds.
SIMULATED = [vector for vector in ANSWERED if "full cup" not in vector["name"]]


@pytest.mark.parametrize("vector", ANSWERED, ids=lambda vector: vector["name"])
def test_exact_answer(vector):
    odds = exact(load(vector["scenario"]))
    assert mismatches(odds, vector["expect"], vector["tolerance"]) == {}
    assert odds.residual < 1e-12


@pytest.mark.parametrize("vector", SIMULATED, ids=lambda vector: vector["name"])
def test_simulated_answer(vector):
    assert largest_z(load(vector["scenario"])) < 4.5


@pytest.mark.parametrize("vector", REFUSED, ids=lambda vector: vector["name"])
def test_refusal(vector):
    with pytest.raises(ScenarioError) as refusal:
        load(vector["scenario"])
    assert vector["error"] in str(refusal.value)
    assert "\n" not in str(refusal.value)
