"""The graph of a chain with its decisions made, or its refusal; both are cached in the chain. Values of its states."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.engine.factored.grid import too_wide
from simulator.engine.graph.explore import explore
from simulator.engine.graph.graph import Graph, size_of
from simulator.engine.graph.graph_passes import draw_back
from simulator.engine.graph.solver import Solver, values_plainly
from simulator.engine.graph.value_iteration import best_policy
from simulator.engine.model.chain import Chain
from simulator.engine.model.contract import check_contract
from simulator.engine.model.limits import EXACT_BYTES, QUICK_BYTES, NoExactOdds, NotCompiled, Progress

# Most edges of one state of a lazy graph: with more only a few states fit, and the rules alone are faster. Measured,
# 65,536 battles of Axis & Allies, 1,000 infantry and 1,000 tanks a side (145,161 edges): 0.23 s against 0.07 s; 300 and
# 300 a side (42,849 edges): 0.02 s against 0.04 s. They also compile in half the time.
MOST_EDGES = 1 << 17
# Kept with a chain: its graph (None: too large), and the largest budget that it exceeds.
_GRAPH, _REFUSED = "graph", "refused"


def graph_of(
    chain: Chain, budget: int = EXACT_BYTES, progress: Progress | None = None, decisions: bool = False
) -> Graph:
    """The graph of a chain. With `decisions`, states where a side decides are nodes; else its policy is followed.

    A policy `best` (`chain.utilities`) requires a solution of all states, independent of the budget.
    Raises NoExactOdds past `budget` bytes, BrokenGame for a game that breaks its contract.
    `progress(states)` is called regularly with the number of states so far.
    """
    check_contract(chain)
    if chain.utilities is not None and not decisions:
        return best_policy(chain).graph
    most, why = chain.kept.get(_REFUSED, (0, ""))
    if budget <= most:
        raise NoExactOdds(why)
    try:
        return explore(chain, budget, progress, decisions)
    except NotCompiled:
        raise
    except NoExactOdds as refusal:
        chain.kept[_REFUSED] = budget, str(refusal)
        raise


def graph_if_it_fits(chain: Chain) -> Graph | None:
    """The graph of the chain, or None if it is too large; cached, since the answer may take seconds.

    None, which is not cached, where it would have to be compiled (`cost_model.without_compiling`).
    """
    kept = chain.kept
    if _GRAPH not in kept:
        try:
            kept[_GRAPH] = graph_of(chain, QUICK_BYTES) if _pays(chain) else None
        except NotCompiled:
            return None
        except NoExactOdds:
            if chain.utilities is not None:
                raise
            kept[_GRAPH] = None
    graph: Graph | None = kept[_GRAPH]
    return graph


def keep_graph(chain: Chain, graph: Graph) -> None:
    """Keep this graph of the chain for `graph_if_it_fits`, if that would find it."""
    if _pays(chain) and size_of(chain, len(graph), len(graph.to)) <= QUICK_BYTES:
        chain.kept[_GRAPH] = graph


def forget_graph(chain: Chain) -> None:
    """Drop the graph of this chain and its results: they refer to each other and would be freed late."""
    if graph := chain.kept.pop(_GRAPH, None):
        graph.kept.clear()


def bytes_kept(chain: Chain) -> int:
    """The approximate bytes of the graphs kept with a chain, and of the results derived from them."""
    graphs = [
        one for kept in chain.kept.values() for one in (kept, getattr(kept, "open", None)) if isinstance(one, Graph)
    ]
    return sum(3 * size_of(chain, len(graph), len(graph.to)) for graph in graphs)


def simulate_by_rules(chain: Chain) -> None:
    """Simulate this chain without its graph, which is known to be too large or too slow."""
    chain.kept[_GRAPH] = None


def _pays(chain: Chain) -> bool:
    """Does a graph pay for battles? Best decisions need one in any case."""
    return chain.utilities is not None or (not too_wide(chain) and may_keep_states(chain))


def may_keep_states(chain: Chain) -> bool:
    """May battles of this chain keep the states that they visit? Not if one state has too many edges."""
    return int(chain.tables.largest) ** (2 if chain.paired else 1) <= MOST_EDGES


def counters_as_fields(chain: Chain) -> Chain:
    """The chain for samplers: its counter is an ordinary field, and the decisions at the start are taken."""
    return replace(chain, counters=(), start=chain.settled(chain.start))


def state_values(chain: Chain, worth: Callable[[Any], np.ndarray]) -> tuple[Any, np.ndarray]:
    """Every reachable state (a State of int arrays) and the expected `worth` of its outcome (float64).

    `worth` maps final states (a State of arrays) to numbers: 1 if the attacker wins gives win chances, units lost
    give expected losses. Counters are 0 in these states. Raises NoExactOdds for too many states.
    """
    graph = graph_of(chain)
    value = np.zeros(len(graph))
    value[graph.final] = worth(graph.states(graph.final))
    return graph.states(), Solver(graph, False, values_plainly(len(graph.to), draw_back)).values(value)
