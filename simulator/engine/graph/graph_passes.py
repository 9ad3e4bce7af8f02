"""The passes over a graph: strongly connected components, chances forward, values backward.

States are processed component by component (Tarjan, SIAM J. Comput. 1, 1972), so that a battle without loops is exact
to rounding; the states of a larger component are solved together, in closed form. Counters are followed layer by
layer, one layer for each value, which removes most loops.

All passes are plain functions over arrays or lists, so that small graphs are solved without a compiler.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from simulator.engine.model.chain import helper
from simulator.engine.model.chance import NEGLIGIBLE
from simulator.engine.model.status import DONE, ENDLESS, LARGE, NEED_ROOM, PAUSED

# The entries of `at`: the current layer and component, the number of endings, whether a large component was just
# solved, a component without an exit, and whether negligible chance may be cut.
LAYER, COMPONENT, FOUND, SOLVED, WHERE, MAY_CUT = range(6)
CERTAIN = 1e-12
# Loops of more states than this are solved as sparse systems.
DENSE = 120
PAUSE = 1 << 22


class Net(NamedTuple):
    """A graph and its chances, as arrays or lists; `second` and `inc` are empty if the chain has none."""

    begin: Any
    to: Any
    inc: Any
    table: Any
    second: Any
    first: Any
    weight: Any


class Ordered(NamedTuple):
    """Components in reverse topological order: `order[at[c]:at[c + 1]]` are the states of component c.

    `of` is the component of each state, `loop` is 1 for states with an edge to themselves that does not count. `place`,
    `matrix` and `side` are scratch buffers for components of several states.
    """

    order: Any
    at: Any
    of: Any
    loop: Any
    place: Any
    matrix: Any
    side: Any


@helper
def enter(net, work, i, seen, top):
    """Number a newly visited state, and push it on the stack."""
    number, low, stack, _, edge = work
    number[i] = seen
    low[i] = seen
    stack[top] = i
    edge[i] = net.begin[i]


@helper
def close(work, order, of, i, sizes):
    """Take the component `count` of state `i` from the stack, in order; returns the sizes of both afterwards."""
    number, _, stack, _, _ = work
    top, done, count = sizes
    while True:
        top -= 1
        j = stack[top]
        number[j] = len(number) + 2
        of[j] = count
        order[done] = j
        done += 1
        if j == i:
            return top, done


def find_components(net, counted, work, order, at, of, loop):
    """Strongly connected components, sinks first; returns their number. With `counted`, counting edges are ignored."""
    number, low, _, path, edge = work
    seen, top, done, count = 0, 0, 0, 0
    for root in range(len(number)):
        if number[root] != 0:
            continue
        depth = 0
        path[0] = root
        seen += 1
        enter(net, work, root, seen, top)
        top += 1
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
                    enter(net, work, j, seen, top)
                    top += 1
                    depth += 1
                    path[depth] = j
                else:
                    low[i] = min(low[i], number[j])
            else:
                depth -= 1
                if depth >= 0:
                    low[path[depth]] = min(low[path[depth]], low[i])
                if low[i] == number[i]:
                    top, done = close(work, order, of, i, (top, done, count))
                    count += 1
                    at[count] = done
    return count


@helper
def chance_of(net, i, e):
    """The chance of edge `e` of chance state `i`; passes over all edges of a state need no division, see `hand_on`."""
    place, first = e - net.begin[i], net.first[net.table[i]]
    fan = net.first[net.table[i] + 1] - first
    chance = net.weight[first + place % fan]
    return chance * net.weight[net.first[net.second[i]] + place // fan] if len(net.second) > 0 else chance


@helper
def link(net, plan, c, size):
    """Fill the matrix of a component: chances from state a to state b without counting. Returns the number of exits."""
    first = plan.at[c]
    for a in range(size):
        plan.place[plan.order[first + a]] = a
    for a in range(size * size):
        plan.matrix[a] = 0.0
    ways_out = 0
    for a in range(size):
        i = plan.order[first + a]
        for e in range(net.begin[i], net.begin[i + 1]):
            j = net.to[e]
            if plan.of[j] == c and (len(net.inc) == 0 or net.inc[e] == 0):
                plan.matrix[a * size + plan.place[j]] += chance_of(net, i, e)
            else:
                ways_out += 1
    return ways_out


@helper
def eliminate(matrix, side, size, forward):
    """Solve x = side + Q x (or, `forward`, with Q transposed) into `side`.

    The rows of Q sum to at most one, so that elimination needs no pivoting.
    """
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
def hand_on(net, plan, flow, where, i, mass):
    """Push the mass that passes through state `i` to the states outside its component; returns the number of edges."""
    now, width, size = where
    t, e = net.table[i], net.begin[i]
    first, fan = net.first[t], net.first[t + 1] - net.first[t]
    others = (net.begin[i + 1] - e) // fan if len(net.second) > 0 else 1
    own = plan.of[i]
    alone = plan.at[own + 1] - plan.at[own] == 1
    for k in range(others):
        part = mass * net.weight[net.first[net.second[i]] + k] if len(net.second) > 0 else mass
        for row in range(fan):
            j = net.to[e + row]
            w = now + (net.inc[e + row] if len(net.inc) > 0 else 0)
            if w == now and (j == i if alone else plan.of[j] == own):
                continue
            w = w if w < width else w - width
            flow.ring[w * size + j] += part * net.weight[first + row]
            if width > 1:
                flow.low[w] = min(flow.low[w], plan.of[j])
                flow.high[w] = max(flow.high[w], plan.of[j])
        e += fan
    return fan * others


class Flow(NamedTuple):
    """The chance in transit: `ring` holds that of every state (size) in each of the layers (width) that edges reach.

    `low` and `high` bound the components of each layer with any chance; the layer is empty if `high` is below `low`.
    `lost[0]` sums the chance of states that are cut because it is no more than `lost[1]`.
    """

    ring: Any
    low: Any
    high: Any
    lost: Any


class Endings(NamedTuple):
    """The final states reached: the number of the state, the layer (the value of the counter), the chance."""

    state: Any
    layer: Any
    p: Any


@helper
def negligible(ring):
    """Is the remaining chance too small to follow?"""
    total = 0.0
    for mass in ring:
        total += mass
        if total >= NEGLIGIBLE:
            return False
    return True


@helper
def stay(net, i):
    """The chance of an edge from a state to itself that does not count."""
    total = 0.0
    for e in range(net.begin[i], net.begin[i + 1]):
        if net.to[e] == i and (len(net.inc) == 0 or net.inc[e] == 0):
            total += chance_of(net, i, e)
    return total


@helper
def through(net, plan, flow, at, where, c):
    """Push the chance in component `c` through it; returns the number of edges, or minus a status."""
    now, _, size = where
    base, ring = now * size, flow.ring
    first, states = plan.at[c], plan.at[c + 1] - plan.at[c]
    if states == 1:
        i = plan.order[first]
        mass = ring[base + i]
        ring[base + i] = 0.0
        if mass <= flow.lost[1]:
            flow.lost[0] += mass
            return 0
        loop = stay(net, i) if plan.loop[i] else 0.0
        if loop > 1.0 - CERTAIN:
            at[WHERE] = c
            return -ENDLESS
        return hand_on(net, plan, flow, where, i, mass / (1.0 - loop))
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
        edges += hand_on(net, plan, flow, where, i, plan.side[a])
    return edges


@helper
def record(found, at, i, mass):
    """Add final state `i`, in the current layer, to the endings."""
    found.state[at[FOUND]] = i
    found.layer[at[FOUND]] = at[LAYER]
    found.p[at[FOUND]] = mass
    at[FOUND] += 1


def spread(net, plan, flow, found, at, pause):
    """Push all chance to the final states: DONE, or the status that the caller has to handle."""
    size, width, ring = len(net.table), len(flow.low), flow.ring
    edges = 0
    while True:
        now = at[LAYER] % width
        base = now * size
        c = min(at[COMPONENT] - 1, flow.high[now])
        while c >= flow.low[now]:
            i = plan.order[plan.at[c]]
            if net.table[i] >= 0:
                at[COMPONENT] = c + 1
                pushed = through(net, plan, flow, at, (now, width, size), c)
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
                record(found, at, i, ring[base + i])
                ring[base + i] = 0.0
            c -= 1
        at[COMPONENT] = len(plan.at) - 1
        flow.low[now], flow.high[now] = at[COMPONENT] if width > 1 else 0, -1
        step = 1
        while step < width and flow.high[(at[LAYER] + step) % width] < 0:
            step += 1
        if step >= width:
            return DONE
        at[LAYER] += step
        if at[MAY_CUT] and negligible(ring):
            return DONE
        if edges > pause:
            return PAUSED


def draw_back(net, plan, value, at, pause):
    """Expected values of all states from those of the final ones: DONE or a status."""
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
    """The expected value of successors of state `i` outside its component, and the chance to stay in the state."""
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
