"""Properties that docs/rules/custom_games.md section 16 promises."""

import copy

import numpy as np
import pytest

from simulator import exact, load
from simulator.engine.exact import exact_outcomes
from simulator.rules.custom.build import lay_out
from simulator.rules.custom.game_file.files import find, shipped_text
from simulator.rules.custom.outcome import outcome
from simulator.rules.custom.setup import Setup

PLAIN = {
    "format": 1,
    "name": "Plain",
    "unit": {"foot": {"cost": 2, "tags": ["men"], "combat": 2}, "guns": {"cost": 5, "tags": ["heavy"], "combat": 4}},
    "battle": {"field": {"may_retreat": ["attacker", "defender"]}},
    "step": [{"name": "combat"}],
}


def fought(attacker, defender, rules=PLAIN, **more):
    return exact(
        {"game": "custom", "battle": "field", "rules": rules, "attacker": attacker, "defender": defender} | more
    )


def chances(odds):
    return [odds.winner(side) for side in ("attacker", "defender", "nobody")]


def test_chances_sum_to_one():
    assert sum(chances(fought({"foot": 5, "guns": 2}, {"foot": 6, "guns": 1}))) == pytest.approx(1, abs=1e-12)


def test_swapping_the_sides_swaps_the_odds():
    one = chances(fought({"foot": 5, "guns": 2}, {"foot": 6, "guns": 1}))
    other = chances(fought({"foot": 6, "guns": 1}, {"foot": 5, "guns": 2}))
    assert other == pytest.approx([one[1], one[0], one[2]], abs=1e-12)


def test_a_unit_more_never_harms():
    odds = [fought({"foot": n}, {"foot": 5}).winner("attacker") for n in range(1, 9)]
    assert odds == sorted(odds)


def test_a_group_of_one_step_is_that_step():
    grouped = PLAIN | {"step": [{"name": "combat", "group": "alone"}]}
    assert chances(fought({"foot": 4}, {"guns": 3}, grouped)) == pytest.approx(
        chances(fought({"foot": 4}, {"guns": 3}))
    )


def test_the_order_of_steps_in_a_group_does_not_matter_if_their_targets_are_alike():
    steps = [{"name": "a", "group": "all", "by": ["foot"]}, {"name": "b", "group": "all", "by": ["guns"]}]
    armies = {"foot": 4, "guns": 2}, {"foot": 5, "guns": 1}
    assert chances(fought(*armies, PLAIN | {"step": steps})) == pytest.approx(
        chances(fought(*armies, PLAIN | {"step": steps[::-1]})), abs=1e-12
    )


def test_a_policy_that_never_says_yes_changes_nothing():
    policy = {"attacker": {"retreat": "after-rounds", "after_rounds": 60}}
    armies = {"foot": 4}, {"foot": 5}
    assert chances(fought(*armies, policy=policy)) == pytest.approx(chances(fought(*armies)), abs=1e-12)


def test_a_file_by_name_by_path_and_inline_is_the_same_game(tmp_path):
    import tomllib

    armies = {"attacker": {"pikes": 3, "knights": 1}, "defender": {"archers": 3}, "battle": "field"}
    (tmp_path / "mine.toml").write_text(shipped_text("skirmish"))
    scenario = tmp_path / "battle.toml"
    scenario.write_text(
        'game = "./mine.toml"\nbattle = "field"\nattacker = { pikes = 3, knights = 1 }\ndefender = { archers = 3 }\n'
    )
    named = chances(exact({"game": "skirmish"} | armies))
    inline = chances(exact({"game": "custom", "rules": tomllib.loads(shipped_text("skirmish"))} | armies))
    assert chances(exact(scenario)) == named == inline


