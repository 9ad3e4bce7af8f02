"""Enumeration of a chain: first interpreted, then by compiled rules; both number the states alike."""

from __future__ import annotations

import time

import numpy as np

from simulator.engine.graph.graph import Graph, refuse_least
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.size_bound import look_around, look_before_compiling
from simulator.engine.jit import kernel_cache
from simulator.engine.jit.time_budgets import compiled_here, patience_for, spent
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import EXACT_BYTES, Progress


def explore(
    chain: Chain,
    budget: int = EXACT_BYTES,
    progress: Progress | None = None,
    decisions: bool = False,
    starts: np.ndarray | None = None,
) -> Graph:
    """The graph of a chain. Decisions of `best` policies are nodes; with `decisions`, all decisions are.

    With `starts` (int64, shape (starts, fields)) exploration begins with these states instead of the start of the
    chain. Raises NoExactOdds past `budget` bytes, BrokenGame for a game that breaks its contract.
    """
    refuse_least(chain, *chain.at_least, budget)
    if (patience := patience_for(chain, "grow")) > 0:
        begun = time.thread_time()
        explorer = PlainExplorer(chain, budget, decisions, look_around)
        graph = explorer.explore(patience, starts)
        spent(chain, time.thread_time() - begun)
        if graph is not None:
            return graph
        if starts is None and not kernel_cache.is_ready("grow", type(chain.params)):
            look_before_compiling(explorer)
    from simulator.engine.graph.compiled_explorer import CompiledExplorer
    from simulator.engine.graph.compiled_size_bound import look_while_growing

    compiled_here.add(type(chain.params))
    return CompiledExplorer(chain, budget, decisions, look_while_growing).explore(progress, starts)
