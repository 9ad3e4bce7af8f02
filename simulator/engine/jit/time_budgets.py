"""Time budgets of interpreted code, before a kernel is compiled or loaded; this module does not import numba.

All times are CPU seconds. Interpreted code answers small battles sooner than a compiler starts; a kernel from the
cache only has to be loaded, so that interpreted code gets less time.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from simulator.engine.jit import kernel_cache
from simulator.engine.model.chain import Chain


class Budget(NamedTuple):
    """Seconds for one chain, and for all chains of its kind together."""

    once: float
    together: float


class Budgets(NamedTuple):
    """Budgets of interpreted code if the kernel has to be compiled, loaded together with numba, or only loaded."""

    compiling: Budget
    loading_numba: Budget
    loading: Budget

    def now(self, ready: bool) -> Budget:
        """The budget that applies; `ready` says whether the kernel is in the cache."""
        if not ready:
            return self.compiling
        return self.loading if "numba" in sys.modules else self.loading_numba


# For the enumeration of a chain, or the walk of its first battles.
EXPLORING = Budgets(Budget(3.0, 12.0), Budget(0.2, 0.6), Budget(0.02, 0.1))
# For the solution of graphs; all graphs share these seconds.
SOLVING = Budgets(Budget(6.0, 6.0), Budget(0.6, 0.6), Budget(0.1, 0.1))

_seconds_spent: dict[type, float] = {}
compiled_here: set[type] = set()


def patience_for(chain: Chain, kernel: str) -> float:
    """The remaining seconds of interpreted code for a chain before this kernel takes over; 0 for none."""
    params = type(chain.params)
    if params in compiled_here:
        return 0.0
    budget = EXPLORING.now(kernel_cache.is_ready(kernel, params))
    return min(budget.once, budget.together - _seconds_spent.get(params, 0.0))


def spent(chain: Chain, seconds: float) -> None:
    """Add to the time that chains of this kind took as interpreted code."""
    params = type(chain.params)
    _seconds_spent[params] = _seconds_spent.get(params, 0.0) + seconds
