"""Enumeration of a chain: first interpreted, then by compiled rules; both number the states alike."""

from __future__ import annotations

import numpy as np

from simulator.engine.graph.graph import Graph, over_budget, refuse_least, size_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.size_bound import look_around, look_before_compiling
from simulator.engine.jit import kernel_cache
from simulator.engine.jit.cost_model import Meter, compile_for, may_compile, patience_for, spent
from simulator.engine.model.chain import Chain
from simulator.engine.model.counters import on_loops
from simulator.engine.model.limits import EXACT_BYTES, NoExactOdds, Progress
from simulator.engine.model.packing import packed
from simulator.engine.model.plain import PlainDecided, PlainRolled

# Seconds of plain Python that solve the graph later, for each edge.
SOLVING_AN_EDGE = 3e-6


def explore(
    chain: Chain,
    budget: int = EXACT_BYTES,
    progress: Progress | None = None,
    decisions: bool = False,
    starts: np.ndarray | None = None,
    once: bool = False,
) -> Graph:
    """The graph of a chain. Decisions of `best` policies are nodes; with `decisions`, all decisions are.

    `once`: few graphs of this kind follow, and each is solved at once for all its answers.

    With `starts` (int64, shape (starts, fields)) exploration begins with these states instead of the start of the
    chain. Raises NoExactOdds past `budget` bytes, BrokenGame for a game that breaks its contract.
    """
    if found := listed(chain, budget, starts):
        return found
    refuse_least(chain, *chain.at_least, budget)
    if (patience := patience_for(chain, "grow", once)) > 0:
        explorer = PlainExplorer(chain, budget, decisions, look_around)
        solving = 0.0 if once else SOLVING_AN_EDGE
        meter = Meter(chain, patience, lambda step: explorer.price(step, solving))
        # A game's own lower bound may say beforehand that plain Python is not enough for a first answer. The number of
        # starts is such a bound, too.
        least = max(0 if may_compile() else chain.at_least[1], 0 if starts is None else len(starts))
        if least <= meter.most or not meter.is_over(least):
            graph = explorer.explore(meter, starts)
            spent(chain, meter.seconds(explorer.work))
            if graph is not None:
                return graph
            if starts is None and not kernel_cache.is_ready("grow", type(chain.params)):
                look_before_compiling(explorer)
    compile_for("grow", chain)
    from simulator.engine.graph.compiled_explorer import CompiledExplorer
    from simulator.engine.graph.compiled_size_bound import look_while_growing

    return CompiledExplorer(chain, budget, decisions, look_while_growing).explore(progress, starts)


def listed(chain: Chain, budget: int, starts: np.ndarray | None = None) -> Graph | None:
    """The graph of a chain in the plain form, whose states are known already; None for other chains. `starts` as for
    `explore`.

    None, too, where the counters of the battle are ordinary fields of the chain: then states are told apart by them.
    Raises NoExactOdds past `budget` bytes, and where such a field would rise without end.
    """
    p = chain.params
    if isinstance(p, PlainRolled | PlainDecided) and not chain.counters and p.more.any():
        source = np.repeat(np.arange(len(p.first)), np.diff(np.append(p.first, len(p.to))))
        if p.more[on_loops(source, p.to, len(p.first))].any():
            raise NoExactOdds("a counter of this battle rises without end: no states can be told apart by it")
        return None
    decided = isinstance(p, PlainDecided)
    if not (isinstance(p, PlainRolled) or (decided and chain.utilities)) or (starts is None and chain.start.place):
        return None
    states, edges = len(p.table), len(p.to) if p.table[0] >= 0 else 0
    if size_of(chain, states, edges) > budget:
        raise over_budget(chain, states, 0, edges, budget)
    places = np.column_stack([np.arange(states), np.zeros(states, np.int64)])
    found = Graph(
        chain,
        packed(chain.layout, places),
        p.table.astype(np.int32),
        None,
        p.owner.astype(np.int8) if decided else None,
        np.append(p.first, edges),
        p.to[:edges].astype(np.int32),
        p.more[:edges].astype(np.uint32) if chain.counters else None,
    )
    if starts is not None:
        found.starts = starts[:, chain.start._fields.index("place")]
    return found
