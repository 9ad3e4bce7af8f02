"""First answers of two-roll battles: their battles are those of the same seed once kernels are compiled."""

import pytest

from simulator.analysis.odds.answer import answer, simulate
from simulator.analysis.odds.method import Method
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.jit import cost_model, kernel_cache
from simulator.engine.sample import graph_tables
from simulator.scenarios import load

pytestmark = pytest.mark.xdist_group("custom")  # its rules are compiled once, by one worker

LARGE = {
    "game": "axis-and-allies-1942",
    "battle": "land",
    "attacker": {"infantry": 12, "tank": 6},
    "defender": {"infantry": 14, "fighter": 4},
}


@pytest.fixture
def nothing_compiled(monkeypatch):
    monkeypatch.setattr(kernel_cache, "is_ready", lambda kernel, params: False)
    monkeypatch.setattr(cost_model, "compiled_here", set())
    monkeypatch.setattr("simulator.engine.graph.solver.compiled", {})
    monkeypatch.setattr("simulator.analysis.odds.first.EXACT_SECONDS", 1e-9)
    monkeypatch.setattr("simulator.analysis.odds.first.BATTLE_SECONDS", 0.01)


def test_a_first_answer_has_the_battles_of_its_seed(nothing_compiled, monkeypatch):
    for module in (cost_model, graph_tables):
        monkeypatch.setattr(module, "FIRST_WORK", 600)
    first = answer("axis-land-eastern-front", Method(at_once=True, seed=3))
    assert first.method == "simulated"
    assert first.table.equals(simulate("axis-land-eastern-front", first.battles, seed=3).table)


@pytest.mark.parametrize("scenario", [LARGE, "skirmish-hill", "axis-revised-convoy", "axis-sea-wolfpack"])
def test_a_battle_with_one_number_for_both_rolls_has_an_exact_first_answer(scenario, nothing_compiled):
    first = answer(scenario, Method(at_once=True))
    assert graph_tables.drawn_at_once(graph_of(load(scenario).chain))
    assert first.method == "exact"
