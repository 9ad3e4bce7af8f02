"""Worker processes, forked from a process that has loaded what they need: the nursery.

Where a system cannot fork (Windows), each worker is a process of its own that loads everything itself.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from simulator.web import worker
from simulator.web.messages import Asked, Limits

FORKS = hasattr(os, "fork")
READY = "ready"
SPAWN = multiprocessing.get_context("spawn")


@dataclass
class Hired:
    """A worker process, the line to it, and the nursery that it comes from."""

    pid: int
    line: Connection
    nursery: Nursery

    def kill(self) -> None:
        """End the process, whatever it is doing."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL if FORKS else signal.SIGTERM)


class Nursery:
    """Makes workers. Its process starts at once; `wait` returns when all is loaded."""

    def __init__(self, limits: Limits, kernels: bool) -> None:
        self._limits, self._kernels = limits, kernels
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._line, there = SPAWN.Pipe()
        self._process = SPAWN.Process(target=nurse, args=(there, self._limits, self._kernels), daemon=True)
        self._process.start()
        there.close()

    def wait(self, progress: Callable[[dict[str, Any]], object] = dict) -> None:
        """Wait until all is loaded; `progress` gets what is loaded so far. Raises EOFError, OSError."""
        while (told := self._line.recv()) != READY:
            progress(told)

    def hire(self) -> Hired:
        """A new worker; a nursery that was lost is started again. Raises EOFError, OSError."""
        with self._lock:
            try:
                return self._worker()
            except (OSError, EOFError):
                if self._closed:
                    raise
                self._start()
                self.wait()
                return self._worker()

    def _worker(self) -> Hired:
        here, there = SPAWN.Pipe()
        with there:
            if FORKS:
                send_handle(self._line, there.fileno(), self._process.pid)
                return Hired(self._line.recv(), here, self)
            process = SPAWN.Process(target=worker.work, args=(there, self._limits), daemon=True)
            process.start()
            return Hired(process.pid or 0, here, self)

    def close(self) -> None:
        """End the nursery's process; its workers go on."""
        self._closed = True
        self._process.kill()
        self._process.join(1)


def nurse(line: Connection, limits: Limits, kernels: bool) -> None:
    """The nursery's process: load, then fork a worker for each connection that comes, until the server is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the server's business
    with suppress(EOFError, OSError):
        prepare()
        if kernels:
            load_kernels(line.send)
        gc.collect()
        gc.freeze()  # workers need not look through all this for what could go, nor copy it for that
        line.send(READY)
        if not FORKS:
            line.recv()
            return
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended workers leave nothing behind
        while True:
            handle = recv_handle(line)
            pid = os.fork()
            if pid == 0:
                line.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                try:
                    worker.work(Connection(handle), limits)
                finally:
                    os._exit(0)
            os.close(handle)
            line.send(pid)


def prepare() -> None:
    """Import what answers are made with, and make a small page: no kernel is needed for it."""
    from simulator.web import catalogue, dispatch

    catalogue.games()
    small = (("attacker.regiments", "3"), ("defender.regiments", "2"))
    list(dispatch.replies(Asked("page", {"game": "risk", "battle": "land"}, small), Limits()))


def load_kernels(tell: Callable[[dict[str, Any]], object]) -> None:
    """Compile or load the kernels of all shipped examples; `tell` gets what is loaded after each of them."""
    from simulator.analysis.odds.answer import simulate
    from simulator.cli.warming import warm
    from simulator.scenarios import example_names
    from simulator.web import forms

    games = [forms.example_data(name)["game"] for name in example_names()]

    def progress(done: int, total: int | None) -> None:
        waiting = games[done:]
        loaded = [game for game in dict.fromkeys(games) if game not in waiting]
        tell({"kernels": "loading", "loaded": loaded, "waiting": list(dict.fromkeys(waiting))})

    simulate("risk-20v15", 1000, threads=1)
    warm(progress)
