"""Merging equal rows of outcomes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import repeat
from typing import Any

import numpy as np

from simulator.rules.battle import Outcomes

# Whole numbers within a range of this size are ranked by their offset, without sorting.
MOST_COUNTED = 1 << 20
LARGEST_CODE = 1 << 62
# Plain Python compares up to this many rows faster than NumPy, whose calls cost more.
FEW_ROWS = 64


def merge(outcomes: Outcomes) -> Outcomes:
    """The same outcomes with equal rows merged, in ascending order of the columns."""
    return merge_rows(outcomes)[0]


def merge_rows(outcomes: Outcomes) -> tuple[Outcomes, np.ndarray]:
    """As `merge`, and for each of the rows given the number of the merged row (int64, shape (rows,))."""
    first, row = distinct(outcomes.columns.values(), len(outcomes.p))
    count = None if outcomes.count is None else np.bincount(row, outcomes.count).astype(np.int64)
    columns = {name: np.asarray(values)[first] for name, values in outcomes.columns.items()}
    p = np.bincount(row, outcomes.p)
    return Outcomes(columns, p, count, outcomes.residual, outcomes.explored), row


def distinct(columns: Iterable[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """The first of each set of equal rows, in ascending order of the columns, and the set of each row, both int64.

    `columns`: arrays of any dtype and shape (size,).
    """
    code, codes = np.zeros(size, np.int64), 1
    for values in columns:
        rank, ranks = offsets(np.asarray(values)) or _sorted_ranks(values)
        if codes * ranks > LARGEST_CODE:
            held, code = np.unique(code, return_inverse=True)
            codes = len(held)
            if codes == len(code):
                break  # the columns up to here distinguish and order all rows
        if ranks > 1:
            code = code * ranks + rank
            codes *= ranks
    if codes > 4 * len(code) + 1024:
        _, first, row = np.unique(code, return_index=True, return_inverse=True)
        return first, row
    where = np.full(codes, -1)
    where[code[::-1]] = np.arange(len(code))[::-1]
    held = np.flatnonzero(where >= 0)
    first = where[held]
    where[held] = np.arange(len(held))
    return first, where[code]


def in_order(columns: Iterable[np.ndarray], size: int) -> tuple[np.ndarray, np.ndarray]:
    """As `distinct`, the sets in the order in which they first occur."""
    if size <= FEW_ROWS:
        known: dict[tuple[Any, ...], tuple[int, int]] = {}
        lists = [values.tolist() for values in columns]
        rows = zip(*lists, strict=True) if lists else repeat((), size)  # without columns all rows are equal
        found = [known.setdefault(row, (len(known), at))[0] for at, row in enumerate(rows)]
        return np.array([at for _, at in known.values()], np.int64), np.array(found, np.int64)
    first, row = distinct(columns, size)
    order = np.argsort(first)
    return first[order], np.argsort(order)[row]


def chances_of(columns: Sequence[np.ndarray], p: np.ndarray) -> dict[tuple[Any, ...], float]:
    """The chance of each different row, as plain values, in the order in which rows first occur.

    `columns`: arrays of shape (rows,); `p`: float64, shape (rows,), the chances to add up.
    """
    first, row = in_order(columns, len(p))
    rows = zip(*(values[first].tolist() for values in columns), strict=True)
    return dict(zip(rows, np.bincount(row, p).tolist(), strict=True))


def _sorted_ranks(values: np.ndarray) -> tuple[np.ndarray, int]:
    """Ranks from 0 in the order of the values, and their number."""
    distinct, rank = np.unique(values, return_inverse=True)
    return rank, len(distinct)


def offsets(values: np.ndarray) -> tuple[np.ndarray, int] | None:
    """The distance of each value from the smallest, int64, shape (values,), and the number of values in the range.

    `values` has this shape and any dtype. None for an empty array, for other values than whole numbers and bool, and
    for a range of MOST_COUNTED values or more.
    """
    if values.dtype.kind not in "biu" or not len(values):
        return None
    # Half the time of the methods of arrays, which go through Python.
    low, high = int(np.minimum.reduce(values)), int(np.maximum.reduce(values))
    if high - low >= MOST_COUNTED:
        return None
    return np.subtract(values, low, dtype=np.int64) if low else values.astype(np.int64, copy=False), high - low + 1
