"""The worked examples of docs/rules/kings_and_things.md section 11, die by die."""

import random

import numpy as np
import pytest

from simulator import best, exact, load
from simulator.engine.api import best_option
from simulator.rules.battle import WINNERS


def hits(*dice):
    """A throw from pairs (face, value): the result that stands for its hits."""
    return 4 * sum(face <= value for face, value in dice)


SAVED, LOST = 1, 0
FALLS, HOLDS = 1, 0


def play(scenario, *results):
    """The outcome of a battle whose rolls come to these results, in order; what is certain is not among them."""
    built = load({"game": "kings-and-things"} | scenario).built
    chain, waiting = built.chain, list(results)
    running, table, second, step = (chain.part(name) for name in ("running", "table", "second", "step"))
    option = best_option(chain)

    def rolled(row, state):
        able = chain.tables.result[chain.tables.first[row] : chain.tables.first[row + 1]].tolist()
        if len(able) == 1:
            return able[0]
        assert waiting, state
        assert waiting[0] in able, (waiting[0], state)
        return waiting.pop(0)

    state = chain.settled(chain.start, best=option)
    while running(chain.params, state):
        one = rolled(int(table(chain.params, state)), state)
        other = rolled(int(second(chain.params, state)), state)
        state = chain.settled(step(chain.params, state, one, other), best=option)
    assert not waiting, "over too early"
    columns = built.outcome(type(state)(*(np.array([int(value)]) for value in state)))
    outcome = {name: values[0].item() for name, values in columns.items()}
    return outcome | {"winner": WINNERS[outcome["winner"]]}


def land(attacker, defender, **more):
    sides = [{"creatures": side} if isinstance(side, list) else side for side in (attacker, defender)]
    return {"battle": "land", "attacker": sides[0], "defender": sides[1]} | more


def expect(outcome, **values):
    assert {name: outcome[name] for name in values} == values


LEAVES = {"retreat": "after-rounds", "retreat_after": 1}


def test_1_seed_example():
    scenario = land(
        ["3M", "1M", "4C", "4"],
        {"creatures": ["2M", "3R", "2R", "2", "2"], "settlement": "city"},
        policy={"attacker": LEAVES},
    )
    outcome = play(
        scenario,
        hits((3, 3), (2, 1)), hits((4, 2)),
        hits((4, 3), (1, 2)),
        hits((4, 4), (4, 4), (4, 4)), hits((2, 2), (2, 2), (2, 1)),
        HOLDS,
    )  # fmt: skip
    expect(outcome, winner="defender", attacker_losses=3, attacker_value_left=4, attacker_retreated=True)
    expect(outcome, defender_losses=2, settlement_hits=2, settlement_level_after=2, rounds=1)


def test_2_one_die_magic_first():
    outcome = play(land(["3M"], ["3"]), hits((5, 3)), hits((4, 3)), hits((2, 3)))
    expect(outcome, winner="attacker", rounds=2)
    odds = exact({"game": "kings-and-things"} | land(["3M"], ["3"]))
    assert odds.winner("attacker") == pytest.approx(2 / 3)
    assert odds.mean("rounds") == pytest.approx(4 / 3)


def test_3_mutual_destruction():
    outcome = play(land(["6"], {"fort": "tower"}), hits((1, 1)), FALLS)
    expect(outcome, winner="defender", both_eliminated=True, fort_level_after=0)
    assert exact({"game": "kings-and-things"} | land(["6"], {"fort": "tower"})).winner("attacker") == pytest.approx(
        5 / 6
    )


def test_4_sword_master():
    scenario = land(["6"], ["Sword Master"])
    outcome = play(scenario, hits((5, 4)), SAVED, hits((4, 4)), LOST)
    expect(outcome, winner="defender", both_eliminated=True, rounds=2)
    odds = exact({"game": "kings-and-things"} | scenario)
    assert odds.winner("attacker") == pytest.approx(1 / 7)
    assert odds.mean("rounds") == pytest.approx(9 / 7)


