"""Limits of dice of format 3 (docs/rules/custom_games.md 2.6): a number, or a number for each unit up to a limit."""

import pytest

from simulator import exact
from simulator.analysis.odds.answer import explain
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of


def scenario(limit, attacker, defender):
    units = {"foot": {"combat": 2}, "guns": {"cost": 1, "combat": 3}}
    rules = {"format": 3, "name": "Limits", "unit": units, "battle": {"field": {}}}
    rules["step"] = [{"name": "fire"} if limit is None else {"name": "fire", "dice_at_most": limit}]
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": defender}


def test_five_dice_are_those_of_the_guns_and_two_of_the_foot():
    """Worked example 19."""
    fired = [line for line in explain(scenario(5, {"foot": 7, "guns": 3}, {"foot": 1})) if "fire, attacker" in line]
    assert "3 guns at 3 or less (" in fired[0]
    assert "7 foot at 2 or less, 2 dice (" in fired[0]


LIMITS = (
    1,
    2,
    3,
    {"own": ["foot"], "each": 2, "most": 3},
    {"enemy": ["guns"], "each": 3},
    {"own": ["guns"], "most": 1},
)


@pytest.mark.parametrize("limit", LIMITS)
def test_against_the_slow_reference(limit):
    given = scenario(limit, {"foot": 3, "guns": 2}, {"foot": 2, "guns": 2})
    assert_alike(rows_of(exact(given)), Reference2(given["rules"], given).table())


def test_a_limit_as_large_as_all_dice_changes_nothing():
    armies = {"foot": 3, "guns": 2}, {"foot": 2, "guns": 2}
    assert_alike(rows_of(exact(scenario(5, *armies))), rows_of(exact(scenario(None, *armies))))
