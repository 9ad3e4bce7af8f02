"""Describing a battle as a chain of states: what a rules module hands to the engine.

A game writes three plain functions on plain integers and marks them with `@rule(Params)`:

    running(p, s)         is the battle still going on in state `s`?
    table(p, s)           index of the chance table that the next result is drawn from (0 = no chance, result 0)
    step(p, s, result)    the state that follows

Where two rolls do not depend on each other, a fourth function `second(p, s)` names the table of the other roll, and
`step(p, s, result, other)` gets both results: no table of pairs is ever built.

Where these rolls also act apart, each on fields of its own (`Chain.apart`), two more functions split the step, so that
nothing is spelled out for pairs of results; `step` is `follows(p, lands(p, s, result, other))`:

    lands(p, s, result, other)  what the rolls do: each to its own fields, the rest for all results alike
    follows(p, s)               what comes after, without dice

Where a side decides in some states, three more say so; a decision takes no random number:

    decides(p, s)         0 where chance decides, 1 + side (0 = attacker, 1 = defender) where a side does
    options(p, s)         how many options it has; `step(p, s, option)` follows option 0, 1, ...
    choose(p, s)          the option that the side's fixed policy takes; BEST where it decides as well as possible

A chain that may be too large to be spelled out can say how much is left of it, so that the rest is solved once that is
little enough (`region`):

    left(p, s)            a whole number that never rises: units, or hits that both sides can take

`p` is the game's `Params` (a NamedTuple of ints and of C-contiguous int64 arrays), `s` its `State` (a NamedTuple of
non-negative ints). Functions that these call are marked with `@helper`. All of them run as plain Python in tests and
replays, and compiled in the engines: they never raise, allocate or print. A changed state is written
`s._replace(hits=0)`. This module imports no compiler, so that describing a game costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from operator import le
from typing import Any, TypeVar

import numpy as np

from simulator.engine.model.chance import Tables
from simulator.engine.model.limits import BrokenGame
from simulator.engine.model.packing import Layout, layout_of

F = TypeVar("F", bound=Callable[..., Any])
PARTS = ("running", "table", "step", "second", "decides", "options", "choose", "left", "lands", "follows")
MOST_TURNS = 1000
# Fields are held in 64 bits with a sign; what an edge adds to a counter in 32 without.
MOST_VALUE, MOST_COUNT = 2**63 - 1, 2**32 - 1
# What `choose` answers where the engine finds the best option (see `Aims`).
BEST = -1

rules: dict[type, dict[str, Callable[..., Any]]] = {}
helpers: list[Callable[..., Any]] = []


def rule(params: type) -> Callable[[F], F]:
    """Mark one of `PARTS` as the version for battles whose parameters are of type `params`.

    Raises ValueError for any other function name.
    """

    def register(function: F) -> F:
        if function.__name__ not in PARTS:
            raise ValueError(f"@rule goes on {', '.join(PARTS)}; not on {function.__name__}")
        rules.setdefault(params, {})[function.__name__] = function
        return function

    return register


def helper(function: F) -> F:
    """Mark a plain function that rules call, so that it is compiled into them."""
    helpers.append(function)
    return function


@dataclass(frozen=True)
class Aims:
    """What the sides want where one of them decides as well as possible.

    `worth(states)` is what final states (a State of int arrays) are worth to each side: float64, shape (2, states).
    `fields` are the policies that are best, for messages.
    """

    worth: Callable[[Any], np.ndarray]
    fields: tuple[str, ...] = ()


# Never changed, but not frozen either: that takes several times as long to make, and every answer makes some of these.
@dataclass(eq=False)
class Chain:
    """A battle ready to be fought or enumerated.

    `limits` is a state that holds the largest value each field can reach; it decides how states are packed.
    `counters` names fields that only count upwards and that no rule reads (rounds, casualties of a kind): states that
    differ in nothing but the first of these are one node of the graph, whose edges carry what they add to it.
    `tell(before, result, after, dice)` is a line for a replayed step, or "" for none (`result` is a pair where two
    rolls are made at once); `dice` is a random.Random with which faces that give `result` may be picked. `label` names
    a stage of a composed battle. With `aims` the decisions for which `choose` answers BEST are solved for
    (`value_iteration.best_policy`).
    `apart`: where two rolls act apart, the fields that the first one changes and those that the other one does; planes
    of the other fields then follow each other: the counter or, in the order of packing, one of them only goes up.
    `last`: the last roll, where each battle makes one and nothing follows it.
    `reduced`: the same battles with fewer fields and fewer steps, for simulating a chain too large to spell out.
    `annotation`: a field that stays 0 until it is set once, and that no rule reads: states that differ in nothing else
    are one node of the lazy graph, and a battle carries the field along.
    `at_least`: lower bounds, proved by the game, of the states and transitions of its chain; a chain above the budget
    is refused before it is explored.
    `may_be_over`: a scenario may be over before its first roll (nobody is there, or a side leaves at once).
    """

    params: Any
    start: Any
    limits: Any
    tables: Tables
    counters: tuple[str, ...] = ()
    tell: Callable[..., str] | None = None
    label: str = ""
    at_least: tuple[int, int] = (0, 0)
    aims: Aims | None = None
    apart: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    last: LastRoll | None = None
    reduced: ReducedChain | None = None
    annotation: str = ""
    may_be_over: bool = False

    def __post_init__(self) -> None:
        """Raise BrokenGame for missing rules, fields that are none, impossible limits, and a start outside them."""
        for name in ("running", "step"):
            if name not in rules.get(type(self.params), {}):
                raise BrokenGame(f"{name}: {type(self.params).__name__} has no such rule; write it under @rule")
        kind, fields = type(self.start).__name__, getattr(self.start, "_fields", ())
        apart = self.apart[0] + self.apart[1] if self.apart else ()
        for role, names in (
            ("counters", self.counters),
            ("annotation", (self.annotation,) if self.annotation else ()),
            ("apart", apart),
        ):
            for name in names:
                if name not in fields:
                    raise BrokenGame(f"{role}: {kind} has no field {name!r}")
        if not fields or len(tuple(self.limits)) != len(fields):
            raise BrokenGame(f"limits: {self.limits} are not those of the fields of {kind}")
        if min(self.limits) < 0 or max(self.limits) > MOST_VALUE:
            raise BrokenGame(f"limits: {self.limits} are not within 0 to {MOST_VALUE}")
        if self.counters and self.limits[self.counted] > MOST_COUNT:
            raise BrokenGame(f"limits: {self.limits[self.counted]} of counter {self.counters[0]} is above {MOST_COUNT}")
        hold_to_limits(self, self.start, "the start")

    @cached_property
    def counted(self) -> int:
        """Place of the field that is followed as a counter, -1 for none."""
        return self.start._fields.index(self.counters[0]) if self.counters else -1

    @cached_property
    def layout(self) -> Layout:
        """How states are packed: fields in order, each in just enough bits, a new word when one is full."""
        return layout_of(self.limits, self.counted)

    def part(self, name: str) -> Callable[..., Any]:
        """The game's own `running`, `table`, ... as a plain Python function; what it leaves out answers 0."""
        parts = rules[type(self.params)]
        return parts.get(name, lambda p, s: 0)

    @property
    def paired(self) -> bool:
        """Are two independent rolls made at once?"""
        return "second" in rules[type(self.params)]

    @property
    def decided(self) -> bool:
        """Does a side decide in some states?"""
        return "decides" in rules[type(self.params)]

    @cached_property
    def leap(self) -> Callable[[Any, Any, int, int], Any]:
        """`leap(p, s, result, other)`: the game's `step` alone; `other` is 0 where one roll is made at a time."""
        step = self.part("step")
        return step if self.paired else lambda p, s, result, other: step(p, s, result)

    @cached_property
    def move(self) -> Callable[[Any, Any, int, int], Any]:
        """`move(p, s, result, other)`: a leap, and then the decisions of the fixed policies."""
        return self.mover()

    def mover(self, best: Callable[[Any], int] | None = None) -> Callable[[Any, Any, int, int], Any]:
        """As `move`; `best(s)` is the option taken where `choose` answers BEST."""
        leap, running, decides = self.leap, self.part("running"), self.part("decides")

        def move(p: Any, s: Any, result: int, other: int) -> Any:
            s = leap(p, s, result, other)
            return self.settled(s, p, best=best) if running(p, s) and decides(p, s) else s

        return move if self.decided else leap

    def settled(self, s: Any, params: Any = None, stop: bool = False, best: Callable[[Any], int] | None = None) -> Any:
        """The state after all decisions that are due; with `stop`, up to one for which `choose` answers BEST.

        `best(s)` is the option taken there (`value_iteration.best_option`).
        """
        if not self.decided:
            return s
        running, decides, p = self.part("running"), self.part("decides"), self.params if params is None else params
        for _ in range(MOST_TURNS):
            if not (running(p, s) and decides(p, s)):
                return s
            option = self.part("choose")(p, s)
            if option < 0:
                if self.aims is None:
                    raise BrokenGame(f"choose: {option} in {s}, and nothing tells what the sides aim at")
                if stop or best is None:
                    return s
                option = best(s)
            s = self.leap(p, s, option, 0)
        raise BrokenGame(f"decisions without end in {s}")


