"""Expeditions that begin ashore, held against the slow battles and sieges, which share no code with the rules.

Written from docs/rules/europa_naval_and_other.md section 19 alone.
"""

from collections import defaultdict

import pytest

from simulator import exact
from tests.europa import reference_campaign, reference_land
from tests.europa.scenarios import TROOPS, leader, regrouped

GONE = [f"attacker_leader_{how}" for how in ("killed", "wounded", "captured")]


def expedition(land, siege):
    """The chances of (won ashore, fortress taken, thirds left, level after)."""
    out, level = defaultdict(float), siege["defender"]["fortress_level"]
    level = max(level, int(siege["conditions"].get("city", False)))
    armies = sum(land["attacker"].get(counter, 0) for counter in TROOPS[:2])
    ashore = defaultdict(float)
    for end, p in reference_land.battle(land).items():
        row = dict(end)
        left = row["attacker_left_thirds"] + row["attacker_idle_thirds"]
        if row["winner"] != "attacker" or not left:
            out[False, False, left, level] += p
            continue
        ashore[left, any(row[gone] for gone in GONE)] += p
    for (left, gone), p in ashore.items():
        besieger = siege["attacker"] | regrouped(left, armies)
        if gone and besieger["leader"] == land["attacker"]["leader"]:
            besieger["leader"] = "replacement"
        for after, q in reference_campaign.campaign(siege | {"attacker": besieger}).items():
            taken = dict(after)
            out[True, taken["fallen"], taken["attacker_left_thirds"], taken["fortress_level_after"]] += p * q
    return out


OVERSEAS = {"region": "rotw", "period": "II"}
GENERAL = leader(2, 4, 3, 1)
ASHORE = {
    "three ARMY-, a general who may be lost": (
        {
            "attacker": {"country": "france", "army_minus": 3, "leader": GENERAL},
            "defender": {"country": "spain", "army_minus": 2, "leader": leader(3, 2, 4)},
            "conditions": {"terrain": "mountain", "period": "V"},
        },
        {
            "attacker": {"country": "france", "leader": GENERAL},
            "defender": {"fortress_level": 2, "land_detachments": 1, "leader": "none"},
            "conditions": {"rounds": 1, "period": "V"},
            "policy": {"attacker": {"plan": "assault-at-once"}},
        },
    ),
    "single thirds before an open city overseas": (
        {
            "attacker": {"land_detachments": 1, "exploration_detachments": 2, "leader": "none"},
            "defender": {"land_detachments": 1, "technology": "arquebus", "leader": "none"},
            "conditions": OVERSEAS,
        },
        {
            "attacker": {"leader": "none"},
            "defender": {"fortress_level": 0, "exploration_detachments": 1, "leader": "none"},
            "conditions": OVERSEAS | {"rounds": 2, "city": True},
            "policy": {"attacker": {"too_small": "assault"}},
        },
    ),
}


@pytest.mark.parametrize("name", ASHORE)
def test_expedition(name):
    land, siege = ASHORE[name]
    columns = "won_ashore", "fortress_taken", "attacker_left_thirds", "fortress_level_after"
    found = defaultdict(float)
    for row in exact({"game": "europa", "battle": "expedition", "land": land, "siege": siege}).rows():
        found[tuple(row[column] for column in columns)] += row["p"]
    true = expedition(land, siege)
    assert sum(true.values()) == pytest.approx(1)
    assert max(abs(found[end] - true[end]) for end in {*found, *true}) < 1e-12