def test_5_talisman_and_more_hits_than_creatures():
    scenario = land(["6", "6", "6"], {"creatures": ["4", "3"], "items": ["talisman"]})
    outcome = play(scenario, hits((5, 4), (3, 3)), SAVED, LOST)
    expect(outcome, winner="attacker", attacker_creatures_left=2, defender_losses=2, rounds=1)


def test_6_retreat_into_a_full_hex():
    scenario = land({"creatures": ["6 x 2"], "retreat_hex_creatures": 7}, ["3"], policy={"attacker": LEAVES})
    outcome = play(scenario, hits((3, 2), (4, 2), (5, 2), (6, 2), (3, 2), (4, 2)), hits((6, 3)))
    expect(outcome, attacker_creatures_left=3, attacker_losses=3, attacker_retreated=True, winner="defender")


def test_7_fort_fights_on_alone():
    scenario = land(["4", "4", "3R"], {"creatures": ["2", "2"], "fort": "castle"}, policy={"defender": LEAVES})
    outcome = play(
        scenario,
        hits((2, 3)), hits((5, 3)),
        hits((5, 4), (6, 4)), hits((4, 2), (3, 2)),
        hits((1, 3)), hits((2, 2)),
        hits((1, 4), (5, 4)),
        FALLS,
    )  # fmt: skip
    expect(outcome, winner="attacker", defender_retreated=True, defender_creatures_left=2, fort_hits=3)
    expect(outcome, fort_level_after=2, attacker_losses=1, rounds=2)


def test_8_golem():
    scenario = land(["4R", "4R", "3"], {"creatures": ["2"], "items": ["golem"]})
    outcome = play(scenario, hits((2, 4), (4, 4)), hits((5, 3)), hits((1, 4), (6, 4)), hits((1, 4)))
    expect(outcome, winner="defender", defender_creatures_left=0, attacker_creatures_left=0, rounds=3)


def test_a_golem_takes_the_only_hit_of_the_ranged_step():
    """Section 3.3, step 1: the creature beside it lives; the Golem itself always hits."""
    attacker = {"creatures": ["4R", "4R", "4R"]}
    scenario = land(attacker, {"creatures": ["2"], "items": ["golem"]}, policy={"attacker": LEAVES})
    outcome = play(scenario, hits((1, 4), (5, 4), (6, 4)), hits((6, 2), (1, 6)))
    expect(outcome, defender_creatures_left=1, attacker_losses=1, attacker_retreated=True, rounds=1)


def test_9_exploration():
    scenario = {
        "battle": "exploration",
        "attacker": {"creatures": ["4"]},
        "conditions": {"cup": ["Goblins", "loot", "nothing"], "exploration_roll": 3},
    }
    outcome = play(scenario, hits((3, 4)), hits((2, 1)))
    expect(outcome, winner="attacker", defenders_drawn=1, bribe_cost=2, explored_without_fight=False)


def test_10_free_for_all_of_three_sixes():
    scenario = {"battle": "free-for-all"} | {
        side: {"creatures": ["6"]} for side in ("attacker", "second_attacker", "defender")
    }
    expect(play(scenario), winner="attacker", taken_by_second_attacker=True, taken_by_attacker=False, rounds=1)


def test_11_black_cloud():
    scenario = land(["4"], {"creatures": ["6"], "fort": "tower"}, conditions={"black_cloud": True})
    built = load({"game": "kings-and-things"} | scenario).built
    chain = built.chain
    p, state = chain.params, chain.settled(chain.start)
    row = int(chain.part("second")(p, state))
    chances = chain.tables.weight[chain.tables.first[row] : chain.tables.first[row + 1]]
    assert chances.tolist() == pytest.approx([1 / 6, 5 / 6]), "the 6 rolls against 5, the tower does not roll"
    state = chain.part("step")(p, state, hits((2, 4)), hits((6, 5)))
    line = chain.tell(chain.settled(chain.start), (hits((2, 4)), hits((6, 5))), state, random.Random(1))
    assert "the attacker rolls" in line
    assert "6 (needs 5)" in line
    assert line.endswith("the defender's tower 1 -> 0.")


