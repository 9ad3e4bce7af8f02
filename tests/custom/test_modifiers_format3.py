"""Modifiers of format 3 (docs/rules/custom_games.md 2.9): for a number of pieces or misses, and of the enemy's dice."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from simulator import ScenarioError, exact, load
from simulator.analysis.odds.answer import explain
from simulator.rules.custom.game_file.describe_rules import rule_rows, warnings
from simulator.rules.custom.game_file.files import read_game
from tests.custom.reference_format3 import Reference3
from tests.custom.table_top import fight
from tests.custom.test_reference import assert_alike, rows_of

UNITS = {
    "foot": {"cost": 2, "tags": ["men"], "combat": 2},
    "guns": {"cost": 5, "tags": ["heavy"], "attack": 3, "defence": 4},
    "lord": {"tags": ["leaders"]},
}


def scenario(modifiers, attacker, defender, **more):
    rules = {"format": 3, "name": "Plain", "unit": UNITS, "modifier": modifiers, "step": [{"name": "combat"}]} | more
    fights = {"fights": ["men", "heavy"], "supports": ["leaders"]}
    rules["battle"] = {"field": {"attacker": fights, "defender": fights}}
    return {"game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": defender}


def test_20_leaders_reroll_as_many_misses():
    """Worked example 20: 1, 3, 5, 6, 2 at 5 or more; the first two misses again, 5 and 4: three hits in all."""
    leaders = {"reroll": "misses", "at_most": {"own": ["leaders"], "most": 5}}
    given = scenario([leaders], {"foot": 5, "lord": 2}, {"foot": 4}, dice={"hit": "at-least"})
    given["rules"]["unit"] = UNITS | {"foot": {"tags": ["men"], "combat": 5}}
    given["options"] = {"rounds": 1}
    end = fight(given, {"attacker": [1, 3, 5, 6, 2, 5, 4], "defender": [1, 1, 1, 1]})
    assert end["defender_foot_lost"] == 3


def test_21_the_best_dice_are_rolled_again():
    """Worked example 21: guns 4, 1, foot 5, 2, 6; then the guns' die and the first miss of the foot: 3 hits, 3 not."""
    given = scenario([{"side": "attacker", "reroll": "misses", "at_most": 2}], {"foot": 3, "guns": 2}, {"foot": 5})
    given["options"] = {"rounds": 1}
    end = fight(given, {"attacker": [4, 1, 5, 2, 6, 3, 3], "defender": [6, 6, 6, 6, 6]})
    assert end["defender_foot_lost"] == 3


@pytest.mark.parametrize(
    ("guns", "dice"), [(2, ["1 gun at 3 or less, 2 dice", "1 gun at 3 or less (chance 1/2"]), (1, ["2 dice"])]
)
def test_22_a_die_more_for_one_piece(guns, dice):
    given = scenario([{"side": "attacker", "dice": 1, "at_most": 1}], {"foot": 1, "guns": guns}, {"foot": 1})
    (line,) = [line for line in explain(given) if "combat, attacker" in line]
    assert all(one in line for one in dice)
    assert "1 foot at 2 or less (chance 1/3 a die)" in line


COUNT = st.one_of(
    st.integers(1, 3),
    st.sampled_from([{"own": ["leaders"], "each": 2}, {"enemy": ["men"], "most": 1}, {"enemy": ["leaders"]}]),
)
WHOSE = {"side": st.sampled_from(["attacker", "defender", "both"]), "whom": st.sampled_from(["own", "enemy"])}
SCOPE = {"units": st.sampled_from([["men"], ["heavy"]]), "to_round": st.just(1), "if_enemy_has": st.just(["guns"])}
BONUS = st.fixed_dictionaries(
    WHOSE | {"adds": st.integers(-1, 2), "dice": st.integers(-1, 1)}, optional=SCOPE | {"at_most": COUNT}
)
AGAIN = st.fixed_dictionaries(WHOSE | {"reroll": st.just("misses"), "at_most": COUNT}, optional=SCOPE)
ARMY = st.fixed_dictionaries({"foot": st.integers(1, 2), "guns": st.integers(0, 1), "lord": st.integers(0, 1)})
HEAVY = {"tags": ["heavy"], "cost": 5, "attack": {"value": 3, "damage": 2}, "defence": {"value": 4, "reroll": [6]}}
HULK = {"foot": {"cost": 2, "tags": ["men"], "combat": 2, "shield": 1, "hits": 2, "absorb": "last"}}
MORE = [{}, {"unit": UNITS | HULK | {"guns": HEAVY}}, {"step": [{"name": "combat", "dice_at_most": 2}]}]


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(BONUS | AGAIN, min_size=1, max_size=2), ARMY, ARMY, st.sampled_from(MORE), st.booleans())
def test_random_modifiers_against_the_slow_reference(modifiers, attacker, defender, more, leaves):
    given = scenario(modifiers, attacker, defender, **more)
    given["rules"]["battle"]["field"] |= {"rounds": 3, "may_retreat": ["defender"]}
    if leaves:
        given["policy"] = {"defender": {"retreat": "outpowered"}}
    assert_alike(rows_of(exact(given)), Reference3(given["rules"], given).table())


@pytest.mark.parametrize(
    ("limited", "unlimited"),
    [({"reroll": "misses", "at_most": 5}, {"reroll": "misses"}), ({"adds": 1, "at_most": 5}, {"adds": 1})],
)
def test_a_limit_as_large_as_all_changes_nothing(limited, unlimited):
    armies = {"foot": 3, "guns": 2}, {"foot": 4}
    found, expected = (exact(scenario([{"side": "attacker"} | one], *armies)) for one in (limited, unlimited))
    assert_alike(rows_of(found), rows_of(expected))


