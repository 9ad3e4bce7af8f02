"""Loss orders: hits taken along a fixed order determine the units left, so a state needs one number for a side."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np


def left_along(start: Sequence[int], hit: Callable[[list[int]], None]) -> np.ndarray:
    """Units left of each kind after 0, 1, 2, ... hits, down to 0: int64, shape (hits + 1, kinds).

    `hit(left)` takes one hit off the list, from the kind that is next with these left.
    """
    rows = [list(start)]
    while any(rows[-1]):
        rows.append(rows[-1].copy())
        hit(rows[-1])
    return np.array(rows, np.int64)
