"""Gauges of a battle whose states are hits by block: numbers that the units that stand there add up to."""

from __future__ import annotations

import numpy as np

from simulator.engine.model.chain import SIDES
from simulator.rules.custom.hits.layout import NEVER
from simulator.rules.custom.line import removed_alone
from simulator.rules.custom.setup import Setup


class Gauges:
    """Gauges, numbered: one of each unit, those that fight on each side, those that stay when left alone, the hits that
    each side absorbs, others.
    """

    def __init__(self, setup: Setup) -> None:
        fights = [setup.sides[side].fights for side in SIDES]
        stay = [mask & ~removed_alone(setup, side) for mask, side in zip(fights, SIDES, strict=True)]
        self.units = range(len(setup.units))
        self._weights = [self._of(mask) for mask in (*(1 << unit for unit in self.units), *fights, *stay)]
        for side, mask in zip(SIDES, fights, strict=True):
            pieces = setup.sides[side].pieces
            self._weights.append([piece.absorbs * n for piece, n in zip(pieces, self._of(mask), strict=True)])

    def _of(self, mask: int) -> list[int]:
        return [mask >> unit & 1 for unit in self.units]

    def weighed(self, weights: list[int]) -> int:
        """The gauge with these weights by unit."""
        if weights not in self._weights:
            self._weights.append(weights)
        return self._weights.index(weights)

    def number(self, mask: int | None) -> int:
        """The gauge that counts the units of a mask; NEVER for None."""
        return NEVER if mask is None else self.weighed(self._of(mask))

    def weights(self) -> np.ndarray:
        """All weights: int64, shape (units, gauges)."""
        return np.array(self._weights, np.int64).T
