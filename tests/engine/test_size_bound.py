"""Chains that are surely too large are seen by battles that hardly ever meet; a chain that fits is never refused."""

import math
import re
from functools import partial
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator.engine.exact import exact_outcomes
from simulator.engine.graph import compiled_explorer as expand
from simulator.engine.graph import explore
from simulator.engine.graph import refusal_cache as refused
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.compiled_size_bound import look_while_growing
from simulator.engine.graph.graph import size_of
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.size_bound import PlainWalk, Sample, least_number, refuse_what_is_too_large
from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.engine.model.limits import NoExactOdds
from simulator.scenarios import load
from tests.toys import urn

pytestmark = pytest.mark.xdist_group("toys")  # their rules are compiled once, by one worker

MANY = 10**6  # steps: as many as it takes


class Tally(NamedTuple):
    """How often a roll showed each of six results; it is made so often."""

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
    """What a refusal says: states and transitions, at least; None where there is none."""
    try:
        refuse_what_is_too_large(chain, budget, plainly(chain), steps)
    except NoExactOdds as refusal:
        told = re.match(r"at least about ([\d,]+) states and ([\d,]+) transitions, since .*: more than", str(refusal))
        return tuple(int(number.replace(",", "")) for number in told.groups())
    return None


def test_a_chain_of_known_huge_size_is_refused():
    """The refusal stops at the first look that is past the budget, two digits of which are told."""
    chain, budget = tally(60), 20_000_000
    told, edges = look(chain, budget)
    assert told <= states(60)
    assert edges <= 6 * states(59)
    assert 0.9 * budget < size_of(chain, told, edges) < 10 * budget


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


def test_wide_rolls_are_refused_before_all_of_their_results_are_followed(monkeypatch):
    followed = []
    monkeypatch.setattr(PlainExplorer, "_choices", lambda *given: followed.append(given))
    with pytest.raises(NoExactOdds, match=r"at least about [\d,]+ states"):
        graph_of(written(12_000), 20_000_000)
    assert not followed


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


def test_wide_states_that_wait_are_counted_before_they_are_followed(monkeypatch):
    """A chain is refused soon, with a number of edges that it surely has; one that fits never is."""
    monkeypatch.setattr(expand, "PAUSE", 64)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.PAUSE", 64)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.look_ahead", lambda explorer: None)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.BLOCK", 8)
    chain = maze(1, 100, False, few=300, many=500)
    graph = PlainExplorer(chain, 10**9).explore()
    whole = size_of(chain, len(graph), len(graph.to))
    assert len(CompiledExplorer(chain, whole, size_check=look_while_growing).explore()) == len(graph)
    for budget in (whole // 4, whole // 2):
        explorer = CompiledExplorer(chain, budget, size_check=look_while_growing)
        with pytest.raises(
            NoExactOdds, match=r"^at least [0-9,]+ states and [0-9,]+ transitions: more than"
        ) as refusal:
            explorer.explore()
        told, edges = (int(number.replace(",", "")) for number in re.findall("[0-9][0-9,]*", str(refusal.value))[:2])
        assert budget < size_of(chain, told, edges) <= whole
        assert explorer.at[expand.EDGES] < len(graph.to) / 10


def refuses(chain, budget, walk_of, effort):
    raise NoExactOdds(f"seen by {effort > 0}")


@pytest.fixture
def folder(monkeypatch, tmp_path):
    monkeypatch.setattr(refused.cache, "folder_of", lambda package: tmp_path / package)
    return tmp_path


def land(regiments):
    sides = {"attacker": {"regiments": regiments}, "defender": {"regiments": regiments}}
    return load({"game": "risk", "battle": "land"} | sides).chain


def test_a_compiled_explorer_looks_ahead_and_the_refusal_is_kept(folder, monkeypatch):
    monkeypatch.setattr(expand, "PAUSE", 16)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.PAUSE", 16)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.QUICK_BYTES", 4_000)
    monkeypatch.setattr("simulator.engine.graph.compiled_size_bound.refuse_what_is_too_large", refuses)
    with pytest.raises(NoExactOdds, match="seen by True"):
        CompiledExplorer(land(40), 10**6, size_check=look_while_growing).explore()
    (path,) = (folder / "risk" / refused.FOLDER).iterdir()
    assert path.read_text() == "1000000\nseen by True"


def test_plain_python_looks_ahead_before_it_is_compiled_and_the_refusal_is_kept(folder, monkeypatch):
    monkeypatch.setattr(explore, "patience_for", lambda chain, kernel: 1e-9)
    monkeypatch.setattr(explore.kernel_cache, "is_ready", lambda kernel, params: False)
    monkeypatch.setattr("simulator.engine.graph.size_bound.refuse_what_is_too_large", refuses)
    with pytest.raises(NoExactOdds, match="seen by"):
        graph_of(land(40))
    assert list((folder / "risk" / refused.FOLDER).iterdir())
