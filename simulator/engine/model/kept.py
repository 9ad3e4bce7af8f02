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
    """What was made last, by key: as much as takes together at most `most` bytes. Threads may share it.

    `size`: the bytes of what was made. It may grow later by what is kept with it, and is asked anew with each new one.
    """

    def __init__(self, most: int, size: Callable[[Made], int]) -> None:
        self._most, self._size, self._held, self._lock = most, size, dict[Hashable, Made](), Lock()

    def get(self, key: Hashable) -> Made | None:
        """What is held by this key."""
        with self._lock:
            if key in self._held:
                self._held[key] = self._held.pop(key)  # to the end: the first one was used longest ago
            return self._held.get(key)

    def keep(self, key: Hashable, made: Made) -> Made:
        """Hold this, and drop what was used longest ago while all takes too much."""
        with self._lock:
            self._held[key] = made
            sizes = {one: self._size(held) for one, held in self._held.items()}
            while sum(sizes.values()) > self._most:
                first = next(iter(sizes))
                del sizes[first], self._held[first]
        return made

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()
