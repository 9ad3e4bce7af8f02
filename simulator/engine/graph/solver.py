"""Solution of a graph: chances of its final states, values of all states.

The passes (`graph_passes`) run as plain Python over lists or compiled over arrays, whichever is faster.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from simulator.engine.graph.counter_windows import windowed_chances
from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_passes import (
    CERTAIN,
    COMPONENT,
    DENSE,
    FOUND,
    LAYER,
    MAY_CUT,
    PAUSE,
    SOLVED,
    WHERE,
    Endings,
    Flow,
    Net,
    Ordered,
    draw_back,
    find_components,
    outside,
    spread,
)
from simulator.engine.jit import kernel_cache as cache
from simulator.engine.jit.cost_model import SOLVING, may_compile
from simulator.engine.model.chance import NEGLIGIBLE
from simulator.engine.model.limits import EXACT_BYTES, BrokenGame, NoExactOdds, Progress, in_words
from simulator.engine.model.status import DONE, ENDLESS, LARGE, NEED_ROOM

# Seconds of plain Python for an edge; the layers of a counter count as several times the graph.
SECONDS_AN_EDGE, LAYERS = 1.2e-6, 4
# Seconds of plain Python after which the kernel takes over a pass whose number of layers is not known beforehand.
TAKEN_OVER = 2.0
# The values of a graph need a kernel of their own. An edge counts as this many, so that one graph takes at most 1.5 s
# of plain Python before this kernel is compiled.
ALONE = 4
# After this many layers of a counter, check that the battle can end at all.
SUSPICIOUS = 1 << 12
# A sparse factorization takes some 100 bytes an edge: larger graphs are passed backwards.
MOST_FACTORED = 1 << 22
# Up to FEW_STATES states without loops are passed backwards in at most ROUNDS rounds: importing SciPy takes 0.25 s.
FEW_STATES, ROUNDS = 1 << 10, 200
# Tolerance of the solved chance that a state reaches an end, which must be 1.
ENDING = 1e-9
# The kernel that solves a graph of at most this many edges in one call, see `small_graph`.
AT_ONCE, MOST_AT_ONCE = "spread_at_once", 1 << 16


class Passes:
    """The params type of kernels that involve no game."""


compiled: dict[str, Any] = {}
_spent = [0.0]


def plainly(edges: int, *kernels: str) -> bool:
    """Is plain Python faster for a graph of this size than loading or compiling the passes, or these kernels?"""
    if compiled.keys() & kernels if kernels else compiled:
        return False
    ready = any(cache.is_ready(kernel, Passes) for kernel in kernels or (spread.__name__, AT_ONCE))
    return _spent[0] + edges * SECONDS_AN_EDGE < SOLVING.now(ready).together


def values_plainly(edges: int, kernel: Callable[..., Any]) -> bool:
    """Is plain Python faster for the values of a graph with this many edges, which need this kernel of their own?"""
    return plainly(edges) or plainly(ALONE * edges, kernel.__name__)


def fits_one_call(edges: int) -> bool:
    """Is one call fastest for a graph of this size? Not if its kernel had to be compiled in addition to the passes."""
    if edges > MOST_AT_ONCE or plainly(edges):
        return False
    return not compiled or AT_ONCE in compiled or cache.is_ready(AT_ONCE, Passes)


class Solver:
    """The passes over one graph, as plain Python over lists or compiled over arrays."""

    def __init__(self, graph: Graph, counted: bool = True, plain: bool | None = None) -> None:
        """With `counted` the counter is followed, else it is ignored."""
        self.graph = graph
        self.counted = counted and graph.inc is not None
        self._plain = plainly(len(graph.to) * (LAYERS if self.counted else 1)) if plain is None else plain
        begun, self._took = time.thread_time(), 0.0
        self._net = self._new_net()
        self._plan = self._components()
        _spent[0] += self._plain * (time.thread_time() - begun)

    def _new_net(self) -> Net:
        graph, tables, hold = self.graph, self.graph.chain.tables, self._hold
        return Net(
            hold(graph.begin),
            hold(graph.to),
            hold(np.empty(0, np.uint32) if graph.inc is None or not self.counted else graph.inc),
            hold(graph.table),
            hold(np.empty(0, np.int32) if graph.second is None else graph.second),
            hold(tables.first),
            hold(tables.weight),
        )

    def _hold(self, array: np.ndarray) -> Any:
        return array.tolist() if self._plain else array

    def _call(self, function: Callable[..., Any], *args: Any) -> int:
        """Run a pass until it returns; it does so several times a second, so that Python handles interrupts."""
        if self._plain:
            begun = time.thread_time()
            status: int = function(self._net, *args)
            took = time.thread_time() - begun
            self._took += took
            _spent[0] += took
            return status
        from simulator.engine.jit.kernels import kernel

        if function.__name__ not in compiled:
            compiled[function.__name__] = kernel(function).of(Passes())
        return int(compiled[function.__name__](self._net, *args))

    def _search(self, counted: bool) -> tuple[Any, Any, Any, Any]:
        """The first four parts of a `Ordered`; with `counted`, counting edges are ignored."""
        size, hold = len(self.graph), self._hold
        work = (*(hold(np.zeros(size, np.int32)) for _ in range(4)), hold(np.zeros(size, np.int64)))
        order, at = hold(np.zeros(size, np.int32)), hold(np.zeros(size + 1, np.int32))
        of, loop = hold(np.zeros(size, np.int32)), hold(np.zeros(size, np.int8))
        count = self._call(find_components, counted, work, order, at, of, loop)
        return order, at[: count + 1], of, loop

    def _components(self) -> Ordered:
        order, at, of, loop = self._search(self.counted)
        largest = 1 if len(at) > len(self.graph) else int(np.diff(np.asarray(at)).max())
        dense = min(largest, DENSE) ** 2 if largest > 1 else 1
        matrix, side = self._hold(np.zeros(dense)), self._hold(np.zeros(largest))
        return Ordered(order, at, of, loop, self._hold(np.zeros(len(self.graph), np.int32)), matrix, side)

    def chances(self, progress: Progress | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """The final states reached: their numbers, counter values and chances; and the chance that was not followed.

        Arrays of shape (ends,): numbers int32 (int64 from interpreted passes), counter values int64, chances float64.
        Raises BrokenGame for states that the battle cannot leave, or a counter that passes its limit.
        """
        size, chain = len(self.graph), self.graph.chain
        if self.counted and len(chain.units) > 1 and not self._loops():
            order, *_ = self._search(False)
            return *windowed_chances(self.graph, np.asarray(order)[::-1], progress), 0.0
        flow, found, at = self._begin()
        most, sure = int(chain.limits[chain.counted]) if self.counted else 0, False
        if self.counted and len(self.graph.to) <= MOST_AT_ONCE:
            at[MAY_CUT] = int(self._loops())
        while (status := self._call(spread, self._plan, flow, found, at, self._pause)) != DONE:
            found = self._served(status, flow, found, at)
            if self._lasts():
                flow, found, at = self._taken_over(flow, found, at)
            at[MAY_CUT] = int(self._loops())
            if at[LAYER] > SUSPICIOUS and not sure:  # raises BrokenGame if the battle cannot end
                sure = len(Solver(self.graph, counted=False, plain=self._plain).values(np.zeros(size))) == size
            if at[LAYER] > most:
                raise BrokenGame(
                    f"counter {chain.counters[0]}: it passes its limit {most}; perhaps a battle never ends"
                )
            if progress:
                progress(size)
        count = int(at[FOUND])
        numbers, layers, p = (np.asarray(values[:count]) for values in found)
        return numbers, layers, p, float(flow.lost[0]) + (float(np.sum(flow.ring)) if at[MAY_CUT] else 0.0)

    def _begin(self) -> tuple[Flow, Endings, Any]:
        """The arrays of a pass: everything at the start of the battle. Raises NoExactOdds for a counter that jumps."""
        size, chain = len(self.graph), self.graph.chain
        width = int(self.graph.inc.max(initial=0)) + 1 if self.counted and self.graph.inc is not None else 1
        if 8 * width * size > EXACT_BYTES:
            raise NoExactOdds(f"counter {chain.counters[0]}: it jumps by {width - 1:,}; {in_words(8 * width * size)}")
        count = len(self._plan.at) - 1
        ring, low, high = np.zeros(width * size), np.full(width, count, np.int64), np.full(width, -1, np.int64)
        ring[0], low[0], high[0] = 1.0, 0 if width == 1 else int(self._plan.of[0]), count - 1
        lost = np.array([0.0, NEGLIGIBLE if chain.paired else 0.0])
        found = self._room(4 * max(64, int(self.graph.final.sum())))
        return Flow(*map(self._hold, (ring, low, high, lost))), found, self._hold(np.array([0, count, 0, 0, -1, 0]))

    def _lasts(self) -> bool:
        """Does plain Python take too long? The number of layers of a counter is not known beforehand."""
        ready = spread.__name__ in compiled or cache.is_ready(spread.__name__, Passes)
        return self._plain and (ready or may_compile()) and self._took > min(TAKEN_OVER, SOLVING.now(ready).together)

    def _taken_over(self, flow: Flow, found: Endings, at: Any) -> tuple[Flow, Endings, np.ndarray]:
        """Go on with compiled passes: arrays in place of lists."""
        self._plain = False
        self._net = self._new_net()
        kinds = (np.int32, np.int32, np.int32, np.int8, np.int32, np.float64, np.float64)
        self._plan = Ordered(*map(np.array, self._plan, kinds))
        flow = Flow(*map(np.array, flow, (np.float64, np.int64, np.int64, np.float64)))
        return flow, Endings(*map(np.array, found, (np.int32, np.int64, np.float64))), np.array(at)

    @property
    def _pause(self) -> int:
        """Edges between two returns of a pass: a few hundredths of a second."""
        return PAUSE // 64 if self._plain else PAUSE

    def _room(self, size: int) -> Endings:
        return Endings(*(self._hold(np.zeros(size, kind)) for kind in (np.int32, np.int64, np.float64)))

    def _served(self, status: int, flow: Flow, found: Endings, at: Any) -> Endings:
        """Do what `spread` needs before it goes on; the endings, with more room where it needs that."""
        if status == ENDLESS:
            raise self._endless(int(at[WHERE]))
        if status == LARGE:
            self._solve_large(int(at[COMPONENT]) - 1, at, flow.ring)
        if status != NEED_ROOM:
            return found
        more = self._room(len(found.state))
        return Endings(*(a + b if self._plain else np.concatenate([a, b]) for a, b in zip(found, more, strict=True)))

    def _loops(self) -> bool:
        """Does the graph have loops, so that its counter has no bound of its own?"""
        if self._cyclic is None:
            _, at, _, loop = self._search(False) if self.counted else self._plan[:4]
            self._cyclic = len(at) - 1 < len(self.graph) or bool(np.any(loop))
        return self._cyclic

    _cyclic: bool | None = None

    def _members(self, c: int) -> np.ndarray:
        return np.asarray(self._plan.order[self._plan.at[c] : self._plan.at[c + 1]])

    def _endless(self, c: int) -> BrokenGame:
        members = self._members(c)
        shown = "; ".join(self.graph.described(int(i)) for i in members[:3])
        more = f" and {len(members) - 3} more" if len(members) > 3 else ""
        return BrokenGame(f"this battle can never leave {shown}{more}")

    def _inside(self, c: int) -> tuple[np.ndarray, Any]:
        """The states of a large component, and the chances among them as a sparse matrix."""
        from scipy.sparse import csr_array

        graph, members = self.graph, self._members(c)
        place = np.full(len(graph), -1, np.int64)
        place[members] = np.arange(len(members))
        row, edge, chance = graph.edges_of(members)
        column = place[graph.to[edge]]
        keep = column >= 0
        if self.counted and graph.inc is not None:
            keep &= graph.inc[edge] == 0
        shape = (len(members), len(members))
        inside = csr_array((chance[keep], (row[keep], column[keep])), shape=shape)
        if inside.sum(axis=1).min() > 1 - CERTAIN:
            raise self._endless(c)
        return members, inside

    def _solve_large(self, c: int, at: Any, ring: Any) -> None:
        """Replace the chance that enters each state of a large component by its expected number of visits."""
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import spsolve

        members, inside = self._inside(c)
        width = len(ring) // len(self.graph)
        base = (int(at[LAYER]) % width) * len(self.graph)
        coming = np.array([ring[base + i] for i in members])
        for i, visits in zip(members, spsolve((eye_array(len(members)) - inside.T).tocsc(), coming), strict=True):
            ring[base + i] = float(visits)
        at[SOLVED] = 1

    def values(self, value: np.ndarray, progress: Progress | None = None) -> np.ndarray:
        """Expected value of every state (float64), from the values of final states in `value`.

        Raises BrokenGame for states that the battle cannot leave.
        """
        held, at = self._hold(value), self._hold(np.array([0, 0, 0, 0, -1, 0]))
        while (status := self._call(draw_back, self._plan, held, at, self._pause)) != DONE:
            if status == ENDLESS:
                raise self._endless(int(at[WHERE]))
            if status == LARGE:
                self._values_of_large(int(at[COMPONENT]), held)
                at[COMPONENT] += 1
            if progress:
                progress(len(self.graph))
        return np.asarray(held)

    def _values_of_large(self, c: int, value: Any) -> None:
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import spsolve

        members, inside = self._inside(c)
        beyond = np.array([outside(self._net, self._plan, value, int(i))[0] for i in members])
        for i, worth in zip(members, spsolve((eye_array(len(members)) - inside).tocsc(), beyond), strict=True):
            value[i] = float(worth)


def values_at_once(graph: Graph, value: np.ndarray) -> np.ndarray:
    """Expected values of every state for several values of the final states: float64, shape (values, states).

    `value`: float64, shape (values, states), 0 where a state is not final. One sparse factorization serves all of them;
    states in the order of their strongly connected components make it triangular but for loops, so that it needs
    neither compiled passes nor plain Python over edges. Raises BrokenGame for states that the battle cannot leave.
    """
    size, members = len(graph), np.flatnonzero(~graph.final)
    row, edge, chance = graph.edges_of(members)
    ends = members[row], graph.to[edge]
    # The last right-hand side is the chance that the battle ends.
    known = np.vstack([value, graph.final]).T
    solved = _passed_back(ends, chance, known) if size <= FEW_STATES else None
    if solved is None:
        try:
            solved = _factored(size, ends, chance, known)
        except RuntimeError:  # a state that is never left: SuperLU finds a column of zeros
            loops = np.bincount(ends[0], chance * (ends[0] == ends[1]), size)
            raise BrokenGame(f"this battle can never leave {graph.described(int(loops.argmax()))}") from None
    unsure = np.abs(solved[:, -1] - 1)
    if not unsure.max() < ENDING:
        raise BrokenGame(f"this battle can never leave {graph.described(int(unsure.argmax()))}")
    return np.asarray(solved[:, :-1].T)


def _passed_back(ends: tuple[np.ndarray, np.ndarray], chance: np.ndarray, known: np.ndarray) -> np.ndarray | None:
    """The values of states with such edges (their two `ends`), float64, shape (states, values); None for loops.

    `known`: the values of final states, 0 in others.
    """
    found = known
    for _ in range(ROUNDS):
        before, found = found, known + np.array(
            [np.bincount(ends[0], chance * one, len(known)) for one in found[ends[1]].T]
        ).T  # fmt: skip
        if np.array_equal(before, found):
            return np.asarray(found)
    return None


def _factored(size: int, ends: tuple[np.ndarray, np.ndarray], chance: np.ndarray, known: np.ndarray) -> np.ndarray:
    """As `_passed_back`, with loops."""
    from scipy.sparse import csr_array, eye_array
    from scipy.sparse.csgraph import connected_components
    from scipy.sparse.linalg import splu

    inside = csr_array((chance, ends), shape=(size, size))
    order = np.argsort(connected_components(inside, connection="strong")[1], kind="stable")
    system = (eye_array(size, format="csr") - inside)[order][:, order].tocsc()
    factors = splu(system, permc_spec="NATURAL", diag_pivot_thresh=0, options={"SymmetricMode": True})
    found = np.empty(known.shape)
    found[order] = factors.solve(np.ascontiguousarray(known[order]))
    return found
