"""Exact odds of battles unit against unit against the slow reference, outcome by outcome."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load
from tests.birthright import reference

MAGIC = {"spells": 1, "hero": 2}


def scenario(own, enemy, battle="tactical", conditions=None, policy=None, **options):
    def units(listed):
        return {"units": [{"unit": name, "count": count} | dict(*more) for name, count, *more in listed]}

    found = {"game": "birthright", "battle": battle, "attacker": units(own), "defender": units(enemy)}
    return found | {"conditions": conditions or {}, "policy": policy or {}, "options": options}


def compare(data):
    odds = exact(load(data))
    names = [name for name in odds.table.columns if name != "p"]
    found = {tuple(sorted(zip(names, row[:-1], strict=True))): row[-1] for row in odds.table[[*names, "p"]].values}
    expected = {outcome: p for outcome, p in reference.odds(data).items() if p > 0}
    assert set(found) == set(expected)
    assert max(abs(found[outcome] - p) for outcome, p in expected.items()) < 1e-12


CASES = {
    "charge and pursuit": scenario([("knights", 1), ("cavalry", 1)], [("infantry", 2), ("archers", 1)]),
    "pikes": scenario([("knights", 2)], [("pikemen", 2), ("levies", 1)], conditions={"terrain": "hills"}),
    "no charge in woods": scenario([("knights", 2)], [("infantry", 2)], conditions={"terrain": "woods"}),
    "both charge": scenario([("cavalry", 2)], [("knights", 1), ("sidhe-cavalry", 1)], pursuit_number=2),
    "shift, d8, rally": scenario(
        [("infantry", 2), ("irregulars", 1)], [("scouts", 3)], ten="shift", morale_die="d8", rally="once"
    ),
    "three and four icons on a d8": scenario(
        [("knights", 1), ("archers", 1)],
        [("levies", 3), ("artillerists", 1)],
        ten="shift",
        morale_die="d8",
        rally="once",
        pursuit_number=3,
    ),
    "no shooting": scenario([("archers", 2)], [("artillerists", 2)], missile_rounds=0, pursuit="none"),
    "three rounds of shooting": scenario([("archers", 2)], [("orog-crossbowmen", 2)], missile_rounds=3),
    "position": scenario([("orog-guard", 1), ("levies", 2)], [("infantry", 2)], conditions={"defender_position": 2}),
    "half and outmatched": scenario(
        [("levies", 4)],
        [("cavalry", 1), ("archers", 2)],
        policy={"attacker": {"retreat": "half"}, "defender": {"retreat": "outmatched"}},
    ),
    "outmatched from the start": scenario(
        [("knights", 1)], [("levies", 3)], policy={"attacker": {"retreat": "outmatched"}}
    ),
    "sorted lines": scenario(
        [("levies", 1), ("knights", 1), ("archers", 1)],
        [("infantry", 1), ("archers", 1)],
        policy={"attacker": {"deploy": "strongest-first"}, "defender": {"deploy": "missile-first"}},
    ),
    "entries of one kind": scenario(
        [("infantry", 1), ("levies", 1), ("infantry", 1)], [("infantry", 2), ("infantry", 1)]
    ),
    "storm": scenario([("infantry", 3)], [("archers", 2)], "storm", {"fortification": 5, "terrain": "plains"}),
    "storm, nobody leaves the walls": scenario(
        [("knights", 1), ("levies", 2)],
        [("levies", 2), ("cavalry", 1)],
        "storm",
        {"fortification": 1},
        {"attacker": {"retreat": "half", "deploy": "weakest-first"}},
        rally="once",
    ),
    "useless in the marsh": scenario(
        [("knights", 1, {"spells": 3}), ("archers", 1)],
        [("cavalry", 1), ("irregulars", 1)],
        conditions={"terrain": "marsh"},
        policy={"attacker": {"deploy": "missile-first"}},
    ),
    "nobody shoots underground": scenario(
        [("archers", 1), ("dwarf-guard", 1)],
        [("artillerists", 1), ("orog-crossbowmen", 1)],
        conditions={"terrain": "underground"},
        missile_rounds=2,
    ),
    "charges only": scenario(
        [("knights", 1), ("varsk-riders", 1)],
        [("goblin-wolf-riders", 1), ("gnoll-marauders", 1)],
        conditions={"terrain": "mountain", "defender_position": 1},
        terrain_effects="charges-only",
    ),
    "magic, heroes, gold": scenario(
        [("gnoll-infantry", 1, MAGIC), ("levies", 1), ("cavalry", 1, {"muster": 7})],
        [("levies", 1, {"hero": 3}), ("mercenary-pikemen", 1), ("infantry", 0)],
        conditions={"terrain": "hills"},
        gold=True,
    ),
    "leaving under pursuit, gold": scenario(
        [("cavalry", 1), ("knights", 1)],
        [("elite-infantry", 1), ("levies", 1), ("irregulars", 1)],
        policy={"defender": {"retreat": "half"}},
        gold=True,
        pursuit_number=3,
    ),
    "storm, high walls, gold": scenario(
        [("gnoll-infantry", 1), ("elite-infantry", 1, MAGIC)],
        [("goblin-infantry", 1), ("pikemen", 1)],
        "storm",
        {"fortification": 14, "terrain": "marsh"},
        ten="shift",
        gold=True,
    ),
    "storm, first five": scenario(
        [("infantry", 2), ("knights", 1)], [("dwarf-engineers", 1)], "storm", {"fortification": 20}, walls="first-five"
    ),
    "storm, own walls": scenario(
        [("infantry", 2)],
        [("halfling-scouts", 1)],
        "storm",
        {"fortification": 7},
        fort_defence=[[level, 12 if level == 7 else 0] for level in range(1, 21)],
    ),
}
for name in ("useless in the marsh", "storm, high walls, gold"):
    CASES[name]["attacker"]["inspire"], CASES[name]["defender"]["inspire"] = 2, 1


@pytest.mark.parametrize("case", CASES)
def test_case(case):
    compare(CASES[case])


def test_three_and_four_icons_may_fail_on_a_d8():
    assert exact(load(CASES["three and four icons on a d8"])).winner("attacker") == pytest.approx(
        0.7614630833, abs=1e-10
    )


@pytest.mark.parametrize(("own", "enemy"), [(12, 0), (0, 7), (-10, -6)])
def test_command_edge(own, enemy):
    data = scenario([("infantry", 2)], [("pikemen", 2)], warcraft_step=6, warcraft_max=1)
    data["attacker"]["warcraft"], data["defender"]["warcraft"] = own, enemy
    compare(data)


def test_units_of_ones_own():
    data = scenario([], [("elite-infantry", 1)])
    own = {"unit": "ogres", "class": "pikemen", "type": "cavalry", "count": 2, "melee": [12, 0, 7, 3], "hits": 3}
    data["attacker"]["units"] = [own | {"defence": 10, "morale": 1, "missile": [0, 5, 0, 2], "charge": []}]
    expected = [own | {"defence": 10, "morale": 1, "missile": [0, 5, 0, 2], "charge": [], "strength": 1}]

    class Own(reference.Fight):
        def __init__(self, data):
            super().__init__(data | {"attacker": {"units": [{"unit": "levies", "count": 2}]}})
            self.entries[0] = expected

    odds, slow = exact(load(data)), Own(data).odds()
    for column in ("attacker_destroyed", "defender_hits", "attacker_routed"):
        assert odds.mean(column) == pytest.approx(sum(dict(o)[column] * p for o, p in slow.items()), abs=1e-12)


NAMES = ["archers", "artillerists", "cavalry", "infantry", "knights", "levies", "pikemen", "dwarf-guard", "scouts"]
MORE = st.fixed_dictionaries({"spells": st.integers(0, 1), "hero": st.integers(0, 2)})
LINES = st.lists(st.tuples(st.sampled_from(NAMES), st.just(1), MORE), min_size=1, max_size=2)


@settings(max_examples=8, deadline=None)
@given(
    own=LINES,
    enemy=LINES,
    retreat=st.sampled_from(["never", "half", "outmatched"]),
    ten=st.sampled_from(["reroll", "shift"]),
    missile_rounds=st.integers(0, 2),
    morale_die=st.sampled_from(["d6", "d8"]),
    rally=st.sampled_from(["none", "once"]),
    terrain=st.sampled_from(["plains", "hills", "woods", "mountain", "marsh", "underground"]),
    gold=st.booleans(),
)
def test_any_small_battle(own, enemy, retreat, terrain, **options):
    policy = {"attacker": {"retreat": retreat}}
    compare(scenario(own, enemy, conditions={"terrain": terrain}, policy=policy, **options))


@settings(max_examples=4, deadline=None)
@given(
    own=LINES,
    enemy=LINES,
    level=st.integers(1, 20),
    walls=st.sampled_from(["full", "first-five"]),
    ten=st.sampled_from(["reroll", "shift"]),
)
def test_any_small_storm(own, enemy, level, **options):
    compare(scenario(own, enemy, "storm", {"fortification": level}, **options))