def hold_to_limits(chain: Chain, state: Any, before: Any) -> None:
    """Raise BrokenGame for what is no State of the chain, or for a field outside its limit."""
    kind = type(chain.start)
    if type(state) is kind and min(state) >= 0 and all(map(le, state, chain.limits)):
        return
    if type(state) is not kind:
        raise BrokenGame(f"step: {str(state)[:80]} is no {kind.__name__}, after state {before}")
    for name, value, limit in zip(kind._fields, state, chain.limits, strict=True):
        if not 0 <= value <= limit:
            raise BrokenGame(f"field {name}: {value} is not within 0 to {limit}, after state {before}")


def whole(state: Any) -> Any:
    """The state with plain ints; raises BrokenGame for a field that is no whole number."""
    kind = type(state)
    ints = kind._make(map(int, state))
    if ints != state:
        name = next(name for name, value, number in zip(kind._fields, state, ints, strict=True) if value != number)
        raise BrokenGame(f"field {name}: {getattr(state, name)} is no whole number, in state {state}")
    return ints


def rows_of(states: list[Any]) -> np.ndarray:
    """States as rows of ints; raises BrokenGame for a field that is no whole number."""
    rows = np.array(states)
    if rows.dtype != np.int64:
        rows = np.array([whole(state) for state in states], np.int64)
    return rows.reshape(len(states), -1)


