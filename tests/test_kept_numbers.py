"""The caches of games change no answer: each battle is asked after many others, and again with empty caches."""

import sys

import numpy as np
import pytest

from simulator import ScenarioError, load
from simulator.analysis.odds.answer import answer, changed
from simulator.analysis.odds.method import Method
from simulator.analysis.odds.stages import COMMON
from simulator.analysis.studies.sensitivity import steps_of
from simulator.engine.model.kept import Recent
from simulator.scenarios import draft, scenario

# One example for each store of battles, and of how many changes of a field one is tried.
EXAMPLES = {
    "campaign-siege-and-relief": 8,
    "europa-armada-1588": 1,
    "europa-bahia-1625": 1,
    "europa-cadiz-1596": 12,
    "europa-famagusta-1571": 4,
    "europa-tlaxcala-1519": 8,
    "europa-vienna-1529": 12,
    "europa-vienna-1683": 20,
    "knt-into-the-unknown": 2,
    "power-march-milan": 4,
}


def forget():
    """Empty all that the games and the scenarios keep, but for the tables that are read once."""
    scenario._kept.clear()
    COMMON.forget()
    for name, module in list(sys.modules.items()):
        for kept in list(vars(module).values()) if name.startswith("simulator.rules.") else ():
            if isinstance(kept, Recent):
                kept.clear()
            elif hasattr(kept, "cache_clear") and kept.cache_parameters()["maxsize"] not in {1, None}:
                kept.cache_clear()


def chances(name, path, to):
    """The chances of the winners after one change, as `sensitivity` asks them; None if it is refused."""
    try:
        asked = changed(draft(load(name)), (path,), (to,))[0]
    except ScenarioError:
        return None
    odds = answer(asked, Method(exact=True, values=("p_attacker",)))
    return [odds.winner(side) for side in ("attacker", "defender")]


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_battle_has_the_same_odds_after_others_and_first(name):
    steps = [(path, to) for path, _, to in steps_of(load(name), None)]
    after = [chances(name, *step) for step in steps][:: EXAMPLES[name]]
    compared = 0
    for step, found in zip(steps[:: EXAMPLES[name]], after, strict=True):
        if found is not None:
            forget()
            np.testing.assert_allclose(chances(name, *step), found, atol=1e-11)
            compared += 1
    assert compared > 5
