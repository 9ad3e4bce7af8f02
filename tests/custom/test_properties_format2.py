"""Properties of format 2 that docs/rules/custom_games.md section 16 asks for."""

import copy
import re
from itertools import product

import pytest

from simulator import exact, replay, simulate
from tests.custom.test_reference import assert_alike, rows_of

UNITS = {"foot": {"cost": 1, "combat": 2}, "guns": {"cost": 3, "attack": 3, "defence": {"value": 4, "dice": 2}}}
ARMIES = {"attacker": {"foot": 3, "guns": 1}, "defender": {"foot": 4}}
HELP = {"from": ["guns"], "to": ["foot"], "adds": 1}


def odds(version=2, step=None, units=None, options=None, **tables):
    rules = {"format": version, "name": "Made up", "unit": UNITS, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    rules = copy.deepcopy(rules | tables)
    rules["step"][0] |= step or {}
    for unit, values in (units or {}).items():
        rules["unit"][unit] |= values
    return rows_of(exact({"game": "custom", "battle": "field", "rules": rules, "options": options or {}} | ARMIES))


ALL = {"faces": ["hit", "hit", "miss"], "hits": {"hit": "all"}}
SAME = {
    "format 1 in format 2": ({"version": 1, "support": [HELP]}, {"support": [HELP]}),
    "equal initiatives": ({}, {"step": {"order": "initiative"}, "units": {"foot": {"initiative": 0}}}),
    "a shield for all": (
        {"modifier": [{"side": "attacker", "adds": -1}]},
        {"units": {unit: {"defender": {"shield": 1}} for unit in UNITS}},
    ),
    "a stack of one rule": ({"support": [HELP]}, {"support": [HELP | {"stack": "one"}]}),
    "a symbol die": (
        {"units": {"foot": {"combat": 4}}},
        {"die": {"x": ALL}, "units": {"foot": {"combat": {"die": "x"}}}},
    ),
    "split damage": (
        {"units": {"foot": {"hits": 1, "combat": {"value": 6, "dice": 2}}}},
        {"units": {"foot": {"combat": {"value": 6, "damage": 2, "split": True}}}},
    ),
    "split damage of 1, low luck": (
        {"options": {"dice": "low-luck"}},
        {"options": {"dice": "low-luck"}, "units": {"foot": {"combat": {"value": 2, "split": True}}}},
    ),
    "a side's own values": ({"units": {"guns": {"attack": 2}}}, {"units": {"guns": {"attacker": {"attack": 2}}}}),
}


@pytest.mark.parametrize(("plain", "format_2"), SAME.values(), ids=SAME)
def test_the_same_odds(plain, format_2):
    assert_alike(odds(**format_2), odds(**plain))


@pytest.mark.parametrize(
    ("found", "within"), [(exact, 1e-12), (lambda scenario: simulate(scenario, 200_000, seed=1), 0.005)]
)
def test_more_pairs_may_be_lost_than_there_are_units(found, within):
    rules = {
        "format": 2,
        "name": "Made up",
        "unit": {"army": {"combat": {"bonus": 0}}, "guns": {"rolls": {"fire": {"bonus": 0}}}},
        "battle": {"field": {"attacker": {"supports": ["guns"]}, "rounds": 1}},
        "step": [{"name": "duel", "fire": {"attacker": "fire", "defender": "defence"}, "compare": {}}],
    }
    sides = {"attacker": {"army": 1, "guns": 2}, "defender": {"army": 2}}
    odds = found({"game": "custom", "battle": "field", "rules": rules} | sides)
    throws = [
        sum(mine > theirs for mine, theirs in zip(sorted(faces[:2])[::-1], sorted(faces[2:])[::-1], strict=True))
        for faces in product(range(1, 7), repeat=4)
    ]
    assert odds.p("attacker_units_left == 1") == pytest.approx(throws.count(2) / 6**4, abs=within)
    assert odds.p("defender_units_left == 1") == pytest.approx(throws.count(1) / 6**4, abs=within)


SURE = {"faces": ["hit", "hit"], "hits": {"hit": ["guns"]}}
EITHER = {"faces": ["all", "foot", "miss"], "hits": {"all": ["guns", "tank"], "foot": ["guns"]}}
REPLAYED = {
    "a supporting unit absorbs nothing": (
        {
            "unit": {"foot": {"combat": 6}, "tank": {"absorbs": 1}},
            "battle": {"field": {"attacker": {"supports": ["tank"]}}},
        },
        {"attacker": {"foot": 2, "tank": 1}, "defender": {"foot": 2}},
        "2 foot (6-): 0* 0* -> 2 hits | 2 foot (6-): 0* 0* -> 2 hits. The attacker loses 2 foot;",
    ),
    "hits apart from those of several classes": (
        {
            "unit": {"foot": {"attack": 6}, "guns": {"attack": {"die": "x"}}, "tank": {}},
            "die": {"x": EITHER},
            "step": [{"name": "a", "group": "g", "hits_only": ["foot"]}, {"name": "b", "group": "g", "by": ["guns"]}],
        },
        {"attacker": {"foot": 1, "guns": 1}, "defender": {"foot": 30, "guns": 30, "tank": 30}},
        "-> 1 hit",
    ),
    "sure hits on nobody who stands": (
        {"unit": {"foot": {"attack": 6}, "guns": {"attack": {"die": "x"}}}, "die": {"x": SURE}},
        {"attacker": {"foot": 1, "guns": 1}, "defender": {"foot": 1}},
        "1 gun: hit* -> 1 hit on foot. The defender loses 1 foot.",
    ),
}


@pytest.mark.parametrize(("rules", "sides", "line"), REPLAYED.values(), ids=REPLAYED)
def test_a_replay_shows_faces_for_every_roll(rules, sides, line):
    whole = {"format": 2, "name": "Made up", "battle": {"field": {}}, "step": [{"name": "fire"}]} | rules
    for battle in range(10):
        lines = replay({"game": "custom", "battle": "field", "rules": whole} | sides, seed=1, battle=battle).lines
        assert line in re.sub(r"[1-6]\*", "0*", lines[0])
