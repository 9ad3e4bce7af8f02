"""A game that breaks its contract is refused, in exact runs, simulation and backward solving alike."""

from dataclasses import replace

import numpy as np
import pytest

from simulator.engine.exact import exact_outcomes
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.graph_cache import state_values
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.model.chance import Tables, tables
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.sample import simulation as montecarlo
from simulator.engine.sample.simulation import Simulation
from tests.toys import Coins, ring, skirmish, stay, urn, walk


def explored_plainly(chain):
    PlainExplorer(chain, 10**9).explore()


def explored_compiled(chain):
    CompiledExplorer(chain, 10**9).explore()


def simulated(chain):
    simulation = Simulation(chain, 1)
    simulation.add(5000)
    simulation.ends()


def simulated_by_rules(chain):
    Simulation(chain, 1, direct=True).add(500)


def backward(chain):
    state_values(chain, lambda ends: np.zeros(len(ends[0])))


EVERY_WAY = [exact_outcomes, explored_plainly, explored_compiled, simulated, simulated_by_rules, backward]
every_way = pytest.mark.parametrize("run", EVERY_WAY, ids=lambda run: run.__name__)


@every_way
def test_a_field_above_its_limit_is_an_error_that_names_field_value_and_state(run):
    chain = replace(walk(2, 8), limits=Coins(3, 0))
    with pytest.raises(BrokenGame, match=r"field coins: 4 is not within 0 to 3.*Coins\(coins=3"):
        run(chain)


@every_way
def test_a_field_below_zero_is_an_error(run):
    with pytest.raises(BrokenGame, match="field over: -1 is not within 0 to 3"):
        run(stay({0: 1, 1: 1}, stuck=-1))


@every_way
def test_a_table_that_is_not_there_is_an_error(run):
    chain = walk(2, 4)
    with pytest.raises(BrokenGame, match=r"chance table 1: there are tables 0 to 0.*coins=2"):
        run(replace(chain, tables=tables([{0: 1}])))


@pytest.mark.parametrize(
    ("weight", "answer"),
    [([1.5, -0.5], "has the weight -0.5"), ([0.5, 0.2], "sum to 0.7"), ([np.nan, 1.0], "weight nan")],
)
def test_weights_that_are_no_chances_are_refused(weight, answer):
    with pytest.raises(BrokenGame, match=f"chance table 1: .*{answer}"):
        Tables(np.array([0, 1, 3]), np.array([0, 0, 1]), np.array([1.0, *weight]))


def test_negative_whole_weights_are_refused():
    with pytest.raises(BrokenGame, match="weight -1"):
        tables([{0: 3, 1: -1}])


@pytest.mark.parametrize(
    ("run", "states"),
    [(simulated_by_rules, 2), *((run, states) for run in (exact_outcomes, simulated, backward) for states in (2, 500))],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_cycle_that_nothing_leaves_is_an_error_not_a_hang(run, states, monkeypatch):
    monkeypatch.setattr(montecarlo, "MOST_ROLLS", 1 << 16)  # a million and more take 3 s
    with pytest.raises(BrokenGame, match=r"never leave At|no battle of seed 1 ended"):
        run(ring(states))


@pytest.mark.parametrize("states", [2, 50, 5000])
def test_a_cycle_with_a_way_out_is_solved_in_closed_form(states):
    ends = exact_outcomes(ring(states, way_out=1, win=1, lose=999))
    assert ends.p.tolist() == pytest.approx([1.0], abs=1e-12)
    assert ends.residual == 0
    _, value = state_values(ring(states, way_out=1), lambda ends: np.ones(len(ends.over)))
    assert value == pytest.approx(1, abs=1e-12)


def test_nothing_is_left_undecided_where_there_is_no_loop():
    ends = exact_outcomes(urn(30))
    assert ends.residual == 0
    assert ends.p.sum() == pytest.approx(1, abs=1e-14)


def test_what_is_too_unlikely_to_follow_is_told():
    ends = exact_outcomes(skirmish(20, 15))
    assert 0 < ends.residual < 1e-12
    assert ends.p.sum() + ends.residual == pytest.approx(1, abs=1e-12)


@every_way
def test_a_counter_that_counts_down_is_an_error(run):
    chain = walk(2, 4, counting=-1)
    with pytest.raises(BrokenGame, match="counter tosses: -1 is not within 0 to"):
        run(chain)


def test_a_counter_that_is_no_field_is_an_error():
    with pytest.raises(BrokenGame, match="no field 'rounds'"):
        exact_outcomes(replace(stay({0: 1, 1: 1}), counters=("rounds",)))


@pytest.mark.parametrize("run", [exact_outcomes, simulated], ids=lambda run: run.__name__)
def test_a_counter_above_its_limit_is_an_error(run):
    with pytest.raises(BrokenGame, match=r"counter tosses: .*limit 3"):
        run(replace(walk(2, 4, counting=1), limits=Coins(4, 3)))


def test_a_chain_that_its_game_knows_to_be_too_large_is_refused_before_it_is_tried():
    with pytest.raises(NoExactOdds, match=r"at least 1,000,000,000,000 states .*: more than \d+.0 GB, past"):
        exact_outcomes(replace(walk(2, 4), at_least=(10**12, 0)))
