"""Each field that no other test of the game names: a case whose number depends on it (docs/rules/birthright.md)."""

import pytest

from simulator import exact


def asked(kind, **parts):
    return exact({"game": "birthright", "battle": kind, **parts})


@pytest.mark.parametrize("reason", ["claimed", "own_unit", "adjacent_scouts"])
def test_each_of_three_reasons_shows_an_army(reason):
    """Section 7."""
    assert asked("visibility").p("visible") == 0
    assert asked("visibility", conditions={reason: True}).p("visible") == 1


@pytest.mark.parametrize(("cost", "may"), [(1, 1), (2, 0)])
def test_the_way_back_costs_points_that_are_left(cost, may):
    """Section 8: knights have 2 points and spend 1."""
    way = {"costs": [1], "retreat_cost": cost}
    odds = asked("movement", attacker={"units": [{"unit": "knights"}]}, conditions=way)
    assert (odds.mean("points_left"), odds.p("may_retreat")) == (1, may)


@pytest.mark.parametrize(("override", "needed"), [({}, 3), ({"move": 3}, 2), ({"move": 6}, 1)])
def test_the_points_of_a_unit_of_ones_own(override, needed):
    """Section 8: knights have 2 points a war move; the way costs 6."""
    odds = asked("movement", attacker={"units": [{"unit": "knights", **override}]}, conditions={"costs": [2, 2, 2]})
    assert odds.mean("war_moves_needed") == needed


@pytest.mark.parametrize(("override", "upkeep"), [({}, 2), ({"maintenance": 5}, 10), ({"maintenance": 0}, 0)])
def test_the_upkeep_of_a_siege(override, upkeep):
    """Section 2.4: two infantry, at 1 gold bar each, take a fort of level 1 in one season."""
    odds = asked(
        "siege",
        attacker={"units": [{"unit": "infantry", "count": 2, **override}]},
        defender={"units": [{"unit": "infantry"}]},
        conditions={"fortification": 1, "seasons": 1},
        options={"gold": True},
    )
    assert odds.mean("attacker_upkeep") == pytest.approx(upkeep)


@pytest.mark.parametrize(("override", "strength"), [({"move": 2}, 3), ({"move": 3}, 4)])
def test_a_move_of_three_adds_to_the_strength(override, strength):
    """Section 2.2: infantry has a strength of 3 with a move of 1. The odds against the same strength are even."""
    enemy = {"unit": "infantry", "strength": strength}
    odds = asked("quick-battle", attacker={"units": [{"unit": "infantry", **override}]}, defender={"units": [enemy]})
    # Two d20: 20 of the 400 pairs are equal, and each side has half of the others.
    assert odds.winner("attacker") == pytest.approx(190 / 400)
