"""The outcome of each single battle, for the comparison of two scenarios battle by battle.

These are the battles that `Simulation` counts, except if it draws two rolls with one number: then other dice of the
same odds. A chain with a graph is walked on it, all battles at once; a larger one by its compiled rules.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.factored.grid import too_wide
from simulator.engine.graph.graph import Graph
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.solver import Solver
from simulator.engine.graph.value_iteration import best_policy
from simulator.engine.jit.kernels import bind_state, kernel, left, load, paired, running, store
from simulator.engine.model import streams
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.limits import QUICK_BYTES, BrokenGame, NoExactOdds
from simulator.engine.model.status import BROKEN, DONE, ENDLESS
from simulator.engine.sample.alias import alias_of, drawn_by
from simulator.engine.sample.graph_tables import PairLookup, WalkedChain, lookup
from simulator.engine.sample.rule_walk import Order, advance, astray, battle_key, mix
from simulator.engine.sample.simulation import Simulation

_GAMMA, _HIGH, _HALF = streams.GAMMA, streams.HIGH, np.uint64(32)
MOST_STEPS = 1 << 20
# After this many steps, check that battles on the graph can end at all.
SUSPICIOUS = 1 << 10
PORTION = 1 << 16


def each_outcome(
    chain: Chain, seed: int, battles: int, graph: Graph | None = None, first: int = 0
) -> tuple[OutcomeDistribution, np.ndarray]:
    """The distinct outcomes of `battles` of a seed from `first` on, and the row of each battle in them (int64).

    Raises BrokenGame for a game that breaks its contract, NoExactOdds where the best decisions cannot be found.
    """
    if graph is None:
        if chain.utilities is not None:
            return walk(best_policy(chain).graph, seed, battles, first=first)
        try:
            if too_wide(chain):
                return walk_by_rules(chain, seed, battles, first)
            graph = graph_of(chain, QUICK_BYTES)
        except NoExactOdds:
            return walk_by_rules(chain, seed, battles, first)
    return walk(graph, seed, battles, first=first)


def walk(
    graph: Graph, seed: int, battles: int, stop: np.ndarray | None = None, first: int = 0
) -> tuple[OutcomeDistribution, np.ndarray]:
    """As `each_outcome`, on a graph; battles also end at the states that `stop` (bool) marks."""
    walked = lookup(graph, by_rows=True)
    ends = (graph.final if stop is None else graph.final | stop)[walked.order]
    at = np.full(battles, walked.chain.start.at, np.int64)
    for begin in range(0, battles, PORTION):
        part = slice(begin, min(begin + PORTION, battles))
        with np.errstate(over="ignore"):
            battle = np.arange(first + part.start, first + part.stop, dtype=np.uint64)
            _walk(graph, walked, ends, streams.battle_key(np.uint64(seed), battle), at[part])
    places, which, count = np.unique(at, return_inverse=True, return_counts=True)
    mask = walked.chain.params.mask
    states = graph.states(walked.order[places & mask], places >> mask.bit_length())
    return OutcomeDistribution(states, count / battles, count.astype(np.int64)), which


def _walk(graph: Graph, walked: WalkedChain, ends: np.ndarray, key: np.ndarray, at: np.ndarray) -> None:
    """Walk these battles from their positions `at` to their ends; `key` are the keys of their streams."""
    p, alias = walked.chain.params, alias_of(walked.chain.tables)
    paired, mask, low = isinstance(p, PairLookup), p.mask, np.uint64(0xFFFFFFFF)
    word = np.zeros(len(key), np.uint64)
    going = np.flatnonzero(~ends[at & mask])
    for turn in range(MOST_STEPS):
        if not len(going):
            return
        if turn == SUSPICIOUS:  # raises BrokenGame where battles cannot end
            Solver(graph, counted=False).values(np.zeros(len(graph)))
        fresh = paired or turn % 2 == 0
        if fresh:
            key[going] += _GAMMA
            word[going] = streams.mix(key[going])
        here, number = at[going], word[going]
        place = p.place[here & mask]
        number = number if paired or fresh else number << _HIGH
        edge = (place >> _HALF).astype(np.int64) + drawn_by(alias, place & low, number >> _HIGH)
        if paired:
            beside = p.other[here & mask]
            edge += drawn_by(alias, beside & low, number & low) * (beside >> _HALF).astype(np.int64)
        at[going] = (here & ~mask) + p.to[edge].astype(np.int64)
        going = going[~ends[at[going] & mask]]
    raise BrokenGame(f"a battle did not end within {MOST_STEPS:,} steps; perhaps none does")


@kernel
def fight_each(p, start, alias, order, limit, least, fields):
    """Simulate the ordered battles one after the other; column i of `fields` is the final state of battle i.

    A battle also stops when its rule `left` is at most `least`; -1 never stops it.
    """
    for i in range(order.battles):
        for f in range(start.shape[0]):
            fields[f, i] = start[f]
        s = load(p, fields, i)
        key = battle_key(order.seed, uint64(order.battle) + uint64(i))
        turns = 0
        while running(p, s) and left(p, s) > least:
            key += _GAMMA
            word = mix(key)
            for half in range(1 if paired(p) else 2):
                number = uint32(word >> _HIGH) if half == 0 else uint32(word)
                s = advance(p, s, number, uint32(word), alias.bits, alias.entry)
                if astray(p, s, alias.bits, alias.entry, limit):
                    return BROKEN
            turns += int64(1)
            if turns > MOST_STEPS:
                return ENDLESS
        store(p, fields, i, s)
    return DONE


def walk_by_rules(
    chain: Chain, seed: int, battles: int, first: int = 0, least: int = -1
) -> tuple[OutcomeDistribution, np.ndarray]:
    """As `each_outcome`, by the compiled rules; battles also end when their rule `left` is at most `least`."""
    if chain.utilities is not None:
        raise NoExactOdds(f"{', '.join(chain.utilities.fields)}: best needs every state of this battle")
    walked = Simulation(chain, seed, 1, direct=True).chain
    bind_state(type(walked.params), type(walked.start))
    run, start = fight_each.of(walked.params), np.array(walked.start, np.int64)
    fields = np.empty((len(start), battles), np.int64)
    for begin in range(0, battles, PORTION):
        part = np.empty((len(start), min(PORTION, battles - begin)), np.int64)
        order = Order(np.uint64(seed), first + begin, part.shape[1])
        status = run(walked.params, start, alias_of(walked.tables), order, walked.layout.limit, least, part)
        if status != DONE:
            what = "left its limits" if status == BROKEN else f"did not end within {MOST_STEPS:,} steps"
            raise BrokenGame(f"one of the battles from {first + begin} of seed {seed} {what}")
        fields[:, begin : begin + part.shape[1]] = part
    rows, which, count = np.unique(fields, axis=1, return_inverse=True, return_counts=True)
    return OutcomeDistribution(type(chain.start)(*rows), count / battles, count.astype(np.int64)), which.ravel()
