"""What was made of an object once and is kept with it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Made = TypeVar("Made")


class Kept(dict[Any, Any]):
    """The cache of one chain, graph or set of tables: what a function made of it, by that function."""

    def of(self, make: Callable[[Any], Made], whole: Any) -> Made:
        """`make(whole)`, made the first time; an error is not kept."""
        if make not in self:
            self[make] = make(whole)
        made: Made = self[make]
        return made
