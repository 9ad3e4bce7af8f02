"""The public functions of the engine. Each name is imported at its first use, so that numba is loaded late."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from simulator.engine.model.lazy_names import homes_of

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

_HOMES = homes_of(__file__)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found
