"""Integer alias tables (Walker 1977, Vose 1991), which draw alike on every machine; does not import numba.

Each table has 2**bits columns of 2**(32 - bits) units; chances are rounded to units of 2**-32. The high bits of a
32-bit number select a column, the others one of the two results of the column.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chance import TableRows, Tables

_LOW, _BITS16, _HALF, _HIGH16 = np.uint64(0xFFFFFFFF), np.uint64(0xFFFF), np.uint64(32), np.uint64(48)
# Entries made at a time.
PORTION = 1 << 20


class Alias(NamedTuple):
    """Alias tables of equal width `2**bits`: `entry[(table << bits) | column]` packs cut | here << 32 | other << 48."""

    bits: int
    entry: np.ndarray


def fill(first, weight, bits, units, donor, small, big):
    """Distribute the units of every table: the units that a result keeps of its column, and the donor of the others.

    `small` and `big` are scratch buffers of the width of one table.
    """
    width = 1 << bits
    capacity = (1 << 32) >> bits
    for t in range(len(first) - 1):
        size = first[t + 1] - first[t]
        at = t << bits
        total = 0.0
        before = 0
        for j in range(width):
            units[at + j] = 0
            donor[at + j] = j
        for j in range(size):
            total += weight[first[t] + j]
            after = (1 << 32) if j == size - 1 else round(total * 4294967296.0)
            units[at + j] = after - before
            before = after
        smalls, bigs = 0, 0
        for j in range(width):
            if units[at + j] < capacity:
                small[smalls] = j
                smalls += 1
            else:
                big[bigs] = j
                bigs += 1
        while smalls > 0 and bigs > 0:
            smalls -= 1
            lesser = small[smalls]
            greater = big[bigs - 1]
            donor[at + lesser] = greater
            units[at + greater] -= capacity - units[at + lesser]
            if units[at + greater] < capacity:
                bigs -= 1
                small[smalls] = greater
                smalls += 1


def bits_for(tables: Tables) -> int:
    """The binary logarithm of the width of the alias tables."""
    return max(1, (tables.largest - 1).bit_length())


@lru_cache(maxsize=1)
def _compiled_fill() -> Callable[..., Any]:
    from simulator.engine.jit.kernels import kernel

    return kernel(fill)


def build_alias(tables: Tables) -> Alias:
    """Alias tables for all of `tables`, as wide as the largest; made in portions, to save memory."""
    bits, rows = bits_for(tables), tables.rows
    entry = np.empty(len(tables) << bits, np.uint64)
    portion = max(1, PORTION >> bits)
    small, big = np.empty((2, 1 << bits), np.int64)
    for begin in range(0, len(tables), portion):
        some = rows._replace(first=rows.first[begin : begin + portion + 1])
        units, donor = np.empty((2, (len(some.first) - 1) << bits), np.int64)
        _compiled_fill()(some.first, some.weight, bits, units, donor, small, big)
        entry[begin << bits :][: len(units)] = packed(some, bits, units, donor)
    return Alias(bits, entry)


def alias_of(tables: Tables) -> Alias:
    """`build_alias`, cached in the tables; chances are rounded to multiples of 2**-32."""
    return tables.kept.of(build_alias, tables)


def some_tables(tables: Tables, wanted: Sequence[int]) -> np.ndarray:
    """The entries of these tables alone, as in `build_alias`, by plain Python: uint64 array (tables, columns)."""
    bits, parts = bits_for(tables), [slice(tables.first[t], tables.first[t + 1]) for t in wanted]
    rows = TableRows(
        np.cumsum([0, *(part.stop - part.start for part in parts)]),
        np.concatenate([tables.result[part] for part in parts]),
        np.concatenate([tables.weight[part] for part in parts]),
    )
    room: list[Any] = [[0] * (len(parts) << bits) for _ in range(2)] + [[0] * (1 << bits) for _ in range(2)]
    fill(rows.first.tolist(), rows.weight.tolist(), bits, *room)
    return packed(rows, bits, np.array(room[0]), np.array(room[1])).reshape(len(parts), -1)


def packed(rows: TableRows, bits: int, units: np.ndarray, donor: np.ndarray) -> np.ndarray:
    """The entries (uint64): cut | here << 32 | other << 48."""
    column = np.arange(1 << bits)
    first, size = rows.first[:-1, None], np.diff(rows.first)[:, None]
    donor = donor.reshape(-1, len(column))
    other = rows.result[first + donor].astype(np.uint64)
    here = np.where(column < size, rows.result[first + np.minimum(column, size - 1)], other).astype(np.uint64)
    cut = np.where(donor == column, 0, units.reshape(donor.shape) << bits).astype(np.uint64)
    return np.asarray(cut | here << _HALF | other << _HIGH16).ravel()


def drawn(alias: Alias, table: int, number: int) -> int:
    """The result that a 32-bit number draws from a table, as in the kernels; for replays."""
    entry = int(alias.entry[(table << alias.bits) + (number >> (32 - alias.bits))])
    rest = (number << alias.bits) & 0xFFFFFFFF
    return (entry >> 32) & 0xFFFF if rest < (entry & 0xFFFFFFFF) else entry >> 48


def drawn_from(tables: Tables, table: int, number: int, state: object) -> int:
    """`drawn`, checked: raises BrokenGame for a missing table, and names the state."""
    if not 0 <= table < len(tables):
        raise tables.missing(table, state)
    return drawn(alias_of(tables), table, number)


def drawn_by(alias: Alias, table: np.ndarray, number: np.ndarray) -> np.ndarray:
    """`drawn` for many tables and numbers (uint64) at once."""
    bits = np.uint64(alias.bits)
    entry = alias.entry[(table.astype(np.uint64) << bits) + (number >> (_HALF - bits))]
    rest = (number << bits) & _LOW
    here = (entry >> _HALF) & _BITS16
    return np.asarray(np.where(rest < (entry & _LOW), here, entry >> _HIGH16), np.int64)
