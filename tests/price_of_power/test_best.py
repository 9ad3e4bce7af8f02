"""Losses, retreats and cards at best: equal to plain recursion, never below a fixed policy, and by die."""

from __future__ import annotations

import random

import pytest

from simulator import best, exact, load, simulate
from simulator.rules.price_of_power import cards
from simulator.rules.price_of_power.model import BattleAction
from tests.price_of_power.best_reference import BestWar
from tests.price_of_power.reference import ORDERS

BOTH = {"attacker": {"losses": "best"}, "defender": {"losses": "best"}}
DUCATS = {"win": 1, "attacker_ducats_lost": -0.04, "defender_ducats_lost": 0.03}


def battle(attacker, defender, kind="land", **tables):
    return {"game": "price-of-power", "battle": kind, "attacker": attacker, "defender": defender, **tables}


SMALL = {
    "all types": (battle({"infantry": 1, "cavalry": 1}, {"infantry": 1, "cavalry": 1, "artillery": 1}, policy=BOTH),
                  {"win": 1}),
    "retreat": (battle({"infantry": 2, "cavalry": 1}, {"infantry": 2, "mercenary_cavalry": 1},
                       policy={"attacker": {"losses": "best", "retreat": "best"},
                               "defender": {"losses": "cavalry-first"}}), DUCATS),
    "price of a policy": (battle({"infantry": 1, "cavalry": 2}, {"infantry": 2},
                                 policy={"attacker": {"losses": "best", "retreat": "when-outnumbered"}}), DUCATS),
    "two defenders leave": (
        battle({"infantry": 2, "leader": {"cavalry": 1}},
               {"factions": [{"infantry": 1, "cavalry": 1}, {"artillery": 1, "infantry": 1}]},
               policy={"defender": {"losses": "best", "retreat": "best"}}, conditions={"max_rounds": 2}), DUCATS),
    "an ally of its own mind": (
        battle({"infantry": 2, "cavalry": 1},
               {"factions": [{"kind": "npr", "infantry": 1},
                             {"artillery": 1, "infantry": 1, "retreat": "at-or-below", "retreat_at": 1},
                             {"cavalry": 1, "infantry": 1, "can_retreat": False}], "leader": "none"},
               policy=BOTH, conditions={"max_rounds": 1}), DUCATS),
    "allies of their own minds": (
        battle({"infantry": 2, "cavalry": 1},
               {"factions": [{"infantry": 2, "retreat": "best"}, {"cavalry": 1, "infantry": 1, "retreat": "best"}]},
               conditions={"max_rounds": 2}), DUCATS),
    "one of its own mind beside a rule": (
        battle({"infantry": 3},
               {"factions": [{"infantry": 1}, {"infantry": 2, "retreat": "best"}, {"kind": "npr", "infantry": 1},
                             {"cavalry": 1, "infantry": 1, "retreat": "best", "can_retreat": False}]},
               policy={"defender": {"retreat": "at-or-below", "retreat_at": 4}}, conditions={"max_rounds": 1}),
        {"win": 1, "defender_faction_2_left": -0.2, "defender_losses": 0.1}),
    "fleets of their own minds": (
        battle({"light": 2, "heavy": 1},
               {"factions": [{"light": 1, "galleys": 1, "retreat": "best"}, {"heavy": 1, "retreat": "best"}]},
               "naval", conditions={"max_rounds": 2}), DUCATS),
    "generals": (
        battle({"infantry": 2, "cavalry": 1, "leaders": [
                    {"infantry": 2, "power": 2, "wounds": 1}, "none", {"cavalry": 1, "power": 1}]},
               {"infantry": 2, "cavalry": 1, "leaders": [
                    {"artillery": 1}, {"cavalry": 2, "power": 2}], "ideas": ["noble-knights"]},
               policy={"attacker": {"leader": "best"}, "defender": {"leader": "best"}},
               conditions={"max_rounds": 2}),
        {"win": 1, "attacker_leader_power": -0.1, "defender_leader_power": 0.15}),
    "admirals": (
        battle({"light": 2, "leaders": ["none", {"artillery": 1, "power": 1}]}, {"light": 1, "heavy": 1}, "naval",
               policy={"attacker": {"leader": "best", "losses": "best"}}, conditions={"max_rounds": 2}),
        {"win": 1, "attacker_leader_power": -0.05}),
    "charge": (battle({"infantry": 1, "cavalry": 2, "ideas": ["noble-knights"]},
                      {"infantry": 2, "cavalry": 1, "ideas": ["noble-knights"]}, policy=BOTH,
                      conditions={"max_rounds": 1}), DUCATS),
    "cards": (
        battle({"infantry": 2, "battle_actions": [{"infantry": 2, "when": "best", "this_round_only": True}]},
               {"infantry": 1, "cavalry": 1, "battle_actions": [{"cavalry": 1, "when": "best", "round": 2}]},
               policy={"defender": {"losses": "best"}}),
        {"win": 1, "attacker_actions_played": -0.1, "defender_actions_played": 0.1}),
    "sea": (battle({"light": 1, "heavy": 1}, {"light": 1, "galleys": 1, "heavy": 1, "damaged": 1}, "naval",
                   policy={"attacker": {"losses": "best"}, "defender": {"losses": "best", "retreat": "best"}},
                   conditions={"max_rounds": 2}), DUCATS),
}  # fmt: skip


