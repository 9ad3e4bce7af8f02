"""Kernels under NUMBA_BOUNDSCHECK=1, in their own cache folder: none reads or writes outside an array.

Small chains stand for all that take the same ways through the engine. The rules of every example are held to their
arrays in plain Python by `test_conformance`, which compiles nothing.
"""

from simulator.engine.jit.kernel_cache import folder_of
from tests.processes import python

CODE = """
from dataclasses import replace
import numba
from simulator.engine.jit.kernel_cache import folder_of
from simulator.engine.factored import grid
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.factored.solve_grid import GridSolver
from simulator.engine.model.chance import tables
from simulator.engine.sample.simulation import Simulation
from simulator.engine.graph.solver import Solver
from tests import toys
from tests.engine.test_grid import duel
assert numba.config.BOUNDSCHECK == 1
coins, gamble = toys.marked_walk(2, 9), toys.gamble(3, 7, 2)
wide = replace(gamble, limits=gamble.limits._replace(coins=2**40, asked=2**40))
assert (gamble.layout.words, wide.layout.words) == (1, 2)
fight = replace(duel(14), tables=tables([{0: 1}, {0: 3, 1: 2, 2: 1}, {hits: 1 + hits for hits in range(9)}]))
for chain in [coins, gamble, wide, duel(7), fight, replace(fight, factored=None)]:
    if grid.fits_on_grid(chain):
        GridSolver(chain, 20_000_000).ends()
    graph = CompiledExplorer(chain, 20_000_000).explore()
    Solver(graph, plain=False).chances()
    Simulation(chain, 1, graph=graph).add(3000)
print(folder_of("engine"))
"""


# With a counter, decisions, pairs of rolls; of one word or two; on a grid. A type of params costs 2 s.
def test_no_kernel_leaves_its_arrays():
    found = python(CODE, NUMBA_BOUNDSCHECK="1")
    assert found.stdout.strip() != str(folder_of("engine"))
