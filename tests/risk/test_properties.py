"""Properties of every Risk battle."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, simulate, sweep
from tests.risk.scenarios import risk

# Every dice option of docs/rules/risk.md section 11.
VARIANTS = {
    "classic": ({}, {}),
    "three defence dice": ({}, {"defence_dice": 3}),
    "general": ({"attacker": {"modifier_highest": 1}}, {}),
    "capital": ({"attacker": {"dice": 2}}, {}),
    "bunker": ({"defender": {"modifier_highest": 1}}, {"clamp": True, "resort": True}),
    "fortification": ({"defender": {"modifier_all": 1}}, {"clamp": True, "resort": True}),
    "attack power": ({"defender": {"modifier_lowest": -1}}, {"clamp": True, "resort": True}),
    "bonus die": ({"defender": {"bonus_dice": 1}}, {}),
    "space station": ({"defender": {"die_sides": 8}}, {}),
}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("kind", ["land", "amphibious"])
def test_more_strength_never_lowers_the_odds(variant, kind):
    sizes = [1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 19, 20, 29, 30]
    sides, options = VARIANTS[variant]
    own, enemy = ({"regiments": 1} | sides.get(side, {}) for side in ("attacker", "defender"))
    found = sweep(risk(kind, own, enemy, **options), {"attacker.regiments": sizes, "defender.regiments": sizes})
    assert {cell.method for cell in found.cells} == {"exact"}
    odds = np.reshape([cell.value for cell in found.cells], (len(sizes), len(sizes)))
    for weaker, stronger in pairwise(odds):
        assert all(more >= less - 1e-12 for less, more in zip(weaker, stronger, strict=True))
    for row in odds:
        assert all(more <= less + 1e-12 for less, more in pairwise(row))


side = st.fixed_dictionaries(
    {"regiments": st.integers(1, 7)},
    optional={
        "modifier_highest": st.integers(-5, 5),
        "modifier_lowest": st.integers(-5, 5),
        "modifier_all": st.integers(-5, 5),
        "bonus_dice": st.integers(0, 1),
        "die_sides": st.integers(2, 12),
        "dice": st.integers(1, 4),
    },
)


@settings(max_examples=40, deadline=None)
@given(side, side, st.sampled_from(["defender", "attacker", "both"]), st.booleans(), st.booleans())
def test_chances_sum_to_one_and_losses_never_exceed_forces(own, enemy, ties, clamp, resort):
    odds = exact(risk("land", own, enemy, ties=ties, clamp=clamp, resort=resort))
    table = odds.table
    assert table["p"].sum() == pytest.approx(1, abs=1e-12)
    assert (table["p"] > 0).all()
    assert table["attacker_regiments_lost"].between(0, own["regiments"]).all()
    assert table["defender_regiments_lost"].between(0, enemy["regiments"]).all()
    assert (table["attacker_regiments_left"] + table["attacker_regiments_lost"] == own["regiments"]).all()
    if ties != "both":
        assert odds.winner("nobody") == 0


@settings(max_examples=25, deadline=None)
@given(side, side, st.sampled_from(["both", "defender"]))
def test_swapping_the_sides_swaps_the_odds(own, enemy, ties):
    own, enemy = own | {"dice": 3}, enemy | {"dice": 3}
    own, enemy = {"die_sides": 6} | own, {"die_sides": 6} | enemy
    other = {"both": "both", "defender": "attacker"}[ties]
    first, second = exact(risk("land", own, enemy, ties=ties)), exact(risk("land", enemy, own, ties=other))
    assert first.winner("attacker") == pytest.approx(second.winner("defender"), abs=1e-12)
    assert first.mean("attacker_regiments_lost") == pytest.approx(second.mean("defender_regiments_lost"), abs=1e-12)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_same_battles_whatever_the_threads(threads):
    scenario = risk("land", 20, 15)
    reference = simulate(scenario, 300_000, seed=5, threads=1).table
    assert simulate(scenario, 300_000, seed=5, threads=threads).table.equals(reference)
