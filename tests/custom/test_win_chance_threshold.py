"""Retreat by odds under a limit of many rounds: told by a shorter one, as it is round by round."""

import numpy as np
import pytest

from simulator import load
from simulator.rules.custom import files
from simulator.rules.custom.hopeless import _below, _chances, hopeless
from simulator.rules.custom.setup import Setup

WANTED = {"attacker": 0.35, "defender": 0.5}


@pytest.mark.parametrize(
    ("game", "kind", "attacker", "defender", "rounds"),
    [
        ("axis-and-allies-1942", "land", {"infantry": 2, "tank": 1}, {"infantry": 2}, 300),
        ("twilight-imperium-4", "space", {"cruiser": 1, "fighter": 2}, {"destroyer": 2}, 150),
    ],
)
def test_many_rounds_as_round_by_round(game, kind, attacker, defender, rounds):
    options = {"rounds": rounds}
    scenario = load({"game": game, "battle": kind, "attacker": attacker, "defender": defender, "options": options})
    setup = Setup(files.find(game), kind, scenario.fields)
    short, long = hopeless(setup, WANTED), _below(_chances(setup, WANTED, rounds), WANTED)
    for side in WANTED:
        assert 0 < long[side].sum() < long[side].size
        np.testing.assert_array_equal(short[side], long[side])
