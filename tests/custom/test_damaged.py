"""Units that come damaged (docs/rules/custom_games.md 3.2 and section 7, step 7)."""

import pytest

from simulator import ScenarioError, campaign, exact, load, sweep
from simulator.analysis.odds.answer import explain
from tests.custom.reference_format3 import Reference3
from tests.custom.table_top import fight
from tests.custom.test_reference import assert_alike, rows_of

UNITS = {
    "foot": {"cost": 1, "combat": 2},
    "ship": {"cost": 3, "hits": 2, "combat": 4},
    "mammoth": {"cost": 5, "hits": 3, "absorb": "last", "combat": 3},
}


def scenario(attacker, defender, **more):
    rules = {
        "format": 3,
        "name": "Damaged",
        "unit": UNITS,
        "battle": {"field": {}},
        "step": [{"name": "combat"}],
    } | more
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": defender}


def test_32_two_battleships_one_of_them_hit():
    """Worked example 32: line b b | b b, the first point taken: one hit more is borne, the next one sinks a ship."""
    given = scenario({"ship": 2, "damaged": {"ship": 1}}, {"foot": 2}) | {"options": {"rounds": 1}}
    end = fight(given, {"attacker": [6, 6], "defender": [2, 6]})
    assert (end["attacker_ship_left"], end["attacker_ship_damage"]) == (2, 2)
    end = fight(given, {"attacker": [6, 6], "defender": [2, 1]})
    assert (end["attacker_ship_left"], end["attacker_ship_damage"]) == (1, 1)


def test_32_the_next_hit_kills_the_first_mammoth():
    given = scenario({"mammoth": 2, "damaged": {"mammoth": 2}}, {"foot": 1}) | {"options": {"rounds": 1}}
    end = fight(given, {"attacker": [6, 6], "defender": [2]})
    assert (end["attacker_mammoth_left"], end["attacker_mammoth_damage"]) == (1, 0)


@pytest.mark.parametrize(
    ("damaged", "policy", "more"),
    [
        ({"ship": 2, "mammoth": 1}, {}, {}),
        ({"mammoth": 2}, {"loss_order": ["foot", "mammoth", "ship"], "keep": {"mammoth": 1}}, {}),
        ({"ship": 1, "mammoth": 2}, {"absorb": "first"}, {"losses": {"repaired": True}}),
        ({"ship": 2}, {}, {"step": [{"name": "combat", "spares": ["ship"]}]}),
    ],
)
def test_against_the_slow_reference(damaged, policy, more):
    army = {"foot": 1, "ship": 2, "mammoth": 2, "damaged": damaged}
    given = scenario(army, {"foot": 3, "ship": 1, "damaged": {"ship": 1}}, **more) | {"policy": {"attacker": policy}}
    given["options"] = {"rounds": 4}
    assert_alike(rows_of(exact(given)), Reference3(given["rules"], given).table())


def test_no_damage_changes_nothing():
    armies = {"foot": 1, "ship": 2}, {"foot": 2, "mammoth": 1}
    plain, none = (exact(scenario(armies[0] | more, armies[1])) for more in ({}, {"damaged": {"ship": 0}}))
    assert_alike(rows_of(plain), rows_of(none))


def test_a_sweep_of_numbers_keeps_the_damage():
    given = scenario({"ship": 1, "damaged": {"ship": 1}}, {"foot": 2})
    alone = [exact(given | {"attacker": {"ship": n, "damaged": {"ship": 1}}}).winner("attacker") for n in (1, 2, 3)]
    found = [cell.value for cell in sweep(given, {"attacker.ship": [1, 2, 3]}, value="p_attacker").cells]
    assert found == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize(
    ("damaged", "policy", "field"),
    [
        ({"ship": 3}, {}, "attacker.damaged.ship: 3 is not allowed; 2 of them bear at most 2"),
        ({"ship": 2}, {"absorb": "last"}, "attacker.damaged.ship: 2 is not allowed; 2 of them bear at most 1"),
        ({"mammoth": 3}, {}, "attacker.damaged.mammoth: 3 is not allowed; 1 of them bear at most 2"),
        ({"foot": 1}, {}, "attacker.damaged.foot: 1 is not allowed; 0 of them bear at most 0"),
        ({"ship": -1}, {}, "attacker.damaged.ship"),
        ({"ghost": 1}, {}, "attacker.damaged.ghost"),
    ],
)
def test_refused_damage(damaged, policy, field):
    given = scenario({"ship": 2, "mammoth": 1, "damaged": damaged}, {"foot": 1}) | {"policy": {"attacker": policy}}
    with pytest.raises(ScenarioError) as refused:
        load(given)
    assert str(refused.value).startswith(field)


def test_a_field_of_format_3_alone():
    for number, text in ((2, "attacker.damaged"), (3, "rules.unit.damaged: 'damaged' is reserved")):
        given = scenario({"ship": 1, "damaged": {"ship": 1}}, {"foot": 1}, format=number)
        if number == 3:
            given["rules"]["unit"] = UNITS | {"damaged": {"combat": 1}}
        with pytest.raises(ScenarioError) as refused:
            load(given)
        assert str(refused.value).startswith(text)


def test_the_answer_says_so():
    assert (
        "the attacker comes damaged: 1 hit on ship"
        in exact(scenario({"ship": 1, "damaged": {"ship": 1}}, {"foot": 1})).assumptions
    )
    assert explain(scenario({"ship": 1, "damaged": {"ship": 1}}, {"foot": 1}))


def test_damage_belongs_to_one_fight_of_a_campaign():
    first = scenario({"ship": 2, "damaged": {"ship": 1}}, {"foot": 3})
    second = scenario({}, {"foot": 2})
    won = exact(campaign(first, second)).p("fight1_winner == 'attacker'")
    assert won == pytest.approx(exact(first).winner("attacker"), abs=1e-12)
    with pytest.raises(ScenarioError, match=r"^fight\[1\]\.attacker\.damaged\.ship: 2 is not allowed"):
        exact(campaign(first, second | {"attacker": {"damaged": {"ship": 2}}}))
