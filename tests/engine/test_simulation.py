import threading
from dataclasses import replace

import numpy as np
import pytest

from simulator.engine.exact import exact_outcomes
from simulator.engine.jit.kernels import inner, kernel
from simulator.engine.jit.vectors import find_lanes, list_plainly
from simulator.engine.sample import simulation as montecarlo
from simulator.engine.sample.simulation import Simulation
from tests.toys import urn, walk

CHAINS = {"coins": walk(3, 7, 2, 3), "counted coins": walk(2, 5, counting=1), "wide": urn(12)}


def fought(chain, battles, seed=1, **settings):
    simulation = Simulation(chain, seed, **settings)
    simulation.add(battles)
    return simulation.ends()


def same(left, right):
    return np.array_equal(left.count, right.count) and all(map(np.array_equal, left.states, right.states))


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_same_battles_whatever_the_threads_and_chunks(chain):
    once = fought(chain, 50_000, threads=1)
    assert once.count.sum() == 50_000
    for threads in (1, 2, 7):
        for chunk in (1, 100, 777, 65_536) if threads == 2 else (5_000,):
            battles = 500 if chunk == 1 else 50_000
            reference = once if battles == 50_000 else fought(chain, battles, threads=1)
            assert same(fought(chain, battles, threads=threads, chunk=chunk), reference)


def test_other_threads_help_where_few_battles_take_long(monkeypatch):
    """All battles are one chunk, for one thread, until some time has passed: here a fifth of a second."""
    monkeypatch.setattr(montecarlo, "LONG", 0.2)
    others, threads = set(threading.enumerate()), []  # threads of earlier tests may still be ending
    simulation = Simulation(walk(200, 400), 1, threads=2)
    simulation.add(8_000, lambda done: threads.append(len(set(threading.enumerate()) - others)))
    assert threads[0] == 1
    assert max(threads) == 2
    assert simulation.ends().count.sum() == 8_000


def test_battles_added_in_portions_are_the_same_battles():
    simulation = Simulation(CHAINS["wide"], 9)
    for portion in (1, 511, 512, 513, 8_463):
        simulation.add(portion)
    assert same(simulation.ends(), fought(CHAINS["wide"], 10_000, seed=9))


def test_other_seeds_are_other_battles():
    assert not same(fought(CHAINS["wide"], 10_000, seed=1), fought(CHAINS["wide"], 10_000, seed=2))


@pytest.mark.parametrize("chain", CHAINS.values(), ids=CHAINS)
def test_simulated_chances_are_the_exact_ones(chain):
    true, seen = exact_outcomes(chain), fought(chain, 1_000_000, seed=20261)
    expected = {tuple(int(v) for v in state): p for *state, p in zip(*true.states, true.p, strict=True)}
    for *state, count in zip(*seen.states, seen.count, strict=True):
        p = expected[tuple(int(v) for v in state)]
        if p * 1_000_000 > 50:
            assert abs(count - 1e6 * p) / np.sqrt(1e6 * p * (1 - p)) < 4.5


def test_the_tally_grows_with_the_outcomes_not_with_the_battles():
    many = fought(urn(60), 300_000, chunk=1000)
    assert len(many) > 500
    assert many.count.sum() == 300_000
    assert len(fought(walk(1, 2), 300_000)) == 2


def test_a_battle_that_is_over_before_it_begins_is_counted():
    ends = fought(replace(walk(0, 5), may_be_over=True), 1234)
    assert ends.count.tolist() == [1234]


def test_progress_is_told_and_ends_at_the_whole():
    answer = []
    Simulation(CHAINS["coins"], 1).add(200_000, answer.append)
    assert answer == sorted(answer)
    assert answer[-1] == 200_000


def test_an_interrupt_keeps_an_unbroken_run_of_battles():
    simulation = Simulation(walk(20, 40), 3, threads=2, chunk=2_000)

    def interrupt(done):
        if done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        simulation.add(50_000_000, interrupt)
    assert 0 < simulation.battles < 50_000_000
    assert simulation.ends().count.sum() == simulation.battles
    assert same(simulation.ends(), fought(walk(20, 40), simulation.battles, seed=3))


list_inline = inner(list_plainly)


@kernel
def listed_both_ways(at, which, together, plainly):
    found = 0
    for lane in range(0, len(at), 16):
        found += list_inline(at, lane, which, plainly, found)
    return find_lanes(at, which, together), found


# By `find_lanes`: all, none, those from a position on but the last, those at 0.
@pytest.mark.parametrize("which", [(0, 0, 1), (0, 1, 1), (15, 9, 6), (15, 0, 1)])
def test_lanes_at_certain_positions_are_listed_in_order(which):
    mask, final, ends = which
    at = np.random.default_rng(1).integers(0, 2**32, 64).astype(np.uint32)
    together, plainly = np.zeros((2, len(at) + 1), np.uint32)
    found = listed_both_ways(at, tuple(map(np.uint32, which)), together, plainly)
    wanted = [lane for lane, position in enumerate(at.tolist()) if final <= position & mask < final + ends]
    assert found == (len(wanted), len(wanted))
    assert together[: len(wanted)].tolist() == plainly[: len(wanted)].tolist() == wanted
