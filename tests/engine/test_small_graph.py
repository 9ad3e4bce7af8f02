"""A small graph solved in one call: what the passes come to one by one."""

import numpy as np
import pytest

from simulator import load
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.small_graph import small_graph_outcomes
from simulator.engine.graph.solver import Solver
from tests.toys import ring, walk

TOYS = {
    "a loop": walk(3, 7),
    "a counter that a loop drives": walk(2, 4, counting=1),
    "more than one loop's worth": walk(50, 100),
}
EXAMPLES = ["risk-20v15", "risk-invasion", "knt-raid", "power-knights"]


def graph_of(chain):
    return PlainExplorer(chain, 10**9).explore()


@pytest.mark.parametrize("chain", [*TOYS.values(), *(load(name).chain for name in EXAMPLES)], ids=[*TOYS, *EXAMPLES])
def test_as_pass_by_pass(chain):
    graph = graph_of(chain)
    numbers, counts, p, left = Solver(graph, plain=True).chances()
    found = small_graph_outcomes(graph)
    for one, other in zip(found.states, graph.states(numbers, counts), strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(found.p, p, rtol=1e-12)
    assert found.residual == pytest.approx(left, abs=1e-17)
    assert found.explored == len(graph)


@pytest.mark.parametrize("chain", [ring(4), walk(100, 300)], ids=["never ends", "a loop of many states"])
def test_what_is_left_to_the_passes(chain):
    assert small_graph_outcomes(graph_of(chain)) is None
