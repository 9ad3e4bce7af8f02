"""Loss orders: the points of a side stand in one line, and the number of hits taken says who is left.

So a state needs one number for a side, its *place* in the line, whatever it consists of. A point is one hit that can be
taken; it names the kind that takes it and how many of that kind are gone with it (0 for damage, 1 for the last point of
a piece).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from simulator.engine.chain import helper

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


class Dealt(NamedTuple):
    """What each of three takes."""

    first: int
    second: int
    third: int


@helper
def in_turn(hits, a, b, c, order):
    """Hits dealt to three that can take a, b and c: one to each in turn, the empty skipped, until all are used.

    `order` adds 1 if the second comes before the first, 2 if the third comes before the first, 4 if before the second.
    After k turns min(a, k) + min(b, k) + min(c, k) hits are used: the least of 3k, low + 2k, low + middle + k.
    """
    low, high, most = min(a, b, c), max(a, b, c), a + b + c
    hits = min(hits, most)
    k = max(hits // 3, (hits - low) >> 1, hits - most + high)
    rest = hits - min(a, k) - min(b, k) - min(c, k)
    more_a, more_b, more_c = 1 if a > k else 0, 1 if b > k else 0, 1 if c > k else 0
    before_a = (more_b if order & 1 else 0) + (more_c if order & 2 else 0)
    before_b = (0 if order & 1 else more_a) + (more_c if order & 4 else 0)
    before_c = (0 if order & 2 else more_a) + (0 if order & 4 else more_b)
    return Dealt(
        min(a, k) + (more_a if rest > before_a else 0),
        min(b, k) + (more_b if rest > before_b else 0),
        min(c, k) + (more_c if rest > before_c else 0),
    )
