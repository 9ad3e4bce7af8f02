"""The worked examples of docs/rules/risk.md section 13, every die written out."""

import numpy as np
import pytest

from simulator.rules.battle import WINNERS
from simulator.rules.risk.tables import compare, kept_dice, modified
from simulator.rules.risk.text import fight_of
from tests.risk.scenarios import invasion, risk


def fight(scenario, *rounds):
    """Play the rounds (dice of the side that attacks, of the other) by the rules; the outcome as a dict."""
    chain = scenario.chain
    running, step = chain.part("running"), chain.part("step")
    state = chain.settled(chain.start)
    for mine, theirs in rounds:
        assert running(chain.params, state), "over too early"
        place, attackers, defenders = fight_of(scenario.fields, scenario.chain.params, state)
        hands = place.attack, place.defence
        assert (len(mine), len(theirs)) == (min(hands[0].dice, attackers), min(hands[1].dice, defenders))
        losses = compare(modified(hands[0], mine), modified(hands[1], theirs), scenario.fields.options.ties)
        result = 8 * losses[0] + losses[1]
        table = chain.part("table")(chain.params, state)
        rows = slice(chain.tables.first[table], chain.tables.first[table + 1])
        assert result in chain.tables.result[rows]
        state = chain.settled(step(chain.params, state, result))
    assert not running(chain.params, state), "not over"
    columns = scenario.built.outcome(type(state)(*(np.array([value]) for value in state)))
    return {name: WINNERS[values[0]] if name == "winner" else values[0].item() for name, values in columns.items()}


def check(outcome, **expected):
    assert {name: outcome[name] for name in expected} == expected


def test_1_land():
    outcome = fight(risk("land", 5, 3), ((6, 3, 2), (5, 3)), ((4, 4, 1), (6, 2)), ((5, 1, 1), (4,)))
    check(
        outcome,
        winner="attacker",
        attacker_regiments_left=3,
        attacker_regiments_lost=2,
        defender_regiments_lost=3,
        occupiers=3,
        territories_captured=1,
        rounds=3,
        attacker_cost_lost=2,
        defender_cost_lost=3,
    )


def test_2_amphibious_path():
    scenario = risk("amphibious", 4, {"regiments": [2, 1]})
    outcome = fight(scenario, ((6, 6, 2), (5, 4)), ((4, 3, 3), (2,)), ((5, 2), (4,)), ((1,), (1,)))
    check(
        outcome,
        winner="defender",
        territories_captured=1,
        attacker_regiments_left=1,
        attacker_regiments_lost=3,
        defender_regiments_left=1,
        occupiers=0,
        rounds=4,
    )


def test_2_resort_wins_both_pairs():
    scenario = risk("amphibious", 4, {"regiments": [2, 1]}, resort=True)
    outcome = fight(scenario, ((6, 6, 2), (5, 4)), ((4, 3, 3), (2,)))
    check(outcome, winner="attacker", attacker_regiments_lost=0, occupiers=3)


def test_3_stop_when_outnumbered():
    outcome = fight(risk("land", 6, 6, policy={"retreat": "stop-when-outnumbered"}), ((5, 4, 1), (6, 5)))
    check(outcome, winner="nobody", attacker_regiments_left=4, defender_regiments_left=6, rounds=1)


def test_4_naval():
    outcome = fight(risk("naval", 2, 2), ((6, 1), (5, 1)), ((3,), (2,)))
    check(
        outcome,
        winner="attacker",
        attacker_fleets_left=1,
        defender_fleets_left=0,
        attacker_fleets_lost=1,
        defender_fleets_lost=2,
        attacker_cost_lost=3,
        defender_cost_lost=6,
        rounds=2,
    )


def test_5_blockade_run():
    outcome = fight(risk("blockade-run", 3, 1), ((3, 3, 2), (3,)), ((6, 5), (4,)))
    check(outcome, blockade_broken=True, attacker_fleets_left=2, attacker_fleets_lost=1, rounds=2)


def test_6_forced_blockade_run():
    scenario = risk("blockade-run", 1, 2, conditions={"forced": True})
    outcome = fight(scenario, ((6,), (4, 4)), ((2,), (1,)))
    check(outcome, winner="defender", blockade_broken=False, attacker_fleets_lost=1, defender_fleets_lost=1)


def test_7_invasion():
    scenario = invasion((3, 5), {"regiments": 1, "port_fleets": 1}, [{"fleets": 2}], attacker={"transports": 2})
    outcome = fight(
        scenario,
        ((6, 4, 3), (6, 3)),
        ((2, 1), (2,)),
        ((5,), (4,)),
        ((6, 2, 2), (5,)),
        ((4, 3), (2,)),
        ((5,), (4,)),
    )
    check(
        outcome,
        winner="attacker",
        attacker_fleets_left=1,
        attacker_fleets_lost=2,
        defender_fleets_lost=3,
        attacker_regiments_left=2,
        attacker_regiments_lost=3,
        regiments_drowned=2,
        regiments_at_shore=3,
        sea_rounds=4,
        land_rounds=2,
        rounds=6,
        attacker_cost_lost=9,
        defender_cost_lost=10,
        reached_shore=True,
    )


def test_8_convoy_attacked():
    scenario = invasion((1, 2), 1, [{"fleets": 2, "convoy": "defends"}])
    outcome = fight(scenario, ((6, 1), (6,)), ((5,), (3,)))
    check(outcome, winner="defender", regiments_drowned=2, reached_shore=False, defender_fleets_lost=1, sea_rounds=2)


def test_9_bonus_die_and_ties_and_stop_below():
    bonus = risk("land", 3, {"regiments": 2, "bonus_dice": 1})
    place, _, _ = fight_of(bonus.fields, bonus.chain.params, bonus.chain.start)
    hands = place.attack, place.defence
    assert kept_dice(hands[1], 2)[6, 5] > kept_dice(hands[1]._replace(bonus_dice=0), 2)[6, 5]
    assert all(len(kept) == 2 for kept in kept_dice(hands[1], 2))
    check(fight(bonus, ((6, 6, 1), (6, 5)), ((5, 4), (3,))), winner="attacker", attacker_regiments_left=2, rounds=2)
    check(fight(risk("land", 1, 1, ties="both"), ((4,), (4,))), winner="nobody", territories_captured=0)
    stopped = fight(
        risk("land", 5, 4, policy={"retreat": "stop-below", "stop_below": 3}), ((3, 3, 2), (6, 5)), ((2, 2, 1), (5, 1))
    )
    check(stopped, winner="nobody", attacker_regiments_left=2, defender_regiments_left=3, rounds=2)


@pytest.mark.parametrize(
    ("transports", "losses", "troop_loss", "aboard"),
    [
        (2, "escorts-first", "with-each-fleet", [0, 3, 5, 5]),
        (2, "transports-first", "with-each-fleet", [0, 0, 3, 5]),
        (3, "escorts-first", "with-each-fleet", [0, 2, 4, 5]),
        (2, "transports-first", "all-or-nothing", [0, 5, 5, 5]),
    ],
)
def test_troops_aboard_follow_from_the_fleets_left(transports, losses, troop_loss, aboard):
    scenario = invasion(
        (3, 5), 1, attacker={"transports": transports}, policy={"losses": losses}, troop_loss=troop_loss
    )
    assert scenario.chain.params.aboard.tolist() == aboard
