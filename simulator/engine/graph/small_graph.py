"""The chances of a small graph in one compiled call, in place of the separate passes of `solver.Solver.chances`.

For a few hundred states the calls would take longer than the passes themselves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64

from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_passes import (
    COMPONENT,
    DENSE,
    MAY_CUT,
    PAUSE,
    WHERE,
    Endings,
    Flow,
    Net,
    Ordered,
    find_components,
    spread,
)
from simulator.engine.graph.graph_passes import FOUND as ENDINGS
from simulator.engine.graph.solver import Passes, compiled
from simulator.engine.jit.kernels import Kernel, inner, kernel
from simulator.engine.model.chain import OutcomeDistribution
from simulator.engine.model.chance import NEGLIGIBLE
from simulator.engine.model.status import DONE

# Room for endings; a graph with more of them is solved by separate passes.
ROOM = 1 << 13
# Room for the chance of every state, for each value that an edge adds to the counter.
MOST_RING = 1 << 24

_components = inner(find_components)
_spread = inner(spread)


class Space(NamedTuple):
    """Scratch buffers in few arrays, since each argument costs as much time as several states.

    `rows` has one row for each property of a state, and one more column; `layers` has two rows with a number for each
    layer of the counter that edges reach; `matrix` holds the matrix of a component and its right side.
    """

    rows: np.ndarray
    layers: np.ndarray
    matrix: np.ndarray


PASSES = Passes()
# The rows of the buffer: five for the search; then order, bounds, component and loops, first with the counter, then
# without.
WORK, WITH, WITHOUT, ROWS = 0, 5, 9, 13


@inner
def search(net, rows, counted, first):
    """The number of components; `order`, `at`, `of`, `loop` are in four rows of the buffer, beginning with `first`."""
    rows[WORK] = 0
    rows[first + 3] = 0
    rows[first + 1, 0] = 0
    work = (rows[0, :-1], rows[1], rows[2], rows[3], rows[4])
    return _components(net, counted, work, rows[first], rows[first + 1], rows[first + 2], rows[first + 3])


@kernel
def spread_at_once(net, space, ring, found, at, unlikely):
    """Push all chance to the final states: DONE, or a status that needs separate passes."""
    # Kernels take plain tuples: passing named tuples takes twice as long.
    net, space, found = Net(*net), Space(*space), Endings(*found)
    size, rows, counted = net.table.shape[0], space.rows, net.inc.shape[0] > 0
    count = search(net, rows, counted, WITH)
    if counted:
        at[MAY_CUT] = int64(search(net, rows, False, WITHOUT) < size)
        for i in range(size):
            at[MAY_CUT] |= int64(rows[WITHOUT + 3, i])
    at[COMPONENT], at[WHERE] = count, -1
    low, high = space.layers[0], space.layers[1]
    low[:] = count
    high[:] = -1
    low[0], high[0] = rows[WITH + 2, 0] if low.shape[0] > 1 else 0, count - 1
    ring[0] = 1.0
    lost = space.matrix[-2:]
    lost[0], lost[1] = 0.0, unlikely
    side = space.matrix[DENSE * DENSE : -2]
    plan = Ordered(rows[WITH], rows[WITH + 1, : count + 1], rows[WITH + 2], rows[WITH + 3], rows[1], space.matrix, side)
    return _spread(net, plan, Flow(ring, low, high, lost), found, at, PAUSE)


@kernel
def unpack(keys, layout, numbers, fields):
    """The fields of packed states, one field in each row."""
    for f in range(fields.shape[0]):
        word, shift, mask = layout[0][f], layout[1][f], layout[2][f]
        for i in range(fields.shape[1]):
            fields[f, i] = int64((keys[word, numbers[i]] >> shift) & mask)


def _call(function: Kernel, *args: Any) -> Any:
    run = compiled[function.__name__] = function.of(PASSES)
    return run(*args)


def small_graph_outcomes(graph: Graph) -> OutcomeDistribution | None:
    """The final states of a small graph and their chances; None if it needs separate passes."""
    chain, size = graph.chain, len(graph)
    counted, tables, layout = chain.counted, chain.tables, chain.layout
    inc = np.empty(0, np.uint32) if graph.inc is None else graph.inc
    second = np.empty(0, np.int32) if graph.second is None else graph.second
    net = graph.begin, graph.to, inc, graph.table, second, tables.first, tables.weight
    width = int(inc.max(initial=0)) + 1
    if width * size > MOST_RING:
        return None
    rows, layers = np.empty((ROWS, size + 1), np.int32), np.empty((2, width), np.int64)
    matrix, ring = np.empty(DENSE * DENSE + DENSE + 2), np.zeros(width * size)
    state, layer, p = np.empty(ROOM, np.int32), np.empty(ROOM, np.int64), np.empty(ROOM)
    at = np.zeros(6, np.int64)
    unlikely = NEGLIGIBLE if chain.paired else 0.0
    if _call(spread_at_once, net, (rows, layers, matrix), ring, (state, layer, p), at, unlikely) != DONE:
        return None
    count = int(at[ENDINGS])
    fields = np.empty((len(chain.start), count), np.int64)
    _call(unpack, graph.keys, layout[:3], state, fields)
    if counted >= 0:
        fields[counted] = layer[:count]
        if begun := int(chain.start[counted]):
            fields[counted] += begun
        # Endings are found layer by layer: the last one has the largest count.
        if count and fields[counted, -1] > layout.limit[counted]:
            return None
    left = float(matrix[-2]) + (float(ring.sum()) if at[MAY_CUT] else 0.0)
    return OutcomeDistribution(type(chain.start)(*fields), p[:count].copy(), residual=left, explored=size)
