"""The best division of pieces, the next best ones and the worth of a piece (docs/rules/plan.md sections 3.3 and 4).

The relaxation of the integer programme leaves few ways to choose columns, which are listed. HiGHS solves the programme
where they are too many, and decides between equal divisions where pieces that stay at home defend a hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from math import exp, log, prod
from typing import TypeVar

import numpy as np

from simulator.analysis.plan.choices import EQUAL, Division, away, first_in_order
from simulator.analysis.plan.formulation import SCALE, Formulation, total
from simulator.analysis.plan.relaxed import Constraints, Limits, Relaxed, Stock, limits_of
from simulator.rules.toolkit.tolerances import ALIKE

# The first search takes columns whose loss is at most this part of the bound.
FIRST_PART = 1e-5
# The factor by which the next search allows a larger loss.
MORE = 2
# Up to this many ways to choose columns are all listed: importing SciPy and solving a linear programme take longer.
FEW_WAYS = 200_000


@dataclass
class BestWays:
    """The largest `aim`, the variables that a division with it uses (`best`), and those that any equal division may use
    (`usable`): bool, shape (variables,). `ways`: all equal ways to choose columns, int64, shape (ways, fronts), if they
    were listed.
    """

    aim: float
    best: np.ndarray
    usable: np.ndarray
    ways: np.ndarray | None = None


@dataclass(eq=False)
class Branch:
    """The divisions that use only the `allowed` variables (bool): none has a larger aim than `bound`, and once it is
    searched one has that. `relaxed` and `found`: their relaxation and the best of them, once they are needed.
    """

    allowed: np.ndarray
    bound: float
    relaxed: Relaxed | None = None
    found: BestWays | None = None


T = TypeVar("T", float, np.ndarray)


class Programme(Formulation):
    """The search for the divisions of a turn."""

    def _search(
        self, stock: Stock, allowed: np.ndarray, constraints: Constraints, relaxed: Relaxed | None = None
    ) -> BestWays | None:
        """The best division that uses only these variables, and those equal to it; None without any.

        The relaxation gives how much less than its bound any division with a column is. So it is enough to look at the
        columns that lose no more than the best division found among them.
        """
        relaxed = relaxed or self._relaxed(constraints, allowed)
        if relaxed is None:
            return None
        if self.known:
            self.known.bound = self._value_of_aim(relaxed.bound)
        routes = [route for at, route in enumerate(self.routes, start=int(self.first[-1])) if allowed[at]]
        limits = list(limits_of(self.turn, stock, routes))
        within = relaxed.most_loss() if self._few else max(FIRST_PART * abs(relaxed.bound), EQUAL)
        needed = np.inf
        equal = self._equal_within(relaxed.bound)
        while True:
            ways = self._ways(relaxed, within, limits, constraints, equal)
            among = allowed & (relaxed.loss <= within)
            found = self._best_of_ways(ways) if ways is not None else self._best_among(among, constraints)
            if found:
                if self.known and not self._few:
                    self._know(found, constraints)
                needed = min(relaxed.bound - self._least_equal(found.aim), relaxed.most_loss())
                if needed <= within and (ways is None or self._equal_within(found.aim) <= equal):
                    if ways is None:
                        found.usable = allowed & (relaxed.loss <= needed)
                    return found
                equal = self._equal_within(found.aim)
            elif within >= relaxed.most_loss():
                return None
            within = min(needed, within * MORE)

    def _know(self, found: BestWays, constraints: Constraints) -> None:
        """Keep a division that was found, in case the search for a better one is interrupted."""
        solution = self._solve(self._aim, constraints, found.best)
        if self.known and solution is not None:
            self.known.better(self._choice(solution), self.objective == "cheapest")

    @property
    def _few(self) -> bool:
        """Are there so few ways to choose columns that none of them needs to be passed over?"""
        return prod(map(len, self.kept)) <= FEW_WAYS

    def _relaxed(self, constraints: Constraints, allowed: np.ndarray) -> Relaxed | None:
        """The relaxation of the divisions that use only these variables; None where even that has no solution."""
        if self._few:
            return Relaxed.priced(self._aim, self.first, np.where(allowed, self._aim, -np.inf), 0.0)
        return Relaxed.of(self._aim, constraints, self.first, allowed, self.begin)

    def _best_of_ways(self, ways: np.ndarray) -> BestWays | None:
        """The best of these ways to choose columns; None without any."""
        if not len(ways):
            return None
        aims = self._aim[ways].sum(axis=1)
        best = int(aims.argmax())
        equal = aims >= self._least_equal(float(aims[best]))
        return BestWays(float(aims[best]), self._with_columns(ways[best]), self._with_columns(ways[equal]), ways[equal])

    def _best_among(self, among: np.ndarray, constraints: Constraints) -> BestWays | None:
        """The best division that uses only these variables; None without any."""
        solution = self._solve(self._aim, constraints, among)
        if solution is None:
            return None
        columns = self._with_columns(np.flatnonzero(solution[: self.first[-1]]))
        return BestWays(total(self._aim, solution), columns, among)

    def _ways(
        self, relaxed: Relaxed, within: float, limits: Limits, constraints: Constraints, equal: float
    ) -> np.ndarray | None:
        """The ways to choose columns that lose at most this much and can be brought: int64, shape (ways, fronts); all
        whose aim is less than the best one's by at most `equal` are there. None for too many, and where the value is
        not that of the columns.
        """
        if self.objective == "cheapest" and self.homes:
            return None
        # Further constraints are those that exclude a way each.
        ways = relaxed.together(within, self._numbers, limits, equal, len(constraints.more))
        if ways is None:
            return None
        for at, chosen in enumerate(constraints.more, start=len(constraints.low) - len(constraints.more)):
            sums = chosen[ways].sum(axis=1)
            ways = ways[(sums >= constraints.low[at]) & (sums <= constraints.high[at])]
        return ways

    def _equal_within(self, value: float) -> float:
        """At least the amount by which an aim that equals this one may be less, rounding included."""
        return 2 * (value - self._least_equal(value))

    def _least_equal(self, value: float) -> float:
        """The least value of the aim that equals this one."""
        if self.objective == "cheapest":
            return value - ALIKE
        if self.objective == "worth":
            return value - 2 * EQUAL
        return log(exp(value) - 2 * EQUAL) if exp(value) > 2 * EQUAL else -np.inf

    @cached_property
    def _aim(self) -> np.ndarray:
        """The coefficients that are made as large as possible."""
        if self.objective != "cheapest":
            return self.value
        if self.homes:
            return -self.price
        return -self._over_columns([(one.numbers * self.turn.price).sum(axis=1) for one in self.found])

    def best(self) -> Division | None:
        """The division that section 3.3 chooses; None without any."""
        return self._best_with(self.constraints(self.stock))

    def _best_with(self, constraints: Constraints) -> Division | None:
        """As `best`, of the divisions that obey these constraints."""
        found = self._search(self.stock, np.ones(self.size, bool), constraints)
        return None if found is None else self._first_equal(found, constraints)

    def _value_of_aim(self, aim: T) -> T:
        """The worth, the chance or the price that a value of the aim stands for."""
        return -aim if self.objective == "cheapest" else aim if self.objective == "worth" else np.exp(aim)

    def _first_equal(self, found: BestWays, constraints: Constraints, largest: float = -np.inf) -> Division:
        """Of the equal divisions that were found, the one that section 3.3 chooses. `largest`: the aim that they are
        equal to, if that is not their own.
        """
        if found.ways is not None and not self.homes:
            return self._first_way(found.ways, max(largest, found.aim))
        among, value = found.usable, self._value_of_aim(max(largest, found.aim))
        solution = self._solve(self._aim, constraints, found.best)
        assert solution is not None
        if self.objective == "worth":
            constraints = constraints.also(self.value * SCALE, (value - EQUAL) * SCALE, np.inf)
        elif self.objective == "all":
            constraints = self._chance_at_least(value - EQUAL, constraints)
        else:
            constraints = constraints.also(self.price, -np.inf, value + ALIKE)
            solution = self._again(solution, self.chance, constraints, among)
            constraints = self._chance_at_least(exp(total(self.chance, solution)) - EQUAL, constraints)
        for cost in (self.pieces, self.price):
            solution = self._again(solution, -cost, constraints, among)
            constraints = constraints.also(cost, -np.inf, total(cost, solution) + ALIKE)
        return self._choice(self._first_in_order(solution, constraints, among))

    def _first_way(self, ways: np.ndarray, largest: float) -> Division:
        """As `_first_equal`, of these ways to choose columns, whose pieces all leave their places."""
        values = self._value_of_aim(self._aim[ways].sum(axis=1))
        least = self._value_of_aim(largest) - EQUAL
        ways = ways[values >= least] if self.objective != "cheapest" else ways
        chances = np.exp(self.chance[ways].sum(axis=1))
        ways = ways[chances >= chances.max() - EQUAL] if self.objective == "cheapest" else ways
        wanted = self._numbers.T[ways].astype(np.int64)
        pieces = wanted.sum(axis=(1, 2))
        price = np.where(pieces == pieces.min(), (wanted * self.turn.price).sum(axis=(1, 2)), np.inf)
        equal = price <= price.min() + ALIKE
        reaches = np.array([front.reaches for front in self.turn.fronts])
        way, sent = first_in_order(self.stock.leaving, reaches, wanted[equal])
        columns = ways[equal][way] - self.first[:-1]
        return self.choices.choice([int(kept[at]) for kept, at in zip(self.kept, columns, strict=True)], sent)

    def _chance_at_least(self, chance: float, constraints: Constraints) -> Constraints:
        return constraints.also(self.chance * SCALE, log(chance) * SCALE if chance > 0 else -np.inf, np.inf)

    def _again(self, solution: np.ndarray, aim: np.ndarray, constraints: Constraints, among: np.ndarray) -> np.ndarray:
        """The best solution for another aim; this one where HiGHS finds none within its tolerances."""
        found = self._solve(aim, constraints, among)
        return solution if found is None or total(aim, found) < total(aim, solution) else found

    def _first_in_order(self, solution: np.ndarray, constraints: Constraints, among: np.ndarray) -> np.ndarray:
        """Of equal divisions, the one whose numbers are largest front by front, place by place, piece by piece."""
        chosen, fronts = self._at_columns(self._columns_of(solution)), len(self.found)
        other = self._solve(np.zeros(self.size), constraints.also(chosen, -np.inf, fronts - 1), among)
        if other is None:  # the columns are these: only the places that send them are left to choose
            constraints = constraints.also(chosen, fronts, fronts)
        for route in sorted(self.routes, key=lambda route: (route[1], route[0], route[2])):
            aim = np.zeros(self.size)
            aim[int(self.first[-1]) + self.routes.index(route)] = 1
            now = total(aim, solution)
            if other is not None or now < min(self._brought(solution, route), self.turn.here[route[0], route[2]]):
                solution = self._again(solution, aim, constraints, among)
            constraints = constraints.also(aim, now := total(aim, solution), now)
        return solution

    def next_best(self, best: Division, number: int, differ: str) -> Iterator[Division]:
        """The best division that differs from the best one, then the best that differs from both, and so on."""
        yield from self._other_pieces(best, number) if differ == "pieces" else self._other_fronts(best, number)

    def _other_pieces(self, best: Division, number: int) -> Iterator[Division]:
        """As `next_best`: some front gets other numbers of pieces."""
        constraints, found = self.constraints(self.stock), best
        for _ in range(number):
            constraints = constraints.also(self._at_columns(found.columns), -np.inf, len(self.found) - 1)
            another = self._best_with(constraints)
            if another is None:
                return
            found = another
            yield found

    def _other_fronts(self, best: Division, number: int) -> Iterator[Division]:
        """As `next_best`: other targets are attacked, or other holds are defended.

        All other divisions are parted by the first front on which they differ (Lawler, Management Science 18, 1972).
        """
        constraints, everything = self.constraints(self.stock), np.ones(self.size, bool)
        parts, choice, parent = list[Branch](), best, Branch(everything, np.inf, self._relaxed(constraints, everything))
        for _ in range(number):
            assert parent.relaxed
            for allowed in self._parts(parent.allowed, choice):
                parts.append(Branch(allowed, parent.relaxed.bound_of(allowed)))
            self._search_best(parts, constraints)
            if not parts:
                return
            largest = max(part.bound for part in parts)
            equal = [part for part in parts if part.found and part.bound >= largest - EQUAL]
            found = [(self._first_equal(part.found, constraints, largest), part) for part in equal if part.found]
            choice, parent = min(found, key=lambda one: self._order(one[0]))
            parts = [part for part in parts if part is not parent]
            yield choice

    def _search_best(self, parts: list[Branch], constraints: Constraints) -> None:
        """Search the parts that may hold the best division, or an equal one, and drop those without any."""
        while True:
            known = max((part.bound for part in parts if part.found), default=-np.inf) - EQUAL
            open_parts = [part for part in parts if not part.found and part.bound >= known]
            if not open_parts:
                return
            part = max(open_parts, key=lambda part: part.bound)
            if part.relaxed:
                part.found = self._search(self.stock, part.allowed, constraints, part.relaxed)
                part.bound = part.found.aim if part.found else -np.inf
            else:
                part.relaxed = self._relaxed(constraints, part.allowed)
                part.bound = part.relaxed.bound if part.relaxed else -np.inf
            if part.bound == -np.inf:
                parts[:] = [one for one in parts if one is not part]

    def _parts(self, allowed: np.ndarray, choice: Division) -> Iterator[np.ndarray]:
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

    def _order(self, choice: Division) -> tuple[int, float, list[int]]:
        """Of equal divisions, the first in this order is chosen (section 3.3)."""
        sent = away(self.turn, choice.sent)
        return int(sent.sum()), round(float(sent @ self.turn.price), 9), (-choice.sent.swapaxes(0, 1)).ravel().tolist()

    def value_with(self, place: int, piece: int, more: int) -> float:
        """The largest value with one more (1) or one fewer (-1) of a piece in a place; 0 without a plan."""
        one = np.zeros_like(self.stock.here)
        one[place, piece] = more
        stock = Stock(self.stock.here + one, self.stock.leaving + one)
        return self._largest_value(stock, np.ones(self.size, bool)) or 0.0

    def largest(self) -> float:
        """The largest value of all; 0 without a plan."""
        return self._largest_value(self.stock, np.ones(self.size, bool)) or 0.0

    def _largest_value(self, stock: Stock, allowed: np.ndarray) -> float | None:
        """The largest value of any division that uses only these variables; None without one."""
        found = self._search(stock, allowed, self.constraints(stock))
        return None if found is None else self._value_of_aim(found.aim)

    def best_without(self, front: int) -> float | None:
        """The largest value without attacks on a target, or without pieces that come to a hold from elsewhere."""
        allowed = np.ones(self.size, bool)
        if not self.turn.fronts[front].hold:
            here = slice(self.first[front], self.first[front + 1])
            allowed[here] = ~self.found[front].numbers[self.kept[front]].any(axis=1)
        for number, (place, at, _) in enumerate(self.routes, start=int(self.first[-1])):
            allowed[number] = at != front or self.turn.fronts[front].home == place
        return self._largest_value(self.stock, allowed)
