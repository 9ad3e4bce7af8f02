"""Properties of every battle: steps, columns, sides, survival, replays."""

from itertools import product
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import by_round, exact, load, replay, simulate, survival
from simulator.rules import lists
from simulator.rules.birthright.units import (
    MOST_HITS,
    Class,
    Terrain,
    Type,
    battle_table,
    number_rows,
    strength,
    terrain_values,
    unit_cards,
)
from simulator.scenarios import example_names

EXAMPLES = [name for name in example_names() if name.startswith("birthright-")]
NAMES = sorted(unit_cards())
QUICK = {"game": "birthright", "battle": "quick-battle"}
ARMY = st.lists(
    st.fixed_dictionaries({"unit": st.sampled_from(NAMES), "count": st.integers(1, 4)}), min_size=1, max_size=3
)


def test_data():
    published = {"archers": 3, "infantry": 3, "elite-infantry": 5, "cavalry": 6, "knights": 7, "levies": 1}
    assert all(strength(unit_cards()[name]) == value for name, value in published.items())
    assert len(unit_cards()) == 48
    for unit in unit_cards().values():
        assert unit.strength == strength(unit), unit
        assert (unit.kind in get_args(Class), unit.type in get_args(Type)) == (True, True)
        assert unit.melee
        assert unit.hits <= MOST_HITS
        assert {len(card) for card in (unit.melee, unit.charge, unit.missile)} <= {0, unit.steps}, unit
    assert set(terrain_values()) == set(product(get_args(Class), get_args(Terrain), ("attack", "defend")))
    assert all(column.strip("-FHRD") == "" and len(column) == 9 for column in battle_table())
    assert [column[8] for column in battle_table()] == list("HHHHHHHRDDD")
    assert number_rows("fort_defence")[19] == (20, 7, 3)
    assert number_rows("siege")[-1] == (60000, 20, 10)
    listed = {row["unit"]: row for row in lists("birthright")["units"]()}
    assert listed["knights"]["charge"] == "6/4/3"
    assert len(listed) == 48
    assert (listed["knights"]["muster"], listed["levies"]["muster"]) == (6, 0)
    assert "ASSUMED" in listed["goblin-infantry"]["source"]


@pytest.mark.parametrize("battle", ["tactical", "storm"])
def test_every_unit_has_one_fate(battle):
    conditions = {"fortification": 4} if battle == "storm" else {}
    odds = exact(
        load(
            {
                "game": "birthright",
                "battle": battle,
                "attacker": {"units": ["2 x cavalry", "levies"]},
                "defender": {"units": ["archers", "infantry"]},
                "conditions": conditions,
            }
        )
    )
    for side, count in (("attacker", 3), ("defender", 2)):
        fates = [odds.columns[name] for name in odds.columns if name.startswith(side) and "hits" not in name]
        assert set(sum(fates)) == {count}


@settings(max_examples=8, deadline=None)
@given(own=ARMY, enemy=ARMY, terrain=st.sampled_from(["plains", "woods", "marsh"]))
def test_swapping_sides_without_walls_and_terrain_roles(own, enemy, terrain):
    """In woods and marsh pikes gain nothing; where the roles' modifiers agree, swapping sides swaps the odds."""
    kinds = {unit_cards()[entry["unit"]].kind for entry in own + enemy}
    values = terrain_values()
    if "pikemen" in kinds or any(values[k, terrain, "attack"] != values[k, terrain, "defend"] for k in kinds):
        return
    one, other = (
        exact(load(QUICK | {"attacker": {"units": a}, "defender": {"units": b}, "conditions": {"terrain": terrain}}))
        for a, b in ((own, enemy), (enemy, own))
    )
    assert one.winner("attacker") == pytest.approx(other.winner("defender"), abs=1e-12)
    assert one.mean("attacker_steps_left") == pytest.approx(other.mean("defender_steps_left"), abs=1e-9)


@pytest.mark.parametrize("mode", ["single", "fight-on"])
def test_better_warcraft_never_hurts(mode):
    base = load(
        QUICK
        | {
            "attacker": {"units": ["3 x infantry"]},
            "defender": {"units": ["3 x archers"]},
            "options": {"mode": mode},
        }
    )
    chances = [exact(base.replace("attacker.warcraft", points)).winner("attacker") for points in range(-4, 9, 3)]
    assert chances == sorted(chances)


def test_curves_of_all_plans_of_a_siege():
    base = load("birthright-siege")
    by_plan = by_round(base, all_plans=True)
    assert set(by_plan.odds) == {"wait", "storm-now", "storm-at-level", "storm-last-season", "best"}
    for plan in by_plan.odds:
        curve = [row["p"] for row in by_plan.curve(plan)]
        assert curve == sorted(curve)
        assert curve[-1] == pytest.approx(by_plan.odds[plan].winner("attacker"), abs=1e-12)


def test_a_plan_that_lacks_its_number_is_left_out():
    base = load("birthright-siege").replace_all({"policy.attacker.siege": "wait", "options.storm_level": 0})
    assert set(by_round(base, all_plans=True).odds) == {"wait", "storm-now", "storm-last-season", "best"}


