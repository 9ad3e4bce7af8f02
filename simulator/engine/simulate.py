"""The choice between interpreted and compiled simulation of a chain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulator.engine.graph.graph_cache import graph_if_it_fits
from simulator.engine.jit import kernel_cache as cache
from simulator.engine.jit.cost_model import may_compile, patience_for
from simulator.engine.model.chain import Chain
from simulator.engine.model.contract import check_contract
from simulator.engine.sample.interpreted_walk import KERNEL, InterpretedSimulation
from simulator.engine.sample.plain_walk import LONG_BATTLE, rolls_a_battle

if TYPE_CHECKING:
    from simulator.engine.sample.simulation import Simulation


def simulation_of(chain: Chain, seed: int, threads: int | None = None) -> Simulation | InterpretedSimulation:
    """A simulation of a chain. A chain too large to enumerate is interpreted first, and compiled once that is faster.

    Raises BrokenGame for a game that breaks its contract.
    """
    check_contract(chain)
    slow = not cache.is_ready(KERNEL, type(chain.params)) and (patience_for(chain, KERNEL) > 0 or not may_compile())
    if slow and graph_if_it_fits(chain) is None and rolls_a_battle(chain) < LONG_BATTLE:
        return InterpretedSimulation(chain, seed, threads)
    from simulator.engine.sample.simulation import Simulation

    return Simulation(chain, seed, threads)
