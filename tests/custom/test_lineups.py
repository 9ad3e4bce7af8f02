"""Sweeps of line-ups in one pass: the same numbers as each line-up by itself."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from simulator import exact, load, sweep
from simulator.analysis import onepass
from simulator.analysis.measure import measure
from simulator.analysis.onepass import solve_block
from simulator.engine.limits import NoExactOdds
from simulator.scenarios import ScenarioError, draft
from tests.custom.games import scenarios

ASKED = ("p_attacker", "mean.attacker_units_lost", "mean.defender_cost_lost", "attacker_units_lost > defender_units_left")


def one_by_one(scenario, paths, values, asked):
    """What each line-up answers by itself (nan where the rules refuse it)."""
    found = np.full((len(asked), len(list(product(*values)))), np.nan)
    for cell, numbers in enumerate(product(*values)):
        try:
            odds = exact(load(scenario).replace_all(dict(zip(paths, numbers, strict=True))))
        except ScenarioError:
            continue
        found[:, cell] = [measure(odds, question).value for question in asked]
    return found


@given(st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_line_ups_of_random_games(data):
    scenario = data.draw(scenarios())
    try:
        starts = load(scenario).built.starts
    except ScenarioError:
        assume(False)
    assume(starts)
    paths = data.draw(st.lists(st.sampled_from(starts), min_size=1, max_size=3, unique=True))
    steps = st.lists(st.integers(0, 4), min_size=2, max_size=9, unique=True).map(tuple)
    values = tuple(data.draw(steps) for _ in paths)
    found = solve_block(draft(scenario), paths, values, ASKED)
    assume(found is not None)
    alone = one_by_one(scenario, paths, values, ASKED)
    solved = ~np.isnan(found)
    assert found[solved] == pytest.approx(alone[solved], abs=1e-12)