def test_a_changed_scenario_keeps_its_folder(tmp_path, monkeypatch):
    (tmp_path / "mine.toml").write_text(shipped_text("skirmish"))
    scenario = tmp_path / "battle.toml"
    scenario.write_text('game = "mine.toml"\nbattle = "field"\nattacker.pikes = 3\ndefender.archers = 3\n')
    monkeypatch.chdir(tmp_path.parent)
    changed = load(scenario).replace("attacker.pikes", 4).replace("rules.unit.pikes.attack", 5)
    assert changed.data["attacker"] == {"pikes": 4}
    assert "house rule: unit.pikes.attack: 8 -> 5" in changed.assumptions()


def test_paths_can_be_forbidden(tmp_path):
    (tmp_path / "mine.toml").write_text(shipped_text("skirmish"))
    data = {"game": "./mine.toml", "battle": "field", "attacker": {"pikes": 1}, "defender": {"pikes": 1}}
    assert load(data, tmp_path)
    with pytest.raises(ValueError, match=r"^game: \./mine\.toml: game files are not read here"):
        load(data, tmp_path, paths=False)


def test_equal_scenarios_are_equal_and_house_rules_tell_them_apart():
    data = {"game": "skirmish", "battle": "field", "attacker": {"pikes": 1}, "defender": {"pikes": 1}}
    assert load(data) == load(copy.deepcopy(data))
    assert hash(load(data)) == hash(load(copy.deepcopy(data)))
    assert load(data) != load(data | {"rules": {"unit": {"pikes": {"attack": 7}}}})


def test_units_may_have_any_name():
    """Names of a model's own attributes, and of columns, are names like any other."""
    units = {name: {"combat": 2} for name in ("copy", "json", "model_config", "winner", "rounds", "unit_0", "schema")}
    odds = fought(dict.fromkeys(units, 1), {"copy": 3}, PLAIN | {"unit": units})
    assert odds.mean("attacker_winner_left") > odds.mean("attacker_copy_left")


def test_costs_that_are_no_binary_fraction_add_up_as_they_are_written():
    rules = copy.deepcopy(PLAIN)
    rules["unit"]["foot"]["cost"] = 0.1
    odds = fought({"foot": 3}, {"foot": 3}, rules)
    assert odds.p("attacker_cost_lost <= 0.3") == pytest.approx(1, abs=1e-12)
    assert odds.p("attacker_cost_lost == 0.3") == pytest.approx(odds.p("attacker_units_left == 0"), abs=1e-12)


def test_every_hit_class_alone_gives_the_same_odds():
    """Classes that are rolled one after the other, where a joint table would be too large."""
    scenario = load("axis-sea-carriers")
    setup = Setup(find(scenario.data["game"]), scenario.battle.kind, scenario.fields)
    apart = lay_out(setup, most_results=1)
    assert len(apart.salvos) > len(lay_out(setup).salvos)
    ends = exact_outcomes(apart.chain)
    columns, together = outcome(apart, ends.states), exact(scenario)
    won = np.bincount(columns["winner"], ends.p, 3)
    assert won == pytest.approx(chances(together), abs=1e-12)
    assert ends.p @ columns["attacker_cost_lost"] == pytest.approx(together.mean("attacker_cost_lost"), abs=1e-9)


def test_a_battle_in_which_nobody_can_hit_is_a_stalemate_at_once():
    odds = fought({"foot": 2}, {"foot": 2}, PLAIN | {"unit": {"foot": {"cost": 1}}})
    assert odds.p("stalemate") == 1
    assert odds.mean("rounds") == 0


@pytest.mark.parametrize("policy", [{"retreat": "best"}, {"loss_order": "best"}])
def test_a_battle_of_opening_steps_alone_counts_no_round_however_it_is_played(policy):
    rules = PLAIN | {"step": [{"name": "volley", "when": "before-battle"}]}
    odds = fought({"foot": 2}, {"foot": 2}, rules, policy={"attacker": policy})
    assert odds.mean("rounds") == fought({"foot": 2}, {"foot": 2}, rules).mean("rounds") == 0
