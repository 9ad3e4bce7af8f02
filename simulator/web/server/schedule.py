"""The scheduler: a quick lane and a slow lane by estimated work; within a lane the clients take turns.

A free worker takes the quick lane first, or a slow request that has waited long while no other one runs. Slow requests
hold at most all workers but one, so a small request never waits for a large one. A quick request that takes long
becomes a slow one, and later requests of its kind start as slow ones.
"""

from __future__ import annotations

import asyncio
import math
import re
import threading
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from simulator.web.links import FRAME, TOOL
from simulator.web.messages import Job, Reply, Unserved

BUSY = Unserved("the server is busy; try again in a second")
# A request with more estimated work is slow. One unit is roughly a state of an exact answer (1 to 2 us); each answer
# costs some units more.
QUICK_WORK, ANSWER_WORK = 50_000, 1_000
# A quick request that has used this much processor time becomes a slow one.
QUICK_SECONDS = 0.2
# A slow request that has waited this many seconds is next if no other slow one runs, even if quick ones wait.
PATIENCE = 2.0
# Number of answers behind a view or tool where it is not one; the cells of a sweep are counted.
ANSWERS = {"more": 20, "sensitivity": 20, "need": 10, "luck": 10, "best": 10, "rounds": 4, "compare": 4}
NO_ANSWER = {"index", "form", "open", "own", "docs", "api-games", "api-names", "api-openapi", "api-schema"}
DEFAULT_CELLS = 30  # of a range that is not given
MOST_KINDS = 1000
_NUMBER = re.compile(r"\d{1,9}")
_RANGE = re.compile(r"(-?\d{1,9}):(-?\d{1,9})")


def work_of(job: Job) -> float:
    """Estimated work: the number of answers, times the square of half the sum of the scenario's numbers."""
    if job.view == "stream":
        return math.inf  # it runs until its seconds are used up
    if job.view in NO_ANSWER or job.status:
        return 0
    if job.body:
        numbers = _NUMBER.findall(job.body)
    else:
        numbers = [value for key, value in job.pairs if not key.startswith(TOOL) and _NUMBER.fullmatch(value)]
    name = job.names.get("tool", job.view)
    answers = ANSWERS.get(name, 1) if name != "sweep" else _cells(job)
    return answers * (ANSWER_WORK + (sum(map(int, numbers)) / 2) ** 2)


def _cells(job: Job) -> float:
    """The number of cells of a sweep, estimated from the text of its ranges."""
    tools = {key: value for key, value in job.pairs if key.startswith(TOOL)}
    ranges = [value for key, value in job.pairs if key == "with.vary"]
    for place in "12":
        if tools.get(f"with.path{place}"):
            ranges.append(tools.get(f"with.range{place}") or f"1:{DEFAULT_CELLS}")
    ranges += [match[0] for match in _RANGE.finditer(job.body)]
    cells = 1.0
    for text in ranges:
        bounds = _RANGE.search(text)
        cells *= max(1, int(bounds[2]) - int(bounds[1]) + 1) if bounds else text.count(",") + 1
    return cells


@dataclass(eq=False)
class Ticket:
    """A request in progress. Its replies come through `replies`; `abandoned` is set when its client has gone.

    `asked`: when it came, as `time.monotonic` has it. `again`: it must start again. `late`: it has waited for a
    worker as long as it may, and may not start again.
    `begun`: a part of its reply has been sent. `lost`: a worker that had it has died.
    """

    job: Job
    client: str
    loop: asyncio.AbstractEventLoop
    slow: bool = False
    again: bool = False
    late: bool = False
    begun: bool = False
    lost: bool = False
    replies: asyncio.Queue[Reply | Unserved] = field(default_factory=asyncio.Queue)
    abandoned: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.asked = time.monotonic()
        self.work = work_of(self.job)
        frame = tuple(value for key, value in self.job.pairs if key in FRAME)
        self.kind = (self.job.view, *self.job.names.values(), *frame)

    def age(self) -> float:
        """Seconds since it came."""
        return time.monotonic() - self.asked

    async def next(self) -> Reply:
        """The next reply. Raises Unserved."""
        reply = await self.replies.get()
        if isinstance(reply, Unserved):
            raise reply
        return reply

    def put(self, reply: Reply | Unserved) -> None:
        """Hand a reply to the server's loop, from any thread."""
        with suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self.replies.put_nowait, reply)


