"""Breaking off as a decision (docs/rules/decisions.md section 2), worked out backwards in plain Python."""

from functools import cache

import numpy as np
import pytest

from simulator.rules.europa.land import rules as land
from simulator.rules.europa.land.battle import land_outcome
from simulator.rules.europa.land.tables import LandSetup
from simulator.scenarios import load
from tests.europa.scenarios import land as land_scenario
from tests.europa.scenarios import leader

SMALL = land_scenario(
    {"land_detachments": 2, "technology": "arquebus", "leader": leader(2, 2, 2)},
    {"land_detachments": 2, "technology": "medieval", "leader": leader(5, 0, 1)},
)


def setup_of(policies, scenario=SMALL):
    fields = load(scenario).fields
    names = {"attacker": fields.policy.attacker, "defender": fields.policy.defender}
    changed = {name: names[name].model_copy(update={"break_off": policy}) for name, policy in policies.items()}
    return LandSetup(fields.model_copy(update={"policy": fields.policy.model_copy(update=changed)}))


def value(policies, worth, scenario=SMALL):
    """(worth for the attacker, for the defender), each deciding for the best where its policy is `best`."""
    setup = setup_of(policies, scenario)
    p, tables = setup.params, setup.tables.close()
    asked = set()

    @cache
    def after(s):
        if not land.running(p, s):
            columns = land_outcome(setup, type(s)(*(np.array([n]) for n in s)))
            return worth({name: values[0].item() for name, values in columns.items()})
        if owner := land.decides(p, s):
            asked.add((s.stage, owner))
            followed = [after(land.step(p, s, option)) for option in range(land.options(p, s))]
            return max(followed, key=lambda both: both[owner - 1])
        index = land.table(p, s)
        rows = range(tables.first[index], tables.first[index + 1])
        found = [(tables.weight[row], after(land.step(p, s, int(tables.result[row])))) for row in rows]
        return tuple(sum(weight * both[side] for weight, both in found) for side in (0, 1))

    return after(setup.start), asked


def saves_troops(outcome):
    won = outcome["winner"]
    return (
        (won == 0) - 0.2 * outcome["attacker_losses_thirds"],
        (won == 1) - 0.2 * outcome["defender_losses_thirds"],
    )


@pytest.mark.parametrize(("side", "owner"), [("attacker", 1), ("defender", 2)])
def test_the_best_decision_is_never_worse_than_a_fixed_policy(side, owner):
    best, asked = value({side: "best"}, saves_troops)
    assert {who for _, who in asked} == {owner}
    for policy in ("never", "always", "if-behind", "if-sure"):
        fixed, never_asked = value({side: policy}, saves_troops)
        assert not never_asked
        assert best[owner - 1] >= fixed[owner - 1] - 1e-12
    if side == "defender":
        assert best[owner - 1] > value({side: "never"}, saves_troops)[0][owner - 1]


@pytest.mark.parametrize(("interception", "first"), [(False, 2), (True, 1)])
def test_who_is_asked_first(interception, first):
    scenario = SMALL | {"conditions": {"interception": interception}}
    _, asked = value({"attacker": "best", "defender": "best"}, saves_troops, scenario)
    assert asked == {(land.FIRST_CHOICE, first), (land.SECOND_CHOICE, 3 - first)}


def test_with_winning_alone_nobody_gains_by_leaving():
    best, _ = value({"defender": "best"}, lambda outcome: (0.0, float(outcome["winner"] == 1)))
    never, _ = value({"defender": "never"}, lambda outcome: (0.0, float(outcome["winner"] == 1)))
    assert best == pytest.approx(never, abs=1e-12)


def test_whoever_decides_knows_the_leaders():
    drawn = SMALL | {"attacker": SMALL["attacker"] | {"leader": "replacement"}}
    setup = setup_of({"defender": "best"}, drawn)
    assert setup.classes.drawn == len(setup.pairs)
