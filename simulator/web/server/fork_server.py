"""Worker processes, each of which answers one request after another within its limits of time and memory.

They are forked from a fork server: a process that has already loaded everything they need.
Where the system cannot fork (Windows), each worker is a process of its own that loads everything itself.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any

from simulator.engine.model.limits import NotCompiled
from simulator.web.messages import BEGINS_TO_COMPILE, MEGABYTE, Job, Limits

FORKS = hasattr(os, "fork")
READY = "ready"
# A worker that has grown by more than this since its start is replaced.
MOST_GROWTH = 300 * MEGABYTE
# A reply makes ten thousand small objects, which Python by default searches for cycles 40 times. Searched less often,
# replies of Axis & Allies take 5 to 10 % less, of Europa more. `has_grown` searches where much memory is held.
SELDOM = (50_000, 20, 100)
# A battle that needs no kernel.
SMALL = {"game": "risk", "battle": "land"}
SMALL_ARMIES = (("attacker.regiments", "3"), ("defender.regiments", "2"))
# Examples of the kinds that are played most. Workers whose fork server has their kernels take 7 ms of processor time in
# place of 24 for each of their first 50 replies (the mix of `python -m benchmarks.players`); loading them takes 0.8 s.
COMMONEST = ("risk-20v15", "axis-land-flak", "power-novgorod", "skirmish-hill")
SPAWN = multiprocessing.get_context("spawn")


@dataclass
class WorkerProcess:
    """A worker process, the connection to it, and its fork server."""

    pid: int
    connection: Connection
    origin: ForkServer

    def kill(self) -> None:
        """End the process at once."""
        with suppress(OSError):
            os.kill(self.pid, signal.SIGKILL if FORKS else signal.SIGTERM)


class ForkServer:
    """Makes workers. Its process starts at once; `wait` returns when everything is loaded."""

    def __init__(self, limits: Limits, kernels: bool) -> None:
        self._limits, self._kernels = limits, kernels
        self._lock = threading.Lock()
        self._closed = False
        self._start()

    def _start(self) -> None:
        self._connection, remote = SPAWN.Pipe()
        self._process = SPAWN.Process(target=run, args=(remote, self._limits, self._kernels), daemon=True)
        self._process.start()
        remote.close()

    def wait(self, progress: Callable[[dict[str, Any]], object] = dict) -> None:
        """Wait until everything is loaded; `progress` gets the state of loading. Raises EOFError, OSError.

        An OSError with a text says why it cannot be loaded.
        """
        while (state := self._connection.recv()) != READY:
            if isinstance(state, str):
                raise OSError(state)
            progress(state)

    def new_worker(self) -> WorkerProcess:
        """A new worker; a fork server that has died is started again. Raises EOFError, OSError."""
        with self._lock:
            try:
                return self._fork()
            except (OSError, EOFError):
                if self._closed:
                    raise
                self._start()
                self.wait()
                return self._fork()

    def _fork(self) -> WorkerProcess:
        local, remote = SPAWN.Pipe()
        with remote:
            if FORKS:
                send_handle(self._connection, remote.fileno(), self._process.pid)
                return WorkerProcess(self._connection.recv(), local, self)
            process = SPAWN.Process(target=work, args=(remote, self._limits), daemon=True)
            process.start()
            return WorkerProcess(process.pid or 0, local, self)

    def close(self) -> None:
        """End the fork server's process; its workers continue."""
        self._closed = True
        self._process.kill()
        self._process.join(1)


def run(connection: Connection, limits: Limits, kernels: bool) -> None:
    """The fork server's process: load, then fork a worker for each connection received, until the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the server handles Ctrl-C
    with suppress(EOFError, OSError):
        try:
            prepare()
            if kernels:
                load_kernels(connection.send)
            elif FORKS:
                load_commonest()
        except Exception as error:
            connection.send(f"{type(error).__name__}: {error}")
            return
        gc.collect()
        gc.freeze()  # workers then neither scan nor copy the memory that they share
        connection.send(READY)
        if not FORKS:
            connection.recv()
            return
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # ended workers leave no zombies
        while True:
            handle = recv_handle(connection)
            pid = os.fork()
            if pid == 0:
                connection.close()
                signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                try:
                    work(Connection(handle), limits)
                finally:
                    os._exit(0)
            os.close(handle)
            connection.send(pid)


def prepare() -> None:
    """Import everything that answers need, and make a small page, which needs no kernel."""
    from simulator.web import catalogue
    from simulator.web.views.dispatch import VIEWS

    catalogue.found("")  # the index of the search, and with it all games
    VIEWS["page"](Job("page", SMALL, SMALL_ARMIES), Limits())


def load_commonest() -> None:
    """Load the kernels of the commonest kinds as far as they are compiled; workers do not wait for a compiler."""
    from simulator.analysis.odds.warm import warm
    from simulator.engine.api import without_compiling

    with without_compiling(0):
        for name in COMMONEST:
            with suppress(NotCompiled):
                warm(name)


def load_kernels(report: Callable[[dict[str, Any]], object]) -> None:
    """Compile or load the kernels of all shipped examples; call `report` with the state of loading after each."""
    from simulator.analysis.odds.answer import simulate
    from simulator.analysis.odds.warm import warm
    from simulator.scenarios.files import example, example_names
    from simulator.web.views.dispatch import VIEWS

    games = [example(name)["game"] for name in example_names()]

    def progress(done: int, total: int | None) -> None:
        waiting = games[done:]
        loaded = [game for game in dict.fromkeys(games) if game not in waiting]
        report({"kernels": "loading", "loaded": loaded, "waiting": list(dict.fromkeys(waiting))})

    simulate("risk-20v15", 1000, threads=1)
    # The first card imports what draws it, for .4 s that no worker then needs.
    VIEWS["card"](Job("card", SMALL, SMALL_ARMIES), Limits())
    warm(progress=progress)


def work(connection: Connection, limits: Limits) -> None:
    """Answer requests until the server ends; the server handles Ctrl-C.

    A worker that has grown too large asks to be replaced. One that begins to compile says so.
    """
    from simulator.engine.api import announce
    from simulator.web.views.dispatch import replies

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*SELDOM)
    announce[:] = [lambda text: connection.send(BEGINS_TO_COMPILE)]
    idle = resident()
    with suppress(EOFError, OSError):
        while True:
            job = connection.recv()
            limit_memory(limits.memory)
            for reply in replies(job, limits):
                retire = reply.last and has_grown(idle)
                connection.send(replace(reply.sealed(), retire=retire))


def has_grown(idle: int) -> bool:
    """Does this process hold more than MOST_GROWTH beyond these bytes, also after graphs no longer used are freed?"""
    if resident() <= idle + MOST_GROWTH:
        return False
    gc.collect()  # graphs refer to each other; one answer may leave 500 MB of them
    return resident() > idle + MOST_GROWTH


def limit_memory(memory: int) -> None:
    """Let this process allocate this many bytes beyond those it has now, where the system can enforce that.

    Each answer may take as much, whatever its worker keeps of the answers before.
    """
    with suppress(ImportError, ValueError, OSError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        resource.setrlimit(resource.RLIMIT_DATA, (resident() + memory, most))


def resident() -> int:
    """The resident memory of this process in bytes; 0 where the system does not report it."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:  # as text it takes 2.5 times as long, twice a reply
            import resource

            return int(file.read().split()[1]) * resource.getpagesize()
    except (OSError, ImportError):
        return 0
