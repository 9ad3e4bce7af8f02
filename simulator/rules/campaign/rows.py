"""The ways in which a campaign may stand: rows with their chances or battles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simulator.engine.model.limits import NoExactOdds
from simulator.rules.battle import Columns, Outcomes
from simulator.rules.campaign.plan import HERE, NONE, Plan
from simulator.rules.toolkit.merging import merge_rows

MOST_ROWS = 1_000_000


@dataclass
class Rows:
    """Rows: `pieces` int64 of shape (rows, forces, 3, slots): here, out and lost; `winner` of each fight, int64, and
    `fought`, bool, both of shape (rows, fights); columns kept; the chance of each row.

    `at`: when simulated, the row of each battle (int64, shape (battles,)).
    """

    pieces: np.ndarray
    winner: np.ndarray
    fought: np.ndarray
    kept: Columns
    p: np.ndarray
    at: np.ndarray | None = None

    @classmethod
    def first(cls, plan: Plan, battles: int | None) -> Rows:
        """The start of the campaign, of so many battles when simulated."""
        pieces = np.zeros((1, len(plan.forces), 3, plan.start.shape[1]), np.int64)
        pieces[0, :, HERE] = plan.start
        fights = len(plan.fights)
        kept = {name: np.array([value]) for name, value in plan.likeness.items()}
        none = np.full((1, fights), NONE), np.zeros((1, fights), bool)
        return cls(pieces, *none, kept, np.ones(1), None if battles is None else np.zeros(battles, np.int64))

    def __len__(self) -> int:
        return len(self.p)

    def taken(self, which: np.ndarray) -> Rows:
        """Copies of these rows, with their chances; without the rows of battles."""
        kept = {name: values[which] for name, values in self.kept.items()}
        return Rows(self.pieces[which], self.winner[which], self.fought[which], kept, self.p[which])

    @property
    def width(self) -> int:
        """The numbers of a row."""
        return int(np.prod(self.pieces.shape[1:])) + 2 * self.winner.shape[1]

    def distinct(self) -> tuple[np.ndarray, np.ndarray]:
        """As the function `distinct`."""
        flat = np.concatenate([self.pieces.reshape(len(self), -1), self.winner, self.fought], axis=1)
        return distinct(flat, self.kept)

    def merged(self) -> tuple[Rows, np.ndarray]:
        """The distinct rows, and for each of these rows its number among them. Raises NoExactOdds for too many."""
        first, row = self.distinct()
        if len(first) > MOST_ROWS:
            raise NoExactOdds(f"campaign: more than {MOST_ROWS:,} different ends; simulate, or name fewer columns")
        found = self.taken(first)
        found.p = np.bincount(row, self.p)
        found.at = None if self.at is None else row[self.at]
        return found, row


def distinct(flat: np.ndarray, more: Columns | None = None) -> tuple[np.ndarray, np.ndarray]:
    """The first of each set of equal rows, in the order of their numbers, and the set of each row, both int64.

    `flat`: int64, shape (rows, columns); `more` are further columns.
    """
    # A column with one value distinguishes nothing.
    varied = np.flatnonzero((flat != flat[:1]).any(axis=0))
    columns: Columns = {str(column): flat[:, column] for column in varied} | (more or {})
    if not columns:
        return np.zeros(min(1, len(flat)), np.int64), np.zeros(len(flat), np.int64)
    _, row = merge_rows(Outcomes(columns, np.ones(len(flat))))
    first = np.zeros(int(row.max(initial=-1)) + 1, np.int64)
    first[row[::-1]] = np.arange(len(row))[::-1]
    return first, row


def joined(parts: list[Rows]) -> Rows:
    """These rows one after the other; `at` is left out."""
    if len(parts) == 1:
        return parts[0]
    arrays: Any = [
        np.concatenate([getattr(part, name) for part in parts]) for name in ("pieces", "winner", "fought", "p")
    ]
    kept = {name: np.concatenate([part.kept[name] for part in parts]) for name in parts[0].kept}
    pieces, winner, fought, p = arrays
    return Rows(pieces, winner, fought, kept, p)
