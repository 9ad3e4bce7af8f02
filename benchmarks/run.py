"""Measure everything side by side in one run, and print the tables of docs/speed.md.

    python -m benchmarks.run [--quick] [--only TEXT] [--first] [--latency] [--yardstick] [--plain]

Paces are medians of several runs; NumPy peers are measured in turn with the kernels, so that a noisy machine hits
both. Run it on an idle machine. Tables of `--first` and `--latency` are kept in benchmarks/history/ as well.
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import peers, risk_numpy, yardstick
from benchmarks.afresh import afresh
from benchmarks.cases import CASES, STRATA, SWEEPS, Case
from benchmarks.first import measure_first
from benchmarks.latency import measure_latency
from benchmarks.plain_numba import measure_plain
from simulator import Method, NoExactOdds, exact, load, simulate, sweep
from simulator.analysis.odds.distribution import half_width_of_mean
from simulator.analysis.odds.mix import mixed
from simulator.engine.api import warm_up
from simulator.engine.model.limits import processors
from simulator.scenarios import Scenario

console = Console(width=140, highlight=False)
PEER_CHUNK = 100_000
HISTORY = Path(__file__).parent / "history"


def seconds(work: Callable[[], object]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def pace_of_kernel(scenario: Scenario, battles: int, seed: int) -> float:
    return battles / seconds(lambda: simulate(scenario, battles, seed))


def pace_of_peer(case: Case, chunks: int, seed: int) -> float:
    assert case.peer is not None
    rng, peer = np.random.default_rng(seed), case.peer
    return chunks * PEER_CHUNK / seconds(lambda: [peer(PEER_CHUNK, rng) for _ in range(chunks)])


def battles_for(scenario: Scenario, target: float) -> int:
    """Battles that take about `target` seconds, once everything is compiled and in the caches."""
    simulate(scenario, 100_000)
    return int(max(100_000, target * pace_of_kernel(scenario, 2_000_000, 0)))


def exact_time(case: Case, runs: int) -> tuple[str, str]:
    try:
        states = exact(case.scenario).explored
    except NoExactOdds as refusal:
        return "refused", str(refusal).partition(" and ")[0]
    scenario = load(case.scenario)
    if scenario.built.chain is not None:
        warm_up(scenario.built.chain)

    def fresh() -> object:
        return exact(afresh(scenario))

    return f"{1000 * median(seconds(fresh) for _ in range(runs)):.2f}", f"{states:,}"


def asked(case: Case) -> str:
    """The project's aims, in words."""
    aims = [
        case.pace and f"{case.pace / 1e6:.0f} M/s",
        case.ratio and f"{case.ratio:.0f}x",
        case.exact and f"{1000 * case.exact:.0f} ms",
    ]
    return ", ".join(aim for aim in aims if aim)


def measure_cases(only: str, rounds: int, target: float) -> None:
    table = Table(
        "battle, compiled",
        f"M battles/s, {processors()} cores",
        "per core",
        "NumPy M/s, one core",
        "ratio",
        "exact ms",
        "states",
        "asked",
    )
    for case in CASES:
        if only not in case.name:
            continue
        scenario = load(case.scenario)
        battles = battles_for(scenario, target)
        ours, theirs = [], []
        for turn in range(rounds):
            ours.append(pace_of_kernel(scenario, battles, turn))
            if case.peer:
                theirs.append(pace_of_peer(case, 3, turn))
        ratio = median(a / b for a, b in zip(ours, theirs, strict=True)) if theirs else None
        took, states = exact_time(case, 2 * rounds + 1)
        peer = f"{median(theirs) / 1e6:.2f}" if theirs else ""
        pace, times = median(ours) / 1e6, f"{ratio:.0f}x" if ratio else ""
        table.add_row(case.name, f"{pace:.1f}", f"{pace / processors():.1f}", peer, times, took, states, asked(case))
    console.print(table)


def measure_peers(rounds: int) -> None:
    table = Table("risk 20 v 15, exact", "seconds", "chance of the attacker")
    for name, work in (
        ("battle-odds, warm", lambda: exact(afresh(load("risk-20v15"))).winner("attacker")),
        ("icepool", peers.with_icepool),
        ("dyce", peers.with_dyce),
    ):
        value = work()
        table.add_row(name, f"{median(seconds(work) for _ in range(rounds)):.4f}", f"{value:.13f}")
    console.print(table)
    rng = np.random.default_rng(1)
    for peer in (risk_numpy.battles_by_dice, risk_numpy.battles_by_table):
        took = median(seconds(lambda p=peer: p(PEER_CHUNK, rng)) for _ in range(2 * rounds + 1))
        console.print(f"NumPy, {peer.__name__}: {PEER_CHUNK / took / 1e6:.2f} M battles/s")


def measure_sweeps(rounds: int) -> None:
    """Cells a second: median of whole sweeps, warm. User seconds too, which a busy machine stretches less."""
    table = Table("sweep", "cells", "median s", "user s", "cells/s", "cells/user s", title="sweeps")
    for name, scenario, ranges, options in SWEEPS:
        sweep(scenario, ranges, **options)
        took, user = [], []
        for _ in range(rounds):
            begin = time.process_time()
            took.append(seconds(lambda s=scenario, r=ranges, o=options: sweep(s, r, **o)))
            user.append(time.process_time() - begin)
        cells = int(np.prod([len(values) for values in ranges.values()]))
        wall, used = median(took), median(user)
        paces = f"{cells / wall:,.0f}", f"{cells / used:,.0f}"
        table.add_row(name, f"{cells:,}", f"{wall:.3f}", f"{used:.3f}", *paces)
    console.print(table)


