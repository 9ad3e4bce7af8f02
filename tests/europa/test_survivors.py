"""The fleets that a naval battle leaves (sea/survivors.py) are those of the whole battle, whatever was asked before."""

import numpy as np
import pytest

from simulator import ScenarioError, campaign, exact, load
from simulator.analysis.odds import run as analysis_run
from simulator.analysis.odds.answer import changed
from simulator.analysis.odds.stages import ExactRun, Shared
from simulator.analysis.studies.sensitivity import steps_of
from simulator.engine.model.chain import SIDES
from simulator.rules import battles
from simulator.rules.battle import Outcomes
from simulator.rules.campaign.carry import Carry
from simulator.rules.europa.carry import CARRY, EuropaCarry
from simulator.rules.toolkit.merging import merge
from simulator.scenarios import draft
from tests.europa.scenarios import naval

# Fleets that lose ships of all kinds, troops and leaders, in a retreat, too.
MIXED = naval(
    {
        "warships": 2, "galleys": 3, "transports": 1, "land_detachments": 1, "technology": "battery",
        "leader": {"manoeuvre": 3, "fire": 2, "shock": 4}, "retreat_drm": 1,
    },
    {"warships": 3, "galleasses": 1, "leader": {"manoeuvre": 1, "fire": 5, "shock": 2}, "technology": "vessel"},
    conditions={"sea": "mediterranean", "turn": 36},
    policy={
        "attacker": {"break_off": "if-near-rout"},
        "defender": {"leave_with_wind": "if-behind", "evasion": "evade"},
    },
)  # fmt: skip
SHIPS = naval(
    {"warships": 2, "transports": 2, "leader": {"manoeuvre": 4, "fire": 3, "shock": 3}, "technology": "galleon-fluyt"},
    {"warships": 2, "exploration_ships": 1, "leader": "none", "technology": "vessel", "retreat_drm": 2},
    policy={"attacker": {"leave_with_wind": "if-near-rout"}, "defender": {"break_off": "if-sure"}},
)
# Two exploration ships are wiped out whenever they are routed.
TINY = naval(
    {"exploration_ships": 2, "leader": {"manoeuvre": 5, "fire": 1, "shock": 1}},
    {"exploration_ships": 2, "leader": "none", "technology": "galleon-fluyt", "retreat_drm": 3},
)
CARRIED = CARRY(battles("europa"))
# The traits of a force whose admiral is named, and of one whose is not.
NAMED, OTHER = ({"admiral": {"manoeuvre": 2}}, {}), ({}, {})


def whole(fields, sides):
    """The columns that survivors have, from the whole battle."""
    built = CARRIED.build("naval", fields)
    ends = ExactRun(1 << 30)(built.chain)
    columns = built.outcome(ends.states)
    for side, traits in zip(SIDES, sides, strict=True):
        lost = columns[f"{side}_leader_killed"] | columns[f"{side}_leader_wounded"]
        columns[f"{side}_leader_lost"] = lost & (traits is NAMED)
    return columns, ends.p


def compared(fields, sides):
    """Compare the fleets left with those of the whole battle."""
    found = merge(CARRIED.asked("naval", fields, sides, ()).answer(None))
    columns, p = whole(fields, sides)
    other = merge(Outcomes({name: np.broadcast_to(columns[name], len(p)) for name in found.columns}, p))
    for name, values in found.columns.items():
        np.testing.assert_array_equal(values, other.columns[name], name)
    np.testing.assert_allclose(found.p, other.p, rtol=0, atol=1e-14)
    assert found.p.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("scenario", [MIXED, SHIPS, TINY], ids=["mixed", "ships", "tiny"])
def test_each_change_of_a_field_leaves_the_fleets_of_the_whole_battle(scenario):
    """A number that is missing from what battles share would give a change the fleets of another."""
    base, asked = load(scenario), 0
    for number, (path, _, to) in enumerate([("attacker.warships", 2, 2), *steps_of(base, None)]):
        try:
            fields = load(changed(draft(base), (path,), (to,))[0]).fields
        except ScenarioError:
            continue
        compared(fields, [NAMED if number & bit else OTHER for bit in (1, 2)])
        asked += 1
    assert asked > 40


def test_a_campaign_has_the_same_ends_as_from_whole_battles(monkeypatch):
    turn = campaign(SHIPS, SHIPS)
    monkeypatch.setattr(analysis_run, "COMMON", Shared())  # nothing of earlier answers
    found = exact(turn)
    monkeypatch.setattr(analysis_run, "COMMON", Shared())
    monkeypatch.setattr(EuropaCarry, "asked", Carry.asked)
    other = exact(turn)
    assert 0 < found.explored < other.explored
    assert len(list(found.rows())) == len(list(other.rows()))
    for name in found.columns:
        if name.endswith(("left", "won", "lost")):
            assert found.mean(name) == pytest.approx(other.mean(name), abs=1e-12)


def test_columns_that_are_kept_come_from_the_whole_battle():
    turn = load(campaign(SHIPS, SHIPS).data | {"columns": ["fight1_attacker_stars", "fight1_evaded"]})
    assert exact(turn).mean("fight1_attacker_stars") == pytest.approx(exact(SHIPS).mean("attacker_stars"), abs=1e-12)