@pytest.mark.parametrize("name", SMALL)
def test_best_is_what_plain_recursion_finds(name):
    scenario, weights = SMALL[name]
    found = best(scenario | {"objective": {"attacker": weights}}).value["attacker"]
    assert found == pytest.approx(BestWar(scenario, weights).value(), abs=1e-11)


@pytest.mark.parametrize("seed", range(6))
def test_random_battles_played_best(seed):
    rng = random.Random(seed)
    units = {"infantry": 1, rng.choice(["cavalry", "artillery", "mercenary_cavalry", "allied_cavalry"]): 1}
    policies = {s: {"losses": rng.choice(["best", *ORDERS])} for s in ("attacker", "defender")}
    policies[rng.choice(["attacker", "defender"])] |= {"losses": "best", "retreat": rng.choice(["best", "when-half"])}
    leader = {"leader": {"infantry": 1, "wounds": rng.randint(0, 1)}}
    scenario = battle({"infantry": 1, "cavalry": 1} | leader, units, policy=policies, conditions={"max_rounds": 2})
    found = best(scenario | {"objective": {"attacker": DUCATS}}).value["attacker"]
    assert found == pytest.approx(BestWar(scenario, DUCATS).value(), abs=1e-11)


@pytest.mark.parametrize(
    ("kind", "units", "enemy"),
    [
        ("land", {"infantry": 1, "cavalry": 1, "mercenary_artillery": 1}, {"infantry": 1, "cavalry": 1}),
        ("naval", {"galleys": 1, "light": 1, "heavy": 1}, {"light": 2, "heavy": 1}),
    ],
)
def test_best_is_never_below_a_fixed_policy(kind, units, enemy):
    policy = {"attacker": {"losses": "best", "retreat": "best"}}
    gains = best(battle(units, enemy, kind, policy=policy) | {"objective": {"attacker": DUCATS}}).fixed
    assert {one.decision for one in gains} == {"policy.attacker.losses", "policy.attacker.retreat"}
    assert all(one.gain >= -1e-12 for one in gains)


def test_the_example_of_the_issue():
    asked = load(battle({"infantry": 4, "cavalry": 2, "artillery": 1}, {"infantry": 5, "cavalry": 2, "artillery": 1}))
    enemy = {"policy.defender.losses": "infantry-first"}
    old, own, both = (
        exact(asked.replace_all(changes)).winner("attacker")
        for changes in (
            enemy | {"policy.attacker.losses": "infantry-first"},
            enemy | {"policy.attacker.losses": "best"},
            {"policy.attacker.losses": "best", "policy.defender.losses": "best"},
        )
    )
    assert (old, own, both) == pytest.approx((0.2164, 0.3951, 0.1879), abs=5e-5)


def policy_rows(scenario, decision):
    return [row for row in best(scenario).rows() if row["decision"] == decision]


def test_13_picking_losses_best():
    scenario = battle({"infantry": 1, "cavalry": 1}, {"infantry": 1}, policy={"attacker": {"losses": "best"}})
    row, other = sorted(policy_rows(scenario, "policy.attacker.losses"), key=lambda row: row["defender"])
    assert (row["attacker"], row["defender"], row["hits"]) == ("1 infantry, 1 cavalry", "1 infantry", 1)
    assert row["choice"] == "lose 1 cavalry"
    # If the defender's last unit falls too, nothing depends on the choice.
    assert (other["defender"], other["choice"], other["advantage"]) == ("nobody", "lose 1 infantry", 0)
    assert row["advantage"] == pytest.approx(1 / 9 - 91 / 1603)


def test_16_a_card_that_costs():
    card = {"name": "Superior Tactics", "infantry": 2, "when": "best", "this_round_only": True}
    scenario = battle({"infantry": 4, "battle_actions": [card]}, {"infantry": 4})
    found = best(scenario | {"objective": {"attacker": {"win": 1, "attacker_actions_played": -0.1}}})
    assert found.odds.winner("attacker") == pytest.approx(0.655417, abs=5e-7)
    assert found.value["attacker"] == pytest.approx(0.555417, abs=5e-7)
    assert found.odds.mean("attacker_actions_played") == pytest.approx(1)
    assert {row["choice"] for row in found.rows()} <= {"keep", "play Superior Tactics"}
    assert {row["decision"] for row in found.rows()} == {"attacker.battle_actions"}


def test_on_a_tie_the_first_choice_is_taken():
    """All units of the defender are worth the same to nobody: he loses what `most-numerous` would lose."""
    scenario = battle({"infantry": 3}, {"infantry": 2, "cavalry": 1}, policy={"defender": {"losses": "best"}})
    usual = exact(battle({"infantry": 3}, {"infantry": 2, "cavalry": 1}))
    found = exact(scenario | {"objective": {"attacker": {"attacker_leader_wounds": 1}}})
    for column in ("defender_infantry_left", "defender_cavalry_left"):
        assert found.mean(column) == pytest.approx(usual.mean(column), abs=1e-12)


