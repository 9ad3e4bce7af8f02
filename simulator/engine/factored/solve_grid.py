"""Exact odds on a grid: first interpreted, then compiled."""

from __future__ import annotations

import time

from simulator.engine.factored.grid import CyclicPlanes, PlainGrid, check_factored
from simulator.engine.jit.time_budgets import compiled_here, patience_for, spent
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.contract import check_contract
from simulator.engine.model.limits import Progress


def grid_outcomes(chain: Chain, budget: int, progress: Progress | None = None) -> OutcomeDistribution | None:
    """The distribution of outcomes of a chain that fits on a grid; None if its planes lead back to each other.

    Raises BrokenGame, NoExactOdds as `graph_cache.graph_of`.
    """
    check_contract(chain)
    try:
        check_factored(chain)
        patience = patience_for(chain, "push_through")
        found = None
        if patience > 0:
            begun = time.thread_time()
            found = PlainGrid(chain, budget).ends(patience)
            spent(chain, time.thread_time() - begun)
        if found is None:
            from simulator.engine.factored.grid_kernels import CompiledGrid

            compiled_here.add(type(chain.params))
            found = CompiledGrid(chain, budget).ends(progress)
        return found
    except CyclicPlanes:
        return None
