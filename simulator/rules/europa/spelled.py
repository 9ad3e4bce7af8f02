"""Procedures of few states, spelled out in plain Python before they are run.

A procedure is a function `follow(state)`: what may follow a state with its weights, or None where it is over. States
are any hashable values (NamedTuples as a rule). The chain that comes of it has one number, the state's place in a list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.rules.battle import Built

FACES = range(1, 11)
OVER = -1

Follow = Callable[[Any], Mapping[Any, float] | None]


class Spelled(NamedTuple):
    """`table` of each place (OVER: none); the place that result r leads to from place i is `to[first[i] + r]`."""

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray


class Place(NamedTuple):
    """Where a procedure has come to."""

    place: int


@rule(Spelled)
def running(p, s):
    """Is anything still to be rolled?"""
    return p.table[s.place] >= 0


@rule(Spelled)
def table(p, s):
    """The chances of what may follow."""
    return p.table[s.place]


@rule(Spelled)
def step(p, s, result):
    """What follows."""
    return s._replace(place=p.to[p.first[s.place] + result])


@dataclass(frozen=True)
class Course:
    """A procedure spelled out: its states in the order in which they are met, and its chain."""

    states: Sequence[Any]
    chain: Chain

    def ends(self, places: np.ndarray) -> list[Any]:
        """The states at these places."""
        return [self.states[place] for place in places]

    def columns(self, final: Any, seen: Callable[[Any], Mapping[str, Any]]) -> dict[str, np.ndarray]:
        """What `seen` makes of each final state, column by column: yes/no as bool, the others as whole numbers."""
        rows = [seen(state) for state in self.ends(final.place)]
        return {name: np.array([row[name] for row in rows]) for name in rows[0]}


def rolled(throw: Callable[[int], Hashable]) -> Counter[Any]:
    """What the faces of a d10 lead to."""
    return Counter(throw(die) for die in FACES)


def _table(weights: Mapping[Any, float]) -> dict[int, int] | tuple[np.ndarray, np.ndarray]:
    """Weights of the results 0, 1, 2 ... as the engine takes them: whole numbers, or chances of a composed stage."""
    values = list(weights.values())
    if all(isinstance(weight, int) for weight in values):
        return dict(enumerate(values))  # type: ignore[arg-type]
    return np.arange(len(values)), np.array(values) / sum(values)


def spell_out(start: Hashable, follow: Follow, tell: Callable[..., str] | None = None, label: str = "") -> Course:
    """Spell a procedure out from `start`; `tell(before, after, dice)` is a line of its replay ("" for none)."""
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
        following = {after: weight for after, weight in following.items() if weight > 0}
        table_of.append(book.add(_table(following)))
        for after in following:
            if after not in places:
                places[after] = len(states)
                states.append(after)
            to.append(places[after])
    params = Spelled(np.array(table_of, np.int64), np.array(first, np.int64), np.array(to or [0], np.int64))

    def told(before: Place, result: int, after: Place, dice: Any) -> str:
        return tell(states[before.place], states[after.place], dice) if tell else ""

    chain = Chain(
        params, Place(0), Place(max(1, len(states) - 1)), book.close(), tell=told, label=label, may_be_over=True
    )
    return Course(states, chain)


class Bonus(NamedTuple):
    """A modifier with its reason."""

    value: int
    reason: str


def sum_of(bonuses: Sequence[Bonus]) -> int:
    """What is added to the die."""
    return sum(bonus.value for bonus in bonuses)


def why(roll: str, bonuses: Sequence[Bonus], source: str) -> list[str]:
    """The modifiers of a roll as lines, those of 0 left out."""
    lines = [f"{roll}: {bonus.value:+d} {bonus.reason} ({source})" for bonus in bonuses if bonus.value]
    return lines or [f"{roll}: no modifier ({source})"]


def plainly(die: int, modifier: int) -> str:
    """A die and what it comes to: "7 + 2 = 9"."""
    return f"{die} {'+' if modifier >= 0 else '-'} {abs(modifier)} = {die + modifier}"


def built(
    course: Course,
    seen: Callable[[Any], Mapping[str, Any]],
    assumptions: Sequence[str] = (),
    explain: Sequence[str] = (),
) -> Built:
    """Everything that answers a procedure."""
    return Built(
        chain=course.chain,
        outcome=lambda final: course.columns(final, seen),
        assumptions=lambda: assumptions,
        explain=lambda: explain,
    )
