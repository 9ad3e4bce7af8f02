"""Equal chains are reckoned once: what the cells of a grid have in common."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, Ends

# Once the ends kept are so many, all are dropped.
MOST_ENDS = 2_000_000
MOST_CHAINS = 256


class Shared:
    """Chains met so far, with their exact ends. Chains are equal if nothing tells them apart but how they are told."""

    def __init__(self) -> None:
        self._chains: dict[bytes, Chain] = {}
        self._ends: dict[int, tuple[Chain, Ends]] = {}
        self._rows = 0

    def the(self, chain: Chain) -> Chain:
        """The first chain met that equals this one, with all that it has reckoned since; itself if there is none."""
        if chain.aims is not None:
            return chain
        if len(self._chains) >= MOST_CHAINS:
            self._forget()
        return self._chains.setdefault(digest(chain), chain)

    def ends(self, chain: Chain) -> Ends | None:
        """The exact ends of a chain that `the` returned, if they are known."""
        known = self._ends.get(id(chain))
        return known[1] if known else None

    def keep(self, chain: Chain, ends: Ends) -> None:
        """Keep the exact ends of a chain that `the` returned."""
        if chain.aims is not None or id(chain) in self._ends:
            return
        if self._rows + len(ends) > MOST_ENDS:
            self._forget()
        self._ends[id(chain)] = chain, ends
        self._rows += len(ends)

    def _forget(self) -> None:
        self._ends, self._chains, self._rows = {}, {}, 0


def digest(chain: Chain) -> bytes:
    """A number that chains share only if they have the same rules, params, start, limits and tables."""
    found = hashlib.blake2b(digest_size=20)

    def tell(value: Any) -> None:
        if isinstance(value, np.ndarray):
            found.update(f"{value.dtype}{value.shape}".encode())
            found.update(np.ascontiguousarray(value).data)
        elif isinstance(value, tuple):
            found.update(f"{type(value).__module__}.{type(value).__qualname__}(".encode())
            for one in value:
                tell(one)
            found.update(b")")
        else:
            found.update(f"{value!r};".encode())

    for value in (chain.params, chain.start, chain.limits, chain.tables.rows, chain.counters):
        tell(value)
    return found.digest()
