"""The chances of a small graph in one compiled call: all that `solve.Solver.chances` calls one by one.

Where a graph has some hundred states, calling the passes takes longer than they do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import int64

from simulator.engine.chain import Ends
from simulator.engine.compiled import Kernel, inner, kernel
from simulator.engine.explicit import Graph
from simulator.engine.passes import (
    COMPONENT,
    DENSE,
    DONE,
    MAY_CUT,
    PAUSE,
    UNLIKELY,
    WHERE,
    Flow,
    Found,
    Net,
    Plan,
    find_components,
    spread,
)
from simulator.engine.passes import FOUND as ENDINGS
from simulator.engine.solve import Passes, compiled

# Room for so many endings; a graph with more is solved pass by pass.
ROOM = 1 << 13
# Room for the chance of every state, for each value that an edge adds to the counter.
MOST_RING = 1 << 24

_components = inner(find_components)
_spread = inner(spread)


class Space(NamedTuple):
    """Work space: rows of whole numbers, one for each state and one more, and the matrix of a component."""

    rows: np.ndarray
    edge: np.ndarray
    loop: np.ndarray
    matrix: np.ndarray
    side: np.ndarray


@inner
def search(net, space, counted, row):
    """Components: how many there are; `order`, `at`, `of` in three rows of the work space from this one."""
    rows = space.rows
    for i in range(rows.shape[1]):
        rows[0, i] = 0
        space.loop[row // 3, i] = 0
    rows[row + 1, 0] = 0
    work = (rows[0, :-1], rows[1], rows[2], rows[3], space.edge)
    return _components(net, counted, work, rows[row], rows[row + 1], rows[row + 2], space.loop[row // 3])


@kernel
def spread_at_once(net, space, flow, found, at, counted):
    """Push all chance to the final states: DONE, or why that has to be done pass by pass."""
    size, rows = net.table.shape[0], space.rows
    count = search(net, space, counted, 4)
    if counted:
        straight = search(net, space, False, 7)
        at[MAY_CUT] = int64(straight < size)
        for i in range(size):
            at[MAY_CUT] |= int64(space.loop[2, i])
    at[COMPONENT], at[WHERE] = count, -1
    flow.low[:] = count
    flow.high[:] = -1
    flow.low[0], flow.high[0] = rows[6, 0] if flow.low.shape[0] > 1 else 0, count - 1
    plan = Plan(rows[4], rows[5, : count + 1], rows[6], space.loop[1], rows[1], space.matrix, space.side)
    return _spread(net, plan, flow, found, at, PAUSE)


@kernel
def unpack(keys, layout, numbers, fields):
    """The fields of packed states, one a row."""
    for f in range(fields.shape[0]):
        word, shift, mask = layout.word[f], layout.shift[f], layout.mask[f]
        for i in range(fields.shape[1]):
            fields[f, i] = int64((keys[word, numbers[i]] >> shift) & mask)


def _call(function: Kernel, *args: Any) -> Any:
    if function.__name__ not in compiled:
        compiled[function.__name__] = function.of(Passes())
    return compiled[function.__name__](*args)


def ends_at_once(graph: Graph) -> Ends | None:
    """The final states of a small graph and their chances; None where the passes have to be called one by one."""
    chain, size = graph.chain, len(graph)
    counted, tables, layout = chain.counted, chain.tables, chain.layout
    inc = np.empty(0, np.uint32) if graph.inc is None else graph.inc
    second = np.empty(0, np.int32) if graph.second is None else graph.second
    net = Net(graph.begin, graph.to, inc, graph.table, second, tables.first, tables.weight)
    width = int(inc.max(initial=0)) + 1
    if width * size > MOST_RING:
        return None
    space = Space(
        np.empty((10, size + 1), np.int32),
        np.empty(size, np.int64),
        np.empty((3, size + 1), np.int8),
        np.empty(DENSE * DENSE),
        np.empty(DENSE),
    )
    ring, lost = np.zeros(width * size), np.array([0.0, UNLIKELY if chain.paired else 0.0])
    ring[0] = 1.0
    flow = Flow(ring, np.empty(width, np.int64), np.empty(width, np.int64), lost)
    found = Found(np.empty(ROOM, np.int32), np.empty(ROOM, np.int64), np.empty(ROOM))
    at = np.zeros(6, np.int64)
    if _call(spread_at_once, net, space, flow, found, at, counted >= 0) != DONE:
        return None
    count = int(at[ENDINGS])
    numbers, counts, p = found.state[:count], found.layer[:count], found.p[:count].copy()
    fields = np.empty((len(chain.start), count), np.int64)
    _call(unpack, graph.keys, layout, numbers, fields)
    if counted >= 0:
        fields[counted] = counts + int(chain.start[counted])
        if fields[counted].max(initial=0) > layout.limit[counted]:
            return None
    left = float(lost[0]) + (float(ring.sum()) if at[MAY_CUT] else 0.0)
    return Ends(type(chain.start)(*fields), p, residual=left, explored=size)
