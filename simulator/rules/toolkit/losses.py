"""Loss orders: the points of a side stand in one line, and the number of hits taken says who is left.

So a state needs one number for a side, its *place* in the line, whatever it consists of. A point is one hit that can be
taken; it names the kind that takes it and how many of that kind are gone with it (0 for damage, 1 for the last point of
a piece).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

Point = tuple[int, int]


def points_of(kind: int, pieces: int, hits: int = 1, damage_first: bool = False) -> tuple[list[Point], list[Point]]:
    """Points of equal pieces that take `hits` each: (those taken before anything is lost, those in their turn).

    `damage_first`: all damage short of a loss comes before the first piece is lost; else piece after piece.
    """
    hurt, lost = (kind, 0), (kind, 1)
    if damage_first:
        return [hurt] * (pieces * (hits - 1)), [lost] * pieces
    return [], ([hurt] * (hits - 1) + [lost]) * pieces


def left_after(start: Sequence[int], points: Iterable[Point]) -> np.ndarray:
    """What is left of each kind after 0, 1, 2, ... hits: array (hits + 1, kinds)."""
    rows = [list(start)]
    for kind, gone in points:
        rows.append(rows[-1].copy())
        rows[-1][kind] -= gone
    return np.array(rows, np.int64)


def left_along(start: Sequence[int], hit: Callable[[list[int]], None]) -> np.ndarray:
    """The same where the line depends on what is left: `hit(left)` takes one hit off the list, until all is 0."""
    rows = [list(start)]
    while any(rows[-1]):
        rows.append(rows[-1].copy())
        hit(rows[-1])
    return np.array(rows, np.int64)
