"""The columns that a plan may choose, their values for its objective, and the order of equal divisions
(docs/rules/plan.md section 3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.turn import Turn
from simulator.rules.toolkit.tolerances import ROUNDING

# Values closer than this are equal.
EQUAL = 1e-6


@dataclass(frozen=True)
class Division:
    """A division: the column of each front, and the pieces sent, int64, shape (places, fronts, pieces).

    `value`: what the objective asks for: worth, chance or price.
    """

    columns: tuple[int, ...]
    sent: np.ndarray
    value: float


class Choices:
    """The columns of each front that a plan may choose (`kept`), and the values of all its columns: worth, or the
    logarithm of the chance, 0 for fronts that do not count.
    """

    def __init__(self, turn: Turn, found: Sequence[Columns], whole: bool) -> None:
        """`whole`: keep columns that only a plan with other pieces would choose."""
        self.turn, self.found, self.whole = turn, found, whole
        self.objective = turn.file.objective
        with np.errstate(divide="ignore"):
            self.chances = [
                np.log(one.chance) if at in turn.aims and self.objective != "worth" else np.zeros(len(one))
                for at, one in enumerate(found)
            ]
        self.values = [one.worth for one in found] if self.objective == "worth" else self.chances
        self.kept = [self._kept(at) for at in range(len(found))]

    def _kept(self, at: int) -> np.ndarray:
        """The columns of a front that a plan may choose."""
        front, columns = self.turn.fronts[at], self.found[at]
        some = np.asarray(columns.numbers.any(axis=1))
        fine = columns.chance >= front.min_odds - ROUNDING
        allowed = fine if front.hold else fine | ~some
        if self.objective != "worth" and at in self.turn.aims:
            allowed = some & fine & (columns.chance > 0)
        elif self.objective != "worth" and not front.hold:
            allowed = ~some
        # Pieces that do not leave a hold defend it, so that none of its columns can be dropped.
        reached = front.reaches.any(axis=0)
        forced = any(one.home >= 0 and (one.reaches[one.home] & reached).any() for one in self.turn.fronts)
        chosen = np.flatnonzero(allowed)
        if self.whole or forced or not len(chosen):
            return chosen
        value = columns.worth if self.objective == "worth" else columns.chance
        # Another plan may attack a target that is better left alone: attacks are dropped for other attacks only.
        alone, attacks = chosen[~some[chosen]], chosen[some[chosen]]
        if len(attacks):
            attacks = attacks[undominated(columns.numbers[attacks], value[attacks])]
        return np.concatenate([alone, attacks])

    def choice(self, columns: Sequence[int], sent: np.ndarray) -> Division:
        """A division with its exact value."""
        return Division(tuple(columns), sent, self.value_of(columns, sent))

    def value_of(self, columns: Sequence[int], sent: np.ndarray) -> float:
        """The worth, the chance or the price of a division."""
        if self.objective == "worth":
            return float(sum(one.worth[at] for one, at in zip(self.found, columns, strict=True)))
        if self.objective == "all":
            return float(np.prod([self.found[at].chance[columns[at]] for at in self.turn.aims]))
        return float(away(self.turn, sent) @ self.turn.price)


def away(turn: Turn, sent: np.ndarray) -> np.ndarray:
    """The pieces that leave their places: int64, shape (pieces,); `sent` as in Choice."""
    found = sent.sum(axis=(0, 1))
    for at, front in enumerate(turn.fronts):
        if front.home >= 0:
            found = found - sent[front.home, at]
    return np.asarray(found)


def undominated(numbers: np.ndarray, value: np.ndarray) -> np.ndarray:
    """The columns worth more than all with nowhere more and somewhere fewer pieces: bool, shape (columns,)."""
    shape = numbers.max(axis=0) + 1
    grid = np.full(shape, -np.inf)
    grid[tuple(numbers.T)] = value
    upto = grid.copy()
    for axis in range(len(shape)):
        np.maximum.accumulate(upto, axis=axis, out=upto)
    below = np.full(shape, -np.inf)
    for axis in range(len(shape)):
        ahead, behind = [slice(None)] * len(shape), [slice(None)] * len(shape)
        ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
        np.maximum(below[tuple(ahead)], upto[tuple(behind)], out=below[tuple(ahead)])
    found: np.ndarray = (grid > below)[tuple(numbers.T)]
    return found


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
