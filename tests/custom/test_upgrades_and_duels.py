"""Units that stand in the place of others, and what `games check` says of duels (docs/rules/custom_games.md)."""

import pytest

from simulator import ScenarioError, exact, load
from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import read_game

PLAIN = {
    "format": 3,
    "name": "Plain",
    "unit": {
        "foot": {"cost": 2, "tags": ["men"], "combat": 2},
        "elite": {"cost": 3, "combat": 3, "instead_of": ["men"]},
        "guns": {"cost": 5, "attack": 3, "defence": 4},
    },
    "battle": {"field": {}},
    "step": [{"name": "combat"}],
}


def plain(attacker, rules=PLAIN, **defender):
    return {
        "game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": defender or {"foot": 1}
    }  # fmt: skip


def test_an_upgrade_replaces_the_unit():
    two = {"game": "twilight-imperium-4", "battle": "space", "defender": {"cruiser": 2}}
    with pytest.raises(ScenarioError) as refused:
        load(two | {"attacker": {"fighter": 2, "fighter_2": 2, "carrier": 1}})
    assert str(refused.value) == "attacker.fighter_2: stands in the place of fighter; give one of the two"
    for unit in ("fighter", "fighter_2"):
        load(two | {"attacker": {unit: 4, "carrier": 1}})
    assert load(two | {"attacker": {"fighter_2": 2}, "defender": {"fighter": 2}})  # each side has its own


def test_a_tag_stands_for_its_units():
    with pytest.raises(ScenarioError, match=r"^defender\.elite: stands in the place of foot"):
        load(plain({"foot": 1}, foot=1, elite=2))
    assert exact(load(plain({"elite": 2, "guns": 1}))).winner("attacker") > 0.8


@pytest.mark.parametrize(
    ("instead", "text"),
    [(["elite"], "unit.elite.instead_of: 'elite' is not allowed"), (["horse"], "unit.elite.instead_of")],
)
def test_refused_places(instead, text):
    unit = PLAIN["unit"] | {"elite": {"combat": 3, "instead_of": instead}}
    with pytest.raises(ScenarioError, match=f"^rules.{text}"):
        load(plain({"foot": 1}, PLAIN | {"unit": unit}))


def compared(most, **unit):
    units = {"foot": {"combat": {"bonus": 0}}, "lord": {"combat": {"bonus": 3}}} | unit
    step = {"name": "duel", "compare": {"most": {"attacker": most, "defender": most}}}
    return warnings(read_game(PLAIN | {"unit": units, "step": [step]}, "rules"))


def test_one_die_of_several_units_is_no_duel():
    attacking, defending = compared(1)
    assert attacking == (
        "step[0] (duel): compare.most.attacker = 1: the strongest unit rolls, and the first of the loss order falls; "
        "it is no duel of front units"
    )
    assert "compare.most.defender = 1" in defending
    assert compared(2) == []
    assert compared(1, lord={"combat": {"bonus": 0}}) == []
