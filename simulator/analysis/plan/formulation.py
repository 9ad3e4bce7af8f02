"""A turn's divisions as an integer programme (docs/rules/plan.md section 3.4).

A variable for each column is 1 if it is chosen; another one holds the pieces of a kind that go from a place to a front.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from simulator.analysis.plan.choices import Choices, Division
from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.first_plan import Known
from simulator.analysis.plan.highs import solved
from simulator.analysis.plan.relaxed import Constraints, Stock
from simulator.analysis.plan.turn import Turn

# HiGHS stops within gaps of 1e-6: values are scaled so that this is less than a rounding error of a plan.
SCALE = 1e4


class Formulation:
    """The variables and constraints of a turn, and the solutions that HiGHS finds for them."""

    def __init__(self, turn: Turn, found: Sequence[Columns], whole: bool = False) -> None:
        """`whole`: keep columns that only a plan with other pieces would choose."""
        self.turn, self.found = turn, found
        self.choices = Choices(turn, found, whole)
        # The best division found, in case the search for the best one is interrupted.
        self.known: Known | None = None
        self.kept, self.objective = self.choices.kept, turn.file.objective
        # Without these, the columns say how many pieces are sent.
        self.homes = any(front.home >= 0 for front in turn.fronts)
        self.stock = Stock(turn.here, turn.here - turn.staying)
        self.first = np.cumsum([0, *(len(kept) for kept in self.kept)])
        self.routes = [
            (place, front, int(piece))
            for place in range(len(turn.places))
            for front in range(len(found))
            for piece in np.flatnonzero(turn.fronts[front].reaches[place])
        ]
        self.piles = sorted({(place, piece) for place, _, piece in self.routes})
        self.size = int(self.first[-1]) + len(self.routes)
        self.value, self.chance = (self._over_columns(one) for one in (self.choices.values, self.choices.chances))
        # The columns that a relaxation needed: the next one begins with them.
        self.begin = np.zeros(self.size, bool)
        self.pieces, self.price = (self._over_routes(one) for one in (np.ones(len(turn.pieces)), turn.price))

    def _over_columns(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """Coefficients of all variables from a value for each column."""
        chosen = [one[kept] for one, kept in zip(values, self.kept, strict=True)]
        return np.concatenate([*chosen, np.zeros(len(self.routes))])

    def _over_routes(self, weights: np.ndarray) -> np.ndarray:
        """Coefficients of all variables from a weight for each piece that is sent: that leaves its place."""
        sent = [weights[piece] * (self.turn.fronts[front].home != place) for place, front, piece in self.routes]
        return np.concatenate([np.zeros(self.first[-1]), sent])

    @cached_property
    def _matrix(self) -> Any:
        """The coefficients of the constraints of every division: sparse, shape (constraints, variables)."""
        from scipy.sparse import csr_array

        return csr_array(np.array([*self._of_columns(), *self._of_piles()]))

    def _of_columns(self) -> Iterator[np.ndarray]:
        """For each front: one column is chosen, and its pieces are brought."""
        for at, kept in enumerate(self.kept):
            here = slice(self.first[at], self.first[at + 1])
            one = np.zeros(self.size)
            one[here] = 1
            yield one
            for piece in range(len(self.turn.pieces)):
                brought = np.zeros(self.size)
                brought[here] = self.found[at].numbers[kept, piece]
                brought[self.first[-1] :] = [-(route[1:] == (at, piece)) for route in self.routes]
                yield brought

    def _of_piles(self) -> Iterator[np.ndarray]:
        """For each place and piece: all that are used there, and those that leave."""
        for pile in self.piles:
            for home in (True, False):
                used = [(place, piece) == pile and (home or not self._at_home(place, front))
                        for place, front, piece in self.routes]  # fmt: skip
                yield np.concatenate([np.zeros(self.first[-1]), used])

    def _at_home(self, place: int, front: int) -> bool:
        return self.turn.fronts[front].home == place

    def constraints(self, stock: Stock) -> Constraints:
        """The constraints of every division."""
        low = [one for _ in self.kept for one in (1, *[0] * len(self.turn.pieces))]
        high = list(low)
        for place, piece in self.piles:
            here, leaving = stock.here[place, piece], stock.leaving[place, piece]
            # Pieces that do not leave a hold defend it.
            defends = any(
                self._at_home(place, front) for one, front, kind in self.routes if (one, kind) == (place, piece)
            )
            low += [here if defends else 0, 0]
            high += [here, leaving]
        return Constraints(lambda: self._matrix, np.array(low, float), np.array(high, float))

    @cached_property
    def _numbers(self) -> np.ndarray:
        """The pieces of each column: int16, shape (pieces, columns)."""
        return np.concatenate([self.found[at].numbers[kept] for at, kept in enumerate(self.kept)]).T.astype(np.int16)

    def _choice(self, solution: np.ndarray) -> Division:
        """A solution as a division."""
        sent = np.zeros((len(self.turn.places), len(self.found), len(self.turn.pieces)), np.int64)
        for number, route in enumerate(self.routes, start=int(self.first[-1])):
            sent[route] = solution[number]
        return self.choices.choice(self._columns_of(solution), sent)

    def _brought(self, solution: np.ndarray, route: tuple[int, int, int]) -> int:
        """The pieces of a kind that come to the front of a route."""
        chosen = self._columns_of(solution)[route[1]]
        return int(self.found[route[1]].numbers[chosen, route[2]])

    def _columns_of(self, solution: np.ndarray) -> tuple[int, ...]:
        """The column of each front in a solution."""
        return tuple(
            int(kept[solution[first : first + len(kept)].argmax()])
            for kept, first in zip(self.kept, self.first[:-1].tolist(), strict=True)
        )

    def _with_columns(self, ways: np.ndarray) -> np.ndarray:
        """The columns of these ways to choose them, and all other variables: bool, shape (variables,)."""
        found = np.zeros(self.size, bool)
        found[self.first[-1] :] = True
        found[ways.ravel()] = True
        return found

    def _at_columns(self, columns: Sequence[int]) -> np.ndarray:
        """1 for these columns."""
        found = np.zeros(self.size)
        for at, column in enumerate(columns):
            found[self.first[at] + np.flatnonzero(self.kept[at] == column)] = 1
        return found

    def _solve(self, aim: np.ndarray, constraints: Constraints, among: np.ndarray) -> np.ndarray | None:
        """A solution with the largest `aim`, in whole numbers, that uses only these variables; None without one."""
        from scipy.optimize import Bounds, LinearConstraint

        high = np.concatenate([np.ones(self.first[-1]), np.full(len(self.routes), np.inf)])
        matrix = constraints.matrix[:, np.flatnonzero(among)]
        found = solved(
            "milp", c=-aim[among] * SCALE, bounds=Bounds(0, high[among]),
            constraints=LinearConstraint(matrix, constraints.low, constraints.high),
            integrality=np.ones(among.sum()), options={"mip_rel_gap": 0},
        )  # fmt: skip
        if found.x is None:
            return None
        solution = np.zeros(self.size)
        solution[among] = np.rint(found.x)
        return solution


def total(weights: np.ndarray, solution: np.ndarray) -> float:
    """The sum of the weights of a solution, most of whose numbers are 0."""
    some = np.flatnonzero(solution)
    return float((weights[some] * solution[some]).sum())
