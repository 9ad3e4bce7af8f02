"""Solving a spelled-out chain: chances pushed forward to the endings, values drawn backward from them.

The states are taken component by component (Tarjan, SIAM J. Comput. 1, 1972), so that a battle without loops is exact
to rounding; states that lead back to each other are solved together, in closed form. Counters are followed layer by
layer, one layer for each value, which makes most loops disappear.

The passes are plain functions over arrays or lists: small graphs are solved before anything is compiled.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from simulator.engine import cache
from simulator.engine.chain import Chain, helper
from simulator.engine.explicit import Graph, Progress, spell_out
from simulator.engine.limits import EXACT_BYTES, BrokenGame

DONE, NEED_ROOM, PAUSED, ENDLESS, LARGE = range(5)
# What `at` holds: the layer and component under way, how many endings were found, whether a large component has just
# been solved, the component that never ends, and whether what is negligible may be cut.
LAYER, COMPONENT, FOUND, SOLVED, WHERE, MAY_CUT = range(6)
CERTAIN = 1e-12
# A loop is followed until less than this is still running, far below the rounding of the chances themselves.
NEGLIGIBLE = 1e-18
# Loops of more states than this are solved as sparse systems.
DENSE = 120
PAUSE = 1 << 22
# Plain Python takes so long for an edge, a counter's layers reckoned at a few times the graph; it is given so many
# seconds in all where the compiled passes have to be made, or loaded, first.
SECONDS_AN_EDGE, LAYERS = 1.2e-6, 4
PATIENCE, PATIENCE_IF_CACHED = 3.0, 0.4


class Net(NamedTuple):
    """A graph and its chances as the passes take them; `second` and `inc` are empty where there are none."""

    begin: Any
    to: Any
    inc: Any
    table: Any
    second: Any
    first: Any
    weight: Any


class Plan(NamedTuple):
    """Components in order, the last ones first: `order[at[c]:at[c + 1]]` are the states of component c.

    `of` is each state's component, `loop` is 1 for states that may return to themselves without counting. `place`,
    `matrix` and `side` are work space for components of several states.
    """

    order: Any
    at: Any
    of: Any
    loop: Any
    place: Any
    matrix: Any
    side: Any


def find_components(net, counted, work, order, at, of, loop):
    """Strongly connected components, sinks first; returns how many. With `counted`, edges that count do not connect."""
    number, low, stack, path, edge = work
    seen, top, done, count = 0, 0, 0, 0
    finished = len(number) + 2
    for root in range(len(number)):
        if number[root] != 0:
            continue
        depth = 0
        path[0] = root
        seen += 1
        number[root] = seen
        low[root] = seen
        stack[top] = root
        top += 1
        edge[root] = net.begin[root]
        while depth >= 0:
            i = path[depth]
            e = edge[i]
            if e < net.begin[i + 1]:
                edge[i] = e + 1
                if counted and net.inc[e] > 0:
                    continue
                j = net.to[e]
                if j == i:
                    loop[i] = 1
                if number[j] == 0:
                    seen += 1
                    number[j] = seen
                    low[j] = seen
                    stack[top] = j
                    top += 1
                    edge[j] = net.begin[j]
                    depth += 1
                    path[depth] = j
                else:
                    low[i] = min(low[i], number[j])
            else:
                depth -= 1
                if depth >= 0:
                    low[path[depth]] = min(low[path[depth]], low[i])
                if low[i] == number[i]:
                    while True:
                        top -= 1
                        j = stack[top]
                        number[j] = finished
                        of[j] = count
                        order[done] = j
                        done += 1
                        if j == i:
                            break
                    count += 1
                    at[count] = done
    return count


@helper
def link(net, plan, c, size):
    """Fill the matrix of a component: chances from its a-th state to its b-th one without counting; 0 = no way out."""
    first = plan.at[c]
    for a in range(size):
        plan.place[plan.order[first + a]] = a
    for a in range(size * size):
        plan.matrix[a] = 0.0
    ways_out = 0
    for a in range(size):
        i = plan.order[first + a]
        t, e = net.table[i], net.begin[i]
        fan = net.first[t + 1] - net.first[t]
        others = (net.begin[i + 1] - e) // fan
        for k in range(others):
            other = net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else 1.0
            for row in range(fan):
                j = net.to[e]
                if plan.of[j] == c and (len(net.inc) == 0 or net.inc[e] == 0):
                    plan.matrix[a * size + plan.place[j]] += other * net.weight[net.first[t] + row]
                else:
                    ways_out += 1
                e += 1
    return ways_out


@helper
def eliminate(matrix, side, size, forward):
    """Solve x = side + Q x (or, `forward`, with Q transposed) into `side`; the rows of Q sum to at most one, so that no
    pivots need to be sought."""
    for a in range(size if forward else 0):
        for b in range(a):
            swap = matrix[a * size + b]
            matrix[a * size + b] = matrix[b * size + a]
            matrix[b * size + a] = swap
    for k in range(size):
        pivot = 1.0 - matrix[k * size + k]
        for b in range(k + 1, size):
            matrix[k * size + b] /= pivot
        side[k] /= pivot
        for a in range(size):
            factor = matrix[a * size + k]
            if a != k and factor != 0.0:
                for b in range(k + 1, size):
                    matrix[a * size + b] += factor * matrix[k * size + b]
                side[a] += factor * side[k]


@helper
def hand_on(net, plan, ring, live, where, i, mass):
    """Hand the mass that passes through state `i` to all that lies outside its component; returns the edges."""
    layer, width, size = where
    t, e = net.table[i], net.begin[i]
    fan = net.first[t + 1] - net.first[t]
    others = (net.begin[i + 1] - e) // fan
    own = plan.of[i]
    alone = plan.at[own + 1] - plan.at[own] == 1
    for k in range(others):
        part = mass * net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else mass
        for row in range(fan):
            j = net.to[e]
            count = net.inc[e] if len(net.inc) > 0 else 0
            e += 1
            if count == 0 and (j == i if alone else plan.of[j] == own):
                continue
            w = (layer + count) % width
            ring[w * size + j] += part * net.weight[net.first[t] + row]
            live[w] = 1
    return fan * others


class Found(NamedTuple):
    """Final states that were reached: the state's number, the layer (what the counters hold), the chance."""

    state: Any
    layer: Any
    p: Any


