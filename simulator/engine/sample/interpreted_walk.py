"""Simulation of a chain that is too large for a graph, without a compiler; this module does not import numba.

As in `lazy_walk`, the states that battles visit are kept as nodes. A step along a new edge is taken once, by the
interpreted rules; all others are look-ups, for all battles at once. Battle i of a seed has the same outcome as by the
compiled rules, so that these continue when plain Python becomes too slow.
"""

from __future__ import annotations

import time
from array import array
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.graph.graph import FINAL
from simulator.engine.graph.graph_cache import counters_as_fields, graph_if_it_fits, may_keep_states
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.value_iteration import first_state
from simulator.engine.jit.cost_model import Meter, may_compile, patience_for, spent
from simulator.engine.model.chain import Chain, OutcomeDistribution, rows_of
from simulator.engine.model.chance import by_row
from simulator.engine.model.interpreted import plain_state
from simulator.engine.model.limits import QUICK_BYTES
from simulator.engine.model.packing import packed, unpacked
from simulator.engine.sample.alias import Alias, bits_for, drawn_by, some_tables
from simulator.engine.sample.graph_tables import EndTally
from simulator.engine.sample.plain_walk import rolls_a_battle, walk_together

if TYPE_CHECKING:
    from simulator.engine.sample.simulation import Simulation

# Battles of the first portion and of the largest; a portion may take LENIENCE times its share of the time, since later
# portions visit fewer new states.
FIRST_PORTION, PORTION, LENIENCE = 1 << 11, 1 << 14, 4
# The first portion of an answer that no kernel is compiled for; fewer battles where these would take LONGEST seconds.
FIRST_BATTLES, LEAST_BATTLES, LONGEST = 1 << 9, 1 << 4, 1.0
# The most edges that are kept.
MOST_EDGES = QUICK_BYTES // 8
# Work of the first battles, in steps by the rules: a new edge, and a look-up of a known one. Measured: a new edge takes
# 7 to 48 microseconds in all games, 1.4 times a plain step and 3 more; a look-up 0.1 to 0.2.
A_NEW_EDGE, A_LOOK_UP = 1.8, 0.03
# An unexplored edge. Other edges hold a node and, above it, the amount added to the counter.
UNKNOWN, NODE_BITS = -1, 26
NODE = (1 << NODE_BITS) - 1
# The kernel that simulates a chain too large for a graph.
KERNEL = "fight_on"


# The states of battles, one battle after the other, int64, shape (states, fields), and the place of the end of each.
Courses = tuple[np.ndarray, np.ndarray]


class OutOfRoom(Exception):
    """The visited states have more edges than are kept."""


def whole(values: array[int]) -> np.ndarray:
    """The values (int64) as a writable view, which must not outlive the next extension."""
    return np.frombuffer(values, np.int64)


