"""Solving a battle backwards: what every state is worth when the value of each ending is known.

Works on the same graph as the exact odds, so a rule is never written twice. States where a side decides are ordinary
states of the graph; a solver for optimal play replaces the expected value by the decider's best at those.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.compiled import kernel
from simulator.engine.graph import Graph
from simulator.engine.limits import EDGE_BUDGET

PRECISION = 1e-15
MOST_SWEEPS = 100_000


@kernel
def settle(rows, g, states, value, precision, sweeps):
    """Gauss-Seidel from the last found state to the first until no value moves; returns the last change."""
    change = 0.0
    for _ in range(sweeps):
        change = 0.0
        for i in range(states - 1, -1, -1):
            if g.open[i]:
                t = g.table[i]
                stay, total = 0.0, 0.0
                for row in range(rows.first[t + 1] - rows.first[t]):
                    j = g.to[g.begin[i] + row]
                    if j == i:
                        stay += rows.weight[rows.first[t] + row]
                    else:
                        total += rows.weight[rows.first[t] + row] * value[j]
                new = total / (1.0 - stay)
                change = max(change, abs(new - value[i]))
                value[i] = new
        if change <= precision:
            break
    return change


def state_values(chain: Chain, worth: Callable[[Any], np.ndarray], budget: int = EDGE_BUDGET) -> tuple[Any, np.ndarray]:
    """Every reachable state (a State of int arrays) and its expected `worth` at the end (float64).

    `worth` maps final states (a State of arrays) to numbers: 1 where the attacker wins gives win chances, units
    lost gives expected losses. Raises NoExactOdds past `budget` edges.
    """
    graph = Graph(chain, budget)
    graph.explore()
    states = graph.states()
    final = ~graph.store.open[: graph.size]
    value = np.zeros(graph.size)
    value[final] = worth(type(states)(*(field[final] for field in states)))
    settle(chain.tables.rows, graph.store, graph.size, value, PRECISION, MOST_SWEEPS)
    return states, value
