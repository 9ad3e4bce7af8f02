"""A worker process: it answers one request after another, each within its limits of time and memory."""

from __future__ import annotations

import signal
from contextlib import suppress
from dataclasses import replace
from multiprocessing.connection import Connection

from simulator.web.messages import MEGABYTE, Limits
from simulator.web.time_limit import compiler_cuts

# A worker that has grown by more than this since its start is replaced.
MOST_GROWTH = 300 * MEGABYTE


def work(connection: Connection, limits: Limits) -> None:
    """Answer requests until the server ends; the server handles Ctrl-C.

    A worker that has grown too large, or was interrupted while it compiled, asks to be replaced.
    """
    from simulator.web.views.dispatch import replies

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    limit_memory(limits.memory)
    idle = resident()
    with suppress(EOFError, OSError):
        while True:
            for reply in replies(connection.recv(), limits):
                retire = reply.last and bool(compiler_cuts or resident() > idle + MOST_GROWTH)
                connection.send(replace(reply, retire=retire))


def limit_memory(memory: int) -> None:
    """Let this process allocate so many bytes more than it has now, where the system can enforce that."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        limit = resident() + memory
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def resident() -> int:
    """The resident memory of this process in bytes; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            import resource

            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ImportError):
        return 0
