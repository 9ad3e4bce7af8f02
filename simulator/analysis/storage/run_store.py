"""Long work that is kept: what it was asked, told so that nobody goes on with another question, and files that are
whole whatever happens while they are written.
"""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from simulator.scenarios import Draft

FORMAT = 1
# Seconds between two savings at first; later so that saving takes at most a twentieth of the time.
SECONDS, SHARE = 2.0, 20
SHOWN = 60


def told(draft: Draft, **asked: Any) -> dict[str, Any]:
    """What a long run was asked, as plain values: the scenario, its rules, and everything that decides the numbers."""
    battle = draft.battle()
    rules = f"{battle.game} {battle.kind} version {battle.version}"
    everything = {"format": FORMAT, "scenario": draft.data, "rules": rules, "game file": _game_file(draft)} | asked
    plain: dict[str, Any] = json.loads(json.dumps(everything, default=str))
    return plain


def _game_file(draft: Draft) -> str | None:
    """A digest of the game file that a scenario is played by; None for a game in Python."""
    from simulator.rules import custom
    from simulator.rules.custom.files import find

    game = draft.data.get("game")
    if not custom.knows(game):
        return None
    found = find(str(game), draft.data.get("rules"), draft.folder, draft.paths)
    return hashlib.sha256(found.file.model_dump_json().encode()).hexdigest()[:16]


def refuse_another(path: Path, kept: Mapping[str, Any], asked: Mapping[str, Any]) -> None:
    """Raise ValueError if a file was begun with another question, naming what differs."""
    for name in dict.fromkeys([*kept, *asked]):
        if kept.get(name) != asked.get(name):
            old, new = (json.dumps(one.get(name))[:SHOWN] for one in (kept, asked))
            text = f"it was begun with {name} {old}, and this is {new}; give another file or remove it"
            raise ValueError(f"out: {str(path)!r} is of another question: {text}")


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
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """See that a folder's entries are on the disk, where the system can do that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Nobody else writes here meanwhile. Raises ValueError if somebody does; kill -9 and a reboot free it."""
    try:
        import fcntl
    except ImportError:  # not on Windows
        yield
        return
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise ValueError(f"out: another run is writing it; its lock is {str(path)!r}") from None
        try:
            yield
        finally:
            with suppress(OSError):
                path.unlink()


class Due:
    """When it is time to save again."""

    def __init__(self) -> None:
        self._last, self._wait = time.monotonic(), SECONDS

    def __bool__(self) -> bool:
        return time.monotonic() - self._last >= self._wait

    @contextmanager
    def saving(self) -> Iterator[None]:
        """Save now, and note how long it takes."""
        begun = time.monotonic()
        yield
        self._last = time.monotonic()
        self._wait = max(SECONDS, SHARE * (self._last - begun))
