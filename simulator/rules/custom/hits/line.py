"""The loss line of a side as blocks of hits: where they lie in the words of a state, and what is counted there.

Arrays are those of `hits_dice.HitsParams`.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from simulator.rules.battle import Refusal
from simulator.rules.custom.hits.dice import LAST, NEVER, WORDS
from simulator.rules.custom.line import Stands, Stretch, blocks_of, fighting_of, removed_alone, stretches
from simulator.rules.custom.setup import Setup, bits

# Bits of a word that hold hits.
WORD_BITS = 62
# Points that kill a piece, where none dies.
NO_PIECE = 1 << 60


class HitLine:
    """The loss line of a side in stretches of one unit, block by block, and where the hits on each block lie.

    Units that nothing can hit are lost together when they are removed alone: a last block of one point.
    """

    def __init__(self, setup: Setup, side: str) -> None:
        self.setup, self.side, self.own = setup, side, setup.sides[side]
        found = stretches(setup, side)
        self.line = [unit for unit, points, _ in found for _ in range(points)]
        self.blocks = blocks_of(setup, side, self.line)
        hit = sum(self.blocks)
        by_block = [[stretch for stretch in found if block >> stretch.unit & 1] for block in self.blocks]
        self.safe = [stretch for stretch in found if not hit >> stretch.unit & 1]
        if self.safe:
            by_block.append([Stretch(NEVER, 1, 1)])
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
        """Where the hits on each block lie, as (word, shift, mask); `gone` are the words where everybody is lost."""
        used, self.bits, self.gone = [0] * WORDS, [], [0] * WORDS
        for points in self.points:
            wide = points.bit_length()
            word = next((w for w in range(WORDS) if used[w] + wide <= WORD_BITS), None)
            if word is None:
                room = WORDS * (WORD_BITS // (1000).bit_length())
                raise Refusal(
                    self.side,
                    f"{len(self.points)} groups of units are hit apart from each other: too many in these numbers; "
                    f"{room} of 1,000 hits fit",
                )
            self.bits.append((word, used[word], (1 << wide) - 1))
            self.gone[word] += points << used[word]
            used[word] += wide
        self.limits = [(1 << wide) - 1 for wide in used]

    def at(self, words: Sequence[np.ndarray]) -> Stands:
        """The units that stand in these places, one row for each."""
        taken = np.zeros((len(words[0]), len(self.own.counts)), np.int64)
        for number, (word, shift, mask) in enumerate(self.bits):
            hit = words[word] >> shift & mask
            for i in range(self.first[number], self.first[number + 1]):
                unit, points, _ = self.stretches[i]
                if unit != NEVER:
                    taken[:, unit] += np.clip(hit - self.begins[i], 0, points)
                for safe, lost, _ in self.safe if unit == NEVER else ():
                    taken[:, safe] += hit * lost
        return Stands(self.setup, self.side, self.line, taken)

    def arrays(self) -> dict[str, np.ndarray]:
        """`line`, `stretches`, `blocks` and `gone`."""
        each = [stretch.each or NO_PIECE for stretch in self.stretches]
        blocks = [(*where, *self.first[n : n + 2]) for n, where in enumerate(self.bits)]
        return {
            "line": np.array(self.order, np.int64).reshape(-1, 2),
            "stretches": np.array([*zip(self.begins, each, strict=True)], np.int64).reshape(-1, 2),
            "blocks": np.array(blocks, np.int64).reshape(-1, LAST + 1),
            "gone": np.array(self.gone, np.int64),
        }


class Gauges:
    """The gauges of a side: weighted numbers of units, each given by its weight by unit."""

    def __init__(self, line: HitLine) -> None:
        self.line, self.units, own = line, len(line.own.counts), line.own
        removed = removed_alone(line.setup, line.side)
        self._weights = [self._of(1 << unit) for unit in range(self.units)]
        self._weights += [self._of(own.fights), self._of(own.fights & ~removed)]

    def _of(self, mask: int) -> list[int]:
        return [mask >> unit & 1 for unit in range(self.units)]

    def weighed(self, weights: Sequence[int]) -> int:
        """The gauge with these weights."""
        if list(weights) not in self._weights:
            self._weights.append(list(weights))
        return self._weights.index(list(weights))

    def number(self, mask: int | None) -> int:
        """The gauge that counts the units of a mask; NEVER for no mask at all."""
        return NEVER if mask is None else self.weighed(self._of(mask))

    def arrays(self) -> dict[str, np.ndarray]:
        """`base`, `before` and `falls`."""
        line, weights = self.line, np.array(self._weights, np.int64).T
        supports = np.array(line.own.counts) - fighting_of(line.own)
        supports *= self._of(line.own.supporters)
        safe = sum((points // each * weights[unit] for unit, points, each in line.safe if each), 0 * weights[0])
        falls = np.array([safe if unit == NEVER else weights[unit] * (each > 0) for unit, _, each in line.stretches])
        lost = falls * [[points // max(1, each)] for _, points, each in line.stretches]
        before = np.zeros_like(lost)
        for first, last in pairwise(line.first):
            before[first:last] = lost[first:last][::-1].cumsum(axis=0)[::-1]
        return {"base": supports @ weights, "before": before, "falls": falls}
