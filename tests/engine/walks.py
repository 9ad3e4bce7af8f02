"""Battles by one walk, or by several that take over from each other, and the same ones by plain rules."""

from collections import Counter

import numpy as np

from simulator.engine.graph.graph_cache import counters_as_fields
from simulator.engine.model.packing import unpacked
from simulator.engine.model.status import DONE, PAUSED
from simulator.engine.model.streams import Stream
from simulator.engine.sample.alias import drawn_from
from simulator.engine.sample.simulation import Sampler
from simulator.engine.sample.walk import Order


def counted(states, counts):
    """The battles of each state, from arrays of its fields."""
    found = Counter()
    for state, battles in zip(zip(*(field.tolist() for field in states), strict=True), counts.tolist(), strict=True):
        found[state] += battles
    return found


def tally_of(simulation):
    ends = simulation.ends()
    return counted(ends.states, ends.count)


def fought_slowly(chain, seed, battles):
    """Each battle by the game's plain functions and its own numbers, one after the other."""
    tally, p = Counter(), chain.params
    running, table, second = (chain.part(name) for name in ("running", "table", "second"))
    for battle in range(battles):
        stream, s = Stream(seed, battle), chain.start
        while running(p, s):
            result = drawn_from(chain.tables, int(table(p, s)), stream.next(), s)
            other = drawn_from(chain.tables, int(second(p, s)), stream.next(), s) if chain.paired else 0
            s = chain.move(p, s, result, other)
        tally[tuple(map(int, s))] += 1
    return tally


def fight(sampler, seed, battles, chunk=250):
    """Give a sampler its orders."""
    for first in range(0, battles, chunk):
        sampler.begin(Order(np.uint64(seed), first, min(chunk, battles - first)))
        while (status := sampler.fight(1 << 40)) == PAUSED:
            pass
        assert status == DONE
    return sampler.counts()


def fought_by(walks, chain, seed, battles, chunk=250):
    """The battles that these walks simulate, each after the one before gives up; and those that were needed."""
    needed = []
    sampler = Sampler(needed.append(walk) or walk for walk in walks)
    rows = fight(sampler, seed, battles, chunk)
    return counted(unpacked(counters_as_fields(chain).layout, rows[:, :-1].T), rows[:, -1].astype(int)), needed


def fought_on_graph(walk, graph, seed, battles):
    """The battles that a walk on a graph simulates."""
    rows = fight(Sampler(iter([walk])), seed, battles)
    held = rows[:, 0].astype(np.int64)
    return counted(graph.states(held & 0xFFFFFFFF, held >> 32), rows[:, -1].astype(int))
