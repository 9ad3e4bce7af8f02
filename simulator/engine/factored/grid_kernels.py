"""The functions of `grid_sweep` and `grid_nodes`, compiled: a few hundred times as fast."""

from __future__ import annotations

from types import FunctionType
from typing import Any

from numba import uint64
from numba.extending import overload

from simulator.engine.factored import grid_nodes
from simulator.engine.factored.grid_sweep import add_block, sweep
from simulator.engine.jit import kernels
from simulator.engine.jit.kernels import inner, kernel, outlined


@outlined
def _add_block(cells, weight, result, place, block, mass):
    """As `add_block`: with unsigned indices, and not inlined, LLVM vectorises it."""
    part = 0.0
    for side in range(block.bottom, block.top):
        line, part = place[block.across + result[side]], part + mass * weight[side]
        if side + 1 < block.top and place[block.across + result[side + 1]] == line:
            continue
        for k in range(uint64(block.size)):
            cells[uint64(block.to + line - 1) + k] += part * weight[uint64(block.left) + k]
        part = 0.0


@overload(add_block, strict=False)
def _choose(cells, weight, result, place, block, mass):
    return lambda cells, weight, result, place, block, mass: _add_block(cells, weight, result, place, block, mass)  # noqa: PLW0108


# Compiled versions of the functions that node functions call by these names.
_linked: dict[str, Any] = {"sweep": inner(sweep)}
for _name in ("running", "table", "second", "lands", "follows", "load", "store", "within"):
    _linked[_name] = getattr(kernels, _name)


def _link(function: Any) -> Any:
    """The same function, calling what is compiled."""
    return FunctionType(function.__code__, {**vars(grid_nodes), **_linked}, function.__name__)


for _step in grid_nodes.STEPS:
    _linked[_step.__name__] = inner(_link(_step))
make, raw_state = _linked["make"], _linked["raw_state"]
push_through = kernel(_link(grid_nodes.push_through))
