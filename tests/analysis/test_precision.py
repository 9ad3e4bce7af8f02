"""The number of battles of a simulated answer: enough for its precision, or as many as the budget of rolls allows."""

from itertools import product

import pytest

from simulator.analysis.odds.answer import answer, simulate
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.run import Interrupted
from simulator.engine.graph.graph_cache import graph_of
from simulator.engine.model.limits import ANSWER_ROLLS
from simulator.engine.sample.plain_walk import SCOUT_ROLLS, rolls_a_battle
from simulator.scenarios import load
from tests.toys import walk

DICE = Method(exact=False)


def land(own, enemies, **others):
    sides = {"attacker": {"regiments": own}, "defender": {"regiments": enemies}}
    return {"game": "risk", "battle": "land"} | sides | others


@pytest.fixture
def few_rolls(monkeypatch):
    monkeypatch.setattr("simulator.analysis.odds.run.ANSWER_ROLLS", 20_000)


def test_a_precision_that_nobody_chose_stays_within_the_budget_of_rolls(few_rolls):
    found = answer(land(20, 15), DICE)
    assert 800 < found.battles < 2000
    assert "not 0.1%: with" in found.how()
    assert "rolls a battle that takes over 10 s" in found.how()
    assert found.to_dict()["limited"] == found.limited


def test_its_battles_are_the_first_ones_of_the_seed(few_rolls):
    found = answer(land(20, 15), DICE)
    assert found.table.equals(simulate(land(20, 15), found.battles).table)


def test_a_precision_that_was_chosen_is_reached_whatever_it_takes(few_rolls):
    found = answer(land(20, 15), Method(exact=False, precision=0.005))
    assert found.battles == 65_536
    assert not found.limited


def test_a_certain_winner_needs_no_more_battles_than_the_budget(few_rolls):
    found = answer(land(200, 1), DICE)
    assert found.battles < 20_000
    assert not found.limited


def test_short_battles_are_as_many_as_ever():
    found = answer(land(20, 15), DICE)
    assert found.battles > 400_000
    assert not found.limited


def test_rolls_a_battle_are_counted_once_and_for_every_machine_alike():
    small, large = load(land(20, 15)).chain, load(land(100_000, 100_000)).chain
    assert rolls_a_battle(small) == rolls_a_battle(load(land(20, 15)).chain)
    assert 10 < rolls_a_battle(small) < 35
    assert 85_000 < rolls_a_battle(large) < 100_000
    assert ANSWER_ROLLS / SCOUT_ROLLS > 1_000


def test_an_interrupt_keeps_the_portions_that_are_finished(monkeypatch):
    monkeypatch.setattr("simulator.analysis.odds.run.PORTION_ROLLS", 1)

    def stop(done, whole):
        if done >= 1024:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as cut:
        answer(land(20, 15), Method(battles=100_000, exact=False), stop)
    kept = cut.value.gathered
    assert 512 <= kept.battles <= 2048
    assert kept.table.equals(simulate(land(20, 15), kept.battles).table)


@pytest.mark.parametrize(("attack", "defence"), [*product((1, 3, 4), (1, 2, 4))])
def test_a_chain_is_at_least_as_large_as_risk_says(attack, defence):
    for ties in ("defender", "attacker"):
        options = {"attack_dice": attack, "defence_dice": defence, "ties": ties}
        chain = load(land(21, 18, options=options)).chain
        graph = graph_of(chain)
        states, edges = chain.at_least
        assert 0 < states <= len(graph)
        assert edges <= len(graph.to)


def test_a_long_battle_with_few_states_is_exact():
    """If the attacker cannot lose a regiment there is one state a round, however many regiments there are."""
    found = answer(land(3_000, 3_000, attacker={"regiments": 3_000, "modifier_all": 5}, options={"ties": "attacker"}))
    assert found.method == "exact"
    assert found.winner("attacker") == pytest.approx(1, abs=1e-12)


def test_rolls_a_battle_that_hardly_ends_are_as_many_as_were_made():
    assert rolls_a_battle(walk(1 << 18, 1 << 19)) == SCOUT_ROLLS
