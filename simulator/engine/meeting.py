"""What one thread knows of a chain that is too large to spell out, and the battles that it fights with it (`met`)."""

from __future__ import annotations

import numpy as np

from simulator.engine.chain import Chain
from simulator.engine.chance import by_row
from simulator.engine.compiled import bind_state
from simulator.engine.expand import DIRECT_BITS, Bench
from simulator.engine.explicit import packed, plain_params
from simulator.engine.lanes import STARTED, Order
from simulator.engine.limits import BrokenGame
from simulator.engine.lookup import Fought, Lookup, PairLookup
from simulator.engine.met import (
    DRAWN,
    EDGES,
    HELPED,
    NEED_ROOM,
    NODES,
    SHUT,
    WANTED,
    Met,
    Task,
    Tools,
    enter,
    fight_on,
)
from simulator.engine.strides import (
    COUNT,
    FINAL,
    LANES,
    MOST_INC,
    NODE,
    Known,
    KnownPair,
    Nothing,
    Walkers,
    new_walkers,
)

FIRST_NODES = 1 << 13
# A look-up takes a quarter of the time of two steps by the rules, a lane that is helped on three times as much. So
# where more than a quarter of all numbers do that, meeting does not pay; while nodes are still kept it may come to.
ENOUGH_NODES, MOST_HELPED, MOST_HELPED_AT_FIRST = 1 << 16, 1 / 4, 1 / 2