def measure_strata() -> None:
    """Reduction of variance for battles fought by strata."""
    table = Table("by strata, 20,000 battles", "estimate", "strata", "variance, plain : by strata")
    for name, scenario in STRATA:
        mixture = mixed(scenario, Method(exact=False, battles=20_000))
        p, (low, high) = mixture.odds.winner("attacker"), mixture.odds.winner_interval("attacker")
        plain = half_width_of_mean((p * (1 - p)) ** 0.5, 20_000)
        table.add_row(name, f"{p:.4f}", f"{len(mixture.rows())}", f"{(2 * plain / (high - low)) ** 2:.1f}")
    console.print(table)


def check_counts() -> None:
    reference = simulate("risk-20v15", 3_000_000, seed=9, threads=1).table
    same = all(simulate("risk-20v15", 3_000_000, seed=9, threads=t).table.equals(reference) for t in (2, 7))
    console.print(f"identical counts for 1, 2 and 7 threads: {same}")


def process(code: list[str], **environment: str) -> float:
    return seconds(
        lambda: subprocess.run(
            [sys.executable, *code], env=os.environ | environment, check=True, stdout=subprocess.DEVNULL
        )
    )


def measure_starts(rounds: int) -> None:
    odds = ["-m", "simulator", "odds", "risk-20v15"]
    with tempfile.TemporaryDirectory() as folder:
        cold = [process(odds, BATTLE_ODDS_CACHE=f"{folder}/{i}") for i in range(rounds)]
    process(odds)
    table = Table("fresh process", "median s")
    table.add_row("battle-odds odds risk-20v15, the very first time", f"{median(cold):.2f}")
    table.add_row("battle-odds odds risk-20v15, warm", f"{median(process(odds) for _ in range(2 * rounds + 1)):.2f}")
    empty = median(process(["-c", "pass"]) for _ in range(2 * rounds + 1))
    imported = median(process(["-c", "import simulator"]) for _ in range(2 * rounds + 1))
    table.add_row("import simulator, less an empty Python", f"{imported - empty:.3f}")
    console.print(table)


def measure_exact_memory() -> None:
    """The most memory that an exact answer takes, in a process of its own."""
    work = "from benchmarks.cases import CASES; case = next(c for c in CASES if c.name == 'axis 100 v 100')"
    told = "print(round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024))"
    code = f"import resource; from simulator import exact; {work}; exact(case.scenario); {told}"
    peak = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.strip()
    console.print(f"axis 100 v 100, exact: at most {peak} MB (asked: 500)")


def measure_memory(battles: int) -> None:
    code = f"from simulator import simulate; simulate('risk-20v15', {battles})"
    subprocess.run([sys.executable, "-c", code], check=True)
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    console.print(f"{battles / 1e6:.0f} million battles: at most {peak:.0f} MB in any process measured here")


def keep(name: str, machine: str, *tables: Table) -> None:
    """Print tables, and keep them under the date of the day."""
    console.print(*tables)
    HISTORY.mkdir(exist_ok=True)
    with (HISTORY / f"{name}-{date.today()}.txt").open("w", encoding="utf-8") as file:
        Console(file=file, width=140).print(machine, *tables)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="shorter runs, rougher numbers")
    parser.add_argument("--sweeps", action="store_true", help="only the sweeps")
    parser.add_argument("--strata", action="store_true", help="only the variance of battles fought by strata")
    parser.add_argument("--first", action="store_true", help="only first answers on an empty cache")
    parser.add_argument("--latency", action="store_true", help="only warm answers of small battles")
    parser.add_argument("--yardstick", action="store_true", help="only the pace beside a C program (needs gcc)")
    parser.add_argument("--plain", action="store_true", help="only the pace without numba's internals")
    parser.add_argument("--only", default="", help="only the battles whose name contains this")
    options = parser.parse_args()
    rounds, target = (3, 0.3) if options.quick else (7, 1.0)
    machine = f"{date.today()}, {platform.machine()}, {processors()} processors, Python {platform.python_version()}"
    console.print(machine)
    if options.first:
        keep("first", machine, measure_first(options.only))
    if options.latency:
        keep("latency", machine, measure_latency(rounds))
    if options.first or options.latency:
        return
    if options.sweeps:
        measure_sweeps(rounds)
        return
    if options.yardstick:
        yardstick.measure(rounds, console)
        return
    if options.plain:
        measure_plain(rounds, console)
        return
    if options.strata:
        measure_strata()
        return
    if not options.only:
        measure_memory(20_000_000 if options.quick else 200_000_000)
        measure_exact_memory()
    measure_cases(options.only, rounds, target)
    if not options.only:
        measure_peers(rounds)
        measure_sweeps(rounds)
        measure_strata()
        check_counts()
        measure_starts(rounds)


if __name__ == "__main__":
    main()
