"""The number of battles for each final state; does not import numba."""

from __future__ import annotations

import numpy as np

from simulator.engine.model.packing import Layout

# The bits of the number of a state of a graph, below its counter.
HALF = 32


class Tally:
    """The `words` of final states (words, states; uint64), sorted, and the battles that ended in each (int64)."""

    def __init__(self, words: int) -> None:
        self.words, self.counts = np.empty((words, 0), np.uint64), np.empty(0, np.int64)

    def add(self, rows: np.ndarray) -> None:
        """Add rows of the words of a state and a count (uint64), in any order, with any repetitions."""
        if len(rows) == 0:
            return
        words = np.concatenate([self.words, rows[:, :-1].T], axis=1)
        counts = np.concatenate([self.counts, rows[:, -1].astype(np.int64)])
        order = np.lexsort(words[::-1])
        words, counts = words[:, order], counts[order]
        fresh = np.flatnonzero(np.append(True, (words[:, 1:] != words[:, :-1]).any(axis=0)))
        self.words, self.counts = words[:, fresh], np.add.reduceat(counts, fresh)


def unpacked(layout: Layout, words: np.ndarray) -> list[np.ndarray]:
    """Packed states (words, states) as one int64 array for each field."""
    return [
        ((words[word] >> shift) & mask).astype(np.int64)
        for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
    ]


def numbers_and_counters(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The numbers and counters (int64) of the words of final states of a graph."""
    held = words.astype(np.int64)
    return held & ((1 << HALF) - 1), held >> HALF


def graph_words(numbers: np.ndarray, counters: np.ndarray) -> np.ndarray:
    """The words (uint64) of final states of a graph with these numbers and counters (int64)."""
    return np.asarray(numbers | counters << HALF, np.uint64)
