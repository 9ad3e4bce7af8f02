"""The expected value of every state of a chain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.solver import Solver
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import EXACT_BYTES, Progress


def state_values(
    chain: Chain, worth: Callable[[Any], np.ndarray], budget: int = EXACT_BYTES, progress: Progress | None = None
) -> tuple[Any, np.ndarray]:
    """Every reachable state (a State of int arrays) and the expected `worth` of its outcome (float64).

    `worth` maps final states (a State of arrays) to numbers: 1 if the attacker wins gives win chances, units lost
    give expected losses. Counters are 0 in these states. Raises NoExactOdds past `budget` bytes.
    """
    graph = graph_of(chain, budget, progress)
    value = np.zeros(len(graph))
    value[graph.final] = worth(graph.states(graph.final))
    return graph.states(), Solver(graph, counted=False).values(value, progress)
