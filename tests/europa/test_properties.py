"""What must hold for any land battle of Europa Universalis fought in the open, nobody breaking off."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load

leader = st.fixed_dictionaries({"manoeuvre": st.integers(0, 6), "fire": st.integers(0, 6), "shock": st.integers(0, 6)})
stack = st.fixed_dictionaries(
    {
        "army_plus": st.integers(0, 1),
        "land_detachments": st.integers(1, 4),
        "technology": st.sampled_from(["renaissance", "arquebus", "musket", "baroque"]),
        "veteran": st.booleans(),
        "country": st.sampled_from(["france", "spain", "sweden", "minor"]),
        "leader": leader,
    }
)


def battle(attacker, defender):
    return exact(load({"game": "europa", "battle": "land", "attacker": attacker, "defender": defender}))


@settings(max_examples=25, deadline=None)
@given(stack, stack)
def test_swapping_the_sides_swaps_the_odds(one, other):
    first, second = battle(one, other), battle(other, one)
    assert first.winner("attacker") == pytest.approx(second.winner("defender"), abs=1e-12)
    assert first.winner("nobody") == pytest.approx(second.winner("nobody"), abs=1e-12)
    for column in ("losses_thirds", "morale_left", "leader_wound_rounds"):
        assert first.mean(f"attacker_{column}") == pytest.approx(second.mean(f"defender_{column}"), abs=1e-10)


@settings(max_examples=25, deadline=None)
@given(stack, stack, st.sampled_from(["fire", "shock"]))
def test_a_better_leader_never_lowers_the_odds(one, other, value):
    better = one | {"leader": one["leader"] | {value: one["leader"][value] + 1}}
    assert battle(better, other).winner("attacker") >= battle(one, other).winner("attacker") - 1e-12
