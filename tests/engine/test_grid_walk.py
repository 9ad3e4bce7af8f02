"""Battles on a grid of two rolls that act apart, against each battle fought by the rules, one after the other."""

from dataclasses import replace

import pytest

from simulator.engine.factored import grid
from simulator.engine.graph import graph_cache
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample import samplers as fighters
from simulator.engine.sample.simulation import Simulation
from tests.engine.test_grid import BATTLES, Lives, axis, duel
from tests.engine.test_lazy_walk import fought_slowly, hold_the_same_battles, tally_of

pytestmark = pytest.mark.xdist_group("toys")  # their rules are compiled once, by one worker

CHAINS = {
    "duel": duel(7),
    "a duel that tells no rounds": duel(7, counting=0),
    "over": replace(duel(0), may_be_over=True),
    **dict(zip(("flak", "sea", "rounds", "retreat"), (scenario.chain for scenario in BATTLES), strict=True)),
}
LARGER = axis("land", {"infantry": 30, "tank": 3}, {"infantry": 32}).chain


@pytest.fixture(autouse=True)
def no_graph_fits(monkeypatch):
    monkeypatch.setattr(graph_cache, "QUICK_BYTES", 0)
    monkeypatch.setattr(grid, "MOST_PLACES_A_CELL", 10**6)


@pytest.mark.parametrize("name", CHAINS)
def test_battles_are_those_of_the_rules(name):
    chain = replace(CHAINS[name])
    assert grid.may_be_walked(chain)
    simulation = Simulation(chain, 11, threads=1, chunk=250)
    assert simulation.engine == "lazy"
    simulation.add(300)
    simulation.add(300)
    assert tally_of(simulation) == fought_slowly(chain, 11, 600)
    assert len(vars(chain)[fighters._KEPT_GRIDS]) == 1


@pytest.mark.parametrize("budget", [10**8, 130_000, 0])
def test_an_order_that_comes_past_the_budget_is_fought_anew(budget, monkeypatch):
    monkeypatch.setattr(fighters, "QUICK_BYTES", budget)
    met, lazy_sampler = [], fighters.LazySampler
    monkeypatch.setattr(fighters, "LazySampler", lambda *args: met.append(args) or lazy_sampler(*args))
    chain = replace(LARGER)
    simulation = Simulation(chain, 5, threads=1, chunk=400)
    simulation.add(1000)
    assert tally_of(simulation) == fought_slowly(chain, 5, 1000)
    assert bool(met) == (budget < 10**8)


def test_the_same_battles_whatever_the_threads_the_chunks_and_what_was_met_before():
    hold_the_same_battles(LARGER)


def test_rolls_that_do_not_act_apart_are_told_of():
    with pytest.raises(BrokenGame, match="change each other's fields"):
        Simulation(duel(3, crossed=1), 1).add(5000)


def test_a_field_above_its_limit_is_an_error_that_names_it():
    chain = duel(3)
    with pytest.raises(BrokenGame, match=r"field enemy: 3 is not within 0 to 2"):
        Simulation(replace(chain, limits=Lives(3, 2, 9)), 1).add(5000)


def test_a_counter_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"counter rounds: \d+ is above its limit 3"):
        Simulation(replace(duel(9), limits=Lives(9, 9, 3)), 1).add(5000)
