"""Loss orders: hits taken along a fixed order determine the units left, so a state needs one number for a side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from simulator.engine.model.chain import helper


def left_along(start: Sequence[int], hit: Callable[[list[int]], None]) -> np.ndarray:
    """Units left of each kind after 0, 1, 2, ... hits, down to 0: int64, shape (hits + 1, kinds).

    `hit(left)` takes one hit off the list, from the kind that is next with these left.
    """
    rows = [list(start)]
    while any(rows[-1]):
        rows.append(rows[-1].copy())
        hit(rows[-1])
    return np.array(rows, np.int64)


# n // 3 is (n * THIRD) >> THIRD_BITS up to 131,071 hits: integer division is not vectorised.
THIRD, THIRD_BITS = 43_691, 17


class Dealt(NamedTuple):
    """Hits taken by each of three."""

    first: int
    second: int
    third: int


@helper
def in_turn(hits, a, b, c, order):
    """Hits dealt to three that can take a, b and c: one to each in turn, the full ones skipped, until all are used.

    `order` adds 1 if the second comes before the first, 2 if the third comes before the first, 4 if before the second.
    After k turns min(a, k) + min(b, k) + min(c, k) hits are used: the least of 3k, low + 2k, low + middle + k.
    """
    low, high, most = min(a, b, c), max(a, b, c), a + b + c
    hits = min(hits, most)
    k = max((hits * THIRD) >> THIRD_BITS, (hits - low) >> 1, hits - most + high)
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
