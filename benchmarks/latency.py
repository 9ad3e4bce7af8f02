"""Warm answers of small battles: milliseconds of loading the scenario and of its exact odds, in one process."""

from __future__ import annotations

import time
from collections.abc import Callable

from rich.table import Table

from benchmarks.afresh import forget
from benchmarks.latency_cases import LATENCY_CASES
from simulator import exact, load
from simulator.engine.api import warm_up

# Seconds for each figure, and the most calls.
SECONDS, CALLS = 0.3, 500


def measure_latency(rounds: int = 7) -> Table:
    """The table of warm answers; the least of many calls in `rounds` turns."""
    table = Table("battle", "load", "asked again", "asked", "a new battle", "aacalc2", title="warm, milliseconds")
    for name, scenario, most, other in LATENCY_CASES:
        checked = load(scenario)
        warm_up(checked.chain)
        again, loading = (_least(work, rounds) for work in (lambda s=scenario: exact(s), lambda s=scenario: load(s)))
        new = _least(lambda s=scenario: exact(s), rounds, lambda c=checked: forget(c))
        mark = " !" * (again > most)
        cells = f"{loading:.3f}", f"{again:.3f}{mark}", f"{most:g}", f"{new:.3f}", "" if other is None else f"{other:g}"
        table.add_row(name, *cells)
    table.caption = "a new battle: nothing kept of it, its dice, or its layout; kernels and game file loaded"
    return table


def _least(work: Callable[[], object], rounds: int, before: Callable[[], object] = lambda: None) -> float:
    """The least milliseconds of this work, each time after `before`."""
    found, ends = [], time.perf_counter() + SECONDS * rounds / 7
    while len(found) < 3 or (len(found) < CALLS and time.perf_counter() < ends):
        before()
        begun = time.perf_counter()
        work()
        found.append(1000 * (time.perf_counter() - begun))
    return min(found)
