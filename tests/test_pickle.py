"""Scenarios and answers of every kind go to another process and back, also after they have answered."""

import pickle
import subprocess
import sys

import pytest

import simulator as s
from simulator.rules.battle import Battle, Built

RISK = "risk-20v15"
PATH = "attacker.regiments"


def asked(name):
    scenario = s.load(name)
    s.exact(scenario)
    s.simulate(scenario, 100)
    return scenario


ANSWERS = {
    "scenario that has answered": lambda: asked(RISK),
    "scenario of a game file": lambda: asked("skirmish-hill"),
    "composed scenario": lambda: asked("power-campaign-naples"),
    "exact odds": lambda: s.exact(RISK),
    "simulated odds of a game file": lambda: s.simulate("twilight-space", 1000),
    "odds with a house rule": lambda: s.exact("axis-revised-house-rule"),
    "sweep": lambda: s.sweep(RISK, {PATH: [3, 4]}),
    "comparison": lambda: s.compare([RISK, "risk-landing"]),
    "best": lambda: s.best("risk-when-to-stop"),
    "need": lambda: s.need(RISK, PATH, 0.8),
    "sensitivity": lambda: s.sensitivity(RISK),
    "balance": lambda: s.balance(RISK, {PATH: [15, 16]}),
    "units": lambda: s.units("risk-landing"),
    "rounds": lambda: s.rounds(RISK),
    "by round": lambda: s.by_round("europa-vienna-1529"),
    "replay": lambda: s.replay("axis-land-eastern-front"),
    "mixture": lambda: s.mix({**s.load(RISK).data, "attacker": {"regiments": {"from": 1, "to": 3}}}),
    "survival": lambda: s.survival("birthright-border-clash"),
    "worth": lambda: s.worth(RISK, {"win": 1.0}),
}


@pytest.mark.parametrize("what", ANSWERS)
def test_it_comes_back_as_it_went(what):
    answer = ANSWERS[what]()
    message = repr(answer)  # asked for before it goes
    again = pickle.loads(pickle.dumps(answer))
    assert repr(again) == message
    if isinstance(answer, s.Scenario):
        assert again == answer
        assert repr(s.exact(again)) == repr(s.exact(answer))
    if isinstance(answer, s.Odds):
        assert again.settings == answer.settings
        assert again.assumptions == answer.assumptions
        assert again.table.equals(answer.table)
        assert again.to_dict() == answer.to_dict()


def test_a_kind_that_refuses_nothing_can_be_sent():
    model = s.load(RISK).battle.model
    kind = Battle(game="own", kind="duel", title="a duel", model=model, summary=(), build=Built)
    assert pickle.loads(pickle.dumps(kind)) == kind


def test_another_process_answers_what_it_is_sent():
    sent = s.risk.land(attacker=4, defender=3), s.load("skirmish-hill"), s.exact("twilight-space")
    code = "import pickle, sys; a, b, c = pickle.load(sys.stdin.buffer); from simulator import odds\n"
    code += "sys.stdout.buffer.write(pickle.dumps((odds(a), odds(b), c, b)))"
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(sent), stdout=subprocess.PIPE, check=True)
    small, hill, space, again = pickle.loads(done.stdout)
    assert again == sent[1]
    assert repr(space) == repr(sent[2])
    assert small.table.equals(s.odds(sent[0]).table)
    assert hill.table.equals(s.odds(sent[1]).table)
