"""Warm answers of small battles: milliseconds of loading the scenario and of its exact odds, in one process."""

from __future__ import annotations

import time
from statistics import median

from rich.table import Table

from benchmarks.latency_cases import LATENCY_CASES
from simulator import exact, load
from simulator.engine.api import warm_up
from simulator.scenarios import is_uncertain

WARM_UPS, BATCH = 20, 50


def measure_latency(rounds: int = 7) -> Table:
    """The table of warm answers: CPU milliseconds, the median of several batches."""
    table = Table("small battle", "load, ms", "load and exact, ms", "asked", title="warm, CPU of one core")
    for name, scenario, most in LATENCY_CASES:
        checked = load(scenario)
        if not is_uncertain(scenario) and checked.built.chain is not None:
            warm_up(checked.built.chain)
        times = [_milliseconds(work, rounds) for work in (lambda s=scenario: load(s), lambda s=scenario: exact(s))]
        table.add_row(name, f"{times[0]:.3f}", f"{times[1]:.3f}" + " !" * (times[1] > most), f"{most:g}")
    return table


def _milliseconds(work: object, rounds: int) -> float:
    assert callable(work)
    for _ in range(WARM_UPS):
        work()
    found = []
    for _ in range(rounds):
        begun = time.process_time()
        for _ in range(BATCH):
            work()
        found.append(1000 * (time.process_time() - begun) / BATCH)
    return median(found)
