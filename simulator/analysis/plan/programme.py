"""The best division of pieces as an integer programme, which HiGHS solves (docs/rules/plan.md sections 3.3 and 3.4).

A variable for each column is 1 if it is chosen; another one holds the pieces of a kind that go from a place to a front.
It serves where tables do not: places that are holds, and too many classes of pieces.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import exp, log

import numpy as np

from simulator.analysis.plan.choices import EQUAL, SAME_PRICE, Choice, Choices, away
from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.first_plan import Known, aim_with
from simulator.analysis.plan.highs import solved
from simulator.analysis.plan.relaxed import Relaxed, Row, Stock, constraints_of, limits_of
from simulator.analysis.plan.turn import Turn

# HiGHS stops within gaps of 1e-6: values are scaled so that this is less than a rounding error of a plan.
SCALE = 1e4
# Of the largest value there could be, the part by which a plan may be less when it is sought for the first time.
FIRST_PART = 1e-5
# It may be so many times as much less if that was not enough.
MORE = 2.0


@dataclass(eq=False)
class Branch:
    """The divisions that use only the `allowed` variables (bool): none has a larger aim than `bound`, and once it is
    `solved` one has that.
    """

    allowed: np.ndarray
    bound: float
    solved: bool = False


class Programme:
    """The integer programme of a turn."""

    def __init__(self, turn: Turn, found: Sequence[Columns], whole: bool = False) -> None:
        """`whole`: keep columns that only a plan with other pieces would choose."""
        self.turn, self.found = turn, found
        self.choices = Choices(turn, found, whole)
        # The best division found, in case the search for the best one is interrupted.
        self.known: Known | None = None
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

    def _best_value(self, stock: Stock, allowed: np.ndarray) -> float | None:
        """The largest value (the least price) of any division that uses only these variables; None without one."""
        found = self._most(stock, allowed, list(self.rows(stock)))
        return None if found is None else self._choice(found[0]).value

    def _most(
        self, stock: Stock, allowed: np.ndarray, rows: Sequence[Row], near: float = -np.inf
    ) -> tuple[np.ndarray, np.ndarray] | None:
        """A solution with the largest aim, and the variables that any division equal to it may use (bool); None without
        a solution. `near`: the aim of a division that is likely to exist, where one is known.

        The relaxation tells how much less than its bound any division with a column is. So it is enough to look at the
        columns that lose no more than the best division found among them.
        """
        if any(not len(kept) for kept in self.kept):
            return None
        relaxed = Relaxed.of(self._aim, rows, self.first, allowed, self.begin)
        if relaxed is None:
            return None
        if self.known:
            self.known.bound = self._value_of_aim(relaxed.bound)
        within, needed = max(FIRST_PART * abs(relaxed.bound), EQUAL), np.inf
        if near > -np.inf:
            within = max(within, relaxed.bound - self._least_equal(near))
        while True:
            among = allowed & (relaxed.loss <= within)
            ways = self._ways(relaxed, stock, allowed, within, rows)
            solution = self._solved_among(among, ways, rows)
            if solution is not None:
                if self.known:
                    self.known.better(self._choice(solution), self.objective == "cheapest")
                needed = relaxed.bound - self._least_equal(float(self._aim @ solution))
                if needed <= within:
                    usable = allowed & (relaxed.loss <= needed)
                    ways = self._ways(relaxed, stock, allowed, needed, rows) if ways is None else ways
                    if ways is not None:
                        value = self._aim[ways].sum(axis=1)
                        usable &= self._with_columns(ways[value >= relaxed.bound - needed])
                    return solution, usable
            elif (among == allowed).all():
                return None
            within = min(needed, MORE * within)

    def _solved_among(self, among: np.ndarray, ways: np.ndarray | None, rows: Sequence[Row]) -> np.ndarray | None:
        """A solution with the largest aim that uses only these variables; `ways` are all that it may be, best first."""
        if ways is not None and not len(ways):
            return None
        if ways is not None:
            solution = self._solve(self._aim, rows, among & self._with_columns(ways[:1]))
            if solution is not None:
                return solution
        return self._solve(self._aim, rows, among)

    def _ways(
        self, relaxed: Relaxed, stock: Stock, allowed: np.ndarray, within: float, rows: Sequence[Row]
    ) -> np.ndarray | None:
        """All ways to choose columns that lose at most so much and can be brought, best first: int64, shape (ways,
        fronts). None for too many, and where the value is not that of the columns.
        """
        if self.objective == "cheapest":
            return None
        numbers = np.concatenate([self.found[at].numbers[kept] for at, kept in enumerate(self.kept)]).T.astype(np.int16)
        routes = [route for at, route in enumerate(self.routes, start=int(self.first[-1])) if allowed[at]]
        ways = relaxed.together(self.first, within, numbers, list(limits_of(self.turn, stock, routes)))
        if ways is None:
            return None
        for row in rows:
            if not row.coefficients[self.first[-1] :].any():
                total = row.coefficients[ways].sum(axis=1)
                ways = ways[(total >= row.low) & (total <= row.high)]
        return np.asarray(ways[np.argsort(-self._aim[ways].sum(axis=1), kind="stable")])

    def _least_equal(self, value: float) -> float:
        """The least value of the aim that equals this one."""
        if self.objective == "cheapest":
            return value - SAME_PRICE
        if self.objective == "worth":
            return value - 2 * EQUAL
        return log(exp(value) - 2 * EQUAL) if exp(value) > 2 * EQUAL else -np.inf

    @property
    def _aim(self) -> np.ndarray:
        """The coefficients that are made as large as possible."""
        return -self.price if self.objective == "cheapest" else self.value

    def best(self, *but: Row) -> Choice | None:
        """The division that section 3.3 chooses among those that obey further constraints; None without any."""
        return self._best_among(np.ones(self.size, bool), *but)

    def _value_of_aim(self, aim: float) -> float:
        """The worth, the chance or the price that a value of the aim stands for."""
        return -aim if self.objective == "cheapest" else aim if self.objective == "worth" else exp(min(aim, 0.0))

    def _best_among(self, allowed: np.ndarray, *but: Row) -> Choice | None:
        """As `best`, of the divisions that use only these variables (bool)."""
        rows = [*self.rows(self.stock), *but]
        found = self._most(self.stock, allowed, rows)
        if found is None:
            return None
        solution, among = found
        value = self._choice(solution).value
        if self.objective == "worth":
            rows.append(Row(self.value * SCALE, (value - EQUAL) * SCALE, np.inf))
        elif self.objective == "all":
            rows.append(self._chance_at_least(value - EQUAL))
        else:
            rows.append(Row(self.price, -np.inf, value + SAME_PRICE))
            solution = self._again(solution, self.chance, rows, among)
            rows.append(self._chance_at_least(float(np.exp(self.chance @ solution)) - EQUAL))
        for cost in (self.pieces, self.price):
            solution = self._again(solution, -cost, rows, among)
            rows.append(Row(cost, -np.inf, float(cost @ solution) + SAME_PRICE))
        return self._choice(self._first_in_order(solution, rows, among))

    def _choice(self, solution: np.ndarray) -> Choice:
        """A solution as a division."""
        sent = np.zeros((len(self.turn.places), len(self.found), len(self.turn.pieces)), np.int64)
        for number, route in enumerate(self.routes, start=int(self.first[-1])):
            sent[route] = solution[number]
        return self.choices.choice(self._columns_of(solution), sent)

    def _chance_at_least(self, chance: float) -> Row:
        return Row(self.chance * SCALE, log(chance) * SCALE if chance > 0 else -np.inf, np.inf)

    def _again(self, solution: np.ndarray, aim: np.ndarray, rows: list[Row], among: np.ndarray) -> np.ndarray:
        """The best solution for another aim; this one where HiGHS finds none within its tolerances."""
        found = self._solve(aim, rows, among)
        return solution if found is None or aim @ found < aim @ solution else found

    def _first_in_order(self, solution: np.ndarray, rows: list[Row], among: np.ndarray) -> np.ndarray:
        """Of equal divisions, the one whose numbers are largest front by front, place by place, piece by piece."""
        fixed = rows
        others = [*rows, self._without_columns(self._columns_of(solution))]
        other = self._solve(np.zeros(self.size), others, among)
        if other is None:  # the columns are these: only the places that send them are left to choose
            fixed = [*rows, Row(self._at_columns(self._columns_of(solution)), len(self.found), len(self.found))]
        for route in sorted(self.routes, key=lambda route: (route[1], route[0], route[2])):
            aim = np.zeros(self.size)
            aim[int(self.first[-1]) + self.routes.index(route)] = 1
            now = aim @ solution
            if other is not None or now < min(self._brought(solution, route), self.turn.here[route[0], route[2]]):
                solution = self._again(solution, aim, fixed, among)
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

    def _without_columns(self, columns: Sequence[int]) -> Row:
        """Another column on some front."""
        return Row(self._at_columns(columns), -np.inf, len(columns) - 1)

    def next_best(self, best: Choice, number: int, differ: str) -> Iterator[Choice]:
        """The best division that differs from the best one, then the best that differs from both, and so on."""
        yield from self._other_pieces(best, number) if differ == "pieces" else self._other_fronts(best, number)

    def _other_pieces(self, best: Choice, number: int) -> Iterator[Choice]:
        """As `next_best`: some front gets other numbers of pieces."""
        rows, found = list[Row](), best
        for _ in range(number):
            rows.append(self._without_columns(found.columns))
            another = self.best(*rows)
            if another is None:
                return
            found = another
            yield found

    def _other_fronts(self, best: Choice, number: int) -> Iterator[Choice]:
        """As `next_best`: other targets are attacked, or other holds are defended.

        All other divisions are parted by the first front on which they differ (Lawler, Management Science 18, 1972).
        """
        # A part is solved (its bound is then its largest value) once no part that is solved is known to be better.
        parts, choice, allowed = list[Branch](), best, np.ones(self.size, bool)
        for _ in range(number):
            for part in self._parts(allowed, choice):
                relaxed = Relaxed.of(self._aim, list(self.rows(self.stock)), self.first, part, self.begin)
                parts += [] if relaxed is None else [Branch(part, relaxed.bound)]
            self._solve_best(parts)
            if not parts:
                return
            least = max(part.bound for part in parts) - EQUAL
            row = Row(self.value * SCALE, least * SCALE, np.inf)
            near = [at for at, part in enumerate(parts) if part.bound >= least]
            found = [(one, at) for at in near if (one := self._best_among(parts[at].allowed, row)) is not None]
            choice, at = min(found, key=lambda one: self._order(one[0]))
            allowed = parts.pop(at).allowed
            yield choice

    def _solve_best(self, parts: list[Branch]) -> None:
        """Solve the parts that may hold the best division, or an equal one, and drop those without any."""
        while True:
            known = max((part.bound for part in parts if part.solved), default=-np.inf) - EQUAL
            open_parts = [part for part in parts if not part.solved and part.bound >= known]
            if not open_parts:
                return
            part = max(open_parts, key=lambda part: part.bound)
            value = self._best_value(self.stock, part.allowed)
            if value is None:
                parts[:] = [one for one in parts if one is not part]
            else:
                part.bound, part.solved = value, True

    def _parts(self, allowed: np.ndarray, choice: Choice) -> Iterator[np.ndarray]:
        """The variables (bool) of the divisions that first differ from one of them on each front in turn."""
        same = allowed.copy()
        for at, (kept, columns) in enumerate(zip(self.kept, self.found, strict=True)):
            here = slice(self.first[at], self.first[at + 1])
            some = np.asarray(columns.numbers.any(axis=1))
            alike = some[kept] == some[choice.columns[at]]
            other = same.copy()
            other[here] &= ~alike
            same[here] &= alike
            if other[here].any():
                yield other

    def _order(self, choice: Choice) -> tuple[int, float, list[int]]:
        """Of equal divisions, the first in this order is chosen (section 3.3)."""
        sent = away(self.turn, choice.sent)
        return int(sent.sum()), round(float(sent @ self.turn.price), 9), (-choice.sent.swapaxes(0, 1)).ravel().tolist()

    def value_with(self, place: int, piece: int, more: int) -> float:
        """The largest value with one more (1) or one fewer (-1) of a piece in a place; 0 without a plan."""
        one = np.zeros_like(self.stock.here)
        one[place, piece] = more
        stock = Stock(self.stock.here + one, self.stock.leaving + one)
        near = -np.inf if self._largest is None else aim_with(self.choices, self._largest, place, piece, more)
        found = self._most(stock, np.ones(self.size, bool), list(self.rows(stock)), near)
        return 0.0 if found is None else self._choice(found[0]).value

    @cached_property
    def _largest(self) -> Choice | None:
        """A division with the largest value; None without any."""
        found = self._most(self.stock, np.ones(self.size, bool), list(self.rows(self.stock)))
        return None if found is None else self._choice(found[0])

    def largest(self) -> float:
        """The largest value of all; 0 without a plan."""
        return 0.0 if self._largest is None else self._largest.value

    def best_without(self, front: int) -> float | None:
        """The largest value without attacks on a target, or without anybody who comes to a hold from elsewhere."""
        allowed = np.ones(self.size, bool)
        if not self.turn.fronts[front].hold:
            here = slice(self.first[front], self.first[front + 1])
            allowed[here] = ~self.found[front].numbers[self.kept[front]].any(axis=1)
        for number, (place, at, _) in enumerate(self.routes, start=int(self.first[-1])):
            allowed[number] = at != front or self.turn.fronts[front].home == place
        return self._best_value(self.stock, allowed)

    def _solve(self, aim: np.ndarray, rows: Sequence[Row], among: np.ndarray) -> np.ndarray | None:
        """A solution with the largest `aim`, in whole numbers, that uses only these variables; None without one."""
        from scipy.optimize import Bounds

        high = np.concatenate([np.ones(self.first[-1]), np.full(len(self.routes), np.inf)])
        found = solved(
            "milp", c=-aim[among] * SCALE, constraints=constraints_of(rows, among), bounds=Bounds(0, high[among]),
            integrality=np.ones(among.sum()), options={"mip_rel_gap": 0},
        )  # fmt: skip
        if found.x is None:
            return None
        solution = np.zeros(self.size)
        solution[among] = np.rint(found.x)
        return solution
