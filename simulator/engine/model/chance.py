"""Chance tables of dice, from exact integer weights.

A table maps results (ints from 0 to 65535, with a meaning that the game defines) to integer weights. Games enter no
floats: chances come from counting faces.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from math import gcd
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.kept import Kept
from simulator.engine.model.limits import BrokenGame

LARGEST_RESULT = 0xFFFF
SUM_ERROR = 1e-9
# A chance less than this is left out: it is far below the rounding of the chances that remain.
NEGLIGIBLE = 1e-18
CERTAIN: Mapping[int, int] = {0: 1}
# The index for "no roll"; the table there is the certain result 0.
NO_TABLE = 0

Weights = Mapping[Any, int]
Row = tuple[np.ndarray, np.ndarray]


def die(sides: int) -> Counter[int]:
    """A fair die with faces 1 to `sides`."""
    return Counter(dict.fromkeys(range(1, sides + 1), 1))


def combine(first: Weights, second: Weights, meaning: Callable[[Any, Any], Hashable]) -> Counter[Any]:
    """The distribution of `meaning(a, b)` for two independent draws."""
    out: Counter[Any] = Counter()
    for a, wa in first.items():
        for b, wb in second.items():
            out[meaning(a, b)] += wa * wb
    return out


def seen_as(weights: Weights, meaning: Callable[[Any], Hashable]) -> Counter[Any]:
    """The distribution of `meaning(a)` for a draw: equal meanings are merged."""
    out: Counter[Any] = Counter()
    for a, w in weights.items():
        out[meaning(a)] += w
    return out


def combine_all(draws: Iterable[Weights], meaning: Callable[[Any, Any], Hashable], start: Hashable) -> Counter[Any]:
    """The distribution of independent draws, combined in turn: `meaning(meaning(start, a), b)` ..."""
    out: Counter[Any] = Counter({start: 1})
    for weights in draws:
        out = combine(out, weights, meaning)
    return out


class TableRows(NamedTuple):
    """The arrays of `Tables`, for kernels."""

    first: np.ndarray
    result: np.ndarray
    weight: np.ndarray


class Sum(NamedTuple):
    """A table whose result is the sum of independent rolls.

    The results of each roll ascend, and all sums of the rolls before a roll are smaller than its steps: sums ascend.
    """

    rows: tuple[Row, ...]


class Tables:
    """All chance tables of a battle, flattened: table t owns rows first[t] .. first[t + 1] of `result` and `weight`.

    `result` int64, `weight` float64 (the chance of the result). Table NO_TABLE is by convention the certain result
    0. The alias tables are as wide as the largest table, but at least `least`; the result of a draw depends on it.
    """

    def __init__(self, first: np.ndarray, result: np.ndarray, weight: np.ndarray, least: int = 1) -> None:
        self.first = np.ascontiguousarray(first, np.int64)
        self.result = np.ascontiguousarray(result, np.int64)
        self.weight = np.ascontiguousarray(weight, np.float64)
        self.kept = Kept()
        whole = len(self.first) > 0 and self.first[0] == 0 and self.first[-1] == len(self.result) == len(self.weight)
        if not whole or np.asarray(result).dtype.kind == "f":
            raise BrokenGame("chance tables: rows that do not match the tables, or a result that is not a whole number")
        # The arrays together.
        self.rows = TableRows(self.first, self.result, self.weight)
        sizes = self.first[1:] - self.first[:-1]
        self.largest = max(least, int(sizes.max(initial=1)))
        # As unsigned numbers, negative results are too large as well.
        if self.result.view(np.uint64).max(initial=0) > LARGEST_RESULT:
            raise ValueError(f"results of chance tables go from 0 to {LARGEST_RESULT}")
        self._check_weights(sizes)

    @cached_property
    def width(self) -> int:
        """One more than the largest result."""
        return int(self.result.max(initial=0)) + 1

    @cached_property
    def numbered(self) -> tuple[Tables, np.ndarray]:
        """The same tables with results numbered from 0, and the results by number: int64, shape (results,)."""
        used = np.zeros(self.width, bool)
        used[self.result] = True
        results = np.flatnonzero(used)
        if len(results) == self.width:
            return self, results
        return Tables(self.first, (used.cumsum() - 1)[self.result], self.weight, self.largest), results

    @cached_property
    def peaks(self) -> np.ndarray:
        """The largest chance of each table: float64, shape (tables,)."""
        return np.asarray(np.maximum.reduceat(self.weight, self.first[:-1]))

    def _check_weights(self, sizes: np.ndarray) -> None:
        """Every weight is positive, every table sums to one; raises BrokenGame that names the table."""
        if not self.weight.min(initial=1) > 0:
            row = int(np.flatnonzero(~(self.weight > 0))[0])
            table = int(np.searchsorted(self.first, row, "right")) - 1
            raise BrokenGame(f"chance table {table}: result {self.result[row]} has the weight {self.weight[row]}")
        if sizes.min(initial=1) < 1:
            raise BrokenGame(f"chance table {int(np.argmin(sizes))}: it has no results")
        total = np.add.reduceat(self.weight, self.first[:-1]) if len(self) else np.ones(1)
        if not np.abs(total - 1).max() < SUM_ERROR:
            table = int(np.argmax(~(np.abs(total - 1) < SUM_ERROR)))
            raise BrokenGame(f"chance table {table}: its weights sum to {total[table]}, not to one")

    def __len__(self) -> int:
        return len(self.first) - 1

    def missing(self, index: int, state: object) -> BrokenGame:
        """The error for an index of no table, which a state asked for."""
        return BrokenGame(f"chance table {index}: there are tables 0 to {len(self) - 1}; state {state}")

    def rows_of(self, table: int) -> np.ndarray:
        """The results of a table, in its order: int64, shape (rows of the table,)."""
        return self.result[self.first[table] : self.first[table + 1]]


def tables(weights: Iterable[Weights]) -> Tables:
    """Flatten result -> integer weight tables. Raises ValueError for an empty table or a result out of range."""
    results: list[int] = []
    chances: list[float] = []
    first = [0]
    for values, shares in map(_row_of, weights):
        results += values
        chances += shares
        first.append(len(results))
    return Tables(np.array(first), np.array(results), np.array(chances))


def row_of(weights: Weights) -> Row:
    """Results in order and their chances. Raises ValueError for an empty table."""
    values, shares = _row_of(weights)
    return np.array(values), np.array(shares)


def _row_of(weights: Weights) -> tuple[list[int], list[float]]:
    total = sum(weights.values())
    if total <= 0:
        raise ValueError("a chance table needs at least one result with a positive weight")
    if min(weights.values()) < 0:
        raise BrokenGame(f"a chance table has the weight {min(weights.values())}")
    able = sorted([one for one in weights.items() if one[1]])
    return [value for value, _ in able], [weight / total for _, weight in able]


class TableBook:
    """Collects tables and returns their indices, never NO_TABLE; equal tables get the same index."""

    def __init__(self) -> None:
        self._index: dict[Hashable, int] = {}
        self._kept: dict[Hashable, int] = {}
        self._tables: list[Weights | Row | Sum] = [CERTAIN]

    def __len__(self) -> int:
        return len(self._tables)

    def copy(self) -> TableBook:
        """The same tables in a book of its own."""
        other = TableBook()
        other._index, other._kept, other._tables = dict(self._index), dict(self._kept), list(self._tables)
        return other

    def add(self, table: Weights | Row) -> int:
        """Index of a table, added if new: integer weights (kept in lowest terms), or (results, chances) as arrays."""
        key: Hashable
        if isinstance(table, tuple):
            key = (table[0].tobytes(), table[1].tobytes())
        else:
            common = gcd(*table.values()) or 1
            lowest = sorted([(value, weight // common) for value, weight in table.items() if weight])
            key, table = tuple(lowest), dict(lowest)
        if key not in self._index:
            self._index[key] = self._append(table)
        return self._index[key]

    def _append(self, table: Weights | Row | Sum) -> int:
        self._tables.append(table)
        return len(self._tables) - 1

    def by(self, key: Hashable, make: Callable[[], Weights | Row | Sum]) -> int:
        """Index of the table kept under `key`, made by `make()` the first time; arrays are not compared with others."""
        if key not in self._kept:
            table = make()
            self._kept[key] = self._append(table) if isinstance(table, tuple) else self.add(table)
        return self._kept[key]

    def unless_idle(self, index: int) -> int:
        """NO_TABLE if the table always gives 0, else the index; rules skip such a roll, since a 0 changes nothing."""
        table = self._tables[index]
        rows = table.rows if isinstance(table, Sum) else [table] if isinstance(table, tuple) else []
        idle = all(len(results) == 1 and results[0] == 0 for results, _ in rows) if rows else table == CERTAIN
        return NO_TABLE if idle else index

    def weights(self, index: int) -> Weights:
        """The weights of table `index`: integers, or chances if it was added as arrays."""
        table = self._tables[index]
        if isinstance(table, Sum):
            table = from_sums([table]).rows[1:]
        return dict(zip(*(a.tolist() for a in table), strict=True)) if isinstance(table, tuple) else table

    def close(self) -> Tables:
        """All tables, flattened."""
        whole = [table for table in self._tables if not isinstance(table, tuple)]
        if len(whole) == len(self._tables):
            return tables(whole)
        rows = [table if isinstance(table, tuple) else row_of(table) for table in self._tables]
        plain = [row for row in rows if not isinstance(row, Sum)]
        return from_rows(plain) if len(plain) == len(rows) else from_sums(rows)


def from_sums(tables: Sequence[Row | Sum]) -> Tables:
    """Flatten tables of several rolls, all at once; results without a chance, which is too small for a float, are left
    out.
    """
    parts = [table.rows if isinstance(table, Sum) else (table,) for table in tables]
    number: dict[int, int] = {}
    rows: list[Row] = [(np.zeros(1, np.int64), np.ones(1))]
    for row in (row for part in parts for row in part):
        if number.setdefault(id(row[0]), len(rows)) == len(rows):
            rows.append(row)
    most = max(map(len, parts))
    used = np.array([[number[id(row[0])] for row in part] + [0] * (most - len(part)) for part in parts])
    results, chances = (np.concatenate(columns) for columns in zip(*rows, strict=True))
    sizes = np.array([len(row[0]) for row in rows])
    begin, size = (sizes.cumsum() - sizes)[used], sizes[used]
    total = size.prod(axis=1)
    place = np.arange(total.sum()) - (total.cumsum() - total).repeat(total)
    result, weight = np.zeros(len(place), np.int64), np.ones(len(place))
    for first, wide in zip(begin.T, size.T, strict=True):
        place, at = np.divmod(place, wide.repeat(total))
        at += first.repeat(total)
        result += results.take(at)
        weight *= chances.take(at)
    able = weight > 0
    kept = np.add.reduceat(able, total.cumsum() - total)
    return Tables(np.append(0, kept.cumsum()), result[able], weight[able])


def from_rows(rows: Sequence[Row]) -> Tables:
    """Flatten (results, chances) pairs, for games that build many tables with NumPy."""
    results, weights = zip(*rows, strict=True)
    first = np.array([0, *accumulate(map(len, results))])
    return Tables(first, np.concatenate(results), np.concatenate(weights))


def by_row(tables: Tables) -> Tables:
    """The same tables, with the row number in place of each result."""
    first = tables.first
    return Tables(first, np.arange(first[-1]) - np.repeat(first[:-1], np.diff(first)), tables.weight, tables.largest)
