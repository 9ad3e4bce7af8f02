"""The spelled-out graph: plain and compiled the same, with counters and without, in pairs, with decisions."""

from collections import Counter
from dataclasses import replace
from math import comb
from typing import NamedTuple

import numpy as np
import pytest

from simulator.engine.exact import exact_outcomes, outcomes_of
from simulator.engine.graph import solver
from simulator.engine.graph.compiled_explorer import CompiledExplorer
from simulator.engine.graph.graph_cache import state_values
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.graph.solver import Solver
from simulator.engine.model.chance import tables
from simulator.engine.model.interpreted import quicken
from simulator.engine.sample.per_battle import each_outcome
from simulator.engine.sample.simulation import Simulation, replay_steps
from tests.toys import gamble, ring, skirmish, urn, walk

CHAINS = {
    "coins": walk(3, 7, 2, 3),
    "counted coins": walk(2, 5, counting=1),
    "wide": urn(12),
    "pairs": skirmish(9, 7),
    "decisions": gamble(5, 12, 4),
    "over": walk(0, 3),
    "loops": ring(7, way_out=1),
    "a table that no state uses": replace(
        walk(2, 4), tables=tables([{0: 1}, {0: 1, 1: 1}, dict.fromkeys(range(9), 1)])
    ),
}
every_chain = pytest.mark.parametrize("name", CHAINS)


def rows(ends, values):
    found = np.array([*ends.states, values], dtype=float)
    return found[:, np.lexsort(found[::-1])]


def plain(chain):
    return PlainExplorer(chain, 10**9).explore()


@every_chain
@pytest.mark.parametrize("decisions", [False, True])
def test_plain_and_compiled_rules_spell_out_the_same_graph(name, decisions):
    chain = CHAINS[name]
    left = PlainExplorer(chain, 10**9, decisions).explore()
    right = CompiledExplorer(chain, 10**9, decisions).explore()
    for field in ("keys", "table", "second", "owner", "begin", "to", "inc"):
        assert np.array_equal(getattr(left, field), getattr(right, field)), field


@every_chain
@pytest.mark.parametrize("counted", [False, True])
def test_plain_and_compiled_passes_give_the_same_chances(name, counted):
    graph = plain(CHAINS[name])
    left, right = (Solver(graph, counted, plain=way).chances() for way in (True, False))
    assert all(map(np.array_equal, left, right))
    value = np.arange(len(graph)) * graph.final
    worth = [Solver(graph, False, plain=way).values(value.astype(float)) for way in (True, False)]
    assert np.array_equal(*worth)


def test_a_kernel_takes_a_long_pass_over_and_changes_no_chance(monkeypatch):
    graph = plain(CHAINS["counted coins"])
    alone = Solver(graph, plain=True).chances()
    monkeypatch.setattr(solver, "PAUSE", 64)
    monkeypatch.setattr(solver, "TAKEN_OVER", -1.0)
    assert all(map(np.array_equal, Solver(graph, plain=True).chances(), alone))


def test_counters_change_no_answer():
    # The wide urn's draws of the first kind are read by no rule: as a counter or as a field they come out alike.
    field, counter = exact_outcomes(urn(12)), exact_outcomes(replace(urn(12), counters=("first",)))
    assert np.allclose(rows(field, field.p), rows(counter, counter.p), rtol=1e-12)


def test_a_counter_without_bound_has_its_whole_distribution():
    ends = exact_outcomes(walk(2, 4, counting=1))
    assert ends.p @ ends.states.tosses == pytest.approx(4)


@pytest.mark.parametrize("name", [name for name in CHAINS if name != "pairs"])
def test_the_graph_fights_the_battles_that_the_rules_fight(name):
    seen = []
    for direct in (False, True):
        simulation = Simulation(CHAINS[name], 11, threads=2, direct=direct)
        assert simulation.engine == ("rules" if direct else "graph")
        simulation.add(20_000)
        ends = simulation.ends()
        seen.append(rows(ends, ends.count))
    assert np.array_equal(*seen)


