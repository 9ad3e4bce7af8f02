"""Quick battles and sieges against the slow reference, outcome by outcome."""

import pytest

from simulator import exact, load
from tests.birthright.reference_checks import Army, best_siege, quick, siege

HORSE = [{"unit": "knights"}, {"unit": "cavalry", "count": 2}]
FOOT = [{"unit": "pikemen", "count": 2}, {"unit": "archers"}, {"unit": "levies", "count": 2}]
MIXED = [{"unit": "elite-infantry"}, {"unit": "scouts", "count": 2}]
QUICK_COLUMNS = ["attacker_steps_left", "defender_steps_left", "attacker_routed", "defender_routed", "turns"]
SIEGE_COLUMNS = ["seasons", "level_left", "attacker_steps_left", "defender_steps_left", "relief_came", "storms"]


def agree(data, columns, expected):
    odds = exact(load({"game": "birthright"} | data))
    found = odds.table.groupby(["winner", *columns])["p"].sum().to_dict()
    assert set(found) == {key for key, p in expected.items() if p > 0}
    assert max(abs(found[key] - p) for key, p in expected.items() if p > 0) < 1e-12


@pytest.mark.parametrize(
    ("own", "enemy", "terrain", "level", "losses", "retreat", "mode"),
    [
        (HORSE, FOOT, "plains", 0, "spread", "never", "single"),
        (HORSE, FOOT, "hills", 4, "as-listed", "half", "fight-on"),
        (FOOT, HORSE, "mountain", 0, "weakest-first", "outmatched", "fight-on"),
        (HORSE, HORSE, "underground", 0, "weakest-first", "never", "fight-on"),
        (MIXED, FOOT, "woods", 20, "spread", "half", "fight-on"),
        (FOOT, MIXED, "marsh", 2, "weakest-first", "half", "fight-on"),
    ],
)
def test_quick_battle(own, enemy, terrain, level, losses, retreat, mode):
    policy = {"losses": losses} | ({"retreat": retreat} if mode == "fight-on" else {})
    data = {
        "battle": "quick-battle",
        "attacker": {"units": own, "warcraft": 3, "leader_points": 2},
        "defender": {"units": enemy, "warcraft": -1},
        "conditions": {"terrain": terrain, "fortification": level},
        "policy": {"attacker": policy, "defender": policy},
        "options": {"mode": mode, "max_turns": 4},
    }
    armies = Army(own, losses, 3, 2), Army(enemy, losses, -1)
    turns = 1 if mode == "single" else 4
    expected = quick(*armies, terrain, min(10, level), mode, (retreat, retreat), turns)
    agree(data, QUICK_COLUMNS, expected)


HOST = [{"unit": "infantry", "count": 2, "spells": 2}, {"unit": "levies", "special": -3}, {"unit": "archers"}]
DEAD = [
    {"unit": "cavalry", "undead": True, "spellcasting": 2},
    {"unit": "goblin-archers", "count": 3, "undead": True, "special": 2},
    {"unit": "knights", "count": 0},
]
HEROES = [{"class": "mage", "level": 13}, {"class": "warrior", "level": 3, "battlewise": True}]
PRIEST = [{"class": "priest", "level": 9, "strategy": True}, {"class": "rogue", "level": 7}]


@pytest.mark.parametrize("mode", ["single", "fight-on"])
@pytest.mark.parametrize("turned", [(True, False), (True, True)])
def test_heroes_magic_undead_and_gold(mode, turned):
    own, enemy = (HOST, DEAD) if turned == (True, False) else (HOST + DEAD[:1], DEAD)
    data = {
        "battle": "quick-battle",
        "attacker": {"units": own, "heroes": HEROES, "leader_points": 1, "turn_undead": turned[0]},
        "defender": {"units": enemy, "heroes": PRIEST, "turn_undead": turned[1]},
        "policy": {"attacker": {"losses": "spread"}},
        "options": {"mode": mode, "max_turns": 3, "gold": True},
    }
    armies = Army(own, "spread", 0, 1, HEROES, turned[0]), Army(enemy, "weakest-first", 0, 0, PRIEST, turned[1])
    expected = {}
    for key, p in quick(*armies, mode=mode, turns=1 if mode == "single" else 3).items():
        lost = [army.gold(len(army.line) - left) for army, left in zip(armies, key[1:3], strict=True)]
        expected[*key, *lost] = p
    agree(data, [*QUICK_COLUMNS, "attacker_gold_lost", "defender_gold_lost"], expected)


def test_heroes_and_undead_of_a_siege():
    """The besieger's priests work on the relief too, the garrison's only on the besieger."""
    besiegers = [{"unit": "infantry", "count": 9, "undead": True}, {"unit": "archers", "spells": 3}]
    relief = [{"unit": "cavalry", "count": 3, "undead": True}]
    data = {
        "battle": "siege",
        "attacker": {"units": besiegers, "turn_undead": True, "heroes": HEROES},
        "defender": {"units": DEAD, "turn_undead": True},
        "conditions": {"fortification": 5, "seasons": 2, "relief_on": 5, "relief_units": relief},
        "policy": {"attacker": {"siege": "storm-now"}},
        "options": {"gold": True, "siege_table": [[60000, 9, 2]]},
    }
    odds = exact(load({"game": "birthright"} | data))
    armies = Army(besiegers, heroes=HEROES, turns=True), Army(DEAD, turns=True), Army(relief)
    worth = {"attacker": 1.0, "defender": 0.0, "nobody": 0.0}
    storms = best_siege(armies, 5, 2, lambda winner, *_: worth[winner], 5, reaches=9, plans=("storm",))
    assert odds.winner("attacker") == pytest.approx(storms, abs=1e-12)
    assert odds.mean("attacker_upkeep") == pytest.approx(10 * odds.mean("seasons"), abs=1e-9)
    spent = [armies[0].gold(20 - int(left)) for left in odds.columns["attacker_steps_left"]]
    assert odds.columns["attacker_gold_lost"].tolist() == spent


@pytest.mark.parametrize("plan", ["wait", "storm-now", "storm-at-level", "storm-last-season"])
@pytest.mark.parametrize(
    ("level", "relief_on", "reading", "rating", "garrison"),
    [(13, 12, "below", 0, FOOT), (5, 0, "at-least", 12000, MIXED), (11, 2, "below", 26500, [])],
)
def test_siege(plan, level, relief_on, reading, rating, garrison):
    besiegers = [{"unit": "infantry", "count": 14}, {"unit": "knights"}]
    data = {
        "battle": "siege",
        "attacker": {"units": besiegers, "warcraft": 2, "rating": rating},
        "defender": {"units": garrison, "warcraft": 1, "leader_points": 3},
        "conditions": {
            "fortification": level,
            "seasons": 3,
            "relief_on": relief_on,
            "relief_units": HORSE,
            "relief_warcraft": 4,
        },
        "policy": {"attacker": {"siege": plan, "losses": "spread"}},
        "options": {"storm_level": 4, "rating_reading": reading},
    }
    armies = Army(besiegers, "spread", 2), Army(garrison, "weakest-first", 1, 3), Army(HORSE, "weakest-first", 4)
    agree(data, SIEGE_COLUMNS, siege(armies, level, 3, plan, relief_on, 4, reading, 600, rating))
