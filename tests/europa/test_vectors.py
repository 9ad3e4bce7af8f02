from pathlib import Path

import pytest

from simulator import ScenarioError, exact, load
from tests.vectors import mismatches, read_vectors

ANSWERED, REFUSED = read_vectors(Path(__file__).parent / "vectors.json")


@pytest.mark.parametrize("vector", ANSWERED, ids=lambda vector: vector["name"])
def test_exact_answer(vector):
    odds = exact(load(vector["scenario"]))
    assert mismatches(odds, vector["expect"], vector["tolerance"]) == {}
    assert odds.residual < 1e-12


@pytest.mark.parametrize("vector", REFUSED, ids=lambda vector: vector["name"])
def test_refusal(vector):
    with pytest.raises(ScenarioError) as refusal:
        load(vector["scenario"])
    assert str(refusal.value).startswith(vector["error"] + ": ")
    assert "\n" not in str(refusal.value)
