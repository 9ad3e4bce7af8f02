"""Units that help their own kind (docs/rules/custom_games.md 2.8, worked example 30)."""

import pytest

from simulator import exact
from simulator.analysis.odds.answer import explain
from tests.custom.reference_format2 import Reference2
from tests.custom.test_reference import assert_alike, rows_of


def scenario(support, attacker):
    units = {"foot": {"combat": 2}, "guns": {"cost": 1, "combat": 3}, "wall": {"cost": 2}}
    rules = {"format": 3, "name": "Phalanx", "unit": units, "battle": {"field": {}}, "step": [{"name": "fire"}]}
    rules["support"] = [{"side": "attacker", "adds": 1} | support]
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": {"foot": 2}}


FOOT = {"from": ["foot"], "to": ["foot"]}
BOTH = {"from": ["foot", "guns"], "to": ["foot", "guns"], "each": 2}


@pytest.mark.parametrize(
    ("support", "attacker", "dice"),
    [
        (FOOT, {"foot": 4}, "4 foot at 3"),
        (FOOT, {"foot": 1}, "1 foot at 2"),
        (FOOT | {"itself": True}, {"foot": 1}, "1 foot at 3"),
        (FOOT, {"foot": 1, "guns": 1}, "1 foot at 2"),
        (BOTH, {"foot": 3, "guns": 1}, "3 foot at 3"),
        (BOTH, {"foot": 3, "guns": 1}, "1 gun at 4"),
    ],
)
def test_who_is_helped(support, attacker, dice):
    (line,) = [line for line in explain(scenario(support, attacker)) if "fire, attacker" in line]
    assert f"{dice} or less" in line


@pytest.mark.parametrize("stack", [None, "one"])
@pytest.mark.parametrize("support", [FOOT, BOTH, FOOT | {"itself": True}, BOTH | {"each": 1, "dice": 1}])
def test_against_the_slow_reference(support, stack):
    given = scenario(support | ({"stack": stack} if stack else {}), {"foot": 3, "guns": 2})
    given["rules"]["support"].append(given["rules"]["support"][0] | {"from": ["guns"], "to": ["foot"]})
    assert_alike(rows_of(exact(given)), Reference2(given["rules"], given).table())
