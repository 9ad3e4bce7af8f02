"""A cache of chains and their exact ends, for scenarios that have chains in common."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from simulator.engine.model.chain import Chain, OutcomeDistribution

# The cache is emptied when it holds more rows of ends, or more chains, than this.
MOST_ENDS = 2_000_000
MOST_CHAINS = 256


class Shared:
    """Chains with their exact ends; chains that differ only in their wording are equal."""

    def __init__(self) -> None:
        self._chains: dict[bytes, Chain] = {}
        self._ends: dict[int, tuple[Chain, OutcomeDistribution]] = {}
        self._rows = 0

    def canonical(self, chain: Chain) -> Chain:
        """The first chain given that equals this one, with all that was computed for it since."""
        if chain.utilities is not None:
            return chain
        if len(self._chains) >= MOST_CHAINS:
            self._forget()
        return self._chains.setdefault(digest(chain), chain)

    def ends(self, chain: Chain) -> OutcomeDistribution | None:
        """The exact ends of a chain that `canonical` returned, if they are known."""
        known = self._ends.get(id(chain))
        return known[1] if known else None

    def keep(self, chain: Chain, ends: OutcomeDistribution) -> None:
        """Keep the exact ends of a chain that `canonical` returned."""
        if chain.utilities is not None or id(chain) in self._ends:
            return
        if self._rows + len(ends) > MOST_ENDS:
            self._forget()
        self._ends[id(chain)] = chain, ends
        self._rows += len(ends)

    def _forget(self) -> None:
        self._ends, self._chains, self._rows = {}, {}, 0


def digest(chain: Chain) -> bytes:
    """A hash of params (their types name the rules), start, limits, tables and counters."""
    hasher = hashlib.blake2b(digest_size=20)

    def add(value: Any) -> None:
        if isinstance(value, np.ndarray):
            hasher.update(f"{value.dtype}{value.shape}".encode())
            hasher.update(np.ascontiguousarray(value).data)
        elif isinstance(value, tuple):
            hasher.update(f"{type(value).__module__}.{type(value).__qualname__}(".encode())
            for one in value:
                add(one)
            hasher.update(b")")
        else:
            hasher.update(f"{value!r};".encode())

    for value in (chain.params, chain.start, chain.limits, chain.tables.rows, chain.counters):
        add(value)
    return hasher.digest()
