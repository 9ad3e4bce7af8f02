"""The short self-measurement behind `battle-odds bench`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from simulator.analysis.odds.answer import exact
from simulator.analysis.odds.run import Fight
from simulator.engine.model.limits import QUICK_BYTES, NoExactOdds
from simulator.scenarios import Scenario, example_names, load

EXACT_RUNS = 5
FIRST = 200_000


def measure_examples(
    seconds: float, threads: int | None, progress: Callable[[int, int | None], object]
) -> Iterator[tuple[str, str, str, str]]:
    """Name, battles a second, median exact milliseconds and states of each shipped example, as text."""
    names = example_names()
    for i, name in enumerate(names):
        progress(i, len(names))
        scenario = load(name)
        pace = f"{battles_per_second(scenario, seconds, threads):,.0f}"
        try:
            took, states = exact_time(scenario)
            if not states:
                pace = "no dice"
            yield name, pace, f"{1000 * took:.2f}", f"{states:,}"
        except NoExactOdds:
            yield name, pace, "too large", f"past {QUICK_BYTES / 1e6:.0f} MB"


def battles_per_second(scenario: Scenario, seconds: float, threads: int | None = None) -> float:
    """Pace of one warm simulation of as many battles as take about so many seconds, as `--battles` would fight them."""
    fight = Fight(scenario, 0, threads)
    fight.add(FIRST)
    pace = 0.0
    for share in (0.1, 1.0):
        battles = max(FIRST, int(pace * share * seconds))
        begin, before = time.perf_counter(), fight.battles
        fight.add(battles)
        pace = (fight.battles - before) / max(time.perf_counter() - begin, 1e-9)
    return pace


def exact_time(scenario: Scenario) -> tuple[float, int]:
    """Median seconds of a warm exact answer, and the states it visits. Raises NoExactOdds."""
    states = exact(scenario, QUICK_BYTES).explored
    times = []
    for _ in range(EXACT_RUNS):
        begin = time.perf_counter()
        exact(scenario, QUICK_BYTES)
        times.append(time.perf_counter() - begin)
    return median(times), states
