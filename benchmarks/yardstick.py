"""The pace of a C program on two battles, beside ours and NumPy's: `python -m benchmarks.run --yardstick`.

`yardstick.c` follows the alias tables of a graph with its states in registers; for Risk it also plays the dice with all
tables in registers, which needs AVX-512 and the rules in C.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from math import isnan, nan
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.cases import CASES
from benchmarks.risk_numpy import ATTACKERS, DEFENDERS, THRESHOLDS
from simulator import load, simulate
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.model.chance import Tables
from simulator.engine.sample.alias import build_alias
from simulator.engine.sample.graph_tables import graph_tables
from simulator.engine.sample.node_walk import narrow
from simulator.engine.sample.own_tables_walk import own_tables

SOURCE = Path(__file__).parent / "yardstick.c"
BATTLES, CHUNK = 20_000_000, 100_000
# The status of `yardstick.c` where the processor lacks AVX-512.
NEEDS_AVX512 = 3
# The examples that are measured, by the name of their row in `cases.py`.
ROWS = {"risk 20 v 15 (NumPy: dice)": "risk-20v15", "axis 10i 5t v 12i 3f": "axis-land-eastern-front"}


def compiled(folder: Path) -> Path | None:
    """The program, for this processor; None where gcc is missing."""
    if shutil.which("gcc") is None:
        return None
    program = folder / "yardstick"
    subprocess.run(["gcc", "-O3", "-march=native", str(SOURCE), "-o", str(program)], check=True)
    return program


def tables_of(example: str) -> np.ndarray:
    """The alias tables of an example's graph: the words (uint64) that `yardstick.c` reads."""
    chain = load(example).built.chain
    assert chain is not None
    layout = own_tables(graph_tables(graph_of(chain)))
    assert layout is not None
    entries, start = layout.entries, int(np.flatnonzero(layout.order == 0)[0])
    return np.concatenate([np.array([entries.bits, entries.running, layout.bits, start], np.uint64), entries.whole])


def dice_of_risk() -> np.ndarray:
    """The alias tables of Risk's hands, and what each result costs both sides: the words that `yardstick.c` reads."""
    hands = [(a, d) for d in (1, 2) for a in (1, 2, 3)]
    chances = [np.diff(THRESHOLDS[a, d], prepend=0.0, append=1.0) for a, d in hands]
    chances = [chance[chance > 0] for chance in chances]
    first = np.cumsum([0, *map(len, chances)])
    result = np.concatenate([np.arange(len(chance)) for chance in chances])
    tables = Tables(first, result, np.concatenate(chances))
    entry, loss = np.zeros(32, np.uint32), np.zeros(32, np.uint32)
    entry[:24] = narrow(build_alias(tables))
    for hand, (a, d) in enumerate(hands):
        rolls = 2 if min(a, d) > 1 else 1
        loss[4 * hand :][: rolls + 1] = [lost | (rolls - lost) << 8 for lost in range(rolls + 1)]
    head = np.array([0, 0, 0, ATTACKERS | DEFENDERS << 8], np.uint64)
    return np.concatenate([head, np.concatenate([entry, loss]).view(np.uint64)])


def pace_in_c(program: Path, words: np.ndarray) -> float:
    """Battles a second of CPU time; nan where the program needs another processor."""
    tables = program.with_name("tables")
    words.tofile(tables)
    done = subprocess.run([str(program), str(tables), str(BATTLES)], capture_output=True, text=True, check=False)
    if done.returncode == NEEDS_AVX512:
        return nan
    done.check_returncode()
    return 1 / float(done.stdout.splitlines()[0])


def pace(work: Callable[[int], Any], battles: int) -> float:
    """Battles a second of CPU time of this process."""
    begin = time.process_time()
    work(battles)
    return battles / (time.process_time() - begin)


def ours(example: str) -> Callable[[int], Any]:
    """Battles of an example on one thread."""
    scenario = load(example)
    return lambda battles: simulate(scenario, battles, 1, threads=1)


def measure(rounds: int, console: Console) -> None:
    """Print the paces per core, and ours as a part of the yardstick's: medians of runs in turn."""
    table = Table("battle, M battles/s per core, compiled", "in C", "ours", "NumPy", "ours / C", title="yardstick")
    with tempfile.TemporaryDirectory() as folder:
        program = compiled(Path(folder))
        if program is None:
            console.print("gcc is missing: no yardstick")
            return
        peers = {case.name: case.peer for case in CASES}
        risk, axis = ROWS
        for name, row, words in (
            ("risk 20 v 15", risk, tables_of(ROWS[risk])),
            ("risk 20 v 15, in C the dice alone", risk, dice_of_risk()),
            (axis, axis, tables_of(ROWS[axis])),
        ):
            peer, mine, rng = peers[row], ours(ROWS[row]), np.random.default_rng(1)
            assert peer is not None
            mine(CHUNK)
            runs = [
                (pace_in_c(program, words), pace(mine, BATTLES // 4), pace(lambda n, p=peer, r=rng: p(n, r), CHUNK))
                for _ in range(rounds)
            ]
            c, own, numpy = (median(column) / 1e6 for column in zip(*runs, strict=True))
            ratio = median(run[1] / run[0] for run in runs)
            shown = ("needs AVX-512", "") if isnan(c) else (f"{c:.0f}", f"{ratio:.2f}")
            table.add_row(name, shown[0], f"{own:.0f}", f"{numpy:.2f}", shown[1])
    console.print(table)
