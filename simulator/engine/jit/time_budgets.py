"""How long plain Python is tried before a kernel is compiled or loaded; imports no compiler.

Seconds of processor time. Plain Python needs no compiler, so that it answers small battles sooner; a kernel that was
compiled before only has to be loaded, so that plain Python gets less time.
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
    """What plain Python gets where the kernel has to be compiled, loaded with numba, or only loaded."""

    compiling: Budget
    loading_numba: Budget
    loading: Budget

    def now(self, ready: bool) -> Budget:
        """The budget that applies; `ready` says whether the kernel was compiled before on this machine."""
        if not ready:
            return self.compiling
        return self.loading if "numba" in sys.modules else self.loading_numba


# Enumerating a chain, or walking its first battles.
EXPLORING = Budgets(Budget(3.0, 12.0), Budget(0.2, 0.6), Budget(0.02, 0.1))
# Solving graphs: all of them share the seconds.
SOLVING = Budgets(Budget(6.0, 6.0), Budget(0.6, 0.6), Budget(0.1, 0.1))

_seconds_spent: dict[type, float] = {}
compiled_here: set[type] = set()


def patience_for(chain: Chain, kernel: str) -> float:
    """For how many seconds a chain is tried as plain Python before this kernel has to do it; 0 for not at all."""
    params = type(chain.params)
    if params in compiled_here:
        return 0.0
    budget = EXPLORING.now(kernel_cache.is_ready(kernel, params))
    return min(budget.once, budget.together - _seconds_spent.get(params, 0.0))


def spent(chain: Chain, seconds: float) -> None:
    """Remember how long chains of this kind took as plain Python."""
    params = type(chain.params)
    _seconds_spent[params] = _seconds_spent.get(params, 0.0) + seconds
