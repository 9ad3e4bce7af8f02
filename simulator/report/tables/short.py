"""Long tables cut to the rows around the answer."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Generic, TypeVar

T = TypeVar("T")
# Rows of a table around its answer, and at each end of the list of a sweep.
MOST_ROWS, MOST_AT_ENDS = 10, 20


class Short(Generic[T]):
    """The `rows` of a table at these places, all with `every`, and a `line` that says how many there are."""

    def __init__(self, rows: Sequence[T], places: Iterable[int], every: bool = False) -> None:
        chosen = list(range(len(rows))) if every else sorted(set(places))
        self.rows = [rows[place] for place in chosen]
        self.line = all_rows(len(chosen), len(rows))
        # The places in `rows` before which some rows are left out.
        self.gaps = [place for place, (one, other) in enumerate(pairwise(chosen), 1) if other > one + 1]


def all_rows(shown: int, total: int, what: str = "rows") -> str | None:
    """The line below a table that shows only some of its rows; None if it shows all."""
    return None if shown >= total else f"--all shows all {total:,} {what}"


def first(rows: Sequence[T], every: bool = False) -> Short[T]:
    """The first rows."""
    return Short(rows, range(min(MOST_ROWS, len(rows))), every)


def around(rows: Sequence[T], place: int, every: bool = False) -> Short[T]:
    """The rows around a place."""
    begin = max(0, min(place - MOST_ROWS // 2, len(rows) - MOST_ROWS))
    return Short(rows, range(begin, min(begin + MOST_ROWS, len(rows))), every)


def ends(rows: Sequence[T], place: int | None, every: bool = False) -> Short[T]:
    """The first and the last rows, and those beside a place between them."""
    last = len(rows) - 1
    near = () if place is None else range(max(0, place - 1), min(place + 1, last) + 1)
    return Short(rows, [*range(last + 1)[:MOST_AT_ENDS], *near, *range(last + 1)[-MOST_AT_ENDS:]], every)
