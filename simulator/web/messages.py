"""What the server asks its workers, and what they reply; both travel between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

HTML, JSON, TEXT = "text/html; charset=utf-8", "application/json", "text/plain; charset=utf-8"
EVENTS = "text/event-stream; charset=utf-8"

# How the complaint about a battle begins that takes more seconds than an answer may.
LARGE = "battle: too large for this page"
# What is told of a battle whose kernels are not ready, on a server that was ready before them.
COMPILING = "battle: what it needs is still being compiled here; try again in a minute"
MEGABYTE = 1 << 20


@dataclass(frozen=True)
class Limits:
    """What one answer may take: seconds of the processor, and bytes of memory beside what the worker holds idle.

    By the clock on the wall: a request waits at most `queue` seconds for a worker, which is given up after `wait`.
    """

    seconds: float = 2.0
    wait: float = 30.0
    queue: float = 10.0
    memory: int = 1024 * MEGABYTE


class Malformed(ValueError):
    """A request that is no question at all."""

    status = 400


class Unserved(Exception):
    """A request that no worker answers: why, and the status of that; 499 is for a client that has gone."""

    def __init__(self, text: str, status: int = 503) -> None:
        super().__init__(text)
        self.status = status


class NoSuchPage(ValueError):
    """A game or battle kind that there is not."""

    status = 404


@dataclass(frozen=True)
class Asked:
    """One request: which view answers it, the names in its path, its query as pairs, the text of its body."""

    view: str
    names: Mapping[str, str] = field(default_factory=dict)
    pairs: tuple[tuple[str, str], ...] = ()
    body: str = ""
    host: str = ""


@dataclass(frozen=True)
class Reply:
    """What a worker sends back; of a stream there are several, and the last one is `last`.

    `retire`: the worker wants to be replaced, for it holds too much memory. `lost`: it was given up.
    """

    body: bytes
    status: int = 200
    type: str = HTML
    headers: Mapping[str, str] = field(default_factory=dict)
    last: bool = True
    retire: bool = False
    lost: bool = False


def as_json(value: Any, status: int = 200) -> Reply:
    """A reply in JSON; numbers that are none become null."""
    return Reply(orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS), status, JSON)


def event(told: Any) -> bytes:
    """One server-sent event; JSON keeps it on one line."""
    return b"data: " + orjson.dumps(told) + b"\n\n"