class Acquaintance:
    """The nodes of a chain that battles came to, kept up to `budget` bytes; one thread at a time may fight with it."""

    def __init__(self, chain: Chain, budget: int) -> None:
        self.chain, self.budget = chain, budget
        bind_state(type(chain.params), type(chain.start))
        layout = chain.layout
        bits = sum(int(mask).bit_length() for mask in layout.mask)
        self._direct = 1 << bits if bits <= DIRECT_BITS else 0
        self._bench = Bench(
            np.zeros((len(chain.start), 2), np.int64),
            np.zeros(layout.words, np.uint64),
            *layout,
            chain.counted,
            int(self._direct > 0),
            0,
        )
        rows = by_row(chain.tables)
        self._tools = Tools(*rows.alias, chain.tables.rows, self._bench, np.empty((1, LANES), np.uint64))
        self._known = np.array([1 + LANES, 1, 0, 0, 0, 0])
        self._met = self._room(FIRST_NODES, 8 * FIRST_NODES)
        self._walkers = new_walkers()
        self._start = self._first_node()

    def __len__(self) -> int:
        """States met and kept."""
        return int(self._known[NODES]) - 1 - LANES

    @property
    def pays(self) -> bool:
        """Was the last order quicker than the rules alone, or may those to come be?"""
        _, _, _, shut, drawn, helped = self._known.tolist()
        if not shut and len(self) < ENOUGH_NODES:
            return True
        return bool(helped <= drawn * (MOST_HELPED if shut else MOST_HELPED_AT_FIRST))

    def _room(self, nodes: int, edges: int) -> Met:
        words, paired = self.chain.layout.words, self.chain.paired
        return Met(
            np.zeros((words, nodes), np.uint64),
            np.zeros(nodes, np.uint64),
            np.zeros(nodes if paired else 0, np.uint64),
            np.zeros(edges, np.uint32),
            np.zeros(self._direct or 1 << (2 * nodes - 1).bit_length(), np.int32),
        )

    def _bytes(self, nodes: int, edges: int) -> int:
        return nodes * (8 * self.chain.layout.words + 24 + 8 * self.chain.paired) + 4 * edges

    def _first_node(self) -> int:
        """The start becomes the first node; the number with which battles begin."""
        chain, known = self.chain, self._known
        p, start = plain_params(chain.params), chain.settled(chain.start)
        state = type(start)(*(0 if f == chain.counted else int(value) for f, value in enumerate(start)))
        node, running = int(known[NODES]), bool(chain.part("running")(p, state))
        self._met.keys[:, node : node + 1] = packed(chain, np.array([state]))
        if running:
            t, u = (int(chain.part(name)(p, state)) for name in ("table", "second"))
            width, beside = (int(chain.tables.first[i + 1] - chain.tables.first[i]) for i in (t, u))
            fan = width * (beside if chain.paired else 1)
            if fan >= len(self._met.to):
                self._met = self._met._replace(to=np.zeros(2 * fan, np.uint32))
            self._met.place[node] = t | 1 << 32
            if chain.paired:
                self._met.other[node] = u | width << 32
            known[EDGES] += fan
        known[NODES] = node + 1
        enter(self._met, self._bench, node + 1, node)
        return node if running else node | FINAL

    def _make_room(self) -> None:
        """Twice the room, or no more room for edges past the budget; ends are kept in any case."""
        old, nodes, edges = self._met, int(self._known[NODES]), int(self._known[EDGES])
        more_nodes = 2 * len(old.place) if 4 * nodes > 3 * len(old.place) else len(old.place)
        wanted = edges + int(self._known[WANTED])
        more_edges = 2 * wanted if wanted > len(old.to) else len(old.to)
        if not self._known[SHUT] and (self._bytes(more_nodes, more_edges) > self.budget or more_nodes > NODE):
            self._known[SHUT] = 1
        if self._known[SHUT]:
            more_edges = len(old.to)
        new = self._room(more_nodes, more_edges)
        for source, target in zip(old[:4], new[:4], strict=True):
            target[..., : source.shape[-1]] = source
        if self._direct:
            new = new._replace(slots=old.slots)
        else:
            enter(new, self._bench, nodes, 1 + LANES)
        self._met, self._known[WANTED] = new, 0

    def fight(self, order: Order, at: np.ndarray, tally: np.ndarray, most: int) -> int:
        """Fight on with the order, `at` telling how far it is: DONE, PAUSED, BROKEN, FULL or ENDLESS, as in `lanes`."""
        run, p = fight_on.of(self.chain.params), self.chain.params
        if at[STARTED] == 0:
            self._known[[DRAWN, HELPED]] = 0
        task = Task(order, self._start, self._walkers, tally)
        while True:
            status = run(p, self._met, self._tools, self._known, task, at, most)
            if status != NEED_ROOM:
                return int(status)
            self._make_room()

    def standing(self, tally: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The states in a tally, one row of ints each, and their counts.

        Raises BrokenGame for a count above the counter's limit.
        """
        chain, layout = self.chain, self.chain.layout
        held = tally[tally[:, -1] > 0]
        node, count = (held[:, 0] & np.uint64(NODE)).astype(np.int64), held[:, 0] >> np.uint64(COUNT)
        states = np.empty((len(held), len(chain.start)), np.int64)
        for f, (word, shift, mask) in enumerate(zip(layout.word, layout.shift, layout.mask, strict=True)):
            states[:, f] = (self._met.keys[word][node] >> shift) & mask
        if chain.counted >= 0:
            states[:, chain.counted] = count.astype(np.int64) + int(chain.start[chain.counted])
            most, limit = int(states[:, chain.counted].max(initial=0)), int(layout.limit[chain.counted])
            if most > limit:
                raise BrokenGame(f"counter {chain.counters[0]}: {most} is above its limit {limit}")
        return states, held[:, -1]

    def told(self, tally: np.ndarray, whole: Chain) -> np.ndarray:
        """The tally with the ends as states of the chain `whole`, which packs its counters like other fields.

        Raises BrokenGame as `standing`.
        """
        states, counts = self.standing(tally)
        return np.column_stack([packed(whole, states).T, counts])


class Survey:
    """A graph that is spelled out, to be walked as what was met is; for all threads, see `fits`."""

    def __init__(self, fought: Fought) -> None:
        p = fought.chain.params
        self._params = KnownPair(0) if isinstance(p, PairLookup) else Known(0)
        bind_state(type(self._params), Nothing)
        self._alias, self._rows, self._bits = fought.chain.tables.alias, fought.chain.tables.rows, p.mask.bit_length()
        self._met = Met(np.zeros((1, 1), np.uint64), *_renumbered(p), np.zeros(1, np.int32))
        self._start = int(_word(np.array([fought.chain.start.at]), p)[0])

    def tools(self) -> tuple[Tools, Walkers]:
        """What one thread needs."""
        none = np.zeros(1, np.uint64)
        layout = np.zeros(1, np.int64), none, none, np.zeros(1, np.int64)
        bench = Bench(np.zeros((1, 2), np.int64), none.copy(), *layout, -1, 0, 0)
        return Tools(*self._alias, self._rows, bench, np.empty((1, LANES), np.uint64)), new_walkers()

    def fight(self, tools: tuple[Tools, Walkers], order: Order, at: np.ndarray, tally: np.ndarray, most: int) -> int:
        """As `Acquaintance.fight`."""
        run, task = fight_on.of(self._params), Task(order, self._start, tools[1], tally)
        return int(run(self._params, self._met, tools[0], np.zeros(6, np.int64), task, at, most))

    def told(self, tally: np.ndarray) -> np.ndarray:
        """The tally with the ends as `lookup` numbers them."""
        held = tally[tally[:, -1] > 0]
        number, count = (held[:, 0] & np.uint64(NODE)) - np.uint64(1), held[:, 0] >> np.uint64(COUNT)
        return np.column_stack([number | count << np.uint64(self._bits), held[:, -1]])


def _word(at: np.ndarray, p: Lookup | PairLookup) -> np.ndarray:
    """Places of `lookup` as the words of `strides`: nodes are numbered from 1, and tell whether they are final."""
    number = (at & p.mask).astype(np.int64)
    inc = at.astype(np.int64) >> int(p.mask).bit_length()
    return np.asarray(number + 1 | np.where(number >= p.running, FINAL, 0) | inc << COUNT)


def _renumbered(p: Lookup | PairLookup) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """`place`, `other` and `to` of `Met`: node 0 and edge 0 are nowhere."""
    place = np.zeros(len(p.place) + 1, np.uint64)
    place[1 : p.running + 1] = p.place[: p.running] + np.uint64(1 << 32)
    other = np.zeros(len(place) if isinstance(p, PairLookup) else 0, np.uint64)
    if isinstance(p, PairLookup):
        other[1 : p.running + 1] = p.other[: p.running]
    return place, other, np.append(0, _word(p.to, p)).astype(np.uint32)


def fits(fought: Fought) -> bool:
    """Can `strides` walk a graph? From 500 edges to 2 million they took 0.6 to 1.0 of the time of `lanes`.

    Graphs whose states have tables of their own take one look-up a step in `lanes`, which is quicker.
    """
    p = fought.chain.params
    if not isinstance(p, Lookup | PairLookup):
        return False
    most = int((p.to >> np.uint64(int(p.mask).bit_length())).max(initial=0))
    return len(p.place) < NODE and most <= MOST_INC