@pytest.mark.parametrize(
    "creatures", [["2", "Baron Munchausen", "Grand Duke"], ["Grand Duke", "Baron Munchausen", "2"]]
)
@pytest.mark.parametrize(("items", "left"), [([], 4), (["magic-sword"], 2)])
def test_an_aimed_hit_on_equals_under_a_custom_order(creatures, items, left):
    """Baron and Duke are equals; `loss_order` does not touch the weakest-first order, by which the Marksman aims.

    Of equals the alphabet decides (section 4): the Duke is the last, so an aimed hit (1/3) fells him, and the Elf
    Lord's sure hit takes the 2 as the first that is not listed: the Baron is left, 4. With the Sword the Baron holds
    it, since the Duke is lost first; then he is the last, the Elf Lord's hit takes the Duke: the 2 is left. Else (2/3)
    the Duke alone falls: 2 + 4 are left. The attacker leaves after the first round.
    """
    scenario = {
        "game": "kings-and-things",
        "battle": "land",
        "attacker": {"creatures": ["Marksman", "Elf Lord"]},
        "defender": {"creatures": creatures, "items": items, "loss_order": ["Grand Duke"]},
        "policy": {"attacker": {"marksman": "aimed", "retreat": "after-rounds"}, "defender": {"losses": "custom"}},
    }
    assert exact(load(scenario)).mean("defender_value_left") == pytest.approx(left / 3 + 6 * 2 / 3, abs=1e-12)


BEST = {"losses": "best"}


@pytest.mark.parametrize(("other", "kept", "chance"), [("2", 3, 1 / 3), ("4", 4, 0.4)])
def test_12_losses_best(other, kept, chance):
    scenario = land(["3M", other], ["1M", "3"], policy={"attacker": BEST})
    # Magic: both hit, D loses the 1M, A the 2 (or the 3M beside a 4). Then D's 3 rolls 5 in melee, where the 4 rolls 4;
    # the 3M rolls 3 in the next magic step.
    magic, miss = (hits((2, 3)), hits((1, 1))), hits((5, 3))
    outcome = play(scenario, *magic, *{"2": (miss, hits((3, 3))), "4": (hits((4, 4)), miss)}[other])
    expect(outcome, winner="attacker", attacker_value_left=kept, attacker_losses=1)
    rest = {"2": 0.25, "4": 1 / 3}[other]
    rows = best({"game": "kings-and-things"} | scenario).rows()
    [row] = [one for one in rows if (one["step"], one["hits"], one["defender"]) == ("magic", 1, "3")]
    assert row["choice"] == f"lose {'2' if other == '2' else '3M'}"
    assert row["advantage"] == pytest.approx(chance - rest, abs=1e-12)


def test_13_seed_example_with_losses_of_free_choice():
    scenario = land(["3M", "1M", "4C", "4"], {"creatures": ["2M", "3R", "2R", "2", "2"], "settlement": "city"})
    cases = {(): 0.24718, ("attacker",): 0.26478, ("defender",): 0.22989, ("attacker", "defender"): 0.24443}
    for sides, chance in cases.items():
        odds = exact({"game": "kings-and-things", "policy": dict.fromkeys(sides, BEST)} | scenario)
        assert odds.winner("attacker") == pytest.approx(chance, abs=5e-6)


def test_who_gives_up_the_sword_fights_no_more_this_round():
    """Sections 3.3 and 5: the 2M holds the Sword and would charge. Both 6M hit: the Sword is gone, and the 2M is magic
    again in a magic step that has begun, so it goes before the 1, which rolls a 1 in the melee step; the second magic
    step ends the battle. (The 2M would have hit with 2 of 6 in it.)
    """
    scenario = land({"creatures": ["2M", "1"], "items": ["magic-sword"]}, ["6M", "6M"])
    policy = {"losses": "keep-next-step-fighters", "item_hits": "spend"}
    odds = exact({"game": "kings-and-things", "policy": {"attacker": policy}} | scenario)
    assert odds.winner("defender") == 1
    assert odds.mean("rounds") == pytest.approx(2)
    assert odds.mean("defender_losses") == pytest.approx(1 / 6, abs=1e-12)
