"""Simulation of seeded battles, in any portions and on any number of threads.

A chain with a graph is walked on it (`node_walk`), so that its rules are not compiled; a larger one by its compiled
rules (`rule_walk`) or on a lazy graph (`lazy_walk`).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_cache import counters_as_fields, graph_if_it_fits, may_keep_states
from simulator.engine.graph.solver import Solver
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.contract import check_contract
from simulator.engine.model.interpreted import plain_params
from simulator.engine.model.limits import QUICK_BYTES, BrokenGame, processors
from simulator.engine.model.packing import unpacked
from simulator.engine.model.status import BROKEN, DONE, ENDLESS, PAST_BUDGET
from simulator.engine.sample.alias import drawn_from
from simulator.engine.sample.graph_tables import EndTally, graph_tables, numbers_and_counters
from simulator.engine.sample.lazy_walk import LazyWalk
from simulator.engine.sample.node_walk import walk_layout, walk_of
from simulator.engine.sample.plain_walk import LONG_BATTLE, MOST_ROLLS, RollFunction, rolls_a_battle, rolls_by, walk
from simulator.engine.sample.rule_walk import RuleWalk
from simulator.engine.sample.walk import Order, Walk

CHUNK = 1 << 16
# After this many seconds all threads take waiting chunks, even if they hold few battles.
LONG = 1.0
# After SUSPICIOUS rolls without an end, check that battles of the graph can end at all; without a graph, a battle that
# has not ended after MOST_ROLLS is an error.
SUSPICIOUS, FOR_EVER = 1 << 15, 1 << 62
# Battles of the first chunk of a thread, as many as lanes, and seconds of a chunk; seconds that an interrupt waits.
FIRST_CHUNK, CHUNK_SECONDS, LAST_WAIT = 1 << 9, 0.1, 0.3


class Simulation:
    """Battles of one chain and seed, added in any portions; always battles 0 to `battles - 1`.

    `threads` defaults to the number of processors that this process may use.
    """

    def __init__(
        self,
        chain: Chain,
        seed: int = 0,
        threads: int | None = None,
        chunk: int = CHUNK,
        graph: Graph | None = None,
        direct: bool = False,
    ) -> None:
        """`graph` is the graph of the chain, if at hand; `direct` walks by the rules alone."""
        check_contract(chain)
        self.seed, self.chunk = seed, chunk
        self.threads = threads or processors()
        self.battles = 0
        self.chain = chain
        self.graph = graph or (None if direct and chain.utilities is None else graph_if_it_fits(chain))
        self.tally = EndTally(1 if self.graph else counters_as_fields(chain).layout.words)
        if self.graph:
            walk_layout(graph_tables(self.graph))  # made once for all threads
        else:  # a first step in plain Python checks the types of the rules
            next(_steps(chain, seed, 0, None), None)
        self._direct = direct or (
            self.graph is None and not (may_keep_states(chain) and rolls_a_battle(chain) < LONG_BATTLE)
        )
        self._most_rolls = SUSPICIOUS if self.graph else MOST_ROLLS

    @property
    def engine(self) -> str:
        """The kind of walk: "graph", "rules", or "lazy" for a graph that grows by the rules."""
        return "graph" if self.graph else "rules" if self._direct else "lazy"

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """Simulate `battles` more; `progress(n)` is called regularly with the number done.

        An interrupt (KeyboardInterrupt) stops after the running chunks, and keeps their battles. Raises BrokenGame for
        a game that breaks its contract.
        """
        begin, end = self.battles, self.battles + battles
        queue = _Queue(begin, end, self.chunk)
        threads = max(1, min(self.threads, -(-battles // self.chunk)))
        pool = ThreadPoolExecutor(self.threads)
        patience: float | None = LAST_WAIT + CHUNK_SECONDS / 2
        futures = [pool.submit(self._run, queue) for _ in range(threads)]
        late = time.perf_counter() + LONG
        try:
            while not queue.finished.wait(0.05):
                if len(futures) < self.threads and queue.waits and time.perf_counter() > late:
                    futures.append(pool.submit(self._run, queue))
                if progress:
                    progress(queue.done)
                if all(future.done() for future in futures):
                    break
            patience = None
        finally:
            queue.stop()
            # A thread that still compiles cannot stop: an interrupt does not wait for it.
            stopped = not wait(futures, patience).not_done
            pool.shutdown(wait=False)
            tallies = [future.result() for future in futures] if stopped else []
            if stopped and not queue.spoiled:
                for tally in tallies:
                    self.tally.add(tally)
                self.battles = begin + queue.done
        if queue.endless:
            raise BrokenGame(f"no battle of seed {self.seed} ended within {2 * MOST_ROLLS:,} steps; perhaps none does")
        if queue.broken:
            raise _culprit(self.chain, self.seed, *queue.broken)
        if progress:
            progress(queue.done)

    def _run(self, queue: _Queue) -> np.ndarray:
        """The work of a thread: take chunks until the work is done or stopped."""
        sampler, size = Sampler(self._walks()), FIRST_CHUNK
        while (portion := queue.take(size)) is not None:
            begun = time.perf_counter()
            sampler.begin(Order(np.uint64(self.seed), *portion))
            while (status := sampler.fight(self._most_rolls)) not in {DONE, BROKEN} and not queue.gives_up():
                if status == ENDLESS and not self._ends_for_sure():
                    break
            if status != DONE:
                queue.spoil(portion if status == BROKEN else None, status == ENDLESS)
                break
            queue.finish(portion[1])
            if time.perf_counter() - begun < CHUNK_SECONDS / 2:
                size = min(2 * size, self.chunk)
        return sampler.counts()

    def _walks(self) -> Iterator[Walk]:
        """The walk of a thread, and those that take over from it."""
        if self.graph:
            yield walk_of(self.graph)
        elif self.engine == "lazy":
            yield kept_walk(LazyWalk, self.chain, self.threads)
        yield RuleWalk(self.chain)

    def _ends_for_sure(self) -> bool:
        """Is every battle sure to end? Raises BrokenGame if the graph shows that one cannot."""
        if self.graph is None or self._most_rolls == FOR_EVER:
            return self.graph is not None
        Solver(self.graph, counted=False).values(np.zeros(len(self.graph)))
        self._most_rolls = FOR_EVER
        return True

    def ends(self) -> OutcomeDistribution:
        """The distribution of outcomes of all battles so far."""
        words, counts = self.tally.words, self.tally.counts
        if self.graph:
            states = self.graph.states(*numbers_and_counters(words[0]))
        else:
            states = type(self.chain.start)(*unpacked(counters_as_fields(self.chain).layout, words))
        return OutcomeDistribution(states, counts / max(1, self.battles), counts)


def _culprit(chain: Chain, seed: int, first: int, battles: int) -> BrokenGame:
    """The error in one of these battles, from a replay of each with all checks."""
    for battle in range(first, first + battles):
        try:
            for _ in replay_steps(chain, seed, battle):
                pass
        except BrokenGame as error:
            return error
    return BrokenGame(f"one of the battles {first} to {first + battles - 1} of seed {seed} left its limits")


def replay_steps(chain: Chain, seed: int, battle: int) -> Iterator[tuple[Any, Any, Any]]:
    """The steps of one battle as plain Python, see `plain_walk.walk`.

    Raises BrokenGame for a game that breaks its contract.
    """
    return _steps(chain, seed, battle, graph_if_it_fits(chain) if chain.paired else None)


def _steps(chain: Chain, seed: int, battle: int, graph: Graph | None) -> Iterator[tuple[Any, Any, Any]]:
    p = chain.kept.of(_plain_params, chain)
    merged = graph is not None and graph_tables(graph).merged
    roll = _merged_rolls(graph, seed, battle) if graph and merged else _plain_rolls(chain, p, seed, battle)
    return walk(chain, roll, f"battle {battle} of seed {seed}", p)


def _plain_params(chain: Chain) -> Any:
    """The params of a chain for plain Python: a replay of many battles reads them in each."""
    return plain_params(chain.params)


def _plain_rolls(chain: Chain, p: Any, seed: int, battle: int) -> RollFunction:
    """The rolls of a battle: one result from each table, with one 32-bit number each."""
    stream = streams.Stream(seed, battle)
    return rolls_by(lambda number, state: drawn_from(chain.tables, number, stream.next(), state), chain, p)


def _merged_rolls(graph: Graph, seed: int, battle: int) -> RollFunction:
    """The rolls of a battle on merged tables: a pair of results with the drawn successor, by their chances."""
    g, tables, second = graph_tables(graph), graph.chain.tables, graph.second
    assert second is not None
    stream, dice = streams.Stream(seed, battle), random.Random(f"{seed} {battle} rolls")
    here = 0

    def roll(state: Any) -> tuple[int, int]:
        nonlocal here
        drawn = int(g.begin[here]) + drawn_from(g.tables, int(g.table[here]), stream.next(), state)
        _, edges, chances = graph.edges_of(np.array([here]))
        alike = graph.to[edges] == g.to[drawn]
        if graph.inc is not None:
            alike &= graph.inc[edges] == g.inc[drawn]
        able = np.flatnonzero(alike)
        chosen = int(dice.choices(able.tolist(), chances[able].tolist())[0])
        first, others = tables.rows_of(int(graph.table[here])), tables.rows_of(int(second[here]))
        here = int(g.to[drawn])
        return int(first[chosen % len(first)]), int(others[chosen // len(first)])

    return roll


class _Queue:
    """A queue of chunks in order, so that the battles done at any stop are consecutive."""

    def __init__(self, begin: int, end: int, chunk: int) -> None:
        self._next, self._end, self._chunk = begin, end, chunk
        self._left = end - begin
        self.done = 0
        self._lock = threading.Lock()
        self._stopped_at = 0.0
        self.spoiled = self.endless = False
        self.broken: tuple[int, int] | None = None
        self.finished = threading.Event()
        if self._left == 0:
            self.finished.set()

    def take(self, most: int) -> tuple[int, int] | None:
        """First battle and size of the next chunk, or None."""
        with self._lock:
            size = min(self._chunk, most, self._end - self._next)
            first = self._next
            self._next += size
        return (first, size) if size > 0 else None

    @property
    def waits(self) -> bool:
        """Are there chunks that no thread has taken?"""
        return self._next < self._end

    def finish(self, size: int) -> None:
        """Record that a chunk of this size is done."""
        with self._lock:
            self.done += size
            if self.done == self._left:
                self.finished.set()

    def stop(self) -> None:
        """Hand out no more."""
        with self._lock:
            self._end = self._next
            self._stopped_at = time.perf_counter()

    def gives_up(self) -> bool:
        """Was work stopped so long ago that running chunks are abandoned?"""
        return self._stopped_at > 0 and time.perf_counter() - self._stopped_at > LAST_WAIT

    def spoil(self, broken: tuple[int, int] | None, endless: bool) -> None:
        """Discard all battles of this call after a failed chunk; `broken` are its first battle and size."""
        with self._lock:
            self.spoiled = True
            self.endless |= endless
            self.broken = broken or self.broken
            self._end = self._next
        self.finished.set()


def kept_walk(kind: Callable[[Chain, int], Walk], chain: Chain, threads: int) -> Walk:
    """A walk whose graph grew with earlier battles of the chain, or a new one; this many threads share the budget."""
    shelf = chain.kept.setdefault(kind, [])
    try:
        found: Walk = shelf.pop()
    except IndexError:
        found = kind(chain, QUICK_BYTES // threads)
        found.shelf = shelf
    return found


class Sampler:
    """Battles of one thread: by the first of some walks that pays, until the next one takes over."""

    def __init__(self, walks: Iterator[Walk]) -> None:
        self._walks, self._used = walks, [next(walks)]

    def _next(self) -> None:
        self._used.append(next(self._walks))

    def begin(self, order: Order) -> None:
        """Take this order."""
        while not self._used[-1].pays:
            self._next()
        self._used[-1].begin(order)

    def fight(self, most: int) -> int:
        """See `Walk.fight`."""
        while (status := self._used[-1].fight(most)) == PAST_BUDGET:
            order = self._used[-1].order
            self._used[-1].give_up()
            self._next()
            self.begin(order)
        return status

    def counts(self) -> np.ndarray:
        """The rows of `Walk.counts` of all walks: uint64, shape (rows, words + 1). It ends the use of the sampler."""
        rows = np.concatenate([used.counts() for used in self._used])
        for used in self._used:
            if used.shelf is not None:
                used.shelf.append(used)
        return rows
