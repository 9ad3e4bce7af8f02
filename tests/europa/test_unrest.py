"""Revolts and corsairs: the worked examples, every die of several rounds, and the modifiers one by one."""

import itertools

import pytest

from simulator import by_round, exact, load, replay
from simulator.rules.europa.procedures.unrest import Unrest


def revolt(attacker, defender, target="plus-first", **conditions):
    return {
        "game": "europa", "battle": "revolt", "attacker": attacker, "defender": defender, "conditions": conditions,
        "policy": {"attacker": {"target": target}},
    }  # fmt: skip


def hunt(attacker, defender, target="plus-first", **conditions):
    return revolt(attacker, defender, target, **conditions) | {"battle": "pirate-hunt"}


def modifier(scenario):
    """Modifiers of the die of the first round."""
    return sum(int(line.split(": ")[1].split()[0]) for line in load(scenario).built.explain() if ": no " not in line)


def test_v1_a_large_revolt():
    """+5 - 2 = +3 (.6), then +5 (.8); cleared after 2 rounds .48, after 3 .288 (section 16)."""
    odds = exact(revolt({"army_minus": 1, "land_detachments": 1, "manoeuvre": 2}, {"revolts_plus": 1}, rounds=3))
    assert odds.p("cleared") == pytest.approx(0.768, abs=1e-12)
    assert odds.p("cleared and rounds == 2") == pytest.approx(0.48, abs=1e-12)
    assert odds.mean("rounds") == pytest.approx(2.52, abs=1e-12)


def test_h1_a_fleet_and_a_large_corsair():
    """+4 - 2 = +2 (.5), then +4 (.7): .35 + .5 x .3 x .7 + .5 x .5 x .7 (section 17)."""
    odds = exact(hunt({"warships": 3, "fleets_minus": 1, "manoeuvre": 2}, {"corsairs_plus": 1}, rounds=3))
    assert odds.p("cleared") == pytest.approx(0.63, abs=1e-12)


def at_the_table(dice, small, large, drm, target):
    """(rounds, sides left) after these dice, counter by counter; `drm` without the large counters."""
    rounds = 0
    for die in dice:
        if not small and not large:
            break
        rounds += 1
        if die == 10 or die + drm - 2 * large >= 8:
            if small and (target == "minus-first" or not large):
                small -= 1
            else:
                small, large = small + 1, large - 1
    return rounds, small + 2 * large


@pytest.mark.parametrize("target", ["plus-first", "minus-first"])
@pytest.mark.parametrize(("small", "large", "drm"), [(1, 1, 4), (2, 0, 1), (0, 2, 6), (1, 2, -9)])
def test_every_die_of_four_rounds(small, large, drm, target):
    defender = {"revolts_minus": small, "revolts_plus": large, "manoeuvre": 0}
    scenario = revolt({"land_detachments": 1}, defender, target, rounds=4, event_modifier=drm - 1)
    ends = [at_the_table(dice, small, large, drm, target) for dice in itertools.product(range(1, 11), repeat=4)]
    odds = exact(scenario)
    for end in set(ends):
        found = odds.p(
            f"rounds == {end[0]} and sides_left == {end[1]} and sides_removed == {small + 2 * large - end[1]}"
        )
        assert found == pytest.approx(ends.count(end) / 10_000, abs=1e-12)


TROOPS, REBELS = {"land_detachments": 2}, {"revolts_minus": 1}


@pytest.mark.parametrize(
    ("attacker", "defender", "conditions", "expected"),
    [
        ({}, {}, {}, 2),
        ({"army_plus": 1, "army_minus": 1, "exploration_detachments": 2}, {}, {}, 8),
        ({"pashas": 3, "manoeuvre": 4}, {"manoeuvre": 6}, {}, 3),
        ({}, {"fortress_level": 4, "fortress_detachments": 3}, {}, -5),
        ({}, {"revolts_plus": 3}, {"terrain": "swamp"}, -7),
        ({}, {}, {"event_modifier": -10}, -8),
    ],
)
def test_modifiers_against_a_revolt(attacker, defender, conditions, expected):
    assert modifier(revolt(TROOPS | attacker, REBELS | defender, **conditions)) == expected


@pytest.mark.parametrize(
    ("attacker", "defender", "conditions", "expected"),
    [
        ({"warships": 2}, {}, {}, 1),
        ({"exploration_ships": 1}, {}, {}, 1),
        ({"galleasses": 1, "technology": "galley"}, {}, {"sea": "baltic"}, 1),
        ({"transports": 3}, {}, {}, 0),
        ({"transports": 3, "fleets_minus": 1, "fleets_plus": 2}, {}, {}, 10),
        ({"warships": 1, "technology": "seventy-four", "manoeuvre": 2}, {"manoeuvre": 5}, {}, -1),
        ({"warships": 1}, {"corsairs_plus": 2}, {"corsair_port": True, "naval_battle_this_turn": True}, -6),
        ({"warships": 1}, {}, {"enemy_naval": "fleet_plus"}, -3),
    ],
)
def test_modifiers_against_corsairs(attacker, defender, conditions, expected):
    assert modifier(hunt(attacker, {"corsairs_minus": 1} | defender, **conditions)) == expected


def test_a_natural_ten_always_removes_a_side():
    odds = exact(revolt({"pashas": 1}, {"revolts_minus": 1, "fortress_level": 5}, event_modifier=-10))
    assert odds.p("cleared") == pytest.approx(0.1, abs=1e-12)


def test_a_large_counter_becomes_small():
    assert Unrest(1, 0, 1).reduced("minus-first") == Unrest(1, 1, 0)
    assert Unrest(1, 1, 1).reduced("plus-first") == Unrest(1, 2, 0)
    assert Unrest(1, 1, 1).reduced("minus-first") == Unrest(1, 0, 1)


def test_a_replay_tells_the_rounds():
    lines = replay(revolt({"army_plus": 2}, {"revolts_minus": 2}, rounds=3), seed=3).lines
    assert lines[0].startswith("Round 1: ")
    assert lines[-1].endswith(("0 sides left.", "1 side left.", "no success."))


def test_the_chance_by_round():
    """V1: never after one round, .48 after two, .768 after three."""
    scenario = revolt({"army_minus": 1, "land_detachments": 1, "manoeuvre": 2}, {"revolts_plus": 1}, rounds=3)
    assert by_round(scenario).table["p"].tolist() == pytest.approx([0, 0.48, 0.768], abs=1e-12)
    assert list(by_round(scenario, all_plans=True).table.columns) == ["plus-first", "minus-first"]
