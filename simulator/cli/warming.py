"""The kernel cache as the `cache` command sees it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

WARMING_BATTLES = 100


def _folder() -> Path:
    """The folder that holds the kernels of all versions."""
    try:
        from simulator.engine.cache import cache_folder
    except ImportError:
        from simulator.engine.compiled import cache_folder as folder_of_this_version

        return folder_of_this_version().parent
    return cache_folder()


def kept() -> tuple[Path, int, int]:
    """The folder, how many files are in it, and their bytes."""
    files = [path for path in _folder().rglob("*") if path.is_file()]
    return _folder(), len(files), sum(path.stat().st_size for path in files)


def clear() -> int:
    """Remove all kept kernels; returns how many bytes that were."""
    size = kept()[2]
    shutil.rmtree(_folder(), ignore_errors=True)
    return size


def warm(progress: Callable[[int, int | None], object]) -> None:
    """Answer every shipped example once, exactly and with dice, so that all kernels they need are compiled."""
    from simulator.analysis.answer import CELL_BYTES, Method, answer
    from simulator.engine.limits import NoExactOdds
    from simulator.scenarios import example_names, load

    names = example_names()
    for done, name in enumerate(names):
        progress(done, len(names))
        scenario = load(name)
        answer(scenario, Method(exact=False, battles=WARMING_BATTLES))
        with suppress(NoExactOdds):
            answer(scenario, Method(exact=True, budget=CELL_BYTES))
