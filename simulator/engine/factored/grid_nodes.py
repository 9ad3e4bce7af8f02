"""The nodes of a grid (see `grid`), made by the rules when chance or a battle first reaches their cell.

All functions run as plain Python, over lists, or compiled, over arrays (`grid_kernels`), which replaces the rules below
by those that are bound to kernels.
"""

from __future__ import annotations

from collections.abc import Callable
from operator import le
from typing import Any, NamedTuple

from simulator.engine.factored.grid_sweep import (
    CELL,
    KINDS,
    NODES,
    OVER,
    PLANE,
    WRONG,
    GridEndings,
    Nodes,
    Planes,
    sweep,
)
from simulator.engine.model.chain import Chain, rules, whole
from simulator.engine.model.chance import TableRows
from simulator.engine.model.limits import BrokenGame
from simulator.engine.model.status import BAD_FIELD, BAD_TABLE, DONE, NEED_ROOM, NOT_FACTORED, WANTED

# Columns of the buffer: the current state, a successor, the start.
HERE, THERE, START = range(3)
# The types of states, by that of params.
_state_types: dict[type, Any] = {}


class GridBuffer(NamedTuple):
    """Scratch buffer: states as columns of fields, the axes (see `grid.Axes`), limits, the place of the counter.

    `long` and `wide` are the cells along and the rows across a plane, `width` the places for each of them: one for each
    of `results`, of which tables hold the numbers. `kind_of[code]` is 1 + the kind of the planes with this rest.
    """

    fields: Any
    along: Any
    across: Any
    rest: Any
    values: Any
    limit: Any
    counted: int
    long: int
    wide: int
    width: int
    results: Any
    kind_of: Any


def _plain_rule(name: str) -> Callable[..., Any]:
    return lambda p, *given: rules[type(p)][name](p, *given)


running, table, second, lands, follows = map(_plain_rule, ("running", "table", "second", "lands", "follows"))


def bind_plainly(chain: Chain) -> None:
    """Let the functions below step states of this chain as plain Python."""
    _state_types[type(chain.params)] = type(chain.start)


def load(p, fields, column):
    """The state in a column."""
    kind = _state_types[type(p)]
    return kind(*[fields[f, column] for f in range(len(kind._fields))])


def store(p, fields, column, s):
    """Write a state into a column. Raises BrokenGame for anything but a state of whole numbers."""
    kind = _state_types[type(p)]
    if type(s) is not kind:
        raise BrokenGame(f"step: {str(s)[:80]} is no {kind.__name__}, after state {load(p, fields, HERE)}")
    for f, value in enumerate(whole(s)):
        fields[f, column] = value


def held(values):
    """A named tuple that compiled functions are handed by its address (see `jit.held`)."""
    return values


def within(p, s, limit):
    """Is no field negative or above its limit?"""
    return min(s) >= 0 and all(map(le, s, limit))


def dot(b, strides, column):
    """The position of the state in a column by these strides."""
    place = 0
    for f in range(len(strides)):
        if strides[f] != 0:
            place += strides[f] * b.fields[f, column]
    return place


def kind_at(nodes, b, at, column):
    """The kind of plane for the rest of the state in a column, a new one if necessary; -1 without room."""
    code = dot(b, b.rest, column)
    if b.kind_of[code] == 0:
        if at[KINDS] == len(nodes.code):
            return -1
        nodes.code[at[KINDS]] = code
        at[KINDS] += 1
        b.kind_of[code] = at[KINDS]
    return b.kind_of[code] - 1


def find_places(p, rows, nodes, b, at, s):
    """Fill in the places of all results of the new node: DONE, or an error.

    Column THERE then holds the state after the last results. There is one loop, so that the rules are inlined once.
    """
    node = at[NODES]
    t, u = nodes.table[node], nodes.second[node]
    begin, end, other, last = rows.first[t], rows.first[t + 1], rows.first[u], rows.first[u + 1]
    fan, pairs = end - begin, end - begin + last - other
    for k in range(pairs + 1):
        row = begin + k if k < fan else begin if k < pairs else end - 1
        side = other if k < fan else other + k - fan if k < pairs else last - 1
        base = nodes.along[node] + rows.result[row] if k < fan else nodes.across[node] + rows.result[side]
        if k < pairs and nodes.place[base] != 0:
            continue
        after = lands(p, s, b.results[rows.result[row]], b.results[rows.result[side]])
        store(p, b.fields, THERE, after)
        if not within(p, after, b.limit):
            return BAD_FIELD
        if k < pairs:
            nodes.place[base] = 1 + (dot(b, b.along, THERE) if k < fan else dot(b, b.across, THERE))
    along, across = nodes.along[node] + rows.result[end - 1], nodes.across[node] + rows.result[last - 1]
    if dot(b, b.along, THERE) + 1 != nodes.place[along] or dot(b, b.across, THERE) + 1 != nodes.place[across]:
        return NOT_FACTORED
    return DONE


