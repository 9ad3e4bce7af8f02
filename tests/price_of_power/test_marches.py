"""Marches: who gets across, in which order; an NPR that gives army, fleet and provinces."""

import pytest

from simulator import exact
from tests.price_of_power.test_campaign_and_siege import ORDER

WORTH = {"i": 1, "c": 0.5, "a": 2}  # siege strength


def march(army, defender, conditions=None, **more):
    """The odds of a march."""
    tables = {"attacker": {"army": army}, "defender": defender, "conditions": conditions or {}}
    return exact({"game": "price-of-power", "battle": "campaign", **tables, **more})


@pytest.mark.parametrize(
    ("conditions", "landed", "power"),
    [
        ({}, 7, 1),
        ({"march_power": 1}, 7, 1),
        ({"border": "mountain"}, 7, 3),
        ({"border": "mountain", "march_power": 2}, 6, 2),
        ({"border": "mountain", "march_power": 1}, 3, 1),
        ({"bridge": [4, 2, 3]}, 6, 1),
        ({"bridge": [1], "border": "mountain", "march_power": 2}, 3, 1),
        ({"bridge": [2], "border": "mountain", "march_power": 1}, 3, 1),
        ({"bridge": [2, 0]}, 0, 0),
    ],
)
def test_a_march_goes_as_far_as_border_and_bridge_let_it(conditions, landed, power):
    odds = march({"infantry": 7}, {"provinces": [{}]}, conditions)
    assert (odds.mean("landed"), odds.mean("march_power_spent")) == (landed, power)
    assert odds.mean("attacker_units_left") == 7
    assert odds.p("land_won") == odds.winner("attacker") == odds.p("all_taken") == bool(landed)
    assert odds.winner("defender") == (not landed)
    assert odds.mean("stage") == (3 if landed else 0)


def test_an_army_that_nobody_reaches_keeps_its_units():
    odds = march({"infantry": 2}, {"army": {"infantry": 4}}, {"bridge": [0]})
    assert (odds.mean("defender_units_left"), odds.winner("defender"), odds.p("land_won")) == (4, 1, 0)


@pytest.mark.parametrize("order", ORDER)
def test_types_march_in_landing_order(order):
    """Of two of each type three cross; the provinces that they take tell which."""
    strength = 2 * WORTH[ORDER[order][0]] + WORTH[ORDER[order][1]]
    provinces = [{}] * 6
    army = {"infantry": 2, "cavalry": 2, "artillery": 2}
    policy = {"attacker": {"landing": order, "plan": "most-provinces"}}
    odds = march(army, {"provinces": provinces}, {"bridge": [1]}, policy=policy)
    assert odds.mean("provinces_taken") == int(strength)


def test_worked_example_of_a_march():
    """Example 14: three of five infantry and a cavalry cross; with two left the small province is taken."""
    odds = march(
        {"infantry": 5, "cavalry": 1}, {"army": {"infantry": 2}, "provinces": [{}, {"island": True}]},
        {"border": "mountain", "march_power": 1},
    )  # fmt: skip
    with_two = [row for row in odds.table.to_dict("records") if row["land_won"] and row["attacker_units_left"] == 5]
    assert [(row["winner"], row["stage"], row["provinces_taken"], row["march_power_spent"]) for row in with_two] == [
        ("attacker", 2, 1, 1)
    ]
    assert {row["landed"] for row in odds.table.to_dict("records")} == {3}
    assert set(odds.columns["power_spent"].tolist()) == {0, 1}


def test_worked_example_of_the_fastest_siege():
    """Example 15: most-value takes all in three actions for 3 power, fastest in two for 4."""
    found = {}
    for plan in ("most-value", "fastest"):
        odds = exact(
            {
                "game": "price-of-power", "battle": "siege",
                "attacker": {"infantry": 2, "cavalry": 2, "artillery": 1, "ships_facing": True},
                "defender": {
                    "provinces": [{"size": "large"}, {"size": "small"}, {"size": "large"}, {"island": True}]
                },
                "conditions": {"actions": 10}, "policy": {"attacker": {"plan": plan}},
            }
        )  # fmt: skip
        found[plan] = tuple(odds.mean(name) for name in ("provinces_taken", "actions_used", "power_spent"))
    assert found == {"most-value": (4, 3, 3), "fastest": (4, 2, 4)}


NPR = {
    "provinces": [
        {"name": "Napoli", "size": "large", "port": True, "faces_zone": True},
        {"name": "Capua", "occupied": True},
        {"name": "Bari", "location": "land", "port": True, "faces_zone": True},
        {"name": "Lecce", "location": "area"},
    ]
}


@pytest.mark.parametrize("fleet", [{}, {"light": 2}])
def test_an_npr_gives_army_fleet_and_provinces(fleet):
    """Land 2 + 1 + 1, ships 2 + 1; Capua is occupied, Bari is not in the area."""
    npr = {"npr": NPR, "army": {"defends_capital": True, "leader": "none"}, "provinces": "npr"}
    entered = {
        "army": {"kind": "npr", "infantry": 4, "defends_capital": True, "leader": "none"},
        "provinces": [{"name": "Napoli", "size": "large"}, {"name": "Lecce"}],
    }
    if fleet:
        entered["fleet"] = {"kind": "npr", "light": 3}
    frame = {"game": "price-of-power", "battle": "campaign"}
    attacker = {"fleet": fleet, "army": {"infantry": 5, "artillery": 1}}
    wanted = exact(frame | {"attacker": attacker, "defender": entered})
    assert exact(frame | {"attacker": attacker, "defender": npr}).table.equals(wanted.table)


def test_an_npr_without_units_in_the_area_defends_nothing():
    odds = march({"infantry": 1}, {"npr": {"provinces": [{"used_land": True}]}, "provinces": "npr"})
    assert (odds.winner("attacker"), odds.mean("provinces_taken"), odds.p("land_won")) == (1, 1, 1)
