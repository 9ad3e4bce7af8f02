"""Composed battles: outcome rows gathered from the courses of a battle of several stages."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from simulator.engine.model.chain import OutcomeDistribution, Share
from simulator.rules.battle import Columns, Outcomes


class Courses:
    """The rows so far. `columns` are the columns of the outcome, each with the value for courses that lack it."""

    def __init__(self, columns: Mapping[str, ArrayLike]) -> None:
        self._columns = columns
        self._parts: list[tuple[Columns, np.ndarray, np.ndarray | None]] = []

    def add(self, ends: OutcomeDistribution, which: np.ndarray, values: Mapping[str, ArrayLike]) -> None:
        """Add courses that end in the ends `which` (bools) of a stage; values are single or one for each end."""
        if which.any():
            full = {
                name: np.broadcast_to(values.get(name, none), which.shape)[which]
                for name, none in self._columns.items()
            }
            self._parts.append((full, ends.p[which], None if ends.count is None else ends.count[which]))

    def add_one(self, share: Share | None, values: Mapping[str, ArrayLike]) -> None:
        """Add one course that ends without a further stage; without a share, all battles take it."""
        share = share or Share()
        count = None if share.count is None else np.array([share.count])
        self.add(OutcomeDistribution(None, np.array([share.p]), count), np.array([True]), values)

    def outcomes(self) -> Outcomes:
        """All rows."""
        counts = [count for _, _, count in self._parts if count is not None]
        return Outcomes(
            {name: np.concatenate([columns[name] for columns, _, _ in self._parts]) for name in self._columns},
            np.concatenate([p for _, p, _ in self._parts]),
            np.concatenate(counts) if counts else None,
        )
