"""Exact odds: every distinct state once, chances in float64, the same rules as the dice are rolled with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simulator.engine.chain import Chain, Ends
from simulator.engine.graph import Graph
from simulator.engine.limits import EDGE_BUDGET, EXACT_BYTES

# Chance that may still be running when enumeration stops; only battles that can return to an earlier state have any.
TOLERANCE = 1e-13


def exact_ends(chain: Chain, budget: int = EXACT_BYTES, progress: Callable[[int], Any] | None = None) -> Ends:
    """The final states of a battle and their chances.

    A state that returns to itself is summed in closed form; longer loops are followed until less than `TOLERANCE`
    is still running, which is reported as `residual`. Raises NoExactOdds when the graph would pass `budget` bytes.
    """
    graph = Graph(chain, min(budget // 20, EDGE_BUDGET))
    residual = graph.spread(TOLERANCE)
    final = ~graph.store.open[: graph.size]
    return Ends(graph.states(final), graph.store.mass[: graph.size][final], residual=residual, explored=graph.size)
