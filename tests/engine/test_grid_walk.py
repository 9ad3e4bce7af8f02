"""Battles on a grid of two rolls that act apart, against each battle fought by the rules, one after the other."""

from dataclasses import replace

import pytest

from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.grid_walk import GridWalk
from simulator.engine.sample.lazy_walk import LazyWalk
from simulator.engine.sample.simulation import Simulation
from tests.engine.test_grid import BATTLES, Lives, axis, duel
from tests.engine.test_lazy_walk import hold_the_same_battles, without_graph
from tests.engine.walks import fought_by, fought_slowly

CHAINS = {
    "duel": duel(7),
    "a duel that tells no rounds": duel(7, counting=0),
    "over": replace(duel(0), may_be_over=True),
    **dict(zip(("flak", "sea", "rounds", "retreat"), (scenario.chain for scenario in BATTLES), strict=True)),
}
LARGER = axis("land", {"infantry": 30, "tank": 3}, {"infantry": 32}).chain
# The grid walk is chosen for duels of so many lives.
LIVES = 40


@pytest.mark.parametrize("name", CHAINS)
def test_battles_are_those_of_the_rules(name):
    chain = replace(CHAINS[name])
    seen, _ = fought_by([GridWalk(chain, 10**8)], chain, 11, 600)
    assert seen == fought_slowly(chain, 11, 600)


@pytest.mark.parametrize("budget", [10**8, 130_000, 0])
def test_an_order_that_comes_past_the_budget_is_fought_anew(budget):
    chain = replace(LARGER)
    seen, needed = fought_by([GridWalk(chain, budget), LazyWalk(chain, 10**8)], chain, 5, 1000, 400)
    assert seen == fought_slowly(chain, 5, 1000)
    assert len(needed) == (1 if budget == 10**8 else 2)


def test_the_same_battles_whatever_the_threads_the_chunks_and_what_was_visited_before():
    hold_the_same_battles(LARGER)


def test_rolls_that_do_not_act_apart_are_told_of():
    with pytest.raises(BrokenGame, match="change each other's fields"):
        Simulation(without_graph(duel(LIVES, crossed=1)), 1).add(5000)


def test_a_field_above_its_limit_is_an_error_that_names_it():
    start, limits = Lives(LIVES, LIVES - 1, 0), Lives(LIVES, LIVES - 2, 9)
    with pytest.raises(BrokenGame, match=f"field enemy: {LIVES - 1} is not within 0 to {LIVES - 2}"):
        Simulation(without_graph(duel(LIVES), start=start, limits=limits), 1).add(5000)


def test_a_counter_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"counter rounds: \d+ is above its limit 3"):
        Simulation(without_graph(duel(LIVES), limits=Lives(LIVES, LIVES, 3)), 1).add(5000)
