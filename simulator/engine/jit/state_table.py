"""The hash table of packed states, for explorers and samplers: open addressing with linear probing.

A table is an array with a power of two of slots, where 0 marks a free slot; at least a third of them stay free. Each
caller keeps its states where it needs them, and says how to compare one with the state in a slot.
"""

from __future__ import annotations

from numba import uint64

from simulator.engine.jit.kernels import inner
from simulator.engine.model.streams import GAMMA, HIGH


def slots_for(states: int) -> int:
    """The number of slots of a table for this many states: a power of two, of which states take up to a half."""
    return 1 << (2 * states - 1).bit_length()


@inner
def hash_of(keys, i, words):
    """The hash of packed state `i` (keys: words x states, uint64)."""
    code = uint64(0)
    for w in range(words):
        # States that differ only in high bits must differ in the low bits of the hash, which select the slot.
        code ^= keys[w, i]
        code = (code ^ code >> HIGH) * GAMMA
        code ^= code >> HIGH
    return code


@inner
def slot_from(code, keys, i, slots, same, states):
    """The slot of packed state `i` with this hash: its own, or a free one (uint64).

    `same(states, slot, keys, i)` compares the state with that in a slot which is not free.
    """
    last = uint64(slots.shape[0] - 1)
    slot = code & last
    while slots[slot] != 0 and not same(states, slot, keys, i):
        slot = (slot + uint64(1)) & last
    return slot


@inner
def slot_of(keys, i, words, slots, same, states):
    """As `slot_from`, with the hash computed."""
    return slot_from(hash_of(keys, i, words), keys, i, slots, same, states)
