"""The GPU kernel that walks a graph (see `gpu.simulation`): one thread for each battle.

It is imported only if a GPU is requested and present. The random numbers are those of `streams`, the tables those of
`graph_tables` and `alias`, with the same unsigned arithmetic.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from simulator.engine.model import streams

# Random numbers after which a battle is abandoned.
MOST_NUMBERS = 1 << 19
_GAMMA, _SALT = streams.GAMMA, streams.SEED_SALT
_LOW, _HALF, _SECOND, _SHORT = np.uint64(0xFFFFFFFF), np.uint64(32), np.uint64(48), np.uint64(0xFFFF)

mix = cuda.jit(device=True)(streams.mix)


@cuda.jit(device=True)
def drawn(table, number, bits, entry):
    """The row that a 32-bit number draws from a table."""
    e = entry[np.int64((table << bits) + (number >> (_HALF - bits)))]
    here = ((number << bits) & _LOW) < (e & _LOW)
    return (e >> _HALF) & _SHORT if here else e >> _SECOND


@cuda.jit
def walk(place, other, to, final, entry, numbers, ends):
    """The final position of each battle; `numbers`: seed, first battle, bits, 1 for two rolls."""
    battle = cuda.grid(1)
    if battle >= ends.shape[0]:
        return
    bits, both, at = numbers[2], numbers[3], np.uint64(0)
    key = mix(mix(numbers[1] + np.uint64(battle)) + mix(numbers[0] ^ _SALT))
    for _ in range(MOST_NUMBERS):
        if final[np.int64(at & _LOW)]:
            break
        key = key + _GAMMA
        word = mix(key)
        here = place[np.int64(at & _LOW)]
        edge = (here >> _HALF) + drawn(here & _LOW, word >> _HALF, bits, entry)
        if both:
            beside = other[np.int64(at & _LOW)]
            edge = edge + drawn(beside & _LOW, word & _LOW, bits, entry) * (beside >> _HALF)
        at = (at & ~_LOW) + to[np.int64(edge)]
        if not both and not final[np.int64(at & _LOW)]:
            here = place[np.int64(at & _LOW)]
            edge = (here >> _HALF) + drawn(here & _LOW, word & _LOW, bits, entry)
            at = (at & ~_LOW) + to[np.int64(edge)]
    ends[battle] = at
