from pathlib import Path

import pytest

from simulator import ScenarioError, exact, load, simulate
from tests.vectors import largest_z, mismatches, read_vectors

ANSWERED, REFUSED = read_vectors(Path(__file__).parent / "vectors.json")
CERTAIN = {"visibility", "movement"}


def flat(vector):
    """What is expected, and separately the distribution of the text column `order`."""
    expect = dict(vector["expect"])
    return expect, expect.pop("dist.order", {})


def off(odds, vector):
    expect, orders = flat(vector)
    wrong = mismatches(odds, expect, vector["tolerance"])
    if orders:
        found = odds.table.groupby("order")["p"].sum()
        assert set(found.index) == set(orders)
        wrong |= {order: p for order, p in orders.items() if abs(p - found[order]) > vector["tolerance"]}
    return wrong


@pytest.mark.parametrize("vector", ANSWERED, ids=lambda vector: vector["name"])
def test_answer(vector):
    if "sampled_battles" in vector:
        return
    odds = exact(load(vector["scenario"]))
    assert off(odds, vector) == {}
    assert odds.residual < 1e-12


@pytest.mark.parametrize(
    "vector", [vector for vector in ANSWERED if vector["scenario"]["battle"] not in CERTAIN], ids=lambda v: v["name"]
)
def test_simulated_answer(vector):
    scenario = load(vector["scenario"])
    if "sampled_battles" in vector:
        assert off(simulate(scenario, 200_000, 3), vector) == {}
    else:
        assert largest_z(scenario) < 4.5


@pytest.mark.parametrize("vector", REFUSED, ids=lambda vector: vector["name"])
def test_refusal(vector):
    with pytest.raises(ScenarioError) as refusal:
        load(vector["scenario"])
    assert str(refusal.value).startswith(vector["error"] + ": ")
    assert "\n" not in str(refusal.value)
