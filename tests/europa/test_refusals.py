"""Every refusal of sections 3.8, 4.8 and 5 names its field."""

import pytest

from simulator import ScenarioError, load

ARMY = {"army_plus": 1}
TURKS = ARMY | {"country": "turkey"}
OVERSEAS = {"conditions": {"region": "rotw"}}
CONVERTED = {"leader": {"type": "conquistador"}, "converted_natives_thirds": 3}
REFUSED = {
    "attacker": [
        ("land", {"attacker": {}}),
        ("siege", {"attacker": {}}),
        ("siege", {"attacker": {"army_plus": 2, "land_detachments": 1}}),
    ],
    "defender": [
        ("siege", {"defender": {"fortress_level": 1, "land_detachments": 2}}),
        ("siege", {"defender": {"fortress_level": 0, "land_detachments": 2}, "conditions": {"region": "rotw"}}),
        ("siege-campaign", {"defender": {"fortress_level": 2, "army_plus": 1}}),
    ],
    "attacker.exploration_detachments": [
        ("land", {"attacker": ARMY | {"exploration_detachments": 1}}),
        ("siege", {"attacker": ARMY | {"exploration_detachments": 1}}),
        ("land", {"attacker": ARMY | {"exploration_detachments": 3}, "conditions": {"region": "rotw"}}),
    ],
    "defender.pasha_detachments": [
        ("land", {"defender": ARMY | {"country": "venice", "pasha_detachments": 1}}),
        ("land", {"defender": TURKS | {"pasha_detachments": 1, "turkish_reform": "m-2"}}),
        (
            "land",
            {
                "defender": TURKS | {"pasha_detachments": 1, "turkish_reform": "m-2"},
                "options": {"timar_limits": False},
            },
        ),
    ],
    "attacker.veteran: Timar are always conscripts": [
        ("land", {"attacker": TURKS | {"veteran": True}}),
        ("siege", {"attacker": TURKS | {"veteran": True}}),
        ("siege-campaign", {"attacker": ARMY | {"country": "turkey-vizier", "veteran": True}}),
    ],
    "attacker.converted_natives_thirds": [
        ("land", {"attacker": ARMY | CONVERTED}),
        ("land", {"attacker": ARMY | CONVERTED | {"leader": "replacement"}, **OVERSEAS}),
        ("land", {"attacker": ARMY | CONVERTED | {"leader": "none"}, **OVERSEAS}),
        ("land", {"attacker": ARMY | CONVERTED | {"leader": {"type": "governor"}}, **OVERSEAS}),
        ("siege", {"attacker": ARMY | CONVERTED, **OVERSEAS}),
    ],
    "attacker.army_class": [
        ("land", {"attacker": ARMY | {"country": "spain", "army_class": "III"}}),
        ("siege", {"attacker": ARMY | {"country": "spain", "army_class": "III"}}),
    ],
    "defender.army_class": [("siege", {"defender": {"army_class": "III"}})],
    "defender.veteran": [("siege", {"defender": {"veteran": True}})],
    "defender.tercios": [
        ("land", {"defender": ARMY | {"technology": "medieval", "tercios": True}}),
        ("siege", {"defender": {"technology": "medieval", "tercios": True}}),
    ],
    "attacker.foraging": [
        ("land", {"attacker": ARMY | {"technology": "lace-war", "foraging": True}}),
        ("land", {"attacker": TURKS | {"technology": "musket", "foraging": True}}),
    ],
    "defender.foraging": [("land", {"defender": ARMY | {"foraging": True}})],
    "policy.defender.evasion": [
        ("land", {"conditions": {"interception": True}, "policy": {"defender": {"evasion": "evade"}}}),
        (
            "land",
            {
                "attacker": {"army_plus": 2}, "defender": {"land_detachments": 1},
                "policy": {"attacker": {"overrun": "declare"}, "defender": {"evasion": "evade"}},
            },
        ),
    ],
    "policy.defender.overrun": [("land", {"policy": {"defender": {"overrun": "declare"}}})],
    "attacker.leader": [
        ("land", {"attacker": ARMY | {"leader": "Gustaf Adolf"}}),
        ("land", {"attacker": ARMY | {"leader": "Sobieski"}}),
        ("land", {"attacker": ARMY | {"leader": "Gustav Adolf", "leader_country": "france"}}),
    ],
    "attacker.leader.shock": [("siege", {"attacker": ARMY | {"leader": {"shock": 10}}})],
    "attacker.leader.type": [("land", {"attacker": ARMY | {"leader": {"type": "admiral"}}})],
    "attacker.technology": [("land", {"attacker": ARMY | {"technology": "muskets"}})],
    "defender.fortress_level": [
        ("siege", {"defender": {"fortress_level": 0}}),
        ("siege", {"defender": {"fortress_level": 6}}),
    ],
    "conditions.city": [("siege", {"conditions": {"city": True}})],
    "conditions.siegeworks_minus": [("siege", {"conditions": {"siegeworks_minus": 1, "siegeworks_plus": 2}})],
    "policy.attacker.plan": [("siege", {"policy": {"attacker": {"plan": "undermine-only"}}})],
    "policy.attacker.action": [("siege-campaign", {"policy": {"attacker": {"action": "assault"}}})],
    "conditions.rounds": [
        ("siege-campaign", {"conditions": {"rounds": 3, "start_round": "S1"}}),
        ("siege", {"conditions": {"rounds": 3}}),
    ],
    "options.tables.combat_result[0].modified_die": [
        ("land", {"options": {"tables": {"combat_result": [{"column": "A", "modified_die": 15}]}}})
    ],
    "options.tables.combat_results": [("land", {"options": {"tables": {"combat_results": []}}})],
    "options.tables.fortress_resistance": [
        ("siege", {"options": {"tables": {"fortress_resistance": {"rows": []}}}})
    ],
}  # fmt: skip
CASES = [(field, kind, change) for field, cases in REFUSED.items() for kind, change in cases]