def test_a_modifier_of_the_enemys_dice_is_the_enemys_own():
    armies = {"foot": 2, "guns": 1}, {"foot": 2, "guns": 1}
    theirs = scenario([{"side": "defender", "whom": "enemy", "units": ["heavy"], "adds": -1}], *armies)
    own = scenario([{"side": "attacker", "units": ["heavy"], "adds": -1}], *armies)
    of_the_scenario = scenario([], *armies)
    of_the_scenario["defender"] = armies[1] | {"modifiers": [{"whom": "enemy", "units": ["heavy"], "adds": -1}]}
    expected = rows_of(exact(own))
    assert_alike(rows_of(exact(theirs)), expected)
    assert_alike(rows_of(exact(of_the_scenario)), expected)


@pytest.mark.parametrize(
    ("modifier", "text"),
    [
        ({"reroll": [1], "at_most": 1}, "at_most: is not allowed beside a list of faces"),
        ({"reroll": "misses", "adds": 1, "at_most": 1}, "at_most: is for reroll, or for adds and dice"),
        ({"adds": 1, "at_most": {"own": ["men"], "enemy": ["men"]}}, "at_most: give exactly one of own, enemy"),
        ({"adds": 1, "at_most": {"own": ["ghosts"]}}, "at_most.own[0]: no unit or tag 'ghosts'"),
        ({"adds": 1, "at_most": 0}, "at_most: "),
        ({"adds": 1, "whom": "nobody"}, "whom: "),
    ],
)
def test_refused_limits(modifier, text):
    for asked, field in (
        (scenario([modifier], {"foot": 1}, {"foot": 1}), "rules.modifier[0]"),
        (scenario([], {"foot": 1, "modifiers": [modifier]}, {"foot": 1}), "attacker.modifiers[0]"),
    ):
        with pytest.raises(ScenarioError) as refused:
            load(asked)
        assert str(refused.value).startswith(f"{field}.{text}")


@pytest.mark.parametrize("key", ["at_most", "whom"])
def test_keys_of_format_3_are_unknown_below(key):
    modifier = {"adds": 1, key: {"at_most": 1, "whom": "enemy"}[key]}
    for asked, field in (
        (scenario([modifier], {"foot": 1}, {"foot": 1}, format=2), f"rules.modifier[0].{key}"),
        (scenario([], {"foot": 1, "modifiers": [modifier]}, {"foot": 1}, format=2), f"attacker.modifiers[0].{key}"),
    ):
        with pytest.raises(ScenarioError, match=r"^" + field.replace("[", r"\[").replace("]", r"\]")):
            load(asked)


@pytest.mark.parametrize(
    ("format_", "bonus", "fits"), [(2, 20, True), (2, 21, False), (3, 1000, True), (3, 1001, False)]
)
def test_bonuses_are_wider_in_format_3(format_, bonus, fits):
    step = [{"name": "duel", "compare": {}}]
    given = scenario([], {"foot": 1}, {"foot": 1}, format=format_, step=step)
    given["rules"]["unit"] = {"foot": {"tags": ["men", "heavy", "leaders"], "combat": {"bonus": bonus}}}
    given["rules"]["battle"] = {"field": {}}
    if fits:
        assert exact(given).winner("defender") > 0
    else:
        with pytest.raises(ScenarioError, match=r"^rules\.unit\.foot\.combat\.bonus"):
            load(given)


def test_rerolls_that_come_when_others_are_gone():
    """In the chief's presence 2, 1, 0 foot beside 2 chiefs or 1, without him 2, 1, 0 foot with as many rerolls of the
    chief's: the same six numbers, of six line-ups and of three.
    """
    units = {"chief": {"cost": 1}, "foot": {"cost": 2, "combat": 3}}
    steps = [
        {"name": "at-chief", "hits_only": ["chief"], "fire": {"defender": "defence"}},
        {"name": "at-foot", "hits_only": ["foot"]},
    ]
    mourning = {"side": "attacker", "units": ["chief"], "reroll": "misses", "at_most": {"own": ["foot"]}}
    mourning["unless_own_has"] = ["chief"]
    given = scenario([mourning], {"chief": 2, "foot": 2}, {"foot": 2}, unit=units, step=steps)
    given["rules"]["battle"] = {"field": {"rounds": 3}}
    assert_alike(rows_of(exact(given)), Reference3(given["rules"], given).table())


def test_what_games_check_says_of_them():
    leaders = {"name": "leaders", "reroll": "misses", "at_most": {"own": ["leaders"], "most": 5}}
    deflectors = {"name": "deflectors", "side": "attacker", "whom": "enemy", "adds": -1, "units": ["heavy"]}
    rules = scenario([leaders, deflectors], {}, {})["rules"]
    found = [row[:2] for row in rule_rows(read_game(rules, ""))]
    assert found == [
        ("leaders", "reroll misses for all units, at most own leaders, no more than 5"),
        ("deflectors", "-1 for enemy heavy"),
    ]
    rules["step"] = [{"name": "combat", "fire": {"attacker": "attack"}}]
    assert "modifier[1].rolls: the defender fires no attack or defence" in warnings(read_game(rules, ""))


def test_a_replay_shows_what_was_rolled_again():
    from simulator import replay

    given = scenario([{"reroll": "misses", "at_most": 2}], {"foot": 3}, {"foot": 3})
    told = "\n".join(str(line) for line in replay(given, seed=3).lines)
    assert ">" in told
    assert "?" not in told
