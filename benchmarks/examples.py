"""The speed of this machine, warm: battles a second of one long simulation and exact times of every shipped example.

python -m benchmarks.examples [SECONDS] [WORD ...]: seconds for each example (0.5), and words in the names of some.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from statistics import median
from timeit import repeat

from rich.console import Console
from rich.table import Table

from simulator import NoExactOdds, Scenario, exact, load
from simulator.analysis.odds.run import SimulatedAnswer
from simulator.engine.model.limits import QUICK_BYTES
from simulator.scenarios import example_names

EXACT_RUNS = 5
FIRST = 200_000


def measure_examples(seconds: float, words: list[str]) -> Iterator[tuple[str, ...]]:
    """Name, battles a second, median exact milliseconds and states of each shipped example, as text."""
    for name in example_names():
        if words and not any(word in name for word in words):
            continue
        scenario = load(name)
        pace = f"{battles_per_second(scenario, seconds):,.0f}"
        try:
            took, states = exact_time(scenario, QUICK_BYTES)
            size = f"{1000 * took:.2f}", f"{states:,}"
            pace = pace if states else "no dice"
        except NoExactOdds:
            size = "too large", f"past {QUICK_BYTES / 1e6:.0f} MB"
        yield name, pace, *size


def battles_per_second(scenario: Scenario, seconds: float) -> float:
    """Pace of one warm simulation of as many battles as take about so many seconds, as `--battles` would fight them."""
    fight = SimulatedAnswer(scenario, 0)
    fight.add(FIRST)
    pace = 0.0
    for share in (0.1, 1.0):
        battles = max(FIRST, int(pace * share * seconds))
        begin, before = time.perf_counter(), fight.battles
        fight.add(battles)
        pace = (fight.battles - before) / max(time.perf_counter() - begin, 1e-9)
    return pace


def exact_time(scenario: Scenario, budget: int) -> tuple[float, int]:
    """Median seconds of a warm exact answer, and the states it visits. Raises NoExactOdds."""
    states = exact(scenario, budget).explored
    return median(repeat(lambda: exact(scenario, budget), number=1, repeat=EXACT_RUNS)), states


def main(arguments: list[str]) -> None:
    """Print a row an example."""
    seconds = float(arguments.pop(0)) if arguments and arguments[0].replace(".", "").isdigit() else 0.5
    table = Table("example", "battles/s", "exact, ms", "states")
    for column in table.columns[1:]:
        column.justify = "right"
    for row in measure_examples(seconds, arguments):
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main(sys.argv[1:])
