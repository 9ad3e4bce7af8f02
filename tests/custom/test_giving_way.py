"""The side that gives way where nobody can hit any more (docs/rules/custom_games.md 2.5 `yields`, 6)."""

import pytest

from simulator import exact
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of


def scenario(yields, attacker, defender):
    """Birds and fish never hit each other; boats hit both."""
    units = {"bird": {"combat": 3}, "fish": {"cost": 1, "combat": 2}, "boat": {"cost": 2, "combat": 2}}
    steps = [{"name": "from-above", "by": ["bird"], "spares": ["fish"], "group": "all"}]
    steps += [{"name": "from-below", "by": ["fish"], "spares": ["bird"], "group": "all"}]
    steps += [{"name": "boats", "by": ["boat"], "group": "all"}]
    battle = {"lake": {"yields": yields, "undecided": "nobody"}}
    rules = {"format": 3, "name": "Lake", "unit": units, "battle": battle, "step": steps}
    return {"game": "custom", "battle": "lake", "rules": rules, "attacker": attacker, "defender": defender}


@pytest.mark.parametrize(
    ("yields", "winner"), [(["fish"], "attacker"), (["bird"], "defender"), (["bird", "fish"], "nobody"), ([], "nobody")]
)
def test_birds_against_fish(yields, winner):
    odds = exact(scenario(yields, {"bird": 1}, {"fish": 2}))
    assert odds.winner(winner) == 1
    assert odds.p("stalemate") == 1


def test_against_the_slow_reference():
    given = scenario(["fish"], {"bird": 2, "boat": 1}, {"fish": 2, "boat": 1})
    assert_alike(rows_of(exact(given)), Reference2(given["rules"], given).table())
