"""The plain form of a battle: one function over any hashable states, for battles of at most some 20,000 of them.

    follow(state) -> Roll | Choice | None

says what comes next in a state: chance, a decision of a side, or nothing at the end. What no rule reads (rounds,
losses) is counted on the way and held by no state: a result that counts leads to a `Counted` state.

All states are found before the first roll; the chain holds the place of the state in their list, so that no rule is
compiled for a game, and a first answer waits for no compiler. Larger battles are written in the compiled form
(`chain.rule`, docs/compiled-games.md).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import repeat
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import numpy as np

from simulator.engine.model.chain import SIDES, Chain, rule
from simulator.engine.model.chance import NO_TABLE, Tables
from simulator.engine.model.counters import Combined, counters_on
from simulator.engine.model.kept import Kept
from simulator.engine.model.limits import BrokenGame, NoExactOdds

NOTHING: Mapping[str, int] = MappingProxyType({})
# The table of a final state.
OVER = -1
# More states or edges than these are refused: the compiled form finds them hundreds of times as fast.
MOST_STATES, MOST_EDGES = 200_000, 5_000_000
# In this many states `follow` is asked twice.
ASKED_TWICE = 64


class Counted(NamedTuple):
    """A state that follows, where its result adds to counters: `amounts`, in the order of the battle's counters."""

    state: Any
    amounts: tuple[int, ...]


class Chance(Protocol):
    """A step that chance decides: a `Roll`, or a game's own kind of it.

    `weights`: the states that may follow (or `Counted` ones), with whole weights or chances. `counts`: what every
    result adds to the counters. `replay(after, dice)`: a line of a replay that leads to this state, "" for none; it
    gets the key of `weights`.
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

    A result that adds to counters leads to a `Counted` state; `counts`: what every result adds, by name.
    `line(after, dice)`: a line of a replay; `dice` is a random.Random that may pick die faces which lead to this state.
    Without it a replay shows the name and the state.
    """

    name: str
    weights: Mapping[Any, float]
    counts: Mapping[str, int] = NOTHING
    line: Callable[[Any, random.Random], str] | None = None

    def replay(self, after: Any, dice: random.Random) -> str:
        """The line of a replay."""
        if self.line:
            return self.line(after, dice)
        return f"{self.name}: {after.state if isinstance(after, Counted) else after}"


class Choice(NamedTuple):
    """A side ("attacker" or "defender") decides by a policy that is `best`, named by its path in the scenario.

    Each option, in words, leads to a state (or a `Counted` one), or at once to a roll. A fixed policy is no choice:
    `follow` takes the option of it.
    """

    side: str
    policy: str
    options: Mapping[str, Any]


Following = Chance | Choice | None
Follow = Callable[[Any], Following]


class PlainRolled(NamedTuple):
    """By place: its chance `table` (OVER: a final state) and its `first` edge; by edge: the place that it leads `to`,
    and what it adds to the counters together (`more`, see `counters.Counters`).
    """

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray
    more: np.ndarray


class PlainDecided(NamedTuple):
    """As `PlainRolled`, for battles in which a side decides: `owner` of a place is 1 + side, 0 for chance, and
    `options` the number of its options, whose edges follow each other.
    """

    table: np.ndarray
    first: np.ndarray
    to: np.ndarray
    more: np.ndarray
    owner: np.ndarray
    options: np.ndarray


class PlainState(NamedTuple):
    """The place of a state in the list of all states, and the counters in one number."""

    place: int
    tally: int


@rule(PlainDecided)
@rule(PlainRolled)
def running(p, s):
    """Is anything left to happen?"""
    return p.table[s.place] >= 0


@rule(PlainDecided)
@rule(PlainRolled)
def table(p, s):
    """The chances of the states that may follow."""
    return p.table[s.place]


@rule(PlainDecided)
@rule(PlainRolled)
def step(p, s, result):
    """The state that a result, or an option, leads to."""
    edge = p.first[s.place] + result
    return s._replace(place=p.to[edge], tally=s.tally + p.more[edge])


@rule(PlainDecided)
def decides(p, s):
    """Chance or a side decides."""
    return p.owner[s.place]


@rule(PlainDecided)
def options(p, s):
    """The options of the side."""
    return p.options[s.place]


class Offered(NamedTuple):
    """The state between an option of a choice and the roll that it leads to."""

    state: Any
    option: str