class InterpretedGraph(PlainExplorer):
    """The visited nodes, and the edges between them."""

    def __init__(self, chain: Chain) -> None:
        super().__init__(chain, 0)
        tables = by_row(chain.tables)
        self._rows = tables
        self._fan = np.diff(tables.first)
        self._alias = Alias(bits_for(tables), np.empty(len(tables) << bits_for(tables), np.uint64))
        self._filled = np.zeros(len(tables), bool)
        self._states: list[Any] = []
        self._fresh: list[tuple[int, int]] = []
        # By node: its tables, FINAL for a final state, and the begin of its edges; by edge its target.
        self._table, self._second, self._begin, self._lead = (array("q") for _ in range(4))
        self._start = self._node_of(self.begun(chain.start), "the start")
        self._settle()

        self.new_edges = 0

    def __len__(self) -> int:
        return len(self._states)

    def _node_of(self, state: Any, before: Any) -> int:
        """The number of a state, a new one if necessary."""
        known = len(self._states)
        node = self._number_of(self._states, state, before)
        if node == known:
            self._fresh.append(self.choices(state)[:2])
        return node

    def _settle(self) -> None:
        """Allocate the edges of new nodes, and the alias entries of their tables. Raises OutOfRoom for too many."""
        if not self._fresh:
            return
        table, second = np.array(self._fresh, np.int64).T
        self._fresh.clear()
        fan = np.where(table == FINAL, 0, self._fan[table] * (self._fan[second] if self.chain.paired else 1))
        begin = len(self._lead) + np.cumsum(fan) - fan
        if begin[-1] + fan[-1] > MOST_EDGES:
            raise OutOfRoom
        edges = np.full(int(fan.sum()), UNKNOWN)
        for values, more in ((self._begin, begin), (self._table, table), (self._second, second), (self._lead, edges)):
            values.frombytes(more.tobytes())
        used = np.unique(np.concatenate([table[table != FINAL], second]))
        wanted = used[~self._filled[used]].tolist()
        if wanted:
            self._alias.entry.reshape(len(self._fan), -1)[wanted] = some_tables(self._rows, wanted)
            self._filled[wanted] = True

    def _steps(self, node: np.ndarray, first: np.ndarray, other: np.ndarray) -> list[int]:
        """The contents of unexplored edges, for these nodes and rows of their tables."""
        found, states, results, p, move = [], self._states, self._results, self._p, self._move
        tables, seconds = whole(self._table)[node].tolist(), whole(self._second)[node].tolist()
        for i, t, u, row, beside in zip(node.tolist(), tables, seconds, first.tolist(), other.tolist(), strict=True):
            state = states[i]
            after, count = self.without_count(state, move(p, state, results[t][row], results[u][beside]))
            found.append(self._node_of(after, state) | count << NODE_BITS)
        self._settle()
        return found

    def step(self, at: np.ndarray, number: np.ndarray, beside: np.ndarray) -> np.ndarray:
        """The contents of the edges that random numbers draw for battles at running nodes: int64, shape (battles,).

        `at` are the nodes, int64; `number` and `beside` the numbers for both rolls, uint64; all of shape (battles,).
        """
        table, second = whole(self._table)[at], whole(self._second)[at]
        row, edge = drawn_by(self._alias, table, number), whole(self._begin)[at]
        other = drawn_by(self._alias, second, beside) if self.chain.paired else np.zeros_like(row)
        edge = edge + row + other * self._fan[table]
        found = whole(self._lead)[edge]
        lost = np.flatnonzero(found == UNKNOWN)
        if len(lost):
            edges, which = np.unique(edge[lost], return_index=True)
            chosen = lost[which]
            self.new_edges += len(edges)
            steps = self._steps(at[chosen], row[chosen], other[chosen])
            whole(self._lead)[edges] = steps
            found[lost] = whole(self._lead)[edge[lost]]
        return np.asarray(found)

    def fight(self, seed: int, first: int, battles: int, seconds: float) -> np.ndarray | None:
        """Packed final states and counts: uint64, shape (states, words + 1); None after `seconds` of CPU time.

        Counters are fields of the packed states; the last column is the number of battles. Raises
        BrokenGame for a game that breaks its contract; OutOfRoom, after which this object is unusable.
        """
        held = self._walk((seed, first, battles), seconds)
        return None if held is None else self._counts(held)

    def courses(self, seed: int, first: int, battles: int) -> Courses:
        """See `courses`. Raises as `fight`."""
        passed = [(np.arange(battles), np.full(battles, self._start))]
        self._walk((seed, first, battles), float("inf"), passed)
        battle, edges = map(np.concatenate, zip(*passed, strict=True))
        edges = edges[np.argsort(battle, kind="stable")]
        return self._states_after(edges), np.cumsum(np.bincount(battle)) - 1

    def _walk(self, order: tuple[int, int, int], seconds: float, passed: list[Any] | None = None) -> np.ndarray | None:
        """The last edges of battles, int64, shape (battles,); None after `seconds` of CPU time.

        `order` is as for `walk_together`; `passed` gets the battles of each step, and their edges.
        """
        held = np.full(order[2], self._start)

        def step(going: np.ndarray, number: np.ndarray, other: np.ndarray) -> np.ndarray:
            at = held[going] & NODE
            held[going] += self.step(at, number, other) - at
            if passed is not None:
                passed.append((going, held[going]))
            return np.asarray(whole(self._table)[held[going] & NODE] != FINAL)

        going = whole(self._table)[held & NODE] != FINAL
        return held if walk_together(order, going, self.chain.paired, step, seconds) else None

    def _counts(self, ended: np.ndarray) -> np.ndarray:
        """Rows of packed final states and counts, from the last edges of battles."""
        held, battles = np.unique(ended, return_counts=True)
        words = packed(counters_as_fields(self.chain).layout, self._states_after(held))
        return np.column_stack([words.T, battles.astype(np.uint64)])

    def _states_after(self, held: np.ndarray) -> np.ndarray:
        """The states to which edges lead, with their counters: int64, shape (edges, fields)."""
        nodes, which = np.unique(held & NODE, return_inverse=True)
        states, counted = rows_of([self._states[i] for i in nodes.tolist()])[which], self.chain.counted
        if counted >= 0:
            states[:, counted] = (held >> NODE_BITS) + int(self.chain.start[counted])
            self.chain.check_count(states[:, counted])
        return states


