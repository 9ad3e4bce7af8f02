"""Exact odds in float64, from the same rules that the simulation uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from simulator.engine.factored.grid import fits_on_grid
from simulator.engine.factored.solve_grid import grid_outcomes
from simulator.engine.graph.explore import explore
from simulator.engine.graph.graph import Graph, over_budget, size_of
from simulator.engine.graph.graph_cache import graph_of, keep_graph
from simulator.engine.graph.solver import MOST_AT_ONCE, MOST_FACTORED, Solver, fits_one_call, values_at_once
from simulator.engine.jit.cost_model import compile_for
from simulator.engine.jit.kernel_cache import is_ready
from simulator.engine.model.chain import Chain, LastRoll, ManyOutcomes, OutcomeDistribution
from simulator.engine.model.contract import check_contract
from simulator.engine.model.limits import EXACT_BYTES, BrokenGame, NoExactOdds, Progress
from simulator.engine.model.packing import packed
from simulator.engine.model.ragged import members


def exact_outcomes(
    chain: Chain, budget: int = EXACT_BYTES, progress: Progress | None = None, counted: bool = True
) -> OutcomeDistribution:
    """The final states of a battle and their chances; without `counted`, the counter of those of a large one is 0.

    Loops are solved in closed form; an unbounded counter is followed until less than 1e-18 of the chance remains.
    Raises NoExactOdds when the graph would take more than `budget` bytes, BrokenGame for a game that breaks its
    contract. `progress(states)` is called regularly with the number of states so far.
    """
    if chain.last is not None:
        return _ended(chain, chain.last, exact_outcomes(chain.last.before, budget, progress), budget)
    found = grid_outcomes(chain, budget, progress) if fits_on_grid(chain) else None
    if found:
        return found
    graph = graph_of(chain, budget, progress)
    try:
        return outcomes_of(graph, progress, counted)
    except NoExactOdds:  # it would take too long; battles walk the graph
        keep_graph(chain, graph)
        raise


def outcomes_from(
    chain: Chain,
    starts: np.ndarray,
    budget: int = EXACT_BYTES,
    progress: Progress | None = None,
    counted: bool = True,
) -> ManyOutcomes:
    """The final states of battles from many starts of one chain, start after start, and their chances.

    `starts`: int64, shape (starts, fields). Without `counted`, all battles share one graph and one pass where its loops
    are small, and counters are 0 in final states; else each start is answered alone, with its counter. A single start
    without its counter takes half the time where its battle is followed count by count.
    Raises as `exact_outcomes`.
    """
    alone = chain.utilities or chain.last or fits_on_grid(chain) or len(starts) < 2 - bool(chain.counters)
    if not alone and not (counted and chain.counters):
        from simulator.engine.graph.many_starts import ManyStarts

        graph = _explored(chain, starts, budget, progress)
        if found := ManyStarts(graph).ends(progress):
            start, numbers, p = found
            return ManyOutcomes(graph.states(numbers), p, start, np.zeros(len(starts)), len(graph))
    begun = (type(chain.start)(*row) for row in starts.tolist())
    chains = (chain if start == chain.start else replace(chain, start=start) for start in begun)
    ends = [exact_outcomes(one, budget, progress) for one in chains]
    return ManyOutcomes(
        type(chain.start)(*(np.concatenate(field) for field in zip(*(one.states for one in ends), strict=True))),
        np.concatenate([one.p for one in ends]),
        np.repeat(np.arange(len(ends)), [len(one) for one in ends]),
        np.array([one.residual for one in ends]),
        sum(one.explored for one in ends),
    )


def _explored(
    chain: Chain, starts: np.ndarray, budget: int, progress: Progress | None = None, once: bool = False
) -> Graph:
    """The graph that these starts share; its `starts` are in their order."""
    check_contract(chain)
    # In one order, so that chances do not depend on whether rules were compiled: explorers number states alike.
    _, first, which = np.unique(packed(chain.layout, starts), axis=1, return_index=True, return_inverse=True)
    graph = explore(chain, budget, progress, starts=starts[first], once=once)
    graph.starts = graph.starts[which.ravel()]
    return graph


def values_from(chain: Chain, starts: np.ndarray, worth: Callable[[Any], np.ndarray]) -> np.ndarray:
    """Expected values of the ends of battles from many starts of one chain: float64, shape (values, starts).

    `starts`: int64, shape (starts, fields). `worth(states)`: the values of final states (a State of int arrays, its
    counters 0), float64, shape (values, states). All starts share one graph, which is solved once for all values.
    Raises as `exact_outcomes`.
    """
    graph = _explored(chain, starts, EXACT_BYTES, once=True)
    value = np.zeros((len(values := worth(graph.states(graph.final))), len(graph)))
    value[:, graph.final] = values
    # A factorization solves all values at once and compiles nothing; larger graphs are those of ships of six classes.
    if len(graph.to) <= MOST_FACTORED:
        found = values_at_once(graph, value)
    else:
        solver = Solver(graph, False, plain=False)
        found = np.array([solver.values(ends) for ends in value])
    return np.asarray(found[:, graph.starts])


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
    which, inside = members(sizes)
    place = first[table][which] + inside
    p = ends.p[which] * weight[place]
    states = last.after(type(ends.states)(*(values[which] for values in ends.states)), result[place])
    if last.merges:
        _, first, which = np.unique(
            packed(chain.layout, np.array(states).T), axis=1, return_index=True, return_inverse=True
        )
        states = type(states)(*(values[first] for values in states))
        p = np.bincount(which.ravel(), p)
        explored += len(p) - size
    return OutcomeDistribution(states, p, residual=ends.residual, explored=explored)


def outcomes_of(graph: Graph, progress: Progress | None = None, counted: bool = True) -> OutcomeDistribution:
    """The final states of an enumerated battle and their chances; `counted` as for `exact_outcomes`."""
    if len(graph.chain.units) == 1 and fits_one_call(len(graph.to)):
        from simulator.engine.graph.small_graph import small_graph_outcomes

        if found := small_graph_outcomes(graph):
            return found
    numbers, counts, p, left = Solver(graph, counted).chances(progress)
    return OutcomeDistribution(graph.states(numbers, counts), p, residual=left, explored=len(graph))


def expect_many(chain: Chain, values: bool = False) -> None:
    """End plain Python for chains of this kind if their kernels only have to be loaded: many answers follow.

    `values`: those of `values_from`, which explores all chains.
    """
    kernel = "push_through" if fits_on_grid(chain) and not values else "grow"
    if is_ready(kernel, type(chain.params)):
        compile_for(kernel, chain)


def warm_up(chain: Chain, budget: int = EXACT_BYTES) -> None:
    """Compile or load all kernels that exact odds of such chains need, so that later answers use no plain Python.

    Raises NoExactOdds as `exact_outcomes`.
    """
    from simulator.engine.graph.compiled_explorer import CompiledExplorer

    while chain.last is not None:
        chain = chain.last.before
    compile_for("grow", chain)
    if fits_on_grid(chain):
        compile_for("push_through", chain)
        if grid_outcomes(chain, budget):
            return
    from simulator.engine.graph.many_starts import ManyStarts

    graph = CompiledExplorer(chain, budget).explore()
    if len(graph.to) <= MOST_AT_ONCE:
        from simulator.engine.graph.small_graph import small_graph_outcomes

        small_graph_outcomes(graph)
    Solver(graph, plain=False).chances()
    ManyStarts(graph, plain=False).ends()
