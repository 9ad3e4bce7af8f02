"""Processor time of every command on every shipped example: `python -m benchmarks.commands [--over 1] [WORD ...]`.

Each command runs in a process of its own, forked where the command line is imported and nothing has been asked; the
time of the imports is added. Kernels come from the cache, so a first run also fills it. Words choose examples. Needs
POSIX.
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
import time
from collections.abc import Iterator

# The command sets it too, before numpy is imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from simulator import load
from simulator.cli import main as run
from simulator.scenarios import example_names
from simulator.scenarios.schema import settings_of, whole_numbers

# {name} is the example, {vary} the first whole number of a side, from 1 below to 2 above.
COMMANDS = [
    "odds {name}",
    "rounds {name}",
    "survival {name}",
    "best {name}",
    "best {name} --side defender",
    "need {name}",
    "need {name} --vary {field}",
    "units {name}",
    "worth {name} --weight win=1",
    "sweep {name} --vary {vary}",
    "compare {name} {name} --set 2:{high}",
    "sensitivity {name}",
    "balance {name} --vary {vary}",
    "replay {name}",
    "replay {name} --luck",
    "campaign {name} {name}",
    "campaign {name} --counter-attack",
]


def filled(name: str) -> Iterator[str]:
    """The commands on an example; without those that vary a whole number of a side where it has none."""
    scenario = load(name)
    values: dict[str, str] = {"name": name}
    for path, value in settings_of(scenario.data):
        bounds = whole_numbers(scenario.battle, path)
        if path.startswith(("attacker.", "defender.")) and bounds and type(value) is int:
            least, most = bounds
            low = value - 1 if least is None else max(least, value - 1)
            high = value + 2 if most is None else min(most, value + 2)
            values |= {"field": path, "vary": f"{path}={low}:{high}", "high": f"{path}={high}"}
            break
    for command in COMMANDS:
        try:
            yield command.format(**values)
        except KeyError:
            continue


def forked(command: str) -> tuple[int, float, str]:
    """A command in a process of its own: its exit status, seconds of processor time, and what it prints as refusal."""
    with tempfile.TemporaryFile("w+") as refusal, open(os.devnull, "w") as nothing:
        child = os.fork()
        if not child:
            os.dup2(nothing.fileno(), 1)
            os.dup2(refusal.fileno(), 2)
            status: object = 1
            try:
                run(command.split())
            except SystemExit as ended:
                status = ended.code
            finally:
                os._exit(status if isinstance(status, int) else 0)
        _, code, used = os.wait4(child, 0)
        refusal.seek(0)
        return os.waitstatus_to_exitcode(code), used.ru_utime + used.ru_stime, refusal.read()


def main(words: list[str], over: float) -> None:
    """Print the commands that take longer than so many seconds, and how many there were."""
    imports, count = time.process_time(), 0
    for name in example_names():
        if words and not any(word in name for word in words):
            continue
        for asked in filled(name):
            count += 1
            command = asked
            status, seconds, refusal = forked(command)
            if joins := re.search("for example (--join .+)", refusal):  # nobody is left to strike back
                command = f"{asked} {joins[1]}"
                status, seconds, _ = forked(command)
            if imports + seconds > over:
                print(f"{imports + seconds:7.2f}  {status}  {command}", flush=True)
    print(f"{count} commands, {imports:.2f} s of imports in each")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*", metavar="WORD")
    parser.add_argument("--over", type=float, default=1.0, help="print what takes longer than so many seconds")
    asked = parser.parse_args()
    main(asked.words, asked.over)
