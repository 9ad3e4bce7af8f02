"""The plain form of a battle: one function over any hashable states, for battles of at most some 20,000 of them.

    follow(state) -> Roll | Choice | None

says what comes next in a state: chance, a decision of a side, or nothing at the end. All states are found before the
first roll; the chain holds the place of the state in their list, so that no rule is compiled for a game, and a first
answer waits for no compiler. Larger battles are written in the compiled form (`chain.rule`, docs/compiled-games.md).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from simulator.engine.model.chain import BEST, MOST_COUNT, Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.engine.model.limits import BrokenGame, NoExactOdds

NOTHING: Mapping[str, int] = MappingProxyType({})
SIDES = ("attacker", "defender")
# The table of a final state.
OVER = -1
# More states than these are refused: the compiled form finds them hundreds of times as fast.
MOST_STATES = 200_000
# In so many states `follow` is asked twice.
ASKED_TWICE = 64


class Chance(Protocol):
    """A step that chance decides: a `Roll`, or a game's own kind of it.

    `weights`: the states that may follow, with whole weights or chances. `counts`: what the step adds to the counters.
    `replay(after, dice)`: a line of a replay that leads to this state, "" for none.
    """

    @property
    def weights(self) -> Mapping[Any, float]:
        """The states that may follow, with their weights."""
        ...

    @property
    def counts(self) -> Mapping[str, int]:
        """The amounts added to counters."""
        ...

    def replay(self, after: Any, dice: random.Random) -> str:
        """A line of a replay."""
        ...


class Roll(NamedTuple):
    """Chance decides: the states that may follow, with whole weights or chances.

    `counts`: what the step adds to the counters of the battle. `line(after, dice)`: a line of a replay; `dice` is a
    random.Random that may pick die faces which lead to this state. Without it a replay shows the name and the state.
    """

    name: str
    weights: Mapping[Any, float]
    counts: Mapping[str, int] = NOTHING
    line: Callable[[Any, random.Random], str] | None = None

    def replay(self, after: Any, dice: random.Random) -> str:
        """The line of a replay."""
        return self.line(after, dice) if self.line else f"{self.name}: {after}"


class Choice(NamedTuple):
    """A side ("attacker" or "defender") decides by a policy that is `best`, named by its path in the scenario.

    Each option, in words, leads to a state, or at once to a roll. A fixed policy is no choice: `follow` takes the
    option of it.
    """

    side: str
    policy: str
    options: Mapping[str, Any]


Following = Chance | Choice | None
Follow = Callable[[Any], Following]


class Rolled(NamedTuple):
    """By place: its chance `table` (OVER: a final state) and its `first` edge; by edge: the place that it leads `to`,
    and what it adds to the first counter (`more`).
    """

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray
    more: np.ndarray


class Decided(NamedTuple):
    """As `Rolled`, for battles in which a side decides: `owner` of a place is 1 + side, 0 for chance, and `options`
    the number of its options, whose edges follow each other.
    """

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray
    more: np.ndarray
    owner: np.ndarray
    options: np.ndarray


class Place(NamedTuple):
    """The place of a state in the list of all states, and the first counter."""

    place: int
    tally: int


@rule(Decided)
@rule(Rolled)
def running(p, s):
    """Is anything left to happen?"""
    return p.table[s.place] >= 0


@rule(Decided)
@rule(Rolled)
def table(p, s):
    """The chances of the states that may follow."""
    return p.table[s.place]


@rule(Decided)
@rule(Rolled)
def step(p, s, result):
    """The state that a result, or an option, leads to."""
    edge = p.first[s.place] + result
    return s._replace(place=p.to[edge], tally=s.tally + p.more[edge])


@rule(Decided)
def decides(p, s):
    """Chance or a side decides."""
    return p.owner[s.place]


@rule(Decided)
def options(p, s):
    """The options of the side."""
    return p.options[s.place]


@rule(Decided)
def choose(p, s):
    """The engine solves for all choices."""
    return BEST


class Offered(NamedTuple):
    """The state between an option of a choice and the roll that it leads to."""

    state: Any
    option: str


class PlainBattle:
    """A battle in the plain form with all its states.

    `chain`: what the engine answers. `states`: by place, each with the values of all counters but the first, which
    the edges of the chain carry.
    """

    def __init__(self, start: Hashable, follow: Follow, counters: Sequence[str] = (), label: str = "") -> None:
        """Find all states; `label` names a stage of a composed battle.

        `counters` are what rolls count. Edges carry the first; the others are part of the states: they must end.

        Raises BrokenGame, which names the state, for weights that are no chances, an unknown counter, a choice without
        a side or options, and a `follow` that answers otherwise when asked again; NoExactOdds above MOST_STATES states.
        """
        self._follow, self._counters = follow, tuple(counters)
        self.states: list[tuple[Any, tuple[int, ...]]] = [(start, (0,) * max(0, len(self._counters) - 1))]
        self._places = {self.states[0]: 0}
        self._first, self._to, self._more = list[int](), list[int](), list[int]()
        book, table_of, owner, number = TableBook(), list[int](), list[int](), list[int]()
        for place, (state, _) in enumerate(self.states):  # the list grows meanwhile
            following = self._next(state)
            chosen = isinstance(following, Choice)
            after = self._options(state) if chosen else self._weights(state, following)
            if place < ASKED_TWICE and _asked(self._next(state)) != _asked(following):
                raise BrokenGame(f"follow: answers differently when asked again, in {state}")
            table_of.append(0 if chosen else _table(book, list(after.values())) if after else OVER)
            owner.append(1 + SIDES.index(following.side) if isinstance(following, Choice) else 0)
            number.append(len(after))
            self._lead(
                place, after, NOTHING if following is None or isinstance(following, Choice) else following.counts
            )
        held = [np.array(one or [0], np.int64) for one in (table_of, self._first, self._to, self._more, owner, number)]
        self.chain = Chain(
            Decided(*held) if any(owner) else Rolled(*held[:4]),
            Place(0, 0),
            Place(max(1, len(self.states) - 1), MOST_COUNT if self._counters else 0),
            book.close(),
            counters=("tally",) if self._counters else (),
            tell=self._tell,
            label=label,
            may_be_over=True,
        )

    def ends(self, final: Any) -> list[tuple[Any, dict[str, int]]]:
        """Final states of the chain (a State of int arrays) as states of the battle, each with its counters."""
        found = []
        for place, count in zip(final.place.tolist(), final.tally.tolist(), strict=True):
            state, others = self.states[place]
            found.append((state, dict(zip(self._counters, (count, *others), strict=False))))
        return found

    def choice_at(self, place: int) -> tuple[Any, Choice]:
        """The state at this place, in which a side decides, and its choice."""
        state = self.states[place][0]
        choice = self._next(state)
        assert isinstance(choice, Choice)
        return state, choice

    def _next(self, state: Any) -> Following:
        """As `follow`, also between an option and its roll."""
        if not isinstance(state, Offered):
            return self._follow(state)
        choice = self._follow(state.state)
        assert isinstance(choice, Choice)
        roll: Chance = choice.options[state.option]
        return roll

    def _options(self, state: Any) -> dict[Any, float]:
        """The state of each option."""
        choice = self._next(state)
        assert isinstance(choice, Choice)
        if choice.side not in SIDES or not choice.options:
            raise BrokenGame(f"follow: {choice.side!r} is no side, or has no option, in {state}")
        leads = {
            Offered(state, name) if hasattr(after, "weights") else after: 0.0 for name, after in choice.options.items()
        }
        if len(leads) < len(choice.options):
            raise BrokenGame(f"follow: two of the options {', '.join(choice.options)} are the same, in {state}")
        return leads

    def _weights(self, state: Any, chance: Chance | None) -> dict[Any, float]:
        """The states that may follow with their weights, those of 0 left out; none after the end."""
        if chance is None:
            return {}
        if unknown := [name for name in chance.counts if name not in self._counters]:
            raise BrokenGame(f"follow: no counter {unknown[0]!r}; counters: {', '.join(self._counters)}; in {state}")
        weights = chance.weights
        if not all(0 <= weight < math.inf for weight in weights.values()) or not any(weights.values()):
            raise BrokenGame(f"follow: the weights {list(weights.values())} are no chances, in {state}")
        return {after: weight for after, weight in weights.items() if weight > 0}

    def _lead(self, place: int, after: Mapping[Any, float], counts: Mapping[str, int]) -> None:
        """Add the edges of a place, and the states that they find."""
        self._first.append(len(self._to))
        held = zip(self._counters[1:], self.states[place][1], strict=True)
        others = tuple(value + counts.get(name, 0) for name, value in held)
        more = counts.get(self._counters[0], 0) if self._counters else 0
        for state in after:
            found = self._places.setdefault((state, others), len(self.states))
            if found == len(self.states):
                self.states.append((state, others))
            self._to.append(found)
            self._more.append(more)
        if len(self.states) > MOST_STATES:
            raise NoExactOdds(f"more than {MOST_STATES:,} states; a battle in the plain form has fewer")

    def _tell(self, before: Place, result: int, after: Place, dice: random.Random) -> str:
        """The line of a roll, and the options that sides choose after it."""
        state, place = self.states[before.place][0], self._to[self._first[before.place] + result]
        chance = self._next(state)
        assert chance is not None
        assert not isinstance(chance, Choice)
        lines = [chance.replay(self.states[place][0], dice), *self._chosen(place, after.place)]
        return " ".join(filter(None, lines))

    def _chosen(self, place: int, end: int) -> list[str]:
        """The options chosen between two places, in words; choices follow each other without a roll."""
        ways: list[tuple[int, list[str]]] = [(place, [])]
        for here, lines in ways:  # the list grows meanwhile
            if here == end:
                return lines
            choice = self._next(self.states[here][0])
            if isinstance(choice, Choice):
                first = self._first[here]
                ways += [
                    (self._to[first + option], [*lines, f"The {choice.side} chooses: {name}."])
                    for option, name in enumerate(choice.options)
                ]
        return []


def _asked(following: Following) -> Any:
    """What must be the same whenever `follow` is asked."""
    if following is None or isinstance(following, Choice):
        return following and (following.side, following.policy, list(following.options))
    return dict(following.weights), dict(following.counts)


def _table(book: TableBook, weights: Sequence[float]) -> int:
    """The chance table of these weights: whole numbers, or the chances of a composed stage."""
    if all(isinstance(weight, int) for weight in weights):
        return book.add(dict(enumerate(weights)))
    return book.add((np.arange(len(weights)), np.array(weights) / sum(weights)))
