"""Questions that ask many scenarios, in CPU seconds of a fresh process: `python -m benchmarks.many [--only TEXT]`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from rich.console import Console
from rich.table import Table

# Plans (docs/rules/plan.md): pieces in two places, five targets.
_CLASSES = {"infantry": 8, "tank": 8, "fighter": 8}
_FIVE = {
    "game": "plan",
    "of": "axis-and-allies-1942",
    "every": {"battle": "land", "worth": 6},
    "target": {
        "a": {"defender": {"infantry": 2, "tank": 1}},
        "b": {"defender": {"infantry": 2}, "worth": 4},
        "c": {"defender": {"infantry": 1}, "worth": 3},
        "d": {"defender": {"infantry": 3, "fighter": 1}, "worth": 8},
        "e": {"defender": {"infantry": 4}, "worth": 5},
    },
}
_SIX_CLASSES = {"p": _CLASSES | {"reach": ["a", "b", "c"]}, "q": _CLASSES | {"reach": ["b", "c", "d", "e"]}}
_BORDERS = {
    "game": "plan",
    "of": "risk",
    "every": {"battle": "land"},
    "place": {"muster": {"regiments": 30}},
    "target": {
        "ural": {"worth": 3, "defender": {"regiments": 8}},
        "siam": {"worth": 2, "defender": {"regiments": 6}},
        "egypt": {"worth": 2, "defender": {"regiments": 5}},
    },
}
# Name, code, the seconds that it may take after imports in a fresh process, with kernels in the cache.
MANY: list[tuple[str, str, float]] = [
    ("need axis-land-flak", "need('axis-land-flak', 'attacker.infantry', target=0.8)", 0.5),
    (
        "best axis-land-eastern-front, with the fixed policies",
        "best('axis-land-eastern-front', ['policy.attacker.retreat']).fixed",
        0.5,
    ),
    ("best knt-raid", "best('knt-raid', ['policy.attacker.losses']).fixed", 2.0),
    ("sensitivity europa-blenheim-1704", "sensitivity('europa-blenheim-1704')", 5.0),
    (
        "1,000 Risk battles",
        "[odds({'game': 'risk', 'battle': 'land', 'attacker': {'regiments': 1 + k % 40},"
        " 'defender': {'regiments': 1 + k // 40}}) for k in range(1000)]",
        1.5,
    ),
    (
        "1,000 line-ups of Axis & Allies",
        "[odds({'game': 'axis-and-allies-1942', 'battle': 'land', 'attacker': {'infantry': 1 + k % 10,"
        " 'artillery': k // 10 % 5, 'tank': k // 50 % 4}, 'defender': {'infantry': 1 + k // 200,"
        " 'fighter': k // 3 % 3}}) for k in range(1000)]",
        3.0,
    ),
    (
        "1,000 Risk battles, odds_many",
        "odds_many([{'game': 'risk', 'battle': 'land', 'attacker': {'regiments': 1 + k % 40},"
        " 'defender': {'regiments': 1 + k // 40}} for k in range(1000)])",
        1.5,
    ),
    (
        "1,000 line-ups of Axis & Allies, odds_many",
        "odds_many([{'game': 'axis-and-allies-1942', 'battle': 'land', 'attacker': {'infantry': 1 + k % 10,"
        " 'artillery': k // 10 % 5, 'tank': k // 50 % 4}, 'defender': {'infantry': 1 + k // 200,"
        " 'fighter': k // 3 % 3}} for k in range(1000)])",
        3.0,
    ),
    (
        "Risk, 200 x 200 regiments",
        "sweep('risk-20v15', {'attacker.regiments': range(1, 201), 'defender.regiments': range(1, 201)})",
        1.0,
    ),
    ("plan, Risk: three borders, 30 regiments", f"plan({_BORDERS!r})", 0.3),
    ("plan, Axis & Allies: 5 targets, 6 classes of 8 units", f"plan({_FIVE | {'place': _SIX_CLASSES}!r})", 2.0),
    (
        "plan, Axis & Allies: 5 targets that all classes reach, 28,900 attacks",
        f"plan({_FIVE | {'place': dict.fromkeys('pq', _CLASSES)}!r})",
        3.0,
    ),
]
_FRESH = """
import time
from simulator import best, need, odds, odds_many, plan, sensitivity, sweep
begun = time.process_time()
{code}
print(time.process_time() - begun)
"""


# Small battles never wait for a compiler: the kernels of these games are compiled beforehand.
_COMPILED = """
from simulator import load
from simulator.engine.api import warm_up
from simulator.engine.graph.compiled_explorer import CompiledExplorer
for name in ("risk-20v15", "axis-land-flak"):
    warm_up(load(name).chain)
    CompiledExplorer(load(name).chain, 1 << 30).explore()  # for plans, and battles that are not solved on a grid
"""


def seconds(code: str) -> float:
    """CPU seconds of this code in a fresh process, after imports."""
    done = subprocess.run([sys.executable, "-c", _FRESH.format(code=code)], stdout=subprocess.PIPE, check=True)
    return float(done.stdout)


def measure_many(only: str = "") -> Table:
    """The table of many scenarios; a time above its aim is marked."""
    table = Table("many scenarios", "CPU s", "aim", title="fresh process, kernels in the cache, after imports")
    subprocess.run([sys.executable, "-c", _COMPILED], check=True)
    for name, code, aim in MANY:
        if only in name:
            seconds(code)  # compiles
            taken = seconds(code)
            table.add_row(name, f"{taken:.2f}" + " !" * (taken > aim), f"{aim:g}")
    return table


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="a part of the names of rows")
    Console().print(f"load average {os.getloadavg()[0]:.1f}", measure_many(parser.parse_args().only), sep="\n")


if __name__ == "__main__":
    main()
