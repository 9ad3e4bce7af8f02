"""Each field that no other test of the game names: a case whose number depends on it (docs/rules/price_of_power.md)."""

import pytest

from simulator import exact, explain

LARGE = {"size": "large"}
PORT = {"size": "large", "port": True, "faces_zone": True}
ACROSS = {"size": "large", "port": True, "location": "sea"}
DEFENCES = [
    # A large province: 2 units; with a port that faces the zone 2 ships.
    ([LARGE], {}, (2, 0)),
    ([PORT], {}, (2, 2)),
    # Far away twice as much, unless there is plague; plague elsewhere changes nothing.
    ([PORT | {"distant": True}], {}, (4, 4)),
    ([PORT | {"distant": True, "plague": True}], {}, (2, 2)),
    ([PORT | {"plague": True}], {}, (2, 2)),
    # Hostile sea zones stop who comes by sea, not who is there or comes by land.
    ([ACROSS], {}, (2, 0)),
    ([ACROSS | {"sea_blocked": True}], {}, (0, 0)),
    ([LARGE | {"location": "land", "sea_blocked": True}], {}, (2, 0)),
    ([PORT | {"sea_blocked": True}], {}, (2, 2)),
    # These two take the ships and leave the units.
    ([PORT | {"inactive_port": True}], {}, (2, 0)),
    ([PORT | {"used_sea": True}], {}, (2, 0)),
    ([PORT | {"used_land": True}], {}, (0, 2)),
    # 2 + 1 units of an ally: half of 3 is 2; his 2 ships all come.
    ([PORT, {}], {"active_ally": True}, (2, 2)),
]
EMPIRES = [
    # 2 + 3 x 4 - 2 x 3; then 2 + 3 x -1, which is none.
    ({"imperial_authority": 4, "foreign_areas": 3}, 8),
    ({"imperial_authority": -1}, 0),
]


def defends(**parts):
    return exact({"game": "price-of-power", "battle": "npr-defence", **parts})


@pytest.mark.parametrize(("provinces", "npr", "expected"), DEFENCES)
def test_what_an_npr_defends_with(provinces, npr, expected):
    """Section 6, steps 1 and 2: land units and ships."""
    odds = defends(defender={"provinces": provinces, **npr})
    assert (odds.mean("land_units"), odds.mean("ships")) == expected


@pytest.mark.parametrize(("conditions", "units"), EMPIRES)
def test_what_the_emperor_adds(conditions, units):
    """Section 6, step 3."""
    assert defends(defender={"provinces": [LARGE]}, conditions=conditions).mean("land_units") == units


@pytest.mark.parametrize(("provinces", "npr", "expected"), DEFENCES)
def test_a_battle_takes_the_same_numbers(provinces, npr, expected):
    """Section 2: `npr` in place of units. The attacker's 10 hits a roll sink everything at once."""
    for kind, unit, number in zip(("land", "naval"), ("infantry", "light"), expected, strict=True):
        if number:
            attacker = {unit: 20, "automatic_hits": 10}
            defender = {"npr": {"provinces": provinces, **npr}}
            odds = exact({"game": "price-of-power", "battle": kind, "attacker": attacker, "defender": defender})
            assert odds.mean("defender_losses") == pytest.approx(number)


@pytest.mark.parametrize(("destination", "across"), [("hostile", 6), ("neutral", 6), ("friendly", 8)])
def test_mountains_hinder_who_enters_an_area_that_is_not_friendly(destination, across):
    """Section 7, step 2: 3 units for each of 2 power."""
    odds = exact(
        {
            "game": "price-of-power", "battle": "crossing", "attacker": {"units": 8, "military_power": 2},
            "conditions": {"border": "mountain", "destination": destination},
        }
    )  # fmt: skip
    assert odds.mean("units_across") == across


@pytest.mark.parametrize(
    ("kind", "unrest", "value"),
    # Strength 3 takes 2 + 1. Rebels leave the large province that has no unrest; a player does not ask.
    [("rebels", True, 3), ("rebels", False, 1), ("player", False, 3)],
)
def test_rebels_take_provinces_with_unrest(kind, unrest, value):
    """Section 5, step 4."""
    odds = exact(
        {
            "game": "price-of-power", "battle": "siege", "attacker": {"kind": kind, "infantry": 3},
            "defender": {"provinces": [LARGE | {"unrest": unrest}, {}]},
        }
    )  # fmt: skip
    assert odds.mean("value_taken") == value


def test_the_status_of_a_province_is_a_label():
    """Section 5: it stands behind the name in the plan."""
    asked = {
        "game": "price-of-power", "battle": "siege", "attacker": {"infantry": 1},
        "defender": {"provinces": [{"name": "Naples", "status": "held by Aragon"}]},
    }  # fmt: skip
    assert "Naples (held by Aragon)" in "\n".join(explain(asked))
