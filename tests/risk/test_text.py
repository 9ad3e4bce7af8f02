"""Risk in words, and its larger battles."""

import random

import numpy as np
import pytest

from simulator import exact, replay, simulate, sweep
from simulator.rules.risk import tables, text
from simulator.rules.risk.rules import GOES_ON, STOPPED, UNDECIDED
from tests.risk.scenarios import invasion, risk


def explained(scenario):
    return list(scenario.built.explain())


def test_explain_names_the_dice_of_both_sides_and_the_chances_of_a_round():
    lines = explained(risk("amphibious", {"regiments": 5, "bonus_dice": 1}, {"regiments": 2, "modifier_lowest": 1}))
    assert lines[0] == (
        "territory 1: the attacker rolls up to 3 d6, 1 bonus die, the best kept, -1 to the highest (landing); "
        "the defender rolls up to 2 d6, +1 to the lowest. Their losses, by dice in hand:"
    )
    assert [line.split(":")[0].strip() for line in lines[1:]] == ["3 v 2", "3 v 1", "2 v 2", "2 v 1", "1 v 2", "1 v 1"]


def test_explain_gives_the_published_chances():
    """3 v 2 dice lose 0, 1 or 2 of the attackers in 2890, 2611 and 2275 of 7776 (docs/rules/risk.md section 12)."""
    assert explained(risk("land", 20, 15))[1] == "  3 v 2: 0-2 37.17 %, 1-1 33.58 %, 2-0 29.26 %"


def test_explain_lists_only_hands_that_there_can_be_and_equal_places_together():
    lines = explained(risk("land", 2, {"regiments": [1, 1, 1], "die_sides": [6, 6, 8]}))
    assert lines[0].startswith("territory 1 and territory 2: ")
    assert [line.split(":")[0].strip() for line in lines if line.startswith(" ")] == ["2 v 1", "1 v 1"] * 2


def test_explain_says_who_attacks_in_an_invasion():
    crossings = [{"fleets": 2, "blockaded": True}, {"fleets": 1, "convoy": "defends"}]
    lines = explained(invasion((3, 5), {"regiments": 1, "port_fleets": 1}, crossings))
    heads = [line for line in lines if not line.startswith(" ")]
    assert [head.split(",")[0].split(" rolls")[0] for head in heads] == [
        "crossing 1: the convoy",
        "crossing 2: the enemy",
        "territory 1: the attacker",
        "port: the enemy",
    ]
    assert "-1 to the highest (blockaded)" in heads[0]
    assert "(landing)" in heads[2]


def test_what_differs_from_the_defaults_comes_first_and_once():
    scenario = risk("land", {"regiments": 9, "modifier_highest": 1}, {"regiments": [3, 2], "dice": [2, 1]}, clamp=True)
    rests_on = exact(scenario).rests_on
    assert rests_on[:3] == ["attacker.modifier_highest = 1", "defender.dice = [2, 1]", "options.clamp = true"]
    assert not any("clamp" in line for line in rests_on[3:])


@pytest.mark.parametrize("result", [0o00, 0o11, 0o20, 0o02])
def test_dice_of_a_replay_give_the_result(result):
    """Results are written 8 * own losses + enemy losses; a pair where nobody loses needs ties that count for nobody."""
    ties = "nobody" if result == 0 else "defender"
    place = tables.places(risk("land", {"regiments": 9, "commanders": 1}, 4, ties=ties).fields)[0]
    dice, thrown = random.Random(3), set()
    for _ in range(30):
        mine, theirs = text.dice_for(place, 9, 4, ties, result, dice)
        own, enemy = tables.compare(tables.modified(place.attack, mine), tables.modified(place.defence, theirs), ties)
        assert (own, enemy) == tables.lost(result)
        thrown.add((mine, theirs))
    assert len(thrown) > 5


def test_a_very_rare_round_is_told_at_once():
    scenario = risk(
        "land", {"regiments": 1, "dice": 1, "die_sides": 12, "modifier_all": -5}, {"regiments": 1, "bonus_dice": 3}
    )
    place = tables.places(scenario.fields)[0]
    mine, theirs = text.dice_for(place, 1, 1, "defender", 0o01, random.Random(1))
    assert mine[0] - 5 > theirs[0]


def test_the_attacker_is_asked_before_every_round():
    chain = risk("land", 6, 6, policy={"retreat": "stop-when-outnumbered"}).chain
    p, s = chain.params, chain.start
    decides, choose, step, running = (chain.part(name) for name in ("decides", "choose", "step", "running"))
    assert (decides(p, s), choose(p, s), s.decided) == (1, 0, UNDECIDED)
    s = step(p, s, 0)
    assert (decides(p, s), s.decided) == (0, GOES_ON)
    s = step(p, s, 0o20)
    assert (s.regiments, s.land_rounds, decides(p, s), choose(p, s)) == (4, 1, 1, 1)
    s = step(p, s, 1)
    assert (s.decided, bool(running(p, s))) == (STOPPED, False)


def test_to_the_end_nobody_is_asked():
    for scenario in (risk("land", 6, 6), invasion((2, 5), 3, [{"fleets": 1}])):
        assert scenario.chain.part("decides")(scenario.chain.params, scenario.chain.start) == 0


@pytest.mark.parametrize(
    ("policy", "counters"),
    [
        ({}, ("land_rounds",)),
        ({"retreat": "max-rounds", "max_rounds": 3}, ()),
        ({"retreat": "max-rounds", "max_rounds": 99}, ("land_rounds",)),
    ],
)
def test_rounds_are_counted_apart_unless_a_policy_reads_them(policy, counters):
    assert risk("land", 6, 5, policy=policy).chain.counters == counters


def test_most_rounds_are_never_reached():
    """Rounds without loss with chance `calm`: this many rounds leave somebody standing with less than 1e-18."""
    for units, calm in ((1, 0.5), (7, 1 / 6), (40, 0.9)):
        rounds = tables.most_rounds(units, calm)
        # The chance of fewer than `units` rounds with a loss, term by term, as logarithms.
        logs = [0.0]
        for n in range(1, units):
            logs.append(logs[-1] + np.log((rounds - n + 1) / n) + np.log((1 - calm) / calm))
        assert np.logaddexp.reduce(logs) + rounds * np.log(calm) < np.log(1e-18)
    assert tables.most_rounds(25, 0.0) == 25


def test_a_hundred_thousand_regiments():
    scenario = risk("land", 100_000, 85_500)
    odds = simulate(scenario, 200, seed=1)
    assert odds.battles == 200
    assert odds.mean("attacker_regiments_lost") == pytest.approx(
        0.8535 * odds.mean("defender_regiments_lost"), rel=0.02
    )


def test_a_replay_tells_no_line_for_a_decision():
    lines = replay(risk("land", 8, 6, policy={"retreat": "stop-below", "stop_below": 3}), 3).lines
    assert all(line.startswith("Round ") for line in lines)
    assert [int(line.split(",")[0].split()[1]) for line in lines] == list(range(1, len(lines) + 1))


def test_a_sweep_over_policies_when_the_file_carries_a_parameter():
    scenario = risk("land", 8, 6, policy={"retreat": "stop-below", "stop_below": 3})
    found = sweep(scenario, {"policy.attacker.retreat": ["to-the-end", "stop-below"]})
    assert [cell.method for cell in found.cells] == ["exact", "exact"]
    assert found.cells[0].value == pytest.approx(exact(risk("land", 8, 6)).winner("attacker"), abs=1e-12)
