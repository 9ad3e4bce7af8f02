"""The best division of pieces by tables over the pieces used (docs/rules/plan.md sections 3.3 and 3.4).

Pieces that reach the same fronts are one class. A table holds the best value of some fronts for every exact use of the
classes: the pieces sent, and their price, follow from the use, so that equal plans are told apart without another
search, and the worth of one piece more or fewer is read off the table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import exp, prod
from typing import Any

import numpy as np

from simulator.analysis.plan.choices import EQUAL, SAME_PRICE, Choice, Choices
from simulator.analysis.plan.columns import Columns
from simulator.analysis.plan.first_plan import Known
from simulator.analysis.plan.turn import Turn

# Additions that the tables of one division may take: a second of CPU time, about.
MOST_ADDITIONS = 1.5e9
# An addition to a slice of a table costs at least as much as so many numbers.
LEAST_SLICE = 3_000
# Sums of the same values in another order differ by less.
ROUNDING = 1e-9


@dataclass
class Uses:
    """The ways to bring the columns of a front: the use of each class, int64, shape (ways, classes), the column of each
    way, and its value.
    """

    use: np.ndarray
    column: np.ndarray
    value: np.ndarray

    def only(self, chosen: np.ndarray) -> Uses:
        """These of the ways (bool)."""
        return Uses(self.use[chosen], self.column[chosen], self.value[chosen])


@dataclass
class Part:
    """A part of all divisions: the ways that it allows on each front, and the tables of the fronts from each on, of the
    last ones alone where those before are not solved yet. None of them has a value above `bound`.
    """

    ways: list[Uses]
    after: list[np.ndarray] = field(default_factory=list)
    bound: float = np.inf


class TableDivision:
    """The divisions of a turn in which no place is a hold."""

    def __init__(self, turn: Turn, found: Sequence[Columns], whole: bool = False) -> None:
        """`whole`: keep columns that only a plan with other pieces would choose."""
        self.turn, self.found = turn, found
        self.choices = Choices(turn, found, whole)
        # The division to keep after Ctrl-C: the first one, since tables give none before they are whole.
        self.known: Known | None = None
        self.objective = turn.file.objective
        self.classes = _classes(turn)
        leaving = turn.here - turn.staying
        self.most = np.array([sum(leaving[place, piece] for place in places) for piece, places, _ in self.classes], int)
        self.piece = np.array([piece for piece, _, _ in self.classes], int)
        self.part = Part([self._uses(at) for at in range(len(found))])

    @staticmethod
    def fits(turn: Turn) -> bool:
        """Are the tables of this turn small enough?"""
        if any(front.home >= 0 for front in turn.fronts):
            return False
        leaving, classes = turn.here - turn.staying, _classes(turn)
        sizes = [sum(int(leaving[place, piece]) for place in places) + 2 for piece, places, _ in classes]
        size = prod(sizes)
        # A way that uses a number of a class leaves on average half of the table; of other classes the whole.
        work = 0.0
        for front in range(len(turn.fronts)):
            own = [one for one, (_, _, fronts) in zip(sizes, classes, strict=True) if front in fronts]
            work += prod(own) * max(LEAST_SLICE, size / 2 ** len(own))
        return work <= MOST_ADDITIONS

    def _uses(self, at: int) -> Uses:
        """All ways to bring the columns of a front."""
        kept, columns = self.choices.kept[at], self.found[at]
        known = {
            tuple(numbers): column
            for numbers, column in zip(columns.numbers[kept].tolist(), kept.tolist(), strict=True)
        }
        sizes = [most + 2 if at in fronts else 1 for most, (_, _, fronts) in zip(self.most, self.classes, strict=True)]
        use = np.indices(sizes).reshape(len(sizes), -1).T
        use = use[(use > self.most).sum(axis=1) <= 1]
        numbers = np.zeros((len(use), len(self.turn.pieces)), np.int64)
        for one, piece in enumerate(self.piece):
            numbers[:, piece] += use[:, one]
        column = np.array([known.get(tuple(row), -1) for row in numbers.tolist()], np.int64)
        chosen = column >= 0
        return Uses(use[chosen], column[chosen], self.choices.values[at][column[chosen]])

    def _solved(self, part: Part) -> Part:
        """The part with its tables: the best value of the fronts from each on, by the exact use of the classes."""
        if not part.after:
            nobody = np.full(self.most + 2, -np.inf)
            nobody[(0,) * nobody.ndim] = 0
            part.after = [nobody]
        for ways in reversed(part.ways[: len(part.ways) + 1 - len(part.after)]):
            part.after.insert(0, self._with(part.after[0], ways))
        return part

    def _with(self, later: np.ndarray, ways: Uses) -> np.ndarray:
        """The table of one more front."""
        found = np.full_like(later, -np.inf)
        if np.isfinite(later).sum() == 1 and later.flat[0] == 0:  # nobody is used yet
            np.maximum.at(found, tuple(ways.use.T), ways.value)
            return found
        for use, value in zip(ways.use.tolist(), ways.value.tolist(), strict=True):
            to = tuple(slice(n, None) for n in use)
            of = tuple(slice(0, size - n) for n, size in zip(use, later.shape, strict=True))
            np.maximum(found[to], later[of] + value, out=found[to])
        return found

    def best(self) -> Choice | None:
        """The division that section 3.3 chooses; None without any."""
        found = self._best_of([self.part])
        return found[0] if found else None

    def _best_of(self, parts: Sequence[Part]) -> tuple[Choice, int] | None:
        """The division that section 3.3 chooses among those of these parts, and the number of its part."""
        tables = np.array([self._solved(part).after[0] for part in parts])
        tables[(slice(None), *self._too_many())] = -np.inf
        if not np.isfinite(tables).any():
            return None
        use = np.indices(tables.shape[1:])
        pieces, price = use.sum(axis=0), np.tensordot(self.turn.price[self.piece], use, 1)
        if self.objective == "cheapest":
            near = np.isfinite(tables) & (price <= price[np.isfinite(tables).any(axis=0)].min() + SAME_PRICE)
            least = self._below(float(tables[near].max()))
        else:
            near, least = np.isfinite(tables), self._below(float(tables.max()))
        near &= tables >= least
        near &= pieces == pieces[near.any(axis=0)].min()
        near &= price <= price[near.any(axis=0)].min() + SAME_PRICE
        found: list[tuple[list[int], Choice, int]] = []
        for part in np.flatnonzero(near.reshape(len(parts), -1).any(axis=1)).tolist():
            order, choice = self._first_in_order(parts[part], np.argwhere(near[part]), least)
            found.append((order, choice, part))
        _, choice, part = max(found, key=lambda one: one[0])
        return choice, part

    def _below(self, value: float) -> float:
        """The least value that equals this one."""
        if self.objective == "worth":
            return value - EQUAL
        return float(np.log(exp(value) - EQUAL)) if exp(value) > EQUAL else -np.inf

    def _too_many(self) -> tuple[Any, ...]:
        """Uses of more pieces than there are: an index of tables."""
        return np.where((self.most < np.indices((self.most + 2).tolist()).T).any(axis=-1).T)

    def _first_in_order(self, part: Part, uses: np.ndarray, least: float) -> tuple[list[int], Choice]:
        """Of equal divisions with one of these uses, that whose numbers are largest in the order of section 3.3."""
        left = self.turn.here - self.turn.staying
        order, columns, sent, value = list[int](), list[int](), [], 0.0
        for ways, after in zip(part.ways, part.after[1:], strict=True):
            rest = uses[:, None] - ways.use[None]
            fits = (rest >= 0).all(axis=2)
            reached = np.where(fits, after[tuple(np.moveaxis(np.maximum(rest, 0), 2, 0))], -np.inf)
            fine = np.flatnonzero((value + ways.value[None] + reached >= least).any(axis=0))
            brought = [self._brought(left, ways.use[way]) for way in fine]
            at = max(range(len(fine)), key=lambda one: brought[one].ravel().tolist())
            way = fine[at]
            keep = value + ways.value[way] + reached[:, way] >= least
            uses, value, left = rest[keep, way], value + float(ways.value[way]), left - brought[at]
            order += brought[at].ravel().tolist()
            columns.append(int(ways.column[way]))
            sent.append(brought[at])
        return order, self.choices.choice(columns, np.array(sent).swapaxes(0, 1))

    def _brought(self, left: np.ndarray, use: np.ndarray) -> np.ndarray:
        """The pieces that each place sends: the first gives as many as it can. int64, shape (places, pieces)."""
        found = np.zeros_like(left)
        for number, (piece, places, _) in zip(use.tolist(), self.classes, strict=True):
            for place in places:
                found[place, piece] = min(number - found[:, piece][places].sum(), left[place, piece])
        return found

    def next_best(self, best: Choice, number: int, differ: str) -> Iterator[Choice]:
        """The best division that differs from the best one, then the best that differs from both, and so on.

        All other divisions are parted by the first front on which they differ (Lawler, Management Science 18, 1972).
        """
        parts, choice, part = list[Part](), best, self.part
        for _ in range(number):
            parts += self._others(part, choice, differ)
            near = self._near(parts)
            found = self._best_of(near) if near else None
            if found is None:
                return
            choice, at = found
            part = near[at]
            parts = [one for one in parts if one is not part]
            yield choice

    def _near(self, parts: Sequence[Part]) -> list[Part]:
        """The parts that may hold the best division of these, or an equal one."""
        if self.objective == "cheapest":
            return list(parts)
        found, best = list[Part](), -np.inf
        for part in sorted(parts, key=lambda part: part.bound, reverse=True):
            if part.bound < self._below(best) - ROUNDING:
                break
            best = max(best, self._within(self._solved(part).after[0], self.most))
            found.append(part)
        return found

    def _others(self, part: Part, choice: Choice, differ: str) -> Iterator[Part]:
        """The divisions of a part that differ from one of them, parted by the first front that differs."""
        same = list[Uses]()
        for at, ways in enumerate(part.ways):
            some = np.asarray(self.found[at].numbers.any(axis=1))
            alike = ways.column == choice.columns[at]
            if differ == "targets":
                alike = some[ways.column] == some[choice.columns[at]]
            if (~alike).any():
                other, after = ways.only(~alike), self._solved(part).after[at + 1 :]
                bound = self._with_before(at, other, after[0])
                yield Part([*same, other, *part.ways[at + 1 :]], after, bound)
            same.append(ways.only(alike))

    def value_with(self, place: int, piece: int, more: int) -> float:
        """The largest value with one more (1) or one fewer (-1) of a piece in a place; 0 without a plan."""
        most = self.most.copy()
        for at, (one, places, _) in enumerate(self.classes):
            if one == piece and place in places:
                most[at] += more
        return self._largest(self._solved(self.part).after[0], most)

    def largest(self) -> float:
        """The largest value of all; 0 without a plan."""
        return self._largest(self._solved(self.part).after[0], self.most)

    def best_without(self, front: int) -> float | None:
        """The largest value without attacks on a target, or without anybody who comes to a hold."""
        ways = self.part.ways[front]
        nobody = ways.only(~self.found[front].numbers[ways.column].any(axis=1))
        value = self._with_before(front, nobody, self._solved(self.part).after[front + 1])
        return value if np.isfinite(value) else None

    @cached_property
    def _before(self) -> list[np.ndarray]:
        """For each front the best value of those before it, by the most of each class that they may use."""
        table = self._solved(self.part).after[-1]
        found = [table]
        for ways in self.part.ways[:-1]:
            found.append(self._with(found[-1], ways))
        for axis in range(table.ndim):
            found = [np.maximum.accumulate(one, axis=axis) for one in found]
        return found

    def _with_before(self, front: int, ways: Uses, after: np.ndarray) -> float:
        """The largest value with one of these ways on a front, with what `after` has for the later fronts, and with all
        ways of the part on the earlier ones.
        """
        best = -np.inf
        for use, value in zip(ways.use, ways.value.tolist(), strict=True):
            room = tuple(slice(0, number) for number in self.most - use + 1)
            if (use <= self.most).all():
                earlier = np.flip(self._before[front][room])
                best = max(best, value + float((after[room] + earlier).max()))
        return best

    def _largest(self, table: np.ndarray, most: np.ndarray) -> float:
        value = self._within(table, most)
        if not np.isfinite(value):
            return 0.0
        return value if self.objective == "worth" else exp(value)

    def _within(self, table: np.ndarray, most: np.ndarray) -> float:
        """The largest number of a table with at most so many pieces of each class."""
        return float(table[tuple(slice(0, one + 1) for one in most)].max())


def _classes(turn: Turn) -> list[tuple[int, list[int], frozenset[int]]]:
    """Pieces in places that reach the same fronts: the piece, the places, and the fronts."""
    found: dict[tuple[int, frozenset[int]], list[int]] = {}
    for place, piece in np.argwhere(turn.written).tolist():
        fronts = frozenset(at for at, front in enumerate(turn.fronts) if front.reaches[place, piece])
        if fronts:
            found.setdefault((piece, fronts), []).append(place)
    # A table needs a class, even if nobody may leave.
    return [(piece, places, fronts) for (piece, fronts), places in found.items()] or [(0, [], frozenset())]
