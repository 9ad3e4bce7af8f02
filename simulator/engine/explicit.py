"""The chain spelled out: each distinct state once, with its chance table and the states that follow each result.

What exact odds, optimal play and fast simulation share. A small chain is enumerated by the game's own functions as
plain Python, before anything is compiled; a larger one by the same functions compiled (`expand`). Both number the
states alike, so that every answer is the same.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from simulator.engine import cache
from simulator.engine.chain import Chain, hold_to_limits, rows_of, whole
from simulator.engine.limits import EXACT_BYTES, BrokenGame, NoExactOdds, in_words

Progress = Callable[[int], Any]
FINAL = -1
# A chain is enumerated as plain Python for so many seconds of the processor, and all chains of its kind together for
# so many: until the compiler, or what it has made before, is sooner.
PATIENCE, PATIENCE_IF_CACHED, PATIENCE_IF_LOADED = (3.0, 12.0), (0.2, 0.6), (0.02, 0.1)
CLOCK_EVERY = 64
# From so many edges on it is seen whether the chain is surely too large (`foreseen`).
LOOK_FROM = 1 << 13
# Where a chain keeps the largest budget that it is known to be too large for: finding out may take seconds.
_REFUSED = "_refused"


@dataclass(eq=False)
class Graph:
    """The distinct states of a chain, numbered as they are met, state 0 first, and the edges between them.

    - `keys`: packed states, array (words, states); `states()` unpacks them. The counter is not in them.
    - `table`: chance table of each state, FINAL where the battle is over; `second`: that of the independent other
      roll (None if there is none). `owner`: 1 + the side that decides there, 0 for chance (None without decisions).
    - `begin`: where the edges of a state begin (states + 1); state i leads to `to[begin[i]:begin[i + 1]]`, one edge
      for each row of its table, for each row of `second` in turn, or one for each option.
    - `inc`: what each edge adds to the counter, None without one.
    - `starts`: numbers of the states that it was spelled out from, after the decisions due there.
    """

    chain: Chain
    keys: np.ndarray
    table: np.ndarray
    second: np.ndarray | None
    owner: np.ndarray | None
    begin: np.ndarray
    to: np.ndarray
    inc: np.ndarray | None
    starts: np.ndarray = field(default_factory=lambda: np.zeros(1, np.int64))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def final(self) -> np.ndarray:
        """Which states are final (bool)."""
        return np.asarray(self.table == FINAL)

    def states(self, which: Any = slice(None), counts: np.ndarray | None = None) -> Any:
        """The states (or those selected) as a State of int64 arrays; the counter holds what `counts` says, else 0.

        Raises BrokenGame for a count above the counter's limit.
        """
        layout, counted = self.chain.layout, self.chain.counted
        chosen = self.keys[:, which]
        fields = [
            ((chosen[word] >> shift) & mask).view(np.int64) if mask else np.zeros(chosen.shape[1], np.int64)
            for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
        ]
        if counts is not None and counted >= 0:
            fields[counted] = counts + int(self.chain.start[counted])
            if fields[counted].max(initial=0) > layout.limit[counted]:
                name, most = self.chain.counters[0], int(fields[counted].max())
                raise BrokenGame(f"counter {name}: {most} is above its limit {layout.limit[counted]}")
        return type(self.chain.start)(*fields)

    def described(self, number: int) -> str:
        """One state, for messages."""
        values = self.states(slice(number, number + 1))
        return str(type(values)(*(int(value[0]) for value in values)))


def size_of(chain: Chain, states: int, edges: int) -> int:
    """Bytes that a graph of this size is reckoned at, while it is made: what budgets are held against."""
    a_state = 16 * chain.layout.words + 4 + 8 + 16 + 4 * chain.paired + chain.decided
    return states * a_state + edges * (8 if chain.counters else 4)


def over_budget(chain: Chain, states: int, waiting: int, edges: int, budget: int) -> NoExactOdds:
    """The refusal of a graph that grew past its budget with so many states still waiting to be followed."""
    size = size_of(chain, states, edges)
    done = max(1, states - waiting)
    least = max(size, size_of(chain, states, round(edges * states / done)))
    return NoExactOdds(
        f"more than {states:,} states and {edges:,} transitions, {waiting:,} states not yet followed: "
        f"at least {in_words(least)}, past the budget of {in_words(budget)}"
    )


def refuse_least(chain: Chain, states: int, transitions: int, budget: int) -> None:
    """Refuse a chain that is known to have at least so many states and transitions, if they are past the budget."""
    size = size_of(chain, states, transitions)
    if size > budget:
        raise NoExactOdds(
            f"at least {states:,} states and {transitions:,} transitions: more than {in_words(size)}, "
            f"past the budget of {in_words(budget)}"
        )


_seconds_spent: dict[type, float] = {}
compiled_here: set[type] = set()


def patience_for(chain: Chain, kernel: str) -> float:
    """For how many seconds a chain is tried as plain Python before this kernel has to do it; 0 for not at all."""
    params = type(chain.params)
    if params in compiled_here:
        return 0.0
    once, together = PATIENCE
    if cache.is_ready(kernel, params):
        once, together = PATIENCE_IF_LOADED if "numba" in sys.modules else PATIENCE_IF_CACHED
    return min(once, together - _seconds_spent.get(params, 0.0))


def spent(chain: Chain, seconds: float) -> None:
    """Remember how long chains of this kind took as plain Python."""
    params = type(chain.params)
    _seconds_spent[params] = _seconds_spent.get(params, 0.0) + seconds


def spell_out(
    chain: Chain, budget: int = EXACT_BYTES, progress: Progress | None = None, decisions: bool = False
) -> Graph:
    """The graph of a chain. With `decisions`, states where a side decides are nodes; else its policy is followed.

    Where the policy is `best` (`chain.aims`) that takes a solution of all states, whatever the budget.
    Raises NoExactOdds past `budget` bytes, BrokenGame for a game that breaks its contract.
    `progress(states)` is told now and then how many states there are.
    """
    if chain.aims is not None and not decisions:
        return chain.played.graph
    most, why = vars(chain).get(_REFUSED, (0, ""))
    if budget <= most:
        raise NoExactOdds(why)
    try:
        return spell_out_nodes(chain, budget, progress, decisions)
    except NoExactOdds as refusal:
        vars(chain)[_REFUSED] = budget, str(refusal)
        raise


def spell_out_nodes(
    chain: Chain,
    budget: int = EXACT_BYTES,
    progress: Progress | None = None,
    decisions: bool = False,
    starts: np.ndarray | None = None,
) -> Graph:
    """As `spell_out`, but for decisions of `best` policies, which are nodes in any case.

    With `starts` (rows of ints) the graph of all that may follow any of these states, instead of the chain's own start.
    """
    refuse_least(chain, *chain.at_least, budget)
    if (patience := patience_for(chain, "grow")) > 0:
        begun = time.thread_time()
        explorer = PlainExplorer(chain, budget, decisions)
        graph = explorer.explore(patience, starts)
        spent(chain, time.thread_time() - begun)
        if graph is not None:
            return graph
        if starts is None and not cache.is_ready("grow", type(chain.params)):
            from simulator.engine.foreseen import look_before_compiling

            look_before_compiling(explorer)
    from simulator.engine.expand import CompiledExplorer

    compiled_here.add(type(chain.params))
    return CompiledExplorer(chain, budget, decisions).explore(progress, starts)


class _Grid:
    """An array that hands out plain ints, which are ten times as fast in Python: those at `[i, j]`, and its rows."""

    def __init__(self, array: np.ndarray) -> None:
        self.shape, self._array, self._ints = array.shape, array, memoryview(array)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return len(self._array)

    @cached_property
    def _rows(self) -> list[Any]:
        return [plain_array(row) for row in self._array]

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, tuple):
            return self._rows[place]
        try:
            return self._ints[place]
        except NotImplementedError:  # a row
            return plain_array(self._array[place])


def plain_array(array: np.ndarray) -> Any:
    """The array, handing out plain ints: nothing is copied, and a flat one is as quick as a list."""
    return memoryview(array) if array.ndim == 1 else _Grid(array)  # type: ignore[arg-type]


def plain_params(params: Any) -> Any:
    """The same params with arrays that hand out plain ints, nested NamedTuples included."""

    def plain(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            return plain_array(value)
        return type(value)(*map(plain, value)) if isinstance(value, tuple) and hasattr(value, "_fields") else value

    return plain(params)


_quick: set[type] = set()


def quicken(kind: Any) -> None:
    """Give this NamedTuple a `_replace` that takes a third of the time: rules call it all the time.

    It does the same, in all of the program: an unknown name is the same ValueError.
    """
    if kind in _quick:
        return
    _quick.add(kind)
    place, new, told_wrong = {name: i for i, name in enumerate(kind._fields)}, tuple.__new__, kind._replace

    def replaced(self: Any, /, **changes: Any) -> Any:
        values = [*self]
        try:
            for name, value in changes.items():
                values[place[name]] = value
        except KeyError:
            return told_wrong(self, **changes)
        return new(type(self), values)

    kind._replace = replaced


class PlainExplorer:
    """Enumerates a chain by the game's functions as they stand."""

    def __init__(self, chain: Chain, budget: int, decisions: bool = False) -> None:
        self.budget, self.decisions = budget, chain.decided and (decisions or chain.aims is not None)
        self.chain = chain
        quicken(type(chain.start))
        self._p = plain_params(chain.params)
        self._counted = chain.counted
        first = chain.tables.first.tolist()
        result = chain.tables.result.tolist()
        self._results = [result[a:b] for a, b in pairwise(first)]
        self._move = chain.leap if decisions else self._to_decision if self.decisions else chain.move
        self._all = decisions and chain.decided
        widest = chain.tables.largest ** (1 + chain.paired)
        self._ahead = widest if widest > LOOK_FROM else 0
        self._look_from = LOOK_FROM
        self.edges = 0

    def _to_decision(self, p: Any, s: Any, result: int, other: int) -> Any:
        return self.chain.settled(self.chain.leap(p, s, result, other), p, stop=True)

    def _begun(self, start: Any) -> Any:
        """Where a battle that starts so is first left to chance, without its counter."""
        first = start if self._all else self.chain.settled(start, self._p, stop=self.decisions)
        begun = type(start)(*(0 if f == self._counted else int(value) for f, value in enumerate(first)))
        hold_to_limits(self.chain, begun, start)
        return begun

    def _look_around(self, s: Any, edges: int) -> None:
        """Raise NoExactOdds where one roll alone is past the budget, or the chain is seen to be."""
        from simulator.engine.foreseen import look_around

        if look_around(self, s, edges, LOOK_FROM if self._look_from == LOOK_FROM else 0):
            self._look_from = max(LOOK_FROM + 1, self.budget // size_of(self.chain, 0, 1))

    def explore(self, patience: float = float("inf"), starts: np.ndarray | None = None) -> Graph | None:
        """The graph, or None if it took longer than `patience` seconds; see `spell_out_nodes`."""
        chain, p, move, without_count = self.chain, self._p, self._move, self._without_count
        if starts is not None:
            self._look_from = sys.maxsize
        running, table, second = (chain.part(name) for name in ("running", "table", "second"))
        deadline = time.thread_time() + patience
        kind, a_state, an_edge = type(chain.start), size_of(chain, 1, 0), size_of(chain, 0, 1)
        begun = [
            self._begun(start) for start in ([chain.start] if starts is None else map(kind._make, starts.tolist()))
        ]
        states = list(dict.fromkeys(begun))
        number = {state: i for i, state in enumerate(states)}
        tables: list[int] = []
        seconds: list[int] = []
        owners: list[int] = []
        begin, due = [0], 0
        to: list[int] = []
        inc: list[int] = []
        for s in states:
            if len(tables) % CLOCK_EVERY == 0 or len(to) > due:
                due = len(to) + CLOCK_EVERY**2
                if time.thread_time() > deadline:
                    self.edges = len(to)
                    return None
            if len(to) + self._ahead > self._look_from:
                self._look_around(s, len(to))
            tables.append(FINAL)
            seconds.append(0)
            owners.append(0)
            if running(p, s):
                tables[-1], seconds[-1], owners[-1], pairs = self._choices(s, table, second)
                for result, other in pairs:
                    after, count = without_count(s, move(p, s, result, other))
                    j = number.get(after)
                    if j is None:
                        hold_to_limits(chain, after, s)
                        j = number[after] = len(states)
                        states.append(after)
                    to.append(j)
                    inc.append(count)
            begin.append(len(to))
            if len(states) * a_state + len(to) * an_edge > self.budget:
                raise over_budget(chain, len(states), len(states) - len(tables), len(to), self.budget)
        return Graph(
            chain,
            packed(chain, rows_of(states)),
            np.array(tables, np.int32),
            np.array(seconds, np.int32) if chain.paired else None,
            np.array(owners, np.int8) if self.decisions else None,
            np.array(begin, np.int64),
            np.array(to, np.int32),
            np.array(inc, np.uint32) if chain.counters else None,
            np.array([number[state] for state in begun]),
        )

    def _choices(self, s: Any, table: Any, second: Any) -> tuple[int, int, int, list[tuple[int, int]]]:
        """Table, other table, owner, and the pairs of results (or options) that may follow a running state."""
        if self.decisions and (owner := int(self.chain.part("decides")(self._p, s))):
            return 0, 0, owner, [(option, 0) for option in range(options_of(self.chain, self._p, s, owner))]
        t, u = self._tables_of(s, table, second)
        if not self.chain.paired:
            return t, 0, 0, [(result, 0) for result in self._results[t]]
        return t, u, 0, [(result, other) for other in self._results[u] for result in self._results[t]]

    def _tables_of(self, s: Any, table: Any, second: Any) -> tuple[int, int]:
        """Both tables of a running state where chance decides."""
        t, u = int(table(self._p, s)), int(second(self._p, s))
        for index in (t, u):
            if not 0 <= index < len(self._results):
                raise BrokenGame(f"chance table {index}: there are tables 0 to {len(self._results) - 1}; state {s}")
        return t, u

    def _without_count(self, before: Any, after: Any) -> tuple[Any, int]:
        """The state after a step with its counter at 0, and what the step added to it."""
        if self._counted < 0:
            return after, 0
        more = int(after[self._counted])
        if more == 0:
            return after, 0
        limit = int(self.chain.limits[self._counted])
        if not 0 <= more <= limit:
            raise BrokenGame(
                f"counter {self.chain.counters[0]}: {more} is not within 0 to {limit}, after state {before}"
            )
        counted = self._counted
        return tuple.__new__(type(after), (*after[:counted], 0, *after[counted + 1 :])), more


def options_of(chain: Chain, p: Any, s: Any, owner: int) -> int:
    """How many options there are where a side decides (1 + the side); raises BrokenGame for none, or for no side."""
    count = int(chain.part("options")(p, s))
    if owner not in {1, 2} or count < 1:
        raise BrokenGame(f"decides: {owner} is no side, or {count} no number of options; state {s}")
    return count


def plain_state(chain: Chain, state: Any, before: Any = "the start") -> Any:
    """The state with plain ints; raises BrokenGame for one outside its limits, or that is no state."""
    hold_to_limits(chain, state, before)
    return whole(state)


def packed(chain: Chain, states: np.ndarray) -> np.ndarray:
    """Keys (words, states) of states given as rows of ints; counters are left out."""
    layout = chain.layout
    keys = np.zeros((layout.words, len(states)), np.uint64)
    for f in range(states.shape[1]):
        keys[layout.word[f]] |= (states[:, f].astype(np.uint64) & layout.mask[f]) << layout.shift[f]
    return keys
