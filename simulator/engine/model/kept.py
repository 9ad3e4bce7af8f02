"""Caches: one that belongs to an object, and one of limited size."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from threading import Lock
from typing import Any, Generic, TypeVar

Made = TypeVar("Made")


class Kept(dict[Any, Any]):
    """The cache of one chain, graph or set of tables: the results of functions of it, by function."""

    def of(self, make: Callable[[Any], Made], whole: Any) -> Made:
        """`make(whole)`, made the first time; an error is not kept."""
        if make not in self:
            self[make] = make(whole)
        made: Made = self[make]
        return made


class Recent(Generic[Made]):
    """A cache of at most `most` bytes that drops the objects which were used longest ago. Threads may share it.

    `size(made)`: the bytes of an object. Objects may grow while they are used: whenever one is added, the sizes of the
    one added before it and of all that were asked for since then are computed again.
    """

    def __init__(self, most: int, size: Callable[[Made], int]) -> None:
        self._most, self._size, self._held, self._lock = most, size, dict[Hashable, Made](), Lock()
        self._sizes, self._used = dict[Hashable, int](), set[Hashable]()

    def get(self, key: Hashable) -> Made | None:
        """The object of this key; None if the cache does not hold it."""
        with self._lock:
            if key in self._held:
                self._held[key] = self._held.pop(key)  # to the end: the first one was used longest ago
                self._used.add(key)
            return self._held.get(key)

    def keep(self, key: Hashable, made: Made) -> Made:
        """Add an object; drop those that were used longest ago while the cache is too large."""
        with self._lock:
            self._held[key] = made
            self._sizes |= {one: self._size(self._held[one]) for one in self._used | {key} if one in self._held}
            self._used = {key}
            while sum(self._sizes.values()) > self._most:
                first = next(iter(self._held))
                del self._sizes[first], self._held[first]
        return made

    def clear(self) -> None:
        """Empty the cache."""
        with self._lock:
            self._held.clear()
            self._sizes.clear()