class Lane:
    """Waiting requests, by client in turn: a client that was served goes to the end of the queue."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._clients: dict[str, deque[Ticket]] = {}

    def put(self, ticket: Ticket) -> Ticket | None:
        """Queue a request. Past the limit, remove and return the newest one of the client with the most waiting."""
        self._clients.setdefault(ticket.client, deque()).append(ticket)
        if len(self) <= self._most:
            return None
        most = max(self._clients, key=lambda client: (len(self._clients[client]), client == ticket.client))
        removed = self._clients[most][-1]
        self.drop(removed)
        return removed

    def take(self) -> Ticket | None:
        """The next request; None if none waits."""
        if not self._clients:
            return None
        client = next(iter(self._clients))
        waiting = self._clients.pop(client)
        ticket = waiting.popleft()
        if waiting:
            self._clients[client] = waiting
        return ticket

    def waits(self, seconds: float) -> bool:
        """Has the next request waited longer than these seconds?"""
        first = next(iter(self._clients.values()), None)
        return first is not None and first[0].age() > seconds

    def __len__(self) -> int:
        return sum(map(len, self._clients.values()))

    def __bool__(self) -> bool:
        return bool(self._clients)

    def drop(self, ticket: Ticket) -> bool:
        """Remove a request; True if it was waiting here."""
        waiting = self._clients.get(ticket.client, deque())
        if ticket not in waiting:
            return False
        waiting.remove(ticket)
        if not waiting:
            del self._clients[ticket.client]
        return True


class Schedule:
    """The two lanes, shared by the server's loop and the workers' threads. `most_slow` slow requests run at once."""

    def __init__(self, most_slow: int, waiting: int) -> None:
        self._quick, self._slow = Lane(waiting), Lane(waiting)
        self._most_slow = most_slow
        self._slow_running: set[Ticket] = set()
        self._slow_work: dict[tuple[str, ...], float] = {}
        self._changed = threading.RLock()
        # Idle workers, the one that was busy last at the end: it is the next, since its memory is still in the caches.
        self._idle: list[threading.Condition] = []

    def put(self, ticket: Ticket) -> None:
        """Queue a request. If its lane is full, the request that is removed gets BUSY."""
        with self._changed:
            ticket.slow |= ticket.work > QUICK_WORK or ticket.work >= self._slow_work.get(ticket.kind, math.inf)
            removed = (self._slow if ticket.slow else self._quick).put(ticket)
            if removed:
                removed.put(BUSY)
            self._wake()

    def take(self, seconds: float) -> Ticket | None:
        """The next request for a free worker; None if there is none within these seconds."""
        with self._changed:
            ticket = self._next()
            if ticket is None:
                mine = threading.Condition(self._changed)
                self._idle.append(mine)
                mine.wait(seconds)
                if mine in self._idle:
                    self._idle.remove(mine)
                ticket = self._next()
            return ticket

    def _wake(self) -> None:
        """Have an idle worker look for a request, if any waits."""
        if self._idle and (self._quick or self._slow):
            self._idle.pop().notify()

    def _next(self) -> Ticket | None:
        ticket = None
        if not self._slow_running and self._slow.waits(PATIENCE):
            ticket = self._take_slow()
        return ticket or self._quick.take() or self._take_slow()

    def _take_slow(self) -> Ticket | None:
        """The next slow request; None if none waits or as many run as may."""
        ticket = self._slow.take() if len(self._slow_running) < self._most_slow else None
        if ticket:
            self._slow_running.add(ticket)
        return ticket

    def done(self, ticket: Ticket) -> None:
        """Note that the worker of this request is free again; queue the request anew if it must start again.

        One that has waited as long as it may gets BUSY instead.
        """
        with self._changed:
            self._slow_running.discard(ticket)
            self._wake()
            if ticket.again:
                ticket.again = False
                if ticket.late:
                    ticket.put(BUSY)
                else:
                    self.put(ticket)

    def learn(self, ticket: Ticket, seconds: float) -> None:
        """Correct the estimate by measured processor seconds: the least work at which this kind of request is slow."""
        with self._changed:
            if not 0 < ticket.work <= QUICK_WORK:
                return
            limit = self._slow_work.pop(ticket.kind, math.inf)
            if seconds > QUICK_SECONDS:
                limit = min(limit, ticket.work)
            elif ticket.work >= limit:
                limit = math.inf
            if limit < math.inf:
                self._slow_work[ticket.kind] = limit
            if len(self._slow_work) > MOST_KINDS:
                del self._slow_work[next(iter(self._slow_work))]

    def may_continue(self, ticket: Ticket) -> bool:
        """Make a quick request in progress a slow one. False if too many slow ones run: it must start again later."""
        with self._changed:
            ticket.slow = True
            ticket.again = len(self._slow_running) >= self._most_slow
            if not ticket.again:
                self._slow_running.add(ticket)
            return not ticket.again

    def drop(self, ticket: Ticket) -> bool:
        """Remove a request from its lane for good; False if it does not wait."""
        with self._changed:
            ticket.late = True
            return self._quick.drop(ticket) or self._slow.drop(ticket)

    def waiting(self) -> tuple[int, int]:
        """The number of requests that wait in the quick and in the slow lane."""
        with self._changed:
            return len(self._quick), len(self._slow)

    def clear(self) -> list[Ticket]:
        """Remove and return all waiting requests."""
        with self._changed:
            return list(iter(lambda: self._quick.take() or self._slow.take(), None))