@pytest.mark.parametrize(("field", "kind", "change"), CASES, ids=[f"{field}-{kind}" for field, kind, _ in CASES])
def test_refused(field, kind, change):
    base = {"attacker": ARMY, "defender": ARMY if kind == "land" else {"fortress_level": 3}}
    with pytest.raises(ScenarioError) as refusal:
        load({"game": "europa", "battle": kind, **base, **change})
    assert str(refusal.value).startswith(field if ": " in field else f"{field}: ")
    assert "\n" not in str(refusal.value)


ALLOWED = {
    "Timar as conscripts": {"attacker": TURKS | {"veteran": False}},
    "veteran Timar by the option": {"attacker": TURKS | {"veteran": True}, "options": {"timar_limits": False}},
    "veterans after m-2": {"attacker": TURKS | {"veteran": True, "turkish_reform": "m-2"}},
    "foraging with the muskets of m-1b": {
        "attacker": TURKS | {"technology": "baroque", "turkish_reform": "m-1b", "foraging": True}
    },
    "natives behind an explorer": {
        "attacker": ARMY | CONVERTED | {"leader": {"type": "explorer"}}, "conditions": {"region": "rotw"},
    },
    "more detachments than fight": {"attacker": {"army_plus": 20, "army_minus": 20, "land_detachments": 100}},
}  # fmt: skip


@pytest.mark.parametrize("name", ALLOWED)
def test_allowed(name):
    load({"game": "europa", "battle": "land", "defender": ARMY, **ALLOWED[name]})


def test_a_large_native_stack_is_allowed():
    natives = {"country": "natives", "army_plus": 20, "technology": "medieval"}
    asked = load(
        {"game": "europa", "battle": "land", "attacker": ARMY, "defender": natives, "conditions": {"region": "rotw"}}
    )
    assert asked.fields.defender.army_plus == 20
