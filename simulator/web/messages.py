"""Requests and replies as they travel between the server and its worker processes."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

HTML, JSON, TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
EVENTS = "text/event-stream; charset=utf-8"

# Start of the refusal of a battle that takes more seconds than an answer may.
LARGE = "battle: too large for this page"
# Refusal of a battle whose kernels take longer to compile than a request may wait; those that are done are kept.
COMPILING = "battle: its kernels are still being compiled here; try again in a minute"
# A worker sends this in place of a reply before it compiles a kernel, which takes longer than an answer may.
BEGINS_TO_COMPILE = "compiling"
MEGABYTE = 1 << 20
# Larger bodies are compressed; level 4 takes half the time of level 9, and a page is 6 % larger.
LEAST_PACKED, PACKING = 1024, 4


@dataclass(frozen=True)
class Limits:
    """Limits of one answer: processor seconds, and bytes of memory beyond what its worker holds.

    In wall-clock seconds from the time that a request came: it waits at most `queue` for a worker, its reply begins
    within `reply`, and its worker is ended after `wait`, also if it compiles or sends the parts of a stream.
    """

    seconds: float = 2.0
    wait: float = 30.0
    queue: float = 7.0
    reply: float = 10.0
    memory: int = 1024 * MEGABYTE

    @property
    def too_large(self) -> str:
        """The refusal of a battle whose seconds are used up before anything can be shown."""
        return f"{LARGE}, which computes for at most {self.seconds:g} s; use fewer units or dice"


class BadRequest(ValueError):
    """A refusal with an HTTP status of its own; all other ValueErrors mean 422."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status


class Unserved(Exception):
    """A request that no worker answers: the reason and the HTTP status; 499 means that the client has gone."""

    def __init__(self, text: str, status: int = 503) -> None:
        super().__init__(text)
        self.status = status


@dataclass(frozen=True)
class Job:
    """One request: the view that answers it, the names in its path, its query as pairs, the text of its body.

    A `status` refuses the request: the body is then the text of the refusal, which the worker words for the view.
    """

    view: str
    names: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    body: str = ""
    host: str = ""
    status: int = 0


@dataclass(frozen=True)
class Reply:
    """A worker's reply; a stream has several, and the final one is `last`.

    `retire`: the worker has grown too large and asks to be replaced. `lost`: the server ended the worker.
    `tag`: the entity tag of a whole answer. `packed`: its body is compressed.
    """

    body: bytes
    status: int = 200
    type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    last: bool = True
    retire: bool = False
    lost: bool = False
    tag: str = ""
    packed: bool = False

    def sealed(self) -> Reply:
        """The reply compressed where that makes it smaller, once for all who will ask for it; an answer has its tag."""
        if self.type == EVENTS:
            return self
        # The tag is weak, since the same body is also sent as it is.
        tag = f'W/"{hashlib.sha256(self.body).hexdigest()[:16]}"' if self.status == 200 else ""
        if len(self.body) < LEAST_PACKED:
            return replace(self, tag=tag)
        return replace(self, tag=tag, packed=True, body=gzip.compress(self.body, PACKING, mtime=0))

    def unpacked(self) -> bytes:
        """The body as it was before it was compressed."""
        return gzip.decompress(self.body) if self.packed else self.body


def as_json(value: Any, status: int = 200) -> Reply:
    """A reply in JSON; nan and infinity become null."""
    return Reply(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS), status, JSON)


def event(value: Any) -> bytes:
    """One server-sent event; JSON keeps it on one line."""
    return b"data: " + orjson.dumps(value) + b"\n\n"
