"""Dice with damage on their faces have as many results as hits are possible, however many points the enemy has."""

import pytest

from simulator import exact
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of


def battle(pikemen, gnolls, gnoll=None):
    """Pikemen of 10 points roll 1, 2 or 3 damage; gnolls of 6 points hit half of the time for 2."""
    pike = {"faces": ["one", "two", "three"], "hits": dict.fromkeys(["one", "two", "three"], "all")}
    units = {
        "pikeman": {"hits": 10, "initiative": 5, "combat": {"die": "pike", "split": True}},
        "gnoll": {"hits": 6, "initiative": 4, "combat": gnoll or {"value": 3, "damage": 2, "split": True}},
    }
    rules = {
        "format": 2,
        "name": "Pikemen and gnolls",
        "die": {"pike": pike | {"damage": {"two": 2, "three": 3}}},
        "unit": {key: unit | {"absorb": "last"} for key, unit in units.items()},
        "battle": {"field": {}},
        "step": [{"name": "blows", "order": "initiative"}],
        "losses": {"chosen_by": "enemy"},
    }
    armies = {"attacker": {"pikeman": pikemen}, "defender": {"gnoll": gnolls}}
    return {"game": "custom", "battle": "field", "rules": rules} | armies


@pytest.mark.parametrize(
    ("pikemen", "gnolls", "attacker", "rounds"),
    [
        (1, 8, 0, 1.678668646982902),
        (3, 8, 0.016719826421, 5.6578836595),  # docs/rules/custom_games.md, section 16
        (8, 18, 0.070961198833, 8.466441542994),
    ],
)
def test_few_dice_against_many_points_are_exact(pikemen, gnolls, attacker, rounds):
    odds = exact(battle(pikemen, gnolls))
    assert odds.winner("attacker") == pytest.approx(attacker, abs=1e-12)
    assert odds.mean("rounds") == pytest.approx(rounds, abs=1e-10)


@pytest.mark.parametrize("gnoll", [None, {"value": 3, "damage": 2}, {"die": "pike"}, {"die": "pike", "dice": 1}])
def test_one_pikeman_against_gnolls_as_the_slow_reference_has_it(gnoll):
    scenario = battle(1, 8, gnoll)
    assert_alike(rows_of(exact(scenario)), Reference2(scenario["rules"], scenario).table())


def test_more_dice_and_limits_count_for_the_most_that_a_side_rolls():
    """A support gives dice, a limit takes them: both are in the bound, or hits would be lost or refused."""
    scenario = battle(2, 8)
    scenario["rules"]["unit"]["drummer"] = {"combat": 0}
    scenario["rules"]["support"] = [{"from": ["drummer"], "to": ["pikeman"], "dice": 2}]
    scenario["rules"]["unit"]["pikeman"]["combat"]["dice"] = 1000
    scenario["rules"]["step"][0]["dice_at_most"] = {"own": ["pikeman", "drummer"]}
    scenario["attacker"]["drummer"] = 1
    assert_alike(rows_of(exact(scenario)), Reference2(scenario["rules"], scenario).table())
