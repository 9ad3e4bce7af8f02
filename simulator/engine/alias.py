"""Alias tables in whole numbers (Walker 1977, Vose 1991), so that every machine draws the same.

Each table has 2**bits columns of 2**(32 - bits) units; a result gets its chance rounded to units of 2**-32. A 32-bit
number picks a column with its high bits and one of the column's two results with the others.
"""

from __future__ import annotations

import numpy as np
from numba import uint64

from simulator.engine.chance import Alias, Tables
from simulator.engine.compiled import kernel


@kernel
def fill(rows, bits, entry, work):
    """Write the packed entries of every table; `work` is four rows of work space of one table's width."""
    first, result, weight = rows.first, rows.result, rows.weight
    units, donor, small, big = work[0], work[1], work[2], work[3]
    width = 1 << bits
    capacity = (1 << 32) >> bits
    for t in range(len(first) - 1):
        size = first[t + 1] - first[t]
        total = 0.0
        before = 0
        for j in range(width):
            units[j] = 0
            donor[j] = j
        for j in range(size):
            total += weight[first[t] + j]
            after = (1 << 32) if j == size - 1 else int(np.rint(total * 4294967296.0))
            units[j] = after - before
            before = after
        smalls, bigs = 0, 0
        for j in range(width):
            if units[j] < capacity:
                small[smalls] = j
                smalls += 1
            else:
                big[bigs] = j
                bigs += 1
        while smalls > 0 and bigs > 0:
            smalls -= 1
            lesser = small[smalls]
            greater = big[bigs - 1]
            donor[lesser] = greater
            units[greater] -= capacity - units[lesser]
            if units[greater] < capacity:
                bigs -= 1
                small[smalls] = greater
                smalls += 1
        for j in range(width):
            other = result[first[t] + donor[j]]
            here = result[first[t] + j] if j < size else other
            cut = 0 if donor[j] == j else units[j] << bits
            packed = uint64(cut) | (uint64(here) << uint64(32)) | (uint64(other) << uint64(48))
            entry[(t << bits) + j] = packed


def build_alias(tables: Tables) -> Alias:
    """Alias tables for all of `tables`, as wide as the largest needs."""
    bits = max(1, (tables.largest - 1).bit_length())
    width = 1 << bits
    entry = np.empty(len(tables) << bits, np.uint64)
    fill(tables.rows, bits, entry, np.empty((4, width), np.int64))
    return Alias(bits, entry)


def drawn(alias: Alias, table: int, number: int) -> int:
    """The result that a 32-bit number draws from a table; what the kernels do, for replays."""
    entry = int(alias.entry[(table << alias.bits) + (number >> (32 - alias.bits))])
    rest = (number << alias.bits) & 0xFFFFFFFF
    return (entry >> 32) & 0xFFFF if rest < (entry & 0xFFFFFFFF) else entry >> 48
