"""Procedures that are a table: a d10 and its modifiers lead to a row, and the row to the next roll or to the end.

A procedure is a battle in the plain form (simulator/engine/model/plain.py) whose rolls are mostly a `D10`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from simulator.engine.model.plain import NOTHING, Following, Roll
from simulator.rules.europa.shared.fleets import LAW
from simulator.rules.europa.shared.modifiers import Bonus, sum_of
from simulator.rules.toolkit.faces import face_where

Row = TypeVar("Row")

FACES = range(1, 11)


class D10(NamedTuple):
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
    def counts(self) -> Mapping[str, int]:
        """Procedures count nothing."""
        return NOTHING

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


def roll_then_draw(
    roll: D10, weights: Callable[[int], Mapping[Any, float]], text: Callable[[Any], str]
) -> Callable[[Any], Following]:
    """The `after` function of a procedure with one roll, whose row (a whole number) leads to a draw of the ending.

    `weights(row)`: the ends with their weights; `text(end)`: an end in words. States: None, the row, the end.
    """

    def follow(state: Any) -> Following:
        if state is None:
            return roll
        return Roll("the ending", weights(state), line=lambda end, _: text(end)) if isinstance(state, int) else None

    return follow


def row_of(rows: Mapping[int, Row], modified: int, otherwise: Row) -> Row:
    """The row with the largest number that a modified die reaches, `otherwise` below all of them."""
    return rows[max(reached)] if (reached := [least for least in rows if least <= modified]) else otherwise
