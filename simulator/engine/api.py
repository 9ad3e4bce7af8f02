"""The public functions of the engine. Each name is imported at its first use, so that numba is loaded late."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.engine.exact import exact_ends, warm_up
    from simulator.engine.factored.grid import fits_on_grid, too_wide
    from simulator.engine.graph.explore import explore
    from simulator.engine.graph.graph import Graph
    from simulator.engine.graph.graph_cache import fight_by_rules, spell_out
    from simulator.engine.graph.solver import Solver
    from simulator.engine.graph.state_values import state_values
    from simulator.engine.graph.value_iteration import Played, best_option, first_state, played
    from simulator.engine.jit.kernel_cache import PACKAGE, announce, cache_folder, clear
    from simulator.engine.sample.battle_steps import rolls_a_battle
    from simulator.engine.sample.interpreted_walk import FirstBattles
    from simulator.engine.sample.per_battle import each_end
    from simulator.engine.sample.simulation import Simulation, told_steps
    from simulator.engine.sample.tail_solver import enter, largest, region, tells_what_is_left
    from simulator.engine.simulate import simulation_of

_MODULES = {
    "exact": ("exact_ends", "warm_up"),
    "factored.grid": ("fits_on_grid", "too_wide"),
    "graph.explore": ("explore",),
    "graph.graph": ("Graph",),
    "graph.graph_cache": ("fight_by_rules", "spell_out"),
    "graph.solver": ("Solver",),
    "graph.state_values": ("state_values",),
    "graph.value_iteration": ("Played", "best_option", "first_state", "played"),
    "jit.kernel_cache": ("PACKAGE", "announce", "cache_folder", "clear"),
    "sample.interpreted_walk": ("FirstBattles",),
    "sample.battle_steps": ("rolls_a_battle",),
    "sample.per_battle": ("each_end",),
    "sample.simulation": ("Simulation", "told_steps"),
    "simulate": ("simulation_of",),
    "sample.tail_solver": ("enter", "largest", "region", "tells_what_is_left"),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}

__all__ = [
    "PACKAGE",
    "FirstBattles",
    "Graph",
    "Played",
    "Simulation",
    "Solver",
    "announce",
    "best_option",
    "cache_folder",
    "clear",
    "each_end",
    "enter",
    "exact_ends",
    "explore",
    "fight_by_rules",
    "first_state",
    "fits_on_grid",
    "largest",
    "played",
    "region",
    "rolls_a_battle",
    "simulation_of",
    "spell_out",
    "state_values",
    "tells_what_is_left",
    "told_steps",
    "too_wide",
    "warm_up",
]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"simulator.engine.{_MODULE_OF[name]}"), name)
