"""The worker pool: a fixed number of processes, each served by a thread that passes requests and replies.

A worker that dies, takes too long, or whose client has gone is ended and replaced; a request whose worker has died is
given to another one, once. A worker that compiles a kernel has more time than a reply: the kernel is kept, and the next
request needs it no more.
"""

from __future__ import annotations

import asyncio
import logging
import math
import os
import threading
import time
from typing import Any

from simulator.web.messages import BEGINS_TO_COMPILE, COMPILING, TEXT, Job, Limits, Reply, Unserved
from simulator.web.server.fork_server import ForkServer, WorkerProcess
from simulator.web.server.schedule import QUICK_SECONDS, Schedule, Ticket

# A worker interrupts its work itself when its seconds are used up; it is ended after this many times as many.
GRACE = 1.5
POLL = 0.05  # seconds between two checks of a busy worker
IDLE = 1.0  # seconds between two checks of whether an idle worker comes from the newest fork server
PROC = os.path.exists("/proc/self/stat")
log = logging.getLogger("battle-odds.web")
ENDING = Unserved("the server is shutting down")
LOST = Unserved("the worker of this request was lost; try again")
NO_WORKERS = Unserved("the server has no workers: they cannot be started, and its log says why")
GONE = Unserved("the client has gone", 499)


