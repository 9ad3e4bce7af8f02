"""The cost model: how long plain Python may take before a kernel is compiled or loaded; it does not import numba.

Plain Python answers small battles sooner than a compiler starts; a kernel from the cache only has to be loaded, so that
plain Python gets less time. Times are CPU seconds, estimated from counted work, so that every machine makes the same
choice. Within `without_compiling` a kernel that is not in the cache raises NotCompiled in place of being compiled.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple

from simulator.engine.jit import kernel_cache
from simulator.engine.model import chain as model
from simulator.engine.model.chain import Chain
from simulator.engine.model.interpreted import USUAL_CALLS, calls_a_step
from simulator.engine.model.limits import NotCompiled

# Measured (2026-11, one of 2 shared cores): seconds of a plain step for each function that it calls, 4 to 37
# microseconds a step in all games.
SECONDS_A_CALL = 1.25e-7
# Seconds of compiling: a base, and for each byte of code of the rules. Measured: Axis & Allies 10, Kings & Things 11,
# Europa 11, Birthright 12, The Price of Power 20.
COMPILING, SECONDS_A_BYTE = 3, 0.9e-3


class Budget(NamedTuple):
    """Seconds for one chain, and for all chains of its kind together; chains after a slow one get SLOW at most."""

    once: float
    together: float


SLOW = 0.3


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
EXPLORING = Budgets(Budget(3.0, 12.0), Budget(0.2, 0.3), Budget(0.02, 0.1))
# For the solution of graphs; all graphs share these seconds.
SOLVING = Budgets(Budget(6.0, 6.0), Budget(0.3, 0.3), Budget(0.1, 0.1))

# Work that a first answer may take for a chain of two rolls, whatever a step costs: how battles of such a chain draw
# depends on it (`graph_tables.drawn_at_once`), and must not depend on an estimate. 0.2 to 0.3 s.
FIRST_WORK = 25_000

_seconds_spent: dict[type, float] = {}
_slow: set[type] = set()
# Params types whose kernels have taken over from plain Python, or one kernel of theirs.
compiled_here: set[type | tuple[str, type]] = set()
# Seconds of plain Python that are left to an answer that must not compile; None where answers may compile.
_left: ContextVar[list[float] | None] = ContextVar("left", default=None)


@contextmanager
def without_compiling(seconds: float) -> Iterator[None]:
    """Raise NotCompiled in place of compiling; plain Python gets about this many seconds in all."""
    token = _left.set([seconds])
    try:
        yield
    finally:
        _left.reset(token)


def may_compile() -> bool:
    """May kernels be compiled here, see `without_compiling`?"""
    return _left.get() is None


def check_compiled(kernel: str, params: type) -> None:
    """Raise NotCompiled within `without_compiling` if the kernel is not in the cache."""
    if not may_compile() and not kernel_cache.is_ready(kernel, params):
        raise NotCompiled(kernel, seconds_of_compiling(params))


def compile_for(kernel: str, chain: Chain) -> None:
    """End plain Python for chains of this kind: a kernel takes over. Raises NotCompiled as `check_compiled`.

    A kernel from the cache takes over its own work only: others may not be in the cache.
    """
    params = type(chain.params)
    if compiled_here & {params, (kernel, params)}:
        return
    if kernel_cache.is_ready(kernel, params):
        compiled_here.add((kernel, params))
        return
    check_compiled(kernel, params)
    compiled_here.add(params)


def seconds_of_compiling(params: type) -> int:
    """About how long it takes to compile the kernels of exact odds for these params."""
    game = ".".join(params.__module__.split(".")[:3])
    own = sum(len(rule.__code__.co_code) for rule in model.rules.get(params, {}).values())
    shared = sum(size for module, size in model.helper_bytes.items() if module.startswith(game))
    return round(COMPILING + SECONDS_A_BYTE * (own + shared))


def patience_for(chain: Chain, kernel: str, once: bool = False) -> float:
    """The remaining seconds of interpreted code for a chain before this kernel takes over; 0 for none.

    After a slow chain there are SLOW at most, since many are likely to follow. Chains that are asked `once` have
    together the seconds that compiling takes: it may never pay.
    """
    params = type(chain.params)
    if compiled_here & {params, (kernel, params)}:
        return 0.0
    ready, left = kernel_cache.is_ready(kernel, params), _left.get()
    if left is not None and not ready:
        return max(0.0, left[0])
    budget = EXPLORING.now(ready)
    took = _seconds_spent.get(params, 0.0)
    if once:
        return max(0.0, (budget.once if ready else seconds_of_compiling(params)) - took)
    most = min(budget.once, SLOW) if params in _slow else budget.once
    return min(most, budget.together - took)


def spent(chain: Chain, seconds: float) -> None:
    """Add to the time that chains of this kind took as interpreted code."""
    if (left := _left.get()) is not None:
        left[0] -= seconds
        return
    params = type(chain.params)
    _seconds_spent[params] = _seconds_spent.get(params, 0.0) + seconds
    if seconds > SLOW:
        _slow.add(params)


class Meter:
    """Counted work of plain Python on one chain, compared with the seconds it may take."""

    # Less work than this many steps is not compared: it takes a few milliseconds, like measuring the cost of a step.
    FREE = 1 << 9

    def __init__(self, chain: Chain, patience: float, price: Callable[[float], float] = lambda step: step) -> None:
        """`price(step)` are the seconds of a unit of work, where a step by the rules takes `step` seconds."""
        self._chain, self._patience, self._price = chain, patience, price
        self.most, self._unit = float(FIRST_WORK if chain.paired and not may_compile() else self.FREE), 0.0

    def is_over(self, work: float) -> bool:
        """Is this much work beyond the patience? Called once it is beyond `most`."""
        if not self._unit:
            self._unit = self._price(SECONDS_A_CALL * calls_a_step(self._chain))
            self.most = self._patience / self._unit
        return work > self.most

    def seconds(self, work: float) -> float:
        """The estimated seconds of this much work."""
        return work * (self._unit or self._price(SECONDS_A_CALL * USUAL_CALLS))
