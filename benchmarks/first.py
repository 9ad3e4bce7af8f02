"""First answers: each typed battle in a process of its own on an empty cache, and the same command once more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from rich.table import Table

from benchmarks.typed_battles import battles

# Seconds of CPU that a first answer and a second run may take; those of the battles named here.
FIRST, SECOND = 2.0, 1.0
AIMS = {"axis 56 v 58": (1.0, 1.0)}


# The command `battle-odds`, which writes its peak memory to the file that is its first argument: the peak that the
# system reports of a child process is at least that of its parent.
WATCHED = """
import re, runpy, sys
place = sys.argv.pop(1)
try:
    runpy.run_module("simulator", run_name="__main__", alter_sys=True)
finally:
    with open("/proc/self/status") as status, open(place, "w") as peak:
        peak.write(re.search(r"VmHWM:\\s+(\\d+) kB", status.read())[1])
"""


class Run(NamedTuple):
    """The CPU seconds of a command, its peak memory in MB, and its answer."""

    seconds: float
    megabytes: float
    answer: dict[str, Any]


def command(scenario: Path, cache: str, *options: str) -> Run:
    """`odds` of a scenario file in a fresh process."""
    with tempfile.TemporaryFile() as out, tempfile.NamedTemporaryFile("r") as peak:
        words = ["odds", str(scenario), "--json", *options]
        code = [sys.executable, "-c", WATCHED, peak.name, *words]
        places = {"BATTLE_ODDS_CACHE": cache, "PYTHONPYCACHEPREFIX": f"{Path(cache).parent}/bytecode"}
        child = subprocess.Popen(code, env=os.environ | places, stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            raise subprocess.CalledProcessError(child.returncode, code)
        out.seek(0)
        return Run(used.ru_utime + used.ru_stime, int(peak.read()) / 1024, json.load(out))


def rows(only: str = "") -> Iterable[tuple[str, Run, Run]]:
    """Each battle by name: its first answer on an empty cache, and the same command again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "battle.json"
        command(Path("risk-20v15"), f"{folder}/none")  # writes the byte code of the package
        for number, (name, scenario) in enumerate(battles()):
            if only in name:
                path.write_text(json.dumps(scenario))
                cache = f"{folder}/{number}"
                yield name, command(path, cache), command(path, cache)


def measure_first(only: str = "") -> Table:
    """The table of first answers; a time above its aim is marked."""
    table = Table("typed battle", "first, CPU s", "second", "MB", "the first answer", title="empty cache")
    late = total = 0
    for name, first, second in rows(only):
        cells = []
        for run, most in zip((first, second), AIMS.get(name, (FIRST, SECOND)), strict=True):
            late += run.seconds > most
            cells.append(f"{run.seconds:.2f}" + " !" * (run.seconds > most))
        total += 2
        table.add_row(name, *cells, f"{max(first.megabytes, second.megabytes):.0f}", first.answer["how"])
        print(name, *cells, first.answer["how"], file=sys.stderr, flush=True)
    table.caption = f"{total - late} of {total} answers within {FIRST:g} and {SECOND:g} s"
    return table
