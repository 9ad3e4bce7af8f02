"""Battles fought before anything is compiled are the very battles of the rules, whoever goes on with them."""

from dataclasses import replace
from typing import NamedTuple

import pytest

from simulator.engine.jit.cost_model import compiled_here, patience_for, spent
from simulator.engine.model.chain import Chain, rule, rules
from simulator.engine.model.chance import tables
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.alias import build_alias, some_tables
from simulator.engine.sample.interpreted_walk import FIRST_PORTION, KERNEL, InterpretedSimulation
from simulator.engine.sample.simulation import Simulation
from simulator.engine.simulate import simulation_of
from tests.engine.test_grid import Duel, Lives
from tests.engine.test_lazy_walk import CHAINS, without_graph
from tests.engine.walks import fought_slowly, tally_of
from tests.toys import Coins, Walk, urn, walk

BATTLES = 2500


@pytest.mark.parametrize("name", [*CHAINS, "words"])
def test_battles_are_those_of_the_rules(name):
    chain = without_graph(CHAINS[name] if name in CHAINS else urn(6))
    simulation, done = InterpretedSimulation(chain, 11), []
    simulation.add(100)
    simulation.add(BATTLES - 100, done.append)
    assert simulation.battles == BATTLES
    assert done[-1] == BATTLES - 100
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


@pytest.mark.parametrize("patience", [0.0, 0.02])
def test_compiled_rules_go_on_where_plain_python_takes_too_long(patience):
    chain = without_graph(CHAINS["pairs"])
    used = patience_for(chain, KERNEL) - patience
    spent(chain, used)
    try:
        simulation, done = InterpretedSimulation(chain, 3), []
        simulation.add(20_000)
        simulation.add(10_000, done.append)
    finally:
        spent(chain, -used)
    compiled = Simulation(chain, 3)
    compiled.add(30_000)
    assert simulation.battles == 30_000
    assert done[-1] == 10_000
    assert tally_of(simulation) == tally_of(compiled)


@pytest.mark.parametrize("results", [3_000, 5_000])
def test_compiled_rules_go_on_where_edges_take_too_much_room(results):
    """One state has 9 million edges, of which two states fit, or 25 million."""
    dice = dict.fromkeys(range(results), 1)
    start = Lives(10_000, 10_000, 0)
    chain = without_graph(
        Chain(Duel(1, 0, 1), start, Lives(10_000, 10_000, 10_000), tables([{0: 1}, dice, dice]), counters=("rounds",))
    )
    simulation = InterpretedSimulation(chain, 3)
    simulation.add(60)
    assert tally_of(simulation) == fought_slowly(chain, 3, 60)


def test_an_interrupt_keeps_what_was_fought(monkeypatch):
    monkeypatch.setattr("simulator.engine.sample.interpreted_walk.patience_for", lambda *_: float("inf"))
    chain = replace(CHAINS["pairs"])
    simulation = InterpretedSimulation(chain, 11)

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulation.add(BATTLES, interrupt)
    assert simulation.battles == FIRST_PORTION
    simulation.add(BATTLES - FIRST_PORTION)
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (Coins(3, 99), "field coins: 4 is not within 0 to 3"),
        (Coins(9, 3), r"counter tosses: \d+ is above its limit 3"),
    ],
)
def test_a_game_that_breaks_its_contract_is_told_of(limits, message):
    with pytest.raises(BrokenGame, match=message):
        InterpretedSimulation(replace(walk(2, 9, counting=1), limits=limits), 1).add(5000)


class Fresh(NamedTuple):
    """A game of coins that no kernel was compiled for."""

    goal: int
    counting: int


for name in ("running", "table", "step"):
    rule(Fresh)(rules[Walk][name])


def test_chosen_where_a_chain_is_too_large_and_nothing_is_compiled(monkeypatch):
    small = replace(walk(3, 30), params=Fresh(30, 0))
    large = without_graph(small)
    assert isinstance(simulation_of(large, 1), InterpretedSimulation)
    assert isinstance(simulation_of(small, 1), Simulation)
    with monkeypatch.context() as patch:  # a raid of 200 bombers: 251,001 results of one roll
        patch.setattr("simulator.engine.graph.graph_cache.MOST_EDGES", 1)
        wide = simulation_of(replace(small), 1)
    assert isinstance(wide, InterpretedSimulation)
    wide.add(50)
    assert tally_of(wide) == fought_slowly(small, 1, 50)
    compiled_here.add(Fresh)
    assert isinstance(simulation_of(large, 1), Simulation)


def test_alias_tables_of_plain_python_are_the_compiled_ones():
    made = tables([{0: 1}, {0: 1, 1: 2, 5: 4}, dict.fromkeys(range(10), 1), {3: 5, 4: 10**9}])
    compiled = build_alias(made).entry.reshape(len(made), -1)
    assert some_tables(made, [3, 1, 2]).tolist() == compiled[[3, 1, 2]].tolist()
