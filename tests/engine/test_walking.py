"""Battles fought on the explored graph are the battles that the rules' own steps fight."""

from dataclasses import replace

import numpy as np
import pytest

from simulator import load
from simulator.engine.montecarlo import Simulation
from simulator.engine.walking import MOST_EDGES, explored
from tests.europa.scenarios import ALL

BATTLES = 150_000


def fought(chain, threads=2, chunk=1 << 14):
    simulation = Simulation(chain, 11, threads, chunk)
    simulation.add(100_000)
    simulation.add(BATTLES - 100_000)
    ends = simulation.ends()
    return np.array([*ends.states, ends.count])


@pytest.mark.parametrize("name", ["rule book", "natives with two dice", "round track overseas"])
def test_same_battles_on_the_graph(name):
    chain = load(ALL[name]).chain
    assert chain.walked
    assert explored(chain) is not None
    on_graph = fought(chain)
    assert on_graph[-1].sum() == BATTLES
    assert np.array_equal(on_graph, fought(replace(chain, walked=False)))
    assert np.array_equal(on_graph, fought(chain, threads=7, chunk=999))


def test_a_large_graph_is_not_explored():
    side = {"country": "france", "army_plus": 2}
    policy = {who: {"break_off": "if-behind"} for who in ("attacker", "defender")}
    chain = load({"game": "europa", "battle": "land", "attacker": side, "defender": side, "policy": policy}).chain
    assert explored(chain) is None
    assert MOST_EDGES < 10**7
