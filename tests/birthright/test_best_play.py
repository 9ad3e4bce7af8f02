"""Best play against a program that looks at everything that may follow, and against every fixed policy."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import best, exact, load, replay, simulate, survival
from simulator.conformance import largest_z
from tests.birthright import reference
from tests.birthright.reference_checks import Army, best_quick, best_siege


def side(*units, **more):
    return {"units": [{"unit": name, "count": count} for name, count in units]} | more


def scenario(battle, own, enemy, **parts):
    return {"game": "birthright", "battle": battle, "attacker": own, "defender": enemy} | parts


def by_weights(data):
    """The worths of an outcome of the reference to both sides."""
    given = data["objective"]

    def worth(outcome):
        def of(name):
            weights = given[name]
            total = sum(weight * outcome[column] for column, weight in weights.items() if column != "win")
            return total + weights.get("win", 0) * (outcome["winner"] == name)

        worths = {name: of(name) for name in given}
        first = worths["attacker"] if "attacker" in worths else -worths["defender"]
        return first, worths.get("defender", -first)

    return worth


FIELD = {
    "attacker, gold": scenario(
        "tactical",
        side(("knights", 1), ("infantry", 1)),
        side(("infantry", 1), ("irregulars", 1)),
        policy={"attacker": {"retreat": "best"}},
        options={"gold": True},
        objective={"attacker": {"win": 4, "attacker_gold_lost": -1}},
    ),
    "defender against outmatched, woods": scenario(
        "tactical",
        side(("cavalry", 1), ("levies", 2)),
        side(("archers", 1), ("goblin-infantry", 1)),
        conditions={"terrain": "woods"},
        policy={"attacker": {"retreat": "outmatched"}, "defender": {"retreat": "best"}},
        options={"ten": "shift", "pursuit_number": 2},
        objective={"defender": {"win": 1, "defender_destroyed": -0.8, "attacker_hits": 0.1}},
    ),
    "both, two aims": scenario(
        "tactical",
        side(("cavalry", 1), ("infantry", 1)),
        side(("pikemen", 1), ("scouts", 1)),
        policy={"attacker": {"retreat": "best"}, "defender": {"retreat": "best"}},
        options={"gold": True, "rally": "once"},
        objective={
            "attacker": {"win": 7, "attacker_gold_lost": -1},
            "defender": {"win": 2, "defender_destroyed": -1, "defender_routed": -0.3},
        },
    ),
    "storm": scenario(
        "storm",
        side(("gnoll-infantry", 1), ("levies", 1)),
        side(("infantry", 1), ("levies", 1)),
        conditions={"fortification": 6},
        policy={"attacker": {"retreat": "best"}},
        options={"gold": True},
        objective={"attacker": {"win": 5, "attacker_gold_lost": -1, "defender_captured": 0.5}},
    ),
}


@pytest.mark.parametrize("name", FIELD)
def test_battle_unit_against_unit(name):
    data = FIELD[name]
    found = best(data)
    expected = reference.Best(data, by_weights(data)).value()
    assert tuple(found.value.values()) == pytest.approx(expected, abs=1e-9)
    assert {gain.policy for gain in found.fixed} == {"never", "half", "outmatched"}
    assert len(data["objective"]) == 2 or all(gain.gain >= -1e-12 for gain in found.fixed)


LINES = st.lists(st.sampled_from(["archers", "cavalry", "levies", "pikemen"]), min_size=1, max_size=2, unique=True)


@settings(max_examples=5, deadline=None)
@given(
    own=LINES,
    enemy=LINES,
    terrain=st.sampled_from(["plains", "hills", "marsh"]),
    how=st.sampled_from([("best", "best"), ("best", "half"), ("outmatched", "best")]),
    price=st.integers(1, 8),
)
def test_any_small_battle(own, enemy, terrain, how, price):
    data = scenario(
        "tactical",
        side(*((name, 1) for name in own)),
        side(*((name, 1) for name in enemy)),
        conditions={"terrain": terrain},
        policy={"attacker": {"retreat": how[0]}, "defender": {"retreat": how[1]}},
        options={"gold": True},
        objective={"attacker": {"win": price, "attacker_gold_lost": -1, "defender_gold_lost": 0.5}},
    )
    expected = reference.Best(data, by_weights(data)).value()
    assert tuple(best(data).value.values()) == pytest.approx(expected, abs=1e-9)


QUICK = scenario(
    "quick-battle",
    side(("knights", 1), ("infantry", 2)),
    side(("pikemen", 2), ("archers", 1), warcraft=1),
    options={"mode": "fight-on", "max_turns": 4, "gold": True},
)


@pytest.mark.parametrize("retreat", [("best", "never"), ("outmatched", "best"), ("best", "best")])
def test_quick_battle(retreat):
    objective = {
        "attacker": {"win": 5, "attacker_gold_lost": -1, "turns": -0.1},
        "defender": {"win": 4, "defender_gold_lost": -1},
    }
    policy = {name: {"retreat": how} for name, how in zip(("attacker", "defender"), retreat, strict=True)}
    armies = Army(QUICK["attacker"]["units"]), Army(QUICK["defender"]["units"], warcraft=1)

    def worth(winner, lost, turn):
        gold = [army.gold(n) for army, n in zip(armies, lost, strict=True)]
        return 5 * (winner == "attacker") - gold[0] - 0.1 * turn, 4 * (winner == "defender") - gold[1]

    found = best(QUICK | {"policy": policy, "objective": objective})
    assert tuple(found.value.values()) == pytest.approx(best_quick(*armies, worth, retreat, turns=4), abs=1e-9)
    # Of two sides that decide, one may gain by binding itself to a fixed policy.
    assert retreat == ("best", "best") or all(gain.gain >= -1e-12 for gain in found.fixed)
    assert set(found.policy["behind"]) <= {"attacker", "defender", "nobody"}


@pytest.mark.parametrize(("relief_on", "leave"), [(0, 0.0), (9, 0.0), (9, 9.0)])
def test_siege(relief_on, leave):
    besiegers = [{"unit": "infantry", "count": 4}, {"unit": "archers", "count": 1}]
    garrison = [{"unit": "infantry", "count": 1}, {"unit": "levies", "count": 2}]
    relief = [{"unit": "cavalry", "count": 2}]
    data = scenario(
        "siege",
        {"units": besiegers},
        {"units": garrison},
        conditions={"fortification": 5, "seasons": 3, "relief_on": relief_on, "relief_units": relief},
        policy={"attacker": {"siege": "best"}},
        options={"gold": True, "siege_table": [[60000, 20, 2]], "storm_level": 3},
        objective={"attacker": {"win": 10, "attacker_gold_lost": -1, "attacker_upkeep": -0.4, "storms": -0.2}},
    )
    data["objective"]["attacker"]["attacker_steps_left"] = leave
    armies = Army(besiegers), Army(garrison), Army(relief)

    def worth(winner, season, a, d, storms):
        kept = leave * (len(armies[0].line) - a)
        return 10 * (winner == "attacker") - armies[0].gold(a) - 0.4 * 5 * season - 0.2 * storms + kept

    found = best(data)
    assert found.value["attacker"] == pytest.approx(best_siege(armies, 5, 3, worth, relief_on), abs=1e-9)
    assert {gain.policy for gain in found.fixed} == {"wait", "storm-now", "storm-at-level", "storm-last-season"}
    assert all(gain.gain >= -1e-12 for gain in found.fixed)
    assert ("withdraw" in set(found.policy["choice"])) == (leave > 0)
    assert set(found.policy["relief"]) == ({"not come", "beaten"} if relief_on else {"none"})


def test_states_of_a_decision_in_words():
    found = best(FIELD["attacker, gold"]).policy
    assert set(found["decision"]) == {"policy.attacker.retreat"}
    first = found.iloc[0]
    assert first["attacker"] == "front knights 0 hits; fresh 1 infantry; routed 0"
    assert first["reached"] == pytest.approx(1.0)
    assert "front infantry 0 hits rested; routed 0" in set(found["attacker"])
    assert "front irregulars 0 hits; resting infantry 1 hit; routed 0" in set(found["defender"])


@pytest.mark.parametrize("name", ["attacker, gold", "storm"])
def test_survival_and_replay_under_best_play(name):
    data = FIELD[name]
    odds, held = exact(load(data)), survival(load(data))
    lost = {"attacker": odds.mean("attacker_destroyed"), "defender": odds.mean("defender_destroyed")}
    if "defender_captured" in odds.columns:
        lost["defender"] += odds.mean("defender_captured")
    for own, expected in lost.items():
        assert sum(1 - piece.p for piece in held.pieces if piece.side == own) == pytest.approx(expected, abs=1e-9)
    for battle in range(3):
        outcome = replay(load(data), seed=5, battle=battle).outcome
        assert (odds.table[list(outcome)] == outcome).all(axis=1).any()


def test_simulated_as_exact():
    assert largest_z(load(FIELD["both, two aims"]), battles=50_000) < 4.5
    one, many = (simulate(load(FIELD["storm"]), 20_000, seed=4, threads=threads) for threads in (1, 3))
    assert one.table.equals(many.table)


def test_nobody_gains_by_leaving_who_only_wants_to_win():
    data = {name: part for name, part in FIELD["attacker, gold"].items() if name != "objective"}
    stays = data | {"policy": {}}
    assert exact(load(data)).winner("attacker") == pytest.approx(exact(load(stays)).winner("attacker"), abs=1e-12)
