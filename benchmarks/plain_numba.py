"""The pace of battles with numba's internals and by its public interface alone: `python -m benchmarks.run --plain`.

Both modes run in turn, in processes of their own with kernels in the cache: CPU time of one thread, median of the runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from statistics import median

from rich.console import Console
from rich.table import Table

from simulator.engine.jit.numba_mode import SWITCH

EXAMPLES = ("risk-20v15", "europa-blenheim-1704", "axis-land-eastern-front", "knt-heroes-and-magic")
BATTLES = 2_000_000
CODE = f"""
import sys, time
from simulator import load
from simulator.engine.sample.simulation import Simulation
for name in sys.argv[1:]:
    simulation = Simulation(load(name).chain, 1)
    simulation.add(100_000)
    begin = time.process_time()
    simulation.add({BATTLES})
    print(1e9 * (time.process_time() - begin) / {BATTLES})
"""


def measure_plain(rounds: int, console: Console) -> None:
    """Print a row an example: nanoseconds a battle in both modes, and the median ratio of the runs in turn."""
    with tempfile.TemporaryDirectory() as cache:
        runs: dict[str, list[list[float]]] = defaultdict(list)
        for _ in range(rounds + 1):  # the first run of each mode compiles
            for mode in ("0", "1"):
                command = [sys.executable, "-c", CODE, *EXAMPLES]
                environment = os.environ | {SWITCH: mode, "BATTLE_ODDS_CACHE": cache}
                done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
                runs[mode].append([float(line) for line in done.stdout.split()])
    table = Table("battle", "with internals, ns", "public interface, ns", "ratio")
    for row, name in enumerate(EXAMPLES):
        ours, plain = ([run[row] for run in runs[mode][1:]] for mode in ("0", "1"))
        ratio = median(b / a for a, b in zip(ours, plain, strict=True))
        table.add_row(name, f"{median(ours):.1f}", f"{median(plain):.1f}", f"{ratio:.2f}")
    console.print(table)
