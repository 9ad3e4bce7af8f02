"""Both engines, the ways of running a battle, replays, survival, and what must hold whatever the armies."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simulator import best, exact, load, odds, replay, sensitivity, simulate
from simulator.analysis.odds.survival import survival
from simulator.engine.graph.graph_cache import simulate_by_rules
from simulator.engine.model.limits import NoExactOdds
from simulator.engine.sample.interpreted_walk import courses
from simulator.engine.sample.simulation import Simulation, replay_steps
from simulator.scenarios import draft, example_names
from tests.kings_and_things.scenarios import random_battle
from tests.vectors import largest_z

EXAMPLES = [name for name in example_names() if name.startswith("knt-")]
HEROES = {
    "game": "kings-and-things",
    "battle": "land",
    "attacker": {"creatures": ["Sword Master", "3R", "2", "1C"], "items": ["talisman", "magic-bow"]},
    "defender": {"creatures": ["Marksman", "4M", "2"], "items": ["golem", "firewall"], "fort": "tower"},
    "policy": {
        "attacker": {"retreat": "after-rounds", "retreat_after": 3, "losses": "keep-next-step-fighters"},
        "defender": {"marksman": "aimed"},
    },
}
CUP = {
    "game": "kings-and-things",
    "battle": "exploration",
    "attacker": {"creatures": ["4", "3R", "Warlord"], "items": ["lucky-charm"]},
    "conditions": {"cup": ["3 x 1", "2R", "4C", "city", "loot", "3 x nothing"], "exploration_roll": 3},
}
ORDERS = ("weakest-first", "strongest-first", "keep-next-step-fighters")
# Rounds decide: they are a part of the state.
TIMED = [HEROES, "knt-raid"]


@pytest.mark.parametrize("scenario", [*TIMED, CUP, "knt-three-kings", "knt-ten-against-a-citadel"], ids=str)
def test_simulated_as_exact(scenario):
    assert largest_z(load(scenario), battles=300_000 if scenario is HEROES else 1_000_000) < 4.5


@pytest.mark.parametrize("seed", range(6))
def test_simulated_as_exact_with_odd_options(seed):
    kind = "free-for-all" if seed % 3 == 2 else "land"
    assert largest_z(load(random_battle(random.Random(f"odd {seed}"), kind)), battles=200_000) < 4.5


@pytest.mark.parametrize(
    "changes",
    [
        {"attacker.creatures": ["4", "3R", "2M", "1C"], "policy.attacker.losses": "keep-next-step-fighters"},
        {"attacker.creatures": ["4", "3R", "Warlord"], "policy.defender.structures": "last"},
        {"attacker.creatures": ["0", "2M"], "policy.defender.losses": "strongest-first"},
        {"attacker.creatures": ["0"], "conditions.cup": ["0", "1", "nothing"], "conditions.exploration_roll": 2},
        {"attacker.creatures": ["1R"], "options.lone_settlement_defends": False, "conditions.exploration_roll": 0},
    ],
)
def test_the_winner_of_an_exploration_alone_is_that_of_the_whole_answer(changes):
    scenario = draft(CUP | {"attacker": {"creatures": []}}).with_fields(changes).checked()
    chances, whole = scenario.winners().p, exact(scenario)
    assert chances == pytest.approx([whole.winner(side) for side in ("attacker", "defender", "nobody")], abs=1e-12)
    assert (chances > 0).sum() > 1


@pytest.mark.parametrize("changes", [{"attacker.items": ["talisman"]}, {"policy.attacker.retreat": "after-rounds"}])
def test_more_than_hits_needs_the_whole_answer(changes):
    scenario = draft(CUP | {"attacker": {"creatures": ["4", "3R"]}}).with_fields(changes).checked()
    assert scenario.winners() is None


def test_the_best_order_of_losses_has_the_whole_answer():
    found = best(CUP | {"attacker": {"creatures": ["1", "3R", "4"]}})
    orders = [
        CUP | {"attacker": {"creatures": ["1", "3R", "4"]}, "policy": {"attacker": {"losses": one}}} for one in ORDERS
    ]
    assert sorted(one.value for one in found.named) == pytest.approx(
        sorted(exact(one).winner("attacker") for one in orders)
    )
    assert found.odds.mean("attacker_losses") == exact(found.scenario).mean("attacker_losses")


def test_sensitivity_of_an_exploration_too_large_for_its_columns_is_exact(monkeypatch):
    monkeypatch.setattr(f"{sensitivity.__module__}.CELL_BYTES", 1)
    monkeypatch.setattr(f"{sensitivity.__module__}.CELL_BATTLES", 500)
    scenario = CUP | {"attacker": {"creatures": ["4", "3R"]}}
    found = sensitivity(scenario, fields=["conditions.exploration_roll"])
    assert found.how().endswith("all exact")
    assert found.base == pytest.approx(exact(scenario).winner("attacker"), abs=1e-12)


def test_battles_walked_together_pass_the_states_of_their_replays():
    chain = load(CUP).chain
    simulate_by_rules(chain)
    ((states, ends),) = courses(chain, 3, 40)
    replays = [[chain.start, *(after for _, _, after in replay_steps(chain, 3, battle))] for battle in range(40)]
    assert states.tolist() == [list(map(int, state)) for battle in replays for state in battle]
    assert ends.tolist() == (np.cumsum([len(battle) for battle in replays]) - 1).tolist()


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_answer(name):
    found = odds(name, precision=0.01)
    assert sum(found.winner(side) for side in ("attacker", "defender", "nobody")) == pytest.approx(1, abs=1e-9)
    assert found.assumptions


@pytest.mark.parametrize("scenario", [HEROES, "knt-ten-against-a-citadel", CUP], ids=str)
def test_same_counts_whatever_the_threads_and_chunks(scenario):
    chain = load(scenario).chain
    counts = []
    for threads, chunk in ((1, 1 << 16), (2, 1000), (7, 777)):
        simulation = Simulation(chain, 5, threads, chunk)
        simulation.add(20_000)
        ends = simulation.ends()
        counts.append(np.column_stack([*ends.states, ends.count]))
    assert np.array_equal(counts[0], counts[1])
    assert np.array_equal(counts[0], counts[2])


@pytest.mark.parametrize("scenario", [HEROES, "knt-raid", "knt-three-kings", CUP, "knt-into-the-unknown"], ids=str)
def test_replays_are_the_battles_that_were_counted(scenario):
    number = 25
    asked = load(scenario)
    table = simulate(asked, number, seed=3).table
    answer = [replay(asked, 3, battle) for battle in range(number)]
    columns = [name for name in table.columns if name not in ("p", "count")]
    counted = Counter()
    for _, row in table.iterrows():
        counted[tuple(row[name] for name in columns)] += row["count"]
    assert Counter(tuple(one.outcome[name] for name in columns) for one in answer) == counted
    assert all(line for one in answer for line in one.lines)


def test_too_many_situations_are_told_and_simulated():
    many = {
        "game": "kings-and-things",
        "battle": "land",
        "attacker": {"creatures": ["1", "2", "3", "4", "5", "1R", "2R", "3R", "1M", "2M"], "items": ["talisman"]},
        "defender": {"creatures": ["1", "2", "3", "4", "5", "1R", "2R", "3R", "1M", "2M"], "fort": "citadel"},
        "policy": {"defender": {"losses": "keep-next-step-fighters"}},
    }
    with pytest.raises(NoExactOdds, match="states"):
        exact(many, 300_000)
    assert simulate(many, 10_000).winner("defender") > 0.5


def test_how_it_comes_about_is_told_in_the_words_of_the_game():
    def answer(name, **changes):
        return "\n".join(load(name).replace_all(changes).built.explain())

    assert "the attacker loses first to last: 2 x Elves 2R (2R), " in answer("knt-ten-against-a-citadel")
    assert "the defender loses first to last: citadel (4), " in answer("knt-ten-against-a-citadel")
    heroes = answer("knt-heroes-and-magic")
    assert "one die is rolled for the value of the defender's Firewall" in heroes
    assert "3 dice in the melee step (needs 2, 2, 4)" in answer("knt-three-kings")
    assert "59,192 different defenders can be drawn" in answer("knt-into-the-unknown")
    warlord = answer("knt-raid", **{"defender.creatures": ["Warlord", "3"]})
    assert "the defender's Warlord takes Dwarves 3C over" in warlord


def test_a_free_for_all_tells_who_holds_the_hex():
    found = odds("knt-three-kings")
    assert [result.label for result in found.results] == [
        "the attacker takes the hex",
        "the second attacker takes the hex",
        "the defender keeps the hex",
        "nobody (stalemate)",
    ]
    assert sum(result.p for result in found.results) == pytest.approx(1)
    assert {"attacker_losses", "second_attacker_losses", "defender_losses"} <= {
        row["column"] for row in found.summary_rows()
    }


def test_too_many_conditions_of_one_side_are_refused():
    side = {"creatures": [f"25 x {value}" for value in (1, 2, 3, 4)], "items": ["talisman"]}
    enemy = {"creatures": [f"25 x {value}C" for value in (1, 2, 3, 4)]}
    asked = {"game": "kings-and-things", "battle": "land", "options": {"stack_limit": 0}}
    with pytest.raises(ValueError, match=r"attacker\.creatures: can come to more than"):
        odds(asked | {"attacker": side, "defender": enemy})


def test_survival_adds_up_to_the_people_left():
    for name in ("knt-ten-against-a-citadel", "knt-three-kings"):
        found, whole = survival(name), exact(name)
        for side in ("attacker", "defender"):
            p = [piece.p for piece in found.pieces if piece.side == side and piece.worth != "structure"]
            assert sum(p) == pytest.approx(whole.mean(f"{side}_creatures_left"), abs=1e-9)
    simulated = survival("knt-ten-against-a-citadel", battles=50_000)
    assert all(piece.low <= piece.p <= piece.high for piece in simulated.pieces)
    assert len(simulated.table) == len(simulated.pieces) == 21


CODES = st.sampled_from(["1", "2", "3", "4", "5", "2R", "4R", "1M", "3M", "2C"])
ARMY = st.lists(CODES, min_size=1, max_size=4)


def fought(attacker, defender, **more):
    scenario = {"game": "kings-and-things", "battle": "land"} | more
    return exact(scenario | {"attacker": {"creatures": attacker}, "defender": {"creatures": defender}})


@settings(max_examples=15, deadline=None)
@given(ARMY, ARMY)
def test_odds_make_sense(attacker, defender):
    found = fought(attacker, defender)
    assert sum(found.chances) == pytest.approx(1, abs=1e-11)
    for side, army in (("attacker", attacker), ("defender", defender)):
        left, lost = found.columns[f"{side}_creatures_left"], found.columns[f"{side}_losses"]
        assert (left + lost == len(army)).all()
        assert ((left >= 0) & (lost >= 0)).all()
    swapped = fought(defender, attacker)
    both = found.p("both_eliminated")
    assert found.winner("attacker") == pytest.approx(swapped.winner("defender") - both, abs=1e-9)


@settings(max_examples=10, deadline=None)
@given(ARMY, ARMY)
def test_one_more_strong_counter_never_hurts(attacker, defender):
    # A 6 is struck after all of these, and always hits in the melee.
    assert fought([*attacker, "6"], defender).winner("attacker") >= fought(attacker, defender).winner("attacker") - 1e-9
