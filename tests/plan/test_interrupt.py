"""Ctrl-C while a plan is searched: the best plan found, and how far it may be from the best."""

import os
import signal
import threading

import numpy as np
import pytest

from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.plan import divided
from simulator.analysis.plan.reading import read

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
    """Worths without order make the integer programme hard: some seconds."""
    found, dice = columns_of(turn), np.random.default_rng(3)
    for one in found:
        one.worth[1:] = dice.random(len(one) - 1) * np.sqrt(one.numbers[1:, 0])
    return found


def test_the_best_plan_found_is_kept_with_its_gap(turn, columns):
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
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


def test_what_is_interrupted_later_is_the_best_plan():
    """Of a plan that is found, only the alternatives are missing: no gap."""
    turn = read({
        "game": "plan", "of": "risk", "every": {"battle": "land"}, "place": {"x": {"regiments": 5}},
        "target": {name: {"defender": {"regiments": 1}} for name in FRONTS},
    })  # fmt: skip
    found = columns_of(turn)
    assert (divided(turn, found, 0).gap, divided(turn, found, 0).bound) == (0, None)
