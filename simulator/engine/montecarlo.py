"""Fighting: lanes of battles side by side, each with its own stream, counted as they end.

A chain that can be spelled out is fought on its graph (`lookup`), so that its rules are never compiled; a larger one by
its compiled rules.

A chunk of battles is fought in a few hundred lanes; a finished lane is counted and takes the next battle. Which lane,
thread or chunk fights a battle cannot matter, since its numbers depend on (seed, battle index) alone. The tally maps
packed final states to counts, so memory does not grow with the number of battles.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, uint32, uint64

from simulator.engine import streams
from simulator.engine.chain import Chain, Ends, Layout
from simulator.engine.compiled import (
    absorbing,
    apart,
    bind_state,
    inner,
    kernel,
    load,
    moved,
    paired,
    running,
    second,
    store,
    table,
    within,
)
from simulator.engine.explicit import Graph, plain_state, spell_out
from simulator.engine.limits import QUICK_BYTES, BrokenGame, NoExactOdds
from simulator.engine.lookup import lookup_chain
from simulator.engine.solve import Solver

# Measured, Risk 20 v 15, processor time of a battle: 512 lanes refilled when a quarter stand idle 18.9 ns; 256 lanes
# 19.8, 2048 lanes 18.9; refilled when a third stand idle 19.1, an eighth 19.7.
LANES = 512
IDLE_SHARE = 4
CHUNK = 1 << 16
# Rolls of all lanes between two returns to Python: some hundredths of a second.
SLICE = 1 << 12
# After so many rolls in which no battle of a graph ended it is looked at whether they can; without a graph no battle
# is believed to end that has not by then.
SUSPICIOUS, MOST_ROLLS, FOR_EVER = 1 << 15, 1 << 19, 1 << 62
# The first chunk of a thread, and how long a chunk may take: Ctrl-C waits for those under way, but not for ever.
FIRST_CHUNK, CHUNK_SECONDS, LAST_WAIT = 1 << 10, 0.1, 0.3
# What `at` holds: battles started and counted, lanes that still run, rolls since a battle ended.
STARTED, COUNTED, ALIVE, ROLLS = range(4)
DONE, PAUSED, BROKEN, ENDLESS = range(4)

_GAMMA = streams.GAMMA
_HIGH = streams.HIGH
mix = inner(streams.mix)


@inner
def battle_key(seed, battle):
    """`streams.battle_key`, compiled."""
    return mix(mix(battle) + mix(seed ^ streams.SEED_SALT))


class Lanes(NamedTuple):
    """Work space of one thread: state fields (fields x lanes), stream keys, busy marks, a list of lane numbers.

    `packed` is room for the packed state of each lane (words x lanes).
    """

    fields: np.ndarray
    key: np.ndarray
    busy: np.ndarray
    ended: np.ndarray
    packed: np.ndarray


class Order(NamedTuple):
    """Which battles to fight: the seed, the first battle's index, and how many."""

    seed: np.uint64
    battle: int
    battles: int


@inner
def drawn(t, number, bits, entry):
    """The result that a 32-bit number draws from table `t`."""
    # Unsigned indices and one packed gather: with signed ones and three arrays the loop took twice as long.
    e = entry[(uint64(t) << uint64(bits)) + uint64(number >> uint32(32 - bits))]
    first = uint32(number << uint32(bits)) < uint32(e)
    return int64((e >> uint64(32)) & uint64(0xFFFF)) if first else int64(e >> uint64(48))


@inner
def there(p, t, bits, entry):
    """The table, or table 0 in place of one that is not there: `astray` tells of it."""
    return t if absorbing(p) or uint64(t) < uint64(entry.shape[0]) >> uint64(bits) else int64(0)


@inner
def advance(p, s, number, bits, entry):
    """One step of one battle with a 32-bit number; a battle that is over stays as it is."""
    go = absorbing(p) or running(p, s)
    t = there(p, table(p, s), bits, entry) if go else int64(0)
    result = drawn(t, number, bits, entry)
    return moved(p, s, result, int64(0)) if go else s


@inner
def advance_pair(p, s, number, other, bits, entry):
    """One step of one battle with two 32-bit numbers, one for each of two independent rolls."""
    go = absorbing(p) or running(p, s)
    t = there(p, table(p, s), bits, entry) if go else int64(0)
    u = there(p, second(p, s), bits, entry) if go else int64(0)
    result, beside = drawn(t, number, bits, entry), drawn(u, other, bits, entry)
    return moved(p, s, result, beside) if go else s


