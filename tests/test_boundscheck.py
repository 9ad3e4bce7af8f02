"""Kernels under NUMBA_BOUNDSCHECK=1, in their own cache folder: none reads or writes outside an array.

One example stands for all whose chains take the same ways through the engine. The rules of every example are held to
their arrays in plain Python by `test_conformance`, which compiles nothing.
"""

import os
import subprocess
import sys

import pytest

from simulator.engine.factored.grid import fits_on_grid
from simulator.engine.jit.kernel_cache import folder_of
from simulator.scenarios import example_names, load

CODE = """
import sys
from contextlib import suppress
import numba
import numpy
from simulator import NoExactOdds, load
from simulator.engine.jit.kernel_cache import folder_of
from simulator.engine.factored import grid
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.sample.grid_walk import GridWalk
from simulator.engine.factored.solve_grid import Grid
from simulator.engine.model.status import DONE
from simulator.engine.sample.lanes import Order
from simulator.engine.sample.simulation import Simulation
from simulator.engine.graph.solver import Solver
assert numba.config.BOUNDSCHECK == 1
chain = load(sys.argv[1]).chain
with suppress(NoExactOdds):
    if grid.fits_on_grid(chain):
        Grid(chain, 20_000_000).ends()
        walk = GridWalk(chain, 20_000_000)
        walk.begin(Order(numpy.uint64(1), 0, 3000))
        assert walk.fight(1 << 20) == DONE
        walk.counts()
    graph = CompiledExplorer(chain, 20_000_000).explore()
    Solver(graph, plain=False).chances()
    Simulation(chain, 1, graph=graph).add(3000)
print(folder_of("engine"))
"""


def ways(chain):
    """What decides which kernels of the engine a chain uses, and how they are compiled."""
    words = min(chain.layout.words, 2)
    declared = bool(chain.annotation), chain.utilities is not None
    return chain.paired, chain.counted >= 0, words, fits_on_grid(chain), *declared


def examples():
    """An example for each way, of those with the fewest fields, which compile soonest."""
    found = {}
    for name in sorted(example_names()):
        chain = load(name).built.chain
        if chain is not None:
            cost = len(chain.start), len(chain.params), name
            found[ways(chain)] = min(cost, found.get(ways(chain), cost))
    return [name for *_, name in sorted(found.values())]


@pytest.mark.parametrize("name", examples())
def test_no_kernel_leaves_its_arrays(name):
    found = subprocess.run(
        [sys.executable, "-c", CODE, name],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert found.stdout.strip() != str(folder_of("engine"))
