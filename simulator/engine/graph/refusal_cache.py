"""On-disk cache of refusals: chains that are too large for a budget, which takes seconds to find out."""

from __future__ import annotations

import hashlib
import pickle
from contextlib import suppress
from pathlib import Path

from simulator.engine.jit import kernel_cache as cache
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import NoExactOdds

FOLDER = "refused"


def recall(chain: Chain, budget: int) -> None:
    """Raise NoExactOdds if the graph of the chain is known to exceed the budget."""
    path, most, why = _file_of(chain), -1, ""
    with suppress(OSError, ValueError):
        if path is not None:
            size, why = path.read_text(encoding="utf-8").split("\n")
            most = int(size)
    if budget <= most:
        raise NoExactOdds(why)


def remember(chain: Chain, budget: int, why: str) -> None:
    """Store the refusal for later runs; a failed write is ignored."""
    path = _file_of(chain)
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{budget}\n{why}", encoding="utf-8")


def _file_of(chain: Chain) -> Path | None:
    """The file, named after everything that determines the graph; None for games of other packages."""
    package, tables = cache.package_of(type(chain.params)), chain.tables
    if package is None:
        return None
    parts = type(chain.params).__qualname__, chain.params, chain.start, chain.limits, chain.counters
    whole = pickle.dumps((*parts, tables.first, tables.result))
    return cache.folder_of(package) / FOLDER / hashlib.sha256(whole).hexdigest()[:32]
