"""The best division of pieces as an integer programme, which HiGHS solves (docs/rules/plan.md sections 3.3 and 3.4).

A variable for each column is 1 if it is chosen; another one holds the pieces of a kind that go from a place to a front.
It serves where tables do not: places that are holds, and too many classes of pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log
from typing import Any

import numpy as np

from simulator.analysis.plan.choices import EQUAL, SAME_PRICE, Choice, Choices
from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.turn import Turn

# HiGHS stops within gaps of 1e-6: values are scaled so that this is less than a rounding error of a plan.
SCALE = 1e4


@dataclass(frozen=True)
class Stock:
    """The pieces of each place, and those that may leave it: int64, shape (places, pieces)."""

    here: np.ndarray
    leaving: np.ndarray


@dataclass
class Row:
    """A linear constraint: coefficients of all variables, and its bounds."""

    coefficients: np.ndarray
    low: float
    high: float


class Programme:
    """The integer programme of a turn."""

    def __init__(self, turn: Turn, found: Sequence[Columns], whole: bool = False) -> None:
        """`whole`: keep columns that only a plan with other pieces would choose."""
        self.turn, self.found = turn, found
        self.choices = Choices(turn, found, whole)
        self.kept, self.objective = self.choices.kept, turn.file.objective
        self.stock = Stock(turn.here, turn.here - turn.staying)
        self.first = np.cumsum([0, *(len(kept) for kept in self.kept)])
        self.routes = [
            (place, front, int(piece))
            for place in range(len(turn.places))
            for front in range(len(found))
            for piece in np.flatnonzero(turn.fronts[front].reaches[place])
        ]
        self.size = int(self.first[-1]) + len(self.routes)
        self.value, self.chance = (self._over_columns(one) for one in (self.choices.values, self.choices.chances))
        self.pieces, self.price = (self._over_routes(one) for one in (np.ones(len(turn.pieces)), turn.price))

    def _over_columns(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """Coefficients of all variables from a value for each column."""
        chosen = [one[kept] for one, kept in zip(values, self.kept, strict=True)]
        return np.concatenate([*chosen, np.zeros(len(self.routes))])

    def _over_routes(self, weights: np.ndarray) -> np.ndarray:
        """Coefficients of all variables from a weight for each piece that is sent: that leaves its place."""
        sent = [weights[piece] * (self.turn.fronts[front].home != place) for place, front, piece in self.routes]
        return np.concatenate([np.zeros(self.first[-1]), sent])

    def rows(self, stock: Stock) -> Iterator[Row]:
        """The constraints of every division."""
        for at, kept in enumerate(self.kept):
            one = np.zeros(self.size)
            one[self.first[at] : self.first[at + 1]] = 1
            yield Row(one, 1, 1)
            for piece in np.flatnonzero(self.turn.fronts[at].reaches.any(axis=0)).tolist():
                brought = np.zeros(self.size)
                brought[self.first[at] : self.first[at + 1]] = self.found[at].numbers[kept, piece]
                for number, route in enumerate(self.routes, start=int(self.first[-1])):
                    brought[number] -= route[1:] == (at, piece)
                yield Row(brought, 0, 0)
        homes = {front.home: at for at, front in enumerate(self.turn.fronts) if front.home >= 0}
        for place, piece in sorted({(place, piece) for place, _, piece in self.routes}):
            whole, leaving = np.zeros(self.size), np.zeros(self.size)
            defends = False
            for number, (start, front, kind) in enumerate(self.routes, start=int(self.first[-1])):
                if (start, kind) == (place, piece):
                    whole[number] = 1
                    leaving[number] = homes.get(place) != front
                    defends |= homes.get(place) == front
            most = stock.here[place, piece]
            yield Row(whole, most if defends else 0, most)
            yield Row(leaving, 0, stock.leaving[place, piece])

    def _best_value(self, stock: Stock, *more: Row) -> float | None:
        """The largest value (the least price) of any division that obeys further constraints; None without one."""
        solution = self._solve(self._aim, [*self.rows(stock), *more])
        return None if solution is None else self._choice(solution).value

    @property
    def _aim(self) -> np.ndarray:
        """The coefficients that are made as large as possible."""
        return -self.price if self.objective == "cheapest" else self.value

    def best(self, *but: Row) -> Choice | None:
        """The division that section 3.3 chooses among those that obey further constraints; None without any."""
        rows = [*self.rows(self.stock), *but]
        solution = self._solve(self._aim, rows)
        if solution is None:
            return None
        value = self._choice(solution).value
        if self.objective == "worth":
            rows.append(Row(self.value * SCALE, (value - EQUAL) * SCALE, np.inf))
        elif self.objective == "all":
            rows.append(self._chance_at_least(value - EQUAL))
        else:
            rows.append(Row(self.price, -np.inf, value + SAME_PRICE))
            solution = self._again(solution, self.chance, rows)
            rows.append(self._chance_at_least(float(np.exp(self.chance @ solution)) - EQUAL))
        for cost in (self.pieces, self.price):
            solution = self._again(solution, -cost, rows)
            rows.append(Row(cost, -np.inf, float(cost @ solution) + SAME_PRICE))
        return self._choice(self._first_in_order(solution, rows))

    def _choice(self, solution: np.ndarray) -> Choice:
        """A solution as a division."""
        sent = np.zeros((len(self.turn.places), len(self.found), len(self.turn.pieces)), np.int64)
        for number, route in enumerate(self.routes, start=int(self.first[-1])):
            sent[route] = solution[number]
        return self.choices.choice(self._columns_of(solution), sent)

    def _chance_at_least(self, chance: float) -> Row:
        return Row(self.chance * SCALE, log(chance) * SCALE if chance > 0 else -np.inf, np.inf)

    def _again(self, solution: np.ndarray, aim: np.ndarray, rows: list[Row]) -> np.ndarray:
        """The best solution for another aim; this one where HiGHS finds none within its tolerances."""
        found = self._solve(aim, rows)
        return solution if found is None or aim @ found < aim @ solution else found

    def _first_in_order(self, solution: np.ndarray, rows: list[Row]) -> np.ndarray:
        """Of equal divisions, the one whose numbers are largest front by front, place by place, piece by piece."""
        fixed = rows
        other = self._solve(np.zeros(self.size), [*rows, self._without_columns(self._columns_of(solution))])
        if other is None:  # the columns are these: only the places that send them are left to choose
            fixed = [*rows, Row(self._at_columns(self._columns_of(solution)), len(self.found), len(self.found))]
        for route in sorted(self.routes, key=lambda route: (route[1], route[0], route[2])):
            aim = np.zeros(self.size)
            aim[int(self.first[-1]) + self.routes.index(route)] = 1
            now = aim @ solution
            if other is not None or now < min(self._brought(solution, route), self.turn.here[route[0], route[2]]):
                solution = self._again(solution, aim, fixed)
            fixed = [*fixed, Row(aim, float(aim @ solution), float(aim @ solution))]
        return solution

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

    def _at_columns(self, columns: Sequence[int]) -> np.ndarray:
        """1 for these columns."""
        found = np.zeros(self.size)
        for at, column in enumerate(columns):
            found[self.first[at] + np.flatnonzero(self.kept[at] == column)] = 1
        return found

    def _without_columns(self, columns: Sequence[int]) -> Row:
        """Another column on some front."""
        return Row(self._at_columns(columns), -np.inf, len(columns) - 1)

    def _other_fronts(self, choice: Choice) -> Row:
        """Other targets are attacked, or other holds are defended."""
        found = np.zeros(self.size)
        for at, (kept, columns) in enumerate(zip(self.kept, self.found, strict=True)):
            some = columns.numbers[kept].any(axis=1)
            found[self.first[at] : self.first[at + 1]] = some == columns.numbers[choice.columns[at]].any()
        return Row(found, -np.inf, len(self.found) - 1)

    def next_best(self, best: Choice, number: int, differ: str) -> Iterator[Choice]:
        """The best division that differs from the best one, then the best that differs from both, and so on."""
        rows, found = list[Row](), best
        for _ in range(number):
            rows.append(self._without_columns(found.columns) if differ == "pieces" else self._other_fronts(found))
            another = self.best(*rows)
            if another is None:
                return
            found = another
            yield found

    def value_with(self, place: int, piece: int, more: int) -> float:
        """The largest value with one more (1) or one fewer (-1) of a piece in a place; 0 without a plan."""
        one = np.zeros_like(self.stock.here)
        one[place, piece] = more
        return self._best_value(Stock(self.stock.here + one, self.stock.leaving + one)) or 0.0

    def largest(self) -> float:
        """The largest value of all; 0 without a plan."""
        return self._best_value(self.stock) or 0.0

    def best_without(self, front: int) -> float | None:
        """The largest value without attacks on a target, or without anybody who comes to a hold from elsewhere."""
        coming = np.zeros(self.size)
        for number, (place, at, _) in enumerate(self.routes, start=int(self.first[-1])):
            coming[number] = at == front and self.turn.fronts[front].home != place
        return self._best_value(self.stock, Row(coming, 0, 0))

    def _solve(self, aim: np.ndarray, rows: Sequence[Row]) -> np.ndarray | None:
        """A solution with the largest `aim`, in whole numbers; None without one."""
        from scipy.optimize import Bounds, LinearConstraint, milp
        from scipy.sparse import csr_array

        if any(not len(kept) for kept in self.kept):
            return None
        matrix = csr_array(np.array([row.coefficients for row in rows]))
        limits: Any = LinearConstraint(matrix, [row.low for row in rows], [row.high for row in rows])
        high = np.concatenate([np.ones(self.first[-1]), np.full(len(self.routes), np.inf)])
        found = milp(
            -aim * SCALE, constraints=limits, bounds=Bounds(0, high), integrality=np.ones(self.size),
            options={"mip_rel_gap": 0},
        )  # fmt: skip
        return None if found.x is None else np.rint(found.x)
