"""Which request is answered next: a quick lane and a slow lane by estimated work, in turn by client.

A free worker takes the quick lane first. Slow requests hold at most all workers but one, so a small request never waits
for a large one. A quick request that takes long becomes a slow one.
"""

from __future__ import annotations

import asyncio
import re
import threading
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field

from simulator.web.messages import Asked, Reply, Unserved
from simulator.web.url_codec import TOOL

BUSY = Unserved("the server is busy; try again in a second")
# A request of more estimated work is slow. One unit is roughly a state of an exact answer (1 to 2 us), and each answer
# costs some units beside.
QUICK_WORK, ANSWER_WORK = 50_000, 1_000
# Answers that a view or tool finds where it is not one; the cells of a sweep are counted.
ANSWERS = {"more": 20, "need": 10, "luck": 10, "best": 10, "rounds": 4, "compare": 4}
NO_ANSWER = {"index", "form", "open", "own", "refusal", "docs", "api-games", "api-names", "api-schema"}
SWEEPS = {"sweep", "api-sweep"}
USUAL_CELLS = 30  # of a range that is not given
_NUMBER = re.compile(r"\d{1,9}")
_RANGE = re.compile(r"(-?\d{1,9}):(-?\d{1,9})")


def work_of(asked: Asked) -> float:
    """Estimated work: the number of answers, times the square of half the sum of the scenario's numbers."""
    if asked.view == "stream":
        return float("inf")  # it goes on until its seconds are used up
    if asked.view in NO_ANSWER:
        return 0
    if asked.body:
        numbers = _NUMBER.findall(asked.body)
    else:
        numbers = [value for key, value in asked.pairs if not key.startswith(TOOL) and _NUMBER.fullmatch(value)]
    name = asked.names.get("tool", asked.view)
    answers = ANSWERS.get(name, 1) if name not in SWEEPS else _cells(asked)
    return answers * (ANSWER_WORK + (sum(map(int, numbers)) / 2) ** 2)


def _cells(asked: Asked) -> float:
    """The cells of a sweep, as far as its ranges can be read at a glance."""
    tools = {key: value for key, value in asked.pairs if key.startswith(TOOL)}
    ranges = [value for key, value in asked.pairs if key == "with.vary"]
    for place in "12":
        if tools.get(f"with.path{place}"):
            ranges.append(tools.get(f"with.range{place}") or f"1:{USUAL_CELLS}")
    cells = 1.0
    for text in ranges:
        found = _RANGE.search(text)
        cells *= max(1, int(found[2]) - int(found[1]) + 1) if found else text.count(",") + 1
    return cells


@dataclass(eq=False)
class Ticket:
    """A request under way. Its replies come through `parts`; `over` is set when nobody waits for them any more."""

    asked: Asked
    client: str
    loop: asyncio.AbstractEventLoop
    again: bool = False
    parts: asyncio.Queue[Reply | Unserved] = field(default_factory=asyncio.Queue)
    over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self.work = work_of(self.asked)
        self.slow = self.work > QUICK_WORK

    async def next(self) -> Reply:
        """The next reply. Raises Unserved."""
        found = await self.parts.get()
        if isinstance(found, Unserved):
            raise found
        return found

    def tell(self, reply: Reply | Unserved) -> None:
        """Hand a reply to the server's loop, from any thread."""
        with suppress(RuntimeError):  # the loop has ended
            self.loop.call_soon_threadsafe(self.parts.put_nowait, reply)


class Lane:
    """Requests that wait, in turn by client: a client that was served goes to the end of the row."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._clients: dict[str, deque[Ticket]] = {}

    def put(self, ticket: Ticket) -> Ticket | None:
        """Queue a request. Past the limit, take out and return the newest one of the client with the most waiting."""
        self._clients.setdefault(ticket.client, deque()).append(ticket)
        if sum(map(len, self._clients.values())) <= self._most:
            return None
        most = max(self._clients, key=lambda client: (len(self._clients[client]), client == ticket.client))
        gone = self._clients[most][-1]
        self.drop(gone)
        return gone

    def take(self) -> Ticket | None:
        """The next request, None without any."""
        if not self._clients:
            return None
        client = next(iter(self._clients))
        waiting = self._clients.pop(client)
        ticket = waiting.popleft()
        if waiting:
            self._clients[client] = waiting
        return ticket

    def drop(self, ticket: Ticket) -> bool:
        """Take a request out; did it wait here?"""
        waiting = self._clients.get(ticket.client, deque())
        if ticket not in waiting:
            return False
        waiting.remove(ticket)
        if not waiting:
            del self._clients[ticket.client]
        return True


class Schedule:
    """The two lanes, shared by the server's loop and the threads of the workers. `most_slow` requests run at once."""

    def __init__(self, most_slow: int, waiting: int) -> None:
        self._quick, self._slow = Lane(waiting), Lane(waiting)
        self._most_slow = most_slow
        self._slow_running: set[Ticket] = set()
        self._changed = threading.Condition()

    def put(self, ticket: Ticket) -> None:
        """Queue a request. Where its lane is full, BUSY is told to the one that has to go."""
        with self._changed:
            gone = (self._slow if ticket.slow else self._quick).put(ticket)
            if gone:
                gone.tell(BUSY)
            self._changed.notify()

    def take(self, seconds: float) -> Ticket | None:
        """The next request for a free worker; None when there is none within these seconds."""
        with self._changed:
            found = self._next()
            if found is None and self._changed.wait(seconds):
                found = self._next()
            return found

    def _next(self) -> Ticket | None:
        ticket = self._quick.take()
        if ticket is None and len(self._slow_running) < self._most_slow and (ticket := self._slow.take()):
            self._slow_running.add(ticket)
        return ticket

    def done(self, ticket: Ticket) -> None:
        """The worker of this request is free again; a request that may not go on is queued anew."""
        with self._changed:
            self._slow_running.discard(ticket)
            self._changed.notify()
            if ticket.again:
                ticket.again = False
                self.put(ticket)

    def goes_on(self, ticket: Ticket) -> bool:
        """Make a quick request under way a slow one. False where enough of them run: it must be begun again."""
        with self._changed:
            ticket.slow = True
            ticket.again = len(self._slow_running) >= self._most_slow
            if not ticket.again:
                self._slow_running.add(ticket)
            return not ticket.again

    def drop(self, ticket: Ticket) -> bool:
        """Take a request out of its lane; False where it does not wait."""
        with self._changed:
            return self._quick.drop(ticket) or self._slow.drop(ticket)

    def clear(self) -> list[Ticket]:
        """Take out all that wait."""
        with self._changed:
            found = []
            while ticket := self._quick.take() or self._slow.take():
                found.append(ticket)
            return found
