"""The random numbers: one counter-based stream for each battle, a function of (seed, battle index) alone.

Battle `i` of seed `s` draws from SplitMix64 (Steele, Lea & Flood, "Fast splittable pseudorandom number generators",
OOPSLA 2014) started at `battle_key(s, i)`: its n-th 64-bit number is `mix(key + n * GAMMA)`, n = 1, 2, ... Each
gives two 32-bit numbers, the high half first. The period is 2**64 numbers for each battle. docs/random-streams.md
records the statistical tests.

All arithmetic stays in uint64: adding a signed integer would silently make it signed.
"""

from __future__ import annotations

import numpy as np

GAMMA = np.uint64(0x9E3779B97F4A7C15)
SEED_SALT = np.uint64(0xD1B54A32D192ED03)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)
_S30, _S27, _S31 = np.uint64(30), np.uint64(27), np.uint64(31)
HIGH = np.uint64(32)
LARGEST_SEED = 2**64 - 1


def mix(z):
    """SplitMix64's finaliser: a bijection of 64-bit words (Stafford's variant 13)."""
    z = (z ^ (z >> _S30)) * _FIRST
    z = (z ^ (z >> _S27)) * _SECOND
    return z ^ (z >> _S31)


def battle_key(seed, battle):
    """The start of the stream of a battle: for one seed a bijection of the battle index, so no two are equal."""
    return mix(mix(battle) + mix(seed ^ SEED_SALT))


def derive_seed(seed: int, *labels: int) -> int:
    """The seed of a later stage of a battle, from the seed and the labels of the path to it."""
    with np.errstate(over="ignore"):
        value = np.uint64(seed)
        for label in labels:
            value = mix(value + GAMMA + mix(np.uint64(label & LARGEST_SEED)))
    return int(value)


class Stream:
    """The 32-bit numbers of one battle as Python ints, for replays and tests; the same as the kernels draw."""

    def __init__(self, seed: int, battle: int) -> None:
        with np.errstate(over="ignore"):
            self._key = battle_key(np.uint64(seed), np.uint64(battle))
        self._half: int | None = None

    def next(self) -> int:
        """The next number, 0 to 2**32 - 1."""
        if self._half is not None:
            number, self._half = self._half, None
            return number
        with np.errstate(over="ignore"):
            self._key = self._key + GAMMA
            word = int(mix(self._key))
        self._half = word & 0xFFFFFFFF
        return word >> 32
