"""Integer weights: sums of independent draws, hits of several dice; draws from a very long table digit by digit; sums
of prices.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import product

import numpy as np

from simulator.engine.model.chance import TableBook
from simulator.rules.toolkit import merging


def hits(dice: int, hitting: int, sides: int) -> Counter[int]:
    """Hits of `dice` equal dice that hit with `hitting` of their `sides` faces; out of sides ** dice."""
    hitting = max(0, min(hitting, sides))
    ways, chosen = Counter[int](), 1
    for n in range(dice + 1):
        if weight := chosen * hitting**n * (sides - hitting) ** (dice - n):
            ways[n] = weight
        # The next binomial from the last one: math.comb takes most of the time for 1,000 dice.
        chosen = chosen * (dice - n) // (n + 1)
    return ways


def sum_of(weights: Mapping[int, int], times: int) -> Counter[int]:
    """Sum of `times` equal draws of values >= 0."""
    one, out = _dense(weights), np.array([1], dtype=object)
    for bit in bin(times)[2:]:
        out = np.convolve(out, out)
        if bit == "1":
            out = np.convolve(out, one)
    return _sparse(out)


def sum_of_all(parts: Iterable[Mapping[int, int]]) -> Counter[int]:
    """Sum of independent draws of values >= 0."""
    out = np.array([1], dtype=object)
    for part in parts:
        out = np.convolve(out, _dense(part))
    return _sparse(out)


def capped(weights: Mapping[int, int], most: int) -> Counter[int]:
    """The same draw with every value beyond `most` counted as `most`: hits beyond the units left."""
    out: Counter[int] = Counter()
    for value, weight in weights.items():
        out[min(value, most)] += weight
    return out


def _dense(weights: Mapping[int, int]) -> np.ndarray:
    # dtype object: integers of any size, without rounding.
    return np.array([weights.get(value, 0) for value in range(max(weights) + 1)], dtype=object)


def _sparse(ways: np.ndarray) -> Counter[int]:
    return Counter({value: int(weight) for value, weight in enumerate(ways) if weight})


def grid(shape: tuple[int, ...], make: Callable[..., int], only: Iterable[Iterable[int]] | None = None) -> np.ndarray:
    """An int64 look-up array for rules, of this shape, filled with `make(i, j, ...)`; with `only`, at these indices.

    `only` gives the indices of each axis; all other places hold 0.
    """
    out = np.zeros(shape, np.int64)
    for place in np.ndindex(*shape) if only is None else product(*only):
        out[place] = make(*place)
    return out


def distinct(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows in the order of their first occurrence, and for each row the index of its distinct row.

    `rows`: int, shape (rows, columns); the indices are int64, shape (rows,).
    """
    first, which = merging.in_order(rows.T, len(rows))
    return rows[first], which


def decimal_sums(counts: np.ndarray, prices: Sequence[float]) -> np.ndarray:
    """The sum of counts times prices in each row: int64 if all prices are whole, float64 otherwise; shape (rows,).

    `counts`: int64, shape (rows, prices). Prices of up to six decimals are added as whole numbers of their last
    decimal, because a question about 0.3 must find three times 0.1.
    """
    whole, scale = _whole_prices(tuple(prices))
    return np.asarray(counts @ whole if scale == 1 else counts @ whole / scale)


@lru_cache(maxsize=256)
def _whole_prices(prices: tuple[float, ...]) -> tuple[np.ndarray, int]:
    """Prices in parts of their last decimal (int64), and the number of parts; as they are past six decimals."""
    exact = [Decimal(str(float(price))).normalize() for price in prices]
    decimals = max((-int(price.as_tuple().exponent) for price in exact), default=0)
    if decimals > 6:
        return np.array(prices), 1
    scale = 10 ** max(decimals, 0)
    return np.array([int(price * scale) for price in exact], np.int64), scale


def digits(chances: np.ndarray, bits: int, book: TableBook) -> tuple[list[int], list[int]]:
    """Tables that draw an index of `chances` digit by digit, `bits` bits a digit: tables, first table of each digit.

    `chances`: float64, shape (indices,). After digits that make the number n so far, the next one is drawn with the
    n-th table of its digit.
    """
    base, tables, begin = 1 << bits, list[int](), list[int]()
    count = max(1, -(-(len(chances) - 1).bit_length() // bits))
    for digit in range(count):
        begin.append(len(tables))
        # Each value of a digit, after the digits before it, stands for this many indices in a row.
        sums = np.add.reduceat(chances, range(0, len(chances), base ** (count - 1 - digit)))
        for part in np.split(sums, range(base, len(sums), base)):
            result = np.flatnonzero(part)
            tables.append(book.add((result, part[result] / part[result].sum())))
    return tables, begin
