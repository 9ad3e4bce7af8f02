"""The walk over a spelled-out graph as a graphics card runs it (see `gpu`): one thread follows one battle to its end.

It is imported only once a card is asked for and there. The numbers are those of `streams`, the look-ups those of
`lookup` and `alias`, in the same unsigned arithmetic.
"""

from __future__ import annotations

import numpy as np
from numba import cuda

from simulator.engine.model import streams

# Numbers after which a battle is not believed to end.
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
def walk(place, other, to, entry, numbers, ends):
    """Where each battle ends; `numbers` are seed, first battle, start, mask, running, bits, and 1 for two rolls."""
    battle = cuda.grid(1)
    if battle >= ends.shape[0]:
        return
    seed, at, mask, running, bits, both = numbers[0], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6]
    key = mix(mix(numbers[1] + np.uint64(battle)) + mix(seed ^ _SALT))
    for _ in range(MOST_NUMBERS):
        if (at & mask) >= running:
            break
        key = key + _GAMMA
        word = mix(key)
        here = place[np.int64(at & mask)]
        edge = (here >> _HALF) + drawn(here & _LOW, word >> _HALF, bits, entry)
        if both:
            beside = other[np.int64(at & mask)]
            edge = edge + drawn(beside & _LOW, word & _LOW, bits, entry) * (beside >> _HALF)
        at = (at & ~mask) + np.uint64(to[np.int64(edge)])
        if not both and (at & mask) < running:
            here = place[np.int64(at & mask)]
            edge = (here >> _HALF) + drawn(here & _LOW, word & _LOW, bits, entry)
            at = (at & ~mask) + np.uint64(to[np.int64(edge)])
    ends[battle] = at
