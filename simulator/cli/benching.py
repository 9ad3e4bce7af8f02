"""The short self-measurement behind `battle-odds bench`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import median

from simulator.analysis.answer import QUICK_BUDGET, Fight, exact
from simulator.engine.limits import NoExactOdds
from simulator.scenarios import Scenario, example_names, load

EXACT_RUNS = 5
FIRST = 20_000


def measure_examples(
    seconds: float, threads: int | None, progress: Callable[[int, int], None]
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
            yield name, pace, "too large", f"past the budget"


def battles_per_second(scenario: Scenario, seconds: float, threads: int | None = None) -> float:
    """Pace of a warm simulation that runs for about so many seconds."""
    fight = Fight(scenario, 0, threads)
    fight.add(FIRST)
    begin, before, portion = time.perf_counter(), fight.battles, FIRST
    while (spent := time.perf_counter() - begin) < seconds:
        fight.add(portion)
        portion = min(2 * portion, 1 << 26)
    return (fight.battles - before) / spent if spent else 0.0


def exact_time(scenario: Scenario) -> tuple[float, int]:
    """Median seconds of a warm exact answer, and the states it visits. Raises NoExactOdds."""
    states = exact(scenario, QUICK_BUDGET).explored
    times = []
    for _ in range(EXACT_RUNS):
        begin = time.perf_counter()
        exact(scenario, QUICK_BUDGET)
        times.append(time.perf_counter() - begin)
    return median(times), states
