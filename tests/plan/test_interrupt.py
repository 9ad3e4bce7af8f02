"""Ctrl-C while a plan is searched: the best plan found, and how far it may be from the best."""

import json
import os
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint

from simulator.analysis.plan import formulation, highs, programme
from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.plan import divided
from simulator.analysis.plan.programme import Programme
from simulator.analysis.plan.reading import read
from simulator.web.time_limit import OutOfTime, at_most, processor_time

FRONTS = ("a", "b", "c", "d", "e")


@pytest.fixture
def turn():
    """A turn of Risk whose places all reach other targets: too many classes of pieces for tables."""
    reach = {f"p{i}": [name for at, name in enumerate(FRONTS) if i >> at & 1 or at == i % 5] for i in range(1, 12)}
    return read({
        "game": "plan", "of": "risk", "every": {"battle": "land"},
        "place": {name: {"regiments": 7, "reach": goals} for name, goals in reach.items()},
        "target": {name: {"defender": {"regiments": 2}} for name in FRONTS},
    })  # fmt: skip


@pytest.fixture
def columns(turn):
    """Worths without order: no plan that is made step by step is the best one."""
    found, dice = columns_of(turn), np.random.default_rng(3)
    for one in found:
        one.worth[1:] = dice.random(len(one) - 1) * np.sqrt(one.numbers[1:, 0])
    return found


def test_the_best_plan_found_is_kept_with_its_gap(turn, columns, monkeypatch):
    def interrupted(*_, **asked):
        raise KeyboardInterrupt

    monkeypatch.setattr(programme, "FEW_WAYS", 0)
    monkeypatch.setattr(formulation, "solved", interrupted)  # the relaxation is solved, the programme is not
    found = divided(turn, columns, 5)
    assert found.interrupted
    assert found.bound >= found.value > 0
    assert found.gap == pytest.approx(found.bound - found.value)
    assert found.how().endswith(f"; interrupted: the best plan found; no plan is better by more than {found.gap:.4g}")
    assert found.headline.startswith("Attack ")
    # It is a division of these pieces, with the worth that it says.
    assert (found.best.sent.sum(axis=1) <= turn.here - turn.staying).all()
    chosen = [one.numbers[at].tolist() for one, at in zip(columns, found.best.columns, strict=True)]
    assert found.best.sent.sum(axis=0).tolist() == chosen
    assert found.worth == pytest.approx(sum(one.worth[at] for one, at in zip(columns, found.best.columns, strict=True)))
    assert (found.next_best, found.units_worth) == ((), ())


def test_what_is_interrupted_later_is_the_best_plan(monkeypatch):
    """Ctrl-C while alternatives are sought: the plan is the best, without a gap, and alternatives are missing."""
    turn = read({
        "game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"x": {"regiments": 5}},
        "target": {name: {"defender": {"regiments": 1}} for name in FRONTS},
    })  # fmt: skip
    found = columns_of(turn)
    whole = divided(turn, found, 2)
    assert (whole.interrupted, whole.gap, whole.bound, len(whole.next_best)) == (False, 0, None, 2)

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Programme, "next_best", interrupted)
    broken = divided(turn, found, 2)
    assert (broken.interrupted, broken.gap, broken.bound) == (True, 0, None)
    assert (broken.headline, broken.next_best) == (whole.headline, ())


def test_what_takes_longer_is_solved_in_a_process_that_ctrl_c_ends(monkeypatch):
    """A knapsack whose time in this process is nothing: the other process gives the same answer."""
    asked = {"c": -np.array([6.0, 5, 4]), "integrality": np.ones(3), "bounds": Bounds(0, 1)}
    asked["constraints"] = LinearConstraint(np.array([[5, 4, 3]]), -np.inf, 7)
    at_once = highs.solved("milp", **asked)
    monkeypatch.setattr(highs, "OUT_OF_TIME", at_once.status)
    assert highs.solved("milp", **asked).x.tolist() == at_once.x.tolist() == [0, 1, 1]


@pytest.fixture
def hard():
    """Knapsacks that take many seconds."""
    dice = np.random.default_rng(1)
    weights = dice.integers(1, 100, (60, 120))
    asked = {"c": -dice.integers(1, 100, 120), "integrality": np.ones(120), "bounds": Bounds(0, 1)}
    return asked | {"constraints": LinearConstraint(weights, -np.inf, weights.sum(axis=1) / 2)}


def test_the_other_process_ends_with_the_one_that_asked(hard):
    """Its input ends when that one is killed, too."""
    child = subprocess.Popen([sys.executable, "-c", highs.CHILD], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    child.stdin.write(pickle.dumps(("milp", hard, 0)))
    child.stdin.close()
    assert child.wait(60) == 1


def test_ctrl_c_ends_what_is_solved_in_another_process(hard, monkeypatch):
    """A real signal arrives while the other process searches; workers of pytest-xdist ignore it of themselves."""
    started, before = [], signal.signal(signal.SIGINT, signal.default_int_handler)

    class Watched(subprocess.Popen):
        def __init__(self, *args, **options):
            super().__init__(*args, **options)
            started.append(self)
            threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()

    monkeypatch.setattr(subprocess, "Popen", Watched)
    monkeypatch.setattr(highs, "PATIENCE", 0.01)
    try:
        with pytest.raises(KeyboardInterrupt):
            highs.solved("milp", **hard)
    finally:
        signal.signal(signal.SIGINT, before)
    assert [one.wait(60) for one in started] == [-signal.SIGKILL]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no clock of processor time")
def test_a_limit_of_processor_time_counts_the_other_process(hard, monkeypatch):
    """The other process ends with the limit, and its time is up here, too, though this one has only waited."""
    monkeypatch.setattr(highs, "PATIENCE", 0.01)
    before = processor_time()
    with pytest.raises(OutOfTime), at_most(0.4):
        highs.solved("milp", **hard)
    assert 0.4 < processor_time() - before < 10


def test_another_process_that_ends_in_time_leaves_the_rest(monkeypatch):
    asked = {"c": -np.array([6.0, 5, 4]), "integrality": np.ones(3), "bounds": Bounds(0, 1)}
    monkeypatch.setattr(highs, "OUT_OF_TIME", 0)
    with at_most(60):
        assert highs.solved("milp", **asked).x.tolist() == [1, 1, 1]
        assert signal.getitimer(signal.ITIMER_PROF)[0] < 60 - 0.05  # what the other process used is gone


INTERRUPTED = """
import os, signal, sys
from simulator.analysis.plan import formulation
from simulator.cli.run import main

def solved(*_, **__):
    os.kill(os.getpid(), signal.SIGINT)
    return real(*_, **__)

real, formulation.solved = formulation.solved, solved
signal.signal(signal.SIGINT, signal.default_int_handler)
main(["plan", *sys.argv[1:]])
"""


@pytest.mark.parametrize("form", ["--quiet", "--json"])
def test_a_real_signal_leaves_a_whole_answer_with_its_gap(form):
    """SIGINT during the search of the command: status 130, the plan, and how much better the best one may be."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, "plan-hold-moscow", form], capture_output=True, text=True, check=False
    )
    assert done.returncode == 130
    if form == "--json":
        assert json.loads(done.stdout)["gap"] > 0
        assert done.stderr.splitlines()[-1].startswith("interrupted: the best plan found; no plan is better by more ")
    else:
        assert done.stdout.startswith("Hold moscow with ")
        assert done.stdout.endswith(" %.\n")
