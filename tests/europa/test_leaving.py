"""Leaving at sea as a decision, against a reference over every die face (docs/rules/decisions.md section 2)."""

import pytest

from simulator import best, exact, replay, simulate
from simulator.scenarios import ScenarioError, load
from tests.europa import reference_leaving as ref
from tests.europa.scenarios import leader

SAVING = {"win": 1, "attacker_losses_thirds": -0.1}
LED = {
    "game": "europa",
    "battle": "naval",
    "attacker": {"warships": 6, "leader": leader(4, 2, 2)},
    "defender": {"warships": 7, "leader": leader(3, 2, 3)},
    "conditions": {"wind": "attacker"},
    "objective": {"attacker": SAVING},
}


def battle(policy=None, **more):
    return LED | more | ({"policy": policy} if policy else {})


def worth(row):
    """Of `SAVING` and its negative."""
    own = (row["winner"] == 0) - 0.1 * row["sides"][0]["losses"]
    return own, -own


def own_aims(row):
    return tuple((row["winner"] == i) - 0.2 * row["sides"][i]["losses"] for i in (0, 1))


EACH_ITS_OWN = {
    "attacker": {"win": 1, "attacker_losses_thirds": -0.2},
    "defender": {"win": 1, "defender_losses_thirds": -0.2},
}
BOTH = {"leave_with_wind": "best", "break_off": "best"}
CASES = {
    "with the wind": (battle({"attacker": {"leave_with_wind": "best"}}), worth),
    "breaking off": (battle({"attacker": {"break_off": "best"}}), worth),
    "both decide, an interception, own aims, retreat attrition": (
        battle(
            {"attacker": BOTH, "defender": BOTH},
            attacker={"warships": 2, "transports": 1, "army_minus": 1, "retreat_drm": 1, "leader": leader(2, 3, 2)},
            defender={"warships": 3, "galleys": 1, "retreat_drm": -2, "leader": leader(4, 2, 2)},
            conditions={"interception": True, "sea": "baltic"},
            objective=EACH_ITS_OWN,
        ),
        own_aims,
    ),
    "drawn leaders, a fixed policy against it": (
        battle(
            {"attacker": {"break_off": "best"}, "defender": {"break_off": "if-behind", "leave_with_wind": "best"}},
            attacker={"warships": 1},
            defender={"warships": 1, "technology": "carrack", "leader": "none"},
            conditions={},
        ),
        worth,
    ),
    "breaking off for nothing, destruction is rout": (
        battle(
            {"attacker": BOTH, "defender": {"break_off": "if-sure"}},
            attacker={"warships": 1, "exploration_ships": 1, "leader": leader(1, 1, 4)},
            defender={"warships": 2, "leader": leader(2, 4, 2)},
            conditions={"wind": "defender"},
            options={"destruction_is_rout": True, "break_off_at_sea": "automatic"},
        ),
        worth,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_worth_of_leaving_at_the_best_time(name):
    scenario, aims = CASES[name]
    found = best(scenario).value
    assert [found["attacker"], found["defender"]] == pytest.approx(ref.values(scenario, aims), abs=1e-9)


def test_n7_leaving_at_the_best_time():
    found = best(battle(), decide=["policy.attacker.leave_with_wind"])
    fixed = {row["policy"]: row["value"] for row in found.gains.to_dict("records")}
    assert found.value["attacker"] == pytest.approx(-0.053901, abs=5e-7)
    assert fixed["never"] == pytest.approx(-0.368772, abs=5e-7)
    assert fixed["if-behind"] == pytest.approx(-0.232795, abs=5e-7)
    assert found.odds.winner("attacker") == pytest.approx(0.231124, abs=5e-7)
    assert exact(battle()).winner("attacker") == pytest.approx(0.415060, abs=5e-7)
    breaking = best(battle(), decide=["policy.attacker.break_off"])
    assert breaking.value["attacker"] == pytest.approx(-0.363847, abs=5e-7)


def test_bare_best_decides_both_ways_of_leaving():
    found = best(battle())
    assert found.value["attacker"] == pytest.approx(-0.053901, abs=5e-7)
    assert found.headline.startswith("Leave with the wind in 71.13 % of battles: ")
    assert "Never break off." in found.headline
    alone = best(battle(objective={"attacker": {"win": 1}})).headline
    assert alone.startswith("Never leave with the wind: ")
    assert alone.endswith("Never break off.")


def test_the_positions_in_words():
    found = best(battle({"attacker": BOTH}))
    rows = [row for row in found.rows() if row["reached"] > 0]
    assert {row["decision"] for row in rows} == {"policy.attacker.leave_with_wind", "policy.attacker.break_off"}
    assert {row["roll"] for row in rows} == {"day one, Fire", "day one, Shock (boarding)", "day two, Fire"}
    first = next(row for row in rows if row["attacker_losses_thirds"] == row["defender_losses_thirds"] == 0)
    assert (first["roll"], first["attacker_stars"], first["bonus"], first["choice"]) == (
        "day one, Fire",
        0,
        "",
        "leave",
    )
    assert all(row["advantage"] >= -1e-12 for row in rows)


def test_a_battle_of_which_nobody_leaves_is_the_battle_without_decisions():
    asked = battle({"attacker": {"break_off": "best"}}, objective={"attacker": {"win": 1}})
    decided, fixed = exact(asked), exact(battle())
    means = {name: fixed.mean(name) for name in fixed.columns if name != "winner"}
    assert {name: decided.mean(name) for name in means} == pytest.approx(means, abs=1e-9)


def test_simulated_battles_follow_the_best_policy():
    scenario = battle({"attacker": BOTH, "defender": {"break_off": "if-behind"}})
    odds, seen = exact(scenario), simulate(scenario, battles=20_000, seed=5)
    expected = odds.p("attacker_left_with_wind")
    error = (expected * (1 - expected) / 20_000) ** 0.5
    assert abs(seen.p("attacker_left_with_wind") - expected) < 4.5 * error


def test_a_replay_tells_every_decision():
    scenario = battle({"attacker": BOTH}, defender={"warships": 7, "leader": leader(3, 2, 3), "retreat_drm": 2})
    told = [line for seed in range(24) for line in replay(scenario, seed=seed).lines]
    for words in ("The attacker stays.", "The attacker leaves with the wind.", "The fighting ends: the defender wins."):
        assert any(words in line for line in told), words
    assert any(line.startswith("Pursuit by the attacker: ") for text in told for line in text.splitlines())
    assert any(line.startswith("Losses: attacker suffers ") for text in told for line in text.splitlines())


def test_best_is_refused_where_battles_are_stages():
    path = "policy.attacker.leave_with_wind"
    passage = load("europa-windward-fleet-1668")
    with pytest.raises(ScenarioError, match=path):
        passage.replace(path, "best")
    with pytest.raises(ValueError, match="=named is not allowed"):
        best(battle(), decide=[f"{path}=named"])
