"""Properties of format 2 that docs/rules/custom_games.md section 16 asks for."""

import copy

import pytest

from simulator import exact
from tests.custom.test_reference import assert_alike, rows_of

UNITS = {"foot": {"cost": 1, "combat": 2}, "guns": {"cost": 3, "attack": 3, "defence": {"value": 4, "dice": 2}}}
ARMIES = {"attacker": {"foot": 3, "guns": 1}, "defender": {"foot": 4}}
HELP = {"from": ["guns"], "to": ["foot"], "adds": 1}


def odds(version=2, step=None, units=None, **tables):
    rules = {"format": version, "name": "Made up", "unit": UNITS, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    rules = copy.deepcopy(rules | tables)
    rules["step"][0] |= step or {}
    for unit, values in (units or {}).items():
        rules["unit"][unit] |= values
    return rows_of(exact({"game": "custom", "battle": "field", "rules": rules} | ARMIES))


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
    "a side's own values": ({"units": {"guns": {"attack": 2}}}, {"units": {"guns": {"attacker": {"attack": 2}}}}),
}


@pytest.mark.parametrize(("plain", "format_2"), SAME.values(), ids=SAME)
def test_the_same_odds(plain, format_2):
    assert_alike(odds(**format_2), odds(**plain))
