"""A limit on processor time: the work inside is interrupted, as by Ctrl-C, when its seconds are used up.

The compiler, the import of a module, and the building of a model by pydantic are never interrupted: what they have done
would be lost, and would begin anew with the next request. The seconds begin anew when they are done.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

# The least seconds left to an outer limit, so that it still fires.
LEAST = 0.001
# Seconds between two looks at whether the compiler is done.
AGAIN = 0.05
# Modules that cannot be interrupted: a limit that is entered or left is half in place, and what a callback of a weak
# reference raises is ignored.
NOT_HERE = {__name__, "contextlib", "weakref", "_weakrefset"}
# Ends of the files whose functions import modules, and build the models of fields (when they are first used).
LOADERS = ("importlib._bootstrap>", "importlib._bootstrap_external>", "_model_construction.py")


class OutOfTime(KeyboardInterrupt):
    """The seconds are used up. Analyses treat this like Ctrl-C and hand over their partial result."""


@dataclass
class _Limit:
    """A number of seconds of processor time from its beginning."""

    seconds: float
    begun: float
    loading: bool = False

    def left(self) -> float:
        """The seconds that are left."""
        return self.seconds - (processor_time() - self.begun)


def processor_time() -> float:
    """Seconds of this process, and of those that it started and that have ended (the long searches of a plan)."""
    if os.name != "posix":
        return time.process_time()
    import resource

    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


# The limits that hold now, the outer ones first.
_limits: list[_Limit] = []


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt the main thread after this many seconds of this process's processor time; limits may be nested.

    Processes that it started count once they have ended: code that waits for one limits its time, and raises SIGPROF
    afterwards.

    Where the system has no such clock (Windows), wall-clock seconds count.
    """
    if not hasattr(signal, "setitimer"):
        timer = threading.Timer(seconds, _thread.interrupt_main)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        return
    # An inner limit finds the handler of the outer one.
    handler = _stop if _limits else signal.signal(signal.SIGPROF, _stop)
    _limits.append(_Limit(seconds, processor_time()))
    _set_timer()
    try:
        yield
    finally:
        _limits.pop()
        _set_timer()
        # A signal that another thread is about to take would end the process by default; `_stop` does nothing then.
        if handler not in {signal.SIG_DFL, _stop}:
            signal.signal(signal.SIGPROF, handler)


def _set_timer() -> None:
    """Have the limit that ends first fire."""
    left = [limit.left() for limit in _limits]
    signal.setitimer(signal.ITIMER_PROF, max(LEAST, min(left)) if left else 0)


def _stop(number: int, frame: FrameType | None) -> None:
    if all(limit.left() > 0 for limit in _limits):  # the limit that fired has ended in the meantime
        _set_timer()
        return
    inner = _limits[-1]
    if frame is not None and frame.f_globals.get("__name__") in NOT_HERE:
        signal.setitimer(signal.ITIMER_PROF, LEAST)
    elif _is_loading(frame):
        inner.loading = True
        signal.setitimer(signal.ITIMER_PROF, AGAIN)
    elif inner.loading:
        used = processor_time() - inner.begun
        for limit in _limits:
            limit.begun += used
        inner.loading = False
        _set_timer()
    else:
        raise OutOfTime


def _is_loading(frame: FrameType | None) -> bool:
    """Is numba compiling, a module being imported, or a model being built?"""
    # While that module itself is being imported, it has no lock yet.
    lock = getattr(sys.modules.get("numba.core.compiler_lock"), "global_compiler_lock", None)
    if lock is not None and lock.is_locked():
        return True
    while frame is not None and not frame.f_code.co_filename.endswith(LOADERS):
        frame = frame.f_back
    return frame is not None