@helper
def less_than(ring, limit):
    """Is less than this still running?"""
    total = 0.0
    for mass in ring:
        total += mass
        if total >= limit:
            return False
    return True


@helper
def stay(net, i):
    """The chance to stay in a state without counting."""
    t, e = net.table[i], net.begin[i]
    fan = net.first[t + 1] - net.first[t]
    others = (net.begin[i + 1] - e) // fan
    total = 0.0
    for k in range(others):
        other = net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else 1.0
        for row in range(fan):
            if net.to[e] == i and (len(net.inc) == 0 or net.inc[e] == 0):
                total += other * net.weight[net.first[t] + row]
            e += 1
    return total


@helper
def through(net, plan, ring, live, at, where, c):
    """Push the chance in component `c` through it; returns the edges, or minus a status."""
    layer, width, size = where
    base = (layer % width) * size
    first, states = plan.at[c], plan.at[c + 1] - plan.at[c]
    if states == 1:
        i = plan.order[first]
        mass = ring[base + i]
        ring[base + i] = 0.0
        if mass == 0.0:
            return 0
        loop = stay(net, i) if plan.loop[i] else 0.0
        if loop > 1.0 - CERTAIN:
            at[WHERE] = c
            return -ENDLESS
        return hand_on(net, plan, ring, live, where, i, mass / (1.0 - loop))
    if at[SOLVED] == 0:
        if states > DENSE:
            return -LARGE
        if link(net, plan, c, states) == 0:
            at[WHERE] = c
            return -ENDLESS
        for a in range(states):
            plan.side[a] = ring[base + plan.order[first + a]]
        eliminate(plan.matrix, plan.side, states, True)
    else:
        for a in range(states):
            plan.side[a] = ring[base + plan.order[first + a]]
    at[SOLVED] = 0
    edges = 0
    for a in range(states):
        i = plan.order[first + a]
        ring[base + i] = 0.0
        edges += hand_on(net, plan, ring, live, where, i, plan.side[a])
    return edges


