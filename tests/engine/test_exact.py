import math
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from simulator.engine.exact import exact_outcomes
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.graph_cache import state_values
from simulator.engine.model.limits import BrokenGame, NoExactOdds
from tests.toys import Coins, Wide, stay, urn, walk


def chance(ends, **fields):
    chosen = np.ones(len(ends), bool)
    for name, value in fields.items():
        chosen &= getattr(ends.states, name) == value
    return ends.p[chosen].sum()


@pytest.mark.parametrize(("start", "goal", "win", "lose"), [(1, 2, 1, 1), (3, 7, 1, 1), (4, 9, 2, 3), (1, 30, 18, 19)])
def test_gamblers_ruin_with_its_long_loops(start, goal, win, lose):
    ends = exact_outcomes(walk(start, goal, win, lose))
    ratio = Fraction(lose, win)
    ruin = Fraction(start, goal) if ratio == 1 else (1 - ratio**start) / (1 - ratio**goal)
    assert chance(ends, coins=goal) == pytest.approx(float(ruin), abs=1e-12)
    assert 0 <= ends.residual < 1e-13
    assert ends.p.sum() + ends.residual == pytest.approx(1, abs=1e-12)


def test_a_counter_without_bound_is_followed_until_almost_nothing_runs():
    ends = exact_outcomes(walk(2, 4, counting=1))
    assert ends.p @ ends.states.tosses == pytest.approx(2 * 2, abs=1e-9)
    assert chance(ends, coins=4, tosses=2) == pytest.approx(1 / 4)
    assert ends.residual < 1e-13


def test_a_state_that_returns_to_itself_is_summed_in_closed_form():
    ends = exact_outcomes(stay({0: 10**9, 1: 1, 2: 2}))
    assert chance(ends, over=1) == pytest.approx(1 / 3, rel=1e-6)
    assert ends.residual == 0


def test_a_battle_that_can_never_end_is_refused():
    with pytest.raises(BrokenGame, match=r"never leave Waiting\(over=0\)"):
        exact_outcomes(stay({0: 1, 1: 1}, stuck=1))


def test_states_wider_than_one_word():
    chain = urn(6)
    assert chain.layout.words == 2
    ends = exact_outcomes(chain)
    ways = math.factorial(6) / (math.factorial(2) * math.factorial(1) * math.factorial(3))
    assert chance(ends, first=2, second=1, third=3) == pytest.approx(ways * (1 / 6) ** 2 * (1 / 3) * (1 / 2) ** 3)
    assert len(ends) == 28


def test_too_many_states_are_refused_with_their_number():
    with pytest.raises(
        NoExactOdds, match=r"more than [\d,]+ states and [\d,]+ transitions.* at least \d+ MB, past the"
    ):
        exact_outcomes(urn(400), budget=1_000_000)


def test_the_store_grows_without_changing_the_graph():
    small, large = (CompiledExplorer(urn(30), 10**9, room=room).explore() for room in (2, 1 << 15))
    assert len(small) == len(large) > 1000
    for name in ("keys", "table", "begin", "to"):
        assert np.array_equal(getattr(small, name), getattr(large, name))


def test_backward_values_are_the_chances_of_every_state():
    states, value = state_values(walk(3, 8, 2, 3), lambda ends: (ends.coins == 8).astype(float))
    ratio = 1.5
    true = (1 - ratio**states.coins) / (1 - ratio**8)
    assert np.allclose(value, true, atol=1e-12)
    assert set(states.coins) == set(range(9))


def test_backward_expected_worth_agrees_with_forward():
    chain = urn(8)
    ends = exact_outcomes(chain)
    states, value = state_values(chain, lambda final: final.third.astype(float))
    start = (np.array(states) == np.array(Wide(0, 0, 0, 8))[:, None]).all(axis=0)
    assert value[start][0] == pytest.approx(ends.p @ ends.states.third) == pytest.approx(4)


def test_a_battle_that_is_over_before_it_begins():
    ends = exact_outcomes(replace(walk(0, 5), may_be_over=True))
    assert ends.states.coins.tolist() == [0]
    assert ends.p.tolist() == [1.0]


def test_a_counter_goes_on_from_where_it_stands_at_the_start():
    begun = replace(walk(2, 4, counting=1), start=Coins(2, 5))
    plain, later = exact_outcomes(walk(2, 4, counting=1)), exact_outcomes(begun)
    assert later.p @ later.states.tosses == pytest.approx(5 + plain.p @ plain.states.tosses)


# Exploration with starts neither samples nor remembers: the whole budget is used.
SEA = """
import numpy as np
from simulator import load
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.model.limits import NoExactOdds

def peak():
    with open("/proc/self/status") as lines:
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))

kinds = ["submarine", "destroyer", "cruiser", "fighter", "battleship"]
sides = {"attacker": dict.fromkeys(kinds, 14), "defender": dict.fromkeys(kinds[:4], 14)}
chain = load({"game": "axis-and-allies-1942", "battle": "sea"} | sides).chain
for budget in (1_000_000, 300_000_000):
    before = peak()
    try:
        CompiledExplorer(chain, budget).explore(starts=np.array([chain.start]))
    except NoExactOdds as refusal:
        print(peak() - before, refusal)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc/self/status")
def test_a_refused_battle_takes_little_more_than_its_budget():
    done = subprocess.run([sys.executable, "-c", SEA], capture_output=True, text=True, check=True, timeout=400)
    grown, refusal = done.stdout.splitlines()[1].split(" ", 1)
    assert 0 < int(grown) < 450_000_000
    assert "past the budget of 300 MB" in refusal