@inner
def astray(p, s, bits, entry, limit):
    """1 for a state outside its limits, or whose table is not there."""
    if absorbing(p):
        return int32(0)
    tables = uint64(entry.shape[0]) >> uint64(bits)
    if not within(p, s, limit):
        return int32(1)
    if not running(p, s):
        return int32(0)
    return int32(uint64(table(p, s)) >= tables) | int32(uint64(second(p, s)) >= tables)


@apart
def roll(p, fields, keys, bits, entry, limit):
    """Two steps of every lane, or one of two rolls; returns how many battles still run, -1 if one went astray.

    LLVM turns this loop into SIMD where it can. The arrays come one by one, since only plain array arguments carry the
    promise that they do not overlap.
    """
    alive, wrong = int32(0), int32(0)
    for lane in range(fields.shape[1]):
        keys[lane] += _GAMMA
        word = mix(keys[lane])
        s = load(p, fields, lane)
        if paired(p):
            s = advance_pair(p, s, uint32(word >> _HIGH), uint32(word), bits, entry)
        else:
            s = advance(p, s, uint32(word >> _HIGH), bits, entry)
            wrong |= astray(p, s, bits, entry, limit)
            s = advance(p, s, uint32(word), bits, entry)
        wrong |= astray(p, s, bits, entry, limit)
        store(p, fields, lane, s)
        alive += int32(running(p, s))
    return int32(-1) if wrong else alive


@apart
def find_ended(p, fields, busy, ended):
    """List the lanes whose battle is over, without a branch; returns how many."""
    found = 0
    for lane in range(busy.shape[0]):
        ended[found] = lane
        found += int64(busy[lane]) * (1 - int64(running(p, load(p, fields, lane))))
    return found


@apart
def pack(fields, chosen, found, word, shift, packed):
    """Pack the first `found` of the `chosen` states of the field arrays into `packed`, field by field."""
    for w in range(packed.shape[0]):
        for i in range(found):
            packed[w, i] = uint64(0)
    for f in range(fields.shape[0]):
        for i in range(found):
            packed[word[f], i] |= uint64(fields[f, chosen[i]]) << shift[f]


@inner
def slot_of(packed, i, slots):
    """The slot of packed state `i` in an open-addressing table: its own, or a free one.

    `slots` (a power of two of slots x words + 1) holds packed states and, last, what is kept of each; 0 there marks a
    free slot. State and value side by side cost one cache miss, not two.
    """
    words = packed.shape[0]
    code = uint64(0)
    for w in range(words):
        code = (code ^ packed[w, i]) * _GAMMA
        code ^= code >> _HIGH
    mask = uint64(slots.shape[0] - 1)
    slot = code & mask
    while slots[slot, words] != 0:
        same = True
        for w in range(words):
            same = same and slots[slot, w] == packed[w, i]
        if same:
            break
        slot = (slot + uint64(1)) & mask
    return slot


@inner
def count_ended(lanes, found, layout, tally):
    """Add the listed lanes' final states to the tally: a table of `slot_of` that keeps counts."""
    pack(lanes.fields, lanes.ended, found, layout.word, layout.shift, lanes.packed)
    words = lanes.packed.shape[0]
    for i in range(found):
        slot = slot_of(lanes.packed, i, tally)
        for w in range(words):
            tally[slot, w] = lanes.packed[w, i]
        tally[slot, words] += uint64(1)
        lanes.busy[lanes.ended[i]] = 0


@inner
def refill(lanes, start, seed, battle, fresh):
    """Start battles `battle` .. `battle + fresh - 1` in the first listed lanes."""
    for i in range(fresh):
        lanes.key[lanes.ended[i]] = battle_key(seed, uint64(battle) + uint64(i))
        lanes.busy[lanes.ended[i]] = 1
    for f in range(start.shape[0]):
        for i in range(fresh):
            lanes.fields[f, lanes.ended[i]] = start[f]


@inner
def idle_lanes(lanes, start):
    """Put the start state into every lane, no battle in any, and list them all."""
    for lane in range(lanes.key.shape[0]):
        lanes.ended[lane] = lane
        lanes.busy[lane] = 0
        lanes.key[lane] = uint64(0)
        for f in range(start.shape[0]):
            lanes.fields[f, lane] = start[f]