class WorkerPool:
    """Workers and their schedule: `workers` for slow requests, and one more for quick ones only."""

    def __init__(self, workers: int, waiting: int, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.schedule = Schedule(workers, waiting)
        self.workers: list[WorkerProcess | None] = [None] * (workers + 1)
        self.ready = threading.Event()
        self._closed = threading.Event()
        self.refusal: Unserved | None = None  # of every request, while there is no worker and none can be started
        self.health: dict[str, Any] = {"kernels": "waiting"}
        self.reading: set[asyncio.Task[Any]] = set()  # the requests that still come in

    def start(self, kernels: bool = True) -> None:
        """Start the workers in the background; requests wait. `kernels`: then load the kernels of all games."""
        self._fork_server = self._loader = ForkServer(self.limits, kernels=False)
        threading.Thread(target=self._run, args=(kernels,), daemon=True).start()

    def _run(self, kernels: bool) -> None:
        """Start the workers; load all kernels in a second fork server, whose workers then replace the first ones."""
        try:
            self._fork_server.wait()
            for place in range(len(self.workers)):
                threading.Thread(target=self._serve, args=(place,), daemon=True).start()
            self.ready.set()
            if not kernels:
                return
            self._loader = ForkServer(self.limits, kernels=True)
            self._loader.wait(self.health.update)
            first, self._fork_server = self._fork_server, self._loader
            first.close()
            self.health = {"kernels": "ready"}
            log.info("kernels: loaded for all games")
        except (OSError, EOFError) as error:
            self.health["kernels"] = "failed"
            if not self.ready.is_set():
                self._refuse_all(error)
            elif not self._closed.is_set():
                log.error("kernels: cannot be loaded (%s); larger battles may not be answered", _reason(error))

    def _refuse_all(self, error: Exception) -> None:
        """Refuse the requests that wait and those that come: no worker can be started."""
        if not self.refusal and not self._closed.is_set():
            self.refusal = NO_WORKERS
            log.error("workers: cannot be started (%s); no request is answered", _reason(error))
        for ticket in self.schedule.clear():
            ticket.put(NO_WORKERS)

    def close(self) -> None:
        """End all workers; requests that wait or are in progress get ENDING."""
        self.refusal = ENDING
        self._closed.set()
        for ticket in self.schedule.clear():
            ticket.put(ENDING)
        for worker in self.workers:
            if worker:
                worker.kill()
        self._fork_server.close()
        self._loader.close()

    # --- in the server's loop ---------------------------------------------------------------------------------------

    def submit(self, job: Job, client: str = "", most: float = math.inf) -> Ticket:
        """Queue a request, which waits for a worker at most `most` seconds, nor longer than any.

        Its replies come by the ticket.
        """
        loop = asyncio.get_running_loop()
        ticket = Ticket(job, client, loop)
        if self.refusal:
            ticket.put(self.refusal)
        else:
            self.schedule.put(ticket)
            seconds = min(most, self.limits.queue)
            loop.call_later(seconds, self._expire, ticket, seconds)
        return ticket

    def _expire(self, ticket: Ticket, seconds: float) -> None:
        if self.schedule.drop(ticket):
            ticket.put(waited(seconds))

    def leave(self, ticket: Ticket) -> None:
        """Abandon a request whose client has gone: it leaves its lane, or its worker is ended."""
        ticket.abandoned.set()
        self.schedule.drop(ticket)
        ticket.put(GONE)

    # --- in the thread of a worker ----------------------------------------------------------------------------------

    def _serve(self, place: int) -> None:
        """Pass one request after another to the worker at this place; replace the worker where needed."""
        while not self._closed.is_set():
            worker, usable = self.workers[place], False
            if worker and worker.origin is self._fork_server:
                ticket = self.schedule.take(IDLE)
                usable = ticket is None or self._answered(worker, ticket)
            if not usable:
                self._replace(place)

    def _replace(self, place: int) -> None:
        """End the worker at this place and start another; if that fails, try again after a second."""
        worker, self.workers[place] = self.workers[place], None
        if worker:
            worker.kill()
            worker.connection.close()
        try:
            if not self._closed.is_set():
                self.workers[place] = self._fork_server.new_worker()
                self.refusal = ENDING if self._closed.is_set() else None
        except (OSError, EOFError) as error:
            if not any(self.workers):
                self._refuse_all(error)
            self._closed.wait(1)

    def _answered(self, worker: WorkerProcess, ticket: Ticket) -> bool:
        """Have a worker answer a request; True if the worker can be used again."""
        try:
            return self._pass_on(worker, ticket)
        except (OSError, EOFError):
            if self._closed.is_set():
                ticket.put(ENDING)
            elif ticket.lost or ticket.begun:
                ticket.put(LOST)
            else:
                ticket.lost = ticket.again = True
            return False
        finally:
            self.schedule.done(ticket)

    def _pass_on(self, worker: WorkerProcess, ticket: Ticket) -> bool:
        """As `_answered`. Raises EOFError, OSError if the worker has died."""
        if ticket.abandoned.is_set():
            return True
        if worker.connection.poll():  # it died while it was idle; another worker answers this
            ticket.again = True
            return False
        worker.connection.send(ticket.job)
        # The worker's time is read when it has not replied within POLL, since most replies come before that.
        before, used, compiling = -1.0, 0.0, False
        while not ticket.abandoned.is_set() or compiling:
            has_reply = worker.connection.poll(POLL)
            if not has_reply or before >= 0:
                now = processor_seconds(worker.pid)
                before = now if before < 0 else before
                used = now - before
            if has_reply:
                reply = worker.connection.recv()
                if reply == BEGINS_TO_COMPILE:
                    compiling = True
                    continue
                ticket.begun = True
                ticket.put(reply)
                if reply.last:
                    if not compiling:
                        self.schedule.learn(ticket, used)
                    return not reply.retire
            elif ticket.age() > self.limits.reply and not ticket.begun and not compiling:
                ticket.put(waited(self.limits.reply))
                return False
            elif ticket.age() > self.limits.wait or (used > GRACE * self.limits.seconds and not compiling):
                refusal = COMPILING if compiling else self.limits.too_large
                ticket.put(Reply(refusal.encode(), 422, TEXT, lost=True))
                return False
            elif ticket.work and not ticket.slow and not compiling and used > QUICK_SECONDS:
                self.schedule.learn(ticket, used)
                if not self.schedule.may_continue(ticket):
                    return False
        return False


def _reason(error: Exception) -> str:
    return str(error) or "the process that loads them has ended"


def waited(seconds: float) -> Unserved:
    """The refusal of a request that has waited too long."""
    return Unserved(f"the server is busy: this request has waited {seconds:g} s; try again")


def processor_seconds(process: int) -> float:
    """Processor seconds that a process has used; wall-clock seconds where the system does not report them."""
    if not PROC:
        return time.monotonic()
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
