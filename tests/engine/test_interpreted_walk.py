"""Battles fought before anything is compiled are the very battles of the rules, whoever goes on with them."""

from dataclasses import replace

import pytest

from simulator.engine.graph.graph_cache import simulate_by_rules
from simulator.engine.model.chance import tables
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample import interpreted_walk as first_battles
from simulator.engine.sample.alias import build_alias, some_tables
from simulator.engine.sample.interpreted_walk import InterpretedSimulation
from simulator.engine.sample.simulation import Simulation
from simulator.engine.simulate import simulation_of
from tests.engine.test_lazy_walk import BATTLES, CHAINS, fought_slowly, tally_of
from tests.toys import Coins, urn, walk

pytestmark = pytest.mark.xdist_group("toys")  # their rules are compiled once, by one worker


@pytest.mark.parametrize("name", [*CHAINS, "words"])
def test_battles_are_those_of_the_rules(name, monkeypatch):
    monkeypatch.setattr(first_battles, "FIRST_PORTION", 100)
    chain = replace(CHAINS[name] if name in CHAINS else urn(6))
    simulation, told = InterpretedSimulation(chain, 11), []
    simulation.add(BATTLES // 2, told.append)
    simulation.add(BATTLES - BATTLES // 2)
    assert simulation.battles == BATTLES
    assert told == [100, 300]
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


@pytest.mark.parametrize("patience", [0.0, 0.02])
def test_compiled_rules_go_on_where_plain_python_takes_too_long(patience, monkeypatch):
    chain = replace(CHAINS["pairs"])
    simulate_by_rules(chain)
    monkeypatch.setattr(first_battles, "patience_for", lambda *_: patience)
    simulation, told = InterpretedSimulation(chain, 3), []
    simulation.add(20_000)
    simulation.add(10_000, told.append)
    compiled = Simulation(chain, 3)
    compiled.add(30_000)
    assert simulation.battles == 30_000
    assert told[-1] == 10_000
    assert tally_of(simulation) == tally_of(compiled)


def test_compiled_rules_go_on_where_edges_take_too_much_room(monkeypatch):
    chain = replace(CHAINS["pairs"])
    simulate_by_rules(chain)
    met = first_battles.InterpretedGraph(chain)
    begun = len(met._lead.whole)
    met.fight(3, 0, 100, 10.0)
    for most in (begun - 1, len(met._lead.whole) - 1):
        monkeypatch.setattr(first_battles, "MOST_EDGES", most)
        simulation = InterpretedSimulation(chain, 3)
        simulation.add(300)
        assert simulation._rest is not None
        assert tally_of(simulation) == fought_slowly(chain, 3, 300)


def test_an_interrupt_keeps_what_was_fought(monkeypatch):
    monkeypatch.setattr(first_battles, "FIRST_PORTION", 100)
    simulation = InterpretedSimulation(replace(CHAINS["pairs"]), 11)

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulation.add(BATTLES, interrupt)
    assert simulation.battles == 100
    simulation.add(BATTLES - 100)
    assert tally_of(simulation) == fought_slowly(simulation._chain, 11, BATTLES)


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


def test_chosen_where_a_chain_is_too_large_and_nothing_is_compiled(monkeypatch):
    large, small = replace(CHAINS["coins"]), replace(CHAINS["coins"])
    simulate_by_rules(large)
    monkeypatch.setattr("simulator.engine.jit.kernel_cache.is_ready", lambda *_: False)
    monkeypatch.setattr("simulator.engine.jit.time_budgets.compiled_here", set())
    assert isinstance(simulation_of(large, 1), InterpretedSimulation)
    assert isinstance(simulation_of(small, 1), Simulation)
    monkeypatch.setattr("simulator.engine.jit.kernel_cache.is_ready", lambda *_: True)
    assert isinstance(simulation_of(large, 1), Simulation)


def test_alias_tables_of_plain_python_are_the_compiled_ones():
    made = tables([{0: 1}, {0: 1, 1: 2, 5: 4}, dict.fromkeys(range(10), 1), {3: 5, 4: 10**9}])
    compiled = build_alias(made).entry.reshape(len(made), -1)
    assert some_tables(made, [3, 1, 2]).tolist() == compiled[[3, 1, 2]].tolist()