@dataclass(frozen=True)
class ReducedChain:
    """A chain whose battle i of a seed makes the rolls of the whole chain's battle i and ends as that does.

    `over` is a final state of the whole chain; it fills the fields that the reduced chain does not have.
    """

    chain: Chain
    over: Any

    def whole(self, states: Any) -> Any:
        """Final states of the reduced chain as those of the whole one (States of int arrays)."""
        held, size = states._asdict(), len(states[0])
        return type(self.over)(*(held.get(k, np.full(size, value)) for k, value in self.over._asdict().items()))


@dataclass(frozen=True)
class LastRoll:
    """A roll that ends a battle whatever it shows: exact odds never follow it state by state.

    `before` is the chain that stops short of it. `table(states)` tells the chance table of each of its final states (a
    State of int arrays), -1 where the battle was over already; `after(states, results)` the states then.
    """

    before: Chain
    table: Callable[[Any], np.ndarray]
    after: Callable[[Any, np.ndarray], Any]


@dataclass(frozen=True)
class Share:
    """The part of a composed battle's course that reaches a stage.

    `p` is its chance, `count` its number of simulated battles (None when exact); `path` are integers that tell this
    stage apart from all others of the battle, and so decide its dice.
    """

    p: float = 1.0
    count: int | None = None
    path: tuple[int, ...] = ()


@dataclass(eq=False)
class Ends:
    """How a battle can end: final states with their chances.

    `states` is a State whose fields are int arrays of equal length, `p` their chances (float64), `count` the number
    of simulated battles that ended so (None when exact), `residual` the chance of what was too unlikely to follow
    (below 1e-12), `explored` how many states were visited.
    """

    states: Any
    p: np.ndarray
    count: np.ndarray | None = None
    residual: float = 0.0
    explored: int = 0
    path: tuple[int, ...] = ()

    def __len__(self) -> int:
        return len(self.p)

    def share(self, row: int) -> Share:
        """The share of battles that end in this row, to hand on to the next stage."""
        count = None if self.count is None else int(self.count[row])
        state = tuple(int(values[row]) for values in self.states)
        return Share(float(self.p[row]), count, self.path + state)
