"""Of ways to choose columns whose values are equal, the one that a plan takes (docs/rules/plan.md section 3.3)."""

from __future__ import annotations

from itertools import product

import numpy as np


def first_in_order(leaving: np.ndarray, reaches: np.ndarray, wanted: np.ndarray) -> tuple[int, np.ndarray]:
    """The way whose numbers can be largest front by front, place by place, piece by piece, and the pieces sent: int64,
    shape (places, fronts, pieces).

    `leaving`: the pieces that may leave a place, int64, shape (places, pieces). `reaches`: bool, shape (fronts, places,
    pieces). `wanted`: the pieces on each front, int64, shape (ways, fronts, pieces); all of them can be brought.

    What is left can be brought if no group of fronts wants more than can reach it (Gale, Pacific Journal of Mathematics
    7, 1957).
    """
    groups = np.array(list(product([False, True], repeat=wanted.shape[1])))
    left, later, ways = leaving.copy(), reaches.copy(), np.arange(len(wanted))
    sent = np.zeros(reaches.swapaxes(0, 1).shape, np.int64)
    for front, place, piece in np.argwhere(reaches).tolist():
        later[front, place, piece] = False
        reached = groups @ later[:, :, piece]
        others = ~groups[:, front] & reached[:, place]
        room = (reached[others] @ left[:, piece]) - wanted[:, :, piece] @ groups[others].T
        most = np.minimum(wanted[:, front, piece], left[place, piece])
        most = np.minimum(most, room.min(axis=1, initial=left[place, piece]))
        number = most.max()
        wanted, ways = wanted[most == number], ways[most == number]
        wanted[:, front, piece] -= number
        left[place, piece] -= number
        sent[place, front, piece] = number
    return int(ways[0]), sent
