"""What was made of an object once and is kept with it."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")


class Kept(dict[Any, Any]):
    """The cache of one chain, graph or set of tables: what a function made of it, by that function."""

    def of(self, make: Callable[[Any], Made], whole: Any) -> Made:
        """`make(whole)`, made the first time; an error is not kept."""
        if make not in self:
            self[make] = make(whole)
        made: Made = self[make]
        return made


class Recent(Generic[Made]):
    """What was made last, by key: as much as is together at most `most` in size. Threads may share it."""

    def __init__(self, most: int) -> None:
        self._most, self._held, self._lock = most, dict[Hashable, tuple[Made, int]](), Lock()

    def of(self, key: Hashable, make: Callable[[], Made], size: Callable[[Made], int]) -> Made:
        """What is held by this key, else made; an error, and what alone is too large, is not held."""
        with self._lock:
            if key in self._held:
                self._held[key] = self._held.pop(key)  # to the end: the first one was used longest ago
                return self._held[key][0]
        made = make()
        own = size(made)
        with self._lock:
            if own <= self._most:
                self._held[key] = made, own
            while sum(number for _, number in self._held.values()) > self._most:
                del self._held[next(iter(self._held))]
        return made

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()
