"""Battles fought on the spelled-out states are the battles that the rules' own steps fight."""

from dataclasses import replace

import numpy as np
import pytest

from simulator import load
from simulator.engine.montecarlo import WORTH_A_MAP, Simulation
from simulator.engine.walk import map_of
from simulator.scenarios import example_names
from tests.toys import urn, walk

BATTLES = WORTH_A_MAP + 40_000


def chains():
    found = {"coins": walk(3, 7, 2, 3), "wide": urn(12), "over": walk(0, 3)}
    for name in example_names():
        scenario = load(name)
        if scenario.battle.chain is not None and scenario.chain.mapped:
            found[name] = scenario.chain
    return found


CHAINS = chains()


def fought(chain, threads=2, chunk=1 << 14):
    simulation = Simulation(chain, 11, threads, chunk)
    simulation.add(WORTH_A_MAP)
    simulation.add(BATTLES - WORTH_A_MAP)
    ends = simulation.ends()
    rows = np.array([*ends.states, ends.count])
    return rows[:, np.lexsort(rows)]


@pytest.mark.parametrize("name", CHAINS)
def test_same_battles_on_the_map(name):
    chain = replace(CHAINS[name], mapped=True)
    on_map = fought(chain)
    assert on_map[-1].sum() == BATTLES
    assert np.array_equal(on_map, fought(replace(chain, mapped=False)))
    assert np.array_equal(on_map, fought(chain, threads=7, chunk=999))


def test_some_game_asks_for_a_map():
    assert any(chain.mapped for chain in CHAINS.values())


def test_a_chain_without_end_of_states_gets_no_map():
    assert map_of(walk(2, 2000, counting=1)) is None
    endless = replace(walk(2, 2000, 9, 1, counting=1), mapped=True)
    assert fought(endless)[-1].sum() == BATTLES
