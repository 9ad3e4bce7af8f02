"""The kernel cache as the `cache` command sees it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from simulator.engine.api import cache_folder

WARMING_BATTLES = 100


def kept() -> tuple[Path, int, int]:
    """The folder of the kernels, how many files are in it, and their bytes."""
    files = [path for path in cache_folder().rglob("*") if path.is_file()]
    return cache_folder(), len(files), sum(path.stat().st_size for path in files)


def warm(progress: Callable[[int, int | None], object]) -> None:
    """Answer every shipped example once, exactly and with dice, so that all kernels they need are compiled."""
    from simulator.analysis.odds.answer import answer
    from simulator.analysis.odds.run import CELL_BYTES, Method
    from simulator.engine.api import warm_up
    from simulator.engine.model.limits import NoExactOdds
    from simulator.scenarios import example_names, load

    names = example_names()
    for done, name in enumerate(names):
        progress(done, len(names))
        scenario = load(name)
        answer(scenario, Method(exact=False, battles=WARMING_BATTLES))
        with suppress(NoExactOdds):
            if scenario.built.chain is not None:
                warm_up(scenario.built.chain, CELL_BYTES)
            answer(scenario, Method(exact=True, budget=CELL_BYTES))