def test_two_independent_rolls_are_the_joint_ones():
    mine, theirs, hit = 3, 2, 1 / 6
    chances = {(mine, theirs): 1.0}
    won = 0.0
    for _ in range(4000):
        after = {}
        for (a, d), p in chances.items():
            for x in range(a + 1):
                for y in range(d + 1):
                    q = p * comb(a, x) * hit**x * (1 - hit) ** (a - x) * comb(d, y) * hit**y * (1 - hit) ** (d - y)
                    left, right = max(0, a - y), max(0, d - x)
                    if left and right:
                        after[left, right] = after.get((left, right), 0) + q
                    elif left:
                        won += q
        chances = after
        if sum(chances.values()) < 1e-15:
            break
    ends = exact_outcomes(skirmish(mine, theirs))
    assert ends.p[ends.states.mine > 0].sum() == pytest.approx(won, abs=1e-12)


def test_fixed_policies_are_followed_without_a_roll():
    ends = exact_outcomes(gamble(5, 12, 4))
    left = ends.p[ends.states.left == 1].sum()
    assert left == pytest.approx(7 / 9)  # ruin is leaving with 3 coins: (12 - 5) / (12 - 3)
    graph = PlainExplorer(gamble(5, 12, 4), 10**9, decisions=True).explore()
    assert sorted(set(graph.owner)) == [0, 1]


def test_values_of_states_agree_with_chances_of_endings():
    chain = skirmish(12, 9)
    states, value = state_values(chain, lambda ends: ends.mine.astype(float))
    ends = outcomes_of(plain(chain))
    assert value[0] == pytest.approx(ends.p @ ends.states.mine)
    assert states.mine[0] == 12


@pytest.mark.parametrize("direct", [False, True])
def test_two_rolls_at_once_come_out_as_likely_as_they_are(direct):
    chain = skirmish(9, 7)
    simulation = Simulation(chain, 5, direct=direct)
    assert simulation.engine == ("rules" if direct else "graph")
    simulation.add(1_000_000)
    ends, true = simulation.ends(), exact_outcomes(chain)
    for fields in ("mine", "theirs"):
        for value in range(1, 8):
            p = true.p[getattr(true.states, fields) == value].sum()
            seen = ends.p[getattr(ends.states, fields) == value].sum()
            assert abs(seen - p) < 4.5 * np.sqrt(p * (1 - p) / 1e6)
    assert ends.p @ ends.states.rounds == pytest.approx(true.p @ true.states.rounds, abs=0.02)


def test_battles_of_two_rolls_can_be_told():
    chain, answer = skirmish(4, 5), []
    for battle in range(300):
        for before, (result, other), after in replay_steps(chain, 9, battle):
            assert after.mine == max(0, before.mine - other)
            assert after.theirs == max(0, before.theirs - result)
        answer.append(after)
    simulation = Simulation(chain, 9)
    simulation.add(300)
    ends = simulation.ends()
    seen = {tuple(int(v) for v in state): count for *state, count in zip(*ends.states, ends.count, strict=True)}
    assert seen == Counter(tuple(state) for state in answer)


@every_chain
def test_each_battle_ends_where_the_simulation_counts_it(name):
    ends, which = each_outcome(CHAINS[name], 11, 3000)
    simulation = Simulation(CHAINS[name], 11)
    simulation.add(3000)
    counted = simulation.ends()
    assert np.array_equal(rows(ends, ends.count), rows(counted, counted.count))
    assert np.array_equal(np.bincount(which), ends.count)


def test_a_quick_replace_does_the_same():
    class Place(NamedTuple):
        left: int
        right: int = 5

    class Named(Place):
        pass

    plain = [place._replace(right=2, left=1) for place in (Place(3), Named(3))]
    quicken(Place)
    quick = [place._replace(right=2, left=1) for place in (Place(3), Named(3))]
    assert quick == plain == [(1, 2)] * 2
    assert [type(place) for place in quick] == [Place, Named]
    with pytest.raises((ValueError, TypeError), match=r"unexpected field names: .*'wrong'"):
        Place(3)._replace(left=1, wrong=2)
