"""The public functions of the engine. Each name is imported at its first use, so that numba is loaded late."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.engine.exact import exact_outcomes, expect_many, outcomes_from, values_from, warm_up
    from simulator.engine.factored.grid import fits_on_grid, too_wide
    from simulator.engine.graph.explore import explore
    from simulator.engine.graph.graph import Graph
    from simulator.engine.graph.graph_cache import bytes_kept, forget_graph, graph_of, simulate_by_rules, state_values
    from simulator.engine.graph.solver import Solver
    from simulator.engine.graph.value_iteration import (
        BestPolicy,
        best_option,
        best_policy,
        first_state,
        too_many_transitions,
    )
    from simulator.engine.jit.cost_model import without_compiling
    from simulator.engine.jit.kernel_cache import PACKAGE, announce, cache_folder, clear, kept
    from simulator.engine.sample.interpreted_walk import InterpretedSimulation, OutOfRoom, courses
    from simulator.engine.sample.per_battle import each_outcome, numbered_outcomes
    from simulator.engine.sample.plain_walk import rolls_a_battle
    from simulator.engine.sample.simulation import Simulation, replay_steps
    from simulator.engine.simulate import simulation_of

_MODULES = {
    "exact": ("exact_outcomes", "expect_many", "outcomes_from", "values_from", "warm_up"),
    "factored.grid": ("fits_on_grid", "too_wide"),
    "graph.explore": ("explore",),
    "graph.graph": ("Graph",),
    "graph.graph_cache": ("bytes_kept", "forget_graph", "simulate_by_rules", "graph_of", "state_values"),
    "graph.solver": ("Solver",),
    "graph.value_iteration": ("BestPolicy", "best_option", "first_state", "best_policy", "too_many_transitions"),
    "jit.cost_model": ("without_compiling",),
    "jit.kernel_cache": ("PACKAGE", "announce", "cache_folder", "clear", "kept"),
    "sample.interpreted_walk": ("InterpretedSimulation", "OutOfRoom", "courses"),
    "sample.plain_walk": ("rolls_a_battle",),
    "sample.per_battle": ("each_outcome", "numbered_outcomes"),
    "sample.simulation": ("Simulation", "replay_steps"),
    "simulate": ("simulation_of",),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(f"simulator.engine.{_MODULE_OF[name]}"), name)
    return found
