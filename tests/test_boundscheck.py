"""Kernels under NUMBA_BOUNDSCHECK=1, in their own cache folder: no example reads or writes outside an array."""

import os
import subprocess
import sys

import pytest

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
seen = set()
for name in sys.argv[1:]:
    built = load(name).built
    if built.chain is None or type(built.chain.params) in seen:
        continue
    seen.add(type(built.chain.params))
    with suppress(NoExactOdds):
        if grid.fits_on_grid(built.chain):
            Grid(built.chain, 20_000_000).ends()
            walk = GridWalk(built.chain, 20_000_000)
            walk.begin(Order(numpy.uint64(1), 0, 3000))
            assert walk.fight(1 << 20) == DONE
            walk.counts()
        graph = CompiledExplorer(built.chain, 20_000_000).explore()
        Solver(graph, plain=False).chances()
        Simulation(built.chain, 1, graph=graph).add(3000)
print(folder_of("engine"))
"""
GAMES = sorted({load(name).battle.game for name in example_names()})


@pytest.mark.parametrize("game", GAMES)
def test_no_kernel_leaves_its_arrays(game):
    names = [name for name in example_names() if load(name).battle.game == game]
    found = subprocess.run(
        [sys.executable, "-c", CODE, *names],
        capture_output=True,
        text=True,
        check=False,
        timeout=500,
        env=os.environ | {"NUMBA_BOUNDSCHECK": "1"},
    )
    assert found.returncode == 0, found.stderr[-2000:]
    assert found.stdout.strip() != str(folder_of("engine"))
