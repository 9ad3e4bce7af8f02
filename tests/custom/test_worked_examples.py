"""The worked examples of docs/rules/custom_games.md section 17, every die written out."""

from fractions import Fraction

import pytest

from simulator import exact, load
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.dice.die import chance_at
from simulator.rules.custom.game_file.files import find
from simulator.rules.custom.game_file.units import Rolled
from simulator.rules.custom.line import loss_line
from simulator.rules.custom.setup import Setup
from tests.custom.table_top import fight

AA = {"game": "axis-and-allies-1942"}


def setup_of(scenario):
    asked = load(scenario)
    return Setup(find(asked.data["game"], asked.data.get("rules")), asked.battle.kind, asked.fields)


def line_of(scenario, side="attacker"):
    setup = setup_of(scenario)
    return [setup.units[unit] for unit in loss_line(setup, side)]


def test_1_artillery_supports_and_guns_go_first():
    end = fight(
        AA | {"battle": "land", "attacker": {"infantry": 2, "artillery": 1}, "defender": {"infantry": 1, "aa_gun": 1}},
        # Infantry at 2 (supported) and at 1, artillery at 2; the gun does not roll.
        {"attacker": [5, 1, 2], "defender": [2]},
    )
    assert end["winner"] == "attacker"
    assert end["taken"]
    assert end["rounds"] == 1
    assert (end["attacker_cost_lost"], end["defender_cost_lost"]) == (3, 8)


def test_2_flak_rolls_no_more_dice_than_there_are_planes():
    end = fight(
        AA | {"battle": "land", "attacker": {"fighter": 2, "bomber": 1}, "defender": {"aa_gun": 2, "infantry": 1}},
        {"defender": [1, 4, 1]},
        {"attacker": [3], "defender": [5]},
        {"attacker": [4], "defender": [3]},
        {"attacker": [6], "defender": [1]},
    )
    assert end["winner"] == "defender"
    assert (end["attacker_units_lost"], end["defender_units_lost"], end["rounds"]) == (3, 2, 3)


def test_3_a_surprise_strike_before_the_cruiser_fires():
    end = fight(
        AA | {"battle": "sea", "attacker": {"submarine": 2}, "defender": {"cruiser": 1, "transport": 1}},
        {"attacker": [2, 6]},
    )
    assert end["winner"] == "attacker"
    assert (end["rounds"], end["defender_cost_lost"]) == (1, 19)


def test_4_a_fighter_and_a_submarine_cannot_reach_each_other():
    end = fight(AA | {"battle": "sea", "attacker": {"fighter": 1}, "defender": {"submarine": 1}})
    assert (end["winner"], end["rounds"], end["stalemate"]) == ("nobody", 0, True)


PLAIN = {
    "format": 1,
    "name": "Plain",
    "unit": {
        "foot": {"cost": 2, "tags": ["men"], "combat": 2},
        "guns": {"cost": 5, "tags": ["heavy"], "attack": 3, "defence": 4},
    },
    "battle": {"field": {"may_retreat": ["attacker", "defender"], "retreat_after": 0}},
}


def plain(**changes):
    return {"game": "custom", "battle": "field", "rules": PLAIN | changes}


def test_5_the_most_restricted_hits_come_first():
    steps = [
        {"name": "foot", "group": "all", "by": ["foot"]},
        {"name": "guns", "group": "all", "by": ["guns"], "hits_only": ["guns"]},
    ]
    end = fight(
        plain(step=steps)
        | {
            "attacker": {"foot": 1, "guns": 1},
            "defender": {"foot": 1, "guns": 1},
            "policy": {"defender": {"loss_order": ["guns", "foot"]}},
        },
        {"attacker": [1, 1], "defender": [6, 6]},
    )
    assert end["winner"] == "attacker"
    assert end["defender_units_lost"] == 2


@pytest.mark.parametrize(("first", "lost"), [("foot", 2), ("guns", 1)])
def test_6_a_hit_may_be_wasted(first, lost):
    steps = {
        "foot": {"name": "foot", "group": "all", "by": ["foot"], "spares": ["heavy"]},
        "guns": {"name": "guns", "group": "all", "by": ["guns"], "spares": ["men"]},
    }
    units = PLAIN["unit"] | {"bird": {"cost": 9}}
    order = [steps[first], *(step for name, step in steps.items() if name != first)]
    end = fight(
        plain(step=order, unit=units, battle={"field": {"rounds": 1}})
        | {
            "attacker": {"foot": 1, "guns": 1},
            "defender": {"bird": 1, "guns": 1},
            "policy": {"defender": {"loss_order": ["bird", "guns"]}},
        },
        {"attacker": [1, 1], "defender": [6]},
    )
    assert end["defender_units_lost"] == lost


def test_7_barrage_and_sustained_damage():
    end = fight(
        {
            "game": "twilight-imperium-4",
            "battle": "space",
            "attacker": {"destroyer": 1, "dreadnought": 1},
            "defender": {"fighter": 3, "carrier": 1},
        },
        {"attacker": [10, 4]},
        {"attacker": [3, 8], "defender": [9, 2, 1]},
        {"attacker": [9, 5], "defender": [9, 9]},
    )
    assert (end["winner"], end["rounds"], end["both_eliminated"]) == ("nobody", 2, True)


