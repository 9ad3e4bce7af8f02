"""Ctrl-C: what the decision tools had found until then is handed over."""

import pytest

from simulator import Interrupted, best, compare, luck, mix, rounds, worth
from simulator.analysis.decisions import best as best_play
from simulator.analysis.odds.method import Method
from simulator.cli import INTERRUPTED, run

LAND = {"game": "risk", "battle": "land", "attacker": {"regiments": 4}, "defender": {"regiments": 3}}
STOPS = LAND | {"policy": {"attacker": {"retreat": "best"}}}


def after(many):
    """A progress that is interrupted when so much is done."""

    def stop(done, total):
        if done >= many:
            raise KeyboardInterrupt

    return stop


def gathered(work):
    with pytest.raises(Interrupted) as cut:
        work()
    return cut.value.gathered


def test_worth_by_the_battles_fought():
    method = Method(exact=False, battles=4_000_000)
    found = gathered(lambda: worth("risk-20v15", {"win": 1}, method=method, progress=after(1)))
    assert 0 < found.odds.battles <= 4_000_000
    assert found.mean == pytest.approx(0.86, abs=0.1)


def test_scenarios_compared_until_then():
    found = gathered(lambda: compare({"a": LAND, "b": LAND, "c": LAND}, progress=after(2)))
    assert list(found.odds) == ["a", "b"]
    with pytest.raises(KeyboardInterrupt) as cut:
        compare([LAND, LAND], progress=after(1))
    assert not isinstance(cut.value, Interrupted)


def test_battles_judged_until_then():
    log = [{"scenario": LAND, "winner": "attacker"}] * 5
    assert len(gathered(lambda: luck(log, progress=after(3))).battles) == 3


def test_rounds_of_the_battles_fought_until_then():
    found = gathered(lambda: rounds(LAND, 3, battles=2000, progress=after(512)))
    assert found.battles == 512
    assert found.after(3).counts.sum() == 512


def test_best_of_the_named_values_and_gains_until_then():
    scenario = {"game": "kings-and-things", "battle": "land", "attacker": {"creatures": ["4C", "3M", "2"]}}
    scenario |= {"defender": {"creatures": ["4", "3"]}}
    found = gathered(lambda: best(scenario, ["policy.attacker.losses=named"], progress=after(2)))
    assert found.tried == 2
    solved = best(STOPS)
    assert len(gathered(lambda: solved.find_gains(after(2)))) == 2
    assert len(solved.fixed) == 2


def test_a_part_of_a_mixture_is_no_answer():
    with pytest.raises(KeyboardInterrupt) as found:
        mix(LAND | {"attacker": {"regiments": {"from": 3, "to": 4}}}, progress=after(1))
    assert not isinstance(found.value, Interrupted)


def test_the_command_shows_it_and_says_so(monkeypatch, capsys):
    def slow(self, progress=None):
        raise Interrupted([])

    monkeypatch.setattr(best_play.Best, "find_gains", slow)
    monkeypatch.setattr(best_play.Best, "fixed", ())
    assert run(["best", "risk-when-to-stop"]) == INTERRUPTED
    answer = capsys.readouterr()
    assert answer.out.startswith("Stop in 8.32 % of battles, most often at 2 v 5: ")
    assert "interrupted; not every fixed policy was tried" in answer.err
