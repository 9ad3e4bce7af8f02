"""Refusals of docs/rules/kings_and_things.md section 8, word by word."""

import copy

import pytest

from simulator import ScenarioError, load
from simulator.scenarios import set_path

BASE = {
    "land": {"attacker": {"creatures": ["3"]}, "defender": {"creatures": ["2"]}},
    "free-for-all": {
        "attacker": {"creatures": ["3"]},
        "second_attacker": {"creatures": ["3"]},
        "defender": {"creatures": ["2"]},
    },
    "exploration": {"attacker": {"creatures": ["3"]}},
}

CASES = [
    ("land", {"attacker.weapons": 3}, "attacker.weapons"),
    ("land", {"attacker.creatures": ["Gobblins"]}, "attacker.creatures[0]: no creature 'Gobblins'; did you mean Gob"),
    ("land", {"attacker.creatures": ["Giant Wasp"]}, "attacker.creatures[0]: 'Giant Wasp' is ambiguous"),
    ("land", {"attacker.creatures": ["Dwarves 3"]}, "attacker.creatures[0]: 'Dwarves 3' is ambiguous"),
    ("land", {"attacker.creatures": ["3RM"]}, "attacker.creatures[0]"),
    ("land", {"attacker.creatures": [{"value": 3, "magic": True, "charge": True}]}, "attacker.creatures[0]"),
    ("land", {"attacker.creatures": ["7"]}, "attacker.creatures[0]"),
    ("land", {"attacker.creatures": ["0 x Goblins"]}, "attacker.creatures[0]"),
    ("land", {"attacker.creatures": [{"magic": True}]}, "attacker.creatures[0]"),
    ("land", {"attacker.creatures": []}, "attacker.creatures"),
    ("land", {"attacker.creatures": ["11 x 1"]}, "attacker.creatures"),
    ("land", {"defender.creatures": ["11 x 1"], "defender.fort": "castle"}, "defender.creatures"),
    ("land", {"defender.creatures": []}, "defender.creatures"),
    ("land", {"defender.creatures": [], "defender.fort": "keep", "defender.fort_damage": 2}, "defender.creatures"),
    ("land", {"attacker.fort": "keep"}, "attacker.fort"),
    ("land", {"attacker.income_counter": True}, "attacker.income_counter"),
    ("land", {"defender.fort": "keep", "defender.fort_damage": 3}, "defender.fort_damage"),
    ("land", {"defender.settlement": "village", "defender.settlement_damage": 2}, "defender.settlement_damage"),
    ("land", {"defender.settlement": "city", "defender.income_counter": True}, "defender.income_counter"),
    ("land", {"attacker.items": ["wand"]}, "attacker.items[0]"),
    ("land", {"attacker.items": ["golem", "golem"]}, "attacker.items"),
    ("land", {"attacker.items": ["golem"], "defender.items": ["golem"]}, "defender.items"),
    ("land", {"attacker.items": ["dust-of-defense"]}, "attacker.items"),
    ("land", {"attacker.balloon_passengers": ["3"]}, "attacker.balloon_passengers"),
    ("land", {"attacker.items": ["balloon"], "attacker.balloon_passengers": ["2"]}, "attacker.balloon_passengers"),
    (
        "land",
        {"attacker.creatures": ["4 x 1"], "attacker.items": ["balloon"], "attacker.balloon_passengers": ["4 x 1"]},
        "attacker.balloon_passengers",
    ),
    (
        "land",
        {"attacker.creatures": ["4"], "attacker.items": ["balloon"], "attacker.balloon_passengers": ["4"]},
        "attacker.balloon_passengers",
    ),
    ("land", {"policy.attacker.losses": "random"}, "policy.attacker.losses"),
    ("land", {"policy.attacker.losses": "custom"}, "attacker.loss_order"),
    ("land", {"attacker.loss_order": ["3"]}, "attacker.loss_order"),
    ("land", {"policy.attacker.losses": "custom", "attacker.loss_order": ["4"]}, "attacker.loss_order"),
    ("land", {"policy.attacker.losses": "custom", "attacker.loss_order": ["golem"]}, "attacker.loss_order"),
    (
        "land",
        {"policy.attacker.losses": "best", "attacker.items": ["talisman"]},
        "policy.attacker.losses: best is not offered with a talisman: a saved counter may undo the choice",
    ),
    (
        "land",
        {"policy.attacker.losses": "best", "attacker.items": ["talisman"], "defender.items": ["dispel-magic"]},
        "policy.attacker.losses",
    ),
    (
        "land",
        {"policy.defender.losses": "best", "defender.creatures": ["Sword Master"]},
        "policy.defender.losses: best is not offered with the Sword Master: a saved counter may undo the choice",
    ),
    (
        "land",
        {"policy.defender.losses": "best", "policy.defender.structures": "first"},
        'policy.defender.structures: not together with losses = "best", which decides on structures too',
    ),
    ("land", {"policy.attacker.losses": "best", "attacker.loss_order": ["3"]}, "attacker.loss_order"),
    ("free-for-all", {"policy.attacker.losses": "best"}, "policy.attacker.losses: best is not offered in a free-for"),
    ("free-for-all", {"policy.second_attacker.losses": "best"}, "policy.second_attacker.losses"),
    (
        "exploration",
        {"policy.defender.losses": "best", "policy.defender.structures": "last"},
        "policy.defender.structures",
    ),
    ("land", {"conditions.unexplored": True, "policy.defender.retreat": "after-rounds"}, "policy.defender.retreat"),
    ("land", {"conditions.unexplored": True, "defender.fort": "keep"}, "defender.fort"),
    ("land", {"conditions.unexplored": True, "defender.items": ["golem"]}, "defender.items"),
    ("land", {"conditions.unexplored": True, "conditions.black_cloud": True}, "conditions.black_cloud"),
    ("land", {"attacker.creatures": ["2 x Warlord"]}, "attacker.creatures"),
    ("land", {"attacker.creatures": ["Warlord"], "defender.creatures": ["warlord"]}, "defender.creatures"),
    ("land", {"second_attacker": {"creatures": ["1"]}}, "second_attacker"),
    ("land", {"conditions.terrain": "plains"}, "conditions.terrain"),
    ("free-for-all", {"attacker.items": ["golem"]}, "attacker.items"),
    ("free-for-all", {"conditions.unexplored": True}, "conditions.unexplored"),
    ("free-for-all", {"policy.attacker.target": "nobody"}, "policy.attacker.target"),
    ("exploration", {"defender.creatures": ["1"]}, "defender.creatures"),
    ("exploration", {"defender.fort": "keep"}, "defender.fort"),
    ("exploration", {"conditions.exploration_roll": 1}, "conditions.exploration_roll"),
    ("exploration", {"conditions.exploration_roll": 6}, "conditions.exploration_roll"),
    ("exploration", {"conditions.terrain": "moon"}, "conditions.terrain"),
    ("exploration", {"conditions.cup": ["9 x 1"], "conditions.cup_removed": ["Goblins"]}, "conditions.cup_removed"),
    ("exploration", {"conditions.cup": ["4 x 1"]}, "conditions.cup"),
    ("exploration", {"conditions.cup": ["9 x Gobblins"]}, "conditions.cup[0]"),
    ("exploration", {"conditions.cup": ["9 x income:0"]}, "conditions.cup[0]"),
    ("exploration", {"conditions.cup_removed": ["5 x Goblins"]}, "conditions.cup_removed[0]"),
    ("exploration", {"conditions.cup_removed": ["Warlord"]}, "conditions.cup_removed[0]"),
    ("exploration", {"policy.defender.retreat": "after-rounds"}, "policy.defender.retreat"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "settings", "complaint"), CASES)
def test_refused_in_one_line_that_begins_with_the_field(kind, settings, complaint):
    scenario = copy.deepcopy(BASE[kind]) | {"game": "kings-and-things", "battle": kind}
    load(scenario)
    for path, value in settings.items():
        set_path(scenario, path, value)
    with pytest.raises(ScenarioError) as refusal:
        load(scenario)
    text = str(refusal.value)
    assert text.startswith(complaint)
    assert "\n" not in text


SAME = [
    ("old dragon", "Old-Dragon"),
    ("Giant Wasp 4", "giant-wasp-4"),
    ("Dwarves 3C", "dwarves-3c"),
    ("2*", "2M"),
    ("Crocodiles", "crocodiles-swamp"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_ways_of_writing_a_creature(one, other):
    from simulator.rules.kings_and_things.creatures import parse

    first, second = parse([one], "x")[0], parse([other], "x")[0]
    assert (first.value, first.symbol) == (second.value, second.symbol)