def test_ships_that_are_damaged_are_named():
    scenario = battle({"light": 3}, {"light": 1, "heavy": 2}, "naval", policy={"defender": {"losses": "best"}})
    choices = {row["choice"] for row in policy_rows(scenario, "policy.defender.losses")}
    assert "damage 1 heavy" in choices
    assert all(choice.startswith(("lose ", "damage ")) for choice in choices)


def test_best_losses_are_simulated_as_they_are_enumerated():
    scenario = battle({"infantry": 2, "cavalry": 1, "artillery": 1}, {"infantry": 3, "cavalry": 1}, policy=BOTH)
    odds, counted = exact(scenario), simulate(scenario, 100_000, seed=5)
    assert counted.winner("attacker") == pytest.approx(odds.winner("attacker"), abs=4.5 * (0.25 / 100_000) ** 0.5)


def test_cards_that_may_be_played_now():
    once = BattleAction(when="best", this_round_only=True, infantry=1)
    kept = BattleAction(when="best", round=2, cavalry=1)
    behind = BattleAction(when="if-behind", artillery=1)
    hand = cards.in_hand([once, BattleAction(infantry=1), kept, behind])
    assert hand == [once, kept, behind]
    assert list(cards.plays(hand, (0, 0, 0), 1, False)) == [(0, 0, 0), (1, 0, 0)]
    assert list(cards.plays(hand, (0, 0, 0), 2, True)) == [(0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1)]
    assert cards.after_round(hand, (1, 1, 1)) == (2, 1, 1)
    assert cards.in_force(hand, (2, 0, 1)) == [behind]
    assert cards.played((2, 0, 1)) == 2


GENERALS = ["none", {"name": "Gaston", "infantry": 1, "power": 1}, {"name": "Bayard", "cavalry": 2, "power": 2}]


def test_one_general_leads_and_each_is_shown_with_his_worth():
    own = {"infantry": 4, "cavalry": 1}
    aim = {"objective": {"attacker": {"win": 1, "attacker_leader_power": -0.12}}}
    asked = battle(own | {"leaders": GENERALS}, {"infantry": 5}, policy={"attacker": {"leader": "best"}}) | aim
    found = best(asked)
    worth = []
    for number, general in enumerate(GENERALS, 1):
        dice = (
            general if general == "none" else {name: general[name] for name in ("infantry", "cavalry") & general.keys()}
        )
        alone = exact(battle(own | {"leader": dice}, {"infantry": 5}))
        led = exact(asked | {"policy": {"attacker": {"leader": number}}})
        assert led.winner("attacker") == pytest.approx(alone.winner("attacker"), abs=1e-12)
        assert led.mean("attacker_leader_power") == pytest.approx((0, 1, 2)[number - 1], abs=1e-11)
        assert "attacker_leader_power" not in alone.columns
        worth.append(alone.winner("attacker") - 0.12 * (0, 1, 2)[number - 1])
    assert [one.value for one in found.fixed] == pytest.approx(worth, abs=1e-11)
    assert found.value["attacker"] == pytest.approx(max(worth), abs=1e-11)
    (row,) = found.rows()
    assert (row["decision"], row["choice"]) == ("policy.attacker.leader", "Bayard (2 power)")


def test_the_first_of_equal_generals_is_appointed():
    scenario = battle({"infantry": 2, "leaders": [{"power": 3}, {"power": 1}]}, {"infantry": 1},
                      policy={"attacker": {"leader": "best"}})  # fmt: skip
    assert exact(scenario).mean("attacker_leader_power") == pytest.approx(3)


def test_allies_that_leave_are_named():
    allies = [{"name": "Milan", "infantry": 3, "retreat": "best"}, {"name": "France", "infantry": 2, "retreat": "best"}]
    aims = {"defender": {"win": 0.5, "defender_faction_1_left": 1, "defender_faction_2_left": 0.4}}
    rows = best(battle({"infantry": 5, "cavalry": 1}, {"factions": allies}) | {"objective": aims}).rows()
    assert {row["decision"] for row in rows} == {"defender.factions[0].retreat and factions[1].retreat"}
    assert {"stay", "Milan leaves"} <= {row["choice"] for row in rows}
    assert {row["choice"] for row in rows} <= {"stay", "Milan leaves", "France leaves", "Milan and France leave"}


def test_fixed_policies_of_an_ally_are_compared():
    allies = [{"infantry": 2, "retreat": "best"}, {"infantry": 1, "retreat": "never"}]
    aims = {"objective": {"defender": {"win": 0.5, "defender_faction_1_left": 1}}}
    found = best(battle({"infantry": 3}, {"factions": allies}) | aims)
    assert {one.decision for one in found.fixed} == {"defender.factions[0].retreat"}
    assert {"never", "when-outnumbered", "at-or-below 1"} <= {one.policy for one in found.fixed}
    assert all(one.gain >= -1e-12 for one in found.fixed)
