"""The workers of the page: a fixed number of processes, each led by a thread that carries requests there and back.

A worker that dies, takes too long, or whose client is gone is ended and replaced.
"""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from typing import Any

from simulator.web import worker
from simulator.web.messages import TEXT, Asked, Limits, Reply, Unserved
from simulator.web.nursery import Hired, Nursery
from simulator.web.schedule import Schedule, Ticket

# A worker ends its work by itself when its seconds are used up; it is ended after this many times as many.
PATIENCE = 1.5
# A quick request that looks for odds and has used this much processor time becomes a slow one.
QUICK_SECONDS = 0.2
LOOK = 0.05  # seconds between two looks at a worker that is busy
IDLE = 1.0  # seconds between two looks of an idle worker at whether there is a better nursery
PROC = os.path.exists("/proc/self/stat")
log = logging.getLogger("battle-odds.web")
ENDING = Unserved("the server is shutting down")
LOST = Unserved("the worker of this request was lost; try again")
GONE = Unserved("nobody waits for this any more", 499)


class Pool:
    """Workers and the schedule before them: `workers` for slow requests, and one more for quick ones only."""

    def __init__(self, workers: int, waiting: int, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self.schedule = Schedule(workers, waiting)
        self.hired: list[Hired | None] = [None] * (workers + 1)
        self.ready = threading.Event()
        self._closed = threading.Event()
        self.health: dict[str, Any] = {"kernels": "waiting"}

    def start(self, kernels: bool = True) -> None:
        """Start the workers; returns at once, requests wait meanwhile. `kernels`: load them all in the background."""
        self._nursery = self._loader = Nursery(self.limits, kernels=False)
        threading.Thread(target=self._grow, args=(kernels,), daemon=True).start()

    def _grow(self, kernels: bool) -> None:
        """Start the workers; load all kernels beside them; replace the workers."""
        try:
            self._nursery.wait()
            for place in range(len(self.hired)):
                threading.Thread(target=self._serve, args=(place,), daemon=True).start()
            self.ready.set()
            if not kernels:
                return
            self._loader = Nursery(self.limits, kernels=True)
            self._loader.wait(self.health.update)
            bare, self._nursery = self._nursery, self._loader
            bare.close()
            self.health = {"kernels": "ready"}
            log.info("kernels: loaded for all games")
        except (OSError, EOFError):
            if not self._closed.is_set():
                self.health["kernels"] = "failed"
                log.error("kernels: the process that loads them has ended; larger battles may not be answered")

    def close(self) -> None:
        """End all workers; requests that wait or are under way get ENDING."""
        self._closed.set()
        for ticket in self.schedule.clear():
            ticket.tell(ENDING)
        for hired in self.hired:
            if hired:
                hired.kill()
        self._nursery.close()
        self._loader.close()

    # --- in the server's loop ---------------------------------------------------------------------------------------

    def submit(self, asked: Asked, client: str = "") -> Ticket:
        """Queue a request; its replies come through the ticket."""
        loop = asyncio.get_running_loop()
        ticket = Ticket(asked, client, loop)
        if self._closed.is_set():
            ticket.tell(ENDING)
        else:
            self.schedule.put(ticket)
            loop.call_later(self.limits.queue, self._expire, ticket)
        return ticket

    def _expire(self, ticket: Ticket) -> None:
        if self.schedule.drop(ticket):
            ticket.tell(Unserved(f"the server is busy: this request has waited {self.limits.queue:g} s; try again"))
        elif not ticket.over.is_set():  # a worker has it; it may wait once more
            ticket.loop.call_later(self.limits.queue, self._expire, ticket)

    def leave(self, ticket: Ticket) -> None:
        """Nobody waits for this request any more: it leaves its lane, or the worker that is at it is ended."""
        ticket.over.set()
        self.schedule.drop(ticket)
        ticket.tell(GONE)

    # --- in the thread of a worker ----------------------------------------------------------------------------------

    def _serve(self, place: int) -> None:
        """Have one worker answer one request after another; a worker that is no longer good is replaced."""
        while not self._closed.is_set():
            hired, good = self.hired[place], False
            if hired and hired.nursery is self._nursery:
                ticket = self.schedule.take(IDLE)
                good = ticket is None or self._carried(hired, ticket)
            if not good:
                self._replace(place)

    def _replace(self, place: int) -> None:
        """End a place's worker and hire another one; where that fails, leave the place empty for a second."""
        hired, self.hired[place] = self.hired[place], None
        if hired:
            hired.kill()
            hired.line.close()
        try:
            if not self._closed.is_set():
                self.hired[place] = self._nursery.hire()
        except (OSError, EOFError):
            self._closed.wait(1)

    def _carried(self, hired: Hired, ticket: Ticket) -> bool:
        """Have a request answered; is the worker still good?"""
        try:
            return self._carry(hired, ticket)
        except (OSError, EOFError):
            ticket.tell(ENDING if self._closed.is_set() else LOST)
            return False
        finally:
            self.schedule.done(ticket)

    def _carry(self, hired: Hired, ticket: Ticket) -> bool:
        """The same; raises EOFError, OSError when the worker is gone."""
        if ticket.over.is_set():
            return True
        if hired.line.poll():  # it has ended while it was idle; another worker answers this
            ticket.again = True
            return False
        hired.line.send(ticket.asked)
        begun, used = time.monotonic(), spent(hired.pid)
        while not ticket.over.is_set():
            if hired.line.poll(LOOK):
                reply = hired.line.recv()
                ticket.tell(reply)
                if reply.last:
                    return not reply.retire
            busy = spent(hired.pid) - used
            if busy > PATIENCE * self.limits.seconds or time.monotonic() - begun > self.limits.wait:
                ticket.tell(Reply(worker.too_large(self.limits).encode(), 422, TEXT, lost=True))
                return False
            if ticket.work and not ticket.slow and busy > QUICK_SECONDS and not self.schedule.goes_on(ticket):
                return False
        return False


def spent(process: int) -> float:
    """Seconds of the processor that a process has used; by the clock where the system does not tell."""
    if not PROC:
        return time.monotonic()
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
