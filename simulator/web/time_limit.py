"""A budget of compute: the work is interrupted, as by Ctrl-C, when it has used up its seconds of the processor."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# What is left to an outer budget at least, so that it still ends.
LEAST = 0.001
# One entry for each time that a kernel was being compiled when the seconds were used up.
compiler_cuts: list[float] = []


class OutOfTime(KeyboardInterrupt):
    """The seconds are used up; analyses answer it as they answer Ctrl-C, with what they have gathered."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt what runs inside, in the main thread, after so many seconds of this process's processor time.

    Where a system has no such clock (Windows), seconds of the day are counted.
    """
    if not hasattr(signal, "setitimer"):
        timer = threading.Timer(seconds, _thread.interrupt_main)
        timer.start()
        try:
            yield
        finally:
            timer.cancel()
        return
    handler = signal.signal(signal.SIGPROF, _stop)
    outer = signal.getitimer(signal.ITIMER_PROF)[0]
    begun = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, min(seconds, outer) if outer else seconds)
    try:
        yield
    finally:
        rest = max(outer - (time.process_time() - begun), LEAST) if outer else 0
        signal.setitimer(signal.ITIMER_PROF, rest)
        signal.signal(signal.SIGPROF, handler)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    compiler = sys.modules.get("numba.core.compiler_lock")
    if compiler is not None and compiler.global_compiler_lock.is_locked():
        compiler_cuts.append(time.monotonic())
    raise OutOfTime
