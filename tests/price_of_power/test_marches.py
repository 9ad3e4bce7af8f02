"""Marches: who gets across, in which order; an NPR that gives army, fleet and provinces."""

import random
from itertools import product

import pytest

from simulator import best, exact, load
from simulator.rules.price_of_power.procedures.campaign import Stages
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
    """Example 14: two of five infantry and the cavalry cross; with two left the small province is taken."""
    scenario = load(
        {
            "game": "price-of-power", "battle": "campaign", "attacker": {"army": {"infantry": 5, "cavalry": 1}},
            "defender": {"army": {"infantry": 2}, "provinces": [{}, {"island": True}]},
            "conditions": {"border": "mountain", "march_power": 1},
        }
    )  # fmt: skip
    adds = Stages(scenario.fields).icons_added
    assert [round(sum(adds[0][:1]), 3), round(adds[0][1], 3), round(adds[1][0], 3)] == [0.875, 0.5, 0.421]
    assert "march: 2 infantry and 1 cavalry cross for 1 power, 3 infantry stay behind" in scenario.built.explain()
    odds = exact(scenario)
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


ALPS = {"border": "mountain", "march_power": 1}
TYPES = ("infantry", "cavalry", "artillery")


def random_marches(number, seed):
    """Armies of up to 5 units a type, the army that they meet, with and without generals; room for 3, 6 or 9."""
    rng = random.Random(seed)
    for _ in range(number):
        army, enemy = ({unit: rng.randint(0, most) for unit in TYPES} for most in (5, 3))
        army["infantry"], enemy["infantry"] = max(army["infantry"], 1), max(enemy["infantry"], 1)
        for one in (army, enemy):
            if rng.random() < 0.5:
                one["leader"] = {rng.choice(TYPES): rng.randint(1, 2)}
        yield army, enemy, ALPS | {"march_power": rng.randint(1, 3)}


def one_more(army, enemy, conditions, landing):
    """The winning chance that one more infantry, cavalry or artillery adds."""

    def chance(own):
        policy = {"attacker": {"landing": landing}}
        return march(own, {"army": enemy}, conditions, policy=policy).winner("attacker")

    before = chance(army)
    return [chance(army | {unit: army[unit] + 1}) - before for unit in TYPES]


def test_one_more_unit_hardly_ever_hurts_by_default():
    """Section 8, step 2: 3 of 177 cases there, by at most half a point."""
    more = [change for case in random_marches(24, 1) for change in one_more(*case, "best-expected")]
    assert len(more) == 72
    assert sum(change < -1e-12 for change in more) / len(more) <= 3 / 177
    assert min(more) >= -0.005


@pytest.mark.parametrize("case", list(random_marches(4, 5)), ids=str)
def test_one_more_unit_never_hurts_who_chooses_best(case):
    assert min(one_more(*case, "best")) >= -1e-12


def test_two_more_cavalry_hurt_a_little_in_milan_by_default():
    """Section 8, step 2: by .9 points."""
    milan = load("power-march-milan")
    more = milan.replace("attacker.army.cavalry", 3)
    assert exact(milan).winner("attacker") == pytest.approx(0.8764523363797367, abs=1e-9)
    assert exact(more).winner("attacker") - exact(milan).winner("attacker") == pytest.approx(-0.009, abs=5e-4)


@pytest.mark.parametrize("aim", [{"win": 1}, {"value_taken": 1}, {"attacker_units_left": 1}], ids=str)
def test_best_is_the_best_of_all_numbers_that_may_go(aim):
    army, policy = {"infantry": 2, "cavalry": 2, "mercenary_artillery": 1}, {"attacker": {}}
    base = {
        "game": "price-of-power", "battle": "campaign", "attacker": {"army": army},
        "defender": {"army": {"infantry": 2, "cavalry": 1}, "provinces": [{"size": "large"}, {}]},
        "conditions": ALPS | {"siege_actions": 2}, "objective": {"attacker": aim},
    }  # fmt: skip
    worth = []
    for going in product(range(3), range(3), range(2)):
        if 1 <= sum(going) <= 3:
            units = dict(zip(army, going, strict=True))
            policy = {"attacker": {"landing": "custom", "landing_units": units}}
            odds = exact(base | {"policy": policy})
            name = next(iter(aim))
            worth.append(odds.winner("attacker") if name == "win" else odds.mean(name))
    found = best(base | {"policy": {"attacker": {"landing": "best"}}})
    assert found.value["attacker"] == pytest.approx(max(worth), abs=1e-10)
    assert [row["decision"] for row in found.rows()] == ["policy.attacker.landing"]


def test_worked_example_of_ships_out_of_a_port():
    """Example 17: one artillery takes the large province; the ships that are left fight those in its port at once."""
    scenario = load(
        {
            "game": "price-of-power", "battle": "campaign",
            "attacker": {"fleet": {"light": 2, "heavy": 1}, "army": {"infantry": 4, "artillery": 1}},
            "defender": {
                "port_fleet": {"light": 2, "galleys": 1}, "provinces": [{"size": "large", "port_fleet": True}]
            },
        }
    )  # fmt: skip
    odds = exact(scenario)
    alone = exact({"game": "price-of-power", "battle": "naval", "attacker": {"light": 2, "heavy": 1},
                   "defender": {"light": 2, "galleys": 1}})  # fmt: skip
    assert [odds.winner("attacker"), odds.p("all_taken"), odds.p("port_fought")] == pytest.approx([1] * 3, abs=1e-12)
    assert odds.p("port_won") == pytest.approx(alone.winner("attacker"), abs=1e-11)
    for name in ("attacker_ships_left", "defender_ships_left", "attacker_ducats_lost"):
        assert odds.mean(name) == pytest.approx(alone.mean(name), abs=1e-10)
    assert any(line.startswith("out of port: attacker: 3 ships") for line in scenario.built.explain())
