"""The chances of a graph without loops whose edges carry several counters.

States are taken in topological order. Each holds the chances of all numbers (see `counters.Counters`) between the
smallest and the largest with which it is reached, and hands them on along its edges, shifted. The layers of
`graph_passes.spread` would be as many as there are numbers.
"""

from __future__ import annotations

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.model.limits import NoExactOdds, Progress

# Sums of chances: some 20 s.
MOST_WORK = 2 * 10**10
# States between two calls of `progress`.
PAUSE = 1 << 12


def windowed_chances(
    graph: Graph, order: np.ndarray, progress: Progress | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The final states reached: their numbers (int64), the numbers of their counters (int64) and chances (float64).

    `order`: the states, each before those that it leads to. Raises NoExactOdds for too many sums.
    """
    assert graph.inc is not None
    begin, to, inc, final = graph.begin.tolist(), graph.to.tolist(), graph.inc.tolist(), graph.final.tolist()
    _, _, chance = graph.edges_of(np.flatnonzero(~graph.final))
    low, high = _windows(begin, to, inc, order.tolist())
    fan = np.diff(graph.begin)
    if (work := int(fan @ (np.array(high) - low + 1).clip(0))) > MOST_WORK:
        raise NoExactOdds(f"counters: {work:,} sums are needed; they would take too long")
    weights = chance.tolist()
    held: list[np.ndarray | None] = [None] * len(graph)
    held[0] = np.ones(1)
    found = []
    for done, i in enumerate(order.tolist()):
        own, held[i] = held[i], None
        if own is None:
            continue
        if final[i]:
            places = np.flatnonzero(own)
            found.append((np.full(len(places), i), places + low[i], own[places]))
            continue
        for e in range(begin[i], begin[i + 1]):
            j = to[e]
            after = held[j]
            if after is None:
                after = held[j] = np.zeros(high[j] - low[j] + 1)
            place = low[i] + inc[e] - low[j]
            after[place : place + len(own)] += weights[e] * own
        if progress and done % PAUSE == 0:
            progress(len(graph))
    numbers, counts, p = zip(*found, strict=True)
    return np.concatenate(numbers), np.concatenate(counts), np.concatenate(p)


def _windows(begin: list[int], to: list[int], inc: list[int], order: list[int]) -> tuple[list[int], list[int]]:
    """The smallest and the largest number with which each state is reached; the smallest is larger for none."""
    most = 1 << 40
    low, high = [most] * len(order), [-1] * len(order)
    low[0] = high[0] = 0
    for i in order:
        least, largest = low[i], high[i]
        if largest < 0:
            continue
        for e in range(begin[i], begin[i + 1]):
            j, more = to[e], inc[e]
            low[j] = min(low[j], least + more)
            high[j] = max(high[j], largest + more)
    return low, high