def make_running(p, rows, nodes, b, at, s):
    """Complete the node of a chance state: DONE, NEED_ROOM or an error."""
    node, tables = at[NODES], len(rows.first) - 1
    t, u = int(table(p, s)), int(second(p, s))
    if t < 0 or t >= tables or u < 0 or u >= tables:
        at[WRONG] = u if 0 <= t < tables else t
        return BAD_TABLE
    kind = kind_at(nodes, b, at, HERE)
    if kind < 0:
        return NEED_ROOM
    nodes.table[node] = t
    nodes.second[node] = u
    begun = kind * (b.long + b.wide)
    nodes.along[node] = (begun + dot(b, b.along, HERE)) * b.width
    nodes.across[node] = (begun + b.long + dot(b, b.across, HERE) // b.long) * b.width
    status = find_places(p, rows, nodes, b, at, s)
    if status != DONE:
        return status
    nodes.inc[node] += b.fields[b.counted, THERE]
    nodes.lands[node] = kind_at(nodes, b, at, THERE)
    return NEED_ROOM if nodes.lands[node] < 0 else DONE


def make(p, rows, nodes, b, at, settled):
    """Add a node for a chance state or a final state: DONE, NEED_ROOM or an error."""
    node = at[NODES]
    if node == len(nodes.lands):
        return NEED_ROOM
    store(p, b.fields, THERE, settled)
    for f in range(len(b.along)):
        b.fields[f, HERE] = b.fields[f, THERE]
    if not within(p, settled, b.limit):
        return BAD_FIELD
    nodes.inc[node] = b.fields[b.counted, HERE]
    nodes.lands[node] = OVER
    b.fields[b.counted, HERE] = 0
    s = load(p, b.fields, HERE)
    if running(p, s):
        status = make_running(p, rows, nodes, b, at, s)
        if status != DONE:
            return status
    for f in range(len(b.along)):
        nodes.state[node * len(b.along) + f] = b.fields[f, HERE]
    at[NODES] += 1
    return DONE


def raw_state(nodes, b, kind, cell):
    """The state of a cell of a plane of this kind, into column THERE."""
    code = nodes.code[kind]
    for f in range(len(b.values)):
        value, stride = cell, b.along[f] + b.across[f]
        if stride == 0:
            value, stride = code, b.rest[f]
        b.fields[f, THERE] = value // stride % b.values[f] if stride > 0 else 0


def advance(p, rows, work, at, pause):
    """Push chance until a node is wanted, and make it: WANTED; or DONE, or a status that the caller has to handle."""
    nodes, planes, found, b = work
    if at[NODES] > 0:
        status = sweep(rows, nodes, planes, found, at, pause)
        if status != WANTED:
            return status
        raw_state(nodes, b, planes.kind[at[PLANE]], at[CELL])
        s = follows(p, load(p, b.fields, THERE))
    else:
        s = load(p, b.fields, START)
    status = make(p, rows, nodes, b, at, s)
    if status != DONE:
        return status
    nodes.of[planes.kind[at[PLANE]] * planes.cells + at[CELL]] = at[NODES]
    return WANTED


def push_through(p, rows, work, at, pause):
    """Push all chance to final states and make nodes on the way: DONE, or the status that the caller has to handle."""
    # Kernels take plain tuples: passing named tuples takes twice as long.
    nodes, planes = held(Nodes(*work[0])), held(Planes(*work[1]))
    named = nodes, planes, held(GridEndings(*work[2])), held(GridBuffer(*work[3]))
    p, rows, status = held(p), held(TableRows(*rows)), WANTED
    while status == WANTED:
        status = advance(p, rows, named, at, pause)
    return status


# Each of these calls only those before it.
STEPS = (dot, kind_at, find_places, make_running, make, raw_state, advance)
