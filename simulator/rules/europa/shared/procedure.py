"""Procedures that are a table: a d10 and its modifiers lead to a row, and the row to the next roll or to the end.

A procedure is a start and a function `follow(state)`: the `Roll` or `Draw` that comes next, None at the end. States are
any hashable values, found before the first roll; the chain has one number, the place of the state in their list.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np

from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.rules.battle import Built, Columns
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.toolkit.faces import face_where

Row = TypeVar("Row")

FACES = range(1, 11)
OVER = -1


class Roll(NamedTuple):
    """A d10 and its modifiers (None: the die is read as it is), from a section of the rules.

    `after(die, modified)` is the state that the row leads to, `line(shown, after)` the line of a replay.
    """

    name: str
    section: str
    modifiers: Sequence[Bonus] | None
    after: Callable[[int, int], Any]
    line: Callable[[str, Any], str]

    @property
    def total(self) -> int:
        """The modifiers of the die."""
        return sum_of(self.modifiers or ())

    @property
    def weights(self) -> Counter[Any]:
        """The states that may follow, with the faces that lead there."""
        total = self.total
        return Counter(self.after(die, die + total) for die in FACES)

    def replay(self, after: Any, dice: random.Random) -> str:
        """A line of a replay, with a die that leads to this state: "7 + 2 = 9"."""
        total = self.total
        die = face_where(FACES, lambda face: self.after(face, face + total) == after, dice)
        shown = f"{die} {'+' if total >= 0 else '-'} {abs(total)} = {die + total}"
        return self.line(str(die) if self.modifiers is None else shown, after)

    def why(self) -> list[str]:
        """The modifiers as lines."""
        return why(self.name, self.section, self.modifiers or ())


def why(roll: str, section: str, modifiers: Sequence[Bonus]) -> list[str]:
    """The modifiers of a roll as lines, those of 0 left out."""
    lines = [f"{roll}: {value:+d} {reason} ({LAW} {section})" for value, reason in modifiers if value]
    return lines or [f"{roll}: no modifier ({LAW} {section})"]


class Draw(NamedTuple):
    """States that may follow with their weights where no die is read: coins for losses, a battle of its own.

    `replay(after, dice)` is a line of a replay; `dice` is a random.Random for what else it shows.
    """

    weights: Mapping[Any, float]
    replay: Callable[[Any, random.Random], str]


Following = Roll | Draw | None


def roll_then_draw(
    roll: Roll, weights: Callable[[int], Mapping[Any, float]], text: Callable[[Any], str]
) -> Callable[[Any], Following]:
    """The `after` function of a procedure with one roll, whose row (a whole number) leads to a draw of the ending.

    `weights(row)`: the ends with their weights; `text(end)`: an end in words. States: None, the row, the end.
    """

    def follow(state: Any) -> Following:
        if state is None:
            return roll
        return Draw(weights(state), lambda end, _: text(end)) if isinstance(state, int) else None

    return follow


def row_of(rows: Mapping[int, Row], modified: int, otherwise: Row) -> Row:
    """The row with the largest number that a modified die reaches, `otherwise` below all of them."""
    return rows[max(reached)] if (reached := [least for least in rows if least <= modified]) else otherwise


class Procedure(NamedTuple):
    """`table` of each place (OVER: none); the place that result r leads to from place i is `to[first[i] + r]`."""

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray


class Place(NamedTuple):
    """The place of the state in the list of all states."""

    place: int


@rule(Procedure)
def running(p, s):
    """Is anything still to be rolled?"""
    return p.table[s.place] >= 0


@rule(Procedure)
def table(p, s):
    """The chances of what may follow."""
    return p.table[s.place]


@rule(Procedure)
def step(p, s, result):
    """The next roll or draw."""
    return s._replace(place=p.to[p.first[s.place] + result])


def chain_of(start: Any, follow: Callable[[Any], Following], label: str = "") -> tuple[Chain, list[Any]]:
    """The chain of a procedure, and its states by place."""
    places: dict[Any, int] = {start: 0}
    states: list[Any] = [start]
    book, to = TableBook(), []
    table_of: list[int] = []
    first: list[int] = []
    for state in states:  # grows as it goes
        first.append(len(to))
        following = follow(state)
        if following is None:
            table_of.append(OVER)
            continue
        weights = {after: weight for after, weight in following.weights.items() if weight > 0}
        # Whole numbers, or the chances of a composed stage.
        of_states = list(weights.values())
        whole, total = all(isinstance(weight, int) for weight in of_states), sum(of_states)
        chances = np.arange(len(weights)), np.array(of_states) / total
        table_of.append(book.add(dict(enumerate(of_states)) if whole else chances))
        for after in weights:
            if after not in places:
                places[after] = len(states)
                states.append(after)
            to.append(places[after])
    params = Procedure(np.array(table_of, np.int64), np.array(first, np.int64), np.array(to or [0], np.int64))

    def tell(before: Place, result: int, after: Place, dice: random.Random) -> str:
        following = follow(states[before.place])
        assert following is not None
        return following.replay(states[after.place], dice)

    limits = Place(max(1, len(states) - 1))
    return Chain(params, Place(0), limits, book.close(), tell=tell, label=label, may_be_over=True), states


def built(
    start: Any,
    follow: Callable[[Any], Following],
    columns: Callable[[Any], Mapping[str, Any]],
    assumptions: Sequence[str],
    explain: Sequence[str],
    label: str = "",
) -> Built:
    """Everything that answers a procedure; `columns(state)` is a row of the outcome for a final state."""
    chain, states = chain_of(start, follow, label)

    def outcome(final: Any) -> Columns:
        rows = [columns(states[place]) for place in final.place]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}

    return Built(chain=chain, outcome=outcome, assumptions=lambda: assumptions, explain=lambda: explain)
