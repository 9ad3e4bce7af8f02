"""Properties of every land battle of Europa Universalis without breaking off, and of every siege campaign."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import exact, load
from simulator.rules.europa.siege.tables import PLANS
from tests.europa.scenarios import campaign

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


@settings(max_examples=12, deadline=None)
@given(
    besieger=st.integers(1, 6),
    inside=st.integers(1, 2),
    level=st.integers(2, 4),
    siegeworks=st.integers(0, 2),
    port=st.sampled_from(["none", "open", "resupplied"]),
    plan=st.sampled_from(sorted(PLANS)),
)
def test_a_better_siege_value_never_helps_the_garrison(besieger, inside, level, siegeworks, port, plan):
    """From the second round on the garrison of a good besieger is certain to starve."""

    def ends(siege_value):
        return exact(
            campaign(
                {"land_detachments": besieger, "leader": {"siege": siege_value}},
                {"land_detachments": inside, "fortress_level": level, "leader": "none"},
                conditions={"rounds": 2, "siegeworks_plus": siegeworks, "port": port},
                policy={"attacker": {"plan": plan}},
            )
        )

    values = [ends(siege_value) for siege_value in (0, 3, 6, 9)]
    for worse, better in pairwise(values):
        assert better.p("fallen") >= worse.p("fallen") - 1e-12
        # A siege that ends without an assault spares the garrison.
        if plan == "assault-at-once":
            assert better.mean("garrison_left_thirds") <= worse.mean("garrison_left_thirds") + 1e-12


@pytest.mark.parametrize(
    ("battle", "own", "morale", "where"),
    [("land", {"army_minus": 1}, 4, {}), ("naval", {"warships": 3}, 2, {"wind": "none"})],
)
def test_a_careful_side_breaks_off_when_manoeuvre_and_morale_make_ten(battle, own, morale, where):
    """An attempt succeeds on d10 <= manoeuvre + morale left, so at exactly ten it is sure."""

    def broke_off(manoeuvre, policy):
        sides = [own | {"leader": {"manoeuvre": value, "fire": 2, "shock": 2}} for value in (2, manoeuvre)]
        fields = {"game": "europa", "battle": battle, "attacker": sides[0], "defender": sides[1], "conditions": where}
        return exact(fields | {"policy": {"defender": {"break_off": policy}}}).p("defender_broke_off")

    just = 10 - morale
    before, at, after = (broke_off(manoeuvre, "always") for manoeuvre in (just - 1, just, just + 1))
    # One more point of manoeuvre adds one face to every attempt that is not sure yet: full morale is sure at `just`.
    full_morale = 10 * ((at - before) - (after - at))
    assert full_morale > 0.2
    assert broke_off(just, "if-sure") == pytest.approx(full_morale, abs=1e-12)
    assert broke_off(just - 1, "if-sure") == 0


def test_tercios_without_an_army_count_in_assaults_only():
    """docs/rules/europa_land_siege.md section 2.4: a field battle asks for an ARMY, the walls do not."""
    inside = {"technology": "arquebus", "land_detachments": 1, "country": "spain"}
    storm = {"policy": {"attacker": {"plan": "assault-at-once"}}, "conditions": {"rounds": 1}}
    stormed, held = (
        exact(campaign({"army_plus": 1}, inside | {"tercios": tercios}, **storm)).p("fallen")
        for tercios in (False, True)
    )
    assert held < stormed
    army, loose = {"army_plus": 1, "technology": "arquebus"}, {"land_detachments": 4, "technology": "arquebus"}
    won = {
        (troops, tercios): exact(
            {"game": "europa", "battle": "land", "attacker": army, "defender": side | {"tercios": tercios}}
        ).winner("defender")
        for troops, side in {"army": army, "loose": loose}.items()
        for tercios in (False, True)
    }
    assert won["loose", True] == won["loose", False]
    assert won["army", True] > won["army", False]
