"""Losses of the owner's choice (docs/rules/kings_and_things.md section 3.3 a): plain recursion, fixed lists, order."""

import random
from itertools import permutations

import pytest

from simulator import best, exact, load
from simulator.analysis.decisions.decidable import may_be_best
from simulator.rules.kings_and_things.forces import forces_of
from simulator.rules.kings_and_things.losses import falls
from tests.kings_and_things.best_reference import value
from tests.kings_and_things.scenarios import random_choice

SEEDS = (202, 213, 216, 221, 225, 236, 238, 243, 244, 247, 255, 259, 268, 269, 273, 285, 294)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_battles_as_plain_recursion_has_them(seed):
    scenario = random_choice(random.Random(f"best {seed}"))
    assert best(scenario).value == pytest.approx(dict(zip(("attacker", "defender"), value(scenario), strict=True)))


@pytest.mark.parametrize("side", ["attacker", "defender"])
def test_no_fixed_order_is_better(side):
    armies = {"attacker": {"creatures": ["3M", "2R", "4"]}, "defender": {"creatures": ["2M", "3R", "2"]}}
    armies["defender"]["settlement"] = "city"
    scenario = {"game": "kings-and-things", "battle": "land"} | armies
    free = exact(scenario | {"policy": {side: {"losses": "best"}}}).winner(side)
    entries = armies[side]["creatures"] + ["settlement"] * (side == "defender")
    chances = []
    for order in permutations(entries):
        listed = {side: armies[side] | {"loss_order": list(order)}, "policy": {side: {"losses": "custom"}}}
        chances.append(exact(scenario | listed).winner(side))
    for losses in ("weakest-first", "strongest-first", "keep-next-step-fighters"):
        for structures in ("first", "last"):
            policy = {side: {"losses": losses, "structures": structures}}
            chances.append(exact(scenario | {"policy": policy}).winner(side))
    assert free > max(chances) + 1e-4


def test_choices_stand_in_the_order_of_ties():
    """First the result of the fixed order, then the one that keeps the strongest counter, and so on."""
    side = {"creatures": ["3", "2R", "1", "1"], "fort": "keep", "settlement": "village"}
    policy = {"defender": {"losses": "best"}}
    armies = {"attacker": {"creatures": ["2 x 6"]}, "defender": side, "policy": policy}
    forces = forces_of(load({"game": "kings-and-things", "battle": "land"} | armies).fields)
    found, ways = falls(forces)
    one, base = forces.catalogues[1], forces.base[1]
    at = -int(found[base + one.starts[0], 2, 2, 1])
    left = [tuple(one.left[number - base].tolist()) for number in ways[at + 1 : at + 1 + ways[at]]]
    # Slots: village, keep, 2 x 1, 2R, 3. Weakest first with structures first takes the village, then one level.
    assert left[0] == (0, 1, 2, 1, 1)
    rest = [(a, b, c, d, e) for a in (1, 0) for b in (2, 1, 0) for c in (2, 1, 0) for d in (1, 0) for e in (1, 0)]
    rest = [row for row in rest if sum(row) == 5 and row != left[0]]
    assert left[1:] == sorted(rest, key=lambda row: row[::-1], reverse=True)


def test_an_exploration_is_the_mixture_of_its_draws():
    policy = {side: {"losses": "best"} for side in ("attacker", "defender")}
    attacker = {"creatures": ["3M", "2R", "2"]}
    conditions = {"exploration_roll": 2, "cup": ["2R", "3M", "2", "village"]}
    scenario = {"game": "kings-and-things", "battle": "exploration", "attacker": attacker, "conditions": conditions}
    chance = 0.0
    for drawn in permutations(conditions["cup"], 2):
        settlement = {"settlement": "village"} if "village" in drawn else {}
        defender = {"creatures": [one for one in drawn if one != "village"]} | settlement
        land = {"battle": "land", "defender": defender, "conditions": {"unexplored": True}, "policy": policy}
        chance += exact(scenario | land).winner("attacker") / 12
    assert exact(scenario | {"policy": policy}).winner("attacker") == pytest.approx(chance, abs=1e-12)


def test_a_side_that_has_lost_its_last_counter_to_a_warlord_chooses_nothing():
    scenario = {"game": "kings-and-things", "battle": "land", "policy": {"defender": {"losses": "best"}}}
    scenario |= {"attacker": {"creatures": ["Warlord"]}, "defender": {"creatures": ["2"]}}
    assert exact(scenario).winner("attacker") == 1


@pytest.mark.parametrize("policy", [{"retreat": "after-rounds"}, {"retreat": "when-outgunned"}])
def test_a_side_that_may_retreat_loses_its_last_counter_to_a_warlord(policy):
    """Section 3.2, step 0: a side that is empty before round 1 has lost, without a die and without a retreat."""
    sides = {"attacker": {"creatures": ["Warlord"]}, "defender": {"creatures": ["2"]}}
    odds = exact({"game": "kings-and-things", "battle": "land", "policy": {"defender": policy}} | sides)
    found = (
        odds.winner("attacker"),
        odds.mean("rounds"),
        odds.p("defender_retreated"),
        odds.mean("attacker_value_left"),
    )
    assert found == (1, 0, 0, 5 + 2)


def test_the_driven_off_are_asked_nothing():
    sides = {"attacker": {"creatures": ["3", "2"]}, "defender": {"creatures": ["2"], "items": ["dust-of-defense"]}}
    policy = {"attacker": {"losses": "best"}}
    found = best({"game": "kings-and-things", "battle": "land", "policy": policy} | sides)
    assert (found.value["attacker"], found.rows()) == (0, [])


def test_only_what_the_battle_allows_is_offered_as_best():
    sides = {"attacker": {"creatures": ["3", "Sword Master"]}, "defender": {"creatures": ["2"]}}
    land = {"game": "kings-and-things", "battle": "land"} | sides
    assert may_be_best(land) == ["policy.attacker.retreat", "policy.defender.losses", "policy.defender.retreat"]
    assert may_be_best(land | {"battle": "free-for-all", "second_attacker": {"creatures": ["2"]}}) == []


def test_the_picture_shows_where_losses_are_chosen():
    sides = {"attacker": {"creatures": ["3M", "3R", "2"]}, "defender": {"creatures": ["2M", "3R", "2"]}}
    policy = {"attacker": {"losses": "best", "retreat": "best"}}
    axes = best({"game": "kings-and-things", "battle": "land", "policy": policy} | sides).plot()
    labels = {one.get_ylabel() for one in axes.figure.axes}
    assert {"expected number of choices", "share that leaves"} <= labels
