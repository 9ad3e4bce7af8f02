"""The loss lines of large line-ups: where hits lie in a place, and what is counted there (see `large_dice.Large`)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.custom.large_dice import NEVER, WORDS
from simulator.rules.custom.line import Stands, blocks_of, by_side, fighting_of, hits_of, stretches
from simulator.rules.custom.setup import Setup, bits

# Bits of a word that hold hits; one more of the first tells that everybody is lost.
WORD_BITS = 62


class Line:
    """The loss line of a side in stretches of one unit, and where the hits on its blocks lie in a place."""

    def __init__(self, setup: Setup, side: str) -> None:
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        found = stretches(setup, side)
        self.line = [unit for unit, points, _ in found for _ in range(points)]
        self.blocks = blocks_of(setup, side, self.line)
        by_block = [[stretch for stretch in found if block >> stretch.unit & 1] for block in self.blocks]
        self.stretches = [stretch for block in by_block for stretch in block]
        ends = [np.cumsum([0, *(stretch.points for stretch in block)]).tolist() for block in by_block]
        self.begins = [begin for block in ends for begin in block[:-1]]
        self.points = [block[-1] for block in ends]
        self.first = np.cumsum([0, *map(len, by_block)]).tolist()
        left = [iter(block[1:]) for block in ends]
        of = {unit: number for number, block in enumerate(self.blocks) for unit in bits(block)}
        self.order = [(of[stretch.unit], next(left[of[stretch.unit]])) for stretch in found if stretch.unit in of]
        self._find_room()

    def _find_room(self) -> None:
        """Where the hits on each block lie, as (word, shift, mask)."""
        used, self.bits = [0] * WORDS, []
        for wide in map(int.bit_length, self.points):
            fitting = [w for w in range(WORDS) if used[w] + wide <= WORD_BITS - (w == 0)]
            if not fitting:
                groups = f"{len(self.points)} groups of units are hit apart from each other"
                room = WORDS * (WORD_BITS // (1000).bit_length())
                raise Refusal(self.side, f"{groups}: too many in these numbers; {room} of 1,000 hits fit")
            self.bits.append((fitting[0], used[fitting[0]], (1 << wide) - 1))
            used[fitting[0]] += wide
        self.gone = 1 << used[0]
        self.limits = [2 * self.gone - 1, *((1 << wide) - 1 for wide in used[1:])]

    def counted(self, mask: int) -> np.ndarray:
        """How many of each unit in the mask the side has."""
        return np.array([n if mask >> u & 1 else 0 for u, n in enumerate(self.own.counts)], np.int64)

    def seen(self, words: Sequence[np.ndarray]) -> Stands:
        """What stands in these places, one row for each."""
        taken = np.zeros((len(words[0]), len(self.own.counts)), np.int64)
        for number, (word, shift, mask) in enumerate(self.bits):
            hit = words[word] >> shift & mask
            for i in range(self.first[number], self.first[number + 1]):
                taken[:, self.stretches[i].unit] += np.clip(hit - self.begins[i], 0, self.stretches[i].points)
        taken[words[0] >= self.gone] = fighting_of(self.own) * hits_of(self.setup.file)
        return Stands(self.setup, self.side, self.line, taken)

    @property
    def start(self) -> Stands:
        """What stands at the beginning."""
        return self.seen([np.zeros(1, np.int64)] * WORDS)


class Gauges:
    """What is counted of a side, each as its weight by unit."""

    def __init__(self, line: Line) -> None:
        self.line, units = line, len(line.own.counts)
        self._known = {tuple(int(u == unit) for u in range(units)): unit for unit in range(units)}
        removed = line.setup.mask(by_side(line.setup.file.losses.removed_alone, line.side))
        for place, mask in enumerate((line.own.fights, line.own.fights & ~removed)):
            # Not `weighed`: they have their places, even where they count the same as others.
            self._known[*(mask >> u & 1 for u in range(units)), place] = units + place

    def weighed(self, weights: Sequence[int]) -> int:
        """The gauge with these weights."""
        return self._known.setdefault(tuple(weights), len(self._known))

    def number(self, mask: int | None) -> int:
        """The gauge that counts the units of a mask; NEVER for no mask at all."""
        return NEVER if mask is None else self.weighed([mask >> u & 1 for u in range(len(self.line.own.counts))])

    def arrays(self) -> dict[str, np.ndarray]:
        """`base`, `before`, `falls` and `rest`."""
        line, units = self.line, len(self.line.own.counts)
        weights = np.array([key[:units] for key in self._known], np.int64).T
        supports, fights = line.counted(line.own.supporters), line.counted(line.own.fights)
        hit = np.array([sum(block >> u & 1 for block in line.blocks) for u in range(units)])
        falls = weights[[stretch.unit for stretch in line.stretches]] * np.array(
            [[stretch.each > 0] for stretch in line.stretches], np.int64
        ).reshape(-1, 1)
        pieces = np.array([[stretch.points // max(1, stretch.each)] for stretch in line.stretches], np.int64)
        lost = falls * pieces.reshape(-1, 1)
        before = np.zeros_like(lost)
        for first, last in pairwise(line.first):
            before[first:last] = lost[first:last][::-1].cumsum(axis=0)[::-1]
        return {
            "base": (supports + fights * (1 - hit)) @ weights,
            "before": before,
            "falls": falls,
            "rest": supports @ weights,
        }
