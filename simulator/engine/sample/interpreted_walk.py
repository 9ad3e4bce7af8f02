"""Battles of a chain that is too large to spell out, fought before anything is compiled; imports no compiler.

As in `met`: states that battles come to are kept as nodes. A step that no battle has taken yet is taken by the game's
own functions, as plain Python, once; all others are look-ups, for all battles at once. Battle i of a seed is the very
battle that the compiled rules would fight, so that these go on where plain Python gets too slow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from simulator.engine.factored import grid
from simulator.engine.graph.graph_cache import COUNT_BITS, NOTE_BITS, by_rules, carried
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.jit.time_budgets import patience_for, spent
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain, Ends, hold_to_limits, rows_of
from simulator.engine.model.chance import by_row
from simulator.engine.model.limits import QUICK_BYTES, BrokenGame
from simulator.engine.model.packing import packed
from simulator.engine.sample.alias import Alias, bits_for, drawn_by, some_tables
from simulator.engine.sample.counts import Tally

if TYPE_CHECKING:
    from simulator.engine.sample.simulation import Simulation

# Battles of the first portion and of the largest; how often its share of the time a portion may take: later ones meet
# less that is new.
FIRST_PORTION, PORTION, LENIENCE = 1 << 11, 1 << 14, 4
# Edges that are kept at most.
MOST_EDGES = QUICK_BYTES // 8
# An edge that nobody took yet. The others hold a node and, above it, what is added to the counter; above that, what is
# noted on the way, if there is room.
UNKNOWN, NODE_BITS = -1, 63 - COUNT_BITS - NOTE_BITS
NODE, COUNT = (1 << NODE_BITS) - 1, (1 << COUNT_BITS) - 1
FINAL = -1
_LOW, _HIGH = np.uint64(0xFFFFFFFF), np.uint64(32)


def kernel_of(chain: Chain) -> str:
    """What fights a chain that is too large to spell out, where its rules are compiled."""
    return "fight_on_grid" if grid.may_be_walked(chain) else "fight_on"


class OutOfRoom(Exception):
    """Battles came to states with more edges than are kept."""


class Growing:
    """An array of int64 that is added to."""

    def __init__(self) -> None:
        self._room, self._used = np.empty(1 << 12, np.int64), 0

    def add(self, values: np.ndarray) -> None:
        """Add these values at the end."""
        used = self._used + len(values)
        if used > len(self._room):
            self._room = np.concatenate([self._room, np.empty(used, np.int64)])
        self._room[self._used : used] = values
        self._used = used

    @property
    def whole(self) -> np.ndarray:
        """All values so far, to be read and written."""
        return self._room[: self._used]


class Acquainted(PlainExplorer):
    """The nodes that battles came to, and the edges between them; what is noted is no part of a node."""

    def __init__(self, chain: Chain) -> None:
        super().__init__(chain, 0)
        self._noted = carried(chain)
        self._parts = [chain.part(name) for name in ("running", "table", "second")]
        tables = by_row(chain.tables)
        self._rows = tables
        self._fan = np.diff(tables.first)
        self._alias = Alias(bits_for(tables), np.empty(len(tables) << bits_for(tables), np.uint64))
        self._filled = np.zeros(len(tables), bool)
        self._states: list[Any] = []
        self._number: dict[Any, int] = {}
        self._fresh: list[tuple[int, int]] = []
        # By node: its tables, FINAL where the battle is over, and where its edges begin; by edge where it leads.
        self._table, self._second, self._begin, self._lead = (Growing() for _ in range(4))
        self._start = self._node_of(self._begun(chain.settled(chain.start)), "the start")
        self._settle()

    def __len__(self) -> int:
        return len(self._states)

    def _node_of(self, state: Any, before: Any) -> int:
        """The number of a state, a new one if need be."""
        node = self._number.get(state)
        if node is None:
            hold_to_limits(self.chain, state, before)
            running, table, second = self._parts
            tables = self._tables_of(state, table, second) if running(self._p, state) else (FINAL, 0)
            node = self._number[state] = len(self._states)
            self._states.append(state)
            self._fresh.append(tables)
        return node

    def _settle(self) -> None:
        """Make room for the edges of new nodes, and the entries of their tables. Raises OutOfRoom for too many."""
        if not self._fresh:
            return
        table, second = np.array(self._fresh, np.int64).T
        self._fresh.clear()
        fan = np.where(table == FINAL, 0, self._fan[table] * (self._fan[second] if self.chain.paired else 1))
        begin = len(self._lead.whole) + np.cumsum(fan) - fan
        if begin[-1] + fan[-1] > MOST_EDGES:
            raise OutOfRoom
        self._begin.add(begin)
        self._table.add(table)
        self._second.add(second)
        self._lead.add(np.full(int(fan.sum()), UNKNOWN))
        used = np.unique(np.concatenate([table[table != FINAL], second]))
        wanted = used[~self._filled[used]].tolist()
        if wanted:
            self._alias.entry.reshape(len(self._fan), -1)[wanted] = some_tables(self._rows, wanted)
            self._filled[wanted] = True

    def _steps(self, node: np.ndarray, first: np.ndarray, other: np.ndarray) -> list[int]:
        """What edges hold that nobody took yet: of these nodes, for these rows of their tables."""
        found, states, results, p, move, noted = [], self._states, self._results, self._p, self._move, self._noted
        tables, seconds = self._table.whole[node].tolist(), self._second.whole[node].tolist()
        for i, t, u, row, beside in zip(node.tolist(), tables, seconds, first.tolist(), other.tolist(), strict=True):
            state = states[i]
            after, count = self._without_count(state, move(p, state, results[t][row], results[u][beside]))
            if noted >= 0 and (note := after[noted]):
                hold_to_limits(self.chain, after, state)
                after, count = after._replace(**{self.chain.annotation: 0}), count | note << COUNT_BITS
            found.append(self._node_of(after, state) | count << NODE_BITS)
        self._settle()
        return found

    def step(self, at: np.ndarray, number: np.ndarray, beside: np.ndarray) -> np.ndarray:
        """What the edges hold that these numbers draw for battles at these nodes, all of which run."""
        table, second = self._table.whole[at], self._second.whole[at]
        row, edge = drawn_by(self._alias, table, number), self._begin.whole[at]
        other = drawn_by(self._alias, second, beside) if self.chain.paired else np.zeros_like(row)
        edge = edge + row + other * self._fan[table]
        found = self._lead.whole[edge]
        lost = np.flatnonzero(found == UNKNOWN)
        if len(lost):
            edges, which = np.unique(edge[lost], return_index=True)
            chosen = lost[which]
            steps = self._steps(at[chosen], row[chosen], other[chosen])
            self._lead.whole[edges] = steps
            found[lost] = self._lead.whole[edge[lost]]
        return np.asarray(found)

    def fight(self, seed: int, first: int, battles: int, seconds: float) -> np.ndarray | None:
        """Rows of packed final states, as `by_rules` packs them, and counts; None if it takes longer than that.

        Raises BrokenGame for a game that breaks its contract, and OutOfRoom, after which nothing can be fought.
        """
        deadline = time.thread_time() + seconds
        held, ended = np.full(battles, self._start), []
        with np.errstate(over="ignore"):
            key = streams.battle_key(np.uint64(seed), np.arange(first, first + battles, dtype=np.uint64))
            half = 0
            word = key
            while True:
                going = self._table.whole[held & NODE] != FINAL
                if not going.all():
                    ended.append(held[~going])
                    held, key, word = held[going], key[going], word[going]
                if not len(held):
                    return self._told(np.concatenate(ended))
                if time.thread_time() > deadline:
                    return None
                if half == 0:
                    key = key + streams.GAMMA
                    word = streams.mix(key)
                held += self.step(held & NODE, word & _LOW if half else word >> _HIGH, word & _LOW) - (held & NODE)
                half = 0 if self.chain.paired else 1 - half

    def _told(self, ended: np.ndarray) -> np.ndarray:
        """What battles held in the end (as edges do) as rows of packed states and how many there are of each."""
        chain, counted = self.chain, self.chain.counted
        held, battles = np.unique(ended, return_counts=True)
        count = held >> NODE_BITS
        states = rows_of([self._states[i] for i in (held & NODE).tolist()])
        if self._noted >= 0:
            states[:, self._noted], count = count >> COUNT_BITS, count & COUNT
        if counted >= 0:
            states[:, counted] = count + int(chain.start[counted])
            most, limit = int(states[:, counted].max()), int(chain.limits[counted])
            if most > limit:
                raise BrokenGame(f"counter {chain.counters[0]}: {most} is above its limit {limit}")
        return np.column_stack([packed(by_rules(chain).layout, states).T, battles.astype(np.uint64)])


class FirstBattles:
    """As `montecarlo.Simulation`, whose counts it has; compiles once plain Python was given its time."""

    def __init__(self, chain: Chain, seed: int, threads: int | None = None) -> None:
        self._chain, self._seed, self._threads = chain, seed, threads
        self._fought, self._tally = 0, Tally(by_rules(chain).layout)
        self._met: Acquainted | None = None
        self._rest: Simulation | None = None

    @property
    def battles(self) -> int:
        """Battles fought so far."""
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
        """Fight on up to battle `end`, or until that takes too long or too much room."""
        begun, patience, portion = time.thread_time(), patience_for(self._chain, kernel_of(self._chain)), FIRST_PORTION
        met, self._met = self._met, None  # gone if an interrupt leaves it half grown
        try:
            met = met or Acquainted(self._chain)
            while self._fought < end:
                portion = min(portion, end - self._fought)
                left = patience - (time.thread_time() - begun)
                share = min(1, LENIENCE * portion / (end - self._fought))
                rows = met.fight(self._seed, self._fought, portion, left * share)
                if rows is None:
                    break
                self._tally.add(rows)
                self._fought += portion
                portion = min(2 * portion, PORTION)
                if progress:
                    progress(self._fought)
        except OutOfRoom:
            met = None
        spent(self._chain, time.thread_time() - begun)
        self._met = met

    def _compiled(self) -> Simulation:
        from simulator.engine.sample.simulation import Simulation

        if self._rest is None:
            self._rest, self._met = Simulation(self._chain, self._seed, self._threads), None
            self._rest.battles, self._rest.tally = self._fought, self._tally
        return self._rest

    def ends(self) -> Ends:
        """Final states of all battles so far."""
        states, counts = type(self._chain.start)(*self._tally.fields()), self._tally.counts
        return self._rest.ends() if self._rest else Ends(states, counts / max(1, self._fought), counts)