class PlainBattle:
    """A battle in the plain form with all its states.

    `chain`: what the engine answers. `states`: the states by place. `counters`: the names of what is counted.
    `kept`: what was derived from them.
    """

    def __init__(
        self,
        start: Hashable,
        follow: Follow,
        counters: Sequence[str] = (),
        label: str = "",
        others: Iterable[Hashable] = (),
    ) -> None:
        """Find all states, also those that `others` lead to (see `begun`); `label` names a stage of a composed battle.

        `counters` are what rolls count. No state holds them; at most one may rise without end.

        Raises BrokenGame, which names the state, for weights that are no chances, an unknown counter, a choice without
        a side or options, and a `follow` that answers otherwise when asked again; NoExactOdds above MOST_STATES states
        or MOST_EDGES edges.
        """
        self._follow, self.counters = follow, tuple(counters)
        self.states: list[Any] = list(dict.fromkeys([start, *others]))
        self._places: dict[Any, int] = {state: place for place, state in enumerate(self.states)}
        self._first, self._to = list[int](), list[int]()
        self._amounts = list[tuple[int, ...]]()
        self._tables = ChanceTables()
        self._nothing, self.kept = (0,) * len(self.counters), Kept()
        table_of, owner, number = self._explore()
        self._counted, more = self._count()
        columns = table_of, self._first, self._to, more, owner, number
        held = [np.array(column or [0], np.int64) for column in columns]
        self.chain = Chain(
            PlainDecided(*held) if any(owner) else PlainRolled(*held[:4]),
            PlainState(0, 0),
            PlainState(max(1, len(self.states) - 1), self._counted.most),
            self._tables.close(),
            counters=("tally",) if self.counters else (),
            units=self._counted.units or (1,),
            tell=self._tell,
            label=label,
            may_be_over=True,
        )

    def _explore(self) -> tuple[list[int], list[int], list[int]]:
        """Find all states and their edges: the table, the owner of the decision, and the edges of each state."""
        table_of, owner, number = list[int](), list[int](), list[int]()
        for place, state in enumerate(self.states):  # the list grows meanwhile
            following = self._next(state)
            self._first.append(len(self._to))
            if isinstance(following, Choice):
                table_of.append(0)
                owner.append(1 + self._decide(state, following))
            else:
                owner.append(0)
                table_of.append(OVER if following is None else self._roll(state, following))
            number.append(len(self._to) - self._first[place])
            if place < ASKED_TWICE and not _alike(self._next(state), following):
                raise BrokenGame(f"follow: answers differently when asked again, in {state}")
            if len(self.states) > MOST_STATES:
                raise NoExactOdds(f"more than {MOST_STATES:,} states; a battle in the plain form has fewer")
            if len(self._to) > MOST_EDGES:
                raise NoExactOdds(f"more than {MOST_EDGES:,} transitions; a battle in the plain form has fewer")
        return table_of, owner, number

    def with_words(self, follow: Follow, label: str = "") -> PlainBattle:
        """The same states and chances, for a `follow` that differs in its words alone; both share `kept`."""
        other = copy(self)
        other._follow = follow
        other.chain = replace(self.chain, tell=other._tell, label=label)
        return other

    def begun(self, start: Hashable) -> PlainBattle:
        """The same states and chances from one of the states on; both share `kept`."""
        other = copy(self)
        other.chain = replace(self.chain, start=PlainState(self._places[start], 0))
        return other

    def amounts(self, final: Any) -> dict[str, np.ndarray]:
        """The value of each counter in final states of the chain (a State of int arrays): int64, shape (states,)."""
        found = self.chain.counts(final.tally)
        place = {k: row for row, k in enumerate(self._counted.order)}
        return {name: found[place[k]] for k, name in enumerate(self.counters)}

    def ends(self, final: Any) -> list[tuple[Any, dict[str, int]]]:
        """Final states of the chain (a State of int arrays) as states of the battle, each with its counters."""
        amounts = self.amounts(final)
        rows = zip(*(values.tolist() for values in amounts.values()), strict=True) if amounts else repeat(())
        states = (self.states[place] for place in final.place.tolist())
        return [(state, dict(zip(amounts, row, strict=True))) for state, row in zip(states, rows, strict=False)]

    def choice_at(self, place: int) -> tuple[Any, Choice]:
        """The state at this place, in which a side decides, and its choice."""
        state = self.states[place]
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

    def _decide(self, state: Any, choice: Choice) -> int:
        """Add the edges of a choice, one for each option; returns the side."""
        if choice.side not in SIDES or not choice.options:
            raise BrokenGame(f"follow: {choice.side!r} is no side, or has no option, in {state}")
        leads = {
            Offered(state, name) if hasattr(after, "weights") else after: None for name, after in choice.options.items()
        }
        if len(leads) < len(choice.options):
            raise BrokenGame(f"follow: two of the options {', '.join(choice.options)} are the same, in {state}")
        self._lead(state, leads, self._nothing)
        return SIDES.index(choice.side)

    def _roll(self, state: Any, chance: Chance) -> int:
        """Add the edges of a roll, those of weight 0 left out; returns its table."""
        counts, weights = chance.counts, chance.weights
        if unknown := [name for name in counts if name not in self.counters]:
            raise BrokenGame(f"follow: no counter {unknown[0]!r}; counters: {', '.join(self.counters)}; in {state}")
        values = tuple(weights.values())
        if not 0 < sum(values) < inf or min(values) < 0:
            raise BrokenGame(f"follow: the weights {list(values)} are no chances, in {state}")
        amounts = tuple(counts.get(name, 0) for name in self.counters) if counts else self._nothing
        self._lead(state, weights if all(values) else able(weights), amounts)
        return self._tables.add(values if all(values) else tuple(filter(None, values)))

    def _lead(self, before: Any, following: Iterable[Any], counted: tuple[int, ...]) -> None:
        """Add the edges of a state, and the states that they find."""
        places, states = self._places, self.states
        for one in following:
            after, amounts = one, counted
            if type(one) is Counted:
                after, more = one
                if len(more) != len(counted) or min(more, default=0) < 0:
                    raise BrokenGame(
                        f"follow: {more} are no amounts of {', '.join(self.counters) or 'no counter'}, in {before}"
                    )
                amounts = tuple(map(int.__add__, counted, more))
            found = places.setdefault(after, len(states))
            if found == len(states):
                states.append(after)
            self._to.append(found)
            self._amounts.append(amounts)

    def _count(self) -> tuple[Combined, list[int]]:
        """The number that holds the counters, and what each edge adds to it."""
        if not self.counters:
            return Combined((), (), 0), [0] * len(self._to)
        amounts = np.array(self._amounts, np.int64).reshape(-1, len(self.counters))
        fans = np.diff([*self._first, len(self._to)])
        source, to = np.repeat(np.arange(len(fans)), fans), np.array(self._to, np.int64)
        counted = counters_on(source, to, amounts, len(fans), self.counters)
        return counted, counted.packed(amounts).tolist()

    def _tell(self, before: PlainState, result: int, after: PlainState, dice: random.Random) -> str:
        """The line of a roll, and the options that sides choose after it."""
        place = self._to[self._first[before.place] + result]
        chance = self._next(self.states[before.place])
        assert chance is not None
        assert not isinstance(chance, Choice)
        lines = [chance.replay(able(chance.weights)[result], dice), *self._chosen(place, after.place)]
        return " ".join(filter(None, lines))

    def _chosen(self, place: int, end: int) -> list[str]:
        """The options chosen between two places, in words; choices follow each other without a roll."""
        ways: list[tuple[int, list[str]]] = [(place, [])]
        for here, lines in ways:  # the list grows meanwhile
            if here == end:
                return lines
            choice = self._next(self.states[here])
            if isinstance(choice, Choice):
                first = self._first[here]
                ways += [
                    (self._to[first + option], [*lines, f"The {choice.side} chooses: {name}."])
                    for option, name in enumerate(choice.options)
                ]
        return []


