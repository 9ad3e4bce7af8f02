"""Sweeps of line-ups in one pass: the same numbers as each line-up by itself."""

from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from simulator import exact, load, need, sweep
from simulator.analysis.odds.measure import measure
from simulator.analysis.studies.one_pass import solve_rows
from simulator.scenarios import ScenarioError, draft
from tests.custom.games import scenarios

ASKED = (
    "p_attacker",
    "mean.attacker_units_lost",
    "mean.defender_cost_lost",
    "attacker_units_lost > defender_units_left",
)
LAND = {"game": "axis-and-allies-1942", "battle": "land", "attacker": {"infantry": 2}, "defender": {"infantry": 2}}
AMPHIBIOUS = LAND | {"battle": "amphibious"}
SPACE = {
    "game": "twilight-imperium-4",
    "battle": "space",
    "attacker": {"dreadnought": 1, "fighter": 2},
    "defender": {"cruiser": 1, "destroyer": 1},
}
# The varied units stand in the middle of the loss order, are several at once, support others, take two hits, fire once,
# or are kept to the last.
CASES = {
    "one after the other": (
        LAND,
        {"attacker.tank": (3, 0, 1), "attacker.infantry": (1, 4), "defender.artillery": (0, 2)},
    ),
    "kept": (
        LAND | {"policy": {"attacker": {"keep": {"land": 2}, "retreat": "units-at-most", "units_at_most": 2}}},
        {"attacker.tank": (0, 1, 2, 3), "attacker.fighter": (2, 0)},
    ),
    "low luck": (
        LAND | {"options": {"dice": "low-luck"}},
        {"attacker.artillery": (0, 1, 3), "defender.infantry": (1, 3, 4)},
    ),
    "supports": (AMPHIBIOUS, {"attacker.cruiser": (0, 2), "attacker.artillery": (1, 2), "defender.infantry": (2, 3)}),
    "two hits": (
        SPACE,
        {"attacker.dreadnought": (0, 1, 3), "defender.dreadnought": (0, 2), "attacker.fighter": (1, 2)},
    ),
}


def one_by_one(scenario, paths, values, asked):
    """Answer of each line-up by itself; nan where the rules refuse it."""
    found = np.full((len(asked), len(list(product(*values)))), np.nan)
    for cell, numbers in enumerate(product(*values)):
        try:
            odds = exact(load(scenario).replace_all(dict(zip(paths, numbers, strict=True))))
        except ScenarioError:
            continue
        found[:, cell] = [measure(odds, question).value for question in asked]
    return found


@pytest.mark.parametrize(("scenario", "vary"), CASES.values(), ids=CASES)
def test_one_pass_gives_what_line_up_by_line_up_gives(scenario, vary):
    paths, values = tuple(vary), tuple(vary.values())
    found = solve_rows(draft(scenario), paths, list(product(*values)), ASKED)
    assert found == pytest.approx(one_by_one(scenario, paths, values, ASKED), abs=1e-12)


@given(st.data())
@settings(max_examples=7, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_line_ups_of_random_games(data):
    scenario = data.draw(scenarios())
    try:
        starts = load(scenario).built.starts
    except ScenarioError:
        starts = ()
    assume(starts)
    paths = data.draw(st.lists(st.sampled_from(starts), min_size=1, max_size=3, unique=True))
    values = tuple(
        data.draw(st.lists(st.integers(0, 4), min_size=2, max_size=5, unique=True).map(tuple)) for _ in paths
    )
    found = solve_rows(draft(scenario), paths, list(product(*values)), ASKED)
    assume(found is not None)
    alone = one_by_one(scenario, paths, values, ASKED)
    solved = ~np.isnan(found)
    assert found[solved] == pytest.approx(alone[solved], abs=1e-12)


def test_the_rules_refuse_the_edges_of_a_grid_and_the_rest_is_one_pass():
    vary = {"attacker.infantry": range(4), "attacker.tank": range(3, -1, -1), "defender.infantry": range(3)}
    swept = sweep(LAND, vary)
    assert swept.pace.cells == {"exact": 15 * 2, "refused": 16 + 2}
    for row in swept.rows():
        nobody = not row["defender.infantry"] or not (row["attacker.infantry"] or row["attacker.tank"])
        assert (row["method"] == "refused") == nobody
    inside = solve_rows(draft(LAND), tuple(vary), list(product(*vary.values())), ("p_attacker",))
    assert np.isfinite(inside).sum() == 24  # the edge of fewer than eight cells is answered cell by cell


@pytest.mark.parametrize(
    "policy", [{"retreat": "odds-below", "odds_below": 0.3}, {"retreat": "best"}, {"loss_order": "best"}]
)
def test_what_is_chosen_by_the_odds_is_answered_line_up_by_line_up(policy):
    scenario = LAND | {"policy": {"attacker": policy}}
    assert load(scenario).built.starts == []
    assert solve_rows(draft(scenario), ("attacker.infantry",), [(n,) for n in range(1, 10)], ASKED) is None


def test_need_finds_the_cheapest_line_up_of_all():
    vary = {"attacker.infantry": tuple(range(5)), "attacker.tank": tuple(range(5))}
    found = need(LAND, vary, 0.8, cost={"attacker.infantry": 3, "attacker.tank": 6})
    chances = one_by_one(LAND, tuple(vary), tuple(vary.values()), ("p_attacker",))[0]
    prices = [3 * infantry + 6 * tanks for infantry, tanks in product(*vary.values())]
    cost, p, settings = min(
        (price, -p, numbers)
        for price, p, numbers in zip(prices, chances, product(*vary.values()), strict=True)
        if p >= 0.8
    )
    assert (found.cost, tuple(found.settings.values())) == (cost, settings)
    assert found.value == pytest.approx(-p, abs=1e-12)


@pytest.mark.parametrize(
    ("infantry", "tanks"),
    [(range(1, 151), range(1, 151)), ((1, 400), range(1, 61))],
    ids=["line-ups", "places that they come to"],
)
def test_too_many_places_for_one_chain_are_answered_line_up_by_line_up(infantry, tanks):
    vary = {"attacker.infantry": tuple(infantry), "attacker.tank": tuple(tanks)}
    assert solve_rows(draft(LAND), tuple(vary), list(product(*vary.values())), ASKED) is None
