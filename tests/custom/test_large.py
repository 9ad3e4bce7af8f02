"""Line-ups too large to work out every place: their rules on small line-ups against the slow reference."""

import json
from collections import defaultdict
from math import comb

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings

from simulator import load
from simulator.engine.explicit import plain_params
from simulator.rules.battle import WINNERS
from simulator.rules.custom import size
from simulator.rules.custom.large_rules import Large, scored
from tests.custom.games import scenarios
from tests.custom.reference import Reference


@pytest.fixture
def large(monkeypatch):
    """Every line-up counts as large."""
    monkeypatch.setattr(size, "MOST_PLACES", 0)


def outcomes(scenario):
    """Every outcome with its chance: each roll's hits one by one, not as numbers draw them."""
    built = load(scenario).built
    assert isinstance(built.chain.params, Large)
    p = plain_params(built.chain.params)
    states, ends = {built.chain.start: 1.0}, defaultdict(float)
    while sum(states.values()) > 1e-14:
        after = defaultdict(float)
        for s, q in states.items():
            if s.ending:
                ends[s] += q
                continue
            hit = s.chance / p.whole
            for hits in range(s.dice + 1):
                after[scored(p, s, hits)] += q * comb(s.dice, hits) * hit**hits * (1 - hit) ** (s.dice - hits)
        states = after
    columns = built.outcome(type(s)(*map(np.array, zip(*ends, strict=True))))
    names, found = sorted(columns), defaultdict(float)
    for i, q in enumerate(ends.values()):
        values = ((n, WINNERS[columns[n][i]] if n == "winner" else columns[n][i].item()) for n in names)
        found[tuple(values)] += q
    return found


def assert_as_slow(scenario, game):
    mine, expected = outcomes(scenario), Reference(game, scenario).table()
    for key in set(mine) | set(expected):
        assert abs(mine.get(key, 0) - expected.get(key, 0)) < 1e-10, dict(key)


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(scenarios())
def test_random_games(large, scenario):
    assume("odds-below" not in json.dumps(scenario["policy"]))
    assert_as_slow(scenario, scenario["rules"])
