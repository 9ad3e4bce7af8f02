"""This checkout beside another one, in turn: `python -m benchmarks.against ../other [--first] [ROW ...]`.

It measures CPU time of one thread for each row of `cases.py`: a simulated battle and an exact answer, both warm; with
`--first` the command `odds` for each example, in a fresh process with an empty cache of kernels. Both versions run in
their own processes and take turns, so that other work on the machine slows down both alike. The ratio is the other
version's median time divided by this one's: 1.2 means that this version is 1.2 times as fast. Only the public API is
used, but for answers that are kept, so that the versions may differ in everything else.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import IO, Any, NamedTuple

HERE = Path(__file__).parent.parent
TURNS = 7
# CPU seconds that a measurement takes at least, so that the clock's grain does not matter.
LEAST = 0.25
# A first answer is slow: fewer turns.
FIRST_TURNS = 3


class Times(NamedTuple):
    """Medians of both versions, in seconds."""

    other: float
    ours: float

    def __str__(self) -> str:
        return f"{_seconds(self.other)} | {_seconds(self.ours)} | {self.other / self.ours:.2f}"


class Version:
    """A checkout and the process that measures it."""

    def __init__(self, root: Path, cache: str) -> None:
        self.root = root
        self.environment = os.environ | {"PYTHONPATH": str(root), "BATTLE_ODDS_CACHE": cache}
        self.process = subprocess.Popen(
            [sys.executable, str(Path(__file__).resolve()), "--worker"],
            cwd=root,
            env=self.environment,
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def ask(self, **question: Any) -> float | None:
        """The measured number, or None where this version gives no such answer."""
        stdin, stdout = self._pipes()
        stdin.write(json.dumps(question) + "\n")
        stdin.flush()
        return json.loads(stdout.readline())  # type: ignore[no-any-return]

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        return self.process.stdin, self.process.stdout

    def first(self, scenario: str) -> float:
        """CPU seconds of `odds` in a fresh process that has no compiled kernel."""
        with tempfile.TemporaryDirectory() as cache:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run(
                [sys.executable, "-m", "simulator", "odds", scenario],
                cwd=self.root,
                env=self.environment | {"BATTLE_ODDS_CACHE": cache},
                stdout=subprocess.DEVNULL,
                check=True,
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(versions: tuple[Version, Version], measure: Callable[[Version], float], turns: int) -> Times:
    """Medians of both versions, measured alternately."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(turns):
        for which in (0, 1) if turn % 2 else (1, 0):
            times[which].append(measure(versions[which]))
    return Times(median(times[0]), median(times[1]))


def repeats(versions: tuple[Version, Version], kind: str, scenario: Any) -> int | None:
    """The number of battles or answers that takes about LEAST seconds in both versions; None if one gives no answer."""
    number = 50_000 if kind == "simulate" else 1
    for _ in range(3):  # the first time compiles, and the second one measures too few answers
        times = [version.ask(kind=kind, scenario=scenario, number=number) for version in versions]
        if None in times:
            return None
        slowest = max(time for time in times if time is not None)
        number = max(number, round(LEAST * number / max(slowest, 1e-9)))
    return number


def row(versions: tuple[Version, Version], scenario: Any) -> list[str]:
    """The table's cells of one scenario: simulated, exact."""
    cells = []
    for kind in ("simulate", "exact"):
        number = repeats(versions, kind, scenario)
        if number is None:
            cells.append("| | ")
            continue

        def measure(version: Version, kind: str = kind, number: int = number) -> float:
            return (version.ask(kind=kind, scenario=scenario, number=number) or 0.0) / number

        cells.append(str(in_turn(versions, measure, TURNS)))
    return cells


def work() -> None:
    """Answer the questions of standard input, one JSON object a line: the worker of one version."""
    from simulator import NoExactOdds, ScenarioError, exact, load, simulate
    from simulator.engine.exact import warm_up
    from simulator.scenarios import scenario as scenarios

    for line in sys.stdin:
        question = json.loads(line)
        scenario, number = load(question["scenario"]), question["number"]
        answer: float | None = None
        try:
            if question["kind"] == "exact" and number == 1 and scenario.built.chain is not None:
                warm_up(scenario.built.chain)
            start = time.process_time()
            if question["kind"] == "simulate":
                simulate(scenario, number, 1, threads=1)
            else:
                for _ in range(number):
                    getattr(scenarios, "_kept", {}).clear()  # answers of equal scenarios, in versions that keep them
                    exact(type(scenario)(scenario.battle, scenario.fields, scenario.data))
            answer = time.process_time() - start
        except (NoExactOdds, ScenarioError):
            pass
        print(json.dumps(answer), flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("other", type=Path, help="another checkout of this repository")
    parser.add_argument("rows", nargs="*", help="parts of the names of rows; all by default")
    parser.add_argument("--first", action="store_true", help="first answers of all examples instead")
    asked = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as cache:
        other, ours = Version(asked.other.resolve(), f"{cache}/other"), Version(HERE, f"{cache}/ours")
        print(f"load average {os.getloadavg()[0]:.1f}, one thread, CPU time\n")
        if asked.first:
            from simulator.scenarios import example_names

            print("| Example, empty cache | other | ours | ratio |\n|---|---|---|---|")
            for name in example_names():
                if not asked.rows or any(word in name for word in asked.rows):
                    times = in_turn((other, ours), lambda version, name=name: version.first(name), FIRST_TURNS)
                    print(f"| {name} | {times} |", flush=True)
            return
        from benchmarks.cases import CASES

        print("| Row | a battle: other | ours | ratio | exact: other | ours | ratio |\n|---|---|---|---|---|---|---|")
        for case in CASES:
            if not asked.rows or any(word in case.name for word in asked.rows):
                print(f"| {case.name} | {' | '.join(row((other, ours), case.scenario))} |", flush=True)


def _seconds(value: float) -> str:
    for unit, scale in (("s", 1.0), ("ms", 1e3), ("us", 1e6)):
        if value * scale >= 1:
            return f"{value * scale:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--worker"] else main()
