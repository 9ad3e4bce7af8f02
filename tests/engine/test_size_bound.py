"""Chains that are surely too large are seen by battles that hardly ever meet; a chain that fits is never refused."""

import math
import re
from dataclasses import replace
from functools import partial
from itertools import count
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.exact import exact_outcomes
from simulator.engine.graph.compiled_explorer import EDGES, CompiledExplorer
from simulator.engine.graph.compiled_size_bound import look_ahead, look_while_growing
from simulator.engine.graph.graph import size_of
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.size_bound import (
    PlainWalk,
    Sample,
    least_number,
    look_before_compiling,
    recall,
    refuse_what_is_too_large,
    remember,
)
from simulator.engine.jit import kernel_cache
from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import load
from tests.toys import urn

MANY = 10**6  # steps: as many as it takes


class Tally(NamedTuple):
    """Counts of the six results of a roll that is made so often."""

    rolls: int


class Shown(NamedTuple):
    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    left: int


@rule(Tally)
def running(p, s):
    return s.left > 0


@rule(Tally)
def table(p, s):
    return 1


@rule(Tally)
def step(p, s, result):
    return Shown(*[shown + (which == result) for which, shown in enumerate(s[:6])], s.left - 1)


def tally(rolls):
    """A chain of `states(rolls)` states, each of which that goes on has six edges."""
    book = TableBook()
    book.add(dict.fromkeys(range(6), 1))
    return Chain(Tally(rolls), Shown(0, 0, 0, 0, 0, 0, rolls), Shown(*[rolls] * 7), book.close())


def states(rolls, results=6):
    return math.comb(rolls + results, results)


class Maze(NamedTuple):
    """From each place each result leads to a given other one; the last one is the way out."""

    to: np.ndarray


class Place(NamedTuple):
    at: int


@rule(Maze)
def running(p, s):
    return s.at < len(p.to) - 1


@rule(Maze)
def table(p, s):
    return 1 + s.at % 2


@rule(Maze)
def step(p, s, result):
    return Place(int(p.to[s.at][result]))


def maze(seed, places, onwards, few=2, many=9):
    """Ways lead anywhere, or `onwards` only; even places have a few of them, odd ones many."""
    rng = np.random.default_rng(seed)
    to = rng.integers(np.arange(places)[:, None] + 1 if onwards else 0, places + 1, (places, many))
    book = TableBook()
    book.add({0: 1} | dict.fromkeys(range(1, few), 5))
    book.add(dict.fromkeys(range(many), 1))
    return Chain(Maze(np.append(to, [[places] * many], axis=0)), Place(0), Place(places), book.close())


STEPS = count()


class Book(NamedTuple):
    """Four rolls of a die with very many faces, all of which are written down."""

    faces: int


class Written(NamedTuple):
    first: int
    second: int
    third: int
    fourth: int


@rule(Book)
def running(p, s):
    return s.fourth == 0


@rule(Book)
def table(p, s):
    return 1


@rule(Book)
def step(p, s, result):
    next(STEPS)
    if s.first == 0:
        return Written(1 + result, 0, 0, 0)
    if s.second == 0:
        return s._replace(second=1 + result)
    return s._replace(fourth=1 + result) if s.third else s._replace(third=1 + result)


def written(faces):
    book = TableBook()
    book.add(dict.fromkeys(range(faces), 1))
    return Chain(Book(faces), Written(0, 0, 0, 0), Written(*[faces] * 4), book.close())


def plainly(chain, budget=10**9):
    return partial(PlainWalk, PlainExplorer(chain, budget))


def look(chain, budget, steps=MANY):
    """Lower bounds of states and transitions in a refusal; None where there is none."""
    try:
        refuse_what_is_too_large(chain, budget, plainly(chain), steps)
    except NoExactOdds as refusal:
        answer = re.match(r"at least about ([\d,]+) states and ([\d,]+) transitions, since .*: more than", str(refusal))
        return tuple(int(number.replace(",", "")) for number in answer.groups())
    return None


def test_a_chain_of_known_huge_size_is_refused():
    """The refusal stops at the first look that is past the budget, and says two digits of the number."""
    chain, budget = tally(60), 20_000_000
    answer, edges = look(chain, budget)
    assert answer <= states(60)
    assert edges <= 6 * states(59)
    assert 0.9 * budget < size_of(chain, answer, edges) < 10 * budget


@pytest.mark.parametrize("rolls", [6, 9, 11])
def test_a_chain_just_below_the_budget_is_solved(rolls):
    chain = tally(rolls)
    budget = size_of(chain, states(rolls), 6 * states(rolls - 1))
    assert look(chain, budget) is None
    ends = exact_outcomes(chain, budget)
    assert ends.explored == states(rolls)
    assert ends.p.sum() == pytest.approx(1)
    with pytest.raises(NoExactOdds):
        exact_outcomes(chain, budget - 1)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 400), st.booleans(), st.integers(1, 400), st.integers(1, 30))
def test_never_more_is_seen_than_there_is(seed, places, onwards, battles, levels):
    chain = maze(seed, places, onwards)
    graph = PlainExplorer(chain, 10**9).explore()
    sample = Sample(plainly(chain)(battles))
    sample.fight(levels)
    seen, edges = sample.least()
    assert seen <= len(graph)
    assert edges <= len(graph.to)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 300), st.booleans())
def test_a_chain_that_fits_is_never_refused(seed, places, onwards):
    chain = maze(seed, places, onwards)
    graph = PlainExplorer(chain, 10**9).explore()
    assert look(chain, size_of(chain, len(graph), len(graph.to)), 20_000) is None


