"""The relaxation of an integer programme: how good a division can be, and how much worse each column makes it.

By the duality of linear programmes any prices of the constraints give an upper bound; a column that is chosen lowers it
by its reduced cost (Dantzig, Fulkerson and Johnson, Operations Research 2, 1954). So a column whose loss is more than
the bound less the value of a known division is in no better one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.analysis.plan.highs import solved

# Ways to choose a column of each front that are listed at once.
MOST_WAYS = 2_000_000
# Groups of fronts, and the most pieces that can come to each group: int64, shape (pieces,).
Limits = Sequence[tuple[tuple[int, ...], np.ndarray]]


@dataclass
class Row:
    """A linear constraint: coefficients of all variables, and its bounds."""

    coefficients: np.ndarray
    low: float
    high: float


@dataclass
class Relaxed:
    """`bound`: no division has a larger aim. `loss`: a division with a column has at most `bound` less this, float64,
    shape (variables,); 0 for variables that are no columns.
    """

    bound: float
    loss: np.ndarray

    @staticmethod
    def of(aim: np.ndarray, rows: Sequence[Row], first: np.ndarray, allowed: np.ndarray) -> Relaxed | None:
        """The relaxation of a programme; None where even that has no solution.

        `aim`: coefficients, float64, shape (variables,). `first`: the first column of each front, of which one is
        chosen, and the first variable that is no column. `allowed`: the variables that may be used, bool.
        """
        from scipy.sparse import csr_array

        matrix = csr_array(np.array([row.coefficients[allowed] for row in rows]))
        low, high = (np.array([getattr(row, name) for row in rows], float) for name in ("low", "high"))
        same, up, down = low == high, np.isfinite(high) & (low != high), np.isfinite(low) & (low != high)
        at_most = csr_array(np.concatenate([matrix[up].toarray(), -matrix[down].toarray()]))
        found = solved(
            "linprog", c=-aim[allowed], A_ub=at_most, b_ub=np.concatenate([high[up], -low[down]]), A_eq=matrix[same],
            b_eq=low[same], bounds=(0, None), method="highs",
        )  # fmt: skip
        if found.x is None:
            return None
        # SciPy minimizes: its prices of constraints have the other sign.
        prices = -found.eqlin.marginals, np.maximum(-found.ineqlin.marginals, 0)
        reduced = np.full(len(aim), -np.inf)
        reduced[allowed] = aim[allowed] - matrix[same].T @ prices[0] - at_most.T @ prices[1]
        bound = float(prices[0] @ low[same] + prices[1] @ np.concatenate([high[up], -low[down]]))
        loss = np.zeros(len(aim))
        for begin, end in zip(first[:-1].tolist(), first[1:].tolist(), strict=True):
            best = reduced[begin:end].max()
            bound += best
            loss[begin:end] = best - reduced[begin:end]
        return Relaxed(bound, loss)

    def together(self, first: np.ndarray, within: float, numbers: np.ndarray, limits: Limits) -> np.ndarray | None:
        """All ways to choose a column of each front that together lose at most so much: int64, shape (ways, fronts).

        None for more than MOST_WAYS of them. `numbers`: the pieces of each column, int64, shape (pieces, columns);
        ways that ask for more than the `limits` are left out.
        """
        found, lost = np.zeros((0, 1), np.int32), np.zeros(1)
        for at, (begin, end) in enumerate(zip(first[:-1].tolist(), first[1:].tolist(), strict=True)):
            order = begin + np.flatnonzero(self.loss[begin:end] <= within).astype(np.int32)
            for most in (most for fronts, most in limits if fronts == (at,)):
                order = order[_at_most(numbers, [order], most)]
            order = order[np.argsort(self.loss[order], kind="stable")]
            many = np.searchsorted(self.loss[order], within - lost, side="right")
            if many.sum() > MOST_WAYS:
                return None
            before = np.repeat(np.arange(len(lost)), many)
            chosen = order[np.arange(len(before)) - np.repeat(np.cumsum(many) - many, many)]
            found, lost = np.vstack([found[:, before], chosen]), lost[before] + self.loss[chosen]
            for fronts, most in limits:
                if len(fronts) > 1 and fronts[-1] == at:
                    fits = _at_most(numbers, [found[front] for front in fronts], most)
                    found, lost = found[:, fits], lost[fits]
        return found.T


def _at_most(numbers: np.ndarray, ways: Sequence[np.ndarray], most: np.ndarray) -> np.ndarray:
    """Do columns that are chosen together (a row for each front) need at most so many pieces? bool, shape (ways,)."""
    fits = np.ones(len(ways[0]), bool)
    for piece, limit in zip(numbers, most.tolist(), strict=True):
        fits &= sum(piece[row] for row in ways) <= limit
    return fits


def constraints_of(rows: Sequence[Row], among: np.ndarray) -> Any:
    """The constraints as SciPy has them, on these variables (bool, shape (variables,))."""
    from scipy.optimize import LinearConstraint
    from scipy.sparse import csr_array

    matrix = csr_array(np.array([row.coefficients[among] for row in rows]))
    return LinearConstraint(matrix, [row.low for row in rows], [row.high for row in rows])
