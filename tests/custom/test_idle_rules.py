"""`games check` says which rules of a file can never apply."""

import pytest

from simulator.rules.custom.game_file.describe_rules import warnings
from simulator.rules.custom.game_file.files import find, names

SYMBOLS = {"faces": ["hit", "blank"], "hits": {"hit": "all"}}


def warned(**changes):
    units = {"foot": {"combat": {"die": "symbols"}}, "guns": {"combat": 2}}
    game = {"format": 2, "name": "Idle", "die": {"symbols": SYMBOLS}, "unit": units, "battle": {"field": {"rounds": 6}}}
    return warnings(find("custom", game | {"step": [{"name": "fire"}]} | changes).file)


@pytest.mark.parametrize("kind", ["support", "modifier"])
def test_values_of_symbol_dice(kind):
    help_of_guns = {"support": {"from": ["guns"], "to": ["foot"]}, "modifier": {"units": ["foot"]}}[kind]
    line = f"{kind}[0].adds: every die that it changes has symbols, which have no value"
    assert warned(**{kind: [help_of_guns | {"adds": 1}]}) == [line]
    assert warned(**{kind: [help_of_guns | {"dice": 1}]}) == []
    assert warned(modifier=[{"adds": 1}]) == []  # the guns have numbers


def test_rounds_that_no_battle_has():
    steps = [{"name": "fire"}, {"name": "late", "from_round": 7}]
    assert warned(step=steps) == ["step[1].from_round: 7 is past the 6 rounds of its battles"]
    idle = "modifier[0]: its rounds are none in which fire is fired"
    assert warned(modifier=[{"adds": 1, "from_round": 7}]) == [idle]
    assert warned(modifier=[{"adds": 1, "from_round": 6}]) == []
    assert warned(step=steps, battle={"field": {}}) == []


def test_a_unit_without_any_roll():
    units = {"foot": {"combat": 2}, "crowd": {}}
    assert warned(unit=units) == ["unit.crowd: it has no roll: it never fires"]
    assert warned(unit=units, losses={"removed_alone": ["crowd"]}) == []
    assert warned(unit=units, support=[{"from": ["crowd"], "to": ["foot"], "adds": 1}]) == []


def test_units_that_are_counted_need_no_roll():
    units = {"foot": {"combat": 2}, "crowd": {}}
    limit = {"reroll": "misses", "at_most": {"own": ["crowd"]}}
    assert warned(format=3, unit=units, modifier=[limit]) == []
    assert warned(unit=units, modifier=[{"adds": 1, "if_own_has": ["crowd"]}]) == []
    assert warned(unit=units, step=[{"name": "fire", "dice_at_most": {"enemy": ["crowd"]}}]) == []


def test_rerolls_that_no_die_can_have():
    again = {"reroll": "misses"}
    line = "modifier[0].reroll: no dice are rolled again where they are compared or counted (fire)"
    compared = {"unit": {"foot": {"combat": {"bonus": 0}}}, "step": [{"name": "fire", "compare": {}}]}
    assert warned(modifier=[again], **compared) == [line]
    assert warned(format=3, modifier=[again | {"at_most": 2}], **compared) == [line]
    aimed = {"format": 3, "unit": {"foot": {"combat": 2}}, "step": [{"name": "fire", "aim": "first"}]}
    line = "modifier[0].at_most: limited rerolls need dice that are not aimed (fire)"
    assert warned(modifier=[again | {"at_most": 2}], **aimed) == [line]
    assert warned(modifier=[again], **aimed) == []


@pytest.mark.parametrize("game", names())
def test_shipped_games_have_no_idle_rules(game):
    assert warnings(find(game).file) == []