def spread(net, plan, ring, live, found, at, pause):
    """Push all chance to the final states: DONE, or why the caller is needed (see the statuses).

    `ring` holds the chance of every state (size) in each of the layers (width) that edges reach from the current one;
    `live` tells which of these layers have any.
    """
    size, width = len(net.table), len(live)
    edges = 0
    while True:
        base = (at[LAYER] % width) * size
        for c in range(at[COMPONENT] - 1, -1, -1):
            i = plan.order[plan.at[c]]
            if net.table[i] >= 0:
                at[COMPONENT] = c + 1
                pushed = through(net, plan, ring, live, at, (at[LAYER], width, size), c)
                if pushed < 0:
                    return -pushed
                edges += pushed
                if edges > pause:
                    at[COMPONENT] = c
                    return PAUSED
            elif ring[base + i] != 0.0:
                if at[FOUND] == len(found.state):
                    at[COMPONENT] = c + 1
                    return NEED_ROOM
                found.state[at[FOUND]] = i
                found.layer[at[FOUND]] = at[LAYER]
                found.p[at[FOUND]] = ring[base + i]
                ring[base + i] = 0.0
                at[FOUND] += 1
        live[at[LAYER] % width] = 0
        at[COMPONENT] = len(plan.at) - 1
        step = 1
        while step < width and live[(at[LAYER] + step) % width] == 0:
            step += 1
        if step >= width:
            return DONE
        at[LAYER] += step
        if at[MAY_CUT] and less_than(ring, NEGLIGIBLE):
            return DONE
        if edges > pause:
            return PAUSED


def draw_back(net, plan, value, at, pause):
    """Values of all states from those of the final ones, expected over what may follow: DONE or a status."""
    edges = 0
    for c in range(at[COMPONENT], len(plan.at) - 1):
        at[COMPONENT] = c
        first, states = plan.at[c], plan.at[c + 1] - plan.at[c]
        if net.table[plan.order[first]] < 0:
            continue
        if states > 1 and at[SOLVED] == 0:
            if states > DENSE:
                return LARGE
            if link(net, plan, c, states) == 0:
                at[WHERE] = c
                return ENDLESS
        for a in range(states):
            i = plan.order[first + a]
            beyond, loop = outside(net, plan, value, i)
            if states > 1:
                plan.side[a] = beyond
            elif loop > 1.0 - CERTAIN:
                at[WHERE] = c
                return ENDLESS
            else:
                value[i] = beyond / (1.0 - loop)
            edges += net.begin[i + 1] - net.begin[i]
        if states > 1:
            eliminate(plan.matrix, plan.side, states, False)
            for a in range(states):
                value[plan.order[first + a]] = plan.side[a]
        if edges > pause:
            at[COMPONENT] = c + 1
            return PAUSED
    return DONE


@helper
def outside(net, plan, value, i):
    """Expected value over what follows state `i` outside its component, and the chance to stay in the state itself."""
    t, e = net.table[i], net.begin[i]
    fan = net.first[t + 1] - net.first[t]
    others = (net.begin[i + 1] - e) // fan
    own = plan.of[i]
    total, loop = 0.0, 0.0
    for k in range(others):
        other = net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else 1.0
        for row in range(fan):
            j = net.to[e]
            e += 1
            chance = other * net.weight[net.first[t] + row]
            if plan.of[j] != own:
                total += chance * value[j]
            elif j == i:
                loop += chance
    return total, loop


