"""The relaxation of a plan's programme, and the limits within which columns can be brought."""

from itertools import product

import numpy as np
import pytest

from simulator.analysis.plan import relaxed
from simulator.analysis.plan.columns import columns_of
from simulator.analysis.plan.programme import Programme
from simulator.analysis.plan.reading import read
from simulator.analysis.plan.relaxed import Relaxed, limits_of

TURN = {
    "game": "plan", "of": "risk", "every": {"battle": "land"},
    "place": {
        "x": {"regiments": 2, "reach": ["a", "b"]},
        "y": {"regiments": 2, "reach": ["b", "fort"]},
        "fort": {"regiments": 2, "stay": {"regiments": 1}, "reach": ["a"]},
    },
    "target": {"a": {"defender": {"regiments": 2}}, "b": {"worth": 2, "defender": {"regiments": 1}}},
    "hold": {"fort": {"attacker": {"regiments": 2}}},
}  # fmt: skip


def brought():
    """Every number of regiments that a, b and the fort can get: x sends to a and b, y to b and the fort, of the fort's
    two at most one goes to a, and who does not is there.
    """
    for x_a, x_b, y_b, y_fort, fort_a in product(range(3), range(3), range(3), range(3), range(2)):
        if x_a + x_b <= 2 and y_b + y_fort <= 2:
            yield x_a + fort_a, x_b + y_b, y_fort + 2 - fort_a


def test_what_is_within_all_limits_can_be_brought_and_nothing_else():
    turn = read(TURN)
    programme = Programme(turn, columns_of(turn))
    limits = list(limits_of(turn, programme.stock, programme.routes))
    within = {
        wanted
        for wanted in product(range(6), repeat=3)
        if all(fewest <= sum(wanted[at] for at in group) <= most for group, _, fewest, most in limits)
    }
    assert within == set(brought())


@pytest.mark.parametrize("objective", ["worth", "all"])
def test_columns_that_are_added_step_by_step_give_the_same_bound(objective, monkeypatch):
    turn = read(TURN | {"objective": objective})
    programme = Programme(turn, columns_of(turn), whole=True)
    constraints, every = programme.constraints(programme.stock), np.ones(programme.size, bool)
    aim = programme.value
    whole = Relaxed.of(aim, constraints, programme.first, every, every.copy())
    monkeypatch.setattr(relaxed, "AT_FIRST", 2)
    monkeypatch.setattr(relaxed, "AT_ONCE", 1)
    begin = np.zeros(programme.size, bool)
    found = Relaxed.of(aim, constraints, programme.first, every, begin)
    assert found.bound == pytest.approx(whole.bound, abs=1e-9)
    assert found.loss.min() >= 0
    # No division passes the bound less the losses of its columns.
    best = programme.best()
    places = [programme.first[at] + list(programme.kept[at]).index(one) for at, one in enumerate(best.columns)]
    assert aim[places].sum() <= found.bound - found.loss[places].sum() + 1e-9


@pytest.mark.parametrize("objective", ["worth", "all", "cheapest"])
@pytest.mark.parametrize("spare", [0, 2])
def test_ways_that_are_passed_over_are_worse_than_those_that_are_kept(objective, spare):
    # Two targets that are alike: many ways are equal. No place is a hold, so that prices are those of columns.
    place = {"x": {"regiments": 4}, "y": {"regiments": 3, "reach": ["a", "b"]}}
    target = {name: {"min_odds": 0.2, "defender": {"regiments": 1}} for name in "abc"}
    turn = read(TURN | {"objective": objective, "place": place, "target": target, "hold": {}})
    programme = Programme(turn, columns_of(turn))
    constraints, every = programme.constraints(programme.stock), np.ones(programme.size, bool)
    found = programme._relaxed(constraints, every)
    limits = list(limits_of(turn, programme.stock, programme.routes))
    whole, kept = (
        found.together(found.most_loss(), programme._numbers, limits, equal, spare) for equal in (np.inf, 1e-9)
    )
    aims = np.sort(programme._aim[whole].sum(axis=1))[::-1]
    near = aims[aims >= aims[spare] - 1e-9]
    assert len(kept) < len(whole)
    assert np.sort(programme._aim[kept].sum(axis=1))[::-1] == pytest.approx(near)