def test_where_battles_meet_all_the_time_nearly_all_there_is_is_seen():
    """Of each class of states a battle counts one, of edges a power of two that there are at least: 2 for 3."""
    sample = Sample(plainly(urn(8))(4000))
    sample.fight(8)
    later = states(7, 3) - states(3, 3)
    seen, edges = sample.least()
    assert 0.8 * later < seen <= later
    assert edges == 2 * seen


@pytest.mark.parametrize("there", [10, 1_000, 1_000_000])
def test_battles_that_meet_tell_how_many_states_there_are(there):
    """Battles of which 500 meet another one tell the number of equally likely states to a third."""
    rng, drawn = np.random.default_rng(there), 500 + math.isqrt(1000 * there)
    for _ in range(20):
        different = len(np.unique(rng.integers(0, there, drawn)))
        assert 2 * there / 3 < least_number(drawn, different, 21) <= there


def test_battles_that_never_meet_show_the_square_of_their_number():
    assert least_number(1000, 1000, 20) == 1000 * 999 // 40
    assert least_number(5, 5, 20) == 5
    assert least_number(1, 1, 20) == 1


def test_wide_rolls_are_refused_before_all_of_their_results_are_followed():
    before = next(STEPS)
    with pytest.raises(NoExactOdds, match=r"at least about [\d,]+ states"):
        graph_of(written(12_000), 20_000_000)
    assert next(STEPS) - before < 12_000


def test_a_roll_with_too_many_results_is_told():
    with pytest.raises(NoExactOdds, match=r"^one roll of 12,000 results: at least 0 MB, past the budget of 0 MB$"):
        graph_of(written(12_000), 40_000)


def test_compiled_battles_walk_as_plain_ones_do():
    from simulator.engine.graph.compiled_size_bound import CompiledWalk

    chain = urn(30)
    plain, compiled = plainly(chain)(200), CompiledWalk(chain, False, 200)
    rng = np.random.default_rng(1)
    for _ in range(32):
        assert np.array_equal(plain.keys, compiled.keys)
        assert np.array_equal(plain.fan, compiled.fan)
        edge = rng.integers(0, np.maximum(plain.fan, 1))
        plain.step(edge)
        compiled.step(edge)
    assert not plain.fan.any()


def explorer_of(chain, budget, pause=64):
    explorer = CompiledExplorer(chain, budget, size_check=look_while_growing)
    explorer.pause = pause
    return explorer


def test_wide_states_that_wait_are_counted_before_they_are_followed():
    """A chain is refused soon, with a number of edges that it surely has; one that fits never is."""
    chain = maze(1, 100, False, few=300, many=500)
    graph = PlainExplorer(chain, 10**9).explore()
    whole = size_of(chain, len(graph), len(graph.to))
    assert len(explorer_of(chain, whole).explore()) == len(graph)
    for budget in (whole // 4, whole // 2):
        explorer = explorer_of(chain, budget)
        explorer.looked_ahead = True
        with pytest.raises(
            NoExactOdds, match=r"^at least [0-9,]+ states and [0-9,]+ transitions: more than"
        ) as refusal:
            explorer.explore()
        answer, edges = (int(number.replace(",", "")) for number in re.findall("[0-9][0-9,]*", str(refusal.value))[:2])
        assert budget < size_of(chain, answer, edges) <= whole
        assert explorer.at[EDGES] < len(graph.to) / 10


def test_a_compiled_explorer_samples_battles_of_wide_states():
    explorer = explorer_of(written(12_000), 20_000_000)
    explorer.at[EDGES] = 10**6
    with pytest.raises(NoExactOdds, match="since sampled battles rarely visit the same state"):
        look_ahead(explorer)


def test_sampled_battles_refuse_before_compiling_and_later_runs_recall_it(folder):
    chain = load("knt-into-the-unknown").chain
    explorer = PlainExplorer(chain, 5_000_000)
    explorer.edges = 10**6
    with pytest.raises(NoExactOdds, match="since sampled battles rarely visit the same state") as first:
        look_before_compiling(explorer)
    with pytest.raises(NoExactOdds, match=re.escape(str(first.value))):
        recall(chain, 5_000_000)
    recall(chain, 5_000_001)


SMALL = 2_000


@pytest.fixture
def folder(monkeypatch, tmp_path):
    """An empty cache; the rules of Risk are compiled before."""
    CompiledExplorer(land(2), 10**8).explore()
    monkeypatch.setenv("BATTLE_ODDS_CACHE", str(tmp_path))
    kernel_cache.folder_of.cache_clear()
    yield tmp_path
    kernel_cache.folder_of.cache_clear()


def land(attackers, defenders=30):
    sides = {"attacker": {"regiments": attackers}, "defender": {"regiments": defenders}}
    return load({"game": "risk", "battle": "land"} | sides).chain


def test_a_refusal_is_kept_for_this_chain_and_budgets_as_small(folder):
    with pytest.raises(NoExactOdds) as first:
        explorer_of(land(30), SMALL, pause=16).explore()
    (path,) = folder.rglob("refused/*")
    path.write_text(f"{SMALL}\nso it was found")
    with pytest.raises(NoExactOdds, match="so it was found"):
        explorer_of(land(30), SMALL - 1, pause=16).explore()
    with pytest.raises(NoExactOdds, match="past the budget") as other:
        explorer_of(land(31), SMALL, pause=16).explore()
    assert "more than" in str(first.value)
    assert "more than" in str(other.value)
    assert len(explorer_of(land(30), 10**8, pause=16).explore()) > 30


def test_a_file_that_cannot_be_read_is_no_refusal(folder):
    chain = land(30)
    remember(chain, SMALL, "too large")
    (path,) = folder.rglob("refused/*")
    path.write_text("nonsense")
    recall(chain, 1)
    recall(replace(chain, start=chain.start), 1)
