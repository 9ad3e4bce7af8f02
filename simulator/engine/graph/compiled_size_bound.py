"""Early refusal for the compiled explorer: sampled battles (`size_bound`), and the number of edges ahead."""

from __future__ import annotations

from functools import partial

import numpy as np

from simulator.engine.graph.compiled_explorer import (
    ALL_NODES,
    EDGES,
    NEXT,
    STATES,
    WRONG,
    CompiledExplorer,
    grow,
    rehash,
)
from simulator.engine.graph.graph import refuse_least, size_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.size_bound import FEW, PlainWalk, WalkOf, refuse_what_is_too_large
from simulator.engine.model.chain import Chain
from simulator.engine.model.limits import QUICK_BYTES
from simulator.engine.model.packing import packed
from simulator.engine.model.status import BAD_FIELD, BAD_TABLE, NEED_ROOM

# States whose edges are counted between two checks of the sum.
BLOCK = 1 << 10


class CompiledWalk(CompiledExplorer):
    """Battles stepped by the compiled rules, which expand all their states at once; see `size_bound.SampledWalk`."""

    def __init__(self, chain: Chain, decisions: bool, battles: int) -> None:
        super().__init__(chain, 0, decisions, room=4 * battles)
        self._see(np.repeat(packed(chain.layout, self.buffer.fields[:, 1][None]), battles, axis=1))

    def _see(self, keys: np.ndarray) -> None:
        self.keys = keys
        self._follow(keys)
        self._begin = self.store.begin[: keys.shape[1] + 1].copy()
        self.fan = np.diff(self._begin)

    def step(self, edge: np.ndarray) -> None:
        """See `SampledWalk.step`; `edge` is int64, shape (battles,)."""
        on, keys = self.fan > 0, self.keys.copy()
        keys[:, on] = self.store.keys[:, self.store.to[(self._begin[:-1] + edge)[on]]]
        self._see(keys)

    def _follow(self, keys: np.ndarray) -> None:
        """Expand each of these states, duplicates included."""
        states, at = keys.shape[1], self.at
        self.store.slots[:] = 0
        at[:] = 0
        at[WRONG] = states
        self._make_room()
        self.store.keys[:, :states] = keys
        at[STATES] = states
        rehash(tuple(self.store), states)
        run, rows = grow.of(self.chain.params), tuple(self.chain.tables.rows)
        while at[NEXT] < states:
            pause = (states - at[NEXT]) * max(1, at[EDGES] // max(1, at[NEXT]))
            status = run(self.chain.params, rows, tuple(self.store), tuple(self.buffer), at, pause)
            if status == NEED_ROOM:
                self._make_room()
            elif status in {BAD_FIELD, BAD_TABLE}:
                raise self._wrong(status)
        self.store.begin[at[NEXT]] = at[EDGES]


def look_ahead(explorer: CompiledExplorer) -> None:
    """Raise NoExactOdds if few steps, compared with those taken so far, show that the chain is past its budget."""
    chain, decisions, at = explorer.chain, explorer.nodes == ALL_NODES, explorer.at
    walk_of: WalkOf = partial(CompiledWalk, chain, decisions)
    steps = 2 * int(at[NEXT])
    if explorer.wide:
        walk_of = partial(PlainWalk, PlainExplorer(chain, explorer.budget, decisions))
        steps = int(at[EDGES]) // FEW
    refuse_what_is_too_large(chain, explorer.budget, walk_of, steps)


def count_ahead(explorer: CompiledExplorer) -> None:
    """Raise NoExactOdds if the number of edges, counted ahead of the explorer, is past the budget.

    Counting goes on as long as the remaining states, with as many edges each, would exceed the budget: as a rule
    earlier states have more edges.
    """
    chain, budget, (states, edges, done, _) = explorer.chain, explorer.budget, explorer.at.tolist()
    fan_of = PlainExplorer(chain, budget, explorer.nodes == ALL_NODES).fan_of
    while done < states and size_of(chain, states, edges * states // done) > budget:
        block = explorer.states(done, min(done + BLOCK, states))
        edges, done = edges + sum(map(fan_of, block)), done + len(block)
        refuse_least(chain, states, edges, budget)


def look_while_growing(explorer: CompiledExplorer) -> None:
    """Sample battles once, and count edges each time that their number has doubled. Raises NoExactOdds."""
    states, edges = int(explorer.at[STATES]), int(explorer.at[EDGES])
    size, large = size_of(explorer.chain, states, edges), edges > explorer.pause and explorer.wide
    if explorer.from_start and not explorer.looked_ahead and (size > QUICK_BYTES or large):
        explorer.looked_ahead = True
        look_ahead(explorer)
    if edges > max(explorer.count_from, explorer.pause) and explorer.wide:
        explorer.count_from = 2 * edges
        count_ahead(explorer)
