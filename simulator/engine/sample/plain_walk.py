"""Walks of many battles at once with NumPy, without a compiler; this module does not import numba."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.graph.solver import Solver
from simulator.engine.model import streams
from simulator.engine.model.chain import OutcomeDistribution
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.alias import alias_of, drawn_by
from simulator.engine.sample.counts import graph_words, numbers_and_counters
from simulator.engine.sample.graph_tables import graph_tables

MOST_STEPS = 1 << 20
# After this many steps, check that battles on the graph can end at all.
SUSPICIOUS = 1 << 10
PORTION = 1 << 16
_LOW, _HIGH = np.uint64(0xFFFFFFFF), np.uint64(32)

# `step(battles, first, other)` takes one step of these battles (places, int64), with a 32-bit number each (uint64) and
# another for a second roll; it returns which of them go on (bool).
Step = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


def walk_together(
    order: tuple[int, int | np.ndarray, int],
    going: np.ndarray,
    paired: bool,
    step: Step,
    patience: float = float("inf"),
) -> bool:
    """Step the battles that are `going` (bool) until all are over; False after `patience` seconds of CPU time.

    `order` is the seed, the first battle (or the numbers of all) and the number of battles. Raises BrokenGame for
    battles without end.
    """
    seed, first, battles = order
    deadline = time.thread_time() + patience
    with np.errstate(over="ignore"):
        numbers = first if isinstance(first, np.ndarray) else np.arange(first, first + battles)
        key = streams.battle_key(np.uint64(seed), numbers.astype(np.uint64))
        alive = np.flatnonzero(going)
        key = word = key[alive]
        for turn in count():
            if not len(alive):
                return True
            if time.thread_time() > deadline:
                return False
            if turn == MOST_STEPS:
                raise BrokenGame(f"a battle did not end within {MOST_STEPS:,} steps; perhaps none does")
            fresh = paired or turn % 2 == 0
            if fresh:
                key = key + streams.GAMMA
                word = streams.mix(key)
            goes_on = step(alive, word >> _HIGH if fresh else word & _LOW, word & _LOW)
            if not goes_on.all():
                alive, key, word = alive[goes_on], key[goes_on], word[goes_on]
    return True


def walk_graph(
    graph: Graph, seed: int, battles: int, first: int | np.ndarray = 0
) -> tuple[OutcomeDistribution, np.ndarray]:
    """Simulate battles on a graph, with the results of `per_battle.each_outcome`.

    Returns the distinct outcomes and the row of each battle in them: int64, shape (battles,).
    """
    words, which, number = np.unique(final_words(graph, seed, first, battles), return_inverse=True, return_counts=True)
    states = graph.states(*numbers_and_counters(words))
    return OutcomeDistribution(states, number / battles, number.astype(np.int64)), which


def final_words(graph: Graph, seed: int, first: int | np.ndarray, battles: int) -> np.ndarray:
    """The final state of each battle on a graph, as `counts.graph_words`: uint64, shape (battles,).

    `first` is the first battle, or the numbers of all of them.
    """
    at, held = np.zeros((2, battles), np.int64)
    for begin in range(0, battles, PORTION):
        part = slice(begin, min(begin + PORTION, battles))
        here = first[part] if isinstance(first, np.ndarray) else first + begin
        _walk(graph, (seed, here, part.stop - begin), at[part], held[part])
    return graph_words(at, held)


def _walk(graph: Graph, order: tuple[int, int | np.ndarray, int], at: np.ndarray, held: np.ndarray) -> None:
    """Walk these battles from the start to their ends, with their counters in `held`."""
    g, ends = graph_tables(graph), graph.final
    alias, width, turns = alias_of(g.tables), g.width, count()

    def step(battles: np.ndarray, number: np.ndarray, other: np.ndarray) -> np.ndarray:
        if next(turns) == SUSPICIOUS:  # raises BrokenGame where battles cannot end
            Solver(graph, counted=False).values(np.zeros(len(graph)))
        here = at[battles]
        edge = g.begin[here] + drawn_by(alias, g.table[here], number)
        if g.second is not None:
            edge += drawn_by(alias, g.second[here], other) * width[here]
        at[battles] = to = g.to[edge]
        held[battles] += g.inc[edge]
        return np.asarray(~ends[to])

    walk_together(order, ~ends[at], g.second is not None, step)