@pytest.mark.parametrize("name", ["birthright-border-clash", "birthright-storm-of-the-keep"])
def test_survival_agrees_with_the_odds(name):
    odds, scenario = exact(name), load(name)
    lost = {"attacker": odds.mean("attacker_destroyed"), "defender": odds.mean("defender_destroyed")}
    if "defender_captured" in odds.columns:
        lost["defender"] += odds.mean("defender_captured")
    for side, expected in lost.items():
        found = 0.0
        for piece in survival(scenario).pieces:
            if piece.side == side:
                count = int(piece.worth.partition("each of ")[2] or 1)
                found += count * (1 - piece.p)
        assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", EXAMPLES)
def test_replays_come_to_their_outcome(name):
    scenario = load(name)
    table = exact(scenario).table
    for battle in range(3):
        answer = replay(scenario, seed=11, battle=battle)
        assert (table[[key for key in answer.outcome if key in table]] == answer.outcome).all(axis=1).any()


@pytest.mark.parametrize("name", [name for name in EXAMPLES if load(name).battle.clock or "clash" in name])
def test_as_many_threads_as_you_like(name):
    one, many = (simulate(name, 50_000, seed=4, threads=threads) for threads in (1, 3))
    assert one.table.equals(many.table)


def test_a_quick_battle_says_that_it_is_a_house_rule():
    for name in ("birthright-quick-battle", "birthright-siege"):
        assert "quick-battle procedure: house rule" in load(name).assumptions()


def test_order_of_falling():
    """Spread losses keep more units alive than weakest-first."""
    base = load(QUICK | {"attacker": {"units": ["6 x infantry"]}, "defender": {"units": ["6 x knights"]}})
    alive = [
        exact(base.replace("policy.attacker.losses", losses)).mean("attacker_units_left")
        for losses in ("weakest-first", "spread")
    ]
    assert alive[0] < alive[1]
    assert np.isclose(
        *[
            exact(base.replace("policy.attacker.losses", how)).mean("attacker_steps_left")
            for how in ("spread", "as-listed")
        ]
    )


def test_numbers_without_a_source_are_named():
    """Section 9: ASSUMED cards, prices, terrain, high walls, heroes and inspiration."""
    army = {"units": [{"unit": "goblin-infantry", "hero": 1}, {"unit": "medium-infantry"}], "inspire": 1}
    sides = {"attacker": army, "defender": {"units": ["infantry", "medium infantry"]}}
    field = {"game": "birthright", "battle": "tactical", "conditions": {"terrain": "woods"}} | sides
    text = "; ".join(load(field | {"options": {"gold": True}}).assumptions())
    words = ["card of goblin-infantry: ASSUMED", "price of medium-infantry: ASSUMED", "on woods: ASSUMED"]
    assert all(word in text for word in [*words, "bonus of heroes: ASSUMED", "attacker: inspire 1"])
    assert "price" not in "; ".join(load(field).assumptions())
    bare = load(field | {"options": {"terrain_effects": "charges-only"}, "attacker": {"units": ["infantry"]}})
    assert not any(word in "; ".join(bare.assumptions()) for word in [*words, "heroes", "inspire"])
    for level, high in ((4, False), (5, True)):
        stormed = load(field | {"battle": "storm", "conditions": {"fortification": level}})
        assert any("columns -4" in line for line in stormed.assumptions()) == high
    army_of_goblins = {"units": ["infantry", "goblin infantry"]}
    relief = {"fortification": 3, "relief_on": 5, "relief_units": ["goblin-archers"]}
    held = {"attacker": {"units": ["varsk-riders"]}, "defender": {}, "conditions": relief}
    siege = load({"game": "birthright", "battle": "siege", "options": {"gold": True}} | held).assumptions()
    assert "card of varsk-riders, goblin-archers: ASSUMED" in siege
    assert "price of varsk-riders: ASSUMED" in siege
    march = load(
        {"game": "birthright", "battle": "movement", "conditions": {"costs": [2]}} | {"attacker": army_of_goblins}
    )
    assert "card of goblin-infantry: ASSUMED" in march.assumptions()


@pytest.mark.parametrize(
    ("conditions", "known"),
    [
        ({"espionage": True}, {"knows_type", "knows_statistics"}),
        ({"own_unit": True}, {"knows_type"}),
        ({"own_naval_unit": True, "kind": "naval", "espionage": True}, {"knows_type"}),
        ({"kind": "naval", "espionage": True}, set()),
    ],
)
def test_espionage_tells_the_type_and_the_statistics_of_an_army(conditions, known):
    """Section 7: of a fleet out of sight nothing is known."""
    odds = exact({"game": "birthright", "battle": "visibility", "conditions": conditions})
    assert {name for name in odds.columns if name.startswith("knows_") and odds.p(name)} == known


def test_lancers_and_crossbowmen_fight_as_cavalry_and_archers():
    """Section 2.1: words of the rule book without figures of their own."""
    enemy = {"defender": {"units": ["2 x pikemen"]}}
    words, cards = (
        load({"game": "birthright", "battle": "tactical", "attacker": {"units": own}} | enemy)
        for own in (["2 lancers", "Crossbowmen"], ["2 cavalry", "archers"])
    )
    assert exact(words).winner("attacker") == exact(cards).winner("attacker")
    assert "card of lancers, crossbowmen: ASSUMED" in words.assumptions()
