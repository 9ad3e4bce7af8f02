"""Properties of every battle (docs/rules/decisions.md section 11), on battles drawn by hypothesis."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import best, exact, mix, need, sobol
from simulator.scenarios.schema import choices

UNITS = st.integers(1, 6)
PRICE = st.floats(0, 0.4)
OPTIONS = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["defender", "attacker", "both", "nobody"]),
        "attack_dice": st.integers(1, 3),
        "defence_dice": st.integers(1, 3),
    }
)


def risk(own, enemy, options, weights=None, **policies):
    found = {"game": "risk", "battle": "land", "attacker": {"regiments": own}, "defender": {"regiments": enemy}}
    found |= {"options": options, "policy": policies}
    return found | ({"objective": {"attacker": weights}} if weights else {})


@settings(deadline=None, max_examples=5)
@given(st.integers(1, 4), st.integers(1, 4), OPTIONS, PRICE, PRICE)
def test_best_is_never_below_a_fixed_policy(own, enemy, options, price, gain):
    weights = {"win": 1, "attacker_regiments_lost": -price, "defender_regiments_lost": gain}
    found = best(risk(own, enemy, options, weights, attacker={"retreat": "best"}))
    assert {one.decision for one in found.fixed} == {"policy.attacker.retreat"}
    names = {one.policy.split()[0] for one in found.fixed}
    assert names >= {"to-the-end", "stop-below", "max-rounds", "stop-below-odds", "wear-down"}
    assert names < set(choices(found.scenario.battle, "policy.attacker.retreat"))
    assert all(one.gain >= -1e-12 for one in found.fixed)
    assert all(row["advantage"] >= -1e-12 for row in found.rows())


@settings(deadline=None, max_examples=15)
@given(UNITS, UNITS, OPTIONS)
def test_for_winning_alone_the_attack_never_stops(own, enemy, options):
    found = best(risk(own, enemy, options, {"win": 1}, attacker={"retreat": "best"}))
    plain = exact(risk(own, enemy, options))
    assert all(row["choice"] == "go on" for row in found.rows())
    assert found.value["attacker"] == pytest.approx(plain.winner("attacker"), abs=1e-12)
    assert found.odds.mean("attacker_regiments_lost") == pytest.approx(plain.mean("attacker_regiments_lost"), abs=1e-9)


@settings(deadline=None, max_examples=8)
@given(st.integers(1, 4), st.integers(1, 4), OPTIONS, st.booleans())
def test_a_further_decision_never_hurts_its_owner(own, enemy, options, sees):
    """Aims are opposite: the attacker's worth never falls by his own choices, and never rises by the defender's."""
    seen = options | {"defender_sees": sees}
    fixed = exact(risk(own, enemy, options)).winner("attacker")
    his = best(risk(own, enemy, seen, defender={"hand": "best"})).value["attacker"]
    both = best(risk(own, enemy, seen, defender={"hand": "best"}, attacker={"hand": "best"})).value["attacker"]
    assert his <= fixed + 1e-12
    assert both >= his - 1e-12


@pytest.mark.parametrize(
    "scenario",
    [
        {"game": "kings-and-things", "battle": "land", "attacker": {"creatures": ["3", "2R"]},
         "defender": {"creatures": ["2", "3M"]}, "policy": {"attacker": {"retreat": "best"}}},
        {"game": "price-of-power", "battle": "land", "attacker": {"infantry": 3}, "defender": {"infantry": 2},
         "policy": {"attacker": {"retreat": "best"}}},
        {"game": "axis-and-allies-1942", "battle": "land", "attacker": {"infantry": 2, "tank": 1},
         "defender": {"infantry": 2}, "policy": {"attacker": {"retreat": "best"}}},
    ],
    ids=lambda scenario: scenario["game"],
)  # fmt: skip
def test_to_the_end_is_best_for_winning_in_every_game(scenario):
    found = best(scenario)
    plain = exact({name: value for name, value in scenario.items() if name != "policy"})
    assert found.value["attacker"] == pytest.approx(plain.winner("attacker"), abs=1e-12)
    assert any("put a price on losses" in line for line in found.odds.assumptions)


@settings(deadline=None, max_examples=8)
@given(UNITS, UNITS, OPTIONS, st.data())
def test_a_mixture_of_point_masses_is_the_plain_scenario(own, enemy, options, data):
    where = data.draw(st.sampled_from(["mix", "span"]))
    certain = {"mix": {str(enemy): 1.0}} if where == "mix" else {"from": enemy, "to": enemy}
    plain, mixed = exact(risk(own, enemy, options)), mix(risk(own, certain, options))
    assert mixed.odds.readable_columns.keys() == plain.readable_columns.keys()
    assert mixed.odds.chances == pytest.approx(plain.chances, abs=1e-15)
    assert mixed.information_rows({"win": 1})[0]["worth"] == 0


@settings(deadline=None, max_examples=6)
@given(st.sets(UNITS, min_size=1, max_size=3), st.sets(UNITS, min_size=1, max_size=3), OPTIONS)
def test_sobol_indices_sum_as_they_must(own, enemy, options):
    vary = {"attacker.regiments": sorted(own), "defender.regiments": sorted(enemy), "options.resort": [False, True]}
    found = sobol(risk(1, 1, options), vary, "mean.attacker_regiments_lost")
    assert (found["first"] <= found["total"] + 1e-9).all()
    assert found["first"].sum() <= 1 + 1e-9
    if found["total"].any():
        assert found["total"].sum() >= 1 - 1e-9
    assert found["total"][2] == pytest.approx(0, abs=1e-12)  # without modifiers there is nothing to sort again


@settings(deadline=None, max_examples=6)
@given(UNITS, OPTIONS, st.floats(0.05, 0.95))
def test_need_finds_what_a_scan_finds(enemy, options, target):
    found = need(risk(1, enemy, options), "attacker.regiments", target, most=12)
    values = [exact(risk(own, enemy, options)).winner("attacker") for own in range(1, 13)]
    first = next((own for own, value in enumerate(values, 1) if value >= target - 1e-12), None)
    assert found.enough == (first is not None)
    if first is not None:
        assert found.settings == {"attacker.regiments": first}
