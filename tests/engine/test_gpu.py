"""Battles on a graphics card, held against the processor on numba's simulator of one."""

import os
import subprocess
import sys

SCRIPT = """
import numpy as np
from simulator import load
from simulator.engine.sample import graph_tables as lookup
from simulator.engine.graph import graph_cache
from simulator.engine.gpu.simulation import GpuSimulation, NoDevice
from simulator.engine.sample.simulation import Simulation

for name, most_merged in (("risk-path", 1 << 21), ("knt-raid", 1 << 21), ("knt-raid", 0)):
    lookup.MOST_MERGED = most_merged
    chain = load(name).chain
    card, processor = GpuSimulation(chain, 7), Simulation(chain, 7, 1)
    for simulation in (card, processor):
        simulation.add(40)
        simulation.add(60)
    left, right = card.ends(), processor.ends()
    assert all(map(np.array_equal, left.states, right.states)), name
    assert np.array_equal(left.count, right.count) and card.battles == 100, name
graph_cache.QUICK_BYTES = 0
try:
    GpuSimulation(load("risk-20v15").chain)
except NoDevice as refusal:
    print(refusal)
"""


def python(*code, **environment):
    return subprocess.run(
        [sys.executable, "-W", "ignore", *code],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_card_counts_what_the_processor_counts():
    done = python("-c", SCRIPT, NUMBA_ENABLE_CUDASIM="1")
    assert "too many states for a graph" in done.stdout, done.stderr


def test_without_a_card_it_is_refused_in_one_line():
    done = python("-m", "simulator", "odds", "risk-20v15", "--device", "gpu", NUMBA_DISABLE_CUDA="1")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("device: gpu")
    assert done.stderr.count("\n") == 1
