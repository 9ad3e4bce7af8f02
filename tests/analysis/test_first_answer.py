"""First answers, while no kernel is compiled: they compile nothing, say how precise they are, and how to get more."""

import cProfile
import sys
from dataclasses import replace

import pytest

from simulator.analysis.odds.answer import answer, exact, simulate
from simulator.analysis.odds.method import Method
from simulator.engine.api import exact_outcomes, without_compiling
from simulator.engine.jit import cost_model, kernel_cache
from simulator.engine.model.interpreted import USUAL_CALLS, calls_a_step
from simulator.engine.model.limits import NotCompiled
from simulator.scenarios import load

AT_ONCE = Method(at_once=True)


def land(own, enemies):
    return {"game": "risk", "battle": "land", "attacker": {"regiments": own}, "defender": {"regiments": enemies}}


@pytest.fixture
def nothing_compiled(monkeypatch):
    monkeypatch.setattr(kernel_cache, "is_ready", lambda kernel, params: False)
    monkeypatch.setattr(cost_model, "compiled_here", set())
    monkeypatch.setattr("simulator.engine.graph.solver.compiled", {})
    monkeypatch.setattr("simulator.analysis.odds.first.EXACT_SECONDS", 0.02)
    monkeypatch.setattr("simulator.analysis.odds.first.BATTLE_SECONDS", 0.05)


def test_a_large_battle_is_simulated_and_says_how_to_get_more(nothing_compiled):
    found = answer(land(60, 55), AT_ONCE)
    assert found.method == "simulated"
    assert 512 <= found.battles <= 1 << 15
    assert found.limited.startswith("within ")
    assert "exact odds: --exact, about " in found.how()
    assert abs(found.winner("attacker") - exact(land(60, 55)).winner("attacker")) < 0.08


def test_its_battles_are_the_first_ones_of_the_seed(nothing_compiled):
    found = answer(land(60, 55), AT_ONCE)
    assert found.table.equals(simulate(land(60, 55), found.battles).table)


def test_a_small_battle_is_exact_at_once(nothing_compiled):
    assert answer(land(9, 8), AT_ONCE).table.equals(exact(land(9, 8)).table)


def test_several_stages_are_answered_at_once_too(nothing_compiled):
    found = answer("europa-season-1632", AT_ONCE)
    assert found.method == "exact" or "within" in found.limited


@pytest.mark.parametrize("method", [replace(AT_ONCE, exact=True), replace(AT_ONCE, precision=0.01)])
def test_a_method_that_was_chosen_compiles_as_ever(method):
    assert answer(land(60, 55), method).method == "exact"


def test_what_was_not_compiled_is_not_refused_later(nothing_compiled):
    scenario = load(land(60, 55))
    assert answer(scenario, AT_ONCE).method == "simulated"
    assert exact(scenario).method == "exact"


def test_compiled_kernels_answer_exactly():
    exact(land(60, 55))
    assert answer(land(60, 55), AT_ONCE).method == "exact"


def test_a_battle_whose_single_rolls_take_too_much_room_compiles(nothing_compiled):
    """A state of 600 infantry a side has 361,201 pairs of results."""
    force = {"infantry": 600}
    both = {"game": "axis-and-allies-1942", "battle": "land", "attacker": force, "defender": force}
    with pytest.raises(NotCompiled, match=r"about \d+ s, once"), without_compiling(0.01):
        exact_outcomes(load(both).chain)


def test_the_automatic_choice_leaves_exact_odds_for_battles(monkeypatch):
    monkeypatch.setattr("simulator.analysis.odds.run.MOST_REPORTS", 1)
    exact(land(150, 150))  # whatever is compiled, later answers report from kernels
    found = answer(land(150, 150), Method(precision=0.01))
    assert found.method == "simulated"
    assert answer(land(150, 150), Method(exact=True)).method == "exact"


def test_calls_of_a_step_measure_its_time_alike_on_every_machine():
    risk, things = load(land(20, 15)).chain, load("knt-raid").chain
    assert calls_a_step(risk) == calls_a_step(load(land(20, 15)).chain)
    assert 1.5 * calls_a_step(risk) < calls_a_step(things)


def test_a_profiler_that_runs_is_left_alone():
    """`cProfile` stands in the place of `sys.setprofile` on Python 3.11, and beside it from 3.12 on."""
    chain = load(land(20, 15)).chain

    def called_afterwards():
        return 1

    profiler = cProfile.Profile()
    profiler.enable()
    try:
        replaces = sys.getprofile() is not None
        assert (calls_a_step(chain) == USUAL_CALLS) is replaces
        called_afterwards()
    finally:
        profiler.disable()
    profiler.create_stats()
    assert called_afterwards.__name__ in {name for _, _, name in profiler.stats}


def test_plain_python_is_slow_at_most_once_for_a_kind_of_battle(nothing_compiled, monkeypatch):
    monkeypatch.setattr(cost_model, "_slow", set())
    monkeypatch.setattr(cost_model, "_seconds_spent", {})
    chain = load(land(20, 15)).chain
    assert cost_model.patience_for(chain, "grow") > 1
    cost_model.spent(chain, 1.4)
    assert cost_model.patience_for(chain, "grow") == cost_model.SLOW
