"""Walks without a compiler: many battles with NumPy, or one step by step as plain Python; does not import numba."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np

from simulator.engine.graph.graph import Graph
from simulator.engine.graph.solver import Solver
from simulator.engine.graph.value_iteration import best_option, first_state
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.interpreted import plain_params, plain_state
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.alias import alias_of, drawn_by
from simulator.engine.sample.graph_tables import graph_tables, graph_words, numbers_and_counters

MOST_STEPS = 1 << 20
# After this many steps, check that battles on the graph can end at all.
SUSPICIOUS = 1 << 10
PORTION = 1 << 16
_LOW, _HIGH = np.uint64(0xFFFFFFFF), np.uint64(32)

# After this many rolls without an end, a battle is refused as endless.
MOST_ROLLS = 1 << 19
# Battles that measure the length of a battle, fewer when they have made ENOUGH_ROLLS; at most SCOUT_ROLLS are made
# (half a second).
SCOUTS, ENOUGH_ROLLS, SCOUT_ROLLS = 4, 1 << 8, 1 << 17
# Battles of this many rolls come to new states nearly all the time: the rules alone are about as fast as looking states
# up, and compile in half the time (Risk, 10,000 a side: 40 million rolls a second either way; 4.3 s against 8.1 s).
LONG_BATTLE = 1 << 11

RollFunction = Callable[[Any], tuple[int, int]]
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
    """The final state of each battle on a graph, as `graph_tables.graph_words`: uint64, shape (battles,).

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


def walk(chain: Chain, roll: RollFunction, name: str, params: Any = None) -> Iterator[tuple[Any, Any, Any]]:
    """The steps of one battle: state before, result (a pair for two rolls), state after; `name` is for messages.

    Raises BrokenGame where the game breaks its contract.
    """
    running, p = chain.part("running"), chain.params if params is None else params
    state, move = plain_state(chain, first_state(chain, p)), chain.mover(best_option(chain))
    for _ in range(2 * MOST_ROLLS):
        if not running(p, state):
            return
        result, other = roll(state)
        after = plain_state(chain, move(p, state, result, other), state)
        yield state, (result, other) if chain.paired else result, after
        state = after
    raise BrokenGame(f"{name} did not end within {2 * MOST_ROLLS:,} steps; perhaps none does")


def _rolls(chain: Chain, params: Any, dice: random.Random) -> RollFunction:
    """Rolls as likely as those of battles, but not theirs: for those all tables would have to be made ready first."""
    first, result, weight = chain.tables.rows

    @cache
    def row(number: int) -> tuple[list[int], list[float]]:
        place = slice(first[number], first[number + 1])
        return result[place].tolist(), np.cumsum(weight[place]).tolist()

    def drawn(number: int, state: Any) -> int:
        if not 0 <= number < len(chain.tables):
            raise chain.tables.missing(number, state)
        results, sums = row(number)
        return int(dice.choices(results, cum_weights=sums)[0])

    return rolls_by(drawn, chain, params)


def rolls_by(drawn: Callable[[int, Any], int], chain: Chain, params: Any) -> RollFunction:
    """Rolls with a result from each table of a state; `drawn(table, state)` draws one."""
    table, second = chain.part("table"), chain.part("second")

    def roll(state: Any) -> tuple[int, int]:
        result = drawn(int(table(params, state)), state)
        return result, drawn(int(second(params, state)), state) if chain.paired else 0

    return roll


def rolls_a_battle(chain: Chain) -> float:
    """About how many rolls a battle takes: the mean of a few battles, at most SCOUT_ROLLS. Kept with the chain.

    The same on every machine.
    """
    return chain.kept.of(_mean_rolls, chain)


def _mean_rolls(chain: Chain) -> float:
    params, rolls, battles = plain_params(chain.params), 0, 0
    roll = _rolls(chain, params, random.Random(0))
    try:
        while battles < SCOUTS and rolls < ENOUGH_ROLLS:
            rolls += sum(1 for _ in islice(walk(chain, roll, "a battle", params), SCOUT_ROLLS))
            battles += 1
    except BrokenGame:
        pass  # the counted battles meet the same error, with a better message
    return max(1.0, rolls / max(1, battles))
