"""The best division of pieces: one column for each front, brought by the places that reach it (docs/rules/plan.md
sections 3.3 and 3.4).

It is an integer programme, which HiGHS solves: a variable for each column, 1 if it is chosen, and one for the pieces
that go from each place to each front.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import log
from typing import Any

import numpy as np

from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.reading import Turn

# Values, and prices, closer than this are equal.
EQUAL, SAME_PRICE = 1e-6, 1e-9
# Chances closer than this are equal.
ALIKE = 1e-12
# HiGHS stops within gaps of 1e-6: values are scaled so that this is less than a rounding error of a plan.
SCALE = 1e4


@dataclass(frozen=True)
class Stock:
    """The pieces of each place, and those that may leave it: int64, shape (places, pieces); fronts that get nothing
    from elsewhere (`alone`).
    """

    here: np.ndarray
    leaving: np.ndarray
    alone: tuple[int, ...] = ()


@dataclass(frozen=True)
class Choice:
    """A division: the column of each front, and the pieces sent, int64, shape (places, fronts, pieces).

    `value`: what the objective asks for: worth, chance or price.
    """

    columns: tuple[int, ...]
    sent: np.ndarray
    value: float


@dataclass
class Row:
    """A linear constraint: coefficients of all variables, and its bounds."""

    coefficients: np.ndarray
    low: float
    high: float


@dataclass
class Division:
    """The integer programme of a turn. `whole`: keep columns that only a plan with other pieces would choose."""

    turn: Turn
    found: list[Columns]
    whole: bool = False
    kept: list[np.ndarray] = field(init=False)

    def __post_init__(self) -> None:
        self.objective = self.turn.file.objective
        self.kept = [self._kept(at) for at in range(len(self.found))]
        self.first = np.cumsum([0, *(len(kept) for kept in self.kept)])
        self.routes = [
            (place, front, int(piece))
            for place in range(len(self.turn.places))
            for front in range(len(self.found))
            for piece in np.flatnonzero(self.turn.fronts[front].reaches[place])
        ]
        self.size = int(self.first[-1]) + len(self.routes)
        self.value, self.chance = (self._over_columns(self._values(name)) for name in (self.objective, "all"))
        self.pieces, self.price = (self._over_routes(weights) for weights in (np.ones(len(self.turn.pieces)), self.turn.price))

    def stock(self) -> Stock:
        """The pieces as the file has them."""
        return Stock(self.turn.here, self.turn.here - self.turn.staying)

    def counted(self, front: int) -> bool:
        """Does the front count in the chance of all?"""
        return front in self.turn.aims

    def _kept(self, at: int) -> np.ndarray:
        """The columns of a front that a plan may choose."""
        front, columns = self.turn.fronts[at], self.found[at]
        some = columns.numbers.any(axis=1)
        fine = columns.chance >= front.min_odds - ALIKE
        allowed = fine if front.hold else fine | ~some
        if self.objective != "worth":
            aim = self.counted(at)
            if aim:
                allowed = some & fine & (columns.chance > 0)
            elif not front.hold:
                allowed = ~some
            elif front.table.min_odds is None:
                allowed = np.ones(len(some), bool)
        # Who does not leave a place that is a hold defends it: none of its columns can be spared.
        forced = any(one.home >= 0 and (one.reaches[one.home] & front.reaches.any(axis=0)).any() for one in self.turn.fronts)
        chosen = np.flatnonzero(allowed)
        if self.whole or forced or not len(chosen):
            return chosen
        value = columns.worth if self.objective == "worth" else columns.chance
        return chosen[undominated(columns.numbers[chosen], value[chosen])]

    def _values(self, name: str) -> list[np.ndarray]:
        """The value of each column for an objective, 0 for fronts that do not count."""
        if name == "worth":
            return [columns.worth for columns in self.found]
        if name == "cheapest":
            return [np.zeros(len(columns)) for columns in self.found]
        with np.errstate(divide="ignore"):
            return [
                np.log(columns.chance) if self.counted(at) and self.objective != "worth" else np.zeros(len(columns))
                for at, columns in enumerate(self.found)
            ]

    def _over_columns(self, values: Sequence[np.ndarray]) -> np.ndarray:
        """Coefficients of all variables from a value for each column."""
        return np.concatenate([*(one[kept] for one, kept in zip(values, self.kept, strict=True)), np.zeros(len(self.routes))])

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
            for piece in np.flatnonzero(self.turn.fronts[at].reaches.any(axis=0)):
                brought = np.zeros(self.size)
                brought[self.first[at] : self.first[at + 1]] = self.found[at].numbers[kept, piece]
                for number, route in enumerate(self.routes, start=int(self.first[-1])):
                    brought[number] -= route[1:] == (at, piece)
                yield Row(brought, 0, 0)
        homes = {front.home: at for at, front in enumerate(self.turn.fronts) if front.home >= 0}
        for place, piece in sorted({(place, piece) for place, _, piece in self.routes}):
            whole, leaving = np.zeros(self.size), np.zeros(self.size)
            defends = False
            for number, (start, front, one) in enumerate(self.routes, start=int(self.first[-1])):
                if (start, one) == (place, piece):
                    whole[number] = 1
                    leaving[number] = homes.get(place) != front
                    defends |= homes.get(place) == front
            most = stock.here[place, piece]
            yield Row(whole, most if defends else 0, most)
            yield Row(leaving, 0, stock.leaving[place, piece])
        for at in stock.alone:
            coming = np.zeros(self.size)
            for number, (place, front, _) in enumerate(self.routes, start=int(self.first[-1])):
                coming[number] = front == at and self.turn.fronts[at].home != place
            yield Row(coming, 0, 0)

    def best_value(self, stock: Stock) -> float | None:
        """The largest value (the least price) of any division; None without a division."""
        solution = self._solve(self._aim, list(self.rows(stock)))
        return None if solution is None else self._worth_of(solution)

    @property
    def _aim(self) -> np.ndarray:
        """The coefficients that are made as large as possible."""
        return -self.price if self.objective == "cheapest" else self.value

    def _worth_of(self, solution: np.ndarray) -> float:
        """The exact value of a solution."""
        if self.objective == "cheapest":
            return float(self.price @ solution)
        chosen = self._columns_of(solution)
        if self.objective == "worth":
            return float(sum(one.worth[at] for one, at in zip(self.found, chosen, strict=True)))
        return float(np.prod([self.found[at].chance[chosen[at]] for at in self.turn.aims]))

    def best(self, stock: Stock, but: Sequence[Row] = ()) -> Choice | None:
        """The division that section 3.3 chooses among those that obey further constraints; None without any."""
        rows = [*self.rows(stock), *but]
        solution = self._solve(self._aim, rows)
        if solution is None:
            return None
        value = self._worth_of(solution)
        if self.objective == "worth":
            rows.append(Row(self.value * SCALE, (value - EQUAL) * SCALE, np.inf))
        elif self.objective == "all":
            rows.append(self._chance_at_least(value - EQUAL))
        else:
            rows.append(Row(self.price, -np.inf, value + SAME_PRICE))
            solution = self._again(solution, self.chance, rows)
            reached = np.exp(self.chance @ solution)
            rows.append(self._chance_at_least(float(reached) - EQUAL))
        for cost in (self.pieces, self.price):
            solution = self._again(solution, -cost, rows)
            rows.append(Row(cost, -np.inf, float(cost @ solution) + SAME_PRICE))
        solution = self._first_in_order(solution, rows)
        sent = np.zeros((len(self.turn.places), len(self.found), len(self.turn.pieces)), np.int64)
        for number, route in enumerate(self.routes, start=int(self.first[-1])):
            sent[route] = solution[number]
        return Choice(self._columns_of(solution), sent, self._worth_of(solution))

    def _chance_at_least(self, chance: float) -> Row:
        return Row(self.chance * SCALE, log(chance) * SCALE if chance > 0 else -np.inf, np.inf)

    def _again(self, solution: np.ndarray, aim: np.ndarray, rows: list[Row]) -> np.ndarray:
        """The best solution for another aim; this one where HiGHS finds none within its tolerances."""
        found = self._solve(aim, rows)
        return solution if found is None or aim @ found < aim @ solution else found

    def _first_in_order(self, solution: np.ndarray, rows: list[Row]) -> np.ndarray:
        """Of equal divisions, the one whose numbers are largest front by front, place by place, piece by piece."""
        fixed = rows
        other = self._solve(np.zeros(self.size), [*rows, self.without_columns(self._columns_of(solution))])
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

    def without_columns(self, columns: Sequence[int]) -> Row:
        """Another column on some front."""
        return Row(self._at_columns(columns), -np.inf, len(columns) - 1)

    def other_fronts(self, choice: Choice) -> Row:
        """Other targets are attacked, or other holds are defended."""
        found, most = np.zeros(self.size), -1.0
        for at, (kept, columns) in enumerate(zip(self.kept, self.found, strict=True)):
            some = columns.numbers[kept].any(axis=1)
            active = columns.numbers[choice.columns[at]].any()
            found[self.first[at] : self.first[at + 1]] = np.where(some == active, 1, 0)
            most += 1
        return Row(found, -np.inf, most)

    def next_best(self, stock: Stock, best: Choice, number: int, differ: str) -> Iterator[Choice]:
        """The best division that differs from the best one, then the best that differs from both, and so on."""
        found = best
        rows: list[Row] = []
        for _ in range(number):
            rows.append(self.without_columns(found.columns) if differ == "pieces" else self.other_fronts(found))
            another = self.best(stock, rows)
            if another is None:
                return
            found = another
            yield found

    def leaving_alone(self, front: int) -> Row:
        """No attack on a target."""
        found = np.zeros(self.size)
        some = self.found[front].numbers[self.kept[front]].any(axis=1)
        found[self.first[front] : self.first[front + 1]] = some
        return Row(found, 0, 0)

    def best_without(self, stock: Stock, front: int) -> float | None:
        """The largest value without attacks on a target, or without anybody who comes to a hold."""
        if self.turn.fronts[front].hold:
            return self.best_value(replace(stock, alone=(front,)))
        solution = self._solve(self._aim, [*self.rows(stock), self.leaving_alone(front)])
        return None if solution is None else self._worth_of(solution)

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
