"""Packing of states into 64-bit words."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np


class Layout(NamedTuple):
    """The position of each field in packed keys: its 64-bit word, shift and mask.

    The counter, and a field that is always 0, take no bits. `place`, shape (words, fields), is the amount that one unit
    of a field adds to each word; `words` and `bits` are the size of a packed state.
    """

    word: np.ndarray
    shift: np.ndarray
    mask: np.ndarray
    limit: np.ndarray
    place: np.ndarray
    words: int
    bits: int


@lru_cache(maxsize=1024)
def layout_of(limits: tuple[int, ...], counted: int) -> Layout:
    """The layout of fields with these limits, without the field at place `counted`."""
    word, shift, mask = [], [], []
    current = used = 0
    for f, limit in enumerate(limits):
        bits = 0 if f == counted else int(limit).bit_length()
        if used + bits > 64:
            current, used = current + 1, 0
        word.append(current)
        shift.append(used % 64)
        mask.append((1 << bits) - 1)
        used += bits
    place = np.zeros((current + 1, len(limits)), np.uint64)
    place[word, np.arange(len(limits))] = [1 << at if some else 0 for at, some in zip(shift, mask, strict=True)]
    return Layout(
        np.array(word, np.int64),
        np.array(shift, np.uint64),
        np.array(mask, np.uint64),
        np.array(limits, np.int64),
        place,
        current + 1,
        sum(map(int.bit_length, mask)),
    )


def packed(layout: Layout, states: np.ndarray) -> np.ndarray:
    """States, int64, shape (states, fields), as packed keys, uint64, shape (words, states); without the counter."""
    keys = np.zeros((layout.words, len(states)), np.uint64)
    for f in range(states.shape[1]):
        keys[layout.word[f]] |= (states[:, f].astype(np.uint64) & layout.mask[f]) << layout.shift[f]
    return keys


def unpacked(layout: Layout, words: np.ndarray) -> list[np.ndarray]:
    """Packed states (words, states) as one int64 array for each field."""
    return [
        ((words[word] >> shift) & mask).astype(np.int64)
        for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
    ]
