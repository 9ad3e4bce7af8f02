"""The outcome of each single battle, for the comparison of two scenarios battle by battle.

These are the battles that `Simulation` counts, except if it draws two rolls with one number: then other dice of the
same odds. A chain with a graph is walked on it, all battles at once; a larger one by its compiled rules.
"""

from __future__ import annotations

import numpy as np
from numba import int64, uint32, uint64

from simulator.engine.graph.graph_cache import counters_as_fields, graph_if_it_fits
from simulator.engine.jit.kernels import bind_state, kernel, load, paired, running, store
from simulator.engine.model.chain import Chain, OutcomeDistribution
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from simulator.engine.model.status import BROKEN, DONE, ENDLESS
from simulator.engine.model.streams import GAMMA, HIGH
from simulator.engine.sample.alias import alias_of
from simulator.engine.sample.plain_walk import MOST_STEPS, PORTION, walk_graph
from simulator.engine.sample.rule_walk import advance, astray
from simulator.engine.sample.simulation import Simulation, replay_steps
from simulator.engine.sample.walk import Order, battle_key, mix

# Rows of tables whose graph is found and walked in the time of a battle as plain Python: 0.14 us each and 0.15 ms, with
# room for battles of several rolls.
ROWS_OF_A_BATTLE = 4000


def each_outcome(chain: Chain, seed: int, battles: int, first: int = 0) -> tuple[OutcomeDistribution, np.ndarray]:
    """The distinct outcomes of `battles` of a seed from `first` on, and the row of each battle in them (int64).

    Raises BrokenGame for a game that breaks its contract, NoExactOdds where the best decisions cannot be found.
    """
    return numbered_outcomes(chain, seed, np.arange(first, first + battles))


def numbered_outcomes(chain: Chain, seed: int, numbers: np.ndarray) -> tuple[OutcomeDistribution, np.ndarray]:
    """As `each_outcome`, for the battles with these numbers: int64, in ascending order."""
    if _few(chain, len(numbers)):
        return walk_plainly(chain, seed, numbers)
    if graph := graph_if_it_fits(chain):
        return walk_graph(graph, seed, len(numbers), first=numbers)
    ends, which = walk_by_rules(chain, seed, int(numbers[-1] - numbers[0]) + 1, int(numbers[0]))
    return ends, which[numbers - numbers[0]]


def _few(chain: Chain, battles: int) -> bool:
    """Are there too few battles for the graph of the chain, which has at least the edges of its tables?"""
    rolls_alone = not chain.paired and chain.utilities is None
    return rolls_alone and battles * ROWS_OF_A_BATTLE < len(chain.tables.result)


def walk_plainly(chain: Chain, seed: int, numbers: np.ndarray) -> tuple[OutcomeDistribution, np.ndarray]:
    """As `numbered_outcomes`, by the rules as plain Python."""
    walked, ends = counters_as_fields(chain), []
    for number in numbers.tolist():
        last = walked.start
        for _, _, after in replay_steps(walked, seed, number):
            last = after
        ends.append([int(value) for value in last])
    rows, which, count = np.unique(np.array(ends).T, axis=1, return_inverse=True, return_counts=True)
    return OutcomeDistribution(type(chain.start)(*rows), count / len(numbers), count.astype(np.int64)), which.ravel()


@kernel
def fight_each(p, start, alias, order, limit, fields):
    """Simulate the ordered battles one after the other; column i of `fields` is the final state of battle i."""
    for i in range(order.battles):
        for f in range(start.shape[0]):
            fields[f, i] = start[f]
        s = load(p, fields, i)
        key = battle_key(order.seed, uint64(order.battle) + uint64(i))
        turns = 0
        while running(p, s):
            key += GAMMA
            word = mix(key)
            for half in range(1 if paired(p) else 2):
                number = uint32(word >> HIGH) if half == 0 else uint32(word)
                s = advance(p, s, number, uint32(word), alias.bits, alias.entry)
                if astray(p, s, alias.bits, alias.entry, limit):
                    return BROKEN
            turns += int64(1)
            if turns > MOST_STEPS:
                return ENDLESS
        store(p, fields, i, s)
    return DONE


def walk_by_rules(chain: Chain, seed: int, battles: int, first: int = 0) -> tuple[OutcomeDistribution, np.ndarray]:
    """Simulate by the compiled rules.

    Returns, as `each_outcome`, the distinct outcomes and the row of each battle in them: int64, shape (battles,).
    """
    if chain.utilities is not None:
        raise NoExactOdds(f"{', '.join(chain.utilities.fields)}: best needs every state of this battle")
    walked = counters_as_fields(Simulation(chain, seed, 1, direct=True).chain)
    bind_state(type(walked.params), type(walked.start))
    run, start = fight_each.of(walked.params), np.array(walked.start, np.int64)
    fields = np.empty((len(start), battles), np.int64)
    for begin in range(0, battles, PORTION):
        part = np.empty((len(start), min(PORTION, battles - begin)), np.int64)
        order = Order(np.uint64(seed), first + begin, part.shape[1])
        status = run(walked.params, start, alias_of(walked.tables), order, walked.layout.limit, part)
        if status != DONE:
            what = "left its limits" if status == BROKEN else f"did not end within {MOST_STEPS:,} steps"
            raise BrokenGame(f"one of the battles from {first + begin} of seed {seed} {what}")
        fields[:, begin : begin + part.shape[1]] = part
    rows, which, count = np.unique(fields, axis=1, return_inverse=True, return_counts=True)
    return OutcomeDistribution(type(chain.start)(*rows), count / battles, count.astype(np.int64)), which.ravel()
