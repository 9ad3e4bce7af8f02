"""Exact chances of factored chains: results are enumerated for each of the two rolls alone, never for their pairs.

The fields of a state have three parts: those that the first roll changes, those that the second roll changes
(`Chain.factored`), and the rest. The dice (`lands`) change each part separately, so that the successors of each part
are enumerated alone, and the chance of a state goes to a rectangle of successors. Each is a cell of a *plane*: a
grid over the values of both parts (the first along it, the second across), one for each rest and counter value.
The part of the step without dice (`follows`) leads from a cell to a *node*: a final state, or one with a table for
each roll. Nodes are made when chance first reaches them, plane by plane.

A small battle is solved as plain Python, a larger one by `grid_kernels`.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from math import prod
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.factored.grid_sweep import (
    FOUND,
    KINDS,
    MANY,
    NODES,
    TINY,
)
from simulator.engine.model.chain import Chain
from simulator.engine.model.interpreted import plain_params, plain_state
from simulator.engine.model.limits import BrokenGame, NoExactOdds, in_words

# Initial room for planes in progress.
PLANES = 4
# Limits of kinds of planes, cells of a plane, and places of a kind; a larger battle is enumerated as a graph.
MOST_KINDS, MOST_CELLS, MOST_PLACES = 1 << 25, 1 << 22, 1 << 24
# Limit of the cells of a plane times the pairs of results of two rolls: beyond it enumeration takes longer than a
# simulation on a lazy graph (100 against 100 infantry, a million battles: 2.8 s, against 0.2 s in all).
MOST_PAIRS = 1 << 22
# Results of each roll with which the start state is checked to be factored.
SOME = 6
_checked: set[type] = set()


class Axes(NamedTuple):
    """The position of a state: for each field its stride `along` a plane, `across` it, and in the code of the rest.

    A stride is 0 if the field has no part in that axis; the counter is in none. `values` is the number of values of
    each field; a plane has `long` cells along it, in `wide` rows; `codes` is the number of codes of the rest.
    """

    along: np.ndarray
    across: np.ndarray
    rest: np.ndarray
    values: np.ndarray
    long: int
    wide: int
    codes: int

    @property
    def cells(self) -> int:
        """Cells of a plane."""
        return self.long * self.wide

    def distinct(self, states: np.ndarray) -> int:
        """The number of distinct states among `states`: int64, shape (rows, fields).

        Rows may be equal, as several cells may lead to the same state.
        """
        codes = states @ (self.along + self.across + self.rest * self.cells)
        codes.sort()
        return int(np.count_nonzero(codes[1:] != codes[:-1])) + 1

    @property
    def tiny(self) -> float:
        """The chance that may be cut at once."""
        return TINY if self.cells > MANY else 0.0

    @property
    def lengths(self) -> tuple[int, int]:
        """Cells along a plane, and rows across it."""
        return self.long, self.wide


def axes_of(chain: Chain) -> Axes:
    """The axes of a factored chain, cached in it."""
    return chain.kept.of(_axes, chain)


def _axes(chain: Chain) -> Axes:
    assert chain.factored is not None
    return _axes_of(chain.start._fields, tuple(map(int, chain.limits)), chain.counted, chain.factored)


@lru_cache(maxsize=1024)
def _axes_of(
    fields: tuple[str, ...], limits: tuple[int, ...], counted: int, factored: tuple[tuple[str, ...], tuple[str, ...]]
) -> Axes:
    strides, width, widths = np.zeros((3, len(fields)), np.int64), 1, []
    for axis, names in enumerate((*factored, ())):
        stride = width if axis < 2 else 1
        for f, name in enumerate(fields):
            of_kind = axis == 2 and f != counted and name not in factored[0] + factored[1]
            if name in names or of_kind:
                strides[axis, f] = stride
                stride *= limits[f] + 1
        width = stride
        widths.append(width)
    values = np.array(limits) + 1
    return Axes(*strides, values, widths[0], widths[1] // widths[0], int((values - 1) @ strides[2]) + 1)


def fits_on_grid(chain: Chain) -> bool:
    """May this chain be solved on a grid? Cached in the chain."""
    return chain.kept.of(_fits, chain)


def _fits(chain: Chain) -> bool:
    if chain.factored is None or chain.counted < 0 or chain.utilities is not None:
        return False
    values = {name: int(limit) + 1 for name, limit in zip(chain.start._fields, chain.limits, strict=True)}
    del values[chain.start._fields[chain.counted]]
    along, across = (prod(values.pop(name) for name in names) for names in chain.factored)
    if along * across > MOST_CELLS or prod(values.values()) > MOST_KINDS:
        return False
    return (along + across) * _results(chain) <= MOST_PLACES


def _results(chain: Chain) -> int:
    """The number of different results of its tables."""
    return len(chain.tables.numbered[1])


def too_wide(chain: Chain) -> bool:
    """Does a factored chain have too many pairs of results for a graph to pay?"""
    if chain.factored is None or chain.utilities is not None:
        return False
    return bool(axes_of(chain).cells * np.diff(chain.tables.first).mean() ** 2 > MOST_PAIRS)


def check_budget(chain: Chain, axes: Axes, at: Any, budget: int) -> None:
    """Raise NoExactOdds if nodes, kinds, endings and planes need more bytes than the budget."""
    nodes, kinds, endings = int(at[NODES]), int(at[KINDS]), int(at[FOUND])
    places = sum(axes.lengths) * _results(chain)
    size = nodes * (40 + 4 * len(chain.start)) + 4 * kinds * (axes.cells + places)
    size += 20 * endings + 8 * PLANES * axes.cells
    if size > budget:
        raise NoExactOdds(
            f"more than {nodes:,} states and {endings:,} endings, not all of them followed: at least "
            f"{in_words(size)}, past the budget of {in_words(budget)}"
        )


class CyclicPlanes(Exception):
    """The planes of a battle lead back to each other: it needs a graph."""


def not_factored(chain: Chain, state: Any) -> BrokenGame:
    """The error for a roll that changes a field of another part."""
    return BrokenGame(
        f"factored: the two rolls change each other's fields in {state}; they may change {chain.factored} only"
    )


def check_factored(chain: Chain) -> None:
    """Raise BrokenGame if some pairs of results in the start state show that the chain is not factored.

    Only the first chain of each kind is checked: a check takes as long as a small battle.
    """
    if type(chain.params) in _checked:
        return
    _checked.add(type(chain.params))
    p, s, axes = plain_params(chain.params), plain_state(chain, chain.start), axes_of(chain)
    lands, follows = chain.part("lands"), chain.part("follows")
    if not chain.part("running")(p, s):
        return
    some = []
    for part in ("table", "second"):
        results = chain.tables.rows_of(int(chain.part(part)(p, s)))
        some.append(results[np.linspace(0, len(results) - 1, min(SOME, len(results))).astype(int)].tolist())
    parts: list[dict[int, int]] = [{}, {}, {}]
    for mine, theirs in product(*some):
        after = plain_state(chain, lands(p, s, mine, theirs), s)
        for seen, roll, strides in zip(parts, (mine, theirs, 0), axes[:3], strict=True):
            place = int(np.dot(strides, after))
            if seen.setdefault(roll, place) != place:
                raise not_factored(chain, s)
        if follows(p, after) != chain.leap(p, s, mine, theirs):
            raise BrokenGame(f"factored: step is not follows after lands for the results {mine} and {theirs}, in {s}")