@kernel
def fight(p, start, alias, order, lanes, layout, tally, at, most):
    """Fight the ordered battles and add their final states to the tally, which must have room for as many new ones.

    Returns DONE, PAUSED now and then (call again), BROKEN, or ENDLESS when `most` rolls ended no battle.
    """
    width = lanes.key.shape[0]
    if at[STARTED] == 0:
        idle_lanes(lanes, start)
        at[STARTED] = min(order.battles, width)
        refill(lanes, start, order.seed, order.battle, at[STARTED])
    for _ in range(SLICE):
        waiting = at[STARTED] < order.battles
        if at[ALIVE] == 0 or (waiting and (width - at[ALIVE]) * IDLE_SHARE >= width):
            found = find_ended(p, lanes.fields, lanes.busy, lanes.ended)
            count_ended(lanes, found, layout, tally)
            at[COUNTED] += found
            if found > 0:
                at[ROLLS] = 0
            if at[COUNTED] == order.battles:
                return DONE
            fresh = min(found, order.battles - at[STARTED])
            refill(lanes, start, order.seed, order.battle + at[STARTED], fresh)
            at[STARTED] += fresh
        at[ALIVE] = roll(p, lanes.fields, lanes.key, alias.bits, alias.entry, layout.limit)
        if at[ALIVE] < 0:
            return BROKEN
        at[ROLLS] += 1
    return ENDLESS if at[ROLLS] > most else PAUSED


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
        """`graph` is the chain spelled out, where that is at hand; `direct` fights by the rules themselves."""
        self.seed, self.chunk = seed, chunk
        self.threads = threads or processors()
        self.battles = 0
        self.origin = chain
        self.graph = graph or (None if direct else _graph_if_it_fits(chain))
        self.chain, self._order = lookup_chain(self.graph) if self.graph else (_by_rules(chain), np.empty(0))
        self._layout: Layout = self.chain.layout
        self._keys = np.empty((self._layout.words, 0), np.uint64)
        self._counts = np.empty(0, np.int64)
        bind_state(type(self.chain.params), type(self.chain.start))
        self._fight = fight.of(self.chain.params)
        self._most_rolls = SUSPICIOUS if self.graph else MOST_ROLLS

    @property
    def engine(self) -> str:
        """What fights: "graph" or "rules"."""
        return "graph" if self.graph else "rules"

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """Fight `battles` more; `progress(n)` is told now and then how many of them are done.

        An interrupt (KeyboardInterrupt) stops after the chunks under way; what was fought until then is kept. Raises
        BrokenGame for a game that breaks its contract.
        """
        begin, end = self.battles, self.battles + battles
        work = _Work(begin, end, self.chunk)
        threads = max(1, min(self.threads, -(-battles // self.chunk)))
        with ThreadPoolExecutor(threads) as pool:
            futures = [pool.submit(self._run, work) for _ in range(threads)]
            try:
                while not work.finished.wait(0.05):
                    if progress:
                        progress(work.done)
                    if all(future.done() for future in futures):
                        break
            finally:
                work.stop()
                tallies = [future.result() for future in futures]
                if not work.spoiled:
                    self._merge(tallies)
                    self.battles = begin + work.done
        if work.endless:
            raise BrokenGame(f"no battle of seed {self.seed} ended within {2 * MOST_ROLLS:,} steps; perhaps none does")
        if work.broken:
            raise _culprit(self.origin, self.seed, *work.broken)
        if progress:
            progress(work.done)

    def _run(self, work: _Work) -> np.ndarray:
        """One thread: take chunk after chunk until the work is done or stopped."""
        chain, layout = self.chain, self._layout
        start = np.array(chain.start, np.int64 if self.graph else np.int32)
        lanes = Lanes(
            np.empty((len(start), LANES), start.dtype),
            np.empty(LANES, np.uint64),
            np.empty(LANES, np.uint8),
            np.empty(LANES + 1, np.int32),
            np.empty((layout.words, LANES), np.uint64),
        )
        tally, size = _empty_tally(4 * FIRST_CHUNK, layout.words), FIRST_CHUNK
        while (portion := work.take(size)) is not None:
            tally = _with_room(tally, portion[1])
            begun = time.perf_counter()
            order, at = Order(np.uint64(self.seed), *portion), np.zeros(4, np.int64)
            fought = (chain.params, start, chain.tables.alias, order, lanes, layout, tally, at)
            while (status := self._fight(*fought, self._most_rolls)) != DONE and not work.gives_up():
                if status == BROKEN or (status == ENDLESS and not self._ends_for_sure()):
                    break
            if status != DONE:
                work.spoil(portion if status == BROKEN else None, status == ENDLESS)
                break
            work.tell(portion[1])
            if time.perf_counter() - begun < CHUNK_SECONDS / 2:
                size = min(2 * size, self.chunk)
        return tally

    def _ends_for_sure(self) -> bool:
        """Is every battle known to end, however late? Raises BrokenGame if it is known not to."""
        if self.graph is None or self._most_rolls == FOR_EVER:
            return self.graph is not None
        Solver(self.graph, counted=False).values(np.zeros(len(self.graph)))
        self._most_rolls = FOR_EVER
        return True

    def _merge(self, tallies: list[np.ndarray]) -> None:
        """Add the threads' tallies to the total, sorted by packed state."""
        counted = np.concatenate([tally[tally[:, -1] > 0] for tally in tallies])
        if len(counted) == 0:
            return
        keys = np.concatenate([self._keys, counted[:, :-1].T], axis=1)
        counts = np.concatenate([self._counts, counted[:, -1].astype(np.int64)])
        order = np.lexsort(keys[::-1])
        keys, counts = keys[:, order], counts[order]
        fresh = np.flatnonzero(np.append(True, (keys[:, 1:] != keys[:, :-1]).any(axis=0)))
        self._keys, self._counts = keys[:, fresh], np.add.reduceat(counts, fresh)

    def ends(self) -> Ends:
        """Final states of all battles so far."""
        layout = self._layout
        fields = [
            ((self._keys[word] >> shift) & mask).astype(np.int64)
            for word, shift, mask in zip(layout.word, layout.shift, layout.mask, strict=True)
        ]
        states = type(self.chain.start)(*fields)
        if self.graph:
            mask = self.chain.params.mask
            states = self.graph.states(self._order[fields[0] & mask], fields[0] >> mask.bit_length())
        return Ends(states, self._counts / max(1, self.battles), self._counts)


def _by_rules(chain: Chain) -> Chain:
    """The chain as lanes fight it: its counter is a field like others, and decisions at the start have been taken."""
    return replace(chain, counters=(), start=chain.settled(chain.start))


def _graph_if_it_fits(chain: Chain) -> Graph | None:
    try:
        return spell_out(chain, QUICK_BYTES)
    except NoExactOdds:
        return None


def _culprit(chain: Chain, seed: int, first: int, battles: int) -> BrokenGame:
    """What went wrong in one of these battles: they are fought once more, slowly, with every state checked."""
    for battle in range(first, first + battles):
        try:
            for _ in told_steps(chain, seed, battle):
                pass
        except BrokenGame as error:
            return error
    return BrokenGame(f"one of the battles {first} to {first + battles - 1} of seed {seed} went astray")


def told_steps(chain: Chain, seed: int, battle: int) -> Iterator[tuple[Any, Any, Any]]:
    """The steps of one battle as plain Python: state before, result (a pair for two rolls), state after.

    Raises BrokenGame where the game breaks its contract.
    """
    stream, p, tables = streams.Stream(seed, battle), chain.params, chain.tables
    running, table, second = (chain.part(name) for name in ("running", "table", "second"))
    state = plain_state(chain, chain.settled(chain.start))
    while running(p, state):
        result = tables.drawn(int(table(p, state)), stream.next(), state)
        other = tables.drawn(int(second(p, state)), stream.next(), state) if chain.paired else 0
        after = plain_state(chain, chain.move(p, state, result, other), state)
        yield state, (result, other) if chain.paired else result, after
        state = after


class _Work:
    """Hands out chunks in order, so that what was fought when work stops is one unbroken run of battles."""

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

    def tell(self, size: int) -> None:
        """A chunk of this size is done."""
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
        """Has work been stopped so long ago that not even the chunk under way is waited for?"""
        return self._stopped_at > 0 and time.perf_counter() - self._stopped_at > LAST_WAIT

    def spoil(self, broken: tuple[int, int] | None, endless: bool) -> None:
        """A chunk could not be finished: nothing that was added counts. `broken` are its first battle and size."""
        with self._lock:
            self.spoiled = True
            self.endless |= endless
            self.broken = broken or self.broken
            self._end = self._next
        self.finished.set()


def _empty_tally(slots: int, words: int) -> np.ndarray:
    """A tally of at least this many slots, a power of two."""
    return np.zeros((1 << max(10, (slots - 1).bit_length()), words + 1), np.uint64)


def _with_room(tally: np.ndarray, fresh: int) -> np.ndarray:
    """The same tally, grown if `fresh` more states would fill it beyond two thirds."""
    used = int(np.count_nonzero(tally[:, -1]))
    if 3 * (used + fresh) <= 2 * len(tally):
        return tally
    bigger = _empty_tally(4 * (used + fresh), tally.shape[1] - 1)
    held = tally[tally[:, -1] > 0]
    move(np.ascontiguousarray(held[:, :-1].T), np.ascontiguousarray(held[:, -1]), bigger)
    return bigger


@kernel
def move(packed, values, slots):
    """Put packed states (words x states) and their values into a table of `slot_of`."""
    words = packed.shape[0]
    for i in range(len(values)):
        slot = slot_of(packed, i, slots)
        for w in range(words):
            slots[slot, w] = packed[w, i]
        slots[slot, words] = values[i]


def processors() -> int:
    """How many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on macOS and Windows
        return os.cpu_count() or 1
