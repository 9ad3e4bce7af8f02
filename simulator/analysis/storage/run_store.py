"""Files of long work: the question they answer, so that another one is refused, and writing that is all or nothing."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import zip_longest
from pathlib import Path
from typing import Any

from simulator.scenarios import Draft

FORMAT = 2
# Seconds between two savings at first; later so that saving takes at most a twentieth of the time.
SECONDS, SHARE = 2.0, 20
SHOWN = 60


def question_of(draft: Draft, **asked: Any) -> dict[str, Any]:
    """The question of a long run as plain values: the scenario, its rules, and everything that decides the numbers."""
    battle = draft.battle()
    rules = f"{battle.game} {battle.kind} version {battle.version}"
    everything = {"format": FORMAT, "scenario": draft.data, "rules": rules, "game file": _game_file(draft)} | asked
    plain: dict[str, Any] = json.loads(json.dumps(everything, default=str))
    return plain


def _game_file(draft: Draft) -> str | None:
    """A digest of the game file that a scenario is played by; None for a game in Python."""
    from simulator.rules import custom
    from simulator.rules.custom.game_file.files import find

    game = draft.data.get("game")
    if not custom.knows(game):
        return None
    found = find(str(game), draft.data.get("rules"), draft.folder, draft.paths)
    return hashlib.sha256(found.file.model_dump_json().encode()).hexdigest()[:16]


def refuse_another(path: Path, kept: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise ValueError if a file was begun with another question, naming the first value that differs."""
    for name in dict.fromkeys([*kept, *asked]):
        old, new = kept.get(name), asked.get(name)
        if old != new:
            place, old, new = _difference(name, old, new)
            text = f"it was begun with {place} {_short(old)}, and this is {_short(new)}; give another file or remove it"
            raise ValueError(f"out: {str(path)!r} is of another question: {text}")


def _difference(name: str, old: Any, new: Any) -> tuple[str, Any, Any]:
    """The first place inside two values that differ, such as `vary.attacker.regiments[3]`, with its two values."""
    if isinstance(old, dict) and isinstance(new, dict):
        steps = [(f"{name}.{key}", old.get(key), new.get(key)) for key in dict.fromkeys([*old, *new])]
    elif isinstance(old, list) and isinstance(new, list):
        steps = [(f"{name}[{i}]", *pair) for i, pair in enumerate(zip_longest(old, new))]
    else:
        return name, old, new
    return next(_difference(*step) for step in steps if step[1] != step[2])


def _short(value: Any) -> str:
    text = "nothing" if value is None else json.dumps(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."


def checksum(value: Any) -> str:
    """A digest of plain values, to tell a damaged file."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file so that it is there as a whole or not at all, even if the machine stops. Raises OSError."""
    beside = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with beside.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError:
        with suppress(OSError):
            beside.unlink()
        raise
    with suppress(OSError):  # the folder's entries too, where the system can do that
        handle = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock file `path`, so that only one process reads and writes here. kill -9 and a reboot free it.

    Raises ValueError if another process holds it, or where no file can be made.
    """
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    try:
        file = path.open("a")
    except OSError as error:
        raise ValueError(f"out: {str(path)!r} cannot be written ({error.strerror})") from None
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A file that its last owner removed after it was opened here locks nobody out.
            ours = os.path.samestat(os.fstat(file.fileno()), path.stat())
        except OSError:
            ours = False
        if not ours:
            raise ValueError(f"out: another run is writing it; its lock is {str(path)!r}")
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()


class Due:
    """The time of the next save."""

    def __init__(self) -> None:
        self._last, self._wait = time.monotonic(), SECONDS

    def __bool__(self) -> bool:
        return time.monotonic() - self._last >= self._wait

    @contextmanager
    def saving(self, kept: str) -> Iterator[None]:
        """Save now, and note how long it takes. Raises OSError, which says how much was `kept` before."""
        begun = time.monotonic()
        try:
            yield
        except OSError as error:
            text = f"{kept}, and the same command goes on from there"
            raise OSError(f"out: {error.strerror or error}; {text}") from None
        self._last = time.monotonic()
        self._wait = max(SECONDS, SHARE * (self._last - begun))
