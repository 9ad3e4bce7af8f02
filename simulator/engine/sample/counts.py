"""The number of battles for each final state; does not import numba."""

from __future__ import annotations

import numpy as np

from simulator.engine.model.packing import Layout


class Tally:
    """Packed final states (words, states), sorted, and the number of battles that ended in each (int64)."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._keys = np.empty((layout.words, 0), np.uint64)
        self.counts = np.empty(0, np.int64)

    def add(self, rows: np.ndarray) -> None:
        """Add rows of a packed state and a count, in any order, with any repetitions."""
        if len(rows) == 0:
            return
        keys = np.concatenate([self._keys, rows[:, :-1].T], axis=1)
        counts = np.concatenate([self.counts, rows[:, -1].astype(np.int64)])
        order = np.lexsort(keys[::-1])
        keys, counts = keys[:, order], counts[order]
        fresh = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
        self._keys, self.counts = keys[:, fresh], np.add.reduceat(counts, fresh)

    def fields(self) -> list[np.ndarray]:
        """The states, as one int64 array for each field."""
        layout = self._layout
        return [
            ((self._keys[word] >> shift) & mask).astype(np.int64)
            for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
        ]