def courses(chain: Chain, seed: int, battles: int) -> Iterator[Courses]:
    """The states that the battles of a seed pass, in portions: those of `simulation.replay_steps`.

    Raises BrokenGame for a game that breaks its contract.
    """
    merged = chain.paired and graph_if_it_fits(chain) is not None  # such battles draw both rolls with one number
    graph = InterpretedGraph(chain) if may_keep_states(chain) and not merged else None
    for first in range(0, battles, FIRST_BATTLES):
        size = min(FIRST_BATTLES, battles - first)
        try:
            found = graph.courses(seed, first, size) if graph else None
        except OutOfRoom:
            found = graph = None
        yield found or _replayed(chain, seed, first, size)


def _replayed(chain: Chain, seed: int, first: int, battles: int) -> Courses:
    """The same, battle after battle by the rules."""
    from simulator.engine.sample.simulation import replay_steps

    states, last, begin = [], [], plain_state(chain, first_state(chain))
    for battle in range(first, first + battles):
        states += [begin, *(after for _, _, after in replay_steps(chain, seed, battle))]
        last.append(len(states) - 1)
    return rows_of(states), np.array(last)


class InterpretedSimulation:
    """As `simulation.Simulation`, with the same counts; it compiles once the budget of interpreted code is used."""

    def __init__(self, chain: Chain, seed: int, threads: int | None = None) -> None:
        self._chain, self._seed, self._threads = chain, seed, threads
        self._fought, self._tally = 0, EndTally(counters_as_fields(chain).layout.words)
        self._graph: InterpretedGraph | None = None
        self._rest: Simulation | None = None

    @property
    def battles(self) -> int:
        """The number of battles so far."""
        return self._rest.battles if self._rest else self._fought

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """See `Simulation.add`."""
        begun = self.battles
        if self._rest is None:
            self._fight_plainly(begun + battles, progress and (lambda done: progress(done - begun)))
        left = begun + battles - self.battles
        if left:
            done = self.battles - begun
            self._compiled().add(left, progress and (lambda more: progress(done + more)))

    def _fight_plainly(self, end: int, progress: Callable[[int], Any] | None) -> None:
        """Simulate up to battle `end`, or until time or room runs out."""
        begun, portion = time.thread_time(), FIRST_PORTION
        patience = patience_for(self._chain, KERNEL) if may_compile() else float("inf")
        graph, self._graph = self._graph, None  # an interrupt may leave it inconsistent
        try:
            graph = graph or InterpretedGraph(self._chain)
            while self._fought < end:
                portion = min(portion, end - self._fought)
                left = patience - (time.thread_time() - begun)
                share = min(1, LENIENCE * portion / (end - self._fought))
                rows = graph.fight(self._seed, self._fought, portion, left * share)
                if rows is None:
                    break
                self._tally.add(rows)
                self._fought += portion
                portion = min(2 * portion, PORTION)
                if progress:
                    progress(self._fought)
        except OutOfRoom:
            graph = None
        spent(self._chain, time.thread_time() - begun)
        self._graph = graph

    def add_first(self, seconds: float) -> None:
        """Simulate battles for about this many estimated seconds without compiling; the same number on every machine.

        Each portion has as many battles as all before it. Raises OutOfRoom if even the first one finds no room.
        """
        meter, graph = Meter(self._chain, seconds / 2), InterpretedGraph(self._chain)
        rolls = rolls_a_battle(self._chain)
        portion = int(min(FIRST_BATTLES, max(LEAST_BATTLES, LONGEST / meter.seconds(A_NEW_EDGE * rolls))))
        while not meter.is_over(A_NEW_EDGE * graph.new_edges + A_LOOK_UP * rolls * self._fought):
            try:
                rows = graph.fight(self._seed, self._fought, portion, float("inf"))
            except OutOfRoom:
                if self._fought == 0:
                    raise
                return
            assert rows is not None
            self._tally.add(rows)
            self._fought += portion
            portion = self._fought

    def _compiled(self) -> Simulation:
        from simulator.engine.sample.simulation import Simulation

        if self._rest is None:
            self._rest, self._graph = Simulation(self._chain, self._seed, self._threads), None
            self._rest.battles, self._rest.tally = self._fought, self._tally
        return self._rest

    def ends(self) -> OutcomeDistribution:
        """Final states of all battles so far."""
        if self._rest:
            return self._rest.ends()
        layout, counts = counters_as_fields(self._chain).layout, self._tally.counts
        states = type(self._chain.start)(*unpacked(layout, self._tally.words))
        return OutcomeDistribution(states, counts / max(1, self._fought), counts)
