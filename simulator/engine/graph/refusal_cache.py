"""Chains known to be too large for a budget, kept between runs: finding out takes seconds, whoever asks."""

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
    """Raise NoExactOdds where it is known that the chain spelled out is too large for the budget."""
    path, most, why = _file_of(chain), -1, ""
    with suppress(OSError, ValueError):
        if path is not None:
            told, why = path.read_text(encoding="utf-8").split("\n")
            most = int(told)
    if budget <= most:
        raise NoExactOdds(why)


def remember(chain: Chain, budget: int, why: str) -> None:
    """Keep the refusal for later runs, if that can be written."""
    path = _file_of(chain)
    if path is not None:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{budget}\n{why}", encoding="utf-8")


def _file_of(chain: Chain) -> Path | None:
    """Named after all that decides how the chain is spelled out; None for games of other packages."""
    package, tables = cache.package_of(type(chain.params)), chain.tables
    if package is None:
        return None
    parts = type(chain.params).__qualname__, chain.params, chain.start, chain.limits, chain.counters
    whole = pickle.dumps((*parts, tables.first, tables.result))
    return cache.folder_of(package) / FOLDER / hashlib.sha256(whole).hexdigest()[:32]
