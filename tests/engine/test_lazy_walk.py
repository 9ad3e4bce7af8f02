"""Battles whose graph does not fit: looked up where it was visited, else stepped; large graphs walked on nodes."""

from dataclasses import replace

import numpy as np
import pytest

from simulator.engine.graph.graph_cache import graph_of, simulate_by_rules
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.sample import simulation as montecarlo
from simulator.engine.sample.graph_tables import graph_tables, tables_by_row
from simulator.engine.sample.lazy_walk import LazyWalk
from simulator.engine.sample.node_walk import LargeGraphWalk, NodeWalk, nodes_of
from simulator.engine.sample.own_tables_walk import OwnTablesWalk, own_tables, short_entries
from simulator.engine.sample.rule_walk import RuleWalk
from simulator.engine.sample.simulation import Simulation
from tests.engine.walks import fought_by, fought_on_graph, fought_slowly, tally_of
from tests.toys import Coins, marked_walk, skirmish, walk

CHAINS = {
    "coins": walk(3, 30, 2, 3),
    "counted coins": walk(2, 9, counting=1),
    "a counter that jumps": walk(2, 9, counting=600),
    "over": walk(0, 3),
    "a mark": marked_walk(2, 9),
    "pairs": skirmish(14, 12),
}
BATTLES = 600


def without_graph(chain, **changes):
    """A fresh copy of a chain, which is simulated as if its graph were too large."""
    chain = replace(chain, **changes)
    simulate_by_rules(chain)
    return chain


@pytest.mark.parametrize("name", CHAINS)
def test_battles_are_those_of_the_rules(name):
    chain = without_graph(CHAINS[name])
    simulation = Simulation(chain, 11, threads=1, chunk=250)
    assert simulation.engine == "lazy"
    simulation.add(BATTLES // 2)
    simulation.add(BATTLES - BATTLES // 2)
    assert tally_of(simulation) == fought_slowly(chain, 11, BATTLES)


@pytest.mark.parametrize("budget", [10**8, 30_000, 0])
@pytest.mark.parametrize("name", CHAINS)
def test_battles_are_those_of_the_rules_however_much_may_be_kept(name, budget):
    chain = replace(CHAINS[name])
    seen, _ = fought_by([LazyWalk(chain, budget), RuleWalk(chain)], chain, 11, BATTLES)
    assert seen == fought_slowly(chain, 11, BATTLES)


def hold_the_same_battles(chain):
    """For any threads, chunks and states visited before."""
    chain, seen = without_graph(chain), []
    for threads, chunk in ((1, 1 << 16), (2, 999), (5, 4096), (2, 1 << 16)):
        simulation = Simulation(chain, 3, threads, chunk)
        simulation.add(20_000)
        seen.append(tally_of(simulation))
    assert seen[0] == seen[1] == seen[2] == seen[3]
    assert sum(seen[0].values()) == 20_000


@pytest.mark.parametrize("name", ["counted coins", "pairs"])
def test_the_same_battles_whatever_the_threads_the_chunks_and_what_was_visited_before(name):
    hold_the_same_battles(CHAINS[name])


def test_a_lazy_graph_grows_past_its_first_table_of_states():
    chain = skirmish(160, 170, 1 / 30)
    lazy = LazyWalk(chain, 10**9)
    seen, _ = fought_by([lazy], chain, 5, 40_000, 40_000)
    assert len(lazy) > 1 << 13
    assert seen == fought_by([RuleWalk(chain)], chain, 5, 40_000, 40_000)[0]


@pytest.mark.parametrize("name", ["counted coins", "pairs"])
def test_where_nearly_all_states_are_new_the_rules_alone_fight_the_same_battles(name):
    chain = replace(CHAINS[name])
    lazy = LazyWalk(chain, 0)
    seen, needed = fought_by([lazy, RuleWalk(chain)], chain, 11, BATTLES, 200)
    assert len(needed) == 2
    assert not lazy.pays
    assert seen == fought_slowly(chain, 11, BATTLES)


def test_a_long_first_order_is_begun_anew_by_the_rules_where_the_lazy_graph_does_not_pay():
    chain, battles = replace(CHAINS["counted coins"]), 4_000_000
    seen, needed = fought_by([LazyWalk(chain, 0), RuleWalk(chain)], chain, 11, battles, battles)
    assert len(needed) == 2
    simulation = Simulation(chain, 11)
    simulation.add(battles)
    assert seen == tally_of(simulation)


def test_a_field_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"field coins: 4 is not within 0 to 3"):
        Simulation(without_graph(walk(2, 8), limits=Coins(3, 0)), 1).add(5000)


def test_a_counter_above_its_limit_is_an_error_that_names_it():
    with pytest.raises(BrokenGame, match=r"counter tosses: \d+ is above its limit 3"):
        Simulation(without_graph(walk(2, 9, counting=1), limits=Coins(9, 3)), 1).add(5000)


def test_battles_that_never_end_are_told_of(monkeypatch):
    monkeypatch.setattr(montecarlo, "MOST_ROLLS", 1 << 10)
    with pytest.raises(BrokenGame, match="no battle of seed 1 ended"):
        Simulation(without_graph(walk(500_000, 1_000_000)), 1).add(10)


def test_too_large_is_found_out_once():
    chain = walk(2, 200_000)
    with pytest.raises(NoExactOdds, match="past the budget of 2 MB"):
        graph_of(chain, 2_000_000)
    with pytest.raises(NoExactOdds, match="past the budget of 2 MB"):
        graph_of(chain, 1_000_000)


@pytest.mark.parametrize("name", ["counted coins", "a counter that jumps", "pairs", "over"])
def test_a_large_graph_is_walked_on_nodes_to_the_same_ends(name):
    chain = replace(CHAINS[name])
    graph = graph_of(chain)
    tables = tables_by_row(graph)
    expected = fought_slowly(chain, 5, BATTLES)
    assert fought_on_graph(NodeWalk(nodes_of(tables)), graph, 5, BATTLES) == expected


@pytest.mark.parametrize("name", ["counted coins", "a counter that jumps", "over"])
def test_a_graph_that_is_too_large_for_nodes_is_walked_to_the_same_ends(name):
    chain = replace(CHAINS[name])
    graph = graph_of(chain)
    assert fought_on_graph(LargeGraphWalk(graph), graph, 5, BATTLES) == fought_slowly(chain, 5, BATTLES)


def test_a_graph_whose_counter_jumps_in_too_many_ways_has_no_nodes():
    graph = graph_of(replace(CHAINS["counted coins"]))
    tables = tables_by_row(graph)
    assert nodes_of(replace(tables, inc=np.arange(len(tables.inc), dtype=np.uint32))) is not None
    many = np.arange(len(tables.inc) * 600, dtype=np.uint32)
    assert nodes_of(replace(tables, inc=many)) is None


@pytest.mark.parametrize("name", ["coins", "counted coins"])
def test_a_number_near_a_cut_is_compared_with_the_whole_cut(name):
    """With two bits of each cut in the short entries, a quarter of the steps need the whole one."""
    chain = replace(CHAINS[name])
    graph = graph_of(chain, 10**8)
    layout = own_tables(graph_tables(graph))
    short = short_entries(layout.entries.whole, np.uint64(15))
    vague = layout._replace(entries=layout.entries._replace(width=15, short=short))
    assert fought_on_graph(OwnTablesWalk(graph, vague), graph, 5, BATTLES) == fought_slowly(chain, 5, BATTLES)
