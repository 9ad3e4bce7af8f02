"""Battles whose graph does not fit: looked up where it was met, else stepped; large graphs walked in passes."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from simulator.engine.graph import graph_cache
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.model.streams import Stream
from simulator.engine.sample import lazy_graph
from simulator.engine.sample import rule_walk as lanes
from simulator.engine.sample import samplers as fighters
from simulator.engine.sample import simulation as montecarlo
from simulator.engine.sample.alias import drawn_from
from simulator.engine.sample.simulation import Simulation
from tests.toys import Coins, annotated_walk, skirmish, walk

pytestmark = pytest.mark.xdist_group("toys")  # their rules are compiled once, by one worker

CHAINS = {
    "coins": walk(3, 30, 2, 3),
    "counted coins": walk(2, 9, counting=1),
    "a counter that jumps": walk(2, 9, counting=600),
    "over": walk(0, 3),
    "annotation": annotated_walk(2, 9),
    "pairs": skirmish(14, 12),
}
BATTLES = 600


@pytest.fixture(autouse=True)
def no_graph_fits(monkeypatch):
    monkeypatch.setattr(graph_cache, "QUICK_BYTES", 0)


def fought_slowly(chain, seed, battles):
    """Each battle by the game's plain functions and its own numbers, one after the other."""
    tally, p = Counter(), chain.params
    running, table, second = (chain.part(name) for name in ("running", "table", "second"))
    for battle in range(battles):
        stream, s = Stream(seed, battle), chain.start
        while running(p, s):
            result = drawn_from(chain.tables, int(table(p, s)), stream.next(), s)
            other = drawn_from(chain.tables, int(second(p, s)), stream.next(), s) if chain.paired else 0
            s = chain.move(p, s, result, other)
        tally[tuple(map(int, s))] += 1
    return tally


def tally_of(simulation):
    ends = simulation.ends()
    return Counter(dict(zip(zip(*(field.tolist() for field in ends.states), strict=True), ends.count, strict=True)))


@pytest.mark.parametrize("budget", [10**8, 30_000, 0])
@pytest.mark.parametrize("name", CHAINS)
def test_battles_are_those_of_the_rules_however_much_may_be_kept(name, budget, monkeypatch):
    monkeypatch.setattr(fighters, "QUICK_BYTES", budget)
    monkeypatch.setattr(lazy_graph, "FIRST_SLOTS", 1 << 6)
    chain = replace(CHAINS[name])
    simulation = Simulation(chain, 11, threads=1, chunk=250)
    assert simulation.engine == "lazy"
    simulation.add(BATTLES // 2)
    simulation.add(BATTLES - BATTLES // 2)
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


def hold_the_same_battles(chain):
    """Whatever the threads, the chunks and what was met before."""
    chain, seen = replace(chain), []
    for threads, chunk in ((1, 1 << 16), (2, 999), (5, 4096), (2, 1 << 16)):
        simulation = Simulation(chain, 3, threads, chunk)
        simulation.add(20_000)
        seen.append(tally_of(simulation))
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert sum(seen[0].values()) == 20_000


@pytest.mark.parametrize("name", ["counted coins", "pairs"])
def test_the_same_battles_whatever_the_threads_the_chunks_and_what_was_met_before(name):
    hold_the_same_battles(CHAINS[name])


@pytest.mark.parametrize("name", ["counted coins", "pairs"])
def test_where_nearly_all_states_are_new_the_rules_alone_fight_the_same_battles(name, monkeypatch):
    monkeypatch.setattr(lazy_graph, "ENOUGH_NODES", 0)
    monkeypatch.setattr(lazy_graph, "MOST_NEW_EDGES_AT_FIRST", -1.0)
    chain, used = replace(CHAINS[name]), []
    lanes = fighters.RuleSampler
    monkeypatch.setattr(fighters, "RuleSampler", lambda whole: used.append(whole) or lanes(whole))
    for _ in range(2):
        simulation = Simulation(chain, 11, threads=1, chunk=200)
        simulation.add(BATTLES)
        assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)
    assert len(used) == 2


def test_a_long_first_order_is_begun_anew_by_the_rules_where_meeting_does_not_pay(monkeypatch):
    chain, began = replace(CHAINS["counted coins"]), []
    meet = lazy_graph.LazyGraph.fight

    def paused(self, order, at, tally, most):
        began.append(order.battle)
        assert meet(self, order, at, tally, most) == lanes.DONE
        return lanes.PAUSED

    monkeypatch.setattr(lazy_graph.LazyGraph, "fight", paused)
    monkeypatch.setattr(lazy_graph.LazyGraph, "pays", property(lambda self: not began))
    monkeypatch.setattr(fighters, "LONG", 0)
    simulation = Simulation(chain, 11, threads=1, chunk=250)
    simulation.add(BATTLES)
    assert began == [0]
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


def test_states_that_differ_only_in_the_annotation_are_one_node():
    chain, plain = annotated_walk(2, 9), replace(annotated_walk(2, 9), annotation="")
    for which in (chain, plain):
        Simulation(which, 1, threads=1).add(5000)
    met, apart = (len(vars(which)[fighters._KEPT][0]) for which in (chain, plain))
    assert (met, apart) == (1 + 10, 1 + 2 * 10)


def test_a_field_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"field coins: 4 is not within 0 to 3"):
        Simulation(replace(walk(2, 8), limits=Coins(3, 0)), 1).add(5000)


def test_a_counter_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"counter tosses: \d+ is above its limit 3"):
        Simulation(replace(walk(2, 9, counting=1), limits=Coins(9, 3)), 1).add(5000)


def test_battles_that_never_end_are_told_of(monkeypatch):
    monkeypatch.setattr(montecarlo, "MOST_ROLLS", 1 << 10)
    with pytest.raises(BrokenGame, match="no battle of seed 1 ended"):
        Simulation(walk(500_000, 1_000_000), 1).add(10)


def test_too_large_is_found_out_once(monkeypatch):
    chain = walk(2, 500)
    with pytest.raises(NoExactOdds) as first:
        graph_of(chain, 100)
    monkeypatch.setattr("simulator.engine.graph.explore.explore", None)
    with pytest.raises(NoExactOdds) as second:
        graph_of(chain, 90)
    assert str(first.value) == str(second.value)


@pytest.mark.parametrize("name", ["counted coins", "pairs"])
def test_a_large_graph_is_walked_in_passes_to_the_same_ends(name, monkeypatch):
    monkeypatch.setattr("simulator.engine.sample.graph_tables.MOST_MERGED", 0)
    monkeypatch.setattr("simulator.engine.sample.graph_tables.MOST_OWN", 0)
    chain = replace(CHAINS[name])
    simulation = Simulation(chain, 5, 2, graph=graph_of(chain))
    assert simulation.engine == "graph"
    simulation.add(BATTLES)
    assert tally_of(simulation) == fought_slowly(chain, 5, BATTLES)


def test_a_graph_whose_counter_jumps_too_far_is_not_walked_in_passes(monkeypatch):
    monkeypatch.setattr("simulator.engine.sample.graph_tables.MOST_OWN", 0)
    chain = CHAINS["a counter that jumps"]
    fits = [lazy_graph.fits(Simulation(some, 1, graph=graph_of(some)).walked) for some in (CHAINS["coins"], chain)]
    assert fits == [True, False]
    assert np.max(graph_of(chain).inc) > 511
