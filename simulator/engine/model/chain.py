"""The description of a battle as a Markov chain, which a rules module gives to the engine.

A game writes three plain functions on plain integers and marks them with `@rule(Params)`:

    running(p, s)         is the battle still going on in state `s`?
    table(p, s)           index of the chance table that the next result is drawn from (0 = no chance, result 0)
    step(p, s, result)    the state that follows

Two independent rolls need a fourth function, `second(p, s)`, which names the table of the other roll;
`step(p, s, result, other)` gets both results, so that no table of pairs is built.

A factored chain (`Chain.factored`) has two rolls that change separate fields. Two more functions split its step, so
that pairs of results are never enumerated; `step` is `follows(p, lands(p, s, result, other))`:

    lands(p, s, result, other)  each roll changes its own fields; the other fields change alike for all results
    follows(p, s)               the part of the step without dice

Three functions describe the decisions of a side; a decision takes no random number:

    decides(p, s)         0 where chance decides, 1 + side (0 = attacker, 1 = defender) where a side does
    options(p, s)         how many options it has; `step(p, s, option)` follows option 0, 1, ...
    choose(p, s)          the option that the side's fixed policy takes; BEST where it decides as well as possible, as
                          everywhere in a game without this rule

`p` is the game's `Params` (a NamedTuple of ints and of C-contiguous int64 arrays), `s` its `State` (a NamedTuple of
non-negative ints). Functions that these call are marked with `@helper`. All of them run as plain Python in tests and
replays, and compiled by the engine: they never raise, allocate or print. A changed state is written
`s._replace(hits=0)`. This module does not import numba, so that the description of a game loads fast.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from operator import le
from typing import Any, TypeVar

import numpy as np

from simulator.engine.model.chance import Tables
from simulator.engine.model.kept import Kept
from simulator.engine.model.limits import BrokenGame
from simulator.engine.model.packing import Layout, layout_of

F = TypeVar("F", bound=Callable[..., Any])
PARTS = ("running", "table", "step", "second", "decides", "options", "choose", "lands", "follows")
MOST_TURNS = 1000
# The sides by number: `decides` answers 1 + side.
SIDES = ("attacker", "defender")
ENEMY = {"attacker": "defender", "defender": "attacker"}
# A field is a signed 64-bit number; the amount that an edge adds to a counter is an unsigned 32-bit number.
MOST_VALUE, MOST_COUNT = 2**63 - 1, 2**32 - 1
# The answer of `choose` that asks the engine for the best option (see `Utilities`).
BEST = -1
# The answers of rules that a game does not have; 0 for all others.
ABSENT = {"choose": BEST}

rules: dict[type, dict[str, Callable[..., Any]]] = {}
helpers: list[Callable[..., Any]] = []
# The bytes of code of all helpers of a module; compiling takes longer with more.
helper_bytes: Counter[str] = Counter()


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
    helper_bytes[function.__module__] += len(function.__code__.co_code)
    return function


@dataclass(frozen=True)
class Utilities:
    """The utilities of both sides, for chains in which a side decides optimally.

    `worth(states)` gives the utility of final states (a State of int arrays) to each side: float64, shape (2, states).
    `fields` names the scenario fields with the policy `best`, for messages. `describe(states, options)` gives columns
    of decision states and the options taken in the words of the game.
    """

    worth: Callable[[Any], np.ndarray]
    fields: tuple[str, ...] = ()
    describe: Callable[[Any, np.ndarray], dict[str, np.ndarray]] | None = None


# Immutable by convention: a frozen dataclass takes several times as long to construct, and every answer makes some.
@dataclass(eq=False)
class Chain:
    """A battle that can be enumerated or simulated.

    `limits` is a state that holds the largest value each field can reach; it decides how states are packed.
    `counters` names fields that only count upwards and that no rule reads (rounds, casualties of a kind): states that
    differ only in the first of these are one node of the graph, whose edges hold the amount that they add to it.
    `units`: what that counter holds, if it holds several (`counters.Counters`): one unit of each, the largest first.
    `tell(before, result, after, dice)` is a line for a replayed step, or "" for none (`result` is a pair for two
    rolls); `dice` is a random.Random that may pick die faces with this `result`. `label` names a stage of a composed
    battle. With `utilities` the engine solves for the decisions that `choose` answers with BEST
    (`value_iteration.best_policy`).
    `factored`, for a factored chain: the fields that the first roll changes, and those that the second one changes.
    Each step must raise the counter or the remaining fields, compared in the order of packing.
    `last`: the last roll, for chains in which every battle ends with one.
    `at_least`: lower bounds, proved by the game, of the states and transitions of its chain; a chain above the budget
    is refused before it is explored.
    `kept`: the results that the engine derived from the chain.
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
    utilities: Utilities | None = None
    factored: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    last: LastRoll | None = None
    may_be_over: bool = False
    units: tuple[int, ...] = (1,)
    kept: Kept = field(default_factory=Kept, init=False, repr=False)

    def __post_init__(self) -> None:
        """Raise BrokenGame for missing rules, unknown fields, impossible limits, and a start outside the limits."""
        for name in ("running", "step"):
            if name not in rules.get(type(self.params), {}):
                raise BrokenGame(f"{name}: {type(self.params).__name__} has no such rule; write it under @rule")
        kind, fields = type(self.start).__name__, getattr(self.start, "_fields", ())
        factored = self.factored[0] + self.factored[1] if self.factored else ()
        for role, names in (
            ("counters", self.counters),
            ("factored", factored),
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
        check_limits(self, self.start, "the start")

    @cached_property
    def counted(self) -> int:
        """Place of the counter among the fields, -1 for none."""
        return self.start._fields.index(self.counters[0]) if self.counters else -1

    @cached_property
    def layout(self) -> Layout:
        """The layout of packed states: fields in order, each in just enough bits, a new word when one is full."""
        return layout_of(self.limits, self.counted)

    def counts(self, numbers: np.ndarray) -> np.ndarray:
        """The amount of each unit in numbers of the counter: int64, shape (units, numbers)."""
        held, rest = [], numbers.astype(np.int64)
        for unit in self.units:
            amount, rest = np.divmod(rest, unit)
            held.append(amount)
        return np.array(held)

    def check_count(self, counts: np.ndarray) -> None:
        """Raise BrokenGame where one of these counts (int64) of the counter is above its limit."""
        most, limit = int(counts.max(initial=0)), int(self.limits[self.counted])
        if most > limit:
            raise BrokenGame(f"counter {self.counters[0]}: {most} is above its limit {limit}")

    def part(self, name: str) -> Callable[..., Any]:
        """The game's own `running`, `table`, ... as a plain Python function; a missing rule answers as in `ABSENT`."""
        parts, answer = rules[type(self.params)], ABSENT.get(name, 0)
        return parts.get(name, lambda p, s: answer)

    @property
    def paired(self) -> bool:
        """Does every step make two independent rolls?"""
        return "second" in rules[type(self.params)]

    @property
    def decided(self) -> bool:
        """Does a side decide in some states?"""
        return "decides" in rules[type(self.params)]

    @cached_property
    def leap(self) -> Callable[[Any, Any, int, int], Any]:
        """`leap(p, s, result, other)`: the game's `step` alone; `other` is 0 in chains of single rolls."""
        step = self.part("step")
        return step if self.paired else lambda p, s, result, other: step(p, s, result)

    @cached_property
    def move(self) -> Callable[[Any, Any, int, int], Any]:
        """`move(p, s, result, other)`: a leap, and then the decisions of the fixed policies."""
        return self.mover()

    def mover(self, best: Callable[[Any], int] | None = None) -> Callable[[Any, Any, int, int], Any]:
        """As `move`; `best(s)` is the option for a state in which `choose` answers BEST."""
        leap, running, decides = self.leap, self.part("running"), self.part("decides")

        def move(p: Any, s: Any, result: int, other: int) -> Any:
            s = leap(p, s, result, other)
            return self.settled(s, p, best=best) if running(p, s) and decides(p, s) else s

        return move if self.decided else leap

    def settled(self, s: Any, params: Any = None, stop: bool = False, best: Callable[[Any], int] | None = None) -> Any:
        """The state after all decisions that are due; with `stop`, the first one in which `choose` answers BEST.

        `best(s)` is the option taken in such a state (`value_iteration.best_option`).
        """
        if not self.decided:
            return s
        running, decides, p = self.part("running"), self.part("decides"), self.params if params is None else params
        for _ in range(MOST_TURNS):
            if not (running(p, s) and decides(p, s)):
                return s
            option = self.part("choose")(p, s)
            if option < 0:
                if self.utilities is None:
                    raise BrokenGame(f"choose: {option} in {s}, but the chain gives no utilities")
                if stop or best is None:
                    return s
                option = best(s)
            s = self.leap(p, s, option, 0)
        raise BrokenGame(f"decisions without end in {s}")


def check_limits(chain: Chain, state: Any, before: Any) -> None:
    """Raise BrokenGame if `state` is no State of the chain, or if a field is outside its limit."""
    kind = type(chain.start)
    if type(state) is kind and min(state) >= 0 and all(map(le, state, chain.limits)):
        return
    if type(state) is not kind:
        raise BrokenGame(f"step: {str(state)[:80]} is no {kind.__name__}, after state {before}")
    raise outside_limits(chain, state, before)


def outside_limits(chain: Chain, values: Iterable[int], before: Any) -> BrokenGame:
    """The error for field values of which one at least is outside its limit."""
    fields = zip(type(chain.start)._fields, values, chain.limits, strict=True)
    name, value, limit = next((name, value, limit) for name, value, limit in fields if not 0 <= value <= limit)
    role = "counter" if chain.counters[:1] == (name,) else "field"
    return BrokenGame(f"{role} {name}: {value} is not within 0 to {limit}, after state {before}")


def whole(state: Any) -> Any:
    """The state with plain ints; raises BrokenGame for a field that is no whole number."""
    kind = type(state)
    ints = kind._make(map(int, state))
    if ints != state:
        name = next(name for name, value, number in zip(kind._fields, state, ints, strict=True) if value != number)
        raise BrokenGame(f"field {name}: {getattr(state, name)} is no whole number, in state {state}")
    return ints


def rows_of(states: list[Any]) -> np.ndarray:
    """States as rows: int64, shape (states, fields). Raises BrokenGame for a field that is no whole number."""
    rows = np.array(states)
    if rows.dtype != np.int64:
        rows = np.array([whole(state) for state in states], np.int64)
    return rows.reshape(len(states), -1)


@dataclass(frozen=True)
class LastRoll:
    """A roll whose every result ends the battle: exact odds compute it for all states at once.

    `before` is the chain without this roll, which may have a last roll, too. `table(states)` gives the chance table of
    each of its final states (a State of int arrays), -1 for a battle that is already over; `after(states, results)`
    gives the states after the roll. `merges`: some of them may be equal.
    """

    before: Chain
    table: Callable[[Any], np.ndarray]
    after: Callable[[Any, np.ndarray], Any]
    merges: bool = False


@dataclass(frozen=True)
class Share:
    """The share of battles that reaches a stage of a composed battle.

    `p` is its chance, `count` its number of simulated battles (None when exact); `path` are integers that identify
    this stage within the battle, and determine its random numbers.
    """

    p: float = 1.0
    count: int | None = None
    path: tuple[int, ...] = ()


@dataclass(eq=False)
class OutcomeDistribution:
    """The distribution of outcomes of a battle: final states with their chances.

    `states` is a State whose fields are int arrays of equal length, `p` their chances (float64), `count` the number
    of simulated battles that ended so (int64, None when exact), `residual` the chance that was too small to follow
    (below 1e-12), `explored` the number of states visited.
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
        """The share of battles that end in this row, for the next stage."""
        count = None if self.count is None else int(self.count[row])
        state = tuple(int(values[row]) for values in self.states)
        return Share(float(self.p[row]), count, self.path + state)


@dataclass(eq=False)
class ManyOutcomes:
    """The final states of battles from many starts, start after start.

    `states` and `p` as in `OutcomeDistribution`, `start` the number of the start of each row (int64, ascending),
    `residual` the chance not followed from each start, `explored` the number of states visited.
    """

    states: Any
    p: np.ndarray
    start: np.ndarray
    residual: np.ndarray
    explored: int
