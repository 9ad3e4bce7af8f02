"""A limit on processor time: the work inside is interrupted, as by Ctrl-C, when its seconds are used up."""

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

# The least seconds left to an outer limit, so that it still fires.
LEAST = 0.001
# The time of each interruption that came while numba was compiling, or while a module was imported.
loading_cuts: list[float] = []


class OutOfTime(KeyboardInterrupt):
    """The seconds are used up. Analyses treat this like Ctrl-C and hand over their partial result."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Interrupt the main thread after so many seconds of this process's processor time; limits may be nested.

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
    compiling = compiler is not None and compiler.global_compiler_lock.is_locked()
    if compiling or _importing(frame):
        loading_cuts.append(time.monotonic())
    raise OutOfTime


def _importing(frame: FrameType | None) -> bool:
    """Is a module being imported? What it has defined by then would stay, and later imports would fail."""
    while frame is not None and "importlib._bootstrap" not in frame.f_code.co_filename:
        frame = frame.f_back
    return frame is not None