def test_8_stay_or_go():
    rules = plain(step=[{"name": "combat"}], battle={"field": {"may_retreat": ["attacker"], "retreat_after": 1}})
    end = fight(
        rules | {"attacker": {"foot": 3}, "defender": {"foot": 4}, "policy": {"attacker": {"retreat": "outnumbered"}}},
        {"attacker": [1, 2, 6], "defender": [3, 3, 3, 3]},
        {"attacker": [3, 3, 3], "defender": [1, 2]},
    )
    assert (end["winner"], end["attacker_retreated"], end["rounds"]) == ("defender", True, 2)
    assert end["attacker_units_left"] == 1


def test_9_a_die_is_rerolled_by_its_face_even_if_it_hit():
    game = find("axis-and-allies-1942").file  # six faces, of which those at most the value hit
    assert Fraction(chance_at(game, Rolled(2, reroll=frozenset({1, 6}))), 36) == Fraction(5, 18)
    assert Fraction(chance_at(game, Rolled(2, reroll="misses")), 36) == Fraction(1, 3) + Fraction(2, 3) * Fraction(1, 3)


def test_10_a_land_unit_is_kept_to_the_end():
    scenario = AA | {
        "battle": "land",
        "attacker": {"infantry": 2, "tank": 1, "fighter": 2},
        "defender": {"infantry": 1},
    }
    assert line_of(scenario) == ["infantry", "infantry", "tank", "fighter", "fighter"]
    kept = scenario | {"policy": {"attacker": {"keep": {"land": 1}}}}
    assert line_of(kept) == ["infantry", "infantry", "fighter", "fighter", "tank"]


@pytest.mark.parametrize(
    ("absorb", "keep", "line"),
    [
        ("first", {}, "bbiibb"),
        ("last", {}, "iibbbb"),
        ("first", {"infantry": 1}, "bbibbi"),
    ],
)
def test_the_loss_line_of_section_7(absorb, keep, line):
    units = {"infantry": {"cost": 1, "combat": 1}, "battleship": {"cost": 9, "combat": 4, "hits": 2, "absorb": absorb}}
    scenario = plain(unit=units, step=[{"name": "fire"}]) | {
        "attacker": {"infantry": 2, "battleship": 2},
        "defender": {"infantry": 1},
        "policy": {"attacker": {"keep": keep}},
    }
    assert "".join(unit[0] for unit in line_of(scenario)) == line


def test_support_pairs_with_the_first_units_of_the_file():
    """2 artillery and 3 infantry attack with 2, 2, 2, 2, 1 (section 2.8)."""
    setup = setup_of(AA | {"battle": "land", "attacker": {"infantry": 3, "artillery": 2}, "defender": {"infantry": 1}})
    field = lay_out(setup)
    lines = [line for line in field_explained(field) if "attacker" in line]
    assert "2 infantry at 2 or less" in lines[0]
    assert "1 infantry at 1 or less" in lines[0]


def field_explained(field):
    from simulator.rules.custom.text import explain

    return explain(field)


def test_low_luck_of_section_10():
    """10 infantry (1 of 6) and 5 tanks (3 of 6): 4 hits, and a fifth with 1/6."""
    setup = setup_of(
        AA
        | {
            "battle": "land",
            "attacker": {"infantry": 10, "tank": 5},
            "defender": {"infantry": 12, "fighter": 3},
            "options": {"dice": "low-luck"},
        }
    )
    chain = lay_out(setup).chain
    rows = chain.tables.rows
    table = chain.part("table")(chain.params, chain.start)
    chances = {
        int(rows.result[i]): pytest.approx(rows.weight[i], abs=1e-12)
        for i in range(rows.first[table], rows.first[table + 1])
    }
    assert chances == {4: 5 / 6, 5: 1 / 6}


def test_low_luck_where_only_one_step_of_a_group_is_fired_any_more():
    """A gun that never misses, once at ships alone: round 1 sinks the ship and a boat, round 2 the other boat.

    With one target left the gun has one die, whichever it is; a hit at anybody is a hit at ships only while no boat is
    there.
    """
    steps = [
        {"name": "aimed", "group": "all", "fire": {"attacker": "attack"}, "hits_only": ["ship"], "to_round": 1},
        {"name": "free", "group": "all", "fire": {"attacker": "attack"}, "dice_at_most": {"enemy": ["ship", "boat"]}},
    ]
    units = {"gun": {"attack": 6}, "ship": {"cost": 2}, "boat": {"cost": 1}}
    rules = {"format": 1, "name": "Gun", "unit": units, "battle": {"river": {}}, "step": steps}
    armies = {"attacker": {"gun": 1}, "defender": {"boat": 2, "ship": 1}}
    odds = exact({"game": "custom", "battle": "river", "rules": rules, "options": {"dice": "low-luck"}} | armies)
    assert (odds.winner("attacker"), odds.p("rounds == 2")) == (1, 1)
