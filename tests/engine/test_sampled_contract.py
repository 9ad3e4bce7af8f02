"""Rules that break the engine's contract are refused by sample, with rule, field and state."""

from dataclasses import replace
from itertools import count
from typing import NamedTuple

import numpy as np
import pytest

from simulator.conformance import check_rules
from simulator.engine.exact import exact_outcomes
from simulator.engine.graph.interpreted_explorer import PlainExplorer
from simulator.engine.model import contract
from simulator.engine.model.chain import Chain, rule
from simulator.engine.model.chance import TableBook
from simulator.engine.model.contract import check_contract
from simulator.engine.model.limits import BrokenGame
from simulator.engine.sample.simulation import Simulation, replay_steps
from simulator.engine.simulate import simulation_of
from tests.toys import marked_walk, skirmish

FAULTS = ("none", "running", "table", "step", "sets", "late", "twice", "changes", "negative", "nothing", "deep")
CALLS = count()


class Round(NamedTuple):
    left: int
    lost: int
    rounds: int


def has(p, name):
    return p.fault == FAULTS.index(name)


def running(p, s):
    return s.left > 0 and not (has(p, "running") and s.rounds >= 10)


def table(p, s):
    if has(p, "negative"):
        return p.ways[s.left - 5]
    if has(p, "deep") and s.lost >= 38:
        return p.ways[38 - s.lost]
    return 1 + (has(p, "table") and s.rounds == 3)


def step(p, s, result):
    lost, rounds = s.lost + result, s.rounds + 1
    if has(p, "nothing") and s.left == 2:
        return None
    if has(p, "changes"):
        p.ways[0] = s.left
    if has(p, "step") and s.rounds % 2 == 1:
        lost = s.lost
    call = next(CALLS)
    if has(p, "twice"):
        lost += call % 2
    if has(p, "sets") or (has(p, "late") and s.left < 3):
        rounds = 7
    return Round(s.left - 1, lost, rounds)


RULES = running, table, step


def faulty(fault: str, left: int = 6) -> Chain:
    """A fight of `left` rounds with one fault, of a params type of its own, so that nothing is known about it."""

    class Faulty(NamedTuple):
        fault: int
        ways: np.ndarray

    book = TableBook()
    book.add({0: 1, 1: 1})
    book.add({0: 1, 1: 2})
    for part in RULES:
        rule(Faulty)(part)
    return Chain(
        Faulty(FAULTS.index(fault), np.array([1, 1], np.int64)),
        Round(left, 0, 0),
        Round(left, 3 * left, 10**6),
        book.close(),
        counters=("rounds",),
    )


def simulated(chain):
    simulation_of(chain, 1).add(100)


def by_rules(chain):
    Simulation(chain, 1, direct=True).add(100)


every_way = pytest.mark.parametrize(
    "run", [exact_outcomes, simulated, by_rules, check_rules], ids=lambda run: run.__name__
)
REFUSED = {
    "running": r"running: reads counter rounds: answers True, but False where it is 10, not 0; state Round\(left=6",
    "table": r"table: reads counter rounds: answers 1, but 2 where it is 3, not 0; state Round\(left=6",
    "step": r"step: reads counter rounds: field lost is \d, but \d where it is 1, not 0; state Round\(left=",
    "sets": r"step: sets counter rounds to 7 where it is 1, but adds 7 to 0; state Round\(left=6",
    "late": r"step: sets counter rounds to 7 where it is .*; state Round\(left=2",
    "twice": r"step: field lost is \d, but \d when asked again; state Round\(left=6",
    "changes": r"step: changes ways at 0 to 6; parameters stay as they are; state Round\(left=6",
    "negative": r"table: ways has no place -1: its shape is \(2,\), no index is negative; state Round\(left=4",
    "nothing": r"step: None is no Round, after state Round\(left=2",
}


@every_way
@pytest.mark.parametrize("fault", REFUSED)
def test_a_broken_rule_is_refused_by_name(run, fault):
    with pytest.raises(BrokenGame, match=REFUSED[fault]):
        run(faulty(fault))


def test_a_sound_game_is_not_refused():
    check_rules(faulty("none"))
    check_rules(marked_walk(2, 4))
    check_rules(skirmish(4, 3))
    assert exact_outcomes(faulty("none")).p.sum() == pytest.approx(1)


def test_plain_python_finds_a_negative_index_in_every_state_that_it_spells_out():
    answer = r"table: ways has no place -1: .*; state Round\(left=1, lost=39, rounds=0\)"
    with pytest.raises(BrokenGame, match=answer):
        PlainExplorer(faulty("deep", left=40), 10**9).explore()


def test_a_replay_refuses_a_negative_index():
    with pytest.raises(BrokenGame, match="table: ways has no place -1"):
        list(replay_steps(faulty("negative"), 1, 0))


@every_way
def test_a_final_start_is_refused_unless_the_game_declares_it(run):
    with pytest.raises(BrokenGame, match=r"running: the battle is over before it begins, in Round\(left=0"):
        run(replace(faulty("none"), start=Round(0, 0, 0)))
    assert exact_outcomes(replace(faulty("none"), start=Round(0, 0, 0), may_be_over=True)).p.tolist() == [1.0]


class Lame(NamedTuple):
    """A game without a step."""


@rule(Lame)
def running(p, s):
    return s.left > 0


def test_a_missing_step_is_refused_before_anything_is_asked():
    whole = faulty("none")
    with pytest.raises(BrokenGame, match="step: Lame has no such rule; write it under @rule"):
        Chain(Lame(), whole.start, whole.limits, whole.tables)


def test_chains_that_differ_in_nothing_but_arrays_are_looked_at_once():
    chain = replace(faulty("none"), may_be_over=True)
    params = chain.params._replace(ways=np.array([5, 5], np.int64))
    check_contract(chain)
    before = next(CALLS)
    check_contract(replace(chain, params=params))
    assert next(CALLS) == before + 1
    check_contract(replace(chain, start=chain.start._replace(left=5)))
    assert next(CALLS) > before + 2


def test_after_the_time_of_a_kind_other_starts_are_not_looked_at_but_final_ones_are_refused(monkeypatch):
    monkeypatch.setattr(contract, "SECONDS", 0)
    chain = faulty("none")
    check_contract(chain)
    before = next(CALLS)
    check_contract(replace(chain, start=chain.start._replace(left=5)))
    assert next(CALLS) == before + 1
    with pytest.raises(BrokenGame, match=r"over before it begins, in Round\(left=0"):
        check_contract(replace(chain, start=Round(0, 0, 0)))
    with pytest.raises(BrokenGame, match="step: reads counter rounds"):
        check_contract(replace(chain, params=chain.params._replace(fault=FAULTS.index("step"))))


def test_after_the_time_of_a_kind_numbers_of_equally_many_bits_are_looked_at_once(monkeypatch):
    monkeypatch.setattr(contract, "SECONDS", 0)
    chain = faulty("none")
    check_contract(replace(chain, params=chain.params._replace(fault=32)))
    before = next(CALLS)
    check_contract(replace(chain, params=chain.params._replace(fault=63)))
    assert next(CALLS) == before + 1
    check_contract(replace(chain, params=chain.params._replace(fault=64)))
    assert next(CALLS) > before + 2
