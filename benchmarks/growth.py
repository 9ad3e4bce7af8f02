"""Growth of time and memory with the size of a battle, exact and simulated, game by game, with the switch marked.

    python -m benchmarks.growth [--only TEXT] [--rows FILE] [--plot docs/pictures/growth.png]

Each size is answered automatically to 0.1 %, exactly while that takes at most QUICK_BYTES and its last size took at
most SLOWEST seconds, and simulated (20,000 battles on one thread); every kernel is made and called before it is
measured. Time is that of the processor; memory is the most that the process
held beyond what it held before (Linux). The plot stands in docs/large-battles.md.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
from matplotlib.ticker import NullLocator

from benchmarks.afresh import afresh
from benchmarks.cases import of_all_kinds
from simulator import NoExactOdds, load
from simulator.analysis.odds.answer import answer
from simulator.analysis.odds.method import Method
from simulator.engine.api import warm_up
from simulator.engine.model.limits import QUICK_BYTES
from simulator.report.plots.figures import LINES

BATTLES = 20_000
SLOWEST = 3.0
COLOURS = dict(zip(("automatic, 0.1 %", "exact", "simulated"), LINES, strict=False))
Scenario = dict[str, Any]


def equal(game: str, battle: str, force: Callable[[int], Scenario]) -> Callable[[int], Scenario]:
    """A battle of so many units a side."""
    return lambda n: {"game": game, "battle": battle, "attacker": force(n), "defender": force(n)}


def army(n: int) -> Scenario:
    return {"country": "france", "army_plus": n // 4, "land_detachments": n % 4}


def creatures(n: int) -> Scenario:
    return {"creatures": ["4", "3R", "5M", "2", "3", "4R", "2M", "3", "5", "2R"][:n]}


def mixed(n: int) -> Scenario:
    return {"infantry": n // 2, "artillery": n // 6, "tank": n // 6, "fighter": n // 6}


GAMES: dict[str, tuple[Callable[[int], Scenario], tuple[int, ...]]] = {
    "Risk, regiments": (equal("risk", "land", lambda n: {"regiments": n}), (10, 100, 300, 1000, 2000, 5000)),
    "Axis & Allies, infantry": (
        equal("axis-and-allies-1942", "land", lambda n: {"infantry": n}),
        (10, 30, 100, 300, 1000),
    ),
    "Axis & Allies, mixed": (equal("axis-and-allies-1942", "land", mixed), (12, 24, 60, 102, 150, 198)),
    "Kings & Things, creatures": (equal("kings-and-things", "land", creatures), (1, 2, 4, 8, 10)),
    "Europa, land detachments": (equal("europa", "land", army), (1, 2, 4, 8)),
    "Birthright, infantry": (
        equal("birthright", "tactical", lambda n: {"units": [f"{n} x infantry"]}),
        (2, 4, 6, 8, 9, 10, 12),
    ),
    "The Price of Power, of each of 8 kinds": (equal("price-of-power", "land", of_all_kinds), (1, 2, 3)),
}


def measured(work: Callable[[], object]) -> tuple[float, float]:
    """Seconds of the processor and megabytes beyond those held before, of a second call."""
    work()
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before, begun = _megabytes("VmRSS"), time.process_time()
    work()
    return time.process_time() - begun, max(0.0, _megabytes("VmHWM") - before)


def _megabytes(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def rows_of(make: Callable[[int], Scenario], sizes: tuple[int, ...], title: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    ways = {
        "automatic, 0.1 %": Method(precision=0.001),
        "exact": Method(exact=True, budget=QUICK_BYTES),
        "simulated": Method(exact=False, battles=BATTLES, threads=1),
    }
    warm_up(load(make(sizes[0])).chain)
    for size in sizes:
        row: dict[str, Any] = {"size": size}
        for way, method in list(ways.items()):
            try:
                row[way] = measured(partial(answered, make(size), method))
            except NoExactOdds:
                del ways[way]
            if way == "exact" and way in row and row[way][0] > SLOWEST:
                del ways[way]
        rows.append(row)
        print(title, row, flush=True)
    return rows


def answered(scenario: Scenario, method: Method) -> object:
    return answer(afresh(load(scenario)), method)


def draw(found: dict[str, list[dict[str, Any]]], path: str) -> None:
    """Two rows of panels, time above and memory below, a column a game."""
    figure, axes = plt.subplots(2, len(found), figsize=(3.1 * len(found), 6), sharey="row", squeeze=False)
    for column, (title, rows) in enumerate(found.items()):
        for line, (what, place) in enumerate((("seconds of one processor", 0), ("megabytes", 1))):
            axis = axes[line][column]
            for way, colour in COLOURS.items():
                shown = [(row["size"], max(row[way][place], 1e-4 if place == 0 else 0.1)) for row in rows if way in row]
                if shown:
                    axis.plot(*zip(*shown, strict=True), "o-", color=colour, markersize=4, label=way)
            axis.axhline((2, 500)[line], color="grey", linestyle=":", label="the most that an answer may take")
            axis.set(xscale="log", yscale="log")
            axis.set_xticks([row["size"] for row in rows], [str(row["size"]) for row in rows])
            axis.tick_params(axis="x", labelsize=7)
            axis.xaxis.set_minor_locator(NullLocator())
            axis.grid(alpha=0.3)
            if column == 0:
                axis.set_ylabel(what)
        axes[0][column].set_title(title, fontsize=9)
        axes[1][column].set_xlabel("units a side")
    handles = {
        label: handle for axis in axes.flat for handle, label in zip(*axis.get_legend_handles_labels(), strict=True)
    }
    figure.legend(handles.values(), handles.keys(), loc="lower center", ncols=4, frameon=False)
    figure.tight_layout(rect=(0, 0.05, 1, 1))
    figure.savefig(path, dpi=110)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="only the games whose name contains this")
    parser.add_argument("--plot", default="", help="where to draw")
    parser.add_argument("--rows", default="", help="a JSON file that keeps what was measured; not measured again")
    options = parser.parse_args()
    kept = Path(options.rows) if options.rows else None
    found = json.loads(kept.read_text()) if kept and kept.exists() else {}
    for title, game in GAMES.items():
        if options.only in title and title not in found:
            found[title] = rows_of(*game, title)
            if kept:
                kept.write_text(json.dumps(found))
    if options.plot:
        draw(found, options.plot)


if __name__ == "__main__":
    main()
