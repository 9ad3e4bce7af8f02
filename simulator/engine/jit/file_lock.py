"""A lock that one process at a time holds."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PAUSE = 0.02


@contextmanager
def locked(path: Path, seconds: float) -> Iterator[None]:
    """Hold the lock of a file, after waiting at most this many seconds for the process that holds it.

    A process that ends, whatever ends it, leaves its locks. Where files cannot be locked (Windows, some network file
    systems, a full disk) nobody waits.
    """
    held = None
    with suppress(OSError, ImportError):
        import fcntl

        held = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        _wait(held, seconds)
    try:
        yield
    finally:
        if held is not None:
            with suppress(OSError):
                fcntl.flock(held, fcntl.LOCK_UN)  # a process that was forked meanwhile has the same file open
            os.close(held)


def _wait(held: int, seconds: float) -> None:
    """Wait for the lock; it is asked for again and again, so that Ctrl-C and the limit are heard."""
    import fcntl

    until = time.monotonic() + seconds
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        if time.monotonic() > until:
            return
        time.sleep(PAUSE)
