"""Many starts of one chain in one pass: what each of them comes to alone."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from simulator.engine.api import exact_outcomes, outcomes_from
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.many_starts import ManyStarts
from simulator.engine.graph.solver import Solver, values_at_once
from simulator.engine.model.limits import BrokenGame
from tests.toys import Coins, Purse, Sides, gamble, ring, skirmish, walk

CASES = {
    "a loop": (walk(3, 7), [Coins(n, 0) for n in (5, 1, 0, 7, 5)]),
    "a loop of many states": (walk(3, 300), [Coins(n, 0) for n in (150, 2)]),
    "a counter": (walk(2, 9, counting=1), [Coins(n, 0) for n in (1, 8, 4)]),
    "two rolls": (skirmish(4, 3), [Sides(4, 3, 0), Sides(1, 2, 0), Sides(2, 3, 0)]),
    "decisions": (gamble(3, 5, 2), [Purse(n, 0, 0) for n in (1, 2, 4)]),
}


def chances(states, p, counted):
    found = defaultdict(float)
    for fields, one in zip(np.transpose(states).tolist(), p.tolist(), strict=True):
        found[tuple(value for place, value in enumerate(fields) if place != counted)] += one
    return found


@pytest.mark.parametrize("counted", [True, False])
@pytest.mark.parametrize("name", CASES)
def test_as_one_by_one(name, counted):
    chain, starts = CASES[name]
    found = outcomes_from(chain, np.array(starts, np.int64), counted=counted)
    assert (np.diff(found.start) >= 0).all()
    for number, start in enumerate(starts):
        alone, mine = exact_outcomes(replace(chain, start=start)), found.start == number
        wanted = chances(alone.states, alone.p, chain.counted)
        assert chances([field[mine] for field in found.states], found.p[mine], chain.counted) == pytest.approx(
            wanted, abs=1e-12
        )
        if counted and chain.counted >= 0:
            count = [states[chain.counted] for states in (alone.states, found.states)]
            assert found.p[mine] @ count[1][mine] == pytest.approx(alone.p @ count[0])


def test_one_start_is_answered_without_its_counter():
    chain, (start, *_) = CASES["a counter"]
    with_counter, without = (outcomes_from(chain, np.array([start]), counted=counted) for counted in (True, False))
    assert with_counter.states[chain.counted].any()
    assert not without.states[chain.counted].any()
    assert len(without.p) < len(with_counter.p)
    wanted = chances(with_counter.states, with_counter.p, chain.counted)
    assert chances(without.states, without.p, chain.counted) == pytest.approx(wanted, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
def test_plain_as_compiled(name):
    chain, starts = CASES[name]
    graph = PlainExplorer(chain, 10**9).explore(starts=np.array(starts, np.int64))
    compiled, plain = ManyStarts(graph, plain=False).ends(), ManyStarts(graph, plain=True).ends()
    if name == "a loop of many states":  # only the compiled pass solves those
        assert plain is None
        return
    for one, other in zip(compiled, plain, strict=True):
        keep = (np.lexsort(compiled[1::-1]), np.lexsort(plain[1::-1]))
        np.testing.assert_array_equal(one[keep[0]], other[keep[1]])


def test_bits_do_not_depend_on_the_order_of_starts(monkeypatch):
    chain, starts = CASES["two rolls"]
    rows, found = np.array(starts, np.int64), []
    for order in ([0, 1, 2], [2, 0, 1]):
        for patience in (1e9, 0.0):
            monkeypatch.setattr("simulator.engine.graph.explore.patience_for", lambda *_, p=patience: p)
            chain = replace(chain, factored=None)
            ends = outcomes_from(chain, rows[order], counted=False)
            found.append([sorted(ends.p[ends.start == order.index(k)].tolist()) for k in range(3)])
    assert all(one == found[0] for one in found)


@pytest.mark.parametrize("plain", [True, False])
def test_a_battle_that_never_ends_is_refused(plain):
    graph = PlainExplorer(ring(4), 10**9).explore(starts=np.array([[0, 0]]))
    with pytest.raises(BrokenGame, match="never leave"):
        ManyStarts(graph, plain).ends()


def test_values_at_once_are_those_of_coins():
    """A fair game of coins with the goal 3: from n coins it is won in n of 3 games, and lost in the rest."""
    graph = PlainExplorer(walk(2, 3), 10**9).explore(starts=np.array([[1, 0], [2, 0]]))
    won = np.asarray(graph.states(np.arange(len(graph))).coins == 3)
    found = values_at_once(graph, np.array([graph.final & won, graph.final & ~won], float))
    assert found[:, graph.starts] == pytest.approx(np.array([[1, 2], [2, 1]]) / 3, abs=1e-12)


@pytest.mark.parametrize("name", ["a loop", "two rolls"])
def test_values_at_once_are_those_of_the_passes(name):
    chain, starts = CASES[name]
    graph = PlainExplorer(chain, 10**9).explore(starts=np.array(starts, np.int64))
    ends = np.where(graph.final, np.random.default_rng(1).random((3, len(graph))), 0)
    solver = Solver(graph, False, plain=True)
    expected = [solver.values(one) for one in ends]
    np.testing.assert_allclose(values_at_once(graph, ends), expected, atol=1e-12)


def test_values_at_once_of_a_battle_that_never_ends_are_refused():
    graph = PlainExplorer(ring(4), 10**9).explore(starts=np.array([[0, 0]]))
    with pytest.raises(BrokenGame, match="this battle can never leave"):
        values_at_once(graph, np.zeros((1, len(graph))))
