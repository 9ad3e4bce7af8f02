"""Retreat by odds under a limit of many rounds: found from a shorter limit, the same as round by round."""

import numpy as np
import pytest

from simulator import exact, load
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.decisions.win_chance_threshold import _below, _chances, below_odds
from simulator.rules.custom.game_file import files
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
    policy = {side: {"retreat": "odds-below", "odds_below": chance} for side, chance in WANTED.items()}
    rules = {"battle": {kind: {"may_retreat": [*WANTED]}}}
    scenario = load(
        {"game": game, "battle": kind, "attacker": attacker, "defender": defender, "options": {"rounds": rounds}}
        | {"rules": rules, "policy": policy}
    )
    setup = Setup(files.find(game, rules), kind, scenario.fields)
    short, long = below_odds(setup, lay_out), _below(_chances(setup, WANTED, rounds, lay_out), WANTED)
    for side in WANTED:
        assert 0 < long[side].sum() < long[side].size
        np.testing.assert_array_equal(short[side], long[side])


def test_a_battle_that_is_over_as_it_begins():
    """Nobody can fire: nobody wins, however the odds of those who stay compare with the wish."""
    step = {"name": "fire", "if_own_has": ["foot"], "unless_own_has": ["foot"]}
    battle = {"field": {"may_retreat": ["attacker"]}}
    rules = {"format": 1, "name": "Peace", "unit": {"foot": {}}, "battle": battle, "step": [step]}
    policy = {"attacker": {"retreat": "odds-below", "odds_below": 0.3}}
    sides = {"attacker": {"foot": 1}, "defender": {"foot": 1}}
    odds = exact({"game": "custom", "battle": "field", "rules": rules, "policy": policy} | sides)
    assert (odds.winner("nobody"), odds.mean("rounds")) == (1, 0)


def test_points_of_many_rounds_after_another_retreat_by_odds():
    """Chances under few rounds are worked out between the two battles; both can score 200 times 100 points."""
    units = {"bomber": {"attack": 2, "rolls": {"bomb": {"bonus": 0}}}, "gun": {"defence": 1}}
    steps = [{"name": "fire"}, {"name": "bombs", "points": True, "fire": {"attacker": "bomb"}}]
    battle = {"raid": {"rounds": 200, "may_retreat": ["attacker"]}}
    rules = {"format": 3, "name": "Raid", "dice": {"sides": 100}, "unit": units, "battle": battle, "step": steps}
    source, most = files.find("custom", rules), []
    for retreat in (["outpowered", "odds-below"], "odds-below"):
        policy = {"attacker": {"retreat": retreat, "odds_below": 0.01}}
        sides = {"attacker": {"bomber": 1}, "defender": {"gun": 1}}
        fields = load({"game": "custom", "battle": "raid", "rules": rules, "policy": policy} | sides).fields
        most.append(lay_out(Setup(source, "raid", fields)).chain.limits.points)
    assert most == [20_000, 20_000]
