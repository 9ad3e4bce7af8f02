"""Items in groups."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def by_key(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items of each key, both in the order in which they come."""
    found: dict[K, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found
