"""Exact odds in float64, from the same rules that the simulation uses."""

from __future__ import annotations

import numpy as np

from simulator.engine.factored.grid import fits_on_grid
from simulator.engine.factored.solve_grid import grid_outcomes
from simulator.engine.graph.graph import Graph, over_budget, size_of
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.solver import MOST_AT_ONCE, Solver, fits_one_call
from simulator.engine.jit.time_budgets import compiled_here
from simulator.engine.model.chain import Chain, LastRoll, OutcomeDistribution
from simulator.engine.model.limits import EXACT_BYTES, BrokenGame, Progress


def exact_outcomes(chain: Chain, budget: int = EXACT_BYTES, progress: Progress | None = None) -> OutcomeDistribution:
    """The final states of a battle and their chances.

    Loops are solved in closed form; an unbounded counter is followed until less than 1e-18 of the chance remains.
    Raises NoExactOdds when the graph would take more than `budget` bytes, BrokenGame for a game that breaks its
    contract. `progress(states)` is called regularly with the number of states so far.
    """
    if chain.last is not None:
        return _ended(chain, chain.last, exact_outcomes(chain.last.before, budget, progress), budget)
    found = grid_outcomes(chain, budget, progress) if fits_on_grid(chain) else None
    return found or outcomes_of(graph_of(chain, budget, progress), progress)


def _ended(chain: Chain, last: LastRoll, ends: OutcomeDistribution, budget: int) -> OutcomeDistribution:
    """The final states after the last roll, computed from those before it."""
    first, result, weight = chain.tables.rows
    table = last.table(ends.states)
    if table.max(initial=0) >= len(chain.tables):
        raise BrokenGame(f"chance table {table.max()}: there are tables 0 to {len(chain.tables) - 1}; the last roll")
    over = table < 0
    table = np.where(over, 0, table)
    sizes = np.diff(first)[table]
    size = int(sizes.sum())
    explored = ends.explored + size - int(over.sum())
    if size_of(chain, explored, explored) > budget:
        raise over_budget(chain, explored, 0, explored, budget)
    which = np.repeat(np.arange(len(table)), sizes)
    place = np.arange(size) + np.repeat(first[table] - (np.cumsum(sizes) - sizes), sizes)
    states = type(ends.states)(*(values[which] for values in ends.states))
    p = ends.p[which] * weight[place]
    return OutcomeDistribution(last.after(states, result[place]), p, residual=ends.residual, explored=explored)


def outcomes_of(graph: Graph, progress: Progress | None = None) -> OutcomeDistribution:
    """The final states of an enumerated battle and their chances."""
    if fits_one_call(len(graph.to)):
        from simulator.engine.graph.small_graph import small_graph_outcomes

        if found := small_graph_outcomes(graph):
            return found
    numbers, counts, p, left = Solver(graph).chances(progress)
    return OutcomeDistribution(graph.states(numbers, counts), p, residual=left, explored=len(graph))


def warm_up(chain: Chain, budget: int = EXACT_BYTES) -> None:
    """Compile or load all kernels that exact odds of such chains need, so that later answers use no plain Python.

    Raises NoExactOdds as `exact_outcomes`.
    """
    from simulator.engine.graph.compiled_explorer import CompiledExplorer

    if chain.last is not None:
        chain = chain.last.before
    compiled_here.add(type(chain.params))
    if fits_on_grid(chain) and grid_outcomes(chain, budget):
        return
    graph = CompiledExplorer(chain, budget).explore()
    if len(graph.to) <= MOST_AT_ONCE:
        from simulator.engine.graph.small_graph import small_graph_outcomes

        small_graph_outcomes(graph)
    Solver(graph, plain=False).chances()
