"""The workers of the page: a fixed number of processes, a queue that is never longer than told, and nobody is lost.

A worker that dies or does not come back is replaced; its request gets a reply all the same.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import queue
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from simulator.web import worker
from simulator.web.messages import TEXT, Asked, Limits, Reply
from simulator.web.worker import STOP

# A worker ends its work by itself when its seconds are used up. One that does not hear is given up after so many times
# as many seconds of the processor.
PATIENCE = 1.5
LOOK = 0.1


class Busy(Exception):
    """All workers have work, and the queue is full."""


@dataclass(eq=False)
class Ticket:
    """A request under way: its replies come through `parts`; `stopped` tells that nobody waits for them any more."""

    asked: Asked
    loop: asyncio.AbstractEventLoop
    parts: asyncio.Queue[Reply] = field(default_factory=asyncio.Queue)
    stopped: threading.Event = field(default_factory=threading.Event)

    def tell(self, reply: Reply) -> None:
        """Hand a reply to the server's loop, from a thread beside it."""
        with suppress(RuntimeError):  # the server is shutting down
            self.loop.call_soon_threadsafe(self.parts.put_nowait, reply)


@dataclass
class Hired:
    """A worker process and the line to it."""

    process: Any
    line: Connection

    def dismiss(self) -> None:
        """End the process, whatever it is doing."""
        self.line.close()
        self.process.kill()
        self.process.join(1)


class Pool:
    """Workers and the queue before them. `start` returns when all are ready."""

    def __init__(self, workers: int, waiting: int, limits: Limits | None = None, warm: bool = True) -> None:
        self.limits = limits or Limits()
        self.workers, self.warm = workers, warm
        self._queue: queue.Queue[Ticket | None] = queue.Queue(waiting)
        self.hired: list[Hired] = []
        self._threads: list[threading.Thread] = []
        self._closed = threading.Event()

    def start(self) -> None:
        """Warm up and start the workers; the first time this may compile for minutes. Raises OSError, EOFError."""
        os.environ["BATTLE_ODDS_WARM"] = "1" if self.warm else "0"
        method = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        if method == "forkserver":
            self._context.set_forkserver_preload(["simulator.web.preloaded"])
        self.hired = [self._hire() for _ in range(self.workers)]
        for hired in self.hired:
            hired.line.send(Asked("ready"))
        for place, hired in enumerate(self.hired):
            hired.line.recv()
            thread = threading.Thread(target=self._serve, args=(place,), daemon=True)
            thread.start()
            self._threads.append(thread)

    def close(self) -> None:
        """End all workers at once; what is under way is lost."""
        self._closed.set()
        for hired in self.hired:
            hired.process.kill()
        for _ in self._threads:
            with suppress(queue.Full):
                self._queue.put_nowait(None)
        for thread in self._threads:
            thread.join(1)

    def submit(self, asked: Asked) -> Ticket:
        """Queue a request, from within the server's loop. Raises Busy."""
        ticket = Ticket(asked, asyncio.get_running_loop())
        try:
            self._queue.put_nowait(ticket)
        except queue.Full:
            raise Busy from None
        return ticket

    async def reply(self, asked: Asked) -> Reply:
        """The one reply to a request. Raises Busy; cancelled, it gives up its place."""
        ticket = self.submit(asked)
        try:
            return await ticket.parts.get()
        finally:
            ticket.stopped.set()

    async def replies(self, ticket: Ticket) -> AsyncGenerator[Reply, None]:
        """All replies to a request that was queued."""
        try:
            while True:
                reply = await ticket.parts.get()
                yield reply
                if reply.last:
                    return
        finally:
            ticket.stopped.set()

    def _hire(self) -> Hired:
        here, there = self._context.Pipe()
        process = self._context.Process(target=worker.work, args=(there, self.limits), daemon=True)
        process.start()
        there.close()
        return Hired(process, here)

    def _serve(self, place: int) -> None:
        """One thread for one worker at a time: carry requests there and replies back."""
        while not self._closed.is_set():
            try:
                ticket = self._queue.get(timeout=1)
            except queue.Empty:
                continue
            if ticket is None:
                break
            if ticket.stopped.is_set():
                continue
            try:
                keep = self._carry(self.hired[place], ticket)
            except (OSError, EOFError):
                keep = False
                if self._closed.is_set():
                    break
                ticket.tell(Reply(b"the worker of this request was lost; try again", 503, TEXT, {"Retry-After": "1"}))
            if not keep:
                self.hired[place].dismiss()
                self.hired[place] = self._hire()

    def _carry(self, hired: Hired, ticket: Ticket) -> bool:
        """Have one request answered; is the worker still good? Raises EOFError, OSError when it is gone."""
        hired.line.send(ticket.asked)
        begun, used = time.monotonic(), spent(hired.process.pid)
        told = False
        while True:
            if hired.line.poll(LOOK):
                reply = hired.line.recv()
                ticket.tell(reply)
                if reply.last:
                    return not reply.retire
            if ticket.stopped.is_set() and not told:
                hired.line.send(STOP)
                told = True
            busy = spent(hired.process.pid) - used
            late = busy > PATIENCE * self.limits.seconds or time.monotonic() - begun > self.limits.wait
            if self._closed.is_set():
                raise EOFError
            if late:
                ticket.tell(Reply(worker.too_large(self.limits).encode(), 422, TEXT, lost=True))
                return False


def spent(process: int) -> float:
    """Seconds of the processor that a process has used; 0 where the system does not tell."""
    try:
        with open(f"/proc/{process}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        return 0.0
