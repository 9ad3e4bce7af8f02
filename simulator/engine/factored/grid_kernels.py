"""The functions of `grid_sweep` and `grid_nodes`, compiled: a few hundred times as fast."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba import uint64
from numba.extending import overload

from simulator.engine.factored import grid_nodes
from simulator.engine.factored.grid_sweep import add_rectangle, sweep
from simulator.engine.jit import kernels
from simulator.engine.jit.held import held
from simulator.engine.jit.kernels import inner, kernel, outlined

# The mean length from which runs of adjacent cells are added run by run, else cell by cell.
LONG = 4


@outlined
def _add_rectangle(cells, reached, share, handed, along, across):
    """As `add_rectangle`: with unsigned indices, and not inlined, LLVM vectorises the loop over adjacent cells."""
    base, mass = handed
    if (along.end - along.begin) < LONG * along.runs:
        for side in range(uint64(across.begin), uint64(across.end)):
            line, part = uint64(base + reached[side]), mass * share[side]
            for k in range(uint64(along.end)):
                cells[line + uint64(reached[k])] += part * share[k]
        return
    first = 0
    while first < along.end:
        last = first + 1
        while last < along.end and reached[last] == reached[last - 1] + 1:
            last += 1
        for side in range(uint64(across.begin), uint64(across.end)):
            line, part = uint64(base + reached[side] + reached[first]), mass * share[side]
            for k in range(uint64(last - first)):
                cells[line + k] += part * share[uint64(first) + k]
        first = last


@overload(add_rectangle, strict=False)
def _choose(cells, reached, share, handed, along, across):
    return lambda cells, reached, share, handed, along, across: _add_rectangle(  # noqa: PLW0108
        cells, reached, share, handed, along, across
    )


# Compiled versions of the functions that node functions call by these names.
_linked: dict[str, Any] = {"sweep": inner(sweep), "held": held}
for _name in ("running", "table", "second", "lands", "follows", "load", "store", "within"):
    _linked[_name] = getattr(kernels, _name)


def _link(function: Any) -> Any:
    """The same function, calling the compiled parts."""
    return FunctionType(function.__code__, {**vars(grid_nodes), **_linked}, function.__name__)


for _step in grid_nodes.STEPS:
    _linked[_step.__name__] = inner(_link(_step))
push_through = kernel(_link(grid_nodes.push_through))
