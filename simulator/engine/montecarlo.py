"""Fighting: lanes of battles side by side, each with its own stream, counted as they end.

A chunk of battles is fought in a few hundred lanes; a finished lane is counted and takes the next battle. Which lane,
thread or chunk fights a battle cannot matter, since its numbers depend on (seed, battle index) alone. The tally maps
packed final states to counts, so memory does not grow with the number of battles.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numba import int32, int64, uint32, uint64

from simulator.engine import streams
from simulator.engine.chain import Chain, Ends, Layout
from simulator.engine.compiled import apart, bind_state, inner, kernel, load, running, step, store, table

# Measured, Risk 20 v 15, processor time of a battle: 512 lanes refilled when a quarter stand idle 18.9 ns; 256 lanes
# 19.8, 2048 lanes 18.9; refilled when a third stand idle 19.1, an eighth 19.7.
LANES = 512
IDLE_SHARE = 4
CHUNK = 1 << 16
# Fewer battles are fought sooner than a map is drawn.
WORTH_A_MAP = 1 << 16

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
def advance(p, s, number, bits, entry):
    """One step of one battle with a 32-bit number; a battle that is over stays as it is."""
    go = running(p, s)
    t = table(p, s) if go else int64(0)
    # Unsigned indices and one packed gather: with signed ones and three arrays the loop took twice as long.
    e = entry[(uint64(t) << uint64(bits)) + uint64(number >> uint32(32 - bits))]
    first = uint32(number << uint32(bits)) < uint32(e)
    result = int64((e >> uint64(32)) & uint64(0xFFFF)) if first else int64(e >> uint64(48))
    return step(p, s, result) if go else s


@apart
def roll(p, fields, keys, bits, entry):
    """Two steps of every lane; returns how many battles still run. LLVM turns this loop into SIMD where it can.

    The arrays come one by one, since only plain array arguments carry the promise that they do not overlap.
    """
    alive = int32(0)
    for lane in range(fields.shape[1]):
        keys[lane] += _GAMMA
        word = mix(keys[lane])
        s = load(p, fields, lane)
        s = advance(p, s, uint32(word >> _HIGH), bits, entry)
        s = advance(p, s, uint32(word), bits, entry)
        store(p, fields, lane, s)
        alive += int32(running(p, s))
    return alive


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
            packed[word[f], i] |= uint64(uint32(fields[f, chosen[i]])) << shift[f]


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
def fight(p, start, alias, order, lanes, layout, tally):
    """Fight the ordered battles and add their final states to the tally, which must have room for as many new ones."""
    width = lanes.key.shape[0]
    idle_lanes(lanes, start)
    started = min(order.battles, width)
    refill(lanes, start, order.seed, order.battle, started)
    counted = 0
    alive = 0
    while counted < order.battles:
        waiting = started < order.battles
        if alive == 0 or (waiting and (width - alive) * IDLE_SHARE >= width):
            found = find_ended(p, lanes.fields, lanes.busy, lanes.ended)
            count_ended(lanes, found, layout, tally)
            counted += found
            fresh = min(found, order.battles - started)
            refill(lanes, start, order.seed, order.battle + started, fresh)
            started += fresh
        alive = roll(p, lanes.fields, lanes.key, alias.bits, alias.entry)
    return counted


class Simulation:
    """Battles of one chain and seed, added in any portions; always battles 0 to `battles - 1`.

    `threads` defaults to the number of processors that this process may use.
    """

    def __init__(self, chain: Chain, seed: int = 0, threads: int | None = None, chunk: int = CHUNK) -> None:
        self.seed, self.chunk = seed, chunk
        self.threads = threads or processors()
        self.battles = 0
        self._own: Chain = chain
        self._map: Any = None
        self._fight_on(chain)

    def _fight_on(self, chain: Chain) -> None:
        """Fight on this chain: the game's own, or its map."""
        self.chain = chain
        self._layout: Layout = chain.layout()
        self._keys = np.empty((self._layout.words, 0), np.uint64)
        self._counts = np.empty(0, np.int64)
        bind_state(type(chain.params), type(chain.start))
        self._fight = fight.of(chain.params)

    def _draw_map(self) -> None:
        """Spell the chain out state by state, if it is small enough."""
        self._map = self._own.map
        if self._map:
            self._fight_on(self._map.chain)

    def add(self, battles: int, progress: Callable[[int], Any] | None = None) -> None:
        """Fight `battles` more; `progress(n)` is told after each chunk how many of them are done.

        An interrupt (KeyboardInterrupt) stops after the chunks under way; what was fought until then is kept.
        """
        begin, end = self.battles, self.battles + battles
        if self._own.mapped and begin == 0 and battles >= WORTH_A_MAP:
            self._draw_map()
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
                self._merge([future.result() for future in futures])
                self.battles = begin + work.done
        if progress:
            progress(work.done)

    def _run(self, work: _Work) -> np.ndarray:
        """One thread: take chunk after chunk until the work is done or stopped."""
        chain, layout = self.chain, self._layout
        start = np.array(chain.start, np.int32)
        lanes = Lanes(
            np.empty((len(start), LANES), np.int32),
            np.empty(LANES, np.uint64),
            np.empty(LANES, np.uint8),
            np.empty(LANES + 1, np.int32),
            np.empty((layout.words, LANES), np.uint64),
        )
        tally = _empty_tally(2 * self.chunk, layout.words)
        while (portion := work.take()) is not None:
            tally = _with_room(tally, portion[1])
            order = Order(np.uint64(self.seed), *portion)
            self._fight(chain.params, start, chain.tables.alias, order, lanes, layout, tally)
            work.tell(portion[1])
        return tally

    def _merge(self, tallies: list[np.ndarray]) -> None:
        """Add the threads' tallies to the total, sorted by packed state."""
        counted = np.concatenate([tally[tally[:, -1] > 0] for tally in tallies])
        if len(counted) == 0:
            return
        keys = np.concatenate([self._keys, counted[:, :-1].T], axis=1)
        counts = np.concatenate([self._counts, counted[:, -1].astype(np.int64)])
        self._keys, inverse = np.unique(keys, axis=1, return_inverse=True)
        self._counts = np.zeros(self._keys.shape[1], np.int64)
        np.add.at(self._counts, inverse.reshape(-1), counts)

    def ends(self) -> Ends:
        """Final states of all battles so far."""
        fields = []
        for limit, word, shift in zip(self.chain.limits, self._layout.word, self._layout.shift, strict=True):
            mask = np.uint64((1 << max(1, int(limit).bit_length())) - 1)
            fields.append(((self._keys[word] >> shift) & mask).astype(np.int64))
        total = max(1, self.battles)
        states = self._map.named(fields[0]) if self._map else type(self.chain.start)(*fields)
        return Ends(states, self._counts / total, self._counts)


class _Work:
    """Hands out chunks in order, so that what was fought when work stops is one unbroken run of battles."""

    def __init__(self, begin: int, end: int, chunk: int) -> None:
        self._next, self._end, self._chunk = begin, end, chunk
        self._left = end - begin
        self.done = 0
        self._lock = threading.Lock()
        self.finished = threading.Event()
        if self._left == 0:
            self.finished.set()

    def take(self) -> tuple[int, int] | None:
        """First battle and size of the next chunk, or None."""
        with self._lock:
            size = min(self._chunk, self._end - self._next)
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
