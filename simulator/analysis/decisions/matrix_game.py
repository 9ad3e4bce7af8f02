"""Matrix games: both sides choose once, without knowing the choice of the other (docs/rules/decisions.md 2.3)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

ALIKE = 1e-12
# A game is zero-sum (up to a constant) if the two worths add up to the same number in every cell, within this.
OPPOSITE = 1e-9


class Solution(NamedTuple):
    """`kind` is pure, mixed or security; the chances of the attacker's and of the defender's choices (they add to 1).

    `value`: the worth to each side; `guaranteed`: its worth if it plays safe and the other side does its worst.
    """

    kind: str
    rows: np.ndarray
    columns: np.ndarray
    value: tuple[float, float]
    guaranteed: tuple[float, float]


def solve(attacker: np.ndarray, defender: np.ndarray) -> Solution:
    """The advice for both sides; worths of shape (attacker's choices, defender's choices).

    A stable pair, where neither side gains by another choice of its own; else, with opposite aims, the mixed
    equilibrium (von Neumann's minimax theorem); else the choice of each side whose worst case is best for it.
    """
    safe = _first_largest(attacker.min(axis=1)), _first_largest(defender.min(axis=0))
    guaranteed = float(attacker[safe[0]].min()), float(defender[:, safe[1]].min())
    pair, total = _stable(attacker, defender), attacker + defender
    if pair is None and np.ptp(total) <= OPPOSITE:
        rows, columns, value = equilibrium(attacker)
        return Solution("mixed", rows, columns, (value, float(total[0, 0]) - value), guaranteed)
    kind, (row, column) = ("security", safe) if pair is None else ("pure", pair)
    value_of_both = float(attacker[row, column]), float(defender[row, column])
    return Solution(kind, np.eye(len(attacker))[row], np.eye(len(attacker.T))[column], value_of_both, guaranteed)


def _first_largest(values: np.ndarray) -> int:
    return int(np.argmax(values >= values.max() - ALIKE))


def _stable(attacker: np.ndarray, defender: np.ndarray) -> tuple[int, int] | None:
    """The first stable pair that no other one beats for both sides."""
    stable = (attacker >= attacker.max(axis=0) - ALIKE) & (defender >= defender.max(axis=1)[:, None] - ALIKE)
    pairs = [(int(row), int(column)) for row, column in np.argwhere(stable)]
    for one in pairs:
        if not any(
            attacker[other] > attacker[one] + ALIKE and defender[other] > defender[one] + ALIKE for other in pairs
        ):
            return one
    return None


def equilibrium(payoff: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """Chances of rows and of columns, and the value, of the zero-sum game that pays `payoff` to the rows.

    The rows maximise v under "every column pays at least v"; the columns' chances are the dual solution (Dantzig,
    "A proof of the equivalence of the programming problem and the game problem", 1951).
    """
    from scipy.optimize import linprog

    low, span = payoff.min(), np.ptp(payoff) or 1.0
    scaled = (payoff - low) / span
    size, width = payoff.shape
    found = linprog(
        np.append(np.zeros(size), -1.0),
        A_ub=np.hstack([-scaled.T, np.ones((width, 1))]),
        b_ub=np.zeros(width),
        A_eq=np.append(np.ones(size), 0.0)[None],
        b_eq=[1.0],
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.x is None:
        raise RuntimeError(f"the linear program of a matrix game was not solved: {found.message}")
    rows, columns = _chances(found.x[:-1]), _chances(-found.ineqlin.marginals)
    return rows, columns, float(rows @ payoff @ columns)


def _chances(raw: np.ndarray) -> np.ndarray:
    """Chances without rounding errors, normalised to sum 1."""
    kept = np.where(raw > ALIKE, raw, 0.0)
    return np.asarray(kept / kept.sum())