class _Passes:
    """Stands for the params of kernels that involve no game."""


_compiled: dict[str, Any] = {}
_spent = [0.0]


def _plainly(edges: int) -> bool:
    """Is a graph of this size solved sooner by plain Python than by loading, or making, the compiled passes?"""
    if _compiled:
        return False
    patience = PATIENCE_IF_CACHED if cache.is_ready(spread.__name__, _Passes) else PATIENCE
    return _spent[0] + edges * SECONDS_AN_EDGE < patience


class Solver:
    """The passes over one graph, as plain Python over lists or compiled over arrays."""

    def __init__(self, graph: Graph, counted: bool = True, plain: bool | None = None) -> None:
        """With `counted` the graph's counter is followed, else states are solved whatever it holds."""
        self.graph = graph
        self.counted = counted and graph.inc is not None
        self._plain = _plainly(len(graph.to) * (LAYERS if self.counted else 1)) if plain is None else plain
        begun = time.perf_counter()
        tables, hold = graph.chain.tables, self._hold
        self._net = Net(
            hold(graph.begin),
            hold(graph.to),
            hold(graph.inc if self.counted else np.empty(0, np.uint32)),
            hold(graph.table),
            hold(np.empty(0, np.int32) if graph.second is None else graph.second),
            hold(tables.first),
            hold(tables.weight),
        )
        self._plan = self._components()
        _spent[0] += self._plain * (time.perf_counter() - begun)

    def _hold(self, array: np.ndarray) -> Any:
        return array.tolist() if self._plain else array

    def _call(self, function: Callable[..., Any], *args: Any) -> int:
        """Run a pass until it needs something; an interrupt gets through several times a second."""
        if self._plain:
            begun = time.perf_counter()
            status: int = function(self._net, *args)
            _spent[0] += time.perf_counter() - begun
            return status
        from simulator.engine.compiled import kernel

        if function.__name__ not in _compiled:
            _compiled[function.__name__] = kernel(function)
        return int(_compiled[function.__name__](self._net, *args))

    def _components(self) -> Plan:
        size = len(self.graph)
        hold, small = self._hold, [np.zeros(size, np.int32) for _ in range(4)]
        work = (*map(hold, small), hold(np.zeros(size, np.int64)))
        order, at = hold(np.zeros(size, np.int32)), hold(np.zeros(size + 1, np.int32))
        of, loop = hold(np.zeros(size, np.int32)), hold(np.zeros(size, np.int8))
        count = self._call(find_components, self.counted, work, order, at, of, loop)
        at = at[: count + 1]
        largest = int(np.diff(np.asarray(at)).max())
        dense = min(largest, DENSE) ** 2 if largest > 1 else 1
        matrix, side = hold(np.zeros(dense)), hold(np.zeros(largest))
        return Plan(order, at, of, loop, hold(np.zeros(size, np.int32)), matrix, side)

    def chances(self, progress: Progress | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Final states reached: their numbers, what the counter holds, chances; and the chance not followed to an end.

        Raises BrokenGame for states that the battle cannot leave, or a counter that passes its limit.
        """
        size, chain = len(self.graph), self.graph.chain
        width = int(self.graph.inc.max(initial=0)) + 1 if self.counted and self.graph.inc is not None else 1
        ring, live = np.zeros(width * size), np.zeros(width, np.int8)
        ring[0], live[0] = 1.0, 1
        room = 4 * max(64, int(self.graph.final.sum()))
        at = self._hold(np.array([0, len(self._plan.at) - 1, 0, 0, -1, 0]))
        ring, live, found = self._hold(ring), self._hold(live), self._room(room)
        most = int(chain.limits[chain.counted]) if self.counted else 0
        while (status := self._call(spread, self._plan, ring, live, found, at, self._pause())) != DONE:
            if status == NEED_ROOM:
                found = self._more_room(found)
            elif status == LARGE:
                self._solve_large(int(at[COMPONENT]) - 1, at, ring)
            elif status == ENDLESS:
                raise self._endless(int(at[WHERE]))
            at[MAY_CUT] = int(self._loops())
            if at[LAYER] > most:
                raise BrokenGame(f"counter {chain.counters[0]}: it passes its limit {most}; perhaps a battle never ends")
            if progress:
                progress(size)
        count = int(at[FOUND])
        numbers, layers, p = (np.asarray(values[:count]) for values in found)
        return numbers, layers, p, float(np.sum(ring)) if at[MAY_CUT] else 0.0

    def _pause(self) -> int:
        return PAUSE

    def _room(self, size: int) -> Found:
        return Found(*(self._hold(np.zeros(size, kind)) for kind in (np.int32, np.int64, np.float64)))

    def _more_room(self, found: Found) -> Found:
        more = self._room(len(found.state))
        return Found(*(a + b if self._plain else np.concatenate([a, b]) for a, b in zip(found, more, strict=True)))

    def _loops(self) -> bool:
        """May the battle come back to where it was, so that its counter has no bound of its own?"""
        if self._cyclic is None:
            whole = Solver(self.graph, counted=False, plain=self._plain) if self.counted else self
            self._cyclic = len(whole._plan.at) - 1 < len(self.graph) or bool(np.any(whole._plan.loop))
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
        """A large component's states and its chances among themselves, as a sparse matrix."""
        from scipy.sparse import csr_array

        graph, tables = self.graph, self.graph.chain.tables
        members = self._members(c)
        place = np.full(len(graph), -1, np.int64)
        place[members] = np.arange(len(members))
        rows, columns, chances = [], [], []
        for a, i in enumerate(members):
            t = graph.table[i]
            weight = tables.weight[tables.first[t] : tables.first[t + 1]]
            if graph.second is not None:
                u = graph.second[i]
                weight = np.outer(tables.weight[tables.first[u] : tables.first[u + 1]], weight).ravel()
            edges = slice(graph.begin[i], graph.begin[i + 1])
            b = place[graph.to[edges]]
            keep = b >= 0
            if self.counted and graph.inc is not None:
                keep &= graph.inc[edges] == 0
            rows.append(np.full(int(keep.sum()), a))
            columns.append(b[keep])
            chances.append(weight[keep])
        shape = (len(members), len(members))
        inside = csr_array((np.concatenate(chances), (np.concatenate(rows), np.concatenate(columns))), shape=shape)
        if inside.sum(axis=1).min() > 1 - CERTAIN:
            raise self._endless(c)
        return members, inside

    def _solve_large(self, c: int, at: Any, ring: Any) -> None:
        """How often each state of a large component is visited, instead of the chance that comes to it."""
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
        """Expected value of every state (float64), from those that stand at the final states of `value`.

        Raises BrokenGame for states that the battle cannot leave.
        """
        held, at = self._hold(value), self._hold(np.array([0, 0, 0, 0, -1, 0]))
        while (status := self._call(draw_back, self._plan, held, at, self._pause())) != DONE:
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


def state_values(
    chain: Chain, worth: Callable[[Any], np.ndarray], budget: int = EXACT_BYTES, progress: Progress | None = None
) -> tuple[Any, np.ndarray]:
    """Every reachable state (a State of int arrays) and its expected `worth` at the end (float64).

    `worth` maps final states (a State of arrays) to numbers: 1 where the attacker wins gives win chances, units
    lost gives expected losses. Counters are 0 in these states. Raises NoExactOdds past `budget` bytes.
    """
    graph = spell_out(chain, budget, progress)
    value = np.zeros(len(graph))
    value[graph.final] = worth(graph.states(graph.final))
    return graph.states(), Solver(graph, counted=False).values(value, progress)
