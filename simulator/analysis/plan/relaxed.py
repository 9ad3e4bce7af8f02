"""The relaxation of an integer programme: how good a division can be, and how much worse each column makes it.

By the duality of linear programmes any prices of the constraints give an upper bound; a column that is chosen lowers it
by its reduced cost (Dantzig, Fulkerson and Johnson, Operations Research 2, 1954). So a column whose loss is more than
the bound less the value of a known division is in no better one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, combinations, pairwise
from typing import Any

import numpy as np

from simulator.analysis.plan.highs import solved
from simulator.analysis.plan.turn import Turn
from simulator.rules.toolkit.tolerances import ALIKE

# Ways to choose a column of each front that are listed at once.
MOST_WAYS = 2_000_000
# The columns of each front in the first linear programme, and the most that are added to it at once.
AT_FIRST, AT_ONCE = 60, 30
# Groups of fronts, a piece, and the fewest and the most of it that come to all of a group together.
Limits = Sequence[tuple[tuple[int, ...], int, int, int]]


@dataclass(frozen=True)
class Stock:
    """The pieces of each place, and those that may leave it: int64, shape (places, pieces)."""

    here: np.ndarray
    leaving: np.ndarray


@dataclass(frozen=True)
class Constraints:
    """Linear constraints: `base` gives the coefficients of all variables (sparse, shape (constraints, variables)) when
    they are needed, since SciPy takes longer to import than a small plan; `more`: those of further constraints; bounds
    of all of them, float64, shape (constraints,).
    """

    base: Callable[[], Any]
    low: np.ndarray
    high: np.ndarray
    more: tuple[np.ndarray, ...] = ()

    @cached_property
    def matrix(self) -> Any:
        """All coefficients: sparse, shape (constraints, variables)."""
        from scipy.sparse import csr_array, vstack

        return vstack([self.base(), csr_array(np.array(self.more))], format="csr") if self.more else self.base()

    def also(self, coefficients: np.ndarray, low: float, high: float) -> Constraints:
        """These constraints and one more."""
        return Constraints(self.base, np.append(self.low, low), np.append(self.high, high), (*self.more, coefficients))


@dataclass
class Relaxed:
    """`bound`: no division has a larger aim. `loss`: a division with a column has at most `bound` less this, float64,
    shape (variables,); 0 for variables that are no columns. `aim`, `first`: see `of`.
    """

    bound: float
    loss: np.ndarray
    aim: np.ndarray
    first: np.ndarray

    @staticmethod
    def of(
        aim: np.ndarray, constraints: Constraints, first: np.ndarray, allowed: np.ndarray, begin: np.ndarray
    ) -> Relaxed | None:
        """The relaxation of a programme; None where even that has no solution.

        `aim`: coefficients, float64, shape (variables,). `first`: the first column of each front, of which one is
        chosen, and the first variable that is no column. `allowed`: the variables that may be used, bool. `begin`: the
        columns to begin with, bool; those that an earlier relaxation needed save time. Needed ones are added, in place.

        Most columns are in no solution: those that the prices so far find too good are added until there is none
        (column generation: Dantzig and Wolfe, Operations Research 8, 1960).
        """
        low, high = constraints.low, constraints.high
        among = allowed & (begin | _some(first, allowed))
        while True:
            prices = _prices(aim, constraints, among)
            if prices is None and (among == allowed).all():
                return None
            if prices is None:  # these columns have no solution
                among = allowed.copy()
                continue
            reduced, better = np.where(allowed, aim - constraints.matrix.T @ prices, -np.inf), among.copy()
            for start, end in pairwise(first.tolist()):
                good = start + np.flatnonzero((reduced[start:end] > ALIKE) & ~among[start:end])
                better[good[np.argsort(-reduced[good])[:AT_ONCE]]] = True
            if (better == among).all():
                begin |= among
                stock = float(np.where(prices > 0, high, low)[prices != 0] @ prices[prices != 0])
                return Relaxed.priced(aim, first, reduced, stock)
            among = better

    @staticmethod
    def priced(aim: np.ndarray, first: np.ndarray, reduced: np.ndarray, stock: float) -> Relaxed | None:
        """The relaxation by any prices, which cost each column its aim less `reduced` (-inf for one that may not be
        used), and what there is of pieces `stock`; None where a front has no column.
        """
        bound, loss = stock, np.zeros(len(aim))
        for start, end in pairwise(first.tolist()):
            best = float(reduced[start:end].max(initial=-np.inf))
            if best == -np.inf:
                return None
            bound, loss[start:end] = bound + best, best - reduced[start:end]
        return Relaxed(bound, loss, aim, first)

    def bound_of(self, allowed: np.ndarray) -> float:
        """No division that uses only these variables (bool) has a larger aim."""
        least = [
            self.loss[start:end][allowed[start:end]].min(initial=np.inf) for start, end in pairwise(self.first.tolist())
        ]
        return self.bound - float(sum(least))

    def most_loss(self) -> float:
        """No division that uses only the allowed variables loses more, rounding included."""
        spans = [self.loss[start:end] for start, end in pairwise(self.first.tolist())]
        return float(sum(loss[np.isfinite(loss)].max() for loss in spans)) * (1 + ALIKE) + ALIKE

    def together(
        self, within: float, numbers: np.ndarray, limits: Limits, equal: float, spare: int = 0
    ) -> np.ndarray | None:
        """The ways to choose a column of each front that together lose at most this much, but for some that are not the
        best: int64, shape (ways, fronts).

        None for more than MOST_WAYS of them. `numbers`: the pieces of each column, int64, shape (pieces, columns);
        ways that ask for more than the `limits` are left out. All ways are there whose aim is less by at most `equal`
        than the best one's, or than that of the next `spare` ones after it.
        """
        found, lost = np.zeros((0, 1), np.int32), np.zeros(1)
        for at, (begin, end) in enumerate(pairwise(self.first.tolist())):
            order = begin + np.flatnonzero(self.loss[begin:end] <= within).astype(np.int32)
            here = [limit for limit in limits if at in limit[0]]
            for _, piece, _, most in here:
                order = order[numbers[piece][order] <= most]
            order = order[np.argsort(self.loss[order], kind="stable")]
            many = np.searchsorted(self.loss[order], within - lost, side="right")
            if many.sum() > MOST_WAYS:
                return None
            before = np.repeat(np.arange(len(lost)), many)
            chosen = order[np.arange(len(before)) - np.repeat(np.cumsum(many) - many, many)]
            found, lost = np.vstack([found[:, before], chosen]), lost[before] + self.loss[chosen]
            for group, piece, fewest, most in here:
                brought = _brought(found, numbers[piece], group)
                fits = np.asarray((brought >= (fewest if at == group[-1] else 0)) & (brought <= most))
                found, lost = found[:, fits], lost[fits]
            open_groups = [limit for limit in limits if limit[0][0] <= at < limit[0][-1]]
            best = _best_of_alike(
                [_brought(found, numbers[piece], group) for group, piece, _, _ in open_groups],
                self.aim[found].sum(axis=0), equal, spare,
            )  # fmt: skip
            found, lost = found[:, best], lost[best]
        return found.T


def _brought(found: np.ndarray, numbers: np.ndarray, group: Sequence[int]) -> np.ndarray:
    """The pieces that the chosen columns of the first fronts (`found`: shape (fronts, ways)) bring to a group: int64,
    shape (ways,).
    """
    return np.asarray(sum((numbers[found[front]] for front in group if front < len(found)), np.zeros(1, np.int64)))


def _best_of_alike(alike: Sequence[np.ndarray], aims: np.ndarray, equal: float, spare: int) -> np.ndarray:
    """The ways that are less by at most `equal` than the best of those that are alike in all these numbers, or than the
    one that comes `spare` places after it: what can follow them is the same. Indices, int64.
    """
    kind = np.zeros(len(aims), np.int64)
    for numbers in alike:
        kind = np.unique(kind * (int(numbers.max(initial=0)) + 1) + numbers, return_inverse=True)[1]
    order = np.lexsort([-aims, kind])
    start = np.flatnonzero(np.diff(kind[order], prepend=-1))
    size = np.diff(start, append=len(order))
    least = aims[order][start + np.minimum(spare, size - 1)] - equal
    return np.asarray(np.sort(order[aims[order] >= np.repeat(least, size)]))


def _some(first: np.ndarray, allowed: np.ndarray) -> np.ndarray:
    """Some columns of each front to begin with, the first one among them, and all variables that are no columns."""
    found = np.ones(len(allowed), bool)
    for start, end in pairwise(first.tolist()):
        there = start + np.flatnonzero(allowed[start:end])
        found[start:end] = False
        found[there[:: max(1, len(there) // AT_FIRST)]] = True
    return found


def _prices(aim: np.ndarray, constraints: Constraints, among: np.ndarray) -> np.ndarray | None:
    """The prices of the constraints in the best solution that uses only these variables; None without a solution."""
    from scipy.sparse import vstack

    low, high, some = constraints.low, constraints.high, constraints.matrix[:, np.flatnonzero(among)]
    same, up, down = low == high, np.isfinite(high) & (low != high), np.isfinite(low) & (low != high)
    found = solved(
        "linprog", c=-aim[among], A_ub=vstack([some[up], -some[down]]), b_ub=np.concatenate([high[up], -low[down]]),
        A_eq=some[same], b_eq=low[same], bounds=(0, None), method="highs",
    )  # fmt: skip
    if found.x is None:
        return None
    # SciPy minimizes: its prices of constraints have the other sign.
    prices, limits = np.zeros(len(low)), np.maximum(-found.ineqlin.marginals, 0)
    prices[same] = -found.eqlin.marginals
    prices[up] = limits[: up.sum()]
    prices[down] -= limits[up.sum() :]
    return prices


def limits_of(
    turn: Turn, stock: Stock, routes: Sequence[tuple[int, int, int]]
) -> Iterator[tuple[tuple[int, ...], int, int, int]]:
    """The `Limits` of a stock, for these routes (place, front, piece).

    Columns within all of them can be brought: the most is what can reach a front of the group (Gale, Pacific Journal of
    Mathematics 7, 1957), the fewest what stays in a hold of it or goes to no other front; what meets each of both meets
    both (Mendelsohn and Dulmage, Canadian Journal of Mathematics 10, 1958). Limits that a larger group implies are left
    out.
    """
    for piece in range(len(turn.pieces)):
        goals: dict[int, set[int]] = {}
        for place, front, kind in routes:
            if kind == piece:
                goals.setdefault(place, set()).add(front)
        larger: list[tuple[set[int], int]] = []
        fronts = [at for at, front in enumerate(turn.fronts) if front.reaches[:, piece].any()]
        for group in chain.from_iterable(combinations(fronts, size) for size in range(len(fronts), 0, -1)):
            fewest = most = 0
            for place, reached in goals.items():
                homes = {at for at in reached if turn.fronts[at].home == place}
                here, leaving = int(stock.here[place, piece]), int(stock.leaving[place, piece])
                if reached & {*group}:
                    most += here if homes & {*group} else leaving
                if homes and homes <= {*group}:
                    fewest += here if reached <= {*group} else here - leaving
            if fewest or not any(most >= limit and {*group} <= whole for whole, limit in larger):
                larger.append(({*group}, most))
                yield group, piece, fewest, most