class ChanceTables:
    """The chance tables of rolls, by their weights in order; results are numbered from 0."""

    def __init__(self) -> None:
        self._index: dict[tuple[float, ...], int] = {(1,): NO_TABLE}

    def add(self, weights: tuple[float, ...]) -> int:
        """The index of the table with these weights, whole numbers or chances."""
        return self._index.setdefault(weights, len(self._index))

    def close(self) -> Tables:
        """All tables."""
        sizes = list(map(len, self._index))
        chances = [weight / total for weights in self._index for total in (sum(weights),) for weight in weights]
        results = np.concatenate([np.arange(size) for size in sizes])
        return Tables(np.cumsum([0, *sizes]), results, np.array(chances))


def able(weights: Mapping[Any, float]) -> list[Any]:
    """The states with a weight."""
    return [after for after, weight in weights.items() if weight]


def _alike(one: Following, other: Following) -> bool:
    """Are the parts equal that must be whenever `follow` is called with the same state?"""
    if one is None or other is None:
        return one is other
    if isinstance(one, Choice) or isinstance(other, Choice):
        return type(one) is type(other) and _offers(one) == _offers(other)
    kept = one.weights, other.weights
    return (kept[0] is kept[1] or dict(kept[0]) == dict(kept[1])) and dict(one.counts) == dict(other.counts)


def _offers(choice: Any) -> tuple[str, str, list[str]]:
    return choice.side, choice.policy, list(choice.options)
