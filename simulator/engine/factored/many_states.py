"""The edges of many states of a factored chain at once, by its plain rules over arrays of NumPy.

States are grouped so that the fields that no roll changes are plain numbers; those that a roll changes are arrays. A
rule that branches on an array raises ValueError: such states are followed one by one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simulator.engine.factored.grid import axes_of
from simulator.engine.model.chain import Chain
from simulator.engine.model.ragged import members

# In place of a chance table: the battle is over.
FINAL = -1
# Edges that are made at once, and the most that a state may have.
EDGES, MOST_OF_A_STATE = 1 << 16, 1 << 20


class NotTogether(Exception):
    """A rule branches on what a roll changes, or breaks the contract."""


class Steps(NamedTuple):
    """The tables of some states, FINAL and 0 for a final one, and the number of their edges: int64, shape (states,);
    the cells that the edges lead to, by number, state after state: int64, shape (edges,).
    """

    table: np.ndarray
    second: np.ndarray
    size: np.ndarray
    cell: np.ndarray


class ManyStates:
    """The steps of many states at once, and the states of cells before `follows`."""

    def __init__(self, chain: Chain) -> None:
        assert chain.factored is not None
        self._chain, self._axes = chain, axes_of(chain)
        self._rolled = [name in chain.factored[0] + chain.factored[1] for name in chain.start._fields]
        # The numbers of planes by the fields that no roll changes.
        self._planes: dict[tuple[int, ...], int] = {}
        self.most = max(1, EDGES // chain.tables.largest**2)

    @staticmethod
    def serves(chain: Chain) -> bool:
        """Can states of this chain be followed together?"""
        return chain.factored is not None and chain.tables.largest**2 <= MOST_OF_A_STATE

    def steps(self, states: list[Any]) -> Steps:
        """The steps of these states. Raises NotTogether."""
        fields = np.array(states, np.int64).T
        code = self._axes.rest @ fields
        table, second, size = (np.zeros(len(states), np.int64) for _ in range(3))
        groups = []
        for one in np.unique(code).tolist():
            where = np.flatnonzero(code == one)
            try:
                table[where], second[where], size[where], cell = self._of_group(fields[:, where])
            except (ValueError, TypeError, IndexError) as error:
                raise NotTogether from error
            groups.append((where, cell))
        cells, begin = np.zeros(int(size.sum()), np.int64), np.cumsum(size) - size
        for where, cell in groups:
            owner, inside = members(size[where])
            cells[begin[where][owner] + inside] = cell
        return Steps(table, second, size, cells)

    def _of_group(self, fields: np.ndarray) -> Steps:
        """The steps of states that differ only in fields that a roll changes: int64, shape (fields, states)."""
        chain, p, width = self._chain, self._chain.params, fields.shape[1]
        s = type(chain.start)(
            *(row if rolled else int(row[0]) for rolled, row in zip(self._rolled, fields, strict=True))
        )
        none = np.zeros(width, np.int64)
        if not _number(chain.part("running")(p, s)):
            return Steps(none + FINAL, none, none, none[:0])
        t, u = (none + chain.part(name)(p, s) for name in ("table", "second"))
        if min(t.min(), u.min()) < 0 or max(t.max(), u.max()) >= len(chain.tables):
            raise NotTogether
        (along, plane), (across, same) = self._places(s, t, u, False), self._places(s, u, t, True)
        if plane != same:
            raise NotTogether
        first, result, _ = chain.tables.rows
        fan = np.diff(first)
        owner, inside = members(fan[t] * fan[u])
        row, side = first[t][owner] + inside % fan[t][owner], first[u][owner] + inside // fan[t][owner]
        cell = along[result[row], owner] + across[result[side], owner]
        return Steps(t, u, fan[t] * fan[u], plane * self._axes.cells + cell)

    def _places(self, s: Any, own: np.ndarray, other: np.ndarray, second: bool) -> tuple[np.ndarray, int]:
        """The place along a plane after each result of a roll with these tables, with `second` across it: int64, shape
        (results, states); and the number of the plane. `other`: the tables of the other roll.
        """
        chain, axes = self._chain, self._axes
        results, others = (
            np.unique(np.concatenate([chain.tables.rows_of(int(i)) for i in np.unique(t)])) for t in (own, other)
        )
        mine, theirs = (axes.across, axes.along) if second else (axes.along, axes.across)
        places, fixed, planes, beside = np.zeros((int(results[-1]) + 1, len(own)), np.int64), int(others[0]), set(), []
        for result in results.tolist():
            after = chain.part("lands")(chain.params, s, *((fixed, result) if second else (result, fixed)))
            planes.add(self._plane(after))
            places[result] = self._place(mine, after)
            beside.append(self._place(theirs, after))
        if len(planes) > 1 or any(np.any(one != beside[0]) for one in beside):
            raise NotTogether
        return places, planes.pop()

    def _plane(self, after: Any) -> int:
        """The number of the plane of a state after the dice."""
        for value, limit in zip(after, self._chain.limits, strict=True):
            if np.any(np.less(value, 0) | np.greater(value, limit)):
                raise NotTogether
        rest = tuple(0 if rolled else _number(value) for rolled, value in zip(self._rolled, after, strict=True))
        return self._planes.setdefault(rest, len(self._planes))

    def _place(self, strides: np.ndarray, after: Any) -> Any:
        return sum(stride * value for stride, value in zip(strides.tolist(), after, strict=True) if stride)

    def states(self, cells: np.ndarray) -> list[Any]:
        """The states of these cells, before `follows`, as plain ints."""
        plane, cell = np.divmod(cells, self._axes.cells)
        # Without cells there may be no planes: all of the states are final.
        fields = np.array(list(self._planes), np.int64).reshape(-1, len(self._chain.start))[plane].T
        for f, stride in enumerate((self._axes.along + self._axes.across).tolist()):
            if stride:
                fields[f] = cell // stride % self._axes.values[f]
        return list(map(type(self._chain.start)._make, fields.T.tolist()))


def _number(value: Any) -> int:
    """A plain number; raises NotTogether for an array."""
    if np.ndim(value):
        raise NotTogether
    return int(value)
