"""The plan of every game whose sides are countable pieces is the best of all divisions, each fought as a campaign."""

import pytest

from simulator import plan
from tests.plan.reference import divisions, worth_of

NO_LOSSES = {"own_lost": 0, "enemy_lost": 0}
FRANCE, SPAIN = ({"country": one, "technology": "musket", "leader": "none"} for one in ("france", "spain"))
CASES = {
    "price-of-power": {
        "every": {"battle": "land"},
        "weights": {"own_lost": -1},
        "place": {"x": {"infantry": 2, "cavalry": 1}, "y": {"infantry": 1, "reach": ["b"]}},
        "target": {"a": {"worth": 12, "defender": {"infantry": 1}},
                   "b": {"worth": 8, "defender": {"kind": "npr", "infantry": 1}}},
    },
    "kings-and-things": {
        "every": {"battle": "land"},
        "place": {"x": {"creatures": ["3", "3", "2R"]}, "y": {"creatures": ["4"], "reach": ["b"]}},
        "target": {"a": {"worth": 3, "defender": {"creatures": ["2"]}},
                   "b": {"worth": 2, "defender": {"creatures": ["3", "2"]}}},
    },
    "europa": {
        "every": {"battle": "land", "attacker": FRANCE},
        "place": {"x": {"army_plus": 1, "land_detachments": 1}, "y": {"army_minus": 1}},
        "target": {"a": {"worth": 2, "defender": SPAIN | {"army_minus": 1}},
                   "b": {"worth": 1, "defender": SPAIN | {"land_detachments": 1}}},
    },
    "birthright": {
        "every": {"battle": "quick-battle"},
        "place": {"x": {"units": ["knights", "knights", "pikemen"]}, "y": {"units": ["archers"], "reach": ["b"]}},
        "target": {"a": {"worth": 3, "defender": {"units": ["pikemen"]}},
                   "b": {"worth": 2, "defender": {"units": ["archers"]}}},
    },
    "twilight-imperium-4": {
        "every": {"battle": "space"},
        "place": {"x": {"cruiser": 2, "fighter": 1}, "y": {"destroyer": 1, "reach": ["b"]}},
        "target": {"a": {"worth": 4, "defender": {"cruiser": 1}}, "b": {"worth": 2, "defender": {"fighter": 1}}},
    },
    "eclipse-second-dawn": {
        "every": {"battle": "space"},
        "place": {"x": {"interceptor": 2}, "y": {"cruiser": 1}},
        "target": {"a": {"worth": 4, "defender": {"ancient": 1}}, "b": {"worth": 2, "defender": {"interceptor": 1}}},
    },
    "skirmish": {
        "every": {"battle": "field"},
        "place": {"x": {"pikes": 2, "archers": 1}, "y": {"knights": 1, "reach": ["a"]}},
        "target": {"a": {"worth": 4, "defender": {"pikes": 1}}, "b": {"worth": 3, "defender": {"archers": 1}}},
    },
}  # fmt: skip
# The prices of recruiting in ducats (docs/rules/price_of_power.md section 3.6).
DUCATS = (("infantry", 2), ("cavalry", 5))


@pytest.mark.parametrize("game", CASES)
def test_no_other_division_is_worth_more(game):
    asked = {"game": "plan", "of": game, "weights": NO_LOSSES} | CASES[game]
    prices = DUCATS if game == "price-of-power" else ()
    found = plan(asked, 0)
    every = [worth_of(asked, sent, prices)[0] for sent in divisions(asked)]
    assert len(every) > 10
    assert max(every) - 1e-6 <= found.worth <= max(every) + 1e-9
